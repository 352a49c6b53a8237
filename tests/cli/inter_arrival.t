#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The time between two events of one type: a script that always computes 0 gets a warning; the
# recipe inter-arrival measures the time for any event.
. tests/cli/lib.sh

sample=trace.dat-samples/wakeup.dat
[ -f $sample ] || skip_all "no $sample"

# is_warned yes|no: whether there is a warning for the script on standard input
is_warned()
{
	cat >"$tmp/script"
	hist report -i $sample "$tmp/script"
	status_is 0
	if [ "$1" = yes ]; then
		stderr_has 'script:[0-9]+: warning: d is always 0: .*hist recipe inter-arrival'
	else
		stderr_lacks 'always 0'
	fi
}

it 'warns about a trigger that refers to one above it on the same event and key'
is_warned yes <<'E'
echo 'hist:keys=next_pid:last=common_timestamp.usecs' >> events/sched/sched_switch/trigger
echo 'hist:keys=next_pid:d=common_timestamp.usecs-$last:onmax($d).save(next_comm)' >> events/sched/sched_switch/trigger
E
it 'and the result is always 0'
stdout_has 'max: +0 '
holds test "$(grep -c 'max:' "$tmp.out")" = "$(grep -c 'max: *0 ' "$tmp.out")"

it 'also about a trigger that refers to its own variable'
is_warned yes <<'E'
echo 'hist:keys=pid:last=common_timestamp,d=common_timestamp-$last:onmax($d).save(comm)' >> events/sched/sched_waking/trigger
E

it 'also about an SQL statement that joins an event with itself'
hist report -i $sample --sql 'SELECT start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS d FROM sched_waking AS start JOIN sched_waking AS end ON start.pid = end.pid' --by pid
stderr_has 'is always 0: '

it 'does not warn if something is measured: another key, another event, a filter'
is_warned no <<'E'
echo 'hist:keys=next_pid:came=common_timestamp.usecs' >> events/sched/sched_switch/trigger
echo 'hist:keys=prev_pid:d=common_timestamp.usecs-$came:onmax($d).save(prev_comm)' >> events/sched/sched_switch/trigger
E
is_warned no <<'E'
echo 'hist:keys=pid:woken=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:d=common_timestamp.usecs-$woken:onmax($d).save(prev_comm)' >> events/sched/sched_switch/trigger
E
is_warned no <<'E'
echo 'hist:keys=common_cpu:began=common_timestamp.usecs if next_pid == 0' >> events/sched/sched_switch/trigger
echo 'hist:keys=common_cpu:d=common_timestamp.usecs-$began:onmax($d).save(prev_comm) if prev_pid == 0' >> events/sched/sched_switch/trigger
E
for recipe in cpu-frequency-residency cpu-idle-residency on-cpu off-cpu inter-arrival; do
	hist check -i tests/cli/recipes/tasks.dat "$recipe"
	stderr_lacks 'always 0'
done

it 'the recipe accepts any event and field'
# by CPU: the sum is the time from the first event to the last one
hist report -q --format hist -i $sample inter-arrival -D event=sched_switch -D key=common_cpu -D type=u32
status_is 0
got=$(sed -n 's/^{ of: *0 } hitcount: *\([0-9]*\)  ns: *\([0-9]*\)$/\1 \2/p' "$tmp.out")
hist report -q -i $sample -x 'echo 100000 > buffer_size_kb; echo 1 > events/sched/sched_switch/enable; cat trace'
want=$(awk '/sched_switch:/ { match($0, /[0-9]+\.[0-9]+: /); t = substr($0, RSTART, RLENGTH - 2); if (!n++) first = t }
	END { printf "%d %d", n - 1, (t - first) * 1000000 + 0.5 }' "$tmp.out")
holds test "${got% *}" = "${want% *}"
holds test $((${got#* } / 1000 - ${want#* })) -le 1
holds test $((${want#* } - ${got#* } / 1000)) -le 1

it 'and reports a type that does not match'
hist report -q --format hist -i $sample inter-arrival -D event=sched_switch -D key=common_cpu -D type=u32
cp "$tmp.out" "$tmp/want"
hist report -q --format hist -i $sample inter-arrival -D event=sched:sched_switch -D key=common_cpu -D type=u32
stdout_is_file "$tmp/want"
hist report -i $sample inter-arrival -D event=sched_switch -D key=next_comm
status_is 1
stderr_has "Param type doesn't match synthetic event field type"

done_testing
