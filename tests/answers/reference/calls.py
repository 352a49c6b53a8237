# SPDX-License-Identifier: GPL-2.0-only
"""What tasks call, and what they do meanwhile: derived:syscall, slice, function."""
from reference.cpus import Cpus
from reference.names import Names
from reference.scheduler import WAITS, intervals_of_tasks


class Parts:
    """What tasks did meanwhile."""

    def __init__(self, events):
        now, self.of, end = {}, {}, events[-1].ts
        for i in [*intervals_of_tasks(events, now), *now.values()]:
            self.of.setdefault(i.pid, []).append((i.begin, i.end.ts if i.end else end, i.state, i.cpu))
        self.irqs = {cpu: [(a, b) for a, b, who in spans if who[2] in ("irq", "softirq")] for cpu, spans in Cpus(events).did.items()}

    def between(self, pid, begin, end):
        sums = dict(running_ns=0, waiting_ns=0, sleeping_ns=0, irq_ns=0)
        for a, b, state, cpu in self.of.get(pid, []):
            a, b = max(a, begin), min(b, end)
            if a < b:
                irq = sum(max(0, min(b, d) - max(a, c)) for c, d in self.irqs.get(cpu, [])) if state == "running" else 0
                sums["irq_ns"] += irq
                sums["running_ns" if state == "running" else "waiting_ns" if state in WAITS else "sleeping_ns"] += b - a - irq
        return dict(sums, unknown_ns=end - begin - sum(sums.values()))


# of x86_64; other machines have numbers only
CALLS = {0: "read", 1: "write", 7: "poll", 24: "sched_yield", 202: "futex", 230: "clock_nanosleep"}



def names_of_calls(shape):
    return CALLS if shape.machine == "x86_64" else {}


def syscall(events, names, unfinished=None):
    """@unfinished takes those that have no end: by pid (number, begin)."""
    open_calls, parts = {} if unfinished is None else unfinished, Parts(events)
    for e in events:
        if e.kind.name == "sys_enter":
            open_calls[e.pid] = (e.values["id"], e.ts)
        elif e.kind.name == "sys_exit" and e.pid in open_calls:
            number, begin = open_calls.pop(e.pid)
            if number == e.values["id"]:
                yield e, dict(pid=e.pid, comm=e.comm, id=number, name=names.get(number, str(number)), ret=e.values["ret"], ns=e.ts - begin, cpu=e.cpu,
                              **parts.between(e.pid, begin, e.ts))
        elif e.kind.name == "sched_process_exit":
            open_calls.pop(e.pid, None)


def calls_of_tasks(events, shape):
    """(pid, begin, end, name): when a task was in a system call, if it ended or is not over."""
    names, unfinished = names_of_calls(shape), {}
    for e, f in syscall(events, names, unfinished):
        yield f["pid"], e.ts - f["ns"], e.ts, f["name"]
    for pid, (number, begin) in unfinished.items():
        yield pid, begin, events[-1].ts, names.get(number, str(number))


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


def slice(events):
    parts, names = Parts(events), Names(events)
    for e, begin, name, depth, tgid, own in slices(events):
        yield e, dict(name=name, depth=depth, ns=e.ts - begin.ts, self_ns=own, pid=begin.pid, tgid=tgid, comm=names.at(begin.pid, e.ts),
                      **parts.between(begin.pid, begin.ts, e.ts))


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
