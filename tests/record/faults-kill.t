#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: killed at any call while a recording is finished or recovered, it loses nothing but the
# sub-buffer that is between the kernel and the disk, whose events are counted as lost.
. tests/record/faults.sh

it 'killed while the recording is finished'
each_of KILL 0 0 record_work

it 'killed while it is recovered, with events left in the kernel'
each_of KILL 0 0 recover_faulty record_killed

it 'nothing is missing if nothing was on its way'
record_killed
hist record --recover -o "$dat"
status_is 0
stderr_lacks 'were lost'
stderr_lacks 'may be missing'
hist list -i "$dat"
stdout_lacks caveat

it 'an event whose data has gone is lost: in the file, in results, and for --strict'
record_killed
part=$(ls -d "$dat".part.*)
cpu=$(find "$part" -name 'cpu*' -size +8k | head -n 1)
truncate -s -4096 "$cpu"
hist record --recover -o "$dat"
status_is 0
stderr_has '[0-9]* events of CPU [0-9]* were lost'
hist report --strict -i "$dat" -e raw_syscalls:sys_enter -R hist:keys=id --format json
status_is 2
stdout_has '"lost_events":[1-9]'
"$HIST" slim -q -i "$dat" -e raw_syscalls:sys_enter -R hist:keys=id -o "$tmp/slim.dat"
hist report --strict -i "$tmp/slim.dat"
status_is 2

it 'killed while the data on the disk is recovered'
make_left
each_of KILL 0 0 recover_faulty copy_left

done_testing
