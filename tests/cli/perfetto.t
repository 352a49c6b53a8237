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
for what in prev_comm,prev_state,next_comm next_pid,next_prio cpu,common_pid; do
	hist report -q -i trace.dat-samples/switch.dat -e sched:sched_switch --by $what
	cp "$tmp.out" "$tmp/want"
	hist events -q -i trace.dat-samples/switch.dat --format perfetto -o "$tmp/out.pftrace"
	hist report -q -i "$tmp/out.pftrace" -e sched:sched_switch --by $what
	stdout_is_file "$tmp/want"
done

it 'writes intervals as slices and counters on tracks of their own'
for event in wait task_state runqueue; do
	checked python3 tests/cli/perfetto_slices.py "$HIST" trace.dat-samples/switch.dat derived:$event || fail $event
done
checked python3 tests/cli/perfetto_slices.py "$HIST" trace.dat-samples/syscalls.dat derived:syscall || fail syscall

it 'does not write it to a terminal'
hist events -i trace.dat-samples/switch.dat --format pftrace
status_is 2
stderr_has 'unknown format pftrace; known: text, .*, perfetto$'
hist events -i trace.dat-samples/switch.dat --format perfetto --fields ts
status_is 2
stderr_has 'fields chooses columns'

done_testing
