#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A recording that is named twice is refused; recordings of different machines cause a warning.
. tests/cli/lib.sh

x=$tmp/x.dat
cp trace.dat-samples/switch.dat "$x"
ln -s x.dat "$tmp/link.dat"
by='-e sched_switch --by next_comm'

it 'refuses a recording that is named twice, under any name'
for name in x.dat link.dat; do
	for verb in report check slim; do
		out=
		[ $verb != slim ] || out="-o $tmp/out.dat"
		# shellcheck disable=SC2086 # options
		hist $verb -i "$x" -i "$tmp/$name" $by $out
		status_is 2
		stdout_is ''
		stderr_has "x.dat and .*$name are the same recording; name it only once"
	done
	hist dump "$x" "$tmp/$name"
	status_is 2
	hist import "$x" "$tmp/$name" -o "$tmp/out.dat"
	status_is 2
	stderr_has 'are the same recording'
	holds test ! -e "$tmp/out.dat"
done
# shellcheck disable=SC2086 # options
# shellcheck disable=SC2094 # the input is only read
hist report -i "$x" -i - $by <"$x"
status_is 2
stderr_has 'x.dat and standard input are the same recording'

it 'list, which lists each, and diff, which compares them, accept it'
hist list "$x" "$tmp/link.dat"
status_is 0
# shellcheck disable=SC2086 # options
hist diff $by "$x" "$x"
status_is 0

it 'warns about different numbers of CPUs'
# shellcheck disable=SC2086 # options
hist report -i "$x" -i trace.dat-samples/syscalls.dat $by
status_is 0
stderr_has 'warning: .*x.dat is from a machine with 4 CPUs, .*syscalls.dat from one with 1: '
cp "$x" "$tmp/other.dat"
# shellcheck disable=SC2086 # options
hist report -i "$x" -i "$tmp/other.dat" $by
status_is 0
stderr_lacks 'from a machine with'

done_testing
