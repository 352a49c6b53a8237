#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: whatever ends it, and whenever; one half of fifty times, so that each is done in time.
. tests/record/lib.sh

it 'ends at random moments leave nothing behind'
random_ends 25
machine_is_unchanged

done_testing
