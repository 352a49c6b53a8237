#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The number of threads never changes a byte of the output, for any recording with its script, and
# for one that is large enough to be read ahead, in every codec.
. tests/cli/lib.sh

# same NAME INPUT SCRIPT: compare one, two and seven threads
same()
{
	it "$1 is identical with 1, 2 and 7 threads"
	for jobs in 1 2 7; do
		hist report -k -j $jobs --tracefs "$tmp/$jobs" -i "$2" "$3"
		cp "$tmp.out" "$tmp/out.$jobs"
		sed "s,$tmp/$jobs,DIR,g" "$tmp.err" >"$tmp/err.$jobs"
	done
	for jobs in 2 7; do
		{
			checked diff -r "$tmp/1" "$tmp/$jobs"
			cmp "$tmp/out.1" "$tmp/out.$jobs" 2>&1
			diff "$tmp/err.1" "$tmp/err.$jobs"
		} >>"$tmp.why"
	done
	[ -n "$(ls "$tmp/1")" ] || echo 'nothing was made' >>"$tmp.why"
	rm -rf "$tmp/1" "$tmp/2" "$tmp/7"

	# without an output directory nothing is recorded again, so more can be done in parallel
	it "$1 is identical on standard output with 1, 2 and 7 threads"
	for jobs in 1 2 7; do
		hist report -k -j $jobs -i "$2" "$3"
		cp "$tmp.out" "$tmp/out.$jobs"
		cp "$tmp.err" "$tmp/err.$jobs"
	done
	for jobs in 2 7; do
		checked diff "$tmp/err.1" "$tmp/err.$jobs"
		cmp "$tmp/out.1" "$tmp/out.$jobs" 2>&1
	done >>"$tmp.why"
}

# make check-plan uses the corpus in many forms
for dir in tests/golden/*; do
	for triggers in "$dir"/*/triggers; do
		[ -f "$triggers" ] && same "${triggers%/triggers}" "${triggers%triggers}trace.dat" "$triggers"
	done
done

cat >"$tmp/script" <<'EOF'
echo 'lat u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:l=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($l,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=next_comm:vals=prev_prio' >> events/sched/sched_switch/trigger
echo 'hist:keys=comm,lat.log2:sort=lat' >> events/synthetic/lat/trigger
echo 'hist:keys=common_pid.execname:vals=bytes_req if bytes_req > 64' >> events/kmem/kmalloc/trigger
EOF
for codec in none zlib zstd; do
	"$BUILD/bench/make_recording" "$tmp/large.dat" 200000 wakeup $codec
	same "a large recording, $codec," "$tmp/large.dat" "$tmp/script"
	[ -s "$tmp/out.1" ] || echo 'nothing was shown' >>"$tmp.why"
done

done_testing
