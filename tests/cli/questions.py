#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""questions.py HIST DIR [MODULES]: compares the answers of --by, --sum, -f, --sql and of recipes with those that SQLite
computes of the rows of hist events --format csv, with those of hist sql, and, if MODULES has the npm package
@duckdb/node-api, with those of DuckDB over Parquet. Prints a line for each answer, "ok" or "not ok".
"""
import collections
import csv
import io
import itertools
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

HIST, DIR = sys.argv[1:3]
LIMIT = float(os.environ.get("RUN_TIMEOUT", 60))
MODULES = sys.argv[3] if len(sys.argv) > 3 else None
SYMBOLS = {'call_site', 'func', 'function', 'ip', 'parent_ip'}  # --by makes a function of several addresses
csv.field_size_limit(1 << 30)


def run(*args):
    """The rows that hist prints as csv; none if it fails."""
    done = subprocess.run([HIST, *args, '--format', 'csv'], capture_output=True, timeout=LIMIT, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        print(f'not ok {" ".join(args)}: {done.stderr.decode(errors="replace")}')
        return [[]]
    return list(csv.reader(io.StringIO(done.stdout.decode(errors='surrogateescape'), newline='')))


def number(text):
    """A number as hist counts: sums and keys have 64 bits."""
    try:
        return int(text, 16 if text.startswith('0x') else 10) % 2**64
    except ValueError:
        return text


def compare(what, got, want, other='SQLite'):
    got, want = collections.Counter(got), collections.Counter(want)
    if got == want and want:
        print('ok', f'{other}:', what)
    else:
        print('not ok', what, 'only hist:', list((got - want).items())[:3], f'only {other}:', list((want - got).items())[:3])


class Lake:
    """Events as Parquet, and the questions about them, which DuckDB answers in one run."""

    def __init__(self, directory):
        self.directory, self.asked = directory, []

    def ask(self, what, path, event, sql, got):
        file = f'{self.directory}/{path.replace("/", "_")}.{event}.parquet'
        if not os.path.exists(file):
            subprocess.run([HIST, 'events', '-q', '-i', path, '-e', event, '--format', 'parquet', '-o', file], check=True,
                           timeout=LIMIT)
        self.asked.append((what, sql.replace(' T', f" '{file}'"), got))

    def answer(self):
        script = f'{self.directory}/questions.sql'
        with open(script, 'w', encoding='utf-8') as f:
            for _, sql, _ in self.asked:
                f.write(f"SELECT 'question' AS next;{sql};")
        done = subprocess.run(['node', 'tests/house/duckdb.mjs', MODULES, self.directory, script], capture_output=True,
                              text=True, timeout=LIMIT, check=True)
        answers = done.stdout.split('next\nquestion\n')[1:]
        for (what, _, got), text in zip(self.asked, answers, strict=True):
            compare(what, got, [tuple(map(number, line.split('\t'))) for line in text.splitlines()[1:]], 'DuckDB')


class Recording:
    """A table of each event, made when it is first needed."""

    def __init__(self, name):
        self.path = f'{DIR}/{name}'
        self.db = sqlite3.connect(':memory:')
        self.columns = {}

    def table(self, event, fields=None):
        if event in self.columns:
            return event
        header, *rows = run('events', '-q', '-i', self.path, '-e', event, *(['--fields', fields] if fields else []))
        small = lambda v: int(v) if re.fullmatch(r'-?\d{1,18}', v) else v
        self.columns[event] = header
        names = ','.join(f'"{name}"' for name in header)
        self.db.execute(f'CREATE TABLE "{event}" ({names})')
        self.db.executemany(f'INSERT INTO "{event}" VALUES ({",".join("?" * len(header))})',
                            [[small(v) for v in row] for row in rows])
        return event

    def engines(self, what, event, sql, got):
        """The same by hist sql, and by DuckDB."""
        _, *rows = run('sql', '-q', '-i', self.path, sql.replace(' T', f' "{event}"'))
        compare(what, got, [tuple(map(number, row)) for row in rows], 'hist sql')
        if MODULES:
            LAKE.ask(what, self.path, event, sql, got)

    def ask(self, event, columns, sql, *args, fields=None):
        """The first @columns columns of an answer are those of the statement, whose table is T."""
        _, *rows = run('report', '-q', '-i', self.path, *args)
        want = self.db.execute(sql.replace(' T', f' "{self.table(event, fields)}"'))
        what, got = f'{self.path} {" ".join(args)}', [tuple(map(number, (row[i] for i in columns))) for row in rows]
        compare(what, got, [tuple(number(str(v)) for v in row) for row in want])
        if 'cmdline' not in sql:
            self.engines(what, event, sql, got)

    def by(self, event, keys, sum_of=None):
        """--by with two keys and a sum: the columns have the names of the fields."""
        real = lambda name: re.sub('^event_', '', name)
        args = ['-e', event, '--by', ','.join(map(real, keys))] + (['--sum', real(sum_of)] if sum_of else [])
        header, *rows = run('report', '-q', '-i', self.path, *args)
        if not header:
            return
        hits = header.index('hitcount')
        at = [i for i in range(hits) if not header[i].endswith('_text')] + [hits] + ([hits + 1] if sum_of else [])
        db = collections.defaultdict(lambda: [0, 0])
        index = [self.columns[event].index(name) for name in keys]
        of = self.columns[event].index(sum_of) if sum_of else None
        for row in self.db.execute(f'SELECT * FROM "{event}"'):
            cell = db[tuple(number(str(row[i])) for i in index)]
            cell[0] += 1
            cell[1] += number(str(row[of])) if sum_of else 0
        what, got = f'{self.path} {" ".join(args)}', [tuple(number(row[i]) for i in at) for row in rows]
        compare(what, got, [key + (n, total % 2**64)[:2 if sum_of else 1] for key, (n, total) in db.items()])
        if not any(name.endswith('_text') for name in keys):
            columns = [f'"{name}"' for name in keys] + ['count(*)'] + ([f'sum("{sum_of}")'] if sum_of else [])
            self.engines(what, event, f'SELECT {", ".join(columns)} FROM T GROUP BY 1, 2', got)

    def every_event(self, pairs):
        """Some pairs of fields of each event, with the sum of a third one."""
        listed = subprocess.run([HIST, 'list', '-q', '-i', self.path], capture_output=True, text=True, timeout=LIMIT, check=False)
        for event in re.findall(r'^ +\d+  (\w+:\w+)$', listed.stdout, re.M):
            if event.endswith('_stack'):
                continue
            names = [name for name in self.columns[self.table(event)][6:] if re.fullmatch(r'\w+', name) and
                     name not in SYMBOLS | {'args'} and f'__{name}_val' not in self.columns[event] and
                     name.removesuffix('_text') not in set(self.columns[event]) - {name}]
            numeric = [name for name in names if not self.db.execute(
                f'SELECT count(*) FROM "{event}" WHERE typeof("{name}") != "integer"').fetchone()[0]]
            for keys in itertools.islice(itertools.permutations(names, 2), pairs):
                self.by(event, keys, next((name for name in numeric if name not in keys), None))


def questions():
    for name in ('6.1.dat', '7.3.dat'):
        Recording(name).every_event(1)
    r = Recording('tasks.dat')
    switch, waking, leave = 'sched:sched_switch', 'sched:sched_waking', 'raw_syscalls:sys_exit'
    r.ask(switch, (0, 1), 'SELECT prev_pid, count(*) FROM T WHERE prev_state = 1 AND prev_prio < 121 GROUP BY 1',
          '-e', 'sched_switch', '-f', 'prev_state == S && prev_prio < 121', '--by', 'prev_pid')
    r.ask(switch, (0, 1, 2), "SELECT prev_comm, count(*), sum(prev_prio) FROM T WHERE prev_comm GLOB '*a' GROUP BY 1",
          '-e', 'sched_switch', '-f', 'prev_comm ~ *a', '--by', 'prev_comm', '--sum', 'prev_prio')
    r.ask(switch, (0, 1, 2), 'SELECT comm, cpu, count(*) FROM T GROUP BY 1, 2', '-e', 'sched_switch', '--by', 'comm,cpu')
    r.ask(leave, (0, 1, 2), 'SELECT comm, ret, count(*) FROM T WHERE ret < 0 GROUP BY 1, 2',
          '-e', 'sys_exit', '-f', 'ret < 0', '--by', 'comm,ret')
    r.ask(leave, (0, 1, 2), 'SELECT comm, count(*), sum(ret) FROM T WHERE id = 0 AND ret > 0 GROUP BY 1',
          '-e', 'sys_exit', '-f', 'id == read && ret > 0', '--by', 'comm', '--sum', 'ret')
    r.ask(leave, (0, 1), 'SELECT pid, count(*) FROM T WHERE ret = -2 GROUP BY 1',
          '-e', 'sys_exit', '-f', 'ret == -ENOENT', '--by', 'pid')
    r.ask('kmem:kmalloc', (0, 2, 3), 'SELECT gfp_flags, count(*), sum(bytes_alloc) FROM T WHERE bytes_req >= 1024 GROUP BY 1',
          '-e', 'kmalloc', '-f', 'bytes_req >= 1k', '--by', 'gfp_flags', '--sum', 'bytes_alloc')
    r.ask('signal:signal_generate', (0, 2, 3), 'SELECT sig, event_comm, count(*) FROM T WHERE sig = 17 GROUP BY 1, 2',
          '-e', 'signal_generate', '-f', 'sig == SIGCHLD', '--by', 'sig,comm')
    r.ask(waking, (0, 1, 2), "SELECT event_comm, event_pid, count(*) FROM T WHERE prio < 120 OR event_comm GLOB 'a*' GROUP BY 1, 2",
          '--sql', "SELECT comm, pid FROM sched_waking WHERE prio < 120 OR comm LIKE 'a%'")
    r.ask(waking, (0, 1, 2), 'SELECT event_comm, count(*), sum(prio) FROM T WHERE prio <= 120 AND event_pid > 100 GROUP BY 1',
          '--sql', 'SELECT pid FROM sched_waking WHERE prio BETWEEN 0 AND 120', '-f', 'pid > 100', '--by', 'comm', '--sum', 'prio')
    wait, state, call = 'derived:wait', 'derived:task_state', 'derived:syscall'
    r.ask(wait, (0, 1, 2, 3), 'SELECT event_comm, kind, count(*), sum(ns) FROM T GROUP BY 1, 2',
          '-e', wait, '--by', 'comm,kind', '--sum', 'ns')
    r.ask(wait, (0, 1, 2), "SELECT event_cpu, count(*), sum(ns) FROM T WHERE kind = 'woken' AND ns > 10000 GROUP BY 1",
          'wakeup-latency', '-f', 'ns > 10us', '--by', 'cpu')
    r.ask(state, (0, 1, 2), "SELECT event_comm, count(*), sum(ns) FROM T WHERE state = 'running' GROUP BY 1",
          'on-cpu', '--by', 'comm')
    r.ask(call, (0, 1, 2), 'SELECT name, count(*), sum(ns) FROM T GROUP BY 1', 'syscall-latency', '--by', 'name', '--sum', 'ns')
    r.ask(waking, (0, 1, 2), "SELECT comm || '-' || pid, event_comm, count(*) FROM T GROUP BY 1, 2", 'wakers')
    who = Recording('../processes.dat')
    who.ask(switch, (0, 1, 2), 'SELECT process, cgroup, count(*) FROM T GROUP BY 1, 2', '-e', 'sched_switch', '--by', 'process,cgroup',
            fields='time,process,cgroup,cmdline')
    who.ask(switch, (0, 1), 'SELECT cmdline, count(*) FROM T GROUP BY 1', '-e', 'sched_switch', '--by', 'cmdline',
            fields='time,process,cgroup,cmdline')


with tempfile.TemporaryDirectory() as lake_directory:
    LAKE = Lake(lake_directory)
    questions()
    if MODULES:
        LAKE.answer()
