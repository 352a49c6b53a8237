#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Scripts with thousands of histograms; short slices of time.
. tests/cli/growth.sh

grows 'histograms of one event' "$hist"
grows 'histograms of one event, removed' "$hist" "echo '!${hist#*"'"}"
grows 'histograms with filters' "echo 'hist:keys=common_pid if common_pid == &' >> $event/trigger"
grows 'histograms with names' "echo 'hist:name=n&:keys=common_pid' >> $event/trigger" \
	"echo 'hist:name=n&:keys=common_pid:pause' >> $event/trigger"
grows 'histograms with one name' "echo 'hist:name=n:keys=common_pid if common_pid == &' >> $event/trigger"
grows 'references' "$hist" \
	"echo 'hist:keys=common_pid:d&=common_timestamp-\$v&' >> events/raw_syscalls/sys_enter/trigger" \
	"echo '!hist:keys=common_pid:d&=common_timestamp-\$v&' >> events/raw_syscalls/sys_enter/trigger"
grows 'actions' "$synth" "$hist" \
	"echo 'hist:keys=common_pid:d&=common_timestamp-\$v&:onmatch(syscalls.sys_enter_sync).ev&(\$d&,common_pid) if ip == 1' >> events/ftrace/print/trigger"
grows 'warnings' "echo 'prev_pid == & || comm == \"a\"' > events/sched/filter"

it 'json of many histograms is written and read'
for n in 500 2000; do
	lines "$n" "$hist" >"$tmp/script"
	for format in json ndjson; do
		hist report -i trace.dat-samples/switch.dat "$tmp/script" --format $format -o "$tmp/$n.$format"
		cp "$tmp/$n.$format" "$tmp/again.$format"
		hist merge "$tmp/$n.$format" "$tmp/again.$format" --format $format -o "$tmp/$n.merged.$format"
		status_is 0
	done
done
for file in json ndjson merged.json merged.ndjson; do
	small=$(wc -c <"$tmp/500.$file")
	large=$(wc -c <"$tmp/2000.$file")
	checked [ "$large" -le $((5 * small)) ] || fail "$file of 500 has $small bytes, of 2000 $large"
done

it 'the first of many histograms contains the whole script'
n_lines='[inputs | select(.script).script | length] | "\(.[0]) \(.[1:] | add)"'
if have jq; then
	for file in json ndjson merged.json merged.ndjson; do
		run jq -rn "$n_lines" "$tmp/2000.$file"
		stdout_is '2000 0'
	done
	{
		cat "$tmp/script"
		echo "cat $event/hist"
		lines 3 "echo 'hist:keys=common_cpu:w&=common_timestamp' >> $event/trigger"
		echo "cat $event/hist"
	} >"$tmp/twice"
	hist report -i trace.dat-samples/switch.dat "$tmp/twice" --format json -o "$tmp/twice.json"
	run jq -rn '[inputs.script] | map(length) | "\(.[0]) \(.[1:2000] | add) \(.[2000]) \(.[2001:] | add)"' "$tmp/twice.json"
	stdout_is '2000 0 3 0'
else
	skip 'needs jq'
fi

# Ten times as many slices with a hit cost at most ten times as much.
it 'short slices of time'
slices()
{
	printf '%s\n' -e raw_syscalls:sys_enter -R 'hist:keys=common_timestamp:v=id:size=32768' --interval "$@"
}
for format in text json; do
	slices 0.001 --format $format >"$tmp/small"
	slices 0.00001 --format $format >"$tmp/large"
	checked grew 20 10000 || fail "slices of 1 ms take $small ms, of 10 us $large ms"
done

it '1600 moves of a process of 1600 threads between cgroups'
hist slim -q -i tests/cli/recipes/tasks.dat --compression none -o "$tmp/slim.dat" -e sched_switch \
	-R 'hist:keys=next_pid'
status_is 0
for n in 400 1600; do
	{
		printf 'tasks 1\nbegin 1\nis 9 9 1 5 m\nis 18029 9 1 5 t\n'
		seq 1 $n | sed 's/.*/is 4000& 9 1 5 t/'
		echo scanned 2
		seq 1 $n | awk -v n=$n '{ printf "moved %.0f 9 0 /g%d\n", 2355695000000 + $1 * 80000000 / n, $1 % 2 }'
		printf 'end 99999999999999\n '
	} >"$tmp/journal"
	python3 tests/cli/add_options.py any "$tmp/slim.dat" "$tmp/$n.dat" 0x4854 "$(cat "$tmp/journal")" ||
		fail 'cannot add the journal'
	printf '%s\n' -q -i "$tmp/$n.dat" -e sched_switch --by next_pid.cgroup >"$tmp/moves.$n"
done
input=
cp "$tmp/moves.400" "$tmp/small"
cp "$tmp/moves.1600" "$tmp/large"
checked grew 8 100 || fail "400 take $small ms, 1600 take $large ms"
# a thread and its leader are in the same cgroup
"$HIST" report -q -i "$tmp/1600.dat" -e sched_switch --by next_pid.cgroup -f 'next_pid == 18029' --format csv >"$tmp/thread"
holds grep -q '^/g0,[1-9]' "$tmp/thread"
holds grep -q '^/g1,[1-9]' "$tmp/thread"
checked [ "$(wc -l <"$tmp/thread")" -eq 3 ] || fail "$(cat "$tmp/thread")"

done_testing
