# SPDX-License-Identifier: GPL-2.0-only
"""off_wake.py TEXT JSON: time of tasks off the CPU by state, stack where they left it, and stack that woke them.

TEXT is that of trace-cmd report -t, from which it is computed as plainly as possible; JSON is hist's answer to -e derived:task_state
-f 'state != running' --by state,sleep_stack,waker_stack --sum ns. Stacks are compared by symbols without offsets.
"""
import collections
import gzip
import json
import re
import sys

LINE = re.compile(r"^ *(.+)-(\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +(\w+): +(.*)")
STATES = {"S": "sleeping", "D": "disk", "I": "idle", "W": "idle", "T": "stopped", "t": "traced", "P": "parked"}
TRACER = 2  # frames of the tracer itself


def read(path):
    """Events with their stacks: those that follow in the same task on the same CPU."""
    events, last = [], {}
    for line in gzip.open(path, "rt"):
        m = LINE.match(line)
        if m and m[6] == "kernel_stack":
            frames = last[m[2], m[3]]["stack"]
        elif m:
            events.append({"ts": int(m[4] + m[5]), "name": m[6], "text": m[7], "stack": []})
            last[m[2], m[3]] = events[-1]
        elif line.startswith("=> "):
            frames.append(line.split()[1])
    for e in events:
        e["stack"] = tuple(e["stack"][TRACER:])
    return events


def sums_of(events):
    now, sums = {}, collections.Counter()  # of each task: [state, since, where it left, who woke it]

    def ends(pid, ts):
        state, since, left, woken = now[pid]
        sums[state, left, woken] += ts - since

    for e in events:
        if e["name"] == "sched_switch":
            m = re.match(r"(.*):(\d+) \[-?\d+\] (\S+) ==> (.*):(\d+) \[", e["text"])
            prev, state, following = int(m[2]), m[3][0], int(m[5])
            if prev and state in "XZ":
                now.pop(prev, None)
            elif prev and state == "R":
                now[prev] = ["preempted", e["ts"], e["stack"], ()]
            elif prev and now.get(prev, "?")[0] == "running" and now[prev][3]:  # woken on its way to sleep
                now[prev] = ["woken", e["ts"], e["stack"], now[prev][3]]
            elif prev:
                now[prev] = [STATES[state], e["ts"], e["stack"], ()]
            if following in now:
                ends(following, e["ts"])
            if following:
                now[following] = ["running", e["ts"], (), ()]
        elif e["name"] in ("sched_waking", "sched_wakeup_new"):
            m = re.search(r"\bpid=(\d+)", e["text"]) or re.search(r":(\d+) \[", e["text"])
            pid, left = int(m[1]), ()
            if e["name"] == "sched_waking" and now.get(pid, "?")[0] == "running":
                now[pid][3] = e["stack"]
                continue
            if e["name"] == "sched_waking" and pid in now:
                left = now[pid][2]
                now[pid][3] = e["stack"]
                ends(pid, e["ts"])
            now[pid] = ["new" if e["name"] == "sched_wakeup_new" else "woken", e["ts"], left, e["stack"]]
    return sums


def main():
    right, got = sums_of(read(sys.argv[1])), collections.Counter()
    for r in json.load(open(sys.argv[2]))["data"]:
        stacks = [tuple(f.split("+")[0] for f in r["text"][k]) for k in ("sleep_stack", "waker_stack")]
        got[(r["key"]["state"], *stacks)] += r["val"]["ns"]
    for key in {*right, *got}:
        if right[key] != got[key]:
            sys.exit(f"{key}: {got[key]} ns, right {right[key]}")
    print(len(right), "rows,", sum(len(k[1]) > 0 and len(k[2]) > 0 for k in right), "with both stacks")


main()
