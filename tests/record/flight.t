#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --keep --until: a flight recorder writes what was before an event, and what follows it.
. tests/record/lib.sh

have python3 || skip_all 'python3 is not installed'
late=$tmp/late
${CC:-cc} -D_GNU_SOURCE -o "$late" tests/record/late.c 2>/dev/null || skip_all 'no C compiler'
"$late" 0 1 1 1 || skip_all 'real-time priority is not permitted'

# flight ARG...: record to slow-%n.dat; nothing is left but the files
flight()
{
	rm -rf "$tmp"/slow-*
	hist record -C mono -o "$tmp/slow-%n.dat" "$@"
	no_leftovers
	checked [ -z "$(ls -d "$tracefs/instances"/*."$$" 2>/dev/null)" ] || fail 'an instance is left'
}

files_are()
{
	n=$(find "$tmp" -name 'slow-*.dat' | wc -l)
	checked [ "$n" = "$1" ] || fail "files: $n instead of $1"
}

it 'writes each late wakeup to one file, with what precedes and follows it'
# another test may do the same
victim=victim$$
cat >"$tmp/make" <<END
sleep 0.3
$HIST record -q -C mono -o $tmp/full.dat -e derived:wait \
	sh -c '$late 6 $$ 60 300 $victim >$tmp/made'
sleep 0.3
END
flight --keep 300ms --after 150ms --times 0 --until 'derived:wait if ns >= 4ms && comm == "'$victim'" && kind == woken' sh "$tmp/make"
status_is 0
checked [ "$(wc -l <"$tmp/made")" = 6 ] || fail 'not all wakeups were made'
tests/record/flight.py "$HIST" "$tmp/made" 0.3 0.15 "$tmp/full.dat" "$victim" "$tmp"/slow-*.dat >"$tmp/wrong" 2>&1
checked [ ! -s "$tmp/wrong" ] || fail_file 'the files:' "$tmp/wrong"
machine_is_unchanged

it 'shows the surroundings of a mark'
hist list -i "$tmp/slow-1.dat"
stdout_has "mark 1 +derived:wait on CPU 0 at [0-9.]+: pid=[0-9]+ comm=$victim .*ns=[0-9]+"
hist why -i "$tmp/slow-1.dat" --mark
status_is 0
stdout_has "comm=$victim .*kind=woken"
stdout_has 'while late-[0-9]+ ran on CPU 0'
hist events -i "$tmp/slow-1.dat" --mark --context 1us -e sched_switch
stdout_has 'sched_switch: .*next_comm=victim[0-9]'
hist report -i "$tmp/slow-1.dat" --mark=1 --context 1us
stdout_has 'sched_switch: .*next_comm=victim[0-9]'
hist events -i "$tmp/slow-1.dat" --from mark-10ms --to mark -e sched_switch
stdout_has 'sched_switch: .*next_comm=victim[0-9]'
hist events -i "$tmp/slow-1.dat" --mark=9
status_is 2
stderr_has 'slow-1\.dat has no mark 9: hist record --until makes marks'
hist events -q -i "$tmp/slow-1.dat" --format perfetto
stdout_has 'marks of the recording'
hist why -i "$tmp/full.dat" --mark
status_is 2
stderr_has 'the recording has no mark 1'
hist events -i "$tmp/slow-1.dat" --from mark5x
status_is 2
stderr_has 'mark5x is not a time: write mark, mark2, mark-5ms or mark\+1'
hist report -i "$tmp/slow-1.dat" --mark=0
status_is 2
stderr_has -- "--mark takes the number of a mark, such as --mark=2, not '0'"

it 'does not wait for a later event'
mkfifo "$tmp/end"
flight -F -c --keep 5 --exec ": >$tmp/end" --until 'sched_process_exec if filename ~ "*true"' \
	sh -c "{ sleep 50; : >$tmp/end; } & late=\$!; sleep 0.2; taskset -c $(($(nproc) - 1)) /bin/true; read x <$tmp/end; kill \$late; :"
status_is 0
stderr_has '1 file was written'
stderr_has 'events of [0-9]+ CPUs? in [1-4]?[0-9]\.'

it 'waits for a recorded event with a filter on the process, command line and cgroup of the task'
flight -F -c --explain --keep 1 --until 'sched_process_exit if common_process ~ "sleep-*" && common_cmdline == "sleep 0.31" && common_cgroup ~ "/*"' \
	sh -c 'sleep 0.2; sleep 0.31; sleep 0.3'
status_is 0
stderr_has 'hist evaluates the conditions'
stderr_has '1 event matched, 1 file was written'
hist events -i "$tmp/slow-1.dat" --mark --fields comm,cmdline --format csv
stdout_has '^sleep,sleep 0\.31$'

it 'waits for a recorded event with a filter on the name of the task, and for a synthetic event'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "true"' sh -c 'sleep 0.2; /bin/true; sleep 0.5'
status_is 0
stderr_has 'slow-1\.dat: sched:sched_process_exec on CPU [0-9]+ at [0-9]+\.[0-9]{9}'
stderr_has '1 event matched, 1 file was written, [0-9.]+ MiB were kept'
files_are 1
hist events -i "$tmp/slow-1.dat" --mark --fields event,comm --format csv
stdout_has 'sched:sched_process_exec,true'
cat >"$tmp/ran.script" <<'END'
echo 'ran u64 lat' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_process_exec/trigger
echo 'hist:keys=common_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_process_exec).ran($lat)' >> events/sched/sched_process_exit/trigger
END
flight -F -c --keep 1 --until 'synthetic:ran if lat > 140000' -S "$tmp/ran.script" sh -c '/bin/sleep 0.05; /bin/sleep 0.15; sleep 0.4'
stderr_has 'slow-1\.dat: synthetic:ran on CPU'
stderr_has '[1-9] events? matched, 1 file was written, [0-9.]+ MiB were kept'
hist events -i "$tmp/slow-1.dat" "$tmp/ran.script" -e synthetic:ran
stdout_has "ran: +lat="

it 'counts events in the times of --arm and --cooldown, and after --times'
flight -F -c --keep 1 --arm 2 --until 'sched_process_exec if comm == "true"' --times 2 --cooldown 2 sh -c '
	/bin/true; sleep 2.1; /bin/true; /bin/true; /bin/true; sleep 2.1; /bin/true; sleep 0.3'
files_are 2
stderr_has '1 events? matched in the time of --arm'
stderr_has '2 events matched in the time of --cooldown'
stderr_has '5 events matched, 2 files were written'

it 'lets the kernel or hist evaluate the conditions, which find the same events'
for plan in kernel engine; do
	flight -F -c --plan=$plan --explain --keep 3 --arm 2 --until 'sched_process_exec if comm == "true"' --until 'sched_process_exit if prio < 0' \
		--times 2 --after 100ms sh -c '/bin/true; sleep 2.1; /bin/true; /bin/false; sleep 0.3; /bin/true; sleep 0.4'
	status_is 0
	files_are 2
	stderr_has '1 events? matched in the time of --arm'
	stderr_has '3 events matched, 2 files were written'
	case $plan in
	kernel) stderr_has 'the kernel evaluates the conditions, in the instance hist\.[0-9.]*until; hist sleeps' ;;
	engine) stderr_has 'hist evaluates the conditions, .*: --plan=engine' ;;
	esac
	for f in "$tmp"/slow-?.dat; do
		hist events -q -i "$f" --mark --context 1ms --fields event,comm --format csv
		stdout_has '^sched:sched_process_exec,true$'
	done
done
flight -F -c --explain --keep 1 --until 'derived:wait if ns < 0' true
stderr_has 'hist evaluates the conditions, .*: derived:wait is made by hist'
stderr_has 'warning: --until derived:wait: only events of some tasks are recorded'
flight -F -c --explain --keep 1 --until 'sched_process_exec if comm == "x"' -e sched_switch -f 'next_pid == 1' true
stderr_has 'hist evaluates the conditions, .*: -f limits what is recorded of sched:sched_switch'
# the kernel records what is written to trace_marker without a filter
flight --explain --keep 1 --until 'print if buf ~ "*hello B*"' sh -c "echo hello A >$tracefs/trace_marker; sleep 0.1; echo hello B >$tracefs/trace_marker; sleep 0.2"
status_is 0
stderr_has 'hist evaluates the conditions, .*: the kernel does not filter ftrace:print'
stderr_has '^hist: note: 1 event matched, 1 file was written'
# the kernel gets the numbers of names; names of processes are known to hist only
flight -F -c --explain --keep 1 --until 'sched_switch if prev_state == D && prev_pid < 0' true
status_is 0
stderr_has 'the kernel evaluates the conditions, in the instance'
flight -F -c --explain --keep 1 --until 'sched_switch if common_process == "x" && prev_pid < 0' true
status_is 0
stderr_has 'hist evaluates the conditions, .*: filter of sched:sched_switch: Field not found'
record_fails '--plan=kernel: the kernel cannot wait for the events: derived:wait is made by hist' --plan=kernel --keep 1 --until derived:wait true
if grep -q hist:keys= "$tracefs/README"; then
	skip 'this kernel has hist triggers'
else
	record_fails 'cannot wait for the events: this kernel has no hist triggers' --plan=kernel --keep 1 -S "$tmp/ran.script" --until synthetic:ran true
fi
record_fails 'need --keep TIME or --keep SIZE' --plan=kernel -e sched_switch true
record_fails "'x'|--plan" --plan=x --keep 1 --until sched_switch true

it 'puts an event within --after into the same file'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "true"' --times 0 --after 1 sh -c '/bin/true; /bin/true; sleep 2; /bin/true; sleep 0.4'
files_are 2
hist list -i "$tmp/slow-1.dat"
stdout_has 'mark 2 '

it 'finds an event during which hist was stopped'
for plan in kernel engine; do
	flight -F -c --plan=$plan --keep 1 --until 'sched_process_exec if comm == "true"' --after 100ms sh -c '
		sleep 0.2; kill -STOP $PPID; /bin/true; sleep 0.6; kill -CONT $PPID; sleep 0.5'
	status_is 0
	files_are 1
	stderr_has '1 event matched, 1 file was written'
	stderr_lacks 'not evaluated|no room'
	hist events -i "$tmp/slow-1.dat" --mark --context 1ms -e sched_process_exec
	stdout_has 'filename=/bin/true'
done

it 'writes nothing without an event, or what was last with --write-last'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "nonesuch"' true
status_is 0
files_are 0
stderr_has '0 events matched, 0 files were written'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "nonesuch"' --write-last sh -c '/bin/true; exit 4'
status_is 4
files_are 1
stderr_has 'slow-1\.dat: end on CPU'
hist events -i "$tmp/slow-1.dat"
stdout_has 'sched_process_exec: .*filename=/bin/true'

it 'writes a file by hand at SIGUSR1'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "nonesuch"' sh -c "kill -USR1 \$PPID; while [ ! -e $tmp/slow-1.dat ]; do sleep 0.05; done; kill -USR1 \$PPID; while [ ! -e $tmp/slow-2.dat ]; do sleep 0.05; done"
status_is 0
files_are 2
stderr_has 'slow-2\.dat: by-hand on CPU'

it 'leaves what is kept in the buffers of the kernel while they last for it'
flight -F -c --explain --keep 1 -b 8192 --times 0 --after 100ms --until 'sched_process_exec if comm == "true"' -e raw_syscalls:sys_enter \
	sh -c "$load 3000; /bin/true; sleep 0.5; $load 3000; /bin/true; sleep 0.4; $load 3000; /bin/true; sleep 0.4"
files_are 3
stderr_has 'what is kept is in the buffers of the kernel while they last for --keep, otherwise next to the file, on the disk'
stderr_has 'what is kept was in the buffers of the kernel until a file was wanted'
stderr_has 'events of [0-9]+ CPUs? in [0-9.]* s, 0 lost'
stderr_lacks 'lack'
for f in "$tmp"/slow-?.dat; do
	hist report -q -i "$f" -e sys_enter -f id==1 --by common_pid --format csv
	checked [ "$(awk -F, 'NR > 1 && $2 >= 3000' "$tmp.out" | wc -l)" -ge 1 ] || fail_file "$f has:" "$tmp.out"
	stderr_lacks lost
done

it 'writes each file when its time is over, not at the end'
cp /bin/true "$tmp/rare"
for plan in kernel engine; do
	flight --plan=$plan --keep 200ms --times 0 --until "sched_process_exec if filename == \"$tmp/rare\"" -e sched_switch sh -c "
		for i in 1 2 3 4 5 6 7 8; do
			$tmp/rare
			for n in \$(seq 500); do [ -e $tmp/slow-\$i.dat ] || sleep 0.1; done
			[ -e $tmp/slow-\$i.dat ] || exit 9
		done"
	status_is 0
	files_are 8
done

it 'moves it out of them when they do not last'
flight -F -c --explain --keep 60 -b 2048 --until 'sched_process_exec if comm == "true"' -e raw_syscalls:sys_enter \
	taskset -c 0 sh -c "for i in 1 2 3 4 5 6 7 8 9; do $load 3000; sleep 0.2; done; /bin/true; sleep 0.2"
files_are 1
stderr_has 'the buffers of [12] CPUs? last for [0-9.]* s, which is too little for --keep: .* buffers of [0-9.e+]* times the size \(-b\)'
stderr_lacks 'lack'
hist list -i "$tmp/slow-1.dat"
stdout_lacks lacks

it 'reports what they had no room for'
flight -F -c --keep 9 -b 512 --until 'sched_process_exec if comm == "true"' -e raw_syscalls:sys_enter \
	sh -c "kill -STOP \$PPID; while grep -L '^State:.T' /proc/\$PPID/task/*/status | grep -q .; do sleep 0.01; done; $load 30000; kill -CONT \$PPID; sleep 0.3; /bin/true; sleep 0.4"
files_are 1
stderr_has 'slow-1\.dat: sched:sched_process_exec on .*; of CPU [0-9]+ only the last [0-9]\.[0-9]{3} s before it'
stderr_has 'warning: 1 file lacks some of the time of --keep: use larger buffers \(-b\)'
stderr_has ' 0 lost'
has=$(sed -n 's/^hist: note:.*only the last \([0-9.]*\) s before it.*/\1/p' "$tmp.err")
of=$(sed -n 's/^hist: note:.*of CPU \([0-9]*\) only the last .*/\1/p' "$tmp.err")
hist list -i "$tmp/slow-1.dat"
# on a busy machine more of it is there, or another CPU lacks some, too; both together are --keep
lacks=$(sed -n "s/^ *lacks *the first \([0-9.]*\) s of CPU ${of:-none}\$/\1/p" "$tmp.out")
checked [ "$(awk "BEGIN { printf \"%.2f\", ${has:-0} + ${lacks:-0} }")" = 9.00 ] || fail "${has:-no} s and ${lacks:-no} s are not 9 s"
hist report -i "$tmp/slow-1.dat" -e sys_enter --by common_cpu
status_is 0
stderr_lacks lost

it 'runs a command for each file, and kills it at its limit'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "true"' --exec 'echo "$HIST_FILE $HIST_EVENT $HIST_TIME" >"$HIST_FILE.env"; exit 3' sh -c 'sleep 0.2; /bin/true; sleep 0.3'
status_is 0
files_are 1
holds grep -q -E '/slow-1\.dat sched:sched_process_exec [0-9]+\.[0-9]{9}$' "$tmp/slow-1.dat.env"
stderr_has 'warning: 1 of 1 commands of --exec failed: .*slow-1\.dat ended with status 3'
flight -F -c --keep 1 --until 'sched_process_exec if comm == "true"' --exec "sleep 97.$$ & sleep 97.$$; echo never" --exec-limit 0.3 sh -c 'sleep 0.2; /bin/true; sleep 0.3'
status_is 0
stderr_has 'slow-1\.dat did not end within 0\.3 s and was killed'
checked [ -z "$(pids "^sleep 97\.$$\$")" ] || fail 'the command of --exec still runs'

it 'keeps a size, on the disk and in memory'
for memory in '' '--memory 2M'; do
	# shellcheck disable=SC2086 # two words
	flight -F -c -b 256 --keep 2M $memory --until 'sched_process_exec if comm == "true"' -e raw_syscalls sh -c "$load 30000; /bin/true; sleep 0.3"
	files_are 1
	checked [ "$(hist list -i "$tmp/slow-1.dat" >/dev/null; sed -n 's/^top buffer: \([0-9]*\) events.*/\1/p' "$tmp.out")" -lt 60000 ] ||
		fail 'more than 2M are kept'
done
flight --keep 10 --memory 10K --until sched_switch true
status_is 125
stderr_has '10 KB are too little to keep a part of the recording: [0-9]+ CPUs need at least [0-9]+ KB'

it 'recovers what was kept by a recording that is killed'
alone
# on the disk, and in the buffers of the kernel, also if what is kept would be in memory
for keep in 2M '60 -b 8192' '60 -b 8192 --memory 8M'; do
	rm -f "$tmp"/t.dat* "$tmp/loaded"
	# shellcheck disable=SC2086 # several words
	"$HIST" record -q -o "$tmp/t.dat" --keep $keep --until 'sched_process_exec if comm == "nonesuch"' -e raw_syscalls \
		sh -c "$load 30000; echo \$\$ >$tmp/loaded; exec sleep 97" 9<&- 2>/dev/null &
	pid=$!
	while [ ! -s "$tmp/loaded" ] && kill -0 "$pid"; do sleep 0.1; done
	sleep 0.3
	kill -9 "$pid"
	kill "$(cat "$tmp/loaded")"
	wait "$pid" 2>/dev/null
	hist record --recover -o "$tmp/t.dat"
	status_is 0
	hist report -i "$tmp/t.dat" -e sys_enter -R 'hist:keys=common_cpu'
	stdout_has 'Hits: [0-9]{3}'
	checked [ -z "$(stale)" ] || fail "left: $(stale)"
	no_leftovers
done

it 'the readers of other CPUs do not wait when the disk is slow to give space to one'
slow=$tmp/disk.so
rm -f "$tmp"/slow-*
if [ -n "${SANITIZE:-}${HIST_VALGRIND:-}" ] || [ "$(nproc)" -lt 2 ] ||
	! ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$slow" tests/record/slow.c 2>/dev/null; then
	skip 'needs two CPUs, a C compiler and no sanitizer'
else
	last=$(($(nproc) - 1))
	alone
	run env LD_PRELOAD="$slow" SLOW_SPACE_US=200000 SLOW_FILE="/cpu$last" "$HIST" record -C mono -F -c --plan=engine -b 1024 \
		-o "$tmp/slow-%n.dat" --keep 5 --until 'sched_process_exec if comm == "true"' -e syscalls:sys_enter_write \
		sh -c "{ taskset -c $last $load 30000 & taskset -c 0 $load 100000; wait; /bin/true; }"
	not_alone
	status_is 0
	stderr_has '1 event matched, 1 file was written'
	stderr_lacks 'CPU 0: overwritten'
fi

it 'a disk that has no room for the file'
disk=$tmp/disk
mkdir "$disk"
trap 'umount "$disk" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
if mount -t tmpfs -o size=8m none "$disk" 2>/dev/null; then
	hist record -F -c -o "$disk/f.dat" --keep 2M --until 'sched_process_exec if comm == "true"' -e raw_syscalls \
		sh -c "$load 30000; dd if=/dev/zero of=$disk/full bs=1M status=none 2>/dev/null; /bin/true; sleep 0.4"
	status_is 125
	stderr_has 'f\.dat.*No space left'
	stderr_has 'f\.dat was not written: sched:sched_process_exec'
	stderr_has '1 event matched, 0 files were written'
	checked [ "$(ls "$disk")" = full ] || fail "left: $(ls "$disk")"
	umount "$disk"
	# where there was room, it is reserved: another program fills the rest
	mount -t tmpfs -o size=24m none "$disk"
	# how much the journal of tasks takes depends on the machine
	hist record -F -c -o "$disk/f-%n.dat" --no-tasks --keep 2M --times 2 --until 'sched_process_exec if comm == "true"' -e raw_syscalls \
		sh -c "$load 5000; dd if=/dev/zero of=$disk/full bs=1M status=none 2>/dev/null; /bin/true; sleep 0.4
			rm $disk/full; $load 5000; /bin/true; sleep 0.4"
	status_is 0
	stderr_has '2 events matched, 2 files were written'
	for f in "$disk"/f-[12].dat; do
		"$HIST" report -q -i "$f" -e sys_enter -R 'hist:keys=id' >"$tmp.out"
		stdout_has 'Hits: [0-9]{4}'
	done
	umount "$disk"
else
	skip 'cannot mount a small file system'
fi
machine_is_unchanged

it 'runs as the service of examples'
unit=examples/hist-flight.service
sed -n '/^ExecStart=/,/[^\\]$/p' $unit | sed "s,^ExecStart=/usr/bin/hist,$HIST,; s,/var/lib/hist,$tmp,; s,%%,%,g" >"$tmp/service.sh"
checked grep -q -- '--keep .*--memory' "$tmp/service.sh" || fail 'the service has another command'
with_others
run sh -c "$(sed '$ s/$/ --duration 0.3/' "$tmp/service.sh")" 9<&-
after_others
status_is 0
stderr_has 'files? w(as|ere) written'
if have systemd-analyze; then
	mkdir "$tmp/unit"
	sed 's,^ExecStart=/usr/bin/hist,ExecStart=/bin/true,' $unit >"$tmp/unit/hist-flight.service"
	run systemd-analyze --man=no verify "$tmp/unit/hist-flight.service"
	status_is 0
fi

it 'refuses options that do not belong together'
record_fails "--keep needs --until 'EVENT if FILTER'" --keep 1 true
record_fails '--until, --arm.* need --keep TIME or --keep SIZE' --until sched_switch true
record_fails "--keep takes a time, such as 30s, or a size, such as 500M, not '5x'" --keep 5x --until sched_switch
record_fails '--times needs -o with %n for the number of the file' --keep 1 --until sched_switch --times 2 true
record_fails '--keep takes no -m, --live, --recover and --dump' --keep 1 --until sched_switch -m 10 true
record_fails "--memory takes a size, such as 500M, not '1x'" --keep 1 --until sched_switch --memory 1x true
record_fails "--times takes a number of files, or 0 for no limit, not 'x'" --keep 1 --until sched_switch --times x true
record_fails '--keep needs a clock of nanoseconds, such as mono, not -C counter' --keep 1 --until sched_switch -C counter true
record_fails 'nonesuch' --keep 1 --until nonesuch true
record_fails 'Field not found' --keep 1 --until 'sched_switch if nofield == 1' true
record_fails 'processes, command lines and cgroups of tasks are not known without the journal of tasks' \
	--keep 1 --no-tasks --until 'sched_switch if common_process == "x"' true

done_testing
