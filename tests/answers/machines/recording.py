# SPDX-License-Identifier: GPL-2.0-only
"""Writes recordings from lists of events: trace.dat 6 and 7, both byte orders, 32 and 64 bits, any size of sub-buffers.

Written from trace-cmd.dat(5) and the kernel's ring buffer; nothing here is from hist.
"""
import functools
import os
import struct
import zlib

HEADER_EVENT = """# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""
COMMON = [("unsigned short", "common_type", 2, 0), ("unsigned char", "common_flags", 1, 0),
          ("unsigned char", "common_preempt_count", 1, 0), ("int", "common_pid", 4, 1)]
TAIL = -10**6  # the size of a text, or of a list of unsigned longs, that is the rest of a record
CODES = {1: "b", 2: "h", 4: "i", 8: "q"}


class Type:
    """An event. Fields are (C type, name): the size and the sign follow from the type; char[N] is an array, char[] a dynamic one; so are
    those of numbers, whose values are lists. A cpumask is a dynamic array of unsigned longs."""
    SIZES = {"char": 1, "short": 2, "int": 4, "long long": 8, "bool": 1, "pid_t": 4, "u64": 8, "s64": 8, "u32": 4, "s32": 4,
             "u16": 2, "s16": 2, "u8": 1, "s8": 1, "dev_t": 4, "sector_t": 8, "u128": 16, "s128": 16}
    UNSIGNED = ("bool", "dev_t", "sector_t")

    def __init__(self, system, name, ident, *fields, fmt=None):
        self.fmt = fmt
        self.system, self.name, self.ident = system, name, ident
        self.fields = [self.field(*f) for f in fields]
        self.elements = {n: k.partition("[")[0] for k, n in fields if "[" in k and not k.startswith("char") and not k.endswith("[*]") or k == "cpumask_t"}
        self.full = system + ":" + name
        self.layouts = {}

    @classmethod
    def field(cls, kind, name):
        """(declaration, name, size, signed): size 0 is a dynamic text, a negative one that of an array."""
        if kind.endswith("[*]"):
            return f"{kind[:-3]} {name}[]", name, TAIL, 0
        if kind == "char[]":
            return f"__data_loc char[] {name}", name, 0, 0
        if kind.startswith("char["):
            return f"char {name}[{kind[5:-1]}]", name, -int(kind[5:-1]), 1
        if kind == "cpumask_t" or kind.endswith("[]"):
            return f"__data_loc {kind} {name}", name, 0, 0
        if kind.endswith("]"):
            element, _, number = kind[:-1].partition("[")
            return f"{element} {name}[{number}]", name, -cls.SIZES[element] * int(number), element.startswith("s")
        plain = kind.replace("unsigned ", "")
        return f"{kind} {name}", name, cls.SIZES.get(plain), not (kind.startswith("u") or kind in cls.UNSIGNED)

    def layout(self, long_size):
        """(the fields of a machine with their offsets, the end of the fixed part of a record)"""
        if long_size not in self.layouts:
            fields = list(self.sized(long_size))
            self.layouts[long_size] = fields, max([at + (0 if size == TAIL else abs(size) or 4) for _, _, size, _, at in fields], default=8)
        return self.layouts[long_size]

    def sized(self, long_size):
        at = 8
        for decl, name, size, signed in self.fields:
            size = long_size if size is None else size
            width = 0 if size == TAIL else -size if size < 0 else size or 4
            if size >= 0:
                at += -at % width
            yield decl, name, size, signed, at
            at += width

    @functools.cache
    def format(self, long_size):
        text, at = f"name: {self.name}\nID: {self.ident}\nformat:\n", 0
        for kind, name, size, signed in COMMON:
            text += f"\tfield:{kind} {name};\toffset:{at};\tsize:{size};\tsigned:{signed};\n"
            at += size
        text += "\n"
        for decl, _, size, signed, at in self.layout(long_size)[0]:
            text += f"\tfield:{decl};\toffset:{at};\tsize:{0 if size == TAIL else abs(size) or 4};\tsigned:{int(signed)};\n"
        if self.fmt:
            return text + f"\nprint fmt: {self.fmt}\n"
        words, values = [], []
        for _, name, size, signed, _ in self.layout(long_size)[0]:
            words.append(f"{name}=%" + ("s" if size <= 0 else {8: "ll"}.get(size, "") + ("d" if signed else "u")))
            values.append(f"__get_str({name})" if not size else f"REC->{name}")
        return text + f'\nprint fmt: "{" ".join(words)}", {", ".join(values)}\n'


class Event:
    """A record of a type; ->comm is the name that its task had; ->packed: its bytes, once they were needed, and on which machine."""
    packed = None, b""

    def __init__(self, kind, ts, cpu, pid, values, flags=0, comm=""):
        self.kind, self.ts, self.cpu, self.pid, self.values, self.flags, self.comm = kind, ts, cpu, pid, values, flags, comm


class Shape:
    """How a recording is written."""
    kallsyms = b""

    def __init__(self, endian="<", long_size=8, page=4096, version=6, codec="none"):
        self.endian, self.long_size, self.page, self.version, self.codec = endian, long_size, page, version, codec
        self.machine = "x86_64" if endian == "<" and long_size == 8 else "none"

    def __str__(self):
        return f"version {self.version}, {'big' if self.endian == '>' else 'little'} endian, {8 * self.long_size} bits, " \
               f"sub-buffers of {self.page}, {self.codec}"

    def pack(self, codes, *values):
        return struct.pack(self.endian + codes, *values)

    def elements(self, kind, values):
        """An array of numbers."""
        size = Type.SIZES.get(kind, self.long_size)
        return b"".join((v % (1 << 8 * size)).to_bytes(size, "little" if self.endian == "<" else "big") for v in values)

    def record(self, e):
        where = self.endian, self.long_size
        if e.packed[0] != where:
            e.packed = where, self.packed(e)
        return e.packed[1]

    def packed(self, e):
        fields, end = e.kind.layout(self.long_size)
        out, texts = bytearray(end), b""
        struct.pack_into(self.endian + "HBBi", out, 0, e.kind.ident, e.flags, 0, e.pid)
        for _, name, size, signed, at in fields:
            v = e.values[name]
            if size == TAIL:
                code = "Q" if self.long_size == 8 else "I"
                texts = v.encode("utf-8", "surrogateescape") + b"\0" if isinstance(v, str) else self.pack(str(len(v)) + code, *v)
            elif name in e.kind.elements or size == 16:
                data = self.elements(e.kind.elements.get(name, "u128"), v if isinstance(v, list) else [v])
                if size:
                    out[at:at + len(data)] = data
                else:
                    struct.pack_into(self.endian + "I", out, at, len(data) << 16 | (end + len(texts)))
                    texts += data
            elif size < 0:
                text = v.encode("utf-8", "surrogateescape")[:-size - 1]
                out[at:at + len(text)] = text
            elif not size:
                text = v.encode("utf-8", "surrogateescape") + b"\0"
                struct.pack_into(self.endian + "I", out, at, len(text) << 16 | (end + len(texts)))
                texts += text
            else:
                struct.pack_into(self.endian + (CODES[size] if signed else CODES[size].upper()), out, at, v)
        out += texts
        return bytes(out) + b"\0" * (-len(out) % 4)

    def item(self, type_len, delta):
        return self.pack("I", type_len | delta << 5 if self.endian == "<" else type_len << 27 | delta)

    def pages(self, events):
        """The sub-buffers of a CPU. None among the events: some were lost; a number: so many; ...: another
        sub-buffer begins."""
        room, out, data, begin, last, lost = self.page - 8 - self.long_size, [], b"", None, None, None

        def flush():
            nonlocal data, begin, lost
            commit, tail = len(data), b""
            if lost is not None:
                commit |= 1 << 31
                if lost and len(data) + self.long_size <= room:
                    commit |= 1 << 30
                    tail = self.pack("Q" if self.long_size == 8 else "I", lost)
            out.append((self.pack("Q" + ("Q" if self.long_size == 8 else "I"), begin, commit) + data + tail).ljust(self.page, b"\0"))
            data, begin, lost = b"", None, None

        for e in events:
            if not isinstance(e, Event):
                if begin is not None:
                    flush()
                lost = lost if e is ... else e or 0
                continue
            record = self.record(e)
            if begin is not None and len(data) + len(record) + 16 > room:
                flush()
            if begin is None:
                begin = last = e.ts
            delta, last = e.ts - last, e.ts
            if delta < 0:  # an absolute time
                data += self.item(31, e.ts & (1 << 27) - 1) + self.pack("I", e.ts >> 27 & 0xffffffff)
                delta = 0
            elif delta >= 1 << 27:
                data += self.item(30, delta & (1 << 27) - 1) + self.pack("I", delta >> 27)
                delta = 0
            if len(record) <= 112:
                data += self.item(len(record) // 4, delta) + record
            else:
                data += self.item(0, delta) + self.pack("I", len(record) + 4) + record
        if begin is not None:
            flush()
        return out

    def header_page(self):
        n = self.long_size
        return (f"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{n};\tsigned:1;\n"
                f"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                f"\tfield: char data;\toffset:{8 + n};\tsize:{self.page - 8 - n};\tsigned:0;\n")

    def text(self, s, code="Q"):
        s = s.encode("utf-8", "surrogateescape") if isinstance(s, str) else s
        return self.pack(code, len(s)) + s

    def headers(self):
        return b"header_page\0" + self.text(self.header_page()) + b"header_event\0" + self.text(HEADER_EVENT)

    def formats(self, kinds, ftrace):
        of = {}
        for k in kinds:
            if (k.system == "ftrace") == ftrace:
                of.setdefault(k.system, []).append(self.text(k.format(self.long_size)))
        if ftrace:
            return self.pack("I", len(of.get("ftrace", []))) + b"".join(of.get("ftrace", []))
        return self.pack("I", len(of)) + b"".join(s.encode() + b"\0" + self.pack("I", len(t)) + b"".join(t) for s, t in of.items())

    def compress(self, data):
        if self.codec == "none":
            return data
        packed = zlib.compress(data)
        return self.pack("II", len(packed), len(data)) + packed

    def write(self, path, kinds, cpus, names, stats=(), journal=b""):
        """@cpus: the events of each, in order; @names: (pid, name) at the end of the recording; @stats: of each CPU, as the kernel has them;
        @journal: of tasks, as hist record has it."""
        self.journal = journal
        self.stats = [f"CPU: {cpu}\n{text}".encode() + b"\0" for cpu, text in enumerate(stats)]
        cmdlines = self.cmdlines(names)
        uname = "Linux host 6.12.0 " + self.machine
        magic = b"\x17\x08\x44tracing" + str(self.version).encode() + b"\0" + bytes([self.endian == ">", self.long_size])
        data = [self.pages(events) for events in cpus]
        out = bytearray(magic + self.pack("I", self.page))
        (self.write_6 if self.version == 6 else self.write_7)(out, kinds, data, cmdlines, uname.encode() + b"\0")
        with open(path, "wb") as f:
            f.write(out)

    def write_6(self, out, kinds, data, cmdlines, uname):
        out += self.headers() + self.formats(kinds, True) + self.formats(kinds, False)
        out += self.pack("I", len(self.kallsyms)) + self.kallsyms + self.pack("I", 0) + cmdlines + self.pack("I", len(data))
        out += b"options  \0" + self.pack("HI", 5, len(uname)) + uname + self.tasks() + self.pack("H", 0) + b"flyrecord\0"
        table = len(out)
        out += b"\0" * 16 * len(data)
        for i, pages in enumerate(data):
            out += b"\0" * (-len(out) % self.page)
            struct.pack_into(self.endian + "QQ", out, table + 16 * i, len(out), self.page * len(pages))
            out += b"".join(pages)

    def write_7(self, out, kinds, data, cmdlines, uname, batches=None):
        """@batches: of a stream, which has no records here."""
        strings, options = b"", []
        out += self.codec.encode() + b"\0" + (b"1.2.13" if self.codec == "zlib" else b"") + b"\0"
        first = len(out)
        out += self.pack("Q", 0)

        def section(ident, body, name, packed=True):
            nonlocal strings
            at, body = len(out), self.compress(body) if packed else body
            out.extend(self.pack("HHIQ", ident, packed and self.codec != "none", len(strings), len(body)) + body)
            strings += name + b"\0"
            return at

        for ident, body, name in ((16, self.headers(), b"headers"), (17, self.formats(kinds, True), b"ftrace events"),
                                  (18, self.formats(kinds, False), b"events format"), (19, self.pack("I", len(self.kallsyms)) + self.kallsyms, b"kallsyms"),
                                  (20, self.pack("I", 0), b"printk"), (21, cmdlines, b"command lines")):
            if batches and ident == 21:
                continue  # names come at the end
            options.append((ident, self.pack("Q", section(ident, body, name))))
        options += [(8, self.pack("I", len(data))), (5, uname), *((2, text) for text in self.stats)]
        if batches:
            options.append((0x4842, b""))
        else:
            options += [(0x4854, self.journal)] if self.journal else []
            options.append(self.buffer(out, data, len(strings)))
            strings += b"buffer flyrecord\0"
        body = b"".join(self.pack("HI", i, len(d)) + d for i, d in options) + self.pack("HIQ", 0, 8, 0)
        struct.pack_into(self.endian + "Q", out, first, section(0, body, b"options", False))
        link = len(out) - 8
        section(15, strings + b"strings\0", b"strings")
        if batches:
            struct.pack_into(self.endian + "Q", out, link, len(out))
            self.write_batches(out, batches, cmdlines)

    def buffer(self, out, data, name):
        """The option of a section with the records."""
        at, table = len(out), b""
        out += self.pack("HHIQ", 3, self.codec != "none", name, 0)
        for cpu, pages in enumerate(data):
            out += b"\0" * (-len(out) % self.page)
            begin = len(out)
            if self.codec == "none":
                out += b"".join(pages)
            else:
                chunks = [self.compress(b"".join(pages[i:i + 10])) for i in range(0, len(pages), 10)]
                out += self.pack("I", len(chunks)) + b"".join(chunks)
            table += self.pack("IQQ", cpu, begin, len(out) - begin)
        struct.pack_into(self.endian + "Q", out, at + 8, len(out) - at - 16)
        return 3, self.pack("Q", at) + b"\0local\0" + self.pack("II", self.page, len(data)) + table

    def tasks(self):
        return self.option(0x4854, self.journal) if self.journal else b""

    def option(self, number, data):
        return self.pack("HI", number, len(data)) + data

    def write_batches(self, out, batches, cmdlines):
        """The rest of a stream of hist record: sub-buffers as they come, each CPU's behind those of the batch before; then names."""
        whole = b""
        for parts, complete, journal in batches:
            whole += journal
            options = self.option(0x484f, self.pack("Q", complete)) + (self.option(0x484e, journal) if journal else b"")
            size = 8 + 1 + 6 + 8 + 20 * len(parts)
            fixed = 16 + len(options) + 6 + size + 14
            pad = -(len(out) + fixed) % 8
            pad += 8 if pad and pad < 6 else 0
            begin = len(out) + fixed + pad
            table, at = b"", begin + 16
            for cpu, data in parts:
                table += self.pack("IQQ", cpu, at, len(data))
                at += len(data)
            options += self.pack("HI", 3, size) + self.pack("Q", begin) + b"\0local\0" + self.pack("II", self.page, len(parts)) + table
            if pad:
                options += self.pack("HI", 0x4842, pad - 6) + bytes(pad - 6)
            options += self.pack("HIQ", 0, 8, at)
            out += self.pack("HHIQ", 0, 0, 0, len(options)) + options
            out += self.pack("HHIQ", 3, 0, 0, at - begin - 16) + b"".join(data for _, data in parts)
        tasks = self.option(0x4854, whole)
        options = self.pack("HIQ", 21, 8, len(out) + 16 + 28 + len(tasks)) + tasks + self.pack("HIQ", 0, 8, 0)
        out += self.pack("HHIQ", 0, 0, 0, len(options)) + options
        out += self.pack("HHIQ", 21, 0, 0, len(cmdlines)) + cmdlines

    def write_stream(self, path, kinds, cpus, names, times, journal):
        """As hist record -o - does, with what is complete at these times. @journal: (when, line) of task_fact.h."""
        pages = [(cpu, struct.unpack_from(self.endian + "Q", page)[0], page) for cpu, events in enumerate(cpus) for page in self.pages(events)]
        batches, since = [], 0
        for until in [*times, 2**64 - 1]:
            parts = {}
            for cpu, begin, page in pages:
                if since <= begin < until:
                    parts[cpu] = parts.get(cpu, b"") + page
            if parts:
                lines = "".join(line + "\n" for ts, line in journal if since <= ts < until)
                batches.append((sorted(parts.items()), until, lines.encode("utf-8", "surrogateescape")))
                since = until
        out = bytearray(b"\x17\x08\x44tracing7\0" + bytes([self.endian == ">", self.long_size]) + self.pack("I", self.page))
        uname = "Linux host 6.12.0 " + self.machine
        self.stats = []
        self.write_7(out, kinds, [[] for _ in cpus], self.cmdlines(names), uname.encode() + b"\0", batches)
        with open(path, "wb") as f:
            f.write(out)

    def cmdlines(self, names):
        return self.text("".join(f"{pid} {name}\n" for pid, name in names))

    def write_directory(self, path, kinds, cpus, names):
        """A copy of the tracing directory."""
        def put(name, data):
            os.makedirs(os.path.dirname(os.path.join(path, name)), exist_ok=True)
            with open(os.path.join(path, name), "wb") as f:
                f.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))

        put("events/header_page", self.header_page())
        put("events/header_event", HEADER_EVENT)
        for k in kinds:
            put(f"events/{k.system}/{k.name}/format", k.format(self.long_size))
        put("saved_cmdlines", "".join(f"{pid} {name}\n" for pid, name in names))
        put("trace_clock", "[local] global\n")
        put("uname", f"Linux host 6.12.0 {self.machine}\n")
        self.write_buffers(path, cpus)

    def write_buffers(self, path, cpus):
        """Its files trace_pipe_raw."""
        for cpu, events in enumerate(cpus):
            os.makedirs(f"{path}/per_cpu/cpu{cpu}")
            with open(f"{path}/per_cpu/cpu{cpu}/trace_pipe_raw", "wb") as f:
                f.write(b"".join(self.pages(events)))
