#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""sql_answers.py HIST RECORDING...: the table that hist sql has for each recipe has the columns and rows of the first
table that hist report prints as csv, except for addresses of stacks. Prints a line for each recipe."""
import csv
import os
import subprocess
import sys

LIMIT = float(os.environ.get("RUN_TIMEOUT", 60))


def rows(*args):
    done = subprocess.run([sys.argv[1], *args, "--format", "csv"], capture_output=True, text=True, check=True, timeout=LIMIT)
    return list(csv.reader(done.stdout.splitlines(keepends=True)))


def plain(name, cell):
    """Times are ns, and addresses numbers."""
    if name == "saved_at" and "." in cell:
        return str(int(cell.replace(".", "")))
    return str(int(cell, 16)) if cell.startswith("0x") and " " not in cell else cell


for recording in sys.argv[2:]:
    for (recipe,) in rows("sql", "-q", "-i", recording, "SELECT event FROM tables WHERE kind = 'answer'")[1:]:
        want = rows("report", "-q", "-i", recording, recipe, "--show", "1")
        got = rows("sql", "-q", "-i", recording, f'SELECT * FROM "{recipe}"')
        keep = [i for i, name in enumerate(want[0]) if name in got[0]]
        tables = [[[plain(name, cell) for name, cell in zip(table[0], row, strict=True)] for row in table]
                  for table in ([[row[i] for i in keep] for row in want], got)]
        print("ok" if tables[0] == tables[1] else "not ok", recording, recipe, "" if tables[0] == tables[1] else
              [pair for pair in zip(*tables) if pair[0] != pair[1]][:1] or [len(t) for t in tables])
