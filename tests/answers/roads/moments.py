# SPDX-License-Identifier: GPL-2.0-only
"""What a question shows of moments: exemplars, the trace and the answer around one, tables and pictures over time."""
import re

from reference import answers
from roads import questions
from roads.asks import dice, must, rows_of
from roads.common import NotAsked, Wrong, answer_of, run


def kept(question):
    return [r for r in question.rows() if answers.matches(question.filter, r)]


def around(hist, path, question):
    """The answer around a moment is that of this span; the trace has all events of it."""
    if {"from", "to"} & {o for o, _ in question.selection}:
        raise NotAsked("the time is already limited")
    rng = dice(question)
    at = rng.choice(question.table.rows)["@ts"] + rng.choice([0, 0, 1, -1, 500])
    width = rng.choice([1, 1000, 20_000, 700_000])
    within = lambda ts: max(at - width, 0) <= ts <= at + width
    options = [f"--around={questions.seconds(at)}", f"--context={width}ns"]
    if rng.random() < 0.3 and "cpu" not in dict(question.selection):
        cpu = rng.choice(question.table.rows)["@cpu"]
        options[0] += f",{cpu}"
        chosen = lambda r: within(r["@ts"]) and r["@cpu"] == cpu
    else:
        cpu, chosen = None, lambda r: within(r["@ts"])
    right = answers.aggregate(question, [r for r in kept(question) if chosen(r)])
    try:
        got = answer_of(question, rows_of(hist, path, question, *options))
    except Wrong as e:
        if right or "the selected time is outside" not in str(e):
            raise
        return question.answer()
    must(got == right, f"{' '.join(options)}: {got}, right {right}")
    if not question.selection:
        lines = re.findall(r"^ .*\[\d+\] .* \d+\.\d+: (\w+): ", run(hist, "report", "-i", path, *options), re.M)
        there = [e.kind.name for e in question.machine.events if within(e.ts) and cpu in (None, e.cpu) and e.kind.system not in ("ftrace", "syscalls")]
        lines = [name for name in lines if not name.startswith("0x")]  # markers have the address of who wrote them
        must(sorted(lines) == sorted(there), f"hist report {' '.join(options)}: {lines}, right {there}")
    return question.answer()


def exemplars(hist, path, question):
    """The largest values of each row, with their time, CPU and task; of equal ones, the earliest."""
    if not question.sums:
        raise NotAsked("there are no values")
    rng, count = dice(question), 0
    rows, of = rows_of(hist, path, question, "--exemplars=2"), {}
    for r in kept(question):
        of.setdefault(question.keys_of(r), []).append(r)
    for row in rows:
        mine = of.get(next(iter(answer_of(question, [row]))), [])
        for name in question.sums:
            largest = sorted(mine, key=lambda r: (-r[name], r["@ts"]))[:2]
            for n in "12":
                if name + "_largest" + n not in row:
                    continue  # pids and CPUs have none
                count += 1
                got = tuple(row[f"{name}_largest{n}" + c] for c in ("", "_at", "_cpu", "_pid"))
                r = largest[int(n) - 1] if len(largest) >= int(n) else None
                # what is not freed at the end has one time
                like = [(str(o[name]), questions.seconds(o["@ts"]), str(o["@cpu"]), str(o["@pid"])) for o in mine
                        if r and (o[name], o["@ts"]) == (r[name], r["@ts"])] or [("",) * 4]
                # events of the same time on several CPUs have an order
                must(got in like or question.machine.even and got[0] == like[0][0], f"{name} of {row}: right {like}")
    # what an exemplar names is there; calls are drawn as trees, without times
    if count and rng.random() < 0.5 and question.table.event not in ("ftrace:funcgraph_entry", "ftrace:funcgraph_exit", "derived:function"):
        row = rng.choice(rows)
        # nothing happens where an object is not freed
        at = [] if question.table.event == "derived:allocation" else [(row[c], row[c.replace("_at", "_cpu")]) for c in row if c.endswith("_largest1_at") and row[c]]
        for time, cpu in at[:1]:
            trace = run(hist, "report", "-i", path, f"--around={time},{cpu}", "--context=1us")
            us = (int(time.replace(".", "")) + 500) // 1000
            must(re.search(rf"\[0*{cpu}\] .* {us // 10**6}\.{us % 10**6:06}: ", trace), f"--around={time},{cpu} does not show it: {trace[-300:]}")
    return answer_of(question, rows)


def over_time(hist, path, question):
    """A row for each slice, with ranks of all its values."""
    rows = kept(question)
    if not question.sums or not rows:
        raise NotAsked("there are no values")
    rng = dice(question)
    length = rng.choice([100_000, 1_000_000, 7_000_000, 3_000_000_000])
    begin = dict(question.selection).get("from", question.first)
    slices = {}
    for r in rows:
        slices.setdefault((r["@ts"] - begin) // length, []).append(r)
    got = {}
    for row in rows_of(hist, path, question, f"--interval={length}ns", "--over-time"):
        got[(int(row["from"].replace(".", "")) - begin) // length] = row
        must(int(row["to"].replace(".", "")) - int(row["from"].replace(".", "")) <= length, f"slice from {row['from']} to {row['to']}")
    for n in sorted({*got, *slices}):
        values, row = slices.get(n, []), got.get(n, {})
        must(int(row.get("hits") or 0) == len(values), f"slice {n} of {length} ns: {row.get('hits')} hits, right {len(values)}")
        for name in question.sums if values else ():
            if name + "_max" not in row:
                continue  # pids and CPUs have no distributions
            of = sorted(r[name] for r in values)
            right = dict(max=of[-1], **{f"p{q}": of[-(-q * len(of) // 100) - 1] for q in (50, 90, 99)})
            must(all(int(row[f"{name}_{k}"]) == v for k, v in right.items()), f"slice {n} of {length} ns, {name}: {row}, right {right}")
    return question.answer()


def heat(hist, path, question):
    """A picture has the hits of each row beside it."""
    want = question.answer()
    if len(question.keys) > 1 or not question.keys[0][1] or not want or max(v[0] for v in want.values()) > 900:
        raise NotAsked("only ranges have a row each")
    text = run(hist, "report", "-q", "-i", path, *question.arguments(), "--format", "heat", f"--interval={dice(question).choice([100_000, 5_000_000])}ns")
    beside = [int(n) for n in re.findall(r"\| (\d+)$", text, re.M) if int(n)]
    right = [v[0] for k, v in sorted(want.items(), key=lambda kv: -int(kv[0][0]))]
    must(beside == right, f"heat has {beside} beside its rows, right {right}")
    return want


ROADS = {"around": around, "exemplars": exemplars, "over-time": over_time, "heat": heat}
