#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only
"""waits.py TRACE.DAT [PICTURE]: how long did tasks wait for a CPU? The worst ones, and, with a name for
a picture, their distribution over time, drawn by matplotlib. Needs python3-hist."""
import sys
from collections import defaultdict

import hist

path = sys.argv[1] if len(sys.argv) > 1 else "trace.dat"
rec = hist.open(path)

# Every wait is an event: the interval from a wakeup, or a preemption, to the switch to the task.
waits = list(rec.events("derived:wait", ["ts", "cpu", "comm", "pid", "kind", "ns"]))
worst = max(waits, key=lambda w: w.ns)
print(len(waits), "waits, the longest", worst.ns, "ns")

by_task: defaultdict[str, list[int]] = defaultdict(list)
for w in waits:
    by_task[w.comm].append(w.ns)
for comm, ns in sorted(by_task.items(), key=lambda item: -max(item[1]))[:5]:
    ns.sort()
    print("%-16s %6d waits, median %9d ns, worst %9d ns" % (comm, len(ns), ns[len(ns) // 2], ns[-1]))

# The same by SQL.
for row in rec.sql("SELECT kind, count(*), sum(ns) FROM wait GROUP BY 1"):
    print(*row)

if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    columns = rec.arrays("derived:wait", ["ts", "ns"])
    pyplot.figure(figsize=(8, 4))
    pyplot.semilogy((columns["ts"] - columns["ts"].min()) / 1e9, columns["ns"] / 1e3, ".", markersize=3)
    pyplot.xlabel("time (s)")
    pyplot.ylabel("wait (us)")
    pyplot.title("Waits for a CPU: " + path)
    pyplot.savefig(sys.argv[2])
