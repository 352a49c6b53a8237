#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Scripts and their errors: which lines are rejected, the position shown, and that nothing is
# printed then.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"
trigger=events/sched/sched_switch/trigger

# script LINE...: write the lines to $tmp/s
script()
{
	printf '%s\n' "$@" >"$tmp/s"
}

# rejected: report (before it prints anything) and check reject the script
rejected()
{
	hist check -i $sample "$tmp/s"
	status_is 1
	stdout_is ''
	hist report -i $sample "$tmp/s"
	status_is 1
	stdout_is ''
}

it 'shows the file, the line, the column and a caret'
script '# a comment' '' "echo 'hist:keys=next_comm' >> $trigger" "  echo 'hist:keys=next_com' >> $trigger"
rejected
stderr_has '/s:4:19: error: hist:sched:sched_switch: Couldn.t find field'
grep -A1 "^      echo 'hist:keys=next_com' >>" "$tmp.err" | checked grep -q '^  *^' ||
	fail_file 'no caret:' "$tmp.err"

it 'the caret is correct after quotes, spaces and a backslash'
script "echo    \"hist\":'keys=next_comm:sort=nosuch'\\" " >> $trigger"
rejected
stderr_has '/s:1:[0-9]+: error: hist:sched:sched_switch: '

it 'rejects an unknown field'
hist report -i $sample -e sched_switch -R 'hist:keys=nosuch'
status_is 1
stdout_is ''
stderr_has '^-R:1:11: error: hist:sched:sched_switch: Couldn.t find field'

it 'rejects an unknown event, and suggests others'
hist report -i $sample -e sched_swich -R 'hist:keys=pid'
status_is 1
stdout_is ''
stderr_has 'sched_swich'
stderr_has 'sched_switch'
script "echo 'hist:keys=pid' >> events/sched/sched_swich/trigger"
rejected
stderr_has '/s:1:'
stderr_has 'sched_switch'
hist report -i $sample -e sched:nosuch
status_is 1
hist report -i $sample -e nosuch:sched_switch
status_is 1
hist report -i $sample -e ''
status_is 1

it 'finds an event by each of its names'
for name in sched_switch sched:sched_switch sched/sched_switch; do
	hist report -i $sample -e $name -R 'hist:keys=next_comm'
	status_is 0
	stderr_is ''
	stdout_has '^# trigger info: hist:keys=next_comm:'
done

it 'rejects a file that the tracing directory does not have'
hist report -i $sample -x 'cat events/sched/sched_switch/nosuch'
status_is 1
stdout_is ''
stderr_has '^-x:1:.* error: .*nosuch'
hist check -i $sample -x 'cat nosuch'
status_is 1
stderr_has '^-x:1:.* error: .*nosuch'
it 'checks the files to print before the replay'
printf '%s\n' 'cat tracing_on' 'cat events/synthetic/lat/hist' >"$tmp/s"
hist report -i $sample "$tmp/s"
status_is 1
stdout_is ''
stderr_has '/s:2: error: .*lat'
printf '%s\n' "echo 'lat u64 lat' >> synthetic_events" 'cat events/synthetic/lat/format' >"$tmp/s"
hist check -i $sample "$tmp/s"
status_is 0
hist report -i $sample "$tmp/s"
status_is 0
hist report -k -i $sample -x 'cat tracing_on' -x 'cat nosuch'
status_is 1
stdout_is 1
it 'rejects a write to a file that the tracing directory does not have'
script 'echo 1 > nosuch'
rejected
stderr_has '/s:1:'
stderr_has 'nosuch'

it 'rejects a comparison of a string with a number'
hist report -i $sample -e sched_switch -R 'hist:keys=next_pid if next_comm == 5'
status_is 1
stdout_is ''
stderr_has '-R:1:[0-9]+: error: '
hist report -i $sample -e sched_switch -f 'next_comm > 5'
status_is 1
stderr_has '-f:1:[0-9]+: error: '

it 'rejects syntax that the shell subset does not have'
script "echo hist:keys=\$x >> $trigger" "ls" "echo 'hist:keys=next_comm' >> $trigger"
rejected
stderr_has '/s:1:16: error: a shell would replace \$x'
stderr_has '/s:2:1: error: .ls. is not a command'

it 'continues with --keep-going, like a shell'
hist report -k -i $sample "$tmp/s"
status_is 1
stdout_has '^# trigger info: hist:keys=next_comm:'
stderr_has '/s:2:1: error: '
hist report -k -i $sample -x "echo hist:keys=nosuch >> $trigger" -x "echo hist:keys=next_pid >> $trigger"
status_is 1
stdout_has '^# trigger info: hist:keys=next_pid:'
stderr_has '^-x:1:[0-9]+: error: hist:sched:sched_switch: '

it 'rejects a script with binary data'
printf 'echo 1 > events/enable\r\n' >"$tmp/s"
rejected
stderr_has '/s:1:23: error: .*CR LF'
printf 'echo \0 > events/enable\n' >"$tmp/s"
rejected
stderr_has '/s:1:6: error: the text contains a NUL byte'

it 'reports a script that cannot be read'
hist report -i $sample "$tmp/none"
status_is 2
stderr_has 'none: No such file'
hist report -i $sample "$tmp"
status_is 2
stderr_has 'is a directory, not a trace.dat file'
hist report -i $sample 'hist:keys=pid'
status_is 2
stderr_has '-R TRIGGER must follow -e EVENT'

it 'warns of a command in a comment'
script "# echo 'hist:keys=next_comm' >> $trigger" "echo 'hist:keys=next_pid' >> $trigger"
hist report -i $sample "$tmp/s"
status_is 0
stderr_has '/s:1:1: warning: this line is a comment'
hist report -q -i $sample "$tmp/s"
status_is 0
stderr_is ''

it 'takes scripts, lines, definitions and events as one script'
script "echo hist:keys=prev_comm >> $trigger"
run sh -c 'echo "cat $1" | "$HIST" report -i "$2" -e sched_switch -R hist:keys=next_comm "$3" \
	-x "echo hist:keys=next_pid >> $1" -' sh $trigger $sample "$tmp/s"
status_is 0
stderr_is ''
sed 's/:vals.*//' "$tmp.out" >"$tmp/keys"
holds test "$(tr '\n' ' ' <"$tmp/keys")" = 'hist:keys=next_comm hist:keys=prev_comm hist:keys=next_pid '

it 'hints that -f does not filter a histogram'
hist report -i $sample -e sched_switch -R 'hist:keys=next_comm' -f 'next_pid > 1'
status_is 0
stderr_has "use 'hist:... if FILTER'"

it 'suggests commands for a recording if there is no script'
"$BUILD/bench/make_recording" "$tmp/plain.dat" 1000 wakeup none
hist report -i "$tmp/plain.dat"
status_is 2
stdout_is ''
stderr_has 'sched:sched_switch'
stderr_has 'hist report -i .*plain\.dat -e .* --by '

it 'prints several histograms with their names'
hist report -i $sample -x "echo hist:keys=next_comm >> $trigger" \
	-x 'echo hist:keys=common_pid >> events/sched/sched_waking/trigger'
if [ "$status" = 0 ]; then
	stdout_has '^==> events/sched/sched_switch/hist <==$'
	stdout_has '^==> events/sched/sched_waking/hist <==$'
	hist report -i $sample --show sched_switch -x "echo hist:keys=next_comm >> $trigger" \
		-x 'echo hist:keys=common_pid >> events/sched/sched_waking/trigger'
	status_is 0
	stdout_lacks '==>'
else
	skip 'the sample lacks sched_waking'
fi

it 'keeps a histogram whose first event was removed'
for ev in gone kept; do
	echo "echo '$ev u64 lat; pid_t next_pid' >> synthetic_events"
	echo "echo 'hist:name=both:keys=next_pid:v=lat' >> events/synthetic/$ev/trigger"
done >"$tmp/script"
cat >>"$tmp/script" <<'END'
echo '!hist:name=both:keys=next_pid:v=lat' >> events/synthetic/gone/trigger
echo '!gone' >> synthetic_events
echo 'hist:keys=pid:ts=common_timestamp' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp-$ts:onmatch(sched.sched_waking).trace(kept,$lat,next_pid)' >> events/sched/sched_switch/trigger
cat events/synthetic/kept/hist
END
hist report -i trace.dat-samples/wakeup.dat "$tmp/script"
status_is 0
stdout_has '    Hits: 662'

it 'suggests the closest valid spelling'
# hint HINT ARG...: the report prints HINT
hint()
{
	hint=$1
	shift
	hist report -i trace.dat-samples/switch.dat "$@"
	stderr_has "$hint"
}
hint 'note: known modifiers: .hex .sym .*.log2' -e sched_switch -R 'hist:keys=next_pid.log'
hint 'only common_pid takes .execname' -e sched_switch -R 'hist:keys=next_pid.execname'
hint 'values take .percent and .graph' -e sched_switch -R 'hist:keys=next_pid.graph'
hint 'nearest: sched.sched_waking' -e sched_switch -R 'hist:keys=next_pid:onmatch(sched.sched_wakin).x(next_pid)'
hint 'a histogram begins with hist:' -e sched_switch -R 'keys=next_pid'
hint 'No such file or directory; nearest: trace' -x 'cat trac'
hint 'nearest: hist' -x 'cat events/sched/sched_switch/histo'
hint "-e EVENT --by FIELD, or -e EVENT -R 'hist:keys=FIELD', makes a histogram" -x 'echo 1 > events/sched/sched_switch/enable'
hint 'counted by comm, for want of --by FIELD; it has prev_comm, ' -e sched_switch
hist report -i README.md -e x -R y
status_is 2
stderr_has 'README.md: is not a trace.dat'
stderr_has 'scripts are given without -i'

it 'a saved result in place of a script'
hist report -i $sample -e sched_switch --by next_comm --format json -o "$tmp/saved.json"
for verb in report check; do
	hist $verb -i $sample "$tmp/saved.json"
	status_is 2
	stderr_has 'saved.json: is a saved result, not a script; hist merge prints it'
done

it 'commands in messages can be pasted, whatever the name of the recording'
hist report -i $sample -e sched_switch --save-events "$tmp/it's one.dat"
cd "$tmp" || exit
case $HIST in
/*) program=$HIST ;;
*) program=$OLDPWD/$HIST ;;
esac
run "$program" report -i "it's one.dat"
cd "$OLDPWD" || exit
stderr_has "for example: hist report -i 'it'\\\\''s one.dat' -e sched:sched_switch --by"
hist list "$tmp/it's one.dat"
stdout_has "\\(hist report NAME -i '.*/it'\\\\''s one.dat'\\)\$"
hist "$tmp/it's one.dat"
stdout_has "hist report -i '.*/it'\\\\''s one.dat' on-cpu\$"

done_testing
