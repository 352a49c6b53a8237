#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --recover with missing resources: it reports that, and the captured data is kept.
. tests/record/lib.sh

# killed: a recording that was killed after it had recorded 10000 system calls
killed()
{
	alone
	rm -rf "$tmp"/t.dat*
	"$HIST" record -o "$dat" -F -c -b 2048 -e raw_syscalls:sys_enter \
		sh -c '"$1" 5000; sleep 0.1; kill -KILL $PPID' sh "$load" >/dev/null 2>&1 9<&-
	part=$(ls -d "$dat".part.*)
}

recovered()
{
	record --recover
	status_is 0
	n=$(report | grep -c sys_enter)
	[ "$n" -ge 10000 ] || fail "events in the file: $n"
	no_leftovers
}

have prlimit || skip_all 'prlimit is not installed'

it 'too few descriptors'
killed
before=$(ls -l "$part")
for limit in 4 5 6 7 8 9 10; do
	run prlimit --nofile="$limit" "$HIST" record -o "$dat" --recover 9<&-
	[ $status = 125 ] || fail_file "with $limit descriptors the status is $status:" "$tmp.err"
	stderr_has 'Too many open files'
	[ ! -e "$dat" ] || fail "with $limit descriptors there is a file"
	[ "$(ls -l "$part")" = "$before" ] || fail "with $limit descriptors it changed: $(ls -l "$part")"
done
recovered

it 'a file of a CPU that cannot be read'
killed
"$HIST" record -o "$tmp/other.dat" -e sched:sched_process_exec true 2>/dev/null 9<&-
for cpu in "$part"/cpu*; do
	[ ! -s "$cpu" ] || break
done
mv "$cpu" "$tmp/aside"
mkdir "$cpu"
record --recover
status_is 125
stderr_has 'cannot read .*cpu[0-9]+: Permission denied'
stderr_has 'the data is still in'
rmdir "$cpu"
mv "$tmp/aside" "$cpu"
recovered

it 'a damaged manifest'
killed
"$HIST" record -o "$tmp/other.dat" -e sched:sched_process_exec true 2>/dev/null 9<&-
cp "$part/manifest" "$tmp/aside"
printf 'garbage\n' | dd of="$part/manifest" bs=1 seek=40 conv=notrunc status=none
record --recover
status_is 125
stderr_has 'manifest is damaged; its data is not touched'
[ -s "$part/cpu0" ] || [ -s "$part/cpu1" ] || fail 'the data is gone'
cat "$tmp/aside" >"$part/manifest"
recovered

it 'a manifest from which no readable file can be made'
killed
"$HIST" record -o "$tmp/other.dat" -e sched:sched_process_exec true 2>/dev/null 9<&-
LC_ALL=C sed -i 's/local_t commit;/local_t cummit;/' "$part/manifest"
record --recover
status_is 125
stderr_has 'header_page does not describe the commit field'
stderr_has 'the data is still in'
LC_ALL=C sed -i 's/local_t cummit;/local_t commit;/' "$part/manifest"
rm "$dat"
recovered

it 'data of a CPU that the manifest does not count'
killed
"$HIST" record -o "$tmp/other.dat" -e sched:sched_process_exec true 2>/dev/null 9<&-
(umask 077 && printf 'data' >"$part/cpu4096")
record --recover
status_is 125
stderr_has 'manifest is damaged; the data is not touched'
[ -s "$part/cpu0" ] || [ -s "$part/cpu1" ] || fail 'the data is gone'
rm "$part/cpu4096"
recovered

it 'a name in use'
killed
mkdir "$dat"
record --recover
status_is 125
stderr_has 't\.dat is a directory'
stderr_has 'the data is still in'
rmdir "$dat"
echo old >"$dat"
mkdir "$dat.old"
record --recover
status_is 125
stderr_has 'cannot rename .*t\.dat to .*t\.dat\.old: Is a directory'
[ "$(cat "$dat")" = old ] || fail 'the old file is gone'
rmdir "$dat.old"
recovered

it 'if the end of a recording is on the disk twice, it is removed, and not recovered again'
killed
recovered
mkdir -m 700 "$part"
# the state after it was killed while it removed its files
(umask 077 && printf hist >"$part/manifest" && echo rest >"$part/cpu0")
cp "$dat" "$tmp/whole"
record --recover
status_is 0
cmp -s "$dat" "$tmp/whole" || fail 'the file was replaced'
no_leftovers

it 'data whose manifest is cut after its first block is not removed'
mkdir -m 700 "$part"
(umask 077 && printf 'hist-recording 0\n\n' >"$part/manifest" && echo rest >"$part/cpu0")
record --recover
status_is 125
stderr_has 'manifest is damaged; its data is not touched'
[ -s "$part/cpu0" ] || fail 'the data is gone'
rm "$part/cpu0"
record --recover
status_is 0
no_leftovers

it 'waits for another process that undoes changes'
if have flock; then
	killed
	flock /run/hist sh -c ': >"$1"; sleep 1; : >"$2"' sh "$tmp/locked" "$tmp/done" 9<&- &
	wait_until test -e "$tmp/locked"
	recovered
	[ -e "$tmp/done" ] || fail 'it did not wait'
	wait $!
else
	skip 'flock is not installed'
fi

it 'a recording starts while another process undoes changes, with a warning; --recover does not'
if unshare -m true 2>/dev/null; then
	killed
	cat >"$tmp/busy" <<'END'
mount -t tmpfs -o mode=755 none /run && mkdir -m 700 /run/hist || exit 77
flock /run/hist sh -c 'echo $$; exec sleep 99' | {
	read -r holder
	timeout -k 5 "${RUN_TIMEOUT:-60}" "$HIST" record -o "$2" -e sched:sched_process_exec true 2>"$3"
	status=$?
	timeout -k 5 "${RUN_TIMEOUT:-60}" "$HIST" record -o "$1" --recover
	[ $? = 125 ] || echo 'it was recovered'
	kill "$holder"
	exit $status
}
END
	unshare -m sh "$tmp/busy" "$dat" "$tmp/busy.dat" "$tmp/started" >"$tmp.out" 2>"$tmp.err" 9<&-
	status=$?
	if [ $status = 77 ]; then
		skip 'no tmpfs'
	else
		stdout_is ''
		stderr_has 'error: another hist has been saving a killed recording for ten seconds: try again later'
		stderr_has 'is not complete yet'
		cp "$tmp/started" "$tmp.err"
		status_is 0
		stderr_has 'warning: killed recordings are not saved now, because another hist is saving them'
		stderr_lacks 'error'
		holds test -s "$tmp/busy.dat"
	fi
	recovered
else
	skip 'no unshare -m'
fi

it 'a journal that cannot be removed'
if unshare -m true 2>/dev/null && have chattr; then
	alone # it has its own /run/hist, so that it does not wait for another one that cleans up
	cat >"$tmp/journal" <<'END'
mount -t tmpfs -o mode=700 none /run/hist && printf 'umount 12\n/nonexistent\n' >/run/hist/99999999.undo &&
	chattr +a /run/hist || exit 77
timeout -k 5 "${RUN_TIMEOUT:-60}" "$HIST" record -o "$1" -e sched:sched_process_exec true
END
	[ -d /run/hist ] || mkdir -m 700 /run/hist
	unshare -m sh "$tmp/journal" "$dat" >"$tmp.out" 2>"$tmp.err" 9<&-
	status=$?
	if [ $status = 77 ]; then
		skip 'files of this tmpfs cannot be protected'
	else
		status_is 0
		stderr_has 'cannot remove the journal /run/hist/99999999.undo'
	fi
else
	skip 'no unshare -m, or no chattr'
fi

it 'tracefs that a killed recording mounted is unmounted, and mounted for the next one'
if unshare -m true 2>/dev/null; then
	alone
	cat >"$tmp/mounting" <<'END'
umount -a -t tracefs,debugfs && [ ! -e /sys/kernel/tracing/events ] || exit 77
"$HIST" record -o "$1" -e sched:sched_process_exec sh -c 'kill -KILL $PPID'
[ -e /sys/kernel/tracing/events ] || echo 'it was not mounted'
timeout -k 5 "${RUN_TIMEOUT:-60}" "$HIST" record -o "$2" -e sched:sched_process_exec true
status=$?
[ ! -e /sys/kernel/tracing/events ] || echo 'it is still mounted'
exit $status
END
	unshare -m sh "$tmp/mounting" "$dat" "$tmp/next.dat" >"$tmp.out" 2>"$tmp.err" 9<&-
	status=$?
	if [ $status = 77 ]; then
		skip 'tracefs cannot be unmounted here'
	else
		status_is 0
		stdout_is ''
		stderr_has "t\.dat was killed while it was recorded"
		rm -rf "$dat".part.*
	fi
else
	skip 'no unshare -m'
fi

it 'the child that is to become the command is still there when the recording is killed'
rm -rf "$tmp"/t.dat*
alone
"$HIST" record -o "$dat" -e sched sleep 9 2>/dev/null 9<&- &
pid=$!
children=/proc/$pid/task/$pid/children
if [ -e "$children" ]; then
	child=
	while [ -z "$child" ] && kill -0 "$pid" 2>/dev/null; do
		read -r child <"$children" || :
	done
	kill -STOP "$child"
	sleep 0.5
	kill -KILL "$pid"
	end
	run "$HIST" record -o "$dat" --recover 9<&-
	[ "$status" = 0 ] || stderr_has 'nothing to recover'
	no_leftovers
	[ -z "$(stale)" ] || fail "left: $(stale)"
	kill -KILL "$child"
else
	kill "$pid"
	end
	skip 'no list of children'
fi

it 'restores the machine'
machine_is_unchanged

done_testing
