#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfetto_slices.py HIST RECORDING EVENT: slices and counters of a trace of Perfetto are the intervals of EVENT."""
import collections
import json
import subprocess
import sys


def varint(b, i):
    n = shift = 0
    while True:
        n |= (b[i] & 127) << shift
        shift += 7
        i += 1
        if b[i - 1] < 128:
            return n, i


def fields(b):
    i = 0
    while i < len(b):
        tag, i = varint(b, i)
        v, i = varint(b, i)
        if tag & 7 == 2:
            v, i = b[i:i + v], i + v
        yield tag >> 3, v


def main():
    hist, recording, event = sys.argv[1:4]
    trace = subprocess.run([hist, 'events', '-q', '-i', recording, '-e', event, '--format', 'perfetto'],
                           stdout=subprocess.PIPE, check=True).stdout
    want = json.loads(subprocess.run([hist, 'events', '-q', '-i', recording, '-e', event, '--format', 'json'],
                                     stdout=subprocess.PIPE, check=True).stdout)
    points, tracks, values, marks = collections.defaultdict(list), set(), [], []
    for _, packet in fields(trace):
        p = dict(fields(packet))
        if 60 in p:
            tracks.add(dict(fields(p[60]))[1])
        if 11 in p:
            e = dict(fields(p[11]))
            assert e[11] in tracks and p[10]
            if e[9] == 4:
                values.append((p[8], e[30]))
            elif e[9] == 3:
                marks.append((p[8], e[23].decode()))
            else:
                # those of the same time are in the order of the file
                points[e[11]].append((p[8], 0 if e[9] == 2 else 1, e.get(23, b'').decode()))
    got = []
    for track in points.values():
        stack = []
        for ts, begins, name in sorted(track, key=lambda x: x[0]):
            if begins:
                stack.append((ts, name))
            else:
                got.append((ts - stack[-1][0], ts, stack.pop()[1]))
        assert not stack
    name = {'wait': 'kind', 'task_state': 'state'}.get(event.split(':')[1], 'name')
    if values:
        a = sorted(values)
        b = sorted((e['ts'] - e['fields'].get('ns', 0), e['fields'].get('depth', e['fields'].get('value'))) for e in want)
    elif marks:
        a = sorted(marks)
        b = sorted((e['ts'], e['fields']['culprit_comm']) for e in want)
    else:
        a = sorted(got)
        b = sorted((e['fields']['ns'], e['ts'], str(e['fields'].get(name, ''))) for e in want)
    if a != b:
        sys.exit('%d slices, not %d; %s' % (len(a), len(b), next(((x, y) for x, y in zip(a, b) if x != y), '')))
    print('%d intervals of %s on %d tracks' % (len(a), event, len(tracks)))


if __name__ == '__main__':
    main()
