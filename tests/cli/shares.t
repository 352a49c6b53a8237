#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Parts of a whole as columns: .share, .cpu, .mean; the recipe scheduler; heat maps of time. Each percentage is computed
# again from the numbers of csv.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat

it '.share is a percentage of the rows that are equal in all keys but the last'
hist report -q -i $sample -e derived:task_state --by comm,state --sum ns --top 0 --format csv
status_is 0
awk -F, 'NR > 1 { sum[$1] += $4; ns[$1 "," $2] = $4 }
	END { for (k in ns) { split(k, of, ","); printf "%s,%.2f %%\n", k, ns[k] / sum[of[1]] * 100 } }' \
	"$tmp.out" | sort >"$tmp/right"
hist report -q -i $sample -e derived:task_state --by comm,state --sum ns.share --top 0
status_is 0
awk '/%$/ { print $1 "," $2 "," $4 " %" }' "$tmp.out" | sort >"$tmp/got"
holds test -s "$tmp/got"
checked cmp -s "$tmp/right" "$tmp/got" || fail_file 'shares differ:' "$tmp/got"
hist report -q -i $sample -e derived:wait --by reason --sum ns.share,ns.percent
status_is 0
stdout_has '^task +[0-9]+ +([0-9.]+ %) +\1$'

it 'a table for programs has the number once, json the column'
hist report -q -i $sample on-cpu --top 1 --format csv
stdout_has '^comm,hitcount,ns,max,pid,cpu,saved_at$'
hist report -q -i $sample -e derived:task_state --by comm,state --sum ns.share --top 1 --format tsv
stdout_has '^comm	state	hitcount	ns$'
hist report -q -i $sample -e sched_switch --by next_comm --sum hitcount.percent,next_prio --top 1 --format csv
stdout_has '^next_comm,hitcount,next_prio$'
hist report -q -i $sample on-cpu --stats --top 1 --format csv
stdout_has '^comm,hitcount,ns,max,pid,cpu,saved_at,ns_n,'
stdout_lacks '#'
for format in prometheus openmetrics; do
	hist report -q -i $sample on-cpu --stats --format $format
	status_is 0
	stdout_has 'task_state_(ns|seconds)\{'
	stdout_has 'quantile="0.99"'
	stdout_lacks 'ns_2'
done
hist report -q -i $sample on-cpu --top 1 --format json
stdout_has '"name":"ns#2","type":"number","signed":false,"modifier":"cpu"'

it 'a page has the same percentages and means'
hist report -q -i $sample -e derived:task_state --by comm,state --sum ns.share --top 0 --format html
sed -n 's|.*<tr><td class="k t">\([^<]*\)</td><td class="k t">\([^<]*\)</td>.*<td class="n" data-v="[0-9]*">\([0-9.]* %\)<.*|\1,\2,\3|p' \
	"$tmp.out" | sort >"$tmp/got"
holds test -s "$tmp/got"
checked cmp -s "$tmp/right" "$tmp/got" || fail_file 'shares differ:' "$tmp/got"
hist report -q -i $sample -e derived:runqueue --by cpu --sum ns,depth_ns.mean --format html
stdout_has '<th class="n">mean depth</th>'
stdout_has '<td class="n" data-v="[0-9]{9,}">[0-9]\.[0-9][0-9]</td>'

it '.cpu is a percentage of the time of the recording'
hist report -q -i $sample -e derived:task_state -f 'state == running' --by cpu --sum ns.cpu --from 2.6 --to 2.8
status_is 0
cp "$tmp.out" "$tmp/table"
hist report -q -i $sample -e derived:task_state -f 'state == running' --by cpu --sum ns --from 2.6 --to 2.8 --format json
right=$(sed -n 's/.*"cpu":0},"val":{"hitcount":[0-9]*,"ns":\([0-9]*\)}.*/\1/p' "$tmp.out" | awk '{ printf "%.2f", $1 / 2e6 }')
grep -Eq "^ *0 +[0-9]+ +$right %\$" "$tmp/table" || fail_file "not $right %:" "$tmp/table"

it '.mean is over the time ns'
hist report -q -i $sample -e derived:runqueue --by cpu --sum ns,depth_ns.mean
status_is 0
cp "$tmp.out" "$tmp/table"
hist report -q -i $sample -e derived:runqueue --by cpu,depth --sum ns --top 0 --format csv
status_is 0
right=$(awk -F, '$1 == 3 { n += $2 * $4; ns += $4 } END { printf "%.2f", n / ns }' "$tmp.out")
grep -Eq "^ *3 +[0-9]+ +[0-9]+ ms +$right\$" "$tmp/table" || fail_file "not $right:" "$tmp/table"

it 'they are refused where they would mean nothing, and for kernels'
hist report -i $sample -e derived:runqueue --by cpu --sum depth_ns.mean
status_is 1
stderr_has 'depth_ns.mean is over the time ns: sum ns, too'
hist report -i $sample -e derived:wait --by cpu --sum prio.cpu
status_is 1
stderr_has 'prio is not a time in ns'
hist report -i $sample -e derived:wait --by ns.share
status_is 1
hist report -i $sample -e sched_switch --by prev_pid --sum prev_prio.share --strict-kernel
status_is 1
hist report -i $sample -e sched_switch --by prev_pid --sum prev_prio.share --kernel 6.12
status_is 1

it 'a heat map of depths of run queues shows times'
hist report -q -i $sample -e derived:runqueue --by depth --sum ns --interval 0.02 --format heat
status_is 0
stdout_has '^1 [|].*[|] 562[^|]*ms$'
stdout_has 'ms in a cell'
hist report -q -i $sample -e derived:runqueue --by depth --interval 0.02 --format heat
status_is 0
stdout_has ' hits in a cell$'

it 'the recipe scheduler is a card of a recording, and compares two'
hist report -q -i $sample scheduler
status_is 0
stdout_has '^woken +0 +1 +626 '
stdout_has '^cpu  hits +total +mean depth +max +duration$'
hist diff scheduler $sample trace.dat-samples/wakeup.dat
stdout_has 'derived:wait by kind, migrated, idle_cpu'
stdout_has 'derived:runqueue by cpu'
hist report -q -i $sample task-states -D comm=cat
status_is 0
stdout_has '^cat +running +39 +84.6 ms +94.12 %$'

it 'a wait knows whether the CPU that was chosen was idle'
# a task of CPU 0 that is woken to the idle CPU 1, moved there before its sched_wakeup, and later back
hist report -q -i $sample -e derived:wait --by kind,idle_cpu --format csv
status_is 0
stdout_has '^woken,1,632$'
stdout_has '^preempted,0,227$'

done_testing
