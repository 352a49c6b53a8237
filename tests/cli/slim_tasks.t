#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist slim with --pid, --comm, --tree, --cpu: the smaller recording gives the results of the
# selection without these options, in each way of counting, and lacks the events of other tasks.
. tests/cli/lib.sh

sample=tests/cli/recipes/tasks.dat
small=$tmp/small.dat
pid=$("$HIST" report -i $sample -e sched_switch --by next_comm,next_pid | sed -n 's/^{ next_comm: thr-1 .*next_pid: *\([0-9]*\) .*/\1/p')

# same SELECTION SCRIPT...: the words of SELECTION are options
same()
{
	selection=$1
	shift
	# shellcheck disable=SC2086 # words
	hist slim -q -i $sample -o "$small" $selection "$@"
	status_is 0
	for way in auto order; do
		# shellcheck disable=SC2086
		hist report -q --plan $way -i $sample $selection "$@"
		status_is 0
		mv "$tmp.out" "$tmp/want"
		hist report -q --plan $way -i "$small"
		status_is 0
		stdout_is_file "$tmp/want"
	done
}

# records EVENT: their number in the smaller recording
records()
{
	hist list -e -i "$small"
	sed -n "s/^ *\([0-9]*\)  $1\$/\1/p" "$tmp.out"
}

for selection in "--pid $pid" '--comm thr-*' '--comm dd' '--comm !dd' '--tree work-fork' "--pid $pid --comm dd" \
	'--cpu 1' '--cpu 0 --comm thr-*' '--from +0.01 --comm thr-*'; do
	it "the results of $selection"
	same "$selection" -e sched_switch --by next_comm
	same "$selection" -e sched_switch -R 'hist:keys=prev_pid,prev_comm:sort=hitcount'
	same "$selection" -e sys_enter -R 'hist:keys=common_pid.execname,id' -e sched_waking --by comm,target_cpu
	same "$selection" -e sched_waking -R 'hist:keys=pid:ts=common_timestamp' -e sched_switch \
		-R 'hist:keys=next_pid,next_comm:d=common_timestamp-$ts:onmax($d).save(prev_comm)'
	same "$selection" -e sys_enter -e sched_switch -x 'cat trace'
done

it 'contains only the events of the tasks, and those of the scheduler about them'
same '--comm thr-*' -e sys_enter --by id
hist report -i $sample -e sys_enter --by id --comm 'thr-*'
want=$(sed -n 's/^ *Hits: //p' "$tmp.out")
checked [ "$(records raw_syscalls:sys_enter)" = "$want" ] || fail_file "not $want:" "$tmp.out"
same "--pid $pid" -e sched_switch --by next_comm
want=$(sed -n 's/^ *Hits: //p' "$tmp.out")
checked [ "$(records sched:sched_switch)" = "$want" ] || fail_file "not $want:" "$tmp.out"

it 'a name is that at the time: other records may have it, but are not counted'
same '--comm thr-*' -e sys_enter --by comm -e task_rename --by newcomm -e sched_switch --by prev_comm

it 'a selection from a smaller recording is that of both'
same '--comm thr-*' -e sched_switch --by next_comm,prev_comm
hist slim -q -i "$small" -o "$tmp/both.dat" --pid "$pid"
status_is 0
hist report -q -i "$small" --pid "$pid"
status_is 0
mv "$tmp.out" "$tmp/want"
hist report -q -i "$tmp/both.dat"
stdout_is_file "$tmp/want"
checked [ -s "$tmp/want" ] || fail 'no output'

it 'around hits, all tasks are kept and counted'
hist slim -i $sample -o "$small" -e sched_switch -R "hist:keys=next_pid:n=next_pid" --comm 'thr-1' \
	--around "next_pid==$pid" --context 1000s
status_is 0
hist report -q -i $sample -e sched_switch --by next_comm
mv "$tmp.out" "$tmp/want"
hist report -q -i "$small" -e sched_switch --by next_comm
stdout_is_file "$tmp/want"

done_testing
