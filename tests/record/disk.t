#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record with a full disk, a limit on the size of files, and a directory without write
# permission.
. tests/record/lib.sh

disk=$tmp/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT

for codec in none zlib zstd; do
	it "a full disk: keeps the data captured before, -z $codec"
	if ! mount -t tmpfs -o size=16m none "$disk" 2>/dev/null; then
		skip 'cannot mount a small file system'
		continue
	fi
	hist record -z $codec -b 8192 -e sched:sched_process_exec -e raw_syscalls -o "$disk/t.dat" "$load" 300000
	status_is 125
	stderr_has 'the recording ended at CPU [0-9]+: No space left on device'
	checked [ -e "$disk/t.dat" ] || fail 'there is no file'
	events=$(sed -n 's/.*t\.dat: \([0-9]*\) events.*/\1/p' "$tmp.err")
	if [ $codec != zlib ] || trace-cmd list -c | grep -q zlib; then
		dat=$disk/t.dat
		nothing_lost
		if [ "$(sum entries)" = 0 ]; then
			stderr_lacks "events were left in the kernel's buffers"
		else
			stderr_has "events were left in the kernel's buffers"
		fi
	fi
	checked [ "${events:-0}" -gt 1000 ] || fail 'hardly any events'
	checked [ "$(ls "$disk")" = t.dat ] || fail "more than the file is left: $(ls "$disk")"
	umount "$disk"
done

it 'a disk that is full from the start'
if mount -t tmpfs -o size=64k none "$disk" 2>/dev/null; then
	hist record -e sched:sched_switch -o "$disk/t.dat" true
	status_is 125
	stderr_has 'No space left|no space'
	checked [ -z "$(ls "$disk")" ] || fail "left: $(ls "$disk")"
	umount "$disk"
else
	skip 'cannot mount a small file system'
fi

it 'a limit on the size of files'
(
	ulimit -f 16384
	hist record -e sched:sched_process_exec -e raw_syscalls -b 512 -o "$tmp/t.dat" "$load" 300000
	echo "$status" >"$tmp/status"
)
status=$(cat "$tmp/status")
status_is 125
stderr_has 'File too large'
dat=$tmp/t.dat
nothing_lost
no_leftovers

it 'a limit on the size of files that the formats reach, which a filter needs: a message'
(
	ulimit -f 60
	hist record -e sched:sched_switch -f 'next_pid > 0' -o "$tmp/small.dat" true
	echo "$status" >"$tmp/status"
)
status=$(cat "$tmp/status")
status_is 125
stderr_has 'error: .*cannot write: File too large'
no_leftovers

it 'a directory without write permission'
if mount -t tmpfs -o ro none "$disk" 2>/dev/null; then
	hist record -e sched:sched_switch -o "$disk/t.dat" true
	status_is 125
	stderr_has 'Read-only file system'
	umount "$disk"
else
	skip 'cannot mount'
fi

it 'restores the machine'
machine_is_unchanged

done_testing
