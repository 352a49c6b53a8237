#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: from any call on all fail, or Ctrl-C twice, and nothing is lost.
. tests/record/faults.sh

for kind in EMFILE ENOSPC; do
	it "$kind from some call on while it finishes"
	each_of $kind 1 0 record_work

	it "$kind from some call on while it recovers, with events left in the kernel"
	each_of $kind 1 0 recover_faulty record_killed
done

it 'Ctrl-C, twice, while it finishes'
each_of INT 0 0 record_work

it 'Ctrl-C, twice, while it recovers, with events left in the kernel'
each_of INT 0 0 recover_faulty record_killed

done_testing
