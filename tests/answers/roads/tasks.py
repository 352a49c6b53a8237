# SPDX-License-Identifier: GPL-2.0-only
"""Recordings with a journal of tasks: processes, cgroups and descendants as keys, columns and selections."""
import csv
import io
import os
import re
import shlex

from machines import machine
from machines.journal import journal_of
from reference import answers
from reference.tasks import selects
from roads import questions
from roads.asks import must, must_be_stats
from roads.common import NotAsked, Wrong, run
from roads.formats import counted_live


def random_selections(tasks, table, rng):
    """(options, test); of several options that name tasks, one must match."""
    row = rng.choice(table.rows)
    pid, ts = row["@pid"], row["@ts"]
    tgid, cgroup, options, tests = tasks.tgid(pid, ts), tasks.cgroup(pid, ts), [], []
    leader, name = tasks.name(tgid, ts), row["@comm"]
    plain = lambda text: all(c.isalnum() or c in "/.-: " for c in text) and text[0] not in "-!"
    choices = [
        ("--process", str(tgid), lambda r: tasks.tgid(r["@pid"], r["@ts"]) == tgid),
        ("--process", "!" + str(tgid), lambda r: tasks.tgid(r["@pid"], r["@ts"]) != tgid),
        ("--cgroup", cgroup, lambda r: (tasks.cgroup(r["@pid"], r["@ts"]) + "/").startswith(cgroup.rstrip("/") + "/")),
        ("--tree", str(pid), lambda r: r["@pid"] in tasks.tree(pid)),
        ("--pid", f"{pid},{tgid}", lambda r: r["@pid"] in (pid, tgid)),
        ("--cpu", str(row["@cpu"]), lambda r: r["@cpu"] == row["@cpu"]),
        ("--from", questions.seconds(ts), lambda r: r["@ts"] >= ts),
        ("--to", questions.seconds(ts), lambda r: r["@ts"] <= ts),
    ]
    if plain(leader):
        choices.append(("--process", leader, lambda r: tasks.name(tasks.tgid(r["@pid"], r["@ts"]), r["@ts"]) == leader))
    if plain(name):
        choices += [("--comm", name, lambda r: r["@comm"] == name), ("--comm", name[:1] + "*", lambda r: r["@comm"].startswith(name[:1]))]
    of = dict.fromkeys(("--cpu", "--from", "--to"))
    for option, value, test in rng.sample(choices, rng.choice([0, 1, 1, 2, 3])):
        if option not in [o.partition("=")[0] for o in options]:
            options.append(f"{option}={value}")
            tests.append((option in of, test if option in of else selects(table, test, value[0] == "!", option == "--comm")))
    of_tasks = [test for other, test in tests if not other]
    return options, lambda r: all(test(r) for other, test in tests if other) and (not of_tasks or any(test(r) for test in of_tasks))


def counted(rows):
    found = {}
    for r in rows:
        found[r] = found.get(r, 0) + 1
    return found


def rows_of_text(text, keys):
    return {tuple(r[:len(keys)]): int(r[-1]) for r in list(csv.reader(io.StringIO(text)))[1:]}


def numbered_as_counted(rows):
    """While events are recorded, the first task that is counted is sh-300, even if another one with its name and pid was there before."""
    split = lambda cell: re.fullmatch(r"(.*?)(?: \((\d+)\))?", cell, re.S).groups()
    seen, found = {}, {}
    for base, number in sorted({split(cell) for key in rows for cell in key}, key=lambda c: (c[0], int(c[1] or 1))):
        seen.setdefault(base, []).append(number)
    rank = lambda base, number: base + (f" ({seen[base].index(number) + 1})" if seen[base][0] != number else "")
    for key, n in rows.items():
        found[tuple(rank(*split(cell)) for cell in key)] = n
    return found


def asked(hist, path, way, table, keys, options):
    """{keys: hits}"""
    if way == "events":
        out = run(hist, "events", "-q", "-i", path, "-e", table.event, "--format", "csv", "--fields", ",".join(keys), *options)
        return counted([tuple(r) for r in list(csv.reader(io.StringIO(out)))[1:]])
    if way == "sql":
        out = run(hist, "sql", "-q", "-i", path, "--format", "csv", *options, f'SELECT {", ".join(keys)}, count(*) FROM "{table.event}" WHERE pid != 0 GROUP BY {", ".join(keys)}')
    elif way == "slim":
        run(hist, "slim", "-q", "-i", path, "-o", path + ".slim", "-e", table.event, "--by", ",".join(keys), *options)
        out = run(hist, "report", "-q", "-i", path + ".slim", "--format", "csv")
        os.unlink(path + ".slim")
    else:
        out = run(hist, "report", "-q", "-i", path, "-e", table.event, "--by", ",".join(keys), "--format", "csv", *way, *options)
    return rows_of_text(out, keys)


def of_values(hist, path, table, keys, options, rows, rng):
    """What is wrong with the statistics of a value of each row, or of each slice of time, or of a saved result."""
    value = rng.choice([f for f, kind in table.types.items() if kind == "int" and not f.endswith(("pid", "cpu", "tgid"))] or [None])
    if not value or any(abs(r[value]) >= 2**53 for r in rows):
        return None
    way, length = rng.choice(["stats", "interval", "over-time", "saved"]), rng.choice([100_000, 7_000_000])
    ask = ["report", "-q", "-i", path, "-e", table.event, "--by", ",".join(keys), "--sum", value, *options]
    ask += {"stats": ["--stats"], "interval": [f"--interval={length}ns"], "over-time": [f"--interval={length}ns", "--over-time"],
            "saved": ["--stats", "--format", "json", "-o", path + ".json"]}[way]
    if way == "saved":
        run(hist, *ask)
        text = run(hist, "merge", "-q", "--format", "csv", path + ".json")
        os.unlink(path + ".json")
    else:
        text = run(hist, *ask, "--format", "csv")
    got, of = list(csv.DictReader(io.StringIO(text))), {}
    number = lambda text: int(text.replace(".", ""))
    for r in rows:
        of.setdefault(tuple(r[k] for k in keys) if way != "over-time" else (), []).append(r)
    try:
        seen = 0
        for row in got:
            cells = [v for k, v in row.items() if k not in ("from", "to")]  # keys have names of their own
            mine = [r for r in of.get(tuple(cells[:len(keys)]) if way != "over-time" else (), [])
                    if "from" not in row or number(row["from"]) <= r["@ts"] < number(row["from"]) + length]
            hits = int(row["hits" if way == "over-time" else "hitcount"])
            must(hits == len(mine), f"{row}: right {len(mine)}")
            seen += hits
            if way == "over-time" and mine and value + "_max" in row:
                right = sorted(r[value] for r in mine)
                must(int(row[value + "_max"]) == right[-1], f"{row}: right {right[-1]}")
            elif way != "over-time":
                must(int(row[value]) == sum(r[value] for r in mine), f"{row}: right {sum(r[value] for r in mine)}")
                if value + "_n" in row and way != "interval":
                    must_be_stats(row, value, row, [r[value] for r in mine])
        must(seen == len(rows), f"{seen} hits, right {len(rows)}")
    except Wrong as e:
        return f"{way}: hist {shlex.join(ask)}: {e}"
    return None


def differences(hist, path, shape, rng, count=3):
    m = machine.Machine(rng)
    while m.even:  # facts of the time of an event have no order beside it
        m = machine.Machine(rng)
    journal, tasks = journal_of(m, rng)
    path += ".tasks"
    shape.write(path, machine.KINDS, m.of_cpus(), m.names, journal=journal)
    found, wrong = answers.tables(m.events, shape, machine.KINDS, tasks=tasks), []
    for _ in range(count):
        table = rng.choice(found)
        rows = [r for r in table.rows if r["@pid"]]  # without a task, there is no process
        if not rows:
            continue
        table = answers.Table(table.event, rows, table.types, table.signed)
        options, selected = random_selections(tasks, table, rng)
        own = {"pid", "cpu", "tgid"} & set(table.types)
        names = [n for n in ("task", "process", "tgid", "cgroup", "pid", "cpu") if n not in own]
        keys = rng.sample(names, rng.choice([1, 1, 2]))
        right = counted([tuple(tasks.keys_of(r)[k] for k in keys) for r in rows if selected(r)])
        ways = ["-j", "2"], rng.choice([["--plan=plain"], ["-j", "1"], "events", "sql", "slim"])
        for way in ways if options or table.event == "derived:runqueue" else (*ways, "top"):
            if way in ("events", "sql") and "task" in keys:
                continue
            of = "common_pid" if not table.event.startswith("derived:") else "pid" if "pid" in table.types else "victim_pid"
            filtered = ["-f", of + " != 0"] if of in table.types else []
            if way == "top":
                words = ["-e", table.event, "--by", ",".join(keys), *filtered]
                try:
                    got = rows_of_text(counted_live(hist, path, shape, m, words, journal), keys)
                except NotAsked:
                    continue
            else:
                got = asked(hist, path, way, table, keys, options + (filtered if way != "sql" else []))
            want = numbered_as_counted(right) if way == "top" else right
            wrong_rows = [f"{k}: {got.get(k)}, right {want.get(k)}" for k in sorted({*got, *want}) if got.get(k) != want.get(k)]
            if wrong_rows:
                wrong.append(f"{way}: hist report -i {path} -e {table.event} --by {','.join(keys)} {shlex.join(options + filtered)}: " + "; ".join(wrong_rows[:4]))
        chosen = [dict(r, **tasks.keys_of(r)) for r in rows if selected(r)]
        if own or not chosen:
            continue
        text = of_values(hist, path, table, keys, options + filtered, chosen, rng)
        if text:
            wrong.append(text)
    if not wrong:
        os.unlink(path)
    return wrong
