#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random questions about random recordings have the answers of the reference in tests/answers, by every road.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'

# some 2,400 programs; those with sanitizers start slowly
seeds=40
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || seeds=6

it 'reports, their order, statistics and slices, events, Python, SQL, smaller recordings, saved results, halves, streams, texts, recordings with holes and explanations answer as the reference does'
RUN_TIMEOUT=300 run python3 -B tests/answers/check.py "$HIST" "$tmp" 0 $seeds
status_is 0
stdout_has "^$((3 * seeds)) questions, [0-9]* rows, [0-9]* roads: 0 of $seeds seeds wrong\$"

done_testing
