# SPDX-License-Identifier: GPL-2.0-only
"""Recordings whose intervals have known parts, and the trees that hist why must print for them.

A chain is a name, its records, options of hist why, and the tree. A record is a line "CPU TIME WHAT ...":
  switch PREV STATE NEXT   PREV leaves the CPU as S, D, T, R (preempted) or X (dead); 0 is the idle task
  wake BY PID TARGET [irq|softirq]   BY wakes PID, which is to run on CPU TARGET; maybe an interrupt, in BY
  wakeup BY PID TARGET     the wakeup that follows it
  new BY PID TARGET        BY made PID
  move BY PID FROM TO      PID goes to another CPU
  irq+ PID N, irq- PID N   interrupt N begins and ends while PID runs; soft+, soft-: softirq N
  sys+ PID N, sys- PID N   PID enters and leaves system call N
  freq CPU KHZ
  lost                     records of the CPU are missing here
Task PID is called tPID. In the tree, a level is two spaces; a number is ns.
"""
import json
import os
import subprocess
import sys

from derived_write import Event, Recording

PID, COMM = ("pid_t pid", 4, 1), ("char comm[16]", 16, 0)
WOKEN = [COMM, PID, ("int prio", 4, 1), ("int target_cpu", 4, 1)]
EVENTS = {
    "switch": Event("sched", "sched_switch", 10,
                    [("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1),
                     ("long prev_state", 8, 1), ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1),
                     ("int next_prio", 4, 1)]),
    "wake": Event("sched", "sched_waking", 11, WOKEN),
    "wakeup": Event("sched", "sched_wakeup", 12, WOKEN),
    "new": Event("sched", "sched_wakeup_new", 13, WOKEN),
    "move": Event("sched", "sched_migrate_task", 14,
                  [COMM, PID, ("int prio", 4, 1), ("int orig_cpu", 4, 1), ("int dest_cpu", 4, 1)]),
    "freq": Event("power", "cpu_frequency", 15, [("u32 state", 4, 0), ("u32 cpu_id", 4, 0)]),
    "irq+": Event("irq", "irq_handler_entry", 16, [("int irq", 4, 1), ("__data_loc char[] name", 4, 0)]),
    "irq-": Event("irq", "irq_handler_exit", 17, [("int irq", 4, 1), ("int ret", 4, 1)]),
    "soft+": Event("irq", "softirq_entry", 18, [("unsigned int vec", 4, 0)]),
    "soft-": Event("irq", "softirq_exit", 19, [("unsigned int vec", 4, 0)]),
    "sys+": Event("raw_syscalls", "sys_enter", 20, [("long id", 8, 1), ("unsigned long args[6]", 48, 0)]),
    "sys-": Event("raw_syscalls", "sys_exit", 21, [("long id", 8, 1), ("long ret", 8, 1)]),
}
STATES = {"R": 256, "S": 1, "D": 2, "T": 4, "X": 16}
FLAGS = {"irq": 8, "softirq": 16}


def comm(pid):
    return f"t{pid}" if int(pid) else "swapper"


def values(what, a):
    """The task that runs, the fields, and common_flags."""
    if what == "switch":
        return int(a[0]), [comm(a[0]), int(a[0]), 120, STATES[a[1]], comm(a[2]), int(a[2]), 120], 0
    if what in ("wake", "wakeup", "new"):
        return int(a[0]), [comm(a[1]), int(a[1]), 120, int(a[2])], FLAGS[a[3]] if len(a) > 3 else 0
    if what == "move":
        return int(a[0]), [comm(a[1]), int(a[1]), 120, int(a[2]), int(a[3])], 0
    if what == "freq":
        return 0, [int(a[1]), int(a[0])], 0
    if what == "irq+":
        return int(a[0]), [int(a[1]), (16 | 8 << 16), ], 8
    if what == "irq-":
        return int(a[0]), [int(a[1]), 1], 8
    if what in ("soft+", "soft-"):
        return int(a[0]), [int(a[1])], 16
    return int(a[0]), [int(a[1])] + ([0] if what == "sys-" else []), 0


def make(lines, path):
    # an event that has no records has no format
    used = {line.split()[2] for line in lines.strip().split("\n")}
    recording = Recording([e for name, e in EVENTS.items() if name in used], cpus=3)
    for line in lines.strip().split("\n"):
        cpu, ts, what, *args = line.split()
        if what == "lost":
            recording.lose(int(cpu))
            continue
        pid, fields, flags = values(what, args)
        record = EVENTS[what].record(pid, fields + [0] * (len(EVENTS[what].fields) - len(fields))
                                     if what != "sys+" else fields, flags)
        if what == "irq+":
            record += f"eth{args[1]}".encode().ljust(8, b"\0")
        recording.cpus[int(cpu)].append((int(ts), record))
    recording.write(path)


def tree(text):
    """The lines of a tree as "INDENT NS WORDS"."""
    out = []
    for line in text.split("\n"):
        parts = line.split(None, 2)
        if len(parts) < 3 or not parts[0].replace(".", "").isdigit() or "." not in parts[1]:
            continue
        rest = line[line.index(parts[1], line.index(parts[0]) + len(parts[0])) + len(parts[1]) + 2:]
        words = rest.lstrip("|` -")
        level = (len(rest) - len(words)) // 3
        out.append("  " * level + parts[0].replace(".", "").lstrip("0").rjust(1, "0") + " " + words)
    return "\n".join(out)


CHAINS = []


def chain(name, records, options, want):
    CHAINS.append((name, records, options, "\n".join(line for line in want.split("\n") if line.strip())))


SLEEP = ["-e", "derived:task_state", "-f", 'pid == 7 && state != "running"', "--depth", "9"]
WAIT = ["-e", "derived:wait", "-f", "pid == 7"]


def span(pid, start, end):
    return ["--pid", str(pid), "--from", f"0.{start:09}", "--to", f"0.{end:09}", "--depth", "9"]


chain("a pipe: the reader sleeps until the writer has written", """
0 1000 switch 7 S 0
1 1100 switch 0 R 8
1 4000 wake 8 7 0
0 4200 switch 0 R 7
""", SLEEP, """
3000 t7-7
  3000 sleeping until t8-8 woke it, which meanwhile was
    2900 running on CPU 1
    100 unknown: no event states what it was
""")

chain("a pipe, three rounds", """
0 1000 switch 0 R 7
0 1100 wake 7 8 1
0 1200 switch 7 S 0
1 1200 switch 0 R 8
1 1500 wake 8 7 0
1 1600 switch 8 S 0
0 1600 switch 0 R 7
0 2100 wake 7 8 1
0 2200 switch 7 S 0
1 2200 switch 0 R 8
1 2500 wake 8 7 0
1 2600 switch 8 S 0
0 2700 switch 0 R 7
0 3000 wake 7 8 1
0 3000 switch 7 S 0
""", span(7, 1000, 3000), """
2000 t7-7
  1100 running on CPU 0
  600 sleeping until t8-8 woke it, which meanwhile was
    600 running on CPU 1
  300 waiting for a CPU (woken)
    300 while CPU 0 was idle
""")

chain("a futex, whose holder sleeps", """
1 1000 switch 0 R 8
0 1100 switch 7 S 0
1 1500 switch 8 S 0
1 6500 wake 0 8 1 irq
1 6600 switch 0 R 8
1 8000 wake 8 7 0
0 8100 switch 0 R 7
""", SLEEP, """
6900 t7-7
  6900 sleeping until t8-8 woke it, which meanwhile was
    5000 sleeping until an interrupt woke it
    1800 running on CPU 1
    100 waiting for a CPU (woken)
      100 while CPU 1 was idle
""")

chain("three locks in a row", """
0 1000 switch 7 S 0
1 1000 switch 8 S 9
2 1000 switch 0 R 6
2 2000 wake 6 9 1
1 2500 wake 9 8 1
1 3000 switch 9 S 8
1 4000 wake 8 7 0
0 4001 switch 0 R 7
""", SLEEP, """
3000 t7-7
  3000 sleeping until t8-8 woke it, which meanwhile was
    1500 sleeping until t9-9 woke it, which meanwhile was
      1500 running on CPU 1
    1000 running on CPU 1
    500 waiting for a CPU (woken)
      500 while t9-9 ran on CPU 1
""")

chain("four tasks, each blocked by the next", """
0 1000 switch 0 R 9
1 1000 switch 8 S 0
2 1000 switch 0 R 6
0 1100 switch 9 S 7
0 1200 switch 7 S 0
2 5000 wake 6 9 0
0 5100 switch 0 R 9
0 6000 wake 9 8 1
1 6100 switch 0 R 8
1 7000 wake 8 7 0
0 7500 switch 9 S 7
""", SLEEP, """
5800 t7-7
  5800 sleeping until t8-8 woke it, which meanwhile was
    4800 sleeping until t9-9 woke it, which meanwhile was
      3800 sleeping until t6-6 woke it, which meanwhile was
        3800 running on CPU 2
      900 running on CPU 0
      100 waiting for a CPU (woken)
        100 while CPU 0 was idle
    900 running on CPU 1
    100 waiting for a CPU (woken)
      100 while CPU 1 was idle
""")

chain("priority inversion: the holder waits for a third task", """
0 1000 switch 0 R 8
1 1000 switch 7 S 0
0 1500 switch 8 R 9
0 9500 switch 9 S 8
0 9900 wake 8 7 1
1 9950 switch 0 R 7
""", SLEEP, """
8900 t7-7
  8900 sleeping until t8-8 woke it, which meanwhile was
    8000 waiting for a CPU (preempted)
      8000 while t9-9 ran on CPU 0
    900 running on CPU 0
""")

chain("after one task", """
0 1000 switch 0 R 8
0 1500 wake 8 7 0
0 2500 switch 8 R 7
""", WAIT, """
1000 t7-7
  1000 waiting for a CPU (woken)
    1000 while t8-8 ran on CPU 0
""")

chain("after two tasks, one of them twice", """
0 1000 switch 0 R 8
0 1500 wake 8 7 0
0 1700 switch 8 R 9
0 2000 switch 9 R 8
0 2500 switch 8 R 7
""", WAIT, """
1000 t7-7
  1000 waiting for a CPU (woken)
    700 while t8-8 ran on CPU 0
    300 while t9-9 ran on CPU 0
""")

chain("an idle CPU on its way", """
0 1000 switch 7 S 0
1 1000 switch 0 R 8
1 2000 wake 8 7 0
0 2077 switch 0 R 7
""", WAIT, """
77 t7-7
  77 waiting for a CPU (woken)
    77 while CPU 0 was idle
""")

chain("a wait that moves to another CPU", """
0 1000 switch 0 R 8
1 1000 switch 0 R 9
0 1500 wake 8 7 0
1 1900 move 9 7 0 1
1 2200 switch 9 S 6
1 2300 switch 6 S 7
""", WAIT, """
800 t7-7
  800 waiting for a CPU (woken)
    400 while t8-8 ran on CPU 0
    300 while t9-9 ran on CPU 1
    100 while t6-6 ran on CPU 1
""")

chain("a wakeup that chooses another CPU", """
0 1000 switch 0 R 8
1 1000 switch 0 R 9
0 1500 wake 8 7 0
0 1505 wakeup 8 7 1
1 2200 switch 9 S 7
""", WAIT, """
700 t7-7
  700 waiting for a CPU (woken)
    695 while t9-9 ran on CPU 1
    5 while t8-8 ran on CPU 0
""")

chain("preempted here, runs there, and the move was not recorded", """
0 1000 switch 0 R 7
1 1000 switch 0 R 8
0 2000 switch 7 R 9
1 3000 switch 8 S 7
0 4000 switch 9 S 0
""", WAIT, """
1000 t7-7
  1000 waiting for a CPU (preempted)
    1000 unknown: the task went to another CPU, and when was not recorded
""")

chain("woken here, runs there: the wakeup chose the other CPU", """
0 1000 switch 0 R 9
1 1000 switch 0 R 8
1 2000 wake 8 7 0
1 3000 switch 8 S 7
0 4000 switch 9 S 0
""", WAIT, """
1000 t7-7
  1000 waiting for a CPU (woken)
    1000 while t8-8 ran on CPU 1
""")

chain("cgroup throttling: runnable, and the CPU is idle", """
0 1000 switch 0 R 7
0 2000 switch 7 R 0
0 9000 switch 0 R 7
0 9100 switch 7 S 0
""", WAIT, """
7000 t7-7
  7000 waiting for a CPU (preempted)
    7000 held back by its quota (quota, deduced)
""")

chain("preempted twice", """
0 1000 switch 0 R 7
0 2000 switch 7 R 8
0 2500 switch 8 R 7
0 3000 switch 7 R 9
0 3200 switch 9 R 7
0 4000 switch 7 S 0
""", span(7, 1000, 4000), """
3000 t7-7
  2300 running on CPU 0
  700 waiting for a CPU (preempted)
    500 while t8-8 ran on CPU 0
    200 while t9-9 ran on CPU 0
""")

chain("a new task waits for its parent", """
0 1000 switch 0 R 8
0 2000 new 8 7 0
0 2600 switch 8 R 7
""", WAIT, """
600 t7-7
  600 waiting for a CPU (new)
    600 while t8-8 ran on CPU 0
""")

chain("a parent waits until its child ends", """
0 1000 switch 0 R 7
0 1500 new 7 8 1
1 1600 switch 0 R 8
0 2000 switch 7 S 0
1 5000 wake 8 7 0
1 5100 switch 8 X 0
0 5200 switch 0 R 7
""", SLEEP, """
3000 t7-7
  3000 sleeping until t8-8 woke it, which meanwhile was
    3000 running on CPU 1
""")

chain("a task before it exists", """
0 1000 switch 0 R 8
1 1100 switch 9 S 0
0 1500 new 8 7 1
1 1600 switch 0 R 7
1 2000 switch 7 X 0
0 3000 switch 8 S 0
""", span(7, 1000, 3000), """
2000 t7-7
  1500 unknown: no event states what it was
  400 running on CPU 1
  100 waiting for a CPU (new)
    100 while CPU 1 was idle
""")

chain("an idle CPU woke it, outside of interrupts", """
0 1000 switch 7 S 0
1 1000 switch 8 S 0
1 3000 wake 0 7 0
0 3100 switch 0 R 7
""", SLEEP, """
2000 t7-7
  2000 sleeping until an idle CPU woke it
""")

chain("an interrupt woke it, whose begin was not recorded", """
0 1000 switch 7 S 8
0 3000 wake 8 7 0 softirq
0 3100 switch 8 R 7
""", SLEEP, """
2000 t7-7
  2000 sleeping until an interrupt woke it (while t8-8 ran)
""")

chain("both wake each other, which cannot be", """
0 1000 switch 7 S 0
1 1200 switch 8 S 0
1 3000 wake 8 7 0
0 3100 switch 0 R 7
0 3500 wake 7 8 1
1 3600 switch 0 R 8
""", SLEEP, """
2000 t7-7
  2000 sleeping until t8-8 woke it, which meanwhile was
    1800 sleeping until t7-7 woke it, which waited for it (a cycle)
    200 running on CPU 1
""")

chain("the chain is cut at --depth", """
0 1000 switch 7 S 0
1 1000 switch 8 S 9
1 3000 wake 9 8 1
1 3000 switch 9 S 8
1 4000 wake 8 7 0
0 4100 switch 0 R 7
""", SLEEP[:-1] + ["2"], """
3000 t7-7
  3000 sleeping until t8-8 woke it, which meanwhile was
    2000 sleeping until t9-9 woke it; see --depth
    1000 running on CPU 1
""")

chain("records of the waker are lost", """
0 1000 switch 7 S 0
1 1000 switch 0 R 8
1 2000 switch 8 S 0
1 2000 lost
1 3000 switch 0 R 8
1 4000 wake 8 7 0
0 4100 switch 0 R 7
""", span(8, 1000, 4000), """
3000 t8-8
  2000 running on CPU 1
  1000 unknown: events were lost
""")

chain("a wait that spans a loss", """
0 1000 switch 0 R 8
0 1500 wake 8 7 0
0 2000 switch 8 R 9
0 2000 lost
0 3000 switch 9 S 8
0 3500 switch 8 S 7
0 4000 switch 7 S 0
""", span(7, 1500, 4000), """
2500 t7-7
  1500 unknown: events were lost
  500 waiting for a CPU (woken)
    500 while t8-8 ran on CPU 0
  500 running on CPU 0
""")

chain("it still sleeps at the end", """
0 1000 switch 0 R 7
0 2000 switch 7 S 8
0 5000 switch 8 S 0
""", span(7, 1000, 5000), """
4000 t7-7
  3000 sleeping; its end is not in the recording
  1000 running on CPU 0
""")

chain("it still waits at the end", """
0 1000 switch 0 R 7
0 2000 switch 7 R 8
0 5000 switch 8 S 9
0 6000 switch 9 S 0
""", span(7, 1000, 6000), """
5000 t7-7
  4000 waiting for a CPU (preempted)
    3000 while t8-8 ran on CPU 0
    1000 while t9-9 ran on CPU 0
  1000 running on CPU 0
""")

chain("woken on its way to sleep", """
0 1000 switch 0 R 7
1 1000 switch 0 R 8
1 1900 wake 8 7 0
0 2000 switch 7 S 9
0 2400 switch 9 S 7
0 3000 switch 7 S 0
""", span(7, 1000, 3000), """
2000 t7-7
  1600 running on CPU 0
  400 waiting for a CPU (woken)
    400 while t9-9 ran on CPU 0
""")

chain("a worker that waits for the disk", """
0 1000 switch 7 D 0
1 1000 switch 0 R 8
1 1500 switch 8 D 0
1 7500 wake 0 8 1 irq
1 7600 switch 0 R 8
1 8000 wake 8 7 0
0 8200 switch 0 R 7
""", SLEEP, """
7000 t7-7
  7000 in uninterruptible sleep until t8-8 woke it, which meanwhile was
    6000 in uninterruptible sleep until an interrupt woke it
    900 running on CPU 1
    100 waiting for a CPU (woken)
      100 while CPU 1 was idle
""")

chain("two wakers", """
0 1000 switch 0 R 7
1 1000 switch 0 R 8
2 1000 switch 0 R 9
0 2000 switch 7 S 0
1 3000 wake 8 7 0
0 3001 switch 0 R 7
0 4000 switch 7 S 0
2 4500 wake 9 7 0
0 4501 switch 0 R 7
0 5000 switch 7 S 0
""", span(7, 1000, 5000), """
4000 t7-7
  2498 running on CPU 0
  1000 sleeping until t8-8 woke it, which meanwhile was
    1000 running on CPU 1
  500 sleeping until t9-9 woke it, which meanwhile was
    500 running on CPU 2
  2 waiting for a CPU (woken)
    2 while CPU 0 was idle
""")

chain("stopped, until a shell continues it", """
0 1000 switch 7 T 0
1 1000 switch 0 R 8
1 2000 switch 8 S 0
1 9000 wake 0 8 1 irq
1 9000 switch 0 R 8
1 9500 wake 8 7 0
0 9501 switch 0 R 7
""", SLEEP, """
8500 t7-7
  8500 stopped until t8-8 woke it, which meanwhile was
    7000 sleeping until an interrupt woke it
    1500 running on CPU 1
""")

chain("runs on two CPUs", """
0 1000 switch 0 R 7
0 2000 switch 7 S 0
1 2500 wake 0 7 1 irq
1 2500 switch 0 R 7
1 4000 switch 7 S 0
""", span(7, 1000, 4000), """
3000 t7-7
  1500 running on CPU 1
  1000 running on CPU 0
  500 sleeping until an interrupt woke it
""")

chain("the frequency changes", """
0 900 freq 0 2400000
0 1000 switch 0 R 7
1 1500 freq 1 800000
1 1600 freq 0 800000
0 2000 switch 7 S 0
""", span(7, 1000, 2000), """
1000 t7-7
  600 running on CPU 0 at 2.40 GHz
  400 running on CPU 0 at 800 MHz
""")

chain("the switch between two tasks is missing", """
0 1000 switch 0 R 8
0 1500 wake 8 7 0
0 3000 switch 9 S 7
""", WAIT, """
1500 t7-7
  1500 waiting for a CPU (woken)
    1500 unknown: no event states what it was
""")

chain("a part of a sleep", """
0 1000 switch 7 S 0
1 1000 switch 0 R 8
1 2000 switch 8 S 0
1 5000 wake 0 8 1 irq
1 5000 switch 0 R 8
1 6000 wake 8 7 0
0 6001 switch 0 R 7
""", span(7, 1500, 4000), """
2500 t7-7
  2500 sleeping until t8-8 woke it, which meanwhile was
    2000 sleeping until an interrupt woke it
    500 running on CPU 1
""")

chain("after a loss another task runs", """
0 1000 switch 0 R 8
0 2000 lost
0 3000 wake 9 7 0
0 3400 switch 9 S 7
0 3500 switch 7 S 0
""", WAIT, """
400 t7-7
  400 waiting for a CPU (woken)
    400 while t9-9 ran on CPU 0
""")

chain("an interrupt on another CPU woke it", """
0 1000 switch 7 S 0
1 1000 switch 0 R 8
1 1500 irq+ 8 5
1 1600 wake 8 7 0 irq
1 1700 irq- 8 5
0 1800 switch 0 R 7
""", SLEEP, """
600 t7-7
  600 sleeping until irq eth5 woke it (while t8-8 ran)
""")

IRQ = """
0 1000 switch 0 R 7
0 1200 irq+ 7 5
0 1300 irq- 7 5
0 1300 soft+ 7 3
0 1350 irq+ 7 6
0 1400 irq- 7 6
0 1500 soft- 7 3
0 2000 switch 7 S 8
0 2500 irq+ 8 5
0 2600 wake 8 7 0 irq
0 2700 irq- 8 5
0 3000 switch 8 R 7
0 3500 switch 7 S 0
"""

chain("interrupts while it runs, wakes up and waits", IRQ, span(7, 1000, 3500), """
2500 t7-7
  1200 running on CPU 0
  600 sleeping until irq eth5 woke it (while t8-8 ran)
  400 waiting for a CPU (woken)
    300 while t8-8 ran on CPU 0
    100 while irq eth5 ran on CPU 0
  150 interrupted by softirq 3 on CPU 0
  100 interrupted by irq eth5 on CPU 0
  50 interrupted by irq eth6 on CPU 0
""")

chain("in system calls", """
0 1000 switch 0 R 7
0 1100 sys+ 7 0
0 1200 switch 7 S 0
1 1200 switch 0 R 8
1 1900 wake 8 7 0
0 2000 switch 0 R 7
0 2300 sys- 7 0
0 3000 switch 7 S 0
""", span(7, 1000, 3000), """
2000 t7-7
  800 running on CPU 0
  700 sleeping in system call 0 until t8-8 woke it, which meanwhile was
    700 running on CPU 1
  400 running on CPU 0 in system call 0
  100 waiting for a CPU (woken)
    100 while CPU 0 was idle
""")


def blocks(part, above=()):
    """Each chain of tasks that slept one for the other, as (length, ns of the last, pids of wakers)."""
    for p in part.get("parts", []):
        mine = above + (p["waker"]["pid"],) if p["kind"] == "blocked" and "waker" in p else above
        if mine is not above:
            yield len(mine), p["ns"], list(mine)
        yield from blocks(p, mine)


def longest_differs(hist, path, options, text):
    """The longest chain of wakers, as text and json have it, beside the parts of json."""
    ran = subprocess.run([hist, "why", "-q", "-i", path, "--format", "json", *options], capture_output=True, text=True)
    answer = json.loads(ran.stdout)
    found, got = list(blocks(answer)), answer.get("longest_chain")
    length, ns, _ = max(found, default=(0, 0, []))
    line = [one for one in text.split("\n") if one.startswith("longest chain of wakers")]
    if length < 2:
        return got or line
    wakers = [w["pid"] for w in got["wakers"]] if got else None
    shown = [f"t{w['pid']}-{w['pid']}" for w in (got or {"wakers": []})["wakers"] if not w.get("in_interrupt")]
    return (length, ns, wakers) not in found or ns != got["ns"] or len(line) != 1 or any(s not in line[0] for s in shown)


def main():
    hist, directory = sys.argv[1:3]
    only = sys.argv[3] if len(sys.argv) > 3 else None
    failed = 0
    for i, (name, records, options, want) in enumerate(CHAINS):
        if only and only not in name:
            continue
        path = os.path.join(directory, f"chain-{i}.dat")
        make(records, path)
        ran = subprocess.run([hist, "why", "-q", "-i", path, "--top", "0", *options], capture_output=True, text=True)
        got = tree(ran.stdout)
        if longest_differs(hist, path, options, ran.stdout):
            failed += 1
            print(f"{name} ({path}): not the longest chain:\n{ran.stdout}")
        if got != want or ran.returncode:
            failed += 1
            print(f"{name} ({path}): status {ran.returncode}\n{got}\nexpected:\n{want}\n{ran.stderr}")
    print(f"{len(CHAINS)} chains, {failed} failed")
    sys.exit(failed != 0)


main()
