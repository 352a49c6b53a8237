#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -e EVENT --by KEYS makes a histogram without the syntax of triggers; messages for users of other
# tools.
. tests/cli/lib.sh
layout=hist

samples=trace.dat-samples
[ -f $samples/switch.dat ] || skip_all "no $samples"

# same_as TRIGGER ARG...: the options print the same as the trigger by their rules
same_as()
{
	trigger=$1
	shift
	hist report -q "$@"
	status_is 0
	cp "$tmp.out" "$tmp/got"
	hist report -q --kernel=exact "$1" "$2" "$3" "$4" -R "$trigger"
	status_is 0
	stdout_is_file "$tmp/got"
}

it '--by counts, the most frequent first'
same_as 'hist:keys=next_comm:sort=hitcount.descending' -i $samples/switch.dat -e sched_switch --by next_comm
it '--sum adds up a field, and the first sum is the sort key'
same_as 'hist:keys=call_site.sym:vals=bytes_alloc,bytes_req:sort=bytes_alloc.descending' \
	-i $samples/kmalloc.dat -e kmalloc --by call_site.sym --sum bytes_alloc,bytes_req
same_as 'hist:keys=call_site.sym:vals=bytes_alloc:sort=bytes_alloc.descending' \
	-i $samples/kmalloc.dat -e kmalloc --sum bytes_alloc --by call_site.sym
it 'a distribution is sorted by its key'
same_as 'hist:keys=bytes_req.log2:sort=bytes_req' -i $samples/kmalloc.dat -e kmalloc --by bytes_req.log2
same_as 'hist:keys=bytes_req.buckets=64:vals=bytes_alloc:sort=bytes_req' \
	-i $samples/kmalloc.dat -e kmalloc --by bytes_req.buckets=64 --sum bytes_alloc
hist report -q -i $samples/kmalloc.dat -e kmalloc --by bytes_req.log2 --sum bytes_req
stdout_has 'vals=hitcount,bytes_req:sort=bytes_req.log2:'
hist report -q -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=bytes_req.log2:vals=bytes_req:sort=bytes_req'
stdout_has 'vals=hitcount,bytes_req:sort=bytes_req:'
same_as 'hist:keys=next_prio,next_pid.log2:sort=hitcount.descending' \
	-i $samples/switch.dat -e sched_switch --by next_prio,next_pid.log2
it 'the address of a function is printed as a symbol'
same_as 'hist:keys=call_site.sym:sort=hitcount.descending' -i $samples/kmalloc.dat -e kmalloc --by call_site
same_as 'hist:keys=call_site.sym-offset:sort=hitcount.descending' \
	-i $samples/kmalloc.dat -e kmalloc --by call_site.sym-offset
same_as 'hist:keys=ip.sym,parent_ip.sym:sort=hitcount.descending' \
	-i tests/cli/recipes/functions.dat -e function --by ip,parent_ip
it 'numbers have names: combined flags, signals, devices; addresses are hexadecimal, negative numbers have a sign'
hist report -q -i $samples/kmalloc.dat -e kmalloc --by gfp_flags
stdout_has '^\{ gfp_flags: GFP_KERNEL\|__GFP_ZERO '
stdout_lacks '^\{ gfp_flags: +[0-9]'
hist report -q -i tests/cli/recipes/tasks.dat -e signal_generate --by sig
stdout_has '^\{ sig: SIGCHLD +\[ 17\] '
hist report -q -i tests/cli/recipes/7.3.dat -e block_rq_issue --by dev
stdout_has '^\{ dev: 254:0 +\[266338304\] '
same_as 'hist:keys=address.hex:sort=hitcount.descending' -i tests/cli/recipes/tasks.dat -e page_fault_user --by address
hist report -q -i $samples/syscalls.dat -e sys_exit -f 'ret < 0' --by ret --sum ret
stdout_has '^\{ ret: +-2 \} hitcount: +[0-9]+  ret: +-[0-9]+$'
hist report -q -i $samples/syscalls.dat -e sys_exit -R 'hist:keys=ret if ret < 0'
stdout_has '^\{ ret: 18446744073709551614 \}'
it 'a system call has its name, --sort by a statistic implies --stats, and --stats of no number is noted'
same_as 'hist:keys=id.syscall,common_comm:sort=hitcount.descending' -i $samples/syscalls.dat -e sys_enter --by id,comm
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --sort p99 --format csv
stdout_has "^comm,hitcount,ns,.*ns_p99"
hist report -q -i $samples/wakeup.dat wakeup-latency --sort max --format csv --show 1
stdout_lacks 'p99'
hist report -i $samples/switch.dat -e sched_switch --by next_comm --stats
status_is 0
stderr_has 'sched:sched_switch: statistics describe numbers, and there is none: --sum FIELD adds one'
hist report -i $samples/switch.dat -e sched_switch --by next_pid --stats
stderr_has 'sched:sched_switch: statistics describe numbers, and there is none: --sum FIELD adds one'
hist report -i $samples/switch.dat -e sched_switch --by next_prio --stats
stderr_is ''
it '-f filters what is counted, before or after --by'
same_as 'hist:keys=next_comm:sort=hitcount.descending if next_pid != 0' \
	-i $samples/switch.dat -e sched_switch --by next_comm -f 'next_pid != 0'
same_as 'hist:keys=next_comm:sort=hitcount.descending if next_pid != 0' \
	-i $samples/switch.dat -e sched_switch -f 'next_pid != 0' --by next_comm
stderr_lacks 'does not limit'
it 'parameters of keys can be added'
same_as 'hist:keys=next_comm:sort=next_comm if next_pid != 0' \
	-i $samples/switch.dat -e sched_switch --by next_comm:sort=next_comm -f 'next_pid != 0'

it 'each -e has its own --by, and each --by is a histogram'
hist report -q -i $samples/switch.dat -e sched_switch -f 'next_pid == 1' --by next_comm -e sched_waking --by comm --by pid
status_is 0
stdout_has '^# trigger info: hist:keys=next_comm.* if next_pid == 1 \[active\]$'
stdout_has '^# trigger info: hist:keys=comm:vals=hitcount:sort=hitcount.descending:size=2048 \[active\]$'
stdout_has '^# trigger info: hist:keys=pid:vals=hitcount:sort=hitcount.descending:size=2048 \[active\]$'

it 'works with check, slim and diff'
hist check -i $samples/switch.dat -e sched_switch --by next_comm
status_is 0
hist slim -i $samples/switch.dat -o "$tmp/s.dat" -e sched_switch --by next_comm
status_is 0
hist diff -q -e sched_switch --by next_comm $samples/switch.dat $samples/switch.dat
status_is 0

it 'accepts the terms of other tools, unless the event has a field of that name'
hist report -q -i $samples/switch.dat -e sched_switch --strict-kernel --by comm
stdout_has "^# trigger info: hist:keys=common_pid.execname:"
same_as 'hist:keys=comm,pid:sort=hitcount.descending' -i $samples/switch.dat -e sched_waking --by comm,pid
same_as 'hist:keys=id.syscall,common_pid:sort=hitcount.descending' -i $samples/switch.dat -e sys_enter --by syscall,pid
same_as 'hist:keys=bytes_req.log2:sort=bytes_req' -i $samples/kmalloc.dat -e kmalloc --by 'hist(bytes_req)'
same_as 'hist:keys=stacktrace:vals=bytes_alloc:sort=bytes_alloc.descending' \
	-i $samples/stacks.dat -e kmalloc --by kstack --sum bytes_alloc

guest=tests/cli/recipes/7.3.dat
it 'the words of bpftrace: args, sum(), lhist()'
same_as 'hist:keys=bytes_req.log2:sort=bytes_req' -i $samples/kmalloc.dat -e kmalloc --by 'hist(args.bytes_req)'
same_as 'hist:keys=bytes_req:vals=bytes_alloc:sort=bytes_alloc.descending' \
	-i $samples/kmalloc.dat -e kmalloc --by 'args->bytes_req' --sum 'sum(args.bytes_alloc)'
same_as 'hist:keys=bytes_req.lhist=0_1000_100:sort=bytes_req' \
	-i $samples/kmalloc.dat -e kmalloc --by 'lhist(args.bytes_req, 0, 1000, 100)'
same_as 'hist:keys=common_pid,bytes_req.lhist=0_1000_64,bytes_alloc:sort=hitcount.descending' \
	-i $samples/kmalloc.dat -e kmalloc --by 'pid,lhist(bytes_req,0,1000,64),bytes_alloc'
for wrong in 'lhist(bytes_req' 'lhist(bytes_req,1,2)' 'lhist(bytes_req,1,b,2)' 'lhist(bytes_req,1,20,0)'; do
	hist report -i $samples/kmalloc.dat -e kmalloc --by "$wrong"
	status_is 1
	stderr_has 'lhist\(FIELD,MIN,MAX,SIZE\) takes three numbers'
done
hist report -i $samples/kmalloc.dat -e kmalloc --by 'lhist(bytes_req,20,10,1)'
status_is 1
stderr_has 'the start of the ranges is not below their end'
hist report -i $samples/kmalloc.dat -e kmalloc --by 'lhist(bytes_req,-20,10,1)'
status_is 1
stderr_has 'the field is not signed'
hist report -i $guest -e sys_exit -R 'hist:keys=ret.lhist=0_10_1'
status_is 1
stderr_has 'Invalid field modifier'

hist events -q -i $guest -e sys_exit --fields ret --format csv
sed 1d "$tmp.out" >"$tmp/ret"

# ranges_are KEY MIN MAX SIZE: all ways to count print these ranges of ret, one below and one above
ranges_are()
{
	LC_ALL=C sort -n "$tmp/ret" | awk -v min="$2" -v max="$3" -v size="$4" '
		BEGIN { print "ret_min,ret_max,hitcount" }
		function end(a, b) { return a < b ? a : b }
		$1 < min { row = "-9223372036854775808," min - 1 }
		$1 >= max { row = max ",9223372036854775807" }
		$1 >= min && $1 < max {
			at = $1 - ($1 - min) % size
			row = at "," end(at + size, max) - 1
		}
		NR > 1 && row != last { print last "," n; n = 0 }
		{ last = row; n++ }
		END { print last "," n }' >"$tmp/want"
	for way in plain order range; do
		hist report -q -i $guest -e sys_exit -j 3 --plan=$way --by "$1" --format csv
		status_is 0
		stdout_is_file "$tmp/want"
	done
}

it 'lhist(): one row for all below MIN, one for all from MAX on; negative numbers have their ranges'
ranges_are 'lhist(ret,-120,100,70)' -120 100 70
ranges_are 'lhist(ret,-3,5,1)' -3 5 1
ranges_are 'lhist(ret,0,4096,512)' 0 4096 512
hist report -q -i $guest -e sys_exit -f 'ret < 100000' --by ret.buckets=40 --format csv
cp "$tmp.out" "$tmp/buckets"
ranges_are 'lhist(ret,-4000,100000,40)' -4000 100000 40
sed -i '$d' "$tmp/want"
cmp -s "$tmp/buckets" "$tmp/want" || fail 'multiples of the size differ from the same ranges of lhist()'
hist report -i $guest -e sys_exit --by 'lhist(ret,-20,100,70)' --format text
stdout_has '^ *below -20 '
stdout_has '^ *100 and above '
hist report -q -i $guest -e sys_exit --by 'lhist(ret,-20,100,70)' --format json -o "$tmp/a.json"
hist report -q -i tests/cli/recipes/6.12.dat -e sys_exit --by 'lhist(ret,-20,100,70)' --format json -o "$tmp/b.json"
hist merge "$tmp/a.json" "$tmp/b.json" --format csv
stdout_has '^-9223372036854775808,-21,'
[ "$(sed -n 2p "$tmp.out" | cut -d, -f1)" = -9223372036854775808 ] || fail 'the row below MIN is not the first'
hist diff "$tmp/a.json" "$tmp/b.json"
stdout_has '^below -20 '

it 'powers of two of a signed field: those below 0 are one row, the first'
hist report -q -i $guest -e sys_exit --by ret.log2 --format csv
[ "$(sed -n 2p "$tmp.out")" = "-9223372036854775808,-1,$(grep -c '^-' "$tmp/ret")" ] || fail 'the first row is not that below 0'
hist report -i $guest -e sys_exit --by ret.log2 --format text
stdout_has '^ *below 0 '
hist report -q -i $guest -e sys_exit --kernel=7.3 --by ret.log2 --format csv
stdout_lacks '-9223372036854775808'

it 'columns of one field have names of their own'
hist report -q -i $samples/switch.dat -e sched_switch --by next_pid,next_pid.cgroup,next_pid.tgid --format csv
stdout_has '^next_pid,next_pid.cgroup,next_pid.tgid,hitcount$'
hist report -q -i $samples/switch.dat -e sched_switch --by next_prio,next_prio.log2 --format text
stdout_has '^next_prio  *next_prio.log2  *hits$'
hist report -q -i $guest file-io --show 1 --format csv
stdout_has ',bytes,max,max_bytes,'
hist report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_prio,next_prio.log2' --format csv
stdout_has '^next_prio,next_prio#2_min,next_prio#2_max,hitcount$'

it 'a modifier of the field count, and hints for names that are fields elsewhere'
hist report -q -i $guest -e sys_enter_write --by count.log2
status_is 0
hist report -i $guest -e sys_enter --by count.log2
status_is 1
stderr_has 'each row has its number of events, the hitcount'
hist report -i $guest syscall-errors --by name
status_is 1
stderr_has 'synthetic:syscall_error has id, error,'
stderr_lacks 'each event has its own table'
hist report -i $samples/switch.dat -e sched_switch --by event_next_prio
stderr_has 'event_next_prio is the column of hist events for the field next_prio: write next_prio'
for filter in 'common_comm == x' 'next_pid == 1 && common_comm ~ "b*"'; do
	hist report -i $samples/switch.dat -e sched_switch -f "$filter" --by next_comm
	status_is 1
	stderr_has 'the name of the running task is COMM in a filter'
done
hist report -i $samples/switch.dat -e sched_switch -f 'event_next_prio == 1' --by next_comm
stderr_has 'write next_prio'

it 'notes an event that no --by counts'
hist report -i $samples/switch.dat -e sched_switch -e sched_waking --by comm
stderr_has 'note: --by belongs to the -e before it: -e sched_switch,sched_waking --by comm counts both, each in a table'
hist report -i $samples/switch.dat -e sched_switch --by next_pid -e sched_waking --by comm
stderr_lacks '--by belongs to'

it 'moments have units and offsets'
hist report -q -i $samples/switch.dat -e sched_switch --from +0.005 --to +20ms --by next_comm
cp "$tmp.out" "$tmp/want"
hist report -q -i $samples/switch.dat -e sched_switch --from +5ms --to +0.021-1ms --by next_comm
stdout_is_file "$tmp/want"
hist report -q -i $samples/switch.dat -e sched_switch --around +12.5ms --context 7.5ms --by next_comm
stdout_is_file "$tmp/want"
hist report -i $samples/switch.dat -e sched_switch --from 5msx --by next_comm
status_is 2
stderr_has '5msx is not a time, or too large'

it 'ranges of times have units'
same_as 'hist:keys=ns.lhist=0_10000000_1000000:sort=ns' -i $samples/switch.dat -e derived:wait --by 'lhist(ns,0,10ms,1ms)'
hist report -q -i $samples/switch.dat -e derived:wait --by ns.buckets=1ms
cp "$tmp.out" "$tmp/got"
hist report -q -i $samples/switch.dat -e derived:wait --by ns.buckets=1000000
stdout_is_file "$tmp/got"
hist report -i $guest -e sys_exit --by ret.buckets=1ms
status_is 1
stderr_has 'a size with a unit of time is for fields in ns'

it 'comm is the name alone, which is a key of kernels from 6.16 on; a field of that name is taken first'
same_as 'hist:keys=common_comm:sort=hitcount.descending' -i $guest -e sys_enter --by comm
same_as 'hist:keys=common_comm,id.syscall:sort=hitcount.descending' -i $guest -e sys_enter --by comm,syscall
same_as 'hist:keys=comm:sort=hitcount.descending' -i $guest -e sched_migrate_task --by comm
hist report -q -i tests/cli/recipes/6.12.dat -e sys_enter --by comm
stdout_has '^# trigger info: hist:keys=common_comm:'

it 'pointers are hexadecimal; a pointer to text is the text, where that was recorded'
same_as 'hist:keys=skbaddr.hex:sort=hitcount.descending' -i $guest -e net_dev_xmit --by skbaddr
same_as 'hist:keys=__filename_val:sort=hitcount.descending' -i $guest -e sys_enter_openat --by filename

it 'numbers of one event have the names of its print fmt'
hist report -q -i $guest -e softirq_entry --by vec
stdout_has '^\{ vec: SCHED +\[  7\] \} hitcount: '
hist report -q -i $guest -e inet_sock_set_state --by args.oldstate,newstate
stdout_has '^\{ oldstate: TCP_CLOSE +\[  7\], newstate: TCP_SYN_SENT +\[  2\] \} hitcount: +8$'
hist report -q -i $guest -e softirq_entry --by vec --format ndjson
stdout_has '"key":\{"vec":7\},"text":\{"vec":"SCHED"\},"val"'
hist report -q -i $guest -e softirq_entry -R hist:keys=vec
stdout_has '^\{ vec: +7 \} hitcount: '
hist report -q -i $guest -e softirq_entry --by vec.hex
stdout_has '^\{ vec: 7 \} hitcount: '
hist report -q -i $guest -e softirq_entry --by vec -e softirq_exit --by vec
stdout_has '^\{ vec: +7 \} hitcount: '

it '--top prints the first rows, and the number of the others'
hist report -q -i $samples/switch.dat -e sched_switch --by next_comm
cp "$tmp.out" "$tmp/all"
rows=$(grep -c '^{' "$tmp/all")
hist report -q -i $samples/switch.dat -e sched_switch --by next_comm --top 3
status_is 0
{
	sed '/^{/,$d' "$tmp/all"
	grep '^{' "$tmp/all" | head -n 3
	echo "# $((rows - 3)) more (--top)"
	sed -n '/^$/,$p' "$tmp/all" | sed -n '/^{/,$p' | grep -v '^{'
} >"$tmp/want"
stdout_is_file "$tmp/want"
hist report -q -i $samples/switch.dat -e sched_switch --by next_comm --top "$rows"
stdout_is_file "$tmp/all"
hist report -q -i $samples/switch.dat -e sched_switch --by next_comm --top 0
stdout_is_file "$tmp/all"
for bad in '' x -1; do
	hist report -i $samples/switch.dat -e sched_switch --by next_comm --top "$bad"
	status_is 2
	stderr_has '--top takes a number of rows, or 0 for all'
done
it '--by, --sum and -f without an event are of all events, or of that which follows'
hist report -i $samples/switch.dat -e all --by comm,event
mv "$tmp.out" "$tmp/want"
hist report -i $samples/switch.dat --by comm,event
stdout_is_file "$tmp/want"
hist report -i $samples/switch.dat -e all -f 'common_pid > 100' -f 'cpu == 0' --by event
mv "$tmp.out" "$tmp/want"
hist report -i $samples/switch.dat --by event -f 'common_pid > 100' -f 'cpu == 0'
stdout_is_file "$tmp/want"
hist report -f 'common_pid > 100' $samples/switch.dat --by event -f 'cpu == 0'
stdout_is_file "$tmp/want"
hist report -i $samples/switch.dat -e sched_switch -f 'next_pid > 100' -f 'prev_prio < 120' --by next_comm --sum prev_prio
mv "$tmp.out" "$tmp/want"
hist report --by next_comm -f 'next_pid > 100' --sum prev_prio $samples/switch.dat -e sched_switch -f 'prev_prio < 120'
status_is 0
stdout_is_file "$tmp/want"
hist report --by cpu $samples/wakeup.dat wakeup-latency
mv "$tmp.out" "$tmp/want"
hist report $samples/wakeup.dat wakeup-latency --by cpu
stdout_is_file "$tmp/want"
hist events -i $samples/switch.dat -e all -f 'common_pid > 100'
mv "$tmp.out" "$tmp/want"
hist events -i $samples/switch.dat -f 'common_pid > 100'
stdout_is_file "$tmp/want"

it '--by needs an event where a script is, --on a statement'
hist report -i $samples/switch.dat -x 'cat set_event' --by next_comm
status_is 2
stderr_has '-f, --by and --sum need an -e EVENT [(]-e all: any[)], a --sql or a recipe'
hist report -i $samples/switch.dat -e sched_switch --on max:next_pid
status_is 2
stderr_has '--on and --do need a --sql before them'

it 'for an event that a script enables alone, a note names the options for a histogram'
hist report -i $samples/switch.dat -x 'echo 1 > events/sched/sched_switch/enable'
stderr_has 'nothing to print: .*-e EVENT --by FIELD, or'
stderr_has 'sched:sched_switch has prev_comm, '

it 'for an unknown field, lists the existing ones, also for the running task'
hist report -i $samples/switch.dat -e sched_switch --by command
status_is 1
stderr_has 'sched:sched_switch has prev_comm, .* the running task is common_pid, by name common_pid.execname'

it 'for sort= and filters, shows the syntax'
hist report -i $samples/switch.dat -e sched_switch --by next_comm:sort=-hitcount
stderr_has 'sort= takes hitcount, a key or a value: sort=hitcount.descending'
hist report -i $samples/switch.dat -e sched_switch --by next_comm:sort=hitcount.desc
stderr_has 'sort= takes .ascending \(the default\) or .descending'
hist report -i $samples/switch.dat -e sched_switch -R "hist:keys=next_comm if prev_state == S"
stderr_has 'note: strings: comm == "bash", comm ~ "kworker\*"; numbers: pid == 7'
hist report -i $samples/switch.dat -e sched_switch -f 'next_comm == init*' --by next_comm
stderr_has 'note: strings: comm == "bash"'

it 'finds a recipe by the name that other tools use'
hist report -q -i $samples/wakeup.dat wakeup-latency
cp "$tmp.out" "$tmp/want"
hist report -i $samples/wakeup.dat runqlat
status_is 0
stdout_is_file "$tmp/want"
stderr_has 'note: runqlat: using the recipe wakeup-latency'
hist recipe runqlat
status_is 0
stdout_is_file share/hist/recipes/wakeup-latency.hist
# the user's directories are searched, too; a name that two of them have is not resolved
mkdir "$tmp/r"
printf '# a1: A?\n# Alias: tool, other\ncat tracing_on\n' >"$tmp/r/a1.hist"
HIST_RECIPES=$tmp/r hist report -i $samples/wakeup.dat other
status_is 0
stdout_is 1
printf '# a2: B?\n# Alias: tool\ncat tracing_on\n' >"$tmp/r/a2.hist"
HIST_RECIPES=$tmp/r hist report -i $samples/wakeup.dat tool
status_is 2
stderr_has 'tool: No such file or directory'

it 'names of other tools are unique, and not names of recipes'
sed -n 's/^# Alias: //p' share/hist/recipes/*.hist | tr -d ' ' | tr ',' '\n' | sort >"$tmp/aliases"
holds test "$(wc -l <"$tmp/aliases")" -gt 50
holds test -z "$(uniq -d "$tmp/aliases")"
# shellcheck disable=SC2013 # words
for alias in $(cat "$tmp/aliases"); do
	checked [ ! -e "share/hist/recipes/$alias.hist" ] || fail "$alias is a recipe"
done

it 'suggests options for an event in place of a script, and for terms of other tools'
hist report -i $samples/switch.dat sched_switch
status_is 2
stderr_has 'sched_switch: No such file or directory; hist recipe lists the recipes, an event goes after -e, a field after --by or --sum, a task after --comm'
hist timeline
status_is 2
stderr_has 'hist has this instead: hist events --format timeline'
hist reprot
stderr_has 'did you mean report\?'

it 'refuses --sum without --by'
hist report -i trace.dat-samples/switch.dat -e sched_switch --sum prev_prio
status_is 1
stderr_has 'choose them with --by KEYS'
hist report -i trace.dat-samples/switch.dat --sql 'SELECT next_pid FROM sched_switch' --sum prev_prio
status_is 1
stderr_has 'choose them with --by KEYS'
hist report -i trace.dat-samples/switch.dat --sum prev_prio
status_is 1
stderr_has 'choose them with --by KEYS'

it '--by event is one table of all events of -e, by name, on all plans'
for plan in auto plain; do
	hist report -q --plan=$plan -i $samples/wakeup.dat -e sched --by event --format csv
	status_is 0
	checked sed 1d "$tmp.out" | cut -d, -f2,3 | sort >"$tmp/got"
	hist list -q -i $samples/wakeup.dat
	sed -n 's/^ *\([0-9]*\)  \(sched:.*\)/\2,\1/p' "$tmp.out" | sort >"$tmp/want"
	holds test -s "$tmp/want"
	holds diff "$tmp/want" "$tmp/got"
done
hist report -q --format text -i $samples/wakeup.dat -e sched --by event
stdout_has '^events by event$'
stdout_lacks '==>'
hist report -q -i $samples/wakeup.dat -e sched --by event,comm --format csv
sed 1d "$tmp.out" | grep sched:sched_waking | cut -d, -f3,4 | sort >"$tmp/got"
hist report -q -i $samples/wakeup.dat -e sched_waking --by common_comm --format csv
sed 1d "$tmp.out" | sort >"$tmp/want"
holds diff "$tmp/want" "$tmp/got"
hist report -i $samples/wakeup.dat -e sched_waking -e sched_switch --by event
stderr_has 'note: --by belongs to the -e before it: -e sched_waking,sched_switch --by event counts both'

it 'a recipe by other keys keeps the worst one of each row, and what was saved of it'
layout= # names of columns
hist report -q -i $samples/wakeup.dat wakeup-latency --format csv
cut -d, -f1,2,3,4,5 "$tmp.out" | sort >"$tmp/wanted"
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --format csv
cut -d, -f1,2,3,4,5 "$tmp.out" | sort >"$tmp/got"
holds cmp "$tmp/got" "$tmp/wanted"
hist report -q -i $samples/wakeup.dat wakeup-latency --by pid --top 1
stdout_has '^pid +hits +total +max +cpu$'
hist report -q -i $samples/wakeup.dat wakeup-latency --by cpu,ns.log2 --top 1
stdout_has '^cpu +duration +hits'
hist report -q -i $samples/wakeup.dat wakeup-latency --by comm --sum hitcount --top 1
stdout_lacks 'max'

done_testing
