#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --exemplars: the hits with the largest value, for each row and for the histogram.
. tests/cli/lib.sh

samples=trace.dat-samples
[ -f $samples/wakeup.dat ] || skip_all "no $samples"

it 'the text matches the trace, by an independent computation'
hist report -q -i $samples/kmalloc.dat -x 'echo 100000 > buffer_size_kb; echo 1 > events/kmem/kmalloc/enable; cat trace'
status_is 0
# TASK-PID [CPU] flags TIME: kmalloc: ... bytes_req=N bytes_alloc=M
sed -n -E 's/^ *(.*)-([0-9]+) +\[([0-9]+)\] [^ ]+ +([0-9.]+): kmalloc: .* bytes_req=([0-9]+) bytes_alloc=([0-9]+) .*/\6 \5 \4 \3 \1-\2/p' "$tmp.out" >"$tmp/events"
holds test -s "$tmp/events"
# for each bytes_alloc the 3 largest bytes_req, the earlier first
sort -s -k1,1n -k2,2nr "$tmp/events" | awk '
	$1 != row { row = $1; n = 0 }
	n++ < 3 { printf "%d %d %s,%d %s\n", $1, $2, $3, $4, $5 }' >"$tmp/want"
hist report -q -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=bytes_alloc:vals=bytes_req:sort=bytes_alloc' --exemplars 3
status_is 0
# times in trace are in microseconds, rounded
awk '/^{ bytes_alloc/ { row = $3 } /^# bytes_req/ && row {
	split($5, t, ",")
	printf "%d %d %.6f,%d %s\n", row, $3, t[1], t[2], $6 }
	/^Totals/ { row = 0 }' "$tmp.out" >"$tmp/got"
holds test "$(wc -l <"$tmp/got")" -gt 20
holds diff "$tmp/want" "$tmp/got"

it '(all) has the largest values of all rows'
sort -s -k2,2nr "$tmp/events" | head -n 3 | awk '{ print $2, $5 }' >"$tmp/want"
sed '1,/^# the largest bytes_req, at TIME,CPU/d' "$tmp.out" | awk '{ print $3, $6 }' >"$tmp/got"
holds diff "$tmp/want" "$tmp/got"

it 'the rest of the output is unchanged'
grep -v '^# bytes_req\|^# the largest' "$tmp.out" | sed '$d' >"$tmp/rest"
hist report -q -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=bytes_alloc:vals=bytes_req:sort=bytes_alloc'
stdout_is_file "$tmp/rest"

it 'is identical for any number of threads'
for script in wakeup-latency $samples/wakeup.script; do
	hist report -q -i $samples/wakeup.dat "$script" --exemplars 4 -j 1
	status_is 0
	cp "$tmp.out" "$tmp/one"
	for j in 2 3 8; do
		hist report -q -i $samples/wakeup.dat "$script" --exemplars 4 -j $j
		stdout_is_file "$tmp/one"
	done
done

it 'is identical for every plan'
for plan in order range key; do
	hist report -q -i $samples/kmalloc.dat -e kmalloc -R hist:keys=bytes_alloc --exemplars 3 --plan=$plan
	status_is 0
	cp "$tmp.out" "$tmp/$plan"
done
holds cmp -s "$tmp/order" "$tmp/range"
holds cmp -s "$tmp/order" "$tmp/key"
hist report -i $samples/kmalloc.dat -e kmalloc -R hist:keys=bytes_alloc --exemplars 1 --explain
stderr_has 'plan: kmem:kmalloc .*: by ranges of sub-buffers'

it 'accepts values, variables and keys; a rounded key has rounded values'
latency="$tmp/latency"
cat >"$latency" <<'E'
echo 'lat u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:l=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($l,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=lat.log2:vals=pid' >> events/synthetic/lat/trigger
E
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 1:lat
status_is 0
stdout_has '^# the largest lat in us, at'
stdout_has '^# lat:       1000  at 30.349774421,0  init-489$'
holds test "$(grep -c '^# lat:' "$tmp.out")" = $(($(grep -c '^{' "$tmp.out") + 1))
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 1
stdout_has '^# the largest pid, at'
hist report -q -i $samples/wakeup.dat "$latency" --show sched_switch --exemplars 1:l
stdout_has '^# the largest l in us, at'
stdout_has '^# l: +1000  at 30.349774421,0  init-489$'

it 'a name that no histogram has is an error that lists the nearest names'
hist report -i $samples/wakeup.dat "$latency" --exemplars 1:latt
status_is 2
stdout_is ''
stderr_has "--exemplars: no histogram has a numeric value, variable or key 'latt'; did you mean lat"
hist report -i $samples/wakeup.dat -e sched_switch -R hist:keys=next_comm --exemplars 1
status_is 2
stderr_has 'no histogram has a numeric value, variable or key; add one with vals=FIELD'
for bad in 0 x 1001 3: -1 ''; do
	hist report -i $samples/wakeup.dat -e sched_switch -R hist:keys=next_pid --exemplars "$bad"
	status_is 2
	stderr_has '--exemplars takes N or N:NAME, where N is at most 1000'
done

it 'json contains them as objects'
if have jq; then
	hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 2:lat --format json
	holds jq -e '.exemplars | .name == "lat" and (.signed | not) and (.all | length) == 2' "$tmp.out"
	holds jq -e '.exemplars.all[0] == {value:1000,time:30.349774421,cpu:0,pid:489,comm:"init"}' "$tmp.out"
	holds jq -e 'all(.data[]; (.exemplars | length) == ([2, .val.hitcount] | min))' "$tmp.out"
	hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 2:lat --format ndjson
	holds jq -e -s '.[-1].exemplars.all[0].value == 1000 and (.[1] | (.exemplars | length) == ([2, .val.hitcount] | min))' "$tmp.out"
	hist report -q -i $samples/wakeup.dat "$latency" --show lat --format json
	holds jq -e 'has("exemplars") | not' "$tmp.out"
else
	skip 'no jq'
fi

it 'this json conforms to the schema'
python=
for p in python3 /usr/bin/python3; do
	"$p" -c 'import jsonschema' 2>/dev/null && python=$p && break
done
cat >"$tmp/schema.py" <<'E'
import json, jsonschema, sys
with open("share/hist-result-1.schema.json") as f:
    schema = json.load(f)
for line in sys.stdin:
    jsonschema.Draft7Validator(schema).validate(json.loads(line))
E
if [ -n "$python" ]; then
	for format in json ndjson; do
		hist report -q -i $samples/wakeup.dat "$latency" --exemplars 2:lat --stats --format $format
		holds "$python" "$tmp/schema.py" <"$tmp.out"
		holds grep -q '"exemplars":' "$tmp.out"
	done
else
	skip 'no python3-jsonschema'
fi

it 'a saved result with exemplars can be read and added up'
hist report -q -i $samples/wakeup.dat "$latency" --show lat --format json
cp "$tmp.out" "$tmp/without.json"
hist report -q -i $samples/wakeup.dat "$latency" --show lat --format json --exemplars 2
cp "$tmp.out" "$tmp/with.json"
hist merge "$tmp/without.json" "$tmp/without.json" --format csv
cp "$tmp.out" "$tmp/want"
hist merge "$tmp/with.json" "$tmp/without.json" --format csv
status_is 0
stdout_is_file "$tmp/want"

it 'each slice has its own exemplars'
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 1:lat --interval 0.05
status_is 0
holds test "$(grep -c '^# the largest lat' "$tmp.out")" = "$(grep -c '^Totals' "$tmp.out")"
holds test "$(grep -A 1 '^# the largest lat' "$tmp.out" | grep -c 30.349774421)" = 1

it 'the trace around an exemplar contains it'
hist report -q -i $samples/wakeup.dat --around 30.349774421,0 --context 0.000001
status_is 0
stdout_has 'init-489 .* 30\.34977[45]: sched_switch: '

it 'a note lists the formats that omit exemplars'
hist report -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_req --exemplars 1 --format csv
status_is 0
stderr_has 'note: --exemplars is for text, json and ndjson'
hist report -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_req --exemplars 1 --format json
stderr_is ''

done_testing
