#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --until in a guest with hist triggers: the kernel and hist find the same late wakeups,
# which are those that were made. And --take of an instance with hist triggers.
#
# $UNTIL_KERNELS are the versions (default: newest), $LATE the number of wakeups; $JUDGE the seconds
# that are kept before and after them, and the ms between them ('30 2 500 1500': minutes for each kernel).
. tests/kernel/lib.sh

: "${UNTIL_KERNELS:=newest}" "${LATE:=20}" "${JUDGE:=0.5 0.1 400 800}"
linked late tests/record/late.c -D_GNU_SOURCE
echo "$LATE $JUDGE" >"$tmp/judge"

cat >"$tmp/late.script" <<'END'
echo 'late u64 lat; pid_t pid' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs if comm == "victim"' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).late($lat,next_pid) if next_comm == "victim"' >> events/sched/sched_switch/trigger
END

for version in $UNTIL_KERNELS; do
	kernel "$version"
	it "Linux $version: the kernel and hist find the late wakeups that were made"
	guest until 1 "$tmp/late" "$tmp/late.script" "$tmp/judge" || continue
	holds grep -q 'the kernel evaluates the conditions, in the instance hist.[0-9.]*until; hist sleeps' "$out/kernel.log"
	holds grep -q 'what is kept was in the buffers of the kernel until a file was wanted' "$out/kernel.log"
	holds grep -q 'hist evaluates the conditions.*: --plan=engine' "$out/engine.log"
	holds grep -q 'name: late' "$out/format"
	checked [ "$(wc -l <"$out/made")" -eq "$LATE" ] || fail_file 'not all wakeups were made:' "$out/late"
	# shellcheck disable=SC2086 # seconds before and after
	set -- $JUDGE
	for plan in kernel engine; do
		tests/record/flight.py "$HIST" "$out/made" "$1" "$2" "$out/full.dat" "$tmp/late.script" "$out/$plan"-*.dat >"$tmp/wrong" 2>&1
		checked [ ! -s "$tmp/wrong" ] || fail_file "$plan:" "$tmp/wrong"
		grep -E 'lost|lack|waited|not evaluated' "$out/$plan.log" | grep -v ' 0 lost' >"$tmp/wrong"
		checked [ ! -s "$tmp/wrong" ] || fail_file "$plan:" "$tmp/wrong"
	done
	checked [ ! -s "$out/left" ] || fail_file 'left in the kernel:' "$out/left"
	run "$HIST" report --format hist -q -i "$out/kernel-1.dat"
	status_is 0

	holds grep -q 'the kernel evaluates the conditions' "$out/sql.log"
	holds grep -q 'sql.dat: synthetic:sql on CPU' "$out/sql.log"

	it "Linux $version: hist evaluates what triggers would count differently"
	holds grep -q 'the kernel cannot wait for the events: triggers count all processes, and only some are recorded' "$out/pids.log"
	holds grep -q 'the kernel cannot wait for the events: -f limits what is recorded of sched:sched_switch' "$out/filter.log"
	holds grep -q 'the kernel cannot wait for the events: derived:wait is made by hist' "$out/derived.log"

	it "Linux $version: takes over an instance with hist triggers"
	case $version in
	6.[0-9].* | 6.[0-9])
		holds grep -q 'instances/mine, which does not have them any more' "$out/take.log"
		;;
	*)
		holds grep -q 'instances/mine, which keeps them' "$out/take.log"
		checked cmp -s "$out/before" "$out/after" || fail 'the instance has lost events'
		;;
	esac
	holds grep -q "echo 'late.u64 lat; pid_t pid' >> synthetic_events" "$out/list"
	holds grep -q 'hist:keys=prev_comm.*:pause if next_pid != 0' "$out/list"
	# the kernel counted the events that the file has
	grep '^{' "$out/late.hist" | sort >"$tmp/want"
	run "$HIST" report --format hist -q -i "$out/taken.dat"
	status_is 0
	grep '^{ lat' "$tmp.out" | sort >"$tmp/got"
	checked [ -s "$tmp/want" ] || fail 'the kernel counted nothing'
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"
done
done_testing
