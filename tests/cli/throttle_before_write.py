# SPDX-License-Identifier: GPL-2.0-only
"""throttle_before_write.py FILE: a recording that begins while the quota of /a is used up, of which only the end is recorded: "victim" is in /a,
"other" is not. Before it, "runs" runs, whose priority is known as it leaves the CPU."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "answers"))
from machines.machine import SWITCH, WAKEUP, WAKING  # pylint: disable=wrong-import-position
from machines.recording import Event, Shape, Type  # pylint: disable=wrong-import-position

FIELDS = ("u64", "cgroup"), ("u32", "on_cpu"), ("u64", "ns"), ("u64", "periods")
DOWN, UP = Type("hist", "throttle_down", 700, *FIELDS), Type("hist", "throttle_up", 701, *FIELDS)
NAMES, PRIO = {0: "swapper/0", 20: "runs", 30: "victim", 40: "other"}, {0: 120, 20: 130, 30: 120, 40: 120}
events = []


def at(ms, kind, by, **values):
    events.append(Event(kind, 10**9 + ms * 10**6, 0, by, values, flags=1, comm=NAMES[by]))


def wake(ms, by, pid):
    for kind in (WAKING, WAKEUP):
        at(ms, kind, by, comm=NAMES[pid], pid=pid, prio=PRIO[pid], target_cpu=0)


def switch(ms, prev, state, after):
    at(ms, SWITCH, prev, prev_comm=NAMES[prev], prev_pid=prev, prev_prio=PRIO[prev], prev_state=state, next_comm=NAMES[after], next_pid=after, next_prio=PRIO[after])


wake(0, 20, 40)  # waits for "runs" for 5 ms
switch(5, 20, 0, 40)
wake(10, 40, 30)  # for its quota from here
switch(20, 40, 1, 20)
at(30, UP, 20, cgroup=5, on_cpu=0, ns=50, periods=1)  # until here
switch(37, 20, 0, 30)
switch(40, 30, 1, 20)
journal = "tasks 1\nbegin 1000000000\n" + "".join(f"is {pid} {pid} 1 1 {name}\nin {pid} 0 {'/a' if pid == 30 else '/'}\n" for pid, name in NAMES.items() if pid) + \
    "cgroup 5 /a\nscanned 1000000000\nend 2000000000\n"
Shape().write(sys.argv[1], [SWITCH, WAKING, WAKEUP, DOWN, UP], [events], [(p, n) for p, n in NAMES.items() if p], journal=journal.encode())
