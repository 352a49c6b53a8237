#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random trigger programs on live kernels: a replay of the recorded events prints the kernel's
# output.
#
# $KERNELS are the versions (default: "6.1 newest"); tests/kernel/get downloads them once to
# $KERNEL_CACHE. $N programs of seed $SEED and $ERRORS commands run on each,
# $PER_BOOT at a time; $TRACES scenarios of traces, and $ERRORS definitions of probes;
# $SETS=1: also the trigger sets of $GOLDEN_DIRS; $SCENARIOS: a folder with more. hist record --live
# records tests/kernel/scenarios and the recipes. Each difference must have a reason that
# tests/kernel/compare confirms. Skipped if a kernel, QEMU or the network is not available. $RESULT:
# file for a table of the results; $KEEP: a folder for the output of the guests.
. tests/cli/lib.sh

: "${BUILD:=build}" "${KERNELS:=6.1 newest}" "${N:=10}" "${SEED:=1}" "${ERRORS:=30}" "${SETS:=}" "${PER_BOOT:=200}"
: "${TRACES:=5}"
: "${KERNEL_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hist-kernels}"
here=$PWD/tests/kernel
HIST=$(realpath "$HIST")
export HIST

[ "$(uname -m)" = x86_64 ] || skip_all 'the guest is an x86_64'
have qemu-system-x86_64 cpio busybox gcc apt-cache dpkg-deb trace-cmd xz python3 || skip_all 'QEMU or apt is not installed'
mkdir -p "$KERNEL_CACHE"
WORK=$tmp/work
gcc -O1 -static -o "$WORK" "$here/work.c" -lpthread 2>"$tmp.err" || skip_all 'the workloads cannot be linked statically'
export WORK
known=$("$here/get" list 2>/dev/null)
[ -n "$known$(ls "$KERNEL_CACHE")" ] || skip_all 'no list of kernels can be fetched'

it 'lists all kernels that Debian has'
sample=$(find tests/golden/7.3 -name trace.dat | sort | head -n 1)
for tree in $(echo "$known" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/' | sort -uV); do
	hist report -i "$sample" --kernel="$tree" -e 'print'
	! checked grep -q 'has not been compared' "$tmp.err" ||
		fail "Linux $tree is in Debian, but not in src/program/version.c: compare it (KERNELS=$tree)"
done

# sets DIR: the trigger sets of the newest recordings, as scenarios
sets()
{
	for s in "${GOLDEN_DIRS:-tests/golden}"/6.12/*/; do
		if [ ! -f "$s/triggers" ] || [ -f "$s/ring-stats.txt" ] || grep -q 'events/[kue]probes/' "$s/triggers"; then
			continue
		fi
		to=$1/set-$(basename "$s")
		mkdir -p "$to"
		cp "$s/triggers" "$to"
		[ ! -f "$s/workload" ] || cp "$s/workload" "$to"
		[ -f "$to/workload" ] || printf '%s\n' 'work wake 40 alpha' 'work sys 100' 'work forks 5' >"$to/workload"
	done
}

# records VERSION DIR: scenarios for hist record --live: those of the project, and the recipes for
# this kernel that need no configuration; samples are those of perf
records()
{
	for s in "$here"/scenarios/*/; do
		cp -r "$s" "$2/record-$(basename "$s")"
		: >"$2/record-$(basename "$s")/record"
	done
	for r in share/hist/recipes/*.hist; do
		from=$(sed -n '/^# Needs: perf:/q; /CONFIG_/d; s/^# Kernels: \([0-9.]*\) and later.*/\1/p' "$r")
		if [ -z "$from" ] || [ "$(printf '%s\n' "$from" "$1" | sort -V | head -n 1)" != "$from" ]; then
			continue
		fi
		to=$2/recipe-$(basename "$r" .hist)
		mkdir "$to"
		cp "$r" "$to/triggers"
		: >"$to/record"
		printf '%s\n' 'work wake 5 alpha' 'work sys 20' 'work forks 3' 'work udp 3' 'work mem 3' >"$to/workload"
	done
}

# run VERSION: run everything on one kernel
run()
{
	it "Linux $1: a replay prints the output of the kernel"
	version=$1
	[ "$1" != newest ] || version=$(echo "$known" | tail -n 1)
	release=$("$here/get" "$version" "$KERNEL_CACHE/$version" 2>"$tmp.err") || {
		skip "the kernel cannot be fetched: $(head -n 1 "$tmp.err")"
		return
	}
	all=$tmp/scenarios-$version
	guests=$tmp/guests-$version
	mkdir -p "$all" "$guests"
	"$here/programs" "$SEED" "$N" "$all" "$ERRORS"
	[ "$TRACES" = 0 ] || "$here/traces" "$SEED" "$TRACES" "$all" "$ERRORS"
	[ -z "$SETS" ] || sets "$all"
	records "$version" "$all"
	[ -z "${SCENARIOS:-}" ] || cp -r "$SCENARIOS"/. "$all"
	MODULES=$KERNEL_CACHE/$version/modules
	[ -d "$MODULES" ] || MODULES=
	export MODULES
	while [ -n "$(ls "$all")" ]; do
		guest "$version" "$(mktemp -d "$guests/XXXXXX")" "$all"
	done
	checked "$here/compare" -k "$guests"/*/out >"$tmp/compared" 2>&1 || fail_file "$release differs:" "$tmp/compared"
	tail -n 1 "$tmp/compared" | sed "s/^/# $release, seed $SEED: /" | tee -a "${RESULT:-/dev/null}"
	[ -z "${KEEP:-}" ] || cp -r "$guests" "$tmp/compared" "$KEEP"
	rm -rf "$guests"
}

# guest VERSION SHARE SCENARIOS: run some scenarios in a guest
guest()
{
	mkdir "$2/scenarios"
	find "$3" -mindepth 1 -maxdepth 1 | sort | head -n "$PER_BOOT" | while read -r scenario; do
		mv "$scenario" "$2/scenarios"
	done
	cp "$here/live" "$2/job"
	KERNEL=$KERNEL_CACHE/$1/vmlinuz STEADY=1 BOOT_LIMIT=$((300 + PER_BOOT * 20)) "$here/boot" 1 "$2"
	[ -f "$2/out/done" ] || {
		tail -n 20 "$2/console" | tr -d '\r' >"$tmp/console"
		fail_file "a guest of $1 did not get to its end:" "$tmp/console"
	}
}

for kernel in $KERNELS; do
	run "$kernel"
done
done_testing
