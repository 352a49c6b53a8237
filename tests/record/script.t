#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record -R, -S, --synth: a script is checked before anything is recorded, and stored; all
# events that it needs are recorded.
. tests/record/lib.sh
layout=hist

# bare: `hist report` of the recording without arguments
bare()
{
	hist report -i "$tmp/t.dat"
	status_is 0
}

it 'report without arguments runs the stored script, except for its cat lines'
cat >"$tmp/wakeup" <<'END'
#!/bin/sh
# how long do tasks wait?
echo 'wakeup_latency u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).wakeup_latency($lat,next_pid,next_comm)' \
	>> events/sched/sched_switch/trigger
echo 'hist:keys=comm:sort=comm' >> events/synthetic/wakeup_latency/trigger
cat events/synthetic/wakeup_latency/hist
END
record -S "$tmp/wakeup" sh -c 'sleep 0.05; sleep 0.05'
status_is 0
stdout_is ''
counts_agree
bare
# the shell is woken when its commands end, on a CPU that is not idle
stdout_has '^\{ comm: sh '
stdout_lacks 'next_pid'
cp "$tmp.out" "$tmp/answer"
hist report -i "$tmp/t.dat" "$tmp/wakeup"
stdout_is_file "$tmp/answer"

it 'uses the clock that the kernel would switch to'
clock_is()
{
	trace-cmd dump --options -i "$tmp/t.dat" 2>/dev/null | checked grep -q "\\[$1\\]" || fail "the clock is not $1"
}
clock_is global
record -S "$tmp/wakeup" -C boot true
clock_is boot
record -e sched_switch -R 'hist:keys=next_comm:clock=mono:ts=common_timestamp' true
clock_is mono
echo 'echo mono_raw > trace_clock' >"$tmp/clock"
record -S "$tmp/clock" -e sched_switch -R 'hist:keys=next_comm' true
status_is 0
clock_is mono_raw
record -e sched_switch -R 'hist:keys=next_comm' true
clock_is local

it 'several parts form one script'
record --synth 'waking pid_t pid' -e sched:sched_waking -R 'hist:keys=comm:p=pid:onmatch(sched.sched_waking).waking($p)' \
	-e sched_switch -R "hist:keys=next_comm if next_comm != \"it's\"" sleep 0.05
status_is 0
bare
stdout_has '^==> events/sched/sched_waking/hist <==$'
stdout_has '^==> events/sched/sched_switch/hist <==$'
stdout_has "if next_comm != \"it's\" \\[active\\]"

it 'reads the script from standard input'
record -S - true <"$tmp/wakeup"
status_is 0
hist report -i "$tmp/t.dat" --show synthetic:wakeup_latency
status_is 0

it 'records the events that actions and other triggers name, too'
cat >"$tmp/needs" <<'END'
echo 'hist:keys=pid:pause' >> events/sched/sched_process_exit/trigger
echo 'enable_hist:sched:sched_process_exit' >> events/sched/sched_process_exec/trigger
echo 1 > events/sched/sched_process_wait/enable
echo 'hist:keys=child_pid' >> events/sched/sched_process_fork/trigger
echo '!hist:keys=child_pid' >> events/sched/sched_process_fork/trigger
END
record -F -c -S "$tmp/needs" sh -c '/bin/true; /bin/true'
status_is 0
for event in exit exec wait fork; do
	report_has "sched_process_$event:"
done
report_lacks 'sched_switch:'
bare
stdout_has 'Hits: [2-9]$'

it 'execname also records the events that contain comms'
record -F -c -e raw_syscalls:sys_enter -R 'hist:keys=common_pid.execname' sh -c '/bin/true; :'
report_has 'sched_process_fork:'
report_has 'task_rename:'
bare
stdout_has 'common_pid: sh  '

it 'a stack key also records stacks, only for that event'
record -e sched:sched_process_exec -e sched:sched_process_fork -R 'hist:keys=common_stacktrace' sh -c '/bin/true; :'
status_is 0
forks=$(report | grep -c 'sched_process_fork:')
stacks=$(report | grep -c 'kernel_stack:')
checked [ "$stacks" = "$forks" ] || fail "$forks forks, $stacks stacks"
bare
stderr_lacks 'stack that was not recorded'
stdout_has '^ +[a-z0-9_.]*(fork|clone)[a-z0-9_.]*\+0x'

it 'the options of a script for stacks are those of the recording'
printf 'echo 1 > %s\n' options/userstacktrace options/stacktrace events/sched/sched_process_fork/enable \
	>"$tmp/options"
echo 'echo 0 > options/stacktrace' >>"$tmp/options"
record -S "$tmp/options" sh -c '/bin/true; :'
status_is 0
report_has 'kernel_stack:'
report_has 'user_stack:'

it 'rejects what the kernel would reject, and shows the position'
record_fails "^-R:1:11: error: hist:sched:sched_switch: Couldn't find field" -e sched_switch -R 'hist:keys=nix' true
grep -A 2 'find field' "$tmp.err" | tail -n 1 | checked grep -q '^              ^~~$' || fail_file 'no caret:' "$tmp.err"
echo "echo 'hist:keys=pid:vals=nix' >> events/sched/sched_waking/trigger" >"$tmp/bad"
record_fails "bad:1:26: error: hist:sched:sched_waking: Couldn't find field" -S "$tmp/bad" true
echo 'echo hist:keys=pid >> events/sched/sched_wakin/trigger' >"$tmp/bad"
record_fails 'sched_wakin.*nearest: sched:sched_waking' -S "$tmp/bad" true
echo 'ls events' >"$tmp/bad"
record_fails 'bad:1' -S "$tmp/bad" true
record_fails 'no/such/script: No such file' -S "$tmp/no/such/script" true
record_fails 'this kernel has no event sched_swich; nearest: sched:sched_switch' -e sched_swich -R 'hist:keys=pid' true
record_fails '-R needs one event, but sched:\* may match several' -e 'sched:*' -R 'hist:keys=common_pid' true
record_fails 'Illegal name|[Ii]nvalid' --synth 'my-event u64 x' -e sched_switch true

it 'creates the probes of a script for the recording'
cp /bin/true "$tmp/probed"
# the entry point of the program: e_entry of the ELF header, 4 or 8 bytes (EI_CLASS is 1 or 2)
size=$(($(od -A n -t u1 -j 4 -N 1 "$tmp/probed") * 4))
entry=$(od -A n -t "x$size" -j 24 -N "$size" "$tmp/probed" | tr -d ' ')
cat >"$tmp/probe" <<END
echo 'p:test_$$/begin $tmp/probed:0x$entry' >> uprobe_events
echo 'hist:keys=common_cpu' >> events/test_$$/begin/trigger
END
if [ -w "$tracefs/uprobe_events" ]; then
	record -S "$tmp/probe" sh -c "'$tmp/probed'; '$tmp/probed'"
	status_is 0
	report_has 'begin:'
	bare
	stdout_has 'Hits: 2$'
	! checked grep "test_$$" "$tracefs/dynamic_events" >/dev/null || fail 'the probe is left'
	checked [ ! -d "$tracefs/events/test_$$" ] || fail 'its event is left'
else
	skip 'this kernel has no uprobe_events'
fi

it 'uses an existing probe, and does not remove it'
if [ -w "$tracefs/uprobe_events" ]; then
	head -n 1 "$tmp/probe" | sed "s/^echo '//; s/' >>.*//" >>"$tracefs/uprobe_events"
	record -S "$tmp/probe" "$tmp/probed"
	status_is 0
	stderr_has 'already exists and is used as it is'
	bare
	stdout_has 'Hits: 1$'
	checked grep "test_$$" "$tracefs/dynamic_events" >/dev/null || fail 'the probe is gone'
	echo "-:test_$$/begin" >>"$tracefs/uprobe_events"
else
	skip 'this kernel has no uprobe_events'
fi

it 'a probe that the kernel rejects: prints the kernel'"'"'s message'
echo "echo 'p:test_$$/begin $tmp/none:0x10' >> uprobe_events" >"$tmp/bad"
if [ -w "$tracefs/uprobe_events" ]; then
	record_fails 'uprobe_events: Failed to find the given file' -S "$tmp/bad" -e sched_switch true
else
	skip 'this kernel has no uprobe_events'
fi

it 'prints each warning about a script once'
cat >"$tmp/backslash" <<'END'
echo 'hist:keys=next_comm if next_comm ~ "a\*"' >> events/sched/sched_switch/trigger
END
record -S "$tmp/backslash" true
status_is 0
checked [ "$(grep -c 'gets a backslash' "$tmp.err")" = 1 ] || fail_file 'not once:' "$tmp.err"

it 'restores the machine'
no_leftovers
machine_is_unchanged

it '--sql records what the statement needs, and report without arguments runs it'
query='SELECT end.next_comm AS comm, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat
	FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid'
record --sql "$query" --by comm sh -c 'sleep 0.05; sleep 0.05'
status_is 0
counts_agree
bare
stdout_has '^\{ comm: sh '
cp "$tmp.out" "$tmp/sql"
hist report -i "$tmp/t.dat" --sql "$query" --by comm
stdout_is_file "$tmp/sql"
record --sql "wl=$query" -e wl --by lat.log2 sh -c 'sleep 0.05'
status_is 0
bare
stdout_has 'trigger info: hist:keys=lat.log2:vals=hitcount:sort=lat.log2'
record --synth 'far u64 lat' -e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' \
	-e sched_switch -R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).far($lat)' \
	-e synthetic:far --by lat.log2 sh -c 'sleep 0.05'
status_is 0
bare
stdout_has 'trigger info: hist:keys=lat.log2:vals=hitcount:sort=lat.log2'
record_fails 'this kernel has no event wl' -e wl --by lat true
record_fails 'no_such' --sql 'SELECT no_such FROM sched_waking' true

it 'an -R after --sql is a trigger of its event, and a recipe has its names of other tools'
record --sql "wl=$query" -R 'hist:keys=lat.log2' sh -c 'sleep 0.05'
status_is 0
bare
stdout_has 'hist:keys=lat.log2:'
record -S runqlat sh -c 'sleep 0.05'
status_is 0
stderr_has 'using the recipe wakeup-latency'

it '--by records a histogram of the events of -e, with --sum and -f'
record -e sched_waking -f 'pid != 0' --by comm -e sched_switch --by next_comm,hist\(next_prio\) --sum next_prio sh -c 'sleep 0.05'
status_is 0
counts_agree
bare
stdout_has 'trigger info: hist:keys=comm:vals=hitcount:sort=hitcount.descending:size=2048 \[active\]'
stdout_has 'trigger info: hist:keys=next_comm,next_prio.log2:vals=hitcount,next_prio:sort=next_prio.descending'
stdout_has '^\{ comm: sh '
record_fails 'needs one event, but sched_\* may match several' -e 'sched_*' --by common_pid true
record_fails 'Couldn.t find field' -e sched_switch --by nonesuch true
record_fails '-f, --by and --sum need an -e EVENT [(]-e all: any[)], a --sql or a recipe' --by comm true

it 'a recipe is stored with its form for kernels, which --strict-kernel and check use; -D counts for both'
record -S wakeup-latency -D min=1us -e sched_switch --by next_comm sh -c 'sleep 0.05; sleep 0.05'
status_is 0
bare
stdout_has 'trigger info: hist:keys=comm:vals=hitcount,ns:.* if kind == "woken" && ns >= 1us'
hist report --strict-kernel -i "$tmp/t.dat"
status_is 0
stdout_has 'trigger info: hist:keys=comm:vals=hitcount,us:.* if us >= 1 '
stdout_has '^\{ comm: sh .* us: +[1-9]'
stdout_lacks ' ns:'
hist check -i "$tmp/t.dat"
status_is 0

it 'slices of two events record these events, and their definition is stored'
record -e derived:slice --slice-begin 'sys_enter if id == openat' --slice-end sys_exit --by name,comm --sum ns ls /
status_is 0
hist list -i "$tmp/t.dat"
stdout_has 'raw_syscalls:sys_enter$'
stdout_has 'raw_syscalls:sys_exit$'
bare
stdout_has '^\{ name: sys_enter +, comm: ls +\} hitcount: +[1-9][0-9]*  ns: +[1-9]'
record_fails 'nearest:' -e derived:slice --slice-begin sys_ent --slice-end sys_exit --by name true
record_fails 'Field not found' -e derived:slice --slice-begin 'sys_enter if ids == 1' --slice-end sys_exit --by name true

done_testing
