#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist diff in a shell: verdicts as exit status, sides, formats, options.
. tests/cli/lib.sh
. tests/cli/calls.sh

samples=trace.dat-samples
by_comm='hist:keys=next_comm'

make_calls 1000000
hist report -i "$tmp/calls.dat" "$tmp/calls.script" --show call --stats --format json -o "$tmp/calls.json"

# --- exit status ---

it 'the same recording: exit status 0'
if "$HIST" diff -e sched_switch -R "$by_comm" $samples/switch.dat $samples/switch.dat >"$tmp/out"; then
	:
else
	fail 'it is not'
fi
holds grep -q '^verdict: same$' "$tmp/out"

it 'compares every sample with itself'
for sample in switch wakeup syscalls kmalloc stacks; do
	hist diff -S $samples/$sample.script $samples/$sample.dat $samples/$sample.dat
	status_is 0
	stdout_has '^verdict: same$'
done

it 'one system call made slower: status 1, and its row is first'
if "$HIST" diff --show call -S "$tmp/calls.script" --noise 20% "$tmp/calls.dat" "$tmp/slow.dat" >"$tmp/out"; then
	fail 'it is true'
fi
sed -n '/^lat:/,/^$/p' "$tmp/out" | sed -n 4p >"$tmp/top"
holds grep -q '^sys_getpid ' "$tmp/top"
holds grep -q '^changed: lat per hit of sys_getpid [0-9.]* [um]s -> [0-9.]* [um]s (+1[0-9][0-9]\.[0-9]%, p=0\.00[0-9]*)$' "$tmp/out"
holds grep -q '^40 rows: 1 changed' "$tmp/out"
hist diff --show call -S "$tmp/calls.script" --noise 20% "$tmp/calls.dat" "$tmp/slow.dat"
status_is 1

it 'a limit reports this row, and no other'
hist diff --show call -S "$tmp/calls.script" --stats --fail-on '*:lat.mean>+20%' "$tmp/calls.dat" "$tmp/slow.dat"
status_is 1
stdout_has '^fail-on .*: holds: lat.mean of sys_getpid .*\+1[0-9][0-9]\.[0-9]%\)$'
stdout_has '^fail-on .*: fails for 39 rows$'
hist diff --show call -S "$tmp/calls.script" --stats --fail-on 'sys_read:lat.p90>+20%' "$tmp/calls.dat" "$tmp/slow.dat"
status_is 0

it 'too few runs to decide what differs: inconclusive, and what to do'
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --show derived:wait --by comm
status_is 2
# how long, then the one table of how long in total; others are named
holds test "$(grep -nE '^(ns: quantile shift|hitcount:|total ns:|ns of)' "$tmp.out" | cut -d: -f2)" = "$(printf 'ns\ntotal ns')"
stdout_has '^hitcount, ns\.mean of these rows: --metric NAME$'
stdout_has '^p50 +18\.3 us +53\.3 us +\+34\.9 us +\+190\.8% '
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency
stdout_has '^# How long do woken tasks wait until they run\? derived:wait by comm$'
stdout_has '^2\. derived:wait by duration: [0-9]+ rows, 0 changed: --show 2$'
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --show 2
stdout_has '^16\.4 us to 32\.8 us +'
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --format markdown
holds test "$(grep -c '^| ' "$tmp.out")" -lt 24
stdout_has '^- 2\. derived&#58;wait by duration&#58;'
# what is left out, and where
hist diff $samples/switch.dat $samples/wakeup.dat run-queue-wait
stderr_has '^trace.dat-samples/switch.dat: note: 1 interval was left out'
# how often, which is not better or worse; all tables
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --show 0
holds test "$(grep -nE '^(ns: quantile shift|hits hitcount:|hitcount:|total ns:)' "$tmp.out" | cut -d: -f2 | head -3)" = "$(printf 'ns\nhitcount\ntotal ns')"
stdout_has '^[0-9]+ more, [0-9]+ less, [0-9]+ the same; geometric mean'
stdout_has '^verdict: inconclusive: ns\.(mean|p[0-9]+) of \(all\) differs \(\+[0-9.%+]*\), which 1 run against 1 cannot decide: compare 4 runs on each side'
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --by comm --noise 100000
status_is 0
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --by comm --metric ns.p99 --only alpha-b
status_is 2
stdout_has '^verdict: inconclusive: no number has enough hits in every run'
# a row with many hits that is new
hist report -q -i $samples/switch.dat -e sched_switch --by next_comm -f 'next_comm != init' --format json -o "$tmp/no_init.json"
sed 's/ if next_comm != \\"init\\"//; s/ if next_comm != init//' "$tmp/no_init.json" >"$tmp/without.json"
hist report -q -i $samples/switch.dat -e sched_switch --by next_comm --format json -o "$tmp/with.json"
hist diff -q --format markdown "$tmp/without.json" "$tmp/with.json"
holds test "$(head -n 1 "$tmp.out" | cut -c1-12)" != '### ✅'
stdout_has 'hist diff: (different|inconclusive: hitcount of init differs \(new\))'

it 'one row has no noise that is known, so its numbers are not decided'
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --by comm --only init
status_is 2
stdout_has '^verdict: inconclusive: .*cannot decide'

it 'a difference up to --noise is not a change, even if every difference counts'
for n in 100 110; do
	awk -v n=$n 'BEGIN {
		print "# tracer: nop\n#"
		for (i = 0; i < n + 50; i++)
			printf "%16s-%-5d [000] .....  1.%06d: mark: n=%d\n", i < n ? "one" : "other", i < n ? 41 : 42, i, i
	}' >"$tmp/$n.txt"
done
hist diff -q -e mark --by comm --alpha 1 --noise 20 --absolute "$tmp/100.txt" "$tmp/110.txt"
status_is 0
stdout_has "^2 rows: 0 changed, .* 1 within the noise$"
hist diff -q -e mark --by comm --alpha 1 --noise 5 --absolute "$tmp/100.txt" "$tmp/110.txt"
status_is 1
stdout_has '^changed: hitcount of one 100 -> 110'

it 'a quantile in --fail-on needs no --stats'
hist diff -q $samples/wakeup.dat $samples/switch.dat wakeup-latency --by comm --fail-on 'ns.p50>+10%'
status_is 1
hist diff -q $samples/wakeup.dat $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm:vals=next_prio' \
	--fail-on 'next_prio.p50>+1000%'
status_is 0

# --- exit status 2 ---

it 'a file that does not exist, or is not a recording or result'
hist diff "$tmp/calls.json" "$tmp/none.dat"
status_is 2
stderr_has 'none.dat: No such file'
hist diff "$tmp/calls.json" Makefile
status_is 2
stderr_has 'Makefile: neither a trace.dat nor a saved result'
: >"$tmp/empty"
hist diff "$tmp/calls.json" "$tmp/empty"
status_is 2
stderr_has 'empty: is empty'
hist diff a b c
status_is 2
stderr_has "more than two files \('c'\)"
hist diff "$tmp/calls.json" "$tmp"
status_is 2
hist diff "$tmp/calls.json" /dev/zero
status_is 2

it 'a saved result that is cut'
head -c 2000 "$tmp/calls.json" >"$tmp/cut.json"
hist diff "$tmp/calls.json" "$tmp/cut.json"
status_is 2
stderr_has 'cut.json'

it 'a recording that is cut: compared, but inconclusive'
head -c 1000000 "$tmp/calls.dat" >"$tmp/cut.dat"
hist diff -e sys_enter -R 'hist:keys=id' "$tmp/calls.dat" "$tmp/cut.dat"
status_is 2
stdout_has '^verdict: inconclusive: .*cut.dat: parts of the recording are missing or damaged'

it 'different triggers'
hist report -i "$tmp/calls.dat" -e sys_enter -R 'hist:keys=id' --format json -o "$tmp/other.json"
hist diff "$tmp/calls.json" "$tmp/other.json"
status_is 2
stderr_has 'other.json has no histogram of synthetic:call that matches'
stdout_has '^verdict: inconclusive'

it 'equivalent triggers that are written differently'
hist report -i "$tmp/calls.dat" -e sys_enter -R 'hist:keys=id:size=4096:sort=id.descending' --format json -o "$tmp/words.json"
hist diff "$tmp/words.json" "$tmp/other.json"
status_is 0

it 'a rejected script'
hist diff -e sys_enter -R 'hist:keys=nonsense' "$tmp/calls.dat" "$tmp/slow.dat"
status_is 2
stderr_has "Couldn't find field"

it 'no script'
hist diff "$tmp/calls.dat" "$tmp/slow.dat"
status_is 2
stderr_has 'contains no script'

it 'drops'
"$make" "$tmp/keys.dat" 30000 keys
hist diff -e kmalloc -R 'hist:keys=ptr:size=128' "$tmp/keys.dat" "$tmp/keys.dat"
status_is 2
stdout_has 'hits dropped'
hist diff -e kmalloc -R 'hist:keys=ptr:size=128' --allow-lost 100 "$tmp/keys.dat" "$tmp/keys.dat"
status_is 0

it 'no hits'
hist diff -e sched_switch -R "$by_comm if next_pid == 424242" $samples/switch.dat $samples/switch.dat
status_is 2
stdout_has 'no event was counted'

# --- sides ---

it 'a saved result contains its script and its statistics'
hist diff --noise 20 "$tmp/calls.json" "$tmp/slow.dat"
status_is 1
stdout_has '^lat +before +after'
hist diff "$tmp/calls.json" "$tmp/calls.dat"
status_is 0
stderr_lacks 'error'

it 'standard input as a side'
"$HIST" diff --noise 20 - "$tmp/slow.dat" <"$tmp/calls.json" >"$tmp/out" 2>&1
checked [ $? = 1 ] || fail_file 'not 1:' "$tmp/out"
# shellcheck disable=SC2002 # tests a pipe
cat "$tmp/slow.dat" | "$HIST" diff --noise 20 "$tmp/calls.json" - >"$tmp/out" 2>&1
checked [ $? = 1 ] || fail_file 'not 1:' "$tmp/out"
hist diff - - <"$tmp/calls.json"
status_is 2
stderr_has 'only once'

it 'without files: trace.dat.old and trace.dat'
here=$PWD
program=$(realpath "$HIST")
mkdir "$tmp/dir"
cd "$tmp/dir" || exit
run "$program" diff
status_is 2
stderr_has 'trace.dat.old: No such file'
ln -s "$tmp/calls.dat" trace.dat.old
ln -s "$tmp/slow.dat" trace.dat
run "$program" diff -e sys_enter -R 'hist:keys=id.syscall' --share --noise 30
cd "$here" || exit
status_is 0

it 'a stored script is used, also for the other side'
echo "echo '$by_comm' >> events/sched/sched_switch/trigger" >"$tmp/stored.script"
"$make" "$tmp/stored.dat" 20000 mix none 7 2 "$tmp/stored.script"
"$make" "$tmp/plain.dat" 20000 mix none 7 2
hist diff "$tmp/stored.dat" "$tmp/stored.dat"
status_is 0
stdout_has '^# sched:sched_switch hist:keys=next_comm'
hist diff "$tmp/plain.dat" "$tmp/stored.dat"
status_is 0
echo "echo 'hist:keys=next_pid' >> events/sched/sched_switch/trigger" >"$tmp/stored.script"
"$make" "$tmp/stored2.dat" 20000 mix none 7 2 "$tmp/stored.script"
hist diff "$tmp/stored.dat" "$tmp/stored2.dat"
status_is 2
stdout_has '^verdict: inconclusive'

it 'several runs per side'
a=$tmp/calls.json
hist diff --before "$a" "$a" "$tmp/calls.dat" "$a" --after "$tmp/slow.dat" "$tmp/slow.dat" "$tmp/slow.dat" "$tmp/slow.dat" \
	--fail-on 'sys_getpid:lat.mean>+20%'
status_is 1
stdout_has 'p=0.0286'
stdout_has 'smallest p possible with 4 runs against 4: 0.0286'
hist diff --before "$a" --after
status_is 2
hist diff "$a" --before "$a" --after "$a"
status_is 2
stderr_has 'not on either side'
hist diff "$a"
status_is 2
hist diff "$a" "$a" "$a"
status_is 2

it 'drops keys'
hist diff --drop-key next_pid -e sched_switch -R 'hist:keys=next_comm,next_pid' --all $samples/switch.dat $samples/switch.dat
status_is 0
stdout_has '^next_comm +before/s'
stderr_lacks 'pids differ'
hist diff -e sched_switch -R 'hist:keys=next_comm,next_pid' $samples/switch.dat $samples/switch.dat
stderr_has 'next_pid: pids differ from run to run'
hist diff --drop-key next_pdi -e sched_switch -R 'hist:keys=next_comm,next_pid' $samples/switch.dat $samples/switch.dat
status_is 2

it 'a limit on a time needs a unit; differences of time stamps have one'
hist diff --fail-on 'sys_read:lat.p50>+1us' "$tmp/calls.json" "$tmp/calls.dat"
status_is 0
sed 's/,"unit":"us"//g' "$tmp/calls.json" >"$tmp/unknown.json"
hist diff --fail-on 'sys_read:lat.p50>+1us' "$tmp/unknown.json" "$tmp/calls.dat"
status_is 2
stderr_has '--unit lat=us'
hist diff --unit lat=us --fail-on 'sys_read:lat.p50>+1us' "$tmp/unknown.json" "$tmp/calls.dat"
status_is 0
hist diff --fail-on 'lat.p50>+1us' $samples/wakeup.dat $samples/wakeup.dat -e sched_switch \
	-x "echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger" \
	-x "echo 'hist:keys=next_pid:lat=common_timestamp.usecs-\$ts0' >> events/sched/sched_switch/trigger" --stats
status_is 0

it 'a quantile: of the values, not of the ranges in another histogram of the event'
hist report -q -i $samples/wakeup.dat tests/cli/wakeup_latency.script --stats --format json -o "$tmp/wakeup.json"
hist diff --fail-on 'us.p90>+10%' --fail-on 'worst.p90>+10%' "$tmp/wakeup.json" "$tmp/wakeup.json"
status_is 0
checked [ "$(grep -c '^fail-on ' "$tmp.out")" = 2 ] || fail_file 'not two lines:' "$tmp.out"
stdout_has '^fail-on us.p90>\+10%: does not hold: us.p90 of \(all\) 63 us -> 63 us '
hist diff --fail-on '17*:us.p90>+10%' "$tmp/wakeup.json" "$tmp/wakeup.json"
status_is 2
stdout_has 'only the buckets of the values are known'
hist diff --fail-on 'us.p99>+10%' "$tmp/wakeup.json" "$tmp/wakeup.json"
status_is 2
stdout_has 'fewer than 10 samples beyond the quantile: p99 needs 1000 in each run, p90 100$'

it 'names the metrics that it accepts, each once, and why an expression is undecided'
stderr_has "warning: --fail-on 'us.p99>\+10%': inconclusive: us.p99 of \(all\) .*: fewer than 10 samples"
hist diff --fail-on 'us.p95>+10%' "$tmp/wakeup.json" "$tmp/wakeup.json"
status_is 2
stderr_has 'there is no us.p95 to compare, only hitcount, us, us.WHAT, worst.WHAT \(WHAT: n, min, max, mean, p50, p90, p99, p99.9\); --stats'
hist diff --fail-on 'zzz*:us.p90>+10%' "$tmp/wakeup.json" "$tmp/wakeup.json"
status_is 2
stderr_is "hist: warning: --fail-on 'zzz*:us.p90>+10%': inconclusive: no row has this key"

# --- formats ---

it 'json: the numbers of the text, read by jq'
hist diff --noise 20 --format json "$tmp/calls.json" "$tmp/slow.dat"
status_is 1
if have jq; then
	holds jq -e -s '.[0].type == "hist_diff" and .[0].schema == 1' "$tmp.out"
	holds jq -e -s '.[0].values[1].rows[0].key.id == "sys_getpid"' "$tmp.out"
	holds jq -e -s '.[-1].type == "hist_diff_verdict" and .[-1].verdict == "different"' "$tmp.out"
	holds jq -e -s '.[0].values[0].all.count_before == .[0].before[0].hits' "$tmp.out"
	holds jq -e -s '.[0].stats[0].all.p50.before > 0' "$tmp.out"
fi

it 'csv: one table, all lines have the same number of columns'
hist diff --format csv --all "$tmp/calls.json" "$tmp/calls.dat"
status_is 0
stdout_has '^id,metric,before,after,delta,percent,count_before,count_after,verdict,'
stdout_has '^\(all\),lat.p99,'
checked awk -F, 'NF != 20 { exit 1 }' "$tmp.out" || fail_file 'lines of other widths:' "$tmp.out"
hist diff --format csv -S $samples/switch.script $samples/switch.dat $samples/switch.dat
status_is 0
stderr_has 'note: csv shows the first of [2-9] histograms; --show N shows another, 2: '
cp "$tmp.out" "$tmp/first"
hist diff --format csv -S $samples/switch.script --show 1 $samples/switch.dat $samples/switch.dat
status_is 0
checked cmp -s "$tmp.out" "$tmp/first" || fail '--show 1 is another table'
hist diff --format csv -S $samples/switch.script --show 2 $samples/switch.dat $samples/switch.dat
status_is 0
! checked cmp -s "$tmp.out" "$tmp/first" || fail '--show 2 is the same table'
hist diff --show 2 "$tmp/calls.json" "$tmp/calls.json"
status_is 2
stderr_has 'show takes an event, or the number of a histogram, of which there are 1'
hist diff --format xml "$tmp/calls.json" "$tmp/calls.json"
status_is 2

it 'writes to a file'
hist diff -o "$tmp/file" "$tmp/calls.json" "$tmp/calls.json"
status_is 0
stdout_is ''
holds grep -q 'verdict: same' "$tmp/file"

it 'rows: sorted, limited, all'
hist diff --all --sort key --top 2 "$tmp/calls.json" "$tmp/calls.json"
stdout_has '^\(38 more\)$'
stdout_has '^sys_access '
stdout_lacks '^sys_write '
hist diff --all --top 0 "$tmp/calls.json" "$tmp/calls.json"
stdout_lacks ' more\)$'
hist diff --sort nonsense "$tmp/calls.json" "$tmp/calls.json"
status_is 2
stderr_has '--sort nonsense: there is no such number, only hitcount'

it '--sort NUMBER: the changes of this number, the largest first'
hist diff -q --all --metric lat.p50 "$tmp/calls.json" "$tmp/calls.json"
cp "$tmp.out" "$tmp/metric"
hist diff -q --all --sort lat.p50 "$tmp/calls.json" "$tmp/calls.json"
stdout_is_file "$tmp/metric"
hist diff --sort p99 --metric lat.p50 "$tmp/calls.json" "$tmp/calls.json"
status_is 2
stderr_has '--metric lat.p50 shows no p99 for --sort'

it 'invalid options'
for wrong in --noise=-1 --noise=x --alpha=2 --alpha=0 --min-count=x --top=x --allow-lost=101 --fail-on=p99 \
	'--fail-on=p99>10%' --unit=lat '--fail-on=nonsense>+1'; do
	hist diff "$wrong" "$tmp/calls.json" "$tmp/calls.json"
	checked [ "$status" = 2 ] || fail "$wrong: $status"
done

it '--ignore-new, --ignore-gone, --rate and --balance'
for part in 'a --to +.2' 'b --from +.2'; do
	# shellcheck disable=SC2086 # words
	set -- $part
	hist report -q -i $samples/switch.dat -e sched_switch --by next_comm "$2" "$3" --format json -o "$tmp/$1.json"
	hist report -q -i $samples/switch.dat -e sched_switch --by next_comm "$2" "$3" --format csv
	sed 1d "$tmp.out" | sort >"$tmp/$1.csv"
done
# sum FILE OTHER: the hits of the rows of FILE whose key OTHER has, too
sum()
{
	join -t , -o 1.2 "$1" "$2" | awk '{ s += $1 } END { print s }'
}
# all COLUMNS: of the line (all)
all()
{
	grep '^(all),hitcount,' "$tmp.out" | cut -d , -f "$1"
}
hist diff -q --absolute --ignore-new --format csv --all "$tmp/a.json" "$tmp/b.json"
holds test "$(all 3,4)" = "$(sum "$tmp/a.csv" "$tmp/a.csv"),$(sum "$tmp/b.csv" "$tmp/a.csv")"
stdout_lacks '^grep,'
hist diff -q --absolute --ignore-gone --format csv --all "$tmp/a.json" "$tmp/b.json"
holds test "$(all 3,4)" = "$(sum "$tmp/a.csv" "$tmp/b.csv"),$(sum "$tmp/b.csv" "$tmp/b.csv")"
stdout_lacks '^alpha-a,'
hist diff -q --rate --format csv --all "$tmp/a.json" "$tmp/b.json"
# 781 in 0.2 s
holds test "$(all 3)" = 3905
hist diff -q --absolute --balance next_comm "$tmp/a.json" "$tmp/b.json"
# 85 of 781, 272 of 899
stdout_has 'next_comm.*swapper/2.*10\.9%.*init.*30\.3%|10\.9%.*swapper/2.*30\.3%.*init'

done_testing
