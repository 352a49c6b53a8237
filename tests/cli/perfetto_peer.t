#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trace_processor reads in traces that hist writes what hist has in the recordings: events, fields, states of tasks, names,
# intervals and counters. TRACE_PROCESSOR is its program (google/perfetto, trace_processor_shell).
. tests/cli/lib.sh
layout=hist

fields=../shared/perfetto/perfetto-ftrace-fields.tsv
it 'writes traces of Perfetto that trace_processor reads without errors, and as hist does'
if [ ! "${TRACE_PROCESSOR:-}" ] || [ ! -f $fields ]; then
	skip "needs trace_processor in TRACE_PROCESSOR, and $fields"
	done_testing
	exit
fi
PERFETTO_FIELDS=$fields WINDOWS=1 python3 -B tests/answers/perfetto_peer.py "$HIST" "$TRACE_PROCESSOR" \
	trace.dat-samples/*.dat tests/answers/found/*.dat >"$tmp/different"
checked grep -q '^[0-9]* recordings, [0-9]* values, 0 different' "$tmp/different" || fail "$(cat "$tmp/different")"

done_testing
