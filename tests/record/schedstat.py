#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""schedstat.py HIST STEAL TICK COUNTS...: compares derived:task_state and derived:wait in the recordings COUNTS.dat of the
tasks of schedstat.c with what the kernel counted for them, in COUNTS. Prints both and the differences; exits with 1 if
the sum of running or of waiting differs by 0.5 % or more.

A host took the CPUs for STEAL ns, up to TICK more: the kernel does not count them, or not for the same task as the events.
Where that is long, the running of one task shows it: tasks that ran STOLEN ns longer by the events are not compared, if
that is not more than the host took. Nor are tasks with an interval that is left out, because the kernel did not trace a task switch.
Both together may be a fourth of all."""
import csv
import io
import subprocess
import sys

hist, steal, tick = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
STOLEN = 500_000


def rows(recording, event, keys):
    out = subprocess.run(
        [hist, "report", "-q", "-i", recording, "--unlimited", "--format", "csv", "-e", event, "--by", keys]
        + ["--sum", "ns"] * (":" in event),
        check=True, capture_output=True, text=True).stdout
    found = [(int(r["common_timestamp"]), int(r["pid"]), int(r.get("ns", 0)), r) for r in csv.DictReader(io.StringIO(out))]
    return sorted(found, key=lambda r: r[0])


def compare(counts):
    """Print a line of each difference; return whether tasks are wrong, the sums of (derived, kernel) for running
    and waiting, and what was stolen from tasks that are not compared."""
    lines = open(counts).read().split("\n")
    begin, end = (int(t.replace(".", "")) for t in lines[0].split())
    kernel = {int(p): (int(r), int(w)) for p, r, w in (line.split() for line in lines[1:] if line)}
    run, wait, states, last, gaps = {}, {}, {}, {}, set()
    for at, pid, ns, row in rows(counts + ".dat", "derived:task_state", "common_timestamp,pid,state"):
        if last.setdefault(pid, at - ns) != at - ns:
            gaps.add(pid)
        last[pid] = at
        if not begin <= at <= end:
            continue
        if row["state"] == "running":
            run[pid] = run.get(pid, 0) + ns
        elif row["state"] in ("woken", "preempted", "yielded", "new"):
            states[pid] = states.get(pid, 0) + ns
    for at, pid, ns, row in rows(counts + ".dat", "derived:wait", "common_timestamp,pid"):
        if begin <= at <= end:
            wait[pid] = wait.get(pid, 0) + ns
    wakings, late = {}, {}
    for at, pid, which in sorted([(r[0], r[1], 0) for r in rows(counts + ".dat", "sched_waking", "common_timestamp,pid")]
                                 + [(r[0], r[1], 1) for r in rows(counts + ".dat", "sched_wakeup", "common_timestamp,pid")],
                                 key=lambda r: (r[0], r[2])):
        if not which:
            wakings[pid] = at
        elif begin <= at <= end and pid in wakings:
            late[pid] = late.get(pid, 0) + at - wakings.pop(pid)
    all_tasks = len(kernel)
    kernel = {pid: k for pid, k in kernel.items() if pid not in gaps}
    stolen = {pid: run.get(pid, 0) - k[0] for pid, k in kernel.items() if run.get(pid, 0) - k[0] >= STOLEN}
    stolen = stolen if sum(stolen.values()) <= steal + tick else {}
    kernel = {pid: k for pid, k in kernel.items() if pid not in stolen}

    bad = 4 * len(kernel) < 3 * all_tasks
    for pid in kernel:
        if states.get(pid, 0) != wait.get(pid, 0):
            print(f"task {pid}: waited {states.get(pid, 0)} in derived:task_state, {wait.get(pid, 0)} in derived:wait")
            bad = True
    both = {p: (run.get(p, 0), wait.get(p, 0) - late.get(p, 0)) for p in kernel}
    worst = [max(abs(both[p][i] - k[i]) for p, k in kernel.items()) for i in (0, 1)]
    print(f"{counts.split('/')[-1]}: {len(kernel)} of {all_tasks} tasks; largest difference of one: running {worst[0]}, "
          f"waiting {worst[1]} ns; from waking to wakeup: {sum(late.get(p, 0) for p in kernel)} ns")
    sums = [(sum(b[i] for b in both.values()), sum(k[i] for k in kernel.values())) for i in (0, 1)]
    return bad, sums, sum(stolen.values())


found = [compare(counts) for counts in sys.argv[4:]]
bad = not found or any(f[0] for f in found)
rest = max(0, steal - sum(f[2] for f in found))
for what, sums, more in (("running", [f[1][0] for f in found], rest), ("waiting", [f[1][1] for f in found], 0)):
    for ours, theirs in sums + [tuple(map(sum, zip(*sums)))] * (len(sums) > 1):
        percent = 100 * (ours - theirs) / theirs if theirs else 100
        print(f"{what}: derived {ours} kernel {theirs} difference {percent:+.4f} %")
    # the last one is that of all
    if abs(percent) >= 0.5 + 100 * more / max(theirs, 1):
        bad = True
sys.exit(bad)
