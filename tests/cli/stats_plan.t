#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --stats: every counting plan gives the samples of the replay in order.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
"$make" "$tmp/mix.dat" 100000 mix none
"$make" "$tmp/zstd.dat" 100000 mix zstd
"$make" "$tmp/wakeup.dat" 100000 wakeup none

cat >"$tmp/latency" <<'END'
echo 'lat u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($lat,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=comm:vals=lat' >> events/synthetic/lat/trigger
cat events/synthetic/lat/hist
END

it 'by range, with many values, signed values, and a filter'
for file in mix zstd; do
	for plan in plain order range; do
		hist report -q -j 3 --stats --plan=$plan --format json -i "$tmp/$file.dat" \
			-e kmalloc -R 'hist:keys=common_pid:vals=bytes_req,bytes_alloc if bytes_req > 100' \
			-e sys_exit -R 'hist:keys=id:vals=ret,common_pid'
		status_is 0
		cp "$tmp.out" "$tmp/$plan"
	done
	checked cmp -s "$tmp/order" "$tmp/range" || fail 'order and range differ'
	checked cmp -s "$tmp/order" "$tmp/plain" || fail 'order and plain differ'
done
hist report --stats --explain -j 3 -i "$tmp/mix.dat" -e kmalloc -R 'hist:keys=common_pid:vals=bytes_req'
stderr_has 'by range'

it 'a map that is too small'
for plan in order range; do
	hist report -q -j 3 --stats --plan=$plan --format json -i "$tmp/mix.dat" \
		-e kmalloc -R 'hist:keys=common_pid,bytes_req:vals=bytes_alloc:size=128'
	cp "$tmp.out" "$tmp/$plan"
done
checked cmp -s "$tmp/order" "$tmp/range" || fail 'order and range differ'

it 'of a synthetic event, read ahead'
for plan in plain order; do
	hist report -q -j 3 --stats --plan=$plan --format json -i "$tmp/wakeup.dat" "$tmp/latency"
	status_is 0
	cp "$tmp.out" "$tmp/$plan"
done
stdout_has 'p99'
checked cmp -s "$tmp/order" "$tmp/plain" || fail 'order and plain differ'

done_testing
