#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Traces of Perfetto have the events, fields, intervals and names that two other readers see in them.
. tests/cli/lib.sh
layout=hist

shared=../shared/perfetto
it 'reads what two other readers see in 136 traces'
case ${BUILD:-} in *sanitize*) shared=/none ;; esac
if [ ! -d $shared ]; then
	skip 'needs ../shared/perfetto, and takes too long with sanitizers'
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
python3 tests/answers/perfetto_values.py "$HIST" $shared/values $shared/perfetto-ftrace-fields.tsv \
	"$tmp"/traces/*.pftrace "$tmp"/perfetto-tests/*/trace.pftrace >"$tmp/different" 2>&1
checked grep -q '^136 traces, [0-9]* values, 0 different' "$tmp/different" || fail "$(cat "$tmp/different")"

done_testing
