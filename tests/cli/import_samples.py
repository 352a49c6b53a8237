#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""import_samples.py HIST RECORDING PERF: compares samples of perf.data with perf script.

PERF is the output of perf script -F comm,tid,cpu,time,event,ip,period,addr --ns: each sample with
its fields, and its stack of the kernel by counts.
"""
import collections
import csv
import io
import json
import re
import subprocess
import sys

HEAD = re.compile(r"\s*(.*?)\s+(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d+):\s+(\d+)\s+(\S+):\s*([0-9a-f]+)?\s*$")
KERNEL = 1 << 63


def place(ip):
    """perf script prints addresses of programs as those of their files: the place in a page is the same."""
    return ip if ip & KERNEL else ip & 0xfff


def perf_samples(lines):
    """Yield (event, fields, stack of the kernel) of each sample."""
    head, ips = None, []
    for line in lines + [""]:
        match = HEAD.match(line)
        if match or not line.strip():
            if head:
                yield head[0], head[1] + (place(ips[0] if ips else 0),), tuple(ip for ip in ips if ip & KERNEL)
            head, ips = None, []
        if match:
            comm, tid, cpu, sec, ns, period, event, addr = match.groups()
            head = event, (int(sec) * 10**9 + int(ns), int(cpu), int(tid), comm, int(period), int(addr or "0", 16))
        elif line.strip():
            ips.append(int(line.split()[0], 16))


def run(hist, *args):
    return subprocess.run([hist, *args], check=True, capture_output=True, text=True).stdout


def main():
    hist, recording, perf = sys.argv[1:]
    with open(perf, encoding="utf-8") as file:
        want = list(perf_samples(file.read().split("\n")))
    events = sorted({event for event, _, _ in want})
    if len(want) < 50 or len(events) < 2:
        sys.exit(f"{perf}: only {len(want)} samples of {events}")
    for event in events:
        fields = sorted(fields for name, fields, _ in want if name == event)
        text = run(hist, "events", "-q", "-i", recording, "-e", f"perf:{event}", "--format", "csv",
                   "--fields", "time,cpu,pid,comm,period,addr,ip")
        got = sorted((int(row["time"].replace(".", "")), int(row["cpu"]), int(row["pid"]), row["comm"],
                      int(row["period"]), int(row["addr"]), place(int(row["ip"])))
                     for row in csv.DictReader(io.StringIO(text)))
        if got != fields:
            sys.exit(f"{event}: {len(got)} samples, not {len(fields)}, or others: {got[:2]}, not {fields[:2]}")
        stacks = collections.Counter(stack for name, _, stack in want if name == event and stack)
        result = json.loads(run(hist, "report", "-q", "-i", recording, "-e", f"perf:{event}",
                                "-f", "mode == kernel", "--by", "kstack", "--format", "json"))
        rows = {tuple(row["key"]["common_stacktrace"]): row["val"]["hitcount"]
                for row in result["data"]}
        if rows != dict(stacks):
            sys.exit(f"{event}: stacks {len(rows)}, not {len(stacks)}: {list(rows)[:1]}, not {list(stacks)[:1]}")


main()
