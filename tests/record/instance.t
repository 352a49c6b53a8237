#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record -B: a new instance, and an existing one.
. tests/record/lib.sh

i=$tracefs/instances/test.$$
trap 'rmdir "$i" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT

it 'creates and removes an instance, and the file contains its name'
record -B "test.$$" -e sched:sched_switch sleep 0.1
status_is 0
report_has "^test\\.$$: .*sched_switch:"
checked [ ! -d "$i" ] || fail 'the instance is left'
counts_agree

settings()
{
	(cd "$i" && for f in tracing_on trace_clock buffer_size_kb buffer_percent set_event set_event_pid \
		set_event_notrace_pid current_tracer options/* events/sched/sched_switch/filter \
		events/sched/sched_waking/trigger; do echo "$f: $(cat "$f" 2>/dev/null)"; done)
}

it 'restores an existing instance'
mkdir "$i"
echo 1 >"$i/events/sched/sched_wakeup/enable"
echo 'next_pid > 3' >"$i/events/sched/sched_switch/filter"
echo stacktrace >"$i/events/sched/sched_waking/trigger"
echo 777 >"$i/set_event_pid"
echo 0 >"$i/options/overwrite"
settings >"$tmp/settings"
record -B "test.$$" -C mono -b 300 -T -e sched:sched_switch,sched:sched_waking -f 'common_pid > 0' sleep 0.1
status_is 0
report_has "^test\\.$$: .*sched_switch:"
report_lacks 'sched_wakeup:'
settings | checked diff - "$tmp/settings" >"$tmp/diff" || fail_file 'not as before:' "$tmp/diff"
rmdir "$i" || fail 'the instance is in use'

for kb in 4 8 32 128; do
	it "records with sub-buffers of $kb KB"
	mkdir "$i"
	if echo $kb >"$i/buffer_subbuf_size_kb"; then
		record -B "test.$$" -b 4096 -e raw_syscalls "$load" 20000
		status_is 0
		counts_agree
	else
		skip 'this kernel has one size only'
	fi 2>/dev/null
	rmdir "$i"
done

it 'restores the machine'
machine_is_unchanged

done_testing
