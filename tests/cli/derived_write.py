# SPDX-License-Identifier: GPL-2.0-only
"""Writes small recordings (trace.dat version 6) from lists of records; nothing here is from hist."""
import struct

PAGE = 4096
COMMON = [("unsigned short common_type", 2, 0), ("unsigned char common_flags", 1, 0),
          ("unsigned char common_preempt_count", 1, 0), ("int common_pid", 4, 1)]
CODES = {(1, 0): "B", (1, 1): "b", (2, 0): "H", (2, 1): "h", (4, 0): "I", (4, 1): "i", (8, 0): "Q", (8, 1): "q"}
PAGE_HEADER = """\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
"""
EVENT_HEADER = """# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""


class Event:
    """fields: (declaration, size, signed); a text of size 0 ends the record."""

    def __init__(self, system, name, ident, fields):
        self.system, self.name, self.ident, self.fields = system, name, ident, fields
        self.offsets, at = [], 8
        for _, size, _ in fields:
            if size in (2, 4, 8):
                at += -at % size
            self.offsets.append(at)
            at += size
        self.size = at

    def format(self):
        text, at = f"name: {self.name}\nID: {self.ident}\nformat:\n", 0
        for decl, size, signed in COMMON:
            text += f"\tfield:{decl};\toffset:{at};\tsize:{size};\tsigned:{signed};\n"
            at += size
        text += "\n"
        for (decl, size, signed), at in zip(self.fields, self.offsets):
            text += f"\tfield:{decl};\toffset:{at};\tsize:{size};\tsigned:{signed};\n"
        return text + '\nprint fmt: "%d", REC->common_pid\n'

    def record(self, pid, values, flags=0):
        out = bytearray(self.size)
        struct.pack_into("<HBBi", out, 0, self.ident, flags, 0, pid)
        for (_, size, signed), at, v in zip(self.fields, self.offsets, values):
            if isinstance(v, str):
                text = v.encode()
                if size:
                    out[at:at + size] = text[:size - 1].ljust(size, b"\0")
                else:
                    out += text + b"\0"
            else:
                struct.pack_into("<" + CODES[size, signed], out, at, v)
        return bytes(out) + b"\0" * (-len(out) % 4)


class Recording:
    def __init__(self, events, cpus=2, names=(), symbols=()):
        self.events, self.names, self.symbols = events, names, symbols
        self.cpus = [[] for _ in range(cpus)]  # (ts, record), or (None, sub-buffer): events were lost

    def add(self, cpu, ts, event, pid, values, flags=0):
        self.cpus[cpu].append((ts, event.record(pid, values, flags)))

    def lose(self, cpu):
        self.cpus[cpu].append((None, b""))

    def damage(self, cpu):
        """A sub-buffer that ends after its end: its records are missing."""
        self.cpus[cpu].append((None, struct.pack("<QQ", 0, 2 * PAGE).ljust(PAGE, b"\0")))

    @staticmethod
    def pages(lines):
        out, data, start, last, lost = [], b"", None, None, False

        def flush():
            nonlocal data, start, lost
            if start is not None:
                commit = len(data) | (1 << 31 if lost else 0)
                out.append((struct.pack("<QQ", start, commit) + data).ljust(PAGE, b"\0"))
                lost = False
            data, start = b"", None

        for ts, record in lines:
            if ts is None:
                flush()
                lost = not record
                out.append(record)
                continue
            if start is None or len(data) + len(record) + 12 > PAGE - 16 or ts - last >= 1 << 27:
                flush()
                start = last = ts
            assert ts >= last
            short = len(record) <= 112
            data += struct.pack("<I", (len(record) // 4 if short else 0) | (ts - last) << 5)
            data += record if short else struct.pack("<I", len(record) + 4) + record
            last = ts
        flush()
        return b"".join(out)

    def write(self, path):
        def sized(text):
            return struct.pack("<Q", len(text)) + text.encode()

        out = b"\x17\x08\x44tracing6\0\0\x08" + struct.pack("<I", PAGE)
        out += b"header_page\0" + sized(PAGE_HEADER) + b"header_event\0" + sized(EVENT_HEADER)
        ftrace = [e for e in self.events if e.system == "ftrace"]
        out += struct.pack("<I", len(ftrace)) + b"".join(sized(e.format()) for e in ftrace)
        systems = sorted({e.system for e in self.events} - {"ftrace"})
        out += struct.pack("<I", len(systems))
        for s in systems:
            of = [e for e in self.events if e.system == s]
            out += s.encode() + b"\0" + struct.pack("<I", len(of)) + b"".join(sized(e.format()) for e in of)
        symbols = "".join(f"{a:016x} T {s}\n" for a, s in self.symbols)
        out += struct.pack("<I", len(symbols)) + symbols.encode() + struct.pack("<I", 0)
        out += sized("".join(f"{pid} {name}\n" for pid, name in self.names))
        out += struct.pack("<I", len(self.cpus)) + b"options  \0" + struct.pack("<H", 0) + b"flyrecord\0"
        data = [self.pages(lines) for lines in self.cpus]
        at = len(out) + 16 * len(data)
        at += -at % PAGE
        table, body = b"", b""
        for d in data:
            table += struct.pack("<QQ", at + len(body), len(d))
            body += d
        out = (out + table).ljust(at, b"\0") + body
        with open(path, "wb") as f:
            f.write(out)
