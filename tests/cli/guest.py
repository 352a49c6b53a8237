#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Adds options to a trace.dat of version 7 that is not compressed: what makes it one of a host or guest.

guest.py host IN OUT TRACE-ID NAME GUEST-ID VCPUS
guest.py guest IN OUT TRACE-ID PEER-ID FLAGS CPU-SAMPLES...	TIME:OFFSET:SCALING:FRACTION,...
"""
import struct
import sys

TRACEID, TIME_SHIFT, GUEST = 11, 12, 13


def last_done(data):
    """Where the last OPTIONS section says that there is no other."""
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
    options = [(TRACEID, struct.pack("<Q", int(a[0])))]
    if what == "host":
        vcpus = int(a[3])
        options.append((GUEST, a[1].encode() + b"\0" + struct.pack("<QI", int(a[2]), vcpus)
                        + b"".join(struct.pack("<II", i, 100 + i) for i in range(vcpus))))
    else:
        options.append((TIME_SHIFT, time_shift(int(a[1]), int(a[2]), a[3:])))
    with open(src, "rb") as f:
        data = f.read()
    with open(dst, "wb") as f:
        f.write(add(data, options))


main()
