#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who: --by comm, task, process, cgroup, cmdline, tgid, and the same of pids of an event, with a
# journal of tasks that is written here; an independent count by pid and time is the reference.
# shellcheck disable=SC2086,SC2231 # options are lists of words
. tests/cli/lib.sh
layout=hist

sample=tests/cli/recipes/tasks.dat

# without the names that hist slim stores, which are as certain as a journal
hist report -q -i $sample -x 'echo 1 > events/sched/sched_switch/enable' -x 'echo 1 > events/raw_syscalls/sys_enter/enable' \
	--save-events "$tmp/slim.dat"
status_is 0
hist report -q -i "$tmp/slim.dat" -x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
# TIME NEXT_PID of each event, in ns
sed -n 's/.* \([0-9]*\)\.\([0-9]*\): sched_switch: .* next_pid=\([0-9]*\) .*/\1\2000 \3/p' "$tmp.out" >"$tmp/next"

# The journal: a process of threads, one of which is a process of its own from the middle on.
middle=$(awk '$2 == 18029 && ++n == 20 { printf "%.0f", $1 + 1500 }' "$tmp/next")
cat >"$tmp/journal" <<END
tasks 1
begin 1
is 18012 18012 1 5 sh
in 18012 0 /user.slice/shell
args 18012 sh\\\\000-c\\\\000all
is 18024 18024 18012 5 work
is 18025 18024 18012 6 thr-0
is 18026 18024 18012 6 thr-1
is 18027 18024 18012 6 thr-2
is 18029 18024 18012 6 thr-3
in 18024 0 /system.slice/work.service/inner
args 18024 work\\\\000a\\\\040b
scanned 2
moved 2355720000000 18024 0 /moved
exit $middle 18029 thr-3
new $middle 18029 18012 0 sh
name $middle 18029 sh late
exec $middle 18029 18029 /usr/bin/late
end 99999999999999
END
python3 tests/cli/add_options.py any "$tmp/slim.dat" "$tmp/who.dat" 0x4854 "$(cat "$tmp/journal")
" || fail 'cannot add the journal'
# count CONDITION: number of next pids for which awk's condition on ts and pid holds
count()
{
	awk -v middle=$middle "{ ts = \$1; pid = \$2 } $1 { n++ } END { print n + 0 }" "$tmp/next"
}

# row_is TEXT CONDITION: the row has so many hits, which are not 0
row_is()
{
	want=$(count "$2")
	[ "$want" -gt 0 ] || fail "no event with $2"
	stdout_has "next_pid: $1 *\\} hitcount: *$want\$"
}

in_work='(pid >= 18024 && pid <= 18027 || pid == 18029 && ts <= middle)'

it 'hist list names what the journal has'
hist list -i "$tmp/who.dat"
stdout_has '^  tasks  *7 tasks, complete$'

it 'a process is the name and pid of the leader; a pid that is used again is another task'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.process
status_is 0
row_is work-18024 "$in_work"
row_is late-18029 'pid == 18029 && ts > middle'
row_is sh-18012 'pid == 18012'
stdout_lacks 'thr-'

it 'a task is its own name and pid'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.task
row_is thr-3-18029 'pid == 18029 && ts <= middle'
row_is late-18029 'pid == 18029 && ts > middle'

it 'a cgroup changes for all threads of a process, and a child has that of its parent'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.cgroup
row_is /moved "$in_work && ts > 2355720000000"
row_is /system.slice/work.service/inner "$in_work && ts <= 2355720000000"
row_is /user.slice/shell 'pid == 18012 || pid == 18029 && ts > middle'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.cgroup --cgroup-depth 1
row_is /system.slice "$in_work && ts <= 2355720000000"
row_is /user.slice 'pid == 18012 || pid == 18029 && ts > middle'

it 'a command line is known at the start; later, the path of the program'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.cmdline
row_is 'work a b' "$in_work"
row_is 'sh -c all' 'pid == 18012'
row_is /usr/bin/late 'pid == 18029 && ts > middle'

it 'the process is a number, too'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.tgid
row_is ' *18024' "$in_work"
hist report -q -i "$tmp/who.dat" -e sched_switch --by common_cpu -f 'next_pid.tgid == 18024'
stdout_has "^    Hits: $(count "$in_work")\$"

it 'a task that the journal does not know has no process, and that is counted'
hist report -i "$tmp/who.dat" -e sched_switch --by next_pid.process
unknown=$(count 'pid != 0 && pid != 18012 && !(pid >= 18024 && pid <= 18027) && pid != 18029')
stderr_has "the process or cgroup of the tasks of $unknown events is not known"
stdout_has 'next_pid: \? \(thread 17973\) *\} hitcount:'

it 'a result contains that, and who adds it up is warned'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.process --format json
stdout_has "\"caveats\":\[{\"kind\":\"tasks\",\"n\":$unknown,"
mv "$tmp.out" "$tmp/1.json"
cp "$tmp/1.json" "$tmp/2.json"
hist merge "$tmp/1.json" "$tmp/2.json"
stderr_has "the process or cgroup of the tasks of $((2 * unknown)) events is not known"
hist diff "$tmp/1.json" "$tmp/2.json"
stdout_has 'inconclusive'
hist report -q --strict -i "$tmp/who.dat" -e sched_switch --by next_pid.process
status_is 2
hist report -q --strict -i "$tmp/who.dat" -e sched_switch --by next_pid
status_is 0

it 'a later task with the same name and id is another row'
sed "s/ late\$/ thr-3/; /^exec/d" "$tmp/journal" >"$tmp/again"
python3 tests/cli/add_options.py any "$tmp/slim.dat" "$tmp/again.dat" 0x4854 "$(cat "$tmp/again")
" || fail 'cannot add the journal'
hist report -q -i "$tmp/again.dat" -e sched_switch --by next_pid.task
row_is thr-3-18029 'pid == 18029 && ts <= middle'
row_is 'thr-3-18029 \(2\)' 'pid == 18029 && ts > middle'
cp "$tmp.out" "$tmp/want"
for plan in plain order; do
	hist report -q --plan=$plan -i "$tmp/again.dat" -e sched_switch --by next_pid.task
	stdout_is_file "$tmp/want"
done
hist slim -q -i "$tmp/again.dat" -o "$tmp/small.dat" -e sched_switch --by next_pid.task
hist report -q -i "$tmp/small.dat" -e sched_switch --by next_pid.task
# rows of as many hits are in the order of the numbers of their texts, of which a smaller recording has fewer
sort "$tmp/want" >"$tmp/want_sorted"
sort "$tmp.out" >"$tmp/sorted"
holds cmp "$tmp/want_sorted" "$tmp/sorted"
hist report -q -i "$tmp/again.dat" -e sched_switch --by next_pid.process --process 18029
row_is 'thr-3-18029 \(2\)' 'pid == 18029 && ts > middle'

it 'in filters'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.process -f 'next_pid.process ~ "work-*" && next_pid.cgroup == "/moved"'
stdout_has '^    Entries: 1$'
row_is work-18024 "$in_work && ts > 2355720000000"
hist report -q -i "$tmp/who.dat" -e sys_enter -R 'hist:keys=common_process if common_cgroup ~ "*.slice*" || common_tgid == 18024'
status_is 0
stdout_has 'common_process: work-18024 '

it 'each plan counts the same'
for keys in comm task process cgroup cmdline tgid process,cgroup next_pid.process next_pid.cgroup,prev_pid.task next_pid.tgid; do
	for options in '' '--stats' '--interval 0.01' '--cgroup-depth 1'; do
		for plan in plain order range; do
			# shellcheck disable=SC2086 # options are words
			hist report -q -j 3 $options --plan=$plan --format json -i "$tmp/who.dat" \
				-e sched_switch --by "$keys" -f 'prev_pid.cgroup != "/moved"'
			status_is 0
			[ $plan = plain ] && cp "$tmp.out" "$tmp/plain"
			checked cmp -s "$tmp/plain" "$tmp.out" || fail "$keys $options: $plan differs"
		done
	done
done

it 'results contain texts: merge, diff, formats'
hist report -q --format json -i "$tmp/who.dat" -e sched_switch --by next_pid.process
stdout_has '"next_pid.process":"work-18024"'
cp "$tmp.out" "$tmp/a.json"
cp "$tmp/a.json" "$tmp/b.json"
hist merge "$tmp/a.json" "$tmp/b.json"
status_is 0
stdout_has "next_pid.process: work-18024 *\\} hitcount: *$((2 * $(count "$in_work")))\$"
hist diff --all "$tmp/a.json" "$tmp/b.json"
stdout_has 'work-18024'
hist report -q --format csv -i "$tmp/who.dat" -e sched_switch --by next_pid.process
stdout_has "^work-18024,$(count "$in_work")"
hist report -q --format html -i "$tmp/who.dat" -e sched_switch --by next_pid.process
stdout_has 'work-18024'

it 'slim keeps who the tasks were'
hist report -q -i "$tmp/who.dat" -e sched_switch --by next_pid.process,next_pid.cgroup,comm
cp "$tmp.out" "$tmp/want"
hist slim -q -i "$tmp/who.dat" -o "$tmp/small.dat" -e sched_switch --by next_pid.process,next_pid.cgroup,comm
status_is 0
hist report -q -i "$tmp/small.dat" -e sched_switch --by next_pid.process,next_pid.cgroup,comm
stdout_is_file "$tmp/want"
hist report -q -i $sample -e sched_switch --by next_pid.process
cp "$tmp.out" "$tmp/want"
hist slim -q -i $sample -o "$tmp/small.dat" -e sched_switch --by next_pid.process
hist report -q -i "$tmp/small.dat" -e sched_switch --by next_pid.process
stdout_is_file "$tmp/want"

it 'columns of SQL can be tasks: they are the pid, and its text is the key'
hist report -q -i "$tmp/who.dat" --sql 'SELECT next_pid.process FROM sched_switch'
status_is 0
row_is work-18024 "$in_work"
cp "$tmp.out" "$tmp/sql"
hist report -q -i "$tmp/who.dat" --sql 'select sched_switch.next_pid.process as p from sched_switch'
stdout_is_file "$tmp/sql"
join='(end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS us FROM sched_switch AS start JOIN sched_switch AS end ON start.next_pid = end.prev_pid'
hist report -q -i "$tmp/who.dat" --sql "SELECT end.prev_pid AS p, $join" --by p.cgroup
status_is 0
sed 1,4d "$tmp.out" >"$tmp/join"
holds grep -q inner "$tmp/join"
hist report -q -i "$tmp/who.dat" --sql "SELECT end.prev_pid.cgroup AS p, $join"
holds eval 'sed 1,4d "$tmp.out" | cmp - "$tmp/join"'
hist report -q -i "$tmp/who.dat" --sql "SELECT end.prev_pid.cgroup AS p, $join" --by p
holds eval 'sed 1,4d "$tmp.out" | cmp - "$tmp/join"'

it 'the value of a --sql can be added up by cgroup'
hist report -q -i "$tmp/who.dat" --sql "SELECT end.prev_pid.cgroup AS p, $join" --by p --sum us --format csv
status_is 0
mv "$tmp.out" "$tmp/sums"
hist report -q -i "$tmp/who.dat" --sql "SELECT end.prev_pid.cgroup AS p, $join" --by p,us --format csv
awk -F, 'FNR > 1 && NR == FNR { sum[$1] = $3; n++ } NR != FNR && FNR > 1 { sum[$1] -= $2 * $3 }
	END { for (p in sum) bad += sum[p] != 0; exit !n || bad }' "$tmp/sums" "$tmp.out" || fail_file 'other sums:' "$tmp/sums"

it 'a recipe can be grouped: its filter stays, only the answer is shown'
hist report -q -i $sample wakeup-latency --by comm --sum ns
status_is 0
holds test "$(grep -c '^# event histogram' "$tmp.out")" = 1
grouped=$(sed -n 's/^    Hits: //p' "$tmp.out")
sed '/^# trigger info/d' "$tmp.out" >"$tmp/summed"
hist report -q -i $sample wakeup-latency
holds test "$grouped" = "$(sed -n 's/^    Hits: //p' "$tmp.out" | head -1)"
hist report -q -i $sample wakeup-latency --by comm
stdout_has '^	max: +3572996  pid: +18012  cpu: +0$'
sed '/^# trigger info/d; /^	max: /d' "$tmp.out" >"$tmp/by"
holds cmp "$tmp/summed" "$tmp/by" # what the recipe adds up
hist report -q -i $sample wakeup-latency -D min=100 --by ns.log2
stdout_lacks 'ns: +[0-9]+$'
few=$(sed -n 's/^    Hits: //p' "$tmp.out")
holds test "$few" -gt 0
holds test "$few" -lt "$grouped"
hist report -q -i "$tmp/who.dat" preemptions --by victim_pid.process
status_is 0
stdout_has 'victim_pid: work-18024 '
holds test "$(grep -c '^# event histogram' "$tmp.out")" = 1
echo 'cat trace' >"$tmp/none"
hist report -i $sample "$tmp/none" --by comm
stderr_has 'prints no histogram of an event that --by could group'
hist report $sample -x 'cat trace' --by comm
status_is 2
stderr_has 'need an -e EVENT [(]-e all: any[)], a --sql or a recipe'

it 'extensions are noted in triggers, and refused with --strict-kernel'
hist report -i "$tmp/who.dat" -e sched_switch -R 'hist:keys=common_process'
status_is 0
stderr_has 'of tasks are an extension'
hist report -i "$tmp/who.dat" -e sched_switch -R 'hist:keys=next_pid if common_tgid == 1'
stderr_has 'of tasks are an extension'
hist report -i "$tmp/who.dat" -e sched_switch --by process
stderr_lacks 'extension'
for keys in common_process next_pid.process 'next_pid if common_cgroup == "/"' 'next_pid if next_pid.tgid == 1'; do
	hist report --strict-kernel -i "$tmp/who.dat" -e sched_switch -R "hist:keys=$keys"
	status_is 1
done
hist report --strict-kernel -i "$tmp/who.dat" -e sched_switch --by process
status_is 1
stderr_has 'no kernel has it'
hist report -i "$tmp/who.dat" -e sched_switch --by next_pid.proces
stderr_has 'known modifiers: .*; of pids .task .process .tgid .cgroup .cmdline'

it 'texts are not values, and only pids have tasks'
hist report -i "$tmp/who.dat" -e sched_switch -R 'hist:keys=next_pid:p=common_process'
status_is 1
stderr_has 'can be keys and in filters, but not values'
hist report -i "$tmp/who.dat" -e sched_switch -R 'hist:keys=next_comm.process'
status_is 1
stderr_has 'next_comm is not the pid of a task'
hist report -i "$tmp/who.dat" -e sched_switch -R 'hist:keys=next_pid if common_cgroup == 1'
status_is 1
it 'a host with both versions of cgroups: the hierarchy is named, and can be chosen'
sed 's|^in \(180[0-9]*\) 0 \(.*\)|&\nin \1 4 /v1\2|; s|^moved \([0-9]*\) 18024 0 \(.*\)|&\nmoved \1 18024 4 /v1\2|' "$tmp/journal" >"$tmp/both"
python3 tests/cli/add_options.py any "$tmp/slim.dat" "$tmp/both.dat" 0x4854 "$(cat "$tmp/both")
" || fail 'cannot add the journal'
note='cgroups are those of hierarchy 0, the unified one, as /proc/self/cgroup numbers them; others have cgroups, too: --cgroup-hierarchy=N \(4\)'
hist report -i "$tmp/both.dat" -e sched_switch --by next_pid --cgroup '/v1*'
stderr_has "$note"
stdout_has '^    Hits: 0$'
hist report -q -i "$tmp/both.dat" -e sched_switch --by next_pid --cgroup /user.slice
cp "$tmp.out" "$tmp/want"
holds grep -q 'Hits: [1-9]' "$tmp/want"
hist report -i "$tmp/both.dat" -e sched_switch --by next_pid --cgroup /v1/user.slice --cgroup-hierarchy=4
stderr_has 'cgroups are those of hierarchy 4, as .*--cgroup-hierarchy=N \(0\)'
sed 's|/v1/user|/user|g' "$tmp.out" >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"
for plan in plain order; do
	hist report -q --plan=$plan -i "$tmp/both.dat" -e sched_switch --by next_pid.cgroup --cgroup-hierarchy=4
	stdout_has 'next_pid: /v1/user.slice/shell '
	stdout_lacks 'next_pid: /user'
done
hist report -q -i "$tmp/both.dat" -e sched_switch --by next_pid.cgroup --cgroup-hierarchy=0
stdout_has 'next_pid: /user.slice/shell '
# version 2 has the root only, as on hosts where systemd uses version 1
grep -v '^\(in\|moved [0-9]*\) [0-9]* 0 ' "$tmp/both" >"$tmp/one"
python3 tests/cli/add_options.py any "$tmp/slim.dat" "$tmp/one.dat" 0x4854 "$(cat "$tmp/one")
" || fail 'cannot add the journal'
hist report -q -i "$tmp/one.dat" -e sched_switch --by next_pid --cgroup /v1/user.slice
holds grep -q 'Hits: [1-9]' "$tmp.out"
hist report -i "$tmp/one.dat" -e sched_switch --by next_pid --cgroup-hierarchy=v2
status_is 2
stderr_has "\-\-cgroup-hierarchy takes a number of /proc/self/cgroup, or 0 for version 2, not 'v2'"

done_testing
