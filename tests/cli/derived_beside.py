# SPDX-License-Identifier: GPL-2.0-only
"""derived_beside.py HIST DIR SEEDS RECORDING...: a derived event is the same beside all others as alone, in these recordings and in
SEEDS random ones, whose records contradict each other. Exits with 1 at the first difference."""
import os
import random
import subprocess
import sys

from derived_write import Event, Recording

COMM = lambda name: (f"char {name}[16]", 16, 0)
INT = lambda name: (f"int {name}", 4, 1)
EVENTS = [
    Event("sched", "sched_switch", 300, [COMM("prev_comm"), INT("prev_pid"), INT("prev_prio"), ("long prev_state", 8, 1),
                                         COMM("next_comm"), INT("next_pid"), INT("next_prio")]),
    Event("sched", "sched_waking", 301, [COMM("comm"), INT("pid"), INT("prio"), INT("target_cpu")]),
    Event("sched", "sched_migrate_task", 302, [COMM("comm"), INT("pid"), INT("prio"), INT("orig_cpu"), INT("dest_cpu")]),
    Event("irq", "irq_handler_entry", 303, [INT("irq"), ("char name[]", 0, 0)]),
    Event("irq", "irq_handler_exit", 304, [INT("irq"), INT("ret")]),
    Event("irq", "softirq_entry", 305, [INT("vec")]),
    Event("irq", "softirq_exit", 306, [INT("vec")]),
    Event("irq", "softirq_raise", 307, [INT("vec")]),
    Event("raw_syscalls", "sys_enter", 308, [("long id", 8, 1)]),
    Event("raw_syscalls", "sys_exit", 309, [("long id", 8, 1), ("long ret", 8, 1)]),
]
DERIVED = {"wait": "pid,kind", "task_state": "pid,state,next_state,waker_pid", "delay": "victim_pid,culprit_comm,culprit_kind",
           "runqueue": "cpu,depth", "irq": "kind,name,cpu", "softirq_wait": "name,cpu", "syscall": "id,pid", "slice": "name,depth",
           "lock_wait": "kind,pid", "block_io": "op,dev", "function": "func,depth"}


def make(rng, path):
    rec, now = Recording(EVENTS, 2, [(p, f"t{p}") for p in range(10, 15)]), 1_000_000
    for _ in range(400):
        now += rng.choice([10, 1000, 50000])
        cpu, event, pid = rng.randrange(2), rng.choice(EVENTS), rng.choice([0, 10, 11, 12])
        values = []
        for decl, size, signed in event.fields:
            name = decl.split()[-1]
            values.append("dev" if "[" in decl else rng.choice([0, 10, 11, 12]) if name.endswith("pid") else
                          rng.randrange(2) if name.endswith("cpu") else rng.choice([0, 1, 3]))
        rec.add(cpu, now, event, values[1] if event.name == "sched_switch" else pid, values)
    rec.write(path)


def sections(hist, path, events):
    lines = []
    for e in events:
        lines += ["-x", f"echo 'hist:keys={DERIVED[e]}:vals=ns' >> events/derived/{e}/trigger"]
    for e in events:
        lines += ["-x", f"cat events/derived/{e}/hist"]
    p = subprocess.run([hist, "report", "-q", "--format", "ndjson", "-i", path, *lines], capture_output=True, text=True)
    if p.returncode not in (0, 2) or not p.stdout:
        sys.exit(f"{path}: {events}: {p.returncode}, {p.stderr}")
    out, current = {}, None
    for line in p.stdout.splitlines():
        if line.startswith('{"type":"hist_head"'):
            current = line.split('"event":"derived:')[1].split('"')[0]
            out[current] = []
        elif line.startswith('{"type":"hist_row"'):
            out[current].append(line)
    return out


def main():
    hist, directory, seeds = sys.argv[1:4]
    paths = list(sys.argv[4:])
    for seed in range(int(seeds)):
        paths.append(os.path.join(directory, f"beside-{seed}.dat"))
        make(random.Random(seed), paths[-1])
    rows = 0
    for path in paths:
        beside = sections(hist, path, list(DERIVED))
        for event in DERIVED:
            alone = sections(hist, path, [event])[event]
            if alone != beside[event]:
                sys.exit(f"{path}: derived:{event}: alone {alone[:3]}..., beside others {beside[event][:3]}...")
            rows += len(alone)
    print(f"{rows} rows")


main()
