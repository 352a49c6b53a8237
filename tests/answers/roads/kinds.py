# SPDX-License-Identifier: GPL-2.0-only
"""Fields that are no plain numbers or texts: arrays, CPU masks, numbers of 128 bits, enumerators, flags; also where clocks step back. As
rows, texts, keys, sums, filters, in SQL, Python and Parquet; copies have the same rows, and what cannot be asked is refused."""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess

from machines import kinds, machine
from reference import answers
from roads import questions, ways
from roads.common import NotAsked, run

FIELDS = [f[1] for f in kinds.KINDS.fields]
COLUMNS = ["event_text" if f == "text" else f for f in FIELDS]
ARRAYS, HUGE = ("quad", "pair", "list", "cpus", "mask"), ("huge", "wide")


def name_of_mode(n):
    return kinds.MODES.get(n, "").replace(" ", "_")


def names_of_flags(n):
    """Empty if a bit has no name."""
    return "|".join(name for bit, name in kinds.FLAGS.items() if n & bit) if not n & ~sum(kinds.FLAGS) else ""


def cell(name, v, shape):
    """What csv has."""
    if name in HUGE:  # bytes, as they are in the record
        return shape.elements("u128", [v]).hex()
    if name == "cpus":
        return " ".join(map(hex, v))
    return " ".join(map(str, v)) if isinstance(v, list) else str(v)


def cells(e, shape):
    row = {"ts": str(e.ts), "cpu": str(e.cpu), "pid": str(e.pid)}
    row.update((c, cell(f, e.values[f], shape)) for c, f in zip(COLUMNS, FIELDS))
    return dict(row, mode_text=name_of_mode(e.values["mode"]), flags_text=names_of_flags(e.values["flags"]))


def text_of(e, shape):
    """What the kernel prints."""
    v, bits = e.values, 8 * shape.long_size
    mode = kinds.MODES.get(v["mode"], hex(v["mode"]))
    rest = v["flags"] & ~sum(kinds.FLAGS)
    flags = "|".join([name for bit, name in kinds.FLAGS.items() if v["flags"] & bit] + [hex(rest)] * bool(rest))
    cpus = f"{sum(word << bits * i for i, word in enumerate(v['cpus'])):0{2 * shape.long_size * len(v['cpus'])}x}"
    words = ",".join(cpus[i:i + 8] for i in range(0, len(cpus), 8))
    return f"mode={mode} flags={flags} number={v['number']} list={{{','.join(map(hex, v['list']))}}} cpus={words} text={v['text']}"


def wrong_rows(what, got, right):
    """The first rows that are not those, whose order counts if both are lists."""
    if got == right:
        return
    got_all, all_right = collections.Counter(got), collections.Counter(right)
    rows = [("wrong", r) for r in (got_all - all_right)] + [("missing", r) for r in (all_right - got_all)]
    for kind, row in rows[:3]:
        yield f"{what}: {kind}: {row}"
    if not rows:
        yield f"{what}: not in the order of time"


def rows_csv(hist, path):
    columns = ["ts", "cpu", "pid", *COLUMNS, "mode_text", "flags_text"]
    text = run(hist, "events", "-q", "-i", path, "-e", "test:kinds", "--format", "csv", "--fields", ",".join(columns))
    return [tuple(r[c] for c in columns) for r in csv.DictReader(io.StringIO(text))], columns


def of_rows(hist, path, events, shape, steady):
    """csv, json and text."""
    ordered = list if steady else sorted  # two CPUs whose clocks step back have no order
    got, columns = rows_csv(hist, path)
    right = [tuple(cells(e, shape)[c] for c in columns) for e in events]
    yield from wrong_rows("csv", ordered(got), ordered(right))
    plain = lambda name, v: list(map(hex, v)) if name == "cpus" else cell(name, v, shape) if name in HUGE else v
    objects = json.loads(run(hist, "events", "-q", "-i", path, "-e", "test:kinds", "--format", "json"))
    got = [json.dumps([o["ts"], o["cpu"], o["pid"], o["fields"]]) for o in objects]
    right = [json.dumps([e.ts, e.cpu, e.pid, {f: plain(f, e.values[f]) for f in FIELDS}]) for e in events]
    yield from wrong_rows("json", ordered(got), ordered(right))
    lines = run(hist, "events", "-q", "-i", path, "-e", "test:kinds").splitlines()
    got = [m[1].rstrip() for m in (re.search(r": kinds: +(.*)", line) for line in lines) if m]
    yield from wrong_rows("text", sorted(got), sorted(text_of(e, shape).rstrip() for e in events))


def of_copies(hist, path, shape, rng):
    """A smaller recording."""
    want, copy = rows_csv(hist, path), path + ".copy"
    codec = rng.choice(["none", "zlib", "zstd"] if shape.version == 7 else ["none"])
    run(hist, "slim", "-q", "-z", codec, "-i", path, "-o", copy, "-e", "test:kinds")
    if rows_csv(hist, copy) != want:
        yield f"slim -z {codec}: not the same rows"
    os.unlink(copy)


def of_trace_cmd(path, events, shape):
    """The recording has the events that are meant, as trace-cmd reads them; it has no numbers of 128 bits and no masks of this name."""
    if not shutil.which("trace-cmd") or shape.codec != "none" or shape.long_size != 8:
        return
    fields = [f for f in FIELDS if f not in ("cpus", *HUGE)]
    got, right = collections.Counter(), collections.Counter()
    for line in run("trace-cmd", "report", "-R", "-t", "-i", path).splitlines():
        m = re.search(r"\[(\d+)\].* (\d+)\.(\d+): kinds: +(.*)", line)
        values = m and re.fullmatch(" ".join(f"{f}=(.*)" for f in FIELDS), m[4])
        if values:
            of = dict(zip(FIELDS, values.groups()))
            got[(int(m[2] + m[3]), int(m[1]), *(of[f].rstrip() for f in fields))] += 1
    for e in events:
        cells = []
        for f in fields:
            v = e.values[f]
            data = shape.elements(kinds.KINDS.elements[f], v).hex() if isinstance(v, list) else ""
            cells.append("ARRAY[" + ", ".join(data[i:i + 2] for i in range(0, len(data), 2)) + "]" if isinstance(v, list) else str(v))
        right[(e.ts, e.cpu, *cells)] += 1
    yield from wrong_rows("trace-cmd", got, right)


# --- questions ---

def random_filter(rng, rows, cpus, depth=0):
    """(text, function of a row)"""
    r = rng.random()
    if depth < 2 and r < 0.4:
        (a, is_a), (b, is_b) = (random_filter(rng, rows, cpus, depth + 1) for _ in range(2))
        return rng.choice([(f"({a}) && ({b})", lambda v: is_a(v) and is_b(v)), (f"({a}) || ({b})", lambda v: is_a(v) or is_b(v)),
                           (f"!({a})", lambda v: not is_a(v))])
    if r < 0.7:
        some = rng.sample(range(cpus), rng.randint(1, cpus))
        bits, name = sum(1 << n for n in some), rng.choice(["cpus", "cpus", "mode"])
        listed = f"CPUS{{{','.join(map(str, sorted(some)))}}}"
        op = rng.choice(["==", "!=", "&"]) if name == "cpus" else "&"
        if name == "mode":
            return f"mode & {listed}", lambda v: v["mode"] in some
        tests = {"==": lambda v: v["cpus"][0] == bits, "!=": lambda v: v["cpus"][0] != bits, "&": lambda v: bool(v["cpus"][0] & bits)}
        return f"cpus {op} {listed}", tests[op]
    name = rng.choice(["mode", "flags", "number"])
    value, op = rng.choice(rows)[name], rng.choice(["==", "!=", "<", "<=", ">", ">="] + ["&"] * (name == "flags"))
    if name != "number" and rng.random() < 0.4:  # by its name
        word = name_of_mode(value) if name == "mode" else names_of_flags(value)
        if word and " " not in kinds.MODES.get(value, "") and "|" not in word and op in ("==", "!="):
            return f"{name} {op} {word}", lambda v: answers.matches((name, op, value), v)
    return f"{name} {op} {value}", lambda v: answers.matches((name, op, value), v)


def of_questions(hist, path, rows, cpus, rng):
    for _ in range(3):
        keys = rng.sample(["mode", "flags", "number"], rng.choice([1, 2]))
        total = rng.choice([[], ["number"] if "number" not in keys else []])
        chosen, accepts = random_filter(rng, rows, cpus) if rng.random() < 0.8 else ("", lambda v: True)
        right = {}
        for v in filter(accepts, rows):
            row = right.setdefault(tuple(str(v[k]) for k in keys), [0] * (1 + len(total)))
            row[0] += 1
            for i, name in enumerate(total):
                row[1 + i] += v[name]
        arguments = ["-e", "test:kinds", "--by", ",".join(keys), *(["--sum", total[0]] if total else []), *(["-f", chosen] if chosen else []),
                     *rng.choice([[], ["--plan=plain"], ["-j", "1"]])]
        table = list(csv.DictReader(io.StringIO(run(hist, "report", "-q", "-i", path, *arguments, "--format", "csv"))))
        got = {tuple(r[k] for k in keys): [int(r[c]) for c in ["hitcount", *total]] for r in table}
        if got != right:
            yield f"hist report {arguments}: " + "; ".join(f"{k}: {got.get(k)}, right {right.get(k)}" for k in sorted({*got, *right}) if got.get(k) != right.get(k))[:500]
        for r in table if "mode" in keys else ():
            if r["mode_text"] != (name_of_mode(int(r["mode"])) or r["mode"]):
                yield f"hist report {arguments}: the name of mode {r['mode']} is {r['mode_text']}"


def of_times(hist, path, events, shape, cpus, rng):
    """--from and --to, where each CPU has one sub-buffer: of others, it is assumed that no event is later than the next one."""
    if any(len(shape.pages(of_cpu)) > 1 for of_cpu in cpus):
        return
    kind = rng.choice([e.kind for e in events])
    times = [e.ts for c in cpus for e in c]
    a, b = (max(min(times), min(max(times), rng.choice(events).ts + rng.choice([0, 0, 1, -1]))) for _ in range(2))
    option, value, accepts = rng.choice([("from", a, lambda e: e.ts >= a), ("to", b, lambda e: e.ts <= b)])
    right = collections.Counter(str(e.cpu) for e in events if e.kind is kind and accepts(e))
    words = ["-e", kind.full, "--by", "common_cpu", f"--{option}={questions.seconds(value)}"]
    text = run(hist, "report", "-q", "-i", path, *words, "--format", "csv")
    got = collections.Counter({r["common_cpu"]: int(r["hitcount"]) for r in csv.DictReader(io.StringIO(text))})
    if got != right:
        yield f"hist report {words}: {dict(got)}, right {dict(right)}"


def of_refusals(hist, path, rng):
    """What has no answer is an error, not an empty one."""
    name = rng.choice(ARRAYS + HUGE)
    filters = [f"{name} == 1", f"{name} & 1", f"!({name} > 0)", *([f"{name} & CPUS{{0}}", f"{name} == CPUS{{0}}"] if name != "cpus" else [])]
    for words in (["--by", name], ["--by", "mode", "--sum", name], ["--by", "mode", "-f", rng.choice(filters)]):
        p = subprocess.run([hist, "report", "-q", "-i", path, "-e", "test:kinds", *words, "--format", "csv"], capture_output=True, text=True)
        if p.returncode != 1 or p.stdout or name not in p.stderr:
            yield f"hist report {words}: is not refused"


def of_sql(hist, path, events, shape, rng):
    names = rng.sample([*COLUMNS, "mode_text", "flags_text"], 2)
    right = collections.Counter(tuple(cells(e, shape)[n] for n in names) for e in events)
    statement = f'SELECT {", ".join(names)}, count(*) FROM "test:kinds" GROUP BY 1, 2'
    text = run(hist, "sql", "-q", "-i", path, "--format", "csv", statement)
    got = collections.Counter({tuple(r[:2]): int(r[2]) for r in list(csv.reader(io.StringIO(text)))[1:]})
    yield from wrong_rows(statement, got, right)


def of_python(path, events, shape):
    try:
        module = ways.python_module()
    except NotAsked:
        return
    known = lambda v: "" if v is None else str(v)
    got = collections.Counter(tuple(map(known, row)) for row in module.open(path).events("test:kinds", COLUMNS))
    yield from wrong_rows("Python", got, collections.Counter(tuple(cells(e, shape)[n] for n in COLUMNS) for e in events))


def of_parquet(hist, path, events, shape):
    import parquet_read
    run(hist, "events", "-q", "-i", path, "-e", "test:kinds", "--format", "parquet", "-o", path + ".lake")
    try:
        names, rows, _ = parquet_read.read(os.path.join(path + ".lake", "test.kinds.parquet"))
        at = [names.index(c) for c in ["ts", *COLUMNS]]
        plain = lambda f, v: shape.elements("u128", [v]).hex() if f in HUGE else tuple(v) if isinstance(v, list) else v
        right = collections.Counter((e.ts, *(plain(f, e.values[f]) for f in FIELDS)) for e in events)
        yield from wrong_rows("Parquet", collections.Counter(tuple(tuple(r[i]) if isinstance(r[i], list) else r[i] for i in at) for r in rows), right)
    finally:
        shutil.rmtree(path + ".lake", ignore_errors=True)


def differences(hist, path, m, shape, rng):
    path += ".kinds"
    back = rng.random() < 0.4
    events = kinds.events(m, rng, back)
    cpus = [[e for e in events if e.cpu == c.number] for c in m.cpus]
    shape.write(path, machine.KINDS, cpus, m.names)
    some = [e for e in events if e.kind is kinds.KINDS]
    wrong = [*of_times(hist, path, events, shape, cpus, rng)]
    if some:
        rows = [e.values for e in some]
        wrong += [*of_trace_cmd(path, some, shape), *of_rows(hist, path, some, shape, not back),
                  *of_questions(hist, path, rows, len(m.cpus), rng), *of_refusals(hist, path, rng), *of_sql(hist, path, some, shape, rng),
                  *of_python(path, some, shape), *of_parquet(hist, path, some, shape), *of_copies(hist, path, shape, rng)]
    if not wrong:
        os.unlink(path)
    return [f"{path}{', clocks step back' if back else ''}:", *wrong[:6]] if wrong else []
