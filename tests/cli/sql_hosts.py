#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""sql_hosts.py HIST SEED COUNT FILE...: statements over several machines, and SQLite over the rows of each machine alone."""
import json, random, sqlite3, subprocess, sys
hist, seed, count, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
random.seed(seed)

def ask(args, sql):
    out = subprocess.run([hist, "sql", "-q", *args, "--format", "json", sql], capture_output=True, text=True)
    assert not out.returncode, (sql, out.stderr)
    return json.loads(out.stdout)

common = "tgid,text,date,unix_ns".split(",")
tables = "sched_switch sched_wakeup sys_enter kmalloc events wait delay".split()
db = sqlite3.connect(":memory:")
args = ["--hosts"] + [x for f in files for x in ("-i", f)]
known, names = {}, [r["host"] for r in ask(args, "SELECT host, count(*) FROM events GROUP BY +host ORDER BY min(rowid %% %d)" % len(files))]
assert len(names) == len(files), names
for t in tables:
    rows = []
    for f, name in zip(files, names):
        have = {r["name"] for r in ask(["-i", f], "SELECT name FROM tables")}
        if t in have or t == "events":
            rows += [{**r, "host": name} for r in ask(["-i", f], f"SELECT {','.join(common)},* FROM {t}")]
    columns = sorted({c for r in rows for c in r if "#" not in c})
    if not rows:
        continue
    known[t] = [c for c in columns if not any(str(r.get(c)).startswith("0x") for r in rows)]
    db.execute(f"CREATE TABLE {t}({','.join(columns)})")
    db.executemany(f"INSERT INTO {t} VALUES({','.join('?' * len(columns))})", [[r.get(c) for c in columns] for r in rows])

def value(t, c):
    r = db.execute(f"SELECT {c} FROM {t} ORDER BY random() LIMIT 1").fetchone()[0]
    return "NULL" if r is None else str(r) if isinstance(r, int) else "'" + r.replace("'", "''") + "'"

def condition(t, a=""):
    c = random.choice(known[t] + ["host", "host", "pid", "cpu"])
    v = value(t, c)
    op = random.choice(["=", "=", "<", ">=", "<>", "IS"])
    return f"{a}{c} IN ({v},{value(t, c)})" if random.random() < .1 else f"{a}{c} {op} {v}"

def where(t, a=""):
    n = random.choice([0, 1, 1, 2, 3])
    return " WHERE " + random.choice([" AND ", " OR "]).join(condition(t, a) for _ in range(n)) if n else ""

def statement():
    t = random.choice(list(known))
    cs = random.sample(known[t], min(len(known[t]), random.randint(1, 4)))
    kind = random.random()
    if kind < .3:
        return f"SELECT host,{','.join(cs)} FROM {t}{where(t)}"
    if kind < .6:
        return f"SELECT host,{','.join(cs[:2])},count(*),sum(cpu),max(unix_ns),count(DISTINCT pid) FROM {t}{where(t)} GROUP BY host,{','.join(cs[:2])}"
    if kind < .7:
        return f"SELECT DISTINCT {random.choice(['host,', ''])}{cs[0]} FROM {t}{where(t)}"
    u = random.choice([x for x in known if x != "events"])
    t = random.choice([x for x in known if x != "events"])
    join = random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
    on = random.choice([f"a.host = b.host AND a.ts = b.ts", "a.host <> b.host AND b.unix_ns BETWEEN a.unix_ns - 2000 AND a.unix_ns + 2000",
                        "a.unix_ns = b.unix_ns", "a.pid = b.pid AND a.host < b.host AND a.cpu = b.cpu"])
    return f"SELECT a.host,b.host AS other,count(*),min(b.unix_ns-a.unix_ns),sum(b.ts%1000) FROM {t} a {join} {u} b ON {on}{where(t, 'a.')} GROUP BY 1,2"

args = ["--hosts"] + [x for f in files for x in ("-i", f)]
order = lambda r: json.dumps(r)
compared = 0
for i in range(count):
    sql = statement()
    rows = [list(r.values()) for r in ask(args, sql)]
    want = [list(r) for r in db.execute(sql)]
    assert sorted(rows, key=order) == sorted(want, key=order), (sql, len(rows), len(want), rows[:3], want[:3])
    compared += len(rows)
print(count, "statements", compared, "rows")
