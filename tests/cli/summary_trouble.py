# SPDX-License-Identifier: GPL-2.0-only
"""Whether the first ten lines of a summary name what is wrong, and nothing where nothing is.

A machine of two CPUs on which two tasks work for a second, with system calls and an interrupt now and then; into it, one
trouble after the other is planted.

summary_trouble.py HIST DIR: exits with 1 at the first difference.
"""
import re
import subprocess
import sys

from derived_write import Event, Recording

COMM = ("char comm[16]", 16, 0)
PID, PRIO = ("pid_t pid", 4, 1), ("int prio", 4, 1)
SWITCH = Event("sched", "sched_switch", 701, [
    ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
    ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1)])
WAKING = Event("sched", "sched_waking", 702, [COMM, PID, PRIO, ("int target_cpu", 4, 1)])
IRQ_ENTRY = Event("irq", "irq_handler_entry", 703, [("int irq", 4, 1), ("char name[8]", 8, 0)])
IRQ_EXIT = Event("irq", "irq_handler_exit", 704, [("int irq", 4, 1), ("int ret", 4, 1)])
RAISE, SOFT_ENTRY, SOFT_EXIT = (Event("irq", n, i, [("unsigned int vec", 4, 0)])
                                for n, i in (("softirq_raise", 705), ("softirq_entry", 706), ("softirq_exit", 713)))
ENTER = Event("raw_syscalls", "sys_enter", 707, [("long id", 8, 1)])
LEAVE = Event("raw_syscalls", "sys_exit", 708, [("long id", 8, 1), ("long ret", 8, 1)])
LOCK = Event("lock", "contention_begin", 709, [("void * lock_addr", 8, 0), ("unsigned int flags", 4, 0)])
LOCKED = Event("lock", "contention_end", 710, [("void * lock_addr", 8, 0), ("int ret", 4, 1)])
ISSUE = Event("block", "block_rq_issue", 711, [("dev_t dev", 4, 0), ("sector_t sector", 8, 0), ("unsigned int nr_sector", 4, 0),
                                               ("unsigned int bytes", 4, 0), ("char rwbs[8]", 8, 0), COMM])
DONE = Event("block", "block_rq_complete", 712, [("dev_t dev", 4, 0), ("sector_t sector", 8, 0), ("unsigned int nr_sector", 4, 0),
                                                 ("int error", 4, 1), ("char rwbs[8]", 8, 0)])
KMALLOC = Event("kmem", "kmalloc", 715, [("unsigned long call_site", 8, 0), ("const void * ptr", 8, 0),
                                         ("size_t bytes_req", 8, 0), ("size_t bytes_alloc", 8, 0)])
KFREE = Event("kmem", "kfree", 716, [("unsigned long call_site", 8, 0), ("const void * ptr", 8, 0)])
OOM = Event("oom", "mark_victim", 714, [("int pid", 4, 1)])
EVENTS = [SWITCH, WAKING, IRQ_ENTRY, IRQ_EXIT, RAISE, SOFT_ENTRY, SOFT_EXIT, ENTER, LEAVE, LOCK, LOCKED, ISSUE, DONE, OOM, KMALLOC, KFREE]
DOWN, UP = (Event("hist", "throttle_" + n, i, [("u64 cgroup", 8, 0), ("int on_cpu", 4, 1), ("u64 ns", 8, 0), ("u64 periods", 8, 0)])
            for n, i in (("down", 717), ("up", 718)))
IDLE, US, MS = ("swapper", 0, 120), 1000, 1000000


class Machine:
    """CPUs, what they run, and the records of both in any order of time."""

    def __init__(self):
        self.records, self.running = [], [IDLE, IDLE]

    def add(self, cpu, ts, event, values, pid=None):
        self.records.append((ts, cpu, event, self.running[cpu][1] if pid is None else pid, values))

    def wake(self, cpu, ts, task):
        self.add(cpu, ts, WAKING, [task[0], task[1], task[2], cpu])

    def run(self, cpu, ts, task, state=1):
        """The CPU leaves its task in that state; 0: it is preempted."""
        before = self.running[cpu]
        self.add(cpu, ts, SWITCH, [before[0], before[1], before[2], 0 if before == IDLE else state, *task])
        self.running[cpu] = task

    def write(self, path, losing=False):
        rec = Recording(EVENTS + [e for e in (DOWN, UP) if any(r[2] is e for r in self.records)], names=[(20, "work"), (21, "help")])
        for i, (ts, cpu, event, pid, values) in enumerate(sorted(self.records, key=lambda r: r[0])):
            if losing and i == len(self.records) // 2:
                rec.lose(1)
            rec.add(cpu, ts, event, pid, values)
        rec.write(path)


def healthy(m, cpus=(0, 1), skip=()):
    """Rounds of 10 ms: a wakeup, 3 ms of work with a call, an interrupt with a softirq, a lock, a request to a disk."""
    for cpu in cpus:
        task = (("work", 20, 120), ("help", 21, 120))[cpu]
        for i in range(100):
            t = (1000 + 10 * i) * MS
            if i in skip:
                continue
            m.wake(cpu, t, task)
            m.run(cpu, t + 20 * US, task)
            m.add(cpu, t + 100 * US, ENTER, [0])
            m.add(cpu, t + 150 * US, LOCK, [0xffff888100000000, 1])
            m.add(cpu, t + 151 * US, LOCKED, [0xffff888100000000, 0])
            m.add(cpu, t + 160 * US, ISSUE, [8 << 20, 64 + 8 * i + cpu, 8, 4096, "R", task[0]])
            m.add(cpu, t + 200 * US, LEAVE, [0, 4096])
            m.add(cpu, t + 300 * US, IRQ_ENTRY, [5, "disk"])
            m.add(cpu, t + 302 * US, DONE, [8 << 20, 64 + 8 * i + cpu, 8, 0, "R"])
            m.add(cpu, t + 305 * US, RAISE, [4])
            m.add(cpu, t + 310 * US, IRQ_EXIT, [5, 1])
            m.add(cpu, t + 312 * US, SOFT_ENTRY, [4])
            m.add(cpu, t + 320 * US, SOFT_EXIT, [4])
            m.run(cpu, t + 3 * MS, IDLE)


def inversion(m):
    """high waits for what low has, which waits for middle."""
    healthy(m, skip=range(50, 55))
    low, middle, high = ("low", 30, 120), ("middle", 31, 89), ("high", 32, 49)
    t = 1500 * MS
    m.wake(0, t, low)
    m.run(0, t + 20 * US, low)
    m.wake(0, t + MS, high)
    m.run(0, t + MS + 10 * US, high, 0)
    m.run(0, t + 2 * MS, low)
    m.wake(0, t + 3 * MS, middle)
    m.run(0, t + 3 * MS + 10 * US, middle, 0)
    m.run(0, t + 40 * MS, low)
    m.wake(0, t + 41 * MS, high)
    m.run(0, t + 41 * MS + 10 * US, high, 0)
    m.run(0, t + 42 * MS, low)
    m.run(0, t + 43 * MS, IDLE)


def storm(m):
    healthy(m)
    for i in range(30000):
        m.add(1, 1003 * MS + 400 * US + i * 8 * US, IRQ_ENTRY, [9, "eth0"], 0)
        m.add(1, 1003 * MS + 400 * US + i * 8 * US + 3 * US, IRQ_EXIT, [9, 1], 0)


def short_storm(m):
    """Within 20 ms: too few for a rate, but at one time."""
    healthy(m)
    for i in range(5000):
        for after, event, value in ((0, IRQ_ENTRY, "eth0"), (3, IRQ_EXIT, 1)):
            m.add(1, 1503 * MS + 400 * US + (4 * i + after) * US, event, [9, value], 0)


def handler(m):
    healthy(m, skip=range(50, 52))
    m.add(0, 1500 * MS, IRQ_ENTRY, [9, "eth0"])
    m.add(0, 1512 * MS, IRQ_EXIT, [9, 1])


def in_rounds(*records):
    def plant(m):
        healthy(m)
        for i in range(100):
            for after, event, values in records:
                m.add(0, (1001 + 10 * i) * MS + after, event, values, 20)
    return plant


def late_wait(m):
    healthy(m, skip=range(50, 60))
    t = 1500 * MS
    m.wake(0, t, ("hog", 40, 120))
    m.run(0, t + 20 * US, ("hog", 40, 120))
    m.wake(0, t + MS, ("work", 20, 120))
    m.run(0, t + 81 * MS, ("work", 20, 120))
    m.run(0, t + 82 * MS, IDLE)


def allocations(freed):
    """20 rounds of 100, of which some are given back."""
    def plant(m):
        healthy(m)
        for i in range(2000):
            m.add(0, (1001 + 50 * (i // 100)) * MS + i % 100 * US, KMALLOC, [0xffffffff81000000, 0xffff888100000000 + 64 * i, 60, 64], 20)
            if i % 100 < freed:
                m.add(0, (1002 + 50 * (i // 100)) * MS + i % 100 * US, KFREE, [0xffffffff81000000, 0xffff888100000000 + 64 * i], 20)
    return plant


def burst(m):
    healthy(m)
    for i in range(1500):
        m.add(0, 1421 * MS + i * US, KFREE, [0xffffffff81000000, 0xffff888100000000 + 64 * i], 20)


def throttled(m):
    """A real-time task used its budget: one of a lower class runs instead."""
    healthy(m, skip=range(50, 60))
    t = 1500 * MS
    m.wake(0, t, ("rt", 41, 49))
    m.run(0, t + 20 * US, ("rt", 41, 49))
    m.run(0, t + 20 * MS, ("work", 20, 120), 0)
    m.run(0, t + 60 * MS, ("rt", 41, 49))
    m.run(0, t + 80 * MS, IDLE)


def container(m):
    """A container used up its CPU quota in three periods."""
    healthy(m)
    for i in range(3):
        m.add(1, (1100 + 100 * i) * MS, DOWN, [77, 1, i * 60 * MS, i])
        m.add(1, (1160 + 100 * i) * MS, UP, [77, 1, (i + 1) * 60 * MS, i + 1], 0)


def one(after, *records):
    def plant(m):
        healthy(m)
        for offset, event, values in records:
            m.add(0, 1001 * MS + offset, event, values, 20)
    return plant


# name, what is planted, what the first ten lines must contain, the command
CASES = [
    ("nothing", healthy, None, None),
    ("inversion", inversion, "priority inversion: high-32 .* until low-30 woke it.* for middle-31", "hist why "),
    ("storm", storm, "irq eth0 .CPU 1.: 30211 a second", "derived:irq"),
    ("short", short_storm, "burst 5,010 of 5,200 irq:irq_handler_e[a-z]* came in 49.6 ms from 1.496500000 (?:(?!burst).)* cpus ", "--from 1.4965"),
    ("handler", handler, "longest 12.0 ms: eth0 on CPU 0 at 1.512", "derived:irq"),
    ("call", in_rounds((0, ENTER, [42]), (9 * US, LEAVE, [42, -111])), "100 of 100 calls of syscall 42 failed: ECONNREFUSED", "ret == -111"),
    ("full", one(0, (0, ENTER, [1]), (9 * US, LEAVE, [1, -28])), "1 of 1 calls of syscall 1 failed: ENOSPC", "ret == -28"),
    ("lock", one(0, (0, LOCK, [0xffff888100000040, 32]), (1900 * US, LOCKED, [0xffff888100000040, 0])), None, None),
    ("locks", in_rounds((0, LOCK, [0xffff888100000040, 32]), (2500 * US, LOCKED, [0xffff888100000040, 0])),
     "TROUBLE 300 contentions, 250 ms in all; most: 0xffff888100000040 .mutex. 250 ms", "derived:lock_wait"),
    ("wait", late_wait, "longest 80.0 ms: work-20 on CPU 0 at [0-9.]*, reason task, mostly hog-40", "derived:wait"),
    ("throttled", throttled, "throttled: tasks were not allowed to run for 40.0 ms; longest 40.0 ms: rt-41 on CPU 0", "throttled"),
    ("container", container, "throttled: the CPU quota of cgroup 77 was used up for 180 ms .3 times.; longest 60.0 ms on CPU 1", "throttling"),
    ("leak", allocations(40), "leak 2,000 kmem:kmalloc, but only 800 kmem:kfree", "leaks"),
    ("given", allocations(90), None, None),
    ("burst", burst, "burst 1,500 of 1,500 kmem:kfree came in 49.6 ms from 1.397", "--from 1.397"),
    ("oom", one(0, (0, OOM, [20])), "1 killed for want of memory", "oom:mark_victim"),
]


def summary(hist, path):
    out = subprocess.run([hist, "summary", "-q", "-i", path], capture_output=True, text=True, check=True).stdout
    lines = out.splitlines()
    assert len(lines) <= 40, out
    for line in lines:
        assert len(line) <= 80 or " hist " in line, line
    return out, " ".join(" ".join(lines[:10]).split())


def texts(hist, tmp):
    """A CPU that begins late; fields of another kind."""
    line = "{}-{} [{:03}] d..2. {:.6f}: sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state=S ==> next_comm={} next_pid={} next_prio=120"
    idle, work = ("swapper", 0), ("work", 20)
    for name, prio, wanted in (("late", "120", "CPU 1 has no events for the first 1.20 s .overwritten"),
                               ("refused", "high", "not answered: the field .*prio")):
        lines = []
        for i in range(200):
            if i == 120:
                lines.append("##### CPU 1 buffer started ####")
            for before, after, t in ((idle, work, 100 + i * .01), (work, idle, 100.003 + i * .01)):
                for cpu in (0, 1) if i >= 120 else (0,):
                    lines.append(line.format(*before, cpu, t, *before, prio, *after))
        with open(f"{tmp}/{name}.txt", "w") as f:
            f.write("# tracer: nop\n#\n" + "\n".join(lines) + "\n")
        out, first = summary(hist, f"{tmp}/{name}.txt")
        if not re.search("TROUBLE " + wanted, first):
            sys.exit(f"{name}: the first ten lines lack '{wanted}':\n{out}")


def main(hist, tmp):
    for name, plant, wanted, command in CASES:
        m = Machine()
        plant(m)
        path = f"{tmp}/{name}.dat"
        m.write(path)
        out, first = summary(hist, path)
        if wanted is None and ("TROUBLE" in out or "burst" in out or "leak" in out):
            sys.exit(f"{name}: trouble where there is none:\n{out}")
        if wanted and not (re.search(wanted, first) and command in first):
            sys.exit(f"{name}: the first ten lines lack '{wanted}', '{command}':\n{out}")
    texts(hist, tmp)
    m = Machine()
    healthy(m)
    m.write(f"{tmp}/lost.dat", losing=True)
    out, first = summary(hist, f"{tmp}/lost.dat")
    if "lost on CPU 1" not in first:
        sys.exit(f"lost: the first ten lines do not name lost events:\n{out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
