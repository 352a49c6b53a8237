#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How long 40 tasks ran and waited for a CPU, from derived events, compared with what the kernel counted
# for them (/proc/PID/schedstat): in guests, on one to all of their CPUs, and while CPUs are switched off
# and on. tests/record/schedstat.t does the same on this machine.
#
# $SCHEDSTAT_KERNELS are the versions (default: newest), $SCHEDSTAT_CPUS the CPUs of a guest.
. tests/cli/lib.sh

: "${SCHEDSTAT_KERNELS:=newest}" "${SCHEDSTAT_CPUS:=4}"
: "${KERNEL_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hist-kernels}"
here=$PWD/tests/kernel
HIST=$(realpath "$HIST")
export HIST

[ "$(uname -m)" = x86_64 ] || skip_all 'the guest is an x86_64'
have qemu-system-x86_64 cpio busybox gcc apt-cache dpkg-deb trace-cmd xz python3 ||
	skip_all 'QEMU, apt or python3 is not installed'
mkdir -p "$KERNEL_CACHE"
WORK=$tmp/work
{ gcc -O1 -static -o "$WORK" "$here/work.c" -lpthread && gcc -O1 -static -o "$tmp/schedstat" tests/record/schedstat.c; } 2>"$tmp.err" ||
	skip_all 'the workloads cannot be linked statically'
export WORK

# compared COUNTS...: the recordings COUNTS.dat with these counts
compared()
{
	checked python3 tests/record/schedstat.py "$HIST" 0 "$@" >"$tmp/result" 2>&1 || fail_file 'compared:' "$tmp/result"
	[ -z "${KEEP:-}" ] || { echo "$version" && cat "$tmp/result"; } >>"$KEEP/schedstat"
}

for version in $SCHEDSTAT_KERNELS; do
	[ "$version" != newest ] || version=$("$here/get" list 2>/dev/null | tail -n 1)
	it "Linux $version: running and waiting are what the kernel counted"
	share=$tmp/share-$version
	out=$share/out
	mkdir -p "$share"
	cp "$tmp/schedstat" "$share"
	cp "$here/schedstat-job" "$share/job"
	if ! "$here/get" "$version" "$KERNEL_CACHE/$version" >/dev/null 2>"$tmp.err"; then
		skip "the kernel cannot be fetched: $(head -n 1 "$tmp.err")"
		continue
	fi
	STEADY=1 KERNEL=$KERNEL_CACHE/$version/vmlinuz MODULES=$KERNEL_CACHE/$version/modules BOOT_LIMIT=500 \
		"$here/boot" "$SCHEDSTAT_CPUS" "$share"
	if [ ! -f "$out/done" ]; then
		tail -n 20 "$share/console" >"$tmp/console"
		fail_file 'the guest did not get to its end:' "$tmp/console"
		continue
	fi
	compared "$out/cpus-1"
	# Several emulated CPUs take turns, also between the time that the kernel counts with and that of the
	# event. This is noise of milliseconds in both directions, so these recordings are compared as one.
	set --
	for dat in "$out"/*.dat; do
		[ "$dat" = "$out/cpus-1.dat" ] || set -- "$@" "${dat%.dat}"
	done
	compared "$@"
	[ -z "${KEEP:-}" ] || cp -r "$out" "$KEEP/schedstat-$version"
done
done_testing
