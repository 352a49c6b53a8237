#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record -o -: a trace.dat that is read while it is written, and later as any other.
. tests/record/lib.sh

have python3 || skip_all 'python3 is not installed'
numbers=$tmp/numbers
${CC:-cc} -D_GNU_SOURCE -o "$numbers" tests/record/numbers.c 2>/dev/null || skip_all 'no C compiler'
[ -d "$tracefs/events/syscalls/sys_enter_lseek" ] || skip_all 'no events of system calls'
export TMPDIR="$tmp"

# stream FILE ARG...: record to it through a pipe
stream()
{
	file=$1
	shift
	with_others
	("$HIST" record -o - "$@" 9<&- 2>"$tmp.err"; echo $? >"$tmp/status") | cat >"$file"
	after_others
	status=$(cat "$tmp/status")
	no_leftovers
	checked [ -z "$(ls -d "$tracefs/instances"/*."$$" 2>/dev/null)" ] || fail 'an instance is left'
}

# other programs have the same numbers
filter="fd == $((4294967296 - $$))"

# what the numbers of a file are, as hist reads them
numbers_of()
{
	"$HIST" events -q -i "$1" -e sys_enter_lseek -f "$filter" --fields offset --format csv | sed 1d
}

it 'has each event once, and nothing but the trace is on standard output'
stream "$tmp/s.dat" -b 4096 -e syscalls:sys_enter_lseek -e sched sh -c "echo hello; $numbers 100000 3000 -$$; exit 3"
status_is 3
stderr_has '^hello$'
stderr_has 'standard output: [0-9]+ events of [0-9]+ CPUs .*, 0 lost'
numbers_of "$tmp/s.dat" >"$tmp/found"
checked [ "$(seq 100000 | cksum)" = "$(cksum <"$tmp/found")" ] || fail "numbers: $(head -n 1 "$tmp/found") to $(tail -n 1 "$tmp/found")"
hist list -i "$tmp/s.dat"
status_is 0
stderr_lacks 'truncated|damage'
stdout_has 'tasks +[0-9]+ tasks, complete'
machine_is_unchanged

it 'gives the answers of the same events in a file'
# on one CPU: from Linux 6.13 on, a task can move to another one between the recordings' probes of a system call
with_others
"$HIST" record -q -o - -C mono -b 4096 -e syscalls:sys_enter_lseek -f "$filter" \
	"$HIST" record -q -o "$tmp/f.dat" -C mono -b 4096 -e syscalls:sys_enter_lseek -f "$filter" taskset -c 0 "$numbers" 50000 3000 -$$ 9<&- >"$tmp/s.dat"
after_others
for question in '--by common_cpu,offset' '-R hist:keys=common_pid.execname:vals=offset' '-R hist:keys=offset.log2:sort=offset' '--by comm,process --format json'; do
	for f in f s; do
		# shellcheck disable=SC2086 # several words
		"$HIST" report -q -i "$tmp/$f.dat" -e sys_enter_lseek $question 2>&1 | sed "s,$tmp/$f.dat,FILE,; s,\"span\":{[^}]*}\,,," >"$tmp/$f.txt"
	done
	checked diff "$tmp/f.txt" "$tmp/s.txt" >"$tmp/differ" || fail_file "$question:" "$tmp/differ"
	checked [ -s "$tmp/f.txt" ] || fail 'no answer'
	# shellcheck disable=SC2086 # as above
	"$HIST" report -q -i - -e sys_enter_lseek $question <"$tmp/s.dat" 2>&1 | sed 's,standard input,FILE,; s,"span":{[^}]*}\,,,' >"$tmp/s.txt"
	checked cmp "$tmp/f.txt" "$tmp/s.txt" || fail "-i -: $question"
done
# each recording has times of its own, so the same +0.02 may cut between different events
for f in f s; do
	for plan in order range plain; do
		"$HIST" report -q -i "$tmp/$f.dat" -j 2 --plan=$plan --from +0.02 -e sys_enter_lseek -R 'hist:keys=offset.log2' >"$tmp/$f.$plan.txt" 2>&1
		checked cmp "$tmp/$f.$plan.txt" "$tmp/$f.order.txt" || fail "--plan=$plan"
	done
	checked grep -q '^Totals' "$tmp/$f.order.txt" || fail_file 'no answer' "$tmp/$f.order.txt"
done
hist slim -i "$tmp/s.dat" -e sys_enter_lseek -R 'hist:keys=offset' -o "$tmp/slim.dat"
status_is 0
dat=$tmp/slim.dat
checked [ "$(report | grep -c sys_enter_lseek)" = 50000 ] || fail 'hist slim makes another file of it for trace-cmd'
dat=$tmp/t.dat

it 'loses events, and counts them, if the reader is too slow'
with_others
("$HIST" record -o - -b 256 -e raw_syscalls sh -c "$load 1500000; : >$tmp/loaded" 9<&- 2>"$tmp.err"; echo $? >"$tmp/status") |
	(head -c 3000000; while [ ! -e "$tmp/loaded" ]; do sleep 0.1; done; cat) >"$tmp/s.dat"
after_others
status=$(cat "$tmp/status")
status_is 0
stderr_has 'events were lost'
stderr_lacks 'events were left'
hist report -i "$tmp/s.dat" -e sys_enter -R hist:keys=common_cpu
status_is 0
stderr_has 'CPU [0-9]+ lost [0-9]+ events'

it 'ends when its reader does'
with_others
("$HIST" record -o - -e sched_switch sleep 1 9<&- 2>"$tmp.err"; echo $? >"$tmp/status") | head -c 100 >/dev/null
after_others
status=$(cat "$tmp/status")
status_is 125
stderr_has 'the reader of the stream ended before the recording'
no_leftovers
machine_is_unchanged

it 'leaves no file behind if it is killed'
alone
mkdir "$tmp/files"
for _ in 1 2; do
	rm -f "$tmp/killed.dat"
	TMPDIR=$tmp/files "$HIST" record -q -o - -e sched_switch sleep 100 9<&- >"$tmp/killed.dat" &
	killed=$!
	wait_until test -s "$tmp/killed.dat"
	checked [ -n "$(ls "$tmp/files")" ] || fail 'there is no work directory'
	kill -9 $killed
	wait $killed 2>/dev/null
	wait_until rmdir "$tmp/files"
	mkdir -p "$tmp/files"
done
# what is in the kernel
with_others
"$HIST" record -q -o "$tmp/f.dat" -e sched_switch true 9<&-
after_others
no_leftovers

it 'refuses options that do not belong together'
hist record -o - --rotate 1G -e sched_switch true
status_is 125
stderr_has -- '-o - takes no --keep, --rotate, -m, --live, --recover, --dump and --take'

done_testing
