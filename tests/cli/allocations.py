# SPDX-License-Identifier: GPL-2.0-only
"""allocations.py HIST DIR SEED: derived:allocation of a random text, beside a model of it.

Where a CPU lost events, from its last one before to its next one, nothing is known of any object:
each CPU can free it.
"""
import csv
import random
import subprocess
import sys
from collections import Counter

hist, folder, seed = sys.argv[1:]
rng = random.Random(int(seed))
lines, events, holes, last, ns = [], [], [], {}, 10**9
for i in range(rng.randint(20, 400)):
    ns += rng.randint(1, 5000)
    comm, pid = rng.choice([("cat", 7), ("dd b", 8), ("cat", 9)])
    cpu, ptr, site = rng.randrange(3), rng.randrange(12), rng.randrange(4)
    name = rng.choice(["kmalloc", "kmem_cache_alloc", "kfree", "kmem_cache_free"])
    if rng.random() < 0.02:
        lines.append("CPU:%d [LOST %d EVENTS]" % (cpu, rng.randint(1, 9)))
        holes.append((last.get(cpu, 0), ns))
    last[cpu] = ns
    fields = "call_site=0x%x ptr=%s " % (site, hex(ptr) if ptr else "(nil)")
    fields += "bytes_req=%d bytes_alloc=8" % (site + 3) if "alloc" in name else "name=n"
    lines.append("%s-%d [%03d] %d.%09d: %s: %s" % (comm, pid, cpu, ns // 10**9, ns % 10**9, name, fields))
    events.append((ns, name, ptr, (ptr, site, pid, comm, cpu)))

live, want = {}, Counter()
for now, name, ptr, who in events:
    live = {p: a for p, a in live.items() if not any(start < now and a[0] <= start for start, _ in holes)}
    if any(start < now < end for start, end in holes) or not ptr:
        continue
    if "alloc" in name:
        live[ptr] = now, who
    elif ptr in live:
        since, allocated = live.pop(ptr)
        want[(*allocated, now - since, "no")] += 1
for since, allocated in live.values():
    want[(*allocated, ns - since, "end")] += 1

text = folder + "/allocations.txt"
with open(text, "w", encoding="utf-8") as f:
    f.write("\n".join(lines) + "\n")
command = [hist, "report", "-q", "-i", text, "-e", "derived:allocation", "--by", "ptr,call_site,pid,comm,cpu,ns,open",
           "--sum", "bytes_req,bytes_alloc", "--top", "0", "--format", "csv"]
got = Counter()
for row in csv.DictReader(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()):
    if row["hitcount"] != "-":
        hits = int(row["hitcount"])
        who = int(row["ptr"]), int(row["call_site"]), int(row["pid"]), row["comm"], int(row["cpu"])
        got[(*who, int(row["ns"]), row["open"])] += hits
        assert (int(row["bytes_req"]), int(row["bytes_alloc"])) == ((who[1] + 3) * hits, 8 * hits), row
if got != want:
    print("seed", seed, "only hist:", list((got - want).items())[:3], "only the model:", list((want - got).items())[:3])
