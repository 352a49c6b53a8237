# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Library of the tests of recording: . tests/record/lib.sh
#
# A test is skipped if it cannot create a private instance of tracefs. Tests record only what they
# start themselves, in private instances or in instances test.PID that they create.
. tests/cli/lib.sh

tracefs=$(sed -n 's/^[^ ]* \([^ ]*\) tracefs .*/\1/p' /proc/mounts | head -n 1)

[ "$(id -u)" = 0 ] || skip_all 'recording needs root'
if [ -z "$tracefs" ]; then
	mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || skip_all 'no tracefs'
	tracefs=/sys/kernel/tracing
fi
mkdir "$tracefs/instances/test.$$" 2>/dev/null || skip_all 'no instance of tracefs can be made'
rmdir "$tracefs/instances/test.$$"
[ -d "$tracefs/events/sched/sched_switch" ] || skip_all 'no sched events'
have trace-cmd || skip_all 'trace-cmd is not installed'
have flock || skip_all 'flock is not installed'

# Each recording cleans up after killed ones. So recordings of tests that run at the same time share
# a lock; one that is to be killed holds it exclusively until it is cleaned up. Whoever waits for the
# lock holds a second one, so that those that come later do not overtake.
exec 9<"$tracefs/instances"
alone=
in_turn()
{
	(flock 8 && flock "$1" 9) 8<"$tracefs/events"
}
alone()
{
	[ -n "$alone" ] || in_turn -x
	alone=yes
}
not_alone()
{
	flock -u 9
	alone=
}
# not beside a recording that is to be killed, until after_others
with_others()
{
	[ -n "$alone" ] || in_turn -s
}
after_others()
{
	[ -n "$alone" ] || flock -u 9
}

# pids REGEX: the processes whose command matches it; as pgrep, which is not installed everywhere
pids()
{
	perl -e 'for (glob "/proc/[0-9]*/cmdline") {
		my ($pid) = /(\d+)/;
		open(my $f, "<", $_) or next;
		print "$pid\n" if $pid != $$ && join(" ", split /\0/, <$f> // "") =~ $ARGV[0];
	}' "$1"
}

# wait_until COMMAND...: until it succeeds, however busy the machine is; the test has failed if it never does
wait_until()
{
	waited=0
	until "$@" 2>/dev/null; do
		waited=$((waited + 1))
		[ $waited -lt $((${RUN_TIMEOUT:-60} * 20)) ] || {
			fail "never: $*"
			return 1
		}
		sleep 0.05
	done
}

# Where thousands of tasks begin in a second, the journal of tasks loses events, which a recording reports; then
# names are guesses, and a test that fails shows nothing.
journal_lost=
note_journal()
{
	! grep -q 'the journal of tasks lost' "$tmp.err" || journal_lost=yes
}
excuse()
{
	[ -z "$journal_lost" ] || [ ! -s "$tmp.why" ] || skip 'the journal of tasks lost events'
	journal_lost=
}

done_testing()
{
	excuse
	tap_finish
	echo "1..$tap_number"
	exit 0
}

# it NAME: end the previous test with its lock, and start the next one
it()
{
	excuse
	tap_finish
	not_alone
	tap_start "$1"
}

# hist ARG...: run the program, while no recording is being killed
hist()
{
	with_others
	run_hist "$@" 9<&-
	note_journal
	after_others
}

# record ARG...: hist record to $tmp/t.dat
record()
{
	hist record -o "$tmp/t.dat" "$@"
}

# the file that the functions below read
dat=$tmp/t.dat

# print the text of trace-cmd, one line per event
report()
{
	trace-cmd report "$dat" 2>/dev/null | grep -v '^cpus=' | grep -v 'EVENTS DROPPED'
}

# sum NAME: over all CPUs, from the kernel's statistics in the file
sum()
{
	trace-cmd report --stat "$dat" 2>/dev/null | awk -F': *' -v n="$1" '$1 == n { s += $2 } END { print s + 0 }'
}

# nothing_lost: the file contains as many events as were read, according to the kernel
nothing_lost()
{
	in_file=$(report | grep -c .)
	checked [ "$in_file" = "$(sum 'read events')" ] ||
		fail "events in the file: $in_file, handed out by the kernel: $(sum 'read events')"
	checked [ "$in_file" -gt 0 ] || fail 'no events in the file'
}

# counts_agree: also, all events were read
counts_agree()
{
	nothing_lost
	checked [ "$(sum entries)" = 0 ] || fail 'events are left in the kernel'
}

# report_has ERE: a line of the report matches
report_has()
{
	report | checked grep -q -E -e "$1" || fail "the recording lacks '$1'"
}

report_lacks()
{
	! report | checked grep -q -E -e "$1" || fail "the recording has '$1'"
}

# A workload: "$load" N makes 2 * N system calls and a few more.
load=$tmp/load
cat >"$load" <<'END'
#!/bin/sh
exec dd if=/dev/zero of=/dev/null bs=1 status=none count="$1"
END
chmod +x "$load"

# Print settings of the whole machine, which no recording may change. A simultaneous recording may
# have its probes, more space for names of threads, and test_nop_accept, which instance.t changes and
# looks at itself: an option of a tracer is one for all instances.
machine()
{
	(
		cd "$tracefs" || exit
		for f in tracing_on trace_clock buffer_size_kb set_event current_tracer set_event_pid options/*; do
			[ "$f" = options/test_nop_accept ] || echo "$f: $(cat "$f" 2>/dev/null)"
		done
		grep "test_$$\>" dynamic_events
	)
}
machine >"$tmp/machine"

machine_is_unchanged()
{
	machine | checked diff -u "$tmp/machine" - >"$tmp/machine.diff" || fail_file 'settings changed:' "$tmp/machine.diff"
}

# no_leftovers: only the file is left of a recording
no_leftovers()
{
	for f in "$tmp"/*.part.*; do
		checked [ ! -e "$f" ] || fail "left behind: $f"
	done
}

# record_fails ERE ARG...: hist record ends with status 125, a message and no file
record_fails()
{
	rm -f "$tmp"/t.dat*
	pattern=$1
	shift
	record "$@"
	status_is 125
	stderr_has "$pattern"
	checked [ ! -e "$tmp/t.dat" ] || fail 'there is a file'
	no_leftovers
}

shell=$(readlink /proc/$$/exe)
env=$(realpath "$(command -v env)")

# stay_in_group: a process in $group/stays, so that cgroups of version 2 are used from the start on, and not
# only when another test has made one; $group is empty if there is no version 2
stay_in_group()
{
	v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	group=
	[ -n "$v2" ] && mkdir -p "$v2/hist-test-$$/stays" 2>/dev/null || return 0
	group=$v2/hist-test-$$
	(echo 0 >"$group/stays/cgroup.procs"; exec sleep 99) 9<&- &
	stays=$!
	while kill -0 $stays && ! grep -q . "$group/stays/cgroup.procs"; do sleep 0.01; done
}

leave_group()
{
	[ -n "$group" ] || return 0
	kill "$stays"
	wait "$stays" 2>/dev/null
	rmdir "$group/stays" "$group"
}

# start ARG...: start it in the background with its pid in $pid; it may be killed, see alone(). The shell
# ignores SIGINT and SIGQUIT in the background, and hist would until it handles them: env ends that.
start()
{
	alone
	env --default-signal=INT,QUIT "$HIST" record -o "$tmp/t.dat" "$@" >"$tmp.out" 2>"$tmp.err" 9<&- &
	pid=$!
	while [ "$(readlink "/proc/$pid/exe")" = "$env" ] || [ "$(readlink "/proc/$pid/exe")" = "$shell" ]; do
		:
	done
}

# end: wait for it, with its exit status in $status
end()
{
	wait "$pid"
	status=$?
}

# recording: wait until that of start() records events
records()
{
	grep -a -q '^ready' "$dat.part.$pid/manifest" && [ "$(cat "$tracefs/instances/hist.$pid/tracing_on")" = 1 ]
}
recording()
{
	wait_until records
}

# stale: list instances of dead recorders
stale()
{
	for i in "$tracefs"/instances/hist.* "$tracefs"/instances/hist-tasks.*; do
		[ ! -d "$i" ] || kill -0 "$(echo "${i##*/}" | cut -d . -f 2)" 2>/dev/null || echo "$i"
	done
}

# random_ends N: N recordings that end at random times by random signals leave nothing behind
random_ends()
{
	# awk's numbers are small
	seed=$((($(date +%s) * 31 + $$) % 1000000))
	awk -v seed="$seed" -v n="$1" 'BEGIN {
	srand(seed)
	split("INT TERM HUP QUIT KILL KILL", sig)
	for (i = 0; i < n; i++)
		printf "%s 0.%03d %d\n", sig[int(rand() * 6) + 1], int(rand() * 350), int(rand() * 2)
	}' >"$tmp/plan"
	rm -f "$tmp"/t.dat*
	bad=0
	while read -r sig delay command; do
		rm -rf "$tmp"/t.dat*
		set --
		[ "$command" = 0 ] || set -- sleep 1
		start -b 64 -e sched -e raw_syscalls "$@"
		sleep "$delay"
		kill -"$sig" "$pid"
		end
		if ls -d "$tmp"/t.dat.part.* >/dev/null 2>&1; then
			checked [ "$sig" = KILL ] || fail "seed $seed: SIG$sig after $delay s left a work directory"
			record --recover
			# killed before it recorded anything, and another recording has cleaned up
			# since
			[ "$status" = 0 ] || stderr_has 'nothing to recover'
			! ls -d "$tmp"/t.dat.part.* >/dev/null 2>&1 || fail "seed $seed: $sig after $delay s: not recovered"
		fi
		[ ! -e "$tmp/t.dat" ] || trace-cmd report "$dat" 2>&1 | checked grep -q '^cpus=' ||
			fail "seed $seed: $sig $delay: the file cannot be read"
		not_alone
		[ ! -s "$tmp.why" ] || bad=1
		[ $bad = 0 ] || break
	done <"$tmp/plan"
	alone # no recording of another test is being killed
	hist record -e sched:sched_switch -o "$tmp/other.dat" true
	status_is 0
	checked [ -z "$(stale)" ] || fail "left: $(stale)"
	for journal in /run/hist/*.undo; do
		owner=${journal##*/}
		# its owner may end, and remove it, while this looks
		[ ! -e "$journal" ] || kill -0 "${owner%%.*}" 2>/dev/null || [ ! -e "$journal" ] || fail "left: $journal"
	done
}
