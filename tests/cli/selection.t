#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Saved results contain what was selected (--cpu, --from, --to, --pid, --comm, --tree), so that
# merge, diff and trend do not take a part for the whole.
. tests/cli/lib.sh

sample=tests/cli/recipes/tasks.dat

# save NAME [OPTION...]: $tmp/NAME.json
save()
{
	name=$1
	shift
	hist report -q -i $sample -e sched_switch --by next_comm --format json "$@" -o "$tmp/$name.json"
	status_is 0
}

it 'the member selection has the options'
save all
checked grep -q '"selection"' "$tmp/all.json" && fail 'without a selection, too'
save cpu0 --cpu 0
save cpu1 --cpu 1
holds grep -q '"selection":{"cpu":"0"}' "$tmp/cpu0.json"
save early --to +0.005
save late --from +0.005 --to +1 --tree work-fork
holds grep -q '"selection":{"time":"from +0.005 to +1","tree":"work-fork"}' "$tmp/late.json"
save comm --comm 'thr-*' --pid 1
holds grep -q '"selection":{"pid":"1","comm":"thr-\*"}' "$tmp/comm.json"
save thr --comm 'thr-*'
save dd --comm dd
hist report -q -i $sample -e sched_switch --by next_comm --format ndjson --cpu 1
stdout_has '"selection":{"cpu":"1"}'

it '--comm takes a list of names and globs'
list="-q -i $sample -e sched_waking --by comm --format csv"
# shellcheck disable=SC2086 # words
hist report $list --comm 'dd,thr-*'
checked sed 1d "$tmp.out" | sort >"$tmp/got"
# shellcheck disable=SC2086
hist report $list -f 'COMM == dd || comm == dd || COMM ~ "thr-*" || comm ~ "thr-*"'
sed 1d "$tmp.out" | sort >"$tmp/want"
holds test -s "$tmp/want"
holds diff "$tmp/want" "$tmp/got"

it 'it is in a smaller recording, too'
hist slim -q -i $sample -e sched_switch --by next_comm --comm 'thr-*' -o "$tmp/small.dat"
hist report -q -i "$tmp/small.dat" --format json
stdout_has '"selection":{"comm":"thr-\*"}'
hist report -q -i "$tmp/small.dat" --format json --comm 'thr-*' --cpu 1
stdout_has '"selection":{"cpu":"1","comm":"thr-\*"}'
hist report -q -i "$tmp/small.dat" --format json --comm thr-1
stdout_has '"selection":{"comm":"thr-\* and thr-1"}'
cp "$tmp/thr.json" "$tmp/again.json"
hist merge "$tmp/thr.json" "$tmp/again.json"
status_is 0
stderr_lacks 'counted'

it 'merge refuses other tasks, unless rows have labels'
hist merge "$tmp/all.json" "$tmp/thr.json"
status_is 2
stdout_is ''
stderr_has 'all.json and .*thr.json cannot be merged: sched:sched_switch: they counted different tasks: everything, and comm thr-\*'
hist merge "$tmp/thr.json" "$tmp/dd.json"
status_is 2
hist merge --label of=thr "$tmp/thr.json" --label of=dd "$tmp/dd.json" --format json
status_is 0
stdout_has '"selection":{"comm":"dd; thr-\*"}'
stderr_is ''

it 'merge compares the results that have the same labels'
hist merge --label x=1 "$tmp/thr.json" "$tmp/dd.json"
status_is 2
stdout_is ''
stderr_has 'thr.json and .*dd.json cannot be merged: .*: they counted different tasks: comm thr-\*, and comm dd; give each'
hist merge --label x=1 "$tmp/thr.json" --label x=2 "$tmp/dd.json" --label x=1 "$tmp/dd.json"
status_is 2
stderr_has 'thr.json and .*dd.json cannot be merged'
hist merge --label x=1 --label y=1 "$tmp/thr.json" --label y=2 "$tmp/dd.json" --label x=2 "$tmp/all.json"
status_is 0
stderr_is ''
hist merge --label x=1 "$tmp/cpu0.json" "$tmp/all.json"
status_is 0
stderr_has 'warning: .*cpu0.json counted cpu 0, and .*all.json counted everything: what several'
hist merge --label x=1 "$tmp/dd.json" --label x=2 "$tmp/cpu0.json" "$tmp/cpu1.json" "$tmp/all.json" --format json
status_is 0
stderr_has 'note: .*cpu0.json counted cpu 0, and .*cpu1.json counted cpu 1'
stderr_has 'warning: .*cpu0.json counted cpu 0; 1, and .*all.json counted everything'
stdout_lacks '"selection"'
hist merge --key-by file "$tmp/thr.json" "$tmp/dd.json" "$tmp/all.json"
status_is 0
stderr_is ''

it 'merge refuses other tasks after parts that it added up, too'
save cpu1-thr --cpu 1 --comm 'thr-*'
hist merge "$tmp/cpu0.json" "$tmp/cpu1.json" "$tmp/cpu1-thr.json"
status_is 2
stdout_is ''
stderr_has 'they counted different tasks: cpu 0; 1, and cpu 1, comm thr-\*'

it 'merge adds up parts, and reports which; a part and the whole are a warning'
hist merge "$tmp/cpu0.json" "$tmp/cpu1.json" --format json
status_is 0
stdout_has '"selection":{"cpu":"0; 1"}'
stderr_has 'note: .*cpu0.json counted cpu 0, and .*cpu1.json counted cpu 1: what several'
cp "$tmp.out" "$tmp/both.json"
hist merge "$tmp/cpu1.json" "$tmp/cpu0.json" --format json
stdout_is_file "$tmp/both.json"
hist merge "$tmp/early.json" "$tmp/all.json" --format json
status_is 0
stderr_has 'warning: .*counted time to \+0.005, and .*all.json counted everything'
stdout_lacks '"selection"'
cp "$tmp.out" "$tmp/sum.json"
hist merge "$tmp/all.json" "$tmp/early.json" --format json
stdout_is_file "$tmp/sum.json"

it 'diff compares two parts with a note; a part and the whole are inconclusive'
hist diff "$tmp/cpu0.json" "$tmp/cpu1.json"
stderr_has 'note: .*cpu0.json counted cpu 0, and .*cpu1.json counted cpu 1'
stdout_lacks 'inconclusive'
hist diff "$tmp/all.json" "$tmp/cpu1.json"
status_is 2
stdout_has 'inconclusive'
stderr_has 'warning: .*all.json counted everything, and .*cpu1.json counted cpu 1'
hist diff "$tmp/thr.json" "$tmp/cpu1.json"
status_is 2
hist diff --cpu 1 -e sched_switch --by next_comm $sample $sample
status_is 0
stderr_lacks 'counted'

it 'a selection that cuts pairs of events causes a warning'
hist report --strict --strict-kernel -i trace.dat-samples/switch.dat --cpu 1 wakeup-latency
status_is 2
stderr_has 'warning: sched:sched_switch uses values of sched:sched_waking: --cpu leaves out events of both'
hist report --strict -i trace.dat-samples/switch.dat --cpu 1 -e sched_switch --by next_comm
status_is 0
stderr_lacks 'uses values'
hist report -i trace.dat-samples/switch.dat --strict-kernel wakeup-latency
stderr_lacks 'uses values'
hist report -i trace.dat-samples/switch.dat --cpu 1 wakeup-latency
status_is 0
stderr_lacks 'leaves out'

it 'trend warns'
hist trend "$tmp/all.json" "$tmp/all.json" "$tmp/cpu1.json" "$tmp/cpu0.json"
stderr_has 'warning: .*all.json counted everything, and .*cpu1.json counted cpu 1'
holds test "$(grep -c 'counted' "$tmp.err")" = 1

it 'a result without the member is read, a damaged one is refused'
hist diff tests/saved/0.2.0/kmalloc.json tests/saved/0.2.0/kmalloc.json
status_is 0
stderr_lacks 'counted'
sed 's/"cpu":"0"/"cpu":"0\\n1"/' "$tmp/cpu0.json" >"$tmp/bad.json"
hist merge "$tmp/bad.json"
status_is 2
stderr_has 'more than one line'

it 'notes a selection of which nothing was counted'
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --comm nosuch
status_is 0
stderr_is 'hist: note: nothing was counted of what is selected: comm nosuch'
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --comm 'a.*b' --cpu 1
stderr_has "selected: cpu 1, comm a\.\*b; --comm is a glob such as 'cc\*', not a regular expression"
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --comm 'thr-*'
stderr_is ''

it 'warns also of pairs of one event, and after a rejected line'
hist report off-cpu -i trace.dat-samples/switch.dat --cpu 0 --strict --strict-kernel
status_is 2
stderr_has 'sched:sched_switch uses values of earlier events: --cpu leaves out some of them'
cp tests/cli/wakeup_latency.script "$tmp/bad.script"
echo "echo 'hist:keys=nosuch' >> events/sched/sched_switch/trigger" >>"$tmp/bad.script"
hist report -i trace.dat-samples/wakeup.dat "$tmp/bad.script" --keep-going --cpu 0
status_is 1
stderr_has 'sched:sched_switch uses values of sched:sched_waking: --cpu leaves out events of both'

it 'does not warn of pairs that the option does not separate'
enter="echo 'hist:keys=common_pid:a=id' >> events/raw_syscalls/sys_enter/trigger"
exit="echo 'hist:keys=common_pid:b=\$a' >> events/raw_syscalls/sys_exit/trigger"
printf '%s\n' "$enter" "$exit" >"$tmp/by-task"
sed 's/common_pid/common_cpu/' "$tmp/by-task" >"$tmp/by-cpu"
hist report -i trace.dat-samples/syscalls.dat "$tmp/by-task" --comm '*' --strict
status_is 0
hist report -i trace.dat-samples/syscalls.dat "$tmp/by-cpu" --cpu 0 --strict
status_is 0
hist report -i trace.dat-samples/syscalls.dat "$tmp/by-cpu" --comm '*' --strict
status_is 2

it 'does not say that nothing was counted if a histogram was cleared'
cat >"$tmp/clear.script" <<'EOF'
echo 'hist:keys=next_pid' > events/sched/sched_switch/trigger
cat events/sched/sched_switch/hist
echo 'hist:keys=next_pid:clear' >> events/sched/sched_switch/trigger
EOF
hist report -i trace.dat-samples/switch.dat "$tmp/clear.script" --comm '*'
stderr_lacks 'nothing was counted'
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --comm ''
status_is 2
stderr_has "comm takes a name or a glob, not ''"

it 'a time outside the recording is an error, one before its start a note'
for span in '--from 100' '--from .1' '--to 1' '--around 1.5' '--from 100 --interval 1' '--from +9'; do
	what='-e sched_switch --by next_comm'
	[ "$span" != '--around 1.5' ] || what=
	# shellcheck disable=SC2086 # options
	hist report -i trace.dat-samples/switch.dat $what $span
	status_is 2
	stdout_is ''
	stderr_is 'hist: error: the selected time is outside: the recording is from 2.491578682 to 3.037910939; +SECONDS counts from its start'
done
hist report -q -i trace.dat-samples/switch.dat -e sched_switch --by next_comm
cp "$tmp.out" "$tmp/all"
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --from 2.1
status_is 0
stdout_is_file "$tmp/all"
stderr_is 'hist: note: the recording is from 2.491578682 to 3.037910939, so --from 2.1 selects all of its start; +2.1 counts from there'
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --from 0
stderr_is ''
hist report -i trace.dat-samples/switch.dat -e sched_switch --by next_comm --from +.15 --to +0.2
status_is 0
stderr_is ''

it 'hist list names what hist slim selected'
hist slim -i trace.dat-samples/switch.dat --comm 'thr-*' --cpu 0,1 -o "$tmp/only.dat"
hist list -i "$tmp/only.dat"
stdout_has '^  only         cpu 0,1$'
stdout_has '^  only         comm thr-\*$'
hist list -i "$tmp/only.dat" --format json
stdout_has '"selection":{"cpu":"0,1","comm":"thr-\*"}'
hist list -i trace.dat-samples/switch.dat --format json
stdout_lacks '"selection"'

done_testing
