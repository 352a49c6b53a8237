#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2086 # a list of words
# Every command that hist prints can be typed, and answers about what it stands beside.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
samples=trace.dat-samples
[ -f $samples/wakeup.dat ] || skip_all "no $samples"

recordings="$samples/wakeup.dat $samples/syscalls.dat tests/cli/recipes/power.dat"
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || recordings=tests/cli/recipes/power.dat

it 'commands of lists, pages of all recipes, exemplars, notes and hints'
long_run python3 -B tests/answers/commands.py "$HIST" $recordings
status_is 0
stdout_has '^[0-9]+ commands, 0 wrong$'

done_testing
