# SPDX-License-Identifier: GPL-2.0-only
"""throttle_moved_write.py FILE [by-task]: tasks that wait are moved to other cgroups: one out of /a, which is held back, and one into it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "answers"))
from machines.recording import Event, Shape, Type  # pylint: disable=wrong-import-position

STATES = '"%d", (REC->prev_state & 3) ? __print_flags(REC->prev_state & 3, "|", { 0x0001, "S" }, { 0x0002, "D" }) : "R"'
SWITCH = Type("sched", "sched_switch", 300, ("char[16]", "prev_comm"), ("pid_t", "prev_pid"), ("int", "prev_prio"), ("long long", "prev_state"),
              ("char[16]", "next_comm"), ("pid_t", "next_pid"), ("int", "next_prio"), fmt=STATES)
WAKING = Type("sched", "sched_waking", 301, ("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"), ("int", "target_cpu"))
FIELDS = ("u64", "cgroup"), ("u32", "on_cpu"), ("u64", "ns"), ("u64", "periods")
DOWN, UP = Type("hist", "throttle_down", 700, *FIELDS), Type("hist", "throttle_up", 701, *FIELDS)
TASK = Type("hist", "throttle_task", 702, ("u64", "task"))
BY_TASK = len(sys.argv) > 2
NAMES = {0: "swapper/0", 20: "leaves", 21: "other", 22: "enters", 30: "sh"}
A, B = 5, 6
READY, SLEEPS = 0, 1
cpus = [[], []]


def at(ms, cpu, kind, by, **values):
    cpus[cpu].append(Event(kind, 10**9 + ms * 10**6, cpu, by, values, flags=1, comm=NAMES[by]))


def switch(ms, prev, state, after):
    at(ms, 0, SWITCH, prev, prev_comm=NAMES[prev], prev_pid=prev, prev_prio=120, prev_state=state, next_comm=NAMES[after], next_pid=after,
       next_prio=120)


def quota(ms, kind, by, cgroup):
    at(ms, 0, kind, by, cgroup=cgroup, on_cpu=0, ns=0, periods=0)


switch(0, 0, READY, 20)
at(5, 1, WAKING, 30, comm=NAMES[22], pid=22, prio=120, target_cpu=0)
if BY_TASK:
    at(9, 0, TASK, 20, task=0)
quota(9, DOWN, 20, A)
switch(10, 20, READY, 21)
quota(35, DOWN, 21, B)
quota(39, UP, 21, B)
switch(40, 21, SLEEPS, 20)
quota(60, UP, 20, A)
switch(62, 20, SLEEPS, 22)
switch(63, 22, SLEEPS, 0)
members = "".join(f"is {pid} {pid} 1 1 {NAMES[pid]}\nin {pid} 0 {path}\n" for pid, path in ((20, "/a"), (21, "/"), (22, "/"), (30, "/")))
moves = "".join(f"moved {10**9 + ms * 10**6} {pid} 0 {path}\n" for ms, pid, path in ((15, 22, "/a"), (30, 20, "/b")))
journal = f"tasks 1\nbegin {10**9}\n{members}cgroup {A} /a\ncgroup {B} /b\nscanned {10**9}\n{moves}end {2 * 10**9}\n"
Shape().write(sys.argv[1], [SWITCH, WAKING, DOWN, UP] + [TASK] * BY_TASK, cpus, list(NAMES.items())[1:], journal=journal.encode())
