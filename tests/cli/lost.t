#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report, hist list: losses that are in the kernel's statistics and not in any sub-buffer.
. tests/cli/lib.sh

# The statistics are text in an option that is not compressed; change those of the first CPU.
python3 - trace.dat-samples/switch.dat "$tmp/lost.dat" <<'END'
import sys
data = open(sys.argv[1], 'rb').read()
for name, n in (b'dropped events', b'7'), (b'commit overrun', b'2'):
    assert name + b': 0\n' in data
    data = data.replace(name + b': 0\n', name + b': ' + n + b'\n', 1)
open(sys.argv[2], 'wb').write(data)
END

it 'report prints them, and --strict makes them an error'
hist report -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=common_cpu'
status_is 0
stderr_is ''
cp "$tmp.out" "$tmp/whole"
hist report -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
status_is 0
stdout_is_file "$tmp/whole"
stderr_has 'warning: .*lost.dat: CPU 0 dropped 7 events because its buffer was full'
stderr_has 'warning: .*lost.dat: CPU 0 lost 2 events .*commit overrun'
hist report --strict -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
status_is 2

it 'also in json'
hist report --format json -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
stdout_has '"lost_events":9,'

it 'only for the CPUs that are read'
hist report --strict --cpu 1 -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
status_is 0
stderr_is ''

it 'list counts them'
hist list -i "$tmp/lost.dat"
stdout_has 'CPU 0 .* 9 lost'
stdout_has 'CPU 1 .* 0 lost'

it 'an interval from one sub-buffer to the next is left out if events were dropped between them, also of a smaller recording'
python3 -B - "$tmp/all.dat" "$tmp/dropped.dat" "$tmp/overrun.dat" <<'END'
import sys
sys.path.insert(0, "tests/answers")
from machines import machine
from machines.recording import Event, Shape


def event(kind, us, pid, comm, *values):
    return Event(kind, us * 1000, 0, pid, dict(zip([f[1] for f in kind.fields], values)), 0, comm)


sh, job = ("sh", 40, 120), ("job", 50, 120)
events = [event(machine.SWITCH, 1000, 0, "swapper/0", "swapper/0", 0, 120, 0, *sh), event(machine.WAKING, 2000, 40, "sh", *job, 0), ...,
          event(machine.SWITCH, 5000, 40, "sh", *sh, 0, *job), event(machine.SWITCH, 7000, 50, "job", *job, 1, *sh)]
for path, overrun, dropped in zip(sys.argv[1:], (0, 0, 3), (0, 3, 0)):
    Shape(version=7).write(path, [machine.SWITCH, machine.WAKING], [events], [(40, "sh"), (50, "job")],
                           [f"entries: 4\noverrun: 0\ncommit overrun: {overrun}\ndropped events: {dropped}\nread events: 4\n"])
END
hist report -q -i "$tmp/all.dat" -e derived:wait --by comm --sum ns --format csv
stdout_is 'comm,hitcount,ns
job,1,3000000
sh,1,2000000'
for kind in dropped overrun; do
	hist slim -q -i "$tmp/$kind.dat" -o "$tmp/$kind-small.dat" -e derived:wait
	hist report -i "$tmp/$kind.dat" -e derived:wait --by comm --sum ns --format csv
	stdout_is 'comm,hitcount,ns
sh,1,2000000'
	stderr_has 'warning: 1 interval was left out, because it spans lost events'
	hist report -q -i "$tmp/$kind-small.dat" -e derived:wait --by comm --sum ns --format csv
	stdout_lacks '^job'
done

# feed SIZE: a histogram of latencies, whose start has room for SIZE keys
feed()
{
	cat >"$tmp/feed" <<END
echo 'slow u64 us; u32 op' >> synthetic_events
echo 'hist:keys=sector:ts=common_timestamp.usecs:size=$1' >> events/block/block_rq_issue/trigger
echo 'hist:keys=sector:us=common_timestamp.usecs-\$ts:onmatch(block.block_rq_issue).slow(\$us,nr_sector)' >> events/block/block_rq_complete/trigger
echo 'hist:keys=us.log2' >> events/synthetic/slow/trigger
echo 'hist:keys=sector' >> events/block/block_rq_complete/trigger
cat events/synthetic/slow/hist
END
	cat "$tmp/feed" >"$tmp/feed.$1"
}

work=tests/cli/recipes/work.dat
feed 128
feed 2048
it 'hits that the histogram of a start dropped are in the result of the latencies'
for format in json ndjson; do
	hist report -i $work --format $format "$tmp/feed.128"
	status_is 0
	stderr_has 'warning: block:block_rq_issue: [0-9]+ hits were dropped .*--unlimited lifts the limit'
	stdout_has '"dropped":0,"feeding_dropped":[1-9]'
	cp "$tmp.out" "$tmp/fed.$format"
	hist report -i $work --format $format "$tmp/feed.2048"
	stdout_lacks feeding_dropped
	stdout_has '"dropped":0'
	cp "$tmp.out" "$tmp/whole.$format"
	hist merge --format $format "$tmp/fed.$format"
	stdout_has '"dropped":0,"feeding_dropped":[1-9]'
	stderr_has 'synthetic:slow: [0-9]+ hits were dropped because histograms were full; --unlimited'
done
printf '%s\n' "$(sed '$d' "$tmp/feed.128")" 'cat events/block/block_rq_complete/hist' >"$tmp/alone"
hist report -i $work --format json "$tmp/alone"
grep -o '"trigger":"hist:keys=[a-z.0-9:=]*\|"totals":{[^}]*' "$tmp.out" >"$tmp/totals"
holds test "$(grep -c feeding "$tmp/totals")" = 1
holds test "$(tail -n 1 "$tmp/totals" | grep -c feeding)" = 0
hist report -i $work --format html "$tmp/feed.128"
stdout_has '[0-9]+ hits were dropped because a histogram was full'

it 'hist diff of such results is inconclusive'
hist diff "$tmp/fed.json" "$tmp/fed.ndjson"
status_is 2
stderr_has 'warning: .*fed.json: 0 events lost and [1-9][0-9]* hits dropped'
stdout_has '[1-9][0-9]* hits dropped by histograms that feed this one'
hist diff --format json "$tmp/fed.json" "$tmp/whole.json"
status_is 2
stdout_has '"dropped":0,"feeding_dropped":[1-9]'
hist diff --allow-lost 90 "$tmp/fed.json" "$tmp/fed.json"
status_is 0
hist diff "$tmp/whole.json" "$tmp/whole.ndjson"
status_is 0
hist diff -S "$tmp/feed.128" $work $work
status_is 2
sed 's/"feeding_dropped":[0-9]*/"feeding_dropped":"x"/' "$tmp/fed.json" >"$tmp/bad.json"
hist merge "$tmp/bad.json"
status_is 2

done_testing
