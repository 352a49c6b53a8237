#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random traces of Perfetto, written from the documentation of their format, and the events in them.

perfetto_write.py TRACE SEED: writes TRACE in one of many shapes, and TRACE.want: a line of JSON for each event.
Half of them are in encodings that no recorder has, but that the format allows: numbers of more bytes than they need,
fields in any order, unknown ones among them, lists that are not packed or in several parts.
"""
import ctypes
import gzip
import json
import random
import sys
import zlib


ODD = None  # random choices of an unusual encoding


def varint(n, plain=False):
    n &= (1 << 64) - 1
    out = bytearray()
    while True:
        out.append(n & 127 | (128 if n > 127 else 0))
        n >>= 7
        if not n:
            break
    if ODD and not plain and ODD.random() < .1:
        more = ODD.randrange(1, 11 - len(out)) if len(out) < 10 else 0
        if more:
            out[-1] |= 128
            out += b'\x80' * (more - 1) + b'\0'
    return bytes(out)


def unknown():
    """A field of a number that no message has, in any type."""
    number = ODD.choice([777, 1500])
    value = ODD.choice([(0, varint(ODD.randrange(2**64))), (1, ODD.randbytes(8)), (5, ODD.randbytes(4)),
                        (2, varint(3) + b'abc'), (2, varint(0))])
    return varint(number << 3 | value[0]) + value[1]


def shuffled(parts, event=False):
    """Fields in any order, but those of the same number, with unknown ones; a message in an event is that of its type."""
    parts = list(parts)
    if ODD and ODD.random() < .5:
        order = list(parts)
        ODD.shuffle(order)
        of = {}
        for n, part in parts:
            of.setdefault(n, []).append(part)
        parts = [(n, of[n].pop(0)) for n, _ in order]
    data = [part for _, part in parts]
    if ODD and ODD.random() < .2:
        more = unknown()
        while event and more[0] & 7 == 2:
            more = unknown()
        data.insert(ODD.randrange(len(data) + 1), more)
    return b''.join(data)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return shuffled((n, field(n, v)) for n, v in fields)


def packed(number, values):
    """A list as one field; else as a field for each number, or as parts of both kinds."""
    if not ODD or ODD.random() < .4:
        return field(number, b''.join(varint(v) for v in values))
    out, whole = b'', ODD.random() < .3
    while values:
        n = 1 if whole else ODD.randrange(1, len(values) + 1)
        out += field(number, values[0]) if n == 1 else field(number, b''.join(varint(v) for v in values[:n]))
        values = values[n:]
    return out


# name: (number of the message, system, [(number, name)])
TYPES = {
    'sched_switch': (4, 'sched', [(1, 'prev_comm'), (2, 'prev_pid'), (3, 'prev_prio'), (4, 'prev_state'),
                                  (5, 'next_comm'), (6, 'next_pid'), (7, 'next_prio')]),
    'sched_waking': (20, 'sched', [(1, 'comm'), (2, 'pid'), (3, 'prio'), (5, 'target_cpu')]),
    'irq_handler_entry': (36, 'irq', [(1, 'irq'), (2, 'name')]),
    'sys_enter': (329, 'raw_syscalls', [(1, 'id'), (2, 'args')]),
    'cpu_frequency': (11, 'power', [(1, 'state'), (2, 'cpu_id')]),
    'workqueue_execute_start': (58, 'workqueue', [(1, 'work'), (2, 'function')]),
    'own_event': (327, None, [(1, 'text'), (2, 'small'), (3, 'large')]),
    'dense_event': (65536, 'mine', [(1, 'delta'), (2, 'what')]),
}
KINDS = {'text': 3, 'small': 4, 'large': 5}  # of a value of a generic event
DESCRIBED = {'delta': 3, 'what': 9}          # int64, string


def event_message(e):
    number, _, names = TYPES[e['event']] if e['event'] != 'print' else (3, '', [(2, 'buf')])
    values = [(n, e['fields'][name]) for n, name in names]
    if number == 327:
        body = field(1, e['event']) + b''.join(
            field(2, message((1, name), (KINDS[name], e['fields'][name]))) for _, name in names)
    else:
        body = shuffled((n, packed(n, v) if ODD and isinstance(v, list) else
                         b''.join(field(n, one) for one in v) if isinstance(v, list) else field(n, v))
                        for n, v in values if v or random.random() < .5)
    return shuffled([(1, field(1, e['ts'] - e['shift'])), (2, field(2, e['pid'])), (number, field(number, body))], True)


def compact(events):
    """The lists of a bundle's switches and wakings; what ran before a switch is not stored."""
    comms, lists = [], {n: [] for n in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12)}

    def comm(name):
        if name not in comms:
            comms.append(name)
        return comms.index(name)
    last = {1: 0, 7: 0}
    for e in events:
        f, t = e['fields'], 1 if e['event'] == 'sched_switch' else 7
        lists[t].append(e['ts'] - e['shift'] - last[t])
        last[t] = e['ts'] - e['shift']
        if t == 1:
            for n, v in ((2, f['prev_state']), (3, f['next_pid']), (4, f['next_prio']), (6, comm(f['next_comm']))):
                lists[n].append(v)
        else:
            for n, v in ((8, f['pid']), (9, f['target_cpu']), (10, f['prio']), (11, comm(f['comm'])), (12, 0)):
                lists[n].append(v)
    return shuffled([(n, packed(n, v)) for n, v in lists.items() if v] + [(5, field(5, c)) for c in comms])


def random_events(r, n_cpus):
    """Of each CPU, in order of time; which task runs is consistent."""
    cpus = []
    for cpu in range(n_cpus):
        ts, events = 10**12 + r.randrange(10**6), []
        runs = (0, 'swapper/%d' % cpu, 120)
        for _ in range(r.randrange(1, 120)):
            ts += r.choice([1, 7, 1000, 123456, 10**7])
            name = r.choice(['sched_switch'] * 4 + ['sched_waking'] * 3 + ['print'] + list(TYPES))
            e = {'ts': ts, 'cpu': cpu, 'pid': runs[0], 'event': name, 'shift': 0}
            task = r.choice([(5, 'dd', 120), (77, 'a b', 100), (1000, 'fünf', 139), (2**31 - 1, 'x' * 15, 0)])
            if name == 'sched_switch':
                to = task if task != runs else (0, 'swapper/%d' % cpu, 120)
                e['fields'] = dict(zip(('prev_comm', 'prev_pid', 'prev_prio', 'prev_state', 'next_comm', 'next_pid',
                                        'next_prio'),
                                       (runs[1], runs[0], runs[2], r.choice([0, 1, 2, 256]), to[1], to[0], to[2])))
                runs = to
            elif name == 'sched_waking':
                e['fields'] = {'comm': task[1], 'pid': task[0], 'prio': task[2], 'target_cpu': r.randrange(n_cpus)}
            elif name == 'print':
                e['fields'] = {'buf': r.choice(['B|5|draw', 'E|5', 'C|5|queue|3', 'hello, wörld'])}
            elif name == 'irq_handler_entry':
                e['fields'] = {'irq': r.randrange(300), 'name': r.choice(['', 'nvme0q1', 'a name'])}
            elif name == 'sys_enter':
                e['fields'] = {'id': r.randrange(400), 'args': [r.choice([0, 5, 2**64 - 1]) for _ in range(6)]}
            elif name == 'cpu_frequency':
                e['fields'] = {'state': r.randrange(2**32), 'cpu_id': cpu}
            elif name == 'workqueue_execute_start':
                e['fields'] = {'work': r.randrange(2**64), 'function': r.randrange(1, 4)}
            elif name == 'own_event':
                e['fields'] = {'text': r.choice(['', 'two words']), 'small': r.randrange(-2**63, 2**63),
                               'large': r.randrange(2**64)}
            else:
                e['fields'] = {'delta': r.randrange(-2**63, 2**63), 'what': r.choice(['', 'läuft'])}
            events.append(e)
        cpus.append(events)
    return cpus


SYMBOLS = {1: 'flush_work', 2: 'vmstat_update', 3: 'wb_workfn'}


def interned():
    return field(12, b''.join(field(26, message((1, n), (2, s))) for n, s in SYMBOLS.items()))


def description():
    fields = b''.join(field(2, message((1, name), (3, n), (4, 1), (5, DESCRIBED[name])))
                      for n, name in TYPES['dense_event'][2])
    return field(11, message((1, 65536), (2, field(1, 'dense_event') + fields), (3, 'mine')))


def zstd(data):
    """By the library that hist needs; its program may not be installed."""
    lib = ctypes.CDLL('libzstd.so.1')
    lib.ZSTD_compress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(len(data) + len(data) // 100 + 1024)
    n = lib.ZSTD_compress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)), 3)
    assert n <= len(out)
    return out.raw[:n]


def main():
    global ODD
    path, seed = sys.argv[1], int(sys.argv[2])
    r = random.Random(seed)
    ODD = random.Random(seed) if seed % 2 else None
    random.seed(seed)
    cpus = random_events(r, r.randrange(1, 4))
    is_compact, shift = r.random() < .5, r.choice([0, 0, 5 * 10**9])
    bundles, lost = [], []
    for cpu, events in enumerate(cpus):
        events, runs_known = list(events), False
        while events:
            n = r.randrange(1, 40)
            part, events = events[:n], events[n:]
            for e in part:
                e['shift'] = shift
            first = not any(b[0] == cpu for b in bundles)
            mixed = is_compact and runs_known  # the first switch of a CPU is a plain one: who ran is known
            listed = [e for e in part if mixed and e['event'] in ('sched_switch', 'sched_waking')]
            plain = [e for e in part if e not in listed]
            runs_known |= any(e['event'] == 'sched_switch' for e in part)
            if r.random() < .3:
                r.shuffle(plain)
            body = field(1, cpu) + b''.join(field(2, event_message(e)) for e in plain)
            if listed:
                body += field(4, compact(listed))
            if shift:
                body += field(5, 3) + field(6, 10**6) + field(7, 10**6 + shift)
            if not first and r.random() < .1:
                body += field(3, 1)
                lost.append(cpu)
            bundles.append((cpu, body + description()))
    if r.random() < .4:
        r.shuffle(bundles)
    head = message((10, 1), (13, 1)) + field(45, field(1, message((1, 'Linux'), (3, '6.12.0'), (4, 'x86_64'))))
    tree = field(2, field(1, message((1, 77), (2, 1), (3, '/bin/a'), (3, 'b'), (5, 10077))) + field(2, message((1, 5), (2, 'dd'), (3, 77))))
    packets = [head] + [message((10, 1)) + interned() + field(1, b) for _, b in bundles] + [tree]
    packing = r.choice(['', '', 'zlib', 'zstd'])
    if packing:
        inner = b''.join(field(1, p) for p in packets[1:])
        if packing == 'zstd':
            number, inner = 133, zstd(inner)
        else:
            number, inner = 50, zlib.compress(inner)
        packets = [packets[0], field(number, inner)]
    # the first two are recognised
    data = b''.join(b'\x0a' + varint(len(p), True) + p for p in packets[:2])
    for p in packets[2:]:
        data += (unknown() if ODD and ODD.random() < .2 else b'') + field(1, p)
    if r.random() < .2:
        data = gzip.compress(data)
    with open(path, 'wb') as f:
        f.write(data)
    with open(path + '.want', 'w', encoding='utf-8') as f:
        for e in sorted((e for events in cpus for e in events), key=lambda e: (e['ts'], e['cpu'])):
            system = {'print': 'ftrace'}.get(e['event']) or TYPES[e['event']][1] or 'text'
            f.write(json.dumps([e['ts'], e['cpu'], e['pid'], system + ':' + e['event'], e['fields']]) + '\n')
        f.write(json.dumps(['lost', sorted(set(lost))]) + '\n')


if __name__ == '__main__':
    main()
