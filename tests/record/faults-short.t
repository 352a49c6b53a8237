#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: any one call that is interrupted or moves half of the bytes, or is denied memory, while it finishes
# or recovers, and nothing is lost.
. tests/record/faults.sh

for kind in EINTR SHORT ENOMEM; do
	it "$kind while it finishes"
	each_of $kind 0 0 record_work

	it "$kind while it recovers, with events left in the kernel"
	each_of $kind 0 0 recover_faulty record_killed
done

it 'while it recovers what is on the disk'
make_left
for kind in EINTR SHORT ENOMEM; do
	each_of $kind 0 0 recover_faulty copy_left
done

done_testing
