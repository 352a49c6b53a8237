# SPDX-License-Identifier: GPL-2.0-only
"""verdicts.py HIST DIR DRAWS [FIRST]: what hist diff and hist trend say of runs of known distributions.

First the numbers of comparisons and series, against those computed here; then how often like runs are called different, and how often a
change is found. Runs are saved results that are written here: rows with rates and lengths of their own, all of which differ from run to
run. Prints a table (draws, different, inconclusive); exits with 1 if a number is wrong, like runs are different more often than promised,
or a change is found less often.
"""
import collections
import json
import math
import multiprocessing
import os
import random
import statistics
import subprocess
import sys

from reference.runs import close, compared, differ, stats

NAMES = ["read", "write", "poll", "futex", "openat", "close", "mmap", "ioctl", "sendto", "recvfrom", "nanosleep", "fsync"]


def saved_stats(values, keep):
    mean, squares = sum(values) / len(values), sum(v * v for v in values)
    found = dict(stats(values), of="val", signed=False, exact=True, stddev=math.sqrt(max(0, squares / len(values) - mean * mean)))
    return dict(found, sum=str(sum(values)), sum2=str(squares), values=sorted(collections.Counter(values).items())) if keep else found


def save(path, rows, seconds):
    """A result as hist report --by name --sum ns --stats saves it. @rows: {name: lengths}"""
    data = [dict(key=dict(name=n), val=dict(hitcount=len(v), ns=sum(v)), stats=dict(ns=saved_stats(v, True))) for n, v in rows.items() if v]
    every = [x for v in rows.values() for x in v]
    number = lambda name, **more: dict(name=name, type="number", signed=False, **more)
    columns = dict(key=[dict(name="name", type="text")], val=[number("hitcount"), number("ns", unit="ns")], saved=[], stats=[dict(name="ns", signed=False)])
    result = dict(
        type="hist_trigger", schema=1, version="0", event="test:job", trigger="hist:keys=name:vals=hitcount,ns:sort=ns.descending:size=2048",
        columns=columns, sort=[dict(val="ns", descending=True)], filters={},
        script=["echo 'hist:keys=name:vals=ns:sort=ns.descending' >> events/test/job/trigger # question"], state="active", limits="none",
        rules="exact", lost_events=0, clock="local", kernel="6.12", span={"from": 0.0, "to": seconds},
        source=dict(uname="Linux host 6.12.0 x86_64", file="made"), totals=dict(hits=len(every), entries=len(data), dropped=0),
        stats=dict(exact_values=1024, relative_error=0.00390625, all=dict(ns=saved_stats(every, False))), data=data)
    with open(path, "w") as f:
        json.dump(result, f)


# --- how often ---


class Work:
    """Runs of the same work; each run, and each row of it, differs by @noise."""

    def __init__(self, rng, noise, hits):
        self.rng, self.noise = rng, noise
        self.rows = {n: (rng.randint(20, 120) * hits, rng.uniform(9, 14)) for n in NAMES}

    def run(self, path, factor=1.0, changed=None):
        """@factor: of the lengths of the rows @changed, otherwise of all."""
        r, common = self.rng, self.rng.gauss(0, self.noise)
        rows = {}
        for name, (hits, length) in self.rows.items():
            mean = length + common + r.gauss(0, self.noise) + (math.log(factor) if changed is None or name in changed else 0)
            n = max(1, int(hits * math.exp(r.gauss(0, self.noise))))
            rows[name] = [max(1, int(r.lognormvariate(mean, 0.5))) for _ in range(n)]
        save(path, rows, 10 * math.exp(r.gauss(0, self.noise / 4)))
        return path


# what is measured: (how, runs before, runs after, noise, factor, rows that changed)
KINDS = {
    "4 against 4, alike": ("diff", 4, 4, .07, 1, None),
    "6 against 6, alike": ("diff", 6, 6, .07, 1, None),
    "6 against 6, alike, noise 30 %": ("diff", 6, 6, .3, 1, None),
    "6 against 6, 20 % more, noise 3 %": ("diff", 6, 6, .03, 1.2, None),
    "6 against 6, one row 50 % more": ("diff", 6, 6, .07, 1.5, ["poll"]),
    "1 against 1, alike": ("diff", 1, 1, .07, 1, None),
    "1 against 1, one row three times, noise 3 %": ("diff", 1, 1, .03, 3, ["poll"]),
    "history of 10, alike": ("history", 10, 1, .07, 1, None),
    "history of 10, 20 % more": ("history", 10, 1, .07, 1.2, None),
    "history of 10, 30 % more": ("history", 10, 1, .07, 1.3, None),
    "history of 10, 50 % more": ("history", 10, 1, .07, 1.5, None),
    "history of 33, alike": ("history", 33, 1, .07, 1, None),
    "trend of 15, alike": ("trend", 15, 0, .07, 1, None),
    "trend of 15, the last five 20 % more, noise 3 %": ("trend", 10, 5, .03, 1.2, None),
}
LEVEL = 0.03  # --alpha: how often like runs may be called different
HISTORY = 0.05  # against a history of 10: measured so, see hist-diff(1)
# and so many changes are found at least
FOUND = {"6 against 6, 20 % more, noise 3 %": 0.9, "6 against 6, one row 50 % more": 0.8, "history of 10, 50 % more": 0.6,
         "trend of 15, the last five 20 % more, noise 3 %": 0.9}


def draw(job):
    """(kind, exit status)"""
    hist, directory, kind, seed = job
    how, before, after, noise, factor, changed = KINDS[kind]
    rng, at = random.Random(f"{kind} {seed}"), os.path.join(directory, f"draw-{os.getpid()}")
    os.makedirs(at, exist_ok=True)
    work = Work(rng, noise, 8 if before == 1 else 1)  # one run has nothing but its hits
    first = [work.run(f"{at}/a-{i:02}.json") for i in range(before)]
    then = [work.run(f"{at}/b-{i:02}.json", factor, changed) for i in range(after)]
    command = {"diff": ["diff", "-q", "--before", *first, "--after", *then], "trend": ["trend", "-q", *first, *then],
               "history": ["diff", "-q", "--last", str(before), "--history", at, *then]}[how]
    status = subprocess.run([hist, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    for path in first + then:
        os.unlink(path)
    return kind, status


# --- numbers ---


def wrong_comparison(hist, directory, seed):
    """What is wrong in a comparison of one or several runs with others."""
    rng = random.Random(seed)
    sizes = rng.choice([(1, 1), (1, 1), (2, 3), (3, 3), (4, 1), (5, 4)])
    there = [n for n in NAMES if rng.random() < 0.9]
    lengths = lambda: [rng.randrange(1, 10**rng.randint(1, 9)) for _ in range(rng.choice([1, 5, 60]))]
    sides, paths = [], []
    for i, size in enumerate(sizes):
        only = {n for n in there if rng.random() < 0.15}  # on the other side
        runs = [({n: lengths() for n in there if n not in only}, rng.choice([1.0, 2.5, 8.0])) for _ in range(size)]
        names = [os.path.join(directory, f"numbers-{i}-{j}.json") for j in range(size)]
        for name, (rows, seconds) in zip(names, runs):
            save(name, rows, seconds)
        sides.append(runs)
        paths.append(names)
    mode = rng.choice(["absolute", "share", "rate"])
    out = subprocess.run([hist, "diff", "-q", "--all", "--stats", *(["--" + mode] if mode != "rate" else []), "--format", "json",
                          "--before", *paths[0], "--after", *paths[1]], capture_output=True, text=True).stdout
    result = json.loads(out.splitlines()[0])
    every = {n for runs in sides for rows, _ in runs for n in rows}
    for value, of in (("hitcount", len), ("ns", sum)):
        scale = lambda rows, seconds: {"absolute": 1, "share": 100 / sum(map(of, rows.values())), "rate": 1 / seconds}[mode]
        got = next(v for v in result["values"] if v["name"] == value)
        right = {n: compared([[of(rows.get(n, [])) * scale(rows, s) for rows, s in runs] for runs in sides]) for n in every}
        changes = sum(abs(r["delta"]) for r in right.values())
        if {r["key"]["name"] for r in got["rows"]} != every:
            yield f"{mode} {value}: rows {[r['key'] for r in got['rows']]}"
        for r in got["rows"]:
            mine = right[r["key"]["name"]]
            share = dict(share_of_changes=100 * abs(mine["delta"]) / changes if changes else None)
            yield from differ(f"{mode} {value} of {r['key']['name']}", r, mine | share)
        both = [r["after"] / r["before"] for r in right.values() if r["before"] and r["after"]]
        mean = 100 * (math.exp(statistics.mean(map(math.log, both))) - 1) if both else None
        yield from differ(f"{mode} {value}", got["summary"], dict(geometric_mean_percent=mean))
        if mode != "share":  # which is always 100 %
            yield from differ(f"{mode} {value} of all", got["all"], compared([[sum(map(of, rows.values())) * scale(rows, s) for rows, s in runs] for runs in sides]))
    table = result["stats"][0]
    for name, got in [("all", table["all"])] + [(r["key"]["name"], r["of"]) for r in table["rows"]]:
        values = [[stats([x for n, v in rows.items() if name in ("all", n) for x in v]) for rows, _ in runs if name == "all" or name in rows] for runs in sides]
        if all(values):
            for number in values[0][0]:
                yield from differ(f"{number} of ns of {name}", got[number], compared([[run[number] for run in runs] for runs in values]))


def wrong_series(hist, directory, seed):
    """What is wrong in the series of a trend."""
    rng = random.Random(seed)
    runs = [({n: [rng.randrange(1, 10**rng.randint(1, 9)) for _ in range(rng.choice([1, 5, 60]))] for n in NAMES if rng.random() < 0.9},
             rng.choice([1.0, 2.5, 8.0])) for _ in range(rng.choice([3, 5, 9]))]
    paths = [os.path.join(directory, f"series-{i}.json") for i in range(len(runs))]
    for path, run in zip(paths, runs):
        save(path, *run)
    mode = rng.choice(["absolute", "share", "rate"])
    command = [hist, "trend", "-q", "--all", *(["--" + mode] if mode != "rate" else []), "--format", "json", *paths]
    result = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    right = {}
    for value, of in (("hitcount", len), ("ns", sum)):
        totals = [sum(map(of, rows.values())) for rows, _ in runs]
        scales = [{"absolute": 1, "share": 100 / t, "rate": 1 / s}[mode] for t, (_, s) in zip(totals, runs)]
        right[value] = [t * k for t, k in zip(totals, scales)]
        for n in {n for rows, _ in runs for n in rows}:
            right[f"{value} of {n}"] = [of(rows.get(n, [])) * k for (rows, _), k in zip(runs, scales)]
    found = [stats([x for v in rows.values() for x in v]) for rows, _ in runs]
    right.update({f"ns.{number}": [f[number] for f in found] for number in found[0]})
    got = {s["metric"]: s["values"] for s in result["series"]}
    for name in sorted({*got, *right}):
        if mode == "share" and name in ("hitcount", "ns"):  # always 100 %
            continue
        a, b = got.get(name), right.get(name)
        # a row that a result does not have is 0, or not there
        if not a or not b or len(a) != len(b) or not all(close(x or 0, y) for x, y in zip(a, b)):
            yield f"trend, {mode} {name}: {a}, right {b}"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    hist, directory, draws, first = sys.argv[1], sys.argv[2], int(sys.argv[3]), int((sys.argv[4:] or ["0"])[0])
    bad, counts = 0, {kind: collections.Counter() for kind in KINDS}
    for seed in range(first, first + max(10, draws // 2)):
        for text in [*wrong_comparison(hist, directory, seed), *wrong_series(hist, directory, seed)][:3]:
            print(f"seed {seed}: {text}")
            bad += 1
    with multiprocessing.Pool(min(2, os.cpu_count() or 1)) as pool:
        jobs = [(hist, directory, kind, seed) for kind in KINDS for seed in range(first, first + draws)]
        for kind, status in pool.imap_unordered(draw, jobs):
            counts[kind][status] += 1
    for kind, n in counts.items():
        how, before, _, _, factor, _ = KINDS[kind]
        allowed = HISTORY if how == "history" and before < 33 else LEVEL
        # what is promised, and three standard deviations of so few draws
        most = allowed * draws + 3 * math.sqrt(allowed * draws)
        least = FOUND.get(kind, 0) * draws - 3 * math.sqrt(0.1 * draws)
        many, few = factor == 1 and n[1] > most, n[1] < least
        bad += many or few
        wrong = f" more than {most:.1f} is wrong" if many else f" less than {least:.1f} is wrong" if few else ""
        print(f"| {kind} | {draws} | {n[1]} | {n[2]} |{wrong}")
    sys.exit(bad != 0)


main()
