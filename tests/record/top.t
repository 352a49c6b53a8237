#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist top: the answer of a question while its events are recorded.
. tests/record/lib.sh

have python3 || skip_all 'python3 is not installed'
HIST_PLUGIN_DIR=$BUILD/plugins
export HIST_PLUGIN_DIR

# work.py N [SECONDS]: N system calls of a task that nothing else has the name of, also no other test
work=top-w$$
export work
cat >"$tmp/work.py" <<'EOF'
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
libc.prctl(15, os.environb[b'work'], 0, 0, 0)
for i in range(int(sys.argv[1])):
    libc.syscall(124, 0)  # getsid
time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0)
EOF
[ -d "$tracefs/events/syscalls/sys_enter_getsid" ] || skip_all 'no system call events'
mine="comm == \"$work\""
getsid=$(python3 -c 'import platform; print({"x86_64": 124}.get(platform.machine(), 0))')
[ "$getsid" = 124 ] || skip_all 'the number of getsid is that of x86_64'

# live FILE LOAD ARG...: run hist top; when it has written FILE, run LOAD, then end it
live()
{
	file=$1 load=$2
	shift 2
	with_others
	: >"$tmp.out"
	"$HIST" top "$@" >"$tmp.out" 2>"$tmp.err" 9<&- &
	pid=$!
	tries=0
	while [ ! -s "$file" ] && [ $tries -lt 1200 ] && kill -0 "$pid"; do
		tries=$((tries + 1))
		sleep 0.1
	done
	export pid
	sh -c "$load" 9<&-
	kill "$pid"
	wait "$pid"
	status=$?
	note_journal
	after_others
}

it 'the last table is that of hist report for a recording of the same time'
live "$tmp.out" "$HIST record -q -o $tmp/same.dat -e sys_enter_getsid python3 $tmp/work.py 1000" \
	-e sys_enter_getsid -f "$mine" --by common_comm,pid -d 0.3 --format ndjson
status_is 0
cp "$tmp.out" "$tmp/top"
hist report -i "$tmp/same.dat" -e sys_enter_getsid -f "$mine" --by common_comm,pid --format ndjson
tables()
{
	grep -v hist_interval "$1" | awk '/"hist_head"/ { text = "" } !/"hist_head"/ { text = text $0 "\n" } END { printf "%s", text }' |
		jq -c 'del(.stats)'
}
have jq || skip 'no jq'
tables "$tmp/top" >"$tmp/top.rows"
tables "$tmp.out" >"$tmp/report.rows"
holds diff "$tmp/report.rows" "$tmp/top.rows"
checked grep -q '"hitcount":1000' "$tmp/top.rows" || fail_file 'not 1000:' "$tmp/top.rows"
machine_is_unchanged
no_leftovers

it 'processes, command lines, cgroups and tasks that come and go are those of hist report'
have jq || skip 'no jq'
cat >"$tmp/who.py" <<'EOF'
import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
def call(n):
    for i in range(n):
        libc.syscall(148, 0, 0)  # sched_rr_get_interval: nothing else calls it
group = sys.argv[2] if len(sys.argv) > 2 else ''
for i in range(int(sys.argv[1])):
    pid = os.fork()
    if not pid:
        call(3)
        libc.prctl(15, b'child-%d' % (i % 5), 0, 0, 0)
        if group:
            os.makedirs('%s/%d' % (group, i % 3), exist_ok=True)
            open('%s/%d/cgroup.procs' % (group, i % 3), 'w').write('0')
        thread = threading.Thread(target=call, args=(2,))
        thread.start()
        thread.join()
        call(1)
        os._exit(0)
    os.waitpid(pid, 0)
    if group and i % 3 == 2:
        for k in range(3):
            os.rmdir('%s/%d' % (group, k))
    time.sleep(0.01)
EOF
stay_in_group
for by in process,comm,tgid cmdline cgroup,task; do
	live "$tmp.out" "$HIST record -q -o $tmp/same.dat -e sys_enter_sched_rr_get_interval python3 $tmp/who.py 60 $group" \
		-e sys_enter_sched_rr_get_interval --by $by -d 0.3 --format ndjson
	status_is 0
	tables "$tmp.out" >"$tmp/top.rows"
	hist report -i "$tmp/same.dat" -e sys_enter_sched_rr_get_interval --by $by --format ndjson
	tables "$tmp.out" >"$tmp/report.rows"
	holds diff "$tmp/report.rows" "$tmp/top.rows"
	checked grep -q '"hits":360,' "$tmp/top.rows" || fail_file 'not 360:' "$tmp/top.rows"
	case $by$group in
	cgroup*hist-test*) checked grep -q "/hist-test-$$/2" "$tmp/top.rows" || fail_file 'no cgroup:' "$tmp/top.rows" ;;
	process*) checked [ "$(grep -c '"common_comm":"child-' "$tmp/top.rows")" = 60 ] || fail_file 'not 60:' "$tmp/top.rows" ;;
	cmdline*) checked grep -q 'who.py 60' "$tmp/top.rows" || fail_file 'no program:' "$tmp/top.rows" ;;
	esac
done
leave_group
hist top -e sys_enter_sched_rr_get_interval --by process --no-tasks
status_is 2
stderr_has 'processes, command lines and cgroups of tasks are not known without the journal of tasks'
machine_is_unchanged
no_leftovers

it 'finds the stack of an event in the next sub-buffer, too'
hist top -e sched_switch --by stack -d 0.3 --duration 1.5
status_is 0
stderr_lacks 'kernel stack that was not recorded'
stdout_has '^__schedule'

it 'the first interval has a rate of events, too'
hist top -e sched_switch --by next_pid -d 0.4 --duration 1.3 --format ndjson
status_is 0
checked [ "$(grep -c '"events_per_second":[1-9]' "$tmp.out")" -ge 2 ] || fail_file 'intervals:' "$tmp.out"
grep -m 1 hist_interval "$tmp.out" >"$tmp/first"
holds grep -q '"events_per_second":[1-9]' "$tmp/first"

it 'an interval without anything new is one line'
hist top -e sys_enter_getsid -f "$mine" --by pid -d 0.2 --duration 1.5
status_is 0
stderr_is ''
checked [ "$(grep -c '^==> [0-9:]* .*; nothing new <==$' "$tmp.out")" -ge 3 ] || fail_file 'lines:' "$tmp.out"
checked [ "$(grep -vc '^==> ' "$tmp.out")" = 0 ] || fail_file 'more than lines:' "$tmp.out"
hist top -e sys_enter_getsid -f "$mine" --by pid -d 0.2 --duration 1.5 --format ndjson
checked [ "$(grep -c '"type":"hist_interval".*"empty":true' "$tmp.out")" -ge 3 ] || fail_file 'lines:' "$tmp.out"
checked [ "$(grep -vc '"hist_interval"' "$tmp.out")" = 0 ] || fail_file 'more than lines:' "$tmp.out"

it 'what is replaced before it was counted is skipped, and its number is shown'
# other tests run numbers, too
numbers=num$$
${CC:-cc} -D_GNU_SOURCE -o "$tmp/$numbers" tests/record/numbers.c 2>/dev/null || skip 'no C compiler'
# freeze.py PID COMMAND...: while the threads that are not in real time, except the first, are stopped
cat >"$tmp/freeze.py" <<'EOF'
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
ATTACH, DETACH, ALL = 16, 17, 0x40000000
tasks = [int(t) for t in os.listdir('/proc/%s/task' % sys.argv[1]) if t != sys.argv[1]]
tasks = [t for t in tasks if os.sched_getscheduler(t) == os.SCHED_OTHER]
for t in tasks:
    if libc.ptrace(ATTACH, t, None, None):
        sys.exit('cannot stop %d: %s' % (t, os.strerror(ctypes.get_errno())))
    os.waitpid(t, ALL)
subprocess.run(sys.argv[2:])
for t in tasks:
    libc.ptrace(DETACH, t, None, None)
EOF
live "$tmp.out" "python3 $tmp/freeze.py \$pid $tmp/$numbers 1400000 0 -$$; sleep 2" \
	-e raw_syscalls:sys_enter -f "comm == \"$numbers\" && id == 8" --by id -d 0.3 --format ndjson
status_is 0
stdout_has '"type":"hist_interval".*"skipped_subbufs":[1-9]'
stderr_has 'sub-buffers were not counted, because counting is slower than recording'
checked [ "$(grep '"hist_head"' "$tmp.out" | tail -n 1 | grep -c '"lost_unknown":true')" = 1 ] ||
	fail_file 'the number of lost events is not unknown:' "$tmp.out"
# what is not counted was in them: a record has more than 64 bytes
skipped=$(sed -n 's/.*"skipped_subbufs":\([0-9]*\).*/\1/p' "$tmp.out" | tail -n 1)
counted=$(sed -n 's/.*"type":"hist_totals","hits":\([0-9]*\).*/\1/p' "$tmp.out" | tail -n 1)
missing=$((1400000 - ${counted:-0}))
if ! checked [ "$missing" -gt 0 ] || ! checked [ "$missing" -le $((${skipped:-0} * $(getconf PAGESIZE) / 64)) ]; then
	fail "$missing events are missing, $skipped sub-buffers were skipped"
fi
machine_is_unchanged
no_leftovers

it 'shows the change of each row, and the rest of the rows as a number'
live "$tmp.out" "python3 $tmp/work.py 300 0.5" -e raw_syscalls:sys_enter -f "$mine" --by id -d 0.2 --top 1
status_is 0
stdout_has '^raw_syscalls:sys_enter by id'
stdout_has '^id +hits +change'
stdout_has '^sys_getsid +300( +\+[0-9]+)?$'
stdout_has '^\([0-9]+ more\)$'

it 'ends when its output is closed'
with_others
$HIST top -q -e sched_switch --by next_comm -d 0.2 --duration 20 9<&- | head -n 3 >"$tmp/head"
after_others
checked [ "$(wc -l <"$tmp/head")" = 3 ] || fail_file 'lines:' "$tmp/head"
no_leftovers

it 'replaces a file for Prometheus'
live "$tmp/m.prom" "python3 $tmp/work.py 500" -e sys_enter_getsid -f "$mine" --by common_comm -d 0.2 \
	--format prometheus -o "$tmp/m.prom"
status_is 0
stdout_is ''
checked grep -q "^hist_syscalls_sys_enter_getsid_hitcount_total{common_comm=\"$work\"} 500\$" "$tmp/m.prom" ||
	fail_file 'the file:' "$tmp/m.prom"
checked [ -z "$(find "$tmp" -name '.m.prom*' -o -name 'm.prom?*')" ] || fail 'a temporary file is left'
have promtool && {
	run promtool check metrics <"$tmp/m.prom"
	status_is 0
	stderr_is ''
	# a key of ranges, and sums
	hist top -q -e sched_stat_runtime --by runtime.log2 --sum runtime -d 0.2 --duration 1 --format prometheus -o "$tmp/sums.prom"
	status_is 0
	holds grep -q '^# TYPE .* histogram$' "$tmp/sums.prom"
	run promtool check metrics <"$tmp/sums.prom"
	status_is 0
	stderr_is ''
}
for python in python3 /usr/bin/python3; do
	"$python" -c 'import prometheus_client' 2>/dev/null || continue
	run "$python" -c 'import sys
from prometheus_client.parser import text_string_to_metric_families as parse
print([s.value for f in parse(open(sys.argv[1]).read()) for s in f.samples if s.name.endswith("hitcount_total")])' "$tmp/m.prom"
	stdout_is '[500.0]'
	break
done
hist top wakeup-latency --format openmetrics -o "$tmp/m.txt" --duration 1
status_is 0
stderr_has 'note: openmetrics shows the first table of the answer, --show N another one: '

it 'refuses what cannot be counted'
if [ ! -d "$tracefs/events/preemptirq/irq_disable" ]; then
	hist top irqs-off
	status_is 1
	stderr_has 'irqs-off needs events that this kernel does not have: preemptirq:irq_disable, preemptirq:irq_enable$'
fi
hist top
status_is 2
stderr_has 'nothing to count: name a recipe'
hist top -e nosuch --by comm
status_is 2
stderr_has 'this kernel has no event nosuch'
hist top -e sched_switch
status_is 1
stderr_has 'the script counts nothing: -e EVENT --by KEYS does'
hist top -e sched_switch --by nosuch
status_is 1
stderr_has "Couldn't find field"
hist top -e sched_switch --by next_comm --sort nosuch -d 0.2 --duration 3
status_is 2
stdout_is ''
stderr_has 'the histogram has no column nosuch; it has hitcount, change, next_comm'
hist top -e sched_switch --by next_comm -d 1ms
status_is 2
stderr_has -- '-d takes a time from 100ms to 86400'
hist top -e sched_switch --by next_comm --format prometheus
status_is 2
stderr_has -- '--format prometheus needs -o FILE'
hist top -e sched_switch --by next_comm -d 0.2 --duration 3 -o "$tmp/nodir/file"
status_is 2
stderr_has 'nodir/file: cannot write: No such file or directory'
no_leftovers

it '--plan=kernel is an error with the reason where the kernel cannot count, which --explain names'
while read -r options; do
	read -r why
	eval "hist top --plan=kernel $options"
	status_is 2
	stderr_has "error: --plan=kernel: the kernel cannot count: $why"
done <<'EOF'
-e sched_switch --by prev_pid.process
sched:sched_switch: a key is an answer about tasks or code
-e sched_switch --by prev_comm --sum prev_prio
sched:sched_switch: quantiles and other statistics need each value
-e sched_switch --by prev_comm --sum prev_prio --no-stats --stats
sched:sched_switch: quantiles and other statistics need each value
-e sched_switch --by prev_comm --by next_comm
sched:sched_switch has several triggers
-e sched_switch --by prev_comm -f 'prev_comm ~ "a*"'
the pattern of a filter may match more in the kernel
-e derived:wait --by comm --no-stats
the script has a trigger on a derived event, events/derived/wait/trigger
EOF
hist top -e sched_switch --by next_comm --plan=engine --explain -d 0.2 --duration 0.5
status_is 0
stderr_has 'hist counts; the kernel does not: --plan=engine'
hist top -e sched_switch --by next_comm --plan=both
status_is 2
stderr_has -- "--plan takes kernel or engine, not 'both'"
if ! grep -qs 'hist:keys=' /sys/kernel/tracing/README; then
	hist top -e sched_switch --by next_comm --explain -d 0.2 --duration 0.5
	status_is 0
	stderr_has 'hist counts; the kernel does not: this kernel has no hist triggers'
fi
no_leftovers

it 'a filter that the kernel does not know is applied by hist, and a table that needs too much memory is an error'
live "$tmp.out" "python3 $tmp/work.py 200" -e raw_syscalls:sys_exit -f "id == getsid && $mine" --by id -d 0.2
status_is 0
stdout_has '^sys_getsid +200( |$)'
hist top -e raw_syscalls:sys_enter --by common_timestamp --memory 100K -d 0.2 --duration 20
status_is 2
stderr_has 'raw_syscalls:sys_enter: 0\.0977 MB of memory are not enough for more than [0-9]+ rows: permit more with --memory, or count less \(-f FILTER, keys'
no_leftovers

# --- on a terminal ---

screen=hist-$$
mux()
{
	tmux -L "$screen" -f /dev/null "$@" 9<&-
}

# screen COMMAND: run it on a terminal, while no recording is being killed, until end_screen
screen()
{
	with_others
	mux new-session -d -x 90 -y 20 "$1"
}
end_screen()
{
	mux kill-server
	after_others
}

# shows TEXT: wait until the screen does
has_text()
{
	mux capture-pane -p >"$tmp/screen" && grep -Eq -- "$1" "$tmp/screen"
}
shows()
{
	checked wait_until has_text "$1" || fail_file 'on the screen:' "$tmp/screen"
}

it 'on a terminal: sorts, filters, pauses, writes a result, scrolls, and restores the screen'
have tmux || skip 'no tmux'
mkdir "$tmp/dir"
cat >"$tmp/start" <<EOF
cd $tmp/dir
echo before
TMPDIR=$tmp $HIST top -e raw_syscalls:sys_enter -f "id != 146" --by common_comm,id -d 0.3
echo "exit status \$?"
stty -a | grep -q ' icanon .*echo ' && echo restored
cat
EOF
screen "LC_ALL=C.UTF-8 sh $tmp/start"
shows 'common_comm +id +hits +change +last 16'
shows 'events/s, [0-9,]+ lost, [0-9,]+ sub-buffers skipped; hist: [0-9.]+ % of a CPU'
python3 "$tmp/work.py" 700
mux send-keys / "TOP-W$$" Enter
shows "^$work +sys_getsid +700 "
checked [ "$(grep -c '^python3' "$tmp/screen")" = 0 ] || fail_file 'rows of others:' "$tmp/screen"
shows "rows by value with \"TOP-W$$\""
mux send-keys s
shows 'rows by change'
mux send-keys p
shows '^paused  '
mux send-keys w
shows 'wrote hist-top-[0-9-]+\.json'
mux send-keys p
mux send-keys / Enter
shows ' [0-9]+ rows by change  q quit'
mux resize-window -x 60 -y 10
shows '1 to 5 of [0-9]+ rows'
mux send-keys Down
shows '2 to 6 of [0-9]+ rows'
mux send-keys NPage
shows '7 to 11 of [0-9]+ rows'
mux send-keys Home
shows '1 to 5 of [0-9]+ rows'
mux send-keys q
shows 'exit status 0'
shows '^before'
shows '^restored'
end_screen
hist merge "$tmp"/dir/hist-top-*.json --format ndjson
status_is 0
stdout_has "\"common_comm\":\"$work\",\"id\":124.*\"hitcount\":700"
machine_is_unchanged
no_leftovers

it 'on a terminal: a signal restores it, too; without colours there is only ASCII'
have tmux || skip 'no tmux'
sed -i "s|^TMPDIR=|NO_COLOR=1 TMPDIR=|; s|--by|--top 3 --by|" "$tmp/start"
screen "sh $tmp/start"
shows 'common_comm +id +hits +change +last 16'
mux capture-pane -e -p >"$tmp/screen"
checked [ "$(LC_ALL=C grep -c '[^ -~]' "$tmp/screen")" = 0 ] || fail_file 'not ASCII:' "$tmp/screen"
pid=$(pids "^$HIST top -e raw_syscalls:sys_enter ")
checked [ -n "$pid" ] && kill -TERM "$pid"
shows 'exit status 0'
shows '^restored'
end_screen
no_leftovers

done_testing
