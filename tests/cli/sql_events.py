#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""sql_events.py RECORDING < STATEMENTS: compares the rows of hist sql with those of Python's
sqlite3 on tables that are filled from hist events --format ndjson. Prints what differs."""
import csv
import json
import os
import re
import sqlite3
import subprocess
import sys

HIST = os.environ.get("HIST", "./hist")
COMMON = ["ts", "cpu", "pid", "comm", "tgid", "process", "cmdline", "cgroup"]
TAKEN = COMMON + ["time", "event", "text", "fields"]


def hist(*args):
    return subprocess.run([HIST, *args], check=True, capture_output=True).stdout.decode()


def plain(v):
    """A value of json as SQLite has it; texts are escaped in json once more than in the database."""
    if isinstance(v, str):
        return re.sub(r"\\(\\|x[0-9a-f]{2})", lambda m: "\\" if m[1] == "\\" else m[0], v)
    if isinstance(v, list):
        return " ".join(str(x) for x in v)
    return str(v) if isinstance(v, int) and v >= 1 << 63 else v


def fill(db, name, rows):
    columns = [(c, plain(rows[0][c])) for c in rows[0]]
    # only fields whose kind is text have an affinity that a comparison can show here
    types = ["INTEGER" if isinstance(v, int) else "" for _, v in columns]
    names = [c for c, _ in columns]
    db.execute("CREATE TABLE \"%s\"(%s)" % (name, ",".join('"%s" %s' % x for x in zip(names, types))))
    db.executemany("INSERT INTO \"%s\" VALUES(%s)" % (name, ",".join("?" * len(names))),
                   [[plain(r.get(c)) for c in names] for r in rows])


def rows_of(recording, event, fields=True):
    what = ["-e", event] if event else []
    text = hist("events", "-q", "-i", recording, *what, "--format", "ndjson", "--fields",
                ",".join(COMMON + ["event", "fields"]))
    for line in text.splitlines():
        row = json.loads(line)
        own = row.pop("fields")
        if event:
            del row["event"]
            row.update({"event_" + k if k in TAKEN else k: v for k, v in own.items()})
        yield row


def answer_of(recording, recipe):
    """The first table of an answer; times are nanoseconds."""
    for line in csv.DictReader(hist("report", "-q", "-i", recording, recipe, "--show", "1", "--format", "csv").splitlines()):
        yield {k: int(v.replace(".", "")) if re.fullmatch(r"-?\d+" + r"(\.\d{9})?" * (k == "saved_at"), v) else v
               for k, v in line.items()}


def database(recording, text):
    db = sqlite3.connect(":memory:")
    tables = json.loads(hist("sql", "-q", "-i", recording, "--format", "json", "SELECT * FROM tables"))
    for t in tables:
        if re.search(r"\b%s\b" % re.escape(t["name"]), text):
            rows = list(answer_of(recording, t["event"]) if t["kind"] == "answer" else rows_of(recording, t["event"]))
            if rows:
                fill(db, t["name"], rows)
    if re.search(r"\bevents\b|\btasks\b", text):
        fill(db, "events", list(rows_of(recording, None)))
        db.execute("CREATE TABLE tasks AS SELECT pid, comm, tgid, process, cmdline, cgroup, max(ts) AS last_ts, "
                   "count(*) AS events FROM events GROUP BY pid")
    fill(db, "tables", tables)
    return db


def main():
    text = sys.stdin.read()
    recording = sys.argv[1]
    db = database(recording, text)
    statements = [s for s in text.split(";") if s.strip() and not re.search("pragma_|^\\s*DESCRIBE", s)]
    answers = hist("sql", "-q", "-i", recording, "--format", "json", ";".join(statements))
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: [plain(v) for _, v in pairs])
    for statement in statements:
        got, end = decoder.raw_decode(answers)
        answers = answers[end:].lstrip()
        got.sort(key=repr)
        want = sorted((list(r) for r in db.execute(statement)), key=repr)
        if not want:
            print("no rows:", statement)
        if got != want:
            print("differs:", statement)
            print("want", want[:3], "...", len(want))
            print("got ", got[:3], "...", len(got))


main()
