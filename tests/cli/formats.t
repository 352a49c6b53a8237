#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# json, ndjson, csv and tsv contain the same as the kernel's text when other programs read them, for
# all scenarios with the kernel's own output. formats.py compares them.
. tests/cli/lib.sh

python=$(python_with jsonschema)
[ -n "$python" ] || skip_all 'no python3-jsonschema'
have jq || skip_all 'no jq'
corpus=../shared/corpus
[ -d $corpus ] || corpus=tests/golden

for kernel in "$corpus"/6.*; do
	set --
	for dir in "$kernel"/*; do
		# scenarios with a small ring buffer have other triggers
		[ -f "$dir/trace.dat" ] && [ -f "$dir/triggers" ] && [ ! -f "$dir/ring-stats.txt" ] && set -- "$@" "$dir"
	done
	# some have only errors
	[ $# -gt 0 ] || continue
	it "all formats contain what the text of ${kernel##*/} contains"
	mkdir "$tmp/${kernel##*/}"
	long_run "$python" tests/cli/formats.py "$HIST" share/hist-result-1.schema.json "$tmp/${kernel##*/}" "$@"
	status_is 0
	stdout_is ''
	stderr_has '^[1-9][0-9]* histograms'
done

it 'the schema rejects other json'
cat >"$tmp/check.py" <<'E'
import json, jsonschema, sys
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))
E
run sh -c '"$HIST" report -q -i trace.dat-samples/switch.dat -e sched_switch -R hist:keys=next_comm --format json |
	sed "$1" | "$2" "$3" share/hist-result-1.schema.json' sh '' "$python" "$tmp/check.py"
status_is 0
for change in 's/"hits":[0-9]*/"hits":-1/' 's/"sort"/"sorted"/' 's/"hitcount":[0-9]/"hitcount":0./' 's/"schema":1/"schema":2/'; do
	run sh -c '"$HIST" report -q -i trace.dat-samples/switch.dat -e sched_switch -R hist:keys=next_comm --format json |
		sed "$1" | "$2" "$3" share/hist-result-1.schema.json' sh "$change" "$python" "$tmp/check.py"
	status_is 1
done

it 'report ends without a message if the pipe is closed early'
for format in text json ndjson csv tsv; do
	run sh -c '"$HIST" report -i trace.dat-samples/switch.dat -e sched_switch -R hist:keys=next_comm,prev_comm,prev_pid --format "$1" --interval 0.001 | head -n 1' sh $format
	status_is 0
	stderr_is ''
done
it '--show N chooses a histogram: in each format, in slices, of several cat commands'
wakeup=trace.dat-samples/wakeup.dat
hist report -i $wakeup on-cpu --strict-kernel --format csv
status_is 0
stderr_has 'note: csv shows the first table of the answer, --show N another one: synthetic:on_cpu \(2\)'
cp "$tmp.out" "$tmp/first"
hist report -i $wakeup on-cpu --strict-kernel --show 1 --format csv
status_is 0
stdout_is_file "$tmp/first"
stdout_has '^comm,hitcount,us,max,pid,saved_at'
hist report -i $wakeup on-cpu --strict-kernel --show 2 --format csv
stdout_has '^us_min,us_max,hitcount'
hist report -i $wakeup on-cpu --strict-kernel
grep -A 9 'us.log2' "$tmp.out" >"$tmp/second"
hist report -i $wakeup on-cpu --strict-kernel --show 2
grep -A 9 'us.log2' "$tmp.out" | cmp -s - "$tmp/second" || fail 'the second histogram is another'
stdout_lacks 'keys=comm'
hist report -i $wakeup on-cpu --strict-kernel --show 2 --interval 0.1 --format csv
stdout_has '^from,to,us_min,us_max,hitcount'
sum=$(awk -F, 'NR > 1 { s += $5 } END { print s }' "$tmp.out")
hist report -i $wakeup on-cpu --strict-kernel --show 2 --format csv
holds test "$sum" = "$(awk -F, 'NR > 1 { s += $3 } END { print s }' "$tmp.out")"
stdout_lacks "$(printf '\r')"
hist report -i $wakeup on-cpu --strict-kernel --show 3
status_is 2
stderr_has 'show 3: the script prints 2 histograms'
hist report -i $wakeup on-cpu --strict-kernel --show 0
status_is 0
stdout_has 'keys=comm'
stdout_has 'us.log2'
# such as 9p_client_req
hist report -i $wakeup on-cpu --strict-kernel --show 1x
status_is 2
stderr_has 'no format for event 1x'
cat >"$tmp/two" <<'EOF'
echo 'hist:keys=next_pid' >> events/sched/sched_switch/trigger
echo 'hist:keys=pid' >> events/sched/sched_waking/trigger
cat events/sched/sched_waking/hist
cat trace
echo 'hist:keys=next_pid:clear' >> events/sched/sched_switch/trigger
cat events/sched/sched_switch/hist
EOF
hist report -i $wakeup "$tmp/two"
grep -A 9 'keys=next_pid' "$tmp.out" >"$tmp/second"
{ cat "$tmp/two"; echo 'cat events/sched/sched_waking/hist'; } >"$tmp/three"
hist report -i $wakeup "$tmp/three" --format csv
status_is 0
stdout_has '^pid,hitcount'
stderr_has 'three:6: note: csv shows the first table of the answer, --show N another one: sched:sched_switch \(1\)'
stderr_lacks 'three:7'
hist report -i $wakeup "$tmp/two" --show 2
status_is 0
grep -A 9 'keys=next_pid' "$tmp.out" | cmp -s - "$tmp/second" || fail 'differs from the whole output'
stdout_lacks 'keys=pid'
stdout_lacks 'tracer'
hist report -i $wakeup -e sched_switch -R 'hist:keys=next_pid' --show 1 --tracefs "$tmp/dir"
status_is 0
stdout_has 'keys=next_pid'
holds test -f "$tmp/dir/events/sched/sched_switch/hist"

it 'lists recordings as a table in any format of rows'
cp trace.dat-samples/switch.dat "$tmp/a.dat"
cp trace.dat-samples/kmalloc.dat "$tmp/b.dat"
hist list "$tmp/a.dat" "$tmp/b.dat" --format csv
status_is 0
stderr_has '^hist: note: csv contains the events; others: --show 2'
holds test "$(grep -c '^file,instance,event,id,count$' "$tmp.out")" = 1
stdout_has '/a.dat,,sched:sched_switch,[0-9]+,1680$'
stdout_has '/b.dat,,kmem:kmalloc,[0-9]+,10279$'
hist list "$tmp/a.dat" --format tsv --show 2
status_is 0
stderr_is ''
holds test "$(cut -f 3,4 "$tmp.out" | tr '\t\n' '= ')" = 'cpu=events 0=1277 1=778 2=1171 3=8011 '
hist list "$tmp/a.dat" --format csv --show 3
stdout_is 'file,instance,cpu,reason,from,to,events'
hist list "$tmp/a.dat" --format ndjson -e
stdout_has '"event":"sched:sched_switch","field":"prev_comm","type":"char\[TASK_COMM_LEN\]","size":16,'
hist list "$tmp/a.dat" --format nosuch
status_is 2
stderr_has 'unknown format nosuch; known: text, csv'
hist list "$tmp/a.dat" --show 2
status_is 2
stderr_has 'show chooses a table'

done_testing
