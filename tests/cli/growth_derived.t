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
# between two holes, the depth is known from the first switch to the idle task on (0 for 1 us, 1 for 2 us), after the last one from its begin
derived_grows holes runqueue 5001,7502000 20001,30002000
derived_grows tasks runqueue 5001,7502000 20001,30002000
derived_grows threads slice 2500,2500000 10000,10000000
derived_grows functions function 2500,2500000 10000,10000000
derived_grows slices slice 2500,6250000000 10000,100000000000
derived_grows locks lock_wait 2500,6250000000 10000,100000000000

# each waits for all that ran before it: 12.5 million parts
it 'why --all of 5000 tasks that wait at once'
run python3 tests/cli/growth_derived.py runnable 5000
mv "$tmp.out" "$tmp/5000.txt"
{
	echo what,by,syscall,reason,ns,intervals,longest_ns
	echo 'waiting (woken),m,,task,12502500000,5000,5000000'
	seq 4999 -1 1 | awk '{ printf "waiting (woken),t%d,,task,%d000,%d,1000\n", 4999 - $1, $1, $1 }'
} >"$tmp/expected"
least=100000
for _ in 1 2 3 4 5 6 7 8; do
	now=$(python3 - "$HIST" why --all -q --top 0 --format csv -i "$tmp/5000.txt" 2>&1 >"$tmp/answer" <<'END'
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print(int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime * 1000), file=sys.stderr)
sys.exit(status)
END
	)
	[ "${now:-100000}" -ge "$least" ] || least=$now
	[ "$least" -ge 1000 ] || break
done
holds cmp "$tmp/expected" "$tmp/answer"
[ "$least" -lt 1000 ] || fail "takes $least ms"

it 'why --all of waits that begin and end in any order has the sums of derived:delay'
run python3 tests/cli/growth_derived.py turns 20000
mv "$tmp.out" "$tmp/turns.txt"
run "$HIST" sql -q -i "$tmp/turns.txt" --format csv "SELECT culprit_comm AS by, sum(ns) AS ns, count(*) AS intervals,
	max(ns) AS longest_ns FROM \"derived:delay\" WHERE reason = 'task' GROUP BY 1 ORDER BY 1"
mv "$tmp.out" "$tmp/expected"
run "$HIST" why --all -q --top 0 --by by,reason --format csv -i "$tmp/turns.txt"
{ echo by,ns,intervals,longest_ns; grep ,task, "$tmp.out" | sed 's/,task,/,/' | LC_ALL=C sort; } >"$tmp/answer"
holds cmp "$tmp/expected" "$tmp/answer"
holds test "$(wc -l <"$tmp/answer")" = 41

done_testing
