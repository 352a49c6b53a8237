#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Traces of Perfetto have the events, fields, intervals and names that two other readers see in them.
. tests/cli/lib.sh
layout=hist

shared=../shared/perfetto
it 'reads what two other readers see in 136 traces'
if [ ! -d $shared ] || [ "$BUILD" != build ]; then
	skip "needs $shared"
	done_testing
	exit
fi
mkdir "$tmp/traces"
for f in $shared/traces/*.pftrace.xz; do
	name=${f##*/}
	xz -dc "$f" >"$tmp/traces/${name%.xz}"
done
head -c 100000 "$tmp/traces/twin-compact.pftrace" >"$tmp/traces/cut.pftrace"
cat "$tmp/traces/ring.pftrace" "$tmp/traces/lost.pftrace" >"$tmp/traces/concat.pftrace"
tar xJf $shared/perfetto-tests.tar.xz -C "$tmp"
checked python3 tests/answers/perfetto_values.py "$HIST" $shared/values $shared/perfetto-ftrace-fields.tsv \
	"$tmp"/traces/*.pftrace "$tmp"/perfetto-tests/*/trace.pftrace || fail "$(cat "$tmp.out")"
stdout_has '^136 traces, [0-9]* values, 0 different'

done_testing
