#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Scripts of thousands of lines: four times the lines take about four times the time.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'times are those of the instruments'

# lines N LINE: N of them; & in LINE is the number.
lines()
{
	seq 1 "$1" | sed "s/.*/$2/"
}

# cpu SCRIPT: CPU time of a report, in ms; the smallest of three.
cpu()
{
	python3 - "$HIST" "$1" <<'END'
import os, sys
best = 1e9
for _ in range(3):
    pid = os.fork()
    if not pid:
        null = os.open('/dev/null', os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(sys.argv[1], [sys.argv[1], 'report', '-i', 'trace.dat-samples/switch.dat', sys.argv[2]])
    _, status, used = os.wait4(pid, 0)
    if status:
        sys.exit('does not run')
    best = min(best, used.ru_utime)
print(int(best * 1000))
END
}

# grows NAME LINE
grows()
{
	it "10000 $1"
	lines 2500 "$2" >"$tmp/small"
	lines 10000 "$2" >"$tmp/large"
	small=$(cpu "$tmp/small")
	large=$(cpu "$tmp/large")
	checked [ "${large:-100000}" -le $((8 * ${small:-0} + 100)) ] || fail "2500 take $small ms, 10000 take $large ms"
}

grows 'synthetic events' "echo 'ev& u64 lat; pid_t pid; char comm[16]' >> synthetic_events"
grows 'probes' "echo 'p:kp& do_sys_open& a=%di b=%si' >> kprobe_events"
grows 'dynamic events' "echo 's:dv& u64 lat; pid_t pid' >> dynamic_events"

done_testing
