#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""perfetto_check.py HIST FIRST COUNT DIR: random traces of Perfetto have the events that were written."""
import json
import os
import subprocess
import sys

SYMBOLS = {1: 'flush_work', 2: 'vmstat_update', 3: 'wb_workfn'}


def read(hist, path):
    out = subprocess.run([hist, 'events', '-q', '-i', path, '--format', 'json'], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def plain(fields, symbols):
    """What the two have in another form: the address of a symbol, the end of a marker's text."""
    fields = dict(fields)
    fields.pop('ip', None)
    if 'buf' in fields:
        fields['buf'] = fields['buf'].rstrip('\n')
    if 'function' in fields:
        fields['function'] = symbols.get(fields['function'], fields['function'])
    return fields


def main():
    hist, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    path, bad, n = os.path.join(directory, 'random.pftrace'), 0, 0
    for seed in range(first, first + count):
        subprocess.run([sys.executable, 'tests/cli/perfetto_write.py', path, str(seed)], check=True)
        with open(path + '.want', encoding='utf-8') as f:
            want = [json.loads(line) for line in f]
        lost = want.pop()[1]
        got = read(hist, path)
        listed = json.loads(subprocess.run([hist, 'list', '-q', '-i', path, '--format', 'json'],
                                           stdout=subprocess.PIPE, check=True).stdout)
        symbols = {}
        for e in got:
            if e['event'] == 'workqueue:workqueue_execute_start':
                rows = subprocess.run([hist, 'events', '-q', '-i', path, '-e', e['event']], stdout=subprocess.PIPE,
                                      check=True).stdout.decode()
                for line, one in zip([x for x in rows.splitlines() if 'function=' in x],
                                     [x for x in got if x['event'] == e['event']]):
                    symbols[one['fields']['function']] = line.split('function=')[1].split()[0]
                break
        a = sorted(([e['ts'], e['cpu'], e['pid'], e['event'], plain(e['fields'], symbols)] for e in got), key=lambda x: (x[0], x[1]))
        b = [[w[0], w[1], w[2], w[3], plain(w[4], SYMBOLS)] for w in want]
        n += len(b)
        seen = sorted(c['cpu'] for buffer in listed['buffers'] for c in buffer['cpus'] if c.get('lost') or c.get('lost_unknown') or c.get('missing'))
        if a == b and (not lost or seen):
            continue
        bad += 1
        print('seed %d: %s' % (seed, 'losses of CPUs %s, not %s' % (seen, lost) if a == b else
                               'differs: %s' % next(([x, y] for x, y in zip(a, b) if x != y), (len(a), len(b)))))
    print('%d traces with %d events, %d wrong' % (count, n, bad))
    sys.exit(bad > 0)


main()
