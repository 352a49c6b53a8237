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
for plan in order range; do
	hist report -q -i $samples/kmalloc.dat -e kmalloc -R hist:keys=bytes_alloc --exemplars 3 --plan=$plan
	status_is 0
	cp "$tmp.out" "$tmp/$plan"
done
holds cmp -s "$tmp/order" "$tmp/range"
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
stderr_has "error: no histogram has a numeric value, variable or key 'latt'; did you mean lat"
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
python=$(python_with jsonschema)
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

it 'csv has columns for them'
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 2:lat --format csv
status_is 0
cp "$tmp.out" "$tmp/csv"
holds test "$(head -n 1 "$tmp/csv")" = lat_min,lat_max,hitcount,pid,lat_largest1,lat_largest1_at,lat_largest1_cpu,lat_largest1_pid,lat_largest1_comm,lat_largest2,lat_largest2_at,lat_largest2_cpu,lat_largest2_pid,lat_largest2_comm
holds grep -q -x '513,1024,1,16,1000,30.349774421,0,489,init,,,,,' "$tmp/csv"
holds awk -F, 'NF != 14 { exit 1 }' "$tmp/csv"
cut -d, -f5-9 "$tmp/csv" | sed 1d | sort >"$tmp/got"
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 1:lat
awk '/^# the largest/ { exit } /^# lat:/ { n = split($6, t, "-"); print $3 "," $5 "," t[n] "," substr($6, 1, length($6) - length(t[n]) - 1) }' \
	"$tmp.out" | sort >"$tmp/want"
holds diff "$tmp/want" "$tmp/got"

it 'a page has them, in the form that --around takes'
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 2:lat --format html
stdout_has '<th>largest lat</th>'
stdout_has '<td class="e" data-v="1000">1.00.*ms at 0.164555 s, CPU 0, init-489</td>'
stdout_has '<h3>The largest lat</h3>'
stdout_has '<tr><td class="n" data-v="1000">1.00.*ms</td><td class="n" data-v="30.349774421,0">0.164555 s</td><td class="n">0</td><td>init-489</td>'
stdout_has '<code>hist report -i [^<]*wakeup.dat --around 30.349774421,0</code>'
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 2:lat --format html --interval 0.05
holds test "$(grep -c '<td class="n" data-v="30.349774421,0">' "$tmp.out")" = 1

it 'a saved result with exemplars is read as it was written'
for format in json ndjson; do
	for show in sched_switch lat; do
		hist report -q -i $samples/wakeup.dat "$latency" --show $show --exemplars 3
		cp "$tmp.out" "$tmp/text"
		hist report -q -i $samples/wakeup.dat "$latency" --show $show --exemplars 3 --format $format -o "$tmp/one.$format"
		hist merge "$tmp/one.$format"
		status_is 0
		# of rows that compare equal the order is another one
		sort "$tmp.out" >"$tmp/got"
		sort "$tmp/text" | diff - "$tmp/got" >"$tmp/diff" || fail_file "$format of $show:" "$tmp/diff"
		holds grep -q '^# the largest ' "$tmp/text"
	done
done

it 'of several results the largest of all, each with its recording'
lat()
{
	to=$1
	shift
	"$HIST" report -q "$latency" --show lat --format json -o "$tmp/$to.json" "$@"
}
cp $samples/wakeup.dat "$tmp/first.dat"
cp $samples/wakeup.dat "$tmp/second.dat"
cp $samples/wakeup.dat "$tmp/third.dat"
lat first -i "$tmp/first.dat" --exemplars 2:lat --to +0.1
lat second -i "$tmp/second.dat" --exemplars 2:lat --from +0.1 --to +0.2
lat third -i "$tmp/third.dat" --exemplars 2:lat --from +0.2
hist merge -q "$tmp/first.json" "$tmp/second.json" "$tmp/third.json"
status_is 0
stderr_is ''
cp "$tmp.out" "$tmp/sum"
stdout_has '^# lat:       1000  at 30.349774421,0  init-489  in .*/second.dat$'
# each hit is in one part, so the largest are those of the whole
for _ in first second third; do
	sed "s|  in .*||" "$tmp/sum"
done | grep '^# lat' | sort -u >"$tmp/got"
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 2:lat
grep '^# lat' "$tmp.out" | sort -u >"$tmp/want"
holds diff "$tmp/want" "$tmp/got"

it 'the order does not matter, nor what was added up before'
hist merge "$tmp/third.json" "$tmp/first.json" "$tmp/second.json"
stdout_is_file "$tmp/sum"
"$HIST" merge "$tmp/third.json" "$tmp/first.json" --format json -o "$tmp/two.json"
hist merge "$tmp/two.json" "$tmp/second.json"
stdout_is_file "$tmp/sum"
"$HIST" merge "$tmp/second.json" --format ndjson -o "$tmp/one.json"
hist merge "$tmp/one.json" "$tmp/two.json"
stdout_is_file "$tmp/sum"
hist merge "$tmp/two.json" "$tmp/second.json" --format json
if [ -n "$python" ]; then
	holds "$python" "$tmp/schema.py" <"$tmp.out"
fi
holds grep -q '"file":"[^"]*/third.dat"' "$tmp.out"
hist merge "$tmp/two.json" "$tmp/second.json" --format csv
stdout_has '^lat_min.*,lat_largest2_comm,lat_largest2_file'
stdout_has ',1000,30.349774421,0,489,init,[^,]*/second.dat,,,,,,$'
hist merge "$tmp/two.json" "$tmp/second.json" --format html
stdout_has '<td>init-489</td><td>[^<]*/second.dat</td>'

it 'different numbers of them: as many as all know'
lat five -i "$tmp/first.dat" --exemplars 5:lat --to +0.1
hist merge "$tmp/five.json" "$tmp/second.json" "$tmp/third.json"
stdout_is_file "$tmp/sum"
hist merge "$tmp/second.json" "$tmp/third.json" "$tmp/five.json"
stdout_is_file "$tmp/sum"

it 'with labels they stay with their rows'
hist merge --label part=1 "$tmp/first.json" --label part=2 "$tmp/second.json"
status_is 0
holds test "$(grep -A 1 'lat: ~ 2.10, part: 2 ' "$tmp.out" | grep -c '^# lat:       1000  at 30.349774421,0  init-489  in')" = 1

it 'if a result has none, or others, the sum has none, and a note reports it'
lat without -i "$tmp/first.dat"
lat other -i "$tmp/first.dat" --exemplars 2:pid
for other in without other; do
	hist merge "$tmp/first.json" "$tmp/$other.json" --format csv
	status_is 0
	stdout_has '^lat_min,lat_max,hitcount,pid$'
	stderr_has "note: synthetic:lat: the exemplars are left out: .*first.json and .*$other.json do not both have them"
	cp "$tmp/first.json" "$tmp/again.json"
	hist merge "$tmp/$other.json" "$tmp/first.json" "$tmp/again.json" --format json
	holds test "$(grep -c '"exemplars"' "$tmp.out")" = 0
	holds test "$(grep -c 'are left out' "$tmp.err")" = 1
done

it 'a saved result that is damaged there is refused'
damaged()
{
	sed "$1g" "$tmp/first.json" >"$tmp/damaged.json"
	holds test "$(cmp -s "$tmp/first.json" "$tmp/damaged.json"; echo $?)" = 1
	hist merge "$tmp/damaged.json"
	status_is 2
	stderr_has "$2"
}
damaged 's/"max":2/"max":0/' 'exemplars without a name, or too many'
damaged 's/"max":2/"max":1001/' 'exemplars without a name, or too many'
damaged 's/"max":2/"max":1/' 'a row has more exemplars than announced'
damaged 's/"comm":"[^"]*"/"comm":"0123456789abcdef"/' 'the name of a task is at most 15 bytes long'
damaged 's/"cpu":0/"cpu":4294967296/' 'an unlikely CPU'
damaged 's/"pid":\([0-9]*\),"comm"/"pid":99999999999,"comm"/' 'an unlikely pid'
damaged 's/"time":30/"time":x30/' 'a value is expected'

it 'each slice has its own exemplars'
hist report -q -i $samples/wakeup.dat "$latency" --show lat --exemplars 1:lat --interval 0.05
status_is 0
holds test "$(grep -c '^# the largest lat' "$tmp.out")" = "$(grep -c '^Totals' "$tmp.out")"
holds test "$(grep -A 1 '^# the largest lat' "$tmp.out" | grep -c 30.349774421)" = 1

it 'an empty trace around an exemplar has a note on where to look'
hist report -i tests/cli/recipes/6.12-graph.dat --around 77.033119790,0
status_is 0
stdout_lacks funcgraph
stderr_has 'note: trace has no event of the selected time: hist events has those of function tracers, too'
hist events -i tests/cli/recipes/6.12-graph.dat --around 77.033119790,0
stdout_has 'funcgraph_exit: +<-- do_sys_openat2'
cat >"$tmp/leak" <<'END'
cat-7 [000] 1.000000: kmalloc: call_site=0x10 ptr=0x1000 bytes_req=3 bytes_alloc=8
cat-7 [001] 2.000000: kfree: call_site=0x10 ptr=0x5000
END
hist report -i "$tmp/leak" leaks --exemplars 1
stdout_has 'at 2.000000000,0  cat-7'
hist report -i "$tmp/leak" --around 2.000000000,0
stderr_has 'what lasts to the end of the recording, .* is at that time: --context 1s shows more'
hist report -i "$tmp/leak" --around 2.000000000,0 --context 1s
stdout_has 'kmalloc: .*call_site=0x10'
stderr_lacks 'trace has no event'

it 'the trace around an exemplar contains it'
hist report -q -i $samples/wakeup.dat --around 30.349774421,0 --context 0.000001
status_is 0
stdout_has 'init-489 .* 30\.34977[45]: sched_switch: '

it 'a note lists the formats that omit exemplars'
hist report -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_req --exemplars 1 --format heat
status_is 0
stderr_has 'note: --exemplars is for text, markdown, json, ndjson, csv, tsv, parquet and html'
hist report -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_req --exemplars 1 --format json
stderr_is ''

it 'equal values have one order, also if times go back to 0'
tail -c +2 tests/fuzz/plan/time-zero >"$tmp/back.dat"
set -- -i "$tmp/back.dat" -j 2 -e sched_waking -R 'hist:keys=pid:vals=prio' --exemplars 3
hist report --plan=plain "$@"
stdout_has 'prio: +1  at 0.135217663,1'
cp "$tmp.out" "$tmp/want"
for plan in order range; do
	hist report --plan=$plan "$@"
	stdout_is_file "$tmp/want"
done

done_testing
