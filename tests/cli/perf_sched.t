#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How long tasks ran, were away and waited for a CPU, event by event, compared with perf sched timehist; their longest
# delays with perf sched latency. perf gets the same events as a perf.data.
. tests/cli/lib.sh

have perf python3 || skip_all 'perf or python3 is not installed'
[ -x "$BUILD/bench/to_perf" ] || skip_all 'no to_perf'

# compared RECORDING [LATENCY]: as perf has it
compared()
{
	"$BUILD/bench/to_perf" "$1" "$tmp/perf.data" >/dev/null 2>&1
	perf sched timehist -i "$tmp/perf.data" --state >"$tmp/timehist" 2>/dev/null
	[ -z "${2:-}" ] || perf sched latency -p -i "$tmp/perf.data" >"$tmp/$2" 2>/dev/null
	if [ ! -s "$tmp/timehist" ]; then
		skip 'perf cannot read it'
		return
	fi
	checked python3 tests/cli/perf_sched.py "$HIST" "$tmp/perf.data" "$tmp/timehist" ${2:+"$tmp/$2"} >"$tmp/compared" 2>&1 ||
		fail_file "$1:" "$tmp/compared"
}

for kernel in 6.1 6.12 7.3; do
	it "as perf sched timehist, Linux $kernel"
	compared tests/cli/recipes/$kernel.dat
	! [ -f "$tmp/compared" ] || holds grep -q ' [0-3] wakeups of tasks that had not left' "$tmp/compared"
done

it 'the longest delays are those of perf sched latency'
"$BUILD/bench/make_recording" "$tmp/sched.dat" 20000 sched none 7 4
compared "$tmp/sched.dat" latency
done_testing
