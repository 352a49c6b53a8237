#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every recording with a script is made smaller: it has the same results and a tenth of the size,
# and trace-cmd prints the same texts for it.
. tests/cli/lib.sh
. tests/cli/slim.sh

for triggers in tests/golden/6.*/*/triggers ../shared/corpus/6.*/*/triggers; do
	scenario=${triggers%/triggers}
	[ -f "$scenario/trace.dat" ] || continue
	it "$scenario: the same results, a tenth of the size"
	slim "$scenario/trace.dat" -k "$triggers"
	tree "$scenario/trace.dat" "$tmp/a" "$triggers"
	checked [ "$(cat "$tmp/a/status")" = "$status" ] || fail 'another status'
	tree "$small" "$tmp/b"
	same_tree
	check_reader "$small"
	status_is 0
	before=$(wc -c <"$scenario/trace.dat")
	after=$(wc -c <"$small")
	[ "$before" -lt 200000 ] || [ $((after * 10)) -le "$before" ] || fail "$before bytes became $after"
	checked [ "$after" -le 99999 ] || fail "still $after bytes"
	case $scenario in
	*design-[13]* | */stack* | */timer | */kprobe | */smp | */marker | */ring-*)
		! have trace-cmd || in_original "$scenario/trace.dat"
		;;
	esac
done

done_testing
