# SPDX-License-Identifier: GPL-2.0-only
"""What each CPU did: derived:irq, softirq_wait."""
import bisect

from reference.names import Names
from reference.quotas import Quotas

SOFTIRQS = [str(i) for i in range(10)]  # the format of these recordings does not name them


def interrupts(events, still=None):
    """(end, kind, name, begin, time in others that interrupted it); @still takes those that are not over, (CPU, kind, name, begin)."""
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


class Cpus:
    """By CPU: ->did, lists of (begin, end, (pid, name, kind)), with the innermost interrupt, or the task, or idle; a task has the name
    that it had at the end. ->switches: (when, prio) of the tasks that it switched to, None: to idle. ->idle: (begin, end) of its idle task.
    ->quotas: see quotas.py, with @tasks, which are known of some recordings."""

    def __init__(self, events, tasks=None, tick=1):
        self.quotas = Quotas(events, tasks, tick) if tasks else None
        self.did, self.switches, self.idle = {}, {}, {}
        now, stacks, runs, idle, end = {}, {}, {}, {}, events[-1].ts
        for e in events:
            v, name = e.values, e.kind.name
            if name not in ("sched_switch", "irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit"):
                continue
            stack = stacks.setdefault(e.cpu, [])
            if e.cpu in now:
                task = (e.pid, e.comm, "task") if e.pid else (0, "swapper", "idle")
                self.did.setdefault(e.cpu, []).append((now[e.cpu], e.ts, stack[-1] if stack else task))
            if name == "sched_switch":
                stack.clear()
                runs[e.cpu] = v["next_pid"]
                self.switches.setdefault(e.cpu, []).append((e.ts, v["next_prio"] if v["next_pid"] else None))
                if e.cpu in idle:
                    self.idle.setdefault(e.cpu, []).append((idle.pop(e.cpu), e.ts))
                if not v["next_pid"]:
                    idle[e.cpu] = e.ts
            elif name.endswith("entry"):
                stack.append((0, v["name"], "irq") if name == "irq_handler_entry" else (0, SOFTIRQS[v["vec"]], "softirq"))
            elif stack:
                stack.pop()
            now[e.cpu] = e.ts
        for cpu, since in now.items():  # what it still does at the end
            last = (runs[cpu], "", "task") if runs[cpu] else (0, "swapper", "idle")
            self.did.setdefault(cpu, []).append((since, end + 1, stacks[cpu][-1] if stacks[cpu] else last))
        for cpu, since in idle.items():
            self.idle.setdefault(cpu, []).append((since, end))

    def did_between(self, cpu, begin, end):
        did = self.did.get(cpu, [])
        for a, b, what in did[bisect.bisect_right(did, begin, key=lambda d: d[1]):]:
            if a >= end:
                break
            if max(a, begin) < min(b, end):
                yield max(a, begin), min(b, end), what

    def priority(self, cpu, at):
        """Of the task that it had switched to."""
        return next((prio for ts, prio in reversed(self.switches.get(cpu, [])) if ts <= at), 0)

    def idle_beside(self, cpu, begin, end):
        """How long at least one other CPU was idle, as its last switch was to the idle task."""
        total = 0
        for a, b in sorted(t for other, times in self.idle.items() if other != cpu for t in times):
            if b > begin and a < end:
                total += min(b, end) - max(a, begin)
                begin = min(b, end)
        return total

    def is_idle(self, cpu, at):
        """Not at the switch to idle itself."""
        return any(a < at < b for a, b in self.idle.get(cpu, []))


def softirq_wait(events):
    """From the first raise until the softirq runs. A CPU takes all that are pending, and runs one after the other."""
    names = Names(events)
    pending, batches = {}, {}  # by CPU: {vec: [first raise, raises]}; those that it took and has not yet run
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
            yield e, dict(name=SOFTIRQS[vec], ns=e.ts - first.ts, raises=raises, cpu=e.cpu, pid=first.pid, comm=names.at(first.pid, e.ts) or first.comm)
