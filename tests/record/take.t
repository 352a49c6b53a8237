#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --take: what an instance holds becomes a file, and the instance stays as it is.
. tests/record/lib.sh
layout=hist

have python3 || skip_all 'python3 is not installed'
i=$tracefs/instances/test.$$
trap 'rmdir "$i" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
out=$tmp/t.dat

# The events of the instance as the kernel prints them: time and name of the task's program
kernel_lines()
{
	sed -n 's/.* \([0-9]*\.[0-9]*\): sched_process_exec: filename=\([^ ]*\) .*/\1 \2/p' "$i/trace"
}

# Of the file, rounded to the same microseconds
taken_lines()
{
	run_hist events -q -i "$out" -e sched_process_exec --fields time,filename --format tsv
	# in whole numbers: half a microsecond is rounded up, as by the kernel
	tail -n +2 "$tmp.out" | awk '{
		split($1, t, "."); us = int((t[2] + 500) / 1000)
		printf "%d.%06d %s\n", t[1] + (us == 1000000), us % 1000000, $2 }'
}

same_lines()
{
	kernel_lines >"$tmp/kernel"
	taken_lines >"$tmp/taken"
	checked [ "$(wc -l <"$tmp/kernel")" -ge "$1" ] || fail "the instance holds $(wc -l <"$tmp/kernel") events"
	checked cmp -s "$tmp/kernel" "$tmp/taken" || fail "$(diff "$tmp/kernel" "$tmp/taken" | head -n 10)"
}

mkdir "$i"
echo 0 >"$i/tracing_on"
echo 1 >"$i/events/sched/sched_process_exec/enable"
echo $$ >"$i/set_event_pid"
echo 1 >"$i/options/event-fork"
echo 1 >"$i/tracing_on"
for _ in 1 2 3 4 5 6 7 8; do /bin/true; done
echo 0 >"$i/tracing_on"
# whether this kernel can map a buffer
maps=$(python3 - "$i/per_cpu/cpu0/trace_pipe_raw" <<'END'
import ctypes, os, sys
mmap = ctypes.CDLL(None).mmap
mmap.restype = ctypes.c_void_p
mmap.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
file = os.open(sys.argv[1], os.O_RDONLY | os.O_NONBLOCK)
if mmap(None, os.sysconf("SC_PAGESIZE"), 1, 1, file, 0) != ctypes.c_void_p(-1).value:
    print("yes")
END
)

it 'takes what a stopped instance holds'
# the events of the instance, without names: the kernel may forget those while others run
listing() { sed 's/^.*-\([0-9]* *\[[0-9]*\]\)/\1/' "$i/trace"; }
listing >"$tmp/before"
hist record --take "test.$$" -o "$out"
status_is 0
if [ -n "$maps" ]; then
	stderr_has "t.dat: the events of $i, which keeps them"
	listing >"$tmp/now"
	checked cmp -s "$tmp/now" "$tmp/before" || fail 'the instance has changed'
	same_lines 8
else
	stderr_has 'which does not have them any more'
fi
stderr_lacks 'did not record'
checked [ "$(cat "$i/tracing_on")" = 0 ] || fail 'it was switched on'
checked [ -z "$(ls -d "$out".take.* 2>/dev/null)" ] || fail 'the copy is left'

it 'takes what a running instance holds, which goes on, and names what limits the events'
echo 'filename != "x'"'"'y"' >"$i/events/sched/sched_process_exec/filter"
echo 1 >"$i/tracing_on"
/bin/true
hist record --take "test.$$" -o "$out"
status_is 0
stderr_has 'it did not record for [0-9.]* ms'
checked [ "$(cat "$i/tracing_on")" = 1 ] || fail 'it was left switched off'
checked [ -f "$out.old" ] || fail 'the file before was not kept'
echo 0 >"$i/tracing_on"
hist report -i "$out" -e sched_process_exec --by filename
stdout_has 'filename: .*/true .* hitcount: +9$'
hist report -i "$out" -e sched_process_exec --by filename --format json
stdout_has 'filename != \\"x'"'"'y\\"'
echo 0 >"$i/events/sched/sched_process_exec/filter"

it 'a small buffer that was overwritten, and of which a reader has taken a part'
echo 0 >"$i/events/enable"
echo >"$i/set_event_pid"
echo 8 >"$i/buffer_size_kb"
echo 1 >"$i/events/sched/sched_process_exec/enable"
echo 1 >"$i/tracing_on"
# on one CPU, whose buffer is then full
taskset -c 0 sh -c 'n=0; while [ $n -lt 600 ]; do /bin/true; n=$((n + 1)); done'
echo 0 >"$i/tracing_on"
checked grep -q '^overrun: [1-9]' "$i"/per_cpu/cpu*/stats || fail 'nothing was overwritten'
for cpu in "$i"/per_cpu/cpu*; do
	dd if="$cpu/trace_pipe_raw" of=/dev/null bs=4096 count=1 iflag=nonblock 2>/dev/null
done
hist record --take "test.$$" -o "$out"
status_is 0
if [ -n "$maps" ]; then
	same_lines 10
else
	skip 'this kernel cannot map the buffer'
fi
hist dump -i "$out" --audit
status_is 0

it 'one that does not exist, and wrong usage'
hist record --take "test.$$.no" -o "$tmp/no.dat"
status_is 125
stderr_has "cannot read: .*/instances/test.$$.no: No such file"
checked [ -z "$(ls -d "$tmp"/no.dat* 2>/dev/null)" ] || fail 'something is left'
for wrong in '-e sched_switch' '-B x' '--dump x' '--recover' 'true' '--keep 1 --until sched_switch' '--rotate 1G'; do
	# shellcheck disable=SC2086 # words
	hist record --take "test.$$" $wrong
	status_is 125
	stderr_has '(--take|--dump|--recover).*(takes|does not record)'
done
: >"$tmp/no"
hist record --take "test.$$" -o "$tmp/no/t.dat"
status_is 125
stderr_has '/no.*: Not a directory'

it 'leaves the machine as it was'
rmdir "$i"
machine_is_unchanged

done_testing
