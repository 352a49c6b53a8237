#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The output of report: where it goes, and its state after an error.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"
good='echo hist:keys=next_comm >> events/sched/sched_switch/trigger'
bad='echo hist:keys=nosuch >> events/sched/sched_switch/trigger'

hist report -i $sample -x "$good"
cp "$tmp.out" "$tmp/want"

it 'writes a file with the same bytes as standard output'
mkdir "$tmp/d"
hist report -i $sample -x "$good" -o "$tmp/d/out"
status_is 0
stdout_is ''
holds cmp "$tmp/d/out" "$tmp/want"
holds test "$(ls "$tmp/d")" = out
hist report -i $sample -x "$good" -o -
stdout_is_file "$tmp/want"

it 'gives the file the mode of any new file, or of the file that it replaces'
touch "$tmp/d/other"
holds test "$(stat -c %a "$tmp/d/out")" = "$(stat -c %a "$tmp/d/other")"
chmod 640 "$tmp/d/other"
hist report -i $sample -x "$good" -o "$tmp/d/other"
holds test "$(stat -c %a "$tmp/d/other")" = 640

it 'replaces the target of a symbolic link'
echo old >"$tmp/d/old"
ln -s old "$tmp/d/link"
hist report -i $sample -x "$good" -o "$tmp/d/link"
status_is 0
holds test -L "$tmp/d/link"
holds cmp "$tmp/d/old" "$tmp/want"

it 'does not touch the old file if a line is rejected'
echo old >"$tmp/d/out"
hist report -i $sample -x "$bad" -o "$tmp/d/out"
status_is 1
holds test "$(cat "$tmp/d/out")" = old
holds test "$(find "$tmp/d" -name '*out*' | wc -l)" = 1
hist report -i $sample -x "$bad" -o "$tmp/d/none"
status_is 1
holds test ! -e "$tmp/d/none"

it 'creates the directories of a file where only the user can write'
hist report -i $sample -x "$good" -o "$tmp/new/dir/out"
status_is 0
holds test -s "$tmp/new/dir/out"

it 'reports why a file cannot be written'
mkdir "$tmp/others"
chmod 777 "$tmp/others"
hist report -i $sample -x "$good" -o "$tmp/others/none/out"
status_is 2
stdout_is ''
stderr_has 'none/out: cannot create: No such file'
hist report -i $sample -x "$good" -o "$tmp/d"
status_is 2
stderr_has 'Is a directory'
hist report -i $sample -x "$good" -o ''
status_is 2
stderr_has "'' is not the name of a file"

it 'reports that the size of files is limited'
run sh -c 'ulimit -f 1; exec "$HIST" dump -o "$2" -i "$1"' sh $sample "$tmp/d/limited"
status_is 2
stderr_has '^hist: error: .*limited: File too large'
holds test ! -e "$tmp/d/limited"
holds test "$(find "$tmp/d" -name 'limited*' | wc -l)" = 0

it 'reports a full disk'
if [ -w /dev/full ]; then
	hist report -i $sample -x "$good" -o /dev/full
	status_is 2
	stderr_has '/dev/full: No space left'
	run sh -c '"$HIST" report -i "$1" -x "$2" >/dev/full' sh $sample "$good"
	status_is 2
	stderr_has '^hist: error: standard output: No space left'
	holds test "$(wc -l <"$tmp.err")" = 1
	run sh -c '"$HIST" list "$1" >/dev/full' sh $sample
	status_is 2
	stderr_has 'standard output: No space left'
else
	skip 'no /dev/full'
fi

it 'ends without a message if the reader closes the pipe'
run sh -c '{ "$HIST" report -i "$1" -x "$2" -x "cat available_events events/sched/sched_switch/format"; } | :' sh $sample "$good"
stderr_is ''

it 'does not overwrite a recording'
cp $sample "$tmp/d/mine.dat"
hist report -i "$tmp/d/mine.dat" -x "$good" >&-
holds cmp $sample "$tmp/d/mine.dat"

it 'writes a tracing directory'
hist report -i $sample -x "$good" --tracefs "$tmp/tracing"
status_is 0
holds cmp "$tmp/tracing/events/sched/sched_switch/hist" "$tmp/want"
holds test -f "$tmp/tracing/events/sched/sched_switch/trigger"
mkdir "$tmp/empty"
hist report -i $sample -x "$good" --tracefs "$tmp/empty"
status_is 0
holds cmp "$tmp/empty/events/sched/sched_switch/hist" "$tmp/want"

it 'does not write to a directory with other contents'
hist report -i $sample -x "$good" --tracefs "$tmp/tracing"
status_is 2
stderr_has 'tracing: not an empty directory'

it 'prints the same with any number of threads'
for jobs in 1 2 7; do
	hist report -j $jobs -i $sample -x "$good"
	status_is 0
	stdout_is_file "$tmp/want"
done

it 'limits the replay to CPUs and to a span of time'
hist report -i $sample -x "$good" --cpu 0
status_is 0
hist report -i $sample -x "$good" --cpu 4095
status_is 2
stderr_has 'no CPU 4095'
hist report -i $sample -x "$good" --from +0
status_is 0
stdout_is_file "$tmp/want"
hist report -i $sample -x "$good" --to +0
status_is 0
hist report -i $sample -x "$good" --from +999999
status_is 2
stderr_has "the selected time is outside: the recording is from"
for option in --cpu=x --cpu=1- --from=x --to=+ --to= --cpu=; do
	hist report -i $sample -x "$good" $option
	status_is 2
	stdout_is ''
	stderr_has '^hist: error: '
done
for version in x '' 6 6. .1 -6.1 6.1x; do
	hist report -i $sample -x "$good" --kernel="$version"
	status_is 2
	stderr_has 'takes recording, exact, or a version such as 6.1'
done
hist report -i $sample -x "$good" --kernel=6.1
status_is 0
hist report -i $sample -x "$good" -B nosuch
status_is 2
stderr_has 'nosuch'

done_testing
