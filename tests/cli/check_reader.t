#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Our reader and libtracecmd's return the same records; where they differ, the offsets are those of hist dump.
. tests/cli/lib.sh

dat=$tmp/a.dat
"$BUILD/bench/make_recording" "$dat" 200 mix none 7 1

# Offset of the first sub-buffer in the file, and of its sixth record in the sub-buffer.
hist dump -i "$dat"
page=$(sed -n 's/^CPU 0, sub-buffer 0 at \(0x[0-9a-f]*\):.*/\1/p' "$tmp.out")
record=$(sed -n 's/^  \(0x[0-9a-f]*\) record .*/\1/p' "$tmp.out" | sed -n 6p)

# put HEX OFFSET: change one byte in a copy of the recording
put()
{
	cp "$dat" "$tmp/b.dat"
	# shellcheck disable=SC2059 # the byte is an escape
	printf "\\$(printf %o "$1")" | dd of="$tmp/b.dat" bs=1 seek=$(($2)) conv=notrunc 2>/dev/null
}

it 'counts identical records'
check_reader "$dat"
status_is 0
stdout_is "$dat: 200 records, 0 different"

# Our reader skips the rest of a sub-buffer if a record does not fit into it; libtracecmd continues
# after the record.
it 'shows the offset of a record whose length differs'
put 28 "$page + $record"
check_reader "$tmp/b.dat"
status_is 1
second=$(printf '0x%x' $((page + 0x1010)))
behind=$(printf '0x%x' $((page + record + 4 + 28 * 4)))
stdout_has "^CPU 0, record 6, at $second \\(libtracecmd: at $behind\\): length: ours [0-9]+, libtracecmd's -?[0-9]+\$"
stdout_has 'b.dat: [0-9]* records, [0-9]* different$'

it 'shows the byte that differs'
put 100 "$page + 8"
check_reader "$tmp/b.dat"
status_is 1
stdout_has "^CPU 0, record [0-9]*, at 0x.*: byte [1-9][0-9]*: ours 0x[0-9a-f][0-9a-f], libtracecmd's 0x[0-9a-f][0-9a-f]\$"

done_testing
