#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Questions are answered as SQLite answers them from the rows of hist events, as hist sql does, and as DuckDB does from
# Parquet (with its module in PARQUET_READERS): rows, counts and sums of --by, --sql, filters and recipes, on kernels 6.1
# to 7.3 (questions.py).
. tests/cli/lib.sh

have python3 || skip_all 'no python3'
python3 -c 'import sqlite3' 2>/dev/null || skip_all 'no sqlite3 for Python'

it 'rows, counts and sums are those of SQLite, of hist sql, and of DuckDB'
have node && modules=${PARQUET_READERS:-} || modules=
# shellcheck disable=SC2086 # one word or none
long_run python3 -B tests/cli/questions.py "$HIST" tests/cli/recipes $modules
status_is 0
stdout_lacks '^not ok'
for engine in SQLite 'hist sql' ${modules:+DuckDB}; do
	holds test "$(grep -c "^ok $engine:" "$tmp.out")" -ge 80
done
[ -n "$modules" ] || tap_note=' # without DuckDB'

done_testing
