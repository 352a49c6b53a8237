#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The journal of tasks: names are right at all times, other programs and old versions do not see it.
. tests/record/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -d "$tracefs/events/syscalls/sys_enter_getpgid" ] || skip_all 'no events of system calls'
[ -d "$tracefs/events/task/task_rename" ] || skip_all 'no events of tasks'
renames=$tmp/renames
${CC:-cc} -pthread -o "$renames" tests/record/renames.c 2>/dev/null || skip_all 'no C compiler'
export TMPDIR="$tmp"

# has_journal ERE: hist list describes it so
has_journal()
{
	"$HIST" list -i "$dat" | checked grep -q -E "^  tasks +$1" ||
		fail "the journal: $("$HIST" list -i "$dat" | grep '^  tasks')"
	! "$HIST" list -i "$dat" | grep -q '^  tasks .* events lost' || journal_lost=yes
}

# names_are_right: as the processes told them
names_are_right()
{
	"$HIST" report -q --kernel=7.3 -i "$dat" -e sys_enter_getpgid --by common_comm,pid --format json >"$tmp/names.json"
	python3 tests/record/told_names.py <"$tmp/names.json" >"$tmp/told" 2>"$tmp/wrong"
	read -r events wrong <"$tmp/told"
	checked [ "${events:-0}" -gt 50 ] || fail "only ${events:-0} events"
	checked [ "${wrong:-1}" = 0 ] || fail_file "of $events names, $wrong are wrong:" "$tmp/wrong"
}

# journal: its lines, if the file is not compressed
journal()
{
	grep -a -E '^[a-z]+ [0-9]' "$dat"
}

# awk's numbers are small
seed=$((($(date +%s) * 31 + $$) % 1000000))
for round in $(seq "${ROUNDS:-4}"); do
	# random options: $tmp/options
	awk -v seed=$((seed + round)) 'function one(n) { return int(rand() * n) } BEGIN {
		srand(seed)
		split("local global mono boot x86-tsc", clocks)
		split("none zlib zstd", codecs)
		print "-C", clocks[1 + one(5)]
		print "-z", codecs[1 + one(3)]
		if (one(2)) print "-b", 64 * (1 + one(64))
		if (one(2)) print "-e sched:sched_switch"
		if (one(2)) print "-e sched:sched_waking"
		if (one(3) == 0) print "-e sched:sched_process_exec"
		if (one(3) == 0) print "-e task:task_rename"
		if (one(3) == 0) print "-e raw_syscalls"
		if (one(3) == 0) print "-F -c"
		if (one(4) == 0) print "--no-cmdline"
	}' >"$tmp/options"
	grep -q x86-tsc "$tracefs/trace_clock" || sed -i s/x86-tsc/mono/ "$tmp/options"
	it "names at all times: $(tr '\n' ' ' <"$tmp/options") (seed $((seed + round)))"
	rm -f "$tmp"/t.dat*
	# shellcheck disable=SC2046 # words
	record $(cat "$tmp/options") -e sys_enter_getpgid "$renames" "${SECONDS_EACH:-0.5}" "$round"
	status_is 0
	has_journal '[0-9]+ tasks, '
	if ! "$HIST" list -i "$dat" | grep -q 'tasks, complete'; then
		skip 'the journal lost events'
	else
		names_are_right
	fi
done

it 'a program has its first events, before any switch'
# other tests run dd, too
ln -s "$(command -v dd)" "$tmp/dd-$$"
record -e syscalls:sys_enter_execve -e syscalls:sys_enter_brk -e sched:sched_switch \
	sh -c "$tmp/dd-$$ if=/dev/zero of=/dev/null count=1 status=none; :"
status_is 0
"$HIST" report -q --kernel=7.3 -i "$dat" -e sys_enter_brk --by common_comm,common_pid --format json >"$tmp/brk"
"$HIST" report -q --kernel=7.3 -i "$dat" -e sys_enter_execve --by common_comm,common_pid --format json >"$tmp/execve"
checked python3 - "dd-$$" "$tmp/brk" "$tmp/execve" <<'END' || fail_file 'names of the calls of dd:' "$tmp/brk"
import json, sys
brk, execve = ([row['key'] for line in open(name) for row in json.loads(line)['data']] for name in sys.argv[2:])
pids = [k['common_pid'] for k in brk if k['common_comm'] == sys.argv[1]]
assert len(pids) == 1 and all(k['common_comm'] == sys.argv[1] for k in brk if k['common_pid'] in pids)
assert all(k['common_comm'] == 'sh' for k in execve if k['common_pid'] in pids)
END

it 'other programs show only the events of the user'
record -e sched:sched_process_exec sh -c "$load 10; $load 10"
status_is 0
has_journal '[0-9]+ tasks, '
nothing_lost
report_lacks ': (task_|sched_process_exit|sched_process_fork|print)'
report_has 'sched_process_exec'
checked trace-cmd dump --options "$dat" >/dev/null 2>&1 || fail 'trace-cmd cannot read the options'
no_leftovers
machine_is_unchanged
[ -z "$(stale)" ] || fail "instances: $(stale)"

it 'KernelShark loads the same events'
events=$("$HIST" list -i "$dat" | sed -n 's/^top buffer: \([0-9]*\) events.*/\1/p')
# KernelShark 2's own library
python3 - "$dat" >"$tmp/loaded" 2>/dev/null <<'END'
import ctypes, sys
try:
    lib = ctypes.CDLL('libkshark.so.2')
except OSError:
    sys.exit(77)
context, entries = ctypes.c_void_p(), ctypes.c_void_p()
lib.kshark_open.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
lib.kshark_load_entries.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
lib.kshark_load_entries.restype = ctypes.c_ssize_t
lib.kshark_instance(ctypes.byref(context))
stream = lib.kshark_open(context, sys.argv[1].encode())
print(lib.kshark_load_entries(context, stream, ctypes.byref(entries)))
END
case $? in
77) skip 'KernelShark is not installed' ;;
*) checked grep -q -x "${events:-none}" "$tmp/loaded" || fail_file "not $events events:" "$tmp/loaded" ;;
esac

it 'arguments of programs can be left out'
secret=secret-$$
sh -c 'sleep 60; :' "$secret" &
sleeper=$!
record -z none -e sched:sched_process_exec true
checked grep -a -q "$secret" "$dat" || fail 'the arguments are not in the file'
hist slim --drop-tasks -i "$dat" -o "$tmp/s.dat" -e sched_process_exec --by common_comm
! checked grep -a -q "$secret" "$tmp/s.dat" || fail 'hist slim --drop-tasks keeps them'
hist slim -i "$dat" -o "$tmp/s.dat" -e sched_process_exec --by common_comm
"$HIST" list -i "$tmp/s.dat" | checked grep -q '^  tasks' || fail 'hist slim drops the journal'
"$HIST" report -q -i "$dat" -e sched_process_exec --by common_comm --save-events "$tmp/e.dat" >"$tmp/rows"
"$HIST" list -i "$tmp/e.dat" | checked grep -q '^  tasks' || fail '--save-events drops the journal'
cp "$dat" "$tmp/first.dat"
record --no-cmdline -z none -e sched:sched_process_exec true
! checked grep -a -q "$secret" "$dat" || fail '--no-cmdline stores them'
has_journal '[0-9]+ tasks, '
"$HIST" import "$tmp/first.dat" "$dat" -o "$tmp/i.dat" 2>/dev/null
"$HIST" list -i "$tmp/i.dat" | checked grep -q '^  tasks' || fail 'hist import drops the journal'
record --no-cmdline -z none -e sched:sched_process_exec sh -c 'sleep 0.3; :' "later-$secret"
! checked grep -a -q "later-$secret" "$tmp/t.dat" || fail '--no-cmdline stores those of later programs'
record --no-tasks -z none -e sched:sched_process_exec true
! "$HIST" list -i "$dat" | checked grep -q '^  tasks' || fail '--no-tasks has a journal'
kill $sleeper

it 'the arguments of programs that are executed later'
record -z none -e sched:sched_process_exec \
	sh -c 'sh -c "sleep 0.3; :" first; sh -c "sh -c \"sleep 0.3; :\" third; :" second; exec true'
status_is 0
for name in first second third; do
	journal | checked grep -q -E "^argv [0-9]+ [0-9]+ sh.*$name.000$" || fail "not those of $name"
done
# it ended at once: its arguments are not known, or were read in time
journal | grep -E '^argv .* true' | grep -v -E '^argv [0-9]+ [0-9]+ true.000$' >"$tmp/others"
checked [ ! -s "$tmp/others" ] || fail_file 'not those of the program that ended:' "$tmp/others"
ended=$(journal | awk '$1 == "exec" { n++ } $1 == "argv" { n-- } END { print n }')
has_journal "[0-9]+ tasks, complete, arguments of $ended programs? not known"

it 'cgroups of threads, and of tasks that are made in another one'
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
v1=$(awk '$3 == "cgroup" && $4 ~ /pids/ { print $2; exit }' /proc/mounts)
if ! ${CC:-cc} -pthread -o "$tmp/cgroups" tests/record/cgroups.c 2>/dev/null; then
	skip 'no clone3()'
elif ! mkdir "$v2/hist-test-$$" 2>/dev/null; then
	skip 'cgroups cannot be made'
else
	[ -n "$v1" ] && mkdir "$v1/hist-test-$$"
	"$tmp/cgroups" "$v2/hist-test-$$" ${v1:+"$v1/hist-test-$$"} >"$tmp/pid" &
	while [ ! -s "$tmp/pid" ] && kill -0 $!; do sleep 0.01; done
	pid=$(cat "$tmp/pid")
	record -z none -e sched:sched_process_exec \
		sh -c 'kill -USR1 "$1"; sleep 1; kill -USR2 "$1"' sh "$pid"
	wait $! || fail "cgroups: status $?"
	journal | checked grep -q -E "^in $pid 0 /" || fail 'the process is in no cgroup'
	child=$(journal | awk -v pid="$pid" '$1 == "new" && $4 == pid { print $3 }')
	journal | checked grep -q -E "^moved [0-9]+ $child 0 .*/hist-test-$$\$" ||
		fail "the cgroup of the new task $child is not known"
	[ -z "$v1" ] || journal | checked grep -q -E "^in [0-9]+ [1-9][0-9]* .*/hist-test-$$\$" ||
		fail 'the cgroup of the thread is not known'
	rmdir "$v2/hist-test-$$" ${v1:+"$v1/hist-test-$$"}
fi

# later: "$tmp/later.dat" is the recording with a journal of a later version
later()
{
	checked python3 - "$dat" "$tmp/later.dat" <<'END' || fail 'there is no journal'
import sys
data = open(sys.argv[1], 'rb').read()
assert data.count(b'tasks 1\n') == 1
open(sys.argv[2], 'wb').write(data.replace(b'tasks 1\n', b'tasks 9\n'))
END
}

it 'a journal of a later version is not used'
record -e sys_enter_getpgid "$renames" 0.3 1
later
"$HIST" list -i "$tmp/later.dat" | checked grep -q '^  tasks  .*version 9' || fail 'the version is not named'
"$HIST" report -q --kernel=7.3 -i "$dat" -e sys_enter_getpgid --by common_comm >"$tmp/with"
"$HIST" report -q --kernel=7.3 -i "$tmp/later.dat" -e sys_enter_getpgid --by common_comm >"$tmp/without"
! checked cmp -s "$tmp/with" "$tmp/without" || fail 'the names are the same'

it 'ticks as times do not determine names'
record -C uptime -e sys_enter_getpgid -e sched:sched_switch -e task:task_rename "$renames" 0.3 1
later
"$HIST" report -q --kernel=7.3 -i "$dat" -e sys_enter_getpgid --by common_comm >"$tmp/with"
"$HIST" report -q --kernel=7.3 -i "$tmp/later.dat" -e sys_enter_getpgid --by common_comm >"$tmp/without"
checked cmp -s "$tmp/with" "$tmp/without" || fail 'the journal is used'

it 'a killed recording has its journal'
alone
rm -f "$tmp"/t.dat*
"$HIST" record -o "$dat" -e sys_enter_getpgid \
	sh -c '"$1" 0.5 1; kill -KILL $PPID' sh "$renames" >/dev/null 2>&1 9<&-
record --recover
status_is 0
has_journal '[0-9]+ tasks, complete'
names_are_right
no_leftovers
[ -z "$(stale)" ] || fail "instances: $(stale)"

done_testing
