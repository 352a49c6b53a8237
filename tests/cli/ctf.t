#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# CTF traces: LTTng's events of the kernel become ftrace's, with the task that ran; those of
# programs keep their names and fields; losses and what libbabeltrace2 does not read are reported.
. tests/cli/lib.sh
layout=hist

for kind in kernel ust lost numbers texts; do
	python3 tests/cli/ctf_write.py "$tmp/$kind" $kind
done

it 'names the package that reads them'
mkdir "$tmp/no-babeltrace" && : >"$tmp/no-babeltrace/libbabeltrace2.so.0"
LD_LIBRARY_PATH=$tmp/no-babeltrace
export LD_LIBRARY_PATH
hist list "$tmp/kernel"
status_is 2
stderr_has 'kernel: is a CTF trace, which libbabeltrace2 reads; it is not installed .Debian: libbabeltrace2-0'
unset LD_LIBRARY_PATH

# The library, which is an option, may be missing; .ci/deps installs it.
hist list "$tmp/kernel"
if grep -q 'it is not installed' "$tmp.err"; then
	it 'reads them'
	skip 'libbabeltrace2 is not installed'
	done_testing
fi

it 'has the events of the kernel, with ftrace'\''s names and fields'
hist events -q -i "$tmp/kernel"
status_is 0
sed 's/^ *//; s/  */ /g' "$tmp.out" >"$tmp/got"
cat >"$tmp/want" <<'END'
cpus=2
shell-100 [000] 1700000000.000001: lttng_statedump_process_state: pid=100 vtid=100 tgid=100 vpid=100 ppid=1 vppid=1 name=shell type=0 mode=0
shell-100 [000] 1700000000.000001: lttng_statedump_process_state: pid=101 vtid=101 tgid=100 vpid=100 ppid=1 vppid=1 name=worker type=0 mode=0
shell-100 [000] 1700000000.000002: sys_enter_openat: __syscall_nr=257 dfd=-100 filename=/etc/passwd flags=0 mode=420
shell-100 [000] 1700000000.000002: sys_exit_openat: __syscall_nr=257 ret=3
shell-100 [000] 1700000000.000002: sys_enter_read: __syscall_nr=0 fd=3 count=4096
worker-101 [001] 1700000000.000003: sys_enter_nanosleep: __syscall_nr=35 rqtp=0x7ffe1000
worker-101 [001] 1700000000.000003: sys_exit: id=35 ret=-4
shell-100 [000] 1700000000.000003: sched_switch: prev_comm=shell prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
worker-101 [001] 1700000000.000004: sched_switch: prev_comm=worker prev_pid=101 prev_prio=120 prev_state=R+ ==> next_comm=rt next_pid=55 next_prio=120
rt-55 [001] 1700000000.000004: sys_exit: id=-1 ret=0
<idle>-0 [000] 1700000000.000004: softirq_entry: vec=4 [action=BLOCK]
<idle>-0 [000] 1700000000.000005: sched_waking: comm=shell pid=100 prio=120 target_cpu=0
<idle>-0 [000] 1700000000.000005: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=shell next_pid=100 next_prio=120
shell-100 [000] 1700000000.000006: sys_exit_read: __syscall_nr=0 ret=17 buf=2147418112
shell-100 [000] 1700000000.000006: sched_process_fork: parent_comm=shell parent_pid=100 parent_tgid=100 child_comm=shell child_pid=102 child_tgid=102
shell-100 [000] 1700000000.000007: block_rq_issue: dev=8,1 sector=64 nr_sector=8 bytes=4096 pid=0 rwbs=WSM comm=shell
shell-100 [000] 1700000000.000007: lttng_logger: msg=hello
END
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"

it 'is listed as what it is, with the systems of its events and its tasks'
hist list "$tmp/kernel"
status_is 0
stdout_has 'kernel: CTF trace, imported'
stdout_has 'machine *Linux box 4.4.3-test x86_64, 2 CPUs'
stdout_has 'tasks *3 tasks, .*from LTTng'
stdout_has 'time of day *2023-11-14 22:13:20\.0000.. UTC at 1700000000\.0000.. s'
for event in lttng:lttng_logger syscalls:sys_enter_openat raw_syscalls:sys_exit irq:softirq_entry block:block_rq_issue; do
	stdout_has " $event\$"
done

it 'has the time of day'
hist events -q -i "$tmp/kernel" --from '2023-11-14 22:13:20.000005' --top 1
stdout_has '1700000000\.000005: sched_switch: .*next_comm=shell'

it 'answers questions: system calls, waits, processes'
hist report -q -i "$tmp/kernel" -e derived:syscall --by name --sum ns --format csv
stdout_has '^openat,1,300'
stdout_has '^read,1,3500'
stdout_has '^nanosleep,1,100'
hist report -q -i "$tmp/kernel" -e derived:wait --by comm,kind --sum ns --format csv
stdout_has '^shell,woken,1,500'
hist report -q -i "$tmp/kernel" -e sched:sched_switch -f 'prev_pid == 101' --by process
stdout_has 'shell'

it 'has the events of programs, with contexts and nested fields'
hist events -q -i "$tmp/ust" --format ndjson
status_is 0
stdout_has '"pid":100,"comm":"shell","event":"app:work"'
stdout_has '"name":"first","values":"\[ \[0\] = 1, \[1\] = 2, \[2\] = 700 \]","place":"{ x = -5, y = 0.5 }","handle":3735928559,"level":2,"vtid":100,"procname":"shell"'
stdout_has '"ts":1700000000000005300,.*"event":"app:tick"'

it 'has texts that are empty, and the names that threads had at a time'
hist events -q -i "$tmp/texts" --format csv --fields pid,comm,procname,note,more,array
stdout_is 'pid,comm,procname,note,more,array
100,sh,sh,abc,"{ inner = ""def"" }",word
100,sh,sh,"","{ inner = """" }",""
100,ls,ls,"","{ inner = ""x"" }",w
200,sh,sh,y,"{ inner = """" }",""'

it 'has what was lost, and where'
hist list "$tmp/lost"
stderr_has '9 events were lost while they were recorded'
stdout_has 'CPU 0 .* 2 events, 7 lost'
stdout_has 'CPU 1 .* 2 events, 2 lost'
hist events -q -i "$tmp/lost"
sed -n '/DROPPED/{s/ *$//;p;n;s/.*\(\[00.\]\).*/\1/p;}' "$tmp.out" >"$tmp/got"
printf 'CPU:1 [2 EVENTS DROPPED]\n[001]\nCPU:0 [7 EVENTS DROPPED]\n[000]\n' | checked cmp -s - "$tmp/got" ||
	fail_file 'losses:' "$tmp/got"

it 'reads the traces of a session together'
mkdir "$tmp/session" "$tmp/session/ust"
mv "$tmp/kernel" "$tmp/session/"
mv "$tmp/ust" "$tmp/session/ust/a"
mv "$tmp/numbers" "$tmp/session/ust/b"
hist events -q -i "$tmp/session" -e 'app:*' --fields pid,event --format csv
status_is 0
stdout_is 'pid,event
100,app:work
100,app:tick
100,app:tick
100,app:tick
100,app:tick_2
100,app:tick
100,app:tick'

it 'is a trace.dat after hist import'
hist import "$tmp/session" -o "$tmp/t.dat"
status_is 0
stderr_has 'session: a CTF trace: 24 events in 4 streams'
hist events -q -i "$tmp/session"
cp "$tmp.out" "$tmp/want"
hist events -q -i "$tmp/t.dat"
stdout_is_file "$tmp/want"

it 'is a recording wherever one is expected'
hist report -q "$tmp/session" -e sched:sched_switch --by next_comm --format csv
status_is 0
stdout_has '^shell,1$'
hist diff -q -e sched:sched_switch --by next_comm --format csv "$tmp/session" "$tmp/t.dat"
status_is 0
stdout_has '^.all.,hitcount,.*,3,3,same'
hist "$tmp/session"
stdout_has 'Linux 4.4.3-test, 2 CPUs'
hist slim -q -i "$tmp/session" -e sched:sched_switch -o "$tmp/slim.dat"
hist report -q -i "$tmp/slim.dat" -e sched:sched_switch --by next_comm --format csv
stdout_has '^shell,1$'

it 'keeps what is before damage, and says what is missing'
cp -r "$tmp/session" "$tmp/damaged"
python3 - "$tmp/damaged/ust/b/channel0_0" <<'END'
import struct
import sys
with open(sys.argv[1], 'r+b') as f:
    f.seek(f.read().index(struct.pack('<Q', 5310)) - 2)  # the number of an event
    f.write(b'\xe7\x03')
END
hist events -i "$tmp/damaged"
status_is 2
stderr_has 'libbabeltrace2 2\.[0-9.]* stopped inside the trace; what it read is kept, the events after it are missing'
stderr_has 'the reason of libbabeltrace2: '
stdout_has 'sys_enter_openat'

it 'outlives a library that aborts'
cp -r "$tmp/session/ust/a" "$tmp/aborts"
python3 - "$tmp/aborts/channel0_0" <<'END'
import sys
with open(sys.argv[1], 'r+b') as f:
    f.seek(39)  # of the size of a packet, which becomes a negative number
    f.write(b'\xc7')
END
hist list "$tmp/aborts"
status_is 2
stderr_has 'aborts: is damaged: the library that reads it failed$|aborts: a CTF trace that libbabeltrace2 .* cannot read'

it 'leaves out a trace that cannot be opened'
: >"$tmp/damaged/ust/a/metadata"
printf '/* CTF 1.8 */\nno' >"$tmp/damaged/kernel/metadata"
printf '/* CTF 1.8 */\nno' >"$tmp/damaged/ust/b/metadata"
hist events -i "$tmp/damaged"
status_is 2
stderr_has 'a CTF trace that libbabeltrace2 2\.[0-9.]* cannot read: '
cp "$tmp/session/ust/b/metadata" "$tmp/damaged/ust/b/"
hist events -i "$tmp/damaged" --fields event --format csv
status_is 2
stderr_has 'damaged: 1 of 2 traces cannot be opened; their events are missing'
stdout_has 'app:tick'

it 'refuses traces of several machines or sessions in one directory'
mkdir "$tmp/several"
cp -r "$tmp/session/kernel" "$tmp/several/kernel"
cp -r "$tmp/session/ust/a" "$tmp/several/ust"
hist list "$tmp/several"
status_is 0
sed 's/hostname = "box"/hostname = "oak"/' "$tmp/session/ust/a/metadata" >"$tmp/several/ust/metadata"
hist list "$tmp/several"
status_is 2
stderr_has 'several: has CTF traces of several sessions or machines, such as .*several/kernel and .*several/ust: name the directory of one'

it 'reads a directory that is packed by tar, from a file and a pipe'
hist events -q -i "$tmp/session/kernel"
cp "$tmp.out" "$tmp/unpacked"
for format in ustar pax gnu; do
	tar -C "$tmp/session" --format=$format -cf "$tmp/kernel.tar" kernel
	hist events -q -i "$tmp/kernel.tar"
	stdout_is_file "$tmp/unpacked"
	hist events -q -i - <"$tmp/kernel.tar"
	stdout_is_file "$tmp/unpacked"
done
hist import -q - -o "$tmp/packed.dat" <"$tmp/kernel.tar"
status_is 0
hist import -q "$tmp/session/kernel" -o "$tmp/plain.dat"
hist events -q -i "$tmp/packed.dat"
cp "$tmp.out" "$tmp/unpacked"
hist events -q -i "$tmp/plain.dat"
stdout_is_file "$tmp/unpacked"
tar -C "$tmp/session" -cf - kernel/metadata | head -c 2000 >"$tmp/cut.tar"
hist list -i - <"$tmp/cut.tar"
status_is 2
stderr_has 'standard input: the archive is cut or damaged'
mkdir "$tmp/empty" && : >"$tmp/empty/file"
tar -C "$tmp" -cf "$tmp/empty.tar" empty
hist list "$tmp/empty.tar"
status_is 2
stderr_has 'empty.tar: is a tar archive without a copy of the tracing directory or a CTF trace; unpack it, and name one of its files'
checked test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'hist-tar-*' -newer "$tmp/session/ust/a/metadata")" || fail 'a directory is left'

it 'leaves no directory of an archive when it is killed'
mkdir "$tmp/tmp"
head -c 30000000 /dev/zero >"$tmp/session/kernel/zeros"
tar -C "$tmp/session" -cf "$tmp/large.tar" kernel
for signal in KILL TERM HUP; do
	TMPDIR=$tmp/tmp $HIST list -i "$tmp/large.tar" >/dev/null 2>&1 &
	until [ -n "$(ls "$tmp/tmp")" ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
	kill -$signal $! 2>/dev/null
	{ wait $!; } 2>/dev/null
	i=0
	while [ -n "$(ls "$tmp/tmp")" ] && [ $((i += 1)) -lt 300 ]; do sleep 0.1; done
	checked test $i -lt 300 || fail "after SIG$signal"
done
rm -r "$tmp/session/kernel/zeros" "$tmp/large.tar"

it 'says which file of a trace is not the recording'
hist list "$tmp/session/kernel/metadata"
status_is 2
stderr_has 'metadata: is the metadata of a CTF trace, as LTTng writes them; the recording is its directory'

done_testing
