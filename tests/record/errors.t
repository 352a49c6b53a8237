#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: an error message contains a remedy, and is printed before anything is changed.
. tests/record/lib.sh

it 'usage errors have status 125'
record_fails 'nothing to record: name events with -e EVENT' true
record_fails '-f needs an -e' -f 'a==1' true
record_fails '-R needs an -e' -R 'hist:keys=pid' true
record_fails '-F needs a COMMAND' -F -e sched
record_fails '-c needs -F or -P' -c -e sched true
record_fails '--user needs a COMMAND' --user nobody -e sched
record_fails "-b takes kilobytes, or a number with K, M or G, such as 10M, not 'many'" -b many -e sched true
record_fails '-m takes kilobytes' -m 0 -e sched true
record_fails '-m takes kilobytes' -m M -e sched true
record_fails '-m takes kilobytes' -m 99999999999999999999G -e sched true
record_fails '-P takes process ids' -P 1,x -e sched
record_fails '--duration takes a time' --duration soon -e sched
record_fails '--compression takes none, zlib or zstd' -z gzip -e sched true
record_fails '--recover does not record' --recover -e sched
record_fails 'there is no option --no-such-option' --no-such-option -e sched true
record_fails '-l, -n, -g and --max-graph-depth need a tracer: -p function or -p function_graph' -l vfs_read -e sched true
record_fails '-O takes the name of a file of options/' -O ../x -e sched true

it 'a tracer, function or option that the kernel does not have'
record_fails 'unknown tracer nosuch; this kernel has: ' -p nosuch true
record_fails 'unknown tracer 123; this kernel has: .*; -P is for a process' -p 123 true
for setting in '-g vfs_read' '-l vfs_read' '-n vfs_read' '--max-graph-depth 3' '-O nosleep-time' '-O nosuch'; do
	# shellcheck disable=SC2086 # an option and its argument
	record_fails 'unknown tracer nosuch; this kernel has: ' -p nosuch $setting true
done
grep -qw function_graph "$tracefs/available_tracers" ||
	record_fails 'unknown tracer function_graph; this kernel has: ' -p function_graph -g vfs_read true
record_fails '-O such-option: this kernel has no such option' -O nosuch-option -e sched:sched_switch true

it 'a question in place of events'
record_fails 'nothing to record: .*, or the question: -S wakeup-latency$' wakeup-latency sleep 0.1

it 'an unknown event: lists the nearest names'
record_fails 'no event sched:sched_swich; nearest: sched:sched_switch' -e sched:sched_swich true
record_fails 'no event sched_swich; nearest: sched:sched_switch' -e sched_swich true
record_fails 'no event of this kernel matches sched:foo\*; hist list --live shows all' -e 'sched:foo*' true
record_fails '; -p function and -p function_graph record the others' -e ftrace:function true
record_fails 'no event nosuchsystem:' -e sched,nosuchsystem:thing true

it 'an invalid filter: prints the kernel'"'"'s message and caret'
record_fails 'filter of sched:sched_switch: Field not found' -e sched:sched_switch -f 'next_pid > 0 && foo == 1' true
grep -A 2 'Field not found' "$tmp.err" | tail -n 2 >"$tmp/caret"
cat >"$tmp/want" <<'END'
    next_pid > 0 && foo == 1
                        ^
END
holds cmp "$tmp/want" "$tmp/caret"
record_fails 'sched:sched_waking: Field not found' -e 'sched:sched_switch,sched:sched_waking' -f 'next_pid > 0' true
record_fails 'sched:sched_switch has prev_comm, .*next_prio, and' -e sched:sched_switch -f 'foo == 1' true
record_fails "filter of sched:sched_switch: Too many '\('" -e sched:sched_switch -f '(next_pid > 0' true
record_fails "filter of sched:sched_switch: Too few '\('" -e sched:sched_switch -f 'next_pid > 0)' true
record_fails 'filter of sched:sched_switch: Missing matching quote' -e sched:sched_switch -f 'next_comm ~ "sh' true

it 'an unknown clock: lists the existing ones'
record_fails 'unknown clock sundial; this kernel has: .*local' -C sundial -e sched true

it 'a buffer larger than memory'
record_fails '-b 99999999999: .*KB of memory are free' -b 99999999999 -e sched true

it 'a file that cannot be written'
# missing directories are made, but not in place of a file
: >"$tmp/no"
record_fails 'no/dir.*: Not a directory' -e sched -o "$tmp/no/dir/x.dat" true
record_fails 'is not a regular file' -e sched -o "$tmp" true
record_fails 'is not a regular file' -e sched -o /dev/null true
checked [ -c /dev/null ] || fail 'no more /dev/null'

it 'an invalid name of an instance'
record_fails 'cannot be the name of an instance' -B a/b -e sched true
record_fails 'cannot be the name of an instance' -B .. -e sched true

it 'live triggers on a kernel without them'
if grep -q 'hist:keys=' "$tracefs/README"; then
	skip 'this kernel has hist triggers'
else
	record_fails '--live: this kernel has no hist triggers' --live -e sched:sched_switch -R 'hist:keys=next_comm' true
fi
record_fails '--live needs a hist trigger' --live -e sched true
record_fails '--live must record every event .*no -f' --live -e sched:sched_switch -f 'next_pid > 1' -R 'hist:keys=next_comm' true

it 'without permission: names those who have it'
if have setpriv && cp "$HIST" "$tmp/hist" && chmod 755 "$tmp" "$tmp/hist" &&
	! setpriv --reuid=65534 --clear-groups ls "$tracefs/events" >/dev/null 2>&1; then
	mkdir -m 777 "$tmp/out"
	run setpriv --reuid=65534 --clear-groups "$tmp/hist" record -e sched -o "$tmp/out/t.dat" true
	status_is 125
	stderr_has 'Permission denied'
	stderr_has 'sudo.* or (with CAP_DAC_OVERRIDE|as a member of group)'
	checked [ -z "$(ls "$tmp/out")" ] || fail 'left something behind'
else
	skip 'cannot become an ordinary user without access to tracefs'
fi

it 'a name in a filter that the field does not have'
record_fails 'note: there is no error EAGIAN; nearest: EAGAIN' -e sys_exit -f 'ret == -EAGIAN' true
record_fails 'note: prev_state is a number, or one of the names .*2=D' -e sched_switch -f 'prev_state == Q' true
record_fails 'prev_pid' -e sched_switch -f 'prev_pid = 1' true

it 'an output that cannot get its name is rejected before anything is recorded'
for output in '' "$tmp/none/"; do
	hist record -o "$output" -e sched:sched_process_exec touch "$tmp/ran"
	status_is 125
	stderr_has 'is not the name of a file'
done
touch "$tmp/o.dat"
mkdir "$tmp/o.dat.old"
hist record -o "$tmp/o.dat" -e sched:sched_process_exec touch "$tmp/ran"
status_is 125
stderr_has 'o\.dat cannot be renamed to .*/o\.dat\.old, which is a directory'
checked [ ! -e "$tmp/ran" ] || fail 'the command ran'
checked [ -z "$(ls -d "$tmp"/*.part.* .part.* 2>/dev/null)" ] || fail 'a work directory is left'

it 'changes nothing'
machine_is_unchanged

done_testing
