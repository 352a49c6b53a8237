#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --top, --sort and --show: the same rows in every format of hist report, merge and trend.
. tests/cli/lib.sh

samples=trace.dat-samples
[ -f $samples/kmalloc.dat ] || skip_all "no $samples"
sites='-e kmalloc --by call_site --sum bytes_alloc'

# the rows of all, by awk and sort
# shellcheck disable=SC2086 # words
hist report -q -i $samples/kmalloc.dat $sites --format csv
cp "$tmp.out" "$tmp/all.csv"
rows=$(($(wc -l <"$tmp/all.csv") - 1))

it 'csv and tsv have the largest rows, and a note the number of the others'
# shellcheck disable=SC2086
hist report -i $samples/kmalloc.dat $sites --top 3 --format csv
status_is 0
{ head -n 1 "$tmp/all.csv"; sed 1d "$tmp/all.csv" | sort -t, -k4,4nr | head -n 3; } >"$tmp/want"
stdout_is_file "$tmp/want"
stderr_has "note: csv: $((rows - 3)) rows of kmem:kmalloc are left out; --top 0 prints all"
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --top 3 --format tsv
tr , '\t' <"$tmp/want" >"$tmp/want.tsv"
stdout_is_file "$tmp/want.tsv"
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --top 0 --format csv
stdout_is_file "$tmp/all.csv"

it '--sort by another column, in every format; texts by letters'
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --sort hits --top 2 --format csv
{ head -n 1 "$tmp/all.csv"; sed 1d "$tmp/all.csv" | sort -s -t, -k3,3nr | head -n 2; } >"$tmp/want"
stdout_is_file "$tmp/want"
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --sort call_site --format csv
sed 1d "$tmp.out" | cut -d, -f2 >"$tmp/names"
holds test "$(wc -l <"$tmp/names")" = "$rows"
holds env LC_ALL=C sort -c "$tmp/names"
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --sort nothing --format csv
status_is 2
stdout_is ''
stderr_has 'the histogram has no column nothing; it has call_site, hitcount, bytes_alloc'

it '--sort in the other direction, by the title of a column, by a number of --stats'
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --format csv --sort ns.ascending
holds test "$(sed 1d "$tmp.out" | cut -d, -f3)" = "$(sed 1d "$tmp.out" | cut -d, -f3 | sort -n)"
cp "$tmp.out" "$tmp/want"
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --format csv --sort total.ascending
stdout_is_file "$tmp/want"
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --format csv --sort comm.descending
holds test "$(sed 1d "$tmp.out" | cut -d, -f1)" = "$(sed 1d "$tmp.out" | cut -d, -f1 | LC_ALL=C sort -r)"
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --format csv --sort ns.min.ascending
at=$(head -n 1 "$tmp.out" | tr , '\n' | grep -n -x ns_min | cut -d: -f1)
holds test "$(sed 1d "$tmp.out" | cut -d, -f"$at")" = "$(sed 1d "$tmp.out" | cut -d, -f"$at" | sort -n)"

it 'the sum of an expression is a column of a text, too'
hist report -q -i $samples/kmalloc.dat -e kmalloc --by call_site --sum bytes_alloc-bytes_req --top 1
stdout_has '^call_site  *hits  *bytes_alloc-bytes_req$'

it 'a table without the column of --sort has its own order'
hist report -q -i $samples/wakeup.dat wakeup-latency --sort max --top 2 --show 0
status_is 0
stdout_has '^rcu_preempt '
stdout_has '^8\.19 us to 16\.4 us +264 '
stdout_has '^16\.4 us to 32\.8 us +192 '
hist report -q -i $samples/wakeup.dat wakeup-latency --show 3 --top 1 --sort max --format json
status_is 2
stdout_is ''

it 'the numbers of --stats sort, too'
hist report -q -i $samples/wakeup.dat wakeup-latency --stats --show 1 --sort ns.p50 --top 4 --format csv
status_is 0
at=$(head -n 1 "$tmp.out" | tr , '\n' | grep -n -x ns_p50 | cut -d: -f1)
sed 1d "$tmp.out" | cut -d, -f"$at" >"$tmp/p50"
holds test "$(wc -l <"$tmp/p50")" = 4
holds sort -c -r -n "$tmp/p50"

it 'a distribution keeps its order'
hist report -q -i $samples/kmalloc.dat -e kmalloc --by bytes_req.log2 --top 3 --format csv
sed 1d "$tmp.out" | cut -d, -f1 >"$tmp/keys"
holds test "$(wc -l <"$tmp/keys")" = 3
holds sort -c -n "$tmp/keys"

it 'json counts the rows that are left out, and merge and diff warn of them'
# shellcheck disable=SC2086
hist report -i $samples/kmalloc.dat $sites --top 3 --format json -o "$tmp/cut.json"
status_is 0
stderr_is ''
holds grep -q "\"entries\":3,\"left_out\":$((rows - 3))," "$tmp/cut.json"
hist merge "$tmp/cut.json"
status_is 0
stderr_has "warning: $((rows - 3)) rows were left out when the result was saved \\(--top\\)"
hist merge --strict "$tmp/cut.json"
status_is 2
hist diff "$tmp/cut.json" "$tmp/cut.json"
stderr_has "$((rows - 3)) rows were left out when the result was saved"
# a result that lacks hits without a reason was changed
sed 's/"caveats":\[[^]]*\],//' "$tmp/cut.json" >"$tmp/changed.json"
hist merge "$tmp/changed.json"
status_is 2
stderr_has 'the sum of the hitcount column differs'
# shellcheck disable=SC2086
hist report -i $samples/kmalloc.dat $sites --top 2 --format ndjson
holds test "$(grep -c '"hist_row"' "$tmp.out")" = 2
stdout_has "\"left_out\":$((rows - 2)),"
stderr_is ''

it 'pictures and metrics have the numbers of all rows'
hist report -q -i $samples/wakeup.dat wakeup-latency --show 2 --format plot
cp "$tmp.out" "$tmp/want"
hist report -q -i $samples/wakeup.dat wakeup-latency --show 2 --format plot --top 3
stdout_is_file "$tmp/want"
stdout_has '^duration: 646 hits, '
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --format plot --top 3
stdout_has '^comm: 646 hits$'
stdout_has '^ *\(8 others\) \|#* +190  29\.4%$'
hist report -q -i $samples/wakeup.dat wakeup-latency --show 2 --format heat --top 3
holds test "$(grep -c '|' "$tmp.out")" = "$(grep -c '|' "$tmp/want")"
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --format heat --top 3
stdout_has '^ *\(8 others\) \|.* 190$'
# the rows with the largest p99, not those with the most hits
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --stats --sort p99 --top 3 --format csv
cut -d, -f1 "$tmp.out" | sed 1d | sort >"$tmp/want"
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --stats --sort p99 --top 3 --format plot
holds test "$(grep '|' "$tmp.out" | grep -v others | sed 's/ *|.*//; s/^ *//' | sort)" = "$(cat "$tmp/want")"
hist report -q -i $samples/wakeup.dat wakeup-latency --show 2 --format openmetrics --top 2
stdout_has '_bucket\{le="\+Inf"\} 646$'
stdout_lacks '^hist_entries 2$'

it 'pages, flame graphs and plugins have the rows that they get'
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --top 3 --format html
stdout_has "$((rows - 3)) more rows are left out"
hist report -q -i $samples/stacks.dat -e kmalloc --by kstack --format json
hits=$(sed -n 's/.*"totals":{"hits":\([0-9]*\),.*/\1/p' "$tmp.out")
hist report -i $samples/stacks.dat -e kmalloc --by kstack --format svg --top 2
stdout_has '<title>all: '"$hits"' hitcount '
stdout_has '<title>\([0-9]+ others: --top 0\): [0-9]+ hitcount '

it 'merge sorts, chooses and shows as report does'
# shellcheck disable=SC2086
hist report -q -i $samples/kmalloc.dat $sites --format json -o "$tmp/all.json"
for options in '--top 3' '--sort hits' '--sort call_site --top 5'; do
	for format in csv text; do
		# shellcheck disable=SC2086
		hist report -q -i $samples/kmalloc.dat $sites --format $format $options
		cp "$tmp.out" "$tmp/want"
		# shellcheck disable=SC2086
		hist merge -q "$tmp/all.json" --format $format $options
		stdout_is_file "$tmp/want"
	done
done
hist report -q -i $samples/wakeup.dat wakeup-latency --format json -o "$tmp/three.json"
hist report -q -i $samples/wakeup.dat wakeup-latency --show 3 --format csv
cp "$tmp.out" "$tmp/want"
hist merge -q "$tmp/three.json" --show 3 --format csv
stdout_is_file "$tmp/want"
hist report -q -i $samples/wakeup.dat wakeup-latency --show 1 --format csv
cp "$tmp.out" "$tmp/want"
hist merge "$tmp/three.json" --show derived:wait --format csv
status_is 0
stderr_has 'note: csv shows the first table of the answer, --show N another one: derived:wait, '
stdout_is_file "$tmp/want"
hist merge -q "$tmp/three.json" --show 4
status_is 2
stderr_has '--show 4: not an event of the results, nor a number from 1 to 3'

it 'trend has the values of the largest rows'
cp "$tmp/all.json" "$tmp/again.json"
hist trend "$tmp/all.json" "$tmp/again.json" --absolute --top 2
stdout_has '^bytes_alloc of '
holds test "$(grep -c '^hitcount of ' "$tmp.out")" = 2
stdout_has "^\\($((rows - 2)) more: --top 0\\)$"
hist trend "$tmp/all.json" "$tmp/again.json" --absolute --top 0 --format json
holds test "$(grep -o '"metric":"hitcount of' "$tmp.out" | wc -l)" = "$rows"

done_testing
