# SPDX-License-Identifier: GPL-2.0-only
# times.py HIST MAKE_RECORDING TRACE_CMD FOLDER TIMES SEED: recordings with random options TSC2NSEC, DATE and OFFSET, of
# version 6 and 7, compressed or not. All times that hist prints are those of a few lines of Python, and those that
# trace-cmd prints (TRACE_CMD: - if there is none; it takes the factor as signed, so that is less than 2^31).
import random, re, struct, subprocess, sys

hist, make, trace_cmd, folder = sys.argv[1:5]
draw = random.Random(int(sys.argv[6]))
DATE = "0x00000005d21dba000000"  # as long as any value


def out(*command):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return p.stdout.splitlines()


def stamps(path, *options):
    lines = out(hist, "events", "-q", "-i", path, "-e", "sched_switch", "--format", "csv", "--fields", "ts", *options)
    return [int(line) for line in lines[1:]]


for number in range(int(sys.argv[5])):
    path = folder + "/t.dat"
    version, codec = draw.choice((("6", "none"), ("7", "none"), ("7", "zstd"), ("7", "zlib")))
    subprocess.run([make, path, "2000", "wakeup", codec, version, "2", "-", DATE], check=True, stdout=subprocess.DEVNULL)
    with open(path, "rb") as f:
        data = f.read()
    text = DATE.encode() + b"\0"
    at = data.index(struct.pack("<HI", 1, len(text)) + text)

    def write(kind, value):
        with open(path, "wb") as f:
            f.write(data[:at] + struct.pack("<HI", kind, len(text)) + value.ljust(len(text), b"\0") + data[at + 6 + len(text):])

    write(0x7ffe, b"")  # an option that nobody knows
    raw = stamps(path)
    assert len(raw) > 100, (version, codec, len(raw))
    kind = draw.choice(("tsc", "tsc", "tsc", "date", "offset"))
    if kind == "tsc":
        mult, shift = draw.choice(((draw.randrange(1, 1 << 31), draw.randrange(24, 40)), (715827883, 31), (1 << 30, 30),
                                   (draw.randrange(1 << 20, 1 << 31), 31)))
        write(14, struct.pack("<IIQ", mult, shift, draw.randrange(1 << 40)))
        want = [(ts * mult >> shift) % 2**64 for ts in raw]
    elif kind == "date":
        us = draw.choice((draw.randrange(1 << 40), 1700000000000000, 2**63 // 1000 + draw.randrange(1 << 20)))
        write(1, hex(us).encode() + b"\0")
        want = [(ts + us * 1000) % 2**64 for ts in raw]
    else:
        offset = draw.choice((draw.randrange(1 << 40), -draw.randrange(min(raw)), -1, 12345))
        write(7, str(offset).encode() + b"\0")
        want = [(ts + offset) % 2**64 for ts in raw]
    steps = [b - a for a, b in zip(raw, raw[1:])]
    got = [ts % 2**64 for ts in stamps(path)]
    what = (number, version, codec, kind, data[at:at + 6])
    assert got == want, (what, [(a, b, c) for a, b, c in zip(raw, want, got) if b != c][:3])
    if trace_cmd != "-" and codec != "zlib":  # not every build of it has zlib
        seen = []
        for line in out(trace_cmd, "report", "-t", path):
            m = re.search(r"\] +(?:[^ ]{4,5} +)?(\d+)(?:\.(\d{9}))?: sched_switch:", line)
            if m:
                seen.append(int(m[1]) * 10**9 + int(m[2]) if m[2] else int(m[1]))
        assert seen == want, (what, [(a, b) for a, b in zip(seen, want) if a != b][:3], len(seen))
    # a part of the time, and a smaller recording
    low, high = want[len(want) // 3], want[len(want) // 2]
    if low <= high < 2**63 and kind != "offset":
        span = ["--from", "%d.%09d" % divmod(low, 10**9), "--to", "%d.%09d" % divmod(high, 10**9)]
        assert stamps(path, *span) == [ts for ts in want if low <= ts <= high], what
    slim = folder + "/slim.dat"
    subprocess.run([hist, "slim", "-q", "-i", path, "-o", slim, "-z", "none" if version == "6" else "zstd", "-e", "sched_switch"],
                   check=True)
    assert [ts % 2**64 for ts in stamps(slim)] == want, ("slim",) + what
    if trace_cmd != "-":
        lines = [l for l in out(trace_cmd, "report", "-t", slim) if ": sched_switch:" in l]
        assert len(lines) == len(want)
        m = re.search(r" (\d+)\.(\d{9}): sched_switch:", lines[0])
        assert m and int(m[1]) * 10**9 + int(m[2]) == want[0], (lines[0], want[0], what)
print("equal")
