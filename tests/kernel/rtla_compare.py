# SPDX-License-Identifier: GPL-2.0-only
"""rtla_compare.py HIST DAT RTLA BUCKET ENTRIES: rtla timerlat hist counted its own instance while DAT was recorded, so its samples are some
without a gap among those of DAT. Finds them by rtla's numbers, and compares what hist answers of this time.

RTLA is rtla's text, whose latencies are whole microseconds: BUCKET is the size of a bucket, ENTRIES their number. Prints what is compared,
and "differs: ..." for what is not equal.
"""
import csv
import io
import re
import subprocess
import sys

HIST, DAT, RTLA, BUCKET, ENTRIES = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
CONTEXTS = {"IRQ": 0, "Thr": 1, "Usr": 2}


def rtla_answer(text):
    """{(cpu, context): {"over": n, "count": n, "min": us, "avg": us, "max": us, bucket in us: n}}"""
    answer, columns = {}, []
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["Index"]:
            columns = [(int(cpu), CONTEXTS[name]) for name, cpu in re.findall(r"(IRQ|Thr|Usr)-(\d+)", line)]
            answer.update({c: {} for c in columns})
        elif words[:1] == ["ALL:"]:
            break
        elif columns and len(words) == len(columns) + 1 and re.fullmatch(r"\d+|(over|count|min|avg|max):", words[0]):
            for c, word in zip(columns, words[1:]):
                if word != "-":
                    answer[c][int(words[0]) if words[0].isdigit() else words[0][:-1]] = int(float(word))
    return {c: a for c, a in answer.items() if a.get("count")}


def table(*args):
    out = subprocess.run([HIST, *args, "-q", "-i", DAT, "--format", "csv"], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def samples():
    """{(cpu, context): [(ts, ns)]} in order"""
    of = {}
    for r in table("events", "-e", "ftrace:timerlat", "--fields", "ts,cpu,context,timer_latency"):
        of.setdefault((int(r["cpu"]), int(r["context"])), []).append((int(r["ts"]), int(r["timer_latency"])))
    return of


def counted(latencies):
    """rtla's numbers of these latencies."""
    us = [ns // 1000 for ns in latencies]
    found = {"count": len(us), "min": min(us), "max": max(us), "avg": sum(us) // len(us), "over": sum(u >= BUCKET * ENTRIES for u in us)}
    for u in us:
        if u < BUCKET * ENTRIES:
            found[u // BUCKET * BUCKET] = found.get(u // BUCKET * BUCKET, 0) + 1
    return found


def same(mine, theirs):
    return all(mine.get(k, 0) == theirs.get(k, 0) for k in {*mine, *theirs})


def window(answer):
    """(from, to) of the time of rtla's samples, or None. They begin and end at one time on all CPUs."""
    of, fits = samples(), {}
    for c, theirs in answer.items():
        n, at = theirs["count"], [0, *[ts for ts, _ in of.get(c, [])], 2**63]
        fits[c] = [(at[i], at[i + 1], at[i + n], at[i + n + 1]) for i in range(len(at) - 1 - n) if same(counted([ns for _, ns in of[c][i:i + n]]), theirs)]
    every = [fit for some in fits.values() for fit in some]
    spans = ((begin, end) for _, begin, _, _ in every for _, _, end, _ in every)
    return next((s for s in spans if all(any(a < s[0] <= b and c <= s[1] < d for a, b, c, d in some) for some in fits.values())), None)


def main():
    with open(RTLA, encoding="utf-8") as f:
        answer = rtla_answer(f.read())
    span = window(answer)
    if not answer or not span:
        sys.exit(f"differs: rtla has {answer}, and no part of the recording has these numbers")
    where = [f"--from={span[0] // 10**9}.{span[0] % 10**9:09}", f"--to={span[1] // 10**9}.{span[1] % 10**9:09}"]
    rows = {(int(r["common_cpu"]), int(r["context"])): r for r in table("report", "timerlat", "--stats", "--show", "1", *where)}
    bins = table("report", *where, "-e", "ftrace:timerlat", "-R", f"hist:keys=common_cpu,context,timer_latency.buckets={BUCKET * 1000}")
    for c, theirs in sorted(answer.items()):
        r = rows.get(c, {})
        mine = {"count": int(r.get("hitcount", 0)), "min": int(r["timer_latency_min"]) // 1000, "max": int(r["timer_latency_max"]) // 1000} if r else {}
        mean = float(r["timer_latency_mean"]) / 1000 if r else 0
        for b in bins:
            if (int(b["common_cpu"]), int(b["context"])) == c:
                low = int(b["timer_latency_min"]) // 1000
                mine[low if low < BUCKET * ENTRIES else "over"] = mine.get(low if low < BUCKET * ENTRIES else "over", 0) + int(b["hitcount"])
        shown = {k: v for k, v in theirs.items() if v and k != "avg"}
        print(f"CPU {c[0]}, context {c[1]}: {theirs['count']} samples, min {theirs['min']}, mean {theirs['avg']} ({mean:.3f}), max {theirs['max']} us, {len(shown) - 3} buckets")
        # the mean of whole microseconds is at most 1 less than that of nanoseconds, and has no fraction
        if mine != shown or not theirs["avg"] <= mean < theirs["avg"] + 2:
            print(f"differs: hist {mine}, mean {mean}; rtla {theirs}")


main()
