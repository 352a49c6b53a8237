# SPDX-License-Identifier: GPL-2.0-only
"""timerlat_write.py FILE: a sample of timerlat, whose interrupt was late and whose thread was late after it, with what its CPU did."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "answers"))
from machines.recording import Event, Shape, Type  # pylint: disable=wrong-import-position

STATES = '"%d", (REC->prev_state & 3) ? __print_flags(REC->prev_state & 3, "|", { 0x0001, "S" }, { 0x0002, "D" }) : "R"'
SWITCH = Type("sched", "sched_switch", 300, ("char[16]", "prev_comm"), ("pid_t", "prev_pid"), ("int", "prev_prio"), ("long long", "prev_state"),
              ("char[16]", "next_comm"), ("pid_t", "next_pid"), ("int", "next_prio"), fmt=STATES)
WAKING = Type("sched", "sched_waking", 301, ("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"), ("int", "target_cpu"))
TIMER_IN, TIMER_OUT = (Type("irq_vectors", "local_timer_" + end, 400 + i, ("int", "vector")) for i, end in enumerate(("entry", "exit")))
IRQ_IN = Type("irq", "irq_handler_entry", 410, ("int", "irq"), ("char[]", "name"))
IRQ_OUT = Type("irq", "irq_handler_exit", 411, ("int", "irq"), ("int", "ret"))
SAMPLE = Type("ftrace", "timerlat", 21, ("u32", "seqnum"), ("int", "context"), ("u64", "timer_latency"))
NAMES = {0: "swapper/0", 20: "hog", 30: "timerlat/0", 31: "timer"}
READY, SLEEPS = 0, 1
PERIOD = 10**6
events = []


def at(us, kind, by, **values):
    events.append(Event(kind, 10**9 + us * 1000, 0, by, values, flags=1, comm=NAMES[by]))


def switch(us, prev, state, after):
    at(us, SWITCH, prev, prev_comm=NAMES[prev], prev_pid=prev, prev_prio=4 if prev == 30 else 120, prev_state=state, next_comm=NAMES[after],
       next_pid=after, next_prio=4 if after == 30 else 120)


def sample(t, number, irq, other, thread):
    """The timer is due at @t, its interrupt comes after @irq, that of a disk after @other for 50, and the thread after @thread; all in us."""
    at(t + irq, TIMER_IN, 20, vector=236)
    at(t + irq + 1, SAMPLE, 20, seqnum=number, context=0, timer_latency=(irq + 1) * 1000)
    at(t + irq + 2, WAKING, 20, comm=NAMES[30], pid=30, prio=4, target_cpu=0)
    at(t + irq + 10, TIMER_OUT, 20, vector=236)
    at(t + other, IRQ_IN, 20, irq=11, name="disk")
    at(t + other + 50, IRQ_OUT, 20, irq=11, ret=1)
    switch(t + thread, 20, READY, 30)
    at(t + thread + 5, SAMPLE, 30, seqnum=number, context=1, timer_latency=(thread + 5) * 1000)
    switch(t + thread + 10, 30, SLEEPS, 20)


switch(0, 0, READY, 30)
switch(10, 30, SLEEPS, 20)
sample(1000, 1, 5, 40, 100)
sample(2000, 2, 300, 400, 500)
sample(3000, 3, 5, 40, 100)
Shape().write(sys.argv[1], [SWITCH, WAKING, TIMER_IN, TIMER_OUT, IRQ_IN, IRQ_OUT, SAMPLE], [events], list(NAMES.items())[1:])
