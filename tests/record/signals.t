#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: the machine is restored and the file is readable, whatever ends the recording.
. tests/record/lib.sh

for sig in INT TERM HUP QUIT; do
	it "SIG$sig ends a recording without a command with status 0"
	start -e sched:sched_switch
	recording
	sleep 0.1
	kill -$sig "$pid"
	end
	status_is 0
	counts_agree
	checked [ ! -d "$tracefs/instances/hist.$pid" ] || fail 'the instance is left'
	no_leftovers

	it "SIG$sig is passed to the command, too"
	case $sig in # shells ignore two of them for background jobs
	INT | QUIT) trapped=TERM ;;
	*) trapped=$sig ;;
	esac
	rm -f "$tmp/traps"
	start -e sched:sched_switch sh -c "trap 'exit 9' $trapped; sleep 0.1; : >$tmp/traps; while :; do sleep 0.05; done"
	wait_until test -e "$tmp/traps"
	kill -$trapped "$pid"
	end
	status_is 9
	counts_agree
	no_leftovers
done

# longer than any recording takes to be written
stubborn="trap '' TERM; : >$tmp/ignores; exec sleep 600"

# end_stubborn: wait for the recording, then end the command
end_stubborn()
{
	end
	status_is 143
	stderr_has 'sh \(process [0-9]+\) continues'
	command=$(sed -n 's/.*sh (process \([0-9]*\)) continues.*/\1/p' "$tmp.err")
	[ -z "$command" ] || kill -KILL "$command"
}

it 'does not wait for a command that ignores the signal'
start -e sched:sched_switch sh -c "$stubborn"
wait_until test -e "$tmp/ignores"
sleep 0.1
kill -TERM "$pid"
end_stubborn
counts_agree
no_leftovers

it 'nor for one after a second signal'
rm -f "$dat" "$tmp/ignores"
start -e sched:sched_switch sh -c "$stubborn"
wait_until test -e "$tmp/ignores"
sleep 0.1
kill -TERM "$pid"
# a second one while the file is written would interrupt that
wait_until test -e "$dat"
kill -TERM "$pid"
end_stubborn
counts_agree
no_leftovers

it 'an ignored signal remains ignored'
alone
(
	trap '' HUP
	exec 9<&-
	exec "$HIST" record -o "$tmp/t.dat" -e sched:sched_switch --duration 3 >"$tmp.out" 2>"$tmp.err"
) &
pid=$!
recording
kill -HUP "$pid"
end
status_is 0
seconds=$(sed -n 's/.* in \([0-9.]*\) s,.*/\1/p' "$tmp.err")
checked awk "BEGIN { exit ${seconds:-0} < 2.9 }" || fail "ended after $seconds s"

it 'after kill -9, the next recording cleans up, and --recover writes the file'
rm -f "$tmp"/t.dat*
start -e sched -e raw_syscalls
recording
"$load" 20000
kill -KILL "$pid"
end
checked [ -d "$tracefs/instances/hist.$pid" ] || fail 'no instance was left: nothing is tested'
hist record -e sched:sched_switch -o "$tmp/other.dat" true
status_is 0
stderr_has 't\.dat was killed while it was recorded: hist record --recover -o .*t\.dat'
checked [ ! -d "$tracefs/instances/hist.$pid" ] || fail 'the instance is left'
record --recover
status_is 0
stderr_has 'recovered .*t\.dat: [0-9]+ bytes'
# Data between the kernel and the disk, in a pipe for each CPU, is lost with the recorder.
in_file=$(report | grep -c .)
handed_out=$(sum 'read events')
missing=$((handed_out - in_file))
case $((missing >= 0 && missing < 5000 * $(nproc))) in
0) fail "events in the file: $in_file, handed out by the kernel: $handed_out" ;;
esac
checked [ "$(sum entries)" = 0 ] || fail 'events are left in the kernel'
[ "$(report | checked grep -c 'sys_enter:')" -gt 40000 ] || fail 'events are missing'
no_leftovers
record --recover
status_is 125
stderr_has 'nothing to recover'

it 'a killed recording keeps the latest data with -m'
start -m 100 -b 500 -e raw_syscalls
recording
"$load" 20000
kill -KILL "$pid"
end
record --recover
status_is 0
report | awk '{ for (i = 1; i < 5; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { t = $i + 0; if (t < last) bad = 1; last = t } } END { exit bad || NR == 0 }' ||
	fail 'out of order, or empty'

it 'settings of an existing instance are restored after kill -9'
mkdir "$tracefs/instances/test.$$"
i=$tracefs/instances/test.$$
echo 1 >"$i/events/sched/sched_wakeup/enable"
echo 'pid > 3' >"$i/events/sched/sched_wakeup/filter"
settings()
{
	(cd "$i" && for f in tracing_on trace_clock buffer_size_kb set_event set_event_pid options/* \
		events/sched/sched_wakeup/filter events/sched/sched_switch/trigger; do echo "$f: $(cat "$f")"; done)
}
settings >"$tmp/settings"
start -B "test.$$" -C mono -T -b 333 -F -e sched -f 'common_pid > 1' sleep 5
is_set()
{
	[ "$(cat "$i/tracing_on")" = 1 ] && grep -q '\[mono\]' "$i/trace_clock"
}
wait_until is_set
sleep 0.1
kill -KILL "$pid"
end
settings | cmp -s - "$tmp/settings" && fail 'nothing was changed: nothing is tested'
record --recover
settings | checked diff - "$tmp/settings" >"$tmp/diff" || fail_file 'not as before:' "$tmp/diff"
rmdir "$i" || fail 'the instance is in use'

done_testing
