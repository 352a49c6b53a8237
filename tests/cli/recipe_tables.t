#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -f and --by after recipes that print the histograms of several events: each of them is filtered and
# grouped, or left out with a note.
. tests/cli/lib.sh
work=tests/cli/recipes/7.3.dat

# The rows of a csv table, without its header.
rows() { sed 1d "$tmp.out" | sort; }

it 'a filter that all events pass changes no table of any recipe'
for recipe in $(hist recipe -i $work && sed -n 's/^  \([a-z-]*\)  .*/\1/p' "$tmp.out") file-io; do
	hist report -q -i $work "$recipe"
	[ "$status" = 0 ] || continue
	cp "$tmp.out" "$tmp/want"
	hist report -q -i $work "$recipe" -f 'common_pid >= 0'
	status_is 0
	sed 's/ if common_pid >= 0$//; s/ if (common_pid >= 0)$//; s/ if (\(.*\)) && (common_pid >= 0)$/ if \1/' \
		"$tmp.out" >"$tmp/got"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff" || fail "$recipe: $(cat "$tmp/diff")"
done

it '-f filters the tables of both events'
for table in 1 3; do
	for recipe in file-io read-write-sizes; do
		hist report -q -i $work $recipe --comm dd --show $table --format csv
		status_is 0
		checked rows >"$tmp/want"
		[ -s "$tmp/want" ] || fail "$recipe: nothing to compare"
		hist report -q -i $work $recipe -f 'COMM == dd' --show $table --format csv
		rows >"$tmp/got"
		holds diff "$tmp/want" "$tmp/got"
	done
done

it '--by groups both, with their filters'
hist report -q -i $work read-write-sizes --by comm --sum ret --show 1 --format csv
rows >"$tmp/got"
hist report -q -i $work -e sys_exit_read -f 'ret >= 0' --by comm --sum ret --format csv
checked rows >"$tmp/want"
holds diff "$tmp/want" "$tmp/got"
hist report -q -i $work read-write-sizes --by comm --sum ret --show 2 --format csv
rows >"$tmp/got"
hist report -q -i $work -e sys_exit_write -f 'ret >= 0' --by comm --sum ret --format csv
rows >"$tmp/want"
holds diff "$tmp/want" "$tmp/got"

it 'a table without the field is left out, which is noted'
hist report -i $work process-exec -f 'parent_comm == sh'
status_is 0
stderr_has 'note: process-exec: the table of sched:sched_process_exec is left out, which has no such field for -f'
stdout_lacks 'sched:sched_process_exec'
hist report -q -i $work process-exec --by parent_comm --format csv
rows >"$tmp/got"
hist report -q -i $work process-exec --show 2 --format csv
rows >"$tmp/want"
holds diff "$tmp/want" "$tmp/got"
hist report -i $work process-exec -f 'none == 1'
status_is 1
stderr_has 'Field not found'

it '--by comm of a recipe is the name alone, on all kernels'
hist report -q -i trace.dat-samples/syscalls.dat syscall-errors --by comm
stdout_has '^common_comm  *hits$'
stdout_lacks '-[0-9]'
hist report -i trace.dat-samples/syscalls.dat syscall-errors --by comm --strict-kernel --format csv
stdout_has '^common_pid,common_pid_text,'

it 'several -f must all match; -f 0 removes them'
switch='-i trace.dat-samples/switch.dat -e sched_switch'
# shellcheck disable=SC2086 # words
hist report -q $switch -f 'prev_comm == work && next_pid == 0' --by prev_pid --format csv
cp "$tmp.out" "$tmp/want"
# shellcheck disable=SC2086
hist report -q $switch -f 'prev_comm == work' -f 'next_pid == 0' --by prev_pid --format csv
stdout_is_file "$tmp/want"
# shellcheck disable=SC2086
hist report -q $switch -f 'prev_comm == nobody' -f 0 -f 'prev_comm == work && next_pid == 0' --by prev_pid --format csv
stdout_is_file "$tmp/want"
# shellcheck disable=SC2086
hist events -q $switch -f 'prev_comm == work' -f 'next_pid == 0' --fields prev_pid --format csv
cp "$tmp.out" "$tmp/got"
# shellcheck disable=SC2086
hist events -q $switch -f 'prev_comm == work && next_pid == 0' --fields prev_pid --format csv
stdout_is_file "$tmp/got"

it 'csv of several tables is the first one, and a note names the way to the others'
w=trace.dat-samples/wakeup.dat
if [ -f $w ]; then
	for recipe in wakeup-latency off-cpu; do
		hist report -i $w $recipe --format csv
		status_is 0
		stderr_has 'note: csv shows the first table of the answer, --show N another one: derived:[a-z_]* \([2-9]\)'
		cp "$tmp.out" "$tmp/first"
		hist report -q -i $w $recipe --format csv --show 1
		checked cmp -s "$tmp.out" "$tmp/first" || fail "$recipe: --show 1 is another table"
		hist report -q -i $w $recipe --format csv --show 2
		! checked cmp -s "$tmp.out" "$tmp/first" || fail "$recipe: --show 2 is the same table"
		hist diff $recipe $w $w --format csv
		status_is 0
		stderr_has 'note: csv shows the first of [2-9] histograms; --show N shows another, 2: derived:'
		hist diff -q $recipe $w $w --format csv --show 2
		status_is 0
	done
else
	skip "no $w"
fi

it 'signals: what became of them, as the events have it'
hist events -q -i tests/cli/recipes/7.3.dat -e signal:signal_generate --format csv --fields sig,result
sed 1d "$tmp.out" | sort | uniq -c | awk '{ print $2 "," $1 }' | sort >"$tmp/want"
hist report -q -i tests/cli/recipes/7.3.dat signals --show 2 --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ print $at["sig"] "," $at["result"] "," $at["hitcount"] }' "$tmp.out" | sort >"$tmp/got"
[ -s "$tmp/want" ] || fail 'no signals'
checked diff "$tmp/want" "$tmp/got" >"$tmp/why" || fail_file 'other counts:' "$tmp/why"

it 'a recipe of system calls that were recorded by raw_syscalls names the way to them'
hist report -i trace.dat-samples/syscalls.dat fsync-latency
status_is 1
stderr_has 'note: raw_syscalls was recorded, .* hist report syscall-latency -D call=fsync; '
hist report -i trace.dat-samples/wakeup.dat fsync-latency
status_is 1
stderr_lacks 'raw_syscalls was recorded'

it 'a page has no largest error'
s=trace.dat-samples/syscalls.dat
if [ -f $s ]; then
	hist report -q -i $s syscall-errors --format html
	status_is 0
	stdout_lacks 'argest error'
else
	skip "no $s"
fi

done_testing
