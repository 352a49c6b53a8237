#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Derived events in use: selections, smaller and saved recordings, plans, words that are refused.
# tests/unit/derive_test.c has the intervals themselves.
# shellcheck disable=SC2086 # words
. tests/cli/lib.sh
layout=hist

sample=trace.dat-samples/wakeup.dat
[ -f $sample ] || skip_all "no $sample"

# rows OPTION...: the rows of derived:wait by comm and kind, sorted
rows()
{
	hist report -q "$@" -e derived:wait --by comm,kind --sum ns
	status_is 0
	grep '^{' "$tmp.out" | sort >"$tmp/rows"
}

rows -i $sample
mv "$tmp/rows" "$tmp/all"

it 'waits add up to the delays that they consist of'
hist report -q -i $sample -e derived:wait --by cpu --sum ns
sum_of_rows() { awk '/^\{/ { n += $NF } END { printf "%.0f\n", n }' "$tmp.out"; }
waits=$(sum_of_rows)
hist report -q -i $sample -e derived:delay --by cpu --sum ns
holds test "$waits" -gt 0
holds test "$waits" = "$(sum_of_rows)"

it 'the sum of preemptions is the number of waits of preempted tasks, of which switches name the takers'
hist events -q -i trace.dat-samples/switch.dat -e sched_switch --fields prev_pid,prev_state,next_pid --format csv
awk -F, 'NR > 1 && $1 && $3 && int($2) % 256 == 0 { n[$1 " " $3]++ } END { for (k in n) print k, n[k] }' "$tmp.out" |
	sort >"$tmp/switches"
hist report -q -i trace.dat-samples/switch.dat -e derived:delay -f 'kind == preempted' --by victim_pid,culprit_pid --sum preemptions \
	--format csv
# of a task that was moved to another CPU, it is not known
awk -F, 'NR > 1 && $4 && $2 { print $1, $2, $4 }' "$tmp.out" | sort >"$tmp/takers"
holds test "$(wc -l <"$tmp/takers")" -gt 40
holds test "$(awk 'NR == FNR { n[$1 " " $2] = $3; next } $3 > n[$1 " " $2]' "$tmp/switches" "$tmp/takers" | wc -l)" = 0
holds test "$(comm -12 "$tmp/switches" "$tmp/takers" | wc -l)" -gt 40
hist report -q -i $sample -e derived:delay --by kind --sum preemptions --format csv
cp "$tmp.out" "$tmp/kinds"
hist report -q -i $sample -e derived:wait -f 'kind == preempted' --by kind --format csv
holds test "$(grep ^preempted "$tmp/kinds" | cut -d, -f1,3)" = "$(sed -n 2p "$tmp.out")"

it '--clip cuts intervals at both ends of a span, as switches show'
hist events -q -i trace.dat-samples/switch.dat -e sched_switch --fields ts,cpu,prev_pid --format csv
cp "$tmp.out" "$tmp/all.csv"
first=$(sed -n 2p "$tmp/all.csv" | cut -d, -f1)
for span in '100000000 120000000' '200000000 200300000' '0 90000000' '210000123 211000456'; do
	# shellcheck disable=SC2086 # two words
	set -- $span
	from=$((first + $1)) to=$((first + $2))
	hist report -q -i trace.dat-samples/switch.dat -e derived:task_state -f 'state == running' --by cpu --sum ns \
		--clip --from "$(printf '%d.%09d' $((from / 1000000000)) $((from % 1000000000)))" \
		--to "$(printf '%d.%09d' $((to / 1000000000)) $((to % 1000000000)))" --format csv
	sed 1d "$tmp.out" | cut -d, -f1,3 | sort >"$tmp/clipped"
	awk -F, -v from=$from -v to=$to '
	NR > 1 {
		begin = $2 in last ? last[$2] : '$first'
		last[$2] = $1
		begin = begin > from ? begin : from
		end = $1 < to ? $1 : to
		if ($3 && end > begin) ns[$2] += end - begin
	}
	END { for (cpu in ns) printf "%d,%.0f\n", cpu, ns[cpu] }' "$tmp/all.csv" | sort >"$tmp/want"
	holds test -s "$tmp/want"
	holds cmp "$tmp/want" "$tmp/clipped"
done
hist report -i trace.dat-samples/switch.dat -e derived:task_state --by cpu --from +0.1 --to +0.12
stderr_has 'note: [1-9][0-9]* intervals of derived events that began before --from are counted whole, [1-9][0-9]* that ended after --to are not; --clip cuts them'
hist report -i trace.dat-samples/switch.dat -e derived:delay --by cpu --from +0.1 --to +0.12 --clip
stderr_has 'warning: --clip does not cut derived:delay'
hist report -i trace.dat-samples/switch.dat -e derived:task_state --by cpu --interval 50ms --clip
status_is 2
stderr_has '--clip cuts at --from and --to, not at the slices of --interval'
hist events -i $sample -e derived:syscall --from +0.001 --to +0.1 --clip --fields ns,running_ns,waiting_ns,sleeping_ns,irq_ns,unknown_ns --format csv
holds test "$(awk -F, 'NR > 1 && $1 != $2 + $3 + $4 + $5 + $6' "$tmp.out" | wc -l)" = 0

it 'the depth of a run queue is known once the CPU is idle; at depth 0 it is idle'
hist report -i trace.dat-samples/switch.dat -e derived:runqueue -f 'depth == 0' --by cpu --sum ns --format csv
stderr_lacks 'derived:runqueue has nothing'
sed 1d "$tmp.out" | cut -d, -f1,3 | sort >"$tmp/idle"
awk -F, 'NR > 1 { if ($2 in since && !$3) ns[$2] += $1 - since[$2]; since[$2] = $1 }
	END { for (cpu in ns) printf "%d,%.0f\n", cpu, ns[cpu] }' "$tmp/all.csv" | sort >"$tmp/want"
# while a task wakes up, an idle CPU has one
holds test "$(wc -l <"$tmp/idle")" -gt 1
holds test "$(join -t , "$tmp/want" "$tmp/idle" | awk -F, '$3 > $2 || $3 < $2 * .9' | wc -l)" = 0
switched() # AT PREV STATE NEXT
{
	echo "  $2-$2 [000] d..2. 1.000$1: sched_switch: prev_comm=t$2 prev_pid=$2 prev_prio=120 prev_state=$3 ==> next_comm=t$4 next_pid=$4 next_prio=120"
}
{ switched 100 11 R 12; switched 200 12 S 11; switched 400 11 R 12; } >"$tmp/busy.txt"
hist import -q "$tmp/busy.txt" -o "$tmp/busy.dat"
hist report -i "$tmp/busy.dat" -e derived:runqueue --by cpu
stderr_has 'note: derived:runqueue has nothing of 1 CPU: how many tasks run or wait is known from the first time on at which a CPU becomes idle'

it 'a program of other rules gets the same waits, states, delays and depths, with trace-cmd'
if have trace-cmd python3; then
	checked python3 tests/cli/derived_again.py "$HIST" $sample tests/cli/recipes/6.1.dat tests/cli/recipes/7.3.dat \
		>"$tmp/again" 2>&1 || fail_file 'differs:' "$tmp/again"
	holds test "$(grep -c 'depths: [1-9]' "$tmp/again")" = 3
else
	skip 'trace-cmd or python3 is not installed'
fi

it 'all plans that can count them agree'
for plan in plain order; do
	rows -i $sample --plan=$plan
	holds cmp "$tmp/rows" "$tmp/all"
done
hist report -i $sample --plan=range -e sched_switch -R 'hist:keys=next_pid' -e derived:wait --by comm
status_is 2
stderr_has 'a derived event needs all records in time order'

it 'one thread reads, another one derives: as one thread does, also of damaged or compressed sub-buffers and cut files'
"${BUILD:-build}/bench/make_recording" "$tmp/large.dat" 60000 wakeup none 7 4
"${BUILD:-build}/bench/make_recording" "$tmp/zstd.dat" 60000 wakeup zstd 7 4
cp "$tmp/large.dat" "$tmp/damaged.dat"
for at in 300 301 450 600 601 602; do
	head -c 4096 /dev/zero | tr '\0' '\377' | dd of="$tmp/damaged.dat" bs=4096 seek=$at conv=notrunc 2>/dev/null
done
head -c 2000000 "$tmp/large.dat" >"$tmp/cut.dat"
cp "$tmp/zstd.dat" "$tmp/damaged_zstd.dat"
for at in 12000 40000 41000 300000; do
	head -c 2000 /dev/zero | tr '\0' '\377' | dd of="$tmp/damaged_zstd.dat" bs=1 seek=$at conv=notrunc 2>/dev/null
done
head -c 500000 "$tmp/zstd.dat" >"$tmp/cut_zstd.dat"
"${BUILD:-build}/bench/make_recording" "$tmp/mix.dat" 60000 mix zstd 7 4
waits='wait --by comm,kind,open --sum ns'
for file in large damaged cut zstd damaged_zstd cut_zstd mix; do
	# of mix, those that ask for the names of tasks meanwhile
	[ $file != mix ] || waits='syscall --by comm,id --sum ns'
	for question in "$waits" 'delay --by victim_comm,culprit_comm --sum ns,preemptions' 'wait --by process --sum ns' \
		'task_state --by state,next_state --sum ns --open-intervals --from +0.001'; do
		hist report -i "$tmp/$file.dat" -j 1 -e derived:$question
		stdout_has ' hitcount: '
		mv "$tmp.out" "$tmp/one"
		mv "$tmp.err" "$tmp/one.err"
		for threads in 2 3; do
			hist report -i "$tmp/$file.dat" -j $threads -e derived:$question
			stdout_is_file "$tmp/one"
			holds cmp "$tmp.err" "$tmp/one.err"
		done
		hist report -i "$tmp/$file.dat" --plan=plain -e derived:$question
		stdout_is_file "$tmp/one"
		holds cmp "$tmp.err" "$tmp/one.err"
	done
done

it '--comm and --pid select the tasks that wait'
comm=$(sed -n 's/^{ comm: \([^ ]*\) .*/\1/p' "$tmp/all" | sort | uniq -c | sort -rn | awk '{ print $2; exit }')
rows -i $sample --comm "$comm"
mv "$tmp/rows" "$tmp/comm"
hist report -q -i $sample -e derived:wait -f "comm == \"$comm\"" --by comm,kind --sum ns
grep '^{' "$tmp.out" | sort >"$tmp/rows"
holds cmp "$tmp/rows" "$tmp/comm"
holds test -s "$tmp/rows"

it '--from and --to select the intervals that end between them; --cpu those that end there'
hist report -q -i $sample --from +0.1 --to +0.2 -e derived:wait --by kind
status_is 0
stdout_has 'Hits: [1-9]'
hist report -q -i $sample --cpu 0 -e derived:wait --by cpu --sum ns
cpu0=$(sum_of_rows)
hist report -q -i $sample -e derived:wait -f 'cpu == 0' --by cpu --sum ns
holds test "$cpu0" = "$(sum_of_rows)"

it 'a smaller recording gives the same'
hist slim -q -i $sample -o "$tmp/slim.dat" -e derived:wait --by comm,kind --sum ns
rows -i "$tmp/slim.dat"
holds cmp "$tmp/rows" "$tmp/all"

it '--open-intervals adds those that are not complete, with slices, in a smaller recording, in a diff'
# states OPTION...: the rows of derived:task_state by state and whether they are complete, sorted
states()
{
	hist report -q "$@" -e derived:task_state --by state,open --sum ns
	status_is 0
	grep '^{' "$tmp.out" | sort >"$tmp/states"
}
states -i $sample
cp "$tmp/states" "$tmp/complete"
holds test "$(grep -vc "open: no " "$tmp/complete")" = 0
states -i $sample --open-intervals
mv "$tmp/states" "$tmp/open"
grep 'open: no ' "$tmp/open" >"$tmp/rows"
holds cmp "$tmp/rows" "$tmp/complete"
holds grep -q "open: start " "$tmp/open"
holds grep -q 'open: end ' "$tmp/open"
hist report -q -i $sample --open-intervals --interval 0.1 -e derived:task_state --by cpu --sum ns
sliced=$(sum_of_rows)
hist report -q -i $sample --open-intervals -e derived:task_state --by cpu --sum ns
holds test "$sliced" = "$(sum_of_rows)"
hist slim -q -i $sample -o "$tmp/states.dat" -e derived:task_state --by state,open --sum ns
states -i "$tmp/states.dat" --open-intervals
holds cmp "$tmp/states" "$tmp/open"
hist diff --open-intervals -e derived:task_state --by open $sample "$tmp/states.dat"
status_is 0
stdout_has '3 rows: 0 changed'

it '--save-events writes them as events'
cat >"$tmp/save" <<'END'
echo 1 > events/derived/wait/enable
echo 100000 > buffer_size_kb
cat trace
END
hist report -q -i $sample "$tmp/save" --save-events "$tmp/saved.dat"
status_is 0
stdout_has ': wait: pid=[0-9]+ comm=.* kind=woken ns=[0-9]+ cpu='
rows -i "$tmp/saved.dat"
holds cmp "$tmp/rows" "$tmp/all"

it 'values of counters that programs wrote'
cat >"$tmp/counters.txt" <<'END'
# tracer: nop
#
     app-10    (   10) [000] d..1   1.000100: tracing_mark_write: C|10|queue|3
     app-10    (   10) [000] d..1   1.000200: tracing_mark_write: C|10|queue|5|net
     app-11    (   10) [001] d..1   1.000300: tracing_mark_write: C|10|temp|-7
     app-11    (   10) [001] d..1   1.000400: tracing_mark_write: C|10|temp|x
     app-11    (   10) [001] d..1   1.000500: tracing_mark_write: C|10||4
     app-11    (   10) [001] d..1   1.000600: tracing_mark_write: C|x|temp| 9
     app-11    (   10) [001] d..1   1.000700: tracing_mark_write: C
     app-11    (   10) [001] d..1   1.000800: tracing_mark_write: B|10|work
     app-11    (   10) [001] d..1   1.000900: tracing_mark_write: E
     app-11    (   10) [001] d..1   1.001000: tracing_mark_write: Cool|10|temp|1
END
hist report -q -i "$tmp/counters.txt" -e derived:counter --by pid,name,track,tgid --sum value --format tsv
status_is 0
sed 1d "$tmp.out" | sort >"$tmp/rows"
printf '10\tqueue\t\t10\t1\t3\n10\tqueue\tnet\t10\t1\t5\n11\ttemp\t\t10\t1\t-7\n' >"$tmp/want"
checked cmp -s "$tmp/rows" "$tmp/want" || fail_file 'rows:' "$tmp/rows"
hist report -q -i "$tmp/counters.txt" -e derived:slice --by name
stdout_has '^\{ name: work  *\} hitcount:  *1$'

it 'objects that the kernel allocated are those of a model, freed or not, with losses'
for seed in $(seq 20); do
	python3 -B tests/cli/allocations.py "$HIST" "$tmp" "$seed" >>"$tmp/differ" 2>&1
done
checked [ ! -s "$tmp/differ" ] || fail_file 'different:' "$tmp/differ"
hist report -i "$tmp/allocations.txt" leaks
status_is 0
stdout_has '^\{ pid: +[0-9]+, comm: .* \} hitcount: +[0-9]+  bytes_alloc: +[0-9]+$'

it 'what a text does not have is named: of all derived events that take it'
"$HIST" events -q -i trace.dat-samples/wakeup.dat | sed 's/ next_prio=[0-9]*//; s/ prio=[0-9]*//' >"$tmp/no-prio.txt"
hist report -i "$tmp/no-prio.txt" inversions
status_is 0
stderr_has '^hist: note: sched:sched_switch has no field next_prio here: what derived events have of it is 0 or empty$'
stderr_has '^hist: note: sched:sched_waking has no field prio here:'
checked [ "$(grep -c 'has no field' "$tmp.err")" = 2 ] || fail 'each is named once'
for f in trace.dat-samples/*.dat tests/cli/recipes/*.dat; do
	hist report -i "$f" -e derived:wait,derived:syscall,derived:block_io,derived:irq,derived:lock_wait --by event
	stderr_lacks 'has no field'
done

it 'objects of a text, which has the names of functions, or addresses without 0x'
of_sites()
{
	cat >"$tmp/sites.txt" <<-END
		cat-7 [000] 1.000000: kmalloc: call_site=$1 ptr=00000000e9e4e0f8 bytes_req=8 bytes_alloc=8
		cat-7 [000] 1.000001: kmem_cache_alloc: call_site=$2 ptr=0000000012345678 bytes_req=4 bytes_alloc=4
		cat-7 [000] 1.000003: kfree: call_site=$1 ptr=00000000e9e4e0f8
	END
}
of_sites fput+0x4b/0x80 0x10
hist report -q -i "$tmp/sites.txt" -e derived:allocation --by call_site,ns,open --format csv
stdout_is 'call_site,ns,open,hitcount,inexact
0x10,2000,end,1,true
fput+0x4b/0x80,3000,no,1,true'
of_sites fput+0x4b/0x80 'fget+0x4b/0x80 [vfs]'
hist report -q -i "$tmp/sites.txt" leaks --show 1 --format csv
stdout_has '^fget,1,4,2000,7,cat,'
"$HIST" events -q -i trace.dat-samples/kmalloc.dat >"$tmp/kmalloc.txt"
for f in trace.dat-samples/kmalloc.dat "$tmp/kmalloc.txt"; do
	hist report -q -i "$f" leaks --show 2 --top 0 --format tsv
	cut -f 1-4 "$tmp.out" | sort >"$tmp/by-task.$(basename "$f")"
done
holds diff "$tmp/by-task.kmalloc.dat" "$tmp/by-task.kmalloc.txt"
of_sites ffffffff81012345 ffffffff81012346
hist report -i "$tmp/sites.txt" -e derived:allocation --by call_site,open --format csv
stdout_is 'call_site,call_site_text,open,hitcount,inexact
18446744071578919749,0xffffffff81012345,no,1,true
18446744071578919750,0xffffffff81012346,end,1,true'
stderr_lacks 'names of symbols'

it 'what is not freed is of the last slice of time, also if no event of it is asked for'
cat >"$tmp/alive.txt" <<'END'
cat-7 [000] 1.000000000: kmalloc: call_site=0x10 ptr=0x40 bytes_req=8 bytes_alloc=8
cat-7 [000] 1.000001000: kfree: call_site=0x10 ptr=0x80
cat-7 [000] 1.500000000: sched_wakeup: comm=dd pid=8 prio=120 target_cpu=000
END
hist report -q -i "$tmp/alive.txt" -e derived:allocation --by open --interval 0.2 --format csv
stdout_is 'from,to,open,hitcount,inexact
1.400000000,1.500000000,end,1,true'

it 'cgroups that are held back by their quota, where their paths are not known'
cat >"$tmp/quota" <<'END'
a     1 [000] 1.000000: hist:throttle_down: (tg_throttle_down+0x0/0x10) cgroup=5 on_cpu=0 ns=100 periods=1
a     1 [000] 1.000000: hist:throttle_down: (tg_throttle_down+0x0/0x10) cgroup=6 on_cpu=0 ns=0 periods=0
a     1 [001] 1.010000: hist:throttle_down: (tg_throttle_down+0x0/0x10) cgroup=5 on_cpu=1 ns=100 periods=1
a     1 [000] 1.050000: hist:throttle_up: (tg_unthrottle_up+0x0/0x10) cgroup=6 on_cpu=0 ns=0 periods=0
a     1 [000] 1.050000: hist:throttle_up: (tg_unthrottle_up+0x0/0x10) cgroup=5 on_cpu=0 ns=100 periods=1
a     1 [000] 1.060000: hist:throttle_up: (tg_unthrottle_up+0x0/0x10) cgroup=5 on_cpu=1 ns=60000100 periods=2
END
hist report -q -i "$tmp/quota" throttling --show 1 --format csv
stdout_is 'cgroup,by,hitcount,quota_ns,periods,ns,max,cpu,saved_at,inexact
cgroup 5,cgroup 5,2,60000000,1,100000000,50000000,0,1.050000000,true
cgroup 6,cgroup 6,1,0,0,50000000,50000000,0,1.050000000,true'

it 'cgroups below one whose quota was used up are held back by it, and not those beside it'
if have python3; then
	python3 -B tests/cli/throttle_write.py "$tmp/paths.dat"
	hist report -q -i "$tmp/paths.dat" throttling --show 1 --format csv
	stdout_is 'cgroup,by,hitcount,quota_ns,periods,ns,max,cpu,saved_at
/a,/a,1,50000000,1,50000000,50000000,0,1.050000000
/ab,/ab,1,50000000,1,50000000,50000000,0,1.060000000
/a/b,/a,1,0,0,50000000,50000000,0,1.050000000'
else
	skip 'python3 is not installed'
fi

it 'a quota that was used up before the recording holds back until its end; a task that ran before has its priority as it leaves the CPU'
if have python3; then
	python3 -B tests/cli/throttle_before_write.py "$tmp/before.dat"
	hist report -q -i "$tmp/before.dat" -e derived:delay --by victim_comm,culprit_comm,culprit_kind,culprit_prio,inverted --sum ns --format csv
	stdout_is 'victim_comm,culprit_comm,culprit_kind,culprit_prio,inverted,hitcount,ns
victim,"quota, deduced",quota,0,0,1,20000000
runs,other,task,120,0,1,15000000
victim,runs,task,130,1,1,7000000
other,runs,task,130,1,1,5000000
runs,victim,task,120,0,1,3000000'
else
	skip 'python3 is not installed'
fi

it 'a task that is moved to another cgroup while it waits is held back only by the new one from then on'
if have python3; then
	# delays WANT [by-task]: why which task waited
	delays()
	{
		python3 -B tests/cli/throttle_moved_write.py "$tmp/moved.dat" ${2+"$2"}
		hist report -q -i "$tmp/moved.dat" -e derived:delay --by victim_comm,reason,culprit_comm --sum ns \
			--format csv
		stdout_is "victim_comm,reason,culprit_comm,hitcount,ns
$1"
	}
	delays 'enters,throttled,/a,1,45000000
leaves,throttled,/a,1,20000000
enters,task,leaves,1,7000000
leaves,task,other,1,6000000
enters,task,other,1,5000000
leaves,throttled,/b,1,4000000'
	# kernel: since 6.18, only a task that was about to return to user space is held back
	delays 'enters,task,other,1,30000000
enters,task,leaves,1,27000000
leaves,throttled,/a,1,20000000
leaves,task,other,1,10000000' by-task
else
	skip 'python3 is not installed'
fi

it 'without probes, stacks show which tasks a quota holds back, which is called deduced'
if have python3; then
	python3 -B tests/cli/throttle_stack_write.py "$tmp/stacks.dat"
	for how in -j1 -j4 --plan=plain; do
		hist report -q $how -i "$tmp/stacks.dat" -e derived:delay --by victim_comm,reason,culprit_comm --sum ns --format csv
		stdout_is 'victim_comm,reason,culprit_comm,hitcount,ns
one,task,other,3,270000000
one,throttled,"quota, deduced",3,270000000
other,task,one,6,60000000'
	done
	hist report -q -i "$tmp/stacks.dat" -e derived:wait --by comm,reason --sum ns --format csv
	stdout_has 'one,throttled,3,270000000'
	hist events -q -i "$tmp/stacks.dat" -e derived:delay
	checked [ "$(grep -c 'reason=throttled' "$tmp.out")" = 3 ] || fail_file 'events:' "$tmp.out"
	# nothing shows it without the stacks
	hist slim -i "$tmp/stacks.dat" -e sched_switch -o "$tmp/bare.dat"
	hist report -q -i "$tmp/bare.dat" -e derived:delay --by victim_comm,reason --sum ns --format csv
	stdout_has 'one,task,6,540000000'
else
	skip 'python3 is not installed'
fi

it 'a cgroup that was there only meanwhile may have had a quota'
if have python3; then
	for path in / /old /there /made; do
		python3 -B tests/cli/throttle_stack_write.py "$tmp/made.dat" $path
		hist slim -q -i "$tmp/made.dat" -e sched_switch -o "$tmp/made-bare.dat"
		hist report -i "$tmp/made-bare.dat" -e derived:delay --by victim_comm --sum ns --format csv
		case $path in
		/made) stderr_has '0.540000 s, 90.0 % of the waits in the recording, may be throttled' ;;
		*) stderr_lacks throttled ;;
		esac
	done
else
	skip 'python3 is not installed'
fi

it 'only a task in a cgroup with a quota is deduced to be held back by one, where the journal has them'
if have python3; then
	while read -r n cgroup limited; do
		# shellcheck disable=SC2086 # none, or one
		python3 -B tests/cli/throttle_stack_write.py "$tmp/of.dat" $cgroup $limited
		hist slim -q -i "$tmp/of.dat" -e derived:delay -o "$tmp/of-slim.dat"
		for file in of of-slim; do
			hist report -q -i "$tmp/$file.dat" -e derived:delay -f 'victim_comm == "one"' --by reason --sum ns --format csv
			case $n in
			0) stdout_is 'reason,hitcount,ns
task,6,540000000' ;;
			*) stdout_is 'reason,hitcount,ns
task,3,270000000
throttled,3,270000000' ;;
			esac
		done
		hist report -i "$tmp/of.dat" -e derived:delay --by victim_comm --sum ns --format csv
		case $n in
		0) stderr_lacks throttled ;;
		*) stderr_has '45.0 % of the waits in the recording, are throttled' ;;
		esac
		hist slim -q -i "$tmp/of.dat" -e sched_switch -o "$tmp/of-bare.dat"
		hist report -i "$tmp/of-bare.dat" -e derived:delay --by victim_comm --sum ns --format csv
		case $n in
		0) stderr_lacks throttled ;;
		*) stderr_has 'may be throttled by the CPU quota' ;;
		esac
	done <<-END
		0 /old
		0 /there /old
		0 /there /the
		3 /there /there
		3 /there/in/it /there
		3 +/there /there
		0 +/there /old
		3 /there /
		3 /old /old
		3 /made
	END
else
	skip 'python3 is not installed'
fi

it 'a task that was ready waits while its cgroup is frozen, on no run queue; one that slept does not'
if have python3; then
	python3 -B tests/cli/freeze_write.py "$tmp/frozen.dat"
	# rows WANT ARG...: the rows of a question, without its header
	rows()
	{
		want=$1
		shift
		hist report -q -i "$tmp/frozen.dat" -e "$@" --format csv
		sed -i 1d "$tmp.out"
		stdout_is "$want"
	}
	rows 'busy,frozen,frozen,/ice,1,38000000
lazy,woken,task,busy,2,2000000
busy,frozen,idle,swapper,1,1000000
lazy,woken,idle,swapper,1,1000000' derived:delay --by victim_comm,kind,reason,culprit_comm --sum ns
	rows 'busy,frozen,frozen,1,39000000
lazy,woken,task,2,3000000' derived:wait --by comm,kind,reason --sum ns
	rows 'busy,running,1,39000000
lazy,woken,1,37000000' derived:task_state -f 'state == "frozen"' --by comm,next_state --sum ns
	rows '0,0,1,37000000
0,1,3,12000000
0,2,2,3000000' derived:runqueue --by cpu,depth --sum ns
	rows '/ice,9,1,40000000' derived:freeze --by cgroup,id --sum ns
	rows 'busy,/ice,1000000,1,38000000' derived:held --by comm,by,ended_ns --sum ns
	hist report -i "$tmp/frozen.dat" run-queue-wait
	stderr_has 'note: 0\.038000 s, 90\.5 % of the waits in the recording, are of tasks that were ready and whose cgroup was frozen'
	hist why -i "$tmp/frozen.dat"
	stdout_has '^ 38000\.000   97\.4     \|- frozen with its cgroup \(/ice\)$'
	hist why -i "$tmp/frozen.dat" -e derived:task_state -f 'comm == "lazy" && state == "frozen"'
	stdout_has 'frozen until sh-30 woke it'
	# two hierarchies
	python3 -B tests/cli/freeze_write.py "$tmp/frozen.dat" hybrid
	hist report -i "$tmp/frozen.dat" -e derived:wait --by kind
	stderr_has 'hierarchy 4, .*: --cgroup-hierarchy=N \(0\); tasks are known to be held back or frozen only by those'
	hist report -i "$tmp/frozen.dat" -e derived:wait --by comm,kind,reason --sum ns --format csv --cgroup-hierarchy=0
	stdout_has '^busy,frozen,frozen,1,39000000'
	stderr_lacks hierarchy
else
	skip 'python3 is not installed'
fi

it 'hist list shows which can be derived'
hist list -i $sample
stdout_has '^  derived +derived:task_state, derived:wait, derived:delay, derived:runqueue, derived:held, derived:slice, derived:counter$'
hist list -i tests/cli/recipes/gro.dat
stdout_lacks derived

it 'kernels have none; unknown ones and filters of a recording are refused'
hist report --strict-kernel -i $sample -e derived:wait --by comm
status_is 1
stderr_has 'derived:wait: kernels have no derived events'
hist check -i $sample -e derived:wait --by comm
status_is 1
stderr_has 'derived:wait: kernels have no derived events'
hist report -i $sample -e derived:waits --by comm
status_is 1
stderr_has 'derived:waits'
hist record -e derived:wait -f 'ns > 5' true
stderr_has 'made when it is reported'

it 'an event is the same beside others, also where records of all the recording are read before'
for file in tests/cli/recipes/7.3.dat tests/cli/recipes/tasks.dat trace.dat-samples/wakeup.dat; do
	for name in delay wait task_state; do
		"$HIST" events -q -i $file -e derived:$name | grep -o " $name: .*" >"$tmp/alone"
		"$HIST" events -q -i $file -e derived:$name,derived:runqueue | grep -o " $name: .*" >"$tmp/beside"
		holds diff "$tmp/alone" "$tmp/beside"
	done
done
checked [ -s "$tmp/alone" ] || fail 'no events'

it 'what they need is named'
hist report -i trace.dat-samples/kmalloc.dat -e derived:wait --by comm
stderr_has 'derived:wait needs sched:sched_switch'

it 'notes that no wakeups were recorded'
hist slim -q -i trace.dat-samples/wakeup.dat -o "$tmp/switches.dat" -e sched_switch -R hist:keys=next_pid
status_is 0
hist report -i "$tmp/switches.dat" off-cpu
status_is 0
stderr_has 'note: sched:sched_waking was not recorded: sleeps, and waits after them, are left out'
hist report -i trace.dat-samples/wakeup.dat off-cpu
stderr_lacks 'sched_waking was not recorded'

done_testing
