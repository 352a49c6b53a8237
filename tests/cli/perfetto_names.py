#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfetto_names.py TRACE: a trace of Perfetto in which tasks are renamed and an id is used again, which no event tells."""
import sys

from perfetto_write import field, message


def said(ts, pid):
    return field(2, message((1, ts), (2, pid), (3, field(2, 'hello'))))


def tree(ts, tid, name, tgid, args):
    return message((8, ts)) + field(2, field(2, message((1, tid), (2, name), (3, tgid))) + field(1, message((1, tgid), (2, 1), (3, args))))


packets = [
    message((10, 1), (13, 1)),
    message((8, 1000)) + field(120, message((1, 100), (2, 'a'))),
    message((8, 5000)) + field(120, message((1, 100), (2, 'b'))),
    tree(1000, 200, 'x', 50, '/bin/x'),
    tree(5000, 200, 'y', 90, '/bin/y'),
    # /proc has the work of a worker after its name; a program calls its process as it likes
    field(2, field(1, message((1, 7), (3, 'kworker/0:1-events_power_efficient'), (8, 1)))),
    field(60, message((1, 3), (3, message((1, 50), (6, 'Browser'))))),
    field(1, message((1, 0)) + b''.join(said(ts, pid) for ts, pid in (
        (500, 100), (600, 200), (2000, 100), (2001, 200), (5000, 100), (5000, 200), (6000, 100), (6001, 7)))),
]
with open(sys.argv[1], 'wb') as f:
    f.write(b''.join(field(1, p) for p in packets))
