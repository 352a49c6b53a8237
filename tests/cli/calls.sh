# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # tests/cli/lib.sh sets tmp
#
# Recordings of system calls to be compared, after tests/cli/lib.sh: . tests/cli/calls.sh

make=${BUILD:-build}/bench/make_recording
[ -x "$make" ] || skip_all "no $make"

# make_calls EVENTS: make $tmp/calls.dat; $tmp/slow.dat, in which one call takes longer; and
# $tmp/calls.script, a histogram of latencies
make_calls()
{
	"$make" "$tmp/calls.dat" "$1" calls
	"$make" "$tmp/slow.dat" "$1" slowcalls
	cat >"$tmp/calls.script" <<'END'
echo 'call u64 lat; long id' >> synthetic_events
echo 'hist:keys=common_pid:ts0=common_timestamp.usecs' >> events/raw_syscalls/sys_enter/trigger
echo 'hist:keys=common_pid:lat=common_timestamp.usecs-$ts0:onmatch(raw_syscalls.sys_enter).call($lat,id)' \
	>> events/raw_syscalls/sys_exit/trigger
echo 'hist:keys=id.syscall:vals=lat' >> events/synthetic/call/trigger
END
}
