#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: the command removes or renames the directory of the output.
. tests/record/lib.sh
layout=hist

TMPDIR="$tmp/new"
export TMPDIR
mkdir "$TMPDIR"

# recorded COMMANDS [OPTION...]: record COMMANDS, which also make 20000 system calls, to out/a.dat
recorded()
{
	commands=$1
	shift
	rm -rf "$tmp/out" "$tmp/moved" "${TMPDIR:?}"/*
	mkdir "$tmp/out"
	hist record -o "$tmp/out/a.dat" -e raw_syscalls:sys_enter "$@" sh -c "\"$load\" 10000; $commands; \"$load\" 10000"
}

# is_in FILE: the recording is in FILE, complete, and the messages name it
is_in()
{
	checked test -f "$1" || fail "there is no $1"
	stderr_has "$1"
	stderr_has "note: $1: [0-9]* events"
	cp "$tmp.err" "$tmp/said"
	hist report -q --strict -i "$1" -e sys_enter --by common_cpu
	status_is 0
	hits=$(sed -n 's/^    Hits: //p' "$tmp.out")
	[ "${hits:-0}" -ge 20000 ] || fail "only $hits hits"
	cp "$tmp/said" "$tmp.err"
}

for options in '' '-z none' '-m 10M'; do
	it "the directory is removed $options"
	# shellcheck disable=SC2086 # options
	recorded "rm -r \"$tmp/out\"" $options
	status_is 0
	is_in "$(echo "$TMPDIR"/hist.*/a.dat)"
	holds test "$(ls "$TMPDIR"/hist.*)" = a.dat
done

it 'all files in the directory are removed'
recorded "rm -r \"$tmp\"/out/*"
status_is 0
is_in "$(echo "$TMPDIR"/hist.*/a.dat)"

it 'the directory is removed, and there is no place for the file'
chmod a-w "$TMPDIR"
TMPDIR=$tmp/none recorded "rm -r \"$tmp/out\""
[ "$status" != 0 ] || fail 'there is no error'
stderr_has 'was removed while it was in use'

it 'the directory is renamed'
recorded "mv \"$tmp/out\" \"$tmp/moved\""
status_is 0
is_in "$tmp/moved/a.dat"
holds test "$(ls "$tmp/moved")" = a.dat
recorded "mv \"$tmp/out\" \"$tmp/moved\"; mkdir \"$tmp/out\""
status_is 0
is_in "$tmp/moved/a.dat"
holds test -z "$(ls "$tmp/out")"

it 'restores the machine'
machine_is_unchanged

done_testing
