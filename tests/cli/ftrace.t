#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Events of the system ftrace, for which kernels have no trigger files; the texts of markers.
. tests/cli/lib.sh
layout=hist

sample=tests/cli/recipes/marker.dat
printk=../shared/foreign/arm64-rtapp.dat

it 'the text of a marker is a key of a question, without its newline'
hist report -i $sample -e print --by buf:sort=hitcount.descending,buf
status_is 0
stdout_has '^\{ buf: E +\} hitcount: +10$'
stdout_has '^\{ buf: B\|[0-9]*\|draw +\} hitcount: +5$'
stdout_has '^    Hits: 28$'
stderr_lacks note
hist report -i $sample -e ftrace:print --by buf --format json
status_is 0
stdout_has '"key":\{"buf":"E"\}'
cp "$tmp.out" "$tmp/by.json"

it 'a filter selects markers'
hist report -i $sample -e print -f 'buf ~ "B|*"' --by buf
stdout_has '^    Hits: 14$'
stdout_lacks 'buf: E'
hist report -i $sample -e print -f 'buf == "E"' --by buf
stdout_has '^    Hits: 10$'
hist report -i $sample -e print -R 'hist:keys=common_pid if buf == "E"'
status_is 0
stdout_has '^    Hits: 10$'
stderr_lacks note

it 'is identical for any number of threads'
hist report -i $sample -j 1 -e print --by buf
cp "$tmp.out" "$tmp/one"
hist report -i $sample -j 4 -e print --by buf
stdout_is_file "$tmp/one"

it 'kernels refuse it in a trigger, as a key, value and variable: so does hist'
for keys in buf common_pid:vals=buf common_pid:text=buf 'common_pid:onmax($m).save(buf):m=ip'; do
	hist report -i $sample -e print -R "hist:keys=$keys"
	status_is 1
	stdout_is ''
	stderr_has "error: hist:ftrace:print: Couldn't find field"
	# the caret is below the name
	holds awk -v at="$(expr "hist:keys=$keys" : '.*[=(]buf')" '/\^/ { found = index($0, "^") == at + 4 - 2 } END { exit !found }' "$tmp.err"
	stderr_has 'note: kernels accept this text only in filters; as a question: -e print --by buf'
done
hist report -i $sample -x "echo 'hist:keys=buf' > events/ftrace/print/trigger"
status_is 1
hist report --strict-kernel -i $sample -e print --by buf
status_is 1
stdout_is ''
stderr_has "error: hist:ftrace:print: Couldn't find field"
hist check -i $sample -e print --by buf
status_is 1
hist check -i $sample -e print -R 'hist:keys=ip'
status_is 0

it 'a stored script and a saved result remember that they were questions'
hist slim -i $sample -o "$tmp/one.dat" marker-slices
status_is 0
hist report -i $sample marker-slices
cp "$tmp.out" "$tmp/slices"
hist report -i "$tmp/one.dat"
stdout_is_file "$tmp/slices"
hist slim -i $sample -o "$tmp/two.dat" -e print --by buf -R 'hist:keys=common_pid'
status_is 0
hist report -i $sample -e print --by buf -R 'hist:keys=common_pid'
cp "$tmp.out" "$tmp/both"
hist report -i "$tmp/two.dat"
stdout_is_file "$tmp/both"
hist slim -i $sample -o "$tmp/no.dat" -e print --by buf -R 'hist:keys=buf,ip'
status_is 1
hist diff "$tmp/by.json" $sample
status_is 0

it 'events without a trigger file can have triggers here, with a note'
for event in function funcgraph_entry hwlat osnoise timerlat wakeup kernel_stack bprint; do
	hist report -i $sample -e $event -R 'hist:keys=common_pid'
	[ $status = 0 ] || {
		checked grep -q "no format for event" "$tmp.err" || fail_file "$event:" "$tmp.err"
		continue
	}
	stderr_has "note: the kernel does not support triggers for ftrace:$event; --strict-kernel refuses them"
	hist report --strict-kernel -i $sample -e $event -R 'hist:keys=common_pid'
	status_is 1
	stderr_has "events/ftrace/$event/trigger: No such file or directory"
done

it 'the formatted text of trace_printk() is a key'
if [ -f $printk ]; then
	hist report -i $printk -x 'echo 300000 > buffer_size_kb' -x 'cat trace'
	# bprint texts contain no newlines: they follow one another
	sed 's/evt=/\nevt=/g' "$tmp.out" | grep -o '^evt=.*comm=trace-cmd event=[a-z]* avg=[0-9]* est=[0-9]*' |
		sort | uniq -c | awk '{ print $1 }' | sort -n >"$tmp/want"
	hist report -i $printk -e bprint -R 'hist:keys=buf if buf ~ "*comm=trace-cmd event=*"'
	status_is 0
	sed -n 's/^{.*hitcount: *//p' "$tmp.out" | sort -n >"$tmp/got"
	holds diff "$tmp/want" "$tmp/got"
	[ -s "$tmp/want" ] || fail 'nothing to compare'
	hist report -i $printk -e bprint -R 'hist:keys=ip.sym'
	stdout_has '^\{ ip: \[[0-9a-f]*\] dequeue_entity'
else
	skip "no $printk"
fi

done_testing
