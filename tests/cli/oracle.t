#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random questions about random recordings have the answers of the reference in tests/answers, by every road.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'

it 'reports, their order, statistics and slices, events, Python, SQL, smaller recordings, saved results, halves, streams, texts and recordings with holes answer as the reference does'
RUN_TIMEOUT=100 run python3 -B tests/answers/check.py "$HIST" "$tmp" 0 40
status_is 0
stdout_has '^120 questions, [0-9]* rows, 20 roads: 0 of 40 seeds wrong$'

done_testing
