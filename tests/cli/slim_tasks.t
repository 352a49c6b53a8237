#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist slim with --pid, --comm, --tree, --cpu: the smaller recording gives the results of the
# selection without these options, in each way of counting, and lacks the events of other tasks.
. tests/cli/lib.sh
layout=hist

sample=tests/cli/recipes/tasks.dat
small=$tmp/small.dat
pid=$("$HIST" report --format hist -i $sample -e sched_switch --by next_comm,next_pid | sed -n 's/^{ next_comm: thr-1 .*next_pid: *\([0-9]*\) .*/\1/p')

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

it 'around hits of a smaller recording, its selection stays'
same '--comm thr-*' -e sys_enter --by comm -e task_rename --by newcomm -e sched_switch --by prev_comm
same '--comm thr-*' -e sys_enter --by comm -e sched_switch --by prev_comm
hist slim -q -i "$small" -o "$tmp/around.dat" -e sched_switch -R 'hist:keys=prev_pid:n=prev_pid' \
	--around 'prev_pid>=0' --context 1000s
status_is 0
hist report -q -i "$small"
mv "$tmp.out" "$tmp/want"
hist report -q -i "$tmp/around.dat" -e sys_enter --by comm -e sched_switch --by prev_comm
stdout_is_file "$tmp/want"
hist list -i "$tmp/around.dat"
stdout_has '^  only         comm thr-\*$'

it 'other selections are not counted together, and not combined'
for selection in "--pid $pid" '--comm thr-*' '--to +0.01' "--pid $pid --cpu 0"; do
	# shellcheck disable=SC2086 # options
	hist slim -q -i $sample $selection -o "$tmp/$(echo "$selection" | tr -c 'a-z0-9\n' _).dat" -e sched_switch --by next_pid
done
cp "$tmp/__pid_$pid.dat" "$tmp/pid.dat"
for other in "$tmp/__comm_thr__.dat" "$tmp/__to__0_01.dat" $sample; do
	for inputs in "-i $tmp/pid.dat -i $other" "-i $other -i $tmp/pid.dat"; do
		# shellcheck disable=SC2086 # options
		hist report $inputs -e sched_switch --by next_pid
		status_is 2
		stderr_has "cannot be counted together: hist slim selected .*pid $pid"
	done
	hist import "$tmp/pid.dat" "$other" -o "$tmp/combined.dat"
	status_is 2
	stderr_has 'pid.dat: hist slim selected tasks, CPUs or times, which a combined recording would not contain'
done
hist report -i "$tmp/pid.dat" -i "$tmp/__pid_${pid}___cpu_0.dat" -e sched_switch --by next_pid --format json
status_is 0
stdout_has "\"selection\":.\"cpu\":\"all; 0\",\"pid\":\"$pid\"."

it 'saved events tell what was selected'
hist report -i $sample --pid "$pid" -e sched_switch --by next_pid --save-events "$tmp/saved.dat" --format json
selection=$(grep -o '"selection":{[^}]*}' "$tmp.out")
hist report -i "$tmp/saved.dat" -e sched_switch --by next_pid --format json
checked [ -n "$selection" ] || fail 'no selection'
checked [ "$(grep -o '"selection":{[^}]*}' "$tmp.out")" = "$selection" ] ||
	fail_file 'another selection:' "$tmp.out"

it 'refuses a damaged selection'
hist slim -q -i $sample --pid 77 --compression none -o "$tmp/one.dat" -e sched_switch --by next_pid
hist report -i "$tmp/one.dat"
status_is 0
for bad in 'task 7 77' 'task 99 7'; do
	sed "s/task 0 77$/$bad/" "$tmp/one.dat" >"$tmp/bad.dat"
	hist report -i "$tmp/bad.dat"
	status_is 2
	stderr_has 'bad.dat: the selection of hist slim is damaged'
done

it 'the names of the tasks of its records are known, even if its script did not need them'
hist slim -q -i trace.dat-samples/kmalloc.dat -o "$small" -e kmalloc --by bytes_req.log2
for option in '--comm grep' '--exemplars 3'; do
	# shellcheck disable=SC2086 # options
	hist report -i trace.dat-samples/kmalloc.dat $option --format json -e kmalloc --by bytes_req.log2
	sed 's/"file":"[^"]*"//; s/"caveats":.*//' "$tmp.out" >"$tmp/want"
	# shellcheck disable=SC2086
	hist report -i "$small" $option --format json -e kmalloc --by bytes_req.log2
	sed 's/"file":"[^"]*"//; s/"caveats":.*//' "$tmp.out" >"$tmp/got"
	stderr_lacks 'left out'
	checked grep -q 'hitcount' "$tmp/got" || fail 'no rows'
	holds cmp "$tmp/want" "$tmp/got"
done

it 'the keys task, process, cmdline and names of others are those of the time'
for question in '-e raw_syscalls:sys_enter --by task' '-e raw_syscalls:sys_enter --by process' \
	'-e raw_syscalls:sys_enter --by cmdline,id' '-e sched_waking --by pid.task,comm' wakers \
	'-e sched_switch --by prev_pid.task,next_pid.process' '-e derived:syscall --by task,comm'; do
	for sample in trace.dat-samples/switch.dat trace.dat-samples/syscalls.dat $sample; do
		# shellcheck disable=SC2086 # words
		hist slim -q -i "$sample" -o "$small" $question
		[ "$status" = 0 ] || continue
		# shellcheck disable=SC2086
		hist report -q -i "$sample" --format json $question
		sed 's/"file":"[^"]*"//; s/"caveats":.*//' "$tmp.out" >"$tmp/want"
		# shellcheck disable=SC2086
		hist report -q -i "$small" --format json $question
		sed 's/"file":"[^"]*"//; s/"caveats":.*//' "$tmp.out" >"$tmp/got"
		holds cmp "$tmp/want" "$tmp/got"
	done
done

it 'the journal has all tasks that its records name'
hist slim -q -i "$sample" -o "$small" -e sched_switch --by next_pid.task --comm dd
hist report -q -i "$sample" --comm dd -e sched_switch --by next_pid.task
mv "$tmp.out" "$tmp/want"
hist report -q -i "$small"
stdout_is_file "$tmp/want"

it 'warns if names are needed that a smaller recording of an older version lacks'
hist slim -q -i trace.dat-samples/kmalloc.dat --compression none -o "$tmp/new.dat" -e kmalloc --by bytes_req.log2
sed 's/^name [0-9][0-9][0-9]/names 0 /' "$tmp/new.dat" >"$small"
hist report -i "$small"
status_is 0
stderr_is ''
for option in '--comm grep' '--exemplars 1'; do
	# shellcheck disable=SC2086 # options
	hist report -i "$small" $option --strict
	status_is 2
	stderr_has 'names of tasks may be those of another time: hist slim left out the events with names'
done

it 'a name that a task had before and in a part of the time needs no records from before it'
if have python3; then
	# a task is renamed after a quarter of its interrupts, and has another name at the end
	python3 -B - "$tmp/renamed.dat" <<'END'
import sys
sys.path.insert(0, "tests/answers")
from machines import machine
from machines.recording import Event, Shape
events = []
for i in range(1000):
    ts = 10**9 + i * 10**6
    if i == 250:
        events.append(Event(machine.RENAME, ts - 500, 0, 20, dict(pid=20, oldcomm="old", newcomm="sh", oom_score_adj=0)))
    events.append(Event(machine.IRQ, ts, 0, 20, dict(irq=1, name="timer"), 8))
    events.append(Event(machine.IRQ_END, ts + 1000, 0, 20, dict(irq=1, ret=1), 8))
Shape().write(sys.argv[1], [machine.IRQ, machine.IRQ_END, machine.RENAME], [events], [(20, "later")])
END
	hist slim -q -i "$tmp/renamed.dat" -o "$small" --from 1.9 -e derived:irq --by comm
	hist report -q -i "$small" --format csv
	stdout_is 'comm,hitcount
sh,100'
	hist list -q -i "$small"
	stdout_has '^top buffer: 2[0-9][0-9] events'
fi

it 'the journal of a smaller recording may lack a task that its records name'
cat >"$tmp/lacks.py" <<'END'
import sys
sys.argv = ["", sys.argv[1]]
sys.path.insert(0, "tests/cli")
import freeze_write as f
f.cpus[1].append(f.Event(f.WAKING, 2 * 10**9, 1, 40, {"comm": "last", "pid": 40, "prio": 120, "target_cpu": 0}, comm="last"))
f.Shape.tasks = lambda s: s.option(0x4854, f.journal.encode()) + s.option(0x4845, b"only time\0")
f.Shape().write(sys.argv[1], f.TYPES, f.cpus, [])
END
python3 -B "$tmp/lacks.py" "$tmp/lacks.dat"
hist report -q -i "$tmp/lacks.dat" -e sched_waking --by common_comm --format csv
stdout_is 'common_comm,hitcount
sh,3
last,1'

done_testing
