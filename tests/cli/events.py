#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""events.py DIR: compares the files text, csv, tsv, ndjson and json that hist events wrote of one recording with each
other, as other programs read them. Prints differences.

events.py --lost RECORDING DUMP OUT: copies an uncompressed recording, and marks 123 lost events before a sub-buffer;
DUMP is what hist dump --format=json prints of it.
"""
import csv
import json
import re
import struct
import sys


def mark_lost(recording, dump, out):
    """A sub-buffer that is not its CPU's first, with room for the number."""
    data = bytearray(open(recording, 'rb').read())
    for line in open(dump, encoding='utf-8'):
        at = json.loads(line)
        if at['type'] != 'subbuffer' or not at['index'] or at['size'] + 8 > at['capacity']:
            continue
        struct.pack_into('<Q', data, at['file_offset'] + 8, at['size'] | 3 << 30)
        struct.pack_into('<Q', data, at['file_offset'] + 16 + at['size'], 123)
        print(at['cpu'])
        break
    open(out, 'wb').write(data)


def unescape(text):
    """A text of tsv."""
    letters = {'t': '\t', 'n': '\n', 'r': '\r'}
    return re.sub(r'\\([tnr\\])', lambda m: letters.get(m[1], m[1]), text)


def compare(what, got, want):
    """Print the first difference of two lists."""
    if len(got) != len(want):
        print(f'{what}: {len(got)} events, not {len(want)}')
    for i, (a, b) in enumerate(zip(got, want)):
        if a != b:
            print(f'{what}: event {i} is {a}, not {b}')
            return


def main(where):
    """Everything as lists of objects."""
    lines = [json.loads(line) for line in open(f'{where}/ndjson', encoding='utf-8')]
    if len(lines) < 100:
        print('too few events')
    compare('json', json.load(open(f'{where}/json', encoding='utf-8')), lines)

    def typed(row):
        return {**row, 'time': float(row['time']), 'ts': int(row['ts']), 'cpu': int(row['cpu']),
                'pid': int(row['pid']), 'fields': json.loads(row['fields'])}

    with open(f'{where}/csv', encoding='utf-8', newline='') as f:
        compare('csv', [typed(row) for row in csv.DictReader(f)], lines)
    tsv = [line.rstrip('\n').split('\t') for line in open(f'{where}/tsv', encoding='utf-8', newline='')]
    compare('tsv', [typed(dict(zip(tsv[0], row))) for row in tsv[1:]], lines)

    text = []
    for line in open(f'{where}/text', encoding='utf-8'):
        m = re.match(r'^ *(.+)-(\d+) +\[(\d+)\] +(\d+\.\d{6}): (\w+):', line)
        if m:
            text.append((int(m[2]), int(m[3]), m[4], m[5]))
    compare('text', text, [(e['pid'], e['cpu'], f'{(e["ts"] + 500) // 1000 / 1e6:.6f}', e['event'].split(':')[1])
                           for e in lines])


if sys.argv[1] == '--lost':
    mark_lost(*sys.argv[2:])
else:
    main(sys.argv[1])
