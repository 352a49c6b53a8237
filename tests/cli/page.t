#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Pages of --format html in a browser: numbers, sorting, filters, zooming, keys, hostile names.
. tests/cli/lib.sh

browser=
for b in chromium chromium-browser google-chrome; do
	command -v $b >/dev/null && browser=$b && break
done
[ -n "$browser" ] || skip_all 'no chromium'
have sha256sum base64 python3 || skip_all 'no sha256sum, base64 or python3'
samples=trace.dat-samples

# open_url URL [OPTION...]: prints the elements after the scripts ran, and the console on stderr
open_url()
{
	url=$1
	shift
	rm -rf "$tmp/profile"
	long_run $browser --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
		--disable-dev-shm-usage --user-data-dir="$tmp/profile" --enable-logging=stderr "$@" --dump-dom "$url"
}

# A start of a browser takes seconds, so one shows all pages, each in a frame of its own. The script
# of a test runs last in its page; calls of say() send a line to the window around the frames.
frames=''

# with NAME PAGE WIDTH SCRIPT: a copy of the page, permitted by its policy to run SCRIPT
with()
{
	printf '%s' "(function () { var out = [];
function say(name, x) { out.push(name + '=' + JSON.stringify(x)); }
function all(s, e) { return [].slice.call((e || document).querySelectorAll(s)); }
function click(e) { e.dispatchEvent(new MouseEvent('click', { bubbles: true })); }
function key(e, k) { e.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true })); }
function type(e, text) { e.value = text; e.dispatchEvent(new Event('input')); }
function shown(rows) { return rows.filter(function (r) { return !r.hidden; }); }
function on_top() { say('title', document.title); say('scripts', all('script').length); }
try { $4 } catch (e) { say('error', String(e)); }
parent.postMessage('$1 ' + JSON.stringify(out), '*'); }());" >"$tmp/probe.js"
	# shellcheck disable=SC2059 # the format is the bytes
	hash=$(env printf "$(sha256sum <"$tmp/probe.js" | cut -c1-64 | sed 's/../\\x&/g')" | base64)
	python3 - "$2" "$tmp/probe.js" "$hash" >"$tmp/$1.probe.${2##*.}" <<'END'
import sys
page = open(sys.argv[1], encoding="utf-8").read()
probe = open(sys.argv[2], encoding="utf-8").read()
page = page.replace("script-src '", f"script-src 'sha256-{sys.argv[3]}' '", 1)
end = page.rindex("</svg>" if sys.argv[1].endswith(".svg") else "</body>")
tags = ("<script><![CDATA[", "]]></script>") if sys.argv[1].endswith(".svg") else ("<script>", "</script>")
sys.stdout.reconfigure(encoding="utf-8")
sys.stdout.write(page[:end] + tags[0] + probe + tags[1] + page[end:])
END
	frames="$frames<iframe src=\"$1.probe.${2##*.}\" width=\"$3\" height=\"800\"></iframe>
"
}

# show_all: what each page gave to say(), and its console, to $tmp/NAME.said and $tmp/NAME.console
show_all()
{
	cat >"$tmp/all.html" <<END
<!DOCTYPE html><meta charset="utf-8"><body><pre id="said"></pre><script>
addEventListener('message', function (e) { document.getElementById('said').textContent += e.data + '\n'; });
</script>
$frames
END
	open_url "file://$tmp/all.html" --window-size=1400,900 --virtual-time-budget=20000
	python3 - "$tmp" "$tmp.out" "$tmp.err" <<'END'
import glob, html, json, os, re, sys
tmp, out, err = sys.argv[1:]
text = open(out, encoding="utf-8", errors="replace").read()
m = re.search(r'<pre id="said">(.*?)</pre>', text, re.S)
for line in html.unescape(m.group(1) if m else "").splitlines():
    name, said = line.split(" ", 1)
    with open(f"{tmp}/{name}.said", "w", encoding="utf-8") as f:
        f.write("".join(s + "\n" for s in json.loads(said)))
console = open(err, encoding="utf-8", errors="replace").read().splitlines()
for page in glob.glob(f"{tmp}/*.probe.*"):
    name = os.path.basename(page).split(".")[0]
    with open(f"{tmp}/{name}.console", "w", encoding="utf-8") as f:
        f.write("".join(c + "\n" for c in console if "CONSOLE" in c and os.path.basename(page) in c))
with open(f"{tmp}/other.console", "w", encoding="utf-8") as f:
    f.write("".join(c + "\n" for c in console if "CONSOLE" in c and ".probe." not in c))
END
}

# The page that the following checks are about.
page=
on()
{
	page=$1
	[ -f "$tmp/$page.said" ] || : >"$tmp/$page.said"
}

# said NAME JSON
said()
{
	checked grep -q -x -F -e "$1=$2" "$tmp/$page.said" || fail_file "$page: $1 is not $2:" "$tmp/$page.said"
}

# The page wrote nothing to the console, and its script had no error.
quiet()
{
	! checked grep -q CONSOLE "$tmp/$page.console" || fail_file 'on the console:' "$tmp/$page.console"
	checked [ -s "$tmp/$page.said" ] || fail "$page said nothing"
	! checked grep -q ^error= "$tmp/$page.said" || fail_file 'an error:' "$tmp/$page.said"
}

by_comm='hist:keys=next_comm:vals=hitcount,next_prio:sort=hitcount'
"$HIST" report -i $samples/switch.dat -e sched_switch -R "$by_comm" --exemplars 2:next_prio --format html -o "$tmp/switch.html"
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$by_comm" --exemplars 2:next_prio --format json -o "$tmp/switch.json"
"$HIST" report -q -i $samples/stacks.dat $samples/stacks.script --show kmalloc --format html -o "$tmp/stacks.html"
"$HIST" report -q -i $samples/stacks.dat $samples/stacks.script --show kmalloc --format svg -o "$tmp/flame.svg"
sed 's/:vals=lat:sort=lat.descending/:sort=hitcount.descending/' $samples/wakeup.script >"$tmp/hits.script"
"$HIST" report -q -i $samples/wakeup.dat "$tmp/hits.script" --interval 0.01 --format html -o "$tmp/heat.html"
for part in '--to +0.15' '--from +0.1'; do
	# shellcheck disable=SC2086 # an option and its argument
	"$HIST" report -q -i $samples/wakeup.dat $part $samples/wakeup.script --stats --format json -o "$tmp/part${part#* }.json"
done
"$HIST" diff -q "$tmp/part+0.15.json" "$tmp/part+0.1.json" --format html -o "$tmp/diff.html"
"$HIST" diff -q "$tmp/part+0.15.json" "$tmp/part+0.1.json" --format json -o "$tmp/diff.json"
sed -e 's/"next_comm":"init"/"next_comm":"<img src=x onerror=alert(1)><script>document.title=1<\/script>"/' \
	-e 's/"comm":"[^"]*"/"comm":"<b>\&amp;\\"`"/g' -e 's/"lost_events":0/"lost_events":7/' \
	-e 's/sched:sched_switch/sched:<b onclick=x>\&lt;/' "$tmp/switch.json" >"$tmp/evil.json"
"$HIST" merge -q "$tmp/evil.json" --format html -o "$tmp/evil.html"
sed 's/<\/main>/<script>document.title = "ran";<\/script><\/main>/' "$tmp/switch.html" >"$tmp/injected.html"
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$by_comm" --format json -o "$tmp/plain.json"
awk -v like="$tmp/plain.json" -v more=',"next_prio":0' -f tests/cli/many_rows.awk >"$tmp/many.json"
"$HIST" merge "$tmp/many.json" --format html -o "$tmp/many.html"
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "hist:keys=next_comm if next_comm == \"rcu_preempt\"" --interval 10 --format html -o "$tmp/one.html"
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "hist:keys=next_comm if next_prio > 1000" --interval 0.1 --format html -o "$tmp/none.html"

"$HIST" report -q -i tests/cli/recipes/6.12.dat wakeup-latency --interval 0.05 --format html -o "$tmp/answer.html"
"$HIST" report -q -i tests/cli/recipes/6.12.dat wakeup-latency --stats --exemplars 8 --format json -o "$tmp/answer.json"
"$HIST" report -q -i tests/cli/recipes/6.12.dat -e derived:wait --by comm --sum ns --format html -o "$tmp/derived.html"

with table "$tmp/switch.html" 1280 "
var t = document.querySelector('table.rows'), rows = all('tbody tr', t), b = all('th button', t),
	box = document.querySelector('.tools input');
function order() { return all('tbody tr', t).map(function (r) { return Number(r.cells[1].dataset.v); }); }
function sorted(v, sign) { return v.every(function (x, i) { return !i || sign * (x - v[i - 1]) >= 0; }); }
say('rows', rows.map(function (r) { return [r.cells[0].textContent, r.cells[1].dataset.v, r.cells[2].dataset.v]; }));
click(b[1]); say('first', b[1].parentNode.getAttribute('aria-sort')); say('first sorted', sorted(order(), -1));
click(b[1]); say('second', b[1].parentNode.getAttribute('aria-sort')); say('second sorted', sorted(order(), 1));
click(b[0]); say('other', b[1].parentNode.getAttribute('aria-sort'));
type(box, 'RCU');
say('fewer', shown(rows).length > 0 && shown(rows).length < rows.length);
say('all match', shown(rows).every(function (r) { return /rcu/.test(r.textContent); }));
say('counted', document.querySelector('.tools output').textContent === shown(rows).length + ' of ' + rows.length + ' rows');
say('repeat', document.querySelector('.repeat pre').textContent.indexOf('hist report -i ') === 0);
b[0].focus(); say('by keyboard', document.activeElement === b[0]);
say('regions', all('.wide').every(function (e) { return e.tabIndex === 0 && e.getAttribute('role') === 'region'; }));
say('exemplars', all('table.exemplars tbody tr').map(function (r) { return [r.cells[0].dataset.v, r.cells[1].dataset.v, r.cells[3].textContent]; }));
say('commands', all('table.exemplars code').every(function (c) { return /^hist report -i .*switch.dat --around [0-9.]+,[0-9]+$/.test(c.textContent); }));
say('of rows', rows.map(function (r) { return [r.cells[0].textContent, r.cells[3].dataset.v]; }));"

with flame "$tmp/stacks.html" 1280 "
var svg = document.querySelector('svg.flame'), fs = all('svg.f', svg), box = document.querySelector('.tools input');
function of(n) { return fs.filter(function (f) { return f.querySelector('title').textContent.indexOf(n + ':') === 0; })[0]; }
function visible() { return fs.filter(function (f) { return f.getAttribute('display') !== 'none'; }).length; }
function width(f) { return Math.round(parseFloat(f.getAttribute('width')) * 100) / 100; }
var f = of('seq_read_iter'), before = width(f);
say('at first', visible() === fs.length && before < 100);
click(f); say('zoomed', width(f)); say('others hidden', visible() < fs.length); say('callers pale', of('all').classList.contains('up'));
key(svg, 'Escape'); say('back', width(f) === before && visible() === fs.length);
key(svg, 'ArrowDown'); key(svg, 'Enter'); say('by key', width(of('seq_read')));
key(svg, 'Escape');
type(box, 'seq_read_iter');
say('hits', all('svg.hit').length);
say('found', document.querySelector('.tools output').textContent === '1 frames match, ' + before.toFixed(1) + '% of the whole');"

with heat "$tmp/heat.html" 400 "
say('sums', ['section > .heatbox', '.group .heatbox'].map(function (of) { var sum = 0;
	all(of + ' svg.heat rect[class] title').forEach(function (t) { sum += Number(t.textContent.split(': ').pop().replace(/,/g, '')); });
	return sum === Number(document.querySelector('.hits').textContent); }));
var s = document.querySelector('.group'), rows = all('table.rows tbody tr', s);
click(s.querySelector('svg.heat rect[data-key=init]'));
say('filtered', shown(rows).length > 0 && shown(rows).length < rows.length &&
	shown(rows).every(function (r) { return /init/.test(r.textContent); }));
say('fits', document.documentElement.scrollWidth <= window.innerWidth);
say('narrow', window.innerWidth < 600);
say('one table', rows.length === 11);
var cells = s.querySelector('svg.cells'), rect = all('rect[class]', cells);
function at() { return rect.indexOf(cells.querySelector('rect.at')); }
say('focusable', cells.tabIndex === 0);
key(cells, 'Escape'); say('unfiltered', shown(rows).length === rows.length);
var init = rect.filter(function (r) { return r.dataset.key === 'init'; });
click(init[0]); var first = at(); key(cells, 'ArrowRight'); var second = at(); key(cells, 'ArrowLeft');
say('moves', second > first && at() === first && rect[second].getAttribute('y') === rect[first].getAttribute('y'));
key(cells, 'ArrowDown'); say('down', Number(rect[at()].getAttribute('y')) > Number(rect[first].getAttribute('y')));
say('shown', s.querySelector('.readout output').textContent === rect[at()].querySelector('title').textContent);
key(cells, 'Enter'); say('filters by key', shown(rows).length > 0 && shown(rows).every(function (r) {
	return r.textContent.indexOf(rect[at()].dataset.key) >= 0; }));
say('levels', all('.legend .scale span', s).length);
say('bars', all('section').every(function (s) { var sum = 0, bars = all('svg.chart rect title', s);
	bars.forEach(function (t) { sum += Number(t.textContent.split(': ').pop().replace(/,/g, '')); });
	return !bars.length || sum === Number(s.querySelector('.hits').textContent); }));"

with diff "$tmp/diff.html" 400 "
say('all', all('table.rows tbody tr').filter(function (r) { return r.cells[0].textContent === '(all)'; })
	.map(function (r) { return Number(r.cells[r.cells.length - 2].dataset.v); }));
var t = document.querySelector('table.rows'); click(all('th button', t)[3]);
say('sorted', t.tBodies[0].rows[0].cells[3].dataset.v >= t.tBodies[0].rows[1].cells[3].dataset.v);
say('fits', document.documentElement.scrollWidth <= window.innerWidth);
say('repeat', document.querySelector('.repeat pre').textContent.indexOf('hist diff ') === 0);
say('titles', all('th').every(function (h) { return h.textContent.trim() !== ''; }));"

with evil "$tmp/evil.html" 1280 "
say('scripts', all('script').length); say('elements', all('img, b').length);
say('title', document.title.indexOf('sched:<b onclick=x>&lt; by next_comm') === 0);
say('text', all('td.k').some(function (c) {
	return c.textContent === '<img src=x onerror=alert(1)><script>document.title=1</' + 'script>'; }));
say('lost', all('.warn').some(function (p) { return /7 events were lost/.test(p.textContent); }));
say('task', all('td.e').some(function (c) { return c.textContent.indexOf('<b>&amp;') >= 0; }));"

with answer "$tmp/answer.html" 1280 "say('title', document.title);
say('hits', all('.tiles dt').map(function (t) { return t.textContent; }));
function at(t) { return Number(t.parentNode.children[1].textContent.replace(/,/g, '')); }
say('counted', at(all('.tiles dt')[0]));
say('values', ['.chart rect', '.heat rect[class]'].map(function (of) { var sum = 0;
	all('section > .heatbox ' + of + ' title').forEach(function (t) { sum += Number(t.textContent.split(': ').pop().replace(/,/g, '')); });
	return sum; }));
say('worst', all('table.exemplars tbody tr').map(function (r) { return r.cells[0].dataset.v + ' ' + r.cells[1].dataset.v; }));
say('totals', all('.group')[0].querySelectorAll('tbody tr').length);
say('first time', all('svg.times text')[0].textContent);
say('folded', all('details').every(function (d) { return !d.open; }));
say('shown', all('table.rows')[0].parentNode.querySelectorAll('tbody tr').length > 20 &&
	getComputedStyle(all('table.rows')[0].tBodies[0].rows[20]).display);
all('.more')[0].click();
say('unfolded', getComputedStyle(all('table.rows')[0].tBodies[0].rows[20]).display);"

with derived "$tmp/derived.html" 400 "say('commands', all('td.c code').length > 0 && all('td.c code').every(function (c) {
	return /^hist why -i .*6.12.dat -e derived:wait --at [0-9.]+,[0-9]+ --pid [0-9]+( -f '.*')?$/.test(c.textContent); }));
say('fits', document.documentElement.scrollWidth <= window.innerWidth);
say('units', all('.tiles dd').slice(1).every(function (d) { return /(ns|\u00b5s|ms|s)$/.test(d.textContent); }));"

with many "$tmp/many.html" 1280 "say('rows', all('table.rows tbody tr').length);
say('left out', document.querySelector('.left-out').textContent.indexOf('99000') === 0);"

with injected "$tmp/injected.html" 1280 "on_top();"

with one "$tmp/one.html" 1280 "say('rows', all('table.rows tbody tr').length);
say('cells', all('svg.cells rect[class]').length);"

with none "$tmp/none.html" 1280 "say('text', /No event was counted/.test(document.body.textContent));
say('rows', all('table.rows, svg').length);"

with svg "$tmp/flame.svg" 1280 "var svg = document.documentElement; say('keys', svg.getAttribute('tabindex'));
key(svg, 'ArrowUp'); key(svg, 'Enter'); say('zooms', all('svg.f').some(function (f) { return f.getAttribute('display') === 'none'; }));"

show_all
[ "$status" = 0 ] || skip_all "$browser does not run here"

# --- a table ---

on table
it 'the numbers of a page are those of the json'
quiet
sed -n 's/^rows=//p' "$tmp/$page.said" >"$tmp/rows"
run python3 - "$tmp/rows" "$tmp/switch.json" <<'END'
import json, sys
page = sorted(json.load(open(sys.argv[1])))
data = json.load(open(sys.argv[2]))["data"]
want = sorted([r["key"]["next_comm"], str(r["val"]["hitcount"]), str(r["val"]["next_prio"])] for r in data)
if page != want or len(page) < 10:
    sys.exit(f"{page[:3]} ... are not {want[:3]} ...")
END
status_is 0

it 'a click on a header sorts, another one reverses the order, and the header shows it'
said first '"descending"'
said 'first sorted' true
said second '"ascending"'
said 'second sorted' true
said other null

it 'a filter hides rows and counts the visible ones'
said fewer true
said 'all match' true
said counted true

it 'the exemplars of a page are those of json'
sed -n 's/^exemplars=//p; s/^of rows=//p' "$tmp/$page.said" >"$tmp/lists"
run python3 - "$tmp/lists" "$tmp/switch.json" <<'END'
import json, sys
page, rows = (json.loads(line) for line in open(sys.argv[1]))
result = json.load(open(sys.argv[2]), parse_float=str)
want = [[str(e["value"]), f"{e['time']},{e['cpu']}", f"{e['comm']}-{e['pid']}"] for e in result["exemplars"]["all"]]
if page != want or len(want) != 2:
    sys.exit(f"{page} is not {want}")
want = sorted([r["key"]["next_comm"], str(r["exemplars"][0]["value"])] for r in result["data"])
if sorted(rows) != want:
    sys.exit(f"{rows} is not {want}")
END
status_is 0
stderr_is ''

it 'each exemplar has the command that shows what happened there'
said commands true

it 'it has the command that made it, and can be used by keyboard'
said repeat true
said 'by keyboard' true
said regions true

# --- a flame graph ---


on flame
it 'a flame graph zooms in and out by mouse and keyboard'
quiet
said 'at first' true
said zoomed 100
said 'others hidden' true
said 'callers pale' true
said back true
said 'by key' 100

it 'a search shows the matching fraction of the whole'
said hits 1
said found true

# --- a heat map, in a narrow window ---


on heat
it 'the cells of a heat map add up to the hits, and a click sets the filter'
quiet
said sums '[true,true]'
said filtered true
said levels 8
said bars true

it 'a heat map by keyboard: arrows move, Enter filters, Escape shows all'
said focusable true
said unfiltered true
said moves true
said down true
said shown true
said 'filters by key' true

it 'the table of slices has a row for each key, not for each slice'
said 'one table' true

it 'a narrow window does not scroll horizontally'
said narrow true
said fits true

# --- a comparison ---

on diff
it 'the numbers of a comparison are those of the json'
quiet
said fits true
sed -n 's/^all=//p' "$tmp/$page.said" >"$tmp/all"
run python3 - "$tmp/all" "$tmp/diff.json" <<'END'
import json, sys
page = json.load(open(sys.argv[1]))
want = [v["all"]["count_after"] for line in open(sys.argv[2]) for v in json.loads(line).get("values", [])]
# those of the page are times with three digits
if len(page) != len(want) or any(p != w and abs(p * 1000 - w) > w * .005 for p, w in zip(page, want)):
    sys.exit(f"{page} is not {want}")
END
status_is 0

it 'it has the command that made it, and a title for each column'
said repeat true
said titles true

# --- an answer ---

on answer
it 'the page of a recipe: question, numbers, values, the worst, one row for each key'
quiet
said title '"How long do woken tasks wait until they run?"'
said hits '["hits","total","mean","p50","p90","p99","p99.9","max"]'
said 'first time' '"0 s"'
said folded true
sed -n 's/^counted=//p; s/^values=//p; s/^worst=//p; s/^totals=//p' "$tmp/$page.said" >"$tmp/lists"
run python3 - "$tmp/lists" "$tmp/answer.json" <<'END'
import json, sys
counted, values, worst, rows = (json.loads(line) for line in open(sys.argv[1]))
first = json.loads(open(sys.argv[2]).readline(), parse_float=str)
hits = first["totals"]["hits"]
want = [f"{e['value']} {e['time']},{e['cpu']}" for e in first["exemplars"]["all"]]
if (counted, values, worst, rows) != (hits, [hits, hits], want, len(first["data"])) or len(want) != 8:
    sys.exit(f"{counted} {values} {worst} {rows} are not {hits} {want} {len(first['data'])}")
END
status_is 0
stderr_is ''

it 'twenty rows of a table, the others when asked for'
said shown '"none"'
said unfolded '"table-row"'

on derived
it 'a moment of a derived event is explained by hist why'
quiet
said commands true
said fits true

it 'lengths of derived events have units'
said units true

# --- hostile ---

on evil
it 'a name that looks like markup is text'
quiet
said scripts 2
said elements 0
said title true
said text true
said task true

it 'lost events are named'
said lost true

it 'the policy blocks all other scripts'
on injected
said title '"sched:sched_switch by next_comm"'
said scripts 3
checked grep -q 'Content Security Policy' "$tmp/$page.console" || fail_file 'no violation on the console:' "$tmp/$page.console"

it 'a page with 100,000 rows opens'
on many
quiet
said rows 1000
said 'left out' true

it 'an axis of hits has whole numbers'
hist report -q -i tests/cli/recipes/power.dat cpu-frequency-residency --format html
stdout_has 'text-anchor="end">2</text>'
stdout_lacks '>(0|1)\.50?</text>'

it 'one row, and none'
on one
quiet
said rows 1
said cells 1
on none
quiet
said text true
said rows 0

it 'stacks that were not recorded are no flame graph'
"$HIST" report -q -i tests/cli/recipes/6.12.dat lock-contention --format html -o "$tmp/locks.html"
checked grep -q '>lock<' "$tmp/locks.html" || fail 'no table of locks'
! checked grep -q 'Flame graph' "$tmp/locks.html" || fail 'a flame graph without stacks'

it 'a separate flame graph contains its script'
on svg
quiet
said keys '"0"'
said zooms true

it 'nothing else is on the console'
holds cmp "$tmp/other.console" /dev/null

it 'values over time begin at the start of the recording, also if the first hit is later'
hist report -q -i tests/cli/recipes/7.3.dat block-latency --format html
stdout_has '>1[^0-9]*s</text>'
stdout_has '>4[^0-9]*s</text>'

it 'ids and addresses have no largest ones and no quantiles'
hist report -q -i tests/cli/recipes/7.3.dat process-exec --format html
stdout_lacks 'The largest'
hist report -q -i trace.dat-samples/switch.dat -e sched_switch --by next_pid --format html
stdout_lacks 'describe numbers'

done_testing
