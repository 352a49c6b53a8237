# SPDX-License-Identifier: GPL-2.0-only
"""Random questions, how hist is asked them, and simpler ones."""
from reference.answers import aggregate, cells_of, matches

OPS = ["==", "!=", "<", "<=", ">", ">="]


def key_name(key):
    if key[0] == "COMM":
        return "comm"
    if key[1].startswith("lhist"):
        return f"lhist({key[0]},{key[1].partition('=')[2]})"
    return ".".join(filter(None, key))


def fields_of(f):
    if not f:
        return set()
    return {f[0]} if f[0] not in ("and", "or", "not") else set().union(*map(fields_of, f[1:]))


def filter_text(f):
    if f[0] in ("and", "or"):
        return f"({filter_text(f[1])}) {'&&' if f[0] == 'and' else '||'} ({filter_text(f[2])})"
    if f[0] == "not":
        return f"!({filter_text(f[1])})"
    name, op, value = f
    return f'{name} {op} "{value}"' if isinstance(value, str) else f"{name} {op} {value}"


def sql_text(f, column):
    if f[0] in ("and", "or"):
        return f"({sql_text(f[1], column)} {f[0].upper()} {sql_text(f[2], column)})"
    if f[0] == "not":
        return f"NOT ({sql_text(f[1], column)})"
    name, op, value = column(f[0]), f[1], f[2]
    if op == "~":
        return f'{name} GLOB \'{value.replace("[", "[[]")}\''
    if op == "&":
        return f"({name} & {value}) != 0"
    return f"{name} {op} " + (f"'{value}'" if isinstance(value, str) else str(value))


def random_filter(rng, table, depth=0):
    kind = rng.random()
    if depth < 3 and kind < 0.25:
        return (rng.choice(["and", "or", "or"]), random_filter(rng, table, depth + 1), random_filter(rng, table, depth + 1))
    if depth < 3 and kind < 0.32:
        return ("not", random_filter(rng, table, depth + 1))
    name = rng.choice(list(table.types))
    value = rng.choice(table.rows)[name]
    if table.types[name] == "text":
        if '"' in value or not value or "*" in value:
            return filter_of_number(rng, table)
        if rng.random() < 0.3 and all(c.isalnum() for c in value):
            return (name, "~", rng.choice(["*" + value[-2:], value[:2] + "*", "*" + value[1:3] + "*"]))
        return (name, rng.choice(["==", "!="]), value)
    return filter_of_number(rng, table, name)


def filter_of_number(rng, table, name=None):
    name = name or rng.choice([n for n, t in table.types.items() if t == "int"])
    value = rng.choice(table.rows)[name]
    if value > 0 and rng.random() < 0.15:
        return (name, "&", value & -value)
    return (name, rng.choice(OPS), value)


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


class Question:
    shape = ""
    plain = True  # its recording has only names and texts that can be told from what is around them in a line

    def __init__(self, table, keys, sums, chosen, selection=()):
        self.table, self.keys, self.sums, self.filter, self.selection = table, keys, sums, chosen, selection

    def ask_of(self, machine, shape, found):
        """What it is asked of: what happened, how that is recorded, the tables of all events."""
        self.machine, self.recorded, self.shape, self.all, self.plain = machine, shape, str(shape), found, machine.plain
        self.first, self.last = machine.events[0].ts, machine.events[-1].ts

    def arguments(self):
        return (["-e", self.table.event, "--by", ",".join(map(key_name, self.keys))] +
                (["--sum", ",".join(self.sums)] if self.sums else []) + (["-f", filter_text(self.filter)] if self.filter else []) +
                self.selected())

    def selected(self):
        return [f"--{option}={value if option in ('cpu', 'pid', 'comm') else seconds(value)}" for option, value in self.selection]

    def __str__(self):
        return " ".join(repr(a) if " " in a else a for a in self.arguments())

    def rows(self):
        tests = {"cpu": lambda r, v: r["@cpu"] == v, "comm": lambda r, v: r["@comm"] == v, "pid": lambda r, v: r["@pid"] == v, "from": lambda r, v: r["@ts"] >= v,
                 "to": lambda r, v: r["@ts"] <= v}
        return [r for r in self.table.rows if all(tests[option](r, value) for option, value in self.selection)]

    def answer(self):
        """{keys: (hits, sums...)}; keys are texts."""
        return aggregate(self, [r for r in self.rows() if matches(self.filter, r)])

    def keys_of(self, row):
        return tuple(cell for k in self.keys for cell in cells_of(k, row[k[0]], k[0] in self.table.signed))

    def of(self, table):
        """The same of another event."""
        return Question(table, self.keys, self.sums, self.filter, self.selection)

    def simpler(self):
        """Questions with less in them, to find the smallest that is still answered wrongly."""
        for question in self.parts():
            question.ask_of(self.machine, self.recorded, self.all)
            yield question

    def parts(self):
        for i in range(len(self.selection)):
            yield Question(self.table, self.keys, self.sums, self.filter, self.selection[:i] + self.selection[i + 1:])
        for i, key in enumerate(self.keys):
            if len(self.keys) > 1:
                yield Question(self.table, self.keys[:i] + self.keys[i + 1:], self.sums, self.filter, self.selection)
            if key[1]:
                yield Question(self.table, self.keys[:i] + [(key[0], "")] + self.keys[i + 1:], self.sums, self.filter, self.selection)
        for i in range(len(self.sums)):
            yield Question(self.table, self.keys, self.sums[:i] + self.sums[i + 1:], self.filter, self.selection)
        if self.filter:
            yield Question(self.table, self.keys, self.sums, None, self.selection)
            for part in self.filter[1:] if self.filter[0] in ("and", "or", "not") else ():
                yield Question(self.table, self.keys, self.sums, part, self.selection)


def random_key(rng, table, name):
    if table.types[name] == "text" or rng.random() < 0.75 or name.endswith(("pid", "cpu")):
        return (name, "")
    return (name, rng.choice(["log2", "buckets=10", "buckets=1000", "buckets=65536",
                                         "lhist=0,1000000,100000", "lhist=2,3,5",
                              "lhist=-100,1005,10" if name in table.signed else "lhist=100,1005,10"]))


def random_selection(rng, table, first, last):
    row, found = rng.choice(table.rows), []
    if rng.random() < 0.25:
        found.append(("cpu", row["@cpu"]))
    # of the scheduler's own events, --pid also selects those about the task
    if rng.random() < 0.2 and not table.event.startswith("sched:"):
        found.append(("pid", row["@pid"]))
    if rng.random() < 0.1 and not found and not table.event.startswith(("sched:", "task:")) and row["@comm"].isalnum():
        found.append(("comm", row["@comm"]))
    if rng.random() < 0.3:
        found.append((rng.choice(["from", "to"]), max(first, min(last, row["@ts"] + rng.choice([0, 0, 1, -1])))))
    return tuple(found)


def random_question(rng, found, span):
    table = rng.choice(found)
    numbers = [n for n, t in table.types.items() if t == "int"]
    names = rng.sample(list(table.types), min(len(table.types), rng.choice([1, 1, 2, 3])))
    lengths = [n for n in numbers if n not in names and n not in ("big", "offset", "sector")]
    sums = rng.sample(lengths, min(len(lengths), rng.choice([0, 1, 2])))
    return Question(table, [random_key(rng, table, n) for n in names], sums, random_filter(rng, table) if rng.random() < 0.6 else None,
                    random_selection(rng, table, *span))
