#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Units of times: for variables, and for synthetic events that receive variables.
. tests/cli/lib.sh

command -v jq >/dev/null || skip_all 'no jq'
samples=trace.dat-samples

# script LINE...: a script with paths relative to events/
script()
{
	printf '%s\n' "$@" >"$tmp/script"
}

# unit_is NAME UNIT: the unit of all printed columns and statistics with that name
unit_is()
{
	run jq -r --arg n "$1" '(.columns.key, .columns.val, .columns.stats // [])[] | select(.name == $n) | .unit // "none"' "$tmp/json"
	checked [ "$(sort -u "$tmp.out")" = "$2" ] || fail_file "the unit of $1 is not $2:" "$tmp.out"
}

# columns OPTION...: print a report of the script as json
columns()
{
	hist report -q -i $samples/wakeup.dat "$tmp/script" --format json "$@"
	status_is 0
	cp "$tmp.out" "$tmp/json"
}

waking="echo 'hist:keys=pid:t=common_timestamp.usecs' >> events/sched/sched_waking/trigger"
event='echo "lat u64 lat; pid_t pid" >> synthetic_events'

it 'a field that receives a difference in usecs is in us'
script "$event" "$waking" \
	"echo 'hist:keys=next_pid:d=common_timestamp.usecs-\$t:onmatch(sched.sched_waking).lat(\$d,next_pid)' >> events/sched/sched_switch/trigger" \
	"echo 'hist:keys=lat.log2,pid:vals=lat:twice=lat+lat' >> events/synthetic/lat/trigger"
columns --show synthetic:lat --stats
unit_is lat us
unit_is twice us
unit_is pid none
unit_is hitcount none

it 'also if its triggers come first'
script "$event" "echo 'hist:keys=lat.log2' >> events/synthetic/lat/trigger" "$waking" \
	"echo 'hist:keys=next_pid:d=common_timestamp.usecs-\$t:onmatch(sched.sched_waking).lat(\$d,next_pid)' >> events/sched/sched_switch/trigger"
columns --show synthetic:lat
unit_is lat us

it 'time stamps without .usecs are in ns, divided by 1000 in us; other products have no unit'
script "$(echo "$waking" | sed 's/.usecs//')" \
	"echo 'hist:keys=next_pid:d=common_timestamp-\$t:u=\$d/1000:x=\$d*1000:y=\$d/7:m=-(\$d)' >> events/sched/sched_switch/trigger"
columns --show sched:sched_switch --stats
unit_is d ns
unit_is u us
unit_is x none
unit_is y none
unit_is m ns

it 'a field with different units from two actions has none'
script "$event" "$waking" \
	"echo 'hist:keys=next_pid:d=common_timestamp.usecs-\$t:onmatch(sched.sched_waking).lat(\$d,next_pid)' >> events/sched/sched_switch/trigger" \
	"echo 'hist:keys=prev_pid:e=common_timestamp:onmatch(sched.sched_waking).lat(\$e,prev_pid)' >> events/sched/sched_switch/trigger" \
	"echo 'hist:keys=lat.log2' >> events/synthetic/lat/trigger"
columns --show synthetic:lat
unit_is lat none

it 'a unit is passed from event to event, also through fields as parameters of actions'
script "$event" 'echo "again u64 time; pid_t pid" >> synthetic_events' "$waking" \
	"echo 'hist:keys=next_pid:d=common_timestamp.usecs-\$t:onmatch(sched.sched_waking).lat(\$d,next_pid)' >> events/sched/sched_switch/trigger" \
	"echo 'hist:keys=pid:onmax(\$l).trace(again,lat,pid):l=lat' >> events/synthetic/lat/trigger" \
	"echo 'hist:keys=time.buckets=10' >> events/synthetic/again/trigger"
columns --show again
unit_is time us

it 'hist diff uses the unit; so does a merge with results without units'
hist report -q -i $samples/wakeup.dat $samples/wakeup.script --stats --format json -o "$tmp/new.json"
hist diff --fail-on 'init:lat.p50>+1us' "$tmp/new.json" "$tmp/new.json"
status_is 0
sed 's/,"unit":"us"//g' "$tmp/new.json" >"$tmp/old.json"
hist merge "$tmp/new.json" "$tmp/old.json" --format json -o "$tmp/a.json"
status_is 0
hist merge "$tmp/old.json" "$tmp/new.json" --format json -o "$tmp/b.json"
status_is 0
run cmp "$tmp/a.json" "$tmp/b.json"
status_is 0
holds grep -q '"name":"lat","type":"number","signed":false,"unit":"us"' "$tmp/b.json"
sed 's/"unit":"us"/"unit":"ns"/g' "$tmp/new.json" >"$tmp/other.json"
hist merge "$tmp/new.json" "$tmp/other.json"
status_is 2
stderr_has 'the column lat is different'

it 'a time in a filter has the length that its unit says'
for pair in 1us:1000 1.5ms:1500000 0.2ms:200000 250us:250000 0.000131s:131000 40000ns:40000; do
	for op in '<' '>='; do
		hist report -q -i $samples/wakeup.dat -e derived:wait -f "ns $op ${pair%:*}" --by comm --format csv
		cp "$tmp.out" "$tmp/unit"
		hist report -q -i $samples/wakeup.dat -e derived:wait -f "ns $op ${pair#*:}" --by comm --format csv
		holds cmp "$tmp.out" "$tmp/unit"
	done
done

done_testing
