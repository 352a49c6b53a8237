#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Events of the system ftrace, for which kernels have no trigger files; the texts of markers.
. tests/cli/lib.sh

sample=tests/cli/recipes/marker.dat
printk=../shared/foreign/arm64-rtapp.dat

it 'the text of a marker is a key, without its newline'
hist report -i $sample -e print -R 'hist:keys=buf:sort=hitcount.descending,buf'
status_is 0
stdout_has '^\{ buf: E +\} hitcount: +10$'
stdout_has '^\{ buf: B\|[0-9]*\|draw +\} hitcount: +5$'
stdout_has '^    Hits: 28$'
stderr_has 'note: the kernel does not accept the text of ftrace:print in a histogram; --strict-kernel refuses it'
hist report -i $sample -e ftrace:print -R 'hist:keys=buf' --format json
status_is 0
stdout_has '"key":\{"buf":"E"\}'

it 'a filter selects markers'
hist report -i $sample -e print -R 'hist:keys=buf if buf ~ "B|*"'
stdout_has '^    Hits: 14$'
stdout_lacks 'buf: E'
hist report -i $sample -e print -R 'hist:keys=buf if buf == "E"'
stdout_has '^    Hits: 10$'

it 'is identical for any number of threads'
hist report -i $sample -j 1 -e print -R 'hist:keys=buf'
cp "$tmp.out" "$tmp/one"
hist report -i $sample -j 4 -e print -R 'hist:keys=buf'
stdout_is_file "$tmp/one"

it 'kernels reject the trigger: check and --strict-kernel report that'
hist report --strict-kernel -i $sample -e print -R 'hist:keys=buf'
status_is 1
stdout_is ''
stderr_has "-R:1:11: error: hist:ftrace:print: Couldn't find field"
hist check -i $sample -e print -R 'hist:keys=buf'
status_is 1
hist check -i $sample -e print -R 'hist:keys=ip'
status_is 0
hist report -i $sample -e print -R 'hist:keys=common_pid if buf == "E"'
stderr_lacks note

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
