#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist diff and trend: several sides, budgets, saved histories, formats for CI.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
[ -x "$make" ] || skip_all "no $make"
trigger='hist:keys=id.syscall,common_cpu'

# save NUMBER KIND FILE: a result of a recording that is slightly longer for each number
save()
{
	"$make" "$tmp/x.dat" $((20000 + $1 * 1000)) "$2"
	"$HIST" report -q -i "$tmp/x.dat" -e raw_syscalls:sys_enter -R "$trigger" --format json -o "$3"
}

mkdir "$tmp/results" "$tmp/none"
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	kind=calls
	[ $i -gt 6 ] && kind=slowcalls
	save $i $kind "$tmp/results/run-$i.json"
done
a=$tmp/results/run-1.json b=$tmp/results/run-2.json c=$tmp/results/run-12.json

# --- scripts and files ---

it 'a recipe among the files is a script, also by the name of another tool, and -i names a file'
sample=trace.dat-samples/wakeup.dat
hist diff -q -S wakeup-latency $sample $sample
status_is 0
cp "$tmp.out" "$tmp/wanted"
hist diff -q $sample wakeup-latency $sample
status_is 0
stdout_is_file "$tmp/wanted"
hist diff -q -i $sample -i $sample runqlat
status_is 0
stdout_is_file "$tmp/wanted"
hist diff $sample $sample "$tmp/x.dat"
status_is 2
stderr_has 'more than two files .*a script follows -S$'

# --- contributions to the change ---

it '--by and -f group and filter a recipe of hist diff, as of hist report'
hist diff -q trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.dat wakeup-latency -f 'ns > 100us' --by comm --format json
status_is 0
stdout_has '"trigger":"hist:keys=comm:vals=hitcount,ns:worst=ns:sort=ns.descending:size=2048:onmax\(\$worst\).save\(pid,cpu\) if .*ns > 100us'
hist diff -q -S wakeup-latency --by comm trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.dat
status_is 0

it 'contributions add up to the change'
hist diff -q --format csv --alpha 1 --all "$a" "$c"
status_is 1
hist diff -q --alpha 1 --all "$a" "$c"
stdout_has '^id, common_cpu .* of changes  so far '
# never less than the line before, 100 % in the last one
checked awk '/^hitcount:/ { on = 1 } on && $1 ~ /^sys_/ { if ($9 + 0 < far) exit 1; far = $9 + 0; last = $9 }
	END { exit last != "100.0%" }' "$tmp.out" || fail_file 'the shares do not add up' "$tmp.out"
stdout_has '^[0-9]* better, [0-9]* worse, [0-9]* the same.*\(less is better\); geometric mean of [0-9]* rows [+-]'
stdout_has '^hitcount over 4 of common_cpu: largest share [0-9.]*% \([0-3]\) -> '

it 'the direction that is better can be reversed'
hist diff -q --alpha 1 --top 1 "$a" "$c"
less=$(sed -n 's/^\([0-9]*\) better, \([0-9]*\) worse, .*/\2 \1/p' "$tmp.out")
hist diff -q --alpha 1 --top 1 --better more "$a" "$c"
more=$(sed -n 's/^\([0-9]*\) better, \([0-9]*\) worse, .*/\1 \2/p' "$tmp.out")
checked [ "$less" = "${more:-none}" ] || fail "'$less' is not '$more'"
stdout_has '\(more is better\)'

it 'prints the worst hit of a row if save() stored it'
hist diff -q -e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' -e sched_switch \
	-R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmax($lat).save(next_comm)' --show sched_switch \
	--cpu 0 --all trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.dat
status_is 0
stdout_has '^worst hits: .*: max [0-9.]+ [um]s, next_comm [^ ]* at 30\.[0-9]{9}'

it 'a mean that one of several runs has is not a change, nor the same'
for t in 0 1 2 5; do
	hist report -q -i trace.dat-samples/syscalls.dat --from +0.0$t --to +0.0$((t + 1)) -e raw_syscalls:sys_exit \
		-R 'hist:keys=id.syscall:vals=ret' --stats --format json -o "$tmp/$t.json"
done
hist diff -q --absolute --all --only sys_read --before "$tmp/0.json" "$tmp/1.json" --after "$tmp/2.json" "$tmp/5.json"
status_is 2
stdout_has '^sys_read  +85  +12.50 .* ~$'
hist diff -q --alpha 1 --absolute --all --only sys_read "$tmp/1.json" "$tmp/2.json"
status_is 1
stdout_has '^sys_read  +85  +12.50 .* !$'

it 'compares only the rows that are asked for'
hist diff -q --absolute --only 'sys_getpid,*' --all --format json "$a" "$c"
cp "$tmp.out" "$tmp/some"
hist diff -q --absolute --all --format json "$a" "$c"
cp "$tmp.out" "$tmp/every"
python=$(command -v python3) || skip 'no python3'
[ -z "$python" ] || run "$python" - "$tmp/some" "$tmp/every" <<'END'
import json, sys
some, all = (json.loads(open(f).readline())["values"][0] for f in sys.argv[1:])
want = [r for r in all["rows"] if r["key"]["id"] == "sys_getpid"]
def plain(rows):
    return sorted((r["key"]["common_cpu"], r["before"], r["after"]) for r in rows)
if plain(some["rows"]) != plain(want) or len(want) < 2:
    sys.exit(f"{some['rows']} is not {want}")
for side in "before", "after":
    if some["all"][side] != sum(r[side] for r in want):
        sys.exit(f"(all) {side} is {some['all'][side]}")
END
status_is 0
stderr_is ''
hist diff -q --only 'sys_getpid,*' --only 'sys_read,*' --all "$a" "$c"
holds test "$(grep -c '^sys_getpid, ' "$tmp.out")" -gt 1
holds test "$(grep -c '^sys_read, ' "$tmp.out")" -gt 1
holds test "$(grep -c '^sys_brk, ' "$tmp.out")" = 0
hist diff --only 'no_such*' "$a" "$c"
status_is 2
stdout_has 'verdict: inconclusive: every row was left out'
hist trend -q --only 'sys_getpid,*' --all "$tmp/results"
stdout_has '^hitcount of sys_getpid, '
stdout_lacks 'of sys_read, '

# --- more than two sides ---

it 'three sides, separated by -- or by name'
hist diff -q --alpha 1 "$a" "$b" -- "$c" -- "$b"
status_is 1
stdout_has '^id, common_cpu  *A/s  *B/s  *delta%  *C/s  *delta%$'
checked [ "$(grep -c '^# raw_syscalls:sys_enter .*' "$tmp.out")" = 3 ] || fail_file 'not one table and two pairs' "$tmp.out"
hist diff -q --alpha 1 --label old "$a" --label new "$c" --label again "$b" --format json
status_is 1
stdout_has '"label_before":"old","label_after":"new"'
stdout_has '"label_before":"old","label_after":"again"'

it 'the same recording three times'
hist diff -q "$a" -- "$a" -- "$a"
status_is 0

it 'invalid sides'
hist diff "$a" --
status_is 2
hist diff --label old "$a"
status_is 2
stderr_has 'two sides are needed'
hist diff --label old --label new "$b"
status_is 2
stderr_has 'no files after --label old'
hist diff --label old "$a" --after "$b"
status_is 2
stderr_has 'use only one way to name the sides'
hist diff -q --format folded "$a" -- "$b" -- "$c"
status_is 2
stderr_has 'folded can show only two sides'

it 'a table of several sides names the side of each row, in any format of rows'
hist diff -q --format csv --all --label base "$a" --label b "$b" --label c "$c"
stdout_has '^side,.*,metric,before,after'
cut -d, -f1 "$tmp.out" | sort -u >"$tmp/sides"
printf 'b\nc\nside\n' | cmp -s - "$tmp/sides" || fail 'other sides'
grep '^c,' "$tmp.out" | cut -d, -f2-7 | sort >"$tmp/of_c"
hist diff -q --format csv --all --label base "$a" --label c "$c"
tail -n +2 "$tmp.out" | cut -d, -f1-6 | sort >"$tmp/alone"
holds test -s "$tmp/alone"
comm -13 "$tmp/of_c" "$tmp/alone" >"$tmp/missing"
[ -s "$tmp/missing" ] && fail_file 'the side alone has other rows' "$tmp/missing"
hist diff -q --format ndjson --all "$a" "$b"
stdout_has '^\{"[^"]*":"[^"]*",.*"metric":"hitcount","before":'

it '-- before the first file ends the options'
hist diff -q -- "$a" "$a"
status_is 0

# --- several runs per side ---

it 'runs that overlap are the same within noise'
hist diff -q --all --before "$a" "$c" --after "$b" "$tmp/results/run-11.json"
stdout_has '^\(all\) .*±[0-9]*% .* ~$'
stdout_has '^±: the 50% confidence interval of the median of 2 runs; ~: these intervals overlap$'
stdout_has '^noise: .*with 4 runs on each side runs are compared$'
status_is 0

# results that differ only in the hits of rows, in seconds and a value: 4 on each side
python=$(command -v python3)
# many SIDE FACTOR: $tmp/SIDE-N.json, in which the hits and values of x are FACTOR times as many; FACTOR 0: no x
many()
{
	"$python" - "$tmp" "$1" "$2" <<'END'
import json, random, sys
tmp, side, factor = sys.argv[1], sys.argv[2], float(sys.argv[3])
random.seed(side)
lines = [json.loads(l) for l in open(tmp + "/model.json")]
for i in range(4):
    hits = {f"task-{t}": 1000 + random.randrange(-100, 100) for t in range(40)}
    hits["x"] = int((1000 + random.randrange(-20, 20)) * factor)
    with open(f"{tmp}/{side}-{i}.json", "w") as out:
        for line in lines:
            line["data"] = [{"key": {"prev_comm": k}, "val": {"hitcount": n}} for k, n in hits.items() if n]
            line["totals"] = {"hits": sum(hits.values()), "entries": len(line["data"]), "dropped": 0}
            out.write(json.dumps(line) + "\n")
END
}

it '4 runs against 4 decide, also of three histograms with the same numbers'
[ -n "$python" ] || skip 'no python3'
if [ -n "$python" ]; then
	set -- -R 'hist:keys=prev_comm'
	"$HIST" report -q -i trace.dat-samples/switch.dat -e sched_switch "$@" -R 'hist:keys=prev_comm if prev_pid > 0' \
		-R 'hist:keys=prev_comm if prev_pid > 1' --format json -o "$tmp/model.json"
	many old 1
	many new 1.5
	many none 0
	hist diff -q --before "$tmp"/old-?.json --after "$tmp"/new-?.json
	status_is 1
	stdout_has '^p: of the 70 ways to divide the 8 runs into two sides, .* 126 numbers .*; at least 0.0286;'
	stdout_has '^changed: hitcount of x .*p=0.029\)$'
	holds test "$(grep -c '^41 rows: 1 changed, 0 only before, 0 only after' "$tmp.out")" = 3
	stdout_has '^x .* !$'
	stdout_lacks '^task-1 '
	hist diff -q --fail-on 'x:hitcount>+20%' --before "$tmp"/old-?.json --after "$tmp"/new-?.json
	status_is 1
	holds test "$(grep -c 'holds: hitcount of x .*p=0.0286, with the other tests 0.0286' "$tmp.out")" = 3
	hist diff -q --fail-on 'x:hitcount>+20%' --format json --before "$tmp"/old-?.json --after "$tmp"/new-?.json
	holds test "$(tail -n 1 "$tmp.out" | grep -o '"p_holm":[0-9.]*' | sort | uniq -c | sed 's/^ *//')" = '3 "p_holm":0.02857142857142857'
	# the same side
	hist diff -q --before "$tmp"/old-[01].json "$tmp"/new-[01].json --after "$tmp"/old-[23].json "$tmp"/new-[23].json
	status_is 0
	# too few
	hist diff -q --before "$tmp"/old-[012].json --after "$tmp"/new-[012].json
	stdout_has '^noise: .*; with 4 runs on each side runs are compared$'
	hist diff -q --alpha 0.01 --before "$tmp"/old-?.json --after "$tmp"/new-?.json
	stdout_has '^noise: .*; with 5 runs on each side runs are compared$'
fi

it 'a row is new or gone, not infinite'
if [ -n "$python" ]; then
	hist diff -q --before "$tmp"/none-?.json --after "$tmp"/new-?.json
	status_is 1
	stdout_has '^x .* new +0.029 .* \+$'
	hist diff -q --before "$tmp"/old-?.json --after "$tmp"/none-?.json
	stdout_has '^x .* gone +0.029 .* -$'
	stdout_lacks 'inf'
fi

it 'text has 20 rows of a table, or as many as asked for'
if [ -n "$python" ]; then
	for options in 20: 3:--top=3 41:--all; do
		# shellcheck disable=SC2086 # none or one
		hist diff -q --alpha 1 ${options#*:} --before "$tmp/old-0.json" --after "$tmp/new-1.json"
		rows=$(awk '/^hitcount:/ { n++ } n == 1 && /^(task-|x)/ { rows++ } END { print rows }' "$tmp.out")
		holds test "$rows" = "${options%%:*}"
	done
fi

it '--metric: one table, at most 40 lines, a verdict about this number'
if [ -n "$python" ]; then
	hist diff -q --metric hitcount --alpha 1 --format markdown --before "$tmp"/old-?.json --after "$tmp"/new-?.json
	status_is 1
	holds test "$(grep -c '^| x' "$tmp.out")" = 3
	holds test "$(wc -l <"$tmp.out")" -le 60
	for file in old-0 old-1 old-2 old-3 new-0 new-1 new-2 new-3; do
		head -n 1 "$tmp/$file.json" >"$tmp/one-$file.json"
	done
	for format in text markdown; do
		hist diff -q --metric hitcount --alpha 1 --format $format --before "$tmp"/one-old-?.json --after "$tmp"/one-new-?.json
		status_is 1
		stdout_has '(^|\| )x .*\+'
		holds test "$(wc -l <"$tmp.out")" -le 40
	done
fi
cat >"$tmp/latency" <<'END'
echo 'lat u64 us; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:l=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($l,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=comm:vals=us:worst=us:onmax($worst).save(us)' >> events/synthetic/lat/trigger
END
hist report -q -i trace.dat-samples/wakeup.dat "$tmp/latency" --show lat --stats --format json -o "$tmp/all.json"
hist diff -q --metric p50 --all "$tmp/all.json" "$tmp/all.json"
status_is 0
stdout_has '^us.p50( \(us\))?:$'
stdout_has '^comm +before +after +delta +delta% +p +n +n after'
stdout_has '^# 1 run before, 1 run after$'
stdout_lacks 'Distribution|quantile shift|^hitcount|worst.p50'
w=trace.dat-samples/wakeup.dat
hist diff -q -S "$tmp/latency" --metric p50 $w $w
status_is 0
stdout_has '^us.p50'
it '4 recordings on each side: their distributions, without --stats'
hist diff -q -S "$tmp/latency" --show lat --before $w $w $w $w --after $w $w $w $w
status_is 0
stdout_has '^us.*: quantile shift '
stdout_lacks '^worst.*: quantile shift '
hist diff -q -S "$tmp/latency" --show lat --before $w $w $w --after $w $w $w $w
stdout_lacks 'quantile shift '
hist diff -q --metric p95 "$tmp/all.json" "$tmp/all.json"
status_is 2
stderr_has "--metric p95: there is no such number, only hitcount, us, us.WHAT, worst.WHAT \(WHAT: n, min, .*\); save results with --stats"

# --- budgets ---

it 'a limit without a sign applies to the value after'
hist diff -q --absolute --fail-on 'sys_getpid,*:hitcount>3' "$a" "$a"
status_is 1
hist diff -q --absolute --fail-on 'hitcount>1000000' "$a" "$c"
status_is 0
hist diff -q --absolute --fail-on 'hitcount<1000000' "$a" "$c"
status_is 1
hist diff -q --fail-on 'hitcount>10%' "$a" "$c"
status_is 2
stderr_has 'a percentage is a change, which needs a sign'

# --- a history ---

it 'compares with the saved results of a directory'
hist diff -q --history "$tmp/results" --last 3 "$c"
stdout_has '^# before .*/run-9.json'
stdout_has '^# before .*/run-11.json'
! checked grep -q 'before .*run-12' "$tmp.out" || fail 'it is compared with itself'
checked [ "$(grep -c '^# before ' "$tmp.out")" = 3 ] || fail_file 'not the last three' "$tmp.out"
stdout_has '; \(all\) is more than that of 0 of 3 before: [0-9,.]+ \[\.\^[.12]+\] [0-9,.]+$'
hist diff --history "$tmp/none" "$c"
status_is 2
stderr_has 'none: contains no saved results'
hist diff --history "$tmp/nothing" "$c"
status_is 2
hist diff --history "$tmp/results" --before "$a" --after "$c"
status_is 2

it 'a trend, and the result at which the level changed'
hist trend "$tmp/results"
status_is 1
stdout_has '^hitcount .*█.*▁$'
stdout_has '^hitcount: changed at .*/run-7.json: '
stdout_has '^[1-9][0-9]* change points? \(p: of 2000 orders of the runs, .* any of [0-9]+ metrics .*; level 0.03\)'
hist trend --format json --last 5 "$tmp/results"
status_is 0
stdout_has '"type":"hist_trend"'
stdout_has '"changes":\[\]'

it 'no trends without data'
hist trend
status_is 2
hist trend "$tmp/none"
status_is 2
hist trend --format junit "$tmp/results"
status_is 2
hist trend Makefile
status_is 2

# --- for CI ---

"$HIST" report -q -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=next_comm' --format json -o "$tmp/plain.json"
sed -e 's/init/<b>|`@x`_y/' "$tmp/plain.json" >"$tmp/evil.json"

it 'Markdown: text of a recording is never markup'
hist diff -q --alpha 1 --format markdown "$tmp/plain.json" "$tmp/evil.json"
status_is 1
stdout_has '^### ❌ hist diff: different$'
stdout_has '^| &lt;b&gt;&#124;&#96;&#64;x&#96;&#95;y |'
! checked grep -q '<b>' "$tmp.out" || fail 'a tag came through'
stdout_has '^<details><summary>'
stdout_has '^</details>$'

it 'Markdown: at most twenty rows per table'
hist diff -q --format markdown --all "$a" "$c"
rows=$(grep -c '^| sys&#95;' "$tmp.out")
checked [ "$rows" = 20 ] || fail "$rows rows"
stdout_has ' more rows$'

it 'JUnit: without expressions, a case for each histogram'
hist diff -q --format junit "$a" "$a"
status_is 0
stdout_has '<testsuite .*tests="1" failures="0" errors="0"'
stdout_lacks '<failure'
hist diff -q --alpha 1 --format junit "$a" "$c"
status_is 1
stdout_has '<testsuite .*tests="1" failures="1" errors="0"'
stdout_has '<failure message="[^"]+"'

it 'JUnit: well-formed, a case for each expression, consistent numbers'
hist diff -q --format junit --fail-on '*:hitcount>+1000%' --fail-on 'no<thing"&:hitcount>+1' "$tmp/plain.json" "$tmp/evil.json"
status_is 1
cp "$tmp.out" "$tmp/junit.xml"
python=$(command -v python3) || skip 'no python3'
[ -z "$python" ] || run "$python" - "$tmp/junit.xml" <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suite = root[0]
cases = suite.findall("testcase")
for name, element in (("tests", None), ("failures", "failure"), ("errors", "error")):
    n = sum(1 for c in cases if element is None or c.find(element) is not None)
    if int(suite.get(name)) != n:
        sys.exit(f"{name} {suite.get(name)}, found {n}")
names = [c.get("name") for c in cases]
if not any("<b>|`@x`_y" in n for n in names) or 'no<thing"&:hitcount>+1' not in names:
    sys.exit(f"names are {names}")
END
status_is 0

# --- pictures ---

it 'a hit without a stack has a name, as in flame graphs'
hist diff -q --all -e sched_switch --by common_stacktrace trace.dat-samples/switch.dat trace.dat-samples/switch.dat
stdout_has '^\[no stack\]  '
hist report -q -i trace.dat-samples/switch.dat -e sched_switch --by common_stacktrace --format html
stdout_has '<td class="k t">\[no stack\]'

stacks=trace.dat-samples/stacks.dat
by_stack='hist:keys=common_stacktrace:vals=bytes_alloc if bytes_req > 500'
"$HIST" report -q -i $stacks --to +0.15 -e kmalloc -R "$by_stack" --format json -o "$tmp/first.json"
"$HIST" report -q -i $stacks --from +0.1 -e kmalloc -R "$by_stack" --format json -o "$tmp/second.json"

it 'folded: two columns after each stack, which add up to both sides'
hist diff -q --alpha 1 --format folded "$tmp/first.json" "$tmp/second.json"
status_is 1
checked [ "$(grep -c -v -E '^[^ ].* [0-9]+ [0-9]+$' "$tmp.out")" = 0 ] || fail_file 'a line is not FRAME;... N N' "$tmp.out"
folded=$(awk '{a += $(NF - 1); b += $NF} END {print a, b}' "$tmp.out")
hist diff -q --absolute --format csv "$tmp/first.json" "$tmp/second.json"
counted=$(awk -F, '$1 == "(all)" && $2 == "bytes_alloc" {print $7, $8}' "$tmp.out")
checked [ "$folded" = "${counted:-nothing}" ] || fail "folded has $folded, csv $counted"

it 'svg: a differential flame graph with the same sums'
hist diff -q --alpha 1 --absolute --format svg "$tmp/first.json" "$tmp/second.json"
status_is 1
stdout_has "<title>all: ${counted% *} → ${counted#* } bytes_alloc \([+-][0-9.]*%\)</title>"
stdout_has 'fill="rgb\(250,'
stdout_has 'fill="rgb\([0-9]*,[0-9]*,250\)'
hist diff -q --format svg "$tmp/first.json" -- "$tmp/second.json" -- "$tmp/first.json"
status_is 2
stderr_has 'svg can show only two sides'

it 'html: a doubt is a warning at the start, once'
hist diff -e sched_switch --by next_comm --sum next_pid trace.dat-samples/wakeup.dat trace.dat-samples/switch.dat --format html
checked [ "$(grep -o '1 run against 1 cannot decide' "$tmp.out" | wc -l)" = 1 ] || fail 'not once'
stdout_has '<p class="warn">Warning: .* cannot decide'

it 'html: contains what the text shows, and no markup of a recording'
hist diff -q --alpha 1 --format html "$tmp/plain.json" "$tmp/evil.json" --fail-on '*:hitcount>+1000%'
status_is 1
stdout_has '&lt;b&gt;|&#96;@x&#96;_y'
stdout_lacks '<b>'
stdout_has '<h1>hist diff: different</h1>'
hist diff -q --alpha 1 --format html "$tmp/first.json" "$tmp/second.json" -o "$tmp/diff.html"
status_is 1
holds grep -q '<h3>Differential flame graph</h3>' "$tmp/diff.html"

it 'thousands of rows: the first ones are those of all rows, and the others are hidden'
for n in 11000 12000; do
	"$make" "$tmp/x.dat" $n manykeys
	"$HIST" report -q -i "$tmp/x.dat" -e kmalloc --unlimited -R 'hist:keys=call_site' --format json -o "$tmp/$n.json"
done
for sort in delta key; do
	hist diff -q --all --sort $sort --top 0 --format csv "$tmp/11000.json" "$tmp/12000.json"
	holds test "$(wc -l <"$tmp.out")" -gt 11000
	head -n 9 "$tmp.out" >"$tmp/want"
	hist diff -q --all --sort $sort --top 7 --format csv "$tmp/11000.json" "$tmp/12000.json"
	head -n 9 "$tmp.out" >"$tmp/first"
	holds cmp "$tmp/want" "$tmp/first"
done
hist diff -q --all --top 7 "$tmp/11000.json" "$tmp/12000.json"
rows=$(sed -n 's/^\([0-9]*\) rows: .*/\1/p' "$tmp.out")
stdout_has "^\($((rows - 7)) more\)$"

done_testing
