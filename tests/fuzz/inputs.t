#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The stored inputs of the fuzz targets, without libFuzzer: the property of the target holds for each.
. tests/cli/lib.sh

for source in tests/fuzz/*_fuzz.c; do
	name=${source##*/}
	name=${name%_fuzz.c}
	it "$name"
	# shellcheck disable=SC2086 # a command and its options
	run ${HIST_VALGRIND:-} "$BUILD/tests/inputs/$name" "tests/fuzz/$name"/*
	status_is 0
	[ "$status" = 0 ] || fail "the last input: $(tail -n 1 "$tmp.out")"
done

done_testing
