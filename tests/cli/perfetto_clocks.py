#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfetto_clocks.py HIST FIRST COUNT DIR: random traces of Perfetto whose packets have times of many clocks.

Sequences of packets have clocks of their own (differences and multiples), which snapshots relate to one of the machine,
maybe over another snapshot; the machine is suspended, its time of day is set back; states of sequences are cleared, and
packets are dropped, after which nothing is known until the next state. The time since the boot of each event, its name,
and values of counters are those that were written.
"""
import os
import random
import subprocess
import sys

from perfetto_write import field, message

REAL, MONO, RAW, BOOT = 1, 3, 5, 6


class Machine:
    def __init__(self, r):
        self.r, self.boot, self.behind = r, r.randrange(10**9, 10**12), {MONO: 5 * 10**8, RAW: 7 * 10**8, REAL: -10**18, BOOT: 0}

    def read(self, clock):
        return self.boot - self.behind[clock]

    def snapshot(self, clocks, primary=0):
        pairs = b''.join(field(1, message((1, c), (2, self.read(c)))) for c in clocks)
        return field(6, pairs + (field(2, primary) if primary else b''))


class Sequence:
    def __init__(self, m, r, number):
        self.m, self.r, self.number, self.names = m, r, number, []
        self.default = 0

    def begin(self):
        """The packets that begin a state: its default clock, a snapshot with its own clocks, its track."""
        m, r = self.m, self.r
        self.known, self.names, self.counter = True, [], 0
        self.default = r.choice([0, BOOT, MONO, 64, 65])
        self.unit, self.base = r.choice([1, 1000, 7]), r.choice([BOOT, MONO])
        m.boot += 7000 - m.boot % 7000  # a multiple of all units, also without what the clocks are late
        self.last = m.read(self.base) // self.unit
        m.boot += self.last * self.unit - m.read(self.base)
        first = message((10, self.number), (13, 1))
        if self.default:
            first += field(59, field(58, self.default))
        own = [field(1, message((1, 64), (2, self.last), (3, 1), (4, self.unit))),
               field(1, message((1, 65), (2, self.last), (4, self.unit)))]
        out = [first + field(6, field(1, message((1, self.base), (2, m.read(self.base)))) + b''.join(own))]
        # the description has a time, too, which differences go on from
        return out + [self.packet(field(60, message((1, 100 + self.number), (r.choice([2, 10, 13]), 'track %d' % self.number)))),
                      self.packet(field(60, message((1, 200 + self.number), (2, 'counter %d' % self.number), (8, field(5, 1)))))]

    def packet(self, contents, primary=BOOT):
        m, r = self.m, self.r
        clock = r.choice([0, 0, BOOT, MONO, 64, 65])
        used = clock or self.default or primary
        m.boot += r.choice([1, 10, 1000]) * self.unit
        if used == 64:
            m.boot += (self.last * self.unit - m.read(self.base)) % self.unit
            ts = m.read(self.base) // self.unit - self.last
            self.last += ts
        elif used == 65:
            m.boot += (-m.read(self.base)) % self.unit
            ts = m.read(self.base) // self.unit
        else:
            ts = m.read(used)
        out = field(8, ts) + (field(58, clock) if clock else b'')
        return out + message((10, self.number), (13, 2)) + contents


def write(path, seed):
    r = random.Random(seed)
    m = Machine(r)
    primary = r.choice([BOOT, MONO])
    packets = [m.snapshot([BOOT, MONO, REAL, RAW], primary if primary != BOOT else 0)]
    sequences, want, lost = [Sequence(m, r, n) for n in (1, 2, 3)], [], 0
    packet = Sequence.packet
    Sequence.packet = lambda self, contents: packet(self, contents, primary)
    for s in sequences:
        packets += s.begin()
    for i in range(r.randrange(10, 80)):
        s, what = r.choice(sequences), r.random()
        if what < .05:    # a suspension; what has clocks that stand still is read again
            m.behind[MONO] += 10**9
            m.behind[RAW] += 10**9
            m.boot += 10**9 + 1  # time goes on, so that the one before is before
            packets += [m.snapshot([BOOT, MONO, RAW])] + [p for s in sequences for p in s.begin()]
        elif what < .1:
            m.behind[REAL] += r.choice([-1, 1]) * 10**9
            packets.append(m.snapshot([REAL, BOOT]))
        elif what < .15:
            packets += s.begin()
        elif what < .2:
            s.known = False
            packets.append(message((10, s.number), (42, 1)))
        elif what < .4:
            more = r.randrange(-100, 100)
            s.counter += more
            packets.append(s.packet(field(11, message((9, 4), (11, 200 + s.number), (30, more)))))
            lost += not s.known
            if s.known:
                want.append((m.boot, 'C|0|counter %d|%d' % (s.number, s.counter)))
        else:
            name, interned = 'name %d' % r.randrange(5), b''
            if r.random() < .5:
                if name not in s.names:
                    s.names.append(name)
                    interned = field(12, field(2, message((1, len(s.names)), (2, name))))
                call = (10, s.names.index(name) + 1)
            else:
                call = (23, name)
            packets.append(s.packet(interned + field(11, message((9, 3), (11, 100 + s.number), call))))
            lost += not s.known
            if s.known:
                want.append((m.boot, 'I|0|' + name))
    Sequence.packet = packet
    # events of a clock that only snapshots relate, and of one that an earlier bundle of the sequence does
    switch = [field(2, message((1, t), (2, 0), (4, message((5, 'a'), (6, 7))))) for t in (m.read(RAW), 5000)]
    raw = r.random() < .5
    packets.append(message((10, 9)) + field(1, message((1, 0), (5, 4 if raw else 2)) + (b'' if raw else message((6, 4000), (7, m.boot - 1000))) + switch[not raw]))
    packets.append(message((10, 9)) + field(1, message((1, 0), (5, 4 if raw else 2)) + switch[not raw]))
    with open(path, 'wb') as f:
        f.write(b''.join(field(1, p) for p in packets))
    return sorted(want), m.boot, lost


def main():
    hist, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    path, n, bad = os.path.join(directory, 'clocks.pftrace'), 0, 0
    for seed in range(first, first + count):
        want, at, lost = write(path, seed)
        run = subprocess.run([hist, 'events', '-i', path, '-e', 'ftrace:print', '-e', 'sched:sched_switch', '--format', 'csv', '--fields', 'ts,event,buf'],
                             capture_output=True, check=True, encoding='utf-8')
        rows = [line.split(',', 2) for line in run.stdout.splitlines()[1:]]
        got = sorted((int(ts), text) for ts, name, text in rows if name == 'ftrace:print')
        switches = [int(ts) for ts, name, _ in rows if name == 'sched:sched_switch']
        told = 'left out: %d track event' % lost in run.stderr
        n += len(want) + 2
        if got != want or switches != [at, at] or told != bool(lost):
            bad += 1
            print('seed %d: %s %s, %d lost: %s' % (seed, next(([x, y] for x, y in zip(got, want) if x != y), (len(got), len(want))),
                                                   [t - at for t in switches], lost, run.stderr))
    print('%d traces with %d events, %d wrong' % (count, n, bad))
    sys.exit(bad > 0)


main()
