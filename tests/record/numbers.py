#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""numbers.py [--lost N] [--first FIRST|any] LAST FILE...: whether the files, in this order, have the numbers of
numbers.c up to LAST, each once and in order, as trace-cmd reads them. Prints what is wrong.

--lost N: at most N numbers are missing; --first any: earlier files were removed."""

import argparse
import re
import subprocess

args = argparse.ArgumentParser()
args.add_argument('--lost', type=int, default=0)
args.add_argument('--first', default='1')
args.add_argument('last', type=int)
args.add_argument('files', nargs='+')
args = args.parse_args()

number = re.compile(r' sys_enter_lseek: +fd: 0xffffffff, offset: 0x([0-9a-f]+)')
expected = None if args.first == 'any' else int(args.first)
lost = 0
for name in args.files:
    text = subprocess.run(['trace-cmd', 'report', name], capture_output=True, text=True, errors='replace').stdout
    found = [int(n, 16) for n in number.findall(text)]
    if not found and name != args.files[-1]:
        print(name, 'has no numbers')
    for n in found:
        expected = n if expected is None else expected
        if n < expected:
            print(f'{name}: {n} instead of {expected}: twice, or not in order')
            break
        lost += n - expected
        expected = n + 1
lost += max(args.last + 1 - (expected or 0), 0)
if lost > args.lost or (expected or 0) > args.last + 1:
    print(f'{lost} numbers are missing up to {args.last}; the last one is {(expected or 0) - 1}')
