#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: killed at any call while a recording is finished or recovered, it loses nothing.
. tests/record/faults.sh

it 'killed while the recording is finished'
# the sub-buffer that is between the kernel and the disk is lost; it has 60 events
each_of KILL 0 60 record_work

it 'killed while it is recovered, with events left in the kernel'
each_of KILL 0 60 recover_faulty record_killed

it 'killed while the data on the disk is recovered'
make_left
each_of KILL 0 0 recover_faulty copy_left

done_testing
