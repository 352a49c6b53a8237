#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: killed at any call while it finishes or recovers, it loses nothing.
. tests/record/faults.sh

it 'killed while it finishes'
# the sub-buffer that is on its way from the kernel to the disk dies with it; it has 60 events
each_of KILL 0 60 record_work

it 'killed while it recovers, with events left in the kernel'
each_of KILL 0 60 recover_faulty record_killed

it 'killed while it recovers what is on the disk'
make_left
each_of KILL 0 0 recover_faulty copy_left

done_testing
