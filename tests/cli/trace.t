#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# trace and snapshot in a shell: compared with another reader, and in --tracefs.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"
on='echo 1 > events/sched/sched_switch/enable'

# Print the lines of events.
events()
{
	grep -v -e '^#' -e ': tracing_mark_write: ' "$@"
}

it 'prints every record of enabled events, each with its own time'
hist report -i $sample -x "$on" -x 'cat trace'
status_is 0
stderr_is ''
events "$tmp.out" >"$tmp/trace"
hist list -i $sample
n=$(sed -n 's/^ *\([0-9]*\)  sched:sched_switch$/\1/p' "$tmp.out")
holds test "$(wc -l <"$tmp/trace")" -eq "$n"
sed 's/.*  \([0-9.]*\): sched_switch: .*/\1/' "$tmp/trace" >"$tmp/times"
holds sort -nsc "$tmp/times"

it 'has the latest events that fit into the buffer'
hist report -i $sample -x "$on" -x 'echo 4 > buffer_size_kb' -x 'cat trace'
events "$tmp.out" >"$tmp/small"
holds test "$(wc -l <"$tmp/small")" -lt "$(wc -l <"$tmp/trace")"
holds test -z "$(grep -vxF -f "$tmp/trace" "$tmp/small")"
holds test "$(tail -n 1 "$tmp/small")" = "$(tail -n 1 "$tmp/trace")"

it 'has the events that -e enables and -f selects'
hist report -i $sample -e sched_switch -f 'prev_pid == 1' -x 'cat trace'
events "$tmp.out" >"$tmp/filtered"
grep 'prev_pid=1 ' "$tmp/trace" >"$tmp/want"
holds cmp "$tmp/filtered" "$tmp/want"

it 'is in --tracefs; the snapshot, too, if there was one'
hist report -i $sample -x "$on" --tracefs "$tmp/dir"
status_is 0
events "$tmp/dir/trace" >"$tmp/got"
holds cmp "$tmp/got" "$tmp/trace"
holds test ! -e "$tmp/dir/snapshot"
hist report -i $sample -x "$on" -x 'echo snapshot:1 > events/sched/sched_switch/trigger' --tracefs "$tmp/dir2"
holds test -s "$tmp/dir2/snapshot"

it 'does not change histograms'
hist report -i $sample -e sched_switch -R 'hist:keys=next_comm'
cp "$tmp.out" "$tmp/want"
hist report -i $sample -e sched_switch -R 'hist:keys=next_comm' --tracefs "$tmp/dir3"
holds cmp "$tmp/dir3/events/sched/sched_switch/hist" "$tmp/want"
hist report -i $sample -x "$on" -x 'cat trace' -e sched_switch -R 'hist:keys=next_comm' \
	-x 'cat events/sched/sched_switch/hist'
tail -n "$(wc -l <"$tmp/want")" "$tmp.out" >"$tmp/got"
holds cmp "$tmp/got" "$tmp/want"

it 'rejects a buffer that is too large for any machine'
hist report -i $sample -x 'echo 999999999999 > buffer_size_kb' -x 'cat trace'
status_is 1
stderr_has 'Cannot allocate memory'

it 'notes that only the last events fit into the buffer'
hist report -i trace.dat-samples/switch.dat -e '*' -x 'echo 4 > buffer_size_kb' -x 'cat trace'
status_is 0
stderr_has 'note: trace has the last 386 of 11237 events, as in the kernel: echo 1000000 > buffer_size_kb'
hist report -i trace.dat-samples/switch.dat -e '*' -x 'cat trace'
stderr_lacks 'trace has the last'

it 'options/record-tgid: columns for thread groups, which a recording does not contain'
hist report -i trace.dat-samples/switch.dat -x 'echo 1 > options/record-tgid' -x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
status_is 0
stdout_has '^#           TASK-PID       TGID    CPU#  \|\|\|\|\|  TIMESTAMP  FUNCTION$'
stdout_has '^#              \| \|           \|       \|   \|\|\|\|\|     \|         \|$'
stdout_has '^ +[^ ]+-[0-9]+ +\(-------\) \[[0-9]+\] '
stderr_has 'thread groups are shown as \(-------\): a recording does not contain saved_tgids'
hist report -i trace.dat-samples/switch.dat -x 'echo noirq-info > trace_options' -x 'cat trace'
stdout_has '^#           TASK-PID     CPU#     TIMESTAMP  FUNCTION$'

it 'options/nohash-ptr: the first text of an event is empty on 6.1'
for kernel in 6.1 6.12; do
	hist report -i trace.dat-samples/switch.dat --kernel=$kernel -x 'echo nohash-ptr > trace_options' \
		-x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
	[ $kernel = 6.1 ] || stdout_has 'sched_switch: prev_comm=[^ ]+ prev_pid='
	[ $kernel = 6.12 ] || stdout_has 'sched_switch: prev_comm= prev_pid=[0-9]+ prev_prio=[0-9]+ prev_state=[^ ]+ ==> next_comm=[^ ]'
done

done_testing
