#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist events --format parquet: each value is that of csv, as a reader by the specification finds it
# (parquet_read.py), and, if they are in PARQUET_READERS, as DuckDB and hyparquet do: a directory in
# which `npm install @duckdb/node-api hyparquet hyparquet-compressors` was run.
# shellcheck disable=SC2086,SC2231 # options are lists of words
. tests/cli/lib.sh

samples=trace.dat-samples
switch=$samples/switch.dat
[ -f $switch ] || skip_all 'no samples'
have python3 || skip_all 'no python3'
bench=${BUILD:-build}/bench
readers=${PARQUET_READERS:-}

# same_values RECORDING DIR: by all readers
same_values()
{
	run python3 tests/cli/parquet.py "$1" "$2"
	status_is 0
	stdout_is ''
	stderr_is ''
	for reader in ${readers:+duckdb hyparquet}; do
		run python3 tests/cli/parquet.py "$1" "$2" node tests/cli/parquet.mjs $reader "$readers"
		status_is 0
		stdout_is ''
	done
}

# export RECORDING OPTION...: to $tmp/out
export_events()
{
	rm -rf "$tmp/out"
	recording=$1
	shift
	hist events -q -i "$recording" --format parquet -o "$tmp/out" "$@"
	status_is 0
	stdout_is ''
}

it 'has the values of csv: samples'
for f in $samples/*.dat; do
	export_events "$f"
	same_values "$f" "$tmp/out"
done

it 'has the values of csv: recordings of several kernels, stacks, calls, both byte orders'
for f in tests/golden/6.1/ties tests/golden/6.12/ring-two-cpus tests/golden/7.3/smp tests/cli/recipes/6.12-graph.dat \
	tests/cli/recipes/6.12-stacks.dat tests/cli/processes.dat; do
	[ -f "$f" ] || f=$f/trace.dat
	export_events "$f"
	same_values "$f" "$tmp/out"
done

it 'has the values of csv: several groups of rows, more values than a dictionary has'
"$bench/make_recording" "$tmp/large.dat" 80000 keys none
export_events "$tmp/large.dat" -j 4
same_values "$tmp/large.dat" "$tmp/out"
run python3 -c 'import sys; sys.path.insert(0, "tests/cli"); import parquet_read
for f in sys.argv[1:]: print(max(parquet_read.read(f)[2]), len(parquet_read.read(f)[2]) > 1)' "$tmp"/out/kmem.kmalloc.parquet
stdout_has '^65536 True$'

it 'has derived and synthetic events'
export_events $samples/wakeup.dat -e derived:wait -e derived:task_state
same_values $samples/wakeup.dat "$tmp/out"
export_events $samples/wakeup.dat tests/cli/wakeup_latency.script
checked [ "$(ls "$tmp/out")" = synthetic.wakeup_latency.parquet ] || fail "$(ls "$tmp/out")"

it 'the number of threads changes no byte'
export_events "$tmp/large.dat" -j 1
mv "$tmp/out" "$tmp/one"
for jobs in 2 5; do
	export_events "$tmp/large.dat" -j $jobs
	holds diff -r "$tmp/one" "$tmp/out"
done

# facts FILE: names of columns; then the first and the last row
facts()
{
	run python3 -c 'import sys; sys.path.insert(0, "tests/cli"); import parquet_read
names, rows, groups = parquet_read.read(sys.argv[1])
print(*names); print(*rows[0]); print(*rows[-1]); print(len(rows))' "$1"
}

it 'one event is a file, or goes to a pipe'
hist events -q -i $switch -e sched_switch --format parquet -o "$tmp/one.parquet"
status_is 0
run sh -c '"$HIST" events -q -i "$1" -e sched_switch --format parquet | cat >"$2"' sh $switch "$tmp/piped.parquet"
holds cmp "$tmp/one.parquet" "$tmp/piped.parquet"
facts "$tmp/one.parquet"
stdout_has '^ts cpu pid comm tgid process cgroup prev_comm prev_pid prev_prio prev_state prev_state_text next_comm next_pid next_prio$'
stdout_has '^1680$'

it 'words for numbers are in a column of their own, and can be chosen'
hist events -q -i $switch -e sched_switch -n 30 --format parquet --fields prev_state_text,ts -o "$tmp/words.parquet"
status_is 0
facts "$tmp/words.parquet"
stdout_has '^prev_state_text ts$'
stdout_has '^(R|S|D|I|R\+) [0-9]+$'
hist events -i $switch -e sched_switch --format parquet --fields prev_pid_text -o "$tmp/no.parquet"
status_is 2
stderr_has 'no event has a field prev_pid_text'

it 'labels are columns, --fields chooses others, and -n and -f limit rows'
hist events -q -i $switch -e sched_switch -f 'next_pid == 16' -n 5 --format parquet --fields ts,next_pid,event,text \
	--label host=web1 --label 'kernel=6.12 x' -o "$tmp/two.parquet"
status_is 0
facts "$tmp/two.parquet"
stdout_has '^ts next_pid event text host kernel$'
stdout_has '^[0-9]+ 16 sched:sched_switch prev_comm=.* web1 6.12 x$'
stdout_has '^5$'
hist events -i $switch -e sched_switch --format parquet --label next_pid=1 -o "$tmp/no.parquet"
status_is 2
stderr_has '--label next_pid: sched:sched_switch has a column of that name'
checked [ ! -e "$tmp/no.parquet" ] || fail 'a file remains'
hist events -i $switch --format csv --label a=b
status_is 2
hist events -i $switch --format parquet --label ab -o "$tmp/no"
status_is 2
stderr_has 'takes NAME=VALUE'

it 'an event that was chosen has a file also without rows'
export_events $switch -e sched_switch -f 'next_pid == 99999'
facts "$tmp/out/sched.sched_switch.parquet" 2>/dev/null
run python3 -c 'import sys; sys.path.insert(0, "tests/cli"); import parquet_read
print(parquet_read.read(sys.argv[1])[1])' "$tmp/out/sched.sched_switch.parquet"
stdout_is '[]'

it 'times are dates if the recording has the time of day'
"$bench/make_recording" "$tmp/dated.dat" 1000 wakeup zstd 7 2 - 0x5d21dba000000
hist events -q -i "$tmp/dated.dat" -e sched_switch --format parquet --fields ts,time -o "$tmp/dated.parquet"
status_is 0
facts "$tmp/dated.parquet"
stdout_has '^ts time$'
holds awk 'NR == 2 || NR == 3 { n++; if ($1 != $2 || substr($1, 1, 10) != 1638400001) exit 1 } END { exit n != 2 }' "$tmp.out"
hist events -q -i $switch -e sched_switch --format parquet --fields ts,time -o "$tmp/dated.parquet"
facts "$tmp/dated.parquet"
stdout_has '^ts$'

it 'refuses what it cannot do, and names what to do'
hist events -i $switch --format parquet -o "$tmp/several.parquet"
status_is 2
stderr_has 'Parquet has a file for each event, and there are [0-9]+; name a directory with -o DIR'
mkdir "$tmp/full"
: >"$tmp/full/x"
hist events -i $switch --format parquet -o "$tmp/full"
status_is 2
stderr_has 'full: not an empty directory'
hist events -i $switch --format parquet -o "$tmp/none/dir"
status_is 2
stderr_has 'No such file'
hist events -i $switch --format parquet -o $switch
status_is 2
ln -s /dev/full "$tmp/full.parquet"
hist events -i $switch -e sched_switch --format parquet -o "$tmp/full.parquet"
status_is 2
stderr_has 'No space left'

it 'a damaged recording is written as far as it goes'
head -c 40000 $switch >"$tmp/cut.dat"
rm -rf "$tmp/out"
hist events -i "$tmp/cut.dat" --format parquet -o "$tmp/out"
status_is 2
same_values "$tmp/cut.dat" "$tmp/out"

it 'a statement runs once: each cell of random numbers and texts is there'
columns=$(awk 'BEGIN { for (i = 0; i < 40; i++) printf "%siif(random() > 0, 1, %st%s) c%d", i ? ", " : "", "\047", "\047", i }')
hist sql -i trace.dat-samples/wakeup.dat "SELECT $columns, 2.5 d FROM sched_waking LIMIT 2" --format parquet -o "$tmp/random.parquet"
status_is 0
run python3 -c 'import sys; sys.path.insert(0, "tests/cli"); import parquet_read
names, rows = parquet_read.read(sys.argv[1])[:2]
print(len(names), len(rows), sum(cell is None for row in rows for cell in row), rows[0][-1])' "$tmp/random.parquet"
stdout_is '41 2 0 2.5'

done_testing
