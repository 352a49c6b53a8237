#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist's triggers give the output of perf sched latency, for a perf.data that is recorded here.
. tests/cli/lib.sh

have perf || skip_all 'no perf'

record_sched()
{
	perf record -q -a -m 1024 -c 1 -e sched:sched_switch -e sched:sched_wakeup -e sched:sched_wakeup_new -o "$tmp/sched.data" \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9; do sleep 0.02; done' >"$tmp/record" 2>&1 && [ -s "$tmp/sched.data" ]
}

# The differences in $tmp/differ: of the tasks that both count alike, the longest delays.
compare_latencies()
{
	# PID SWITCHES MAX-IN-US of tasks
	perf sched latency -p -i "$tmp/sched.data" 2>"$tmp/perf.err" |
		sed -n 's/^ *[^|]*:\([0-9][0-9]*\) *|[^|]*| *\([0-9]*\) |[^|]*| max: *\([0-9]*\)\.\([0-9]*\) ms .*/\1 \2 \3\4/p' |
		awk '{ print $1, $2, $3 + 0 }' | sort >"$tmp/perf.txt"
	hist report -i "$tmp/sched.data" --synth 'lat pid_t pid; u64 ns' \
		-e sched_wakeup -R 'hist:keys=pid:t0=common_timestamp:size=65536' \
		-e sched_switch -R 'hist:keys=next_pid:ns=common_timestamp-$t0:onmatch(sched.sched_wakeup).lat(next_pid,$ns):size=65536' \
		-e lat -R 'hist:keys=pid,ns:size=131072'
	status_is 0
	stderr_lacks 'warning: .*(missing|damaged|left out)'
	sed -n 's/^{ pid: *\([0-9]*\), ns: *\([0-9]*\) } hitcount: *\([0-9]*\).*/\1 \2 \3/p' "$tmp.out" |
		awk '{ n[$1] += $3; if ($2 > max[$1]) max[$1] = $2 }
		     END { for (p in n) print p, n[p], int(max[p] / 1000 + 0.5) }' | sort >"$tmp/hist.txt"
	# perf also counts the delays of preempted and of new tasks, from the time at which they became runnable
	hist report -q -i "$tmp/sched.data" -e sched_switch -R 'hist:keys=prev_pid:size=65536 if prev_state == 0 || prev_state & 0x100'
	sed -n 's/^{ prev_pid: *\([0-9]*\) .*/\1/p' "$tmp.out" >"$tmp/other"
	hist report -q -i "$tmp/sched.data" -e sched_wakeup_new -R 'hist:keys=pid:size=65536'
	sed -n 's/^{ pid: *\([0-9]*\) .*/\1/p' "$tmp.out" >>"$tmp/other"
	awk 'FILENAME == ARGV[1] { other[$1] = 1; next }
	     FILENAME == ARGV[2] { perf[$1] = $0; next }
	     !($1 in other) && $1 in perf {
		split(perf[$1], a)
		# waking a task that is awake causes no delay, and some delays began before the recording
		if (a[2] != $2)
			next
		n++
		if (a[3] - $3 > 1 || $3 - a[3] > 1)
			print "perf: " perf[$1] "  hist: " $0
	     }
	     END { if (n < 3) print "only " n + 0 " tasks to compare" }' "$tmp/other" "$tmp/perf.txt" "$tmp/hist.txt" >"$tmp/differ"
}

# Wakeups of tasks that are awake may also leave the counts equal, so an error must show in three recordings.
record_sched || skip_all 'perf cannot record tracepoints here'
it 'has a delay from wakeup to run for each switch of a task, and the same maximum'
for _ in 1 2 3; do
	compare_latencies
	[ -s "$tmp/differ" ] || break
	record_sched || break
done
checked test ! -s "$tmp/differ" || fail "$(head -n 6 "$tmp/differ")"

it 'counts as many switches'
perf script -i "$tmp/sched.data" -F event 2>/dev/null | grep -c 'sched:sched_switch' >"$tmp/want"
hist report -q -i "$tmp/sched.data" -e sched_switch -R 'hist:keys=common_type'
sed -n 's/.*Hits: //p' "$tmp.out" >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"

done_testing
