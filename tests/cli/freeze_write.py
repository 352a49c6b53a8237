# SPDX-License-Identifier: GPL-2.0-only
"""freeze_write.py FILE [hybrid]: a recording in which the cgroup /ice is frozen for 40 ms: a task in it was busy, and one slept."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "answers"))
from machines.recording import Event, Shape, Type  # pylint: disable=wrong-import-position

STATES = '"%d", (REC->prev_state & 3) ? __print_flags(REC->prev_state & 3, "|", { 0x0001, "S" }, { 0x0002, "D" }) : "R"'
SWITCH = Type("sched", "sched_switch", 300, ("char[16]", "prev_comm"), ("pid_t", "prev_pid"), ("int", "prev_prio"), ("long long", "prev_state"),
              ("char[16]", "next_comm"), ("pid_t", "next_pid"), ("int", "next_prio"), fmt=STATES)
WAKING = Type("sched", "sched_waking", 301, ("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"), ("int", "target_cpu"))
FREEZE, THAW = Type("cgroup", "cgroup_freeze", 302, ("u64", "id")), Type("cgroup", "cgroup_unfreeze", 303, ("u64", "id"))
TYPES = [SWITCH, WAKING, FREEZE, THAW]
NAMES = {0: "swapper/0", 20: "busy", 21: "lazy", 30: "sh"}
SLEEPS = 1
cpus = [[], []]


def at(ms, cpu, kind, by, **values):
    cpus[cpu].append(Event(kind, 10**9 + ms * 10**6, cpu, by, values, flags=1, comm=NAMES[by]))


def switch(ms, prev, state, after):
    at(ms, 0, SWITCH, prev, prev_comm=NAMES[prev], prev_pid=prev, prev_prio=120, prev_state=state, next_comm=NAMES[after], next_pid=after,
       next_prio=120)


def wake(ms, pid):
    at(ms, 1, WAKING, 30, comm=NAMES[pid], pid=pid, prio=120, target_cpu=0)


switch(0, 0, 0, 21)
switch(1, 21, SLEEPS, 20)
at(10, 1, FREEZE, 30, id=9)
wake(11, 21)
switch(12, 20, SLEEPS, 21)
switch(13, 21, SLEEPS, 0)
at(50, 1, THAW, 30, id=9)
wake(50, 20)
wake(50, 21)
switch(51, 0, 0, 20)
switch(52, 20, SLEEPS, 21)
switch(53, 21, SLEEPS, 0)
members = "".join(f"is {pid} {pid} 1 1 {NAMES[pid]}\nin {pid} 0 {path}\n" for pid, path in ((20, "/ice"), (21, "/ice"), (30, "/")))
if len(sys.argv) > 2:  # a host with hierarchies of version 1 and 2, of which the second one has cgroups only later
    members = members.replace("in 20 0 /ice", "in 20 4 /a").replace("in 21 0 /ice", "in 21 4 /b")
moves = "".join(f"moved {10**9 + 1} {pid} 0 /ice 9\n" for pid in (20, 21) if len(sys.argv) > 2)
journal = f"tasks 1\nbegin {10**9}\n{members}cgroup 9 /ice\nscanned {10**9}\n{moves}end {2 * 10**9}\n"
Shape().write(sys.argv[1], TYPES, cpus, list(NAMES.items())[1:], journal=journal.encode())
