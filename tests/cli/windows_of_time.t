#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Derived events are counted by windows of time, each by a thread of its own, as by one thread.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
"$make" "$tmp/zstd.dat" 100000 wakeup zstd
"$make" "$tmp/none.dat" 100000 wakeup none

# windows_same FILE ARGS...: by any number of threads as by the plainest code, with all messages
windows_same()
{
	file=$1
	shift
	hist report --plan=plain -i "$tmp/$file.dat" "$@"
	status=$?
	cp "$tmp.out" "$tmp/plain.out"
	cp "$tmp.err" "$tmp/plain.err"
	for jobs in 3 4 7; do
		hist report -j $jobs -i "$tmp/$file.dat" "$@"
		checked cmp -s "$tmp.out" "$tmp/plain.out" || fail "other rows with $jobs threads"
		checked cmp -s "$tmp.err" "$tmp/plain.err" || fail "other messages with $jobs threads"
	done
}

it 'a recording that is read by windows'
for file in zstd none; do
	hist report -j 4 --explain -i "$tmp/$file.dat" -e derived:wait --by comm
	status_is 0
	stderr_has 'plan: derived:wait hist:keys=comm: by windows of time, 4 threads'
done
hist report -j 2 --explain -i "$tmp/none.dat" -e derived:wait --by comm
stderr_has 'together with'

it 'waits and states of tasks'
for file in zstd none; do
	windows_same $file -e derived:wait --by comm --sum ns
	stdout_has 'hits in'
	windows_same $file -e derived:wait --by comm,kind,migrated -f 'ns > 2000' --sum ns --stats
	windows_same $file -e derived:wait --by waker_comm,in_irq --sum ns --exemplars 3
	windows_same $file -e derived:task_state --by comm,state,next_state --sum ns
	windows_same $file -e derived:wait,derived:task_state --by comm --sum ns
	windows_same $file -e derived:wait --by common_pid.execname,common_cpu
done

it 'a part of the time'
windows_same none -e derived:wait --by comm --sum ns --from +0.02 --to +0.15

it 'more keys than a map has room for'
windows_same none -e derived:wait --by ns,pid,waker_pid

it 'fields for which all before counts, and what only one thread can count'
for args in '-e derived:wait --by other_idle_ns' '-e derived:wait --by idle_cpu' '-e derived:wait --by reason --sum ns' \
	'-e derived:delay --by culprit_comm --sum ns' '-e derived:runqueue --by cpu --sum ns' '-R scheduler'; do
	# shellcheck disable=SC2086 # several words
	hist report -j 4 --explain -i "$tmp/none.dat" ${args#-R }
	stderr_lacks 'windows of time'
done

it 'records that are missing anywhere are found, and all is derived in order'
"$make" "$tmp/hole.dat" 100000 wakeup none
python3 - "$tmp/hole.dat" <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(f.seek(0, 2) // 2 // 4096 * 4096)
    f.write(b"\xff" * 4096)
END
windows_same hole -e derived:wait --by comm --sum ns
checked test "$status" = 2 || fail "status $status of a damaged recording"
stderr_has 'damaged'
hist report -j 4 --explain -i "$tmp/hole.dat" -e derived:wait --by comm
stderr_has 'by windows of time'
stderr_has 'together with'

done_testing
