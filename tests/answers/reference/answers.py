# SPDX-License-Identifier: GPL-2.0-only
"""Rows, filters, keys and sums, by the plainest means."""
from reference import derived
from reference.names import Names


class Table:
    """An event's rows: dicts of its fields, of common_pid and common_cpu, and of @ts, @cpu, @pid, @comm: when and where, and of which
    task; ->types says which are texts."""

    def __init__(self, event, rows, types, signed):
        self.event, self.rows, self.types, self.signed = event, rows, types, signed


def place(e, pid, comm, fields):
    return dict(fields, **{"@ts": e.ts, "@cpu": e.cpu, "@pid": pid, "@comm": comm})


def tables(events, shape, kinds, derive=True, tasks=None, only=None):
    """All tables of a recording that are not empty; without @derive only those of recorded events; or @only that of one event."""
    found = []
    for kind in (k for k in kinds if only in (None, k.full)):
        rows = [place(e, e.pid, e.comm, dict(e.values, common_pid=e.pid, common_cpu=e.cpu)) for e in events if e.kind is kind]
        types = {name: "text" if size is not None and size <= 0 else "int" for _, name, size, _ in kind.fields
                 if name not in kind.elements and size != 16}  # no questions of arrays and of numbers of 128 bits: see roads/kinds.py
        # texts end where their array does
        for _, name, size, _ in kind.fields:
            for r in rows if name in types else ():
                if size is not None and size < 0:
                    r[name] = r[name].encode()[:-size - 1].decode(errors="surrogateescape")
        for r in rows if kind.name == "print" else ():
            r["buf"] = r["buf"].removesuffix("\n")
        signed = {name for _, name, size, sign in kind.fields if sign}
        types.update(common_pid="int", common_cpu="int")
        if "comm" not in types:  # the name of the running task
            types["COMM"] = "text"
            for r in rows:
                r["COMM"] = r["@comm"] or f"swapper/{r['@cpu']}"
        found.append(Table(kind.full, rows, types, signed | {"common_pid"}))
    chosen = {name: model for name, model in derived.models(shape, tasks).items() if only in (None, "derived:" + name)} if derive else {}
    names = Names(events) if chosen else None
    for name, model in chosen.items():
        rows = []
        for e, fields in model(events):
            pid, comm = fields.get("pid", fields.get("victim_pid", 0)), fields.get("comm", fields.get("victim_comm", ""))
            # a request has the name that its task had when it was issued, an object that of its allocation; their rows that at the end
            if name in ("block_io", "allocation"):
                comm = names.at(pid, e.ts) or f"swapper/{e.cpu}"
            rows.append(place(e, pid, comm, {"open": "no", **fields}))
        found.append(Table("derived:" + name, rows, derived.types_of(name), derived.SIGNED - ({"depth"} if name == "runqueue" else set())))
    return [t for t in found if t.rows]


def columns_of(key):
    if key[0] == "COMM":
        return ["common_comm"]
    return [key[0] + "_min", key[0] + "_max"] if key[1] else [key[0]]


def cells_of(key, value, signed=False):
    """What csv prints of a key."""
    if not key[1]:
        return (str(value),)
    if key[1] == "log2":
        if value < 0:
            return (str(-2**63), "-1")
        if value < 2:
            return ("0", "1")
        n = (value - 1).bit_length()
        return (str(2**(n - 1) + 1), str(min(2**n, 2**63 - 1 if signed else 2**64 - 1)))
    if key[1].startswith("lhist"):
        low, high, size = map(int, key[1].partition("=")[2].split(","))
        if value < low:
            return (str(-2**63 if signed else 0), str(low - 1))
        if value >= high:
            return (str(high), str(2**63 - 1 if signed else 2**64 - 1))
        begin = low + (value - low) // size * size
        return (str(begin), str(min(begin + size, high) - 1))
    size = int(key[1].split("=")[1])
    begin = value // size * size
    return (str(max(begin, -2**63)), str(min(begin + size - 1, 2**63 - 1 if signed else 2**64 - 1)))


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


def aggregate(question, rows):
    sums = {}
    for r in rows:
        row = sums.setdefault(question.keys_of(r), [0] * (1 + len(question.sums)))
        row[0] += 1
        for i, name in enumerate(question.sums):
            row[i + 1] += r[name]
    return {k: tuple(v) for k, v in sums.items()}
