#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist import of several inputs from one machine.
. tests/cli/lib.sh

rec=tests/golden/6.12/ring-two-cpus/trace.dat
hist report -q -i "$rec" -x 'echo 60000 > buffer_size_kb' -x 'echo 1 > events/enable' -x 'cat trace'
grep -v -e tracing_mark_write "$tmp.out" >"$tmp/whole.txt"
{
	echo '# tracer: nop'
	awk '!/^#/ && NR % 3' "$tmp/whole.txt"
} >"$tmp/a.txt"
{
	echo '# tracer: nop'
	awk '!/^#/ && !(NR % 3)' "$tmp/whole.txt"
} >"$tmp/b.txt"
hist import -q "$tmp/whole.txt" --formats "$rec" -o "$tmp/whole.dat"

# Compare $tmp/whole.dat with $1: histograms whose order is arbitrary, and the events in order.
same()
{
	for what in '-e sched_switch -R hist:keys=prev_comm,cpu:sort=prev_comm,cpu' \
		'-e sched_waking -R hist:keys=common_pid.execname,comm:sort=common_pid,comm'; do
		# shellcheck disable=SC2086 # split into words
		hist report -q -i "$tmp/whole.dat" $what
		cp "$tmp.out" "$tmp/want"
		# shellcheck disable=SC2086 # split into words
		hist report -q -i "$1" $what
		status_is 0
		stdout_is_file "$tmp/want"
	done
	for of in "$tmp/whole.dat" "$1"; do
		hist report -q -i "$of" -x 'echo 60000 > buffer_size_kb' -x 'echo 1 > events/enable' -x 'cat trace'
		grep -v '^#' "$tmp.out" | sort >"$tmp/${of##*/}.sorted"
	done
	checked cmp -s "$tmp/whole.dat.sorted" "$tmp/${1##*/}.sorted" || fail 'the events differ'
	hist dump -q -i "$1" --audit
	status_is 0
}

it 'has the same result as one input with all events'
hist import "$tmp/a.txt" "$tmp/b.txt" --formats "$rec" -o "$tmp/both.dat"
status_is 0
stderr_has '2 recordings were combined into one with [0-9]* events'
same "$tmp/both.dat"

it 'accepts recordings, too, also with other ids'
hist import -q "$tmp/a.txt" --formats "$rec" -o "$tmp/a.dat"
hist import -q "$tmp/a.txt" "$tmp/b.txt" -o "$tmp/guessed.dat"
status_is 0
hist import -q "$tmp/b.txt" --formats "$rec" -o "$tmp/b.dat"
hist import -q "$tmp/b.txt" "$tmp/a.dat" --formats "$rec" -o "$tmp/mixed.dat" -z zstd
status_is 0
same "$tmp/mixed.dat"

it 'is read by libtracecmd'
for file in both mixed whole; do
	check_reader "$tmp/$file.dat"
	status_is 0
done

it 'rejects inputs of different machines'
gunzip -c tests/import/plain.data.gz >"$tmp/plain.data"
hist import "$tmp/plain.data" "$tmp/a.txt" --formats "$rec" -o "$tmp/no.dat"
status_is 2
stderr_has 'are from different (machines or kernels|trace clocks): import them separately'
hist import "$tmp/a.txt" "$tmp/a.dat" -o "$tmp/no.dat"
status_is 2
stderr_has 'a\.txt and .*a\.dat are from different (machines or kernels|kernels: the formats of .* differ)'
holds test ! -e "$tmp/no.dat"

it 'joins a guest and its host'
hist import -q "$tmp/plain.data" -o "$tmp/plain.dat"
python3 tests/cli/add_options.py host "$tmp/plain.dat" "$tmp/host.dat" 77 vm 88 2
python3 tests/cli/add_options.py guest "$tmp/plain.dat" "$tmp/guest.dat" 88 77 0 0:5000:1:0 0:5000:1:0
hist import "$tmp/host.dat" "$tmp/guest.dat" -o "$tmp/vm.dat"
status_is 0
hist list "$tmp/vm.dat"
stdout_has 'vm_sched:sched_switch'
check_reader "$tmp/vm.dat"
status_is 0

it 'libtracecmd reads all imported files'
for name in plain stacks zstd pipe mixed; do
	gunzip -c "tests/import/$name.data.gz" >"$tmp/$name.data"
	hist import -q "$tmp/$name.data" -o "$tmp/$name.dat"
	check_reader "$tmp/$name.dat"
	status_is 0
done
tar -xzf tests/import/tracing.tar.gz -C "$tmp"
hist import -q "$tmp/tracing" -o "$tmp/tracing.dat"
check_reader "$tmp/tracing.dat"
status_is 0

it 'what is known about the recordings is known about the result'
python3 tests/cli/add_options.py any "$tmp/a.dat" "$tmp/stats.dat" 2 \
	'CPU: 0\nentries: 9\noverrun: 3\ncommit overrun: 5\ndropped events: 1000\n' \
	'CPU: 1\ncommit overrun: 0\ndropped events: 7\n' '\nBuffer: other\n\n' 'CPU: 1\ndropped events: 50\n'
python3 tests/cli/add_options.py any "$tmp/b.dat" "$tmp/caveats.dat" 0x4843 \
	'lost 20 0\nlost 30 1 of instance other\nnames 4\nsampled 9 sched:sched_switch\n'
hist import "$tmp/stats.dat" "$tmp/caveats.dat" -o "$tmp/known.dat"
status_is 0
hist report --strict -i "$tmp/known.dat" -e sched_switch -R hist:keys=common_pid --format json
status_is 2
stdout_has '"lost_events":1032,'
stdout_has '"caveats":\[{"kind":"sampled","n":9,"of":"sched:sched_switch"'
hist list -i "$tmp/known.dat"
stdout_has 'caveat  *1025 events of CPU 0 were lost'
stdout_has 'caveat  *7 events of CPU 1 were lost'
stdout_has 'caveat  *the names of tasks of 4 events are guesses'
stdout_lacks 'instance'
hist slim -q -i "$tmp/known.dat" -e sched_switch -R hist:keys=common_pid -o "$tmp/small.dat"
hist report -q -i "$tmp/small.dat" -e sched_switch -R hist:keys=common_pid --format json
stdout_has '"lost_events":1032,'

done_testing
