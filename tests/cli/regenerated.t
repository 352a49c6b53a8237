#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own synthetic events are in its recordings too: those that a replay makes must
# equal them in number, order, task, CPU, flags and every field. Only their times differ, and whether
# a timer had asked for another task meanwhile (need-resched).
. tests/cli/lib.sh

corpus=../shared/corpus
[ -d "$corpus" ] || corpus=tests/golden

# lines FILE: of a trace, without these
lines()
{
	sed -n '/^#/d; s/\] \(.\)[NnpBbLl]/] \1./; s/^\(.\{34,\}\) [0-9]*\.[0-9]*: \([a-z_]*:\)/\1 T: \2/p' "$1"
}

# regenerated NAME FOLDER
regenerated()
{
	it "$1"
	while read -r event _; do
		echo "echo 1 > events/synthetic/$event/enable"
	done <"$2/synthetic_events" >"$tmp/enable"
	{
		echo 'echo 100000 > buffer_size_kb'
		echo 'echo 0 > events/enable'
	} >"$tmp/first"
	echo 'cat trace' >"$tmp/last"

	hist report -q -k -i "$2/trace.dat" "$tmp/first" "$tmp/enable" "$tmp/last"
	lines "$tmp.out" >"$tmp/recorded"
	hist report -q -k -i "$2/trace.dat" "$2/triggers" "$tmp/first" "$tmp/enable" "$tmp/last"
	lines "$tmp.out" >"$tmp/made"
	checked [ -s "$tmp/recorded" ] || fail 'the recording has no synthetic events'
	cmp -s "$tmp/recorded" "$tmp/made" || {
		diff "$tmp/recorded" "$tmp/made" >"$tmp/difference"
		fail_file 'recorded (<) and made (>):' "$tmp/difference"
	}
}

for scenario in "$corpus"/*/*/; do
	scenario=${scenario%/}
	[ -s "$scenario/synthetic_events" ] || continue
	"$HIST" list -i "$scenario/trace.dat" | grep -q ' synthetic:' || continue
	regenerated "${scenario#"$corpus/"}" "$scenario"
done

done_testing
