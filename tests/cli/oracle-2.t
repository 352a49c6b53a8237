#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The second half of the seeds of oracle.t, so that each takes less time.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
seeds=100
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || seeds=6

it 'questions, explanations and recipes have the answer of the reference by all roads, also if events are missing'
long_run python3 -B tests/answers/check.py "$HIST" "$tmp" 100 $seeds
status_is 0
stdout_has "^$((3 * seeds)) questions, .* roads: 0 of $seeds seeds wrong\$"

it 'explanations alone, of more recordings'
seeds=30
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || seeds=3
RUN_TIMEOUT=120 run python3 -B tests/answers/check.py "$HIST" "$tmp" 200 $seeds why
status_is 0
stdout_has ": 0 of $seeds seeds wrong\$"

done_testing
