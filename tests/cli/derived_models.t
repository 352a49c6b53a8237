#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Derived events of functions, block devices and markers: random recordings whose intervals are known, and real ones.
. tests/cli/lib.sh
layout=hist

have python3 || skip_all 'python3 is not installed'
functions=tests/cli/recipes/functions.dat
disk=tests/cli/recipes/work.dat

# model NAME SEEDS: all intervals of random recordings are as they were made, in order
model()
{
	checked python3 tests/cli/derived_model.py "$1" "$HIST" "$tmp" "$2" >"$tmp/model" 2>&1 || fail "$(cat "$tmp/model")"
}

# sum_of FIELD: of the rows that were printed
sum_of() { sed -n "s/.* $1: *\([0-9]*\).*/\1/p" "$tmp.out" | awk '{ n += $1 } END { printf "%.0f\n", n }'; }

it 'functions of all kinds of exits, with losses'
model function 12

it 'a function is shown by its symbol; its time is that of its exit'
hist report -q -i $functions -e derived:function --by func --sum ns,self_ns
status_is 0
stdout_has '^\{ func: \[ffffffff81001000\] vfs_read +\} hitcount: +9 '
ns=$(sum_of ns)
hist report -q -i $functions function-time
holds test "$ns" = "$(sum_of ns)"
hist list -i $functions
stdout_has '^  derived .*derived:function'

it 'functions have the name of their task at that time'
hist report -q -i $functions -e derived:function --by pid,comm
stdout_has '^\{ pid: +100, comm: reader '
hist slim -q -i $functions -o "$tmp/slim.dat" -e derived:function --by pid,comm
hist report -q -i $functions -e derived:function --by pid,comm
mv "$tmp.out" "$tmp/all"
hist report -q -i "$tmp/slim.dat" -e derived:function --by pid,comm
stdout_is_file "$tmp/all"

it 'requests: merged, grown, given back, complete in parts, flushes, with losses'
model block_io 12

it 'a request has its device, operation and time; the parts add up'
hist report -q -i $disk -e derived:block_io --by dev,op,flags --sum ns,bytes
stdout_has '^\{ dev: 254:0 +, op: discard +, flags: sync +\} hitcount: +9 '
ns=$(sum_of ns)
hist report -q -i $disk -e derived:block_io --by dev --sum queued_ns,device_ns
holds test "$ns" -gt 0
holds test "$ns" = $(($(sum_of queued_ns) + $(sum_of device_ns)))

it 'triggers, statistics and exemplars take them'
hist report -q -i $disk -e derived:block_io -R 'hist:keys=op,ns.log2:vals=bytes if op == "write"' \
	--stats --exemplars 2:ns
status_is 0
stdout_has '^\{ op: write '
stdout_lacks 'op: read'
stdout_has '^# ns: +[0-9]+  at '

it 'slices: nested, asynchronous, on tracks, without ends, with losses, names with bars'
model slice 12

it 'slices between any two events: nested, filtered, of one event, of switches, of the idle task, with losses'
checked python3 tests/cli/derived_slices.py "$HIST" "$tmp" 12 >"$tmp/model" 2>&1 || fail "$(cat "$tmp/model")"

it 'wakers and culprits have the names of that moment, with renames and pids that are used again'
checked python3 tests/cli/derived_names.py "$HIST" "$tmp" 20 >"$tmp/model" 2>&1 || fail "$(cat "$tmp/model")"

it 'each is the same beside all others as alone, also where records contradict each other'
checked python3 tests/cli/derived_beside.py "$HIST" "$tmp" 10 trace.dat-samples/wakeup.dat tests/cli/recipes/7.3.dat >"$tmp/model" 2>&1 ||
	fail "$(cat "$tmp/model")"

it 'nothing is invented where events are missing, of each deriver'
checked python3 tests/cli/derived_losses.py "$HIST" "$tmp" >"$tmp/model" 2>&1 || fail "$(cat "$tmp/model")"

it 'random schedules with holes: nothing is invented, and what is certain is there'
checked python3 tests/cli/derived_coverage.py "$HIST" "$tmp" 8 >"$tmp/model" 2>&1 || fail "$(cat "$tmp/model")"

it 'of a cut recording, and of one with a damaged chunk, only what the whole one has'
busy=tests/cli/recipes/7.3.dat
# what a task was called may be in what is missing
unnamed="s/.*\(\[[0-9]*\] \)/\1/; s/comm=[^=]* //"
for event in wait delay syscall softirq_wait irq; do
	hist events -q -i $busy -e derived:$event
	sed "$unnamed" "$tmp.out" >"$tmp/whole"
	for keeps in 270000 215000 180000; do
		head -c $keeps $busy >"$tmp/cut.dat"
		hist events -i "$tmp/cut.dat" -e derived:$event
		stderr_has 'after [0-9.]* s, only what one CPU shows is derived: the records of another one end there'
		checked [ "$(wc -l <"$tmp.out")" -gt 60 ] || fail "derived:$event of $keeps bytes: too few"
		holds [ -z "$(sed "$unnamed" "$tmp.out" | grep -vxFf "$tmp/whole")" ]
	done
	cp $busy "$tmp/damaged.dat"
	at=$("$HIST" dump -i $busy | sed -n 's/.*in the chunk at \(0x[0-9a-f]*\).*/\1/p' | uniq | sed -n 3p)
	printf '\377\377\377\377\377\377' | dd of="$tmp/damaged.dat" bs=1 seek=$((at + 12)) conv=notrunc 2>"$tmp.dd"
	hist events -i "$tmp/damaged.dat" -e derived:$event
	stderr_has 'chunk of CPU 0 cannot be inflated'
	[ $event != wait ] || stderr_has 'spans? lost events'
	holds [ -z "$(sed "$unnamed" "$tmp.out" | grep -vxFf "$tmp/whole")" ]
done

it 'between a system call and its end they are what derived:syscall is, for all verbs'
calls=trace.dat-samples/syscalls.dat
set -- -e derived:slice --slice-begin 'sys_enter if id == read' --slice-end raw_syscalls:sys_exit
hist report -q -i $calls "$@" --by comm --sum ns
grep '^{' "$tmp.out" >"$tmp/slices"
hist report -q -i $calls -e derived:syscall -f 'id == read' --by comm --sum ns
grep '^{' "$tmp.out" >"$tmp/calls"
holds test -s "$tmp/calls"
holds cmp "$tmp/slices" "$tmp/calls"
hist events -q -i $calls "$@" --format csv --fields comm,name,depth,ns
stdout_has '^grep,sys_enter,0,[0-9]+$'
hist why -q -i $calls "$@" --exemplar 2
stdout_has '^derived:slice, number 2 of 2201 by length'
hist slim -q -i $calls "$@" --by comm --sum ns -o "$tmp/small.dat"
hist list -i "$tmp/small.dat"
stdout_has "ask 'raw_syscalls:sys_enter if id == read' >> events/derived/slice/begin"
hist report -q -i "$tmp/small.dat"
holds test "$(grep '^{' "$tmp.out")" = "$(cat "$tmp/slices")"
hist diff $calls "$tmp/small.dat" "$@" --by comm --sum ns
status_is 0
hist report -q -i $calls "$@" --by comm --sum ns --format json -o "$tmp/before.json"
hist diff "$tmp/before.json" "$tmp/small.dat"
status_is 0

it 'the files begin and end show the definitions; a wrong one has its place'
hist report -i $calls -x 'echo raw_syscalls:sys_exit > events/derived/slice/begin' -x 'echo raw_syscalls/sys_enter if id == 3 > events/derived/slice/end' \
	-x 'cat events/derived/slice/begin events/derived/slice/end'
stdout_is_file - <<'END'
raw_syscalls:sys_exit
raw_syscalls:sys_enter if id == 3
END
for wrong in 'sys_enter if idd == 3|Field not found' 'sys_entry|nearest: raw_syscalls:sys_enter' 'sys_enter when id|a filter begins with "if"' \
	'derived:wait|recorded events, not with'; do
	hist report -i $calls -e derived:slice --slice-begin "${wrong%%|*}" --slice-end sys_exit --by name
	status_is 1
	stderr_has "${wrong#*|}"
done
hist report -i $calls -e derived:slice --by name --slice-begin sys_enter
status_is 2
stderr_has 'slice-begin needs a --slice-end'
hist report -i $calls -e derived:slice --by name --slice-end sys_enter
stderr_has 'slice-end needs a --slice-begin'
hist report -i $calls -e derived:slice --by name -x 'echo raw_syscalls:sys_enter >> events/derived/slice/begin'
stderr_has 'derived:slice needs an event in events/derived/slice/end'
hist report -i $calls -x 'echo raw_syscalls:sys_enter >> events/derived/slice/end'
status_is 1
stderr_has 'needs a begin'
hist report -i $calls -x 'echo 1 > events/raw_syscalls/sys_enter/begin'
status_is 1

it 'nested slices each count'
hist report -q -i tests/cli/recipes/marker.dat -e derived:slice --by name,depth --sum ns,self_ns
stdout_has '^\{ name: inner +, depth: +1 \} hitcount: +4 '
stdout_has '^\{ name: draw +, depth: +0 \} hitcount: +5 '
hist report -q -i tests/cli/recipes/7.3.dat -e derived:slice --by name --sum running_ns,sleeping_ns
stdout_has '^\{ name: draw +\} hitcount: +[1-9][0-9]*  running_ns: +[1-9]'
parts=$(($(sum_of running_ns) + $(sum_of sleeping_ns)))
hist report -q -i tests/cli/recipes/7.3.dat -e derived:slice --by name --sum waiting_ns,irq_ns
parts=$((parts + $(sum_of waiting_ns) + $(sum_of irq_ns)))
hist report -q -i tests/cli/recipes/7.3.dat -e derived:slice --by name --sum ns,unknown_ns
holds test "$(sum_of ns)" = $((parts + $(sum_of unknown_ns)))
printf 'app-7 [000] 1.000001: print: tracing_mark_write: B|7|x\napp-7 [000] 1.000004: print: tracing_mark_write: E\n' >"$tmp/text"
hist import -q "$tmp/text" -o "$tmp/text.dat"
hist report -q -i "$tmp/text.dat" -e derived:slice --by name,comm --sum ns
stdout_has '^\{ name: x +, comm: app +\} hitcount: +1  ns: +3000$'

it 'an open interval is traced only if it is asked for, and marked'
hist slim -q -i $disk -o "$tmp/cut.dat" --from 2526.517 --to 2526.6 -e block_rq_issue --by dev -e block_rq_complete --by dev
hist report -q -i "$tmp/cut.dat" -e derived:block_io --by open --sum ns --open-intervals
stdout_has '^\{ open: no +\} hitcount: +[1-9][0-9]* '
stdout_has '^\{ open: start +\} hitcount: +[1-9][0-9]* '
hist report -i "$tmp/cut.dat" -e derived:block_io --by open
stdout_has 'open: no'
stdout_lacks 'open: start'
stderr_has 'intervals? (was|were) left out, because (its|their) beginning or end was not recorded'

it 'what they need is named'
for event in function:ftrace:funcgraph_exit block_io:block:block_rq_ slice:ftrace:print; do
	hist report -i tests/cli/recipes/gro.dat -e "derived:${event%%:*}" --by pid
	stderr_has "derived:${event%%:*} needs ${event#*:}"
done

it 'texts that are no marks of slices: how to name them'
for at in 100 200 300; do
	echo "  prog-11 [000] ..... 1.000$at: tracing_mark_write: start"
	echo "  prog-11 [000] ..... 1.000${at%00}50: tracing_mark_write: end"
done >"$tmp/marks.txt"
hist import -q "$tmp/marks.txt" -o "$tmp/marks.dat"
hist report -i "$tmp/marks.dat" marker-slices
stderr_has 'note: none of the 6 texts in trace_marker begins or ends a slice .*: -e derived:slice --slice-begin .*--slice-end'
hist report -i "$tmp/marks.dat" -e derived:slice --slice-begin 'ftrace:print if buf ~ "start*"' \
	--slice-end 'ftrace:print if buf ~ "end*"' --by comm --sum ns --format csv
stdout_has '^prog,3,150000$'
stderr_lacks 'texts in trace_marker'

done_testing
