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

it 'refuses a tracing directory that is named twice, under any name'
tar -xzf tests/import/tracing.tar.gz -C "$tmp"
ln -s tracing "$tmp/dir-link"
for name in tracing tracing/ dir-link; do
	hist report -i "$tmp/tracing" -i "$tmp/$name" -e sys_enter --by id
	status_is 2
	stdout_is ''
	stderr_has "tracing and .*$name are the same recording; name it only once"
	hist import "$tmp/tracing" "$tmp/$name" -o "$tmp/out.dat"
	status_is 2
	stderr_has 'are the same recording'
	holds test ! -e "$tmp/out.dat"
done

it 'an output in a directory that is an input is possible'
hist import "$tmp/tracing" -o "$tmp/tracing/out.dat"
status_is 0
hist report -i "$tmp/tracing" -e sys_enter --by id --format json -o "$tmp/tracing/out.json"
status_is 0
holds test -s "$tmp/tracing/out.json"
mkdir "$tmp/results"
cp "$tmp/tracing/out.json" "$tmp/results/1.json"
cp "$tmp/tracing/out.json" "$tmp/results/2.json"
hist trend "$tmp/results"/*.json -o "$tmp/results/trend.txt"
status_is 0
holds test -s "$tmp/results/trend.txt"
hist merge "$tmp/results"/*.json --format json -o "$tmp/results/sum.json"
status_is 0
hist import "$tmp/tracing" -o "$tmp/tracing"
status_is 2
stderr_has 'tracing: cannot write: not a regular file'

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
