#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""sql_random.py EXTENSION SEED N RECORDING...: N random statements on the tables of each recording have the rows that
they have on copies of these tables (CREATE TABLE ... AS SELECT), in the same SQLite. Prints what differs, and the
number of statements."""
import random
import re
import sqlite3
import sys

ROWS = 3000  # of a copy; larger tables are left out of joins by their work
HIDDEN = ["tgid", "cmdline"]
STRANGE = ["-1", "0", "1", "NULL", "'1'", "1.5", "-0.5", "9223372036854775807", "-9223372036854775808", "9.3e18", "''",
           "'x*'", "'it''s'", "'a\"b'", "x'00ff'", "'%s'" % ("long" * 90), "4294967295", "-2147483649", "'0x10'", "1e3"]


class Statements:
    """Makes statements whose tables are names in braces."""

    def __init__(self, seed, tables, samples):
        self.r = random.Random(seed)
        self.tables, self.samples = tables, samples  # name: columns; (name, column): literals
        self.n = 0

    def table(self):
        self.n += 1
        name = self.r.choice(sorted(self.tables))
        return name, "t%d" % self.n

    def column(self, of):
        """A column of some of the tables."""
        name, alias = self.r.choice(of)
        # columns that all tables have and that limit a replay are more often chosen
        column = self.r.choice(["ts", "cpu", "pid", "comm"] if self.r.random() < .3 else self.tables[name])
        return "%s.\"%s\"" % (alias, column), (name, column)

    def literal(self, key):
        return self.r.choice(STRANGE) if self.r.random() < .15 else self.r.choice(self.samples[key])

    def compare(self, of):
        r = self.r
        column, key = self.column(of)
        kind = r.randrange(13)
        if kind < 5:
            return "%s %s %s" % (column, r.choice(["=", "=", "=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"]), self.literal(key))
        if kind == 5:
            return "%s %s %s" % (self.literal(key), r.choice(["=", "<", ">="]), column)
        if kind == 6:
            return "%s %s (%s)" % (column, r.choice(["IN", "NOT IN"]), ", ".join(self.literal(key) for _ in range(r.randint(1, 4))))
        if kind == 7:
            return "%s %sBETWEEN %s AND %s" % (column, r.choice(["", "NOT "]), self.literal(key), self.literal(key))
        if kind == 8:
            return "%s IS %sNULL" % (column, r.choice(["", "NOT "]))
        if kind == 9:
            return "%s %s '%s'" % (column, r.choice(["LIKE", "NOT LIKE"]), r.choice(["%a%", "s%", "_%e%", "1%", "%"]))
        if kind == 10:
            return "%s %s %s" % (column, r.choice(["=", "<", ">"]), self.column(of)[0])
        if kind == 11:
            return "%s = %s COLLATE NOCASE" % (column, self.literal(key))
        return "(%s, %s) = (%s, %s)" % (column, column, self.literal(key), self.literal(key))

    def subquery(self, of):
        inner = self.table()
        column, key = self.column(of)
        mine = self.column([inner])[0]
        where = self.condition([inner], 1)
        return self.r.choice([
            "%s IN (SELECT %s FROM {%s} %s WHERE %s)" % (column, mine, *inner, where),
            "EXISTS (SELECT 1 FROM {%s} %s WHERE %s = %s AND %s)" % (*inner, mine, column, where),
            "%s = (SELECT max(%s) FROM {%s} %s WHERE %s)" % (column, mine, *inner, where)])

    def condition(self, of, depth=3):
        kind = self.r.randrange(9)
        if not depth or kind < 3:
            return self.compare(of)
        if kind == 8:
            return "(%s)" % " OR ".join("%s = %s" % (c, self.literal(key)) for c, key in (self.column(of) for _ in range(self.r.randint(2, 3))))
        if kind == 3:
            return "NOT (%s)" % self.condition(of, depth - 1)
        if kind == 4 and depth == 3:
            return self.subquery(of)
        parts = [self.condition(of, depth - 1) for _ in range(self.r.randint(2, 3))]
        return "(%s)" % (" OR " if kind < 7 else " AND ").join(parts)

    def source(self):
        """FROM, and its tables."""
        r = self.r
        first = self.table()
        of, text = [first], "{%s} %s" % first
        for _ in range(r.choice([0, 0, 0, 1, 1, 1, 2])):
            other = self.table()
            join = r.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
            kind = r.randrange(6)
            shared = sorted(set(self.tables[other[0]]).intersection(*(self.tables[t] for t, _ in of)))
            if kind == 0 and len(of) == 1 and shared:
                on = "USING (%s)" % ", ".join("\"%s\"" % c for c in sorted({r.choice(shared), r.choice(shared)}))
            else:
                on = "ON " + self.column([other])[0] + r.choice([" = ", " = ", " = ", " < "]) + self.column(of)[0]
                if kind == 1:
                    on += " OR " + self.compare(of + [other])
                if kind > 2:
                    on += " AND " + self.condition(of + [other], 1)
                if kind == 5:
                    on += " AND %s = %s" % (self.column([other])[0], self.column(of)[0])
            text += " %s {%s} %s %s" % (join, *other, on)
            of.append(other)
        return text, of

    def where(self, of):
        return " WHERE " + self.condition(of) if self.r.random() < .75 else ""

    def order(self, n):
        keys = self.r.sample(range(1, n + 1), n)
        return " ORDER BY " + ", ".join("%d%s" % (k, self.r.choice(["", " ASC", " DESC", " DESC"])) for k in keys)

    def rows(self):
        text, of = self.source()
        columns = [self.column(of)[0] for _ in range(self.r.randint(1, 4))]
        distinct = self.r.choice(["", "", "DISTINCT "])
        statement = "SELECT %s%s FROM %s%s" % (distinct, ", ".join(columns), text, self.where(of))
        if self.r.random() < .5:
            statement += self.order(len(columns))
            if self.r.random() < .6:
                statement += " LIMIT %d" % self.r.choice([1, 3, 20]) + self.r.choice(["", " OFFSET 2"])
        return statement

    def groups(self):
        r = self.r
        text, of = self.source()
        keys = [self.column(of)[0] for _ in range(r.randint(1, 3))]
        values = [f % self.column(of)[0] for f in r.sample(["count(%s)", "sum(%s)", "min(%s)", "max(%s)", "count(DISTINCT %s)"],
                                                          r.randint(0, 2))] + ["count(*)"] * r.randrange(2)
        statement = "SELECT %s FROM %s%s GROUP BY %s" % (", ".join(keys + values), text, self.where(of),
                                                        ", ".join(map(str, range(1, len(keys) + 1))))
        if r.random() < .3:
            statement += " HAVING count(*) %s" % r.choice(["> 1", "< 5", "= 1 OR %s IS NULL" % keys[0]])
        if r.random() < .7:
            if r.random() < .5:
                # the columns of GROUP BY in its order, which SQLite does not sort again
                statement += " ORDER BY " + ", ".join("%d%s" % (i + 1, r.choice(["", " DESC"])) for i in range(len(keys)))
            else:
                statement += self.order(len(keys + values))
            if r.random() < .5:
                statement += " LIMIT %d" % r.choice([1, 3, 10])
        return statement

    def whole(self):
        text, of = self.source()
        return "SELECT count(*), %s FROM %s%s" % (", ".join("%s(%s)" % (f, self.column(of)[0]) for f in
                                                           ("min", "max", "count", "sum")), text, self.where(of))

    def windows(self):
        r = self.r
        one = [self.table()]
        by, order = self.column(one)[0], self.column(one)[0]
        value = self.column(one)[0]
        return "SELECT %s, %s, %s FROM {%s} %s%s" % (
            by, order, r.choice(["rank() OVER (PARTITION BY %s ORDER BY %s)" % (by, order),
                                 "count(*) OVER (PARTITION BY %s)" % by,
                                 "min(%s) OVER (PARTITION BY %s ORDER BY %s DESC)" % (value, by, order),
                                 "lag(%s) OVER (ORDER BY %s, %s, %s)" % (order, order, by, value)]), *one[0], self.where(one))

    def compound(self):
        a, b = [self.table()], [self.table()]
        sides = ["SELECT %s, %s FROM {%s} %s%s" % (self.column(of)[0], self.column(of)[0], *of[0], self.where(of)) for of in (a, b)]
        return (" %s " % self.r.choice(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])).join(sides)

    def with_table(self):
        inner, other = self.table(), self.table()
        column = self.column([inner])[0]
        return "WITH w AS %s(SELECT %s AS k, count(*) AS n FROM {%s} %s%s GROUP BY 1) SELECT w.k, w.n, count(*) FROM w %s {%s} %s ON %s = w.k %s GROUP BY 1, 2" % (
            self.r.choice(["", "MATERIALIZED ", "NOT MATERIALIZED "]), column, *inner, self.where([inner]),
            self.r.choice(["JOIN", "LEFT JOIN"]), *other, self.column([other])[0], self.where([other]))

    def next(self):
        self.n = 0
        return self.r.choice([self.rows, self.rows, self.groups, self.groups, self.groups, self.whole, self.whole, self.windows,
                              self.compound, self.with_table])()


def quoted(name):
    return '"%s"' % name.replace('"', '""')


def named(text, tables, prefix=""):
    return re.sub(r"\{([^{}]*)\}", lambda m: quoted(prefix + m[1]) if m[1] in tables else m[0], text)


def copy_tables(db, r):
    tables, samples = {}, {}
    for name, kind in db.execute("SELECT name, kind FROM tables UNION VALUES('events', '')").fetchall():
        columns = [c for c, in db.execute("SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 OR name IN ('tgid', 'cmdline') "
                                          "OR name GLOB '*_text'", [name])]
        if kind == "answer" or db.execute("SELECT count(*) FROM (SELECT 1 FROM %s LIMIT %d)" % (quoted(name), ROWS + 1)).fetchone()[0] not in range(2, ROWS + 1):
            continue
        wanted = ", ".join(map(quoted, columns))
        db.execute("CREATE TEMP TABLE %s AS SELECT %s FROM %s" % (quoted("copy " + name), wanted, quoted(name)))
        tables[name] = columns
        for c in columns:
            values = [v for v, in db.execute("SELECT DISTINCT quote(%s) FROM %s" % (quoted(c), quoted("copy " + name)))]
            samples[name, c] = r.sample(sorted(values), min(len(values), 12))
    return tables, samples


def run(db, statement, steps):
    """Its rows, or an error; steps of SQLite's machine do not depend on the load of this one."""
    calls = iter(range(steps // 100000))
    db.set_progress_handler(lambda: next(calls, None) is None, 100000)
    try:
        return db.execute(statement).fetchall()
    except sqlite3.Error as e:
        return "interrupted" if "interrupted" in str(e) else "error: %s" % e
    finally:
        db.set_progress_handler(None, 0)


def main():
    extension, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    compared = differ = full = 0
    for recording in sys.argv[4:]:
        db = sqlite3.connect(":memory:")
        db.enable_load_extension(True)
        db.load_extension(extension)
        db.execute("SELECT hist_open(?)", [recording])
        # within a transaction, Python would commit
        db.isolation_level = None
        tables, samples = copy_tables(db, random.Random(seed))
        statements = Statements(seed, tables, samples)
        for _ in range(n if tables else 0):
            text = statements.next()
            want = run(db, named(text, tables, "copy "), 1500000)
            if want == "interrupted" or len(want) > 20000:
                continue
            got = run(db, named(text, tables), 1000000000)
            if " ORDER BY " not in text or " OVER " in text:
                got, want = (x if isinstance(x, str) else sorted(x, key=repr) for x in (got, want))
            # refused, and the message says how to write it
            if "have no rowid" in got:
                continue
            compared += 1
            full += isinstance(want, list) and len(want) > 0
            if isinstance(want, str) or got != want and not same_keys(text, got, want):
                differ += 1
                print(recording, named(text, tables))
                print("  want", len(want), want[:200] if isinstance(want, str) else want[:3])
                print("  got ", len(got), got[:200] if isinstance(got, str) else got[:3])
        db.close()
    print("%d statements, %d with rows, %d differ" % (compared, full, differ))


def same_keys(text, got, want):
    """ORDER BY some of the columns: rows of equal keys have any order, and LIMIT any of the last ones."""
    if " ORDER BY " not in text or " OVER " in text or isinstance(got, str) or len(got) != len(want):
        return False
    keys = [int(k.split()[0]) - 1 for k in text.rpartition(" ORDER BY ")[2].partition(" LIMIT ")[0].split(", ")]
    if [[row[k] for k in keys] for row in got] != [[row[k] for k in keys] for row in want]:
        return False
    return " LIMIT " in text or sorted(got, key=repr) == sorted(want, key=repr)


main()
