# SPDX-License-Identifier: GPL-2.0-only
"""throttle_stack_write.py FILE [CGROUP [LIMITED]]: a task whose stacks show three times that a quota holds it back, and three times that it is preempted, beside another task. It is
moved to CGROUP (of +CGROUP: the task that makes it is), and a journal states that /old has no quota, and LIMITED has one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "answers"))
from machines.recording import Event, Shape, Type  # pylint: disable=wrong-import-position

STATES = '"%d", (REC->prev_state & 3) ? __print_flags(REC->prev_state & 3, "|", { 0x0001, "S" }, { 0x0002, "D" }) : "R"'
SWITCH = Type("sched", "sched_switch", 300, ("char[16]", "prev_comm"), ("pid_t", "prev_pid"), ("int", "prev_prio"), ("long long", "prev_state"),
              ("char[16]", "next_comm"), ("pid_t", "next_pid"), ("int", "next_prio"), fmt=STATES)
STACK = Type("ftrace", "kernel_stack", 4, ("int", "size"), ("unsigned long[*]", "caller"), fmt='"\\t=> %ps\\n", (void *)REC->caller[0]')
NAMES = {20: "one", 21: "other"}
CODE = 0xffffffff81000000
FUNCTIONS = ("trace_event_raw_event_sched_switch", "__traceiter_sched_switch", "__schedule", "preempt_schedule", "task_work_run", "exit_to_user_mode_loop",
             "throttle_cfs_rq_work", "_raw_spin_unlock_irqrestore", "__cond_resched", "____fput", "do_exit")
# what task_work_run called: before the last, a tail call of the work, its own way to let others run, and another work; at the task's end, too
WORKS = [["task_work_run", "throttle_cfs_rq_work"], ["task_work_run", "_raw_spin_unlock_irqrestore"], ["task_work_run", "__cond_resched"],
         ["task_work_run", "____fput", "_raw_spin_unlock_irqrestore"], [], ["do_exit", "task_work_run", "__cond_resched"]]
events = []


def switch(ms, prev, after, *stack):
    ts = 10**9 + ms * 10**6
    events.append(Event(SWITCH, ts, 0, prev, dict(prev_comm=NAMES[prev], prev_pid=prev, prev_prio=120, prev_state=0, next_comm=NAMES[after],
                                                  next_pid=after, next_prio=120), flags=1, comm=NAMES[prev]))
    frames = [CODE + 0x100 * FUNCTIONS.index(name) + 0x20 for name in stack]
    events.append(Event(STACK, ts, 0, prev, dict(size=len(frames), caller=frames), flags=1, comm=NAMES[prev]))


for i, work in enumerate(WORKS):
    switch(100 * i, 21, 20, *FUNCTIONS[:4], "exit_to_user_mode_loop")
    switch(100 * i + 10, 20, 21, *FUNCTIONS[:4], *reversed(work), "exit_to_user_mode_loop")
switch(100 * len(WORKS), 21, 20, *FUNCTIONS[:4], "exit_to_user_mode_loop")
shape = Shape()
shape.kallsyms = "".join(f"{CODE + 0x100 * i:x} T {name}\n" for i, name in enumerate((*FUNCTIONS, "other_function"))).encode()
members = "".join(f"is {pid} {pid} 1 1 {name}\nin {pid} 0 /\n" for pid, name in NAMES.items())
cgroup = "".join(sys.argv[2:3])
mover, cgroup = (19, cgroup[1:]) if cgroup[:1] == "+" else (20, cgroup)
journal = f"tasks 1\nbegin {10**9}\n{members}cgroup 1 /\ncgroup 2 /old\nscanned {10**9}\nmoved {10**9 + 1} {mover} 0 {cgroup}\nnew {10**9 + 2} 20 19 0 one\nend {2 * 10**9}\n" \
    "steal 0 0\npressure 1 5 0 /there\n" + "".join(f"quota {i} 0 0 {path} 5000\\04050000\n" for path in sys.argv[3:] for i in (0, 1)) + "steal 1 0\n"
shape.write(sys.argv[1], [SWITCH, STACK], [events], NAMES.items(), **dict(journal=journal.encode()) if sys.argv[2:] else {})
