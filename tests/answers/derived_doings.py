# SPDX-License-Identifier: GPL-2.0-only
"""What the derived events of softirqs, locks, block devices, markers and functions are, as derived.py has those of tasks."""


class Names:
    """Which name a task had at a time."""

    def __init__(self, events):
        self.of = {}
        for e in events:
            renamed = e.kind.name == "task_rename"
            self.of.setdefault(e.pid, [(0, e.values["oldcomm"])] if renamed else []).append((e.ts, e.values["newcomm"] if renamed else e.comm))
            if e.kind.name == "sched_process_fork":
                self.of.setdefault(e.values["child_pid"], []).append((e.ts, e.values["child_comm"]))
            elif e.kind.name == "task_newtask":
                self.of.setdefault(e.values["pid"], []).append((e.ts, e.values["comm"]))

    def at(self, pid, ts):
        return ([name for when, name in self.of[pid] if when <= ts] or [self.of[pid][0][1]])[-1] if pid else None


class Lives:
    """Which task with its pid and name a task is: "sh-300", "sh-300 (2)"."""

    def __init__(self, events):
        self.born, self.named = {}, {}
        for e in events:
            self.named.setdefault((e.pid, e.comm), set()).add(self.life(e.pid, e.ts))
            v = e.values
            if e.kind.name == "sched_process_fork":
                self.born.setdefault(v["child_pid"], []).append(e.ts)
                self.named.setdefault((v["child_pid"], v["child_comm"]), set()).add(self.life(v["child_pid"], e.ts))

    def life(self, pid, ts):
        return sum(born <= ts for born in self.born.get(pid, []))

    def task(self, pid, comm, ts):
        before = sum(life < self.life(pid, ts) for life in self.named.get((pid, comm), [])) if pid else 0
        return f"{comm}-{pid}" + (f" ({before + 1})" if before else "")


def softirq_wait(events, softirqs):
    names = Names(events)
    pending, batches = {}, {}  # by CPU: {vec: [first raise, raises]}; those that it took at once and has not yet run
    for e in events:
        if e.kind.name not in ("softirq_raise", "softirq_entry"):
            continue
        mine, batch, vec = pending.setdefault(e.cpu, {}), batches.setdefault(e.cpu, {}), e.values["vec"]
        if e.kind.name == "softirq_raise":
            mine.setdefault(vec, [e, 0])[1] += 1
            continue
        if vec not in batch:
            batch.clear()
            batch.update(mine)
            mine.clear()
        if vec in batch:
            first, raises = batch.pop(vec)
            yield e, dict(name=softirqs[vec], ns=e.ts - first.ts, raises=raises, cpu=e.cpu, pid=first.pid, comm=names.at(first.pid, e.ts) or first.comm)


LOCKS = {1: "spinlock", 3: "rwlock-read", 5: "rwlock-write", 2: "rwsem-read", 4: "rwsem-write", 32: "mutex", 33: "mutex-spin", 8: "rt-mutex",
         10: "rwlock-rt-read", 12: "rwlock-rt-write", 18: "percpu-read", 20: "percpu-write", 0: "semaphore"}


def lock_wait(events):
    waits = {}
    for e in events:
        if e.kind.name not in ("contention_begin", "contention_end"):
            continue
        # each CPU has an idle task
        key = (e.pid, e.cpu if not e.pid else None, e.values["lock_addr"])
        if e.kind.name == "contention_begin":
            waits.setdefault(key, (e, []))[1].append(e.values["flags"])
        elif key in waits:
            first, flags = waits.pop(key)
            slept = [f for f in flags if not f & 1]
            yield e, dict(lock=e.values["lock_addr"], kind=LOCKS.get((slept or flags)[0], "other"), ns=e.ts - first.ts, ret=e.values["ret"],
                          pid=e.pid, comm=e.comm, cpu=e.cpu)


OPS = {"R": "read", "W": "write", "D": "discard", "DE": "secure_erase", "F": "flush"}
FLAGS = {"F": "fua", "A": "ahead", "S": "sync", "M": "meta"}


def operation(rwbs):
    """(op, flags)"""
    flags, rest = [], rwbs
    if rest[0] == "F" and rest[1:]:
        flags, rest = ["preflush"], rest[1:]
    if rwbs == "FF":  # each flush has this flag
        flags = []
    op = "DE" if rest.startswith("DE") else rest[0]
    return OPS[op], ",".join(flags + [FLAGS[c] for c in rest[len(op):]])


def block_io(events):
    """A request is known by its device and where it begins; of a flush there is one at a time."""
    now = {}
    for e in events:
        if e.kind.system != "block":
            continue
        v, what = e.values, e.kind.name[len("block_rq_"):]
        key = (v["dev"], v["sector"] if v["sector"] != 2**64 - 1 else 0)
        if what == "insert":
            now.setdefault(key, dict(queued=0, device=0, since=e.ts))
        elif what == "issue":
            r = now.setdefault(key, dict(queued=0, device=0, since=e.ts))
            r["queued"] += e.ts - r["since"]
            r.setdefault("first", v)
            r.update(since=e.ts, issue=e, left=v["nr_sector"])
        elif key not in now:
            continue
        elif what == "merge":
            del now[key]
        elif what == "requeue":
            now[key]["device"] += e.ts - now[key]["since"]
            now[key]["since"] = e.ts
        elif "issue" in now[key]:
            r = now.pop(key)
            r["left"] -= v["nr_sector"]
            if r["left"]:
                now[v["dev"], v["sector"] + v["nr_sector"]] = r
                continue
            device, i = r["device"] + e.ts - r["since"], r["issue"]
            op, flags = operation(i.values["rwbs"])
            yield e, dict(dev=f"{v['dev'] >> 20}:{v['dev'] & 0xfffff}", op=op, flags=flags, sector=r["first"]["sector"], bytes=r["first"]["bytes"],
                          ns=r["queued"] + device, queued_ns=r["queued"], device_ns=device, error=v["error"], pid=i.pid, comm=i.comm,
                          rwbs=i.values["rwbs"])


def slices(events):
    """(end, begin, name, depth, tgid, own time)"""
    stacks, others = {}, {}
    for e in events:
        if e.kind.name == "sched_process_exit":
            stacks.pop(e.pid, None)
        if e.kind.name != "print":
            continue
        kind, *parts = e.values["buf"].rstrip("\n").split("|")
        stack = stacks.setdefault(e.pid, [])
        if kind == "E" and not "".join(parts[:1]).strip("0123456789") and stack:
            begin, name, tgid, inner = stack.pop()
            if stack:
                stack[-1][3] += e.ts - begin.ts
            yield e, begin, name, len(stack), tgid, e.ts - begin.ts - inner
        if not parts or not parts[0].isdigit():
            continue
        if kind == "B" and len(parts) > 1:
            stack.append([e, "|".join(parts[1:]), int(parts[0]), 0])
        elif kind == "S" and len(parts) > 2:
            others.setdefault(tuple(parts), []).append((e, parts[1]))
        elif kind == "G" and len(parts) > 3:
            others.setdefault(("track", parts[0], parts[1], parts[3]), []).append((e, parts[2]))
        elif kind in "FH":
            key = tuple(parts) if kind == "F" else ("track", *parts)
            if others.get(key):  # of several, the last one ends
                begin, name = others[key].pop()
                yield e, begin, name, len(others[key]), int(parts[0]), e.ts - begin.ts


def counter(events):
    for e in events:
        if e.kind.name == "print":
            kind, *parts = e.values["buf"].rstrip("\n").split("|")
            if kind == "C" and len(parts) > 2 and parts[0].isdigit() and parts[2].lstrip("-").isdigit():
                yield e, dict(name=parts[1], value=int(parts[2]), track=parts[3] if len(parts) > 3 else "", pid=e.pid, tgid=int(parts[0]),
                              comm=e.comm, cpu=e.cpu)


def function(events):
    stacks = {}
    for e in events:
        if e.kind.name not in ("funcgraph_entry", "funcgraph_exit"):
            continue
        v, stack = e.values, stacks.setdefault((e.pid, e.cpu if not e.pid else None), [])
        del stack[v["depth"] + (e.kind.name == "funcgraph_exit"):]
        if e.kind.name == "funcgraph_entry":
            stack.append([v["func"], 0])
        elif len(stack) > v["depth"] and stack[-1][0] == v["func"]:
            ns, (_, inner) = v["rettime"] - v["calltime"], stack.pop()
            if stack:
                stack[-1][1] += ns
            yield e, dict(func=v["func"], depth=v["depth"], ns=ns, self_ns=max(0, ns - inner), pid=e.pid, comm=e.comm, cpu=e.cpu)


FIELDS = {
    "softirq_wait": "name:text ns raises cpu pid comm:text",
    "lock_wait": "lock:hex kind:text ns ret pid comm:text cpu",
    "block_io": "dev:text op:text flags:text sector bytes ns queued_ns device_ns error pid comm:text rwbs:text",
    "counter": "name:text value track:text pid tgid comm:text cpu",
    "function": "func:hex depth ns self_ns pid comm:text cpu",
    "slice": "name:text depth ns self_ns pid tgid comm:text running_ns waiting_ns sleeping_ns irq_ns unknown_ns",
}
