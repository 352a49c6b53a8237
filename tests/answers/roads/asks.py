# SPDX-License-Identifier: GPL-2.0-only
"""Roads on which a question is asked for more than its rows: their order, statistics, slices of time, other events beside it, SQL of all
kinds. Each returns the rows of the question, or raises Wrong with what is wrong beside them."""
import csv
import fractions
import io
import math
import os
import random

from reference import answers
from roads import questions
from roads.common import NotAsked, Wrong, answer_of, column, run


def dice(question):
    """What is chosen for a question is always the same."""
    return random.Random(str(question))


def rows_of(hist, path, question, *options):
    return list(csv.DictReader(io.StringIO(run(hist, "report", "-q", "--format", "csv", "-i", path, *question.arguments(), *options))))


def must(true, what):
    if not true:
        raise Wrong(what)


def sorted_(hist, path, question):
    """--sort by a count or a sum, either way, and --top."""
    rng, want = dice(question), question.answer()
    i = rng.randrange(1 + len(question.sums))
    name, up = (["hitcount"] + question.sums)[i], rng.random() < 0.5
    rows = rows_of(hist, path, question, "--sort", name + rng.choice([".ascending"] if up else [".descending", ""]))
    values = [int(r[name]) for r in rows]
    must(values == sorted(values, reverse=not up), f"order by {name}: {values}")
    key = rng.choice(question.keys)
    if not key[1] and key[0] not in ("COMM", "id", "dev", "func", "call_site", "mode", "flags"):  # numbers from the largest, texts by letters; those have names by letters
        text, up = question.table.types[key[0]] == "text", rng.choice([None, True, False])
        order = [r[key[0]] for r in rows_of(hist, path, question, "--sort", key[0] + {None: "", True: ".ascending", False: ".descending"}[up])]
        by = (lambda v: v.encode(errors="surrogateescape")) if text else int
        must(order == sorted(order, key=by, reverse=not (text if up is None else up)), f"order by {key[0]} {up}: {order}")
    n = rng.choice([1, 2, 3, 10])
    top = rows_of(hist, path, question, "--sort", name + (".ascending" if up else ""), "--top", str(n))
    must([int(r[name]) for r in top] == sorted([v[i] for v in want.values()], reverse=not up)[:n], f"--top {n} by {name}: {top}")
    found = answer_of(question, top)
    must(all(want.get(k) == v for k, v in found.items()), f"--top {n} by {name}: {found}")
    return answer_of(question, rows)


def must_be_stats(what, name, row, values):
    """Of the csv of --stats: exact for so few values."""
    of = sorted(values)
    must(int(row[name + "_n"]) == len(of) and int(row[name + "_min"]) == of[0] and int(row[name + "_max"]) == of[-1],
         f"{what} {name}: {row}, right {len(of)} {of[0]} {of[-1]}")
    mean = sum(of) / len(of)
    must(abs(float(row[name + "_mean"]) - mean) <= 1e-9 * abs(mean), f"{what} {name}: mean {row[name + '_mean']}, right {mean}")
    # that of a sample; the squares are added up exactly
    deviation = math.sqrt(fractions.Fraction(len(of) * sum(v * v for v in of) - sum(of)**2, len(of) * (len(of) - 1))) if of[1:] else None
    must(deviation is None or abs(float(row[name + "_stddev"]) - deviation) <= 1e-9 * deviation,
         f"{what} {name}: stddev {row.get(name + '_stddev')}, right {deviation}")
    for percent, label in ((50, "p50"), (90, "p90"), (99, "p99"), (99.9, "p99.9")):
        rank = of[max(0, -int(-percent * 10 * len(of) // 1000) - 1)]
        must(int(row[f"{name}_{label}"]) == rank, f"{what} {name}: {label} {row[name + '_' + label]}, right {rank}")


def stats(hist, path, question):
    """n, min, max, mean and nearest ranks of what is summed; also saved, and printed again."""
    if not question.sums:
        raise NotAsked("there are no values")
    samples = {}
    for r in question.rows():
        if answers.matches(question.filter, r):
            samples.setdefault(question.keys_of(r), []).append(r)
    if dice(question).random() < 0.3:
        result = path + ".json"
        run(hist, "report", "-q", "-i", path, *question.arguments(), "--stats", "--format", "json", "-o", result)
        rows = list(csv.DictReader(io.StringIO(run(hist, "merge", "-q", "--format", "csv", result))))
        os.unlink(result)
    else:
        rows = rows_of(hist, path, question, "--stats")
    for key, row in zip([next(iter(answer_of(question, [r]))) for r in rows], rows):
        for name in question.sums:
            if name + "_n" in row:  # a value with the same samples as another one has none, nor have pids and CPUs
                must_be_stats(key, name, row, [r[name] for r in samples.get(key, [])])
    return answer_of(question, rows)


def interval(hist, path, question):
    """Slices of time: each row is of the events in its slice; together they are all."""
    rng, kept = dice(question), [r for r in question.rows() if answers.matches(question.filter, r)]
    length = rng.choice([100_000, 1_000_000, 7_000_000, 3_000_000_000])
    if not kept:
        raise NotAsked("no event is left")
    begin = dict(question.selection).get("from", question.first)
    # a slice may begin with an event
    at = rng.choice(kept)["@ts"] - begin
    if rng.random() < 0.5 and at * 1000 > question.last - begin:
        length = at
    want, sums = {}, {}
    for r in kept:
        want.setdefault(begin + (r["@ts"] - begin) // length * length, []).append(r)
    found = {}
    for r in rows_of(hist, path, question, f"--interval={length}ns"):
        found.setdefault(int(r["from"].replace(".", "")), []).append(r)
        # the last one ends with the recording
        must(0 <= int(r["to"].replace(".", "")) - int(r["from"].replace(".", "")) <= length, f"slice from {r['from']} to {r['to']}")
    right = {ts: answers.aggregate(question, rows) for ts, rows in want.items()}
    got = {ts: answer_of(question, rows) for ts, rows in found.items()}
    for ts in sorted({*right, *got}):
        must(right.get(ts) == got.get(ts), f"slice {ts} of {length} ns: {got.get(ts)}, right {right.get(ts)}")
    for rows in got.values():
        for key, values in rows.items():
            sums[key] = tuple(map(sum, zip(values, sums.get(key, (0,) * len(values)))))
    return sums


def beside(hist, path, question):
    """Another event with the same fields in the same table, by event."""
    names = {*(k[0] for k in question.keys), *question.sums}
    fields = names | questions.fields_of(question.filter)
    others = [t for t in question.all if t is not question.table and fields <= set(t.types) and
              all((t.types[n], n in t.signed) == (question.table.types[n], n in question.table.signed) for n in fields)]
    if not others or any(k[1] for k in question.keys) or names & {"pid", "comm", "tgid", "process"}:
        raise NotAsked("no other event has these fields; by event, pid and comm are those of the running task")
    other = dice(question).choice(others)
    if "pid" in dict(question.selection) and "sched:" in other.event:
        raise NotAsked("--pid selects events about the task, too")
    arguments = question.arguments()
    arguments[1] += "," + other.event
    arguments[3] = "event," + arguments[3]
    try:
        rows = list(csv.DictReader(io.StringIO(run(hist, "report", "-q", "--format", "csv", "-i", path, *arguments))))
    except Wrong as e:
        if "doesn't match existing" not in str(e) and "events/ftrace/" not in str(e):
            raise
        raise NotAsked("the fields differ in size; ftrace's own events have no filters in several") from e
    of = lambda event: answer_of(question, [r for r in rows if r["common_type_text"] == event])
    want = question.of(other).answer()
    must(of(other.event) == want, f"beside {other.event}: {of(other.event)}, right {want}")
    return of(question.table.event)


def in_units(f, rng):
    """Its filter, with units for times."""
    if f[0] in ("and", "or"):
        return f"({in_units(f[1], rng)}) {'&&' if f[0] == 'and' else '||'} ({in_units(f[2], rng)})"
    if f[0] == "not":
        return f"!({in_units(f[1], rng)})"
    name, op, value = f
    if (name == "ns" or name.endswith("_ns")) and op != "&":
        text = rng.choice([f"{value}ns", f"{value // 1000}.{value % 1000:03}us", f"{value // 10**6}.{value % 10**6:06}ms"])
        return f"{name} {op} {text}"
    return questions.filter_text(f)


def units(hist, path, question):
    if not any(n == "ns" or n.endswith("_ns") for n in questions.fields_of(question.filter)) or "derived" not in question.table.event:
        raise NotAsked("no time in the filter")
    arguments = question.arguments()
    arguments[arguments.index("-f") + 1] = in_units(question.filter, dice(question))
    return answer_of(question, list(csv.DictReader(io.StringIO(run(hist, "report", "-q", "--format", "csv", "-i", path, *arguments)))))


# --- SQL ---


def sql(hist, path, question, *options):
    if question.selection or any(k[1] for k in question.keys):
        raise NotAsked("SQL has no ranges, and selects otherwise")
    if any(r[f] >= 2**63 for f in questions.fields_of(question.filter) if question.table.types[f] == "int" for r in question.table.rows):
        raise NotAsked("SQLite has no such numbers: they are texts")
    keys = ", ".join(column(k[0]) for k in question.keys)
    sums = "".join(f", sum({column(s)})" for s in question.sums)
    where = " WHERE " + questions.sql_text(question.filter, column) if question.filter else ""
    out = run(hist, "sql", "-q", "-i", path, *options, "--format", "csv",
              f'SELECT {keys}, count(*){sums} FROM "{question.table.event}"{where} GROUP BY {keys}')
    n = len(question.keys)
    return {tuple(r[:n]): tuple(int(v) for v in r[n:]) for r in list(csv.reader(io.StringIO(out)))[1:]}


def asked(hist, path, statement):
    return list(csv.reader(io.StringIO(run(hist, "sql", "-q", "-i", path, "--format", "csv", statement))))[1:]


def condition(f, rng):
    """The filter, by other words of SQL."""
    if f[0] in ("and", "or"):
        return f"({condition(f[1], rng)} {f[0].upper()} {condition(f[2], rng)})"
    if f[0] == "not":
        return f"NOT {condition(f[1], rng)}"
    name, op, value = column(f[0]), f[1], f[2]
    if op == "==" and rng.random() < 0.7:
        text = f"'{value}'" if isinstance(value, str) else str(value)
        return f"{name} IN ({text}, {text})"
    if op in ("<=", ">=") and not isinstance(value, str):
        low, high = (-2**63, value) if op == "<=" else (value, 2**63 - 1)
        return f"{name} BETWEEN {low} AND {high}" if rng.random() < 0.5 else f"NOT {name} NOT BETWEEN {low} AND {high}"
    if op == "~" and value == value.lower() and value.isascii():
        return f"{name} LIKE '{value.replace('*', '%')}'"
    return questions.sql_text(f, column)


def sql_words(hist, path, question):
    """IN, BETWEEN, LIKE, HAVING, ORDER BY ... DESC LIMIT, a subquery or a CTE."""
    if question.selection or any(k[1] for k in question.keys):
        raise NotAsked("SQL has no ranges, and selects otherwise")
    numbers = {*question.sums, *(f for f in questions.fields_of(question.filter) if question.table.types[f] == "int")}
    if any(r[f] >= 2**63 for f in numbers | {k[0] for k in question.keys if question.table.types[k[0]] == "int"} for r in question.table.rows):
        raise NotAsked("SQLite has no such numbers: they are texts")
    rng, want = dice(question), question.answer()
    n, keys = len(question.keys), ", ".join(column(k[0]) for k in question.keys)
    sums = "".join(f", sum({column(s)}) AS s{i}" for i, s in enumerate(question.sums))
    where = " WHERE " + condition(question.filter, rng) if question.filter else ""
    inner = f'SELECT {keys}, count(*) AS n{sums} FROM "{question.table.event}"{where} GROUP BY {keys}'
    rows = {tuple(r[:n]): tuple(map(int, r[n:])) for r in asked(hist, path, rng.choice([inner, f"SELECT * FROM ({inner})",
                                                                                     f"WITH x AS ({inner}) SELECT * FROM x"]))}
    i, limit, least = rng.randrange(1 + len(question.sums)), rng.choice([1, 3, 8]), rng.choice([1, 2])
    name = "n" if not i else f"s{i - 1}"
    top = asked(hist, path, f"{inner} HAVING count(*) >= {least} ORDER BY {name} DESC LIMIT {limit}")
    right = sorted([v[i] for v in want.values() if v[0] >= least], reverse=True)[:limit]
    must([int(r[n + i]) for r in top] == right, f"ORDER BY {name} DESC LIMIT {limit}: {top}, right {right}")
    must(all(want.get(tuple(r[:n])) == tuple(map(int, r[n:])) for r in top), f"ORDER BY {name} DESC LIMIT {limit}: {top}")
    # groups come in the order of their keys: of all in one direction, or of each in its own
    down = rng.choice([[True] * n, [False] * n, [rng.random() < 0.5 for _ in range(n)]])
    order = ", ".join(column(k[0]) + (" DESC" if d else "") for k, d in zip(question.keys, down))
    first, right = asked(hist, path, f"{inner} ORDER BY {order} LIMIT {limit}"), sorted(want)
    for i in reversed(range(n)):
        text = question.table.types[question.keys[i][0]] == "text"
        right.sort(key=lambda k: k[i].encode("utf-8", "surrogateescape") if text else int(k[i]), reverse=down[i])
    must([tuple(r[:n]) for r in first] == right[:limit], f"ORDER BY {order} LIMIT {limit}: {first}, right {right[:limit]}")
    return rows


def sql_join(hist, path, question):
    """How many pairs with another event have the same key; with the filter on one side."""
    name = question.keys[0][0]
    others = [t for t in question.all if name in t.types and t.types[name] == question.table.types[name] and t is not question.table]
    fields = questions.fields_of(question.filter)
    if not others or question.selection or any(question.table.types[f] == "int" and r[f] >= 2**63 for f in fields | {name}
                                               for r in question.table.rows):
        raise NotAsked("no other event has this field, or it is too large for SQLite")
    other = dice(question).choice(others)
    if question.table.types[name] == "int" and any(r[name] >= 2**63 for r in other.rows):
        raise NotAsked("the field is too large for SQLite")
    counts = {}
    for r in other.rows:
        counts[r[name]] = counts.get(r[name], 0) + 1
    kept = [r[name] for r in question.rows() if answers.matches(question.filter, r)]
    where = " WHERE " + questions.sql_text(question.filter, lambda f: "a." + column(f)) if question.filter else ""
    pairs, left = (int(asked(hist, path, f'SELECT count(*) FROM "{question.table.event}" a {kind}JOIN "{other.event}" b '
                                         f"ON a.{column(name)} = b.{column(name)}{where}")[0][0]) for kind in ("", "LEFT "))
    right = sum(counts.get(v, 0) for v in kept), sum(counts.get(v, 1) for v in kept)
    must((pairs, left) == right, f"pairs with {other.event} by {name}: {pairs}, {left}, right {right}")
    return question.answer()


ROADS = {"sorted": sorted_, "stats": stats, "interval": interval, "beside": beside, "units": units, "sql-words": sql_words,
         "sql-join": sql_join}
