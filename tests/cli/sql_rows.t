#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist sql: joins, groups, large numbers, random statements and the limit of memory. Each statement has the rows that
# it has on copies of the tables.
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

it 'grouped and distinct values of a column are complete'
if have python3; then
	for column in cpu pid comm process cgroup prev_comm prev_state next_pid; do
		echo "SELECT $column, count(*) FROM sched_switch GROUP BY 1;"
		echo "SELECT DISTINCT $column FROM sched_switch;"
		echo "SELECT $column FROM sched_switch GROUP BY 1 ORDER BY 1 DESC;"
		echo "SELECT count(DISTINCT $column), max($column) FROM sched_switch;"
		echo "SELECT next_comm, $column, count(*) FROM sched_switch GROUP BY 1, 2;"
		echo "SELECT $column, prev_pid, prev_state FROM sched_switch GROUP BY 3, 1, 2 ORDER BY 1, 3 DESC;"
		echo "SELECT DISTINCT $column, cpu FROM sched_switch;"
		for n in 1 3; do
			echo "SELECT $column, count(*) FROM sched_switch GROUP BY 1 ORDER BY 1 DESC LIMIT $n;"
			echo "SELECT next_prio, $column, count(*) FROM sched_switch GROUP BY 1, 2 ORDER BY 1 DESC, 2 LIMIT $n;"
			echo "SELECT $column, next_prio FROM sched_switch GROUP BY 1, 2 ORDER BY 1 DESC, 2 DESC LIMIT $n;"
		done
	done | same_rows $switch
	same_rows $samples/kmalloc.dat <<'END'
SELECT call_site, count(*) FROM kmalloc GROUP BY 1;
SELECT DISTINCT ptr FROM kmalloc;
SELECT ts, count(*) FROM kmalloc GROUP BY 1;
SELECT call_site, bytes_req, count(*) FROM kmalloc GROUP BY 1, 2;
SELECT max(call_site), min(call_site) FROM kmalloc;
END
	same_rows $samples/syscalls.dat <<'END'
SELECT ret, id, count(*) FROM sys_exit GROUP BY 1, 2;
SELECT id, ret FROM sys_exit GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 2, 1;
SELECT DISTINCT ret, comm FROM sys_exit WHERE ret < 0;
SELECT comm, count(*) FROM (SELECT DISTINCT comm, ret FROM sys_exit) GROUP BY 1;
END
else
	skip 'no python3'
fi

it 'joins, also of a table with itself, and statements in statements'
if have python3; then
	same_rows $wakeup <<'END'
SELECT count(*), sum(s.ts - w.ts) FROM sched_waking w JOIN sched_switch s ON s.next_pid = w.event_pid AND s.ts > w.ts AND s.ts < w.ts + 1000000;
SELECT w.ts, (SELECT min(s.ts) FROM sched_switch s WHERE s.next_pid = w.event_pid AND s.ts > w.ts) FROM sched_waking w;
SELECT a.ts, b.ts FROM sched_switch a LEFT JOIN sched_switch b ON b.ts > a.ts AND b.prev_pid = a.next_pid AND b.cpu = a.cpu AND b.ts < a.ts + 50000;
SELECT w.ts FROM sched_waking w WHERE EXISTS (SELECT 1 FROM sched_switch s WHERE s.next_comm = w.event_comm AND s.ts BETWEEN w.ts AND w.ts + 20000);
SELECT count(*) FROM sched_waking w JOIN sched_switch s ON s.next_comm = w.event_pid;
SELECT count(*) FROM sched_waking w JOIN sched_switch s ON s.next_pid = w.event_comm OR s.cpu = w.cpu AND s.ts = w.ts;
SELECT count(*) FROM sched_switch a JOIN sched_switch b ON b.ts <= a.ts AND b.ts >= a.ts AND b.cpu = a.cpu;
SELECT count(*) FROM sched_switch a JOIN sched_switch b ON b.ts < a.ts + 1 AND b.ts > a.ts - 1;
SELECT count(s.ts), count(DISTINCT s.ts), count(t.pid) FROM tasks t FULL JOIN sched_switch s ON s.next_pid = t.pid;
SELECT count(s.ts), count(w.ts), sum(s.ts) FROM sched_waking w RIGHT JOIN sched_switch s ON s.next_pid = w.event_pid AND s.ts > w.ts AND s.ts < w.ts + 30000;
SELECT count(s.ts), count(w.ts), sum(s.ts) FROM wait w FULL JOIN sched_switch s ON s.next_pid = w.event_pid AND s.ts = w.ts OR s.cpu = w.cpu AND w.ts = s.ts;
SELECT w.event_pid, s.next_pid FROM sched_waking w FULL JOIN sched_switch s ON s.next_pid = w.event_pid AND s.ts > w.ts AND s.ts < w.ts + 3000 WHERE w.ts IS NULL OR s.ts IS NULL;
SELECT DISTINCT s.next_pid FROM sched_waking w RIGHT JOIN sched_switch s ON s.next_pid = w.event_pid WHERE w.ts IS NULL;
SELECT s.prev_pid, count(*) FROM sched_waking w FULL JOIN sched_switch s ON s.prev_pid = w.event_pid GROUP BY 1 ORDER BY 1 DESC LIMIT 4;
SELECT count(w.ts), count(s.ts) FROM wait w RIGHT JOIN sched_switch s ON s.cpu = w.ns WHERE s.next_pid = 1 OR s.next_pid = 16;
SELECT t.comm, count(*) FROM tasks t JOIN wait ON wait.event_pid = t.pid GROUP BY t.pid;
SELECT next_pid FROM sched_switch WHERE cpu = 0 UNION ALL SELECT next_pid FROM sched_switch WHERE cpu = 0;
SELECT next_pid FROM sched_switch EXCEPT SELECT event_pid FROM sched_waking;
END
else
	skip 'no python3'
fi

it 'random statements have the rows that they have on copies of the tables'
python=/usr/bin/python3
if [ -n "${SANITIZE:-}${HIST_VALGRIND:-}" ]; then
	skip 'python3 is not built like the extension'
elif $python -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null; then
	run $python tests/cli/sql_random.py "${BUILD:-build}/sqlite/hist.so" 1 60 $wakeup tests/cli/recipes/power.dat tests/cli/recipes/6.12-stacks.dat \
		tests/cli/recipes/net.dat tests/cli/recipes/marker.dat
	status_is 0
	stdout_has '^[0-9]* statements, 1[0-9][0-9] with rows, 0 differ$'
	stdout_lacks ' FROM '
else
	skip 'no python3 that loads extensions'
fi

it 'a join on addresses and large numbers is not quadratic'
hist sql -q -i $samples/kmalloc.dat --format csv --timeout 60s 'SELECT count(*) FROM kmalloc a JOIN kmalloc b ON a.ptr = b.ptr'
status_is 0
cp "$tmp.out" "$tmp/got"
hist sql -q -i $samples/kmalloc.dat --format csv 'SELECT sum(n * n) AS "count(*)" FROM (SELECT count(*) AS n FROM kmalloc GROUP BY ptr)'
stdout_is_file "$tmp/got"

it 'times from 2^63 ns on, and the pid -1'
cat >"$tmp/late.txt" <<'END'
          x-1     [000] d..2.  9223372036.854775807: sched_waking: comm=a pid=7 prio=120 target_cpu=000
          y-1     [001] d..2.  9223372036.854775808: sched_waking: comm=b pid=-1 prio=120 target_cpu=001
          y-2     [001] d..2. 18446744073.709551614: sched_waking: comm=b pid=9 prio=120 target_cpu=001
END
hist sql -i "$tmp/late.txt" --format csv 'SELECT ts, pid FROM sched_waking'
stdout_is 'ts,pid
9223372036854775807,1
9223372036854775808,1
18446744073709551614,2'
stderr_has 'warning: times from 2\^63 ns on are texts'
hist sql -q -i "$tmp/late.txt" --format csv 'SELECT max(ts), min(ts) FROM sched_waking; SELECT ts FROM sched_waking ORDER BY 1 DESC'
stdout_is 'max(ts),min(ts)
18446744073709551614,9223372036854775807

ts
18446744073709551614
9223372036854775808
9223372036854775807'
for where in 'ts > 9223372036854775806' 'cpu = 1 OR ts <= 9223372036854775807' 'ts > 5 AND cpu < 2' 'event_pid IN (7, -1, 9)'; do
	hist sql -q -i "$tmp/late.txt" --format csv "SELECT count(*) AS n FROM sched_waking WHERE $where"
	stdout_is 'n
3'
done
hist sql -q -i "$tmp/late.txt" --format csv 'SELECT count(*) AS n FROM events; SELECT event_pid FROM sched_waking WHERE event_pid = -1'
stdout_is 'n
3

event_pid
-1'

it 'numbers that a field cannot have are compared, and are no error'
for where in 's_dev = -2147483649' 's_dev = 99999999999' "comm = '$(printf '%0400d' 7)'" 'cpu = 5000000000' 'pid = -5000000000'; do
	hist sql -i tests/cli/recipes/6.18-cache.dat --format csv "SELECT count(*) > 100 AS n FROM mm_filemap_get_pages WHERE $where OR 1 = 1 AND cpu >= 0;
		SELECT count(*) AS n FROM mm_filemap_get_pages WHERE $where"
	status_is 0
	stderr_is ''
	stdout_is 'n
1

n
0'
done

it 'a number in quotes is a text for a column without a type, which is a warning'
hist sql -i $wakeup --format csv "SELECT count(*) AS n FROM wait WHERE ns > '8266'"
stdout_is 'n
0'
stderr_has "warning: a number is compared with a text, '8266', which is greater than each number: write it without quotes"
hist sql -i $wakeup --format csv "SELECT (SELECT count(*) FROM wait WHERE ns > 8266) > 0 AS numbers, (SELECT count(*) FROM wait WHERE pid > '8') = (SELECT count(*) FROM wait WHERE pid > 8) AS typed"
stdout_is 'numbers,typed
1,1'
stderr_lacks warning
hist sql -i $wakeup --format csv "SELECT count(*) AS n FROM wait WHERE ns IN ('8266', '1')"
stdout_is 'n
0'
stderr_has "warning: a number is compared with a text, '8266', which is greater than each number: write it without quotes"
[ "$(grep -c 'in quotes\|without quotes' "$tmp.err")" = 1 ] || fail 'one warning'
for where in "+ns > '7'" "NOT ns > '7'" "'7' < ns" "ns BETWEEN '7' AND 9" "CASE WHEN +ns = '7' THEN 1 END" "CASE ns WHEN '7' THEN 1 END" "+ns NOT IN ('7', '8', '9')" "ns IN (1, 2, '7')" "coalesce(ns > '7', ns)" "pid = 1 AND (comm = 'a' OR ns != '7')"; do
	hist sql -i $wakeup --format csv "SELECT count(*) FROM wait WHERE $where"
	stderr_has "warning: a number is compared with a text, '7', which"
done
for where in "pid = 'sh'" "'sh' = pid" 'pid = "sh"' "comm = 'a' AND pid > 'sh'" "ns = 'sh'" "pid = 1 OR pid = 'sh'"; do
	hist sql -i $wakeup --format csv "SELECT count(*) FROM wait WHERE $where"
	stderr_has "warning: a number is compared with a text, 'sh', which is greater than each number: write the number that it stands for"
done
hist sql -i trace.dat-samples/switch.dat --format csv "SELECT count(*) AS n FROM sched_switch WHERE prev_state = 'D'"
stderr_has 'write the number that it stands for, or compare NAME_text, which has names$'
hist sql -i trace.dat-samples/switch.dat --format csv "SELECT (SELECT count(*) FROM sched_switch WHERE prev_state_text = 'S') = (SELECT count(*) FROM sched_switch WHERE prev_state = 1) AS same"
stdout_is 'same
1'
for where in "ns > 7" "comm = 'sh'" "comm = 'sh' AND pid = 7" "comm IN ('7', '8', '9') AND ns IN (7, 8, 9)" "comm = '7' AND ns = 7" "pid = '7'" "+ns > '9223372036854775808'" "ts > '7' AND ts IN ('7', '8', '9')" "ns || '' = '7'" "CAST(ns AS TEXT) = '7'" "ns > '7' + 0"; do
	hist sql -i $wakeup --format csv "SELECT count(*) FROM wait WHERE $where"
	stderr_lacks warning
done
hist sql -i $wakeup --format csv "SELECT (SELECT count(*) FROM wait WHERE ns IN (SELECT ns FROM wait WHERE ns > 8266)) = (SELECT count(*) FROM wait WHERE ns > 8266) AS numbers, (SELECT count(*) FROM wait w JOIN wait v ON v.ts = w.ts WHERE v.ns NOT IN (1, 2) AND w.ns IN (v.ns, NULL)) > 0 AS joined, (SELECT count(*) FROM wait WHERE pid IN ('1', '2', ' x')) = (SELECT count(*) FROM wait WHERE pid IN (1, 2)) AS typed, (SELECT count(*) FROM wait WHERE ns IN (NULL)) AS none"
stdout_is 'numbers,joined,typed,none
1,1,1,0'
stderr_lacks warning

it 'a RIGHT JOIN that does not compare the tables is not grouped by counting'
hist sql -q -i $wakeup 'SELECT DISTINCT s.next_pid FROM tasks t RIGHT JOIN sched_switch s ON t.pid = 1 WHERE t.comm IS NULL'
status_is 2
stderr_has 'error: rows that are only grouped have no rowid.*group by \+COLUMN'
hist sql -q -i $wakeup --format csv 'SELECT count(*) AS n FROM (SELECT DISTINCT +s.next_pid FROM tasks t RIGHT JOIN sched_switch s ON t.pid = 1 WHERE t.comm IS NULL)'
stdout_is 'n
0'

it '--format sql makes a table in a database: the same rows, of each verb'
cat >"$tmp/load.py" <<'END'
import json, sqlite3, sys
db = sqlite3.connect(":memory:")
db.executescript(sys.stdin.read())
rows = db.execute("SELECT * FROM answer")
names = [d[0] for d in rows.description]
print(json.dumps([dict(zip(names, r)) for r in rows]))
END
if python3 -c 'import sqlite3' 2>/dev/null; then
	for q in 'SELECT * FROM sched_waking' "SELECT 9223372036854775807 + 0 AS a, -9223372036854775807 - 1 AS b, 1.5 AS c, 'it''s' AS d, NULL AS e"; do
		hist sql -q -i $wakeup --format json "$q"
		python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)))' <"$tmp.out" >"$tmp/want"
		hist sql -q -i $wakeup --format sql "$q"
		status_is 0
		python3 "$tmp/load.py" <"$tmp.out" >"$tmp/got"
		checked cmp -s "$tmp/want" "$tmp/got" || fail_file 'other rows' "$tmp/got"
	done
	hist report -q -i $wakeup wakeup-latency --format sql
	python3 "$tmp/load.py" <"$tmp.out" >"$tmp/got"
	hist sql -q -i $wakeup --format json 'SELECT * FROM "wakeup-latency"'
	python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)))' <"$tmp.out" >"$tmp/want"
	checked cmp -s "$tmp/want" "$tmp/got" || fail_file 'other rows' "$tmp/got"
fi

it 'memory is limited'
numbers='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000000)'
for q in "$numbers SELECT median(i) FROM n" "CREATE TABLE t AS $numbers SELECT i FROM n" 'SELECT length(zeroblob(500000000) || 1)' \
	'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT length(group_concat(hex(zeroblob(500000)))) FROM n'; do
	hist sql -i $switch --memory 60M "$q"
	status_is 2
	stderr_has 'error: the statement needs more memory: permit more with --memory'
done
hist sql -q -i $switch --memory 60M --format csv 'SELECT count(*) > 1000 AS n FROM sched_switch a JOIN sched_switch b ON a.next_pid = b.prev_pid'
stdout_is 'n
1'

done_testing
