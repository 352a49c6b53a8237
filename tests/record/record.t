#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: the file contains what was requested, and the exit status reports the result.
. tests/record/lib.sh
layout=hist

# Whether the kernel copies texts written to trace_marker to instances.
copies_markers()
{
	mkdir "$tracefs/instances/test.$$" || return
	[ -e "$tracefs/instances/test.$$/options/copy_trace_marker" ]
	copies=$?
	rmdir "$tracefs/instances/test.$$"
	return $copies
}

it 'records as many events as the kernel counted'
record -e sched:sched_switch sleep 0.2
status_is 0
stderr_has 't\.dat: [0-9]+ events of [0-9]+ CPUs'
counts_agree
no_leftovers
machine_is_unchanged

it 'records a hundred thousand events without loss'
record -e raw_syscalls "$load" 30000
counts_agree
[ "$(report | checked grep -c .)" -gt 100000 ] || fail 'too few events'

it 'contains the first event of the command'
record -F -e sched:sched_process_exec true
report_has 'sched_process_exec:.*filename=.*/true'

it 'renames an existing file to .old'
record -e sched:sched_switch true
cp "$tmp/t.dat" "$tmp/before"
record -e sched:sched_switch true
holds cmp "$tmp/before" "$tmp/t.dat.old"

for codec in none zlib zstd; do
	it "writes -z $codec"
	record -z $codec -e sched:sched_switch sleep 0.05
	status_is 0
	if [ $codec = zlib ] && ! trace-cmd list -c | grep -q zlib; then
		events=$(sed -n 's/.*t\.dat: \([0-9]*\) events.*/\1/p' "$tmp.err")
		hist report -i "$tmp/t.dat" -e sched_switch -R 'hist:keys=common_cpu'
		stdout_has "Hits: $events\$"
	else
		counts_agree
	fi
done
it 'rejects an unknown codec'
record -z lz9 -e sched true
status_is 125

it 'exits with the status of the command'
record -e sched:sched_switch sh -c 'exit 7'
status_is 7
record -e sched:sched_switch sh -c 'kill -USR1 $$'
status_is 138
: >"$tmp.why"

it 'reports a command that does not exist or cannot run, and writes no file'
rm -f "$tmp"/t.dat*
record -e sched:sched_switch ./no/such/command
status_is 127
stderr_has 'cannot run .*no/such/command: No such file'
record -e sched:sched_switch /etc/passwd
status_is 126
stderr_has 'cannot run /etc/passwd: Permission denied'
checked [ ! -e "$tmp/t.dat" ] || fail 'there is a file'
no_leftovers

it 'passes options after the command to the command'
record -e sched:sched_switch sh -c 'exit 3' -q -v --nonsense
status_is 3

it 'stops after --duration'
record --duration 0.2 -e sched:sched_switch
status_is 0
counts_agree
record --duration 0.1 -e sched:sched_switch sh -c 'sleep 0.3; exit 5'
status_is 5

it 'accepts comma lists, globs, systems and exclusions'
record -e sched:sched_switch,sched/sched_waking -e 'sched:sched_process_*' -v -e sched:sched_process_exit true
status_is 0
report_has 'sched_switch:'
report_has 'sched_waking:'
report_has 'sched_process_exec:'
report_lacks 'sched_process_exit:'
report_lacks 'sched_stat_runtime:'
record -e sched_switch true
report_has 'sched_switch:'

it 'filters in the kernel'
record -e sched:sched_process_exec -f 'filename ~ "*true"' sh -c '/bin/true; /bin/sh -c :'
report_has 'filename=.*true'
report_lacks 'filename=.*/sh'
record -e sched:sched_process_exec -f 'filename ~ "*true"' -f 'pid < 0' true
[ "$(report | checked grep -c .)" = 0 ] || fail 'two -f do not both have to hold'

it 'filters with names of numbers, units and words: the kernel gets the numbers and texts'
converts()
{
	record -e "$1" -f "$2" true
	hist list -i "$tmp/t.dat"
	stdout_has "^  filter +$3\$"
}
converts sched_switch 'prev_state == D || next_comm ~ kwork*' 'sched:sched_switch prev_state == 2 [|][|] next_comm ~ "kwork[*]"'
converts raw_syscalls:sys_exit 'id == getpid && ret == EAGAIN' 'raw_syscalls:sys_exit id == [0-9]+ && ret == -11'
converts sched:sched_stat_runtime 'runtime >= 1.5ms' 'sched:sched_stat_runtime runtime >= 1500000'
converts sched:sched_process_exec '(filename ~ "*tr=u e") && pid > 0x10' 'sched:sched_process_exec [(]filename ~ "[*]tr=u e"[)] && pid > 0x10'
if [ -d "$tracefs/events/syscalls/sys_enter_openat" ]; then
	converts sys_enter_openat 'filename ~ "*pass wd*" && flags == 0' 'syscalls:sys_enter_openat filename[.]ustring ~ "[*]pass wd[*]" && flags == 0'
	: >"$tmp/opened-file"
	record -e sys_enter_openat -f 'filename ~ *opened-file' cat "$tmp/opened-file"
	[ "$(report | checked grep -c openat)" = 1 ] || fail 'not the one openat() of this file'
fi
# two events, of which one has the name
record -e irq:softirq_entry,irq:softirq_raise -f 'vec == TIMER' true
hist list -i "$tmp/t.dat"
stdout_has 'irq:softirq_entry vec == 1$'
stdout_has 'irq:softirq_raise vec == 1$'
hist record -q -o "$tmp/s.dat" -e sched:sched_switch -f 'prev_state == S' -R 'hist:keys=prev_state' sh -c 'sleep 0.1; sleep 0.1'
hist events -q -i "$tmp/s.dat" --format csv --fields prev_state
checked [ "$(sed 1d "$tmp.out" | sort -u)" = 1 ] || fail 'other states than S were recorded'

it 'limits to the command with -F, and to its children with -c'
record -F -e sched:sched_process_exec sh -c '/bin/true; :'
report_lacks 'filename=/bin/true'
record -F -c -e sched:sched_process_exec sh -c '/bin/true; :'
report_has 'filename=/bin/true'

it 'derives what the recorded tasks did, and nothing of others'
# on one CPU, so that it is seen when others run
record -F -e sched taskset -c 0 sh -c 'sleep 0.1; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do /bin/true; done'
hist list "$tmp/t.dat"
stdout_has '^  only         task [0-9]+$'
hist report -i "$tmp/t.dat" -e derived:task_state --by comm
stdout_has '\{ comm: sh '
stdout_lacks 'comm: sleep'
stderr_has 'only events of task [0-9]+ were recorded; [0-9]+ derived events of other tasks were left out'
record -F -c -e sched sh -c 'sleep 0.1; /bin/true'
hist report -i "$tmp/t.dat" -e derived:task_state --by comm
stdout_has 'comm: sleep '
stderr_has 'only events of task [0-9]+ and its children were recorded'

it 'limits to a process with -P, and ends when that ends'
sh -c 'until [ -e "$1" ]; do sleep 0.05; done; exec /bin/true' sh "$tmp/go" &
process=$!
start -P $process -e sched:sched_process_exec
recording
/bin/false
: >"$tmp/go"
wait $process
end
status_is 0
report_has "true.*pid=$process "
report_lacks 'filename=/bin/false'
not_alone
record -P 2147483647 -e sched true
status_is 125
stderr_has '-P 2147483647: no such process'

it 'records stacks with -T'
record -T -e sched:sched_process_exec true
report_has 'kernel_stack'

it 'keeps the latest of each CPU with -m'
record -m 40K -b 1000K -e raw_syscalls "$load" 20000
status_is 0
stderr_has 'latest 40 KB of each CPU were kept)'
size=$(trace-cmd report --stat "$tmp/t.dat" | sed -n 's/^ *\([0-9]*\) bytes in size.*/\1/p' | sort -n | tail -n 1)
case $((size > 0 && size <= 40960)) in
0) fail "a CPU has $size bytes" ;;
esac
report | checked awk '{ for (i = 1; i < 5; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { t = $i + 0; if (t < last) bad = 1; last = t } } END { exit bad }' ||
	fail 'out of order'

it 'sets the clock'
record -C mono -e sched:sched_switch true
status_is 0
trace-cmd dump --options -i "$tmp/t.dat" 2>/dev/null | checked grep -q '\[mono\]' || fail 'the file does not name the clock'

it 'runs the command as another user'
if id nobody >/dev/null 2>&1; then
	record --user nobody -e sched:sched_switch sh -c 'id -un; echo $USER'
	stdout_is 'nobody
nobody'
else
	skip 'there is no user nobody'
fi
record --user no-such-user -e sched:sched_switch true
status_is 125

it 'reports losses in the kernel, and stores them'
record -b 8 -e raw_syscalls "$load" 100000
if [ "$(sum overrun)" -gt 0 ]; then
	stderr_has "$(sum overrun) lost"
	stderr_has 'warning: .* events were lost: CPU'
else
	stderr_has ' 0 lost'
fi
record --no-overwrite -b 8 -e raw_syscalls "$load" 100000
checked [ "$(sum overrun)" = 0 ] || fail 'old events were overwritten'
dropped=$(sum 'dropped events')
stderr_has " $dropped lost"
hist report --format json -i "$tmp/t.dat" -e sys_enter -R 'hist:keys=common_cpu'
[ "$dropped" = 0 ] || stderr_has 'CPU [0-9]+ dropped [0-9]+ events because its buffer was full'
stdout_has "\"lost_events\":$dropped,"

it 'names the events that only tracers record'
record -S function-time true
status_is 0
stderr_has 'ftrace:funcgraph_entry is not recorded: .*-p function'

if copies_markers; then
	it 'records texts written to trace_marker'
	record -e sched:sched_switch sh -c "echo beside >$tracefs/trace_marker"
	status_is 0
	hist report -i "$tmp/t.dat" -e print --by buf
	stdout_has '^\{ buf: beside '

	it '-e print records only markers'
	for e in print ftrace:print; do
		record -e $e sh -c "echo only $$ >$tracefs/trace_marker"
		status_is 0
		hist list -i "$tmp/t.dat" --format csv
		checked [ "$(sed 1d "$tmp.out" | cut -d , -f 3)" = ftrace:print ] || fail_file 'not only markers:' "$tmp.out"
		# other programs may write to it, too
		hist events -q -i "$tmp/t.dat"
		checked [ "$(grep -c "print: *tracing_mark_write: only $$\$" "$tmp.out")" = 1 ] || fail_file 'not one:' "$tmp.out"
	done
	record_fails "the kernel does not filter ftrace:print: .*use -f 'buf ~" -e print -f 'buf ~ "*x*"' true
	record -e print --by buf sh -c "echo counted >$tracefs/trace_marker"
	hist report -i "$tmp/t.dat"
	stdout_has '^\{ buf: counted '
	record -e print -S marker-slices sh -c "echo 'B|1|draw' >$tracefs/trace_marker; echo E >$tracefs/trace_marker"
	hist report -i "$tmp/t.dat"
	stdout_has '^\{ name: draw '
	record -S marker-slices sh -c "echo 'B|1|alone' >$tracefs/trace_marker; echo E >$tracefs/trace_marker"
	status_is 0
	hist report -i "$tmp/t.dat"
	stdout_has '^\{ name: alone '
	record -e print -R 'hist:keys=buf' true
	status_is 125
	stderr_has "hist:ftrace:print: Couldn't find field"

	it '-v -e print excludes markers from a private instance'
	record -e sched:sched_switch -v -e print sh -c "echo beside >$tracefs/trace_marker"
	status_is 0
	hist list -i "$tmp/t.dat"
	stdout_lacks 'ftrace:print'

	it 'lets other programs write to trace_marker while it starts and ends'
	alone
	(
		while [ ! -e "$tmp/end" ]; do
			echo beside || echo failed >>"$tmp/failed"
		done >"$tracefs/trace_marker" 2>/dev/null
	) &
	writer=$!
	for _ in 1 2 3; do
		record -e print,sched:sched_process_exec true
		status_is 0
	done
	: >"$tmp/end"
	wait $writer
	[ ! -e "$tmp/failed" ] || fail "$(grep -c . "$tmp/failed") texts were refused"
fi
it 'names the option for other events of ftrace'
record -e function true
status_is 125
stderr_has '; -p function and -p function_graph record the others'

it 'stores the options of the recording'
record -e sched_switch -R "hist:keys=next_comm if next_comm ~ \"it's\"" true
status_is 0
checked grep -a -q "echo 'hist:keys=next_comm if next_comm ~ \"it'.*s\"' >> events/sched/sched_switch/trigger" "$tmp/t.dat" ||
	fail 'the trigger is not in the file'

it 'prints nothing with -q'
record -q -e sched:sched_switch true
stderr_is ''

it 'leaves nothing behind'
no_leftovers
machine_is_unchanged

done_testing
