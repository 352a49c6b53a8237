# SPDX-License-Identifier: GPL-2.0-only
"""What hist why says of an interval: parts that add up to it, and whose each is.

Parts are {path: ns}. A path is a tuple of labels: ("running", CPU, call), ("interrupt", CPU, name), ("waiting", state) with ("culprit", CPU,
pid, name), ("interrupt", CPU, name), ("held", name) or ("idle", CPU) below, ("blocked", state, call, pid and name of who woke it, interrupt) with what
the waker did or ("ends", why), and ("unknown",).
"""
from reference import calls
from reference.cpus import Cpus, interrupts
from reference.names import Names
from reference.scheduler import HARD, SOFT, WAITS, Interval, holds, intervals_of_tasks


class Why:
    """The events of a whole recording, cut into what each task and each CPU did."""

    def __init__(self, events, shape, tasks=None):
        now, first, self.last, names, seen = {}, events[0].ts, events[-1].ts, Names(events), set()
        self.events, self.cpus, self.holds = events, Cpus(events, tasks), {}
        self.states, self.runs, self.calls, still = {}, {}, {}, []  # of each task; of each CPU; of each task
        self.irqs = [(e.cpu, begin, e.ts, f"{kind} {name}") for e, kind, name, begin, _ in interrupts(events, still)]
        self.irqs += [(cpu, begin, self.last, f"{kind} {name}") for cpu, kind, name, begin in still]
        for e in events:  # who is woken slept before
            if e.kind.name == "sched_waking" and e.values["pid"] not in seen:
                pid = e.values["pid"]
                self.states[pid] = [Interval(pid, "unknown", first, e.cpu).ended(e, None, None, "woken", e)]
            seen |= {e.values[f] for f in ("pid", "child_pid", "prev_pid", "next_pid") if e.kind.system == "sched" and f in e.values}
        for i in intervals_of_tasks(events, now):
            self.add_state(i)
        switched = {e.values["next_pid"]: e.values["next_comm"] for e in events if e.kind.name == "sched_switch"}
        for pid, i in now.items():
            i.comm = names.at(pid, self.last) if pid in names.of else switched.get(pid)
            self.add_state(i)
        if any(e.kind.name == "sys_exit" for e in events):
            for pid, begin, end, name in calls.calls_of_tasks(events, shape):
                self.calls.setdefault(pid, []).append((begin, end, name))

    def end_of(self, i):
        return i.end.ts if i.end else self.last

    def add_state(self, i):
        self.states.setdefault(i.pid, []).append(i)
        if i.state == "running":  # a run has the name of its end
            self.runs.setdefault(i.cpu, []).append((i.begin, self.end_of(i), i.pid, i.comm))

    def call_at(self, pid, at):
        return next((name for a, b, name in self.calls.get(pid, []) if a <= at < b), None)

    def of_wait(self, i, cpu, begin, end):
        """(begin, end, label): why it did not run."""
        key = i.pid, i.begin
        if key not in self.holds:
            self.holds[key] = holds(self.events, self.cpus, i, self.end_of(i))
        for a, b, name in [*self.holds[key], [end, end, None]]:
            a, b = max(a, begin), min(b, end)
            if a > b:
                continue
            yield from self.of_cpu(cpu, begin, a)
            if a < b:
                yield a, b, ("held", name)
            begin = b

    def of_cpu(self, cpu, begin, end):
        """(begin, end, label): what it did."""
        for a, b, (pid, name, kind) in self.cpus.did_between(cpu, begin, end):
            if kind == "task":
                name = next(n for c, d, p, n in self.runs[cpu] if c <= a < d and p == pid)
            yield a, b, ("culprit", cpu, pid, name) if kind == "task" else ("idle", cpu) if kind == "idle" else ("interrupt", cpu, f"{kind} {name}")

    def parts(self, pid, begin, end, depth, found=None, path=(), above=()):
        found = {} if found is None else found
        add = lambda ns, *labels: found.__setitem__(path + labels, found.get(path + labels, 0) + ns)
        known = 0
        for i in self.states.get(pid, []):
            a, b = max(begin, i.begin), min(end, self.end_of(i))
            if a >= b:
                continue
            known += b - a
            if i.state == "running":
                cuts = sorted({a, b, *(t for call in self.calls.get(pid, []) for t in call[:2] if a < t < b)})
                for c, d in zip(cuts, cuts[1:]):
                    for x, y, label in self.of_cpu(i.cpu, c, d):
                        add(y - x, label if label[0] == "interrupt" else ("running", i.cpu, self.call_at(pid, x)))
            elif i.state in WAITS:
                for cpu, start, stop in i.parts(self.end_of(i)):
                    for x, y, label in self.of_wait(i, cpu, max(a, start), min(b, stop)):
                        add(y - x, ("waiting", i.state), label)
            else:
                self.block(i, a, b, depth, found, path, above)
        if known < end - begin:
            add(end - begin - known, ("unknown",))
        return found

    def irq_at(self, waker):
        """The innermost interrupt in which it woke; True: unknown."""
        found = [(begin, name) for cpu, begin, end, name in self.irqs if cpu == waker.cpu and begin < waker.ts <= end]
        return max(found)[1] if found else True

    def block(self, i, a, b, depth, found, path, above):
        pid, waker = i.pid, i.waker
        irq = bool(waker and waker.flags & (HARD | SOFT))
        who = (waker.pid, waker.comm if waker.pid else "swapper") if waker else (None, None)
        label = ("blocked", i.state, self.call_at(pid, a), *who, irq and self.irq_at(waker))
        ends = "interrupt" if irq else "not recorded" if not waker else "idle" if not waker.pid else \
            "cycle" if waker.pid in (*above, pid) else "depth" if depth <= 1 else None
        if ends:
            key = path + (label, ("ends", ends))
            found[key] = found.get(key, 0) + b - a
        else:
            self.parts(waker.pid, a, b, depth - 1, found, path + (label,), (*above, pid))


def row_of(path):
    """{key: word} of the table of --all."""
    what = by = call = reason = None
    label = path[0]
    if label[0] == "running":
        what, call = "running", label[2]
    elif label[0] == "interrupt":
        what, by = "interrupted", label[2]
    elif label[0] == "blocked":
        what, call = label[1], label[2]
        by = "(end not recorded)" if label[3] is None else label[5] if label[5] else label[4] if label[3] else "(idle CPU)"
    elif label[0] == "waiting":
        below = path[1]
        what = f"waiting ({label[1]})"
        by = {"culprit": below[-1], "interrupt": below[-1], "held": below[-1], "idle": "(idle CPU)"}[below[0]]
        reason = {"culprit": "task", "idle": "idle", "held": "throttled"}.get(below[0]) or by.split()[0].replace("vector", "irq")
    else:
        what = "unknown"
    return {"what": what, "by": by, "syscall": call, "reason": reason}


def totals(whole, rows, keys):
    """{row: (ns, in how many intervals, most in one)}"""
    found = {}
    for r in rows:
        of = {}
        for path, ns in whole.parts(r["@pid"], r["@ts"] - r["ns"], r["@ts"], 1).items():
            words = row_of(path)
            row = tuple(words[k] if k in words else str(r[k]) or None for k in keys)
            of[row] = of.get(row, 0) + ns
        for row, ns in of.items():
            a, n, most = found.get(row, (0, 0, 0))
            found[row] = (a + ns, n + 1, max(most, ns))
    return found
