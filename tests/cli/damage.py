#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""damage.py HIST RECORDING SCRIPT: damages each part of a recording in turn.

The parts of a trace.dat of version 7 are its section headers, its options, chunks and their headers if it is
compressed, otherwise the headers of sub-buffers. Each is overwritten with ones and with zeros, and its bits are
flipped. A command must then have the same output as for the intact recording, or report the damage and exit with
status 2. Prints the commands that do neither, and at the end the number of parts.
DAMAGE_VERBS=1: runs every verb that reads recordings, not only report.
"""
import os
import struct
import subprocess
import sys
import tempfile

HIST, WHOLE, SCRIPT = sys.argv[1:4]
LIMIT = float(os.environ.get("RUN_TIMEOUT", 60))
BUFFERS = (3, 22)  # options: a buffer, a buffer of text
SECTION_HEADER = 16


def string(data, at):
    """The end of a NUL-terminated string."""
    return data.index(0, at) + 1


class Recording:
    """Where the parts of a file are: list of (what, offset, size)."""

    def __init__(self, data):
        self.data = data
        self.end = '>' if data[12] else '<'
        self.parts = []
        at = string(data, 10)  # the version
        at += 2  # byte order, long size
        self.page_size, = self.unpack('I', at)
        at = string(data, string(data, at + 4))
        self.parts.append(('file header', 10, at - 10))
        self.options(at)

    def unpack(self, what, at):
        """Numbers at an offset, in the byte order of the file."""
        return struct.unpack_from(self.end + what, self.data, at)

    def options(self, at):
        """The chain of options; its offset is stored at @at."""
        self.parts.append(('place of the options', at, 8))
        place, = self.unpack('Q', at)
        while place:
            self.parts.append(('header of the options', place, SECTION_HEADER))
            at, place = place + SECTION_HEADER, 0
            while True:
                option, size = self.unpack('HI', at)
                self.parts.append((f'option {option}', at, 6 + size))
                self.parts.append((f'head of option {option}', at, 6))
                if option == 0:
                    place, = self.unpack('Q', at + 6)
                    break
                self.option(option, at + 6, size)
                at += 6 + size

    def option(self, option, at, size):
        """The section that an option points to."""
        if 16 <= option <= 21 and size == 8:
            self.section(option, self.unpack('Q', at)[0])
        if option in BUFFERS:
            end = at + size
            section, = self.unpack('Q', at)
            compressed = self.section(option, section)
            at = string(self.data, string(self.data, at + 8))
            page_size, cpus = self.unpack('II', at)
            at += 8
            while option == 3 and cpus and at < end:
                _, offset, length = self.unpack('IQQ', at)
                self.cpu(offset, length, page_size, compressed)
                at += 20
                cpus -= 1

    def section(self, what, at):
        """Adds a section; returns whether it is compressed."""
        _, flags, _, size = self.unpack('HHIQ', at)
        self.parts.append((f'header of section {what}', at, SECTION_HEADER))
        if flags & 1 and what not in BUFFERS:
            self.parts.append((f'head of the block of section {what}', at + SECTION_HEADER, 8))
            self.parts.append((f'block of section {what}', at + SECTION_HEADER + 8, size - 8))
        return flags & 1

    def cpu(self, at, size, page_size, compressed):
        """The sub-buffers of one CPU."""
        if not size:
            return
        if not compressed:
            for page in range(at, at + size, page_size):
                self.parts.append(('header of a sub-buffer', page, 16))
            return
        chunks, = self.unpack('I', at)
        self.parts.append(('number of chunks', at, 4))
        at += 4
        for _ in range(chunks):
            packed, _ = self.unpack('II', at)
            self.parts.append(('head of a chunk', at, 8))
            self.parts.append(('chunk', at + 8, packed))
            at += 8 + packed


def commands(path, out):
    """The commands to be tried."""
    yield ['report', '-i', path, SCRIPT]
    if not os.environ.get('DAMAGE_VERBS'):
        return
    yield ['list', '-i', path]
    yield ['list', '-i', path, '--format', 'json']
    yield ['dump', path]
    yield ['check', '-i', path, SCRIPT]
    yield ['slim', '-i', path, '-o', out, SCRIPT]
    yield ['report', '-i', path, SCRIPT, '--save-events', out]
    yield ['report', '-i', path, '-x', 'echo 1 > events/enable; cat trace']
    yield ['report', '-i', path, SCRIPT, '--exemplars', '2']
    yield ['report', '-i', path, SCRIPT, '--interval', '0.01']
    yield ['report', '-i', path, '-i', WHOLE, SCRIPT]
    yield ['diff', '-S', SCRIPT, WHOLE, path]
    if 'wakeup' in SCRIPT:
        yield ['recipe', '-i', path]
        yield ['report', '-i', path, 'wakeup-latency']
        yield ['report', '-i', path, '--around', '30.349774421,0']
        yield ['report', '-i', path, '-e', 'sched_waking', '--by', 'common_pid.execname']
        yield ['report', '-i', path, '--sql',
               'SELECT end.next_comm AS comm, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat '
               'FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid', '--by', 'lat.log2']


def run(command, out):
    """The output of a command, or the file that it writes; its messages, and its status."""
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run([HIST, *command], capture_output=True, timeout=LIMIT, check=False,
                          stdin=subprocess.DEVNULL)
    made = b''
    if os.path.exists(out):
        made = subprocess.run([HIST, 'dump', out], capture_output=True, timeout=LIMIT, check=False).stdout
    return done.stdout + made, done.stderr.decode(errors='replace'), done.returncode


def is_silent(result, wanted):
    """Whether damage was not reported."""
    text, said, status = result
    return status < 0 or status > 2 or (status == 2 and not said) or (status != 2 and text != wanted[0])


def damaged(what, part):
    """The ways to damage bytes. In the text of an option, one bit may not be detected: there is no checksum."""
    yield 'ones', b'\xff' * len(part)
    yield 'zeros', bytes(len(part))
    yield 'turned over', bytes(b ^ 0xff for b in part)
    if not what.startswith('option'):
        yield 'one bit', part[:len(part) // 2] + bytes([part[len(part) // 2] ^ 16]) + part[len(part) // 2 + 1:]


def main():
    """Tries all parts; status 1 if some damage was not reported."""
    with open(WHOLE, 'rb') as file:
        whole = file.read()
    parts = Recording(whole).parts
    most = int(os.environ.get('DAMAGE_PARTS', '0'))
    if most and len(parts) > most:  # spread over the file
        parts = [parts[i * len(parts) // most] for i in range(most)]
    silent = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, os.path.basename(WHOLE))
        out = os.path.join(tmp, 'out.dat')
        tried = list(commands(path, out))
        with open(path, 'wb') as file:
            file.write(whole)
        wanted = [run(command, out) for command in tried]
        for command, result in zip(tried, wanted):
            if result[2]:
                sys.exit(f'{WHOLE}: {command}: status {result[2]} without damage')
        for what, at, size in parts:
            for how, data in damaged(what, whole[at:at + size]):
                with open(path, 'r+b') as file:
                    file.seek(at)
                    file.write(data)
                for i, command in enumerate(tried):
                    result = run(command, out)
                    if is_silent(result, wanted[i]):
                        silent += 1
                        print(f'{what} at {at} ({size} bytes), {how}: {command}: '
                              f'status {result[2]}: {result[1][:300]}')
                with open(path, 'r+b') as file:
                    file.seek(at)
                    file.write(whole[at:at + size])
    print(f'{len(parts)} parts, {silent} silent')
    sys.exit(silent > 0)


if __name__ == '__main__':
    main()
