#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist list --live: the events of this machine.
. tests/record/lib.sh

it 'lists the events of this machine'
TMPDIR=$tmp hist list --live
status_is 0
stderr_is ''
stdout_has '^this machine: '
stdout_has 'sched:sched_switch'
checked [ -z "$(ls -d "$tmp"/hist.* 2>/dev/null)" ] || fail 'left its file'

it 'prints their fields'
hist list --live -e
stdout_has 'next_comm'

it 'prints nothing else'
hist list --live trace.dat-samples/switch.dat
status_is 2
stderr_has 'lists the events of this machine'

machine_is_unchanged
done_testing
