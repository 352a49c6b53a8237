#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Filters of questions: names, units and devices for numbers; -f after a recipe; times of -D. The
# number that a word stands for is written out for comparison.
. tests/cli/lib.sh
layout=hist

samples=trace.dat-samples
recipes=tests/cli/recipes

# same_as WORDS NUMBERS ARG...: both filters count the same, and something
same_as()
{
	words=$1 numbers=$2
	shift 2
	hist report -q "$@" -f "$numbers" --by common_cpu
	status_is 0
	grep -v '^# trigger info' "$tmp.out" >"$tmp/want"
	checked grep -q 'hitcount: *[1-9]' "$tmp/want" || fail "nothing has $numbers"
	hist report -q "$@" -f "$words" --by common_cpu
	status_is 0
	grep -v '^# trigger info' "$tmp.out" >"$tmp/got"
	holds diff "$tmp/want" "$tmp/got"
}

it 'a number has the names of the print fmt, of system calls and of errors'
same_as 'prev_state == D' 'prev_state == 2' -i $samples/wakeup.dat -e sched_switch
same_as 'prev_state == R' 'prev_state == 0' -i $samples/wakeup.dat -e sched_switch
same_as 'prev_state == R+' 'prev_state == 256' -i $samples/switch.dat -e sched_switch
same_as 'prev_state == R+||prev_state == D' 'prev_state == 256 || prev_state == 2' -i $samples/switch.dat -e sched_switch
same_as 'prev_state & S || prev_prio < 100' 'prev_state & 1 || prev_prio < 100' -i $samples/wakeup.dat -e sched_switch
same_as 'id == openat' 'id == 257' -i $samples/syscalls.dat -e sys_enter
same_as 'id == sys_read && common_pid != 0' 'id == 0 && common_pid != 0' -i $samples/syscalls.dat -e sys_enter
same_as 'ret == -ENOENT' 'ret == -2' -i $samples/syscalls.dat -e sys_exit
same_as 'ret == ENOENT' 'ret == -2' -i $samples/syscalls.dat -e sys_exit
same_as 'error == ENOENT' 'error == 2' -i $samples/syscalls.dat syscall-errors
same_as 'sig == SIGCHLD' 'sig == 17' -i $recipes/tasks.dat -e signal_generate
same_as 'dev == 254:0' 'dev == 266338304' -i $recipes/7.3.dat -e block_rq_issue
same_as 'dev == 254,0' 'dev == 266338304' -i $recipes/7.3.dat -e block_rq_issue
same_as 'gfp_flags & GFP_ATOMIC' 'gfp_flags & 2080' -i $samples/kmalloc.dat -e kmalloc
same_as 'gfp_flags == GFP_KERNEL|__GFP_ZERO' 'gfp_flags == 3520' -i $samples/kmalloc.dat -e kmalloc

it 'a time has the unit of its field, rounded up, and a size bytes'
same_as 'ns >= 1ms' 'ns >= 1000000' -i $samples/wakeup.dat -e derived:wait
same_as 'us >= .1ms' 'us >= 100' -i $samples/wakeup.dat tests/cli/wakeup_latency.script
same_as 'us >= 99001ns' 'us >= 100' -i $samples/wakeup.dat tests/cli/wakeup_latency.script
same_as 'ns >= .1ms' 'ns >= 100000' -i $samples/wakeup.dat wakeup-latency
for kilo in 1K 1k 1KB 1KiB; do
	same_as "bytes_req >= $kilo" 'bytes_req >= 1024' -i $samples/kmalloc.dat -e kmalloc
done

it 'a text needs no quotes, and a glob compares the text, not what follows its NUL'
same_as 'prev_comm == init' 'prev_comm == "init"' -i $samples/wakeup.dat -e sched_switch
same_as 'prev_comm ~ *nit' 'prev_comm == "init"' -i $samples/wakeup.dat -e sched_switch
same_as 'prev_comm ~ "*nit"' 'prev_comm == "init"' -i $samples/wakeup.dat -e sched_switch
same_as 'prev_comm ~ "i??t"' 'prev_comm == "init"' -i $samples/wakeup.dat -e sched_switch
same_as 'COMM ~ *nit' 'COMM == "init"' -i $samples/wakeup.dat -e sched_switch
same_as 'next_pid.process ~ *-1-*' 'next_pid.process ~ "alpha-1-133"' -i tests/cli/processes.dat -e sched_switch
hist report -q -i $samples/wakeup.dat -e sched_switch --comm '*nit' --by prev_comm
cp "$tmp.out" "$tmp/got"
hist report -q -i $samples/wakeup.dat -e sched_switch --comm 'init' --by prev_comm
stdout_is_file "$tmp/got"
hist report -q -i $samples/wakeup.dat -e sched_switch -R 'hist:keys=prev_comm if prev_comm ~ "*nit"'
stdout_has '^    Hits: 0$'

it 'a filter that nothing passes is noted'
hist report -i $samples/wakeup.dat -e sched_switch -f 'prev_comm == nobody' --by prev_comm
status_is 0
stderr_is 'hist: note: no sched:sched_switch event passes the filter prev_comm == nobody'
hist report -i $samples/wakeup.dat off-cpu -f 'state == Q'
stderr_has 'note: no derived:task_state event passes the filter .*state == Q'

it 'an unknown word is an error that lists the names'
hist report -i $samples/wakeup.dat -e sched_switch -f 'prev_state == Q' --by prev_comm
status_is 1
stderr_has '^    prev_state == Q$'
stderr_has 'prev_state is a number, or one of the names 0=R 1=S 2=D '
hist report -i $samples/wakeup.dat -e sched_switch -f 'prev_prio == 10ms' --by prev_comm
status_is 1
stderr_has 'prev_prio is a number without names and units that the recording knows; texts are quoted'
hist report -i $samples/syscalls.dat -e sys_exit -f 'ret == -EAGIAN' --by id
status_is 1
stderr_has 'there is no error EAGIAN; nearest: EAGAIN'
hist report -i $samples/wakeup.dat wakeup-latency -f 'ns > 10msec'
status_is 1
stderr_has 'ns is a time: a number, or one with a unit: 10ms, 500us, 20ns, 1.5s'
hist report -i $samples/wakeup.dat -e sched_switch -f 'prev_comm == 5' --by prev_comm
status_is 1
stderr_has 'strings: comm == "bash"'
hist report -i $samples/wakeup.dat -e sched_switch -f 'prev_comm == init*' --by prev_comm
status_is 1
stderr_has 'strings: comm == "bash", comm ~ "kworker\*"'
hist report -i $recipes/7.3.dat -e block_rq_issue -f 'dev == sda' --by dev
status_is 1
stderr_has 'dev is the number of a device, major:minor, as in lsblk: dev == 8:0'
hist report -i $samples/wakeup.dat wakeup-latency -f 'us > 100'
status_is 1
stderr_has "the length is in the field ns, and times have units: 'ns > 100us'"

it 'a trigger that the user writes has numbers, as in the kernel'
hist report -i $samples/wakeup.dat -e sched_switch -R 'hist:keys=prev_comm if prev_state == D'
status_is 1
stderr_has 'Invalid value .did you forget quotes.'
hist report --strict-kernel -i $samples/wakeup.dat -e sched_switch -f 'prev_state == D' -R hist:keys=prev_comm
status_is 1
stderr_has 'Invalid value .did you forget quotes.'

it 'a text in a filter may have newlines; elsewhere they are blanks'
cat >"$tmp/marks.py" <<'E'
import sys

data = open(sys.argv[1], "rb").read()
assert data.count(b"a_b\n") == 1
open(sys.argv[1], "wb").write(data.replace(b"a_b\n", b"a\nb\n"))
E
printf '%s\n' '   sh-10  [000] .....   100.000001: tracing_mark_write: a_b' \
	'   sh-10  [000] .....   100.000002: tracing_mark_write: a b' >"$tmp/marks.txt"
hist import -q "$tmp/marks.txt" -o "$tmp/marks.dat"
python3 "$tmp/marks.py" "$tmp/marks.dat"
text='a
b'
hist report -q -i "$tmp/marks.dat" -e ftrace:print --by buf -f "buf ==
\"$text\"" --format json
status_is 0
stdout_has '"buf":"a.u000ab"'
stdout_lacks '"buf": "a b"'
hist report -q -i "$tmp/marks.dat" -x "table ftrace:print by buf if buf !=
 '$text'" --format csv
stdout_is 'buf,hitcount
a b,1'
# a recipe, whose tables are text, with one filter more
printf '# marks: Which marks?\ntable ftrace:print by buf if buf != "c"\n' >"$tmp/marks.hist"
hist report -q -i "$tmp/marks.dat" "$tmp/marks.hist" -f "buf == \"$text\"" --by buf --format json
stdout_has '"buf":"a.u000ab"'
stdout_lacks '"buf": "a b"'
# a smaller recording has the question as text
hist slim -q -i "$tmp/marks.dat" -o "$tmp/slim.dat" -e ftrace:print --by buf -f "buf == \"$text\""
status_is 0
hist report -q -i "$tmp/slim.dat" --format json
stdout_has '"buf":"a.u000ab"'
hist report -q -i "$tmp/marks.dat" -e ftrace:print --by buf -f "buf == 'a
b' || b == 1"
status_is 1
stderr_has '^-f:1:7: error: .*Field not found'

it '-f after a recipe filters its result, also if --by groups it'
hist report -q -i $samples/wakeup.dat wakeup-latency -f 'ns > 100us && comm == "init"'
status_is 0
holds test "$(awk '/^    Hits:/ { print $2 }' "$tmp.out" | head -1)" = 9
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script -f 'us > 100 && comm == "init"'
holds test "$(awk '/^    Hits:/ { print $2 }' "$tmp.out" | sort -u)" = 9
hist report -q -i $samples/wakeup.dat wakeup-latency -f "ns > 100us && comm == 'init'" --by comm
status_is 0
holds test "$(awk '/^    Hits:/ { print $2 }' "$tmp.out")" = 9
hist report -q -i $samples/wakeup.dat wakeup-latency -D comm=init -f 'ns > 100us' --by comm
holds test "$(awk '/^    Hits:/ { print $2 }' "$tmp.out")" = 9
hist report -i $samples/wakeup.dat wakeup-latency -f 'nothing > 100'
status_is 1
stderr_has 'derived:wait has pid, comm, prio, kind, ns, cpu'
hist report -i $samples/wakeup.dat -x 'cat set_event' -f 'us > 100'
status_is 2
stderr_has '-f, --by and --sum need an -e EVENT [(]-e all: any[)], a --sql or a recipe'
echo 'cat set_event' >"$tmp/none.script"
hist report -i $samples/wakeup.dat "$tmp/none.script" -f 'us > 100'
status_is 1
stderr_has 'none.script prints no histogram of an event that -f could filter'

it '-D takes times for parameters whose default has a unit'
hist recipe wakeup-latency -D min=1.5ms
stdout_has ' && ns >= 1500us &&'
stdout_has 'if us >= 1500 &&'
hist recipe syscall-latency -D min=2us
stdout_has 'if ns >= 2000 &&'
hist recipe wakeup-latency -D min=77
stdout_has ' && ns >= 77us &&'
hist recipe wakeup-latency -D min=1ns
stdout_has ' && ns >= 1us &&'
hist recipe wakeup-latency
stdout_has ' && ns >= @min@us &&'
for value in 10x ms 1.5 -1 ''; do
	hist recipe wakeup-latency -D min="$value"
	status_is 2
	stderr_has "-D:1:5: error: min takes a time such as 10ms or 500us, not '$value'"
done

it 'names what a filter cannot compare, and the nearest system call'
hist report -i trace.dat-samples/syscalls.dat -e sys_enter -f 'id == reed' --by id
stderr_has 'note: there is no system call reed; nearest: read'
hist report -i trace.dat-samples/syscalls.dat -e sys_enter -f 'id == sys_reed' --by id
stderr_has 'note: there is no system call reed; nearest: read'
hist report -i trace.dat-samples/switch.dat -e sched_switch -f 'prev_pid == next_pid' --by prev_comm
stderr_has 'note: a filter compares a field with a number or a text; hist sql compares two fields: .* WHERE prev_pid = next_pid$'
hist report -i trace.dat-samples/switch.dat -e sched_switch -f 'NOT prev_pid == 1' --by prev_comm
stderr_has 'note: operators: == != .* ! and parentheses'

done_testing
