#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares what hist reads in traces of Perfetto with the values of two other readers.

perfetto_values.py HIST VALUES FIELDS.tsv TRACE...: the values of TRACE are in its folder, or in VALUES/NAME.
Where both readers agree, hist has to; where they do not, the value of either is right. States of tasks of which
records are missing, or that share a time with those of another CPU, are counted apart: the other readers go on as if
nothing was missing, or have another order.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys

# States of the other readers by those of hist.
STATES = {'running': 'Running', 'preempted': 'R', 'R+': 'R', 'disk': 'D', 'runnable': 'R', 'sleeping': 'S', 'blocked': 'D', 'idle': 'I',
          'stopped': 'T', 'woken': 'R', 'new': 'R', 'yielded': 'R', 'traced': 't', 'dead': 'X', 'zombie': 'Z', 'parked': 'P'}


def table(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f))


def events(hist, trace, *options):
    out = subprocess.run([hist, 'events', '-q', '-i', trace, '--format', 'ndjson', *options], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    return [json.loads(line) for line in out.decode('utf-8', 'backslashreplace').splitlines()]


def every_event(hist, trace):
    """Those of all machines, each of which has a buffer."""
    listed = subprocess.run([hist, 'list', '-q', trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    found = events(hist, trace)
    for name in re.findall(r'^instance (\S+):', listed.decode(), re.M):
        found += events(hist, trace, '-B', name)
    return found


def kernel_names(path):
    """Names of events and fields of the kernel, by those of Perfetto; names of devices, which have another form."""
    names, fields = {}, {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            c = line.rstrip('\n').split('\t')
            names[c[1]] = c[3] if c[3] else c[1]
            fields[c[1], c[5]] = c[6] if c[6] else c[5]
    names['zero'] = '0'
    return names, fields


class Comparison:
    def __init__(self, name):
        self.name, self.cells, self.bad, self.doubts = name, 0, [], 0

    def same(self, what, got, *wanted, doubt=False):
        self.cells += 1
        if got not in wanted and doubt:
            self.doubts += 1
        elif got not in wanted:
            self.bad.append('%s: %s, not %s' % (what, got, ' or '.join(dict.fromkeys(map(str, wanted)))))

    def tables(self, what, got, *wanted, doubtful=lambda key: False):
        for key in sorted(set(got).union(*wanted), key=str):
            self.same('%s %s' % (what, key), got.get(key), *[w.get(key) for w in wanted], doubt=doubtful(key))


def markers_of_tracks(hist, trace):
    """The number of track events, which are ftrace:print here."""
    notes = subprocess.run([hist, 'list', trace], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr
    found = re.search(rb'(\d+) track events? became', notes)
    return int(found[1]) if found else 0


def number_of_events(c, hist, trace, all_events, folder, names):
    got = collections.Counter((e['event'].split(':', 1)[1], e['cpu']) for e in all_events)
    want = collections.Counter()
    for row in table(folder, 'ours-events.csv'):
        name = names.get(row['event'], row['event'])
        if name == 'kprobe_event':
            continue
        want[name, int(row['cpu'])] += int(row['count'])
    kprobes = {(e['event'].split(':', 1)[1], e['cpu']) for e in all_events if e['event'].startswith('kprobes:')}
    tracks = markers_of_tracks(hist, trace)
    c.tables('events', {k: n for k, n in got.items() if k not in kprobes}, want,
             {('print', cpu): want.get(('print', cpu), 0) + tracks for _, cpu in set(want)})


def device(v):
    return ((v >> 8 & 0xfff) | (v >> 32 & ~0xfff)) << 20 | (v & 0xff) | (v >> 12 & 0xfff00)


def value_of(v):
    if isinstance(v, list):
        return ' '.join(map(str, v))
    return str(v)


def fields(c, all_events, folder, names, field_names, symbols):
    by_time = collections.defaultdict(list)
    for e in all_events:
        by_time[e['ts'], e['cpu'], e['event'].split(':', 1)[1]].append(e)
    want = collections.OrderedDict()
    for row in table(folder, 'ours-events-200.csv'):
        key, n = (int(row['ts']), int(row['cpu']), row['tid'], row['event']), 0
        # several at one time: each field once
        while row['field'] in dict(want.get((key, n), [])):
            n += 1
        want.setdefault((key, n), []).append((row['field'], row['value']))
    for ((ts, cpu, tid, event), _), values in want.items():
        found = by_time.get((ts, cpu, names.get(event, event)), [])
        best = None
        if event == 'kprobe_event':  # hist has the probe's own name
            found, values = [e for e in all_events if e['ts'] == ts and e['event'].startswith('kprobes:')], values[1:]
        for e in found:
            bad = [] if not tid or e['pid'] == int(tid) else ['pid %d, not %s' % (e['pid'], tid)]
            for field, value in values:
                if not field:
                    continue
                name = field_names.get((event, field), field)
                if name not in e['fields']:
                    bad.append('no %s=%s' % (name, value))
                    continue
                got = value_of(e['fields'][name])
                ok = got == value or got.rstrip('\n') == value.rstrip('\n') or symbols.get(got) == value
                ok |= value.lstrip('-').isdigit() and got.lstrip('-').isdigit() and \
                    (int(value) - int(got)) % (1 << 64) == 0
                ok |= field == 'func' and got in symbols  # the other reader has the number of a symbol
                ok |= name.endswith('comm') and got == value.encode()[:15].decode('utf-8', 'backslashreplace')
                ok |= name.endswith('dev') and value.isdigit() and got == str(device(int(value)))
                if not ok:
                    bad.append('%s=%s, not %s' % (name, got, value))
            if best is None or len(bad) < len(best):
                best = bad
        c.same('%s at %d of CPU %d' % (event, ts, cpu), best, [])


def symbols_of(hist, trace, all_events):
    """Names of addresses in fields, as the text of an event has them."""
    symbols = {}
    for event in {e['event'] for e in all_events}:
        mine = [e for e in all_events if e['event'] == event]
        wanted = [n for n in ('function', 'caller', 'location', 'func') if isinstance(mine[0]['fields'].get(n), int)]
        if not wanted:
            continue
        text = subprocess.run([hist, 'events', '-q', '-i', trace, '-e', event], stdout=subprocess.PIPE, check=False).stdout
        lines = [x for x in text.decode('utf-8', 'backslashreplace').splitlines() if ': %s: ' % event.split(':')[1] in x]
        for e, line in zip(mine, lines):
            for name in wanted:
                found = re.search(r'\b%s=(\S+)' % name, line)
                if found:
                    symbols[str(e['fields'][name])] = found[1]
    return symbols


def sums(rows, *keys):
    """Number that ended, and sum of their durations."""
    out = collections.Counter()
    for r in rows:
        key = tuple(STATES.get(r[k], r[k]) if k == 'state' else r.get(k, '') for k in keys)
        n = int(r.get('slices') or r.get('count')) - int(r.get('not_ended') or 0)
        out[key, 'n'] += n
        out[key, 'ns'] += int(r['sum_dur_ns_of_ended'])
    return +out


def hist_sums(rows, key):
    out = collections.Counter()
    for e in rows:
        f = e['fields']
        if f['open'] == 'no':
            out[key(e), 'n'] += 1
            out[key(e), 'ns'] += f['ns']
    return +out


def doubtful_tasks(all_events, lost):
    """Those of which a switch must be missing, or whose events have no order."""
    tasks, runs, awake, asleep, at = set(), {}, set(), set(), {}
    for e in all_events:
        name, f = e['event'].split(':')[1], e['fields']
        mine = [f.get(n) for n in ('prev_pid', 'next_pid', 'pid') if f.get(n)]
        if name == 'sched_switch':
            prev, now = f['prev_pid'], f['next_pid']
            if lost or runs.get(e['cpu'], prev) != prev:
                tasks.update({prev, runs.get(e['cpu'], prev)})
            if now == prev or now in runs.values() or now in asleep:
                tasks.update({prev, now})
            if f['prev_state'] & 0xff:
                awake.discard(prev)
                asleep.add(prev)
            awake.add(now)
            asleep.discard(now)
            runs[e['cpu']] = now
        elif name in ('sched_waking', 'sched_wakeup', 'sched_wakeup_new'):
            if (f['pid'] in awake and name != 'sched_wakeup') or lost:
                tasks.add(f['pid'])
            awake.add(f['pid'])
            asleep.discard(f['pid'])
        if name.startswith('sched_'):
            for pid in mine:
                if at.get(pid, (0, e['cpu']))[0] == e['ts'] and at[pid][1] != e['cpu']:
                    tasks.add(pid)
                at[pid] = e['ts'], e['cpu']
    return {str(t) for t in tasks}


def intervals(c, hist, trace, folder, all_events):
    tasks = doubtful_tasks(all_events, any(r['what'].startswith('lost_events') for r in table(folder, 'ours-summary.csv')))
    doubtful = lambda key: key[0][0] in tasks
    states = events(hist, trace, '-e', 'derived:task_state')
    ours, tp = table(folder, 'ours-sched-slices.csv'), table(folder, 'tp-sched-slices.csv')
    got = hist_sums([e for e in states if e['fields']['state'] == 'running'],
                    lambda e: (str(e['fields']['pid']), str(e['fields']['cpu'])))
    if ours or tp:
        no_idle = lambda table: {k: v for k, v in table.items() if k[0][0] != '0'}
        c.tables('slices', no_idle(got), no_idle(sums(ours, 'tid', 'cpu')), no_idle(sums(tp, 'tid', 'cpu')),
                 doubtful=doubtful)
    ours, tp = table(folder, 'ours-thread-states.csv'), table(folder, 'tp-thread-states.csv')
    if ours or tp:
        key = lambda e: (str(e['fields']['pid']), STATES.get(e['fields']['state'], e['fields']['state']))
        c.tables('states', hist_sums(states, key), sums(ours, 'tid', 'state'),
                 sums([r for r in tp if r['tid'] != '0'], 'tid', 'state'), doubtful=doubtful)
    # hist knows the task that runs before the first compact switch from other events of its CPU
    first = {(r['event'], r['woken_tid']) for r in table(folder, 'ours-wakers.csv') if not r['waker_tid']}
    got = collections.Counter((e['event'].split(':')[1], str(e['pid']), str(e['fields']['pid'])) for e in all_events
                              if e['event'] in ('sched:sched_waking', 'sched:sched_wakeup', 'sched:sched_wakeup_new'))
    want = {}
    for r in table(folder, 'ours-wakers.csv'):
        want[r['event'], r['waker_tid'] or '-1', r['woken_tid']] = int(r['count'])
    any_waker = lambda rows: sum((collections.Counter({(k[0], '*' if (k[0], k[2]) in first else k[1], k[2]): n})
                                  for k, n in rows.items()), collections.Counter())
    c.tables('wakers', any_waker(got), any_waker(want))


def tasks(c, hist, trace, folder, all_events):
    """Processes of threads, and arguments, as the process tree had them once, of tasks that switch."""
    threads, processes = collections.defaultdict(set), collections.defaultdict(set)
    for r in table(folder, 'ours-threads.csv'):
        threads[r['tid']].add(r['tgid'])
    for r in table(folder, 'ours-processes.csv'):
        threads[r['pid']].add(r['pid'])
        # the name of a worker is followed by its work
        comm = re.sub(r'^(kworker/\S*?)[-+].*', r'\1', r['cmdline'])[:15]
        processes[r['pid']].add('[%s]' % comm if r['is_kthread'] == '1' else r['cmdline'])
    if not any(e['event'] == 'sched:sched_switch' for e in all_events) or 'machine_id' in folder:
        return  # tasks of two machines have the same numbers
    # who was made or executed something meanwhile has other arguments at other times
    changed = {str(e['fields'].get(n, e['pid'])) for e in all_events for n in ('pid', 'child_pid')
               if e['event'] in ('task:task_newtask', 'sched:sched_process_fork', 'sched:sched_process_exec')}
    for key in ('prev_pid', 'next_pid'):
        out = subprocess.run([hist, 'report', '-q', '-i', trace, '-e', 'sched:sched_switch', '--by',
                              '%s,%s.process,%s.cmdline' % ((key,) * 3), '--format', 'csv'],
                             stdout=subprocess.PIPE, check=False).stdout
        for row in csv.DictReader(out.decode('utf-8', 'backslashreplace').splitlines()):
            pid, process, cmdline = row[key], row[key + '.process'], row[key + '.cmdline']
            if pid == '0' or pid in changed or pid not in threads:
                continue
            tgid = re.sub(r' \(\d+\)$', '', process).rsplit('-', 1)[-1]
            c.same('process of %s' % pid, tgid, *threads[pid])
            if tgid in processes:
                c.same('arguments of %s' % pid, cmdline, *processes[tgid])


def markers(c, hist, trace, folder):
    slices = events(hist, trace, '-e', 'derived:slice')
    ours = sums(table(folder, 'ours-marker-slices.csv'), 'name', 'tid')
    tp = sums(table(folder, 'tp-marker-slices.csv'), 'name', 'tid')  # with those of track events
    async_ = {}
    for r in table(folder, 'ours-marker-async.csv'):
        async_[r['name'], 'n'] = int(r['count_of_ended'])
        async_[r['name'], 'ns'] = int(r['sum_dur_ns'])
    names = {k[0] for k in async_}
    got = hist_sums(slices, lambda e: (e['fields']['name'], str(e['fields']['pid'])))
    if not os.path.exists(os.path.join(folder, 'ours-marker-async.csv')):
        names = {s['fields']['name'] for s in slices} - {k[0][0] for k in ours}
    c.tables('marker slices', {k: v for k, v in got.items() if k[0][0] not in names},
             {k: v for k, v in ours.items() if k[0][0] not in names},
             {k: v for k, v in tp.items() if k[0][0] not in names and k in got})
    got = hist_sums([e for e in slices if e['fields']['name'] in names], lambda e: e['fields']['name'])
    if async_:
        c.tables('async slices', got, +collections.Counter(async_))
    counts, want = collections.Counter(), {}
    for e in events(hist, trace, '-e', 'derived:counter'):
        f = e['fields']
        counts[f['name'], str(f['tgid']), 'n'] += 1
        counts[f['name'], str(f['tgid']), 'sum'] += f['value']
    for r in table(folder, 'ours-marker-counters.csv'):
        want[r['name'], r['tgid'], 'n'] = int(r['count'])
        want[r['name'], r['tgid'], 'sum'] = int(r['sum_of_values'])
    if want:
        c.tables('counters', +counts, {k: v for k, v in want.items() if v})


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    hist, values, tsv = sys.argv[1:4]
    names, field_names = kernel_names(tsv)
    cells = bad = doubts = 0
    for trace in sys.argv[4:]:
        folder = os.path.dirname(trace)
        name = os.path.basename(folder)
        if not os.path.exists(os.path.join(folder, 'ours-events.csv')):
            name = os.path.basename(trace).replace('.pftrace', '')
            folder = os.path.join(values, name)
        c = Comparison(name)
        all_events = every_event(hist, trace)
        symbols = symbols_of(hist, trace, all_events)
        number_of_events(c, hist, trace, all_events, folder, names)
        fields(c, all_events, folder, names, field_names, symbols)
        intervals(c, hist, trace, folder, all_events)
        tasks(c, hist, trace, folder, all_events)
        markers(c, hist, trace, folder)
        cells += c.cells
        bad += len(c.bad)
        doubts += c.doubts
        for text in c.bad[:int(os.environ.get('SHOW', '5'))]:
            print('%s: %s' % (name, text))
        if c.bad:
            print('%s: %d of %d wrong' % (name, len(c.bad), c.cells))
    print('%d traces, %d values, %d different, %d of tasks with missing records' % (len(sys.argv) - 4, cells, bad, doubts))
    sys.exit(bad > 0)


if __name__ == '__main__':
    main()
