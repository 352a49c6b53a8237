#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist why of recordings whose intervals have known parts: pipes, locks, inversion, losses, missing ends, ...
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'

it 'the parts of all chains are the known ones'
checked python3 tests/cli/why_chains.py "$HIST" "$tmp" >"$tmp/chains" 2>&1 || fail_file 'chains:' "$tmp/chains"
holds grep -q '^[3-9][0-9] chains, 0 failed$' "$tmp/chains"

done_testing
