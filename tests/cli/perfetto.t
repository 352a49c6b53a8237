#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Traces of Perfetto: events, fields, names, losses and order are those that were written.
. tests/cli/lib.sh
layout=hist

# Of sanitizers, each run takes ten times as long.
seeds=30
case $BUILD in *sanitize*) seeds=6 ;; esac

it "has the events of $seeds random traces in all shapes"
checked python3 tests/cli/perfetto_check.py "$HIST" 1 $seeds "$tmp" || fail "$(cat "$tmp.out")"

trace=$tmp/trace.pftrace
python3 tests/cli/perfetto_write.py "$trace" 7

it 'lists it, and answers from files and pipes'
hist list -i "$trace"
status_is 0
stdout_has 'a trace of Perfetto, imported'
stdout_has 'Linux .none. 6.12.0 x86_64'
hist report -q -i "$trace" -e sched:sched_switch --by next_comm
cp "$tmp.out" "$tmp/want"
stdout_has dd
hist report -q -i - -e sched:sched_switch --by next_comm <"$trace"
stdout_is_file "$tmp/want"
hist import -q "$trace" -o "$tmp/trace.dat"
hist report -q -i "$tmp/trace.dat" -e sched:sched_switch --by next_comm
stdout_is_file "$tmp/want"

it 'knows processes and their arguments'
hist report -q -i "$trace" -e sched:sched_switch -f 'prev_pid == 77' --by cmdline,process
stdout_has '/bin/a b  .*-77'

it 'knows the users of processes, and writes them'
hist report -q -i "$trace" -e sched:sched_switch --by uid -f 'common_tgid == 77'
stdout_has '10077 . hitcount: +11$'
cp "$tmp.out" "$tmp/want"
hist report -q -i "$trace" -e sched:sched_switch --by uid -f 'common_uid == 10077'
stdout_has '10077 . hitcount: +11$'
hist events -q -i "$trace" --format perfetto -o "$tmp/out.pftrace"
hist report -q -i "$tmp/out.pftrace" -e sched:sched_switch --by uid -f 'common_tgid == 77'
stdout_is_file "$tmp/want"
# of a process whose leader has no event
hist events -q -i "$trace" -e sched:sched_switch -f 'common_pid == 5' --format perfetto -o "$tmp/out.pftrace"
hist report -q -i "$tmp/out.pftrace" -e sched:sched_switch --by uid,cmdline
stdout_has '10077, common_cmdline: /bin/a b .* hitcount: +6$'
hist slim -q -i "$trace" -e sched:sched_switch -o "$tmp/slim.dat"
hist report -q -i "$tmp/slim.dat" -e sched:sched_switch --by uid -f 'common_tgid == 77'
stdout_is_file "$tmp/want"
hist report -i "$trace" -e sched:sched_switch --by prev_pid.uid
stdout_has '10077 . hitcount: +11$'
stderr_has 'of 7 events is not known'

it 'keeps what is before a cut, and says so'
python3 tests/cli/perfetto_write.py "$trace" 20
head -c 9000 "$trace" >"$tmp/cut"
hist list -i "$tmp/cut"
status_is 2
stderr_has 'is cut inside a packet'
stdout_has 'sched:sched_switch'

it 'writes the events of the kernel, which are the same when they are read again'
for rec in trace.dat-samples/switch.dat trace.dat-samples/syscalls.dat trace.dat-samples/wakeup.dat; do
	hist events -q -i "$rec" --format perfetto -o "$tmp/out.pftrace"
	status_is 0
	hist events -q -i "$rec" --format csv --fields ts,cpu,pid,event
	sort "$tmp.out" >"$tmp/want"
	hist events -q -i "$tmp/out.pftrace" --format csv --fields ts,cpu,pid,event
	sort "$tmp.out" >"$tmp/got"
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$rec: $(diff "$tmp/want" "$tmp/got" | head -n 4)"
done
# no event says of which process its tasks are
hist events -q -i trace.dat-samples/kmalloc.dat --format perfetto -o "$tmp/out.pftrace"
hist report -q -i trace.dat-samples/kmalloc.dat -e kmem:kmalloc --by common_task --top 0
cp "$tmp.out" "$tmp/want"
stdout_has 'init-1  *} hitcount:  *8840'
hist report -q -i "$tmp/out.pftrace" -e kmem:kmalloc --by common_task --top 0
stdout_is_file "$tmp/want"
# those that the lists of compact scheduling have, and what follows from them
for what in prev_comm,prev_state,next_comm next_pid,next_prio prev_pid,prev_prio cpu,common_pid,common_flags; do
	hist report -q -i trace.dat-samples/switch.dat -e sched:sched_switch --by $what
	cp "$tmp.out" "$tmp/want"
	hist events -q -i trace.dat-samples/switch.dat --format perfetto -o "$tmp/out.pftrace"
	hist report -q -i "$tmp/out.pftrace" -e sched:sched_switch --by $what
	stdout_is_file "$tmp/want"
done
# 468,682 bytes without lists
bytes=$(wc -c <"$tmp/out.pftrace")
[ "$bytes" -lt 400000 ] || fail "switch.dat takes $bytes bytes"

it 'writes intervals as slices and counters on tracks of their own'
for event in wait task_state runqueue delay; do
	checked python3 tests/cli/perfetto_slices.py "$HIST" trace.dat-samples/switch.dat derived:$event || fail $event
done
checked python3 tests/cli/perfetto_slices.py "$HIST" trace.dat-samples/syscalls.dat derived:syscall || fail syscall

it 'reads track events as markers: of threads, processes, counters; in any clock'
python3 tests/cli/perfetto_tracks.py "$tmp/tracks"
hist events -i "$tmp/tracks" -e ftrace:print --format csv --fields ts,cpu,pid,buf
stderr_has '19 track events became markers .ftrace:print.; the CPU of 12 is not known'
stderr_has 'left out: 1 track events without a known time'
cp "$tmp.out" "$tmp/got"
cat >"$tmp/want" <<'EOF'
ts,cpu,pid,buf
2000,1,11,B|10|draw|all
2000,1,-1,C|0|load|3000
2000,1,10,C|10|bytes|100
2100,1,10,G|10|frames|frame 1|2
2200,1,10,G|10|track|load file|1
2500,1,11,B|10|inner slice
3000,1,11,E|10
3000,1,-1,C|0|load|4600
3000,1,10,C|10|bytes|60
4000,1,11,E|10
4100,1,10,H|10|frames|2
4200,1,10,H|10|track|1
4500,1,11,I|10|now
6000,1,11,B|10|off CPU
6500,1,11,E|10
9500,1,10,G|10|frames|mono|2
9700,1,10,H|10|frames|2
10000,1,12,B|10|complete
12000,1,12,E|10
EOF
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"

it "knows the times of track events in all clocks, of $((2 * seeds)) random traces, and what dropped packets hide"
checked python3 tests/cli/perfetto_clocks.py "$HIST" 1 $((2 * seeds)) "$tmp" || fail "$(cat "$tmp.out")"

it 'has the time of day of a snapshot of clocks, and writes it'
hist list -i "$tmp/tracks"
stdout_has 'time of day *2025-11-28 21:25:56.839198 UTC at 0.000001 s, up to 10 us wrong'
hist events -q -i "$tmp/tracks" --from '2025-11-28 21:25:56.8392' --format csv --fields ts
stdout_lacks '^2[0-9]*$'
stdout_has '^3000$'
hist events -q -i "$tmp/tracks" --format perfetto -o "$tmp/out.pftrace"
hist list -i "$tmp/out.pftrace"
stdout_has 'time of day *2025-11-28 21:25:56.839198 UTC at 0.000001 s'

it 'reads the events of another machine to a buffer of its own'
hist list -i "$tmp/tracks"
stderr_has 'the events of 1 other machine are in a buffer of their own'
hist report -q -i "$tmp/tracks" -B machine-5 -e sched:sched_switch --by cpu,next_pid --format csv
stdout_has '^0,11,1$'
hist report -q -i "$tmp/tracks" -e sched:sched_switch --by cpu --format csv
stdout_has '^1,3$'

it 'knows threads from statistics, and arguments that changed'
hist report -q -i "$tmp/tracks" -e ftrace:print --by common_pid,common_pid.process --format csv
stdout_has '^12,program-10,2$'
stdout_has '^-1,. .thread -1.,2$'
hist report -q -i "$tmp/tracks" -e sched:sched_switch --by next_pid.cmdline --format csv
stdout_has '^/bin/program -v,1$'
stdout_has '^/bin/other,1$'

it 'reads its own slices and counters again'
hist report -q -i trace.dat-samples/switch.dat -e derived:wait --by kind --sum ns --format csv
tail -n +2 "$tmp.out" | sort >"$tmp/want"
hist events -q -i trace.dat-samples/switch.dat -e derived:wait --format perfetto -o "$tmp/waits.pftrace"
hist report -q -i "$tmp/waits.pftrace" -e derived:slice --by name --sum ns --format csv
tail -n +2 "$tmp.out" | sort >"$tmp/got"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"

it 'knows how many events were lost at the only place of a CPU'
hist list -q -i "$tmp/tracks"
stdout_has 'CPU 2 *2 events, 7 lost'

it 'writes symbols of addresses, which are the same when they are read again'
hist events -q -i trace.dat-samples/kmalloc.dat --format perfetto -o "$tmp/kmalloc.pftrace"
hist report -q -i trace.dat-samples/kmalloc.dat -e kmem:kmalloc --by call_site.sym --format csv
stdout_has 'tracing_map_init,6144$'
cp "$tmp.out" "$tmp/want"
hist report -q -i "$tmp/kmalloc.pftrace" -e kmem:kmalloc --by call_site.sym --format csv
stdout_is_file "$tmp/want"

it 'writes an explained interval as slices, one in the other'
hist why -q -i trace.dat-samples/switch.dat -e derived:wait --format perfetto -o "$tmp/why.pftrace"
status_is 0
hist report -q -i "$tmp/why.pftrace" -e derived:slice --by name,ns --format csv
sort "$tmp.out" >"$tmp/got"
cat >"$tmp/want" <<'EOF'
name,ns,hitcount
rcu_preempt-16,13687337,1
waiting for a CPU (woken),13687337,1
while work-71 ran on CPU 1,13687337,1
EOF
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"

it 'writes slices that begin at the same time to tracks of their own'
cat >"$tmp/same.txt" <<'EOF'
 a-1 [000] .... 1.000000: tracing_mark_write: B|1|outer
 a-1 [000] .... 1.000000: tracing_mark_write: B|1|inner
 a-1 [000] .... 1.000100: tracing_mark_write: E|1
 a-1 [000] .... 1.000150: tracing_mark_write: B|1|second
 a-1 [000] .... 1.000180: tracing_mark_write: E|1
 a-1 [000] .... 1.000200: tracing_mark_write: E|1
EOF
checked python3 tests/cli/perfetto_slices.py "$HIST" "$tmp/same.txt" derived:slice || fail same

it 'warns if nothing tells what the states of tasks are'
"$HIST" events -q -i trace.dat-samples/switch.dat >"$tmp/switch.txt"
hist events -i "$tmp/switch.txt" --format perfetto -o "$tmp/switch.pftrace"
stderr_has 'warning: Perfetto reads states of tasks \(prev_state\) as the version of the kernel has them'
hist events -i trace.dat-samples/switch.dat --format perfetto -o "$tmp/switch.pftrace"
stderr_lacks 'states of tasks'

it 'writes names, processes and arguments that change, and uses of an id by another task'
for rec in trace.dat-samples/syscalls.dat tests/answers/found/hole-after-the-last-object.dat tests/answers/found/slim-of-close-times.dat \
	tests/answers/found/renamed-on-another-cpu.dat; do
	hist events -q -i $rec --format perfetto -o "$tmp/names.pftrace"
	for f in $rec "$tmp/names.pftrace"; do
		hist events -q -i "$f" --format tsv --fields ts,cpu,pid,event,comm,tgid,cmdline,process
		sort "$tmp.out" >"$tmp/${f##*.}.tsv"
	done
	holds cmp "$tmp/dat.tsv" "$tmp/pftrace.tsv"
done
# without events that name tasks: what only renamings and process trees state
python3 tests/cli/perfetto_names.py "$tmp/names.pftrace"
hist events -q -i "$tmp/names.pftrace" --format perfetto -o "$tmp/again.pftrace"
cat >"$tmp/want" <<'EOF'
ts,pid,comm,tgid,process,cmdline
500,100,a,,,
600,200,x,50,Browser-50,/bin/x
2000,100,a,,,
2001,200,x,50,Browser-50,/bin/x
5000,100,b,,,
5000,200,y,90,<...>-90,/bin/y
6000,100,b,,,
6001,7,kworker/0:1,7,kworker/0:1-7,[kworker/0:1]
EOF
for f in names again; do
	hist events -q -i "$tmp/$f.pftrace" --format csv --fields ts,pid,comm,tgid,process,cmdline
	holds cmp "$tmp/want" "$tmp.out"
done

it 'marks where records of a CPU are missing, also those of which no event tells'
for f in ring-begins-late dropped-between-buffers; do
	f=tests/answers/found/$f.dat
	hist events -q -i $f --format perfetto -o "$tmp/missing.pftrace"
	for question in 'derived:wait --by pid,kind' 'derived:task_state --by pid,state'; do
		# shellcheck disable=SC2086 # words
		hist report -q -i $f -e $question --sum ns --format csv
		cp "$tmp.out" "$tmp/want"
		# shellcheck disable=SC2086
		hist report -q -i "$tmp/missing.pftrace" -e $question --sum ns --format csv
		holds cmp "$tmp/want" "$tmp.out"
	done
done

it 'states of tasks are those of the kernel, also of an old one'
PYTHONPATH=tests/cli python3 - "$tmp" <<'END'
import sys
from perfetto_write import field, message
for release, state in (b'3.10.31', 1024), (b'4.4.1', 2048), (b'4.9.0', 4096), (b'6.12.0', 256):
    bundle = field(1, 0) + b''.join(field(2, field(1, 10**9 + 1000 * i) + field(2, 4 + i) + field(4, message(
        (1, b'a'), (2, 4 + i), (3, 120), (4, state if i == 0 else 1), (5, b'b'), (6, 5 - i), (7, 120)))) for i in (0, 1))
    out = field(1, field(45, field(1, message((1, b'Linux'), (3, release), (4, b'x86_64'))))) + field(1, field(1, bundle))
    open(sys.argv[1] + '/old-' + release.decode() + '.pftrace', 'wb').write(out)
END
for f in "$tmp"/old-*.pftrace; do
	hist report -q -i "$f" -e sched:sched_switch --by prev_pid,prev_state --format csv
	stdout_has '^4,[0-9]*,R[+],1$'
	hist report -q -i "$f" -e derived:task_state --by pid,state --sum ns --format csv
	stdout_has '^5,running,1,1000$'
	cp "$tmp.out" "$tmp/want"
	hist events -q -i "$f" --format perfetto -o "$tmp/again.pftrace"
	hist report -q -i "$tmp/again.pftrace" -e derived:task_state --by pid,state --sum ns --format csv
	stdout_is_file "$tmp/want"
done

it 'writes what trace_processor needs to read it right'
cat >"$tmp/rules.txt" <<'EOF'
 sh-10  (10) [000] d..2.   1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=10 next_prio=120
 sh-10  (10) [000] d..2.   1.000010: task_newtask: pid=11 comm=sh clone_flags=1200000 oom_score_adj=0
 sh-10  (10) [000] dNh4.   1.000020: sched_waking: comm=dl pid=12 prio=-1 target_cpu=000
 sh-10  (10) [000] d..2.   1.000030: sched_switch: prev_comm=sh prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=11 next_prio=120
 sh-11  (11) [000] .....   1.000040: tracing_mark_write: B|11|outer
 sh-11  (11) [000] .....   1.000050: task_rename: pid=11 oldcomm=sh newcomm=ls oom_score_adj=0
 ls-11  (11) [000] .....   1.000060: tracing_mark_write: Exit of a text
 ls-11  (11) [000] .....   1.000070: tracing_mark_write: C|11|texts|1.5
 ls-11  (11) [000] .....   1.000080: tracing_mark_write: E|11
EOF
for rec in "$tmp/rules.txt" trace.dat-samples/*.dat tests/answers/found/*.dat; do
	holds python3 tests/cli/perfetto_rules.py "$HIST" "$rec"
done
hist events -q -i "$tmp/rules.txt" --format perfetto -o "$tmp/rules.pftrace"
hist events -q -i "$tmp/rules.pftrace" -e ftrace:print --fields ts,buf --format csv
cat >"$tmp/want" <<'EOF'
ts,buf
1000040000,B|11|outer
1000060000,Exit of a text
1000070000,C|11|texts|1.5
1000080000,E|11
EOF
holds cmp "$tmp/want" "$tmp.out"
hist report -q -i "$tmp/rules.pftrace" -e sched:sched_waking --by common_flags,prio --format csv
stdout_has '^45,-1,1$'

it 'a compact switch is from the task with the name that it has then'
PYTHONPATH=tests/cli python3 - "$tmp/renamed.pftrace" <<'END'
import sys
from perfetto_write import field, message
event = lambda ts, pid, number, *fields: field(2, message((1, ts), (2, pid), (number, message(*fields))))
bundle = field(1, 0) + event(1000, 0, 4, (1, 'swapper/0'), (2, 0), (3, 120), (4, 0), (5, 'a'), (6, 5), (7, 120)) + \
    event(2000, 5, 236, (1, 5), (2, 'a'), (3, 'b'), (4, 0)) + field(4, field(5, 'swapper/0') + b''.join(
        field(n, bytes([v])) for n, v in ((2, 1), (3, 0), (4, 120), (6, 0))) + field(1, b'\xb8\x17'))
bundle += event(2500, 5, 238, (1, 'b'), (2, 5), (4, 120))
open(sys.argv[1], 'wb').write(field(1, message((10, 1), (13, 1))) + field(1, field(1, bundle)))
END
hist events -q -i "$tmp/renamed.pftrace" --format perfetto -o "$tmp/again.pftrace"
for f in renamed again; do
	hist events -q -i "$tmp/$f.pftrace" --format csv --fields ts,comm,event,prev_comm
	stdout_has '^3000,b,sched:sched_switch,b$'
	# Perfetto's message of sched_process_exit has a field that only some kernels have
	hist list -q -i "$tmp/$f.pftrace" -e sched:sched_process_exit
	stdout_lacks tgid
done

it 'does not write it to a terminal'
hist events -i trace.dat-samples/switch.dat --format pftrace
status_is 2
stderr_has 'unknown format pftrace; known: text, .*, perfetto'
hist events -i trace.dat-samples/switch.dat --format perfetto --fields ts
status_is 2
stderr_has 'fields chooses columns'

done_testing
