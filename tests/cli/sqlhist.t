#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Every statement of libtracefs' manual pages sqlhist(1) and tracefs_sql(3), in their order: each shows what the
# triggers show that a person would write for it. Numbers in filters are such that something is left.
. tests/cli/lib.sh
layout=hist

sample=tests/cli/recipes/7.3.dat
net=tests/cli/recipes/gro.dat
read=events/syscalls/sys_enter_read/trigger
done=events/syscalls/sys_exit_read/trigger
waking=events/sched/sched_waking/trigger
switch=events/sched/sched_switch/trigger

# sql FILE OPTION...: what hist report shows, without the trigger, whose variables have other names
sql()
{
	file=$1
	shift
	hist report -q --kernel=exact -i "$file" "$@"
	status_is 0
	grep -v '^# trigger info' "$tmp.out" >"$tmp/sql"
}

# same LINE...: lines of a script on the file of the last sql show the same, and something
same()
{
	printf '%s\n' "$@" >"$tmp/script"
	hist report -q -i "$file" --kernel=exact "$tmp/script"
	status_is 0
	grep -v '^# trigger info' "$tmp.out" >"$tmp/hand"
	holds diff "$tmp/hand" "$tmp/sql"
	grep -q '^    Hits: [1-9]' "$tmp/hand" || fail_file 'compares nothing:' "$tmp/hand"
}

it 'sqlhist(1): a histogram of kmalloc'
sql $sample --sql 'SELECT CAST(call_site as SYM-OFFSET), bytes_req, CAST(bytes_alloc AS _COUNTER_) FROM kmalloc'
same "echo 'hist:keys=call_site.sym-offset,bytes_req:vals=bytes_alloc:sort=bytes_alloc.descending' >> events/kmem/kmalloc/trigger" \
	'cat events/kmem/kmalloc/hist'

it 'sqlhist(1): -m lat -T, a new maximum is traced and a snapshot is taken'
sql $sample --sql 'wakeup_lat=SELECT end.next_comm AS comm, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sched_waking AS start JOIN sched_switch AS end ON start.pid = end.next_pid WHERE end.next_prio < 130 && end.next_comm == "asks"' \
	--on max:lat --do trace,snapshot
same "echo 'wakeup_lat char comm[16]; u64 lat' >> synthetic_events" \
	"echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> $waking" \
	"echo 'hist:keys=next_pid:lat=common_timestamp.usecs-\$ts0,c=next_comm:onmax(\$lat).trace(wakeup_lat,\$c,\$lat):onmax(\$lat).snapshot() if next_prio < 130 && next_comm == \"asks\"' >> $switch" \
	"echo 'hist:keys=comm:vals=lat:sort=lat.descending' >> events/synthetic/wakeup_lat/trigger" \
	'cat events/synthetic/wakeup_lat/hist'

it 'tracefs_sql(3): two fields of a system call, with and without its system, with aliases'
for query in \
	'SELECT syscalls.sys_enter_read.fd, syscalls.sys_exit_read.ret FROM syscalls.sys_enter_read JOIN syscalls.sys_exit_read ON syscalls.sys_enter_read.common_pid = syscalls.sys_exit_read.common_pid' \
	'SELECT sys_enter_read.fd, sys_exit_read.ret FROM sys_enter_read JOIN sys_exit_read ON sys_enter_read.common_pid = sys_exit_read.common_pid' \
	'SELECT start.fd, end.ret FROM sys_enter_read AS start JOIN sys_exit_read AS end ON start.common_pid = end.common_pid'; do
	sql $sample --sql "$query"
	same "echo 'sql u64 fd; s64 ret' >> synthetic_events" \
		"echo 'hist:keys=common_pid:f=fd' >> $read" \
		"echo 'hist:keys=common_pid:g=\$f,r=ret:onmatch(syscalls.sys_enter_read).sql(\$g,\$r)' >> $done" \
		"echo 'hist:keys=fd,ret:sort=hitcount.descending' >> events/synthetic/sql/trigger" \
		'cat events/synthetic/sql/hist'
done

it 'tracefs_sql(3): fields of other names'
sql $sample --sql 'SELECT start.fd AS filed, end.ret AS return FROM sys_enter_read AS start JOIN sys_exit_read AS end ON start.common_pid = end.common_pid'
same "echo 'sql u64 filed; s64 return' >> synthetic_events" \
	"echo 'hist:keys=common_pid:f=fd' >> $read" \
	"echo 'hist:keys=common_pid:g=\$f,r=ret:onmatch(syscalls.sys_enter_read).sql(\$g,\$r)' >> $done" \
	"echo 'hist:keys=filed,return:sort=hitcount.descending' >> events/synthetic/sql/trigger" \
	'cat events/synthetic/sql/hist'

it 'tracefs_sql(3) as printed, with the wrong event after ON: an error at its place'
hist report -i $sample --sql 'SELECT sys_enter_read.fd, sys_exit_read.ret FROM sys_enter_read JOIN sys_exit_read ON sys_enter_read.common_pid = sys_exit_write.common_pid'
status_is 1
stdout_is ''
stderr_has '^--sql:1:[0-9]*: error: '

it 'tracefs_sql(3): a difference of fields of two events'
sql $net --sql 'select start.truesize, end.len, (start.truesize - end.len) as diff from napi_gro_receive_entry as start JOIN netif_receive_skb as end ON start.skbaddr = end.skbaddr'
same "echo 'sql u32 truesize; u32 len; u32 diff' >> synthetic_events" \
	"echo 'hist:keys=skbaddr:t=truesize' >> events/net/napi_gro_receive_entry/trigger" \
	"echo 'hist:keys=skbaddr:s=\$t,l=len,d=\$t-len:onmatch(net.napi_gro_receive_entry).sql(\$s,\$l,\$d)' >> events/net/netif_receive_skb/trigger" \
	"echo 'hist:keys=truesize,len:vals=diff:sort=diff.descending' >> events/synthetic/sql/trigger" \
	'cat events/synthetic/sql/hist'

it 'sums and differences are what is written, whichever field is first'
join='from napi_gro_receive_entry as start JOIN netif_receive_skb as end ON start.skbaddr = end.skbaddr'
sql $net --sql "select (start.truesize + end.len) as sum, (start.truesize - end.len) as more, (end.len - start.len) as grown $join" \
	-R 'hist:keys=sum,more,grown:sort=hitcount.descending'
same "echo 'sql u32 sum; u32 more; u32 grown' >> synthetic_events" \
	"echo 'hist:keys=skbaddr:t=truesize,n=len' >> events/net/napi_gro_receive_entry/trigger" \
	"echo 'hist:keys=skbaddr:s=\$t+len,m=\$t-len,g=len-\$n:onmatch(net.napi_gro_receive_entry).sql(\$s,\$m,\$g)' >> events/net/netif_receive_skb/trigger" \
	"echo 'hist:keys=sum,more,grown:sort=hitcount.descending' >> events/synthetic/sql/trigger" \
	'cat events/synthetic/sql/hist'

# latency FILTER-OF-START FILTER-OF-END: the triggers of a wakeup latency
latency()
{
	same "echo 'sql pid_t pid; u64 lat' >> synthetic_events" \
		"echo 'hist:keys=pid:p=pid,ts0=common_timestamp.usecs$1' >> $waking" \
		"echo 'hist:keys=next_pid:p2=\$p,lat=common_timestamp.usecs-\$ts0:onmatch(sched.sched_waking).sql(\$p2,\$lat)$2' >> $switch" \
		"echo 'hist:keys=pid:vals=lat:sort=lat.descending' >> events/synthetic/sql/trigger" \
		'cat events/synthetic/sql/hist'
}

from='select start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) as lat from sched_waking as start JOIN sched_switch as end ON start.pid = end.next_pid'
it 'tracefs_sql(3): a wakeup latency'
sql $sample --sql "$from"
latency '' ''

it 'tracefs_sql(3): WHERE on both events'
sql $sample --sql "$from WHERE start.prio < 130 && (!(end.prev_pid < 1 || end.prev_prio > 100) || end.prev_pid == 0)"
latency ' if prio < 130' ' if (!(prev_pid < 1 || prev_prio > 100) || prev_pid == 0)'
sql $sample --sql "$from WHERE start.prio < 121 && end.prev_prio < 121"
latency ' if prio < 121' ' if prev_prio < 121'

it 'tracefs_sql(3): conditions of two events cannot be alternatives'
hist report -i $sample --sql "$from WHERE start.prio < 100 || end.prev_prio < 100"
status_is 1
stdout_is ''
stderr_has '^--sql:1:[0-9]*: error: '

it 'tracefs_sql(3): a field that is called like a word of SQL'
hist report -q -i $sample --synth 'region u64 from' --sql 'select \from from region'
status_is 0
stdout_has '^# trigger info: hist:keys=from:'
hist report -q -i $sample --synth 'region u64 from' --sql 'select from from region'
status_is 1
stderr_has '^--sql:1:[0-9]*: error: '

it 'tracefs_sql(3): names of tasks and system calls'
sql $sample --sql 'select CAST(common_pid AS comm), CAST(id AS syscall) FROM sys_enter'
same "echo 'hist:keys=common_pid.execname,id.syscall:sort=hitcount.descending' >> events/raw_syscalls/sys_enter/trigger" \
	'cat events/raw_syscalls/sys_enter/hist'

it 'tracefs_sql(3): each type of CAST'
for cast in HEX:hex SYM:sym SYM-OFFSET:sym-offset LOG:log2 log2:log2; do
	sql $sample --sql "SELECT CAST(call_site AS ${cast%:*}) FROM kmalloc"
	same "echo 'hist:keys=call_site.${cast#*:}:sort=hitcount.descending' >> events/kmem/kmalloc/trigger" 'cat events/kmem/kmalloc/hist'
done
for cast in EXECNAME comm; do
	sql $sample --sql "SELECT CAST(common_pid AS $cast) FROM kmalloc"
	same "echo 'hist:keys=common_pid.execname:sort=hitcount.descending' >> events/kmem/kmalloc/trigger" 'cat events/kmem/kmalloc/hist'
done

it 'tracefs_sql(3): a value'
for counter in _COUNTER_ __COUNTER__; do
	sql $sample --sql "SELECT common_pid, CAST(bytes_req AS $counter) FROM kmalloc"
	same "echo 'hist:keys=common_pid:vals=bytes_req:sort=bytes_req.descending' >> events/kmem/kmalloc/trigger" 'cat events/kmem/kmalloc/hist'
done

done_testing
