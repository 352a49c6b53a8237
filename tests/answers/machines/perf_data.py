# SPDX-License-Identifier: GPL-2.0-only
"""Writes perf.data of the events of a random machine, as perf record -a would have recorded them, in both byte orders.

Written from the documentation of the format in Linux (tools/perf/Documentation/perf.data-file-format.txt); nothing here is from hist.
"""
COMM, EXIT, FORK, SAMPLE, FINISHED_ROUND = 3, 4, 7, 9, 68
TID, TIME, CPU, PERIOD, RAW, IDENTIFIER = 1 << 1, 1 << 2, 1 << 7, 1 << 8, 1 << 10, 1 << 16
COMM_FLAG, TASK, ID_ALL = 9, 13, 18
TRACING_DATA, HOSTNAME, OSRELEASE, ARCH = 1, 3, 4, 6


class Writer:
    def __init__(self, shape):
        self.shape, self.pack, self.ident = shape, shape.pack, 0  # of the first event

    def event(self, kind, body):
        return self.pack("IHH", kind, 0, 8 + len(body)) + body

    def trailer(self, pid, ts, cpu):
        return self.pack("IIQIIQ", pid, pid, ts, cpu, 0, self.ident)

    def comm(self, pid, name, ts, cpu):
        text = name.encode("utf-8", "surrogateescape") + b"\0"
        return self.event(COMM, self.pack("II", pid, pid) + text + bytes(-len(text) % 8) + self.trailer(pid, ts, cpu))

    def task(self, kind, pid, parent, ts, cpu):
        return self.event(kind, self.pack("IIIIQ", pid, parent, pid, parent, ts) + self.trailer(pid, ts, cpu))

    def of(self, e):
        """What perf records beside an event, and its sample."""
        v, name = e.values, e.kind.name
        raw = self.shape.record(e)
        raw += bytes(-(len(raw) + 4) % 8)
        out = self.event(SAMPLE, self.pack("QIIQIIQ", e.kind.ident, e.pid, e.pid, e.ts, e.cpu, 0, 1) + self.pack("I", len(raw)) + raw)
        if name == "task_rename":
            return out + self.comm(v["pid"], v["newcomm"], e.ts, e.cpu)
        if name == "sched_process_fork":
            return self.task(FORK, v["child_pid"], v["parent_pid"], e.ts, e.cpu) + out
        if name == "sched_process_exit":
            return out + self.task(EXIT, v["pid"], v["pid"], e.ts, e.cpu)
        return out

    def data(self, events, tasks):
        """@tasks: (pid, name) before the first event."""
        out = b"".join(self.comm(pid, name, 0, 0) for pid, name in tasks)
        size = 50 if len(events) % 2 else 1 + len(events)
        for i in range(0, len(events), size):  # a round: the ring buffer of one CPU after another
            part = events[i:i + size]
            for cpu in sorted({e.cpu for e in part}):
                out += b"".join(self.of(e) for e in part if e.cpu == cpu)
            out += self.event(FINISHED_ROUND, b"")
        return out

    def attribute(self, kind, first):
        bits = bytearray(8)
        for bit in (ID_ALL, *((COMM_FLAG, TASK) if first else ())):
            bits[bit // 8] |= 1 << (7 - bit % 8 if self.shape.endian == ">" else bit % 8)
        return self.pack("IIQQQQ", 2, 112, kind.ident, 1, TID | TIME | CPU | PERIOD | RAW | IDENTIFIER, 0) + bytes(bits) + bytes(64)

    def tracing_data(self, kinds):
        s = self.shape
        head = b"\x17\x08Dtracing0.6\0" + bytes([s.endian == ">", s.long_size]) + self.pack("I", s.page)
        return head + s.headers() + self.pack("I", 0) + s.formats(kinds, False) + self.pack("II", 0, 0) + s.text("")

    def string(self, text):
        data = text.encode() + b"\0"
        data += bytes(-len(data) % 64)
        return self.pack("I", len(data)) + data

    def write(self, path, kinds, events, tasks):
        kinds = [k for k in kinds if k.system != "ftrace"]
        self.ident = kinds[0].ident
        data = self.data([e for e in events if e.kind.system != "ftrace"], tasks)
        ids = b"".join(self.pack("Q", k.ident) for k in kinds)
        at = 104 + len(ids)
        attributes = b"".join(self.attribute(k, not i) + self.pack("QQ", 104 + 8 * i, 8) for i, k in enumerate(kinds))
        features = {TRACING_DATA: self.tracing_data(kinds), HOSTNAME: self.string("host")}
        if self.shape.machine != "none":
            features.update({OSRELEASE: self.string("6.12.0"), ARCH: self.string(self.shape.machine)})
        bits = sum(1 << n for n in features)
        head = self.pack("Q", 0x32454c4946524550) + self.pack("QQQQQQQQQQQQ", 104, 128, at, len(attributes), at + len(attributes), len(data), 0, 0,
                                                             bits, 0, 0, 0)
        end = at + len(attributes) + len(data) + 16 * len(features)
        table, bodies = b"", b""
        for _, body in sorted(features.items()):
            table += self.pack("QQ", end + len(bodies), len(body))
            bodies += body
        with open(path, "wb") as f:
            f.write(head + ids + attributes + data + table + bodies)
