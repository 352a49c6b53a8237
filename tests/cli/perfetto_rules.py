#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfetto_rules.py HIST RECORDING: a trace of Perfetto that hist writes keeps what trace_processor needs to read it right.

An event has a time, a task and one message, since each other field is an event to it. A print is a marker: other texts
are errors, or ends of slices if they begin with E. Lists have no negative priorities. Of a task that begins in the
recording, processes are stated after its begin. Names in process trees count more than those of events, also of later
ones, so the last one is that of the task's last event.
"""
import collections
import json
import re
import subprocess
import sys

from perfetto_slices import fields, varint

MARKER = rb'(B\|\d+(\|.*)?|E(\|.*)?|I\|\d+\|.+|N\|\d+\|[^|]+\|[^|]+.*|[SFC]\|\d+\|[^|]+\|-?\d+(\|.*)?|' \
    rb'G\|\d+\|[^|]+\|[^|]+\|-?\d+(\|.*)?|H\|\d+\|[^|]+(\|[^|]+)?\|-?\d+)\n*'
NEWTASK = 235


def varints(b):
    i = 0
    while i < len(b):
        v, i = varint(b, i)
        yield v


def main():
    hist, recording = sys.argv[1:3]
    run = lambda *o: subprocess.run([hist, 'events', '-q', '-i', recording, *o], stdout=subprocess.PIPE, check=True).stdout
    trace, born, trees, renamed = run('--format', 'perfetto'), {}, collections.defaultdict(list), {}
    for _, packet in fields(trace):
        p = dict(fields(packet))
        for number, part in fields(p.get(1, b'')):
            if number == 2:
                e = list(fields(part))
                assert [n for n, _ in e[:2]] == [1, 2] and len(e) == 3 and e[2][0] != 5, e
                if e[2][0] == NEWTASK:
                    born[dict(fields(e[2][1]))[1]] = e[0][1]
                if e[2][0] == 3:
                    text = dict(fields(e[2][1]))[2]
                    assert re.fullmatch(MARKER, text, re.S), text
            if number == 4:
                assert all(v < 65536 for n, values in fields(part) if n == 10 for v in varints(values))
        for number, part in fields(p.get(2, b'')):
            if number == 2:
                t = dict(fields(part))
                trees[t[1]].append((p.get(8, 0), t[2].decode()))
            else:
                assert not any(b' ' in v for n, v in fields(part) if n == 3)
        if 120 in p:
            t = dict(fields(p[120]))
            renamed[t[1]] = t[2].decode()
    for pid, ts in born.items():
        assert all(t >= ts for t, _ in trees[pid]), (pid, ts, trees[pid])
    last = {}
    for line in run('--format', 'ndjson', '--fields', 'pid,comm').decode().splitlines():
        e = json.loads(line)
        last[e['pid']] = e['comm']
    for pid, comm in last.items():
        name = trees[pid][-1][1] if trees[pid] else renamed.get(pid, comm)
        assert name == comm or pid <= 0, (pid, name, comm)
    print('%d tasks, %d of them new' % (len(last), len(born)))


if __name__ == '__main__':
    main()
