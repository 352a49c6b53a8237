#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --process and --cgroup: the events of tasks that belong to processes and cgroups at that time.
# processes.dat: three processes of tests/kernel/who.c, each of four threads in a cgroup; the third
# process moves from /three to /one after half of its calls.
# shellcheck disable=SC2086,SC2231 # options are lists of words
. tests/cli/lib.sh
layout=hist

set -f # globs are for hist
sample=tests/cli/processes.dat
calls="-e sys_enter_getpgid --by common_comm"

# rows ROW...: the rows of the last output, such as alpha-1=22
rows()
{
	sed -n 's/^{ common_comm: \([^ ]*\) *} hitcount: *\([0-9]*\)$/\1=\2/p' "$tmp.out" | sort >"$tmp/rows"
	printf '%s' "${1:+$(echo "$*" | tr ' ' '\n' | sort)
}" >"$tmp/want"
	checked cmp -s "$tmp/want" "$tmp/rows" || fail_file "not $*:" "$tmp/rows"
}

first='alpha-0=20 beta-0=40 gamma-0=60 delta-0=80'
second='alpha-1=22 beta-1=42 gamma-1=62 delta-1=82'
third='alpha-2=24 beta-2=44 gamma-2=64 delta-2=84'
half='alpha-2=12 beta-2=22 gamma-2=32 delta-2=42'

# selects SELECTION ROW...: in each way of counting, and after hist slim
selects()
{
	selection=$1
	shift
	for plan in order range plain; do
		# shellcheck disable=SC2086 # words
		hist report -q --plan $plan -i $sample $calls $selection
		status_is 0
		rows "$*"
	done
	# shellcheck disable=SC2086
	hist slim -q -i $sample -o "$tmp/small.dat" $calls $selection
	status_is 0
	hist report -q -i "$tmp/small.dat"
	status_is 0
	rows "$*"
	# shellcheck disable=SC2086
	hist report -q -i "$tmp/small.dat" $calls $selection
	rows "$*"
}

it 'a process by the name of its leader, with all its threads'
selects '--process alpha-1' "$second"
pid=$("$HIST" report -q --format hist -i $sample -e sys_enter_getpgid --by common_comm,common_pid | awk '$3 ~ /^alpha-0/ { print $6 }')

it 'by its id, a glob, a list, and none of them'
selects "--process $pid" "$first"
selects '--process alpha-*' "$first $second $third"
selects "--process $pid,alpha-[1]" "$first $second"
selects "--process !$pid,alpha-2" "$second"

it 'a cgroup at the time of the event'
selects '--cgroup /three' "$half"
selects '--cgroup /one' "$first $half"
selects '--cgroup one' "$first $half"
selects '--cgroup /t*' "$second $half"
selects '--cgroup /*' "$first $second $third"
selects '--cgroup /' "$first $second $third"
selects '--cgroup /three/' "$half"
selects '--cgroup /nosuch'

it 'with a name, one of them must match'
selects '--cgroup /two --comm alpha-0' "$second alpha-0=20"

it 'scheduler events that refer to such a task'
hist report -q -i $sample -e sched_waking --by comm --process alpha-1
status_is 0
stdout_has 'comm: delta-1 *} hitcount: *87$'
hist report -q -i $sample -e sched_waking -R 'hist:keys=comm if comm == "delta-1"'
stdout_has 'comm: delta-1 *} hitcount: *87$'
hist report -q -i $sample -e sched_waking --by comm --process nosuch
stdout_lacks 'hitcount: '

it 'a smaller recording contains the events of these tasks only, and has their facts'
hist slim -q -i $sample -o "$tmp/small.dat" $calls --cgroup /three
hist list -i "$tmp/small.dat"
stdout_has '^ *108  syscalls:sys_enter_getpgid$'
stdout_has '^  tasks .* complete'
hist report -q -i "$tmp/small.dat" $calls --process alpha-1
stdout_lacks 'hitcount: '
hist report -q -i "$tmp/small.dat" $calls --process alpha-2
rows "$half"

it 'results contain the selection, and those of other tasks are not added up'
hist report -q -i $sample $calls --process alpha-1 --cgroup /two --format json
stdout_has '"selection":{[^}]*"process":"alpha-1","cgroup":"/two"'
mv "$tmp.out" "$tmp/a.json"
hist report -q -i $sample $calls --process alpha-2 --format json
mv "$tmp.out" "$tmp/b.json"
hist merge "$tmp/a.json" "$tmp/b.json"
status_is 2
hist diff $calls --process alpha-1 $sample $sample
status_is 0
stdout_has '^# before .*: 208 hits'

it 'without facts of tasks, nothing is assumed'
hist report -i tests/cli/recipes/tasks.dat -e sys_enter --by common_comm --process nosuch
stderr_has 'warning: --process leaves out events of tasks whose process is not known'
hist report --strict -q -i tests/cli/recipes/tasks.dat -e sys_enter --by common_comm --cgroup /
status_is 2
stdout_lacks 'hitcount: '

it 'refuses empty texts'
hist report -i $sample $calls --process ''
status_is 2
stderr_has '--process takes names, globs or process ids'
hist report -i $sample $calls --cgroup ''
status_is 2
stderr_has '--cgroup takes a path or a glob'

done_testing
