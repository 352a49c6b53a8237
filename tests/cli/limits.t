#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What limited a recording (filters, tasks) is listed and noted; derived events are only of tasks
# that were recorded; a stream of sched_switch with holes is noticed.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
apart='of [0-9]+ sched:sched_switch are not from the task that the one before switched the CPU to'
have python3 || skip_all 'python3 is not installed'

# running FILE ARG...: who ran, in the order of names
running()
{
	hist report -i "$@" -e derived:task_state -f 'state == "running"' --by comm,pid --sum ns
	status_is 0
}

"$HIST" events -q -i $sample -e sched_switch >"$tmp/all.txt"
grep -E '[^_]comm=init |(prev|next)_comm=init ' "$tmp/all.txt" >"$tmp/init.txt"

it 'switches that do not follow each other are counted, and the caveat travels'
# as trace-cmd record -P does it: only switches from or to some tasks
want=$(awk '{
	match($0, /prev_pid=[0-9]+/); prev = substr($0, RSTART + 9, RLENGTH - 9)
	match($0, /next_pid=[0-9]+/); match($0, /\[[0-9]+\]/); cpu = substr($0, RSTART, RLENGTH)
	n += cpu in on && on[cpu] != prev
	match($0, /next_pid=[0-9]+/); on[cpu] = substr($0, RSTART + 9, RLENGTH - 9)
} END { print n }' "$tmp/init.txt")
holds test "$want" -gt 3
hist report -i "$tmp/init.txt" -e derived:task_state --by comm --format json -o "$tmp/init.json"
stderr_has "warning: $want $apart.*a filter or a pause left switches out, or the kernel did not trace them"
holds grep -q "\"kind\":\"switches\",\"n\":$want," "$tmp/init.json"
hist merge "$tmp/init.json"
stderr_has "warning: .*$want sched_switch do not follow the one before on their CPU"
# the limit of hist diff and trend decides whether they forbid a verdict
sed "s/\"n\":$want,/\"n\":1,/" "$tmp/init.json" >"$tmp/one.json"
holds test "$(grep -c '"kind":"switches","n":1,' "$tmp/one.json")" -gt 0
hist diff --allow-lost 0.1 "$tmp/one.json" "$tmp/one.json"
status_is 2
stderr_has "one.json: 1 sched_switch do not follow .* the kernel did not trace them, .*; [0-9.]+% of all \(see --allow-lost\)"
hist diff --allow-lost 5 "$tmp/one.json" "$tmp/one.json"
status_is 0
hist trend "$tmp/one.json" "$tmp/one.json"
status_is 2
hist trend --allow-lost 5 "$tmp/one.json" "$tmp/one.json"
status_is 0
for whole in "$tmp/all.txt" $sample tests/cli/recipes/7.3.dat; do
	hist report -i "$whole" -e derived:task_state --by comm
	stderr_lacks 'not from the task'
done
hist report -i $sample --from +0.1 -e derived:task_state --by comm
stderr_lacks 'not from the task'

# limited TEXT...: the sample, with the text of its limits
limited()
{
	hist import -q -z none "$tmp/all.txt" -o "$tmp/plain.dat"
	checked python3 tests/cli/add_options.py any "$tmp/plain.dat" "$tmp/limited.dat" 0x484d "$1\0"
}

it 'derived events of tasks that were not recorded are left out, and counted'
limited 'pids 1\n'
running "$tmp/plain.dat" -q
all=$(awk '/hits in/ { gsub(",", ""); print $1 }' "$tmp.out")
running "$tmp/plain.dat" -q --pid 1
cp "$tmp.out" "$tmp/want"
one=$(awk '/hits? in/ { gsub(",", ""); print $1 }' "$tmp.out")
holds test "$one" -gt 0
holds test "$one" -lt "$all"
running "$tmp/limited.dat"
stdout_is_file "$tmp/want"
stderr_has 'note: only events of task 1 were recorded; [0-9]+ derived events of other tasks were left out'
stderr_lacks 'not from the task'
hist sql "$tmp/limited.dat" 'select distinct pid from "derived:task_state"'
stdout_has '^ *1$'
holds test "$(wc -l <"$tmp.out")" = 2
stderr_has 'only events of task 1 were recorded'
hist events -i "$tmp/limited.dat" -e derived:task_state --fields pid
stderr_has 'only events of task 1 were recorded'
hist slim -q "$tmp/limited.dat" -e derived:task_state --by comm -o "$tmp/slim.dat"
running "$tmp/slim.dat"
stdout_is_file "$tmp/want"
hist summary "$tmp/plain.dat"
stdout_has '^queues '
hist summary "$tmp/limited.dat"
stdout_has '^only events of task 1 were recorded; what others did'
stdout_lacks '^queues '

it 'of another file, with the events of all tasks, all are derived'
sed -E 's/ ([0-9]+\.[0-9]{6}): / 9\1: /' "$tmp/all.txt" >"$tmp/later.txt"
hist import -q "$tmp/later.txt" -o "$tmp/later.dat"
running "$tmp/limited.dat" -q -i "$tmp/later.dat"
holds test "$(awk '/hits in/ { gsub(",", ""); print $1 }' "$tmp.out")" = $((all + one))

it 'lists the limits, and notes the filter of an event that a question reads'
limited 'filter sched:sched_switch prev_pid == 1 || next_pid == 1\nfilter sched:other x\npids 1 7\nchildren\n'
hist list "$tmp/limited.dat"
stdout_has '^  filter       sched:sched_switch prev_pid == 1 || next_pid == 1$'
stdout_has '^  only         tasks 1, 7 and their children$'
hist list --format json "$tmp/limited.dat"
stdout_has '"filters":\{"sched:sched_switch":"prev_pid == 1 \|\| next_pid == 1","sched:other":"x"\},"pids":\[1,7\],"children":true'
filter='note: sched:sched_switch was recorded with the filter prev_pid == 1 \|\| next_pid == 1$'
for ask in '-e sched_switch --by next_comm' '-e derived:task_state --by comm'; do
	# shellcheck disable=SC2086 # words
	hist report -i "$tmp/limited.dat" $ask
	stderr_has "$filter"
	stderr_has 'only events of tasks 1, 7 and their children were recorded'
	stderr_lacks 'sched:other'
done
hist sql "$tmp/limited.dat" 'select count(*) from sched_switch'
stderr_has "$filter"
hist report -i "$tmp/limited.dat" -e sched_switch -R hist:keys=next_comm
stderr_lacks 'with the filter'

it 'a clock that does not measure time has no units'
sed -E 's/ ([0-9]+)\.([0-9]{6}): / \1\2: /' "$tmp/all.txt" >"$tmp/counter.txt"
hist import -q "$tmp/counter.txt" -o "$tmp/counter.dat"
hist list "$tmp/counter.dat"
stdout_has 'clock +counter'
running "$tmp/counter.dat"
stderr_has 'the clock of the recording, counter, does not measure time: ns of derived events are units of this clock'
hist report -i "$tmp/counter.dat" -e derived:task_state -f 'ns > 1ms' --by comm
status_is 1
stderr_has 'note: ns is in units of the clock counter, which does not measure time: a number, without a unit'
hist report -i "$tmp/counter.dat" on-cpu -D min=1ms
status_is 1
stderr_has 'ns is in units of the clock counter'
hist report -q -i "$tmp/counter.dat" -e derived:task_state -f 'ns > 1000' --by comm
status_is 0
hist report -q -i "$tmp/counter.dat" on-cpu
status_is 0
hist why -i "$tmp/counter.dat" -e derived:task_state
stderr_has 'the clock of the recording, counter, does not measure time'
running "$tmp/plain.dat"
stderr_lacks 'does not measure time'

it 'damaged limits are harmless'
for text in 'pids' 'pids \n' 'pids -1 99999999999999999999 4194304 x\n' 'filter\nfilter x\nfilter sched:\n'; do
	limited "$text"
	hist report -i "$tmp/limited.dat" -e derived:task_state --by comm
	status_is 0
	hist list --format json "$tmp/limited.dat"
	status_is 0
done

done_testing
