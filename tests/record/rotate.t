#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --rotate: files that follow each other have every event once. Programs number their
# events (numbers.c), and trace-cmd reads the files (numbers.py).
. tests/record/lib.sh

have python3 || skip_all 'python3 is not installed'
numbers=$tmp/numbers
slow=$tmp/slow.so
${CC:-cc} -D_GNU_SOURCE -o "$numbers" tests/record/numbers.c 2>/dev/null || skip_all 'no C compiler'
[ -d "$tracefs/events/syscalls/sys_enter_lseek" ] || skip_all 'no events of system calls'

# rotate ARG...: record to r-%n.dat; nothing is left but the files
rotate()
{
	rm -rf "$tmp"/r-*
	hist record -o "$tmp/r-%n.dat" -e syscalls:sys_enter_lseek "$@"
	no_leftovers
	checked [ -z "$(ls -d "$tracefs/instances"/*."$$" 2>/dev/null)" ] || fail 'an instance is left'
}

# the files in $dir, in order
dir=$tmp
files()
{
	find "$dir" -name 'r-*.dat' | sort -V
}

# numbered [--first any] [--lost N] LAST: the files have these numbers
numbered()
{
	# shellcheck disable=SC2046 # names without spaces
	tests/record/numbers.py "$@" $(files) >"$tmp/wrong" 2>&1 || echo 'numbers.py failed' >>"$tmp/wrong"
	checked [ ! -s "$tmp/wrong" ] || fail_file 'the numbers:' "$tmp/wrong"
}

# at_least N: files
at_least()
{
	n=$(files | grep -c .)
	checked [ "$n" -ge "$1" ] || fail "files: $n instead of $1"
}

it 'writes files of a size, complete by themselves'
rotate -F -b 4096 --rotate 1M "$numbers" 100000 10000
status_is 0
stderr_has 'r-1\.dat: [0-9.]+ MiB of events, [0-9.]+ MiB in the file'
# other system calls of the same name are those of the library's start
stderr_has '[0-9]+ files: 1000[0-9][0-9] events .*, 0 lost'
at_least 2
numbered 100000
for f in $(files); do
	hist report -i "$f" -e sys_enter_lseek --by process
	status_is 0
	stdout_has 'numbers'
	stderr_lacks 'damage|missing|guess'
	hist list -i "$f"
	stdout_has 'sys_enter_lseek'
done
hist events -i "$tmp/r-2.dat"
stdout_has 'numbers-[0-9]+ .*sys_enter_lseek'
machine_is_unchanged

it 'begins a file after a time, and when it is asked'
rotate -F -c -b 4096 --rotate 300ms "$numbers" 50000 15000
status_is 0
at_least 2
numbered 50000
# shellcheck disable=SC2016 # the recording is the parent of the shell
rotate -F -c -b 4096 --rotate 10min sh -c '"$0" 5000 0; kill -USR1 $PPID; until [ -e "$1" ]; do sleep 0.05; done; "$0" 5000 0' "$numbers" "$tmp/r-1.dat"
status_is 0
checked [ "$(files | grep -c .)" = 2 ] || fail 'SIGUSR1 did not begin a file'
for f in $(files); do
	dir=$f
	numbered 5000
done
dir=$tmp

it 'keeps the newest files'
rm -rf "$tmp"/r-*
rotate -F -b 4096 --rotate 1M --times 2 "$numbers" 120000 15000
status_is 0
checked [ "$(files | grep -c .)" = 2 ] || fail "files: $(files)"
checked [ ! -e "$tmp/r-1.dat" ] || fail 'the oldest file was not removed'
numbered --first any 120000

it 'does not remove a file that another program made'
# shellcheck disable=SC2016 # as above
rotate -F -c -b 4096 --rotate 1G --times 1 sh -c '"$0" 5000 0; kill -USR1 $PPID; until [ -e "$1" ]; do sleep 0.1; done; rm -f "$1"; echo mine >"$1"; "$0" 5000 0' \
	"$numbers" "$tmp/r-1.dat"
checked [ -e "$tmp/r-2.dat" ] || fail 'SIGUSR1 did not begin a file'
checked [ "$(cat "$tmp/r-1.dat")" = mine ] || fail 'the file of another program was removed'

it 'records without a gap while a file is written to a slow disk, or hist is stopped'
# a sanitizer's library has to be loaded first
if [ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] && ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$slow" tests/record/slow.c 2>/dev/null; then
	rm -rf "$tmp"/r-*
	with_others
	run env LD_PRELOAD="$slow" SLOW_US=20000 "$HIST" record -z none -b 4096 -o "$tmp/r-%n.dat" -e syscalls:sys_enter_lseek -F \
		--rotate 1M "$numbers" 100000 5000 9<&-
	after_others
	status_is 0
	stderr_has ', 0 lost'
	at_least 2
	numbered 100000
fi
# shellcheck disable=SC2016 # as above
rotate -F -c -b 16384 --rotate 1M sh -c '"$0" 100000 10000 & sleep 0.2; kill -STOP $PPID; sleep 0.5; kill -CONT $PPID; wait' "$numbers"
status_is 0
stderr_has ', 0 lost'
at_least 2
numbered 100000

it 'recovers what follows the last file after a kill'
alone
for delay in 0.1 0.23; do
	rm -rf "$tmp"/r-*
	"$HIST" record -q -b 4096 -o "$tmp/r-%n.dat" -e syscalls:sys_enter_lseek --rotate 512K -F "$numbers" 100000 9000 9<&- 2>/dev/null &
	pid=$!
	while [ ! -e "$tmp/r-1.dat" ] && kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
	sleep "$delay"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	while [ -n "$(pids "^$numbers")" ]; do sleep 0.1; done
	before=$(files | grep -c .)
	hist record --recover -o "$tmp/r-%n.dat"
	status_is 0
	checked [ "$(files | grep -c .)" -gt "$before" ] || fail 'no file was recovered'
	# what was between the kernel and the disk: a pipe of 64 KB
	numbered --lost 3500 100000
	checked [ -z "$(ls -d "$tmp"/r-*.part.* 2>/dev/null)" ] || fail 'the work directory is left'
done
checked [ -z "$(stale)" ] || fail "left: $(stale)"

it 'ends when the disk is full, with files that have all that was recorded'
disk=$tmp/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
# shellcheck disable=SC2086 # two words
for way in 'zstd 3000' 'none 0'; do
	if mount -t tmpfs -o size=5m none "$disk" 2>/dev/null; then
		# how much the journal of tasks takes depends on the machine
		hist record -z ${way% *} -b 16384 --no-tasks -o "$disk/r-%n.dat" -e syscalls:sys_enter_lseek -F --rotate 1M "$numbers" 1000000 ${way#* }
		status_is 125
		stderr_has 'warning: the recording ended early: No space left on device'
		checked [ -z "$(ls -d "$disk"/*.part.* 2>/dev/null)" ] || fail "left: $(ls "$disk")"
		dir=$disk
		# the last number is that of the last file
		last=$(trace-cmd report "$(files | tail -n 1)" 2>/dev/null | sed -n 's/.*sys_enter_lseek: *fd: 0xffffffff, offset: 0x\([0-9a-f]*\).*/0x\1/p' | tail -n 1)
		checked [ "$((last))" -gt 20000 ] || fail "the disk was full after $((last)) numbers"
		numbered "$((last))"
		hist list -i "$(files | tail -n 1)"
		stdout_has 'ended early +No space left on device'
		umount "$disk"
	fi
done
[ "$dir" = "$disk" ] || skip 'cannot mount a small file system'
machine_is_unchanged

it 'refuses options that do not belong together'
record_fails '--rotate needs -o with %n for the number of the file' --rotate 1G -e sched_switch true
record_fails "--rotate takes a size, such as 1G, or a time, such as 10min, not '5x'" --rotate 5x -e sched_switch true
record_fails '--rotate takes no --keep, -m, --live, --recover and --dump' --rotate 1G -m 10 -e sched_switch true
record_fails 'need --keep TIME or --keep SIZE' --rotate 1G --cooldown 1 -e sched_switch true
hist record -o "$tmp/%n/r.dat" --rotate 1G -e sched_switch true
stderr_has '%n must be in the name of the file'

done_testing
