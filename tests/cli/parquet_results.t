#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report and hist merge --format parquet: the columns and values of csv, as parquet.t compares
# those of events, also by DuckDB and hyparquet if they are in PARQUET_READERS.
# shellcheck disable=SC2086 # words
. tests/cli/lib.sh

switch=trace.dat-samples/switch.dat
[ -f $switch ] || skip_all 'no samples'
have python3 || skip_all 'no python3'
readers=${PARQUET_READERS:-}

# same_values CSV FILE: by all readers
same_values()
{
	run python3 tests/cli/parquet.py "$1" "$2"
	status_is 0
	stdout_is ''
	stderr_is ''
	for reader in ${readers:+duckdb hyparquet}; do
		run python3 tests/cli/parquet.py "$1" "$2" node tests/cli/parquet.mjs "$reader" "$readers"
		status_is 0
		stdout_is ''
	done
}

# same_table VERB ARG...: csv and Parquet of one table
same_table()
{
	hist "$@" -q --format csv
	status_is 0
	cp "$tmp.out" "$tmp/csv"
	hist "$@" -q --format parquet -o "$tmp/table.parquet"
	status_is 0
	stdout_is ''
	same_values "$tmp/csv" "$tmp/table.parquet"
}

it 'has the values of csv: keys, sums, names of numbers, ranges, negative numbers'
same_table report -i $switch -e sched_switch --by next_comm,prev_state --sum next_prio
same_table report -i $switch -e sched_switch --by prev_pid --top 3
same_table report -i $switch -e sched_switch -R 'hist:keys=next_prio.buckets=10,next_pid.log2:vals=prev_prio'
same_table report -i tests/cli/recipes/tasks.dat syscall-errors
same_table report -i tests/cli/recipes/tasks.dat -e sys_exit --by comm,ret
same_table report -i tests/cli/recipes/6.12-stacks.dat off-cpu-stacks
same_table report -i tests/cli/recipes/6.12.dat kmalloc-by-site

it 'has the values of csv: statistics, the largest values, saved values'
for n in 1 3; do
	same_table report -i tests/cli/recipes/tasks.dat wakeup-latency --stats --exemplars 2 --show $n
done
same_table report -i $switch -e sched_switch -R \
	'hist:keys=next_comm:prio=next_prio:onmax($prio).save(prev_comm,prev_state,prev_pid)'

it 'has the values of csv: slices of time, also with the largest rows of each'
same_table report -i $switch -e sched_switch --by next_comm --interval 100ms
same_table report -i $switch -e sched_switch --by next_comm --interval 100ms --top 2

it 'has the values of csv: more rows than a group has'
"${BUILD:-build}/bench/make_recording" "$tmp/large.dat" 80000 keys none
same_table report -i "$tmp/large.dat" -e kmalloc --by ptr
run python3 -c 'import sys; sys.path.insert(0, "tests/cli"); import parquet_read
print(len(parquet_read.read(sys.argv[1])[2]) > 1)' "$tmp/table.parquet"
stdout_has True
cp "$tmp/table.parquet" "$tmp/first.parquet"
hist report -q -j 1 -i "$tmp/large.dat" -e kmalloc --by ptr --format parquet -o "$tmp/table.parquet"
holds cmp "$tmp/first.parquet" "$tmp/table.parquet"

it 'has the values of csv: a sum of several results, with labels'
for host in a b; do
	hist report -i $switch -e sched_switch --by next_comm --format json -o "$tmp/$host.json"
	status_is 0
done
same_table merge --label host=a "$tmp/a.json" --label host=b "$tmp/b.json"

it 'several histograms are files in a directory'
# same_tables VERB ARG...: three tables
same_tables()
{
	rm -rf "$tmp/dir"
	hist "$@" --format parquet -o "$tmp/dir"
	status_is 0
	run ls "$tmp/dir"
	stdout_is 'sched.sched_switch.2.parquet
sched.sched_switch.parquet
sched.sched_waking.parquet'
	n=0
	for file in sched_switch sched_switch.2 sched_waking; do
		n=$((n + 1))
		hist "$@" --format csv --show $n
		status_is 0
		cp "$tmp.out" "$tmp/csv"
		same_values "$tmp/csv" "$tmp/dir/sched.$file.parquet"
	done
}
set -- -i $switch -e sched_switch -R hist:keys=next_comm -R hist:keys=next_pid -e sched_waking -R hist:keys=pid
same_tables report "$@"
hist report "$@" --format json -o "$tmp/three.json"
same_tables merge "$tmp/three.json"

it 'names of files stay in the directory'
sed 's|sched:sched_switch|../../x/y:z|g' "$tmp/a.json" >"$tmp/evil.json"
hist merge "$tmp/evil.json" --format parquet -o "$tmp/evil"
status_is 0
run ls -A "$tmp/evil"
stdout_is '_._.._x_y.z.parquet'

it 'refuses what it cannot do, and names what to do'
hist report "$@" --format parquet -o "$tmp/one.parquet"
status_is 0
stderr_has 'note: parquet shows the first table of the answer, --show N another one: '
checked [ -s "$tmp/one.parquet" ] || fail 'no file'
hist report "$@" --format parquet -o "$tmp/dir"
status_is 2
stderr_has 'dir: not an empty directory'
ln -s /dev/full "$tmp/full.parquet"
hist report -i $switch -e sched_switch --by next_comm --format parquet -o "$tmp/full.parquet"
status_is 2
stderr_has 'No space left'
hist report -i $switch -e sched_switch --by next_com --format parquet -o "$tmp/rejected.parquet"
status_is 1
checked [ ! -e "$tmp/rejected.parquet" ] || fail 'a file remains'

done_testing
