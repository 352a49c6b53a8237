#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --stats: the width, order and length of the tables in the text.
. tests/cli/lib.sh

samples=trace.dat-samples

# table NAME: print the lines of the first table of statistics of NAME, from $tmp.out
table()
{
	awk -v title="# statistics of $1" 'index($0, title) == 1 {on = 1} on && /^$/ {exit} on' "$tmp.out" >"$tmp/table"
}

it 'columns are as wide as their numbers, and keys are not padded'
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats
status_is 0
table us
cat >"$tmp/want" <<'END'
# statistics of us in us
#   n  min   max    mean  stddev  p50  p90   p99  p99.9  comm
  662    9  1000   32.64   49.33   18   63   190   1000  (all)
  292    9   198   24.18   25.35   14   41   155    198  init
   88    9  1000   72.32  107.11   53  124  1000   1000  rcu_preempt
END
head -n 5 "$tmp/table" >"$tmp/first"
run diff "$tmp/want" "$tmp/first"
status_is 0

it '--sort and --top'
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats --sort p99 --top 3
status_is 0
table us
cat >"$tmp/want" <<'END'
# statistics of us in us
#   n  min   max   mean  stddev  p50  p90   p99  p99.9  comm
  662    9  1000  32.64   49.33   18   63   190   1000  (all)
   88    9  1000  72.32  107.11   53  124  1000   1000  rcu_preempt
   65   14   249  34.46   45.23   18   51   249    249  alpha-a
   76   11   158  19.54   22.17   13   28   158    158  grep
# 8 more (--top)
END
run diff "$tmp/want" "$tmp/table"
status_is 0
for column in n min max mean stddev p50 p90 p99.9; do
	hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats --sort $column
	status_is 0
	table us
	at=$(sed -n 2p "$tmp/table" | tr -s ' ' '\n' | grep -n -x -F -- $column | cut -d: -f1)
	sed 1,3d "$tmp/table" | awk -v at="$((at - 1))" '$at != "-" {print $at}' >"$tmp/column"
	holds sort -c -r -g "$tmp/column"
done

it '--sort needs a column that exists, and names the nearest'
hist report -q -i $samples/wakeup.dat wakeup-latency --sort cp
status_is 2
stderr_is '--sort:1:1: error: the histogram has no column cp; it has comm, hitcount, ns, max, pid, cpu
    cp
    ^~'
hist report -i $samples/wakeup.dat wakeup-latency --sort hitcout
stderr_has '^hist: note: nearest: hitcount$'
hist report -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats --sort p98
status_is 2
stderr_has 'the histogram has no column p98; it has comm, hitcount, us, max, pid, n, min, max, mean'
hist report -i $samples/wakeup.dat tests/cli/wakeup_latency.script --sort p99 --show 1 --format csv
status_is 2
stdout_is ''
stderr_has 'the histogram has no column p99; it has .*; statistics are of numbers: --stats with --sum FIELD'

it 'fits the terminal: the least important columns are hidden, but not the sort column'
COLUMNS=60 hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats --sort stddev
table us
holds test "$(awk '{ if (length > n) n = length } END { print n }' "$tmp/table")" -le 60
holds grep -q '^# statistics of us in us; too wide: min' "$tmp/table"
holds grep -q ' stddev ' "$tmp/table"
COLUMNS=60 hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats -o "$tmp/file"
status_is 0
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats
holds grep -q 'p99.9' "$tmp.out"

it 'an answer of a recipe fits, and keeps p99: long texts of keys are shortened before, long lines wrapped'
for of in 'leaks recipes/6.12' 'preemptions recipes/tasks' 'inversions recipes/tasks' 'irqs-off recipes/irqs' \
	'syscall-latency recipes/6.12' 'osnoise tracers/osnoise' 'kmalloc-by-site recipes/6.12'; do
	COLUMNS=80 hist report -q -i "tests/cli/${of#* }.dat" "${of% *}" --stats
	status_is 0
	holds test "$(awk '{ if (length > n) n = length } END { print n }' "$tmp.out")" -le 80
	stdout_has ' p99'
done
stdout_has '^call_site +hits +bytes_req +bytes_req p50 +bytes_req p99 +bytes_req max$'
COLUMNS=80 hist report -q -i tests/cli/recipes/irqs.dat irqs-off --stats
stdout_has '^duration: min .* p50'
stdout_has '^    [0-9a-z].* p99.9 '

it 'a number that a variable of onmax has, too, is in csv once'
hist report -q -i $samples/wakeup.dat wakeup-latency --stats --format csv
stdout_has '^comm,hitcount,ns,max,pid,cpu,saved_at,ns_n,ns_min,.*,ns_p99.9$'
hist report -q -i $samples/wakeup.dat wakeup-latency --stats --format csv --interval 100ms
stdout_has '^from,to,comm,hitcount,ns,max,pid,cpu,saved_at,ns_n,ns_min,.*,ns_p99.9$'
hist report -q -i tests/cli/tracers/osnoise.dat osnoise-samples --stats --format csv
stdout_has ',worst_p99,'

it 'pids and CPUs have no mean'
hist report -q -i $samples/wakeup.dat -e sched_switch -R 'hist:keys=next_pid,common_cpu:vals=prev_pid,next_prio' --stats
status_is 0
stdout_lacks 'statistics of .*pid'
stdout_lacks 'statistics of .*cpu'
stdout_has 'statistics of next_prio'
# nor thousands
hist report -q -i $samples/wakeup.dat -e sched_switch --by next_comm --sum next_pid --format html
stdout_has '<td class="n" data-v="46369">46369<'

it 'values with the same samples share a table'
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats
stdout_has '^# statistics of worst: the same as those of us$'
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats --format json -o "$tmp/us.json"
hist merge -q "$tmp/us.json"
stdout_has '^# statistics of worst: the same as those of us$'
hist report -q -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=call_site:vals=bytes_req,bytes_alloc' --stats
stdout_lacks 'the same as'
stdout_has '^# statistics of bytes_alloc$'
hist report -q -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=call_site:vals=bytes_req,bytes_alloc if bytes_req < 0' --stats
stdout_lacks 'the same as'

it 'a stack is printed on one line'
hist report -q -i $samples/stacks.dat $samples/stacks.script --stats --show kmalloc --top 1
table bytes_alloc
stdout_has '^  1054  .* seq_read_iter.*< seq_read\+.* < ksys_read'

# --- tables of hist diff, and wide characters ---

by_comm='hist:keys=next_comm:vals=next_prio'
hist report -q -i $samples/switch.dat -e sched_switch -R "$by_comm" --format json
sed 's/rcu_preempt/\xe6\x97\xa5\xe6\x9c\xac/' "$tmp.out" >"$tmp/wide.json"

# columns FILE: the width of the widest line that is part of a table
columns()
{
	python3 -c 'import sys, unicodedata
print(max(sum(1 + (unicodedata.east_asian_width(c) == "W") for c in l.rstrip("\n"))
	for l in open(sys.argv[1], encoding="utf-8") if l.split() and l.split()[-1] in "!~-+" or "before/s" in l))' "$1"
}

it 'a table of hist diff fits the terminal'
COLUMNS=70 hist diff -q "$tmp/wide.json" $samples/wakeup.dat -e sched_switch -R "$by_comm" --alpha 1
status_is 1
stdout_has '^\(too wide: so far'
! command -v python3 >/dev/null || holds test "$(columns "$tmp.out")" -le 70
hist diff -q "$tmp/wide.json" $samples/wakeup.dat -e sched_switch -R "$by_comm"
stdout_has 'so far'
stdout_lacks 'too wide'

it 'a sentence of hist diff fits the terminal, and has the same words'
hist diff -q -e sched_switch -R "$by_comm" --fail-on '*:next_prio.mean>+10%' $samples/switch.dat $samples/wakeup.dat --stats
sed -n '/better/,/^$/p' "$tmp.out" | tr '\n' ' ' >"$tmp/one"
COLUMNS=70 hist diff -q -e sched_switch -R "$by_comm" --fail-on '*:next_prio.mean>+10%' $samples/switch.dat $samples/wakeup.dat --stats
sed -n '/better/,/^$/p' "$tmp.out" | tr '\n' ' ' >"$tmp/wrapped"
holds cmp "$tmp/one" "$tmp/wrapped"
holds test "$(sed '/^#/d' "$tmp.out" | awk '{ if (length > n) n = length } END { print n }')" -le 70

it 'a wide character takes two columns'
wide=$(printf '\346\227\245\346\234\254')
hist diff -q --all "$tmp/wide.json" $samples/wakeup.dat -e sched_switch -R "$by_comm"
holds test "$(grep -a -m 1 "^$wide" "$tmp.out" | sed "s/$wide/1234/" | wc -m)" = "$(grep -a -m 1 '^cat ' "$tmp.out" | wc -m)"
hist merge -q "$tmp/wide.json" --format plot
holds test "$(grep -a "$wide" "$tmp.out" | sed "s/$wide.*//" | wc -c)" = "$(grep -a ' init |' "$tmp.out" | sed 's/init.*//' | wc -c)"

it 'warns that the first row of .log2 can have negative numbers'
calls=trace.dat-samples/syscalls.dat
for option in --stats '--format json' '--format plot'; do
	# shellcheck disable=SC2086 # options
	hist report --kernel 6.18 -i $calls -e sys_exit --by ret.log2 $option --strict
	status_is 2
	stderr_has 'this kernel counts negative numbers in the first row of .log2.*leave them out with the filter ret >= 0'
	# shellcheck disable=SC2086 # options
	hist report --kernel 6.18 -i $calls -e sys_exit -f 'ret >= 0' --by ret.log2 $option --strict
	status_is 0
	# shellcheck disable=SC2086 # options
	hist report --kernel 7.3 -i $calls -e sys_exit --by ret.log2 $option --strict
	status_is 0
done
hist report --kernel 6.18 -i $calls -e sys_exit --by ret.log2 --strict
status_is 0
hist diff --kernel 6.18 -e sys_exit --by ret.log2 $calls $calls
stderr_has 'this kernel counts negative numbers'

done_testing
