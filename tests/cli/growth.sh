# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# Library of the tests of scripts with thousands of lines: . tests/cli/growth.sh
#
# Four times the lines take about four times the time, and 10000 lines less than two seconds.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'times are those of the instruments'
[ -z "${EMULATED:-}" ] || skip_all 'times are those of the emulator'

# lines N LINE: N lines; & in LINE is replaced by the number
lines()
{
	seq 1 "$1" | sed "s~.*~$2~"
}

input='-i trace.dat-samples/switch.dat'

# cpu FILE [ARGUMENT...]: CPU time in ms of a report with these and the arguments in FILE, one per line
cpu()
{
	python3 - "$HIST" "$@" <<'END'
import os, sys
with open(sys.argv[2], encoding='utf-8') as file:
    arguments = file.read().splitlines()
pid = os.fork()
if not pid:
    null = os.open('/dev/null', os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.execv(sys.argv[1], [sys.argv[1], 'report', *sys.argv[3:], *arguments])
_, status, used = os.wait4(pid, 0)
if status:
    sys.exit('does not run')
print(int(used.ru_utime * 1000))
END
}

# grew FACTOR LIMIT: whether the times of reports with the arguments in $tmp/small and $tmp/large,
# in $small and $large, differ by no more than FACTOR and do not exceed LIMIT ms. A busy machine
# increases both: excessive times are measured again.
grew()
{
	small=100000
	large=100000
	for _ in 1 2 3 4 5 6 7 8; do
		now=$(cpu "$tmp/small" $input)
		[ "${now:-100000}" -ge "$small" ] || small=$now
		now=$(cpu "$tmp/large" $input)
		[ "${now:-100000}" -ge "$large" ] || large=$now
		[ "$large" -gt $(($1 * small + 200)) ] || [ "$large" -gt "$2" ] || return 0
	done
	return 1
}

# grows NAME LINE...: a script with 10000 of each LINE, one LINE after the other
grows()
{
	it "10000 $1"
	shift
	for n in 2500 10000; do
		for l in "$@"; do
			lines "$n" "$l"
		done >"$tmp/$n"
	done
	echo "$tmp/2500" >"$tmp/small"
	echo "$tmp/10000" >"$tmp/large"
	checked grew 8 2000 || fail "2500 take $small ms, 10000 take $large ms"
}

event=events/syscalls/sys_enter_sync
synth="echo 'ev& u64 lat; int pid' >> synthetic_events"
probe="echo 'p:kp& do_sys_open a=%di b=%si' >> kprobe_events"
hist="echo 'hist:keys=common_pid:v&=common_timestamp' >> events/syscalls/sys_enter_sync/trigger"

# options N WORD...: N times the WORDs, one per line; & is replaced by the number
options()
{
	n=$1
	shift
	for _ in $(seq 1 "$n"); do
		printf '%s\n' "$@"
	done | awk -v per=$# '{ gsub("&", int((NR - 1) / per)); print }'
}

# options_grow NAME WORD...: as grows, for options
options_grow()
{
	it "2000 $1"
	shift
	options 500 "$@" >"$tmp/small"
	options 2000 "$@" >"$tmp/large"
	checked grew 8 1000 || fail "500 take $small ms, 2000 take $large ms"
}
