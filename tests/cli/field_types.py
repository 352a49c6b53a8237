#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""field_types.py HIST RECORDING DIRECTORY QUESTION...: fields of other types than a question expects.

Gives each field of each format of an uncompressed recording other types in turn: numbers that are texts, texts that
are numbers, arrays, places of arrays, sizes that no number has. The answer is then that of the intact recording,
because the question does not read the field, or there is an error, or its exit status says that records were
skipped. Prints what is neither, and at the
end the number of errors that name the field.
"""
import re
import subprocess
import sys

HIST, RECORDING, DIRECTORY = sys.argv[1:4]
QUESTION = sys.argv[4:]
SPARE = 40  # bytes of a print fmt that a longer declaration takes
FORMAT = re.compile(rb'name: (\w+)\nID: \d+\nformat:\n(?:.+\n|\n)+?print fmt: (.*)\n')
FIELD = re.compile(rb'\tfield:([^;]*?)(\w+)((?:\[\w*\])?);\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);\n')
# type, array, size; of a text
OF_TEXT = [(b'u64 ', b'', 8), (b'int ', b'', 4), (b'u8 ', b'', 1), (b'u64 ', b'[2]', 16), (b'int ', b'[4]', 16),
           (b'__data_loc int[] ', b'', 4), (b'__rel_loc u64[] ', b'', 4), (b'u64 ', b'', 0), (b'int ', b'', 3),
           (b'long ', b'', 16), (b'const char * ', b'', 8), (b'__data_loc char[] ', b'', 2), (b'cpumask_t ', b'', 8)]
OF_NUMBER = [(b'char ', b'[16]', 16), (b'char ', b'[4]', 4), (b'char ', b'[8]', 8), (b'int ', b'[2]', 8),
             (b'u8 ', b'[4]', 4), (b'__data_loc char[] ', b'', 4), (b'__data_loc int[] ', b'', 4),
             (b'__rel_loc char[] ', b'', 4), (b'int ', b'', 3), (b'int ', b'', 0), (b'long ', b'', 16)]


def ask(data):
    """The answer to the question, the status and the messages."""
    path = f'{DIRECTORY}/changed.dat'
    with open(path, 'wb') as f:
        f.write(data)
    run = subprocess.run([HIST, 'report', '-q', '-i', path, *QUESTION, '--format', 'csv'], capture_output=True,
                         check=False)
    return run.stdout, run.returncode, run.stderr


def with_text(data, where, text):
    """The recording with another text of a format, which is not longer."""
    begin, end = where
    assert len(text) <= end - begin
    return data[:begin] + text.ljust(end - begin) + data[end:]


def main():
    """All fields, one after the other."""
    with open(RECORDING, 'rb') as f:
        data = f.read()
    refused = 0
    for found in FORMAT.finditer(data):
        where, text = found.span(), found.group()
        fmt = found.start(2) - found.start()
        text = text[:fmt] + text[fmt:-1][:-SPARE]
        right = ask(with_text(data, where, text))
        assert right[1] == 0 and right[0].count(b'\n') > 1, right
        for field in FIELD.finditer(text):
            kind, name, array, at, size, sign = field.groups()
            if name.startswith(b'common_'):
                continue
            for other, brackets, length in OF_TEXT if b'char' in kind else OF_NUMBER:
                line = b'\tfield:%s%s%s;\toffset:%s;\tsize:%d;\tsigned:%s;\n' % (other, name, brackets, at, length,
                                                                               sign)
                got = ask(with_text(data, where, text[:field.start()] + line + text[field.end():]))
                refused += got[1] > 0 and b'error: the field %s of' % name in got[2]
                if got[1] < 0 or (got[0] != right[0] and not got[1]):
                    print(f'{found.group(1).decode()}: {line.decode().strip()}: status {got[1]}, '
                          f'{got[0][:200]!r} instead of {right[0][:200]!r}; {got[2][:200]!r}')
    print(refused, 'errors')


main()
