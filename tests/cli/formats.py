# SPDX-License-Identifier: GPL-2.0-only
"""formats.py HIST SCHEMA TMP DIR...: compares the formats for programs with the kernel's text.

DIR has trace.dat and triggers. The text is generated from the json of its histograms, and
must be the same byte for byte. ndjson, csv and tsv must contain the same as json when read by other
programs: jq, sqlite3, datamash, and the modules of Python. Prints differences.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys

HIST, SCHEMA, TMP = sys.argv[1:4]
problems = []


def complain(where, what):
    problems.append(f"{where}: {what}")


def run(*args, data=None):
    return subprocess.run(args, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def report(where, *args):
    return run(HIST, "report", "-q", "-k", "-i", f"{where}/trace.dat", f"{where}/triggers", *args)


# --- json to the kernel's text ---

def raw(text):
    """The bytes of a text: undoes \\\\ and \\xNN."""
    out = re.sub(rb"\\(\\|x[0-9a-f]{2})",
                 lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1][1:], 16)]), text.encode())
    return out.decode("latin-1")


def u64(v):
    return int(v) & (1 << 64) - 1


def key_text(r, column, row):
    name, mod = column["name"].split("#")[0], column.get("modifier")
    v = row["key"][column["name"]]
    text = row.get("text", {}).get(column["name"])
    if column["type"] == "stack":
        colon = ":\n" if name in ("stacktrace", "common_stacktrace") else ".stacktrace"
        return name + colon + "".join(" " * 9 + raw(t) + "\n" for t in text)
    if column["type"] == "text":
        return f"{name}: {raw(v):<50}"
    if column["type"] == "range" and mod == "log2":
        high = u64(v["max"])
        bits = 0 if high == 1 else 63 if high == (1 << 63) - 1 else high.bit_length() - (high & high - 1 == 0)
        return f"{name}: ~ 2^{bits:<2}"
    if column["type"] == "range":
        low, size = u64(v["min"]), int(re.search(rf"\b{name}\.buckets=(\d+)", r["trigger"])[1])
        return f"{name}: ~ {low}-{u64(low + size - 1)}"
    n = u64(v)
    if mod == "hex":
        return f"{name}: {n:x}"
    if mod in ("sym", "sym-offset"):
        return f"{name}: [{n:x}] {raw(text):<{45 if mod == 'sym' else 55}}"
    if mod == "execname":
        return f"{name}: {raw(text):<16}[{n:>10}]"
    if mod == "syscall":
        return f"{name}: {raw(text):<30}[{n:>3}]"
    return f"{name}: {n:>10}"


def keys_text(r, row):
    columns = r["columns"]["key"]
    stack = any(c["type"] == "stack" for c in columns)
    return "{ " + ", ".join(key_text(r, c, row) for c in columns) + ("}" if stack else " }")


def share(v, whole):
    """Hundredths of a percent, in 32 bits; None: the kernel prints [ERROR]."""
    if whole and v < ((1 << 64) - 1) // 10000:
        pc = v * 10000 // whole
    elif whole // 10000:
        pc = v // (whole // 10000)
    else:
        return None if v else 0
    pc &= 0xffffffff
    return None if pc == 0xffffffff else pc


def value_text(r, i, row):
    column = r["columns"]["val"][i]
    name, mod = column["name"].split("#")[0], column.get("modifier")
    v = u64(row["val"][column["name"]])
    all_values = [u64(x["val"][column["name"]]) for x in r["data"]]
    if i == 0:
        return f" {name}: {v:>10}"
    if mod == "percent":
        pc = share(v, u64(sum(all_values)))
        return f"  {name} (%):[ERROR]" if pc is None else f"  {name} (%): {pc // 100:>3}.{pc % 100:02}"
    if mod == "graph":
        pc = share(v, max(all_values))
        bar = f"{'[ERROR]':>20}" if pc is None else ("#" * min((pc * 20 & 0xffffffff) // 10000, 20)).ljust(20)
        return f"  {name}: {bar}"
    return f"  {name}: {v:>10x}" if mod == "hex" else f"  {name}: {v:>10}"


def saved_text(r, row):
    columns, out = r["columns"]["saved"], ""
    for track in (c for c in columns if c.get("tracked")):
        out += f"\n\t{track['name'].split('#')[0]}: {u64(row['saved'][track['name']]):>10}"
        for c in (c for c in columns if not c.get("tracked")):
            v = row["saved"][c["name"]]
            if c["type"] == "text":
                out += f"  {c['name']}: {'(null)' if v is None else raw(v):<32}"
            else:
                out += f"  {c['name']}: {0 if v is None or c['type'] == 'stack' else u64(v):>10}"
    return out


def histogram(r):
    out = f"# event histogram\n#\n# trigger info: {raw(r['trigger'])} [{r['state']}]\n#\n\n"
    for row in r["data"]:
        out += keys_text(r, row)
        for i, c in enumerate(r["columns"]["val"]):
            out += "" if c.get("hidden") else value_text(r, i, row)
        out += saved_text(r, row) + "\n"
    if "snapshot" in r:
        s = r["snapshot"]
        out += ("\nSnapshot taken (see tracing/snapshot).  Details:\n"
                f"\ttriggering value {{ {s['handler']}({s['variable']}) }}: {int(s['value']):>10}"
                f"\ttriggered by event with key: {keys_text(r, s)}\n")
    t = r["totals"]
    return out + f"\nTotals:\n    Hits: {t['hits']}\n    Entries: {t['entries']}\n    Dropped: {t['dropped']}\n"


def headings(text):
    return b"".join(line for line in text.splitlines(keepends=True)
                    if not line.startswith(b"==> ") and line.strip())


# --- json to tables ---

def cells(r, row):
    """The fields of a row as csv has them, before quoting."""
    out = []
    for c in r["columns"]["key"]:
        v, text = row["key"][c["name"]], row.get("text", {}).get(c["name"])
        if c["type"] == "range":
            out += [str(v["min"]), str(v["max"])]
        elif c["type"] == "stack":
            out += [" ".join(hex(int(a)) for a in v), ";".join(text)]
        else:
            out += [str(v)] + ([text] if text is not None else [])
    # the same number as a share or a bar (name#2) is there once
    out += [str(row["val"][c["name"]]) for c in r["columns"]["val"]
            if "#" not in c["name"] or c.get("modifier") not in ("percent", "graph")]
    for c in r["columns"]["saved"]:
        v = row["saved"][c["name"]]
        if c["type"] == "stack":
            texts = row.get("saved_text", {}).get(c["name"], [])
            out += ["", ""] if v is None else [" ".join(hex(int(a)) for a in v), ";".join(texts)]
        else:
            out.append("" if v is None else str(v))
    if r["columns"]["saved"]:
        out.append(str(row.get("saved_at", "")))
    return out


def tsv_field(field):
    """Undoes \\t, \\n and \\r: those alone are tsv's own."""
    return re.sub(r"\\([\\tnrx])", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m[1], "\\" + m[1]),
                  field)


# --- checks ---

class Schema:
    def __init__(self, path):
        import jsonschema
        with open(path) as f:
            schema = json.load(f)
        jsonschema.Draft7Validator.check_schema(schema)
        # only the alternative for the type, for useful messages
        self.by_type = {t["$ref"].split("/")[-1]: jsonschema.Draft7Validator(dict(schema, oneOf=[t]))
                        for t in schema["oneOf"]}

    def check(self, where, value):
        if value.get("type") not in self.by_type:
            return complain(where, f"no type {value.get('type')}")
        for error in self.by_type[value["type"]].iter_errors(value):
            while error.context:
                error = error.context[0]
            complain(where, f"schema: {list(error.path)}: {error.message[:200]}")


def check_text(where, results):
    want = report(where)
    got = "\n".join(histogram(r) for r in results).encode("latin-1")
    if headings(want) != headings(got):
        a, b = headings(want).splitlines(), headings(got).splitlines()
        diff = next(((x, y) for x, y in zip(a, b) if x != y), (len(a), len(b)))
        complain(where, f"the text that json makes differs: {diff}")


def check_ndjson(where, results, schema):
    lines = [json.loads(line, parse_float=str) for line in report(where, "--format", "ndjson").splitlines()]
    for line in report(where, "--format", "ndjson").splitlines():
        schema.check(where + " ndjson", json.loads(line))
    again = []
    for line in lines:
        kind = line.pop("type")
        if kind == "hist_head":
            again.append(dict(line, type="hist_trigger", data=[]))
        elif kind == "hist_row":
            again[-1]["data"].append(line)
        else:
            again[-1]["totals"] = line
    if again != results:
        complain(where, "ndjson and json differ")


def check_jq(where, results):
    text = report(where, "--format", "json", "--json-u64=string")
    out = run("jq", "-r", ".data[].val[]", data=text).decode().split("\n")[:-1]
    want = [str(v) for r in results for row in r["data"] for v in row["val"].values()]
    if out != want:
        complain(where, "jq reads other numbers")


def check_sqlite(where, header, rows, path):
    db = f"{TMP}/db"
    if os.path.exists(db):
        os.unlink(db)
    names = ",".join('"%d" text' % i for i in range(len(header)))
    # bytes as digits, because 3.46 writes invalid json for control characters
    digits = "||','||".join('hex("%d")' % i for i in range(len(header)))
    script = f'create table t({names});\n.mode csv\n.import --skip 1 {path} t\n.mode list\nselect {digits} from t order by rowid;\n'
    out = run("sqlite3", db, data=script.encode()).decode()
    got = [[bytes.fromhex(f).decode() for f in line.split(",")] for line in out.splitlines()]
    if got != rows:
        complain(where, "sqlite3 .import reads other rows")


def check_datamash(where, header, rows, data):
    at = header.index("hitcount") + 1
    out = run("datamash", "-H", "--format=%.0f", "sum", str(at), "max", str(at), data=data).decode().split("\n")
    values = [int(row[at - 1]) for row in rows]
    if rows and out[1].split("\t") != [str(sum(values)), str(max(values))]:
        complain(where, f"datamash: {out[1]}")


def check_tables(where, r):
    show = r["event"].replace(":", "/")
    data = report(where, "--format", "csv", "--show", show)
    path = f"{TMP}/t.csv"
    with open(path, "wb") as f:
        f.write(data)
    with open(path, newline="", encoding="utf-8") as f:
        header, *rows = list(csv.reader(f, strict=True))
    want = [cells(r, row) for row in r["data"]]
    if rows != want:
        diff = next(((x, y) for x, y in zip(rows, want) if x != y), (len(rows), len(want)))
        complain(where, f"csv of {r['event']} differs: {diff}")
    if len(set(header)) != len(header) or any(len(row) != len(header) for row in rows):
        complain(where, f"csv of {r['event']}: names or fields do not fit: {header}")
    data = report(where, "--format", "tsv", "--show", show)
    lines = [line.split("\t") for line in data.decode().split("\n")[:-1]]
    if lines[0] != header or [[tsv_field(f) for f in line] for line in lines[1:]] != rows:
        complain(where, f"tsv of {r['event']} differs from csv")
    if shutil.which("sqlite3"):
        check_sqlite(where, header, rows, path)
    if shutil.which("datamash"):
        check_datamash(where, header, lines[1:], data)


def check(where, schema):
    text = report(where, "--format", "json")
    # fractions are kept as text, so nothing is rounded
    results = [json.loads(line, parse_float=str) for line in text.splitlines()]
    for line in text.splitlines():
        schema.check(where, json.loads(line))
    check_text(where, results)
    check_ndjson(where, results, schema)
    check_jq(where, results)
    events = [r["event"] for r in results]
    for r in results:
        if events.count(r["event"]) == 1 and "instance" not in r:
            check_tables(where, r)
    return len(results)


def main():
    schema = Schema(SCHEMA)
    n = sum(check(where, schema) for where in sys.argv[4:])
    for problem in problems[:40]:
        print(problem)
    print(f"{n} histograms", file=sys.stderr)
    return 1 if problems or not n else 0


sys.exit(main())
