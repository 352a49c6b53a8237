#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How long 40 tasks ran and waited for a CPU, from derived events, compared with what the kernel counted
# for them (/proc/PID/schedstat), with one CPU and with two.
. tests/record/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -r /proc/self/schedstat ] || skip_all 'no schedstat'
load=$tmp/schedstat
${CC:-cc} -O1 -o "$load" tests/record/schedstat.c 2>/dev/null || skip_all 'no C compiler'

# the time that a host took from the CPUs, in ns, told in ticks; the kernel does not count it as time that tasks ran
stolen()
{
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f\n", $9 / hz * 1e9 }' /proc/stat
}

tick=$((1000000000 / $(getconf CLK_TCK)))
[ "$(stolen)" != 0 ] || tick=0
for cpus in 1 2; do
	[ "$cpus" -le "$(nproc)" ] || continue
	it "running and waiting of 40 tasks are what the kernel counted, CPUs: $cpus"
	before=$(stolen)
	record -C mono -b 8M -e derived:task_state -e derived:wait "$load" 40 "$cpus" 700
	status_is 0
	cp "$tmp.out" "$tmp/t"
	nothing_lost
	checked python3 tests/record/schedstat.py "$HIST" $(($(stolen) - before)) "$tick" "$tmp/t" >"$tmp/result" 2>&1 ||
		fail_file 'compared:' "$tmp/result"
done
done_testing
