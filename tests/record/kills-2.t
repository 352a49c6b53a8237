#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record ended by any signal at any time, fifty times in two halves, so that each takes less
# time.
. tests/record/lib.sh

it 'nothing is left behind, whenever a recording ends'
random_ends 25
machine_is_unchanged

done_testing
