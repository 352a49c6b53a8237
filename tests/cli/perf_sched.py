#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perf_sched.py HIST RECORDING TIMEHIST [LATENCY]: compares derived:task_state and derived:wait, event by event, with the
output of perf sched timehist --state, and with the longest delays of perf sched latency -p. Prints what was compared,
and each difference; exits with 1 if there is one, or nothing to compare.

perf sched timehist has delays from sched_waking if the recording has its format, perf sched latency from sched_wakeup. So
with LATENCY, the recording has sched_wakeup, and the delays of TIMEHIST are not compared."""
import csv
import io
import re
import subprocess
import sys

hist, recording, timehist = sys.argv[1:4]
latency = sys.argv[4] if len(sys.argv) > 4 else None


def us(ns):
    """As perf prints ms: cut to microseconds."""
    return ns // 1000


def rows(event, keys, pid="pid"):
    out = subprocess.run([hist, "report", "-q", "-i", recording, "--unlimited", "--format", "csv", "-e", event, "--by",
                          "common_timestamp," + keys] + (["--sum", "ns"] if ":" in event else []), check=True, capture_output=True, text=True).stdout
    found = [(int(r["common_timestamp"]), int(r[pid]), int(r.get("ns", 0)), r) for r in csv.DictReader(io.StringIO(out))]
    return sorted(found, key=lambda r: r[:2])


def ours():
    """For each run of a task, by pid and time of its end: how long it ran, was away before, and was delayed."""
    waits = [(pid, r["kind"], ns, at) for at, pid, ns, r in rows("derived:wait", "pid,kind")]
    delays = {(pid, at): ns if kind in ("woken", "new") else 0 for pid, kind, ns, at in waits}
    runs, away, before, last = {}, {}, {}, {}
    for at, pid, ns, r in rows("derived:task_state", "pid,state,next_state"):
        if at - ns != last.get(pid):  # something in between is not known
            away.pop(pid, None)
            before.pop(pid, None)
        last[pid] = at
        if r["state"] == "running":
            runs[pid, us(at)] = (ns, before.pop(pid, None), delays.get((pid, at - ns)))
            continue
        away[pid] = away.get(pid, 0) + ns
        before.pop(pid, None)
        if r["next_state"] == "running":
            before[pid] = away.pop(pid)
    return runs, waits


runs, waits = ours()
compared = differences = unlike = 0
missing = []
for line in open(timehist):
    m = re.match(r"\s*([\d.]+) \[(\d+)\]\s+(.*)\[([\d/]+)\]\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", line)
    if not m:
        continue
    pid, at = int(m[4].split("/")[0]), int(m[1].replace(".", ""))
    wait, delay, run = (int(round(float(m[i]) * 1000)) for i in (5, 6, 7))
    if not pid:
        continue
    mine = runs.pop((pid, at), None)
    if mine is None:  # hist does not know its beginning
        missing.append(line)
        continue
    compared += 1
    problems = []
    if us(mine[0]) != run:
        problems.append(f"ran {us(mine[0])} us")
    if mine[1] is not None and wait and us(mine[1]) != wait:
        problems.append(f"away {us(mine[1])} us")
    # perf forgets a wakeup on the way to sleep, and has that of a preempted task as the begin of its delay
    if latency:
        pass
    elif bool(mine[2]) != bool(delay):
        unlike += 1
    elif mine[2] is not None and us(mine[2]) != delay:
        problems.append(f"delay {us(mine[2])} us")
    if problems:
        differences += 1
        print(line.rstrip(), "hist:", *problems)
print(f"timehist: {compared} runs compared, {differences} differ; {len(runs)} are only known to hist, {len(missing)} only to perf; "
      f"{unlike} wakeups of tasks that had not left their CPU")
for line in missing[:20]:
    print("only perf:", line.rstrip())
if not latency:
    sys.exit(not compared or differences > 0)

# perf sched latency does not know the bit of preempted tasks (R+), and takes them for sleeping ones
skipped = {(pid, at) for at, pid, _, r in rows("sched_switch", "prev_pid,prev_state", "prev_pid")
           if int(r["prev_state"]) > 255}
longest = {}
for pid, kind, ns, at in waits:
    if (pid, at - ns) not in skipped:
        longest[pid] = max(longest.get(pid, 0), ns)
unknown = {int(re.search(r"\[([\d/]+)\]\s+[\d.]+ ", line)[1].split("/")[0]) for line in missing}
n = wrong = 0
for line in open(latency):
    m = re.match(r"\s*(.*?):(\d+)\s+\|\s*([\d.]+) ms \|\s*(\d+) \|.*max:\s*([\d.]+) ms", line)
    if not m:
        continue
    n += 1
    theirs = int(round(float(m[5]) * 1000))
    if int(m[2]) not in unknown and abs(longest.get(int(m[2]), 0) - 1000 * theirs) > 1000:
        wrong += 1
        print(f"latency: {line.split('|')[0].strip()} max {theirs} us, hist: {longest.get(int(m[2]), 0)} ns")
print(f"latency: {n} tasks compared, {wrong} differ")
sys.exit(not compared or not n or differences > 0 or wrong > 0)
