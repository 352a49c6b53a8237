#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An output that is also an input is refused by every verb, and the input is left as it is.
. tests/cli/lib.sh

sample=trace.dat-samples/wakeup.dat
x=$tmp/x.dat
cp $sample "$x"
ln -s x.dat "$tmp/link.dat"
ln "$x" "$tmp/second.dat"
mkdir "$tmp/dir"
by='-e sched_switch --by next_comm'

# refused OUTPUT INPUT COPY: the last command was refused, INPUT is still equal to COPY
refused()
{
	status_is 2
	stderr_has "$1: is (an input of this command|the same file as the input .*); write to another file"
	stdout_is ''
	checked cmp -s "$2" "$3" || fail "$2 was changed"
}

it 'refuses the recording, also through links and other paths'
for name in x.dat link.dat second.dat dir/../x.dat; do
	# shellcheck disable=SC2086 # options
	hist report -i "$x" $by -o "$tmp/$name"
	refused "$name" "$x" $sample
	# shellcheck disable=SC2086 # options
	hist report -i "$x" $by --save-events "$tmp/$name"
	refused "$name" "$x" $sample
	# shellcheck disable=SC2086 # options
	hist slim -i "$x" $by -o "$tmp/$name"
	refused "$name" "$x" $sample
	hist dump "$x" -o "$tmp/$name"
	refused "$name" "$x" $sample
	hist import "$x" -o "$tmp/$name"
	refused "$name" "$x" $sample
done
holds test -L "$tmp/link.dat"

it 'refuses standard input that is read from the file'
# shellcheck disable=SC2086,SC2094 # options; the same file is meant, also below
hist report -i - $by -o "$x" <"$x"
refused x.dat "$x" $sample
# shellcheck disable=SC2094
hist import - -o "$x" <"$x"
refused x.dat "$x" $sample

it 'refuses the default recording'
hist=$(realpath "$HIST")
# shellcheck disable=SC2086 # options
(cd "$tmp" && cp x.dat trace.dat && HIST=$hist && hist report $by -o trace.dat && exit "$status")
status=$?
refused trace.dat "$tmp/trace.dat" $sample

it 'refuses scripts, plugins, formats and symbols'
echo 'echo hist:keys=next_comm > events/sched/sched_switch/trigger' >"$tmp/s.script"
cp "$tmp/s.script" "$tmp/s.copy"
hist report -i $sample "$tmp/s.script" -o "$tmp/s.script"
refused s.script "$tmp/s.script" "$tmp/s.copy"
# shellcheck disable=SC2094
hist report -i $sample - -o "$tmp/s.script" <"$tmp/s.script"
refused s.script "$tmp/s.script" "$tmp/s.copy"
hist slim -i $sample "$tmp/s.script" -o "$tmp/s.script"
refused s.script "$tmp/s.script" "$tmp/s.copy"
hist diff -S "$tmp/s.script" $sample $sample -o "$tmp/s.script"
refused s.script "$tmp/s.script" "$tmp/s.copy"
gunzip -c tests/import/plain.data.gz >"$tmp/p.data"
cp "$tmp/p.data" "$tmp/p.copy"
hist import "$tmp/p.data" -o "$tmp/p.data"
refused p.data "$tmp/p.data" "$tmp/p.copy"
echo 'ffffffff81000000 T _text' >"$tmp/syms"
cp "$tmp/syms" "$tmp/syms.copy"
for option in --kallsyms --formats; do
	hist import "$tmp/p.data" $option "$tmp/syms" -o "$tmp/syms"
	refused syms "$tmp/syms" "$tmp/syms.copy"
done
hist report -q -i "$tmp/p.data" --kallsyms "$tmp/syms" -e sched_switch --by cpu -o "$tmp/syms"
refused syms "$tmp/syms" "$tmp/syms.copy"

it 'refuses saved results'
# shellcheck disable=SC2086 # options
hist report -i $sample $by --format json -o "$tmp/a.json"
cp "$tmp/a.json" "$tmp/b.json"
cp "$tmp/a.json" "$tmp/copy.json"
hist merge "$tmp/a.json" "$tmp/b.json" --format json -o "$tmp/b.json"
refused b.json "$tmp/b.json" "$tmp/copy.json"
# shellcheck disable=SC2094
hist merge - "$tmp/b.json" --format json -o "$tmp/a.json" <"$tmp/a.json"
refused a.json "$tmp/a.json" "$tmp/copy.json"
printf '%s\0' "$tmp/a.json" "$tmp/b.json" >"$tmp/list"
cp "$tmp/list" "$tmp/list.copy"
hist merge --files0-from "$tmp/list" -o "$tmp/list"
refused list "$tmp/list" "$tmp/list.copy"
hist diff "$tmp/a.json" "$tmp/b.json" -o "$tmp/a.json"
refused a.json "$tmp/a.json" "$tmp/copy.json"
hist trend "$tmp/a.json" "$tmp/b.json" -o "$tmp/b.json"
refused b.json "$tmp/b.json" "$tmp/copy.json"

it 'refuses the same file for two outputs'
ln -s "$tmp/both" "$tmp/link"
# shellcheck disable=SC2086 # options
hist report -i "$x" $by -o "$tmp/link" --save-events "$tmp/../${tmp##*/}/both"
status_is 2
stderr_has 'are the same output file; write to two files'
holds test ! -e "$tmp/both"
# shellcheck disable=SC2086 # options
hist report -i "$x" $by -o "$tmp/both" --save-events "$tmp/saved"
status_is 0

it 'still replaces other files, and writes to devices'
echo old >"$tmp/other"
# shellcheck disable=SC2086 # options
hist report -i "$x" $by -o "$tmp/other"
status_is 0
holds grep -q next_comm "$tmp/other"
for device in /dev/null /dev/stdout; do
	# shellcheck disable=SC2086 # options
	hist report -i "$x" $by -o $device </dev/null
	status_is 0
done
stdout_has next_comm
# shellcheck disable=SC2086 # options
hist report -q -i - $by -o /dev/null </dev/null
status_is 2
stderr_has 'empty'

done_testing
