#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Questions are answered as SQLite answers them from the rows of hist events: rows, counts and sums of
# --by, --sql, filters and recipes, on kernels 6.1 to 7.3 (questions.py).
. tests/cli/lib.sh

have python3 || skip_all 'no python3'
python3 -c 'import sqlite3' 2>/dev/null || skip_all 'no sqlite3 for Python'

it 'rows, counts and sums are those of SQLite'
RUN_TIMEOUT=200 run python3 -B tests/cli/questions.py "$HIST" tests/cli/recipes
status_is 0
stdout_lacks '^not ok'
holds test "$(grep -c '^ok' "$tmp.out")" -ge 80

done_testing
