# SPDX-License-Identifier: GPL-2.0-only
"""Slices between any two events, of random schedules whose slices are known when they are made.

derived_slices.py HIST DIR SEEDS: exits with 1 at the first difference.
"""
import os
import random
import re
import subprocess
import sys

from derived_write import Event, Recording

CPUS = 3
TASKS = range(20, 27)
N = [("int n", 4, 1)]
OPEN, SHUT, TICK, NOISE = (Event("app", name, 700 + i, N) for i, name in enumerate(("open", "shut", "tick", "noise")))
EXIT = Event("sched", "sched_process_exit", 600, [("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1)])
SWITCH = Event("sched", "sched_switch", 601, [
    ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
    ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1)])
WAKING = Event("sched", "sched_waking", 602, [
    ("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int target_cpu", 4, 1)])
EVENTS = [OPEN, SHUT, TICK, NOISE, EXIT, SWITCH, WAKING]

# (begin, its filter, end, its filter); a filter is a text and what it means
ALWAYS = ("", lambda v: True)
DEFINITIONS = [
    ("app:open", ALWAYS, "app:shut", ALWAYS),
    ("app:open", (" if n > 5", lambda v: v["n"] > 5), "app:shut", (" if n < 4", lambda v: v["n"] < 4)),
    ("app:tick", ALWAYS, "app:tick", ALWAYS),
    ("app:open", ALWAYS, "app:tick", (" if n == 2", lambda v: v["n"] == 2)),
    ("sched:sched_switch", (" if prev_state == 1", lambda v: v["state"] == 1), "app:noise", ALWAYS),
    ("app:noise", (" if n & 1", lambda v: v["n"] & 1), "sched:sched_switch", (" if prev_pid < 23", lambda v: v["pid"] < 23)),
]
PARTS = ("running", "waiting", "sleeping")


class Task:
    def __init__(self, pid):
        self.pid, self.mode, self.since = pid, "sleeping", 0
        self.ns = dict.fromkeys(PARTS, 0)

    def turn(self, mode, now):
        self.ns[self.mode] += now - self.since
        self.mode, self.since = mode, now

    def until(self, now):
        return [self.ns[m] + (now - self.since if m == self.mode else 0) for m in PARTS]


class Machine:
    def __init__(self, rng):
        self.rng, self.now = rng, 1_000_000
        self.rec = Recording(EVENTS, CPUS, [(p, f"t{p}") for p in [0, *TASKS]])
        self.tasks = {p: Task(p) for p in TASKS}
        self.runs = [0] * CPUS
        self.chosen = rng.sample(DEFINITIONS, rng.randint(1, 3))
        self.stacks, self.want, self.left_out = {}, [], 0

    def record(self, cpu, event, values, facts):
        """A record of the task that runs, and what it does to slices."""
        pid = self.runs[cpu]
        self.rec.add(cpu, self.now, event, pid, values)
        return pid, f"{event.system}:{event.name}", facts

    def slices(self, cpu, pid, name, facts):
        for kind, (begin, passes, end, ends) in enumerate(self.chosen):
            if name == end and ends[1](facts):
                self.end(cpu, pid, kind, begin, passes)
        for kind, (begin, passes, _, _) in enumerate(self.chosen):
            if name == begin and passes[1](facts):
                stack = self.stacks.setdefault((pid, cpu if not pid else 0, kind), [])
                stack.append([self.now, len(stack), 0, self.tasks[pid].until(self.now) if pid else None])

    def end(self, cpu, pid, kind, begin, passes):
        stack = self.stacks.get((pid, cpu if not pid else 0, kind))
        if not stack:
            self.left_out += passes is ALWAYS
            return
        start, depth, inner, before = stack.pop()
        ns = self.now - start
        if stack:
            stack[-1][2] += ns
        parts = [b - a for a, b in zip(before, self.tasks[pid].until(self.now))] + [0] if pid else [0, 0, 0, ns]
        self.want.append((begin.split(":")[1], depth, ns, ns - inner, pid, f"t{pid}", *parts))

    def lose(self):
        # whoever runs on another CPU has its records there
        lost = [(pid, cpu, kind) for pid, cpu, kind in self.stacks if not (pid in self.runs[1:] if pid else cpu)]
        self.left_out += sum(len(self.stacks.pop(key)) for key in lost)
        self.rec.lose(0)

    def switch(self, cpu):
        prev, state = self.runs[cpu], self.rng.choice([1, 1, 0, 2])
        ready = [p for p in TASKS if self.tasks[p].mode == "waiting"]
        to = self.rng.choice(ready) if ready and self.rng.random() < 0.8 else 0
        if not prev and not to:
            return
        done = self.record(cpu, SWITCH, [f"t{prev}", prev, 120, state if prev else 0, f"t{to}", to, 120],
                           {"state": state if prev else 0, "pid": prev})
        if prev:
            self.tasks[prev].turn("sleeping" if state else "waiting", self.now)
        if to:
            self.tasks[to].turn("running", self.now)
        self.runs[cpu] = to
        self.slices(cpu, *done)

    def step(self, near):
        cpu, what, n = 0 if near else self.rng.randrange(CPUS), self.rng.random(), self.rng.randrange(8)
        self.now += self.rng.randint(1, 3000)
        pid = self.runs[cpu]
        asleep = [p for p in TASKS if self.tasks[p].mode == "sleeping"]
        if near:  # a record without any meaning
            self.rec.add(cpu, self.now, EXIT, 1, ["t1", 1, 120])
        elif what < 0.25:
            self.switch(cpu)
        elif what < 0.4 and asleep:
            to = self.rng.choice(asleep)
            self.record(cpu, WAKING, [f"t{to}", to, 120, self.rng.randrange(CPUS)], {})
            self.tasks[to].turn("waiting", self.now)
        elif what < 0.41 and pid:
            self.rec.add(cpu, self.now, EXIT, pid, [f"t{pid}", pid, 120])
            for kind in range(len(self.chosen)):
                self.stacks.pop((pid, 0, kind), None)
        else:
            event = self.rng.choice([OPEN, SHUT, TICK, NOISE])
            self.slices(cpu, *self.record(cpu, event, [n], {"n": n, "state": 0, "pid": pid}))


def derived(hist, path, chosen):
    options = []
    for begin, passes, end, ends in chosen:
        options += ["--slice-begin", begin + passes[0], "--slice-end", end + ends[0]]
    fields = "name,depth,ns,self_ns,pid,comm,running_ns,waiting_ns,sleeping_ns,unknown_ns"
    p = subprocess.run([hist, "events", "-i", path, "-e", "derived:slice", *options, "--format", "tsv", "--fields", fields],
                       capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{path}: hist exited with {p.returncode}: {p.stderr}")
    rows = [line.split("\t") for line in p.stdout.splitlines()[1:]]
    return [tuple(int(c) if c.isdigit() else c for c in row) for row in rows], p.stderr


def main():
    hist, directory, seeds = sys.argv[1:]
    total = left_out = 0
    for seed in range(int(seeds)):
        path = os.path.join(directory, f"slices-{seed}.dat")
        m = Machine(random.Random(seed))
        lose_at = m.rng.randint(200, 500) if m.rng.random() < 0.4 else None
        for step in range(800):
            if step == lose_at:
                m.lose()
            m.step(lose_at is not None and step in (lose_at - 1, lose_at))
        m.rec.write(path)
        got, messages = derived(hist, path, m.chosen)
        if got != m.want:
            for i, (a, b) in enumerate(zip(got + [None], m.want + [None])):
                if a != b:
                    sys.exit(f"{path}: slice {i}: {a}, expected {b}; {len(got)} slices, expected {len(m.want)}\n{messages}")
        said = sum(int(n) for n in re.findall(r"(\d+) intervals? (?:was|were) left out", messages))
        if said != m.left_out:
            sys.exit(f"{path}: {said} left out, expected {m.left_out}\n{messages}")
        total += len(got)
        left_out += m.left_out
        os.unlink(path)
    print(f"{total} slices, {left_out} left out")


main()
