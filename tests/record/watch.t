#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --max-cpu, --min-free and --progress: what a recording may take, and what it forecasts.
. tests/record/lib.sh

it 'ends a recording that takes too much of a CPU'
hist record -o "$tmp/t.dat" -b 4096 --max-cpu 0.01% -e raw_syscalls sh -c "timeout 4.5 $load 100000000; exit 5"
status_is 5
stderr_has 'warning: the recording ended early: hist took [0-9.]+% of a CPU in [3-7] s, more than --max-cpu 0\.01%'
hist list -i "$tmp/t.dat"
stdout_has 'ended early +hist took'
report_has 'sys_enter'
hist record -o "$tmp/t.dat" --max-cpu 10000 -e sched_switch sleep 1.2
status_is 0
stderr_lacks 'ended early'
machine_is_unchanged

it 'ends a recording before the disk has less than --min-free'
disk=$tmp/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
if mount -t tmpfs -o size=160m none "$disk" 2>/dev/null; then
	for rotate in '' '--rotate 2M'; do
		# shellcheck disable=SC2086 # two words
		hist record -o "$disk/t-%n.dat" $rotate --min-free 100M -F -e raw_syscalls \
			sh -c "$load 2000; sleep 0.6; dd if=/dev/zero of=$disk/other bs=1M count=60 status=none; sleep 0.6; $load 2000; sleep 0.3"
		status_is 0
		stderr_has 'warning: the recording ended early: the disk has less than --min-free 100 MiB'
		for f in "$disk"/t-*.dat; do
			hist report -i "$f" -e sys_enter -R hist:keys=common_pid
			status_is 0
		done
		hist list -i "$(find "$disk" -name 't-*.dat' | sort -V | tail -n 1)"
		stdout_has 'ended early +the disk has less'
		rm -f "$disk"/*
	done
	umount "$disk"
else
	skip 'cannot mount a small file system'
fi

it 'shows rates, and when a limit is reached'
hist record -o "$tmp/t.dat" --progress -e raw_syscalls -m 1M sh -c "for i in 1 2 3 4 5 6 7 8; do $load 1000; sleep 0.3; done"
status_is 0
stderr_has '[0-9]+ events \([0-9]+/s\), [0-9.]+ [KM]?i?B \([0-9.]+ MiB/s\), 0 lost, [0-9] s; at --max-size in [0-9]+ s'
rm -f "$tmp"/t-*
hist record -o "$tmp/t-%n.dat" --progress -e raw_syscalls --rotate 1h -F sh -c "for i in 1 2 3 4 5 6 7 8; do $load 1000; sleep 0.3; done"
stderr_has '; next file in 60 min'
hist record -o "$tmp/t.dat" --progress -e raw_syscalls sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do $load 2000; sleep 0.35; done"
stderr_has '; disk full in [0-9]+ (min|h|days|s)'

it 'refuses what is not a share or a size'
record_fails "--max-cpu takes a share of a CPU, such as 5%, not 'x'" --max-cpu x -e sched_switch true
record_fails "--max-cpu takes a share of a CPU, such as 5%, not '0'" --max-cpu 0 -e sched_switch true
record_fails "--min-free takes a size, such as 1G, not '1x'" --min-free 1x -e sched_switch true

done_testing
