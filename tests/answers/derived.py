# SPDX-License-Identifier: GPL-2.0-only
"""What the derived events of hist-derived(7) are, as plainly as possible: intervals of the events of a recording.

Each function takes all events in the order of time and yields (event that ends it, fields).
"""
import copy

import derived_doings
from derived_doings import block_io, counter, function, lock_wait

STATES = [(1, "sleeping"), (2, "disk"), (4, "stopped"), (8, "traced"), (16, "dead"), (32, "dead"), (64, "parked"), (128, "idle")]
SOFTIRQS = [str(i) for i in range(10)]  # the format of these recordings does not name them


def state_word(bits):
    return next((word for bit, word in STATES if bits & bit), None)


WAITS = ("woken", "preempted", "new", "yielded")


def intervals_of_tasks(events, now=None):
    """(end, pid, comm, prio, state, begin, cpu, places, next state, waker): running, or asleep until it is woken, or waiting for a CPU.
    ->places of a wait: when it waited for which CPU. @now: what is not over at the end; by pid (state, begin, cpu, places)."""
    now, early, yields = {} if now is None else now, set(), set()
    for e in events:
        v, name = e.values, e.kind.name
        if name == "sched_switch":
            prev, then = v["prev_pid"], v["next_pid"]
            if prev:
                word = state_word(v["prev_state"]) or ("yielded" if prev in yields else "preempted")
                if prev in now and now[prev][0] == "running":
                    yield e, prev, v["prev_comm"], v["prev_prio"], *now[prev], word, None
                # who is woken on the way to sleep does not sleep
                if prev in early and word not in WAITS:
                    word = "woken"
                now[prev] = (word, e.ts, e.cpu, [(e.cpu, e.ts)])
                if word == "dead":
                    del now[prev]
            if then:
                if then in now:
                    yield e, then, v["next_comm"], v["next_prio"], *now[then], "running", None
                now[then] = ("running", e.ts, e.cpu, [])
            early -= {prev, then}
            yields -= {prev, then}
        elif name == "sched_waking":
            if v["pid"] in now and now[v["pid"]][0] == "running":
                early.add(v["pid"])
                continue
            if v["pid"] in now and now[v["pid"]][0] not in WAITS:
                yield e, v["pid"], v["comm"], v["prio"], *now[v["pid"]], "woken", e
            now[v["pid"]] = ("woken", e.ts, v["target_cpu"], [(v["target_cpu"], e.ts)])
        elif name == "sched_wakeup":  # if it runs, it decided not to sleep
            early.discard(v["pid"])
        elif name == "sched_wakeup_new":
            now[v["pid"]] = ("new", e.ts, v["target_cpu"], [(v["target_cpu"], e.ts)])
        elif name == "sched_migrate_task" and now.get(v["pid"], ("",))[0] in WAITS:
            now[v["pid"]][3].append((v["dest_cpu"], e.ts))
        elif name == "sys_enter_sched_yield":
            yields.add(e.pid)


def task_state(events):
    for e, pid, comm, prio, state, since, cpu, _, then, waker in intervals_of_tasks(events):
        slept = state not in WAITS and state != "running"
        if slept and not waker:
            continue
        yield e, dict(pid=pid, comm=comm, prio=prio, cpu=cpu if waker else e.cpu, state=state, ns=e.ts - since, next_state=then, waker_pid=waker.pid if waker else 0,
                      waker_comm=(waker.comm if waker.pid else "swapper") if waker else "",
                      in_irq=int(bool(waker and waker.flags & (8 | 16))))


def idle_times(events):
    """By CPU, (begin, end): while its idle task runs."""
    found, since = {}, {}
    for e in events:
        if e.kind.name == "sched_switch":
            if e.cpu in since:
                found.setdefault(e.cpu, []).append((since.pop(e.cpu), e.ts))
            if not e.values["next_pid"]:
                since[e.cpu] = e.ts
    for cpu, begin in since.items():
        found.setdefault(cpu, []).append((begin, events[-1].ts))
    return found


def parts_of_wait(places, end):
    return zip(places, [at for _, at in places[1:]] + [end])


def other_idle(idle, places, end):
    """While at least one CPU was idle for which the task did not wait."""
    total = 0
    for (cpu, begin), stop in parts_of_wait(places, end):
        at = begin
        for a, b in sorted(t for other, times in idle.items() if other != cpu for t in times):
            if b > at and a < stop:
                total += min(b, stop) - max(a, at)
                at = min(b, stop)
    return total


def waking(woken, pid, kind):
    """Who ended the sleep before a wait, or made the task."""
    w = woken[pid] if kind in ("woken", "new") else None
    return dict(waker_pid=w.pid if w else 0, waker_comm=(w.comm if w.pid else "swapper") if w else "", in_irq=int(bool(w and w.flags & (8 | 16))))


def wait(events):
    idle, of, of_cpu, names = idle_times(events), segments(events), switches(events), derived_doings.Names(events)
    woken, at = {}, 0
    for e, pid, comm, prio, state, since, _, places, then, _ in intervals_of_tasks(events):
        if state in WAITS:
            while events[at] is not e:
                if events[at].kind.name in ("sched_waking", "sched_wakeup_new"):
                    woken[events[at].values["pid"]] = events[at]
                at += 1
            sums = dict.fromkeys(("unknown", "task", "irq", "softirq", "idle", "throttled"), 0)
            for a, b, _, kind, _ in parts_of_delay(events, of, of_cpu, pid, state, since, places, e.ts):
                sums[reason(kind)] += b - a
            yield e, dict(pid=pid, comm=comm, prio=prio, kind=state, ns=e.ts - since, cpu=e.cpu, migrated=int(places[0][0] != e.cpu),
                          other_idle_ns=other_idle(idle, places, e.ts), reason=max(sums, key=lambda r: in_ns(sums[r])), **waking(woken, pid, state))


def runqueue(events):
    """How many tasks run or wait on a CPU; what began before the recording is left out."""
    changes, now = {}, {}  # by CPU: (when, by how many)
    every = [(pid, state, since, cpu, places, e.ts) for e, pid, _, _, state, since, cpu, places, _, _ in intervals_of_tasks(events, now)]
    every += [(pid, *n, None) for pid, n in now.items()]
    for pid, state, since, cpu, places, end in every:
        if state == "running":
            places = [(cpu, since)]
        elif state not in WAITS:
            continue
        for (cpu, begin), stop in parts_of_wait(places, end):
            changes.setdefault(cpu, []).append((begin, 1))
            if stop is not None:
                changes[cpu].append((stop, -1))
    at = {e.ts: e for e in events}
    for cpu, by in changes.items():
        depth, since, by_time = 0, None, {}
        for ts, n in by:
            by_time[ts] = by_time.get(ts, 0) + n
        for ts, n in sorted(by_time.items()):
            if n:
                if since is not None:
                    yield at[ts], dict(cpu=cpu, depth=depth, ns=ts - since)
                depth, since = depth + n, ts


def interrupts(events, still=None):
    """(end, kind, name, begin, time in others that interrupted it); @still: those that are not over, (CPU, kind, name, begin)"""
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
    if still is not None:
        still += [(cpu, *irq[:3]) for cpu, stack in stacks.items() for irq in stack]


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


def switches(events):
    """By CPU, (when, prio) of the tasks that it switches to; None: idle."""
    found = {}
    for e in events:
        if e.kind.name == "sched_switch":
            found.setdefault(e.cpu, []).append((e.ts, e.values["next_prio"] if e.values["next_pid"] else None))
    return found


def rank(prio):
    """Classes of tasks, the first one goes first: stopper (and the highest of SCHED_FIFO), deadline, real-time, fair, idle."""
    return 4 if prio is None else 0 if prio == 0 else 1 if prio < 0 else 2 if prio < 100 else 3


def reason(kind):
    return {"vector": "irq", "nmi": "irq", "others": "unknown", "budget": "throttled"}.get(kind, kind)


def queued_at(events, pid, state, since, end):
    """When a task that waits was on a run queue."""
    if state != "woken":
        return since
    return next((e.ts for e in events if since < e.ts < end and e.kind.name == "sched_wakeup" and e.values["pid"] == pid), end)


def parts_of_delay(events, of, of_cpu, pid, state, since, places, end):
    """(begin, end, (pid, name), kind, prio) of what a task waited for; while lower classes were chosen, its budget."""
    prio = next(e.values["prev_prio" if e.kind.name == "sched_switch" else "prio"] for e in reversed([e for e in events if e.ts <= since])
                if e.values.get("prev_pid" if e.kind.name == "sched_switch" else "pid") == pid
                and e.kind.name in ("sched_switch", "sched_waking", "sched_wakeup_new"))
    mine, queued = rank(prio), queued_at(events, pid, state, since, end)
    budget = "deadline, deduced" if mine == 1 else "real-time, deduced"
    for (cpu, begin), stop in parts_of_wait(places, end):
        changes = [(ts, rank(other)) for ts, other in of_cpu.get(cpu, []) if max(begin, queued) <= ts < stop]
        for a, b, (who, name, kind) in of.get(cpu, []):
            a, held, until = max(a, begin), False, min(b, stop)
            if a >= until:
                continue
            for ts, theirs in changes:
                if ts <= a and mine < 3:
                    held = theirs > mine
            prio = next((p for ts, p in reversed(of_cpu.get(cpu, [])) if ts <= a), 0)
            yield (a, until, (0, budget), "budget", 0) if held else (a, until, (who, name), kind, prio if who else 0)


def delay(events):
    of, of_cpu = segments(events), switches(events)
    names, ends = derived_doings.Names(events), {}
    for e in events:
        if e.kind.name == "sched_process_exit":
            ends.setdefault(e.pid, []).append(e.ts)
    for e, victim, comm, own, state, since, _, places, _, _ in intervals_of_tasks(events):
        if state not in WAITS:
            continue
        sums, taker = {}, None
        for a, b, (pid, name), kind, prio in parts_of_delay(events, of, of_cpu, victim, state, since, places, e.ts):
            # the name that it had when it last ran meanwhile, at the end of that nanosecond
            if pid:
                name = names.at(pid, (b // TICK + 1) * TICK - 1)
            # a pid that is used again is another task
            key = (pid, sum(ts <= a for ts in ends.get(pid, []))) if pid else (0, name, kind)
            if state == "preempted" and not sums:  # who took its CPU
                taker = key
            sums[key] = (sums.get(key, (0,))[0] + b - a, pid, name, kind, prio)
        for key, (ns, pid, name, kind, prio) in sums.items():
            yield e, dict(victim_pid=victim, victim_comm=comm, culprit_pid=pid, culprit_comm=name, ns=ns, cpu=e.cpu, kind=state,
                          culprit_kind=kind, preemptions=int(key == taker), culprit_prio=prio, reason=reason(kind),
                          victim_prio=own, inverted=int(kind == "task" and prio > own))


def holds(*wait):
    """[begin, end, name]: when a task that waits was not to run."""
    times = []
    for a, b, (_, name), kind, _ in parts_of_delay(*wait):
        if reason(kind) == "throttled" and times and times[-1][1:] == [a, name]:
            times[-1][1] = b
        elif reason(kind) == "throttled":
            times.append([a, b, name])
    return times


def held(events):
    of, of_cpu = segments(events), switches(events)
    for e, pid, comm, _, state, since, _, places, _, _ in intervals_of_tasks(events):
        for a, b, name in holds(events, of, of_cpu, pid, state, since, places, e.ts) if state in WAITS else ():
            yield e, dict(pid=pid, comm=comm, by=name, ns=b - a, ended_ns=e.ts - b, cpu=e.cpu)


class Parts:
    """What tasks did meanwhile."""

    def __init__(self, events):
        now, self.of, end = {}, {}, events[-1].ts
        every = [(pid, state, since, cpu, e.ts) for e, pid, _, _, state, since, cpu, _, _, _ in intervals_of_tasks(events, now)]
        for pid, state, since, cpu, stop in every + [(pid, n[0], n[1], n[2], end) for pid, n in now.items()]:
            self.of.setdefault(pid, []).append((since, stop, state, cpu))
        self.irqs = {cpu: [(a, b) for a, b, who in spans if who[2] in ("irq", "softirq")] for cpu, spans in segments(events).items()}

    def between(self, pid, begin, end):
        sums = dict(running_ns=0, waiting_ns=0, sleeping_ns=0, irq_ns=0)
        for a, b, state, cpu in self.of.get(pid, []):
            a, b = max(a, begin), min(b, end)
            if a < b:
                irq = sum(max(0, min(b, d) - max(a, c)) for c, d in self.irqs.get(cpu, [])) if state == "running" else 0
                sums["irq_ns"] += irq
                sums["running_ns" if state == "running" else "waiting_ns" if state in WAITS else "sleeping_ns"] += b - a - irq
        return dict(sums, unknown_ns=end - begin - sum(sums.values()))


CALLS = {0: "read", 1: "write", 7: "poll", 24: "sched_yield", 202: "futex", 230: "clock_nanosleep"}  # of x86_64


def syscall(events, names, unfinished=None):
    """@unfinished takes those that have no end: by pid (number, begin)."""
    open_calls, parts = {} if unfinished is None else unfinished, Parts(events)
    for e in events:
        if e.kind.name == "sys_enter":
            open_calls[e.pid] = (e.values["id"], e.ts)
        elif e.kind.name == "sys_exit" and e.pid in open_calls:
            number, begin = open_calls.pop(e.pid)
            if number == e.values["id"]:
                yield e, dict(pid=e.pid, comm=e.comm, id=number, name=names.get(number, str(number)), ret=e.values["ret"], ns=e.ts - begin, cpu=e.cpu, **parts.between(e.pid, begin, e.ts))
        elif e.kind.name == "sched_process_exit":
            open_calls.pop(e.pid, None)


def calls_of_tasks(events, shape):
    """(pid, begin, end, name): when a task was in a system call, if it ended or is not over."""
    names, unfinished = CALLS if shape.machine == "x86_64" else {}, {}
    for e, f in syscall(events, names, unfinished):
        yield f["pid"], e.ts - f["ns"], e.ts, f["name"]
    for pid, (number, begin) in unfinished.items():
        yield pid, begin, events[-1].ts, names.get(number, str(number))


def slice(events):
    parts, names = Parts(events), derived_doings.Names(events)
    for e, begin, name, depth, tgid, own in derived_doings.slices(events):
        yield e, dict(name=name, depth=depth, ns=e.ts - begin.ts, self_ns=own, pid=begin.pid, tgid=tgid, comm=names.at(begin.pid, e.ts),
                      **parts.between(begin.pid, begin.ts, e.ts))


TICK = 2**40


def in_ns(time):
    return (time + TICK // 2) // TICK


def in_order(model):
    """Events of the same time have an order: here each has a time of its own, a small part of a nanosecond after that of the one before."""
    def exact(events):
        spread = [copy.copy(e) for e in events]
        for i, e in enumerate(spread):
            e.ts, e.of = e.ts * TICK + i, events[i]
        for e, fields in model(spread):
            fields = {f: in_ns(v) if f == "ns" or f.endswith("_ns") else v for f, v in fields.items()}
            if fields["ns"] or model not in (delay, held, runqueue):
                yield e.of, fields
    return exact


def models(shape):
    """{name: model}"""
    calls = CALLS if shape.machine == "x86_64" else {}
    found = dict(wait=wait, task_state=task_state, irq=irq, delay=delay, held=held, runqueue=runqueue,
                 syscall=lambda events: syscall(events, calls), softirq_wait=lambda events: derived_doings.softirq_wait(events, SOFTIRQS), lock_wait=lock_wait,
                 block_io=block_io, slice=slice)
    return dict({name: in_order(model) for name, model in found.items()}, counter=counter, function=function)


FIELDS = dict(derived_doings.FIELDS, **{
    "wait": "pid comm:text prio kind:text ns cpu migrated other_idle_ns reason:text waker_pid waker_comm:text in_irq",
    "task_state": "pid comm:text prio cpu state:text ns next_state:text waker_pid waker_comm:text in_irq",
    "irq": "pid comm:text kind:text name:text ns self_ns cpu",
    "delay": "victim_pid victim_comm:text culprit_pid culprit_comm:text ns cpu kind:text culprit_kind:text preemptions culprit_prio victim_prio inverted reason:text",
    "held": "pid comm:text by:text ns ended_ns cpu",
    "runqueue": "cpu depth ns",
    "syscall": "pid comm:text id name:text ret ns cpu running_ns waiting_ns sleeping_ns irq_ns unknown_ns",
})


SIGNED = {"pid", "prio", "victim_prio", "inverted", "depth", "victim_pid", "culprit_pid", "waker_pid", "tgid", "id", "ret", "error", "value", "migrated", "in_irq", "culprit_prio"}


def types_of(name):
    return {field.partition(":")[0]: "text" if field.endswith(":text") else "int" for field in FIELDS[name].split() + ["open:text"]}
