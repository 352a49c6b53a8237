#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report and merge --format markdown: the tables of text, cell by cell; names of tasks are no markup.
. tests/cli/lib.sh

have python3 || skip_all 'no python3'
wakeup=trace.dat-samples/wakeup.dat

# tables of the two files, as lists of cells, are the same
cat >"$tmp/tables.py" <<'E'
import html, re, sys

def lines(file):
    return open(file).read().splitlines()

def cells(row):
    return [c.strip() for c in row if c.strip() and not re.fullmatch("#+", c.strip())]

markdown = [l[2:-2].split(" | ") for l in lines(sys.argv[2]) if l.startswith("| ")]
markdown = [cells(map(html.unescape, r)) for r in markdown if not re.fullmatch(":?-+:?", r[0])]
text = [cells(re.split("  +", l)) for l in lines(sys.argv[1]) if "  " in l.strip()]
if not markdown or text != markdown:
    sys.exit("\n".join("%r\n%r" % p for p in zip(text, markdown) if p[0] != p[1]) or "%d %d" % (len(text), len(markdown)))
E

# same_tables VERB ARG...
same_tables()
{
	hist "$@" -q
	status_is 0
	cp "$tmp.out" "$tmp/text"
	hist "$@" -q --format markdown
	status_is 0
	cp "$tmp.out" "$tmp/markdown"
	run python3 "$tmp/tables.py" "$tmp/text" "$tmp/markdown"
	status_is 0
	stderr_is ''
}

it 'has the cells of text: of recipes with several tables, statistics, expressions'
same_tables report -i $wakeup wakeup-latency
same_tables report -i $wakeup wakeup-latency --stats
same_tables report -i $wakeup -e sched_switch --by next_comm,next_prio
same_tables report -i trace.dat-samples/syscalls.dat -e sys_exit --by id.syscall,ret --top 3 --sort ret

it 'has titles, 40 rows or those of --top, and totals'
hist report -q -i $wakeup wakeup-latency --show 1 --top 2 --format markdown
status_is 0
stdout_is 'How long do woken tasks wait until they run?

**1. derived&#58;wait by comm**

| comm | hits | total | max | pid | cpu |
| :-- | --: | --: | --: | --: | --: |
| init | 292 | 7.06 ms | 198 us | 1 | 0 |
| rcu&#95;preempt | 88 | 6.37 ms | 1.00 ms | 16 | 0 |

9 more rows: --top 0

646 hits in 11 rows'
hist report -q -i trace.dat-samples/kmalloc.dat -e kmalloc --by ptr --format markdown
status_is 0
checked [ "$(grep -c '^| ' "$tmp.out")" = 42 ] || fail 'not 40 rows'
stdout_has 'more rows: --top 0'

it 'has whole stacks in a cell, and the largest intervals as a list'
hist report -q -i trace.dat-samples/stacks.dat -e kmalloc --by stacktrace --top 1 --format markdown
status_is 0
stdout_has '^\| [^|]+ &lt; [^|]+ &lt; .* \| +[0-9,]+ \|$'
hist report -q -i $wakeup wakeup-latency --exemplars 2 --show 1 --format markdown
status_is 0
stdout_has '^- 1.00 ms at '

it 'names the time of each slice, and takes results of merge and of triggers'
hist report -q -i $wakeup -e sched_switch --by next_comm --interval 0.01 --top 1 --format markdown
status_is 0
stdout_has '^\*\*[0-9.]+ to [0-9.]+&#58; sched&#58;sched&#95;switch by next&#95;comm\*\*$'
hist report -q -i $wakeup -e sched_switch --by next_comm --format json
cp "$tmp.out" "$tmp/r.json"
same_tables merge "$tmp/r.json"
hist report -q -i $wakeup -e sched_switch -R hist:keys=next_comm --top 1 --format markdown
status_is 0
stdout_has '^\| next&#95;comm \| hits \|$'

it 'prints names of tasks as names'
printf '  a|b_*<i>-12 [000] 1.000000: sched_wakeup: comm=`x`|y pid=3 prio=120 target_cpu=000\n' >"$tmp/t.txt"
hist report -q -i "$tmp/t.txt" -e sched_wakeup --by comm --format markdown
status_is 0
stdout_has '^\| &#96;x&#96;&#124;y \| +1 \|$'

done_testing
