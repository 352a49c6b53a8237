#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Adds options to an uncompressed trace.dat of version 7: of a host, of a guest, of a previous boot.

add_options.py any IN OUT ID TEXT...	with the escapes of Python
add_options.py host IN OUT TRACE-ID NAME GUEST-ID VCPUS
add_options.py last-boot IN OUT BUFFER INFO-FILE [MODULES-FILE]
add_options.py guest IN OUT TRACE-ID PEER-ID FLAGS CPU-SAMPLES...	TIME:OFFSET:SCALING:FRACTION,...
"""
import struct
import sys

TRACEID, TIME_SHIFT, GUEST, LAST_BOOT, MODULES = 11, 12, 13, 24, 25


def read(path):
    with open(path, "rb") as f:
        return f.read()


def last_done(data):
    """The offset of the DONE option in the last OPTIONS section."""
    at = struct.unpack_from("<Q", data, data.index(b"\0", data.index(b"\0", 18) + 1) + 1)[0]
    while True:
        p = at + 16
        while True:
            ident, size = struct.unpack_from("<HI", data, p)
            if ident == 0:
                break
            p += 6 + size
        at = struct.unpack_from("<Q", data, p + 6)[0]
        if at == 0:
            return p + 6


def add(data, options):
    body = b"".join(struct.pack("<HI", i, len(d)) + d for i, d in options) + struct.pack("<HIQ", 0, 8, 0)
    data = bytearray(data)
    struct.pack_into("<Q", data, last_done(data), len(data))
    return bytes(data) + struct.pack("<HHIQ", 0, 0, 0xffffffff, len(body)) + body


def time_shift(peer, flags, cpus):
    out = struct.pack("<QII", peer, flags, len(cpus))
    samples = [[tuple(map(int, s.split(":"))) for s in cpu.split(",")] for cpu in cpus]
    for cpu in samples:
        out += struct.pack("<I", len(cpu))
        for i in range(3):
            out += b"".join(struct.pack("<q", s[i]) for s in cpu)
    for cpu in samples:
        out += b"".join(struct.pack("<q", s[3]) for s in cpu)
    return out


def main():
    what, src, dst = sys.argv[1:4]
    a = sys.argv[4:]
    with open(src, "rb") as f:
        data = f.read()
    if what == "last-boot":
        options = [(LAST_BOOT, a[0].encode() + b":" + read(a[1]) + b"\0")]
        if len(a) > 2:
            options.append((MODULES, struct.pack("<Q", len(data))))
            data += struct.pack("<HHIQ", MODULES, 0, 0xffffffff, len(read(a[2]))) + read(a[2])
        with open(dst, "wb") as f:
            f.write(add(data, options))
        return
    if what == "any":
        texts = [t.encode().decode("unicode_escape").encode("latin-1") + b"\0" for t in a[1:]]
        with open(dst, "wb") as f:
            f.write(add(data, [(int(a[0], 0), t) for t in texts]))
        return
    options = [(TRACEID, struct.pack("<Q", int(a[0])))]
    if what == "host":
        vcpus = int(a[3])
        options.append((GUEST, a[1].encode() + b"\0" + struct.pack("<QI", int(a[2]), vcpus)
                        + b"".join(struct.pack("<II", i, 100 + i) for i in range(vcpus))))
    else:
        options.append((TIME_SHIFT, time_shift(int(a[1]), int(a[2]), a[3:])))
    with open(dst, "wb") as f:
        f.write(add(data, options))


main()
