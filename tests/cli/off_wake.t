#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sleep_stack and waker_stack: where tasks left the CPU, and from where they were woken, compared with off_wake.py, which reads the
# text of trace-cmd; off_wake.dat is a recording of hist record -T, made smaller by hist slim.
. tests/cli/lib.sh

sample=tests/cli/off_wake.dat

it 'both stacks of each time off the CPU are those in the text of trace-cmd'
if have python3; then
	hist report -q -i $sample -e derived:task_state -f 'state != running' --by state,sleep_stack,waker_stack --sum ns \
		--top 0 --format json
	status_is 0
	python3 tests/cli/off_wake.py tests/cli/off_wake.txt.gz "$tmp.out" >"$tmp/rows" 2>&1 || fail_file 'rows:' "$tmp/rows"
	holds grep -qx '58 rows, 36 with both stacks' "$tmp/rows"
fi

it 'a wait has those of the sleep before it'
hist report -q -i $sample -e derived:task_state -f 'state == woken || state == new || state == preempted' \
	--by state,sleep_stack,waker_stack --sum ns --format folded
status_is 0
sort "$tmp.out" >"$tmp/states"
hist report -q -i $sample -e derived:wait --by kind,sleep_stack,waker_stack --sum ns --format folded
sort "$tmp.out" >"$tmp/waits"
holds test -s "$tmp/waits"
holds cmp "$tmp/waits" "$tmp/states"

it 'a task that runs has none, one that was preempted no waker'
hist report -q -i $sample -e derived:task_state -f 'state == running' --by sleep_stack,waker_stack --format csv
status_is 0
holds test "$(wc -l <"$tmp.out")" = 2
hist report -q -i $sample -e derived:wait -f 'kind == preempted' --by waker_stack --format csv
holds test "$(wc -l <"$tmp.out")" = 2

it 'flame graphs are one command'
hist report -q -i $sample off-wake-stacks --show 3 --format folded
status_is 0
stdout_has '^sh;.*;__schedule;.* [0-9]+$'
hist report -q -i $sample -e derived:task_state -f 'state == sleeping' --by comm,sleep_stack --sum ns --format svg
status_is 0
stdout_has '<title>do_wait: '

it 'rows of events have the addresses, text has not'
hist events -q -i $sample -e derived:wait --format ndjson
status_is 0
stdout_has '"sleep_stack":\["0xffffffff[0-9a-f]{8}",.*"waker_stack":\["0xffffffff'
hist events -q -i $sample -e derived:wait --format csv --fields sleep_stack
stdout_has '^0xffffffff'
hist events -q -i $sample -e derived:wait
stdout_lacks stack
if hist sql -q -i $sample 'SELECT count(*) AS n FROM wait WHERE waker_stack IS NOT NULL' >/dev/null; then
	hist sql -q -i $sample --format csv 'SELECT sum(length(sleep_stack) > 2) > 9 AS many FROM wait'
	stdout_has '^1$'
fi

it 'hist slim keeps the stacks that are asked for'
hist slim -q -i $sample -o "$tmp/slim.dat" -e derived:wait --by sleep_stack,waker_stack
status_is 0
hist report -q -i "$tmp/slim.dat" -e derived:wait --by sleep_stack,waker_stack --sum ns --format csv
cp "$tmp.out" "$tmp/slim"
hist report -q -i $sample -e derived:wait --by sleep_stack,waker_stack --sum ns --format csv
holds cmp "$tmp.out" "$tmp/slim"

it 'each plan has the same'
hist report -q -i $sample -e derived:wait --by sleep_stack,waker_stack --sum ns --format csv --plan plain
holds cmp "$tmp.out" "$tmp/slim"

it 'a recording without stacks is noted'
hist report -i trace.dat-samples/wakeup.dat -e derived:wait --by sleep_stack
status_is 0
stdout_has '^\[no stack\] +818$'
stderr_has 'note: no kernel stacks were recorded, so sleep_stack, .* are empty: hist record -T'
hist report -i trace.dat-samples/wakeup.dat -e derived:wait --by comm
stderr_lacks 'hist record -T'

done_testing
