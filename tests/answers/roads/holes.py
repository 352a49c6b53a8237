# SPDX-License-Identifier: GPL-2.0-only
"""Recordings in which events of some CPUs are missing: what is derived of them, beside what is derived of the whole.

Each complete interval is one of the whole recording, and each one is there during which nothing that could have ended it is missing.
"""
import csv
import io
import json
import os
import random

from reference import derived
from roads.common import column, run

# fields that tell something about an interval which is not missing itself: names, and what was before it or elsewhere
CONTEXT = {
    "wait": {"comm", "kind", "other_idle_ns", "reason", "waker_comm", "idle_cpu"}, "task_state": {"comm", "state", "next_state", "waker_comm"}, "irq": {"comm", "pid"},
    "delay": {"victim_comm", "culprit_comm", "kind", "preemptions", "culprit_cgroup"}, "runqueue": set(),
    "syscall": {"comm", "running_ns", "waiting_ns", "sleeping_ns", "irq_ns", "unknown_ns"}, "softirq_wait": {"comm", "raises"},
    "lock_wait": {"comm", "kind", "prio", "owner_pid", "owner_comm", "owner_prio", "inverted"}, "block_io": {"comm", "queued_ns", "ns"}, "counter": {"comm"}, "allocation": {"comm"}, "function": {"comm"},
    "slice": {"comm", "depth", "running_ns", "waiting_ns", "sleeping_ns", "irq_ns", "unknown_ns"},
}
OF_ONE_CPU = ("irq", "softirq_wait")
PARTS = ("running_ns", "waiting_ns", "sleeping_ns", "irq_ns")


def make(rng, cpus):
    """(the events of each CPU with None or numbers where some are missing, {cpu: [(last before, first after)]})"""
    found, holes = [], {}
    for n, events in enumerate(cpus):
        events = list(events)
        for _ in range(rng.choice([0, 1, 1, 2])):
            if len(events) < 8:
                continue
            a = rng.choice([0 if n else 4, rng.randrange(4, len(events) - 2)])
            b = min(len(events) - 1, a + rng.choice([1, 2, 5, 20]))
            if any(not hasattr(e, "ts") for e in events[max(0, a - 1):b + 2]):
                continue
            holes.setdefault(n, []).append((events[a - 1].ts if a else 0, events[b].ts))
            events[a:b] = [rng.choice([None, b - a])]
        found.append(events)
    return found, holes


def rows_of(hist, path, name, *options):
    fields = list(derived.types_of(name))
    out = run(hist, "events", "-q", "-i", path, *options, "-e", "derived:" + name, "--format", "csv", "--fields", ",".join(["ts", "cpu", *map(column, fields)]))
    types = derived.types_of(name)
    for r in list(csv.reader(io.StringIO(out)))[1:]:
        yield int(r[0]), {f: int(v) if types[f] == "int" else v for f, v in zip(fields, r[2:])}


def rows_of_all(hist, path, names):
    """The same of several events, which one program derives."""
    found, out = {name: [] for name in names}, run(hist, "events", "-q", "-i", path, "-e", ",".join("derived:" + n for n in names), "--format", "json")
    for r in json.loads(out):
        name = r["event"].partition(":")[2]
        number = lambda v: int(v, 0) if isinstance(v, str) else v
        found[name].append((r["ts"], {f: number(r["fields"][f]) if kind == "int" else r["fields"][f] for f, kind in derived.types_of(name).items()}))
    return found


def identity(name, ts, fields):
    return (ts, *sorted((k, v) for k, v in fields.items() if k not in CONTEXT[name] and k != "open"))


def of_depths(got, whole):
    """After a hole, a task that has no more events is not counted: depths are not larger."""
    for ts, f in got:
        for e, true in whole:
            if true["cpu"] == f["cpu"] and ts - f["ns"] < e.ts and e.ts - true["ns"] < ts and true["depth"] < f["depth"]:
                yield f"derived:runqueue at {ts}: {f} is larger than in the whole recording: {true}"


def of_delays(got, whole):
    """No culprit has more than its time, the rest is unknown, and the delays of a wait add up to it."""
    who = lambda f: (f["victim_pid"], f["culprit_kind"], f["culprit_pid"] or f["culprit_comm"])
    true = {}
    for e, f in whole["delay"]:
        true[e.ts, *who(f)] = true.get((e.ts, *who(f)), 0) + f["ns"]
    waits, sums = {(ts, f["pid"]): f["ns"] for ts, f in got["wait"]}, {}
    for ts, f in got["delay"]:
        sums[ts, f["victim_pid"]] = sums.get((ts, f["victim_pid"]), 0) + f["ns"]
        if f["culprit_kind"] != "unknown" and f["ns"] > true.get((ts, *who(f)), 0):
            yield f"derived:delay at {ts}: {f} is not of the whole recording: {true.get((ts, *who(f)), 0)}"
    for key, ns in sums.items():
        if waits.get(key) != ns:
            yield f"derived:delay at {key}: {ns} together, the wait is {waits.get(key)}"


def of_holds(got, whole):
    """No task was held back while it was not in the whole recording."""
    span = lambda ts, f: (ts - f["ended_ns"] - f["ns"], ts - f["ended_ns"])
    for ts, f in got:
        a, b = span(ts, f)
        if not any(true["pid"] == f["pid"] and c <= a and b <= d for e, true in whole for c, d in [span(e.ts, true)]):
            yield f"derived:held at {ts}: {f} is not of the whole recording"


def of_slim(hist, path, rng):
    """A smaller recording has the answer of this one, whose holes it states."""
    name = rng.choice([n for n in derived.FIELDS if n not in ("counter", "throttle")])
    ask = ["-e", "derived:" + name, "--by", "ns", *rng.choice([[], ["--open-intervals"]])]
    small = path + ".slim"
    run(hist, "slim", "-q", "-i", path, "-o", small, *ask)
    whole, part = (sorted(run(hist, "report", "-q", "-i", p, *ask, "--format", "csv").splitlines()) for p in (path, small))
    os.unlink(small)
    if whole != part:
        yield f"hist slim {' '.join(ask)}: {[r for r in part if r not in whole][:3]}, not {[r for r in whole if r not in part][:3]}"


def of_perfetto(hist, path, got, rng):
    """A trace of Perfetto has the same holes; their names of softirqs are others."""
    trace, some = path + ".pftrace", rng.sample([n for n in got if n not in ("irq", "softirq_wait", "delay")], 3)
    run(hist, "events", "-q", "-i", path, "-e", "all", "--format", "perfetto", "-o", trace)
    for name in some:
        rows = [str(r) for r in rows_of(hist, trace, name)]
        right = [str(r) for r in got[name]]
        if sorted(rows) != sorted(right):
            yield f"derived:{name} of a trace of Perfetto: {[r for r in rows if r not in right][:2]}, not {[r for r in right if r not in rows][:2]}"
    os.unlink(trace)


def differences(hist, path, events, shape, holes, throttles):
    """Texts of what is wrong."""
    models = derived.models(shape)
    whole = {name: list(model(events)) for name, model in models.items()}
    got = rows_of_all(hist, path, [*models]) if len(events) % 4 else {name: list(rows_of(hist, path, name)) for name in models}
    for name in random.Random(len(events)).sample([*models], 3):  # --open-intervals adds to them
        known = lambda rows: [(ts, {k: v for k, v in f.items() if k not in (*PARTS, "unknown_ns")}) for ts, f in rows if f["open"] == "no"]
        complete, alone = known(rows_of(hist, path, name, "--open-intervals")), known(got[name])
        only = [r for r in complete if r not in alone], [r for r in alone if r not in complete]
        for rows, where in zip(only, ("only with", "not with")):
            yield from (f"derived:{name} at {ts}: {f} is there {where} --open-intervals" for ts, f in rows[:2])
    yield from of_slim(hist, path, random.Random(len(events)))
    yield from of_perfetto(hist, path, got, random.Random(len(events)))
    yield from of_delays(got, whole)
    yield from of_holds(got["held"], whole["held"])
    if not throttles:  # when a CPU becomes idle, no task is taken to wait for it
        yield from of_depths(got["runqueue"], whole["runqueue"])
    # of a request that the driver gave back, its issue may be missing
    back = {(f"{e.values['dev'] >> 20}:{e.values['dev'] & 0xfffff}", e.values["sector"]) for e in events if e.kind.name == "block_rq_requeue"}
    got["block_io"] = [(ts, f) for ts, f in got["block_io"] if (f["dev"], f["sector"]) not in back]
    whole["block_io"] = [(e, f) for e, f in whole["block_io"] if (f["dev"], f["sector"]) not in back]
    # a mutex can have several begins: the first one may be missing
    got["lock_wait"] = [(ts, f) for ts, f in got["lock_wait"] if not f["kind"].startswith("mutex")]
    whole["lock_wait"] = [(e, f) for e, f in whole["lock_wait"] if not f["kind"].startswith("mutex")]
    # of an asynchronous slice with two beginnings, the first one may be missing
    begun, twice = {}, set()
    for e in events:
        kind, *parts = e.values["buf"].rstrip("\n").split("|") if e.kind.name == "print" else ("",)
        if kind in "SG" and kind and len(parts) > 2:
            key = (kind, parts[0], parts[1], parts[2] if kind == "S" else parts[-1])
            begun[key] = begun.get(key, 0) + 1
        elif kind in ("F", "H") and len(parts) > 2 and begun.pop(({"F": "S", "H": "G"}[kind], *parts), 0) > 1:
            twice.add(e.ts)
    got["slice"] = [(ts, f) for ts, f in got["slice"] if ts not in twice]
    whole["slice"] = [(e, f) for e, f in whole["slice"] if e.ts not in twice]
    # of a call with two beginnings, the first one may be missing
    got["syscall"] = [(ts, f) for ts, f in got["syscall"] if f["id"] != 24]
    whole["syscall"] = [(e, f) for e, f in whole["syscall"] if f["id"] != 24]
    # of a softirq, the CPU must have taken what was pending in a hole,
    runs = {}
    for e in events:
        if e.kind.name == "softirq_entry":
            runs.setdefault(e.cpu, []).append(e.ts)
    # and a batch that it took in the hole may still run: there are ten softirqs
    entries = lambda cpu, a, b: sum(a <= ts < b for ts in runs.get(cpu, []))
    got["softirq_wait"] = [(ts, f) for ts, f in got["softirq_wait"] if all(
        b > ts or entries(f["cpu"], b, ts - f["ns"]) > 10 for a, b in holes.get(f["cpu"], []))]
    doubted = {(e.ts, e.cpu) for e, f in whole["softirq_wait"] if any(
        b <= e.ts and entries(e.cpu, b, e.ts - f["ns"]) <= 10 for a, b in holes.get(e.cpu, []))}
    for name in set(models) - {"delay", "held", "runqueue"}:
        ran = {(e.ts, f["pid"]): e.ts - f["ns"] for e, f in whole["task_state"] if f["state"] == "running"}
        yield from differ(name, {identity(name, e.ts, f): (e, f) for e, f in whole[name]}, got[name], holes, ran, doubted)


def differ(name, whole, got, holes, ran, doubted):
    found = set()
    for ts, fields in got:
        key = identity(name, ts, fields)
        found.add(key)
        if key not in whole:
            yield f"derived:{name} at {ts}: {fields} is not of the whole recording"
        elif "unknown_ns" in fields and any(fields[p] > whole[key][1][p] for p in PARTS):
            yield f"derived:{name} at {ts}: {fields} has more than the whole recording: {whole[key][1]}"
    for key in set(whole) - found:
        e, fields = whole[key]
        begin, near = e.ts - fields.get("ns", 0), [e.cpu] if name in OF_ONE_CPU or fields.get("state") == "running" else list(holes)
        begin = ran.get((begin, fields.get("pid")), begin)  # who is woken on its way to sleep must be known to run
        if name == "softirq_wait" and (e.ts, e.cpu) in doubted:
            continue
        if not any(a <= e.ts and begin <= b for cpu in near for a, b in holes.get(cpu, [])):
            yield f"derived:{name} at {e.ts}: {fields} is not reported"
