#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""sql_extension.py EXTENSION RECORDING: what hist_open() leaves when it fails and when it does not."""
import sqlite3
import sys

EXTENSION, RECORDING = sys.argv[1:]
COUNT = "SELECT count(*) FROM sched_switch"


class Seven:
    """An aggregate of the program, which is not that of hist."""

    def step(self, *_):
        pass

    def finalize(self):
        return 7


def connect(*before):
    db = sqlite3.connect(":memory:")
    for statement in before:
        db.execute(statement)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


def opens(db, path=RECORDING):
    return db.execute("SELECT hist_open(?)", [path]).fetchall()


def fails(message, call):
    try:
        call()
    except sqlite3.Error as e:
        assert message in str(e), (message, e)
    else:
        raise AssertionError(message)


def main():
    db = connect()
    fails("No such file", lambda: opens(db, "/nonexistent"))
    fails("not a trace.dat", lambda: opens(db, "/etc/passwd"))
    opens(db)
    n = db.execute(COUNT).fetchall()
    fails("a recording is open", lambda: opens(db))
    assert n[0][0] > 100 and db.execute(COUNT).fetchall() == n
    db.close()

    # functions that there are already
    db = connect()
    db.create_aggregate("median", 1, Seven)
    db.create_aggregate("percentile_disc", 2, Seven)
    opens(db)
    assert db.execute(COUNT).fetchall() == n
    assert db.execute("SELECT median(1), percentile_disc(1, 1), percentile(5, 50)").fetchall() == [(7, 7, 5)]
    db.close()

    # a table that is in the way, and a second attempt
    db = connect("CREATE TEMP TABLE tasks(a)")
    fails("tasks already exists", lambda: opens(db))
    fails("no such table", lambda: db.execute(COUNT))
    fails("no such table", lambda: db.execute("SELECT * FROM tables"))
    db.execute("DROP TABLE temp.tasks")
    opens(db)
    assert db.execute(COUNT).fetchall() == n
    # loaded again
    db.load_extension(EXTENSION)
    fails("a recording is open", lambda: opens(db))
    assert db.execute(COUNT).fetchall() == n
    db.close()


main()
