# SPDX-License-Identifier: GPL-2.0-only
"""Random schedules of which everything is known, recorded with holes: what is derived of them.

CPUs whose events begin late or end early, lose events in the middle, or go offline; tasks that run, wait, are moved, sleep, are
in system calls, functions and slices, and wait for locks. Every interval that hist reports as complete is a true one; each one is
there that no CPU with a hole in it could have ended.

derived_coverage.py HIST DIR SEEDS [FIRST]: exits with 1 at the first difference.
"""
import json
import os
import random
import re
import subprocess
import sys

from derived_write import Event, Recording

SWITCH = Event("sched", "sched_switch", 100, [
    ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
    ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1)])
WOKEN = [("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int target_cpu", 4, 1)]
WAKING, NEW = Event("sched", "sched_waking", 101, WOKEN), Event("sched", "sched_wakeup_new", 106, WOKEN)
ENTER = Event("raw_syscalls", "sys_enter", 102, [("long id", 8, 1)])
EXIT = Event("raw_syscalls", "sys_exit", 103, [("long id", 8, 1), ("long ret", 8, 1)])
MIGRATE = Event("sched", "sched_migrate_task", 104, [
    ("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int orig_cpu", 4, 1), ("int dest_cpu", 4, 1)])
PRINT = Event("ftrace", "print", 5, [("unsigned long ip", 8, 0), ("char buf[]", 0, 0)])
CALL = Event("ftrace", "funcgraph_entry", 11, [("unsigned long func", 8, 0), ("int depth", 4, 1)])
RETURN = Event("ftrace", "funcgraph_exit", 10, [("unsigned long func", 8, 0), ("int depth", 4, 1)])
TIMED = Event("ftrace", "funcgraph_exit", 10, [
    ("unsigned long func", 8, 0), ("int depth", 4, 1), ("unsigned long long calltime", 8, 0), ("unsigned long long rettime", 8, 0)])
LOCK = Event("lock", "contention_begin", 107, [("void * lock_addr", 8, 0), ("unsigned int flags", 4, 0)])
LOCKED = Event("lock", "contention_end", 108, [("void * lock_addr", 8, 0), ("int ret", 4, 1)])
SPIN, MUTEX = 1, 32


class Task:
    def __init__(self, pid, cpu):
        self.pid, self.name, self.state, self.since, self.cpu = pid, f"t{pid}", "sleeping", None, cpu
        self.call = self.lock = None
        self.slices, self.functions = [], []


class Machine:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n_cpus, self.now = self.r.randrange(1, 5), 10_000
        self.tasks = [Task(10 + i, self.r.randrange(self.n_cpus)) for i in range(self.r.randrange(2, 9))]
        self.cpus, self.offline = [None] * self.n_cpus, set()  # the task that runs
        self.records = []  # (ts, cpu, event, pid, values)
        self.states, self.calls, self.depths, self.slices, self.functions, self.locks = (set() for _ in range(6))
        # exits have times and entries may not be recorded, or neither
        self.leave, self.enters = self.r.choice([(RETURN, True), (TIMED, True), (TIMED, False)])
        self.tracks = {}
        self.depth = {}
        for task in self.tasks:  # the recording begins in the middle of anything
            task.state = self.r.choice(("sleeping", "woken", "running"))
            if task.state == "running" and self.cpus[task.cpu]:
                task.state = "preempted"
            elif task.state == "running":
                self.cpus[task.cpu] = task
        self.note_depths()

    def note_depths(self):
        for cpu in range(self.n_cpus):
            depth = sum(t.cpu == cpu and t.state != "sleeping" for t in self.tasks)
            old = self.depth.get(cpu)
            if cpu in self.offline:
                continue
            if old and old[0] != depth:
                self.depths.add((cpu, old[0], old[1], self.now))
            if not old or old[0] != depth:
                self.depth[cpu] = depth, self.now

    def add(self, cpu, event, *values):
        self.records.append((self.now, cpu, event, self.cpus[cpu].pid if self.cpus[cpu] else 0, values))

    def become(self, task, state, cpu):
        if task.since is not None:
            self.states.add((task.pid, task.state, task.since, self.now, task.cpu))
        task.state, task.since, task.cpu = state, self.now, cpu

    def switch(self, cpu):
        prev = self.cpus[cpu]
        if prev and prev.lock and prev.lock[1] == SPIN:
            self.contend(cpu)
            return
        ready = [t for t in self.tasks if t.state in ("woken", "preempted") and t.cpu == cpu]
        after = self.r.choice(ready) if ready else None  # no CPU is idle while a task waits for it
        state = self.r.choice((0, 1)) if prev and ready else 1
        if not prev and not after:
            return
        self.add(cpu, SWITCH, prev.name if prev else f"swapper/{cpu}", prev.pid if prev else 0, 120, state if prev else 0,
                 after.name if after else f"swapper/{cpu}", after.pid if after else 0, 120)
        if prev:
            self.become(prev, "sleeping" if state else "preempted", cpu)
        if after:
            self.become(after, "running", cpu)
        self.cpus[cpu] = after

    def wake(self, cpu):
        asleep = [t for t in self.tasks if t.state == "sleeping"]
        if asleep:
            task = self.r.choice(asleep)
            target = self.r.choice([c for c in range(self.n_cpus) if c not in self.offline])
            self.add(cpu, WAKING, task.name, task.pid, 120, target)
            self.become(task, "woken", target)

    def move(self, cpu):
        waits = [t for t in self.tasks if t.state in ("woken", "preempted")]
        if waits:
            task = self.r.choice(waits)
            target = self.r.choice([c for c in range(self.n_cpus) if c not in self.offline])
            if target != task.cpu:
                self.add(cpu, MIGRATE, task.name, task.pid, 120, task.cpu, target)
                task.cpu = target

    def call(self, cpu):
        task = self.cpus[cpu]
        if task and task.call:
            number, since = task.call
            self.add(cpu, EXIT, number, 0)
            self.calls.add((task.pid, number, since, self.now, *self.ran(task, since)))
            task.call = None
        elif task:
            task.call = self.r.choice((0, 1)), self.now
            self.add(cpu, ENTER, task.call[0])

    def ran(self, task, since):
        """The CPU on which it ran all the time, from the switch to it on."""
        return (task.cpu, task.since) if task.since is not None and task.since <= since else (None, None)

    def nest(self, cpu, stack, begin, end, done):
        """A slice or a function of the task that runs, or of the idle one."""
        if stack and self.r.random() < 0.55 or len(stack) > 5:
            name, since, inner = stack.pop()
            if stack:
                stack[-1][2] += self.now - since
            end(name, since, len(stack))
            task = self.cpus[cpu]
            done.add((task.pid, name, self.now - since - inner, since, self.now, *self.ran(task, since)))
        else:
            stack.append([begin(len(stack)), self.now, 0])

    def slice(self, cpu):
        def begin(depth):
            name = f"s{self.r.randrange(3)}"
            self.add(cpu, PRINT, 0, f"B|1|{name}")
            return name
        if self.cpus[cpu]:
            self.nest(cpu, self.cpus[cpu].slices, begin, lambda *_: self.add(cpu, PRINT, 0, "E"), self.slices)

    def track(self, cpu):
        """An asynchronous slice, which any task ends."""
        cookie = self.r.randrange(3)
        since = self.tracks.pop(cookie, None)
        if self.cpus[cpu] and since is None:
            self.tracks[cookie] = self.now, self.cpus[cpu].pid
            self.add(cpu, PRINT, 0, f"S|1|async|{cookie}")
        elif self.cpus[cpu]:
            self.add(cpu, PRINT, 0, f"F|1|async|{cookie}")
            self.slices.add((since[1], "async", self.now - since[0], since[0], self.now, None, None))
        elif since:
            self.tracks[cookie] = since

    def function(self, cpu):
        def begin(depth):
            func = self.r.randrange(1, 4)
            if self.enters:
                self.add(cpu, CALL, func, depth)
            return func

        def end(func, since, depth):
            self.add(cpu, self.leave, func, depth, *[since, self.now][:len(self.leave.fields) - 2])
        if self.cpus[cpu]:
            self.nest(cpu, self.cpus[cpu].functions, begin, end, self.functions)

    def contend(self, cpu):
        task = self.cpus[cpu]
        if task and task.lock:
            lock, flags, since = task.lock
            self.add(cpu, LOCKED, lock, 0)
            # who spins does not leave the CPU
            self.locks.add((task.pid, lock, since, self.now, *((cpu, since) if flags == SPIN else self.ran(task, since))))
            task.lock = None
        elif task:
            task.lock = self.r.randrange(1, 4), self.r.choice((SPIN, MUTEX)), self.now
            self.add(cpu, LOCK, *task.lock[:2])

    def unplug(self, cpu):
        if cpu in self.offline:
            self.offline.remove(cpu)
            self.depth[cpu] = 0, self.now
        elif not self.cpus[cpu] and len(self.offline) + 1 < self.n_cpus and not any(
                t.cpu == cpu and t.state != "sleeping" for t in self.tasks):
            self.add(cpu, SWITCH, f"swapper/{cpu}", 0, 120, 0, f"migration/{cpu}", 1000 + cpu, 0)
            self.offline.add(cpu)
            # hist sees that it has a task
            self.depth[cpu] = None

    def run(self, steps):
        for _ in range(steps):
            self.now += self.r.randrange(1, 2000)
            cpu = self.r.randrange(self.n_cpus)
            steps = [self.switch] * 4 + [self.wake] * 3 + [
                self.move, self.call, self.call, self.slice, self.slice, self.track, self.function, self.function, self.contend]
            if cpu in self.offline or self.r.random() < 0.02:
                self.unplug(cpu)
            else:
                self.r.choice(steps)(cpu)
            self.note_depths()
            for idle in range(self.n_cpus):  # it takes what was put there at once
                if not self.cpus[idle] and idle not in self.offline:
                    self.now += 1
                    self.switch(idle)
                    self.note_depths()

        for cpu in range(self.n_cpus):  # a task of which there is no event any more is not known to wait
            for _ in range(2 * len(self.tasks)):
                self.now += 1
                self.switch(cpu)
                self.note_depths()

    def holes(self):
        """What is not recorded: (CPU, first record, record after it), by index of the records of the CPU."""
        of = {cpu: [i for i, r in enumerate(self.records) if r[1] == cpu] for cpu in range(self.n_cpus)}
        holes = []
        for cpu, mine in of.items():
            for _ in range(self.r.choice((0, 0, 1, 1, 2))):
                if len(mine) < 8:
                    continue
                first = self.r.choice((0, self.r.randrange(len(mine) - 4)))
                holes.append((cpu, mine, first, self.r.randrange(first + 1, min(len(mine) - 1, first + 40))))
        return of, holes


def write(machine, path):
    """Return the holes: (CPU, last record before it, first one after it)."""
    of, chosen = machine.holes()
    lost, begins = set(), set()
    for cpu, mine, first, end in chosen:
        lost.update(mine[first:end])
    events = [SWITCH, WAKING, NEW, ENTER, EXIT, MIGRATE, PRINT, CALL, machine.leave, LOCK, LOCKED]
    out = Recording(events, machine.n_cpus, [(t.pid, t.name) for t in machine.tasks])
    spans = []
    for cpu, mine in of.items():
        last, gap = 0, False
        for i in mine:
            ts, _, event, pid, values = machine.records[i]
            if i in lost:
                gap = True
                continue
            if gap:
                out.lose(cpu)
                spans.append((cpu, last, ts))
            out.add(cpu, ts, event, pid, values)
            last, gap = ts, False
    out.write(path)
    return spans


def derived(hist, path, event, fields):
    p = subprocess.run([hist, "report", "-q", "-i", path, "-e", f"derived:{event}", "--unlimited", "--format", "tsv", "--by",
                        "common_timestamp,ns," + fields], capture_output=True, text=True, check=True)
    for line in p.stdout.splitlines()[1:]:
        ts, ns, *rest = line.split("\t")[:len(fields.split(",")) + 2]
        assert rest[-1] == "no", line
        yield int(ts) - int(ns), int(ts), rest[:-1]


def check_list(hist, path, spans, seed):
    """hist list has these holes, between the first and the last event."""
    p = subprocess.run([hist, "list", "-i", path, "--format", "json"], capture_output=True, text=True, check=False)
    buffer = json.loads(p.stdout, parse_float=lambda n: round(float(n) * 1e9))["buffers"][0]
    got = [(c["cpu"], h["reason"], h.get("from"), h.get("to")) for c in buffer["cpus"] for h in c.get("holes", [])]
    first = buffer["span"]["from"]
    true = [(cpu, "lost", last if last > first else None, to) for cpu, last, to in sorted(spans) if to > first]
    if got != true:
        sys.exit(f"seed {seed}: hist list has the holes {got}, and there are {true}")


def touches(spans, start, end, cpu=None):
    return any(start < last and end > first for c, first, last in spans if cpu is None or c == cpu)


def is_known(spans, start, end, cpu, ran):
    """That nothing ended it meanwhile: no CPU can have, or it was in one run, from a recorded switch on."""
    return not touches(spans, start, end) or cpu is not None and not touches(spans, ran, end, cpu)


def check(hist, path, seed):
    machine = Machine(seed)
    machine.run(machine.r.choice((60, 200, 600)))
    spans = write(machine, path)
    check_list(hist, path, spans, seed)
    n = 0

    def compare(what, got, true, sure):
        nonlocal n
        if not got <= true:
            sys.exit(f"seed {seed}: {what} that is not true: {sorted(got - true)[0]}, holes {spans}")
        if not sure <= got:
            sys.exit(f"seed {seed}: {what} that is missing: {sorted(sure - got)[0]}, holes {spans}")
        n += len(got)

    got = {(int(pid), state, start, end) for start, end, (pid, state) in derived(hist, path, "task_state", "pid,state,open")
           if int(pid) < 1000}
    compare("state", got, {s[:4] for s in machine.states},
            {s[:4] for s in machine.states if not touches(spans, *s[2:4], s[4] if s[1] == "running" else None)})
    got = {(int(pid), start, end) for start, end, (pid,) in derived(hist, path, "wait", "pid,open") if int(pid) < 1000}
    waits = {(s[0], s[2], s[3]) for s in machine.states if s[1] in ("woken", "preempted")}
    compare("wait", got, waits, {w for w in waits if not touches(spans, *w[1:])})
    got = {(int(pid), int(number), start, end) for start, end, (pid, number) in derived(hist, path, "syscall", "pid,id,open")}
    compare("call", got, {c[:4] for c in machine.calls},
            {c[:4] for c in machine.calls if is_known(spans, *c[2:])})
    got = {(int(pid), name, int(own), start, end)
           for start, end, (pid, name, own) in derived(hist, path, "slice", "pid,name,self_ns,open")}
    compare("slice", got, {s[:5] for s in machine.slices}, {s[:5] for s in machine.slices if is_known(spans, *s[3:])})
    got = {(int(pid), int(func, 0), int(own), start, end)
           for start, end, (pid, func, own) in derived(hist, path, "function", "pid,func.hex,self_ns,open")}
    # without entries, what the first one called is not known
    compare("function", got, {f[:5] for f in machine.functions},
            {f[:5] for f in machine.functions if machine.enters and is_known(spans, *f[3:])})
    got = {(int(pid), int(lock, 0), start, end) for start, end, (pid, lock) in derived(hist, path, "lock_wait", "pid,lock.hex,open")}
    compare("lock", got, {w[:4] for w in machine.locks}, {w[:4] for w in machine.locks if is_known(spans, *w[2:])})
    got = {(int(cpu), int(depth), start, end) for start, end, (cpu, depth) in derived(hist, path, "runqueue", "cpu,depth,open")}
    if not any(1000 <= r[4][5] for r in machine.records if r[2] is SWITCH):  # the stopper is a task, too
        compare("depth", got, machine.depths, set())
    return n


def main():
    hist, directory, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    path = os.path.join(directory, "coverage.dat")
    n = sum(check(hist, path, seed) for seed in range(first, first + seeds))
    print(f"{n} intervals of {seeds} schedules")


main()
