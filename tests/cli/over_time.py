# SPDX-License-Identifier: GPL-2.0-only
"""over_time.py HIST RECORDING EVENT SLICE: hist report --over-time has, of each slice, the quantiles of the events in it."""
import csv
import io
import math
import subprocess
import sys

hist, recording, event, step = sys.argv[1:5]


def rows(verb, *arguments):
    out = subprocess.run([hist, verb, "-q", "-i", recording, "-e", event, "--format", "csv", *arguments], capture_output=True, text=True, check=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def ns(time):
    seconds, _, rest = time.partition(".")
    return int(seconds) * 10**9 + int(rest.ljust(9, "0"))


events = [(int(r["ts"]), int(r["ns"])) for r in rows("events", "--fields", "ts,ns")]
slices = rows("report", "--by", "pid", "--sum", "ns", "--interval", step, "--over-time")
seen = 0
for i, got in enumerate(slices):
    begin, end = ns(got["from"]), ns(got["to"])
    values = sorted(v for ts, v in events if begin <= ts < end or (i + 1 == len(slices) and ts == end))
    right = {"hits": len(values), "ns_max": values[-1]}
    right |= {f"ns_p{p}": values[max(math.ceil(p * len(values) / 100), 1) - 1] for p in (50, 90, 99)}
    seen += len(values)
    for name, value in right.items():  # of more than 1024 values, quantiles are rounded
        if abs(int(got[name]) - value) > (value / 256 if len(values) > 1024 else 0):
            sys.exit(f"{got}: {name} should be {value}")
if seen != len(events):
    sys.exit(f"{seen} of {len(events)} events are in slices")
print(len(slices), "slices")
