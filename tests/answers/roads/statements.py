# SPDX-License-Identifier: GPL-2.0-only
"""Statements of SQL: random ones, answered by SQLite from tables that are filled with what the reference knows."""
import csv
import io
import shlex
import sqlite3

from reference import recipes
from roads.common import column, run

ROWS_OF_JOIN = 150  # each table of a join has at most so many
ANSWERS = ("wakeup-latency", "on-cpu", "off-cpu", "run-queue-wait", "irq-time", "block-latency", "migrations", "wakers")


class Source:
    """A table of SQL: ->columns are {name: "INTEGER" or "TEXT"}."""

    def __init__(self, name, columns, rows, recorded=False):
        self.name, self.columns, self.rows, self.recorded = name, columns, rows, recorded

    def of_type(self, *types):
        return [c for c, t in self.columns.items() if t in types]


def sources(events, tables):
    found = []
    for t in tables:
        # numbers from 2^63 on are texts
        fields = [f for f in t.types if f != "COMM" and not f.startswith("common_") and
                  (t.types[f] == "text" or all(-2**63 <= r[f] < 2**63 for r in t.rows))]
        columns = {"ts": "INTEGER", "cpu": "INTEGER", "pid": "INTEGER", "comm": "TEXT",
                   **{column(f): "TEXT" if t.types[f] == "text" else "INTEGER" for f in fields}}
        rows = [(r["@ts"], r["@cpu"], r["@pid"], r["@comm"] or f"swapper/{r['@cpu']}", *(r[f] for f in fields)) for r in t.rows]
        found.append(Source(t.event, columns, rows, not t.event.startswith("derived:")))
    found.append(Source("events", {"ts": "INTEGER", "cpu": "INTEGER", "pid": "INTEGER", "comm": "TEXT", "event": "TEXT"},
                        [(e.ts, e.cpu, e.pid, e.comm, e.kind.full) for e in events], True))
    of = {t.event: t.rows for t in tables}
    for name in ANSWERS:
        table = recipes.RECIPES[name][1][0]
        keys, sums = (table[1] + "||").split("|")[:2]
        if "task" in keys or table[0] not in of:
            continue
        texts = next(t for t in tables if t.event == table[0]).types
        answer = recipes.answer(of[table[0]], table, (), None)
        columns = {k: "TEXT" if texts[k] == "text" else "INTEGER" for k in keys.split(",")}
        columns.update({c: "INTEGER" for c in ["hitcount", *filter(None, sums.split(","))]})
        found.append(Source(name.replace("-", "_"), columns, [(*k, *v[:-1]) for k, v in answer.items()]))
    return [s for s in found if s.rows]


def database(found):
    db = sqlite3.connect(":memory:")
    for s in found:
        db.execute(f'CREATE TABLE "{s.name}" (' + ", ".join(f'"{c}" {t}' for c, t in s.columns.items()) + ")")
        db.executemany(f'INSERT INTO "{s.name}" VALUES (' + ",".join("?" * len(s.columns)) + ")", s.rows)
    return db


def literal(value):
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value) if value > -2**63 else "(-9223372036854775807 - 1)"


class Statement:
    """A random one."""

    def __init__(self, rng, found):
        self.rng, self.found, self.n = rng, found, 0
        self.small = [s for s in found if len(s.rows) <= ROWS_OF_JOIN]

    def pick(self, small=False):
        """(source, its name in the statement, with a FROM)"""
        s, self.n = self.rng.choice(self.small if small and self.small else self.found), self.n + 1
        return s, f"t{self.n}", f'"{s.name}" AS t{self.n}'

    def value(self, s, c):
        return self.rng.choice(s.rows)[list(s.columns).index(c)]

    def scalar(self, s, at, depth=0):
        r, c = self.rng, self.rng.choice([*s.columns])
        x = f'{at}."{c}"'
        if r.random() < 0.5 or depth > 1:
            return x
        if s.columns[c] == "TEXT":
            return r.choice([f"length({x})", f"substr({x}, 1, 2)", f"{x} || '-'", f"nullif({x}, {literal(self.value(s, c))})", f"upper({x})", f"{x} = {literal(self.value(s, c))}"])
        return r.choice([f"{x} % 7", f"{x} / 1000", f"nullif({x}, {literal(self.value(s, c))})", f"CASE WHEN {self.condition(s, at, 2)} THEN {x} END", f"typeof({x})",
                         f"coalesce(nullif({x}, {literal(self.value(s, c))}), -1)", f"{x} & 255", f"-({x} % 100)"])

    def condition(self, s, at, depth=0):
        r, c = self.rng, self.rng.choice([*s.columns])
        x, v, w = f'{at}."{c}"', literal(self.value(s, c)), literal(self.value(s, c))
        kind = r.random()
        if depth < 2 and kind < 0.35:
            return f"({self.condition(s, at, depth + 1)} {r.choice(['AND', 'OR', 'OR'])} {self.condition(s, at, depth + 1)})"
        if depth < 2 and kind < 0.45:
            return f"NOT ({self.condition(s, at, depth + 1)})"
        if depth < 2 and kind < 0.52:
            o, other, source = self.pick()
            same = [d for d in o.columns if o.columns[d] == s.columns[c]]
            if same:
                d = r.choice(same)
                if r.random() < 0.5 or len(o.rows) * len(s.rows) > 20000:
                    return f'{x} {r.choice(["IN", "NOT IN"])} (SELECT "{d}" FROM {source} WHERE {self.condition(o, other, 2)})'
                return f'{r.choice(["EXISTS", "NOT EXISTS"])} (SELECT 1 FROM {source} WHERE {other}."{d}" {r.choice(["=", "<"])} {x} AND {self.condition(o, other, 2)})'
        same = [d for d in s.columns if s.columns[d] == s.columns[c] and d != c]
        if same and kind < 0.6:
            return f'{x} {r.choice(["=", "!=", "<", ">="])} {at}."{r.choice(same)}"'
        choices = [f"{x} {r.choice(['=', '!=', '<', '<=', '>', '>=', '<>', 'IS', 'IS NOT'])} {v}", f"{x} IN ({v}, {w}, NULL)", f"{x} NOT IN ({v}, {w})",
                   f"{x} BETWEEN {v} AND {w}", f"{x} NOT BETWEEN {v} AND {w}", f"{x} IS NULL", f"{x} IS NOT NULL", f"{v} {r.choice(['=', '<', '>='])} {x}",
                   f"{x} = (SELECT {r.choice(['min', 'max'])}(\"{c}\") FROM \"{s.name}\")"]
        text = self.value(s, c)
        if isinstance(text, str) and text:
            a = r.randrange(len(text))
            part = "".join(ch for ch in text[a:a + 3] if ch.isalnum())
            choices += [f"{x} {r.choice(['LIKE', 'NOT LIKE'])} {literal(r.choice(['%' + part + '%', part + '%', '_' + part + '%', part.upper() + '%']))}",
                        f"{x} GLOB {literal('*' + part + '*')}", f"{x} || '' = {v}", f"{x} COLLATE NOCASE = {literal(text.upper())}"]
        return r.choice(choices)

    def columns(self, *parts):
        return [self.scalar(s, at) for s, at in [self.rng.choice(parts) for _ in range(self.rng.randint(1, 4))]]

    def finish(self, cells, rest, unique=False):
        """Rows have an order if only some are asked for."""
        r = self.rng
        text = "SELECT " + ("DISTINCT " if r.random() < 0.15 else "") + ", ".join(f"quote({c})" for c in cells) + rest
        if r.random() < 0.4:
            order = list(range(1, len(cells) + 1))
            r.shuffle(order)
            text += " ORDER BY " + ", ".join(f"{i}{r.choice(['', ' DESC', ' ASC'])}" for i in order) + f" LIMIT {r.choice([0, 1, 3, 20])}" + r.choice(["", f" OFFSET {r.choice([0, 1, 5])}"])
        return text

    def plain(self):
        s, at, source = self.pick()
        return self.finish(self.columns((s, at)), f" FROM {source}" + (f" WHERE {self.condition(s, at)}" if self.rng.random() < 0.8 else ""))

    def aggregate(self, s, at):
        r, numbers = self.rng, s.of_type("INTEGER")
        x = f'{at}."{r.choice(numbers)}"'
        any_of = f'{at}."{r.choice([*s.columns])}"'
        return r.choice(["count(*)", f"count({any_of})", f"count(DISTINCT {any_of})", f"min({any_of})", f"max({any_of})", f"total({x}) / 8", f"sum({x} % 1000)",
                         f"sum({x} % 10) FILTER (WHERE {self.condition(s, at, 2)})", f"avg({x} % 1000)"])

    def grouped(self):
        s, at, source = self.pick()
        keys = [self.scalar(s, at) for _ in range(self.rng.choice([0, 1, 1, 2]))]
        rest = f" FROM {source}" + (f" WHERE {self.condition(s, at)}" if self.rng.random() < 0.5 else "")
        if keys:
            rest += " GROUP BY " + ", ".join(keys) + (f" HAVING count(*) {self.rng.choice(['>', '<='])} {self.rng.choice([1, 2, 5])}" if self.rng.random() < 0.4 else "")
        return self.finish(keys + [self.aggregate(s, at) for _ in range(self.rng.randint(1, 3))], rest)

    def join(self):
        r, parts = self.rng, [self.pick(True)]
        rest = f" FROM {parts[0][2]}"
        for _ in range(r.choice([1, 1, 1, 2])):
            s, at, source = self.pick(True)
            o, other, _ = r.choice(parts)
            pairs = [(c, d) for c in s.columns for d in o.columns if s.columns[c] == o.columns[d]]
            c, d = r.choice(pairs)
            on = f'{at}."{c}" {r.choice(["=", "=", "=", "<"] if len(parts) == 1 else ["="])} {other}."{d}"' + (f" AND {self.condition(s, at, 2)}" if r.random() < 0.3 else "")
            rest += f" {r.choice(['', 'LEFT ', 'RIGHT ', 'FULL '])}JOIN {source} ON {on}"
            parts.append((s, at, source))
        places = [(s, at) for s, at, _ in parts]
        if r.random() < 0.5:
            rest += f" WHERE {self.condition(*r.choice(places), 1)}"
        if r.random() < 0.6:  # many rows: their number and sums of all
            keys = self.columns(*places)[:1]
            return self.finish(keys + ["count(*)", *(self.aggregate(*r.choice(places)) for _ in range(2))], rest + " GROUP BY " + keys[0])
        return self.finish(self.columns(*places), rest)

    def window(self):
        r = self.rng
        while True:
            s, at, source = self.pick()
            if s.recorded:
                break
        part, x = r.choice([*s.columns]), f'{at}."{r.choice(s.of_type("INTEGER"))}"'
        over = f'(PARTITION BY {at}."{part}" ORDER BY {at}.ts{r.choice(["", " DESC"])})'
        what = r.choice(["row_number()", f"lag({x})", f"lead({x}, 2, -1)", f"sum({x} % 10)", f"first_value({x})", "rank()", "count(*)", "ntile(3)"])
        inner = f"SELECT {at}.*, {what} OVER {over} AS w FROM {source}" + (f" WHERE {self.condition(s, at)}" if r.random() < 0.4 else "")
        made = Source(s.name, dict(s.columns, w="INTEGER"), [(*row, 1) for row in s.rows])
        rest = f" FROM ({inner}) AS q" if r.random() < 0.5 else " FROM q"
        return ("" if "(" in rest else f"WITH q AS ({inner}) ") + self.finish(["q.w", *self.columns((made, "q"))], rest + f" WHERE {self.rng.choice(['q.w IS NOT NULL', 'q.w > 1', '1'])}")

    def set_of(self):
        (s, at, source), (o, other, source2) = self.pick(), self.pick()
        a, b = self.rng.choice([(c, d) for c in s.columns for d in o.columns if s.columns[c] == o.columns[d]])
        return f'SELECT quote({at}."{a}") FROM {source} WHERE {self.condition(s, at)} {self.rng.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])} ' \
               f'SELECT quote({other}."{b}") FROM {source2} WHERE {self.condition(o, other)}'


def differences(hist, paths, events, tables, rng, count=6):
    inputs = [word for path in paths for word in ("-i", path)]
    found = sources(events, tables)
    db, statement = database(found), Statement(rng, found)
    asked = [getattr(statement, rng.choice(["plain", "grouped", "grouped", "join", "join", "window", "set_of"]))() for _ in range(count)]
    out = run(hist, "sql", "-q", *inputs, "--format", "csv", *[f"{text}; SELECT '<next>'" for text in asked])
    answers, rows = [], []
    for r in csv.reader(io.StringIO(out)):
        if r == ["<next>"]:
            answers.append(rows[:-1])  # its heading
            rows = []
        elif r:
            rows.append(tuple(r))
    asked.append("SELECT pid, comm, last_ts, events FROM tasks WHERE pid > 0")
    answers.append([tuple(r) for r in csv.reader(io.StringIO(run(hist, "sql", "-q", *inputs, "--format", "csv", asked[-1])))])
    last = {}
    for e in events:  # of several at the last time, the first one
        if e.pid and (e.pid not in last or last[e.pid][2] != str(e.ts)):
            last[e.pid] = (str(e.pid), e.comm, str(e.ts), str(sum(o.pid == e.pid for o in events)))
    db.execute("CREATE TABLE tasks (pid, comm, last_ts, events)")
    db.executemany("INSERT INTO tasks VALUES (?, ?, ?, ?)", [(int(p), c, t, n) for p, c, t, n in last.values()])
    for text, got in zip(asked, answers):
        right = [tuple(map(str, r)) for r in db.execute(text)]
        if sorted(got[1:]) != sorted(right):
            wrong = [f"{r} {n} times" for n, r in ((sorted(got[1:]).count(r) - right.count(r), r) for r in sorted({*got[1:], *right})) if n]
            yield f"hist sql {' '.join(inputs)} {shlex.quote(text)}: {len(got) - 1} rows, right {len(right)}: too often " + "; ".join(wrong[:4])
