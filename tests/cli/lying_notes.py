#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""lying_notes.py HIST RECORDING DIRECTORY [SEED [ROUNDS]]: notes of chunks that lie.

Changes the option CHUNKS of a compressed recording: words up to 2^64-1, exchanged, repeated, shifted and missing
notes, other sizes. Questions about parts of the time and of the CPUs must have the answers of the recording without
the option, or end with an error. Prints what does not, and at the end the number of questions.
"""
import os
import random
import struct
import subprocess
import sys

HIST, RECORDING, DIRECTORY = sys.argv[1:4]
LIMIT = float(os.environ.get("RUN_TIMEOUT", 60))
RANDOM = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
ROUNDS = int(sys.argv[5]) if len(sys.argv) > 5 else 40
CHUNKS, UNKNOWN, NOTE, MOST = 0x4844, 0x4860, 32, 2**64 - 1


def option_of(data):
    """Where the option is: offset of its id, size of its data."""
    at = data.rindex(struct.pack('<HI', CHUNKS, 0)[:2] + b'')
    while True:
        number, size = struct.unpack_from('<HI', data, at)
        if number == CHUNKS and size and size % NOTE == 0 and at + 6 + size < len(data) and \
                struct.unpack_from('<Q', data, at + 6 + 8)[0] == 0 and struct.unpack_from('<Q', data, at + 22)[0] == 0:
            return at, size
        at = data.rindex(struct.pack('<H', CHUNKS), 0, at + 1)


def ask(data, question):
    """The answer and the status."""
    path = f'{DIRECTORY}/lying.dat'
    with open(path, 'wb') as f:
        f.write(data)
    run = subprocess.run([HIST, 'report', '-q', '-i', path, '-e', 'kmalloc', *question, '--format', 'csv'],
                         capture_output=True, check=False, timeout=LIMIT)
    return run.stdout, run.returncode


def some_number(words):
    """A number that may be out of the file, near to another one, or at a limit."""
    return RANDOM.choice([0, 1, MOST, MOST, MOST, MOST - 3, 2**63, 2**32, 2**32 - 1, RANDOM.choice(words), RANDOM.choice(words) + 1,
                          RANDOM.choice(words) - 1, RANDOM.choice(words) + 2**32]) & MOST


def lie(words, a):
    """Other words, as many, most of them of note @a."""
    words = list(words)
    n = len(words) // 4
    kind = RANDOM.randrange(7)
    b = RANDOM.randrange(n)
    word = RANDOM.randrange(4)
    if kind <= 1:
        words[4 * a + word] = some_number(words)
    elif kind == 2:
        words[4 * a:4 * a + 4], words[4 * b:4 * b + 4] = words[4 * b:4 * b + 4], words[4 * a:4 * a + 4]
    elif kind == 3:
        words[4 * a:4 * a + 4] = words[4 * b:4 * b + 4]
    elif kind == 4:  # all that follow
        by = RANDOM.choice([1, 7, 100, 2**40, MOST])
        for i in range(a, n):
            words[4 * i + word] = words[4 * i + word] + by & MOST
    elif kind == 5:
        words[4 * a + 1], words[4 * a + 2] = some_number(words), some_number(words)
    else:
        words[4 * a + 3] = words[4 * b + 3]
    return words


def question(words, a):
    """About a part of the time that begins or ends near note @a."""
    n = len(words) // 4
    near = words[4 * max(0, min(n - 1, a + RANDOM.randrange(-1, 2))) + 3] + RANDOM.choice([0, 1, -1, 9999, 200000])
    other = words[4 * RANDOM.randrange(n) + 3] + RANDOM.choice([0, 1, 10**9])
    times = [f'{t // 10**9}.{t % 10**9:09}' for t in sorted((near, other))]
    return ['--by', 'common_cpu', f'--from={times[0]}', f'--to={times[1]}',
            *RANDOM.choice([[], ['--cpu', '0'], ['--cpu', '1'], ['--strict'], ['-j', '1']])]


def main():
    """Lies, and questions about what they are about."""
    with open(RECORDING, 'rb') as f:
        data = f.read()
    at, size = option_of(data)
    words = struct.unpack_from(f'<{size // 8}Q', data, at + 6)
    plain = data[:at] + struct.pack('<H', UNKNOWN) + data[at + 2:]
    answers = set()
    for _ in range(ROUNDS):
        a = RANDOM.randrange(len(words) // 4)
        lies = lie(words, a)
        changed = data[:at + 6] + struct.pack(f'<{len(lies)}Q', *lies) + data[at + 6 + size:]
        for asked in (question(words, a), question(words, a)):
            want, got = ask(plain, asked), ask(changed, asked)
            answers.add(want)
            if want[1] not in (0, 2) or (got != want and got[1] not in (1, 2)):
                differ = [(k // 4, k % 4, words[k], lies[k]) for k in range(len(words)) if words[k] != lies[k]]
                print(asked, got, 'instead of', want, '(note, word, was, is):', differ[:4])
    print(2 * ROUNDS, 'questions,', 'many' if len(answers) > ROUNDS // 2 else 'few', 'answers')


main()
