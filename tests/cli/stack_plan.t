#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Stacks as keys are counted by all threads, with the answer of the replay in order.
. tests/cli/lib.sh

samples=trace.dat-samples

stacks_same()
{
	for plan in order range; do
		hist report -j 3 --plan=$plan -i $samples/stacks.dat "$@"
		cp "$tmp.out" "$tmp/$plan"
		cp "$tmp.err" "$tmp/$plan.err"
	done
	holds test -s "$tmp/range"
	holds cmp -s "$tmp/order" "$tmp/range"
	holds cmp -s "$tmp/order.err" "$tmp/range.err"
}

it 'stacks as keys, with values and filters'
stacks_same $samples/stacks.script
stacks_same -e kmalloc -R 'hist:keys=common_stacktrace,common_cpu:vals=bytes_req if bytes_alloc > 64'
stacks_same --unlimited -e kmalloc -R 'hist:keys=common_stacktrace' --interval 10ms

it 'with the name of the task of the first hit: in order'
hist report --explain -i $samples/stacks.dat -e kmalloc -R 'hist:keys=common_pid.execname,common_stacktrace'
stderr_has 'in time order'

it 'is explained'
hist report --explain -j 3 -i $samples/stacks.dat -e kmalloc -R 'hist:keys=common_stacktrace'
stderr_has 'by ranges of sub-buffers, 3 threads'

done_testing
