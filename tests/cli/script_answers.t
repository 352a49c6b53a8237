#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -f, --by and --sum after a script: they apply to the histograms that it shows, however its lines are
# spelled, or are refused with the reason.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"
dir=events/sched/sched_switch

# script LINE...: write the lines to $tmp/s
script()
{
	printf '%s\n' "$@" >"$tmp/s"
}

# same_answer NAME: -f and --by of $tmp/s answer as without a script
same_answer()
{
	hist report -q -i $sample "$tmp/s" -f 'next_pid == 0' --format csv
	status_is 0
	checked cmp -s "$tmp.out" "$tmp/filtered" || fail "-f of $1"
	hist report -q -i $sample "$tmp/s" --by next_prio --sum next_pid --format csv
	status_is 0
	checked cmp -s "$tmp.out" "$tmp/grouped" || fail "--by of $1"
}

hist report -q -i $sample -e sched_switch -R 'hist:keys=next_comm if next_pid == 0' --format csv
sort "$tmp.out" >"$tmp/filtered"
hist report -q -i $sample -e sched_switch --by next_prio --sum next_pid --format csv
cp "$tmp.out" "$tmp/grouped"

it 'filters and groups every spelling'
hist report -q -i $sample -x "echo 'hist:keys=next_comm if next_pid == 0' >> $dir/trigger" --format csv
cp "$tmp.out" "$tmp/filtered"
script "echo 'hist:keys=next_comm' >> $dir/trigger" "cat $dir/hist"
same_answer 'single quotes'
script "echo \"hist:keys=next_comm\" >> $dir/trigger" "cat $dir/hist"
same_answer 'double quotes'
script "echo hist:'keys='\"next_comm\" >>$dir/trigger;cat  $dir/hist"
same_answer 'no blanks, one line'
# shellcheck disable=SC1003 # a backslash at the end of a line
script 'echo hist:keys=next_comm \' "  >> \\" "  $dir/trigger" "cat $dir/hist"
same_answer 'continued lines'
script "cd events/sched" "echo hist:keys=next_comm > sched_switch/trigger" "cat ./sched_switch/../sched_switch/hist"
same_answer 'cd and >'
script "echo -n '  hist:keys=next_comm' >> /sys/kernel/tracing/$dir/trigger" "cat /sys/kernel/debug/tracing/$dir/hist"
same_answer 'absolute paths'
script "echo hist:keys=next_comm >> $dir/trigger"
same_answer 'no cat'
script "echo hist:keys=prev_comm >> $dir/trigger" "echo '!hist:keys=prev_comm' >> $dir/trigger" \
	"echo hist:keys=next_comm >> $dir/trigger" "cat $dir/hist"
same_answer 'a removed trigger'

it 'has the lines of -x after the script'
echo '# nothing' >"$tmp/s"
hist report -q -i $sample "$tmp/s" -x "echo \"hist:keys=next_comm\" >> $dir/trigger" -x "cat $dir/hist" \
	-f 'next_pid == 0' --format csv
checked cmp -s "$tmp.out" "$tmp/filtered" || fail_file 'not filtered:' "$tmp.out"

it 'filters only what counts'
script 'echo "lat u64 us; pid_t pid" >> synthetic_events' \
	"echo 'hist:keys=next_pid:t=common_timestamp.usecs' >> $dir/trigger" \
	'echo "hist:keys=prev_pid:us=common_timestamp.usecs-\$t:onmatch(sched.sched_switch).lat(\$us,prev_pid)" >> '"$dir/trigger" \
	'echo "hist:keys=pid:vals=us   if us > 10" >>events/synthetic/lat/trigger' 'cat events/synthetic/lat/hist'
hist report -q -i $sample "$tmp/s" --format csv
grep '^1,' "$tmp.out" >"$tmp/one"
hist report -q -i $sample "$tmp/s" -f 'pid == 1' --format csv
sed 1d "$tmp.out" >"$tmp/only"
checked cmp -s "$tmp/one" "$tmp/only" || fail_file 'another row:' "$tmp.out"
hist report -q -i $sample "$tmp/s" --by pid --format csv
grep '^1,' "$tmp.out" >"$tmp/grouped"
checked cmp -s "$tmp/one" "$tmp/grouped" || fail_file 'another sum:' "$tmp.out"

it 'prints the other files of the script, too'
script "echo hist:keys=next_comm >> $dir/trigger" "cat $dir/id $dir/hist"
hist report -q -i $sample "$tmp/s" --by next_prio
status_is 0
stdout_has '^[0-9]*$'
stdout_has '^1,680 hits in 2 rows'

# refuses REGEX OPTION...
refuses()
{
	regex=$1
	shift
	hist report -q -i $sample "$tmp/s" "$@"
	status_is 1
	stdout_is ''
	stderr_has "$regex"
}

it 'refuses what it cannot do'
script "echo 'hist:keys=next_comm:ts=common_timestamp' >> $dir/trigger" \
	"echo 'hist:keys=prev_comm:d=common_timestamp-\$ts' >> $dir/trigger" "cat $dir/hist"
refuses '/s:1: -f cannot be applied to a histogram that other triggers of the script need' -f 'next_pid == 0'
refuses '/s:1: --by cannot be applied' --by next_pid
script "echo hist:keys=next_comm:pause >> $dir/trigger" "echo hist:keys=next_comm:cont >> $dir/trigger"
refuses '--by cannot be applied to a histogram that the script pauses' --by next_pid
script "echo 'hist:keys=next_comm if next_pid == 0' >> $dir/trigger" "echo hist:keys=prev_comm >> $dir/trigger"
refuses '/s:2: --by cannot be applied to a histogram beside another one .* different filter' --by next_pid
script "echo hist:name=a:keys=common_pid >> $dir/trigger" "echo hist:name=a:keys=common_pid >> events/sched/sched_waking/trigger"
refuses '-f cannot be applied to a histogram that several events share' -f 'next_pid == 0'
script "echo hist:keys=common_pid >> instances/a/$dir/trigger" "cat instances/a/$dir/hist"
refuses 'the recording has no buffer for an instance a' --by next_pid
script "cat $dir/hist"
refuses 'no trigger for the histogram of events/sched/sched_switch that -f could filter' -f 'next_pid == 0'
script 'echo 1 > tracing_on'
refuses 'prints no histogram of an event that --by could group' --by next_pid

it 'shows the filter that is wrong'
script '# a comment' "echo \"hist:keys=next_comm\" >> $dir/trigger"
refuses '^-f:1:18: error: .*Field not found' -f 'next_pid >= 0 && nonsense == 0'

it 'diff takes the same'
script "echo \"hist:keys=next_comm\" >>$dir/trigger"
hist diff -S "$tmp/s" -f 'next_pid == 0' --format json $sample $sample
status_is 0
stdout_has 'next_pid == 0'

done_testing
