#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Pictures without a browser: svg, heat, plot, and the elements of a page, with hostile names,
# without data, and with too much.
. tests/cli/lib.sh

samples=trace.dat-samples
esc=$(printf '\033')

# A result with names that look like markup, or that would move the cursor.
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm' --format json -o "$tmp/plain.json"
sed -e 's/"next_comm":"init"/"next_comm":"<script>alert(1)<\/script>\&\\"'"'"'`"/' \
	-e 's/"next_comm":"rcu_preempt"/"next_comm":"\\u001b[2J\\u009b2J"/' "$tmp/plain.json" >"$tmp/evil.json"
holds grep -q '<script>alert' "$tmp/evil.json"
hits=$(sed -n 's/.*"totals":{"hits":\([0-9]*\).*/\1/p' "$tmp/plain.json")

# --- flame graphs ---

it 'svg: well-formed, contains every frame of folded, the root is the sum'
hist report -q -i $samples/stacks.dat $samples/stacks.script --show kmalloc --format svg
status_is 0
cp "$tmp.out" "$tmp/flame.svg"
checked [ "$(head -c 19 "$tmp/flame.svg")" = '<?xml version="1.0"' ] || fail 'does not begin as xml'
hist report -q -i $samples/stacks.dat $samples/stacks.script --show kmalloc --format csv
sum=$(awk -F, 'NR > 1 {sum += $NF} END {print sum}' "$tmp.out")
holds grep -q "<title>all: $sum bytes_alloc (100.00%)</title>" "$tmp/flame.svg"
holds grep -q '<title>seq_read_iter: ' "$tmp/flame.svg"
if have python3; then
	run python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$tmp/flame.svg"
	status_is 0
fi

it 'svg: makes no requests, and names are not markup'
hist merge "$tmp/evil.json" --format svg
status_is 0
stdout_lacks '(href|src|url)[ =(]'
stdout_lacks '<script>alert'
stdout_has '&lt;script&gt;alert\(1\)&lt;/script&gt;&amp;&#34;&#39;&#96;'
stdout_has '\\x1b\[2J'

it 'svg: the first of several histograms, as folded'
hist report -i $samples/stacks.dat $samples/stacks.script --format svg
status_is 0
stderr_has 'note: svg shows the first table of the answer, --show N another one: '

# --- a page ---

it 'html: names are not markup, and the page makes no requests'
hist merge "$tmp/evil.json" --format html
status_is 0
stdout_lacks '<script>alert'
stdout_has '&lt;script&gt;alert'
stdout_lacks '(href|src)='
stdout_has "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/]*=*'; style-src 'sha256-"
holds grep -q "<dd class=\"hits\">$hits</dd>" "$tmp.out"

it 'html: the hashes of the policy match the elements of the page'
have sha256sum base64 || skip 'no sha256sum or base64'
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm' --format html
for element in script style; do
	in_policy=$(sed -n "s/.*$element-src 'sha256-\([^']*\)'.*/\1/p" "$tmp.out")
	sed -n "/<$element>/,/<\/$element>/p" "$tmp.out" | sed -e "s/^.*<$element>//" -e "s/<\/$element>.*//" >"$tmp/element"
	# the newline before the end tag belongs to the element, the one that sed appends does not
	head -c -1 "$tmp/element" >"$tmp/exact"
	got=$(sha256sum <"$tmp/exact" | cut -c1-64 | sed 's/../\\x&/g')
	got=$(env printf "$got" | base64)
	checked [ "$got" = "$in_policy" ] || fail "$element: $got is not $in_policy"
done

it 'html: reports lost, dropped and omitted data'
sed 's/"lost_events":0/"lost_events":77/; s/"dropped":0/"dropped":5/' "$tmp/plain.json" >"$tmp/lost.json"
hist merge "$tmp/lost.json" --format html
stdout_has '77 events were lost'
stdout_has '5 hits were dropped'

it 'html: a histogram without rows'
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm if next_pid == 123456' --format html
status_is 0
stdout_has 'No event was counted'
stdout_has '</html>'

it 'html: a page with 100,000 rows has a moderate size'
awk -v like="$tmp/plain.json" -f tests/cli/many_rows.awk >"$tmp/many.json"
hist merge "$tmp/many.json" --format html -o "$tmp/many.html"
status_is 0
checked [ "$(wc -c <"$tmp/many.html")" -lt 1000000 ] || fail "$(wc -c <"$tmp/many.html") bytes"
holds grep -q '99000 more rows are left out here' "$tmp/many.html"

it 'html: statistics are a table with the numbers of the json'
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm:vals=prev_prio' --stats --format json
mean=$(grep -o '"prev_prio":{"of":"val"[^}]*' "$tmp.out" | sed 's/.*"mean":\([0-9.]*\).*/\1/')
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm:vals=prev_prio' --stats --format html
status_is 0
stdout_has 'aria-label="statistics"'
stdout_has "<tr><td>prev_prio</td><td class=\"n\">1680</td><td class=\"n\">0</td><td class=\"n\">120</td><td class=\"n\">$(printf %.6g "$mean")</td>"

it 'html with a rejected line writes no file'
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=nothing' --format html -o "$tmp/rejected.html"
status_is 1
checked [ ! -e "$tmp/rejected.html" ] || fail 'there is one'

# --- terminal ---

# cells FILE: adds up the sums at the ends of lines
cells()
{
	awk -F'|' 'NF == 3 {sum += $3} END {print sum + 0}' "$1"
}

it 'heat: the sums add up to the histogram, and the lines fit'
for columns in 60 80 132; do
	COLUMNS=$columns hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm' --interval 0.01 --format heat
	status_is 0
	sum=$("$HIST" report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm' |
		sed -n 's/^ *Hits: //p')
	checked [ "$(cells "$tmp.out")" = "$sum" ] || fail "$columns columns: $(cells "$tmp.out") is not $sum"
	longest=$(grep '|' "$tmp.out" | awk '{if (length > n) n = length} END {print n}')
	checked [ "$longest" -le $columns ] || fail "$columns columns: a line has $longest"
done

it 'heat and plot fit 40, 80 and 200 columns, and use them'
for columns in 40 80 200; do
	for colour in never always; do
		for format in heat plot; do
			COLUMNS=$columns hist report -q --color=$colour -i $samples/wakeup.dat $samples/wakeup.script \
				--interval 0.002 --format $format
			status_is 0
			sed "/^#/d; s/$esc\[[0-9;]*m//g" "$tmp.out" >"$tmp/lines"
			longest=$(LC_ALL=C.UTF-8 wc -L <"$tmp/lines")
			checked [ "$longest" -le $columns ] || fail_file "$format of $columns columns: a line has $longest:" "$tmp/lines"
			checked [ "$longest" -gt $((columns * 2 / 3)) ] || fail_file "$format of $columns columns: the longest line has $longest:" "$tmp/lines"
		done
	done
done

it 'plain text in a pipe and with --color=never, blocks and colours with --color=always'
hist report -q -i $samples/wakeup.dat $samples/wakeup.script --interval 0.05 --format heat
LC_ALL=C stdout_lacks "[^ -~]"
hist report -q --color=always -i $samples/wakeup.dat $samples/wakeup.script --interval 0.05 --format heat
stdout_has "$esc\\[38;5;[0-9]*m█"
NO_COLOR=1 hist report -q -i $samples/wakeup.dat $samples/wakeup.script --format plot
LC_ALL=C stdout_lacks "[^ -~]"
hist report -q --color=always -i $samples/wakeup.dat $samples/wakeup.script --format plot
stdout_has "$esc\\[38;5;31m█"

it 'plot: has quantiles, and the bars are the rows'
hist report -q -i $samples/wakeup.dat $samples/wakeup.script --format plot
status_is 0
stdout_has '^lat: 662 hits, p50 <= 32 us, p90 <= 64 us, p99 <= 256 us, p99.9 <= 1.02 ms$'
stdout_has '^ *9 us to 16 us \|#+ *282  42\.6%$'
stdout_has '^ *17 us to 32 us \|#+ *188  28\.4% p50$'

it 'names cannot move the cursor'
for format in heat plot; do
	for colour in never always; do
		hist merge --color=$colour "$tmp/evil.json" --format $format
		status_is 0
		stdout_lacks "$esc\\[2J"
		LC_ALL=C stdout_lacks "$(printf '\302\233')"
		stdout_has '\\x1b\[2J\\u009b2J'
	done
done

it 'no rows, one row, a narrow terminal'
for format in heat plot; do
	hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm if next_pid == 123456' --format $format
	status_is 0
	stdout_has 'no event was counted'
	hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=common_type' --format $format
	status_is 0
	COLUMNS=1 hist merge "$tmp/plain.json" --format $format
	status_is 0
done

it 'list: sparklines only on a terminal'
hist list $samples/wakeup.dat
LC_ALL=C stdout_lacks "[^ -~]"
hist list --color=always $samples/wakeup.dat
stdout_has '^ *1222  [ ▁▂▃▄▅▆▇█]*█[ ▁▂▃▄▅▆▇█]*  sched:sched_switch$'

done_testing
