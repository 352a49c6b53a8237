#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist sql: the rows of statements are those of Python's sqlite3 on tables that are filled from hist
# events; what limits a replay changes no row; nothing but the recording is read.
. tests/cli/lib.sh
. tests/house/examples.sh

samples=trace.dat-samples
switch=$samples/switch.dat
wakeup=$samples/wakeup.dat
if [ ! -f $switch ] || [ ! -f $wakeup ]; then
	skip_all 'no samples'
fi

# same_rows RECORDING: of the statements on stdin
same_rows()
{
	run python3 tests/cli/sql_events.py "$1"
	status_is 0
	stdout_is ''
	stderr_is ''
}

it 'the statements of the manual have the rows that Python finds'
if have python3; then
	plain man/hist-sql.1 >"$tmp/page"
	n=0
	for f in switch wakeup kmalloc syscalls; do
		awk -v start="hist sql -q -i $f.dat <<" 'index($0, start) { on = 1; next }
			on && $0 == "EOF" { on = 0; print ";" } on' "$tmp/page" >"$tmp/statements"
		n=$((n + $(grep -c '^;' "$tmp/statements")))
		same_rows $samples/$f.dat <"$tmp/statements"
	done
	checked [ "$n" -ge 20 ] || fail "only $n statements"
else
	skip 'no python3'
fi

it 'the recording may be an argument'
hist sql -q -i $switch --format csv 'SELECT count(*) AS n FROM sched_switch'
cp "$tmp.out" "$tmp/want"
hist sql -q $switch --format csv 'SELECT count(*) AS n FROM sched_switch'
stdout_is_file "$tmp/want"

it 'tables and their columns are listed by the words of other shells'
hist sql -q -i $samples/kmalloc.dat --format csv 'SELECT name, kind FROM tables'
cp "$tmp.out" "$tmp/tables"
for statement in .tables 'Show Tables' '.tables *;'; do
	hist sql -q -i $samples/kmalloc.dat --format csv "$statement"
	stdout_is_file "$tmp/tables"
done
hist sql -q -i $samples/kmalloc.dat --format csv '.tables kmall*'
stdout_is 'name,kind
kmalloc,recorded
kmalloc_by_site,answer
kmalloc_waste,answer'
hist sql -q -i $samples/kmalloc.dat --format csv 'DESCRIBE "kmem:kmalloc"'
cp "$tmp.out" "$tmp/columns"
for column in ts,INTEGER ptr,POINTER call_site_sym,TEXT gfp_flags_text,TEXT 'call_site,UNSIGNED or a list'; do
	stdout_has "^$column\$"
done
stdout_lacks gfp_flags_sym
for statement in '.schema kmalloc' 'desc kmalloc;' "describe 'kmalloc'"; do
	hist sql -q -i $samples/kmalloc.dat --format csv "$statement"
	stdout_is_file "$tmp/columns"
done
hist sql -q -i $samples/kmalloc.dat --format csv 'SELECT 1 AS a; DESCRIBE kmalloc; SELECT 2 AS b'
[ "$(sed -n '1,2p;$p' "$tmp.out" | tr '\n' ' ')" = 'a 1 2 ' ] || fail_file 'other statements:' "$tmp.out"

it 'pointers are integers of 64 bits that compare and join, and are shown as addresses'
hist events -i $samples/kmalloc.dat -e kmalloc --fields ptr,call_site.sym --format csv
sed 1d "$tmp.out" >"$tmp/pointers"
hist sql -q -i $samples/kmalloc.dat --format csv 'SELECT ptr, call_site_sym FROM kmalloc'
sed 1d "$tmp.out" >"$tmp/rows"
checked cmp -s "$tmp/pointers" "$tmp/rows" || fail_file 'not those of hist events:' "$tmp/rows"
ptr=$(sed -n '5s/,.*//p' "$tmp/pointers")
want=$(grep -c "^$ptr," "$tmp/pointers")
hist sql -q -i $samples/kmalloc.dat --format csv "SELECT count(*), min(typeof(ptr)), printf('0x%x', min(ptr)) FROM kmalloc WHERE ptr = $ptr"
stdout_has "^$want,integer,$ptr\$"
hist sql -q -i $samples/kmalloc.dat --format csv "SELECT ptr FROM kmalloc WHERE ptr BETWEEN $ptr AND $ptr + 1 LIMIT 1"
stdout_is "ptr
$ptr"
hist sql -q -i $samples/kmalloc.dat --format csv "SELECT (SELECT count(*) FROM kmalloc a JOIN kmalloc b USING (ptr)) = (SELECT sum(n * n) FROM (SELECT count(*) AS n FROM kmalloc GROUP BY ptr)) AS same"
stdout_is 'same
1'
hist sql -q -i $samples/kmalloc.dat --format json 'SELECT NULL AS none, ptr FROM kmalloc LIMIT 1'
stdout_has "\"ptr\":\"$(sed -n '1s/,.*//p' "$tmp/pointers")\""

it 'deviations and quantiles have the names and values of DuckDB'
hist sql -q -i $wakeup --format csv "WITH v(x) AS (VALUES (2), (4), (4), (4), (5), (5), (7), (9), (NULL)) SELECT stddev_pop(x) = 2, var_pop(x) = 4,
	round(stddev(x), 6), abs(stddev_samp(x) * stddev_samp(x) - variance(x)) < 1e-9, round(var_samp(x), 6), quantile_cont(x, 0.25) = 4,
	quantile_disc(x, 0.25) = 4, quantile(x, 0.9) = 9 FROM v"
[ "$(sed -n 2p "$tmp.out")" = 1,1,2.13809,1,4.571429,1,1,1 ] || fail_file 'row:' "$tmp.out"
hist sql -q -i $wakeup --format csv 'WITH v(x) AS (VALUES (1)) SELECT stddev(x) IS NULL, stddev_pop(x) = 0 FROM v'
stdout_has '^1,1$'

it 'percentiles are those of numpy'
if python3 -c 'import numpy' 2>/dev/null; then
	hist sql -q -i $wakeup --format csv 'SELECT comm, ns FROM wait'
	cp "$tmp.out" "$tmp/waits.csv"
	hist sql -q -i $wakeup --format csv 'SELECT comm, percentile(ns, 12.5), percentile(ns, 99), percentile_cont(ns, 0.999), median(ns),
		percentile_disc(ns, 0.9), percentile(ns, 0), percentile(ns, 100) FROM wait GROUP BY 1'
	status_is 0
	cp "$tmp.out" "$tmp/percentiles.csv"
	cat >"$tmp/percentiles.py" <<'E'
import csv, math, numpy, sys
of = {}
for comm, ns in list(csv.reader(open(sys.argv[1])))[1:]:
    of.setdefault(comm, []).append(int(ns))
rows = list(csv.reader(open(sys.argv[2])))[1:]
assert {r[0] for r in rows} == set(of) and len(rows) > 5
for comm, *got in rows:
    v = of[comm]
    want = [numpy.percentile(v, p) for p in (12.5, 99, 99.9, 50)] + [sorted(v)[max(math.ceil(0.9 * len(v)), 1) - 1], min(v), max(v)]
    assert all(abs(float(g) - w) <= 1e-9 * abs(w) for g, w in zip(got, want)), (comm, got, want)
E
	run python3 "$tmp/percentiles.py" "$tmp/waits.csv" "$tmp/percentiles.csv"
	status_is 0
	stderr_is ''
else
	skip 'no numpy'
fi
# PostgreSQL and DuckDB have these, too
hist sql -q -i $wakeup --format csv "WITH RECURSIVE b(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM b WHERE i < 10), p(p) AS
	(VALUES(0), (0.1), (0.11), (0.5), (0.51), (0.75), (0.9), (0.99), (1)) SELECT group_concat(d, ' ') FROM (SELECT percentile_disc(i, p) AS d FROM p, b GROUP BY p)"
stdout_has '^1.0 1.0 2.0 5.0 6.0 8.0 9.0 10.0 10.0$'
hist sql -q -i $wakeup --format csv 'SELECT percentile(NULL, 50) IS NULL, percentile(ns, 50) IS NULL FROM wait WHERE ns < 0'
stdout_has '^1,1$'
for statement in 'percentile(ns, 101)' 'percentile_cont(ns, 1.5)' 'percentile(ns, NULL)' "percentile(comm, 5)" 'percentile(ns, ns % 100)'; do
	hist sql -q -i $wakeup "SELECT $statement FROM wait"
	status_is 2
	stderr_has 'error: (the second argument of|a percentile is|a group has)'
done

it 'constraints that limit the replay change no row'
if have python3; then
	hist sql -q -i $switch --format csv 'SELECT ts, cpu, pid, next_comm FROM sched_switch LIMIT 1 OFFSET 700'
	row=$(sed -n 2p "$tmp.out")
	ts=${row%%,*} rest=${row#*,} cpu=${rest%%,*}
	same_rows $switch <<END
SELECT ts, cpu, pid, comm, prev_comm, next_comm, next_pid FROM sched_switch WHERE ts = $ts;
SELECT count(*), min(ts), max(ts) FROM sched_switch WHERE ts > $ts;
SELECT count(*), min(ts), max(ts) FROM sched_switch WHERE ts >= $ts AND ts < $ts + 100000000;
SELECT count(*) FROM sched_switch WHERE $ts > ts AND cpu = $cpu;
SELECT count(*) FROM sched_switch WHERE ts BETWEEN $ts AND $ts - 1;
SELECT count(*) FROM sched_switch WHERE ts > -5 AND ts <= 1e18;
SELECT count(*) FROM sched_switch WHERE ts < -5;
SELECT count(*) FROM sched_switch WHERE cpu = 7 OR cpu = -1;
SELECT count(*), sum(ts), count(DISTINCT rowid) FROM sched_switch WHERE next_comm = 'grep' OR prev_comm = 'grep';
SELECT count(*), sum(prev_pid) FROM sched_switch WHERE cpu = $cpu OR next_comm = 'init' OR prev_pid = 1 AND ts > $ts;
SELECT count(*) FROM sched_waking WHERE pid = 1 OR ts < $ts OR event_pid = 16 OR target_cpu = $cpu;
SELECT count(*), sum(ns) FROM wait WHERE event_pid = 1 OR kind = 'woken' OR cpu = $cpu;
SELECT count(*) FROM sched_switch WHERE cpu = 1 AND cpu = 2;
SELECT count(*) FROM sched_switch WHERE cpu = NULL;
SELECT count(*) FROM sched_switch WHERE pid = '1';
SELECT count(*) FROM sched_switch WHERE pid = 1.0;
SELECT count(*) FROM sched_switch WHERE pid = 1.5;
SELECT count(*) FROM sched_switch WHERE pid = 9000000000;
SELECT count(*), sum(ts) FROM sched_switch WHERE pid IN (1, 16, 16, 12345);
SELECT count(*) FROM sched_switch WHERE pid IN (SELECT next_pid FROM sched_switch WHERE next_comm = 'init');
SELECT count(*), sum(prev_pid) FROM sched_switch WHERE next_pid = 16 AND prev_pid = 0;
SELECT count(*) FROM sched_switch WHERE next_pid = -16;
SELECT count(*) FROM sched_switch WHERE next_comm = 'init';
SELECT count(*) FROM sched_switch WHERE next_comm = 'INIT' COLLATE NOCASE;
SELECT count(*) FROM sched_switch WHERE next_comm = 'in"it' OR next_comm = '';
SELECT count(*) FROM sched_switch WHERE next_comm = 'in*';
SELECT count(*) FROM sched_switch WHERE comm = 'init' AND process IS NULL;
SELECT count(*) FROM sched_waking WHERE event_pid = 1 AND pid = 0;
SELECT count(*) FROM sys_enter WHERE id = 16 AND cpu = $cpu;
SELECT args, count(*) FROM sys_enter WHERE args = (SELECT args FROM sys_enter ORDER BY ts LIMIT 1) GROUP BY 1;
SELECT count(*) FROM wait WHERE ts > $ts AND cpu = $cpu;
SELECT kind, count(*), sum(ns) FROM wait WHERE event_pid = 1 GROUP BY 1;
SELECT count(*) FROM events WHERE cpu = $cpu AND pid = 1 AND ts < $ts;
END
else
	skip 'no python3'
fi

it 'a table is that of the event that only one system has; the whole name always is one'
hist sql -q -i $switch --format csv 'SELECT count(*) FROM "sched:sched_switch"; SELECT count(*) FROM sched_switch'
status_is 0
checked [ "$(sed -n 2p "$tmp.out")" = "$(sed -n 5p "$tmp.out")" ] || fail_file differ "$tmp.out"
hist sql -q -i $switch --format csv "SELECT name, kind FROM tables WHERE event = 'sched:sched_switch'"
stdout_is 'name,kind
sched_switch,recorded'

it 'the answers of recipes are tables with the rows of csv'
if have python3; then
	long_run python3 -B tests/cli/sql_answers.py "$HIST" $wakeup tests/cli/recipes/tasks.dat tests/cli/recipes/6.12.dat \
		tests/cli/recipes/6.12-stacks.dat $samples/kmalloc.dat
	status_is 0
	stdout_lacks '^not ok'
	holds test "$(grep -c '^ok' "$tmp.out")" -ge 60
else
	skip 'no python3'
fi

it 'the prompt completes tables, columns and words, and shows the lines before'
if have python3; then
	run python3 tests/cli/sql_prompt.py $switch 'sel\tcount(*) fro\tsched_sw\tWHERE next_c\t= '"'init'"';\r' '\x1b[A\r' \
		'SELECT 12x\x7f\x7f AS n;\r' 'junk\x15.tables off*\r' \
		'SELECT * FROM sched_switch WHERE prev_\t\x15.quit\x17SELECT 7 AS seven;\r' '\x04'
	status_is 0
	tr -d '\r' <"$tmp.out" >"$tmp/shown"
	holds grep -q "WHERE next_comm = 'init';" "$tmp/shown"
	holds test "$(grep -c '^ *322$' "$tmp/shown")" = 2
	holds grep -q '^n$' "$tmp/shown"
	holds grep -q '^off_cpu  answer$' "$tmp/shown"
	holds grep -q '^prev_comm prev_pid prev_prio prev_state ' "$tmp/shown"
	holds grep -q '^ *7$' "$tmp/shown"
	stdout_has '^status 0 same terminal'
else
	skip 'no python3'
fi

it 'an answer is computed if its table is used, and joined with events'
hist sql -q -i tests/cli/recipes/tasks.dat --format csv 'SELECT count(*) > 0 AS found FROM wakeup_latency l JOIN wait w
	ON w.event_comm = l.comm AND w.ns = l.max AND w.ts = l.saved_at'
stdout_is 'found
1'
hist sql -q -i $wakeup 'SELECT 1 FROM migrations'
status_is 2
stderr_has 'migrations needs events that were not recorded: sched:sched_migrate_task'
hist sql -q -i $wakeup --format csv "SELECT name, event FROM tables WHERE event IN ('on-cpu', 'migrations', 'wakeup-latency')"
stdout_is 'name,event
on_cpu,on-cpu
wakeup-latency,wakeup-latency'

it 'the synthetic events of a script and of a recipe are tables'
hist sql -q -i $wakeup -S tests/cli/wakeup_latency.script --format csv 'SELECT count(*), sum(us), max(us) FROM wakeup_latency'
status_is 0
want=$(sed -n 2p "$tmp.out")
hist events -i $wakeup tests/cli/wakeup_latency.script --format csv --fields us
checked [ "$(awk 'NR > 1 { n++; s += $1; if ($1 + 0 > m) m = $1 } END { print n "," s "," m }' "$tmp.out")" = "$want" ] ||
	fail "not $want"
hist sql -q -i $wakeup -S wakeup-latency 'SELECT kind, count(*) FROM wait GROUP BY 1'
status_is 0
stdout_has '^woken +[0-9]+'

it 'prints text, csv, tsv, json and ndjson'
q="SELECT 1 AS n, 'a,b' AS t, NULL AS e, 0.5 AS r, x'ff41' AS b"
hist sql -i $switch "$q"
stdout_is 'n  t    e    r  b
1  a,b     0.5  \xffA'
hist sql -i $switch --format ndjson "$q"
stdout_is '{"n":1,"t":"a,b","e":null,"r":0.5,"b":"\\xffA"}'
hist sql -i $switch --format json "$q; SELECT 2 AS x WHERE 0"
stdout_is '[
{"n":1,"t":"a,b","e":null,"r":0.5,"b":"\\xffA"}
]
[
]'
hist sql -i $switch --format csv "SELECT 'a,b' AS t, 1 AS t, '' AS u; SELECT 2 AS x"
stdout_is 't,t#2,u
"a,b",1,""

x
2'
hist sql -i $switch --format tsv "SELECT 'a	b' AS t, -1 AS n"
stdout_is 't	n
a\tb	-1'
hist sql -i $switch --format csv --csv-safe "SELECT '=1+1' AS t"
stdout_has "^\"'=1\\+1\"$"

it 'statements of files and of standard input are run first'
echo "CREATE TABLE t(a); INSERT INTO t VALUES(5), (6);" >"$tmp/file.sql"
hist sql -i $switch --format csv -f "$tmp/file.sql" 'SELECT sum(a) AS s FROM t'
stdout_is 's
11'
run sh -c 'echo "SELECT 3 AS s" | "$HIST" sql -i "$1" --format csv' sh $switch
stdout_is 's
3'
run sh -c 'echo "SELECT count(*) > 0 AS s FROM sched_switch" >"$2"; cat "$1" | "$HIST" sql -i - --format csv -f "$2"' sh $switch "$tmp/q.sql"
stdout_is 's
1'

it 'has the names of numbers in columns NAME_text, as csv of hist events, and system calls'
hist events -q -i $switch -e sched_switch --fields prev_state_text --format csv
sed 1d "$tmp.out" | sort | uniq -c | awk '{ print $2 "," $1 }' | sort >"$tmp/want"
hist sql -q -i $switch --format csv 'SELECT prev_state_text, count(*) FROM sched_switch GROUP BY 1'
checked test "$(sed 1d "$tmp.out" | sort)" = "$(cat "$tmp/want")" || fail 'not the states of csv'
hist sql -q -i $switch --format csv "SELECT DISTINCT prev_state FROM sched_switch WHERE prev_state_text = 'R+'"
stdout_is 'prev_state
256'
hist sql -q -i $switch --format csv "SELECT count(*) FROM sched_waking w JOIN sched_switch s ON w.pid = s.next_pid WHERE s.prev_state_text = 'D'"
cp "$tmp.out" "$tmp/want"
hist sql -q -i $switch --format csv "SELECT count(*) FROM sched_waking w JOIN sched_switch s ON w.pid = s.next_pid WHERE s.prev_state = 2"
stdout_is_file "$tmp/want"
hist sql -q -i trace.dat-samples/syscalls.dat --format csv 'SELECT id_text, count(*) FROM sys_enter GROUP BY 1 ORDER BY 2 DESC LIMIT 1'
stdout_is 'id_text,count(*)
sys_newfstatat,2326'
hist sql -q -i $switch --format csv 'SELECT * FROM sched_switch LIMIT 1'
stdout_lacks _text

it 'names the place of an error, and what to type'
hist sql -i $switch 'SELECT 1;
SELECT x FROM sched_switch'
status_is 2
stderr_has 'hist sql:2:8: error: no such column: x'
hist sql -i $switch 'SELECT * FROM sched_swich'
status_is 2
stderr_has 'error: no such table: sched_swich'
stderr_has 'note: SELECT \* FROM tables lists the tables; nearest: sched_switch'
hist sql -i $switch 'SELECT * FROM wakeup-latency'
status_is 2
stderr_has 'note: a name with a dash is quoted: "wakeup-latency"$'
hist sql -i $switch 'SELECT ns FROM derived:wait'
status_is 2
stderr_has 'note: a name with a colon is quoted: "derived:wait"; or the part after it alone: sched_switch$'
hist sql -i $switch 'SELECT next_com FROM sched_switch'
stderr_has 'note: nearest: next_comm'
hist sql -i $switch 'SELECT s.xyz FROM sched_waking w JOIN sched_switch s ON w.pid = s.next_pid'
stderr_has 'note: there are ts, .*prev_state_text.*target_cpu'
for statement in 'show databases' 'DESCRIBE' .schema; do
	hist sql -i $switch "$statement"
	status_is 2
	stderr_has 'note: .tables lists the tables, DESCRIBE TABLE the columns of one'
done
hist sql -i $switch 'DESCRIBE sched_swich'
status_is 2
stderr_has 'error: no such table: sched_swich'
hist sql -i $switch 'SELECT * FROM block_rq_issue'
stderr_has 'note: SELECT \* FROM tables lists the tables; the recording has print, sched_switch, '
echo 'SELEC 1' >"$tmp/bad.sql"
hist sql -i $switch -f "$tmp/bad.sql"
status_is 2
stderr_has 'bad.sql:1:1: error: near "SELEC": syntax error'
hist sql -i $switch -f "$tmp/none.sql"
status_is 2
stderr_has 'none.sql: No such file'
hist sql -i $switch -f $switch
status_is 2
stderr_has 'is not a text of SQL statements'
: >"$tmp/empty"
hist sql -i "$tmp/empty" 'SELECT 1'
status_is 2
stderr_has 'is empty, not a trace.dat'
hist sql -i $switch -S "$tmp/none" 'SELECT 1'
status_is 2
hist sql -i $switch --format xml 'SELECT 1'
status_is 2
hist sql -i $switch --timeout never 'SELECT 1'
status_is 2
stderr_has 'takes a time such as 30s'

it 'statements cannot reach other files, and can be limited'
for q in "ATTACH '$tmp/x.db' AS x" "VACUUM INTO '$tmp/x.db'" "SELECT load_extension('$tmp/x.so')" \
	"PRAGMA temp_store_directory = '$tmp'" "SELECT writefile('$tmp/x.db', 'x')" "SELECT readfile('/etc/passwd')" \
	"INSERT INTO sched_switch(ts) VALUES(1)" "DELETE FROM sched_switch" "PRAGMA journal_mode = WAL"; do
	hist sql -i $switch "$q"
	status_is 2
	stderr_has 'error: '
done
checked [ ! -e "$tmp/x.db" ] || fail 'wrote a file'
hist sql -i $switch --timeout 50ms 'WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT count(*) FROM t'
status_is 2
stderr_has 'error: the time of --timeout is over'

it 'a damaged recording is used as far as it goes'
head -c 40000 $switch >"$tmp/cut.dat"
hist sql -i "$tmp/cut.dat" --format csv 'SELECT count(*) > 0 AS any FROM events'
status_is 2
stdout_is 'any
1'
stderr_has 'cut.dat'

it 'damage that a replay finds is an error beside the answer, and rows that an error ends are no array'
cp $samples/kmalloc.dat "$tmp/damaged.dat"
chmod +w "$tmp/damaged.dat"
head -c 60 /dev/zero | tr '\0' Z | dd of="$tmp/damaged.dat" bs=1 seek=$(($(wc -c <"$tmp/damaged.dat") * 4 / 5)) conv=notrunc 2>/dev/null
hist sql -i "$tmp/damaged.dat" --format csv 'SELECT count(*) > 0 AS any FROM kmalloc' 'SELECT count(*) > 0 FROM events'
status_is 2
stdout_has '^1$'
checked [ "$(grep -c 'error: .*damaged at offset .* cannot be inflated' "$tmp.err")" = 1 ] || fail_file 'not once:' "$tmp.err"
hist sql -q -i $switch --format json "SELECT json(iif(n < 9, n, 'x')) FROM (SELECT row_number() OVER () AS n FROM sched_switch)"
status_is 2
stdout_has '^\{.*"8"\}$'
stdout_lacks ']'

it 'messages of replays are printed once'
hist sql -i $wakeup 'SELECT count(*) FROM irq' 'SELECT count(*) FROM irq'
status_is 0
checked [ "$(grep -c 'derived:irq needs' "$tmp.err")" = 1 ] || fail_file 'not once:' "$tmp.err"

it 'a part of the recording, and of its tasks'
for part in '--cpu 0' '--from +0.1' '--pid 1' '--comm init'; do
	# shellcheck disable=SC2086 # options
	hist sql -q -i $switch $part --format csv 'SELECT ts, cpu, pid FROM sched_switch'
	cp "$tmp.out" "$tmp/got"
	# shellcheck disable=SC2086 # options
	hist events -q -i $switch $part -e sched_switch --format csv --fields ts,cpu,pid
	stdout_is_file "$tmp/got"
done

it 'loads SQLite, which other verbs do not'
mkdir "$tmp/no-sqlite" && : >"$tmp/no-sqlite/libsqlite3.so.0"
LD_LIBRARY_PATH=$tmp/no-sqlite
export LD_LIBRARY_PATH
hist sql -i $switch 'SELECT 1'
status_is 2
stderr_is 'hist: error: libsqlite3.so.0 cannot be loaded; install SQLite (libsqlite3-0)'
hist list -i $switch
status_is 0
unset LD_LIBRARY_PATH

it 'is an extension of SQLite'
extension=${BUILD:-build}/sqlite/hist.so
if [ -n "${SANITIZE:-}${HIST_VALGRIND:-}" ]; then
	skip 'sqlite3 is not built like the extension'
elif have sqlite3; then
	cat >"$tmp/in.sql" <<END
.load ${extension%.so}
SELECT hist_open('$switch');
.mode csv
.headers on
SELECT next_comm, count(*) AS n FROM sched_switch GROUP BY 1 ORDER BY 2 DESC, 1;
SELECT kind, count(*) AS n FROM wait GROUP BY 1;
END
	run sqlite3 -batch -init "$tmp/in.sql" :memory: .quit
	sed -e '/^$/d' -e 's/\r$//' "$tmp.out" >"$tmp/got"
	hist sql -q -i $switch --format csv 'SELECT next_comm, count(*) AS n FROM sched_switch GROUP BY 1 ORDER BY 2 DESC, 1;
		SELECT kind, count(*) AS n FROM wait GROUP BY 1'
	sed '/^$/d' "$tmp.out" >"$tmp/want"
	holds cmp "$tmp/got" "$tmp/want"
	# what fails leaves nothing, and the program keeps functions that it has
	python=/usr/bin/python3
	if $python -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null; then
		run $python tests/cli/sql_extension.py "$extension" $switch
		status_is 0
		stderr_is ''
	else
		skip 'no python3 that loads extensions'
	fi
	printf '%s\n' ".load ${extension%.so}" "SELECT hist_open('$tmp/none');" >"$tmp/in.sql"
	run sqlite3 -batch -init "$tmp/in.sql" :memory: .quit
	stderr_has 'none: .*No such file'
else
	skip 'no sqlite3'
fi

it 'a star or bracket in a text that is compared is itself'
cat >"$tmp/star.txt" <<-'END'
	# tracer: nop
	#
	            ab*c-41    [000] .....     1.000000: mark: n=1
	            abxc-42    [000] .....     1.000001: mark: n=2
	            ab?c-43    [000] .....     1.000002: mark: n=3
	           [ab]c-44    [000] .....     1.000003: mark: n=4
	              ac-45    [000] .....     1.000004: mark: n=5
END
for name in 'ab*c:1' 'ab?c:3' '[ab]c:4' 'ac:5'; do
	hist sql -q --format csv "$tmp/star.txt" "SELECT n FROM mark WHERE comm = '${name%:*}'"
	stdout_is "n
${name#*:}"
done

done_testing
