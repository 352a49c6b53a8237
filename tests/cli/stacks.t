#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernel stacks as keys and variables: as deep as in the kernel, or as recorded.
. tests/cli/lib.sh

sample=trace.dat-samples/stacks.dat
[ -f $sample ] || skip_all "no $sample"
have jq || skip_all 'no jq'

# frames: count the frames of all hits, from json
frames()
{
	jq -s '[.[].data[] | .val.hitcount * (.key | to_entries[0].value | length)] | add' "$tmp.out"
}

by_stack='hist:keys=common_stacktrace'
"$HIST" report -q -i $sample -x 'echo 100000 > buffer_size_kb; echo 1 > options/stacktrace; echo 1 > events/enable; cat trace' |
	awk '/: <stack trace>/ { stacks++ } /^ => / { frames++ } END { print frames - 2 * stacks }' >"$tmp/trace"

it 'stacks have at most 16 frames, and a warning lists hits with more'
hist report -i $sample -e sched_process_fork -R "$by_stack" -e kmalloc -R "$by_stack" --format json
status_is 0
stderr_has 'warning: 4 hits have a kernel stack of more than 16 frames; .* as in the kernel; --unlimited keeps them'
holds test "$(frames)" -lt "$(cat "$tmp/trace")"
holds test "$(jq -s '[.[].data[].key[] | length] | max' "$tmp.out")" = 16

it 'the rules of Linux 7 allow more, so nothing is cut'
hist report -i $sample --kernel 7.3 -e sched_process_fork -R "$by_stack" -e kmalloc -R "$by_stack" --format json
stderr_lacks 'more than'
holds test "$(frames)" = "$(cat "$tmp/trace")"

it 'with --unlimited, each stack has all the frames that trace shows'
hist report -i $sample --unlimited -e sched_process_fork -R "$by_stack" -e kmalloc -R "$by_stack" --format json
status_is 0
stderr_lacks 'more than 16'
holds test "$(frames)" = "$(cat "$tmp/trace")"

it 'a stack as a parameter may have more inner frames in the kernel; one in a variable or a field has not'
synth="echo 's1 unsigned long[] st' >> synthetic_events; echo 's2 unsigned long[] st' >> synthetic_events"
hist report --strict -i $sample --kernel 7.3 -x "$synth" -e kmalloc -R 'hist:keys=common_pid:onmatch(kmem.kmalloc).trace(s1,common_stacktrace)'
status_is 2
stderr_has '^-R:1: warning: a stack as a parameter of an action may have more inner frames'
hist report -i $sample --kernel 7.3 -x "$synth" -e kmalloc -R 'hist:keys=common_pid:x=common_stacktrace:onmatch(kmem.kmalloc).trace(s1,$x)' \
	-e s1 -R 'hist:keys=common_pid:onmatch(synthetic.s1).trace(s2,st)'
status_is 0
stderr_lacks 'inner frames'

it 'the first variable of a trigger may be a hidden one without a field'
hist report -i $sample -x "echo 's3 unsigned int cpu' >> synthetic_events" -e kmalloc -R 'hist:keys=common_pid:onmatch(kmem.kmalloc).trace(s3,common_cpu)'
status_is 0

it 'also stacks that a variable passes to a synthetic event, for any number of threads'
cat >"$tmp/deep" <<'E'
echo 'deep unsigned long[] st; u64 n' >> synthetic_events
echo 'hist:keys=common_pid:st=common_stacktrace:n=bytes_req:onmatch(kmem.kmalloc).deep($st,$n)' >> events/kmem/kmalloc/trigger
echo 'hist:keys=st.stacktrace:vals=n' >> events/synthetic/deep/trigger
cat events/synthetic/deep/hist
E
hist report -q -i $sample --unlimited -e kmalloc -R "$by_stack" --format json
want=$(frames)
for j in 1 3; do
	hist report -q -i $sample --unlimited -j $j "$tmp/deep" --format json
	status_is 0
	holds test "$(frames)" = "$want"
done

it 'in flame graphs, the outermost frame of each stack is its root'
hist report -q -i $sample -e kmalloc -R "$by_stack" --plugin "${BUILD:-build}/plugins/folded.so" --format folded
cp "$tmp.out" "$tmp/cut"
hist report -q -i $sample --unlimited -e kmalloc -R "$by_stack" --plugin "${BUILD:-build}/plugins/folded.so" --format folded
status_is 0
holds test "$(awk -F';' 'NF > 16' "$tmp/cut" | wc -l)" = 0
holds test "$(awk -F';' 'NF > 16' "$tmp.out" | wc -l)" -gt 0
hist report -q -i $sample --unlimited -e kmalloc -R "$by_stack" --format svg
status_is 0
stdout_has '<svg'

done_testing
