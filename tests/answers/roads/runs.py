# SPDX-License-Identifier: GPL-2.0-only
"""hist diff and hist trend of random recordings: the number of each row in each of them, and what follows from these numbers."""
import json
import math
import os
import random
import shutil
import statistics
import subprocess

from machines import machine
from reference import answers
from reference.runs import close, compared, differ, stats
from roads.asks import dice, must
from roads.common import NotAsked, Wrong
from roads.questions import Question


class Run:
    """A recording: ->rows are the events that are counted of each key."""

    def __init__(self, question, path, m, table):
        self.path, self.seconds, self.rows = path, (m.events[-1].ts - m.events[0].ts) / 1e9, {}
        for r in table.rows if table else ():
            if answers.matches(question.filter, r):
                self.rows.setdefault(question.keys_of(r), []).append(r)
        self.every = [r for rows in self.rows.values() for r in rows]


def recorded(question, path, rng):
    """The recording of the question, or another one in which the event is, too."""
    for _ in range(8):
        m = machine.Machine(random.Random(rng.random()), 200)
        found = answers.tables(m.events, question.recorded, machine.KINDS, only=question.table.event)
        run = Run(question, path, m, found[0] if found else None)
        if run.rows:
            m.write(path, question.recorded)
            return run
    raise NotAsked("too few recordings have such events")


def key_of(question, row):
    """That of the reference, of a row of json."""
    names = ["common_comm" if k[0] == "COMM" else k[0] for k in question.keys]
    cells = [row["key"][n] for n in names]
    return tuple(text for c in cells for text in ((str(c["min"]), str(c["max"])) if isinstance(c, dict) else (str(c),)))


def asked(hist, *command):
    p = subprocess.run([hist, *command], capture_output=True, text=True, errors="surrogateescape")
    if p.returncode > 2 or not p.stdout:
        raise Wrong(f"{' '.join(map(repr, command))}: exit status {p.returncode}: {p.stderr.strip()[-500:]}")
    return json.loads(p.stdout.splitlines()[0])


def scaled(mode, run, of):
    """How a number of a run is compared."""
    total = of(run.every)
    if mode == "share" and not total:
        raise NotAsked("nothing of which a part is a share")
    return {"absolute": 1, "share": 100 / (total or 1), "rate": 1 / run.seconds}[mode]


def values_of(question):
    """(name, what it is of the rows)"""
    yield "hitcount", len
    for name in question.sums:
        yield name, lambda rows, n=name: sum(r[n] for r in rows)


def distances(before, after):
    """Of two distributions: the largest distance of their shares, and how much more often a value after is greater than one before."""
    share = lambda values, v: sum(x <= v for x in values) / len(values)
    more = sum((b > a) - (b < a) for a in before for b in after)
    return dict(ks_d=max(abs(share(before, v) - share(after, v)) for v in {*before, *after}), cliffs_delta=more / len(before) / len(after))


def wrong_values(question, result, sides, mode, whole):
    for name, of in values_of(question):
        got = next(v for v in result["values"] if v["name"] == name)
        number = lambda run, key: of(run.rows.get(key, [])) * scaled(mode, run, of)
        right = {k: compared([[number(run, k) for run in runs] for runs in sides]) for k in {k for runs in sides for run in runs for k in run.rows}}
        there = [key_of(question, r) for r in got["rows"]]
        if (sorted(there) != sorted(right) if whole else not {*there} <= {*right}) or len(there) + got["rows_not_shown"] != len(right):
            yield f"{mode} {name}: rows {there} and {got['rows_not_shown']} more, right {sorted(right)}"
            continue
        for key, r in zip(there, got["rows"]):
            yield from differ(f"{mode} {name} of {key}", r, right[key])
        if mode != "share":  # which is always 100 %
            yield from differ(f"{mode} {name} of all", got["all"], compared([[of(run.every) * scaled(mode, run, of) for run in runs] for runs in sides]))
        both = [r["after"] / r["before"] for r in right.values() if r["before"] > 0 and r["after"] > 0]
        mean = 100 * (math.exp(statistics.mean(map(math.log, both))) - 1) if both else None
        yield from differ(f"{mode} {name}", got["summary"], dict(geometric_mean_percent=mean))


def wrong_distributions(question, result, sides):
    for table in result.get("stats", ()):
        if table["of"] != "val":
            continue
        name = table["name"]
        for key, got in [(None, table["all"])] + [(key_of(question, r), r["of"]) for r in table["rows"]]:
            values = [[[r[name] for r in (run.rows.get(key, []) if key else run.every)] for run in runs] for runs in sides]
            if not all(map(all, values)):
                continue
            for number in stats([0]):
                right = compared([[stats(v)[number] for v in runs] for runs in values])
                yield from differ(f"{number} of {name} of {key or 'all'}", got[number], right)
            if key is None and len(values[0]) == len(values[1]) == 1:
                yield from differ(f"{name} of all", got, distances(*[runs[0] for runs in values]))


def of_all(question):
    """The same of whole recordings, and of values that are never negative."""
    if {"id", "dev", "func", "mode", "flags"} & {k[0] for k in question.keys}:
        raise NotAsked("keys that have names")
    sums = [s for s in question.sums if s not in question.table.signed and s != "big"]
    plain = Question(question.table, question.keys, sums, question.filter)
    plain.ask_of(question.machine, question.recorded, question.all)
    return plain


def saved(hist, question, runs, directory):
    """A history: the results of these runs."""
    os.mkdir(directory)
    for i, run in enumerate(runs):
        command = [hist, "report", "-q", "-i", run.path, *question.arguments(), "--stats", "--format", "json", "-o", f"{directory}/{i}.json"]
        subprocess.run(command, check=True)
    return directory


def diff(hist, path, question):
    """One or several recordings with others, or with a history of results."""
    want, question = question.answer(), of_all(question)
    rng, paths = dice(question), []
    sizes = rng.choice([(1, 1), (1, 1), (1, 1), (2, 2), (3, 1)])
    try:
        sides = []
        for i, n in enumerate(sizes):
            paths += [f"{path}.{i}{j}" for j in range(n)]
            sides.append([recorded(question, name, rng) for name in paths[-n:]])
        mode, whole = rng.choice(["absolute", "share", "rate"]), rng.random() < 0.7
        for runs in sides:
            for run in runs:
                for _, of in values_of(question):
                    scaled(mode, run, of)
        options = ["-q", "--stats", "--format", "json", *(["--all"] if whole else []), *(["--" + mode] if mode != "rate" else []), *question.arguments()]
        if sizes == (3, 1) and rng.random() < 0.6:
            result = asked(hist, "diff", *options, "--history", saved(hist, question, sides[0], path + ".d"), sides[1][0].path)
        else:
            result = asked(hist, "diff", *options, "--before", *[r.path for r in sides[0]], "--after", *[r.path for r in sides[1]])
        for text in [*wrong_values(question, result, sides, mode, whole), *wrong_distributions(question, result, sides)][:3]:
            raise Wrong(f"hist diff {' '.join(options[1:])}: {text}")
    finally:
        shutil.rmtree(path + ".d", ignore_errors=True)
        for name in paths:
            if os.path.exists(name):
                os.unlink(name)
    return want


def trend(hist, path, question):
    """Saved results of several recordings."""
    want, question = question.answer(), of_all(question)
    rng, runs = dice(question), []
    count, mode, paths = rng.choice([3, 4]), rng.choice(["absolute", "rate"]), []
    try:
        for i in range(count):
            paths.append(f"{path}.{i}")
            runs.append(recorded(question, paths[-1], rng))
        result = asked(hist, "trend", "-q", "--all", "--format", "json", *(["--absolute"] if mode == "absolute" else []), saved(hist, question, runs, path + ".d"))
        got = {s["metric"]: s["values"] for s in result["series"]}
        right = {}
        for name, of in values_of(question):
            right[name] = [of(run.every) * scaled(mode, run, of) for run in runs]
        for name in question.sums:
            if f"{name}.p50" in got and all(run.every for run in runs):
                right.update({f"{name}.{number}": [stats([r[name] for r in run.every])[number] for run in runs] for number in stats([0])})
        for name, values in right.items():
            must(len(got.get(name, [])) == len(values) and all(map(close, got[name], values)), f"hist trend, {mode} {name}: {got.get(name)}, right {values}")
    finally:
        shutil.rmtree(path + ".d", ignore_errors=True)
        for name in paths:
            if os.path.exists(name):
                os.unlink(name)
    return want


ROADS = {"diff": diff, "trend": trend}
