#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Names of tasks at each system call, compared with those that bpftrace reads in the kernel while the
# same calls are recorded: programs under a shell, pipes, threads that rename themselves; random
# options. Each workload has a user id of its own, by which bpftrace selects.
. tests/record/lib.sh

have bpftrace setpriv python3 || skip_all 'bpftrace is not installed'
[ -d "$tracefs/events/raw_syscalls/sys_enter" ] || skip_all 'no events of system calls'
renames=$tmp/renames
${CC:-cc} -pthread -o "$renames" tests/record/renames.c 2>/dev/null || skip_all 'no C compiler'
export TMPDIR="$tmp"
chmod 755 "$tmp" "$renames"
uid=$((100000 + $$ % 100000))

# all probes are attached when the last one reports
: >"$tmp/truth"
BPFTRACE_MAP_KEYS_MAX=65536 bpftrace -e "tracepoint:raw_syscalls:sys_enter /uid == $uid/ { @[tid, comm] = count(); } interval:ms:100 { printf(\"ready\n\"); }" \
	>"$tmp/truth" 2>"$tmp/bpftrace.err" 9<&- &
bpftrace=$!
for _ in $(seq 200); do
	grep -q ready "$tmp/truth" && break
	kill -0 $bpftrace 2>/dev/null || skip_all 'bpftrace does not run here'
	sleep 0.1
done
grep -q ready "$tmp/truth" || skip_all 'bpftrace does not start'

cat >"$tmp/load.sh" <<'END'
echo $$ >>"$1"
for i in 1 2 3; do
	dd if=/dev/zero of=/dev/null bs=1 count=$((RANDOM_COUNT + i)) status=none
done
(dd if=/dev/zero of=/dev/null bs=1 count=9 status=none; true) | cat | wc -c >/dev/null
env true; nice dd if=/dev/zero of=/dev/null bs=1 count=7 status=none
"$2" 0.05 "$RANDOM_COUNT"
wait
END

# awk's numbers are small
seed=$(($(date +%s) * 31 + $$))
seed=$((seed % 1000000))
: >"$tmp/tops"
chmod 666 "$tmp/tops"
rounds=${ROUNDS:-4}
for round in $(seq "$rounds"); do
	awk -v seed=$((seed + round)) 'function one(n) { return int(rand() * n) } BEGIN {
		srand(seed)
		split("local global mono boot", clocks)
		split("none zlib zstd", codecs)
		print "-C", clocks[1 + one(4)]
		print "-z", codecs[1 + one(3)]
		if (one(2)) print "-b", 1024 * (1 + one(8))
		if (one(2)) print "-e sched:sched_switch"
		if (one(3) == 0) print "-e sched:sched_waking"
		if (one(3) == 0) print "-e sched:sched_process_exec"
		if (one(3) == 0) print "-e task:task_rename"
		if (one(3) == 0) print "-F -c"
		if (one(4) == 0) print "--no-cmdline"
	}' >"$tmp/options.$round"
	it "records: $(tr '\n' ' ' <"$tmp/options.$round") (seed $((seed + round)))"
	# shellcheck disable=SC2046 # words
	hist record -o "$tmp/$round.dat" $(cat "$tmp/options.$round") -e raw_syscalls:sys_enter \
		setpriv --reuid=$uid --regid=$uid --clear-groups \
		env RANDOM_COUNT=$((20 + round * 7)) sh "$tmp/load.sh" "$tmp/tops" "$renames"
	status_is 0
done
kill -INT $bpftrace
wait $bpftrace

# names.py TRUTH TOPS [TID,COMM,COUNT rows of a file]...: rows of processes whose whole life is recorded.
# kernel: the record of a rename is written before the name. If another thread renames a task that
# runs, no record tells whether a call at that moment has the old name.
cat >"$tmp/names.py" <<'END'
import csv, re, sys
truth = {}
for line in open(sys.argv[1], errors='surrogateescape'):
    m = re.match(r'@\[(\d+), (.*)\]: (\d+)$', line)
    if m:
        truth[int(m[1]), m[2]] = int(m[3])
tops = {int(line) for line in open(sys.argv[2])}
tids = {tid for tid, _ in truth} - tops
got = {}
for name in sys.argv[3:]:
    for tid, comm, n in list(csv.reader(open(name, errors='surrogateescape')))[1:]:
        if int(tid) in tids:
            got[int(tid), comm] = got.get((int(tid), comm), 0) + int(n)
want = {k: n for k, n in truth.items() if k[0] in tids}
moment = {tid for tid, comm in want if comm == 'named'}
wrong = [(k, want.get(k, 0), got.get(k, 0)) for k in sorted({*want, *got})
         if abs(want.get(k, 0) - got.get(k, 0)) > (k[0] in moment)]
for k, w, g in wrong[:20]:
    print(f'# {k}: {w} calls, not {g}', file=sys.stderr)
dd = sum(n for (_, comm), n in want.items() if comm == 'dd')
print(sum(want.values()), len(want), dd, len(wrong))
END

it 'the names of all calls are those that bpftrace read'
for round in $(seq "$rounds"); do
	"$HIST" report -q -i "$tmp/$round.dat" -e sys_enter --by common_pid,comm --format csv >"$tmp/$round.csv" 2>"$tmp.err"
	"$HIST" list -i "$tmp/$round.dat" | checked grep -q 'tasks, complete' || fail "journal $round is incomplete"
done
# shellcheck disable=SC2046 # words
python3 "$tmp/names.py" "$tmp/truth" "$tmp/tops" $(seq -f "$tmp/%g.csv" "$rounds") >"$tmp/sums" 2>"$tmp/wrong"
read -r calls rows dd wrong <"$tmp/sums"
echo "# ${calls:-0} calls in ${rows:-0} rows, ${dd:-0} of dd"
checked [ "${dd:-0}" -gt $((rounds * 100)) ] || fail "only ${dd:-0} calls of dd"
checked [ "${wrong:-1}" = 0 ] || fail_file "$wrong rows of ${rows:-0} differ:" "$tmp/wrong"

done_testing
