#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# derived:irq and derived:syscall in use; tests/unit/derive_syscall_test.c has the intervals themselves.
# shellcheck disable=SC2086,SC2231 # options are lists of words
. tests/cli/lib.sh
layout=hist

sample=trace.dat-samples/syscalls.dat
tasks=tests/cli/recipes/tasks.dat
irqs=tests/cli/recipes/6.12.dat
[ -f $sample ] || skip_all "no $sample"

# rows OPTION...: the rows of a histogram, sorted
rows() { hist report -q "$@" && status_is 0 && grep '^{' "$tmp.out" | sort >"$tmp/rows"; }

it 'the parts of system calls add up'
hist report -q --unlimited -i $tasks -e derived:syscall --by name,unknown_ns --sum ns,running_ns,waiting_ns,sleeping_ns,irq_ns
holds test "$(grep -c '^{' "$tmp.out")" -gt 20
awk '/^\{/ { gsub(/[{}:,]/, " "); for (i = 1; i < NF; i++) v[$i] = $(i + 1)
	if (v["ns"] != v["running_ns"] + v["waiting_ns"] + v["sleeping_ns"] + v["irq_ns"] || v["unknown_ns"]) print }' "$tmp.out" >"$tmp/bad"
holds test ! -s "$tmp/bad"

it 'what is missing for the parts is noted, and what a deriver needs is named'
hist report -i $sample -e derived:syscall --by name --sum ns,unknown_ns
stderr_has 'sched:sched_switch was not recorded, so what derived:syscall contains from it is unknown or 0'
hist report -i trace.dat-samples/wakeup.dat -e derived:syscall --by name
stderr_has 'derived:syscall needs raw_syscalls:sys_e'
hist report -i $sample -e derived:irq --by name
stderr_has 'derived:irq needs irq:irq_handler_entry'

it 'names, results and numbers are fields; single events do for raw_syscalls'
hist report -q -i $sample -e derived:syscall -R 'hist:keys=id.syscall,name if ret == -2'
stdout_has 'id: sys_openat +\[257\], name: openat '
hist report -q -i $irqs -e derived:irq -f 'kind == "softirq"' --by name
stdout_has 'name: NET_RX '

it 'all plans agree, and a smaller recording gives the same'
for of in "$sample derived:syscall name,ret" "$tasks derived:syscall name,comm" "$irqs derived:irq kind,name,comm" \
	'trace.dat-samples/wakeup.dat derived:delay victim_comm,culprit_comm,kind,culprit_kind' \
	'trace.dat-samples/wakeup.dat derived:wait prio,comm,kind,cpu,migrated'; do
	set -- $of
	rows -i "$1" -e "$2" --by "$3" --sum ns
	holds test -s "$tmp/rows"
	mv "$tmp/rows" "$tmp/all"
	rows -i "$1" --plan=plain -e "$2" --by "$3" --sum ns
	holds cmp "$tmp/rows" "$tmp/all"
	hist slim -q -i "$1" -o "$tmp/slim.dat" -e "$2" --by "$3" --sum ns
	rows -i "$tmp/slim.dat" -e "$2" --by "$3" --sum ns
	holds cmp "$tmp/rows" "$tmp/all"
done

it 'random schedules: all parts of calls, and interrupts in interrupts, are as they were made'
if have python3; then
	PYTHONPATH=tests/cli checked python3 tests/cli/derived_calls.py "$HIST" "$tmp" 6 >"$tmp/model" 2>&1 || fail "$(cat "$tmp/model")"
else
	skip 'python3 is not installed'
fi

it 'hist list shows that they can be derived'
hist list -i $sample
stdout_has '^  derived .*derived:syscall'
stdout_lacks 'derived:irq'
hist list -i $irqs
stdout_has '^  derived .*derived:irq.*derived:syscall'

it '--save-events writes them, --stats and --exemplars count them'
cat >"$tmp/save" <<'END'
echo 1 > events/derived/irq/enable
echo 1 > events/derived/syscall/enable
echo 100000 > buffer_size_kb
cat trace
END
hist report -q -i $irqs "$tmp/save" --save-events "$tmp/saved.dat"
stdout_has ': syscall: pid=[0-9]+ comm=.* id=[0-9]+ name=read ret='
rows -i $irqs -e derived:irq --by kind,name,comm --sum ns
mv "$tmp/rows" "$tmp/all"
rows -i "$tmp/saved.dat" -e derived:irq --by kind,name,comm --sum ns
holds cmp "$tmp/rows" "$tmp/all"
hist report -q -i $sample -e derived:syscall --by name --sum ns --stats --exemplars 1
status_is 0

done_testing
