#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How long 40 tasks ran and waited for a CPU, from derived events, compared with what the kernel counted
# for them (/proc/PID/schedstat): in guests, on one to all of their CPUs, and while CPUs are switched off
# and on. tests/record/schedstat.t does the same on this machine.
#
# $SCHEDSTAT_KERNELS are the versions (default: newest), $SCHEDSTAT_CPUS the CPUs of a guest.
. tests/kernel/lib.sh

: "${SCHEDSTAT_KERNELS:=newest}" "${SCHEDSTAT_CPUS:=4}"
export STEADY=1
linked schedstat tests/record/schedstat.c

# compared COUNTS...: the recordings COUNTS.dat with these counts
compared()
{
	checked python3 tests/record/schedstat.py "$HIST" 0 0 "$@" >"$tmp/result" 2>&1 || fail_file 'compared:' "$tmp/result"
	[ -z "${KEEP:-}" ] || { echo "$version" && cat "$tmp/result"; } >>"$KEEP/schedstat"
}

for version in $SCHEDSTAT_KERNELS; do
	kernel "$version"
	it "Linux $version: running and waiting are what the kernel counted"
	guest schedstat "$SCHEDSTAT_CPUS" "$tmp/schedstat" || continue
	compared "$out/cpus-1"
	# Several emulated CPUs take turns, also between the time that the kernel counts with and that of the
	# event. This is noise of milliseconds in both directions, so these recordings are compared as one.
	set --
	for dat in "$out"/*.dat; do
		[ "$dat" = "$out/cpus-1.dat" ] || set -- "$@" "${dat%.dat}"
	done
	compared "$@"
done
done_testing
