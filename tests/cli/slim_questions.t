#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random questions have the same answers before and after hist slim, also those with losses between
# spans of time, and with a file that is cut. By hand: tests/cli/slim_questions.py --seed=N COUNT FILE...
. tests/cli/lib.sh
have python3 || skip_all 'no python3'

# same SEED COUNT FILE...
same()
{
	seed=$1
	shift
	run python3 tests/cli/slim_questions.py --seed="$seed" "$@"
	status_is 0
	stdout_has ', 0 different$'
}

it 'of the samples'
same 1 20 trace.dat-samples/*.dat

it 'of the recordings for recipes'
same 2 30 tests/cli/recipes/*.dat

it 'of recordings with lost events'
for f in trace.dat-samples/switch.dat trace.dat-samples/wakeup.dat tests/cli/recipes/7.3.dat; do
	"$HIST" slim -q -i $f -o "$tmp/lost-$(basename $f)" -e sched_switch -R 'hist:keys=next_pid' \
		--around 'next_pid==0' --context 40us
	"$HIST" list "$tmp/lost-$(basename $f)" | grep -q 'CPU 0 .*some lost' || fail "nothing is lost of $f"
done
same 3 30 "$tmp"/lost-*.dat

it 'of a part of the time'
same 5 30 --part trace.dat-samples/*.dat tests/cli/recipes/*.dat

it 'of all events of a part of the time, which are kept before anything is asked'
same 6 40 --part --all trace.dat-samples/*.dat tests/cli/recipes/*.dat

it 'switches that are left out outside of a part of the time are not missing'
f=trace.dat-samples/wakeup.dat
hist slim -q -i $f -o "$tmp/part.dat" --from 30.443180339 --to 30.505463611 -e derived:wait --by comm --sum ns
for question in 'report' 'report -e derived:wait --by kind' 'why -e derived:wait --exemplar 2' 'why -e derived:wait --all'; do
	# shellcheck disable=SC2086 # words
	hist $question -i "$tmp/part.dat"
	stderr_lacks 'sched_switch|left out|throttled'
done
# but an interval that began before it may have parts that are
hist why -i "$tmp/part.dat" -e derived:wait --pid 510 --at 30.443180339
stderr_has 'before 30\.443180 s, this recording has only what the question of hist slim needs'
hist report -q --strict -i "$tmp/part.dat" --format json
status_is 0
stdout_lacks switches

it 'derived events of a part of the time need little more than all events of it, and the text of the question'
# size ARG...: of the file, as $(size); the original is $f
size()
{
	"$HIST" slim -q -i "$f" -o "$tmp/part.dat" "$@" && wc -c <"$tmp/part.dat"
}
for part in 'trace.dat-samples/switch.dat --from +0.40 --to +0.45' 'trace.dat-samples/switch.dat --from +0.1 --to +0.15' \
	'trace.dat-samples/wakeup.dat --from +0.10 --to +0.15' 'tests/cli/recipes/7.3.dat --from +2 --to +2.5' \
	'trace.dat-samples/switch.dat --to +0.05'; do
	f=${part%% *}
	# shellcheck disable=SC2086 # words
	all=$(size ${part#* } -e all --trace)
	for question in wakeup-latency off-cpu run-queue-wait '-e derived:delay --by culprit_comm --sum ns' \
		'-e derived:task_state --by state,comm --sum ns'; do
		# shellcheck disable=SC2086
		n=$(size ${part#* } $question)
		checked [ "$n" -le $((all * 3 / 2 + 2048)) ] || fail "$part $question: $n bytes, $all bytes with all events"
	done
done
# also with those that are open at an end of it; 22,902 bytes without a window
f=trace.dat-samples/switch.dat
n=$(size --from +100ms --to +110ms -e derived:wait --by comm --sum ns --open-intervals)
checked [ "$n" -lt 10000 ] || fail "--open-intervals: $n bytes"
hist report -q -i "$f" --from +100ms --to +110ms -e derived:wait --by comm --sum ns --open-intervals
cp "$tmp.out" "$tmp/want"
hist report -q -i "$tmp/part.dat" -e derived:wait --by comm --sum ns
stdout_is_file "$tmp/want"

it 'two answers that differ in one digit, twice, are not the same'
for i in 1 2 3 4 5 9; do
	echo "task$((i / 3))-$((i / 3 + 1)) [000] $i.000000000: kmalloc: call_site=0x10 ptr=0x$i bytes_req=8 bytes_alloc=8"
done >"$tmp/objects.txt"
hist slim -q -i "$tmp/objects.txt" -o "$tmp/objects.dat" --from 8 -e derived:allocation --by open
hist report -q -i "$tmp/objects.dat" --format csv
stdout_is 'open,hitcount,inexact
end,6,true'

it 'a recipe whose filter accepts nothing'
for question in 'switch syscall-count' 'kmalloc kmalloc-by-site' 'switch wakers'; do
	f=trace.dat-samples/${question%% *}.dat
	hist report -q -i "$f" "${question#* }" -D 'comm=nosuch' --show 1 --format csv
	status_is 0
	mv "$tmp.out" "$tmp/want"
	hist slim -q -i "$f" -o "$tmp/none.dat" "${question#* }" -D 'comm=nosuch'
	hist report -q -i "$tmp/none.dat" "${question#* }" -D 'comm=nosuch' --show 1 --format csv
	stdout_is_file "$tmp/want"
done

it 'of a file that is cut'
for f in trace.dat-samples/switch.dat tests/cli/recipes/tasks.dat; do
	head -c $(($(wc -c <$f) * 3 / 4)) $f >"$tmp/cut-$(basename $f)"
done
same 4 10 "$tmp"/cut-*.dat

done_testing
