# SPDX-License-Identifier: GPL-2.0-only
"""Questions: an event, a filter, keys, sums. Random ones, their answer by the plainest means, and how hist is asked them."""
import derived
from machine import KINDS

OPS = ["==", "!=", "<", "<=", ">", ">="]


class Table:
    """An event's rows: dicts of its fields and of comm, pid, cpu; ->types says which are texts."""

    def __init__(self, event, rows, types):
        self.event, self.rows, self.types = event, rows, types


def tables(events):
    """All tables of a recording that are not empty."""
    found = []
    for kind in KINDS:
        rows = [dict(e.values, common_pid=e.pid, common_cpu=e.cpu) for e in events if e.kind is kind]
        types = {name: "text" if size is not None and size <= 0 else "int" for _, name, size, _ in kind.fields}
        # texts end where their array does
        for _, name, size, _ in kind.fields:
            for r in rows:
                if size is not None and size < 0:
                    r[name] = r[name].encode()[:-size - 1].decode(errors="surrogateescape")
        found.append(Table(kind.full, rows, dict(types, common_pid="int", common_cpu="int")))
    for name, model in derived.MODELS.items():
        found.append(Table("derived:" + name, [fields for _, fields in model(events)], dict(derived.FIELDS[name])))
    return [t for t in found if t.rows]


# --- filters: (field, op, value), ("and"|"or", a, b), ("not", a) ---

def matches(f, row):
    if f is None:
        return True
    if f[0] == "and":
        return matches(f[1], row) and matches(f[2], row)
    if f[0] == "or":
        return matches(f[1], row) or matches(f[2], row)
    if f[0] == "not":
        return not matches(f[1], row)
    name, op, value = f
    have = row[name]
    if op == "~":
        first, last = value.startswith("*"), value.endswith("*")
        word = value.strip("*")
        return (word in have if first and last else have.endswith(word) if first else have.startswith(word) if last else have == word)
    if op == "&":
        return bool(have & value)
    return {"==": have == value, "!=": have != value, "<": have < value, "<=": have <= value, ">": have > value, ">=": have >= value}[op]


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


# --- questions ---

class Question:
    def __init__(self, table, keys, sums, chosen):
        self.table, self.keys, self.sums, self.filter = table, keys, sums, chosen

    def __str__(self):
        return " ".join(["-e", self.table.event, "--by", ",".join(self.keys)] + (["--sum", ",".join(self.sums)] if self.sums else []) +
                        (["-f", repr(filter_text(self.filter))] if self.filter else []))

    def arguments(self):
        return (["-e", self.table.event, "--by", ",".join(self.keys)] + (["--sum", ",".join(self.sums)] if self.sums else []) +
                (["-f", filter_text(self.filter)] if self.filter else []))

    def answer(self):
        """{keys: (hits, sums...)}, all as texts."""
        return aggregate(self, [r for r in self.table.rows if matches(self.filter, r)])

    def simpler(self):
        """Questions with less in them, to find the smallest that is still answered wrongly."""
        for i in range(len(self.keys)):
            if len(self.keys) > 1:
                yield Question(self.table, self.keys[:i] + self.keys[i + 1:], self.sums, self.filter)
        for i in range(len(self.sums)):
            yield Question(self.table, self.keys, self.sums[:i] + self.sums[i + 1:], self.filter)
        if self.filter:
            yield Question(self.table, self.keys, self.sums, None)
            if self.filter[0] in ("and", "or", "not"):
                for part in self.filter[1:]:
                    yield Question(self.table, self.keys, self.sums, part)


def aggregate(question, rows):
    sums = {}
    for r in rows:
        row = sums.setdefault(tuple(str(r[k]) for k in question.keys), [0] * (1 + len(question.sums)))
        row[0] += 1
        for i, name in enumerate(question.sums):
            row[i + 1] += r[name]
    return {k: tuple(v) for k, v in sums.items()}


def random_question(rng, found):
    table = rng.choice(found)
    numbers = [n for n, t in table.types.items() if t == "int"]
    keys = rng.sample(list(table.types), min(len(table.types), rng.choice([1, 1, 2, 3])))
    lengths = [n for n in numbers if n not in keys and n not in ("big", "offset")]
    sums = rng.sample(lengths, min(len(lengths), rng.choice([0, 1, 2])))
    return Question(table, keys, sums, random_filter(rng, table) if rng.random() < 0.6 else None)
