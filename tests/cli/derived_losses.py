# SPDX-License-Identifier: GPL-2.0-only
"""Whether derivers invent intervals where events are missing.

Each derived event is made before and after a loss, and in each way that a loss can cut it: of the CPU of the interval or
of another one, as lost events or as a damaged sub-buffer, with the end of the interval before or after the CPU that lost
events goes on. No derived event may overlap the time in which events are missing, those outside are all there, and what
the loss cut is counted. But what one CPU shows from begin to end is there, whatever another one lost.

derived_losses.py HIST DIR: exits with 1 at the first difference.
"""
import os
import re
import subprocess
import sys

from derived_write import Event, Recording

COMM = ("char comm[16]", 16, 0)
PID, PRIO = ("pid_t pid", 4, 1), ("int prio", 4, 1)
NOISE = Event("app", "noise", 700, [("int n", 4, 1)])
SWITCH = Event("sched", "sched_switch", 701, [
    ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
    ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1)])
WAKING = Event("sched", "sched_waking", 702, [COMM, PID, PRIO, ("int target_cpu", 4, 1)])
IRQ_ENTRY = Event("irq", "irq_handler_entry", 703, [("int irq", 4, 1), ("char name[8]", 8, 0)])
IRQ_EXIT = Event("irq", "irq_handler_exit", 704, [("int irq", 4, 1), ("int ret", 4, 1)])
RAISE, SOFT_ENTRY = (Event("irq", n, i, [("unsigned int vec", 4, 0)]) for n, i in (("softirq_raise", 705), ("softirq_entry", 706)))
ENTER = Event("raw_syscalls", "sys_enter", 707, [("long id", 8, 1)])
LEAVE = Event("raw_syscalls", "sys_exit", 708, [("long id", 8, 1), ("long ret", 8, 1)])
LOCK = Event("lock", "contention_begin", 709, [("void * lock_addr", 8, 0), ("unsigned int flags", 4, 0)])
LOCKED = Event("lock", "contention_end", 710, [("void * lock_addr", 8, 0), ("int ret", 4, 1)])
ISSUE = Event("block", "block_rq_issue", 711, [("dev_t dev", 4, 0), ("sector_t sector", 8, 0), ("unsigned int nr_sector", 4, 0),
                                               ("unsigned int bytes", 4, 0), ("char rwbs[8]", 8, 0), COMM])
DONE = Event("block", "block_rq_complete", 712, [("dev_t dev", 4, 0), ("sector_t sector", 8, 0), ("unsigned int nr_sector", 4, 0),
                                                 ("int error", 4, 1), ("char rwbs[8]", 8, 0)])
CALL = Event("ftrace", "funcgraph_entry", 11, [("unsigned long func", 8, 0), ("int depth", 4, 1)])
RETURN = Event("ftrace", "funcgraph_exit", 10, [("unsigned long func", 8, 0), ("int depth", 4, 1), ("unsigned int overrun", 4, 0)])
PRINT = Event("ftrace", "print", 5, [("unsigned long ip", 8, 0), ("char buf[]", 0, 0)])
EVENTS = [NOISE, SWITCH, WAKING, IRQ_ENTRY, IRQ_EXIT, RAISE, SOFT_ENTRY, ENTER, LEAVE, LOCK, LOCKED, ISSUE, DONE, CALL, RETURN, PRINT]
TASK = 20


def one(event, values, pid=TASK):
    return lambda rec, ts: rec.add(0, ts, event, pid, values)


def several(*steps):
    """Records that are 10 ns apart."""
    def emit(rec, ts):
        for i, step in enumerate(steps):
            step(rec, ts + 10 * i)
    return emit


# of sched: the task is asleep, and the CPU idle, before and after
WAKE = one(WAKING, ["t", TASK, 120, 0], 0)
RUN = one(SWITCH, ["swapper", 0, 120, 0, "t", TASK, 120], 0)
SLEEP = one(SWITCH, ["t", TASK, 120, 1, "swapper", 0, 120])
WAKE_OTHER = one(WAKING, ["u", TASK + 1, 120, 0], 0)
OTHER = one(SWITCH, ["swapper", 0, 120, 0, "u", TASK + 1, 120], 0)
TO_TASK = one(SWITCH, ["u", TASK + 1, 120, 1, "t", TASK, 120], TASK + 1)

SPIN = one(LOCK, [0xffff888100000000, 1])  # which disables preemption

# event, options, begin, end, how many intervals are complete without a loss: of one more begin and end
CASES = [
    ("irq", [], one(IRQ_ENTRY, [5, "disk"]), one(IRQ_EXIT, [5, 1])),
    ("softirq_wait", [], one(RAISE, [3]), one(SOFT_ENTRY, [3])),
    ("syscall", [], one(ENTER, [0]), one(LEAVE, [0, 1])),
    ("function", [], one(CALL, [0xffffffff81000000, 0]), one(RETURN, [0xffffffff81000000, 0, 0])),
    ("block_io", [], one(ISSUE, [8 << 20, 64, 8, 4096, "R", "t"]), one(DONE, [8 << 20, 64, 8, 0, "R"])),
    ("lock_wait", [], one(LOCK, [0xffff888100000000, 32]), one(LOCKED, [0xffff888100000000, 0])),
    ("lock_wait", [], SPIN, one(LOCKED, [0xffff888100000000, 0])),
    ("slice", [], one(PRINT, [0, "B|20|x"]), one(PRINT, [0, "E"])),
    ("slice", ["--slice-begin", "app:noise if n == 1", "--slice-end", "app:noise if n == 2"], one(NOISE, [1]), one(NOISE, [2])),
    ("wait", [], WAKE, several(RUN, SLEEP)),
    ("task_state", [], WAKE, several(RUN, SLEEP)),
    ("delay", [], several(WAKE_OTHER, OTHER, WAKE), several(TO_TASK, SLEEP)),
    ("runqueue", [], WAKE, several(RUN, SLEEP)),
]


LOCAL = ("irq", "softirq_wait")  # only the CPU of the interval can end it
RUNS = 10  # and for so long, a task runs


def derived(hist, paths, name, options):
    inputs = [word for path in paths for word in ("-i", path)]
    p = subprocess.run([hist, "events", *inputs, "-e", f"derived:{name}", *options, "--format", "tsv", "--fields", "ts,ns"],
                       capture_output=True, text=True)
    rows = [tuple(map(int, line.split("\t"))) for line in p.stdout.splitlines()[1:]]
    counts = [int(n) for n in re.findall(r"(\d+) intervals? (?:was|were) left out", p.stderr)]
    return [(ts - ns, ts) for ts, ns in rows], sum(counts), p.stderr


def check(hist, directory, case, lose, cpu, late, twice=False):
    name, options, begin, end = case
    path = os.path.join(directory, f"{name}-{lose or 'whole'}-{cpu}-{late}.dat")
    rec = Recording(EVENTS, 2, [(TASK, "t"), (TASK + 1, "u")])
    pairs = [(1_000, 2_000), (3_000, 4_000), (5_000, 9_000 if late else 7_000), (11_000, 12_000), (13_000, 14_000)]
    # a second gap before it, of which the number of events is not known, either
    gaps = [(4_300, 4_600)] * twice + [(5_500, 8_000)]
    steps = [(ts, step) for pair in pairs for ts, step in zip(pair, (begin, end))]
    steps += [(ts, lambda rec, ts: rec.add(cpu, ts, NOISE, TASK, [0])) for gap in gaps for ts in gap]
    steps += [(gap[0] + 100, lambda rec, ts: getattr(rec, lose)(cpu)) for gap in gaps if lose]
    # of a CPU that lost events, those between are missing
    for ts, step in sorted(steps, key=lambda s: s[0]):
        if not (lose and cpu == 0 and gaps[-1][0] < ts < gaps[-1][1] and step in (begin, end)):
            step(rec, ts)
    rec.write(path)
    got, left_out, messages = derived(hist, [path], name, options)
    os.unlink(path)
    return got, left_out, gaps, f"derived:{name} {' '.join(options)}, {lose} of CPU {cpu}, end {'after' if late else 'in'} the gap: " \
        f"{got}\n{messages}"


def check_files(hist, directory, case):
    """Two files of one machine: what happened between them is not known."""
    name, options, begin, end = case
    steps = [[(1_000, begin), (2_000, end), (3_000, begin), (4_000, end), (5_000, begin)],
             [(9_000, end), (11_000, begin), (12_000, end), (13_000, begin), (14_000, end)]]
    paths = [os.path.join(directory, f"{name}-{i}.dat") for i in (0, 1)]
    for path, some in zip(paths, steps):
        rec = Recording(EVENTS, 2, [(TASK, "t"), (TASK + 1, "u")])
        for ts, step in some:
            step(rec, ts)
        rec.write(path)
    alone = [derived(hist, [path], name, options)[0] for path in paths]
    got, left_out, messages = derived(hist, paths, name, options)
    for path in paths:
        os.unlink(path)
    if got != alone[0] + alone[1] or len(got) < 3 or (not left_out and name != "function"):
        sys.exit(f"derived:{name} {' '.join(options)} of two files: {got}, alone {alone}\n{messages}")


def main():
    hist, directory = sys.argv[1:]
    n = 0
    for case in CASES:
        check_files(hist, directory, case)
        for late in (False, True):
            whole, left_out, _, text = check(hist, directory, case, None, 1, late)
            inner = [v for v in whole if v[0] < 10_000 < v[1]]
            if left_out or len(whole) < 4 or inner and case[0] not in ("task_state", "runqueue"):
                sys.exit(f"without a loss: {text}")
            for lose in ("lose", "damage"):
                for cpu, twice in ((0, False), (0, True), (1, False), (1, True)):
                    got, left_out, gaps, text = check(hist, directory, case, lose, cpu, late, twice)
                    if cpu == 1 and (case[0] in LOCAL or case[2] is SPIN):
                        if got != whole or left_out:
                            sys.exit(f"of another CPU than {cpu}, nothing is missing: {text}")
                        n += len(got)
                        continue
                    runs = {v for v in got if cpu == 1 and case[0] == "task_state" and v[1] - v[0] == RUNS}
                    if cpu == 1 and case[0] == "task_state" and len(runs) != 5:
                        sys.exit(f"its CPU has all records of when it ran: {text}")
                    if any(start < last and end > first for start, end in set(got) - runs for first, last in gaps):
                        sys.exit(f"an interval overlaps what is missing: {text}")
                    # a depth is known as soon as nothing is missing any more
                    if case[0] == "runqueue":
                        got = [v for v in got if v[0] != gaps[-1][1]]
                    if not set(got) <= set(whole):
                        sys.exit(f"an interval is not one of {whole}: {text}")
                    # what ends before it, and what begins after the next begin and end
                    # before a hole, a depth is known once the CPU was idle: any task may have waited
                    lacks = [v for v in whole[case[0] == "runqueue":] if (v[1] <= gaps[0][0] or v[0] >= 12_500) and v not in got]
                    if lacks:
                        sys.exit(f"{lacks} are missing: {text}")
                    # of a function whose exit is not recorded, it is not known whether that was traced
                    ended = case[0] != "function" or late
                    # of a CPU without events that are read between them, two gaps are one
                    began = not twice or cpu == 0
                    if ended and began and (not left_out or not re.search("spans? lost events", text)):
                        sys.exit(f"what the loss cut is not counted: {text}")
                    n += len(got)
    print(f"{n} intervals beside losses")


main()
