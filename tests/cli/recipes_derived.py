# SPDX-License-Identifier: GPL-2.0-only
"""Computations of recipes.py about intervals: what hist derives, computed again from trace-cmd's text.

The text is that of trace-cmd report -t -N -l: nanoseconds, the kernel's own formats, and the flags of an
event. All numbers are equal.
"""
import bisect
import collections
import csv
import re

from trace_text import Table

LINE = re.compile(r"^ *(.*?)-(\d+) +(\d+)([^\d\s])(\S)(\S)\S* +(\d+)\.(\d{9}): +([\w.]+): *(.*)$")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> "
                    r"next_comm=(.*) next_pid=(\d+) next_prio")
STATES = {"R": "preempted", "S": "sleeping", "D": "disk", "T": "stopped", "t": "traced", "X": "dead", "x": "dead", "Z": "dead",
          "P": "parked", "I": "idle"}


class Event:
    def __init__(self, m):
        self.comm, self.pid, self.cpu, self.in_irq = m[1], int(m[2]), int(m[3]), m[6] != "."
        self.ns, self.name, self.text = int(m[7]) * 10**9 + int(m[8]), m[9], m[10]

    def __getitem__(self, name):
        return re.search(r"\b%s=(.*?)(?= \w+=|$)" % name, self.text)[1]

    def num(self, name):
        return int(self[name].split()[0])


def events(path):
    found = []
    with open(path, errors="surrogateescape") as f:
        for line in f:
            m = LINE.match(line)
            if m:
                found.append(Event(m))
    with open(path + ".names", errors="surrogateescape", newline="") as f:
        for r in csv.DictReader(f):
            NAMES[int(r["pid"])].append((int(r["ts"]), r["comm"]))
    for e in found:
        e.comm = name_at(e.pid, e.ns) or e.comm
    return found


NAMES = collections.defaultdict(list)


def name_at(pid, ns):
    """That of its last event until then."""
    i = bisect.bisect_right(NAMES[pid], (ns, chr(0x10ffff)))
    return NAMES[pid][i - 1][1] if i else None


# --- tasks ---

class Interval:
    def __init__(self, task, end, after, waker=None):
        self.pid, self.comm, self.state, self.since, self.cpus = task.pid, task.comm, task.state, task.since, task.cpus
        self.cpu, self.end, self.after, self.waker, self.ns = end.cpu, end.ns, after, waker, end.ns - task.since


class Task:
    def __init__(self, pid):
        self.pid, self.comm, self.state, self.since, self.woken, self.cpus = pid, None, None, 0, False, []

    def enter(self, state, ns, cpu):
        self.state, self.since, self.cpus, self.woken = state, ns, [(ns, cpu)], False


WAITS = ("woken", "preempted", "new", "yielded")


class Tasks:
    """Intervals whose beginning and end are in the trace; what contradicts other events is not one."""

    def __init__(self, trace):
        self.tasks, self.intervals, self.current = {}, [], {}
        for e in trace:
            on = getattr(self, e.name, None)
            if on:
                on(e)

    def task(self, pid):
        return self.tasks.setdefault(pid, Task(pid))

    def finish(self, t, e, after, waker=None):
        self.intervals.append(Interval(t, e, after, waker))

    def sched_waking(self, e):
        t = self.task(e.num("pid"))
        if t.state == "running":
            t.woken = True
        if not t.pid or t.state == "running" or t.state in WAITS:
            return
        t.comm = e["comm"]
        if t.state:
            self.finish(t, e, "woken", (e.comm if e.pid else "swapper", int(e.in_irq)))
        t.enter("woken", e.ns, e.num("target_cpu"))

    def sched_wakeup_new(self, e):
        t = self.task(e.num("pid"))
        t.comm = e["comm"]
        t.enter("new", e.ns, e.num("target_cpu"))

    def sched_process_fork(self, e):
        # a pid that is used again is another task
        self.task(e.num("child_pid")).state = None

    def sched_migrate_task(self, e):
        t = self.task(e.num("pid"))
        if t.state in WAITS:
            t.cpus.append((e.ns, e.num("dest_cpu")))

    def leaves(self, t, e, comm, letter):
        state, woken = STATES[letter], t.woken
        t.comm = comm
        if t.state == "running" and t.cpus[-1][1] == e.cpu:
            self.finish(t, e, state)
        t.enter(state if state != "dead" else None, e.ns, e.cpu)
        # perhaps it was woken when it was on its way to sleep; then no other event wakes it
        t.woken = woken and state != "preempted"

    def comes(self, t, e, comm):
        t.comm = comm
        if t.woken and t.state not in WAITS:
            t.state = "woken"
        if t.state in WAITS:
            self.finish(t, e, "running")
        t.enter("running", e.ns, e.cpu)

    def sched_switch(self, e):
        m = SWITCH.match(e.text)
        prev, then = int(m[2]), int(m[5])
        if self.current.get(e.cpu, prev) not in (prev, 0):
            self.task(self.current[e.cpu]).state = None
        if prev:
            self.leaves(self.task(prev), e, m[1], m[3][0])
        if then:
            self.comes(self.task(then), e, m[4])
        self.current[e.cpu] = then


def intervals(trace):
    return Tasks(trace).intervals


def waits(key, want=lambda v: True):
    def compute(trace):
        t = Table(0)
        for v in intervals(trace):
            if v.state in WAITS and want(v):
                t.add(key(v), v.ns)
        return t

    return compute


def on_cpu(key):
    def compute(trace):
        t = Table(0)
        for v in intervals(trace):
            if v.state == "running":
                t.add(key(v), v.ns)
        return t

    return compute


def off_cpu(trace):
    t = Table(0)
    for v in intervals(trace):
        if v.state != "running":
            t.add((v.comm, v.state), v.ns)
    return t


def wakers(trace):
    t = Table(0)
    for v in intervals(trace):
        if v.state not in WAITS and v.waker and v.after == "woken":
            t.add((v.comm,) + v.waker, v.ns)
    return t


# --- what a CPU did ---

def interrupt(e):
    """(kind, number, name) of an interrupt that begins, or ends without a name; None: not one."""
    if e.name in ("irq_handler_entry", "irq_handler_exit"):
        return "irq", e["irq"].split()[0], e["name"] if e.name.endswith("entry") else None
    if e.name in ("softirq_entry", "softirq_exit"):
        return "softirq", e["vec"].split()[0], re.search(r"action=(\w+)", e.text)[1]
    m = re.match(r"(\w+)_(?:entry|exit)$", e.name) if e.text.startswith("vector=") else None
    return m and ("vector", e["vector"], m[1])


class Cpu:
    """Who had it from which time on: a task, or the innermost interrupt."""

    def __init__(self):
        self.times, self.who, self.task, self.stack = [], [], None, []  # task: name, kind, pid

    def set(self, ns):
        self.times.append(ns)
        self.who.append(self.stack[-1] if self.stack else self.task)


def cpus(trace):
    found = collections.defaultdict(Cpu)
    for e in trace:
        c = found[e.cpu]
        if e.name == "sched_switch":
            m = SWITCH.match(e.text)
            was, prev = c.task[2] if c.task else int(m[2]), int(m[2])
            if c.who and (was != prev or c.stack):
                c.who[-1] = ("unknown", "unknown", 0)
            elif c.who and prev:
                c.who[-1] = (m[1], "task", prev)
            c.task = (m[4], "task", int(m[5])) if m[5] != "0" else ("swapper", "idle", 0)
            c.stack = []
        elif interrupt(e):
            kind, _, name = interrupt(e)
            if e.name.endswith("_entry"):
                c.stack.append((name, kind, 0))
            elif c.stack:
                c.stack.pop()
        else:
            continue
        c.set(e.ns)
    return found


def add_between(cpu, start, end, sums, names):
    """A task is one culprit, under the name that it had at last."""
    i = bisect.bisect_right(cpu.times, start) - 1
    while start < end:
        until = min(end, cpu.times[i + 1] if i + 1 < len(cpu.times) else end)
        who = cpu.who[i] if i >= 0 else ("", "", 0)
        ident = who[2] or who
        names[ident] = (who[2] and name_at(who[2], until) or who[0], who[1])
        sums[ident] += until - start
        start, i = until, i + 1


def preemptions(trace):
    t, of = Table(0), cpus(trace)
    for v in intervals(trace):
        if v.state != "preempted":
            continue
        sums, names = collections.Counter(), {}
        for (start, cpu), (end, _) in zip(v.cpus, v.cpus[1:] + [(v.end, None)]):
            add_between(of[cpu], start, end, sums, names)
        for ident, ns in sums.items():
            t.add((v.comm,) + names[ident], ns)
    return t


# --- other intervals ---

def calls(trace):
    t, since = Table(0), {}
    for e in trace:
        m = re.match(r"NR (-?\d+)", e.text) if e.name in ("sys_enter", "sys_exit") else None
        if m and e.name == "sys_enter":
            since[e.pid] = (int(m[1]), e.ns)
        elif m:
            nr, ns = since.pop(e.pid, (None, 0))
            # the exit of rt_sigreturn has number -1
            if int(m[1]) in (nr, -1) and nr is not None:
                t.add(nr, e.ns - ns)
    return t


def interrupts(kinds, key):
    def compute(trace):
        t, stacks = Table(0), collections.defaultdict(list)
        for e in trace:
            stack, what = stacks[e.cpu], interrupt(e)
            if e.name == "sched_switch":
                stack.clear()
            elif what and e.name.endswith("_entry"):
                stack.append((what, e.ns))
            elif what and stack and stack[-1][0][:2] == what[:2]:
                (kind, _, name), since = stack.pop()
                if kind in kinds:
                    t.add(key(kind, name), e.ns - since)
        return t

    return compute


def softirq_waits(trace):
    """The raises that a run of a vector is for: those since the CPU took it for its last run, until it took it for this."""
    t, raised, taken = Table(0), collections.defaultdict(list), {}  # taken: by CPU, and by CPU and vector; places in the trace
    last = {}
    for place, e in enumerate(trace):
        if e.name not in ("softirq_raise", "softirq_entry"):
            continue
        vec, name = int(e["vec"].split()[0]), re.search(r"action=(\w+)", e.text)[1]
        if e.name == "softirq_raise":
            raised[e.cpu, vec].append((place, e.ns))
            continue
        before = taken.get((e.cpu, vec), -1)
        waiting = [(p, ns) for p, ns in raised[e.cpu, vec] if p > before]
        if vec <= last.get(e.cpu, vec) or not waiting or waiting[0][0] > taken[e.cpu]:
            taken[e.cpu] = place
        last[e.cpu], taken[e.cpu, vec] = vec, taken[e.cpu]
        if waiting:
            t.add(name, e.ns - waiting[0][1])
    return t


def slices(self):
    def compute(trace):
        t, stacks = Table(0), collections.defaultdict(list)
        for e in trace:
            m = re.search(r"(?:^|: )(?:B\|\d+\|(.*)|(E)(?:\|\d*)?)$", e.text) if e.name == "print" else None
            stack = stacks[e.pid]
            if m and m[1] is not None:
                stack.append([m[1], e.ns, 0])
            elif m and stack:
                name, since, nested = stack.pop()
                if stack:
                    stack[-1][2] += e.ns - since
                t.add(name if not self else (name, len(stack)), e.ns - since)
        return t

    return compute


def lock_waits(trace):
    t, since = Table(0), {}
    for e in trace:
        who = e.pid, e.pid or e.cpu, e.text.split()[0]
        if e.name == "contention_begin":
            # a mutex begins again when the task stops to spin
            since.setdefault(who, e.ns)
        elif e.name == "contention_end" and who in since:
            t.add(e.comm, e.ns - since.pop(who))
    return t


OPS = {"R": "read", "W": "write", "D": "discard", "F": "flush"}


def requests(trace):
    t = Table(0)
    for dev, rwbs, ns, _ in complete_requests(trace):
        t.add((dev, OPS[re.sub(r"^F(?=[RWDF])", "", rwbs)[0]]), ns)
    return t


def request_sizes(trace):
    t = Table(0)
    for dev, rwbs, _, size in complete_requests(trace):
        t.add((dev, rwbs), size)
    return t


def complete_requests(trace):
    """(device, rwbs, ns, bytes) of each."""
    since = {}
    for e in trace:
        m = re.match(r"(\d+),(\d+) (\S+)(?: (\d+))? \(.*?\) (\d+) \+ (\d+) ", e.text)
        # a flush has no sector: it is issued with 0 and completed with the largest number
        which = m and (m[1], m[2], m[5] if int(m[5]) < 2**64 - 1 else "0")
        if e.name == "block_rq_issue":
            # one that the driver gave back is issued again
            since.setdefault(which, (e.ns, int(m[4] or 0)))
        elif e.name == "block_rq_complete" and which in since:
            rwbs = re.sub(r"^F(?=[RWDF])", "", m[3])
            if m[6] == "0" and rwbs[0] != "F":
                continue  # the end of written data after its flush, which has no sectors, either
            begin, size = since.pop(which)
            yield m[1] + ":" + m[2], m[3], e.ns - begin, size


# Of each recipe some of its tables: what computes it, its index, and the keys of its rows.
RECIPES = {
    "wakeup-latency": [(waits(lambda v: v.comm, lambda v: v.state == "woken"), 0, ["comm"]),
                       (waits(lambda v: v.state), 2, ["kind"])],
    "run-queue-wait": [(waits(lambda v: v.cpu), 0, ["cpu"]), (waits(lambda v: (v.comm, v.state)), 1, ["comm", "kind"])],
    "preemptions": [(preemptions, 0, ["victim_comm", "culprit_comm", "culprit_kind"])],
    "off-cpu": [(off_cpu, 0, ["comm", "state"]), (wakers, 1, ["comm", "waker_comm", "in_irq"])],
    "syscall-latency": [(calls, 0, ["id"])],
    "irq-time": [(interrupts(["irq", "vector"], lambda kind, name: (kind, name)), 0, ["kind", "name"])],
    "softirq-latency": [(softirq_waits, 0, ["name"])],
    "softirq-time": [(interrupts(["softirq"], lambda kind, name: name), 0, ["name"])],
    "lock-contention": [(lock_waits, 1, ["comm"])],
    "marker-slices": [(slices(False), 0, ["name"]), (slices(True), 2, ["name", "depth"])],
    "block-latency": [(requests, 0, ["dev", "op"])],
    "block-size": [(request_sizes, 0, ["dev", "rwbs"])],
    "on-cpu": [(on_cpu(lambda v: v.comm), 0, ["comm"]), (on_cpu(lambda v: v.after), 2, ["next_state"])],
}
