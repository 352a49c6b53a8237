# SPDX-License-Identifier: GPL-2.0-only
"""Reads the Parquet files that hist writes, by the specification: only what these files use, and
nothing that the format does not allow. read(path) gives names, rows and facts about the file."""
import ctypes
import struct
from ctypes.util import find_library

ZSTD = ctypes.CDLL(find_library("zstd") or "libzstd.so.1")
ZSTD.ZSTD_decompress.restype = ctypes.c_size_t


class Thrift:
    """A structure of the compact protocol, as a dict by field number."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def varint(self):
        v = shift = 0
        while True:
            b = self.data[self.at]
            self.at += 1
            v |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return v

    def zigzag(self):
        v = self.varint()
        return v >> 1 ^ -(v & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            self.at += 1
            return self.data[self.at - 1]
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            n = self.varint()
            self.at += n
            return bytes(self.data[self.at - n:self.at])
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            n = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(n)]
        assert kind == 12, kind
        return self.struct()

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.data[self.at]
            self.at += 1
            if not head:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            assert last not in fields
            fields[last] = self.value(head & 15)


def unpack(data, at, n, bits):
    word = int.from_bytes(data[at:at + (n * bits + 7) // 8], "little")
    return [word >> i * bits & (1 << bits) - 1 for i in range(n)]


def runs(data, at, n, bits):
    """n numbers of the hybrid of runs and packed groups."""
    out, t = [], Thrift(data, at)
    while len(out) < n:
        head = t.varint()
        if head & 1:
            groups = head >> 1
            out += unpack(data, t.at, groups * 8, bits)
            t.at += groups * bits
        else:
            size = (bits + 7) // 8
            out += [int.from_bytes(data[t.at:t.at + size], "little")] * (head >> 1)
            t.at += size
    return out[:n]


def deltas(data, at, wide):
    t = Thrift(data, at)
    block, minis, n, v = t.varint(), t.varint(), t.varint(), t.zigzag()
    out = [v] if n else []
    while len(out) < n:
        least = t.zigzag()
        widths = data[t.at:t.at + minis]
        t.at += minis
        for bits in widths:
            if len(out) >= n:
                break
            for d in unpack(data, t.at, block // minis, bits):
                v += least + d
                out.append(v)
            t.at += block // minis * bits // 8
    half = 1 << (63 if wide else 31)
    return [(v + half) % (2 * half) - half for v in out[:n]]


def plain(data, at, n, kind):
    if kind == 6:
        out = []
        for _ in range(n):
            size = struct.unpack_from("<I", data, at)[0]
            out.append(bytes(data[at + 4:at + 4 + size]))
            at += 4 + size
        return out
    return list(struct.unpack_from("<%d%s" % (n, {1: "i", 2: "q", 5: "d"}[kind]), data, at))


def page(data, at):
    t = Thrift(data, at)
    head = t.struct()
    out = ctypes.create_string_buffer(head[2] or 1)
    packed = bytes(data[t.at:t.at + head[3]])
    assert ZSTD.ZSTD_decompress(out, ctypes.c_size_t(head[2]), packed, ctypes.c_size_t(head[3])) == head[2]
    return head, out.raw[:head[2]], t.at + head[3]


def rows_of(levels, values, repetition, is_list):
    values, out = iter(values), []
    for i, level in enumerate(levels):
        if not is_list:
            out.append(next(values) if level else None)
        elif repetition[i]:
            out[-1].append(next(values))
        else:
            out.append(None if level == 0 else [] if level == 1 else [next(values)])
    return out


def chunk(data, meta, is_list):
    at, dictionary = meta[9], None
    if 11 in meta:
        head, body, end = page(data, meta[11])
        assert end == at and head[1] == 2 and head[7][2] == 0
        dictionary = plain(body, 0, head[7][1], meta[1])
    head, body, end = page(data, at)
    assert end == meta.get(11, at) + meta[7] and head[1] == 0 and head[5][1] == meta[5]
    n, at, repetition = meta[5], 0, None
    levels = []
    for bits in (1, 2) if is_list else (1,):
        size = struct.unpack_from("<I", body, at)[0]
        repetition, levels = levels, runs(body, at + 4, n, bits)
        at += 4 + size
    defined = sum(v == (2 if is_list else 1) for v in levels)
    if head[5][2] == 8:
        values = [dictionary[i] for i in runs(body, at + 1, defined, body[at])]
    elif head[5][2] == 5:
        values = deltas(body, at, meta[1] == 2)
    else:
        values = plain(body, at, defined, meta[1])
    assert len(values) == defined
    assert meta[12][3] == levels.count(0)
    return rows_of(levels, values, repetition, is_list), values


def meaning(element):
    """What a leaf of the schema makes of a stored value."""
    logical = element.get(10, {})
    if element[1] == 6:
        return (lambda v: v.decode()) if 1 in logical else (lambda v: v.hex())
    if 10 in logical and not logical[10][2]:
        return lambda v: v % (1 << logical[10][1])
    return lambda v: v


def check_limits(stats, values, convert, kind):
    if 5 not in stats:
        return
    decode = (lambda b: b) if kind == 6 else (lambda b: int.from_bytes(b, "little", signed=True))
    order = (lambda v: v) if kind == 6 else convert
    assert order(decode(stats[5])) == max(map(order, values)), "max"
    assert order(decode(stats[6])) == min(map(order, values)), "min"


def read(path):
    data = memoryview(open(path, "rb").read())
    assert bytes(data[:4]) == bytes(data[-4:]) == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    meta = Thrift(data, len(data) - 8 - size).struct()
    schema, names, leaves = meta[2][1:], [], []
    while schema:
        names.append(schema[0][4].decode())
        is_list = 5 in schema[0]
        leaves.append((is_list, schema[2] if is_list else schema[0]))
        schema = schema[3 if is_list else 1:]
    assert len(names) == meta[2][0][5] == len(meta[7])
    columns = [[] for _ in names]
    for group in meta[4]:
        for i, column in enumerate(group[1]):
            is_list, leaf = leaves[i]
            convert = meaning(leaf)
            rows, values = chunk(data, column[3], is_list)
            assert len(rows) == group[3]
            check_limits(column[3][12], values, convert, leaf[1])
            columns[i] += [[convert(x) for x in v] if is_list and v is not None else
                           None if v is None else convert(v) for v in rows]
    rows = list(zip(*columns))
    assert len(rows) == meta[3]
    return names, rows, [g[3] for g in meta[4]]
