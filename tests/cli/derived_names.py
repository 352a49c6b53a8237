# SPDX-License-Identifier: GPL-2.0-only
"""Names of wakers and culprits in random recordings with renames, programs that are executed, and pids that are used again.

derived_names.py HIST DIR SEEDS: each sleep has the name that its waker had at the wakeup, each delay the name that the culprit
had when it last ran meanwhile. Exits with 1 at the first difference.
"""
import collections
import csv
import io
import os
import random
import subprocess
import sys

from derived_write import Event, Recording

CPUS = 3
COMM, PID, PRIO = lambda n: (f"char {n}[16]", 16, 0), lambda n: (f"pid_t {n}", 4, 1), lambda n: (f"int {n}", 4, 1)
SWITCH = Event("sched", "sched_switch", 300, [COMM("prev_comm"), PID("prev_pid"), PRIO("prev_prio"), ("long prev_state", 8, 1),
                                              COMM("next_comm"), PID("next_pid"), PRIO("next_prio")])
WAKING = Event("sched", "sched_waking", 301, [COMM("comm"), PID("pid"), PRIO("prio"), ("int target_cpu", 4, 1)])
NEW = Event("sched", "sched_wakeup_new", 302, WAKING.fields)
FORK = Event("sched", "sched_process_fork", 303, [COMM("parent_comm"), PID("parent_pid"), COMM("child_comm"), PID("child_pid")])
EXIT = Event("sched", "sched_process_exit", 304, [COMM("comm"), PID("pid"), PRIO("prio")])
RENAME = Event("task", "task_rename", 305, [PID("pid"), COMM("oldcomm"), COMM("newcomm"), ("short oom_score_adj", 2, 1)])
NAMES = ["sh", "cc1", "make", "x" * 15, "a b", "kworker/0:1", "beef", "(sd-pam)", "née"]


class Task:
    def __init__(self, pid, name, cpu):
        self.pid, self.name, self.cpu, self.state = pid, name, cpu, "blocked"


def make(rng, path):
    rec = Recording([SWITCH, WAKING, NEW, FORK, EXIT, RENAME], CPUS)
    now = 1_000_000
    tasks = [Task(20 + i, rng.choice(NAMES), rng.randrange(CPUS)) for i in range(9)]
    current, waits, delays, wakes = [None] * CPUS, {}, collections.Counter(), collections.Counter()
    slept, preempted = set(), set()  # since a switch in the recording

    def switch(cpu, to, state):
        prev = current[cpu]
        rec.add(cpu, now, SWITCH, prev.pid if prev else 0,
                [prev.name if prev else f"swapper/{cpu}", prev.pid if prev else 0, 120, state,
                 to.name if to else f"swapper/{cpu}", to.pid if to else 0, 120])
        piece(cpu)
        if prev:
            prev.state = "waits" if not state else "blocked" if state == 1 else "dead"
            if prev.state == "waits":
                waits[prev] = {}
                preempted.add(prev)
            elif prev.state == "blocked":
                slept.add(prev)
        if to:
            to.state = "runs"
            preempted.discard(to)
            for who, ns in waits.pop(to, {}).items():
                delays[to.pid, to.name, who.pid if who else 0, ns[1]] += ns[0]
        current[cpu] = to

    def piece(cpu):
        """Those that wait for the CPU were delayed by what it did since the last piece."""
        who = current[cpu]
        for t, by in waits.items():
            if t.cpu == cpu and now > last[cpu]:
                begin = max(last[cpu], since.get(t, 0))
                # one that its CPU ran, and that waits while this is idle, may not run
                name = who.name if who else "quota, deduced" if t in preempted else "swapper"
                ns = by.get(who, (0, ""))[0] + now - begin
                by[who] = (ns, name)
        last[cpu] = now

    last, since = [0] * CPUS, {}
    for cpu in range(CPUS):  # all CPUs are known from the beginning on
        now += 1
        switch(cpu, None, 0)
    for _ in range(rng.randint(100, 400)):
        now += rng.randint(1000, 90000)
        cpu, what = rng.randrange(CPUS), rng.random()
        runs = current[cpu]
        runnable = [t for t in tasks if t.state == "waits" and t.cpu == cpu]
        if what < 0.35:
            if runs or runnable:
                to = rng.choice(runnable + [None]) if runnable else None
                since_prev = runs
                switch(cpu, to, rng.choice([0, 1, 1]) if runs else 0)
                if since_prev and since_prev.state == "waits":
                    since[since_prev] = now
        elif what < 0.65:
            blocked = [t for t in tasks if t.state == "blocked"]
            if blocked:
                t = rng.choice(blocked)
                irq = rng.random() < 0.2
                rec.add(cpu, now, WAKING, runs.pid if runs else 0, [t.name, t.pid, 120, t.cpu], 8 if irq else 0)
                piece(t.cpu)
                if t in slept:
                    wakes[t.pid, t.name, runs.pid if runs else 0, runs.name if runs else "swapper"] += 1
                    slept.discard(t)
                t.state, since[t], waits[t] = "waits", now, {}
        elif what < 0.85 and runs:
            name = rng.choice(NAMES)
            rec.add(cpu, now, RENAME, runs.pid, [runs.pid, runs.name, name, 0])
            runs.name = name
        elif what < 0.95 and runs:  # it ends, and its pid is that of a new task
            rec.add(cpu, now, EXIT, runs.pid, [runs.name, runs.pid, 120])
            now += 100
            switch(cpu, None, 32)
            parents = [c for c in range(CPUS) if current[c]]
            slept.discard(runs)
            tasks.remove(runs)
            if parents:
                at, now = rng.choice(parents), now + 100
                parent = current[at]
                new = Task(runs.pid, parent.name, at)
                rec.add(at, now, FORK, parent.pid, [parent.name, parent.pid, new.name, new.pid])
                now += 100
                rec.add(at, now, NEW, parent.pid, [new.name, new.pid, 120, at])
                piece(at)
                new.state, since[new], waits[new] = "waits", now, {}
                tasks.append(new)
    rec.write(path)
    return wakes, delays


def rows(hist, path, *question):
    p = subprocess.run([hist, "report", "-q", "--format", "csv", "-i", path, *question], capture_output=True, text=True)
    if p.returncode:
        sys.exit(f"{path}: hist exited with {p.returncode}: {p.stderr}")
    return list(csv.DictReader(io.StringIO(p.stdout)))


def compare(path, what, got, want):
    if got != want:
        sys.exit(f"{path}: {what}: {got - want} not in the model, {want - got} not in hist's answer")
    return sum(want.values())


def main():
    hist, directory, seeds = sys.argv[1:]
    n_wakes = n_delays = 0
    for seed in range(int(seeds)):
        path = os.path.join(directory, f"names-{seed}.dat")
        wakes, delays = make(random.Random(seed), path)
        got = collections.Counter({(int(r["pid"]), r["comm"], int(r["waker_pid"]), r["waker_comm"]): int(r["hitcount"]) for r in rows(
            hist, path, "-e", "derived:task_state", "-f", 'next_state == "woken"', "--by", "pid,comm,waker_pid,waker_comm")})
        n_wakes += compare(path, "wakers", got, wakes)
        got = collections.Counter({(int(r["victim_pid"]), r["victim_comm"], int(r["culprit_pid"]), r["culprit_comm"]): int(r["ns"])
                                   for r in rows(hist, path, "-e", "derived:delay", "--by",
                                                 "victim_pid,victim_comm,culprit_pid,culprit_comm", "--sum", "ns")})
        compare(path, "culprits", got, delays)
        n_delays += len(delays)
        # what is asked beside it changes nothing
        total = sum(int(r["ns"]) for r in rows(hist, path, "-e", "derived:delay", "--by", "victim_pid", "--sum", "ns"))
        if total != sum(delays.values()):
            sys.exit(f"{path}: delays of {total} ns, expected {sum(delays.values())}")
        os.unlink(path)
    print(f"{n_wakes} wakeups, {n_delays} rows of delays")


main()
