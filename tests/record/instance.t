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

# Options of a tracer belong to it in all instances (func-no-repeats, sleep-time; this one is of nop).
option=$tracefs/options/test_nop_accept
[ -e "$option" ] || option=/nonexistent
it 'puts back an option of a tracer, which may be that of the whole machine'
if [ -e "$option" ]; then
	was=$(cat "$option") other=$((1 - $(cat "$option")))
	no=
	[ $other = 1 ] || no=no
	for b in '' "-B test.$$"; do
		# shellcheck disable=SC2086 # an option and its argument
		record $b -O "${no}test_nop_accept" -e sched:sched_switch sleep 0.1
		status_is 0
		checked [ "$(cat "$option")" = "$was" ] || fail "it is $(cat "$option") after $b"
	done
	record -O "${no:+no}test_nop_accept" -O "${no}test_nop_accept" -e sched:sched_switch sleep 0.1
	status_is 0
	checked [ "$(cat "$option")" = "$was" ] || fail "it is $(cat "$option") after two changes"
fi

it 'puts it back also after a kill'
alone
if [ -e "$option" ]; then
	"$HIST" record -o "$dat" -O "${no}test_nop_accept" -e sched:sched_switch \
		sh -c ': >"$1"; sleep 10' sh "$tmp/runs" >/dev/null 2>&1 9<&- &
	pid=$!
	wait_until test -e "$tmp/runs"
	kill -KILL $pid
	wait $pid
	run "$HIST" record -o "$dat" --recover 9<&-
	status_is 0
	checked [ "$(cat "$option")" = "$was" ] || fail "it is $(cat "$option")"
fi

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
