#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Fields of other types than derived events expect: an error, and no number is taken for the address of a text.
. tests/cli/lib.sh

# changed_types ERRORS RECORDING EVENT KEYS: at least so many changes are errors; a smaller recording may keep further events
changed_types()
{
	it "derived:$3: each field with other types"
	hist slim -q -z none -i "tests/cli/recipes/$2" -o "$tmp/plain.dat" -e "derived:$3"
	status_is 0
	run tests/cli/field_types.py "$HIST" "$tmp/plain.dat" "$tmp" -e "derived:$3" --by "$4" --sum ns
	status_is 0
	stdout_has '^[0-9]* errors$'
	holds test "$(sed 's/ errors$//' "$tmp.out")" -ge "$1"
}

changed_types 124 6.12.dat block_io dev,op,comm
changed_types 213 6.12.dat delay common_comm,culprit_comm
changed_types 22 6.12.dat softirq_wait name
changed_types 44 6.12.dat lock_wait kind
changed_types 44 6.12-graph.dat function func
changed_types 12 marker.dat slice name

it 'names that are numbers in a text are names'
cat >"$tmp/numbers.txt" <<'END'
               7-7     [000] d..2.  2.000000: sched_switch: prev_comm=7 prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=8 next_pid=8 next_prio=120
               8-8     [000] d..2.  2.000100: sched_waking: comm=7 pid=7 prio=120 target_cpu=000
               8-8     [000] d.h2.  2.000150: irq_handler_entry: irq=3 name=5
               8-8     [000] d.h2.  2.000160: irq_handler_exit: irq=3 ret=handled
               8-8     [000] d..2.  2.000200: sched_switch: prev_comm=8 prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=7 next_pid=7 next_prio=120
END
hist report -q -i "$tmp/numbers.txt" -e derived:wait --by comm --sum ns --format csv
stdout_is "comm,hitcount,ns,inexact
7,1,100000,true"
hist report -q -i "$tmp/numbers.txt" -e derived:irq --by name,comm --sum ns --format csv
stdout_is "name,comm,hitcount,ns,inexact
5,8,1,10000,true"
hist report -q -i "$tmp/numbers.txt" -e derived:task_state --by comm,next_state --format csv
status_is 0

done_testing
