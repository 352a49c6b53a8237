#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Rules: questions count exactly, triggers as the recording's kernel; --kernel chooses for all. What
# is true is recomputed from the text of the events.
. tests/cli/lib.sh
layout=hist

sample=trace.dat-samples/syscalls.dat
[ -f $sample ] || skip_all 'no trace.dat-samples'
renames=tests/golden/7.3/bitmask-list/trace.dat
big=$tmp/big.dat
"${BUILD:-build}/bench/make_recording" "$big" 60000

# rows ARG...: lines of csv without the header, sorted
rows()
{
	hist report -q --format csv "$@"
	status_is 0
	tail -n +2 "$tmp.out" | tr -d '\r' | sort >"$tmp/rows"
}

it 'a script with a comment like the head of a recipe, but without a question, is one of triggers'
printf '# switches: by whom\necho hist:keys=next_comm >> events/sched/sched_switch/trigger\n' >"$tmp/by.script"
hist report -q -i trace.dat-samples/switch.dat "$tmp/by.script" --format json
stdout_has '"limits":"kernel"'
sed 's/whom/whom?/' "$tmp/by.script" >"$tmp/asks.script"
hist report -q -i trace.dat-samples/switch.dat "$tmp/asks.script" --format json
stdout_has '"rules":"exact"'
hist report -q -i trace.dat-samples/stacks.dat trace.dat-samples/stacks.script --show kmalloc --format json
stdout_lacks '"rules":"exact"'

it 'nothing is dropped: as many rows as there are keys, and each hit in one'
hist report -q -i "$big" -e kmalloc -x 'echo 100000 > buffer_size_kb' -x 'cat trace'
sed -n 's/.* bytes_req=\([0-9]*\).*/\1/p' "$tmp.out" | sort | uniq -c | awk '{ print $2 "," $1 }' | sort >"$tmp/want"
rows -i "$big" -e kmalloc --by bytes_req
holds diff "$tmp/want" "$tmp/rows"
rows -i "$big" -e kmalloc --by bytes_req,common_pid,common_cpu,call_site.hex,ptr
hist list -i "$big"
events=$(awk '$2 == "kmem:kmalloc" { print $1 }' "$tmp.out")
holds [ "$(awk -F, '{ sum += $NF } END { print sum }' "$tmp/rows")" = "$events" ]
holds [ "$(wc -l <"$tmp/rows")" -gt 2048 ]
hist report -q -i "$big" -e kmalloc --by ptr --kernel=recording
stdout_has '^    Dropped: [1-9]'
hist report -i "$big" -e kmalloc --by ptr
stdout_has '^    Dropped: 0$'
stderr_is ''

it 'rows that need more memory than --memory permits are an error'
"${BUILD:-build}/bench/make_recording" "$tmp/bigger.dat" 300000
for plan in auto order range plain; do
	hist report -i "$tmp/bigger.dat" -e kmalloc --by bytes_req,common_pid,call_site,common_timestamp --plan=$plan -j 2 --memory 4M
	status_is 2
	stdout_is ''
	stderr_has 'kmem:kmalloc: 4 MB of memory are not enough for more than [0-9]+ rows: permit more with --memory, or count less \(-f FILTER, --from and --to, keys with fewer values\)$'
done
hist report -i "$big" -e kmalloc --by call_site,common_timestamp --memory 500M
status_is 0
hist report -i "$big" -e kmalloc --by ptr --memory 10x
status_is 2
stderr_has 'memory takes a size such as 500M or 4G'

it 'texts are equal if they read equal, whatever follows their NUL'
rows -i $renames -e task_rename --by newcomm --kernel=recording
holds [ "$(wc -l <"$tmp/rows")" = 21 ]
rows -i $renames -e task_rename --by newcomm
holds [ "$(wc -l <"$tmp/rows")" = 8 ]
holds [ "$(cut -d, -f1 "$tmp/rows" | sort -u | wc -l)" = 8 ]

it 'a key with .sym is a symbol, not an address'
rows -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site.sym --sum bytes_alloc --kernel=recording
awk -F, '{ n[$2] += $3; sum[$2] += $4 } END { for (s in n) print s "," n[s] "," sum[s] }' "$tmp/rows" |
	sort >"$tmp/want"
holds [ "$(wc -l <"$tmp/rows")" -gt "$(wc -l <"$tmp/want")" ]
for plan in auto plain order range; do
	rows -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site.sym --sum bytes_alloc --plan=$plan -j 2
	cut -d, -f2- "$tmp/rows" | sort >"$tmp/got"
	holds diff "$tmp/want" "$tmp/got"
done

it 'labels have no faults'
hist report -q -i $renames -e task_rename --by common_cpu
stdout_has '^# trigger info: hist:keys=common_cpu:'
hist report -q -i $renames -e task_rename -R hist:keys=common_cpu
stdout_has '^# trigger info: hist:keys=common_cpucommon_cpu:'

it 'rows that compare equal are in the order of their keys'
hist report -q -i "$big" -e sys_enter --by common_cpu,common_pid:sort=common_cpu --format csv
tail -n +2 "$tmp.out" | tr -d '\r' >"$tmp/got"
holds sort -t, -k1n -k2n -c "$tmp/got"

it 'a trigger counts as its kernel, unless --kernel=exact'
hist report -q -i $renames -e task_rename -R hist:keys=newcomm
cp "$tmp.out" "$tmp/trigger"
hist report -q -i $renames -e task_rename -R hist:keys=newcomm --kernel=recording
stdout_is_file "$tmp/trigger"
hist report -q -i $renames -e task_rename --by newcomm:sort=hitcount --kernel=recording
stdout_is_file "$tmp/trigger"
hist report -q -i $renames -e task_rename --by newcomm:sort=hitcount
cp "$tmp.out" "$tmp/exact"
hist report -q -i $renames -e task_rename -R hist:keys=newcomm --kernel=exact
stdout_is_file "$tmp/exact"
hist report -i $renames --kernel=tidy -e task_rename --by newcomm
status_is 2
stderr_has 'takes recording, exact, or a version'

it 'a result names its rules, and results of other rules are not added to it'
hist report -q -i $renames -e task_rename --by newcomm:sort=hitcount --format json -o "$tmp/exact.json"
hist report -q -i $renames -e task_rename -R hist:keys=newcomm --format json -o "$tmp/kernel.json"
holds grep -q '"limits":"none","rules":"exact"' "$tmp/exact.json"
holds grep -q '"limits":"kernel","lost' "$tmp/kernel.json"
cp "$tmp/exact.json" "$tmp/again.json"
hist merge --format json "$tmp/exact.json" "$tmp/again.json"
status_is 0
stdout_has '"rules":"exact"'
hist merge "$tmp/exact.json" "$tmp/kernel.json"
status_is 2
stderr_has 'only the first was counted by the exact rules, .*--kernel=recording or --kernel=exact'
hist merge "$tmp/kernel.json" "$tmp/exact.json"
stderr_has 'only the second was counted by the exact rules'

it 'a stored script remembers what was a question'
hist slim -q -i $renames -o "$tmp/slim.dat" -e task_rename --by newcomm:sort=hitcount
hist report -q -i "$tmp/slim.dat"
stdout_is_file "$tmp/exact"
hist diff -q "$tmp/exact.json" "$tmp/slim.dat"
status_is 0

it 'names of numbers are in results, and in stored scripts: the same table comes out later'
off=tests/cli/recipes/6.12.dat
for recipe in off-cpu packet-drops; do
	hist report -q -i $off $recipe
	cp "$tmp.out" "$tmp/table"
	hist report -q -i $off $recipe --format json -o "$tmp/off.json"
	hist slim -q -i $off -o "$tmp/off.dat" $recipe
	hist report -q -i "$tmp/off.dat"
	stdout_is_file "$tmp/table"
	hist report -q -i "$tmp/off.dat" --format json
	grep -o '"data":.*' "$tmp.out" >"$tmp/later"
	grep -o '"data":.*' "$tmp/off.json" >"$tmp/first"
	holds cmp "$tmp/first" "$tmp/later"
done
holds grep -q 'reason: QUEUE_PURGE  *\[ 91\]' "$tmp/table"
hist merge --format csv "$tmp/off.json"
stdout_has ',reason,reason_text,'
hist report -q -i $off -e sched_switch --by prev_state:sort=prev_state
cp "$tmp.out" "$tmp/table"
hist slim -q -i $off -o "$tmp/states.dat" -e sched_switch --by prev_state:sort=prev_state
hist report -q -i "$tmp/states.dat"
stdout_is_file "$tmp/table"
stdout_has 'prev_state: S +\[  1\]'

it 'only the answer is printed: not the histograms that it needs'
hist report -q -i tests/cli/recipes/7.3.dat slab-churn
holds [ "$(grep -c '^# trigger info' "$tmp.out")" = 2 ]
stdout_lacks 'keys=ptr'
hist report -q -i tests/cli/recipes/7.3.dat slab-churn --show 2 --format csv
stdout_has '^name,'
hist report -q -i tests/cli/recipes/7.3.dat slab-churn --show 3
status_is 2
stderr_has 'the script prints 2 histograms'
hist report -q -i tests/cli/recipes/7.3.dat slab-churn --interval 100s
stdout_lacks 'keys=ptr'
hist slim -q -i tests/cli/recipes/7.3.dat -o "$tmp/churn.dat" slab-churn
hist report -q -i "$tmp/churn.dat"
holds [ "$(grep -c '^# trigger info' "$tmp.out")" = 2 ]
grep -v '^#' share/hist/recipes/slab-churn.hist >"$tmp/triggers"
hist report -q -i tests/cli/recipes/7.3.dat "$tmp/triggers"
stdout_has '^# trigger info: hist:keys=ptr:'

done_testing
