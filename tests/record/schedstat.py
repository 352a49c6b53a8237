#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""schedstat.py HIST RECORDING COUNTS [STEAL]: compares derived:task_state and derived:wait of the tasks of
schedstat.c with what the kernel counted for them, in COUNTS. Prints both and the differences; exits with 1 if the sum
of running or of waiting differs by 0.5 % or more.

A host took the CPUs for STEAL ns: the kernel does not count them, or not for the same task as the events. Tasks with
an interval that is left out, because the kernel did not trace a task switch, are not compared; they may be a fourth
of all."""
import csv
import io
import subprocess
import sys

hist, recording, counts = sys.argv[1:4]
steal = int(sys.argv[4]) if len(sys.argv) > 4 else 0
lines = open(counts).read().split("\n")
begin, end = (int(t.replace(".", "")) for t in lines[0].split())
kernel = {int(p): (int(r), int(w)) for p, r, w in (line.split() for line in lines[1:] if line)}


def rows(event, keys):
    out = subprocess.run(
        [hist, "report", "-q", "-i", recording, "--unlimited", "--format", "csv", "-e", event, "--by", keys]
        + ["--sum", "ns"] * (":" in event),
        check=True, capture_output=True, text=True).stdout
    found = [(int(r["common_timestamp"]), int(r["pid"]), int(r.get("ns", 0)), r) for r in csv.DictReader(io.StringIO(out))]
    return sorted(found, key=lambda r: r[0])


run, wait, states, last, gaps = {}, {}, {}, {}, set()
for at, pid, ns, row in rows("derived:task_state", "common_timestamp,pid,state"):
    if last.setdefault(pid, at - ns) != at - ns:
        gaps.add(pid)
    last[pid] = at
    if not begin <= at <= end:
        continue
    if row["state"] == "running":
        run[pid] = run.get(pid, 0) + ns
    elif row["state"] in ("woken", "preempted", "yielded", "new"):
        states[pid] = states.get(pid, 0) + ns
for at, pid, ns, row in rows("derived:wait", "common_timestamp,pid"):
    if begin <= at <= end:
        wait[pid] = wait.get(pid, 0) + ns
wakings, late = {}, {}
for at, pid, which in sorted([(r[0], r[1], 0) for r in rows("sched_waking", "common_timestamp,pid")]
                             + [(r[0], r[1], 1) for r in rows("sched_wakeup", "common_timestamp,pid")],
                             key=lambda r: (r[0], r[2])):
    if not which:
        wakings[pid] = at
    elif begin <= at <= end and pid in wakings:
        late[pid] = late.get(pid, 0) + at - wakings.pop(pid)
all_tasks = len(kernel)
kernel = {pid: k for pid, k in kernel.items() if pid not in gaps}

bad = 4 * len(kernel) < 3 * all_tasks
for pid in kernel:
    if states.get(pid, 0) != wait.get(pid, 0):
        print(f"task {pid}: waited {states.get(pid, 0)} in derived:task_state, {wait.get(pid, 0)} in derived:wait")
        bad = 1
for what, ours, theirs, more in (
        ("running", sum(run.get(p, 0) for p in kernel), sum(k[0] for k in kernel.values()), steal),
        ("waiting", sum(wait.get(p, 0) - late.get(p, 0) for p in kernel), sum(k[1] for k in kernel.values()), 0)):
    percent = 100 * (ours - theirs) / theirs if theirs else 100
    print(f"{what}: derived {ours} kernel {theirs} difference {percent:+.4f} %")
    if abs(percent) >= 0.5 + 100 * more / max(theirs, 1):
        bad = 1
each = [abs(run.get(p, 0) - k[0]) for p, k in kernel.items()]
print(f"{len(kernel)} of {all_tasks} tasks; largest difference of one: running {max(each)}, "
      f"waiting {max(abs(wait.get(p, 0) - late.get(p, 0) - k[1]) for p, k in kernel.items())} ns; "
      f"from waking to wakeup: {sum(late.get(p, 0) for p in kernel)} ns")
sys.exit(bad)
