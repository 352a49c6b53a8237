# SPDX-License-Identifier: GPL-2.0-only
"""Derived events of random recordings, whose intervals are known when they are made.

derived_model.py function|block_io|slice HIST DIR SEEDS: exits with 1 at the first difference.
"""
import os
import random
import re
import subprocess
import sys

from derived_write import Event, Recording

CPUS = 3


def derived(hist, path, name, script=None):
    """The events as dicts, in the order of their text, and the messages."""
    script = script or f"echo 1 > events/derived/{name}/enable\necho 100000 > buffer_size_kb\ncat trace\n"
    with open(path + ".script", "w") as f:
        f.write(script)
    p = subprocess.run([hist, "report", "-i", path, path + ".script"], capture_output=True, text=True)
    if p.returncode not in (0, 2):
        sys.exit(f"{path}: hist exited with {p.returncode}: {p.stderr}")
    out = []
    for line in p.stdout.splitlines():
        m = re.search(rf": {name}: (.*)", line)
        if m:
            out.append(m[1] if name == "slice" else dict(re.findall(r"(\w+)=((?:(?! \w+=).)*)", m[1])))
    return out, p.stderr


class Clock:
    """Times that are all different, so that the order of records is known."""

    def __init__(self, rng):
        self.rng, self.now = rng, 1_000_000

    def tick(self):
        self.now += self.rng.randint(1, 2000)
        return self.now


# --- function_graph ---

ENTRY = Event("ftrace", "funcgraph_entry", 11, [("unsigned long func", 8, 0), ("int depth", 4, 1)])
RETADDR = Event("ftrace", "funcgraph_retaddr_entry", 12,
                [("unsigned long func", 8, 0), ("unsigned int depth", 4, 0), ("unsigned long retaddr", 8, 0)])
EXITS = [  # as the kernel's versions have them, and without what some lack
    ["func", "overrun", "calltime", "rettime", "depth"],
    ["func", "depth", "overrun", "calltime", "rettime"],
    ["func", "retval", "depth", "overrun", "calltime", "rettime"],
    ["func", "depth"],
    ["func", "overrun"],
]
EXIT_TYPES = {"func": ("unsigned long func", 8, 0), "depth": ("int depth", 4, 1), "overrun": ("unsigned int overrun", 4, 0),
              "calltime": ("unsigned long long calltime", 8, 0), "rettime": ("unsigned long long rettime", 8, 0),
              "retval": ("unsigned long retval", 8, 0)}


FUNCS = [0xffffffff81000000 + 0x1000 * i for i in range(12)]


class Call:
    def __init__(self, func, depth, start):
        self.func, self.depth, self.start, self.callees, self.traced = func, depth, start, 0, True


def function(rng, path):
    names = rng.choice(EXITS)
    leave = Event("ftrace", "funcgraph_exit", 10, [EXIT_TYPES[n] for n in names])
    timed, by_depth = "calltime" in names, "depth" in names
    enter = rng.choice([ENTRY, RETADDR])
    # without depth, an exit needs its entry; a function that is not on the stack twice is unambiguous
    rec = Recording([ENTRY, RETADDR, leave], CPUS, [(p, f"t{p}") for p in range(20, 30)],
                    [(f, f"f{i}") for i, f in enumerate(FUNCS)])
    clock, stacks, want = Clock(rng), {}, []
    nosleep = timed and rng.random() < 0.5
    lost = rng.random() < 0.3
    lose_at = rng.randint(100, 300) if lost else None
    count = 0
    for step in range(400):
        # the CPU that loses events may have had any since its last record: that is the one before
        near = lost and step in (lose_at - 1, lose_at)
        if step == lose_at:
            for (_, on), calls in stacks.items():  # the idle task of another CPU has its records there
                for c in calls:
                    c.traced &= on != 0
            rec.lose(0)
        cpu = 0 if near else rng.randrange(CPUS)
        pid = rng.choice([0] + list(range(20, 24)))
        key = (pid, cpu if pid == 0 else 0)
        calls = stacks.setdefault(key, [])
        now = clock.tick()
        if nosleep and calls and rng.random() < 0.2:
            # options/sleep-time is 0: the task was away, and the kernel moves the starts of its functions
            clock.now += (away := rng.randint(1000, 90000))
            now += away
            for c in calls:
                c.start += away
        if calls and (len(calls) > 8 or rng.random() < 0.5):
            c = calls.pop()
            start = c.start - rng.randint(0, 3) if timed else c.start
            end = now - (rng.randint(0, 1) if timed else 0)
            if not near and rng.random() < 0.15:  # an exit that was not traced
                continue
            ns = end - start
            values = {"func": c.func, "depth": c.depth, "overrun": 0, "calltime": start, "rettime": end, "retval": 5}
            rec.add(cpu, now, leave, pid, [values[n] for n in names])
            if not c.traced:
                count += 1
                continue
            if calls:
                calls[-1].callees += ns
            want.append((c.func, c.depth, ns, max(0, ns - c.callees), pid, cpu))
            if calls and calls[-1].traced and not near and rng.random() < 0.1:
                # an interrupt before the end of the level: its function is one level deeper, and interrupts the caller
                func = rng.choice([f for f in FUNCS if all(c.func != f for c in calls)])
                start, end = clock.tick(), clock.tick()
                values = {"func": func, "depth": c.depth + 1, "overrun": 0, "calltime": start, "rettime": end, "retval": 5}
                rec.add(cpu, start, enter, pid, [func, c.depth + 1, 0][:len(enter.fields)])
                rec.add(cpu, end, leave, pid, [values[n] for n in names])
                calls[-1].callees += end - start
                want.append((func, c.depth + 1, end - start, end - start, pid, cpu))
        else:
            func = rng.choice([f for f in FUNCS if all(c.func != f for c in calls)])
            calls.append(Call(func, len(calls), now))
            rec.add(cpu, now, enter, pid, [func, len(calls) - 1, 0][:len(enter.fields)])
    rec.write(path)
    return want, count


def function_got(events):
    return [(int(e["func"]), int(e["depth"]), int(e["ns"]), int(e["self_ns"]), int(e["pid"]), int(e["cpu"]))
            for e in events]


# --- block ---

def block_events(rng):
    dev, sector = [("dev_t dev", 4, 0), ("sector_t sector", 8, 0)], ("unsigned int nr_sector", 4, 0)
    old = rng.random() < 0.5
    rwbs, comm = ("char rwbs[8]" if old else "char rwbs[10]", 8 if old else 10, 0), ("char comm[16]", 16, 0)
    prio = [] if old else [("unsigned short ioprio", 2, 0)]
    error = ("int errors" if rng.random() < 0.3 else "int error", 4, 1)
    begin = dev + [sector, ("unsigned int bytes", 4, 0)] + prio + [rwbs, comm]
    return {
        "insert": Event("block", "block_rq_insert", 500, begin),
        "issue": Event("block", "block_rq_issue", 501, begin),
        "merge": Event("block", "block_rq_merge", 502, begin),
        "requeue": Event("block", "block_rq_requeue", 503, dev + [sector] + prio + [rwbs]),
        "complete": Event("block", "block_rq_complete", 504, dev + [sector, error] + prio + [rwbs]),
    }, bool(prio)


RWBS = {"R": ("read", ""), "RA": ("read", "ahead"), "W": ("write", ""), "WS": ("write", "sync"),
        "WSM": ("write", "sync,meta"), "FWFS": ("write", "preflush,fua,sync"), "WFS": ("write", "fua,sync"),
        "D": ("discard", ""), "DS": ("discard", "sync"), "DE": ("secure_erase", ""), "FF": ("flush", ""), "F": ("flush", "")}


class Request:
    def __init__(self, rng):
        self.dev, self.rwbs = rng.choice([(8, 0), (8, 16), (259, 3)]), rng.choice(list(RWBS))
        self.sector, self.size = 8 * rng.randrange(1, 60), 8 * rng.randint(1, 4)
        if RWBS[self.rwbs][0] == "flush":
            self.sector = self.size = 0
        self.queued = self.device = 0
        self.state, self.since, self.first, self.again = None, 0, None, False

    def spans(self, other):
        return self.sector == other.sector or self.sector < other.sector + other.size and other.sector < self.sector + self.size


def block_io(rng, path):
    events, has_prio = block_events(rng)
    rec = Recording(list(events.values()), CPUS, [(0, "<idle>")])
    clock, want, requests = Clock(rng), [], []
    count, order = 0, 0
    lose_at = rng.randint(100, 300) if rng.random() < 0.3 else None
    silent = not lose_at and rng.random() < 0.4  # requests that are given back are not recorded
    if not silent:
        rec.add(0, clock.tick(), events["requeue"], 20, [1, 1, 8] + [0] * has_prio + ["R"])

    def put(what, rq, cpu, pid, now, sector=None, nr=None):
        values = [rq.dev[0] << 20 | rq.dev[1], rq.sector if sector is None else sector, rq.size if nr is None else nr]
        if what == "complete":
            values.append(rq.error)
        elif what != "requeue":
            values.append(512 * rq.size)
        values += [0] * has_prio + [rq.rwbs]
        if what in ("insert", "issue", "merge"):
            values.append(f"t{pid}")
        rec.add(cpu, now, events[what], pid, values)

    def same(a, b):
        return a.dev == b.dev and a.rwbs == b.rwbs

    for step in range(500):
        if step == lose_at:
            count += sum(rq.state is not None for rq in requests)
            for rq in requests:
                rq.state = "unknown"
            rec.lose(0)
        near = lose_at is not None and step in (lose_at - 1, lose_at)
        cpu, pid, now = 0 if near else rng.randrange(CPUS), rng.randint(20, 25), clock.tick()
        queued = [rq for rq in requests if rq.state == "queued"]
        issued = [rq for rq in requests if rq.state == "issued"]
        rq, what = Request(rng), rng.random()
        rq.error = rng.choice([0, 0, 0, -5])
        if near or what < 0.3 or not requests:  # a new one
            known = [o for o in queued if same(o, rq) and o.spans(rq)]
            if silent and any(same(o, rq) and o.spans(rq) for o in requests):
                known.append(rq)
            if known or any(o.again and same(o, rq) and o.sector == rq.sector for o in queued):
                if near:
                    put("complete", rq, cpu, pid, now, sector=10000, nr=0)
                continue
            if rng.random() < 0.6:
                put("insert", rq, cpu, pid, now)
                rq.state, rq.since = "queued", now
            else:
                put("issue", rq, cpu, pid, now)
                rq.state, rq.since, rq.first = "issued", now, (rq.sector, rq.size, pid)
                rq.order = order = order + 1
            requests.append(rq)
        elif what < 0.5 and queued:
            rq = rng.choice(queued)
            rivals = [o for o in queued if o is not rq and same(o, rq) and abs(o.sector - rq.sector) <= 40]
            if rng.random() < 0.2 and not rq.again:  # merged into another one, perhaps after it has grown at its front
                if rng.random() < 0.4 and rq.size and not rivals and rq.sector > 8:
                    rq.sector, rq.size = rq.sector - 8, rq.size + 8
                put("merge", rq, cpu, pid, now)
                requests.remove(rq)
                continue
            if rng.random() < 0.2 and rq.again and not rivals:
                put("insert", rq, cpu, pid, now)
                rq.again = False
                continue
            if not rq.first and rq.size and not rivals:  # what was added while it was queued
                front, back = 8 * rng.randint(0, 1), 8 * rng.randint(0, 1)
                if rq.sector > front:
                    rq.sector, rq.size = rq.sector - front, rq.size + front
                rq.size += back
            if any(o.sector == rq.sector for o in rivals):
                continue
            put("issue", rq, cpu, pid, now)
            rq.queued += now - rq.since
            rq.state, rq.since, rq.again = "issued", now, False
            rq.first = (*rq.first[:2], pid) if rq.first and rq.first[1] else (rq.sector, rq.size, pid)
            rq.order = order = order + 1
        elif issued:
            rq = rng.choice(issued)
            rq = min((o for o in issued if same(o, rq) and o.sector == rq.sector), key=lambda o: o.order)
            if what < 0.55:
                if any(same(o, rq) and o.spans(rq) for o in queued):
                    continue
                if silent:
                    put("issue", rq, cpu, pid, clock.tick())
                    continue
                put("requeue", rq, cpu, pid, now)
                rq.device += now - rq.since
                rq.state, rq.since, rq.again = "queued", now, True
                continue
            if what < 0.65 and rq.size > 8:  # its first part
                put("complete", rq, cpu, pid, now, nr=8)
                rq.sector, rq.size = rq.sector + 8, rq.size - 8
                continue
            if what < 0.7 and rq.size:  # the end of a flush that belongs to it
                put("complete", rq, cpu, pid, now, nr=0)
                continue
            flush = not rq.size
            put("complete", rq, cpu, 0, now, sector=rng.choice([0, (1 << 64) - 1]) if flush else None)
            rq.device += now - rq.since
            requests.remove(rq)
            op, flags = RWBS[rq.rwbs]
            sector, size, pid = rq.first
            want.append((f"{rq.dev[0]}:{rq.dev[1]}", op, flags, sector, 512 * size, rq.queued + rq.device, rq.queued,
                         rq.device, rq.error, pid, f"t{pid}", rq.rwbs))
    rec.write(path)
    return want, count


def block_got(events):
    return [(e["dev"], e["op"], e["flags"], *(int(e[f]) for f in ("sector", "bytes", "ns", "queued_ns", "device_ns",
                                                                 "error", "pid")), e["comm"].strip(), e["rwbs"].strip()) for e in events]


# --- markers ---

PRINT = Event("ftrace", "print", 5, [("unsigned long ip", 8, 0), ("char buf[]", 0, 0)])
THREAD_EXIT = Event("sched", "sched_process_exit", 600, [("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1)])
NAMES = ["draw", "input frame", "a|b", "x=1", "", "B|7|y", "long " + "n" * 60]


class Mark:
    def __init__(self, name, depth, start, pid, tgid):
        self.name, self.depth, self.start, self.pid, self.tgid, self.inner = name, depth, start, pid, tgid, 0
        self.known = True


def slices(rng, path):
    rec = Recording([PRINT, THREAD_EXIT], CPUS, [(p, f"t{p}") for p in range(20, 30)])
    clock, want, stacks, others = Clock(rng), [], {}, {}
    lose_at = rng.randint(100, 300) if rng.random() < 0.3 else None
    count = 0

    def put(cpu, now, pid, text):
        rec.add(cpu, now, PRINT, pid, [0xffffffff81000000, rng.choice(["", "", "tracing_mark_write: "]) + text + rng.choice(["", "\n"])])

    def end(m, now, cpu):
        if m.known:
            want.append((m.name, m.depth, now - m.start, max(0, now - m.start - m.inner), m.pid, m.tgid))

    for step in range(500):
        if step == lose_at:
            for stack in list(stacks.values()) + list(others.values()):
                count += len(stack)
                stack.clear()
            rec.lose(0)
        near = lose_at is not None and step in (lose_at - 1, lose_at)
        cpu, pid, now, what = 0 if near else rng.randrange(CPUS), rng.randint(20, 24), clock.tick(), rng.random()
        tgid, name = pid // 2 * 2, rng.choice(NAMES)
        stack = stacks.setdefault(pid, [])
        if near or what < 0.1:  # what is not a slice
            put(cpu, now, pid, rng.choice(["I|20|instant", "N|20|track|instant", "C|20|counter|5", "hello", "Begin", "EB|2|x", "S|20|x",
                                           "", "B", "S|", "G|20|a", "trace_event_clock_sync: parent_ts=1.5"]))
        elif what < 0.4:
            stack.append(Mark(name, len(stack), now, pid, tgid))
            put(cpu, now, pid, f"B|{tgid}|{name}")
        elif what < 0.65:
            if not stack:
                count += 1  # nothing began
            put(cpu, now, pid, rng.choice(["E", f"E|{tgid}", "E|", f"E|{tgid}|{name}"]))
            if stack:
                m = stack.pop()
                if stack:
                    stack[-1].inner += now - m.start
                end(m, now, cpu)
        elif what < 0.67:
            rec.add(cpu, now, THREAD_EXIT, pid, [f"t{pid}", pid, 120])
            stack.clear()
        else:
            cookie, track = rng.randint(0, 3), rng.choice(["", "lane"])
            key = (tgid, "G" + track, cookie) if track else (tgid, name, cookie)
            begun = others.setdefault(key, [])
            if rng.random() < 0.5 and len(begun) < 3:
                begun.append(Mark(name, len(begun), now, pid, tgid))
                put(cpu, now, pid, f"G|{tgid}|{track}|{name}|{cookie}" if track else f"S|{tgid}|{name}|{cookie}")
            else:
                put(cpu, now, pid, rng.choice([f"H|{tgid}|{track}|{cookie}", f"H|{tgid}|{track}|x|{cookie}"]) if track else
                    f"F|{tgid}|{name}|{cookie}")
                if begun:
                    end(begun.pop(), now, cpu)
                else:
                    count += 1
    rec.write(path)
    return want, count


def slices_got(lines):
    out = []
    for line in lines:
        m = re.match(r"name=(.*) depth=(\d+) ns=(\d+) self_ns=(\d+) pid=(\d+) tgid=(\d+) ", line)
        out.append((m[1], *(int(n) for n in m.groups()[1:])))
    return out


# --- all ---

MODELS = {"slice": (slices, slices_got), "function": (function, function_got), "block_io": (block_io, block_got)}


def main():
    name, hist, directory, seeds = sys.argv[1:]
    make, read = MODELS[name]
    total = left_out = 0
    for seed in range(int(seeds)):
        path = os.path.join(directory, f"{name}-{seed}.dat")
        want, count = make(random.Random(seed), path)
        events, messages = derived(hist, path, name)
        got = read(events)
        if got != want:
            for i, (a, b) in enumerate(zip(got + [None], want + [None])):
                if a != b:
                    sys.exit(f"{path}: event {i}: {a}, expected {b}; {len(got)} events, expected {len(want)}\n{messages}")
        said = sum(int(n) for n in re.findall(r"(\d+) intervals? (?:was|were) left out", messages))
        if said != count:
            sys.exit(f"{path}: {said} left out, expected {count}\n{messages}")
        total += len(want)
        left_out += count
        os.unlink(path)
    print(f"{name}: {total} events, {left_out} left out")


main()
