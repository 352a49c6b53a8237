#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfetto_tracks.py TRACE: a small trace of Perfetto with track events of all kinds, beside scheduling of CPU 1, another machine, and tasks."""
import struct
import sys

from perfetto_write import field, message


def switch(ts, prev, following):
    fields = b''.join(field(n, v) for n, v in ((1, 'task'), (2, prev), (3, 120), (4, 1), (5, 'task'), (6, following), (7, 120)))
    return field(2, message((1, ts), (2, prev), (4, fields)))


def track(uuid, *fields):
    return field(60, message((1, uuid), *fields))


def event(ts, kind, uuid, *fields, clock=(), sequence=1):
    return message((8, ts), *clock, (10, sequence)) + field(11, b''.join(
        v if isinstance(v, bytes) else field(*v) for v in ((9, kind), (11, uuid), *fields)))


def clocks(*pairs):
    return field(6, b''.join(field(1, message((1, n), (2, ts), *more)) for n, ts, *more in pairs))


def double(n, v):
    return bytes([n << 3 & 0x7f | 0x80 | 1, n >> 4]) + struct.pack('<d', v)


def main():
    packets = [
        field(1, message((1, 1)) + switch(1000, 0, 11) + switch(5000, 11, 0) + switch(9000, 0, 12)),
        # a thread of a process, a track of this process, a track of no process, two counters
        track(1, (4, message((1, 10), (2, 11), (5, 'worker')))),
        track(2, (3, message((1, 10), (6, 'program')))),
        track(3, (2, 'frames'), (5, 2)),
        track(4, (2, 'load'), (8, message((4, 1000)))),
        track(5, (2, 'bytes'), (5, 2), (8, message((5, 1)))),
        # names of slices have numbers, which a cleared state forgets
        message((10, 1), (13, 1)) + field(12, field(2, message((1, 7), (2, 'draw|all')))),
        event(2000, 1, 1, (10, 7)),
        event(2500, 1, 1, (23, 'inner\nslice')),
        event(3000, 2, 1),
        event(4000, 2, 1),
        event(4500, 3, 1, (23, 'now')),
        event(6000, 1, 1, (23, 'off CPU')),
        event(6500, 2, 1),
        # slices of two tracks that overlap
        event(2100, 1, 3, (23, 'frame 1')),
        event(2200, 1, 2, (23, 'load file')),
        event(4100, 2, 3),
        event(4200, 2, 2),
        event(2000, 4, 4, (30, 3)),
        event(3000, 4, 4, double(44, 4.6)),
        event(2000, 4, 5, (30, 100)),
        event(3000, 4, 5, (30, -40)),
        # the older forms: the thread of a sequence, a complete slice, and a clock of differences in microseconds
        message((10, 2), (13, 1)) + field(44, message((1, 10), (2, 12))) + field(59, message((58, 64))),
        message((10, 2)) + clocks((6, 9000), (64, 5, (3, 1), (4, 1000))),
        message((8, 1), (10, 2)) + field(11, field(6, message((2, ord('X')), (3, 2))) + field(23, 'complete')),
        # the monotonic clock, 1 ms after that since the boot, and the time of day
        clocks((6, 1000), (3, 1001000), (1, 1764365156839198000)),
        event(1009500, 1, 3, (23, 'mono'), clock=((58, 3),)),
        event(1009700, 2, 3, clock=((58, 3),)),
        # a clock that no snapshot has
        event(1, 1, 3, (23, 'lost'), clock=((58, 70),)),
    ]
    packets += [
        # events of another machine
        message((98, 5)) + field(1, message((1, 0)) + switch(1500, 0, 11) + switch(2500, 11, 0)),
        # CPU 2 lost events, once, and the kernel counted how many
        message((10, 9)) + field(1, message((1, 2)) + switch(1000, 0, 13)),
        message((10, 9)) + field(1, message((1, 2), (3, 1)) + switch(5000, 0, 13)),
        field(34, message((1, 1)) + field(2, message((1, 2), (3, 3)))),
        field(34, message((1, 2)) + field(2, message((1, 2), (3, 10)))),
        # a process tree that was read later: a thread of the kernel, arguments that change; statistics of a process
        message((8, 7000)) + field(2, field(1, message((1, 2), (3, 'kthreadd'), (8, 1))) +
                                   field(1, message((1, 10), (3, '/bin/program'), (3, '-v')))),
        message((8, 8000)) + field(2, field(1, message((1, 10), (3, '/bin/other')))),
        message((8, 8000)) + field(9, field(1, message((1, 10)) + field(11, field(1, 12)))),
    ]
    with open(sys.argv[1], 'wb') as f:
        f.write(b''.join(field(1, p) for p in packets))


main()
