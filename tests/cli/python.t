#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Python module: its unit tests, and its example.
. tests/cli/lib.sh

# Debian's, which has numpy and pandas if they are installed
python=/usr/bin/python3
[ -x $python ] || python=python3
have "$python" || skip_all 'no python3'
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'python3 is not built like libhist'
LIBHIST=$(realpath "${BUILD:-build}/lib/libhist.so.0")
# what the module is compared with
HIST=$(realpath "$HIST")
PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
export LIBHIST HIST PYTHONPATH PYTHONDONTWRITEBYTECODE

it 'the unit tests pass'
run "$python" -W error -m unittest tests/python/hist_test.py
status_is 0
stderr_has '^OK'

it 'the example prints what hist events has'
run "$python" examples/waits.py trace.dat-samples/wakeup.dat
status_is 0
stderr_is ''
hist sql -q -i trace.dat-samples/wakeup.dat --format csv 'SELECT count(*), max(ns) FROM wait'
want=$(sed -n 2p "$tmp.out")
run "$python" examples/waits.py trace.dat-samples/wakeup.dat
stdout_has "^${want%,*} waits, the longest ${want#*,} ns\$"

done_testing
