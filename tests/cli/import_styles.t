#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Texts in all styles that programs print, behind the stamps of loggers: each line is the event that was
# written (tests/import/styles.py). SEEDS: how many seeds; PAIRS=all: each style with each stamp.
. tests/cli/lib.sh
have python3 || skip_all 'no python3'

for seed in $(seq "${SEED:-1}" $((${SEED:-1} + ${SEEDS:-1} - 1))); do
	it "reads the events of every style, seed $seed"
	mkdir "$tmp/$seed"
	# shellcheck disable=SC2086 # nothing or a word
	python3 tests/import/styles.py "$seed" "$tmp/$seed" ${PAIRS:-}
	for want in "$tmp/$seed"/*.want; do
		text=${want%.want}
		hist events -q -i "$text" --fields ts,cpu,pid,comm,value,word
		tr -d '"' <"$tmp.out" >"$tmp/got"
		checked cmp -s "$want" "$tmp/got" || fail "$(basename "$text"): $(diff "$want" "$tmp/got" | head -n 3)
$(head -n 2 "$text")"
	done
done

it 'has the events of a recording from every form of trace-cmd report'
if have trace-cmd; then
	sample=trace.dat-samples/switch.dat
	hist report -q -i $sample -e sched_switch --by cpu,common_pid --format csv
	sort "$tmp.out" >"$tmp/want"
	for option in '' -t -l '-t -l' -N -R '-R -l' -w --ts-diff '-t --ts-diff' --raw-ts --align-ts --nodate -n\ sched_switch; do
		# shellcheck disable=SC2086 # split into words
		trace-cmd report $option $sample >"$tmp/report" 2>/dev/null
		hist report -q -i "$tmp/report" -e sched_switch --by cpu,common_pid --format csv
		cut -d, -f1-3 "$tmp.out" | sort >"$tmp/got"
		checked cmp -s "$tmp/want" "$tmp/got" || fail "$option: $(diff "$tmp/want" "$tmp/got" | head -n 3)"
	done
else
	skip 'no trace-cmd'
fi

it 'reads the context of each length: flags and depths'
# context FLAGS PREEMPT
while read -r context flags preempt; do
	echo "  sh-1  [000] $context 1.000001: ev: a=1" >"$tmp/context"
	hist report -q -i "$tmp/context" -e ev --by common_flags,common_preempt_count --format csv
	stdout_is "common_flags,common_preempt_count,hitcount,inexact
$flags,$preempt,1,true"
done <<'END'
.... 0 0
dNh3 45 3
d..2. 1 2
dNs31 53 19
d...2. 1 2
dNh.21 45 16
dN.h2.1 45 18
dNLh412 47 36
d..12.. 1 1
dN.H2..3 61 50
-0x0 0 0
-0x11 17 0
END

it 'counts the lines that look like events and are left out, by kind, with the first of each'
cat >"$tmp/kinds" <<'END'
              sh-1     [000] d..2.     1.000001: ev: a=1
     CPU 0/KVM-12345   [000] d..2.     1.000002: ev: a=2
              sh-1     [000] d..2?     1.000003: ev: a=3
              sh-1     [000] d..2?     1.000004: ev: a=4
              sh       [000] d..2.     1.000005: ev: a=5
                       [000]           1.000006: ev: a=6
              sh-1     [000] d..2.     1.000007: schedule <-worker_thread
some text
END
hist events -i "$tmp/kinds" --fields comm,a
status_is 2
stdout_is 'comm,a
sh,1
CPU 0/KVM,2'
stderr_has 'warning: .*2 lines are left out: what follows the task and the CPU is not known; line 3: sh-1 '
stderr_has 'warning: .*2 lines are left out: they have an event, but no pid; line 5: sh '
stderr_has 'note: .*1 line of a tracer, such as a call of a function, is left out; line 7: '
stderr_has 'note: .*1 line is left out: it is not part of a trace; line 8: some text'
sed '1,2d;7,8d' "$tmp/kinds" >"$tmp/none"
hist events -i "$tmp/none"
status_is 2
stderr_has 'none: .*2 lines are left out: they have an event, but no pid'
stderr_has 'error: .*none: none of its lines has a task, a CPU, a time and an event'

it 'does not take a period for a pid where perf script was not asked for the pid'
for line in '             app          7 cycles:u:      7f5c0c875c60 f+0x0 (x.so)' '         7 cycles:u:      7f5c0c875c60 f+0x0 (x.so)' \
	'             app [003]          7 cycles:u:      7f5c0c875c60 f+0x0 (x.so)' \
	'             app   100.445933:          7 cycles:u:      7f5c0c875c60 f+0x0 (x.so)'; do
	echo "$line" >"$tmp/period"
	hist list "$tmp/period"
	status_is 2
	stderr_has 'error: '
done
echo '             app     7 cycles:u:      7f5c0c875c60 f+0x0 (x.so)' >"$tmp/pid"
hist events -q -i "$tmp/pid" --fields pid,comm
stdout_is 'pid,comm
7,app'

it 'takes lost records of perf script for lost events'
cat >"$tmp/lost" <<'END'
              sh     1 [001]     1.000001: probe:ev: a=1
              sh     1 [001]     1.000001: PERF_RECORD_COMM: sh:1/1
              sh     1 [001]     1.000002: PERF_RECORD_LOST lost 12
              sh     1 [001]     1.000003: probe:ev: a=2
END
hist list -i "$tmp/lost" --format json
stdout_has '"lost_events":12'
stderr_has 'text of a trace: 2 of 2 lines were converted'
stderr_has 'note: .*1 other record of perf is left out; line 2: sh '

it 'takes the machine from the header of perf script, and no address for the end of a field'
{
	printf '# ========\n# captured on    : Sun Nov 29 11:13:16 2026\n# hostname : vm\n# os release : 6.18.1\n'
	printf '# arch : x86_64\n# event : name = sched:sched_switch, , id = { 745, 746 }, type = 2\n# ========\n#\n'
	for frame in '' ' ffffffff8139be59 __traceiter_x' '     55d0c7a5e1b0 main (/bin/a b)' ' ffffffff8139be59 [unknown] ([unknown])'; do
		echo "sh 1 [000] 1.000001000: raw_syscalls:sys_exit: NR 1 = -5$frame"
		echo "sh 1 [000] 1.000002000: sched:sched_waking: comm=a pid=2 prio=120 target_cpu=001$frame"
	done
} >"$tmp/header"
hist report -q -i "$tmp/header" -e sched_waking --by comm,target_cpu --format csv
stdout_is 'comm,target_cpu,hitcount,inexact
a,1,4,true'
hist report -q -i "$tmp/header" syscall-errors --format csv
stdout_is 'id,id_text,error,error_text,hitcount,inexact
1,sys_write,5,EIO,4,true'
hist list -i "$tmp/header"
stdout_has 'machine      Linux vm 6.18.1 x86_64'
echo 'sh 1 [000] 1.000001000: raw_syscalls:sys_exit:     NR 1 = -5 ffffffff8139be59 x' >"$tmp/blanks"
hist report -q -i "$tmp/blanks" -e raw_syscalls:sys_exit --by id,ret --format csv
stdout_is 'id,id_text,ret,hitcount,inexact
1,syscall 1,-5,1,true'

it 'has the fields of events that the kernel prints by other names, in other forms, or as symbols'
{
	echo 'a-1 [000] 1.000001: contention_begin: 00000000c27ba80 (flags=SPIN|READ)'
	echo 'a-1 [000] 1.000003: contention_end: 00000000c27ba80 (ret=0)'
	echo 'a-1 [000] 1.000010: contention_begin: 0xffff888627c2ba80 (flags=)'
	echo 'a-1 [000] 1.000014: contention_end: 0xffff888627c2ba80 (ret=-4)'
	echo 'a-1 [000] 1.000020: net_dev_xmit: dev=lo skbaddr=0xffff len=74 rc=0 net_cookie=7'
	echo 'a-1 [000] 1.000021: sched_process_fork: comm=a pid=1 child_comm=b c child_pid=2'
	echo 'a-1 [000] 1.000022: signal_generate: sig=9 errno=0 code=1 comm=b pid=2 grp=1 res=0'
	echo 'a-1 [000] 1.000023: workqueue_execute_start: work struct 00000000c27ba81: function f+0x12'
	echo 'a-1 [000] 1.000024: workqueue_execute_start: work struct 00000000c27ba81: function f+0x13'
} >"$tmp/names"
hist report -q -i "$tmp/names" -e derived:lock_wait --by lock,kind --sum ns --format csv
stdout_has '^203930240,rwlock-read,1,2000,true'
stdout_has '^18446612708506909312,semaphore,1,4000,true'
hist report -q -i "$tmp/names" net-send --show 1 --format csv
stdout_has '^lo,0,1,74,true'
hist report -q -i "$tmp/names" -e sched_process_fork --by parent_comm,parent_pid,child_comm --format csv
stdout_has '^a,1,b c,1,true'
hist report -q -i "$tmp/names" -e signal_generate --by group,result --format csv
stdout_has '^1,0,1,true'
hist report -q -i "$tmp/names" -e workqueue_execute_start --by work,function.sym --format csv
stdout_has '^203930241,f,2,true'
hist report -q -i "$tmp/names" -e workqueue_execute_start --by function.sym-offset --format csv
stdout_has '^f[+]0x13,1,true'

it 'knows the system of an event that a text names without it, also where names of systems begin alike'
{
	echo 'a-1 [000] d.h1. 1.000100: local_timer_entry: vector=236'
	echo 'a-1 [000] d.h1. 1.000150: local_timer_exit: vector=236'
	echo 'a-1 [000] d.h1. 1.000200: irq_work_entry: vector=246'
	echo 'a-1 [000] d.h1. 1.000230: irq_work_exit: vector=246'
	echo 'a-1 [000] ..s1. 1.000240: kfree_skb: skbaddr=00000000d0a5 rx_sk=(null) protocol=2048 location=tcp_v4_rcv+0x4e/0x90 reason: NO_SOCKET'
	echo 'a-1 [000] ..s1. 1.000241: kfree_skb: skbaddr=00000000d0a5 protocol=2048 location=tcp_v4_rcv+0x4e/0x90 reason: NO_SOCKET'
	echo 'a-1 [000] ..... 1.000250: mark_victim: pid=240 comm=my sleep total-vm=2260kB anon-rss=3kB file-rss:0kB shmem-rss:1324kB uid=0 pgtables=36kB oom_score_adj=1000'
	echo 'a-1 [000] d..1. 1.000251: irq_disable: caller=do_idle+0x6/0x9 parent=0x0'
	echo 'a-1 [000] ..... 1.000260: sys_enter_futex: op=FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME uaddr=0x7fbd338f5990 val=0x00000089'
	echo 'a-1 [000] ..... 1.000760: sys_exit_futex: 0x0'
} >"$tmp/systems"
hist report -q -i "$tmp/systems" -e derived:irq --by kind,name --sum ns --format csv
stdout_has '^vector,local_timer,1,50000,true'
stdout_has '^vector,irq_work,1,30000,true'
hist report -q -i "$tmp/systems" packet-drops --format csv
stdout_has '^tcp_v4_rcv,NO_SOCKET,2048,2,true'
hist report -q -i "$tmp/systems" oom-kills --format csv
stdout_has '^my sleep,240,1000,1,2260,3,true'
hist report -q -i "$tmp/systems" -e preemptirq:irq_disable --by caller.sym --format csv
stdout_has '^do_idle,1,true'
hist report -q -i "$tmp/systems" futex-wait --format csv
stdout_has '^a-1,1,500,500,140450590579088,1.000760000,true'

it 'has names of tasks as they are that look like fields, or like what plugins print'
for name in 'a=b' 'a==>b' '=' 'x=' 'a:1 [5]'; do
	echo " sh-1 [000] d..2. 1.000100: sched_switch: prev_comm=sh prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=$name next_pid=7 next_prio=120"
	echo " $name-7 [000] d..2. 1.000200: sched_switch: prev_comm=$name prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=sh next_pid=1 next_prio=120"
done >"$tmp/fields"
hist report -q -i "$tmp/fields" -e sched_switch --by next_comm,next_pid --format csv
stdout_is 'next_comm,next_pid,hitcount,inexact
sh,1,5,true
=,7,1,true
a:1 [5],7,1,true
a==>b,7,1,true
a=b,7,1,true
x=,7,1,true'

it 'recipes count what a machine of 32 bits has in fields of 4 bytes'
# format SYSTEM EVENT ID FIELD...: unsigned long, in $tmp/formats
format()
{
	mkdir -p "$tmp/formats/$1/$2"
	file=$1/$2/format
	{
		printf 'name: %s\nID: %s\nformat:\n' "$2" "$3"
		printf '\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:%s;\n' 'unsigned short common_type' 0 2 0 \
			'unsigned char common_flags' 2 1 0 'unsigned char common_preempt_count' 3 1 0 'int common_pid' 4 4 1
		echo
		shift 3
		at=8 fmt='' args=''
		for field; do
			printf '\tfield:unsigned long %s;\toffset:%s;\tsize:4;\tsigned:0;\n' "$field" $at
			at=$((at + 4)) fmt="$fmt $field=%lu" args="$args, REC->$field"
		done
		printf '\nprint fmt: "%s"%s\n' "${fmt# }" "$args"
	} >"$tmp/formats/$file"
}
format filemap mm_filemap_get_pages 500 i_ino index last_index
format filemap mm_filemap_add_to_page_cache 501 i_ino s_dev order
format kmem kmalloc 502 call_site ptr bytes_req bytes_alloc
{
	echo 'tar-100 [000] ..... 10.000000: mm_filemap_get_pages: i_ino=5 index=0 last_index=3'
	echo 'tar-100 [000] ..... 10.000010: mm_filemap_add_to_page_cache: i_ino=5 s_dev=3 order=0'
	echo 'tar-100 [000] ..... 10.000020: mm_filemap_get_pages: i_ino=5 index=4 last_index=4'
	echo 'tar-100 [000] ..... 10.000030: kmalloc: call_site=3221225472 ptr=3238002688 bytes_req=20 bytes_alloc=32'
} >"$tmp/narrow"
hist report -q -i "$tmp/narrow" --formats "$tmp/formats" page-cache --show 1 --format csv
stdout_has '^tar-100,2,5'
hist report -q -i "$tmp/narrow" --formats "$tmp/formats" kmalloc-waste --format csv
stdout_has '^3221225472,.*20,1,12'

done_testing
