# SPDX-License-Identifier: GPL-2.0-only
"""Stacks where tasks leave the CPU, and of who wakes them: sleep_stack and waker_stack as columns and keys, and the recipe off-wake-stacks."""
import collections
import copy
import csv
import io
import json
import os

from machines import machine
from machines.recording import Event, Type
from reference import scheduler
from roads.common import run

STACK = Type("ftrace", "kernel_stack", 4, ("int", "size"), ("unsigned long[*]", "caller"), fmt='"\\t=> %ps\\n", (void *)REC->caller[0]')
TRACER = 2  # the first functions of a stack, which record it


def recorded(rng, m):
    """Events with stacks behind some of them; e.stack is without the functions of the tracer."""
    events = []
    for e in m.events:
        events.append(e := copy.copy(e))
        e.stack = ()
        if e.kind in (machine.SWITCH, machine.WAKING, machine.WAKEUP, machine.NEW) and rng.random() < 0.8:
            frames = [0x7ffe0000, 0x7ffe0010] + [0x7f000000 + 16 * rng.randrange(4) for _ in range(rng.choice([1, 2, 7]))]
            e.stack = tuple(frames[TRACER:])
            events.append(Event(STACK, e.ts, e.cpu, e.pid, dict(size=len(frames), caller=frames), e.flags, e.comm))
    return events


def rows_of(events):
    """derived:task_state, with both stacks: (end, fields)"""
    left, at = {}, 0  # of each task, the stack with which it last left a CPU
    for i in scheduler.intervals_of_tasks(events):
        while events[at] is not i.end:
            v, name = events[at].values, events[at].kind.name
            if name == "sched_switch":
                left[v["prev_pid"]] = events[at].stack
            elif name == "sched_wakeup_new":
                left[v["pid"]] = ()
            at += 1
        by = i.waker or i.by
        if i.state == "running" or i.state in scheduler.WAITS or i.waker:
            yield i.end, dict(pid=i.pid, comm=i.comm, state=i.state, ns=i.end.ts - i.begin, next_state=i.next, waker_comm=scheduler.woken_by(i.waker)["waker_comm"],
                              sleep_stack=left.get(i.pid, ()) if i.state != "running" else (), waker_stack=by.stack if by else ())


def differ(what, got, right):
    for key in sorted({*got, *right}, key=str)[:400]:
        if got.get(key) != right.get(key):
            yield f"{what}: {key}: {got.get(key)}, right {right.get(key)}"


def differences(hist, path, shape, rng):
    m = machine.Machine(rng)
    while m.even:  # of events of one time, which one began an interval is not known
        m = machine.Machine(rng)
    events, path, wrong = recorded(rng, m), path + ".stacks", []
    shape.write(path, [*machine.KINDS, STACK], [[e for e in events if e.cpu == c.number] for c in m.cpus], m.names)
    rows = list(rows_of([e for e in events if e.kind is not STACK]))
    words = lambda stack: " ".join(hex(a) for a in stack)
    for name, state, chosen in (("task_state", "state", lambda f: True), ("wait", "kind", lambda f: f["state"] in scheduler.WAITS)):
        out = run(hist, "events", "-q", "-i", path, "-e", "derived:" + name, "--format", "csv", "--fields", f"ts,pid,{state},sleep_stack,waker_stack")
        right = collections.Counter((str(e.ts), str(f["pid"]), f["state"], words(f["sleep_stack"]), words(f["waker_stack"])) for e, f in rows if chosen(f))
        wrong += differ(f"hist events -i {path} -e derived:{name}", collections.Counter(map(tuple, list(csv.reader(io.StringIO(out)))[1:])), right)
    low = rng.choice([0, 0, rng.choice(rows)[1]["ns"] // 1000]) if rows else 0
    off = [f for _, f in rows if f["state"] != "running" and f["ns"] >= 1000 * low]
    tables = ([("sleep_stack",), off], [("waker_stack", "waker_comm"), [f for f in off if f["next_state"] == "woken"]], [("comm", "sleep_stack", "waker_stack"), off])
    for (keys, of), line in zip(tables, run(hist, "report", "off-wake-stacks", "-q", "-i", path, "-D", f"min={low}us", "--format", "json").splitlines()):
        right, got = {}, {}
        for f in of:
            hits, ns = right.get(key := tuple(f[k] for k in keys), (0, 0))
            right[key] = hits + 1, ns + f["ns"]
        for r in json.loads(line)["data"]:
            address = lambda frame: int(frame["addr"], 0) if isinstance(frame, dict) else int(str(frame), 0)
            key = tuple(tuple(map(address, r["key"][k])) if k.endswith("stack") else r["key"][k] for k in keys)
            got[key] = r["val"]["hitcount"], r["val"]["ns"]
        wrong += differ(f"hist report off-wake-stacks -i {path} -D min={low}us by {','.join(keys)}", got, right)
    if not wrong:
        os.unlink(path)
    return wrong[:5]
