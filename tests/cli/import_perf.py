#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""import_perf.py make FILE [OPTION...]: writes a small perf.data with chosen properties.
import_perf.py compare PERF REPORT: compares trace-cmd report of an import with perf script.

Options: big (endian), pipe, noid (one event without ids), id (PERF_SAMPLE_ID instead of
IDENTIFIER), read (PERF_SAMPLE_READ of a group), lost, disorder (samples out of order within a
round), period=N, long=N (bytes of a record), notracing, unknown (a sample of an event that the
file does not describe), wild (an invalid CPU number), nodatasize (perf was killed),
many=sorted|rings|near (40,000 samples as from one buffer, as from several, or slightly unsorted),
flood (a record about losses before each sample), old (perf before 3.4), arm (a 32-bit machine),
namespace (perf ran in a pid namespace, whose pids are 1000 lower than those of the kernel),
cycles (samples of another event), name=EVENT, text (output of a command among the data).
"""
import re
import struct
import sys

IP, TID, TIME, READ, CALLCHAIN, ID, CPU, PERIOD, RAW, IDENTIFIER = (
    1 << 0, 1 << 1, 1 << 2, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 10, 1 << 16)

FORMAT = """name: thing
ID: 400
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:u32 value;\toffset:8;\tsize:4;\tsigned:0;

print fmt: "value=%u", REC->value
"""


class Maker:
    def __init__(self, options):
        self.o = options
        self.e = ">" if "big" in options else "<"
        self.ids = [] if "noid" in options else [77, 78]
        self.type = TID | TIME | CPU | PERIOD | RAW
        if self.ids:
            self.type |= ID if "id" in options else IDENTIFIER
        if "read" in options:
            self.type |= READ
        if "chain" in options:
            self.type |= CALLCHAIN

    def pack(self, fmt, *values):
        return struct.pack(self.e + fmt, *values)

    def event(self, kind, body, misc=0):
        return self.pack("IHH", kind, misc, 8 + len(body)) + body

    def attr(self, kind=2):
        flags = [10] if "freq" in self.o else []
        flags += [9, 13, 18]
        bits = bytearray(8)
        for f in flags:
            bits[f // 8] |= 1 << (7 - f % 8 if self.e == ">" else f % 8)
        if "cycles" in self.o:
            kind = 0
        return (self.pack("IIQQQQ", kind, 112, 0 if "cycles" in self.o else 400, int(self.o.get("period", 1)), self.type, 4 | 8)
                + bytes(bits) + bytes(64))

    def trailer(self, pid, time, cpu):
        b = self.pack("IIQ", pid, pid, time)
        if self.type & ID:
            b += self.pack("Q", 77)
        b += self.pack("II", cpu, 0)
        return b + (self.pack("Q", 77) if self.type & IDENTIFIER else b"")

    def sample(self, pid, time, cpu, value, size=12, ident=77):
        b = self.pack("Q", ident) if self.type & IDENTIFIER else b""
        b += self.pack("IIQ", pid, pid, time)
        if self.type & ID:
            b += self.pack("Q", ident)
        b += self.pack("IIQ", cpu, 0, 1)
        if self.type & READ:
            b += self.pack("QQQQQ", 2, 5, 77, 6, 78)
        if self.type & CALLCHAIN:
            b += self.pack("QQQQQQ", 5, 2**64 - 128, 0xffffffff81000100, 0xffffffff81000200, 2**64 - 512, 0x400000)
        other = 1000 if "namespace" in self.o else 0
        raw = self.pack("HBBiI", 400, 0, 0, pid + other, value) + bytes(size - 12)
        raw += bytes(-(len(raw) + 4) % 8)
        return self.event(9, b + self.pack("I", len(raw)) + raw)

    def comm(self, pid, name, time):
        s = name.encode() + b"\0"
        s += bytes(-len(s) % 8)
        return self.event(3, self.pack("II", pid, pid) + s + self.trailer(pid, time, 0))

    def tracing(self):
        if "notracing" in self.o:
            return b""
        sized = lambda s: self.pack("Q", len(s)) + s
        b = b"\x17\x08Dtracing0.6\0" + (b"\1" if self.e == ">" else b"\0") + b"\x08" + self.pack("I", 4096)
        b += b"header_page\0" + sized(b"x") + b"header_event\0" + sized(b"x")
        b += self.pack("I", 0) + self.pack("I", 1) + b"test\0" + self.pack("I", 1) + sized(FORMAT.replace("thing", self.o.get("name", "thing")).encode())
        b += self.pack("II", 0, 0)
        return b + sized(b"5 fromsaved\n")

    def ids2(self):
        return [88] if "unknown" in self.o else []

    def many(self, how):
        """Samples and renames of 40 tasks on two CPUs, all with different times."""
        events = []
        for i in range(40000):
            pid, cpu, time = 10 + i * 7 % 40, i * 11 % 3 % 2, 10000 + 10 * i
            if i % 997 == 0:
                events.append((time, pid, self.comm(pid, f"name{i}", time)))
            events.append((time + 5, pid, self.sample(pid, time + 5, cpu, i % 50)))
        b = b""
        for at in range(0, len(events), 4000):
            part = events[at:at + 4000]
            if how == "rings":  # each task has a buffer
                part.sort(key=lambda e: e[1])
            elif how == "near":
                for i in range(0, len(part) - 20, 20):
                    part[i], part[i + 17] = part[i + 17], part[i]
            b += b"".join(e[2] for e in part) + self.event(68, b"")
        return b

    def flood(self):
        b = b""
        for i in range(12000):
            b += self.event(2, self.pack("QQ", 77, 1) + self.trailer(5, 10 * i + 5, 0))
            b += self.sample(5, 10 * i + 6, 0, i % 50)
        return b

    def data(self):
        if "many" in self.o:
            return self.many(self.o["many"])
        if "flood" in self.o:
            return self.flood()
        rounds = self.event(68, b"")
        long = int(self.o.get("long", 12))
        b = self.comm(5, "five", 0) + self.comm(6, "six", 0)
        b += self.event(7, self.pack("IIIIQ", 7, 5, 7, 5, 1500) + self.trailer(5, 1500, 0))
        if "disorder" in self.o:
            b += self.sample(5, 3000, 0, 3) + self.sample(5, 1000, 0, 1) + rounds
        else:
            b += self.sample(5, 1000, 0, 1) + self.sample(5, 3000, 0, 3, long) + rounds
        if "lost" in self.o:
            b += self.event(2, self.pack("QQ", 77, 9) + self.trailer(5, 3500, 0))
        b += self.comm(5, "renamed", 3600)
        if "unknown" in self.o:
            b += self.sample(5, 3700, 0, 4, ident=99) + self.sample(5, 3700, 0, 4, ident=88)
        if "wild" in self.o:
            b += self.sample(5, 3700, 1 << 30, 4)
        if "text" in self.o:
            b += b"a line of output\n"
        b += self.sample(5, 4000, 0, 4) + self.sample(7, 2000, 1, 2) + rounds
        b += self.sample(6, 5000, 1, 5)
        return b

    def file(self):
        magic = b"PERFFILE" if "old" in self.o else b"2ELIFREP" if self.e == ">" else b"PERFILE2"
        tracing = self.tracing()
        if "pipe" in self.o:
            b = magic + self.pack("Q", 16)
            b += self.event(64, self.attr() + b"".join(self.pack("Q", i) for i in self.ids))
            if self.ids2():
                b += self.event(64, self.attr(1) + self.pack("Q", 88))
            if tracing:
                pad = -len(tracing) % 8
                b += self.event(66, self.pack("I", len(tracing))) + tracing + bytes(pad)
            return b + self.data()
        ids_at = 104
        attrs_at = ids_at + 8 * len(self.ids + self.ids2())
        attr = self.attr() + self.pack("QQ", ids_at, 8 * len(self.ids))
        attrs = attr
        if self.ids2():
            attrs += self.attr(1) + self.pack("QQ", ids_at + 8 * len(self.ids), 8)
        data_at = attrs_at + len(attrs)
        data = self.data()
        size = 0 if "nodatasize" in self.o else len(data)
        arm = [self.pack("I", 8) + b"armv7l\0\0"] if "arm" in self.o else []
        bits = 1 << 3 | (1 << 1 if tracing else 0) | (1 << 6 if arm else 0)
        head = magic + self.pack("QQQQQQQQ", 104, len(attr), attrs_at, len(attrs), data_at, size, 0, 0)
        head += self.pack("QQQQ", bits, 0, 0, 0)
        b = head + b"".join(self.pack("Q", i) for i in self.ids + self.ids2()) + attrs + data
        host = self.pack("I", 8) + b"testbox\0"
        sections = ([tracing] if tracing else []) + [host] + arm
        at = len(b) + 16 * len(sections)
        for s in sections:
            b += self.pack("QQ", at, len(s))
            at += len(s)
        return b + b"".join(sections)


def compare(perf, report):
    """The same events with the same times, CPUs, tasks and fields."""
    theirs, ours = [], []
    for line in open(perf):
        m = re.match(r"^ *(.*?) +(-?\d+) \[(\d+)\] +(\d+\.\d+): +\w+:(\w+): ?(.*)$", line)
        if m:
            theirs.append((m[4], int(m[3]), int(m[2]), m[5], " ".join(m[6].split())))
    for line in open(report):
        m = re.match(r"^ *(.*)-(\d+) +\[(\d+)\] +(?:\S+ +)?(\d+\.\d+): +(\w+): +(.*)$", line)
        if m and m[5] not in ("kernel_stack", "user_stack", "task_rename"):
            ours.append((m[4], int(m[3]), int(m[2]), m[5], " ".join(m[6].split())))
    if not theirs:
        return "perf script printed nothing"
    theirs.sort(key=lambda e: (float(e[0]), e[1]))
    ours.sort(key=lambda e: (float(e[0]), e[1]))
    for a, b in zip(theirs, ours):
        # perf prints -1 for a task that has ended; the record has its pid
        if a != b and not (a[2] == -1 and a[:2] == b[:2] and a[3:] == b[3:]):
            return f"perf script: {a}\nthe import: {b}"
    return None if len(theirs) == len(ours) else f"perf script has {len(theirs)} events, the import {len(ours)}"


if sys.argv[1] == "make":
    options = dict((o.split("=") + [""])[:2] for o in sys.argv[3:])
    with open(sys.argv[2], "wb") as f:
        f.write(Maker(options).file())
else:
    difference = compare(*sys.argv[2:4])
    if difference:
        sys.exit(difference)
