#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# README.md: its commands print the output shown, and its references exist.
. tests/cli/lib.sh
. tests/house/examples.sh

root=$PWD
install_wrapper

it 'refers to files that exist'
# shellcheck disable=SC2013 # split into words
for file in $(sed -n 's/](/\n(/gp' README.md | sed -n 's/^(\([^):]*\)).*/\1/p'); do
	checked [ -e "$file" ] || fail "no $file"
done

it 'lists every page of the manual'
for page in man/*.[1357]; do
	checked grep -q "($page)" README.md || fail "no $page"
done

it 'mentions only existing make targets'
# shellcheck disable=SC2013 # split into words
for target in $(grep -o '\<make [a-z]\+' README.md | sed 's/make //' | sort -u); do
	checked grep -qE "^[a-z .()\$:%=-]*\<$target\>.*:" Makefile || fail "no target $target"
done

it 'ARCHITECTURE.md lists every folder, and only existing files'
for dir in src/*/; do
	name=${dir#src/}
	checked grep -q "^| [\`]${name%/}[\`]" ARCHITECTURE.md || fail "no word on $dir"
done
grep -hoE '[`](src|tests|plugins|examples)/[a-z0-9_/.*-]*[`]' ARCHITECTURE.md CONTRIBUTING.md | tr -d '`' |
	while read -r file; do
		# shellcheck disable=SC2086 # a pattern
		checked ls $file >/dev/null 2>&1 || fail "no $file"
	done

it 'make demo runs all announced steps, and ends with a histogram'
run .ci/demo "$HIST"
status_is 0
stderr_is ''
stdout_has '^ +[0-9]+  sched:sched_switch$'
stdout_has '^\{ next_comm: init +\} hitcount: +322$'
stdout_has "Sort field must be a key or a val"
stdout_has '^verdict: different$'
stdout_has '^\{ lat: ~ 2\^4  \} hitcount: +282  hitcount: #+$'
holds test "$(tail -n 1 "$tmp.out")" = '    Dropped: 0'

try_examples README.md

done_testing
