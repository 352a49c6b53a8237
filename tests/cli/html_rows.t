#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# html as a format of rows: a page with a table, which has the cells of tsv, and no text of a recording as markup.
. tests/cli/lib.sh

samples=trace.dat-samples

# same TITLE COMMAND...: the page has this title and the cells of tsv
same()
{
	title=$1
	shift
	hist "$@" --format tsv
	status_is 0
	cp "$tmp.out" "$tmp/tsv"
	hist "$@" --format html
	status_is 0
	cp "$tmp.out" "$tmp/page.html"
	run python3 tests/cli/html_rows.py "$tmp/page.html" "$tmp/tsv"
	status_is 0
	stdout_is "$title"
}

it 'each verb that prints rows prints them as a page'
same 'Events of recordings' list -q $samples/switch.dat
same 'CPUs of recordings' list -q $samples/switch.dat --show 2
same 'Fields of events' list -q -e $samples/switch.dat
same 'Events' events -q -i $samples/wakeup.dat
same 'Events' events -q -i $samples/switch.dat -e sched_switch -j 2
same 'Entries' dump -q -i $samples/wakeup.dat
same 'Totals of CPUs' dump -q -i $samples/wakeup.dat --totals
same 'Findings of the audit' dump -q -i $samples/wakeup.dat --audit
same 'Causes of waiting' why -q -i $samples/switch.dat --all
same 'Answer' sql -q -i $samples/switch.dat 'SELECT comm, count(*) AS n FROM sched_switch GROUP BY 1 ORDER BY 2 DESC'
same 'Answer' sql -q -i $samples/switch.dat 'SELECT 1 AS a; SELECT NULL AS b, x'\''ff'\'' AS c'
same 'sched:sched_switch' report -q -i $samples/wakeup.dat -e sched_switch --by prev_comm --interval 50ms --over-time

it 'text of a recording is not markup'
hist sql -q -i $samples/switch.dat --format html "SELECT '<script>alert(\"1\")</script>&amp;' AS \"<b>\""
status_is 0
stdout_has '<th scope="col">&lt;b&gt;</th>'
stdout_has '<td>&lt;script&gt;alert.&#34;1&#34;.&lt;/script&gt;&amp;amp;</td>'
stdout_lacks '<script'

it 'verbs with pages of their own keep them'
hist report -q -i $samples/wakeup.dat wakeup-latency --format html -o "$tmp/report.html"
status_is 0
holds grep -q 'class="rows' "$tmp/report.html"
hist summary -q -i $samples/wakeup.dat --format html -o "$tmp/summary.html"
status_is 0
holds grep -q "<main>" "$tmp/summary.html"

it 'the error for an unknown format names html once'
hist report -q -i $samples/wakeup.dat --format nosuch
status_is 2
holds test "$(grep -o ' html' "$tmp.err" | wc -l)" = 1

done_testing
