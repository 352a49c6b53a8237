#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""flight.py HIST LATE KEEP AFTER FULL NAME FILE...: compares the files of a flight recorder with the late
wakeups that were made (the output of tests/record/late.c) of the task NAME, and with a full recording.

Each late wakeup is the mark of exactly one file, which has all events of the full recording from
KEEP s before it to AFTER s after it; the full recording has the same ones. Where NAME is a script, it
makes synthetic:late, whose lat is in us, for the wakeups of one task. Prints what is wrong."""
import bisect
import collections
import json
import re
import subprocess
import sys


def hist(*args):
    done = subprocess.run([sys.argv[1], *args], capture_output=True, text=True, check=False)
    if done.returncode:
        print("hist", *args, "failed:", done.stderr)
    return done.stdout


def events(path):
    lines = hist("events", "-i", path, "--format", "tsv", "--fields", "ts,event,text").splitlines()[1:]
    # a task that ends is reaped at any time, also between the records of two instances
    lines = [re.sub(r" prev_state=\S+", "", line).split("\t", 1) for line in lines]
    return [(int(ts), text) for ts, text in lines]


keep, after = float(sys.argv[3]) * 1e9, float(sys.argv[4]) * 1e9
full, name, files = sys.argv[5], sys.argv[6], sys.argv[7:]
script = name.endswith(".script")
field, unit = ("lat", 1000) if script else ("ns", 1)
with open(sys.argv[2], encoding="ascii") as lines:
    made = [tuple(map(int, line.split())) for line in lines]
everything = events(full)
# an event is traced to one buffer a moment after the other
SLACK = 5e6
# the clock is read before the task is woken; a guest may be stopped meanwhile
NEAR = 1e8 if script else 2e7
marks = []
for path in files:
    listed = json.loads(hist("list", "-i", path, "--format", "json").splitlines()[0])
    has = collections.Counter(text for _, text in events(path))
    if not listed["tasks"]["complete"]:
        print(path, "has no complete journal of tasks:", listed["tasks"])
    if not listed["marks"]:
        print(path, "has no mark")
    for mark in listed["marks"]:
        length = int(re.search(rf"\b{field}=(\d+)", mark["text"])[1]) * unit
        # others are made by the load of the machine
        if not script and "kind=woken" not in mark["text"]:
            continue
        marks.append((mark["ts"] - length, mark["ts"], path))
        first, end = mark["ts"] - keep + SLACK, mark["ts"] + after - SLACK
        want = everything[bisect.bisect(everything, (first, "")) : bisect.bisect(everything, (end, ""))]
        lacks = collections.Counter(text for _, text in want) - has
        if not want or lacks:
            print(path, "lacks", lacks.total(), "of", len(want), "events around", mark["ts"], list(lacks)[:3])
query = (
    [name, "-e", "synthetic:late", "-f", "lat >= 4000"]
    if script
    else ["-e", "derived:wait", "-f", f'ns >= 4ms && comm == "{name}" && kind == woken']
)
waits = hist("events", "-i", full, *query, "--format", "csv", "--fields", f"ts,{field}").split()[1:]
waits = [ts - n * unit for ts, n in (map(int, wait.split(",")) for wait in waits)]
missing = 0
for woken, stopped in made:
    # a kernel may let the victim run before, then no recording has it
    if not any(abs(start - woken) < NEAR for start in waits):
        missing += 1
        continue
    found = [mark for mark in marks if abs(mark[0] - woken) < NEAR and mark[1] > stopped - 2e5]
    if len(found) != 1:
        print("the wakeup at", woken, "is in", [mark[2] for mark in found])
starts = [mark[0] for mark in marks]
for one, other, what in (waits, starts, "no mark for"), (starts, waits, "a mark, but not in the full recording:"):
    for start in one:
        if not any(abs(start - x) < NEAR / 2 for x in other):
            print(what, start)
if missing > len(made) / 2:
    print("the full recording lacks", missing, "of", len(made))
