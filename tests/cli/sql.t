#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --sql: each statement has the result of the triggers that one would write for it. The statements
# are those of sqlhist(1) and tracefs_sql(3), on events of tasks.dat.
. tests/cli/lib.sh
layout=hist

sample=tests/cli/recipes/tasks.dat
waking=events/sched/sched_waking/trigger
switch=events/sched/sched_switch/trigger

# rows: print the histogram without its trigger, whose names of variables differ
rows()
{
	grep -v '^# trigger info' "$tmp.out"
}

# same LINE...: compare with the result of these lines of a script
same()
{
	rows >"$tmp/sql"
	printf '%s\n' "$@" >"$tmp/script"
	hist report -i $sample --kernel=exact "$tmp/script"
	status_is 0
	rows >"$tmp/hand"
	holds diff "$tmp/hand" "$tmp/sql"
	grep -q '^    Hits: [1-9]' "$tmp/hand" || fail_file 'compares nothing:' "$tmp/hand"
}

it 'a histogram: CAST, _COUNTER_, a system before the event'
hist report -i $sample --sql 'SELECT CAST(call_site as SYM-OFFSET), bytes_req, CAST(bytes_alloc AS _COUNTER_) FROM kmalloc'
status_is 0
same "echo 'hist:keys=call_site.sym-offset,bytes_req:vals=bytes_alloc:sort=bytes_alloc.descending' >> events/kmem/kmalloc/trigger" \
	'cat events/kmem/kmalloc/hist'
hist report -i $sample --sql 'sElEct CAST(common_pid AS comm), CAST(id AS syscall) fRoM raw_syscalls.sys_enter'
status_is 0
same "echo 'hist:keys=common_pid.execname,id.syscall:sort=hitcount.descending' >> events/raw_syscalls/sys_enter/trigger" \
	'cat events/raw_syscalls/sys_enter/hist'
hist report -i $sample --sql 'SELECT common_pid, CAST(bytes_req AS _COUNTER_) FROM kmalloc WHERE bytes_req > 100'
same "echo 'hist:keys=common_pid:vals=bytes_req:sort=bytes_req.descending if bytes_req > 100' >> events/kmem/kmalloc/trigger" \
	'cat events/kmem/kmalloc/hist'

it 'a latency: two events, differences of time stamps, WHERE on either'
hist report -i $sample --sql 'select start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as lat from sched_waking as start
	JOIN sched_switch as end ON start.pid = end.next_pid
	WHERE start.prio < 130 && (!(end.prev_pid < 1 || end.prev_prio > 100) || end.prev_pid == 0)'
status_is 0
same "echo 'wl pid_t pid; u64 lat' >> synthetic_events" \
	"echo 'hist:keys=pid:p=pid,ts0=common_timestamp.usecs if prio < 130' >> $waking" \
	"echo 'hist:keys=next_pid:p2=\$p,lat=common_timestamp.usecs-\$ts0:onmatch(sched.sched_waking).wl(\$p2,\$lat) if (!(prev_pid < 1 || prev_prio > 100) || prev_pid == 0)' >> $switch" \
	"echo 'hist:keys=pid:vals=lat:sort=lat.descending' >> events/synthetic/wl/trigger" \
	'cat events/synthetic/wl/hist'

it 'TIMESTAMP_DELTA and TIMESTAMP_DELTA_USECS are such differences'
for unit in '' _USECS; do
	hist report -i $sample --sql "select start.pid, (end.TIMESTAMP$unit - start.TIMESTAMP$unit) as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid"
	cp "$tmp.out" "$tmp/long"
	hist report -i $sample --sql "select start.pid, TIMESTAMP_DELTA$unit as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid"
	status_is 0
	stdout_is_file "$tmp/long"
	hist report -i $sample --sql "select sched_waking.pid, timestamp_delta$unit as lat from sched_waking JOIN sched_switch ON sched_waking.pid = sched_switch.next_pid"
	status_is 0
	stdout_is_file "$tmp/long"
done

it 'a new maximum: --on, --do'
hist report -i $sample --sql 'wakeup_lat=SELECT end.next_comm AS comm, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid WHERE end.next_prio < 130 && end.next_comm == "alpha-a"' \
	--on max:lat --do trace,save:next_prio+prev_comm
status_is 0
same "echo 'wakeup_lat char comm[16]; u64 lat' >> synthetic_events" \
	"echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> $waking" \
	"echo 'hist:keys=next_pid:c=next_comm,lat=common_timestamp.usecs-\$ts0:onmax(\$lat).trace(wakeup_lat,\$c,\$lat):onmax(\$lat).save(next_prio,prev_comm) if next_prio < 130 && next_comm == \"alpha-a\"' >> $switch" \
	"echo 'hist:keys=comm:vals=lat:sort=lat.descending' >> events/synthetic/wakeup_lat/trigger" \
	'cat events/synthetic/wakeup_lat/hist'

it 'groups by --by, several times, or by -R'
latency='SELECT end.next_comm AS comm, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid'
hist report -i $sample --sql "$latency" --by comm --by lat.log2
status_is 0
stdout_has '^# trigger info: hist:keys=comm:vals=hitcount,lat:sort=lat.descending:'
stdout_has '^# trigger info: hist:keys=lat.log2:vals=hitcount:'
hist report -i $sample --sql "$latency" -R 'hist:keys=lat.log2,comm:sort=lat,comm'
status_is 0
stdout_has '^# trigger info: hist:keys=lat.log2,comm:vals=hitcount:sort=lat.log2,comm:'
stdout_lacks 'hist:keys=comm:'

it 'a statement can use the event of another one'
hist report -i $sample --sql "wl=$latency" --sql 'SELECT comm, CAST(lat AS _COUNTER_) FROM wl WHERE lat > 10'
status_is 0
stdout_has '^# trigger info: hist:keys=comm:vals=hitcount,lat:sort=lat.descending:size=2048 if lat > 10'

it 'a stack can be selected'
hist report -i $sample --explain --sql 'select start.prev_pid as pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as delta, start.STACKTRACE as stack
	FROM sched_switch as start JOIN sched_switch as end ON start.prev_pid = end.next_pid WHERE start.prev_state == 2'
status_is 0
stderr_has "note: echo 'sql pid_t pid; u64 delta; unsigned long stack\[\]' >> synthetic_events"
stderr_has '=common_stacktrace:size=16384 if prev_state == 2'

it '--explain prints equivalent lines'
hist report -i $sample --explain --sql "wl=$latency" --by comm
status_is 0
cp "$tmp.out" "$tmp/want"
sed -n 's/^hist: note: echo /echo /p' "$tmp.err" >"$tmp/script"
echo 'cat events/synthetic/wl/hist' >>"$tmp/script"
hist report -i $sample --kernel=exact "$tmp/script"
status_is 0
stdout_is_file "$tmp/want"

it 'check and diff accept it'
hist check -i $sample --sql "$latency"
status_is 0
hist diff --sql "$latency" $sample $sample
status_is 0

it 'an error is shown at its position in the statement'
hist report -i $sample --sql 'SELECT pid FRM sched_waking'
status_is 1
stdout_is ''
stderr_has "^--sql:1:12: error: syntax error: 'FRM'; FROM is missing"
stderr_has '^               \^~~$'
hist report -i $sample --sql 'SELECT start.pid,
  end.nosuch AS x
FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid'
status_is 1
stderr_has "^--sql:2:3: error: Field 'nosuch' not part of event sched_switch"
hist check -i $sample --sql 'SELECT pid FROM nosuch'
status_is 1
stderr_has "^--sql:1:17: error: event not found: 'nosuch'"
for bad in '' 'SELECT' 'x=' "SELECT 'a' FROM" 'SELECT pid FROM sched_waking; DROP' '"' "a'b"; do
	hist report -i $sample --sql "$bad"
	status_is 1
	stdout_is ''
	stderr_has 'error: '
done

it 'a distribution is sorted by its key'
hist report -i $sample --sql "$latency" --by lat.log2
stdout_has '^# trigger info: hist:keys=lat.log2:vals=hitcount:sort=lat.log2:'

it 'a JOIN has room for 16384 values'
awk 'BEGIN {
	for (i = 0; i < 4000; i++)
		printf "  x-1 [000] .... 1.%06d: taken: id=%d\n", i, i
	for (i = 0; i < 4000; i++)
		printf "  x-1 [000] .... 2.%06d: given: id=%d\n", i, i
}' >"$tmp/pairs.txt"
hist report -i "$tmp/pairs.txt" --sql 'SELECT start.id, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM taken AS start JOIN given AS end ON start.id = end.id' --by lat.log2
status_is 0
stdout_has '^    Hits: 4000$'
stderr_lacks 'dropped'

it 'warns of a difference of times that is negative'
for query in \
	'SELECT end.next_pid AS pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sched_switch AS end JOIN sched_waking AS start ON end.next_pid = start.pid' \
	'SELECT (end.TIMESTAMP - start.TIMESTAMP) AS lat FROM sched_switch AS end JOIN sched_waking AS start ON end.next_pid = start.pid'; do
	hist check -i $sample --sql "$query"
	status_is 0
	stderr_has 'warning: --sql: the time of end minus the time of start is negative: end, after FROM, comes before start, after JOIN; exchange'
done
hist check -i $sample --sql 'SELECT (sched.sched_waking.TIMESTAMP - sched_switch.TIMESTAMP) AS lat FROM sched.sched_waking JOIN sched_switch ON sched.sched_waking.pid = sched_switch.next_pid'
stderr_has 'the time of sched.sched_waking minus the time of sched_switch is negative'
for query in 'start.prio - end.next_prio' 'end.TIMESTAMP - start.TIMESTAMP' 'start.TIMESTAMP + end.TIMESTAMP'; do
	hist check -i $sample --sql "SELECT ($query) AS d FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid"
	stderr_lacks negative
done

it 'for terms of other dialects, suggests those supported'
hist report -i $sample --sql 'SELECT comm, COUNT(*) FROM sched_waking GROUP BY comm'
status_is 1
stderr_has '--sql makes triggers, which have no such clause: --by KEYS after --sql groups and counts, .*; hist sql FILE takes any statement$'
hist report -i $sample --sql 'SELECT comm FROM sched_waking ORDER BY comm'
status_is 1
stderr_has "^--sql:1:31: error: syntax error: 'ORDER'"
stderr_has 'note: --sql makes triggers'
hist report -i $sample --sql 'SELECT * FROM sched_waking'
status_is 1
stderr_has 'note: --sql does not support \*: name the fields after SELECT'
hist report -i $sample --sql 'SELECT comm FROM'
stderr_lacks 'GROUP BY'

# filter_is WANT STATEMENT: the only trigger of the statement has the filter WANT
filter_is()
{
	hist check -i $sample --explain --sql "$2"
	status_is 0
	stderr_is "hist: note: echo 'hist:keys=comm:sort=hitcount.descending if $1' >> $waking"
}

it 'conditions: AND, OR, NOT, texts, negative numbers, LIKE, IN, BETWEEN'
filter_is 'prio > 1 && pid != 0' 'SELECT comm FROM sched_waking WHERE prio > 1 AND pid <> 0'
filter_is '(prio > 1 || pid == -1)' 'SELECT comm FROM sched_waking WHERE prio > 1 or pid = -1;'
filter_is '((prio > 1 && pid == 2) || pid == 3)' 'SELECT comm FROM sched_waking WHERE prio > 1 AND pid = 2 OR pid = 3'
filter_is '(prio > 1 || pid == 2) && pid == 3' 'SELECT comm FROM sched_waking WHERE (prio > 1 OR pid = 2) AND pid = 3'
filter_is '!(comm == "init")' "SELECT comm FROM sched_waking WHERE NOT comm = 'init'"
filter_is 'comm ~ "a*c?"' "SELECT comm FROM sched_waking WHERE comm LIKE 'a%c_'"
filter_is '!(comm ~ "a*")' "SELECT comm FROM sched_waking WHERE comm NOT LIKE 'a%'"
filter_is 'comm ~ "a%"' "SELECT comm FROM sched_waking WHERE comm GLOB 'a%'"
filter_is '(prio == 1 || prio == -2)' 'SELECT comm FROM sched_waking WHERE prio IN (1, -2)'
filter_is '(prio >= 1 && prio <= 0x78)' 'SELECT comm FROM sched_waking WHERE prio BETWEEN 1 AND 0x78'
filter_is 'common_cpu == 0' 'SELECT comm FROM sched_waking WHERE sched_waking.common_cpu = 0'
hist report -q -i $sample --sql "SELECT prev_comm FROM sched_switch WHERE prev_state = S AND prev_comm != 'init'"
cp "$tmp.out" "$tmp/words"
hist report -q -i $sample --sql 'SELECT prev_comm FROM sched_switch WHERE prev_state == 1 && prev_comm != "init"'
holds test "$(grep -v '^# trigger' "$tmp.out" | cksum)" = "$(grep -v '^# trigger' "$tmp/words" | cksum)"

it 'a JOIN on CPUs, and on several fields'
hist report -q -i $sample --sql 'SELECT end.next_comm AS comm, TIMESTAMP_DELTA_USECS AS us FROM sched_waking start JOIN sched_switch end
	ON start.common_cpu = end.common_cpu AND start.pid = end.next_pid WHERE NOT (start.prio < 100 OR start.comm = "init") AND end.prev_prio < 200'
status_is 0
same "echo 'wl char comm[16]; u64 us' >> synthetic_events" \
	"echo 'hist:keys=common_cpu,pid:ts0=common_timestamp.usecs:size=16384 if !(prio < 100 || comm == \"init\")' >> $waking" \
	"echo 'hist:keys=common_cpu,next_pid:c=next_comm,us=common_timestamp.usecs-\$ts0:onmatch(sched.sched_waking).wl(\$c,\$us):size=16384 if prev_prio < 200' >> $switch" \
	"echo 'hist:keys=comm:vals=us:sort=us.descending' >> events/synthetic/wl/trigger" \
	'cat events/synthetic/wl/hist'

it '-f after a statement filters its result'
hist report -q -i $sample --sql "$latency" -f 'lat >= .1ms' --by comm
status_is 0
cp "$tmp.out" "$tmp/filtered"
hist report -q -i $sample --sql "$latency" -R 'hist:keys=comm:vals=lat:sort=lat.descending if lat >= 100'
holds test "$(grep '^{' "$tmp.out" | cksum)" = "$(grep '^{' "$tmp/filtered" | cksum)"
holds grep -q '^    Hits: [1-9]' "$tmp/filtered"
hist report -i $sample --sql "$latency WHERE lat > 5"
status_is 1
stderr_has "lat is a result: after the statement, -f 'lat > 5' filters results"

it 'a statement of one event is grouped, summed and filtered as -e EVENT -f FILTER'
hist report -q -i $sample --sql "SELECT prev_comm, prev_pid FROM sched_switch WHERE prev_state = S OR prev_prio < 100" --by next_comm --sum prev_prio -f 'prev_pid > 10'
status_is 0
cp "$tmp.out" "$tmp/got"
hist report -q -i $sample -e sched_switch -f '((prev_state == S || prev_prio < 100)) && (prev_pid > 10)' --by next_comm --sum prev_prio
stdout_is_file "$tmp/got"
holds grep -q '^    Hits: [1-9]' "$tmp/got"
hist report -q -i $sample --sql "SELECT prev_comm FROM sched_switch WHERE prev_state = S OR prev_prio < 100" -f 'prev_pid > 10'
status_is 0
cp "$tmp.out" "$tmp/got"
hist report -q -i $sample -e sched_switch -f '((prev_state == S || prev_prio < 100)) && (prev_pid > 10)' --by prev_comm
stdout_is_file "$tmp/got"
hist report -q -i $sample --sql 'SELECT prev_comm FROM sched_switch' -f 'prev_pid > 10'
status_is 0
cp "$tmp.out" "$tmp/got"
hist report -q -i $sample -e sched_switch -f 'prev_pid > 10' --by prev_comm
stdout_is_file "$tmp/got"

it '--sum adds up columns of a statement; without it, the differences are added up'
hist report -q -i $sample --sql "$latency" --by comm --sum pid
status_is 1
hist report -q -i $sample --sql "$(echo "$latency" | sed 's/ AS lat/&, start.prio AS prio/')" --by comm --sum prio
status_is 0
stdout_has '^# trigger info: hist:keys=comm:vals=hitcount,prio:sort=prio.descending:'
hist report -q -i $sample --sql "$latency" --by 'lat.log2,comm'
stdout_has '^# trigger info: hist:keys=lat.log2,comm:vals=hitcount:sort=hitcount.descending:'

it 'errors of statements have a place and a reason'
while IFS='|' read -r at why query; do
	hist report -i $sample --sql "$query"
	status_is 1
	stdout_is ''
	stderr_has "^--sql:1:$at: error: $why"
done <<-'END'
	8|both events have common_pid: write EVENT.common_pid|SELECT common_pid FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid
	60|ON compares a field of one event with a field of the other|SELECT s.pid FROM sched_waking s JOIN sched_switch AS e ON s.pid = s.prio
	20|unknown type 'FOO'|SELECT CAST(pid AS FOO) FROM sched_waking
	36|a condition compares a field with a value|SELECT pid FROM sched_waking WHERE TIMESTAMP > 5
	43|the text has no end: ' is missing|SELECT pid FROM sched_waking WHERE comm = 'x
	43|the text has no end: ' is missing|SELECT pid FROM sched_waking WHERE comm = '
	39|syntax error at the end of the statement: a comparison is missing|SELECT pid FROM sched_waking WHERE pid
	8|syntax error: 'max'; a field is missing|SELECT max(pid) FROM sched_waking
	8|Field 'nosuch' not part of event sched_waking|SELECT nosuch FROM sched_waking
	8|syntax error: 'FROM'; a field is missing|SELECT FROM sched_waking
	78|conditions of two events cannot be alternatives|SELECT s.pid FROM sched_waking s JOIN sched_switch e ON pid = next_pid WHERE s.prio = 1 OR next_prio = 1
END

it 'rejects invalid combinations'
hist report -i $sample --on max:comm
status_is 2
hist report -i $sample --sql "$latency" --on max:nosuch
status_is 1
stderr_has '--on max:nosuch: the statement has no field nosuch'
hist report -i $sample --sql "$latency" --on best:lat
status_is 1
hist report -i $sample --sql "$latency" --on max:lat --do nothing
status_is 1
stderr_has '--do takes trace, snapshot or save'

it '-e finds events that the command line defines'
hist report -i $sample --synth 'wl u64 lat; pid_t pid' \
	-e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' \
	-e sched_switch -R 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).wl($lat,next_pid)' \
	-e wl -R 'hist:keys=lat.log2:sort=lat'
status_is 0
stdout_has '^==> events/synthetic/wl/hist <==$'
hist check -i $sample -x "echo 'wl u64 lat' >> synthetic_events" -e synthetic:wl -R 'hist:keys=lat'
status_is 0
hist diff --synth 'wl u64 lat' -e wl -R 'hist:keys=lat' $sample $sample
stderr_is 'hist: warning: no event was counted on either side: nothing was compared; hist list shows which events a recording has'
hist report -i $sample -e wl -R 'hist:keys=lat' --synth 'wl u64 lat'
status_is 1

it '-e accepts several events, systems and globs'
hist report -i $sample -e sched_waking,sched_switch -R 'hist:keys=common_pid'
status_is 0
stdout_has '^==> events/sched/sched_waking/hist <==$'
stdout_has '^==> events/sched/sched_switch/hist <==$'
for all in 'sched:sched_wak*' 'sched_wak*,sched_wak*' 'sched/sched_waking'; do
	hist report -i $sample -e "$all" -R 'hist:keys=common_pid'
	status_is 0
	stdout_lacks '==>'
done
for all in sched 'sched:*' 'sched:'; do
	hist report -i $sample -e "$all" -R 'hist:keys=common_pid'
	status_is 0
	stdout_has '^==> events/sched/sched_switch/hist <==$'
	stdout_has '^==> events/sched/sched_migrate_task/hist <==$'
	stdout_lacks 'events/kmem'
done
hist report -i $sample -e 'nosuch*' -R 'hist:keys=common_pid'
status_is 1
stderr_has 'no event nosuch\* is in the recording'
hist report -i $sample -e sched_waking,nosuch -R 'hist:keys=common_pid'
status_is 1
stdout_is ''

it 'names events that are similar to one that does not exist'
hist report -i trace.dat-samples/switch.dat --sql 'SELECT next_pid FROM sched_swtch'
status_is 1
stderr_has "event not found: 'sched_swtch'"
stderr_has 'no format for event sched_swtch; nearest: sched:sched_switch'
hist report -i trace.dat-samples/switch.dat --sql 'SELECT next_pid FROM sched.sched_swtch'
status_is 1
stderr_has 'no format for event sched:sched_swtch; nearest: sched:sched_switch'

done_testing
