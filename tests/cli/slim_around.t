#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist slim --around: keeps everything that was recorded around hits beyond a limit, and nothing
# else.
. tests/cli/lib.sh

samples=trace.dat-samples
[ -f $samples/wakeup.dat ] || skip_all "no $samples"

# Print the lines of trace of a recording, without headers and marks of losses.
trace_of()
{
	"$HIST" report -q -i "$1" -x 'echo 1000000 > buffer_size_kb; echo 1 > events/enable; cat trace' |
		grep '^ .*\[[0-9]*\]'
}
trace_of $samples/wakeup.dat >"$tmp/all"

it 'keeps the lines of trace around each hit, which began when its time did, and no others'
# when: times and values of the exemplars of the recipe, more than there are such hits
"$HIST" report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --exemplars 100:us |
	awk '/^# us: / && $3 >= 150 { sub(/,.*/, "", $5); print $5, $3 }' | sort -u >"$tmp/times"
holds test "$(wc -l <"$tmp/times")" -gt 3
# trace has this time in microseconds, so the first and last lines may be on either side; all are of one CPU, and the
# lines before and after each span are there, too
awk 'NR == FNR { at[n + 0] = $1; us[n++ + 0] = $2 + 1; next }
	{
		match($0, / [0-9]+\.[0-9]+: /); line[FNR] = $0; time[FNR] = substr($0, RSTART + 1, RLENGTH - 3) + 0
		if (FNR == 1) time[0] = time[1]
		for (i = 0; i < n; i++)
			if (time[FNR] >= at[i] - us[i] / 1000000 - 0.0005 && time[FNR - 1] <= at[i] + 0.0005)
				keep[FNR] = keep[FNR - 1] = 1
	}
	END { for (i = 1; i <= FNR; i++) if (keep[i]) print line[i] }' "$tmp/times" "$tmp/all" >"$tmp/want"
hist slim -i $samples/wakeup.dat -o "$tmp/around.dat" tests/cli/wakeup_latency.script --around 'us>=150' --context 500us
status_is 0
stderr_has "note: --around us>=150: $(wc -l <"$tmp/times") matching time stamps, in [0-9]+ spans?"
trace_of "$tmp/around.dat" >"$tmp/got"
holds diff "$tmp/want" "$tmp/got"

it 'notes what is missing between the spans, once for each'
spans=$(sed -n -E 's/.*, in ([0-9]+) spans/\1/p' "$tmp.err")
hist report -i "$tmp/around.dat" -x 'echo 1 > events/enable; cat trace'
stderr_has 'CPU 0 lost events; the number was not recorded'
hist dump -i "$tmp/around.dat"
holds test "$(grep -c 'events lost before it' "$tmp.out")" = "$((spans - 1))"

it 'reads like other recordings'
check_reader "$tmp/around.dat"
status_is 0
hist list -i "$tmp/around.dat"
status_is 0

it 'contains kernel stacks and the text of markers'
for sample in stacks syscalls; do
	event=$("$HIST" list -e -i $samples/$sample.dat | awk '/^ +[0-9]+  [a-z_]+:/ { print $2; exit }')
	hist slim -i $samples/$sample.dat -o "$tmp/$sample.dat" -e "$event" -R 'hist:keys=common_pid' \
		--around 'common_pid>=0' --context 1000s
	status_is 0
	trace_of $samples/$sample.dat >"$tmp/want"
	trace_of "$tmp/$sample.dat" >"$tmp/got"
	holds test -s "$tmp/want"
	holds cmp "$tmp/want" "$tmp/got"
done

it 'keeps whole intervals: the answer of those that are asked for is the same, on all CPUs'
for q in "$samples/wakeup.dat|ns>=190us|wakeup-latency" "$samples/switch.dat|ns>=1ms|-e derived:wait --by comm,kind --sum ns" \
	"$samples/switch.dat|ns>=2000000|-e derived:task_state --by state,comm --sum ns" \
	"tests/cli/recipes/7.3.dat|ns>20ms|-e derived:syscall --by comm,name --sum ns" \
	"tests/cli/recipes/tasks.dat|ns>=700us|-e derived:wait --by comm,open --sum ns"; do
	IFS='|' read -r input cond question <<-END
		$q
	END
	at=$(echo "$cond" | sed 's/[<>=]*\([0-9]\)/ & /; s/ \([<>=]*\)\([0-9]\) / \1 \2/')
	# shellcheck disable=SC2086 # words
	hist report -q -i "$input" $question -f "$at" --show 1 --format csv
	status_is 0
	holds test "$(wc -l <"$tmp.out")" -gt 1
	sort "$tmp.out" >"$tmp/want"
	for context in 0ns 10us 1ms; do
		# shellcheck disable=SC2086
		hist slim -q -i "$input" -o "$tmp/whole.dat" $question --around "$cond" --context $context
		status_is 0
		# shellcheck disable=SC2086
		hist report -q -i "$tmp/whole.dat" $question -f "$at" --show 1 --format csv
		sort "$tmp.out" >"$tmp/got"
		holds diff "$tmp/want" "$tmp/got"
	done
done

it 'takes units of time as filters do'
for same in 190us 190000 190000ns 0.19ms 189999.5ns; do
	hist slim -i $samples/wakeup.dat -o "$tmp/x.dat" wakeup-latency --around " ns >= $same "
	status_is 0
	grep -o '[0-9]* matching .*' "$tmp.err" >"$tmp/got"
	[ "$same" != 190us ] || cp "$tmp/got" "$tmp/want"
	holds cmp "$tmp/want" "$tmp/got"
done
hist slim -i $samples/wakeup.dat -o "$tmp/x.dat" wakeup-latency --around 'prio>=5ms'
status_is 2
stderr_has "a NAME that ends with s, ms, us or ns is a time"

it 'supports each comparison, and lists the values if no hit matches'
for test in 'us>=1000' 'us>999' 'us==1000' 'us<10' 'us<=9'; do
	hist slim -i $samples/wakeup.dat -o "$tmp/x.dat" tests/cli/wakeup_latency.script --around "$test"
	status_is 0
done
hist slim -i $samples/wakeup.dat -o "$tmp/none.dat" tests/cli/wakeup_latency.script --around 'us>1000'
status_is 2
stderr_has 'error: --around us>1000: no hit matches; us ranges from 9 to 1000'
holds test ! -e "$tmp/none.dat"

it 'reports invalid conditions'
hist slim -i $samples/wakeup.dat -o "$tmp/none.dat" tests/cli/wakeup_latency.script --around 'uss>=1'
status_is 2
stderr_has "no histogram has a numeric value, variable or key 'uss'; did you mean us"
hist slim -i $samples/wakeup.dat -o "$tmp/none.dat" -e sched_switch -R hist:keys=next_pid --around 'ns >= 5'
status_is 2
stderr_has "error: no histogram has a numeric value, variable or key 'ns'; --sum or vals= adds a field"
for bad in 1.5 'us' 'us>=' 'us=>3' '>=3' 'us>=3x'; do
	hist slim -i $samples/wakeup.dat -o "$tmp/none.dat" tests/cli/wakeup_latency.script --around "$bad"
	status_is 2
	stderr_has '--around takes NAME>=NUMBER'
done
for bad in x '' 5m -1ms 1e; do
	hist slim -i $samples/wakeup.dat -o "$tmp/none.dat" tests/cli/wakeup_latency.script --around 'us>=1' --context "$bad"
	status_is 2
	stderr_has '--context takes a time such as 5ms'
done
hist slim -i $samples/wakeup.dat -o "$tmp/none.dat" tests/cli/wakeup_latency.script --context 1ms
status_is 2
stderr_has '--context needs --around'
holds test ! -e "$tmp/none.dat"

it 'hist report --around accepts the same context'
hist report -q -i $samples/wakeup.dat --around 30.349774421 --context 100us
status_is 0
cp "$tmp.out" "$tmp/want"
for same in 0.1ms 0.0001 0.0001s 100000ns; do
	hist report -q -i $samples/wakeup.dat --around 30.349774421 --context $same
	stdout_is_file "$tmp/want"
done

done_testing
