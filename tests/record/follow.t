#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record -o - | hist report --follow -i -: answers while events are recorded.
. tests/record/lib.sh

numbers=$tmp/numbers
${CC:-cc} -D_GNU_SOURCE -o "$numbers" tests/record/numbers.c 2>/dev/null || skip_all 'no C compiler'
[ -d "$tracefs/events/syscalls/sys_enter_lseek" ] || skip_all 'no events of system calls'
export TMPDIR="$tmp"
filter="fd == $((4294967296 - $$))"

# A command that waits until hist report has printed N answers, however busy the machine is.
answers=$tmp/answers
cat >"$answers" <<END
#!/bin/sh
for _ in \$(seq 1200); do
	[ "\$(grep -c -e '^--- after' -e '"hist_totals"' "$tmp.out")" -lt "\$1" ] || break
	sleep 0.05
done
END
chmod +x "$answers"

# follow RECORD-ARG... -- REPORT-ARG...: the output of hist report
follow()
{
	record=
	while [ "$1" != -- ]; do
		record="$record '$1'"
		shift
	done
	shift
	with_others
	: >"$tmp.out"
	(eval "'$HIST' record -o - $record" 9<&- 2>"$tmp/record.err" | tee "$tmp/s.dat" |
		"$HIST" report -i - --follow "$@" >"$tmp.out" 2>"$tmp.err"; echo $? >"$tmp/status")
	after_others
	status=$(cat "$tmp/status")
	no_leftovers
}

it 'prints an answer at each interval, and at the end that of the whole'
follow -q -e syscalls:sys_enter_lseek -f "$filter" sh -c "for i in 1 2 3 4 5; do $numbers 1000 0 -$$; $answers \$i; done" -- \
	-e sys_enter_lseek --by comm --refresh 0.3
status_is 0
stdout_has '^--- after [0-9.]+ s$'
stdout_has '^--- after [0-9.]+ s, at the end$'
stderr_has 'note: syscalls:sys_enter_lseek was recorded with the filter fd =='
checked [ ! -s "$tmp/record.err" ] || fail_file 'hist record:' "$tmp/record.err"
checked [ "$(grep -c '^--- after' "$tmp.out")" -ge 3 ] || fail 'there are too few answers'
# hits ascend, and the last answer is that of all
awk '/^numbers / { gsub(",", "", $2); if ($2 + 0 < last) print "descends"; last = $2 + 0 } END { if (last != 5000) print "the last is " last }' \
	"$tmp.out" >"$tmp/wrong"
checked [ ! -s "$tmp/wrong" ] || fail_file 'the answers:' "$tmp/wrong"
sed -n '/at the end$/,$p' "$tmp.out" | sed '1,2d' >"$tmp/last"
"$HIST" report -i "$tmp/s.dat" -e sys_enter_lseek --by comm >"$tmp/whole" 2>/dev/null
checked diff "$tmp/whole" "$tmp/last" >"$tmp/differ" || fail_file 'the whole:' "$tmp/differ"

it 'has the last events before a pause, before others come'
follow -q -F -c -e syscalls:sys_enter_lseek -f "$filter" sh -c "$numbers 10 0 -$$; for _ in \$(seq 600); do
	! grep -q ^numbers.*10\$ $tmp.out || break; sleep 0.05; done; $numbers 1 0 -$$" -- -e sys_enter_lseek --by comm --refresh 0.3
status_is 0
stdout_has '^numbers +10$'
stdout_has '^numbers +11$'

it 'notes that derived events of other tasks than the recorded ones are known in part'
follow -q -F -c -e sched sleep 0.3 -- wakeup-latency
status_is 0
stderr_has 'note: only events of task [0-9]+ and its children were recorded: derived events of other tasks are known in part'
follow -q -F -e sched sleep 0.3 -- wakeup-latency
status_is 0
stderr_has 'note: only events of task [0-9]+ were recorded[;:]'
stderr_lacks 'known in part'

it 'counts derived events, and names tasks that are new'
cp "$(command -v sleep)" "$tmp/fresh"
follow -q -e sched sh -c "for i in \$(seq 200); do $tmp/fresh 0.15; ! grep -q ^fresh $tmp.out || break; done" -- wakeup-latency --refresh 0.4 --top 0
status_is 0
stdout_has '^1\. derived:wait by comm'
stdout_lacks '^4\. '
checked [ "$(grep -c '^How long do woken tasks wait until they run' "$tmp.out")" -ge 2 ] || fail 'there is one answer only'
sed '/at the end$/,$d' "$tmp.out" | checked grep -q '^fresh ' || fail 'a task has no name before the end'

it 'finds the stack of an event in the next sub-buffer, too'
follow -q -T -e sched_switch sleep 1.5 -- -e sched_switch --by stack --refresh 0.3
status_is 0
stderr_lacks 'kernel stack that was not recorded'
sed -n '/at the end$/,$p' "$tmp.out" | sed '1,2d' >"$tmp/last"
"$HIST" report -i "$tmp/s.dat" -e sched_switch --by stack >"$tmp/whole" 2>/dev/null
checked diff "$tmp/whole" "$tmp/last" >"$tmp/differ" || fail_file 'the whole:' "$tmp/differ"

it 'knows processes, command lines and cgroups as the whole recording does'
if have python3; then
	# forks, threads, renames and programs, as fast as they can
	cat >"$tmp/who.py" <<'EOF'
import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
def call(n):
    for i in range(n):
        libc.lseek(ctypes.c_ulong((1 << 32) - int(sys.argv[2])), 0, 0)
for i in range(int(sys.argv[1])):
    pid = os.fork()
    if not pid:
        call(3)
        libc.prctl(15, b'child-%d' % (i % 5), 0, 0, 0)
        thread = threading.Thread(target=call, args=(2,))
        thread.start()
        thread.join()
        if i % 3 == 0:
            os.execv(sys.argv[3], [sys.argv[3], str(i), '0', '-' + sys.argv[2]])
        os._exit(0)
    os.waitpid(pid, 0)
    time.sleep(0.01)
EOF
	stay_in_group
	follow -q -e syscalls:sys_enter_lseek -f "$filter" sh -c "python3 $tmp/who.py 60 $$ $numbers; $answers 1" -- \
		-e sys_enter_lseek --by process,cmdline,cgroup,comm,tgid --refresh 0.3
	leave_group
	status_is 0
	checked [ "$(grep -c '^--- after' "$tmp.out")" -ge 2 ] || fail 'there is one answer only'
	sed -n '/at the end$/,$p' "$tmp.out" | sed '1,2d' >"$tmp/last"
	"$HIST" report -i "$tmp/s.dat" -e sys_enter_lseek --by process,cmdline,cgroup,comm,tgid >"$tmp/whole" 2>/dev/null
	checked diff "$tmp/whole" "$tmp/last" >"$tmp/differ" || fail_file 'the whole:' "$tmp/differ"
	checked [ "$(wc -l <"$tmp/whole")" -gt 40 ] || fail_file 'the rows:' "$tmp/whole"
else
	skip 'python3 is not installed'
fi

it 'writes lines of json for programs'
follow -q -F -c -e syscalls:sys_enter_lseek -f "$filter" sh -c "for i in 1 2 3; do $numbers 1000 0 -$$; $answers \$i; done" -- \
	-e sys_enter_lseek --by comm --refresh 0.3 --format ndjson
status_is 0
stdout_lacks '^[^{]'
stderr_has 'note: only events of task [0-9]+ and .* were recorded'
checked [ "$(grep -c '"type":"hist_totals"' "$tmp.out")" -ge 2 ] || fail 'there are too few answers'
checked [ "$(sed -n 's/.*"type":"hist_totals","hits":\([0-9]*\).*/\1/p' "$tmp.out" | tail -n 1)" = 3000 ] || fail 'the last is not the whole'

it 'reads a file that grows'
rm -f "$tmp/g.dat"
with_others
"$HIST" record -q -o - -e syscalls:sys_enter_lseek -f "$filter" sh -c "for i in 1 2 3 4; do $numbers 1000 0 -$$; sleep 0.2; done" >"$tmp/g.dat" 9<&- &
while [ ! -s "$tmp/g.dat" ]; do sleep 0.02; done
sleep 0.1
run_hist report -i "$tmp/g.dat" --follow -e sys_enter_lseek --by comm --refresh 0.3
wait
after_others
status_is 0
stdout_has '^numbers +4,000'

done_testing
