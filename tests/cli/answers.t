#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Answers as text: recipes, --by, --sql and derived events print a table for people; triggers print what the kernel
# prints, and --format hist has its layout for both.
. tests/cli/lib.sh

samples=trace.dat-samples
guest=tests/cli/recipes/6.12.dat
[ -f $samples/wakeup.dat ] || skip_all "no $samples"

it 'a recipe: its question, numbered tables, the largest first, totals'
hist report -q -i $samples/wakeup.dat wakeup-latency --show 0
status_is 0
stdout_is "How long do woken tasks wait until they run?

1. derived:wait by comm

comm          hits    total      max  pid  cpu
init           292  7.06 ms   198 us    1    0
rcu_preempt     88  6.37 ms  1.00 ms   16    0
alpha-a         65  2.24 ms   248 us  483    0
ksoftirqd/0     42  1.79 ms   141 us   15    0
grep            76  1.49 ms   158 us  497    0
alpha-b         37   780 us  45.6 us  484    0
cat             16   702 us   150 us  503    0
work-nap        10   355 us  68.1 us  485    0
kworker/u4:1    17   343 us  33.2 us   23    0
kworker/0:1      2   224 us   114 us    9    0
sync             1  12.4 us  12.4 us  486    0

646 hits in 11 rows

2. derived:wait by duration

          duration  hits
8.19 us to 16.4 us   264  ########################################
16.4 us to 32.8 us   192  #############################
32.8 us to 65.5 us   127  ###################
 65.5 us to 131 us    45  #######
  131 us to 262 us    17  ###
 524 us to 1.05 ms     1

646 hits in 6 rows

3. derived:wait by kind

kind       hits    total    share
preempted   172  50.4 ms  70.22 %
woken       646  21.4 ms  29.78 %

818 hits in 2 rows"
cp "$tmp.out" "$tmp/all"

it 'the first table answers, others are named; of two recipes, each has its question'
hist report -q -i $samples/wakeup.dat wakeup-latency
head -18 "$tmp/all" >"$tmp/first"
cat >>"$tmp/first" <<'EOF'

2. derived:wait by duration: 6 rows (--show 2)
3. derived:wait by kind: 2 rows (--show 3)
EOF
stdout_is_file "$tmp/first"
hist report -q -i $samples/wakeup.dat on-cpu wakeup-latency
grep -n '' "$tmp.out" >"$tmp/two"
holds grep -q '^1:Which tasks use the CPUs, and how long are their time slices?$' "$tmp/two"
stdout_has '^How long do woken tasks wait until they run\?$'
stdout_has '^4\. derived:wait by comm$'
stdout_has '^3\. derived:task_state by next_state: [0-9]+ rows \(--show 3\)$'
stdout_has '^5\. derived:wait by duration: 6 rows \(--show 5\)$'
hist report -q -i $samples/wakeup.dat wakeup-latency --format markdown
stdout_has '^- 2\. derived&#58;wait by duration&#58; 6 rows \(--show 2\)$'

it 'a distribution has all of its rows, however few --top shows of others'
hist report -q -i $samples/wakeup.dat wakeup-latency --show 2 --top 2
sed -n '/^2\. /,/^646/p' "$tmp/all" | sed 1,2d >"$tmp/want"
sed -n '/^2\. /,/^646/p' "$tmp.out" | sed 1,2d >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"
hist report -q -i $samples/wakeup.dat wakeup-latency --top 2
stdout_has '^\(9 more: --top 0\)$'

it 'the number of a table is that of --show'
hist report -q -i $samples/wakeup.dat wakeup-latency --show 2
stdout_has '^2\. derived:wait by duration$'
stdout_lacks '^[13]\.'

it 'numbers are those of csv, grouped, and times rounded to three digits'
hist report -q -i $guest -e kmem_cache_alloc --by call_site --sum bytes_alloc --format csv
sed 1d "$tmp.out" | awk -F, '{ print $3, $4 }' | head -n 40 >"$tmp/want"
hist report -q -i $guest -e kmem_cache_alloc --by call_site --sum bytes_alloc
sed '1,3d;/^(/,$d' "$tmp.out" | awk '{ print $(NF - 1), $NF }' | tr -d , >"$tmp/got"
holds test "$(wc -l <"$tmp/got")" = 40
holds cmp -s "$tmp/want" "$tmp/got"
stdout_has '^copy_process +87 +342,208$'

it '40 rows, unless --top has another number'
stdout_has '^\(3 more: --top 0\)$'
stdout_has '^3,815 hits in 43 rows$'
hist report -q -i $guest -e kmem_cache_alloc --by call_site --top 0
stdout_lacks 'more: --top'
holds test "$(sed '1,3d;/^$/,$d' "$tmp.out" | wc -l)" = 43
hist report -q -i $guest -e kmem_cache_alloc --by call_site --top 50
stdout_lacks 'more: --top'
hist report -q -i $guest -e kmem_cache_alloc --by call_site --top 5
stdout_has '^\(38 more: --top 0\)$'

it '--by has the filter in its title, and names instead of numbers'
hist report -q -i $guest -e sched_switch --by prev_state -f 'prev_pid != 0' --top 2
stdout_is 'sched:sched_switch by prev_state if prev_pid != 0

prev_state  hits
I            349
D            221
(5 more: --top 0)

906 hits in 7 rows'

hist report -q -i $guest -e sched_switch --by prev_state
stdout_has '^R\+ +36$'
hist report -q -i $guest -e sched_switch --by prev_state --format csv
stdout_has '^256,R\+,36$'
hist report -q -i $guest -e block_rq_issue --by dev
stdout_has '^254:0 +15$'

it '--stats adds its numbers to the table, with a row for all; what is the same is there once'
hist report -q -i $samples/wakeup.dat wakeup-latency --stats --show 1 --top 2
stdout_is "How long do woken tasks wait until they run?

1. derived:wait by comm

comm         hits    total      min     mean   stddev      p50      p90      p99    p99.9      max  pid  cpu
(all)         646  21.4 ms  9.04 us  33.1 us  49.9 us  18.3 us  63.6 us   190 us  1.00 ms  1.00 ms
init          292  7.06 ms  9.04 us  24.2 us  25.3 us  14.2 us  41.0 us   154 us   198 us   198 us    1    0
rcu_preempt    88  6.37 ms  9.17 us  72.4 us   107 us  53.3 us   124 us  1.00 ms  1.00 ms  1.00 ms   16    0
(9 more: --top 0)

646 hits in 11 rows"
hist report -q -i $samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_req,bytes_alloc --stats
stdout_has '^call_site .*  bytes_req p50 .*  bytes_alloc p50 '
hist report -q -i $samples/kmalloc.dat -e kmalloc --by bytes_req.log2 --stats
stdout_has '^bytes_req: min [0-9]+ to [0-9]+, max .*, p50 '

# a sum of pids or CPUs means nothing
hist report -q -i $samples/wakeup.dat -e sched_waking --by comm --sum pid,target_cpu,prio --stats --top 2
stdout_has '^comm +hits +pid +target_cpu +prio '
stdout_has '^\(all\) +662 +79,440 +120 '
stdout_has '^grep +76 +38348 +0 +9,120 '

it 'a column has one name, and the line about columns that are too wide is not too wide'
hist report -q -i trace.dat-samples/kmalloc.dat -e kmalloc --by bytes_req.log2 --sum bytes_req --top 2
stdout_has '^ +bytes_req +hits +total bytes_req'
hist report -q -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_req,bytes_alloc --top 2
stdout_has '^call_site +hits +bytes_req +bytes_alloc'
for columns in 60 80 120; do
	COLUMNS=$columns hist report -q -i $samples/syscalls.dat syscall-latency --stats --show 1
	stdout_has '^\(too wide: running, .*, [0-9]+ more\)$'
	holds test "$(awk 'NR > 1 { if (length > n) n = length } END { print n }' "$tmp.out")" -le $columns
done
COLUMNS=80 hist report -q -i tests/cli/recipes/tasks.dat inversions --stats --show 1 --top 9
stdout_has '^\(too wide: .*, p50, p90, p99.9, .* more\)$'
stdout_has '^[vic.om]+ +victim_prio +[cul.om]+ +culprit_prio +hits +total +p99 +max$'
holds test "$(awk 'NR > 3 && !/^derived/ { if (length > n) n = length } END { print n }' "$tmp.out")" -le 80

it 'a narrow terminal hides what matters least, but not what sorts'
COLUMNS=70 hist report -q -i $samples/wakeup.dat wakeup-latency --stats --show 1 --sort stddev
stdout_has '^\(too wide: min, '
stdout_has '  stddev  '
holds test "$(awk '{ if (length > n) n = length } END { print n }' "$tmp.out")" -le 100

for columns in 60 80; do
	COLUMNS=$columns hist report -q -i $samples/wakeup.dat wakeup-latency --stats --show 1
	stdout_has '^comm +hits +total .*p50 .*p99 +max '
	stdout_has '^\(too wide: .*p99\.9'
	COLUMNS=$columns hist report -q -i $samples/syscalls.dat syscall-latency --show 1
	stdout_has '^id +hits +total .*max'
	stdout_has '^\(too wide: running, waiting, sleeping, irq, '
	holds test "$(awk 'NR > 1 { if (length > n) n = length } END { print n }' "$tmp.out")" -le $columns
done

it 'exemplars and stacks are below their row'
hist report -q -i $samples/wakeup.dat wakeup-latency --exemplars 1 --show 1
stdout_has '^    1\.00 ms at 30\.349774421,0  rcu_preempt-16$'
stdout_has '^The largest ns, at TIME,CPU \(for --around\):$'
hist report -q -i $samples/stacks.dat -e kmalloc --by kstack --sum bytes_alloc --top 1
stdout_has '^common_stacktrace +hits +bytes_alloc$'
stdout_has '^seq_read_iter\+[^ ]+ +1,054 +4,317,184$'
stdout_has "^      seq_read\\+"

it 'names of tasks cannot change the table'
{
	cat <<-'END'
	# tracer: nop
	#
	#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
	#              | |         |   |||||     |         |
	            cat-10      [000] ..... 1.000001: sched_wakeup: comm=a	b pid=7 prio=120 target_cpu=000
	END
} >"$tmp/t.txt"
hist report -q -i "$tmp/t.txt" -e sched_wakeup --by comm
stdout_has '^a\\x09b +1$'

it 'no hits'
hist report -q -i $guest -e sched_switch --by prev_comm -f 'prev_pid == 123456'
stdout_has '^0 hits in 0 rows$'

it 'a trigger, and --format hist, have the layout of the kernel'
hist report -q -i $guest -e sched_switch --by prev_comm --format hist
stdout_has '^# trigger info: hist:keys=prev_comm:'
stdout_has '^\{ prev_comm: swapper/0 +\} hitcount: +409$'
stdout_has '^    Hits: 1533$'
hist report -q -i $guest -e sched_switch -R hist:keys=prev_comm
stdout_has '^\{ prev_comm: swapper/0 +\} hitcount: +409$'
hist report -q -i $guest -e sched_switch --by prev_comm --kernel=recording
stdout_has '^# trigger info: '
hist report -q -i $guest -e sched_switch --by prev_comm -e sched_waking -R hist:keys=comm
stdout_has '^1\. sched:sched_switch by prev_comm$'
stdout_has '^==> events/sched/sched_waking/hist <==$'

it 'a stored recipe and a saved result print the same; the question is that of the recipe'
hist slim -q -i $samples/wakeup.dat wakeup-latency -o "$tmp/small.dat"
hist report -q -i "$tmp/small.dat"
stdout_is_file "$tmp/first"
hist report -q -i $samples/wakeup.dat wakeup-latency --format json -o "$tmp/r.json"
hist merge -q "$tmp/r.json"
sed '1,2d;s/ if .*//' "$tmp/all" >"$tmp/want"
sed 's/ if .*//' "$tmp.out" >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"
hist report -q -i "$tmp/small.dat" --format html
stdout_has '<h1>How long do woken tasks wait until they run\?</h1>'
stdout_has 'p99'

it 'a second key of few values: a heat map for each, in its order, which add up to the table'
hist report -q -i $guest wakeup-latency --by ns.log2,cpu --show 1 --interval 0.05 --format html
status_is 0
cp "$tmp.out" "$tmp/page.html"
grep -o '<h3>Over time[^<]*<' "$tmp/page.html" >"$tmp/got"
printf '<h3>Over time: cpu %s<\n' 0 1 >"$tmp/want"
holds cmp "$tmp/want" "$tmp/got"
sed -n '/<h3>Over time/,/<h3>The largest/p' "$tmp/page.html" | grep -o ': [0-9]*</title>' | tr -dc '0-9\n' |
	awk '{ n += $1 } END { print n }' >"$tmp/got"
hist report -q -i $guest wakeup-latency --by cpu --show 1 --format json
grep -o '"totals":{"hits":[0-9]*' "$tmp.out" | grep -o '[0-9]*$' >"$tmp/want"
holds cmp "$tmp/want" "$tmp/got"

it 'a page has the values over time, without --interval, and the same numbers'
hist report -q -i $samples/wakeup.dat wakeup-latency --format html
cp "$tmp.out" "$tmp/page.html"
holds test "$(grep -c '<h3>Over time</h3>' "$tmp/page.html")" = 1
sed -n '/<h3>Over time/,/<h3>The largest/p' "$tmp/page.html" | grep -o ': [0-9]*</title>' | tr -dc '0-9\n' |
	awk '{ n += $1 } END { print n }' >"$tmp/got"
echo 646 >"$tmp/want"
holds cmp "$tmp/want" "$tmp/got"
holds grep -q '>hits</dt><dd>646<' "$tmp/page.html"
# p50, p99 and the largest of each row
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --top 0 --stats --format csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { print $1, $at["ns_p50"], $at["ns_p99"], $at["ns_max"] }' "$tmp.out" >"$tmp/want"
grep '^<tr><td class="k t">' "$tmp/page.html" | sed 's/<svg.*<.svg>//' |
	awk -F'<td class="' '{ split($0, v, /data-v="/); name = $2
		for (i = 4; i <= 6; i++) sub(/".*/, "", v[i])
		sub(/^[^>]*>/, "", name); sub(/<.*/, "", name); print name, v[4], v[5], v[6] }' | head -n "$(wc -l <"$tmp/want")" >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"
hist report -q -i $guest slab-churn --format html
stdout_has '<h3>bytes_alloc over time</h3>'
# two tasks of one name are two rows
hist report -q -i $guest wakers --format html
stdout_has '>asks-[0-9]+<'
hist report -q -i $guest -e sched_waking --by common_pid.execname
stdout_has '^asks-[0-9]+ '

it 'heat maps and plots have names and units, --top of them, and no note of an empty last slice'
hist report -i $samples/wakeup.dat wakeup-latency --show 2 --format plot
stdout_has '^# derived:wait by duration$'
stdout_has '^duration: 646 hits, p50 <= 32\.8 us, '
hist report -i $samples/wakeup.dat wakeup-latency --show 1 --interval 0.05 --format heat --top 3
stderr_lacks 'passes the filter'
stdout_has '^ *\(8 others\) \|.* 190$'
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --interval 0.05 --format html --top 3
stdout_has '8 more rows are left out here'

it 'times of the clock have all digits, addresses are hexadecimal, a field named ns is a time'
hist report -q -i $samples/switch.dat -e sched_switch --by common_timestamp.buckets=100000000
stdout_has '^ *[0-9]+\.[0-9]00000000 s to [0-9]+\.[0-9]99999999 s '
holds test "$(grep ' s to ' "$tmp.out" | cut -d' ' -f1 | sort | uniq -d | wc -l)" = 0
hist report -q -i $samples/kmalloc.dat -e kmalloc -f 'bytes_req > 1000' --synth 'at u64 address; u64 ns' \
	-x 'echo "hist:keys=common_pid:b=bytes_req:a=call_site:onmatch(kmem.kmalloc).at(\$a,\$b)" >> events/kmem/kmalloc/trigger' \
	-e at --by address --sum ns
stdout_has '^ *0xffffffff[0-9a-f]+ +[0-9]+ +[0-9.]+ us$'

done_testing
