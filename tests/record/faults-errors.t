#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: any single call fails while a recording is finished or recovered, and nothing is
# lost.
. tests/record/faults.sh

for kind in EIO EMFILE ENOSPC; do
	it "$kind while the recording is finished"
	each_of $kind 0 0 record_work

	it "$kind while it is recovered, with events left in the kernel"
	each_of $kind 0 0 recover_faulty record_killed
done

it 'while the data on the disk is recovered'
make_left
for kind in EIO EMFILE ENOSPC; do
	each_of $kind 0 0 recover_faulty copy_left
done

done_testing
