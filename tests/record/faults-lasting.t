#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: all calls fail from some call on, or Ctrl-C is pressed twice, and nothing is lost.
. tests/record/faults.sh

for kind in EIO READDIR EMFILE ENOSPC; do
	it "$kind from some call on while the recording is finished"
	each_of $kind 1 0 record_work

	it "$kind from some call on while it is recovered, with events left in the kernel"
	each_of $kind 1 0 recover_faulty record_killed
done

it 'Ctrl-C, twice, while the recording is finished'
each_of INT 0 0 record_work

it 'Ctrl-C, twice, while it is recovered, with events left in the kernel'
each_of INT 0 0 recover_faulty record_killed

done_testing
