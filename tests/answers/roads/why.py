# SPDX-License-Identifier: GPL-2.0-only
"""hist why, asked about random intervals."""
import csv
import html
import io
import json
import re
import shlex

from reference.why import Why, totals
from roads.common import Wrong, run
from roads.questions import seconds

EVENTS = ("wait", "task_state", "syscall", "irq", "lock_wait", "slice", "softirq_wait")


def flat(parts, path=()):
    """The same of the json of hist why; adds up what must."""
    found = {}
    for p in parts:
        kind = p["kind"]
        label = {"running": lambda: (kind, p["cpu"], p.get("syscall")), "interrupt": lambda: (kind, p["cpu"], p["name"]),
                 "waiting": lambda: (kind, p["state"]), "held": lambda: (kind, p["name"]), "culprit": lambda: (kind, p["cpu"], p["pid"], p["comm"]), "idle": lambda: (kind, p["cpu"]),
                 "blocked": lambda: (kind, p["state"], p.get("syscall"), p.get("waker", {}).get("pid"), p.get("waker", {}).get("comm"),
                                     bool(p.get("waker", {}).get("in_interrupt")) and p["waker"].get("interrupt", True)),
                 "unknown": lambda: (kind,)}[kind]()
        if p.get("parts"):
            if sum(q["ns"] for q in p["parts"]) != p["ns"]:
                raise Wrong(f"the parts of {p} do not add up")
            below = flat(p["parts"], path + (label,))
        else:
            below = {path + (label,) + ((("ends", p["chain_ends"]),) if "chain_ends" in p else ()): p["ns"]}
        for k, ns in below.items():
            found[k] = found.get(k, 0) + ns
    return found


def asked(hist, path, depth, *arguments):
    return json.loads(run(hist, "why", "-q", "-i", path, "--top", "0", "--depth", str(depth), "--format", "json", *arguments), parse_float=str)


def nanoseconds(text):
    seconds, _, rest = text.partition(".")
    return int(seconds) * 10**9 + int(rest)


def without_interrupts(parts):
    """The name of one that wakes a task may be missing, if that was later."""
    found = {}
    for path, ns in parts.items():
        path = tuple(label[:-1] + (bool(label[-1]),) if label[0] == "blocked" else label for label in path)
        found[path] = found.get(path, 0) + ns
    return found


def all_differences(hist, path, whole, table, rng):
    low = rng.choice([0, rng.choice(table.rows)["ns"]])
    rows = [r for r in table.rows if r["ns"] >= low]
    keys = ["what", "by", "syscall", "reason"]
    if rng.random() < 0.6:
        keys += [k for k in table.types if k != "ns" and k not in keys]
        keys = rng.sample(keys, rng.randint(1, 4))
    by = ["--by", ",".join("in" if k == "syscall" else k for k in keys)]
    out = json.loads(run(hist, "why", "-q", "-i", path, "-e", table.event, "--all", *by, "--min", f"{low}ns", "--top", "0", "--format", "json"))
    got = {tuple(p.get(k) for k in keys): (p["ns"], p["intervals"], p["longest_ns"]) for p in out["parts"]}
    right = totals(whole, rows, keys)
    wrong = [f"{key}: {got.get(key)}, right {right.get(key)}" for key in sorted({*got, *right}, key=str) if got.get(key) != right.get(key)]
    if (out["intervals"], out["ns"]) != (len(rows), sum(r["ns"] for r in rows)):
        wrong.append(f"{out['intervals']} intervals, {out['ns']} ns")
    return f"hist why -i {path} -e {table.event} --all {' '.join(by)} --min {low}ns: " + "; ".join(wrong[:6]) if wrong else None


def compare(got, right, what):
    """What differs in one tree, as a text."""
    have, right = without_interrupts(flat(got["parts"])), without_interrupts(right)
    wrong = [f"{key}: {have.get(key)}, right {right.get(key)}" for key in sorted({*have, *right}, key=str) if have.get(key) != right.get(key)]
    return f"{what}: " + "; ".join(wrong[:6]) if wrong else None


def exemplar(hist, path, table, rng):
    """An interval as an answer prints it: (ns, end, cpu, pid, name) and the arguments that explain it."""
    key = rng.choice([k for k in table.types if k != "ns"])
    commands = []
    if rng.random() < 0.3:
        page = run(hist, "report", "-q", "-i", path, "-e", table.event, "--by", key, "--sum", "ns", "--format", "html")
        commands = re.findall(r"hist why [^<\"]*", page)
    if commands:
        command = rng.choice(commands)
        words = shlex.split(html.unescape(command))
        at, cpu = words[words.index("--at") + 1].split(",")
        pid = words[words.index("--pid") + 1] if "--pid" in words else None
        return (int(re.search(r"ns == (\d+)", command)[1]), nanoseconds(at), int(cpu), pid and int(pid)), words[4:]
    rows = list(csv.DictReader(io.StringIO(run(hist, "report", "-q", "-i", path, "-e", table.event, "--by", key, "--sum", "ns", "--exemplars=2",
                                               "--format", "csv"))))
    row, n = rng.choice(rows), rng.choice("12")
    n = n if row[f"ns_largest{n}"] else "1"
    ns, at, cpu, pid, _ = (row[f"ns_largest{n}" + c] for c in ("", "_at", "_cpu", "_pid", "_comm"))
    return (int(ns), nanoseconds(at), int(cpu), int(pid)), ["-e", table.event, "-f", f"ns == {ns}", "--pid", pid, "--at", f"{at},{cpu}"]


def in_short(path):
    """What of a part is true whatever else is known; None: nothing."""
    label = path[0]
    if label[0] == "waiting":
        return ("waiting", *in_short(path[1:])) if path[1][0] != "unknown" else None
    if label[0] == "blocked":
        return ("blocked", label[3], bool(label[5])) if label[3] is not None else None
    return None if label[0] == "unknown" else label[:2] if label[0] == "running" else label[:3]


def beside_holes(hist, path, whole, tables, rng):
    """If events are missing, no part is larger than in the whole recording."""
    name = "derived:" + rng.choice(["wait", "task_state", "syscall", "lock_wait"])
    rows = [r for t in tables if t.event == name for r in t.rows if r["@pid"]]
    for r in rng.sample(rows, min(4, len(rows))):
        arguments = ["-e", name, "-f", f"ns == {r['ns']}", "--pid", str(r["@pid"]), "--at", f"{seconds(r['@ts'])},{r['@cpu']}"]
        try:
            got = asked(hist, path, 1, *arguments)
        except Wrong as e:
            if "there are no intervals" not in str(e) and "cannot be derived" not in str(e) and "is in the recording" not in str(e):
                raise
            continue
        right, have = {}, {}
        for sums, parts in (right, whole.parts(r["@pid"], r["@ts"] - r["ns"], r["@ts"], 1)), (have, flat(got["parts"])):
            for path_of, ns in parts.items():
                sums[in_short(path_of)] = sums.get(in_short(path_of), 0) + ns
        for key, ns in have.items():
            # an interrupt whose beginning is missing is not known
            hidden = sum(ns for k, ns in right.items() if k and "interrupt" in k) if key and key[0] != "blocked" else 0
            if key and ns > right.get(key, 0) + hidden:
                yield f"hist why -i {path} --depth 1 {shlex.join(arguments)}: {key}: {ns}, in the whole recording {right.get(key)}"


def differences(hist, path, events, shape, tables, rng, tasks=None):
    whole, depth = Why(events, shape, tasks), rng.choice([1, 2, 5])
    tables = [t for t in tables if t.event.removeprefix("derived:") in EVENTS]
    for table in rng.sample(tables, min(2, len(tables))):
        (ns, end, cpu, pid), arguments = exemplar(hist, path, table, rng)
        what = f"hist why -i {path} --depth {depth} {shlex.join(arguments)}"
        rows = [r for r in table.rows if (r["ns"], r["@ts"], r["@cpu"]) == (ns, end, cpu) and pid in (None, r["@pid"])]
        if not rows:
            yield f"{what}: there is no such interval"
            continue
        got, pid = asked(hist, path, depth, *arguments), rows[0]["@pid"]
        if (got["pid"], got["comm"], got["cpu"], got["ns"], nanoseconds(got["to"])) != (pid, rows[0]["@comm"], cpu, ns, end):
            yield f"{what}: pid {got['pid']}, comm {got['comm']}, CPU {got['cpu']}, {got['ns']} ns to {got['to']}, right: {rows[0]}"
        elif pid:
            yield compare(got, whole.parts(pid, end - ns, end, depth), what)
    for table in tables:
        if table.event == "derived:" + rng.choice(["wait", "task_state", "syscall"]):
            yield all_differences(hist, path, whole, table, rng)
    pid = rng.choice([*whole.states])
    a, b = sorted([rng.choice(events).ts, rng.choice(events[:-1]).ts + rng.choice([0, 1])])
    if a < b:
        arguments = ["--pid", str(pid), "--from", seconds(a), "--to", seconds(b)]
        yield compare(asked(hist, path, depth, *arguments), whole.parts(pid, a, b, depth), f"hist why -i {path} --depth {depth} {' '.join(arguments)}")
