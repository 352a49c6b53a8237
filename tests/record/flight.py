#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""flight.py HIST LATE KEEP AFTER FULL NAME FILE...: compares the files of a flight recorder with the late
wakeups that were made (the output of tests/record/late.c) of the task NAME, and with a full recording.

Each late wakeup is the mark of exactly one file, which begins KEEP s before it (or with the first
file) and ends AFTER s after it; the full recording has the same ones. Prints what is wrong."""
import json
import re
import subprocess
import sys


def hist(*args):
    done = subprocess.run([sys.argv[1], *args], capture_output=True, text=True, check=False)
    if done.returncode:
        print("hist", *args, "failed:", done.stderr)
    return done.stdout


def times(path):
    return [int(ts) for ts in hist("events", "-i", path, "--format", "csv", "--fields", "ts").split()[1:]]


keep, after = float(sys.argv[3]) * 1e9, float(sys.argv[4]) * 1e9
full, name, files = sys.argv[5], sys.argv[6], sys.argv[7:]
with open(sys.argv[2], encoding="ascii") as lines:
    made = [tuple(map(int, line.split())) for line in lines]
marks = []
for path in files:
    listed = json.loads(hist("list", "-i", path, "--format", "json").splitlines()[0])
    stamps = times(path)
    if not listed["tasks"]["complete"]:
        print(path, "has no complete journal of tasks:", listed["tasks"])
    for mark in listed["marks"]:
        ns = int(re.search(r"\bns=(\d+)", mark["text"])[1])
        # others are made by the load of the machine
        if "kind=woken" not in mark["text"]:
            continue
        marks.append((mark["ts"] - ns, mark["ts"], path, min(stamps), max(stamps)))
begin = min(mark[3] for mark in marks)
for _, ts, path, first, last in marks:
    if first > max(ts - keep, begin):
        print(path, "lacks", (first - ts + keep) / 1e6, "ms before", ts)
    if last < ts + after - 1e8:
        print(path, "lacks", (ts + after - last) / 1e6, "ms after", ts)
waits = hist("events", "-i", full, "-e", "derived:wait", "-f", f'ns >= 4ms && comm == "{name}" && kind == woken',
             "--format", "csv", "--fields", "ts,ns").split()[1:]
waits = [ts - ns for ts, ns in (map(int, wait.split(",")) for wait in waits)]
missing = 0
for woken, stopped in made:
    # a kernel may let the victim run before, then no recording has it
    if not any(abs(start - woken) < 2e7 for start in waits):
        missing += 1
        continue
    found = [mark for mark in marks if abs(mark[0] - woken) < 2e7 and mark[1] > stopped - 2e5]
    if len(found) != 1:
        print("the wakeup at", woken, "is in", [mark[2] for mark in found])
starts = [mark[0] for mark in marks]
for one, other, what in (waits, starts, "no mark for"), (starts, waits, "a mark, but not in the full recording:"):
    for start in one:
        if not any(abs(start - x) < 1e7 for x in other):
            print(what, start)
if missing > len(made) / 2:
    print("the full recording lacks", missing, "of", len(made))
