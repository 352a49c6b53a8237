#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Derived events of recordings with thousands of what a file can choose.
. tests/cli/growth.sh

# derived_grows KIND EVENT SMALL_ANSWER LARGE_ANSWER: hits and sum of ns
derived_grows()
{
	it "10000: $1"
	for n in 2500 10000; do
		run python3 tests/cli/growth_derived.py "$1" $n
		mv "$tmp.out" "$tmp/$n.txt"
		printf '%s\n' -q -e "derived:$2" --by common_cpu --sum ns --format csv -i "$tmp/$n.txt" >"$tmp/arguments.$n"
		"$HIST" report -q -e "derived:$2" --by common_cpu --sum ns --format csv -i "$tmp/$n.txt" >"$tmp/answer.$n"
	done
	holds grep -qxE "0,$3(,true)?" "$tmp/answer.2500"
	holds grep -qxE "0,$4(,true)?" "$tmp/answer.10000"
	input=
	cp "$tmp/arguments.2500" "$tmp/small"
	cp "$tmp/arguments.10000" "$tmp/large"
	checked grew 8 4000 || fail "2500 take $small ms, 10000 take $large ms"
}

# of those at the same time, the newest 1024; the others are left out
derived_grows sector block_io 1024,1048576000 1024,1048576000
derived_grows inserts block_io 2500,6250000000 10000,100000000000
# all of each wait, of those who ran before: 512 and the others, 512 * 513 / 2 + (N - 512) * 513 events
derived_grows runnable delay 1151172,6250000000 4998672,100000000000
derived_grows slices slice 2500,6250000000 10000,100000000000
derived_grows locks lock_wait 2500,6250000000 10000,100000000000

done_testing
