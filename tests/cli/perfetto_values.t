#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Traces of Perfetto have the events, fields, intervals and names that two other readers see in them. With ALL=1, also
# the four large ones, which take a minute.
. tests/cli/lib.sh
layout=hist

shared=../shared/perfetto
it 'reads what two other readers see in 132 traces (ALL=1: 136)'
case ${BUILD:-} in *sanitize*) shared=/none ;; esac
if [ ! -d $shared ]; then
	skip 'needs ../shared/perfetto, and takes too long with sanitizers'
	done_testing
	exit
fi
mkdir "$tmp/traces"
for f in "$shared"/traces/*.pftrace.xz; do
	name=${f##*/}
	case $name in cpu-sampling* | generic.* | test-trace* | nowin*) [ "${ALL:-}" ] || continue ;; esac
	xz -dc "$f" >"$tmp/traces/${name%.xz}"
done
head -c 100000 "$tmp/traces/twin-compact.pftrace" >"$tmp/traces/cut.pftrace"
cat "$tmp/traces/ring.pftrace" "$tmp/traces/lost.pftrace" >"$tmp/traces/concat.pftrace"
tar xJf $shared/perfetto-tests.tar.xz -C "$tmp"
python3 tests/answers/perfetto_values.py "$HIST" $shared/values $shared/perfetto-ftrace-fields.tsv \
	"$tmp"/traces/*.pftrace "$tmp"/perfetto-tests/*/trace.pftrace >"$tmp/different" 2>&1
checked grep -q '^13[26] traces, [0-9]* values, 0 different' "$tmp/different" || fail "$(cat "$tmp/different")"

it 'writes traces in which another reader sees the same'
for name in twin-plain generic-dense lost ring; do
	hist events -q -i "$tmp/traces/$name.pftrace" -e all --format perfetto -o "$tmp/again.pftrace"
	python3 -B $shared/pfwalk.py "$tmp/again.pftrace" $shared/perfetto-ftrace-fields.tsv "$tmp/walk" >"$tmp/messages" ||
		fail "$(cat "$tmp/messages")"
	for what in events sched-slices marker-slices marker-async marker-counters irq-time; do
		checked cmp -s "$tmp/walk/$what.csv" $shared/values/$name/ours-$what.csv ||
			fail "$name, $what: $(diff "$tmp/walk/$what.csv" $shared/values/$name/ours-$what.csv | head -n 4)"
	done
done

it 'writes the same events in at most 1.3 times the bytes of Perfetto, with flags and addresses that it does not store'
for twin in 'twin-plain 6043.141575 6045.536482' 'twin-compact 6046.386159 6048.796775'; do
	# shellcheck disable=SC2086 # words
	set -- $twin
	xz -dc $shared/traces/"$1".trace.dat.xz >"$tmp/twin.dat"
	hist events -q -i "$tmp/twin.dat" --from "$2" --to "$3" --format perfetto -o "$tmp/twin.pftrace"
	ours=$(wc -c <"$tmp/twin.pftrace") theirs=$(wc -c <"$tmp/traces/$1.pftrace")
	checked [ $((10 * ours)) -le $((13 * theirs)) ] || fail "$1: $ours bytes, not $theirs"
done

done_testing
