# SPDX-License-Identifier: GPL-2.0-only
"""What the derived events of hist-derived(7) are, as plainly as possible: intervals of the events of a recording.

Each function takes all events in the order of time and yields (event that ends it, fields).
"""
STATES = [(1, "sleeping"), (2, "disk"), (4, "stopped"), (8, "traced"), (16, "dead"), (32, "dead"), (64, "parked"), (128, "idle")]
SOFTIRQS = [str(i) for i in range(10)]  # the format of these recordings does not name them


def state_word(bits):
    return next((word for bit, word in STATES if bits & bit), None)


def intervals_of_tasks(events):
    """(end, pid, comm, prio, state, begin, cpu, next state, waker): running, or asleep until it is woken, or waiting for a CPU.
    ->places of a wait: when it waited for which CPU."""
    now = {}  # pid: (state, since, cpu, [(cpu, since)...])
    for e in events:
        v, name = e.values, e.kind.name
        if name == "sched_switch":
            prev, then = v["prev_pid"], v["next_pid"]
            if prev:
                word = state_word(v["prev_state"])
                if prev in now and now[prev][0] == "running":
                    yield e, prev, v["prev_comm"], v["prev_prio"], *now[prev], word or "preempted", None
                now[prev] = (word or "preempted", e.ts, e.cpu, [(e.cpu, e.ts)])
                if word == "dead":
                    del now[prev]
            if then:
                if then in now:
                    yield e, then, v["next_comm"], v["next_prio"], *now[then], "running", None
                now[then] = ("running", e.ts, e.cpu, [])
        elif name == "sched_waking":
            if v["pid"] in now and now[v["pid"]][0] not in WAITS:
                yield e, v["pid"], v["comm"], v["prio"], *now[v["pid"]], "woken", e
            now[v["pid"]] = ("woken", e.ts, v["target_cpu"], [(v["target_cpu"], e.ts)])
        elif name == "sched_wakeup_new":
            now[v["pid"]] = ("new", e.ts, v["target_cpu"], [(v["target_cpu"], e.ts)])
        elif name == "sched_migrate_task" and now.get(v["pid"], ("",))[0] in WAITS:
            now[v["pid"]][3].append((v["dest_cpu"], e.ts))


WAITS = ("woken", "preempted", "new")


def task_state(events):
    for e, pid, comm, prio, state, since, cpu, _, then, waker in intervals_of_tasks(events):
        slept = state not in WAITS and state != "running"
        if slept and not waker:
            continue
        yield e, dict(pid=pid, comm=comm, state=state, ns=e.ts - since, next_state=then, waker_pid=waker.pid if waker else 0,
                      waker_comm=(waker.comm if waker.pid else "swapper") if waker else "",
                      in_irq=int(bool(waker and waker.flags & (8 | 16))))


def wait(events):
    for e, pid, comm, prio, state, since, _, places, then, _ in intervals_of_tasks(events):
        if state in WAITS:
            yield e, dict(pid=pid, comm=comm, prio=prio, kind=state, ns=e.ts - since, cpu=e.cpu, migrated=int(places[0][0] != e.cpu))


def interrupts(events):
    """(end, kind, name, begin, time in others that interrupted it)"""
    stacks = {}
    for e in events:
        stack, v = stacks.setdefault(e.cpu, []), e.values
        if e.kind.name in ("irq_handler_entry", "softirq_entry"):
            hard = e.kind.name == "irq_handler_entry"
            stack.append(["irq" if hard else "softirq", v["name"] if hard else SOFTIRQS[v["vec"]], e.ts, 0])
        elif e.kind.name in ("irq_handler_exit", "softirq_exit") and stack:
            kind, name, begin, nested = stack.pop()
            if stack:
                stack[-1][3] += e.ts - begin
            yield e, kind, name, begin, nested


def irq(events):
    for e, kind, name, begin, nested in interrupts(events):
        yield e, dict(pid=e.pid, comm=e.comm, kind=kind, name=name, ns=e.ts - begin, self_ns=e.ts - begin - nested, cpu=e.cpu)


def segments(events):
    """What each CPU did: by CPU, lists of (begin, end, (pid, name, kind)): the innermost interrupt, or the task, or idle. A task has
    the name that it had at the end."""
    found, now, stacks, runs, end = {}, {}, {}, {}, events[-1].ts
    for e in events:
        if e.kind.name == "sched_switch":
            runs[e.cpu] = e.values["next_pid"]
        if e.kind.name not in ("sched_switch", "irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit"):
            continue
        stack = stacks.setdefault(e.cpu, [])
        if e.cpu in now:
            task = (e.pid, e.comm, "task") if e.pid else (0, "swapper", "idle")
            found.setdefault(e.cpu, []).append((now[e.cpu], e.ts, stack[-1] if stack else task))
        if e.kind.name == "sched_switch":
            stack.clear()
        elif e.kind.name.endswith("entry"):
            hard = e.kind.name == "irq_handler_entry"
            stack.append((0, e.values["name"], "irq") if hard else (0, SOFTIRQS[e.values["vec"]], "softirq"))
        elif stack:
            stack.pop()
        now[e.cpu] = e.ts
    for cpu, since in now.items():  # what it still does at the end
        last = (runs[cpu], "", "task") if runs[cpu] else (0, "swapper", "idle")
        found.setdefault(cpu, []).append((since, end + 1, stacks[cpu][-1] if stacks[cpu] else last))
    return found


def delay(events):
    of = segments(events)
    names, ends = {}, {}
    for e in events:
        names.setdefault(e.pid, []).append((e.ts, e.values["newcomm"] if e.kind.name == "task_rename" else e.comm))
        if e.kind.name == "sched_process_exit":
            ends.setdefault(e.pid, []).append(e.ts)
    for e, victim, comm, prio, state, since, _, places, _, _ in intervals_of_tasks(events):
        if state not in WAITS:
            continue
        sums = {}
        for (cpu, begin), end in zip(places, [at for _, at in places[1:]] + [e.ts]):
            for a, b, (pid, name, kind) in of.get(cpu, []):
                ns = min(b, end) - max(a, begin)
                if ns > 0:
                    # the name that it had when it last ran meanwhile
                    if pid and b > end:
                        name = ([c for ts, c in names[pid] if ts <= end] or [names[pid][0][1]])[-1]
                    # a pid that is used again is another task
                    key = (pid, sum(ts < a for ts in ends.get(pid, []))) if pid else (0, name, kind)
                    sums[key] = (sums.get(key, (0,))[0] + ns, pid, name, kind)
        for ns, pid, name, kind in sums.values():
            yield e, dict(victim_pid=victim, victim_comm=comm, culprit_pid=pid, culprit_comm=name, ns=ns, kind=state, culprit_kind=kind)


def syscall(events):
    open_calls = {}
    for e in events:
        if e.kind.name == "sys_enter":
            open_calls[e.pid] = (e.values["id"], e.ts)
        elif e.kind.name == "sys_exit" and e.pid in open_calls:
            number, begin = open_calls.pop(e.pid)
            if number == e.values["id"]:
                yield e, dict(pid=e.pid, comm=e.comm, id=number, ret=e.values["ret"], ns=e.ts - begin, cpu=e.cpu)
        elif e.kind.name == "sched_process_exit":
            open_calls.pop(e.pid, None)


MODELS = {"wait": wait, "task_state": task_state, "irq": irq, "delay": delay, "syscall": syscall}
FIELDS = {  # (name, "text" or "int")
    "wait": [("pid", "int"), ("comm", "text"), ("prio", "int"), ("kind", "text"), ("ns", "int"), ("cpu", "int"), ("migrated", "int")],
    "task_state": [("pid", "int"), ("comm", "text"), ("state", "text"), ("ns", "int"), ("next_state", "text"), ("waker_pid", "int"),
                   ("waker_comm", "text"), ("in_irq", "int")],
    "irq": [("pid", "int"), ("comm", "text"), ("kind", "text"), ("name", "text"), ("ns", "int"), ("self_ns", "int"), ("cpu", "int")],
    "delay": [("victim_pid", "int"), ("victim_comm", "text"), ("culprit_pid", "int"), ("culprit_comm", "text"), ("ns", "int"),
              ("kind", "text"), ("culprit_kind", "text")],
    "syscall": [("pid", "int"), ("comm", "text"), ("id", "int"), ("ret", "int"), ("ns", "int"), ("cpu", "int")],
}
