#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compares recordings with what trace_processor sees in the traces of Perfetto that hist writes of them.

perfetto_peer.py HIST TRACE_PROCESSOR RECORDING...: errors and losses of trace_processor's stats, every event with its
fields, states of tasks, names and processes of tasks, every interval and counter of derived events. TRACE_PROCESSOR is
called as trace_processor_shell is: -q QUERIES TRACE. WINDOWS=N: also N random windows of each recording.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from perfetto_values import device, doubtful_tasks, symbols_of

SHARED = os.environ.get('PERFETTO_FIELDS', '/work/shared/perfetto/perfetto-ftrace-fields.tsv')
REVERSE = bool(os.environ.get('REVERSE'))
DERIVED = ['wait', 'task_state', 'runqueue', 'delay', 'syscall', 'irq', 'softirq_wait', 'slice', 'counter', 'held', 'lock_wait',
           'block_rq']
STATES = {'running': 'Running', 'preempted': 'R+', 'disk': 'D', 'sleeping': 'S', 'idle': 'I', 'stopped': 'T', 'woken': 'R',
          'new': 'R', 'yielded': 'R', 'traced': 't', 'dead': 'X', 'parked': 'P'}

QUERIES = {
    'stats': "select name, coalesce(idx, -1), severity, value from stats where value != 0 and severity in ('error', 'data_loss')",
    'events': 'select e.id, e.ts, e.ucpu, hex(e.name), t.tid, coalesce(e.arg_set_id, -1), e.common_flags from ftrace_event e '
              'join thread t using (utid)',
    'args': "select arg_set_id, hex(key), coalesce(int_value, ''), coalesce(hex(string_value), ''), value_type from args",
    'states': 'select t.tid, s.ts, s.dur, s.state, coalesce(w.tid, -1), coalesce(s.ucpu, -1) from thread_state s join thread t using (utid) '
              'left join thread w on w.utid = s.waker_utid',
    'threads': "select t.tid, coalesce(hex(t.name), ''), coalesce(p.pid, -1), coalesce(hex(p.cmdline), ''), coalesce(p.uid, -1), "
               "coalesce(t.start_ts, -1), coalesce(t.end_ts, -1) from thread t left join process p using (upid)",
    'slices': "select s.ts, s.dur, hex(s.name), hex(coalesce(track.name, '')), s.depth, s.arg_set_id, coalesce(t.tid, -1) from slice s "
              'join track on track.id = s.track_id left join thread_track tt on tt.id = s.track_id left join thread t using (utid) '
              "where s.category is null",
    'counters': "select c.ts, cast(c.value as int), hex(coalesce(track.name, '')) from counter c join track on track.id = c.track_id",
}


def unhex(s):
    return bytes.fromhex(s).decode('utf-8', 'backslashreplace')


def ask(tp, trace, questions, directory):
    path = os.path.join(directory, 'queries')
    with open(path, 'w', encoding='utf-8') as f:
        for q in questions:
            f.write("select 'XX %s' as m;\n%s;\n" % (q, QUERIES[q]))
    r = subprocess.run([tp, '-q', path, trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if r.returncode:
        sys.exit('%s: %s' % (trace, r.stderr.decode()))
    out, now, head = {q: [] for q in questions}, None, False
    for line in r.stdout.decode('utf-8', 'backslashreplace').splitlines():
        m = re.match(r'"?XX (\w+)', line)
        if m:
            now, head = m[1], True
        elif line == '"m"' or not line:
            continue
        elif head:
            head = False
        else:
            out[now].append([c.strip('"') for c in line.split(',')])
    return out


def hist_events(hist, recording, *options):
    out = subprocess.run([hist, 'events', '-q', '-i', recording, '--format', 'ndjson', *options], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False).stdout
    return [json.loads(line) for line in out.decode('utf-8', 'backslashreplace').splitlines()]


class Comparison:
    def __init__(self, name):
        self.name, self.n, self.doubts, self.bad = name, 0, 0, collections.defaultdict(list)

    def differs(self, what, text, doubtful):
        self.doubts += doubtful
        if not doubtful:
            self.bad[what].append(text)

    def same(self, what, key, got, want):
        self.n += 1
        if got != want:
            self.bad[what].append('%s: %s, not %s' % (key, got, want))

    def multisets(self, what, got, want):
        got, want = collections.Counter(got), collections.Counter(want)
        self.n += sum(want.values())
        for x, n in sorted((got - want).items(), key=str):
            self.bad[what].append('too much: %d x %s' % (n, x))
        for x, n in sorted((want - got).items(), key=str):
            self.bad[what].append('missing: %d x %s' % (n, x))

    def show(self, limit):
        for what, texts in sorted(self.bad.items()):
            for text in texts[:limit]:
                print('%s: %s: %s' % (self.name, what, text))
            if len(texts) > limit:
                print('%s: %s: %d in all' % (self.name, what, len(texts)))


def kernel_names():
    names, fields, known = {}, {}, set()
    with open(SHARED, encoding='utf-8') as f:
        for line in f:
            c = line.rstrip('\n').split('\t')
            names[c[2] + ':' + (c[3] or c[1])] = c[1]
            known.update({c[1], (c[1], c[5])})
            fields[c[1], c[6] or c[5]] = c[5], c[7] if len(c) > 7 else ''
    return names, fields, known


def compare_events(c, events, answers, names, fields, known, symbols):
    args = collections.defaultdict(dict)
    for set_id, key, number, text, kind in answers['args']:
        args[set_id].setdefault(unhex(key), []).append(unhex(text) if kind == 'string' else number)
    got = collections.defaultdict(list)
    for _, ts, cpu, name, tid, arg_set, flags in answers['events']:
        got[int(ts), int(cpu), unhex(name), int(tid)].append((args.get(arg_set, {}), int(flags)))
    want = collections.defaultdict(list)
    for e in events:
        want[e['ts'], e['cpu'], names.get(e['event'], e['event'].split(':', 1)[1]), e['pid']].append(e)
    # of a CPU, it leaves out the first compact switch and wakings before it
    begin = {}
    for ts, cpu, name, _ in got:
        if name == 'sched_switch':
            begin[cpu] = min(ts, begin.get(cpu, ts))
    left_out = {k for k in want if REVERSE and k not in got and k[2] in ('sched_switch', 'sched_waking') and k[0] < begin.get(k[1], 2**64)}
    c.multisets('events', {k: len(v) for k, v in got.items()}, {k: len(v) for k, v in want.items() if k not in left_out})
    for key, mine in want.items():
        theirs = list(got.get(key, []))
        for e in mine:
            if not theirs:
                continue
            best = None
            for i, (a, _) in enumerate(theirs):
                bad = []
                for name, value in e['fields'].items():
                    p = fields.get((key[2], name), (name, ''))[0]
                    if key[2] in known and (key[2], p) not in known:
                        continue  # Perfetto has no place for it, which hist notes
                    if p not in a and value in (0, '') and REVERSE:
                        continue  # absent is 0
                    if p not in a:
                        bad.append((name, None, value))
                        continue
                    v = a[p][0]
                    if name == 'prev_comm' and v == 'swapper' and value.startswith('swapper/'):
                        ok = True  # of a compact switch: the name that it gives to all idle tasks
                    elif isinstance(value, str) and re.fullmatch('0x[0-9a-f]+', value):
                        ok = int(v) % (1 << 64) == int(value, 16)
                    elif isinstance(value, list) and not v.lstrip('-').isdigit():
                        ok = True  # bytes of a described event
                    elif name.endswith('dev') and isinstance(value, int) and device(int(v)) == value:
                        ok = True
                    elif symbols.get(str(value)) == v or name == 'function' and key[2].startswith('timer_'):
                        ok = True
                    elif isinstance(value, int):
                        ok = v.lstrip('-').isdigit() and (int(v) - value) % (1 << 64) == 0
                    elif isinstance(value, list):
                        ok = int(v) % (1 << 64) == value[-1] % (1 << 64)  # it keeps the last one
                    else:
                        ok = v == value or (name == 'buf' and v.rstrip('\n') == value)
                    if not ok:
                        bad.append((name, a[p], value))
                if best is None or len(bad) < len(best[0]):
                    best = bad, i
            theirs.pop(best[1])
            for name, g, w in best[0]:
                c.same('fields %s.%s' % (key[2], name), key, g, w)
            c.n += len(e['fields']) - len(best[0])


def compare_stats(c, hist, recording, options, events, answers):
    """None but those that are true: records are missing; a switch is not from the task that ran; no exits of system calls."""
    listed = json.loads(subprocess.run([hist, 'list', '-q', '-i', recording, '--format', 'json'], stdout=subprocess.PIPE, check=False).stdout)
    missing = {x['cpu'] for b in listed['buffers'] for x in b['cpus'] if x.get('lost') or x.get('lost_unknown') or x.get('missing')}
    counts = collections.Counter(e['event'].split(':')[1] for e in events)
    runs, breaks = {}, 0
    for e in events:
        if e['event'] == 'sched:sched_switch':
            breaks += runs.get(e['cpu'], e['fields']['prev_pid']) != e['fields']['prev_pid']
            runs[e['cpu']] = e['fields']['next_pid']
    for name, idx, _, value in answers['stats']:
        true = {'ftrace_cpu_has_data_loss': int(idx) in missing,
                'mismatched_sched_switch_tids': int(value) <= breaks,
                'slice_max_depth_exceeded': counts['sys_enter'] > counts['sys_exit']}
        c.n += 1
        if not true.get(name):
            c.bad['stats'].append('%s %s: %s' % (name, idx, value))


def compare_states(c, hist, recording, options, answers, events):
    """The same but for these: an intervals of R begins at task_newtask there; a waking before a task sleeps is not seen;
    R and R+ are one here, which is the state that the switch had."""
    want = {}
    for e in hist_events(hist, recording, '-e', 'derived:task_state', *options):
        f = e['fields']
        if f['open'] == 'no':
            want[f['pid'], e['ts']] = f['ns'], f['state']
    doubtful = doubtful_tasks(events, any(s[2] == 'data_loss' for s in answers['stats']))
    wakings = collections.defaultdict(list)
    for e in events:
        if e['event'] in ('sched:sched_waking', 'sched:sched_wakeup'):
            wakings[e['fields']['pid']].append(e['ts'])
    got = {(int(tid), int(ts) + int(dur)): (int(dur), state) for tid, ts, dur, state, _, _ in answers['states']
           if int(dur) >= 0 and tid != '0'}
    c.n += len(want)
    for key in sorted(set(got) | set(want)):
        g, w = got.get(key), want.get(key)
        if g is None and options and key[1] - w[0] <= events[0]['ts']:
            continue  # it begins before the window
        if g is None and w[1] == 'new' and not any(e['event'] == 'task:task_newtask' for e in events):
            continue
        if g is None or w is None:
            c.differs('states: %s' % ('missing' if g is None else 'too much'), '%s %s' % (key, g or w), str(key[0]) in doubtful)
            continue
        end, (ns, state) = key[1], w
        allowed = {'preempted': ('R', 'R+'), 'frozen': ('R', 'R+', 'D', 'S')}.get(state, (STATES.get(state, state),))
        early = state == 'woken' and g[1] in 'SD' and not any(end - ns < t <= end for t in wakings[key[0]])
        if g[1] not in allowed and not early:
            c.differs('states: %s for %s' % (g[1], state), '%s %s %s' % (key, g, w), str(key[0]) in doubtful)
        elif g[0] != ns and not (state == 'new' and g[0] > ns):
            c.differs('states: length of %s' % state, '%s %s %s' % (key, g, w), str(key[0]) in doubtful)


def compare_tasks(c, events, hist, recording, options, answers):
    """The last name and process of each task with events; by ids that are used once."""
    of = collections.defaultdict(list)
    for tid, name, pid, cmdline, uid, start, end in answers['threads']:
        of[int(tid)].append((unhex(name), int(pid), unhex(cmdline), int(uid)))
    out = subprocess.run([hist, 'events', '-q', '-i', recording, '--format', 'ndjson', '--fields', 'pid,comm,tgid,cmdline',
                          *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    last = {}
    for line in out.decode('utf-8', 'backslashreplace').splitlines():
        e = json.loads(line)
        if e['pid'] > 0:
            last[e['pid']] = e
    for pid, e in last.items():
        found = of.get(pid, [])
        # an id that is used again has several
        c.same('comm', pid, any(f[0] == e['comm'] for f in found) or [f[0] for f in found] + [e['comm']], True)
        if e['tgid']:
            c.same('tgid', pid, any(f[1] == e['tgid'] for f in found) or [f[1] for f in found] + [e['tgid']], True)
        if e['tgid'] and e['cmdline']:
            cmdlines = [f[2] for f in found if f[0] == e['comm']]
            c.same('cmdline', pid, (REVERSE and not any(x and x not in [f[0] for f in found] for x in cmdlines)) or any(x in (e['cmdline'], e['cmdline'].strip('[]')) for x in cmdlines) or cmdlines + [e['cmdline']], True)


def number(v):
    return int(v) if isinstance(v, bool) or isinstance(v, int) else v


def compare_intervals(c, hist, tp, recording, options, directory, have):
    for d in DERIVED:
        event = 'derived:' + d
        if event not in have:
            continue
        trace = os.path.join(directory, 'derived.pftrace')
        r = subprocess.run([hist, 'events', '-q', '-i', recording, '-e', event, *options, '--format', 'perfetto', '-o', trace],
                           stderr=subprocess.PIPE, check=False)
        want = hist_events(hist, recording, '-e', event, *options)
        if not want:
            continue
        a = ask(tp, trace, ['stats', 'slices', 'counters'], directory)
        c.multisets('%s stats' % d, map(tuple, a['stats']), [])
        if d in ('runqueue', 'counter'):
            value = 'depth' if d == 'runqueue' else 'value'
            c.multisets(d, [(int(ts), int(v)) for ts, v, _ in a['counters']],
                        [(e['ts'] - e['fields'].get('ns', 0), e['fields'][value]) for e in want])
            continue
        name = next((n for n in ('function', 'name', 'state', 'kind') if n in want[0]['fields']), None)
        if d == 'delay':
            c.multisets(d, [(int(ts), unhex(n)) for ts, _, n, _, _, _, _ in a['slices']],
                        [(e['ts'], e['fields']['culprit_comm']) for e in want])
            continue
        c.multisets(d, [(int(ts), int(dur), unhex(n)) for ts, dur, n, _, _, _, _ in a['slices']],
                    [(e['ts'] - e['fields']['ns'], e['fields']['ns'], str(e['fields'][name]) if name else d) for e in want])


def compare(c, hist, tp, recording, options, directory):
    names, fields, known = kernel_names()
    listed = subprocess.run([hist, 'list', '-q', recording], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
    trace = os.path.join(directory, 'events.pftrace')
    if REVERSE:
        trace = recording
    else:
        subprocess.run([hist, 'events', '-q', '-i', recording, *options, '--format', 'perfetto', '-o', trace],
                       stderr=subprocess.DEVNULL, check=False)
    events = hist_events(hist, recording, *options)
    if not events:
        print('%s: no events' % c.name)
        return
    a = ask(tp, trace, ['stats', 'events', 'args', 'states', 'threads'], directory)
    if not REVERSE:
        compare_stats(c, hist, recording, options, events, a)
    compare_events(c, events, a, names, fields, known, symbols_of(hist, recording, events))
    have = set(re.findall(r'derived:\w+', listed))
    if 'derived:task_state' in have:
        compare_states(c, hist, recording, options, a, events)
    compare_tasks(c, events, hist, recording, options, a)
    if not REVERSE:
        compare_intervals(c, hist, tp, recording, options, directory, have)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    hist, tp = sys.argv[1:3]
    n = bad = 0
    r = random.Random(1)
    with tempfile.TemporaryDirectory() as directory:
        for recording in sys.argv[3:]:
            windows = [[]]
            times = [e['ts'] for e in hist_events(hist, recording)]
            for _ in range(int(os.environ.get('WINDOWS', '0'))):
                if len(times) > 10:
                    x, y = sorted(r.sample(times, 2))
                    windows.append(['--from', '%d.%09d' % divmod(x, 10**9), '--to', '%d.%09d' % divmod(y, 10**9)])
            for options in windows:
                c = Comparison(' '.join([recording, *options]))
                compare(c, hist, tp, recording, options, directory)
                c.show(int(os.environ.get('SHOW', '4')))
                n += c.n
                bad += sum(len(x) for x in c.bad.values())
                print('%s: %d values, %d different, %d of tasks with missing records' % (
                    c.name, c.n, sum(len(x) for x in c.bad.values()), c.doubts), flush=True)
    print('%d recordings, %d values, %d different' % (len(sys.argv) - 3, n, bad))
    sys.exit(bad > 0)


main()
