#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --interval: slices of time, which add up to the whole.
. tests/cli/lib.sh

samples=trace.dat-samples
[ -f $samples/switch.dat ] || skip_all "no $samples"

cat >"$tmp/latency" <<'E'
echo 'lat u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:l=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($l,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=comm:m=lat:onmax($m).save(pid,comm)' >> events/synthetic/lat/trigger
echo 'hist:keys=comm,lat.log2:vals=lat:sort=comm,lat' >> events/synthetic/lat/trigger
E

it 'slices add up to the whole, for what a single recording can contain'
for script in "$tmp/latency" $samples/wakeup.script; do
	for stats in '' --stats; do
		# shellcheck disable=SC2086 # an option or none
		hist report -q -i $samples/wakeup.dat "$script" $stats --format json
		cp "$tmp.out" "$tmp/whole.json"
		# shellcheck disable=SC2086 # an option or none
		hist report -q -i $samples/wakeup.dat "$script" $stats --format json --interval 0.013
		status_is 0
		cp "$tmp.out" "$tmp/slices.json"
		holds test "$(wc -l <"$tmp/slices.json")" -gt 10
		hist merge -q "$tmp/whole.json"
		cp "$tmp.out" "$tmp/want"
		hist merge -q "$tmp/slices.json"
		stdout_is_file "$tmp/want"
	done
done

# merged INTERVAL ARG...: hits of the smallest histogram after merging its slices
merged()
{
	interval=$1
	shift
	"$HIST" report -q -i $samples/wakeup.dat --interval "$interval" --format json "$@" >"$tmp/part.json"
	"$HIST" merge -q "$tmp/part.json" | sed -n 's/^ *Hits: //p' | sort -n | head -n 1
}

it 'except for onmax(), whose maximum starts again in each slice'
cat >"$tmp/onmax" <<'E'
echo 'new u64 lat; pid_t pid' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:l=common_timestamp-$ts0:onmax($l).new($l,next_pid)' >> events/sched/sched_switch/trigger
echo 'hist:keys=pid' >> events/synthetic/new/trigger
E
holds test "$(merged 1000 "$tmp/onmax")" -lt "$(merged 0.01 "$tmp/onmax")"
set -- -e sched:sched_switch -R 'hist:keys=prev_state'
holds test "$(merged 1000 "$@")" = "$(merged 0.01 "$@")"

it 'a slice does not depend on which histograms are printed'
for event in sched:sched_waking sched:sched_switch synthetic:new; do
	hist report -q -i $samples/wakeup.dat "$tmp/onmax" --interval 0.01 --format json
	grep -F "\"event\":\"$event\"" "$tmp.out" | grep -v '"hits":0,' | sed 's/"script":.*"filters"//' >"$tmp/want"
	holds test "$(wc -l <"$tmp/want")" -gt 5
	hist report -q -i $samples/wakeup.dat "$tmp/onmax" --interval 0.01 --format json --show "$event"
	sed 's/"script":.*"filters"//' "$tmp.out" >"$tmp/shown"
	status_is 0
	holds cmp "$tmp/want" "$tmp/shown"
	{
		cat "$tmp/onmax"
		echo "cat events/$(echo "$event" | tr : /)/hist"
	} >"$tmp/script"
	hist report -q -i $samples/wakeup.dat "$tmp/script" --interval 0.01 --format json
	sed 's/"script":.*"filters"//' "$tmp.out" >"$tmp/shown"
	holds cmp "$tmp/want" "$tmp/shown"
done

it 'a slice with variables has the order of a separate histogram'
for key in 'keys=comm' 'keys=comm:v=pid'; do
	hist report -q -i $samples/wakeup.dat -e sched_waking -R "hist:$key" --interval 0.01
	cp "$tmp.out" "$tmp/${key##*:}"
done
stdout_has 'hitcount'
grep -v '^# trigger' "$tmp/keys=comm" >"$tmp/want"
grep -v '^# trigger' "$tmp/v=pid" >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"

it 'a table contains the slice of each row'
hist report -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --format csv --interval .1
status_is 0
holds test "$(grep -c '^from,to,next_comm,hitcount' "$tmp.out")" = 1
tail -n +2 "$tmp.out" | cut -d, -f1 | uniq >"$tmp/from"
holds test "$(wc -l <"$tmp/from")" -ge 5
holds sort -c -n -u "$tmp/from"
holds test "$(awk -F, 'NR > 1 { n += $4 } END { print n }' "$tmp.out")" = 1680

it 'text has a heading for each slice'
hist report -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --interval 0.3
status_is 0
holds test "$(grep -c '^==> events/sched/sched_switch/hist [0-9.]* to [0-9.]* <==$' "$tmp.out")" = 2
holds test "$(grep -c '^# event histogram$' "$tmp.out")" = 2

it 'the title of an answer has the time of the slice, which --from and --to take'
hist report -q -i $samples/wakeup.dat wakeup-latency --interval 0.2
status_is 0
holds test "$(grep -c '^How long do woken tasks wait' "$tmp.out")" = 1
holds test "$(grep -c '^[0-9.]* to [0-9.]*: derived:wait by comm$' "$tmp.out")" = 2
stdout_lacks '==>'
slice=$(sed -n 's/^\([0-9.]*\) to \([0-9.]*\): derived:wait by kind$/\1 \2/p' "$tmp.out" | head -n 1)
want=$(sed -n '/: derived:wait by kind$/,/ hits in /p' "$tmp.out" | grep -m 1 ' hits in ')
hist report -q -i $samples/wakeup.dat wakeup-latency --show 3 --from "${slice% *}" --to "${slice#* }"
stdout_has "^$want\$"
hist report -q -i $samples/wakeup.dat wakeup-latency --interval 0.2 --format hist
stdout_has '^==> events/derived/wait/hist [0-9.]* to [0-9.]* <==$'

it 'cat prints the slices of that histogram, and other files as without slices'
hist report -i $samples/switch.dat --interval 0.3 -x 'echo hist:keys=next_comm >> events/sched/sched_switch/trigger' \
	-x 'cat events/sched/sched_switch/trigger events/sched/sched_switch/hist'
status_is 0
stdout_has '^hist:keys=next_comm:'
holds test "$(grep -c '^==> ' "$tmp.out")" = 2

it 'slices without hits are not printed; slices of a nanosecond take no extra time'
hist report -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --format csv --interval 0.000000001 --to +0.1
status_is 0
holds test "$(wc -l <"$tmp.out")" -gt 50
holds test -z "$(cut -d, -f1 "$tmp.out" | sort | uniq -d)"
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm if next_pid == 123456' --format csv --interval 0.1
status_is 0
stdout_has '^from,to,next_comm,hitcount'
holds test "$(wc -l <"$tmp.out")" = 1

it 'reads a part of the recording'
hist report -q -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --format json --interval 0.1 --from +0.15 --to +0.3
status_is 0
holds test "$(wc -l <"$tmp.out")" = 2

it 'accepts units'
hist report -q -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --interval 0.1
cp "$tmp.out" "$tmp/seconds"
hist report -q -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --interval 100ms
stdout_is_file "$tmp/seconds"

it 'rejects an invalid length'
for length in 0 -1 x 1m '' 99999999999999999999 .; do
	hist report -i $samples/switch.dat -e sched_switch -R hist:keys=next_comm --interval="$length"
	status_is 2
	stdout_is ''
	stderr_has '--interval takes a time'
done

it 'a slice counts its own drops, also if a histogram with variables stays full'
cat >"$tmp/full" <<'E'
echo 'hist:keys=common_timestamp:x=common_timestamp:size=128' >> events/sched/sched_switch/trigger
echo 'hist:keys=common_timestamp,next_pid:y=$x' >> events/sched/sched_switch/trigger
echo 'hist:keys=prev_pid' >> events/sched/sched_switch/trigger
cat events/sched/sched_switch/hist
E
for show in '' '--show 2'; do
	# shellcheck disable=SC2086 # an option or none
	hist report -q -i $samples/switch.dat "$tmp/full" $show --format json
	cp "$tmp.out" "$tmp/whole.json"
	# shellcheck disable=SC2086 # an option or none
	hist report -i $samples/switch.dat "$tmp/full" $show --format json --interval .1
	status_is 0
	stderr_has 'warning: 1552 hits were dropped because a histogram was full'
	holds test "$(grep -c 'hits were dropped' "$tmp.err")" = 1
	grep -o '"feeding_dropped":[0-9]*' "$tmp.out" | cut -d: -f2 >"$tmp/feeding"
	holds test "$(paste -sd' ' "$tmp/feeding")" = '278 375 96 282 334 187'
	cp "$tmp.out" "$tmp/slices.json"
	hist merge -q "$tmp/whole.json" --format json
	grep -o '"totals":{[^}]*}' "$tmp.out" >"$tmp/want"
	hist merge -q "$tmp/slices.json" --format json
	grep -o '"totals":{[^}]*}' "$tmp.out" >"$tmp/got"
	holds cmp "$tmp/want" "$tmp/got"
done
holds grep -q '"feeding_dropped":1552' "$tmp/got"

it 'the same slices by range and in order'
"${BUILD:-build}/bench/make_recording" "$tmp/mix.dat" 100000 mix none
for how in '--interval 10ms --stats' '--interval 300us --exemplars 2' '--interval 50ms --from +0.1 --to +0.2'; do
	for plan in order range; do
		# shellcheck disable=SC2086
		hist report -q -j 3 $how --plan=$plan -i "$tmp/mix.dat" -e kmalloc \
			-R 'hist:keys=common_pid.execname:vals=bytes_req if bytes_alloc > 100'
		status_is 0
		cp "$tmp.out" "$tmp/$plan"
	done
	holds cmp -s "$tmp/order" "$tmp/range"
done
holds grep -q '^==>' "$tmp/range"

it 'a map that becomes full is counted in order from that slice on'
for plan in order range; do
	hist report -j 3 --interval 20ms --plan=$plan -i "$tmp/mix.dat" -e kmalloc \
		-R 'hist:keys=common_pid,bytes_req:size=2048'
	cp "$tmp.out" "$tmp/$plan"
	cp "$tmp.err" "$tmp/$plan.err"
done
holds cmp -s "$tmp/order" "$tmp/range"
holds cmp -s "$tmp/order.err" "$tmp/range.err"
holds grep -q 'hits were dropped' "$tmp/range.err"

it 'latencies in slices, read ahead'
for jobs in 1 2 3; do
	hist report --explain -j $jobs --interval 1ms --format json -i $samples/wakeup.dat $samples/wakeup.script
	status_is 0
	cp "$tmp.out" "$tmp/$jobs"
done
stderr_has 'sched_switch hist:keys=next_pid: in time order, 3 threads, because lat needs all records in time order'
holds cmp -s "$tmp/1" "$tmp/2"
holds cmp -s "$tmp/1" "$tmp/3"
hist report -q --plan=plain --interval 1ms --format json -i $samples/wakeup.dat $samples/wakeup.script
stdout_is_file "$tmp/1"
hist report --explain -j 2 --interval 1 -i "$tmp/mix.dat" -x 'echo hist:keys=common_pid >> events/kmem/kmalloc/trigger' \
	-x 'echo hist:keys=next_pid:x=prev_prio >> events/sched/sched_switch/trigger'
stderr_has 'kmalloc hist:keys=common_pid: in time order, 2 threads, because another histogram needs'

it '--over-time has the same columns for each slice, also where two values are equal'
cat >"$tmp/equal.txt" <<'END'
   a-1  [000] .... 1.000000: thing: x=5 y=7 z=9
   a-1  [000] .... 1.000500: thing: x=5 y=5 z=8
   a-1  [000] .... 1.001500: thing: x=6 y=6 z=8
END
hist report -q -i "$tmp/equal.txt" -e thing --by common_cpu --sum x,y,z --interval 1ms --over-time --format csv
stdout_is 'from,to,hits,x_p50,x_p90,x_p99,x_max,y_p50,y_p90,y_p99,y_max,z_p50,z_p90,z_p99,z_max
1.000000000,1.001000000,2,5,5,5,5,5,7,7,7,8,9,9,9
1.001000000,1.001500000,1,6,6,6,6,6,6,6,6,8,8,8,8'
hist report -q -i "$tmp/equal.txt" -e thing --by common_cpu --sum x,y,z --from +0.0005 --interval 1ms --over-time --format csv
stdout_has '^1.000500000,1.001500000,1,5,5,5,5,5,5,5,5,8,8,8,8$'

it '--over-time has no quantiles of no samples'
hist report -q -i "$tmp/equal.txt" -e thing --by common_cpu --sum x -f 'x == 9' --interval 1ms --over-time --format csv
stdout_is 'from,to,hits,x_p50,x_p90,x_p99,x_max
1.001000000,1.001500000,0,,,,'
hist report -q -i "$tmp/equal.txt" -e thing --by common_cpu --sum x -f 'x == 9' --interval 1ms --over-time --format ndjson
stdout_lacks '"x_p50":0'

it '--over-time has a row for each slice, with the quantiles of its events'
for slice in 5ms 20ms 1; do
	checked python3 tests/cli/over_time.py "$HIST" $samples/wakeup.dat derived:wait $slice >"$tmp/slices" 2>&1 ||
		fail_file "slices of $slice:" "$tmp/slices"
done
hist report -q -i $samples/wakeup.dat wakeup-latency --interval 50ms --over-time
status_is 0
stdout_has '^ *from +to  hits +ns_p50 +ns_p90 +ns_p99 +ns_max$'
stdout_has '^ *30\.[0-9]+ +30\.[0-9]+ +[0-9]+ +[0-9.]+ us '
hist report -i $samples/wakeup.dat wakeup-latency --interval 50ms --over-time --show 3 --format ndjson
status_is 0
stdout_has '^\{"from":30.[0-9]+,"to":30.[0-9]+,"hits":[0-9]+,"ns_p50":'
hist report -q -i $samples/wakeup.dat -e sched_switch --by prev_comm --interval 50ms --over-time --format csv
stdout_has '^from,to,hits$'
hist report -i $samples/wakeup.dat wakeup-latency --over-time
status_is 2
stderr_is 'hist: error: --over-time needs the length of its slices: --interval TIME'
hist report -i $samples/wakeup.dat wakeup-latency --interval 1 --over-time --format svg
status_is 2
stderr_has 'unknown format svg; known: text, csv,'

it 'the last time that there is belongs to a slice'
"${BUILD:-build}/bench/make_recording" "$tmp/end.dat" 40 mix none 6 1
hist report -q --format csv -i "$tmp/end.dat" -e kmalloc -R 'hist:keys=common_timestamp:sort=common_timestamp'
last=$(sed -n '$s/,.*//p' "$tmp.out") hits=$(($(wc -l <"$tmp.out") - 1))
python3 - "$tmp/end.dat" "$last" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = next(at for at in range(0, len(data), 4096) if 10**9 <= struct.unpack_from('<Q', data, at)[0] < 2 * 10**9)
struct.pack_into('<Q', data, at, struct.unpack_from('<Q', data, at)[0] + 2**64 - 1 - int(sys.argv[2]))
open(sys.argv[1], 'wb').write(data)
END
for interval in 1ns 100ns 1us 10; do
	for plan in order range; do
		hist report -q --interval $interval --plan=$plan -i "$tmp/end.dat" -e kmalloc -R 'hist:keys=common_timestamp'
		checked test "$(awk '/^    Hits:/ { n += $2 } END { print n }' "$tmp.out")" = "$hits" ||
			fail_file "not $hits hits in slices of $interval:" "$tmp.out"
		stdout_has 'common_timestamp: 18446744073709551615'
	done
done

done_testing
