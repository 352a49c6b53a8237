#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""growth_derived.py KIND N: text of a trace with N of what a file can choose, for growth_derived.t.

sector: requests of one sector; inserts: requests that are queued for ever, beside others that were not inserted;
runnable: tasks that wait at the same time; turns: the same, of 40 at most, N times one is woken or runs; holes: times in which events were lost; tasks: the same, each with
another task; threads: slices of other threads, with events lost after each; functions: the same of functions that they call;
slices: asynchronous slices with one name and cookie; locks: waits of one task.
"""
import sys

KIND, N = sys.argv[1], int(sys.argv[2])
SWITCH = 'prev_comm={} prev_pid={} prev_prio=120 prev_state={} ==> next_comm={} next_pid={} next_prio=120'
now = 1000000


def event(pid, comm, name, args):
    """A line, a microsecond later."""
    global now
    now += 1
    print(f'  {comm}-{pid} [000] d..2. {now // 1000000}.{now % 1000000:06}: {name}: {args}')


if KIND == 'runnable':
    event(0, 'swapper', 'sched_switch', SWITCH.format('swapper', 0, 'R', 'm', 9))
    for i in range(N):
        event(9, 'm', 'sched_waking', f'comm=t{i} pid={100 + i} prio=120 target_cpu=000')
    before = ('m', 9)
    for i in range(N):
        event(before[1], before[0], 'sched_switch', SWITCH.format(*before, 'S', f't{i}', 100 + i))
        before = (f't{i}', 100 + i)
elif KIND == 'turns':
    running, waiting = 0, []
    for i in range(N):
        now += i % 7
        who = 100 + i * 7919 // 13 % 40
        if i % 3 and who not in waiting + [running]:
            event(running, f't{running}', 'sched_waking', f'comm=t{who} pid={who} prio=120 target_cpu=000')
            waiting.append(who)
        elif waiting:
            after = waiting.pop(0 if i % 5 else -1)
            event(running, f't{running}', 'sched_switch',
                  SWITCH.format(f't{running}', running, 'RS'[i % 2], f't{after}', after))
            if i % 2 == 0 and running:
                waiting.append(running)
            running = after
elif KIND in ('holes', 'tasks'):
    for i in range(N):
        task = i % (20 if KIND == 'holes' else N)
        pid, comm = 100 + task, f't{task}'
        for _ in range(2):
            event(0, 'swapper', 'sched_waking', f'comm={comm} pid={pid} prio=120 target_cpu=000')
            event(0, 'swapper', 'sched_switch', SWITCH.format('swapper', 0, 'R', comm, pid))
            event(pid, comm, 'sched_switch', SWITCH.format(comm, pid, 'S', 'swapper', 0))
        print('CPU:0 [LOST 1 EVENTS]')
elif KIND == 'threads':
    for i in range(N):
        for text in f'B|{i}|s', f'E|{i}':
            event(100 + i, f't{i}', 'tracing_mark_write', text)
        print('CPU:0 [LOST 1 EVENTS]')
elif KIND == 'functions':
    for i in range(N):
        event(100 + i, f't{i}', 'funcgraph_entry', 'func=4096 depth=0')
        event(100 + i, f't{i}', 'funcgraph_exit', 'func=4096 depth=0')
        print('CPU:0 [LOST 1 EVENTS]')
elif KIND == 'slices':
    for text in ['S|1|s|1'] * N + ['F|1|s|1'] * N:
        event(7, 'a', 'tracing_mark_write', text)
elif KIND == 'locks':
    for i in range(N):
        event(7, 'a', 'contention_begin', f'0x{0x1000 + 16 * i:x} (flags=SPIN)')
    for i in reversed(range(N)):
        event(7, 'a', 'contention_end', f'0x{0x1000 + 16 * i:x} (ret=0)')
else:
    at = [100 + 16 * i for i in range(N)] if KIND == 'inserts' else [100] * N
    other = [90000000 + 16 * i for i in range(N)] if KIND == 'inserts' else at
    for i in range(N):
        event(7, 'a', 'block_rq_insert', f'8,0 W 4096 () {at[i]} + 8 [a]')
    for i in range(N):
        event(7, 'a', 'block_rq_issue', f'8,0 W 4096 () {other[i]} + 8 [a]')
    for i in range(N):
        event(7, 'a', 'block_rq_complete', f'8,0 W () {other[i]} + 8 [0]')
