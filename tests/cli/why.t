#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist why: which interval, its parts and their sums, the same as derived:delay states, messages.
# tests/unit/why_test.c has the trees of known spans of time.
. tests/cli/lib.sh

layout=hist
sample=trace.dat-samples/wakeup.dat
[ -f $sample ] || skip_all "no $sample"

# tree FILE: "LEVEL NS TEXT" of each line of a tree, ns as a whole number
tree()
{
	awk '
	/^ *[0-9]+\.[0-9]+ +[0-9.]+  / {
		ns = $1
		sub(/\./, "", ns)
		text = substr($0, index($0, $1) + length($1))
		sub(/^ +[0-9.]+  /, "", text)
		match(text, /^([|` ][- ] )*/)
		print RLENGTH / 3, ns, substr(text, RLENGTH + 1)
	}' "$1"
}

# adds_up: of the tree in $tmp/tree, the parts of each line that has some add up to it
adds_up()
{
	awk '
	function close_to(level) {
		while (top >= level) {
			if (parts[top] && sum[top] != own[top])
				bad = bad " " line[top] "(" own[top] "!=" sum[top] ")"
			top--
		}
	}
	BEGIN { top = -1 }
	{
		close_to($1)
		top = $1
		own[top] = $2
		line[top] = NR
		sum[top] = parts[top] = 0
		if (top > 0) {
			sum[top - 1] += $2
			parts[top - 1]++
		}
	}
	END { close_to(0); if (bad || !NR) { print bad; exit 1 } }' "$tmp/tree"
}

# why OPTION...: hist why of the sample, whose tree adds up
why()
{
	hist why -i $sample "$@"
	status_is 0
	tree "$tmp.out" >"$tmp/tree"
	checked adds_up >"$tmp/sums" || fail_file "$*: parts do not add up: $(cat "$tmp/sums")" "$tmp.out"
}

it 'without an event, explains the longest wait'
why
stdout_has '^derived:wait, number 1 of 818 by length$'
stdout_has '^ *4147.567 +100.0  init-488$'
stdout_has '^ *3147.694 +75.9     \|- while exe-490 ran on CPU 0$'

it 'fields are in lines as wide as the terminal, in one line of a file'
grep '^  pid=' "$tmp.out" >"$tmp/one"
COLUMNS=40 hist why -i $sample
sed -n '/^  pid=/,/^  from/p' "$tmp.out" | sed '$d' >"$tmp/lines"
holds test "$(wc -l <"$tmp/lines")" -gt 3
holds test -z "$(grep -E '.{41}| $' "$tmp/lines")"
holds test -z "$(grep -v '^  [a-z_]*=' "$tmp/lines")"
holds test "$(tr -d '\n' <"$tmp/lines" | tr -s ' ')" = "$(tr -s ' ' <"$tmp/one")"

it 'what delayed a task is what derived:delay states'
n=1
while [ $n -le 12 ]; do
	why --exemplar $n --top 0
	end=$(sed -n 's/^  from [0-9.]* to \([0-9.]*\),.*/\1/p' "$tmp.out")
	pid=$(sed -n 's/^  pid=\([0-9]*\),.*/\1/p' "$tmp.out")
	awk '$3 == "while" { who = $4 == "CPU" ? 0 : $4; sub(/.*-/, "", who); sum[who] += $2 }
		END { for (who in sum) print who, sum[who] }' "$tmp/tree" | sort >"$tmp/why"
	hist report -q -i $sample --from "$end" --to "$end" -e derived:delay -f "victim_pid == $pid" \
		--by culprit_pid --sum ns
	awk '/^{/ { print $3, $NF }' "$tmp.out" | sort >"$tmp/delays"
	checked cmp -s "$tmp/why" "$tmp/delays" ||
		fail "number $n: $(paste -s -d' ' "$tmp/why"), but derived:delay $(paste -s -d' ' "$tmp/delays")"
	n=$((n + 1))
done

it 'all parts add up, of every kind of interval, at every depth'
for depth in 1 2 9; do
	for top in 0 1 3; do
		why --depth $depth --top $top -e derived:task_state -f 'state == "sleeping"' --exemplar 9
		why --depth $depth --top $top --pid 488 --from 30.33 --to 30.36
	done
done
why --pid 488 --from 30.33 --to 30.36
stdout_has 'which meanwhile was$'
why wakeup-latency --exemplar 5
stdout_has '^derived:wait, number 5 of 646 by length$'
why wakeup-latency -D min=200
stdout_has '^derived:wait, number 1 of 4 by length$'

it '--depth limits the chain, --top the parts'
why --depth 1 --pid 488 --from 30.33 --to 30.36
stdout_has 'woke it; see --depth$'
stdout_lacks 'which meanwhile was'
why --top 1
stdout_has '^ *999.873 +24.1     `- 2 other parts \(--top 0 shows all\)$'

hist why -i $sample --all
holds test "$(grep -c '^waiting' "$tmp.out")" = 10
stdout_has '^\(others\) '
hist why -i $sample --all --top 0
stdout_lacks '^\(others\) '
hist why -i $sample --top x
status_is 2
stderr_has "--top takes a number, not 'x'"

it 'finds what contains a time'
why --at 30.3459,0
stdout_has '^derived:task_state, number 1 of 1 by length$'
stdout_has '^ *[0-9.]+ +100.0  `- running on CPU 0$'
why --at 30.3459 --pid 488
stdout_has 'waiting for a CPU \(preempted\)'
why --at 30.51 --pid 16
stdout_has ', open=end$'
why --at 30.3459 -e derived:wait
stdout_has '^derived:wait, number 1 of [0-9]+ by length$'

it 'names what there is not'
hist why -i $sample --pid 4711
status_is 2
stderr_is 'hist: error: derived:wait: there are no intervals of this task'
hist why -i $sample --exemplar 900
status_is 2
stderr_is 'hist: error: derived:wait: there are only 818 intervals'
hist why -i $sample -e sched_switch
status_is 2
stderr_has 'sched:sched_switch is not an interval: none of its fields is a length'
hist why -i $sample --at 1.5
status_is 2
stderr_is 'hist: error: derived:wait: there are no intervals at this time'
hist why -q -i $sample --at 30.348
status_is 0
stdout_has '^  pid=488, comm=init, .*ns=4147567,'
hist why -q -i $sample --comm 'rcu_*'
status_is 0
stdout_has '^  pid=16, comm=rcu_preempt, '
hist why -i $sample --at x,0
status_is 2
stderr_has 'error: x is not a time, or too large: write SECONDS, [+]SECONDS'
hist why -i $sample --at +0.1,x
status_is 2
stderr_has "--at takes a time and optionally a CPU, .*, not '[+]0.1,x'"
hist why -i $sample --at 1.5,0 --exemplar 2
status_is 2
stderr_has '^hist why: --at and --exemplar cannot be used together'
hist why -i $sample --pid x
status_is 2
stderr_has "--pid takes the number of a task, not 'x'"
hist why -i $sample -e derived:wait -f 'nonsense == 1'
status_is 1
stderr_has 'Field not found'
hist why -i trace.dat-samples/kmalloc.dat
status_is 2
stderr_has 'sched_switch'

it 'time outside the recording is unknown'
why --pid 488 --from 30.18 --to 30.2
stdout_has ' unknown: no event states what it was$'

it '--all adds up to all intervals, and to derived:delay'
if have python3; then
	hist why -i $sample --all --format json
	status_is 0
	python3 - "$tmp.out" >"$tmp/why" 2>"$tmp/why.err" <<'END' || fail_file 'json:' "$tmp/why.err"
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer['type'] == 'why_all' and answer['intervals'] == 818
assert sum(p['ns'] for p in answer['parts']) == answer['ns'] > 0
for p in sorted((p['what'], p['by'].replace('(idle CPU)', 'swapper'), p['ns']) for p in answer['parts']):
    print(*p)
END
	hist report -q -i $sample -e derived:delay --by kind,culprit_comm --sum ns --format json
	python3 - "$tmp.out" >"$tmp/delays" 2>"$tmp/why.err" <<'END' || fail_file 'json:' "$tmp/why.err"
import json, sys
rows = json.load(open(sys.argv[1]))['data']
for r in sorted(('waiting (%s)' % r['key']['kind'], r['key']['culprit_comm'], r['val']['ns']) for r in rows):
    print(*r)
END
	checked cmp -s "$tmp/why" "$tmp/delays" || fail "$(diff "$tmp/why" "$tmp/delays" | head)"
fi
hist why -i $sample wakeup-latency --all --min 200us --top 3
status_is 0
stdout_has '^waiting \(woken\)  init +1135.287 +67.1 +2 +925.034$'
stdout_has '^\(others\) +80.141 +4.7$'
stdout_has '^\(all\) +1691.274 +100.0$'
hist why -i $sample --all --format csv
status_is 0
stdout_has '^what,by,syscall,reason,ns,intervals,longest_ns$'
if have python3; then
	hist why -i $sample --all --format json
	python3 -c 'import json, sys; print(sum(p["ns"] for p in json.load(sys.stdin)["parts"]))' <"$tmp.out" >"$tmp/sum"
	hist why -i $sample --all --format csv
	holds test "$(awk -F, 'NR > 1 { s += $5 } END { print s }' "$tmp.out")" = "$(cat "$tmp/sum")"
fi
hist why -i $sample --by comm,reason --all --format csv
status_is 0
sort "$tmp.out" | sed -n '/^[^,]*,[^,]*,[0-9]/s/^\([^,]*,[^,]*,[0-9]*\).*/\1/p' >"$tmp/why"
hist report -q -i $sample -e derived:delay --by victim_comm,reason --sum ns --format csv
sort "$tmp.out" | sed -n 's/^\([^,]*,[^,]*\),[0-9]*,\([0-9]*\)$/\1,\2/p' >"$tmp/delays"
holds cmp "$tmp/why" "$tmp/delays"
hist why -i $sample run-queue-wait --all --by kind --by reason
status_is 0
stdout_has '^kind +reason +us +% +intervals  longest us$'
hist why -i $sample --all --by nobody
status_is 2
stderr_is "hist: error: --by of --all takes what, by, in, reason and the fields of derived:wait, not 'nobody'"
hist why -i $sample --by comm
status_is 2
stderr_is 'hist: error: --by=comm is for the table of --all: add --all'
hist why -i $sample --format csv
status_is 2
stderr_has "an interval has no format 'csv', but text, json, svg and html; --all prints a table"
hist why -i $sample --all --min 200ms
status_is 2
stderr_is 'hist: error: derived:wait: there are no intervals that long'
hist why -i $sample --all --format svg
status_is 2
stderr_is 'hist: error: unknown format svg; known: text, csv, tsv, json, ndjson, markdown, html, sql, csv-safe, tsv-safe, parquet'
hist why -i $sample --all --min x
status_is 2
stderr_has "--min takes a time such as 1ms, not 'x'"
hist why -i $sample --min 1ms --exemplar 9
status_is 0
hist why -i $sample --min 1ms --exemplar 99
status_is 2
stderr_is 'hist: error: derived:wait: there are only 16 intervals that long'

it 'json has the same parts'
hist why -i $sample --pid 488 --from 30.33 --to 30.36 --format json
status_is 0
if have python3; then
	python3 - "$tmp.out" >"$tmp/json" 2>"$tmp/why.err" <<'END' || fail_file 'json:' "$tmp/why.err"
import json, sys
answer = json.load(open(sys.argv[1]))
def show(part, level):
    print(level, part['ns'])
    parts = part.get('parts', [])
    assert not parts or sum(p['ns'] for p in parts) == part['ns']
    for p in parts:
        show(p, level + 1)
assert answer['type'] == 'why' and answer['schema'] == 1
show(answer, 0)
END
	why --pid 488 --from 30.33 --to 30.36 --top 0
	cut -d' ' -f1,2 "$tmp/tree" >"$tmp/text"
	holds cmp "$tmp/json" "$tmp/text"
else
	stdout_has '"kind":"blocked"'
fi

it 'svg and html are pictures with a lane for each task'
for format in svg html; do
	hist why -i $sample --pid 1 --from 30.245 --to 30.26 --format $format
	status_is 0
	for task in init-1 alpha-a-483 alpha-b-484 work-nap-485; do
		stdout_has "<text x=\"2\" y=\"14\">$task</text>"
	done
	stdout_has 'marker-end="url\(#woken\)"/>$'
	[ $format = svg ] && have xmllint && holds xmllint --noout "$tmp.out"
done
stdout_has '^<h1>Why init-1 took 15 ms</h1>$'
stdout_has '^ 15000.000  100.0  init-1$'
stdout_has 'hist why -i .* --format html</pre>'

it 'a block has the kernel stack that was recorded with its switch'
stacks=tests/cli/recipes/6.12-stacks.dat
hist why -i $stacks --pid 225 --from +0
status_is 0
stdout_has '^ +\| +at __schedule < schedule < '
hist why -i $stacks --pid 225 --from +0 --format json
stdout_has '"stack":\["__schedule","schedule",'

it 'reads a part of a large recording, and answers as if it had read all of it'
# more than 4 MB; window.t has compressed ones
"${BUILD:-build}/bench/make_recording" "$tmp/sched.dat" 80000 sched none 7
"${BUILD:-build}/bench/make_recording" "$tmp/wakeup.dat" 80000 wakeup none 7
for file in sched wakeup; do
	hist events -i "$tmp/$file.dat" -e derived:task_state --pid 220 --format csv
	awk -F, 'NR > 99 && NR % 7 == 5 { print $1 "," $3 }' "$tmp.out" | head -6 >"$tmp/moments"
	holds test "$(wc -l <"$tmp/moments")" -ge 3
	parts=0
	while read -r at; do
		hist why -i "$tmp/$file.dat" -e derived:task_state --pid 220 --at "$at"
		status_is 0
		sed -n -E '/^ *[0-9]+\.[0-9]+ +[0-9.]+  /s/[|`]-/+-/p' "$tmp.out" >"$tmp/part"
		grep -q 'wakings have no flags' "$tmp.err" || parts=$((parts + 1))
		# for a picture, all is read
		hist why -i "$tmp/$file.dat" -e derived:task_state --pid 220 --at "$at" --format html
		stderr_has 'wakings have no flags'
		sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/[├└]─/+-/g; s/│/|/g' "$tmp.out" >"$tmp/page"
		holds test "$(grep -cxFf "$tmp/page" "$tmp/part")" = "$(wc -l <"$tmp/part")"
	done <"$tmp/moments"
	holds test $parts -gt 0
	# what ends at a time, on a CPU: a part is enough, and others at this time do not matter
	hist events -i "$tmp/$file.dat" -e derived:wait --format csv
	awk -F, 'NR > 99 && NR % 4001 == 5 { print $1 "," $3, $7, $11 }' "$tmp.out" | head -6 >"$tmp/moments"
	holds test "$(wc -l <"$tmp/moments")" -ge 3
	while read -r at pid ns; do
		hist why -i "$tmp/$file.dat" -e derived:wait --at "$at"
		stdout_has '^derived:wait, number 1 of 1 by length$'
		stdout_has "^ *pid=$pid, .*, ns=$ns, "
		[ $file = large ] || ! grep -q 'wakings have no flags' "$tmp.err" || fail "all is read for $at"
	done <"$tmp/moments"
	# what a CPU ran when nothing ended
	hist events -i "$tmp/$file.dat" -e derived:task_state -f 'state == "running" && ns > 9999' --format csv
	awk -F, 'NR % 40 == 5 { printf "%.9f,%d %d %d\n", ($2 - int($12 / 2)) / 1e9, $3, $7, $12 }' "$tmp.out" | head -6 >"$tmp/moments"
	holds test "$(wc -l <"$tmp/moments")" -ge 3
	parts=0
	while read -r at pid ns; do
		hist why -i "$tmp/$file.dat" --at "$at"
		stdout_has '^derived:task_state, number 1 of 1 by length$'
		stdout_has "^ *pid=$pid, .* state=running, ns=$ns, "
		grep -q 'wakings have no flags' "$tmp.err" || parts=$((parts + 1))
	done <"$tmp/moments"
	holds test $parts -gt 0
	# the longest of all that are at a time, some of which may have no event near it
	hist why -i "$tmp/$file.dat" --at 1.0085 --format json
	status_is 0
	cp "$tmp.out" "$tmp/longest"
	hist events -i "$tmp/$file.dat" -e derived:wait --open --format csv
	awk -F, 'NR > 1 && $2 - $11 <= 1008500000 && $2 >= 1008500000 { n++; if ($11 > longest) longest = $11 } END { print n, longest }' "$tmp.out" >"$tmp/moments"
	read -r of ns <"$tmp/moments"
	holds grep -q "ns=$ns,.*\"of\":$of," "$tmp/longest"
done

it 'writes to a file'
hist why -i $sample -o "$tmp/out.txt"
status_is 0
hist why -i $sample
holds cmp "$tmp.out" "$tmp/out.txt"

done_testing
