#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist diff and hist trend compare runs of known distributions: tests/answers/verdicts.py has them.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'the same programs many times'

it 'numbers of comparisons and series are those of their runs; like runs are seldom different, and changes are found'
long_run python3 -B tests/answers/verdicts.py "$HIST" "$tmp" 5
status_is 0

it 'a false alarm in each comparison is noticed'
printf '#!/bin/sh\n"$HIST" "$@"\nexit 1\n' >"$tmp/wrong"
chmod +x "$tmp/wrong"
long_run python3 -B tests/answers/verdicts.py "$tmp/wrong" "$tmp" 3
status_is 1
stdout_has '^\| 4 against 4, alike \| 3 \| 3 \| 0 \| more than 1.0 is wrong$'

done_testing
