#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --pid, --comm, --tree limit triggers to the events of some tasks; --around prints the trace around
# a time.
. tests/cli/lib.sh
layout=hist

sample=tests/cli/recipes/tasks.dat

# counts: print the rows of a histogram by key, and the totals
counts()
{
	sed -n 's/^{ \(.*\) } hitcount: *\([0-9]*\).*/\2 \1/p' "$tmp.out" | sed 's/  *$//' | sort
}

hist report -i $sample -x 'echo 300000 > buffer_size_kb' -x 'echo 1 > events/enable' -x 'cat trace'
grep -v '^#' "$tmp.out" >"$tmp/trace"
# sched_switch: PREV_PID NEXT_PID of each event
sed -n 's/.*sched_switch: .* prev_pid=\([0-9]*\) .* next_pid=\([0-9]*\) .*/\1 \2/p' "$tmp/trace" >"$tmp/switches"
pid=$(sed -n 's/.*next_comm=thr-1 next_pid=\([0-9]*\) .*/\1/p' "$tmp/trace" | head -n 1)

it '--pid selects the events of a task, and those of the scheduler about it'
hist report -i $sample -e sys_enter -R 'hist:keys=common_pid' --pid "$pid"
status_is 0
want=$(grep -c -e "-$pid  *\\[.*: sys_enter: " "$tmp/trace")
stdout_has "^    Hits: $want\$"
stdout_has '^    Entries: 1$'
hist report -i $sample -e sched_switch -R 'hist:keys=prev_pid,next_pid' --pid "$pid"
stdout_has "^    Hits: $(grep -c -w "$pid" "$tmp/switches")\$"
hist report -i $sample -e sched_switch -R 'hist:keys=prev_pid' --pid "$pid,0"
stdout_has "^    Hits: $(grep -c -w -e "$pid" -e 0 "$tmp/switches")\$"

it 'applies before a filter of the trigger, whose text does not change'
hist report -i $sample -e sched_switch -R "hist:keys=prev_pid if next_pid == $pid || prev_pid == 0" --pid "$pid"
status_is 0
stdout_has "^# trigger info: .* if next_pid == $pid \\|\\| prev_pid == 0 \\[active\\]"
stdout_has "^    Hits: $(grep -c " $pid\$" "$tmp/switches")\$"

it '--comm selects by name'
hist report -i $sample -e sys_enter -R 'hist:keys=common_pid' --comm 'thr-*'
status_is 0
cp "$tmp.out" "$tmp/comm"
hist report -i $sample -e sys_enter -R 'hist:keys=common_pid if COMM ~ "thr-*"'
counts >"$tmp/want"
cp "$tmp/comm" "$tmp.out"
counts >"$tmp/got"
holds diff "$tmp/want" "$tmp/got"
[ "$(wc -l <"$tmp/want")" = 4 ] || fail_file 'not four threads:' "$tmp/want"
hist report -i $sample -q wakeup-latency --comm 'thr-*'
status_is 0
stdout_has '^\{ comm: thr-1 '
stdout_lacks '^\{ comm: (sh|dd) '

it '--tree selects a task and all its descendants'
sed -n 's/.*sched_process_fork: .* pid=\([0-9]*\) .*child_pid=\([0-9]*\).*/\1 \2/p' "$tmp/trace" >"$tmp/forks"
root=$(awk 'NR == 1 { print $1 }' "$tmp/forks")
awk -v root="$root" '{ from[NR] = $1; to[NR] = $2 }
	END {
		in_tree[root] = 1
		do {
			more = 0
			for (i = 1; i <= NR; i++)
				if (in_tree[from[i]] && !in_tree[to[i]])
					more = in_tree[to[i]] = 1
		} while (more)
		for (p in in_tree)
			print p
	}' "$tmp/forks" | sort >"$tmp/tree"
hist report -i $sample -e sys_enter -R 'hist:keys=common_pid' --tree "$root"
status_is 0
stderr_has "note: --tree $root: selected $(wc -l <"$tmp/tree") tasks"
counts | sed 's/.*common_pid: *//' | sort -u >"$tmp/got"
[ -z "$(comm -13 "$tmp/tree" "$tmp/got")" ] || fail_file 'others, too:' "$tmp/got"
[ "$(wc -l <"$tmp/got")" -gt 5 ] || fail_file 'too few:' "$tmp/got"
child=$(sed -n 's/.*sched_process_fork: .*child_comm=work-fork child_pid=\([0-9]*\).*/\1/p' "$tmp/trace" | head -n 1)
hist report -i $sample -e sys_enter -R 'hist:keys=common_pid' --tree work-fork
status_is 0
stdout_has "common_pid: +$child "

it 'is identical for any number of threads, in csv and in diff'
for jobs in 1 4; do
	hist report -j $jobs -i $sample -e sched_switch -R 'hist:keys=prev_pid:sort=prev_pid' --comm 'thr-*' --format csv
	status_is 0
	cp "$tmp.out" "$tmp/jobs-$jobs"
done
holds cmp "$tmp/jobs-1" "$tmp/jobs-4"
hist diff -e sched_switch -R 'hist:keys=prev_pid' --pid "$pid" $sample $sample
status_is 0

it 'invalid values'
hist report -i $sample -e sys_enter -R 'hist:keys=id' --pid 1,x
status_is 2
stderr_has "--pid takes process ids separated by commas, not '1,x'"
hist report -i $sample -e sys_enter -R 'hist:keys=id' --pid 99999999999
status_is 2
hist report -i $sample -e sys_enter -R 'hist:keys=id' --tree nosuchtask
status_is 2
stderr_has '--tree: no task has the name nosuchtask'

it '--around prints the trace around a time'
line=$(sed -n 200p "$tmp/trace")
at=$(echo "$line" | sed 's/.* \([0-9]*\.[0-9]*\): .*/\1/')
hist report -q -i $sample --around "$at" --context 0.00001
status_is 0
grep -q -F -e "$line" "$tmp.out" || fail_file "lacks $line:" "$tmp.out"
[ "$(grep -v -c '^#' "$tmp.out")" -lt 100 ] || fail 'too much'
cpu=$(echo "$line" | sed 's/.*\[0*\([0-9][0-9]*\)\].*/\1/')
hist report -q -i $sample --around "$at,$cpu"
status_is 0
! grep -v '^#' "$tmp.out" | grep -q -v "\\[00$cpu\\]" || fail_file 'other CPUs:' "$tmp.out"
for bad in x '' -1 1,x 1,99; do
	hist report -i $sample --around "$bad"
	status_is 2
done
hist report -i $sample --around 1 --context x
status_is 2
hist report -q -i $sample --around "$at" --context 10ms on-cpu
status_is 0
cp "$tmp.out" "$tmp/got"
hist report -q -i $sample on-cpu --from "$(awk "BEGIN { printf \"%.9f\", $at - .01 }")" --to "$(awk "BEGIN { printf \"%.9f\", $at + .01 }")"
stdout_is_file "$tmp/got"
holds grep -q 'hitcount: *[1-9]' "$tmp/got"
hist report -q -i $sample --around "$at" --context 10ms -e sched_switch -f 'next_pid != 0'
holds test "$(grep -v '^#' "$tmp.out" | grep -c -v ': sched_switch: .*next_pid=[1-9]')" = 0
holds test "$(grep -c ': sched_switch: ' "$tmp.out")" -gt 0

it 'the trace has only the events of the tasks'
hist report -q -i $sample -e sys_enter -e sched_switch -x 'cat trace' --pid "$pid"
status_is 0
stdout_has "^ .*-$pid +\\[.*sys_enter"
others=$(grep -v '^#' "$tmp.out" | grep -v -e "-$pid  *\\[" | grep -v -E "(prev|next)_pid=$pid ")
checked [ -z "$others" ] || fail "other tasks: $others"
hist report -q -i $sample --around "$at" --context 1s --pid "$pid"
stdout_has "^ .*-$pid +\\["
stdout_lacks "^ .*-1 +\\[.*sys_enter"
marker=tests/cli/recipes/marker.dat
hist report -q -i $marker -x 'cat trace' --pid 1
stdout_lacks 'B\|'
hist report -q -i $marker -x 'cat trace'
stdout_has 'B\|'

it 'a note reports that no event is enabled'
hist report -i $sample -x 'cat trace'
status_is 0
stderr_has "note: no event is enabled for this trace: -e EVENT"

it 'options/event-fork adds the children of the tasks, also in a slimmed recording; a note reports missing fork events'
forks=tests/golden/6.1/event-fork
hist report -q -i $forks/trace.dat $forks/triggers -x 'cat events/raw_syscalls/sys_enter/hist'
checked grep -q 'Hits: 3[0-9][0-9]' "$tmp.out" || fail_file 'hits of children are missing:' "$tmp.out"
# also if the event has a histogram of its own
hist report -q -i $forks/trace.dat $forks/triggers -x 'echo hist:keys=common_pid >> events/sched/sched_process_fork/trigger' \
	-x 'cat events/raw_syscalls/sys_enter/hist'
checked grep -q 'Hits: 3[0-9][0-9]' "$tmp.out" || fail_file 'hits of children are missing:' "$tmp.out"
sed 's/^echo 1 > options/echo 0 > options/' $forks/triggers >"$tmp/alone"
hist report -q -i $forks/trace.dat "$tmp/alone" -x 'cat events/raw_syscalls/sys_enter/hist'
checked grep -q 'Hits: 23' "$tmp.out" || fail_file 'not only the shell is counted:' "$tmp.out"
hist slim -q -i $forks/trace.dat $forks/triggers -o "$tmp/slim.dat"
hist report -q -i "$tmp/slim.dat" $forks/triggers -x 'cat events/sched/sched_switch/hist' --keep-going
mv "$tmp.out" "$tmp/slimmed"
hist report -q -i $forks/trace.dat $forks/triggers -x 'cat events/sched/sched_switch/hist' --keep-going
stdout_is_file "$tmp/slimmed"
hist report -i trace.dat-samples/switch.dat -x 'echo event-fork > trace_options' -x 'cat trace_options'
stderr_has 'no sched:sched_process_fork'

done_testing
