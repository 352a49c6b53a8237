#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""ctf_write.py DIR KIND: writes a small CTF trace of KIND: kernel, ust, lost, numbers, texts.

kernel: what LTTng's kernel tracer records on two CPUs, with the events of a task that is forked,
sleeps and calls the system; ust: events of a program with contexts and nested fields; lost: events
that were discarded between packets; texts: texts that are empty, and a thread with two names; numbers: a second trace of the same program, whose event has
other fields. The values are those that ctf.t expects.
"""
import os
import struct
import sys

OFFSET = 1700000000000000000

TYPES = '''
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := x64;
typealias integer { size = 32; align = 8; signed = true; } := s32;
typealias integer { size = 64; align = 8; signed = true; } := s64;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := letter;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double;
'''
CLOCK = '''
clock { name = monotonic; freq = 1000000000; offset = %d; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := stamp;
''' % OFFSET


def metadata(env, events, context=''):
    text = '/* CTF 1.8 */\n' + TYPES
    text += '''trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; u32 stream_id; }; };\n'''
    text += 'env {\n%s};\n' % ''.join('\t%s = %s;\n' % (k, v if isinstance(v, int) else '"%s"' % v)
                                     for k, v in env.items())
    text += CLOCK + '''stream { id = 0;
	event.header := struct { u16 id; stamp timestamp; };
	packet.context := struct { stamp timestamp_begin; stamp timestamp_end; u64 content_size;
		u64 packet_size; u64 events_discarded; u32 cpu_id; };
	%s};\n''' % ('event.context := struct { %s };\n' % context if context else '')
    for i, (name, fields) in enumerate(events.items()):
        text += 'event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (
            name, i, fields)
    return text


def comm(s):
    return s.encode().ljust(16, b'\0')


def text(s):
    return s.encode() + b'\0'


class Stream:
    def __init__(self, cpu, events):
        self.cpu, self.names, self.packets, self.discarded = cpu, list(events), [], 0
        self.begin()

    def begin(self, discarded=0):
        self.body, self.first, self.last = b'', None, 0
        self.discarded += discarded

    def add(self, ts, name, data, context=b''):
        self.body += struct.pack('<HQ', self.names.index(name), ts) + context + data
        self.first = ts if self.first is None else self.first
        self.last = ts

    def end(self):
        size = 8 * (8 + 44 + len(self.body))
        self.packets.append(struct.pack('<IIQQQQQI', 0xC1FC1FC1, 0, self.first, self.last, size, size,
                                        self.discarded, self.cpu) + self.body)

    def write(self, path):
        with open(path, 'wb') as f:
            f.write(b''.join(self.packets))


def write(path, env, events, streams, context=''):
    os.makedirs(path)
    with open(path + '/metadata', 'w') as f:
        f.write(metadata(env, events, context))
    for s in streams:
        s.write('%s/channel0_%d' % (path, s.cpu))


KERNEL = {
    'sched_switch': 'letter prev_comm[16]; s32 prev_tid; s32 prev_prio; s64 prev_state; '
                    'letter next_comm[16]; s32 next_tid; s32 next_prio;',
    'sched_waking': 'letter comm[16]; s32 tid; s32 prio; s32 target_cpu;',
    'sched_process_fork': 'letter parent_comm[16]; s32 parent_tid; s32 parent_pid; '
                          'letter child_comm[16]; s32 child_tid; s32 child_pid;',
    'syscall_entry_read': 'u32 fd; u64 count;',
    'syscall_exit_read': 's64 ret; u64 buf;',
    'syscall_entry_openat': 's32 dfd; string filename; s32 flags; u16 mode;',
    'syscall_exit_openat': 's64 ret;',
    'sys_nanosleep': 'x64 rqtp;',
    'exit_syscall': 's64 ret;',
    'irq_softirq_entry': 'u32 vec;',
    'block_rq_issue': 'u32 dev; u64 sector; u32 nr_sector; u32 bytes; s32 tid; u32 rwbs; '
                      'letter comm[16];',
    'lttng_statedump_process_state': 's32 tid; s32 vtid; s32 pid; s32 vpid; s32 ppid; s32 vppid; '
                                     'letter name[16]; s32 type; s32 mode;',
    'lttng_logger': 'u32 __msg_length; letter msg[__msg_length];',
}


def kernel(path):
    def switch(s, ts, prev, prev_pid, state, to, pid):
        s.add(ts, 'sched_switch', comm(prev) + struct.pack('<iiq', prev_pid, 20, state) + comm(to) +
              struct.pack('<ii', pid, 20))

    def task(s, ts, tid, pid, ppid, name):
        s.add(ts, 'lttng_statedump_process_state',
              struct.pack('<6i', tid, tid, pid, pid, ppid, ppid) + comm(name) +
              struct.pack('<ii', 0, 0))

    a, b = Stream(0, KERNEL), Stream(1, KERNEL)
    task(a, 1000, 100, 100, 1, 'shell')
    task(a, 1100, 101, 100, 1, 'worker')
    # before the first switch: the task is that which is switched away from
    a.add(1500, 'syscall_entry_openat', struct.pack('<i', -100) + text('/etc/passwd') +
          struct.pack('<iH', 0, 0o644))
    a.add(1800, 'syscall_exit_openat', struct.pack('<q', 3))
    a.add(2000, 'syscall_entry_read', struct.pack('<IQ', 3, 4096))
    switch(a, 3000, 'shell', 100, 1, 'swapper/0', 0)
    a.add(4000, 'irq_softirq_entry', struct.pack('<I', 4))
    a.add(4500, 'sched_waking', comm('shell') + struct.pack('<iii', 100, 20, 0))
    switch(a, 5000, 'swapper/0', 0, 0, 'shell', 100)
    a.add(5500, 'syscall_exit_read', struct.pack('<qQ', 17, 0x7fff0000))
    a.add(6000, 'sched_process_fork', comm('shell') + struct.pack('<ii', 100, 100) + comm('shell') +
          struct.pack('<ii', 102, 102))
    a.add(6500, 'block_rq_issue', struct.pack('<IQIIiI', 8 << 20 | 1, 64, 8, 4096, 0, 1 | 32 | 64) +
          comm('shell'))
    a.add(7000, 'lttng_logger', struct.pack('<I', 5) + b'hello')
    a.end()
    # what is preempted has the highest bit of its kernel, 4.4; the calls of LTTng before 2.5
    b.add(2500, 'sys_nanosleep', struct.pack('<Q', 0x7ffe1000))
    b.add(2600, 'exit_syscall', struct.pack('<q', -4))
    switch(b, 3500, 'worker', 101, 2048, 'rt', 55)
    b.add(3600, 'exit_syscall', struct.pack('<q', 0))
    b.end()
    write(path, {'hostname': 'box', 'domain': 'kernel', 'sysname': 'Linux', 'kernel_release': '4.4.3-test',
                 'tracer_name': 'lttng-modules', 'tracer_major': 2, 'tracer_minor': 8}, KERNEL, [a, b])


UST = {
    'app:work': 'string name; u32 __values_length; u16 values[__values_length]; '
                'struct { s32 x; double y; } place; x64 handle; enum : u8 { "LOW" = 1, "HIGH" = 2 } level;',
    'app:tick': '',
}
PROGRAM = {'hostname': 'box', 'domain': 'ust', 'tracer_name': 'lttng-ust', 'tracer_major': 2,
           'tracer_minor': 13}


def ust(path):
    def who(pid, name):
        return struct.pack('<i', pid) + text(name)

    a = Stream(0, UST)
    a.add(5200, 'app:work', text('first') + struct.pack('<I3HidQB', 3, 1, 2, 700, -5, 0.5, 0xdeadbeef, 2),
          who(100, 'shell'))
    a.add(5300, 'app:tick', b'', who(100, 'shell'))
    a.end()
    write(path, PROGRAM, UST, [a], 's32 vtid; string procname;')


def lost(path):
    a, b = Stream(0, {'app:tick': ''}), Stream(1, {'app:tick': ''})
    for s, n in ((a, 7), (b, 2)):
        s.add(1000 + n, 'app:tick', b'')
        s.end()
        s.begin(n)
        s.add(2000 + n, 'app:tick', b'')
        s.end()
    write(path, PROGRAM, {'app:tick': ''}, [a, b])


def numbers(path):
    a = Stream(0, {'app:tick': 'u32 n;'})
    for i in range(5):
        a.add(5250 + 20 * i, 'app:tick', struct.pack('<I', i))
    a.end()
    write(path, PROGRAM, {'app:tick': 'u32 n;'}, [a])


def texts(path):
    events = {'app:note': 'string note; struct { string inner; } more; letter array[4];'}
    a = Stream(0, events)
    for i, (pid, name, *values) in enumerate((
            (100, 'sh', 'abc', 'def', b'word'), (100, 'sh', '', '', b'\0\0\0\0'), (100, 'ls', '', 'x', b'w\0\0\0'), (200, 'sh', 'y', '', b'\0\0\0\0'))):
        a.add(5000 + i, 'app:note', text(values[0]) + text(values[1]) + values[2], struct.pack('<i', pid) + text(name))
    a.end()
    write(path, PROGRAM, events, [a], 's32 vtid; string procname;')


{'kernel': kernel, 'ust': ust, 'texts': texts, 'lost': lost, 'numbers': numbers}[sys.argv[2]](sys.argv[1])
