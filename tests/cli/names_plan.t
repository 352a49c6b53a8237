#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What depends on the names of tasks is counted by all threads, with the answer of the replay in order.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
"$make" "$tmp/mix.dat" 100000 mix none
"$make" "$tmp/zstd.dat" 100000 mix zstd
"$make" "$tmp/wakeup.dat" 100000 wakeup none

# plan_same FILE ARGS...: by range, in order and by the plainest code the same
plan_same()
{
	file=$1
	shift
	for plan in plain order range; do
		hist report -q -j 3 --plan=$plan --format json -i "$tmp/$file.dat" "$@"
		status_is 0
		cp "$tmp.out" "$tmp/$plan"
	done
	checked cmp -s "$tmp/order" "$tmp/range" || fail 'order and range differ'
	checked cmp -s "$tmp/order" "$tmp/plain" || fail 'order and plain differ'
}

it 'execname, of which the first hit of a key counts'
plan_same mix -e sched_switch -R 'hist:keys=common_pid.execname' -R 'hist:keys=common_pid.execname,common_cpu'
stdout_has '"common_pid":"postgres'
plan_same zstd -e sched_waking -R 'hist:keys=common_pid.execname'

it 'filters on COMM'
plan_same mix -e kmalloc -R 'hist:keys=bytes_req if COMM == "bash"'
plan_same mix -e kmalloc -R 'hist:keys=common_pid:vals=bytes_req if COMM ~ "*ash" && bytes_req > 100'

it 'exemplars'
plan_same mix --exemplars 3 -e kmalloc -R 'hist:keys=common_pid:vals=bytes_req'
stdout_has '"exemplars"'

it 'a map that is too small'
for plan in order range; do
	hist report -q -j 3 --exemplars 2 --plan=$plan -i "$tmp/mix.dat" \
		-e kmalloc -R 'hist:keys=common_pid.execname,bytes_req:vals=bytes_alloc:size=128'
	cp "$tmp.out" "$tmp/$plan"
done
checked cmp -s "$tmp/order" "$tmp/range" || fail 'order and range differ'

it 'latencies: variables, and a synthetic event'
cat >"$tmp/latency" <<'END'
echo 'lat u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs if COMM != "bash"' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($lat,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=common_pid.execname:vals=lat' >> events/synthetic/lat/trigger
END
for plan in plain order; do
	hist report -q -j 3 --exemplars 3 --plan=$plan -i "$tmp/wakeup.dat" "$tmp/latency"
	status_is 0
	cp "$tmp.out" "$tmp/$plan"
done
stdout_has 'postgres'
checked cmp -s "$tmp/order" "$tmp/plain" || fail 'order and plain differ'

it 'is explained'
hist report --explain -j 3 -i "$tmp/mix.dat" -e sched_switch -R 'hist:keys=common_pid.execname'
stderr_has 'by range'

done_testing
