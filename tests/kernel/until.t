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

# near A B MS [MOST]: lines of A whose time is not that of one to MOST (1) lines of B within so many ms,
# and how many there are
near()
{
	awk -v most="$3" -v times="${4:-1}" 'NR == FNR { at[++n] = $1; next } {
		found = 0
		for (i = 1; i <= n; i++)
			found += at[i] - $1 < most / 1000 && $1 - at[i] < most / 1000
		if (found < 1 || found > times)
			print $0, found
	}' "$2" "$1"
}

for version in $UNTIL_KERNELS; do
	kernel "$version"
	it "Linux $version: the kernel and hist find the late wakeups that were made"
	guest until 1 "$tmp/late" "$tmp/judge" || continue
	holds grep -q 'the kernel evaluates the conditions, in the instance hist.[0-9.]*until; hist sleeps' "$out/kernel.log"
	holds grep -q 'what is kept was in the buffers of the kernel until a file was wanted' "$out/kernel.log"
	holds grep -q 'hist evaluates the conditions.*: --plan=engine' "$out/engine.log"
	holds grep -q 'name: late' "$out/format"
	checked [ "$(wc -l <"$out/made")" -eq "$LATE" ] || fail_file 'not all wakeups were made:' "$out/late"
	checked [ "$(wc -l <"$out/kernel.marks")" -ge "$LATE" ] || fail_file 'the marks of the kernel:' "$out/kernel.log"
	for one in kernel engine full; do
		for other in kernel engine full; do
			near "$out/$one.marks" "$out/$other.marks" 50 | sed "s/^/$one, $other: /"
		done
	done >"$tmp/wrong"
	checked [ ! -s "$tmp/wrong" ] || fail_file 'events of one of them, and how often the other has them:' "$tmp/wrong"
	# what precedes and follows each mark, and nothing else, is in its file
	# shellcheck disable=SC2086 # two numbers
	set -- $JUDGE
	cat "$out/kernel.marks" "$out/engine.marks" |
		awk -v keep="$1" -v after="$2" '$4 > $1 - keep || $5 < $1 + after - 0.1' >"$tmp/wrong"
	checked [ ! -s "$tmp/wrong" ] || fail_file 'marks whose files lack something:' "$tmp/wrong"
	cut -d ' ' -f 3 "$out/kernel.marks" "$out/engine.marks" | sort -u >"$tmp/want"
	grep -E '^(kernel|engine)-[0-9]*\.dat$' "$out/files" | sort >"$tmp/got"
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"
	checked [ ! -s "$out/damaged" ] || fail_file 'what the files lack:' "$out/damaged"
	# each one was woken at that time (and may be late once more by itself)
	awk '{ print $1 / 1e9 }' OFMT=%.6f "$out/made" >"$tmp/woken"
	awk '{ print $1 - $2 / 1e6 }' OFMT=%.6f "$out/kernel.marks" >"$tmp/found"
	near "$tmp/woken" "$tmp/found" 100 2 >"$tmp/wrong"
	checked [ ! -s "$tmp/wrong" ] || fail_file 'wakeups that were made, and how often they were found:' "$tmp/wrong"
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
