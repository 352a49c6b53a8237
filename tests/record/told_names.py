# SPDX-License-Identifier: GPL-2.0-only
"""told_names.py: of the json of a histogram by common_comm and pid of sys_enter_getpgid, on stdin,
compares the names with those that the processes of renames.c told. Prints the number of events and
that of wrong names."""
import json
import sys


def told(name):
    """The parameter of a process with this name."""
    total = 0
    for byte in name.encode('latin-1'):
        total = total * 31 + byte
    return total & 0x0fffffff | 0x40000000


events = wrong = 0
for line in sys.stdin:
    for row in json.loads(line)['data']:
        parameter, name = row['key']['pid'], row['key']['common_comm']
        if parameter & 0x40000000:
            events += row['val']['hitcount']
            if told(name) != parameter:
                wrong += row['val']['hitcount']
                print(f'# {name!r} told {parameter:#x}', file=sys.stderr)
print(events, wrong)
