#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist events: which events are printed, and in which form. Values are compared with trace-cmd, with
# hist report and with --save-events.
. tests/cli/lib.sh
layout=hist

switch=trace.dat-samples/switch.dat
wakeup=trace.dat-samples/wakeup.dat
golden=tests/golden
if [ ! -f $switch ] || [ ! -f $wakeup ]; then
	skip_all 'no samples'
fi

# A pointer and an offset as trace-cmd prints them: without a size or module, with 0x.
as_trace_cmd()
{
	sed -e 's/0x\([0-9a-f]\{8,16\}\)/\1/g' -e 's/\(+0x[0-9a-f]*\)\/0x[0-9a-f]*\( \[[a-z0-9_]*\]\)*/\1/g'
}

# trace-cmd has the last name of a task; from 3.3 on, also the flags of the context
without_names()
{
	sed -E 's/^.*-([0-9]+) +(\[[0-9]+\])( [dDbBX.][^ ]{3,7} )? +([0-9.]+: )/\1 \2 \4/'
}

it 'prints all events as trace-cmd report does, but for the names of tasks'
if have trace-cmd; then
	for f in $switch $wakeup $golden/6.1/ties $golden/6.1/design-5-other-field \
		$golden/6.12/chain $golden/6.12/ring-two-cpus $golden/6.12/design-2-variable \
		$golden/7.3/design-6-alias $golden/7.3/smp; do
		[ -f "$f" ] || f=$f/trace.dat
		trace-cmd report -N "$f" 2>/dev/null | as_trace_cmd | without_names >"$tmp/want"
		hist events -i "$f"
		status_is 0
		as_trace_cmd <"$tmp.out" | without_names >"$tmp/got"
		holds cmp "$tmp/got" "$tmp/want"
		checked [ "$(grep -c '^[0-9]* \[' "$tmp/got")" -gt 50 ]
	done
else
	skip 'no trace-cmd'
fi

it 'the name of a task is that at the time, as in csv'
for f in $switch $wakeup $golden/6.12/chain/trace.dat tests/cli/processes.dat; do
	hist events -q -i "$f" --format csv --fields comm
	sed -e 1d -e 's/^swapper.*/<idle>/' -e 's/^$/<...>/' "$tmp.out" >"$tmp/want"
	hist events -q -i "$f"
	sed -E -n 's/^ *(.*)-[0-9]+ +\[[0-9]+\] +[0-9.]+: .*/\1/p' "$tmp.out" >"$tmp/got"
	checked diff "$tmp/want" "$tmp/got" >"$tmp/differ" || fail_file "$f:" "$tmp/differ"
	checked [ -s "$tmp/got" ]
done

it 'prints as many events as hist report counts, filtered or not'
for filter in 'next_pid != 0' 'prev_comm ~ "*a*"' 'common_pid == 0 || next_prio < 120'; do
	hist events -i $switch -e sched_switch -f "$filter" --format csv --fields ts
	status_is 0
	n=$(($(wc -l <"$tmp.out") - 1))
	hist report -i $switch -e sched_switch -R "hist:keys=common_type if $filter"
	stdout_has "^    Hits: $n\$"
done

it 'reads several events, each with its filter'
hist events -i $wakeup -e sched_waking -f 'pid == 0' -e sched_switch -n 3
status_is 0
stdout_lacks 'sched_waking'
stdout_has 'sched_switch: '

it 'prints a column for each field of one event'
hist events -i $switch -e sched_switch --format csv -n 2
status_is 0
stdout_has '^time,ts,cpu,pid,comm,event,prev_comm,prev_pid,prev_prio,prev_state,prev_state_text,next_comm,next_pid,next_prio$'
stdout_has '^[0-9]+\.[0-9]{9},[0-9]+,[0-9]+,[0-9]+,[^,]+,sched:sched_switch,[^,]+,[0-9]+,[0-9]+,[0-9]+,[A-Z],[^,]+,[0-9]+,[0-9]+$'
checked [ "$(wc -l <"$tmp.out")" = 3 ]

it 'words for numbers are in a column of their own, and can be chosen'
guest=tests/cli/recipes/6.12.dat
hist events -i $guest -e block_rq_issue --format csv --fields dev,dev_text,vec_text -e softirq_entry
status_is 0
stdout_has '^266338304,254:0,$'
stdout_has '^,,NET_RX$'
hist events -i $guest -e kmalloc --format csv --fields gfp_flags,gfp_flags_text -n 1
stdout_has '^4197824,GFP_KERNEL_ACCOUNT\|__GFP_ZERO$'
# one that has no name is in the column before; a field without names has no such column
hist events -i $guest -e block_rq_issue --format csv --fields sector_text
status_is 2
stderr_has 'no event has a field sector_text'
hist events -i $guest -e sched_switch --format ndjson -n 1
stdout_lacks '_text'

it 'a field with the name of another column has a prefix'
hist events -i $wakeup -e sched_waking --format csv -n 1
stdout_has '^time,ts,cpu,pid,comm,event,event_comm,event_pid,prio,'
hist events -i $wakeup -e sched_waking --format tsv --fields event_pid,pid,text -n 1
stdout_has '^event_pid	pid	text$'
stdout_has '^[0-9]+	[0-9]+	comm=.* pid='

it 'prints an object of the fields of several events'
if have python3; then
	for format in csv tsv ndjson json; do
		hist events -i $wakeup --format $format -o "$tmp/$format"
		status_is 0
		stderr_is ''
	done
	hist events -i $wakeup
	cp "$tmp.out" "$tmp/text"
	run python3 tests/cli/events.py "$tmp"
	status_is 0
	stdout_is ''
	stderr_is ''
else
	skip 'no python3'
fi

it 'prints numbers exactly, and quotes them on request'
hist events -i $switch -e sched_switch --format ndjson --json-u64=string --fields ts,prev_pid,cpu -n 1
stdout_has '^\{"ts":"[0-9]+","prev_pid":"[0-9]+","cpu":[0-9]+\}$'
hist events -i $switch -e sched_switch --format json --fields prev_pid -n 1
stdout_has '^\{"prev_pid":[0-9]+\}$'

it 'prints the synthetic events of a recipe, a script, options and SQL'
hist events -i $wakeup tests/cli/wakeup_latency.script
status_is 0
stdout_has ' wakeup_latency: +us=[0-9]+, pid=[0-9]+, comm='
stdout_lacks 'sched_switch: '
cp "$tmp.out" "$tmp/want"
hist events -i $wakeup wakeup-latency
status_is 0
stdout_has ' wait: +pid=[0-9]+, comm=.*, kind=woken, ns=[0-9]+, '
stdout_lacks 'sched_switch: '
hist events -i $wakeup --synth 'w u64 us; pid_t pid' \
	-e sched_waking -R 'hist:keys=pid:t=common_timestamp.usecs' \
	-e sched_switch -R 'hist:keys=next_pid:us=common_timestamp.usecs-$t:onmatch(sched.sched_waking).w($us,next_pid)'
status_is 0
stdout_has ' w: +us=[0-9]+, pid=[0-9]+$'
stdout_lacks 'sched_switch: '

it 'a synthetic event follows the event of which it is made; others can be chosen, too'
hist events -i $wakeup tests/cli/wakeup_latency.script -e wakeup_latency -e sched_switch --format csv --fields ts,event,next_pid,event_pid
status_is 0
awk -F, '$2 == "sched:sched_switch" { ts = $1; pid = $3 }
	$2 == "synthetic:wakeup_latency" && ($1 != ts || $4 != pid) { print }
	$2 == "synthetic:wakeup_latency" { n++ } END { if (!n) print "none" }' "$tmp.out" >"$tmp/wrong"
holds cmp "$tmp/wrong" /dev/null

it 'prints the synthetic events that --save-events saves'
hist report -i $wakeup tests/cli/wakeup_latency.script -x 'echo 1 > events/synthetic/wakeup_latency/enable' --save-events "$tmp/saved.dat"
status_is 0
hist events -i "$tmp/saved.dat" -e wakeup_latency
status_is 0
without_names <"$tmp.out" >"$tmp/got"
without_names <"$tmp/want" >"$tmp/wanted"
holds cmp "$tmp/got" "$tmp/wanted"

it 'prints derived events, whose sums are those of hist report'
hist events -i $wakeup -e derived:wait --format csv --fields ns
status_is 0
sum=$(awk 'NR > 1 { sum += $1 } END { print sum }' "$tmp.out")
n=$(($(wc -l <"$tmp.out") - 1))
hist report -i $wakeup -e derived:wait --by kind --sum ns --format csv
status_is 0
checked [ "$(awk -F, 'NR > 1 { gsub("\r", ""); n += $2; s += $3 } END { print n, s }' "$tmp.out")" = "$n $sum" ] ||
	fail_file "not $n $sum:" "$tmp.out"

it 'prints a part of the time, of the CPUs and of the tasks'
hist events -i $switch --format csv --fields ts,cpu,pid
cp "$tmp.out" "$tmp/all"
at=$(sed -n 100p "$tmp/all" | cut -d, -f1)
to=$(sed -n 200p "$tmp/all" | cut -d, -f1)
seconds() { echo "${1%?????????}.${1#"${1%?????????}"}"; }
hist events -i $switch --format csv --fields ts,cpu,pid --from "$(seconds "$at")" --to "$(seconds "$to")"
awk -F, -v from="$at" -v to="$to" 'NR == 1 || ($1 >= from && $1 <= to)' "$tmp/all" >"$tmp/want"
stdout_is_file "$tmp/want"
hist events -i $switch --format csv --fields ts,cpu,pid --cpu 0
awk -F, 'NR == 1 || $2 == 0' "$tmp/all" >"$tmp/want"
stdout_is_file "$tmp/want"
hist events -i $switch --format csv --fields ts,cpu,pid --around "$(seconds "$at")" --context 10us
awk -F, -v at="$at" 'NR == 1 || ($1 >= at - 10000 && $1 <= at + 10000)' "$tmp/all" >"$tmp/want"
stdout_is_file "$tmp/want"
hist events -i $switch --format csv --fields ts,cpu,pid -n 7
head -8 "$tmp/all" >"$tmp/want"
stdout_is_file "$tmp/want"

it 'a reader may stop, and an output appears when it is complete'
run sh -c '"$HIST" events -i "$1" | head -1' sh $switch
stdout_has '^cpus='
stderr_is ''
hist events -i $switch -o "$tmp/file"
status_is 0
stdout_is ''
hist events -i $switch
stdout_is_file "$tmp/file"
run sh -c '"$HIST" events - <"$1"' sh $switch
stdout_is_file "$tmp/file"

it 'the way of a replay changes nothing'
hist events -i $wakeup tests/cli/wakeup_latency.script -e wakeup_latency -e sched_switch
cp "$tmp.out" "$tmp/want"
hist events -i $wakeup tests/cli/wakeup_latency.script -e wakeup_latency -e sched_switch --plan=plain
stdout_is_file "$tmp/want"
hist events -i $wakeup tests/cli/wakeup_latency.script -e wakeup_latency -e sched_switch -j 1
stdout_is_file "$tmp/want"

it 'the number of threads changes nothing'
"${BUILD:-build}/bench/make_recording" "$tmp/large.dat" 100000 mix none
for format in text csv json; do
	hist events -i "$tmp/large.dat" --format $format -j 1 -o "$tmp/one"
	status_is 0
	for jobs in 2 5; do
		hist events -i "$tmp/large.dat" --format $format -j $jobs
		stdout_is_file "$tmp/one"
	done
done

it 'refuses what it cannot do, and names what to do'
hist events -i $switch -e sched_swich
status_is 2
stderr_has 'no format for event sched_swich; nearest: sched:sched_switch'
hist events -i $switch -e sched_switch -f 'next_pids == 1'
status_is 1
stderr_has 'Field not found'
hist events -i $switch --fields ts --format text
status_is 2
stderr_has '--fields chooses columns of csv'
hist events -i $switch --fields ts,cpu -n 1
status_is 0
stdout_has '^ts,cpu$'
hist events -i $switch --format csv --fields ts,prev_comn
status_is 2
stderr_has 'no event has a field prev_comn; nearest: prev_comm'
hist events -i $switch --format parquet2
status_is 2
hist events -i $switch -e sched_switch --by prev_pid
status_is 2
stderr_has 'hist report counts them'
hist events -i $switch -x 'cat trace'
status_is 2
stderr_has 'the script enables no event and makes none'
hist events -i $switch -x 'echo 1 > events/none/enable'
status_is 1
hist events -i $switch --format json --csv-safe
status_is 2
: >"$tmp/empty"
hist events -i "$tmp/empty"
status_is 2
stderr_has 'is empty, not a trace.dat'

it 'derived events that still run at the end are as many as hist report counts'
for event in wait runqueue task_state; do
	hist events -q -i $wakeup -e derived:$event --open-intervals --format csv --fields open
	status_is 0
	sort "$tmp.out" | uniq -c | sed -n 's/^ *\([0-9]*\) \(no\|start\|end\|both\)$/\2 \1/p' >"$tmp/got"
	hist report -q -i $wakeup -e derived:$event --open-intervals -R hist:keys=open
	sed -n 's/^{ open: *\([a-z]*\) *} hitcount: */\1 /p' "$tmp.out" | sort >"$tmp/want"
	holds cmp "$tmp/got" "$tmp/want"
done
holds grep -q '^end' "$tmp/got"

it 'reports lost events where they were lost'
if have python3; then
	hist slim -z none -i $switch -e sched_switch -x 'cat trace' -o "$tmp/plain.dat"
	hist dump --format=json -i "$tmp/plain.dat"
	cp "$tmp.out" "$tmp/dump"
	run python3 tests/cli/events.py --lost "$tmp/plain.dat" "$tmp/dump" "$tmp/lost.dat"
	status_is 0
	cpu=$(cat "$tmp.out")
	hist events -i "$tmp/lost.dat"
	status_is 0
	stdout_has "^CPU:$cpu \[123 EVENTS DROPPED\]\$"
	stderr_has "CPU $cpu lost 123 events"
	if have trace-cmd; then
		trace-cmd report -N "$tmp/lost.dat" 2>/dev/null | without_names >"$tmp/want"
		without_names <"$tmp.out" >"$tmp/got"
		holds cmp "$tmp/got" "$tmp/want"
	fi
else
	skip 'no python3'
fi

it 'a table without events has its columns'
for format in csv tsv; do
	hist events -q -i $switch -e sched_switch --format $format
	head -n 1 "$tmp.out" >"$tmp/want"
	hist events -q -i $switch -e sched_switch -f 'prev_pid == 999999' --format $format
	status_is 0
	stdout_is_file "$tmp/want"
done
hist events -q -i $switch -e sched_switch -f 'prev_pid == 999999' --format json
stdout_is '[
]'

it 'notes that no event was found'
hist events -i trace.dat-samples/switch.dat -e sched_switch -f 'next_comm == nobody'
status_is 0
stderr_has 'note: no sched_switch event passes the filter next_comm == nobody'
hist events -i trace.dat-samples/switch.dat -e sched_switch --comm nobody --fields time,pid
stderr_has 'note: no event was found: none that was chosen is in the recording, or in the part'
hist events -q -i trace.dat-samples/switch.dat -e sched_switch --comm nobody
stderr_is ''

done_testing
