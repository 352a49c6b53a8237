#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""import_profile.py FILE [EVENT...]: writes a perf.data with samples of these events, by default
those of a CPU with two kinds of cores; without CPUs, as of one process. Options: nokernel, the
mappings of the kernel are not known, as for users who may not read its addresses; id=HEX, the build
id of the program; here, on this machine, whose kernel is at the same address.

Each event has samples in the kernel, in two of its modules, in a program of BPF, where nothing is
mapped, in the program, in a library, in the code of a JIT, and in [vdso], which older kernels map
without rights.
"""
import os
import struct
import sys

IP, TID, TIME, PERIOD, IDENTIFIER = 1 << 0, 1 << 1, 1 << 2, 1 << 8, 1 << 16
KERNEL, USER, EXEC = 1, 2, 4
MMAP, COMM, SAMPLE, MMAP2, KSYMBOL, ATTR = 1, 3, 9, 10, 17, 64
PID, TEXT, MODULE, BPF = 1234, 0xffffffff81000000, 0xffffffffc0000000, 0xffffffffc1000000
if "here" in sys.argv:
    with open("/proc/kallsyms", encoding="ascii") as kallsyms:
        TEXT = next(int(line.split()[0], 16) for line in kallsyms if line.endswith(" T _text\n"))
# Type and config; each kind of cores has a number of its own in the config.
EVENTS = {"cpu_core/cycles/": (0, 4 << 32), "cpu_atom/cycles/": (0, 10 << 32), "instructions": (0, 1),
          "cpu-clock": (1, 0), "task-clock": (1, 1), "page-faults": (1, 2)}

PLACES = [(KERNEL, TEXT + 0x100, 5), (KERNEL, MODULE + 0x10, 4), (KERNEL, MODULE + 0x8010, 3), (KERNEL, BPF + 8, 2),
          (KERNEL, 0xffffffffd0000000, 1), (USER, 0x401000, 6), (USER, 0x7f0000001000, 7), (USER, 0x7ffc00000010, 1),
          (USER, 0x500010, 8)]


def event(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    s = s.encode() + b"\0"
    return s + bytes(-len(s) % 8)


def trailer(ts, ident):
    return struct.pack("<IIQQ", PID, PID, ts, ident)


def mapping(addr, size, path, prot=EXEC, build_id=b""):
    body = struct.pack("<IIQQQ", PID, PID, addr, size, 0) + struct.pack("<I20s", len(build_id), build_id)
    return event(MMAP2, body + struct.pack("<II", prot, 0) + text(path) + trailer(10, 1), USER | bool(build_id) << 14)


def kernel(addr, size, path):
    body = struct.pack("<iIQQQ", -1, 0, addr, size, addr)
    return event(MMAP, body + text(path) + trailer(0, 1), KERNEL)


def main():
    build_id = b"".join(bytes.fromhex(a[3:]) for a in sys.argv[2:] if a.startswith("id="))
    names = [a for a in sys.argv[2:] if a in EVENTS] or ["cpu_core/cycles/", "cpu_atom/cycles/"]
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for i, name in enumerate(names):
        kind, config = EVENTS[name]
        flags = 1 << 8 | 1 << 9 | 1 << 18 | 1 << 23  # mmap, comm, sample_id_all, mmap2
        attr = struct.pack("<IIQQQQQ", kind, 112, config, 1000, IP | TID | TIME | PERIOD | IDENTIFIER, 0, flags)
        out += event(ATTR, attr + bytes(112 - len(attr)) + struct.pack("<Q", i + 1))
    if "here" in sys.argv:
        for feature, value in (3, os.uname().nodename), (4, os.uname().release):
            out += event(80, struct.pack("<QI", feature, 64) + value.encode().ljust(64, b"\0"))
    if "nokernel" not in sys.argv:
        out += kernel(TEXT, 0x1000000, "[kernel.kallsyms]_text")
        out += kernel(MODULE, 0x8000, "/lib/modules/6.1.0/kernel/fs/a-b.ko.xz") + kernel(MODULE + 0x8000, 0x1000, "[thing]")
        out += event(KSYMBOL, struct.pack("<QIHH", BPF, 64, 1, 0) + text("bpf_prog_1234_f") + trailer(0, 1), KERNEL)
    out += event(COMM, struct.pack("<II", PID, PID) + text("program") + trailer(5, 1))
    out += mapping(0x400000, 0x2000, "/nowhere/program", EXEC, build_id) + mapping(0x7f0000000000, 0x9000, "/nowhere/lib.so.1")
    out += mapping(0x500000, 0x1000, "//anon") + mapping(0x7ffc00000000, 0x1000, "[vdso]", 0) + mapping(0x7f0000009000, 0x1000, "/nowhere/data", 1)
    for i in range(len(names)):
        for k, (mode, ip, n) in enumerate(PLACES):
            for j in range(n):
                ts = 1000 + 100 * k + 10 * j + i
                out += event(SAMPLE, struct.pack("<QQIIQQ", i + 1, ip, PID, PID, ts, 1000 + i), mode)
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
