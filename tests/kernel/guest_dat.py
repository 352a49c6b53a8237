# SPDX-License-Identifier: GPL-2.0-only
"""Writes a trace.dat (version 6) from the files that a guest stored.

`machine` contains the files common to all recordings of a boot: formats, header_page, kallsyms. The folder of
a scenario contains the pages of each CPU, the formats of its probes and synthetic events, and names of tasks.
"""
import glob
import os
import re
import struct


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def sized(form, text):
    return struct.pack(form, len(text)) + text


class Machine:
    def __init__(self, folder):
        self.header_page = read(os.path.join(folder, "header_page"))
        self.header_event = read(os.path.join(folder, "header_event"))
        self.kallsyms = read(os.path.join(folder, "kallsyms"))
        self.printk = read(os.path.join(folder, "printk_formats"))
        self.uname = read(os.path.join(folder, "uname")).strip()
        self.formats = formats_in(folder)
        data = re.search(rb"data;\s+offset:(\d+);\s+size:(\d+);", self.header_page)
        self.page_size = int(data.group(1)) + int(data.group(2))


def formats_in(folder):
    """{system: {event: format}} of the files SYSTEM.EVENT.format."""
    found = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.*.format"))):
        system, event = os.path.basename(path)[:-len(".format")].split(".", 1)
        found.setdefault(system, {})[event] = read(path)
    return found


def formats_of(systems):
    out = struct.pack("<I", len(systems))
    for system, events in systems.items():
        out += system.encode() + b"\0" + struct.pack("<I", len(events))
        out += b"".join(sized("<Q", text) for text in events.values())
    return out


def write(machine, folder, path):
    """Writes the recording of `folder` to `path`."""
    systems = {**machine.formats, **formats_in(folder)}
    ftrace = systems.pop("ftrace", {})
    clock = read(os.path.join(folder, "trace_clock")) or b"[local]"
    pages = [read(p) for p in sorted(glob.glob(os.path.join(glob.escape(folder), "cpu*.pages")),
                                     key=lambda p: int(re.search(r"cpu(\d+)\.pages$", p).group(1)))]
    head = b"\x17\x08\x44tracing6\0" + struct.pack("<BBI", 0, 8, machine.page_size)
    head += b"header_page\0" + sized("<Q", machine.header_page)
    head += b"header_event\0" + sized("<Q", machine.header_event)
    head += struct.pack("<I", len(ftrace)) + b"".join(sized("<Q", text) for text in ftrace.values())
    head += formats_of(systems) + sized("<I", machine.kallsyms) + sized("<I", machine.printk)
    head += sized("<Q", read(os.path.join(folder, "saved_cmdlines")))
    head += struct.pack("<I", len(pages)) + b"options  \0"
    for number, text in ((4, clock), (5, machine.uname)):
        head += struct.pack("<H", number) + sized("<I", text + b"\0")
    head += struct.pack("<H", 0) + b"flyrecord\0"
    selected = re.search(rb"\[[^]]*\]", clock)
    tail = sized("<Q", selected.group(0) if selected else b"[local]")

    def aligned(size):
        return -(-size // machine.page_size) * machine.page_size

    at = aligned(len(head) + 16 * len(pages) + len(tail))
    table, data = b"", b""
    for p in pages:
        table += struct.pack("<QQ", at + len(data), len(p))
        data += p + bytes(aligned(len(p)) - len(p))
    head += table + tail
    with open(path, "wb") as out:
        out.write(head + bytes(at - len(head)) + data)
