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

# chrome FILE OPTION...: prints the page's elements after its scripts ran, and its console on stderr
chrome()
{
	page=$1
	shift
	rm -rf "$tmp/profile"
	RUN_TIMEOUT=100 run $browser --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --hide-scrollbars \
		--disable-dev-shm-usage --user-data-dir="$tmp/profile" --enable-logging=stderr "$@" --dump-dom "file://$page"
}

# with PAGE SCRIPT [OPTION...]: a copy of the page that runs SCRIPT last, as its policy permits;
# calls of say() in the script become lines NAME=JSON of $tmp/said
with()
{
	printf '%s' "(function () { var out = [];
function say(name, x) { out.push(name + '=' + JSON.stringify(x)); }
function all(s, e) { return [].slice.call((e || document).querySelectorAll(s)); }
function click(e) { e.dispatchEvent(new MouseEvent('click', { bubbles: true })); }
function key(e, k) { e.dispatchEvent(new KeyboardEvent('keydown', { key: k, bubbles: true, cancelable: true })); }
function type(e, text) { e.value = text; e.dispatchEvent(new Event('input')); }
function shown(rows) { return rows.filter(function (r) { return !r.hidden; }); }
try { $2 } catch (e) { say('error', String(e)); }
var pre = document.createElement('pre'); pre.id = 'said'; pre.textContent = out.join('\\n');
document.body.appendChild(pre); }());" >"$tmp/probe.js"
	# shellcheck disable=SC2059 # the format is the bytes
	hash=$(env printf "$(sha256sum <"$tmp/probe.js" | cut -c1-64 | sed 's/../\\x&/g')" | base64)
	python3 - "$1" "$tmp/probe.js" "$hash" >"$tmp/probe.html" <<'END'
import sys
page = open(sys.argv[1], encoding="utf-8").read()
probe = open(sys.argv[2], encoding="utf-8").read()
page = page.replace("script-src '", f"script-src 'sha256-{sys.argv[3]}' '", 1)
end = page.rindex("</body>")
sys.stdout.reconfigure(encoding="utf-8")
sys.stdout.write(page[:end] + "<script>" + probe + "</script>" + page[end:])
END
	shift 2
	chrome "$tmp/probe.html" "$@"
	python3 -c 'import html, re, sys
text = open(sys.argv[1], encoding="utf-8", errors="replace").read()
m = re.search(r"<pre id=\"said\">(.*?)</pre>", text, re.S)
print(html.unescape(m.group(1)) if m else "nothing")' "$tmp.out" >"$tmp/said"
	cp "$tmp.err" "$tmp/console"
}

# said NAME JSON
said()
{
	checked grep -q -x -F -e "$1=$2" "$tmp/said" || fail_file "$1 is not $2:" "$tmp/said"
}

# The page wrote nothing to the console.
quiet()
{
	! checked grep -q CONSOLE "$tmp/console" || fail_file 'on the console:' "$tmp/console"
}

by_comm='hist:keys=next_comm:vals=hitcount,next_prio:sort=hitcount'
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$by_comm" --format html -o "$tmp/switch.html"
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$by_comm" --format json -o "$tmp/switch.json"
"$HIST" report -q -i $samples/stacks.dat $samples/stacks.script --show kmalloc --format html -o "$tmp/stacks.html"
"$HIST" report -q -i $samples/wakeup.dat $samples/wakeup.script --interval 0.01 --format html -o "$tmp/heat.html"

# --- a table ---

with "$tmp/switch.html" "
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
say('counted', document.querySelector('.tools output').textContent === shown(rows).length + ' of ' + rows.length + ' rows');"
[ "$status" = 0 ] || skip_all "$browser does not run here"

it 'the numbers of a page are those of the json'
quiet
sed -n 's/^rows=//p' "$tmp/said" >"$tmp/rows"
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

# --- a flame graph ---

with "$tmp/stacks.html" "
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

with "$tmp/heat.html" "
say('sums', all('section').map(function (s) { var sum = 0;
	all('svg.heat rect[class] title', s).forEach(function (t) { sum += Number(t.textContent.split(': ').pop()); });
	return sum === Number(s.querySelector('.hits').textContent); }));
var s = document.querySelector('section'), rows = all('table.rows tbody tr', s);
click(s.querySelector('svg.heat rect[data-key=init]'));
say('filtered', shown(rows).length > 0 && shown(rows).length < rows.length &&
	shown(rows).every(function (r) { return /init/.test(r.textContent); }));
say('fits', document.documentElement.scrollWidth <= window.innerWidth);
say('narrow', window.innerWidth < 600);" --window-size=400,800

it 'the cells of a heat map add up to the hits, and a click sets the filter'
quiet
said sums '[true,true]'
said filtered true

it 'a narrow window does not scroll horizontally'
said narrow true
said fits true

# --- a comparison ---

for part in '--to +0.15' '--from +0.1'; do
	# shellcheck disable=SC2086 # an option and its argument
	"$HIST" report -q -i $samples/wakeup.dat $part $samples/wakeup.script --stats --format json -o "$tmp/part${part#* }.json"
done
"$HIST" diff -q "$tmp/part+0.15.json" "$tmp/part+0.1.json" --format html -o "$tmp/diff.html"
"$HIST" diff -q "$tmp/part+0.15.json" "$tmp/part+0.1.json" --format json -o "$tmp/diff.json"
with "$tmp/diff.html" "
say('all', all('table.rows tbody tr').filter(function (r) { return r.cells[0].textContent === '(all)'; })
	.map(function (r) { return Number(r.cells[r.cells.length - 2].dataset.v); }));
var t = document.querySelector('table.rows'); click(all('th button', t)[3]);
say('sorted', t.tBodies[0].rows[0].cells[3].dataset.v >= t.tBodies[0].rows[1].cells[3].dataset.v);
say('fits', document.documentElement.scrollWidth <= window.innerWidth);" --window-size=400,800

it 'the numbers of a comparison are those of the json'
quiet
said fits true
sed -n 's/^all=//p' "$tmp/said" >"$tmp/all"
run python3 - "$tmp/all" "$tmp/diff.json" <<'END'
import json, sys
page = json.load(open(sys.argv[1]))
want = [v["all"]["count_after"] for line in open(sys.argv[2]) for v in json.loads(line).get("values", [])]
if page != want:
    sys.exit(f"{page} is not {want}")
END
status_is 0

# --- hostile names ---

sed -e 's/"next_comm":"init"/"next_comm":"<img src=x onerror=alert(1)><script>document.title=1<\/script>"/' \
	-e 's/sched:sched_switch/sched:<b onclick=x>\&lt;/' "$tmp/switch.json" >"$tmp/evil.json"
"$HIST" merge "$tmp/evil.json" --format html -o "$tmp/evil.html"
with "$tmp/evil.html" "
say('scripts', all('script').length); say('elements', all('img, b').length);
say('title', document.title.indexOf('hist report of sched:<b onclick=x>&lt;') === 0);
say('text', all('td.k').some(function (c) {
	return c.textContent === '<img src=x onerror=alert(1)><script>document.title=1</' + 'script>'; }));"

it 'a name that looks like markup is text'
quiet
said scripts 2
said elements 0
said title true
said text true

it 'the policy blocks all other scripts'
sed 's/<\/main>/<script>document.title = "ran";<\/script><\/main>/' "$tmp/switch.html" >"$tmp/injected.html"
chrome "$tmp/injected.html"
stdout_lacks '<title>ran'
stderr_has 'CONSOLE.*Content Security Policy'

it 'a page with 100,000 rows opens'
awk -v like="$tmp/switch.json" -v more=',"next_prio":0' -f tests/cli/many_rows.awk >"$tmp/many.json"
"$HIST" merge "$tmp/many.json" --format html -o "$tmp/many.html"
with "$tmp/many.html" "say('rows', all('table.rows tbody tr').length);
say('left out', document.querySelector('.left-out').textContent.indexOf('99000') === 0);"
quiet
said rows 1000
said 'left out' true

it 'a separate flame graph contains its script'
"$HIST" report -q -i $samples/stacks.dat $samples/stacks.script --show kmalloc --format svg -o "$tmp/flame.svg"
chrome "$tmp/flame.svg"
status_is 0
stderr_lacks CONSOLE
stdout_has 'tabindex="0"'

done_testing
