#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The journal of tasks has what cpu.stat counts for cgroups with a CPU quota, and answers on waits report it.
. tests/record/lib.sh

# version 1, or version 2 where the controller is on
group=/sys/fs/cgroup/cpu/hist-quota-$$
[ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ] || group=/sys/fs/cgroup/hist-quota-$$
mkdir "$group" 2>/dev/null || skip_all 'cgroups cannot be made here'
trap 'rmdir "$group"; rm -rf "$tmp" "$tmp".*' EXIT
if [ -e "$group/cpu.cfs_quota_us" ]; then
	echo 50000 >"$group/cpu.cfs_period_us"
	echo 5000 >"$group/cpu.cfs_quota_us"
elif [ -e "$group/cpu.max" ]; then
	echo '5000 50000' >"$group/cpu.max"
else
	skip_all 'no controller of CPUs'
fi

# a task that is held back a few times, however busy the machine is
cat >"$tmp/load" <<'END'
sh -c 'echo $$ >"$0/cgroup.procs"; while :; do :; done' "$1" &
for i in $(seq 600); do
	[ "$(sed -n 's/nr_throttled //p' "$1/cpu.stat")" -lt 3 ] || break
	sleep 0.1
done
kill $!
wait
sleep 0.3 # the period in which it ended is counted when it is over
END

it 'cpu.stat of a cgroup with a quota at both ends'
hist record -q -o "$tmp/q.dat" -e sched:sched_switch,sched:sched_waking sh "$tmp/load" "$group"
status_is 0
n=$(sed -n 's/nr_throttled //p' "$group/cpu.stat")
s=$(awk '$1 == "throttled_usec" { printf "%.6f", $2 / 1e6 } $1 == "throttled_time" { printf "%.6f", $2 / 1e9 }' "$group/cpu.stat")
hist report -i "$tmp/q.dat" run-queue-wait
status_is 0
stderr_has "cpu.stat\\), CPU quotas held [0-9]+ cgroups? back for [0-9.]+ s in [0-9]+ periods"
# others of this machine may have quotas, too
if grep -q 'held 1 cgroup' "$tmp.err"; then
	stderr_has "held 1 cgroup back for $s s in $n periods meanwhile, most of it /hist-quota-$$ \\(cpu.max: 5000 50000[);]"
fi

# counted NAME FILE...: the time and the periods that answers on these files report of the group, and for when, in $tmp/NAME. False if
# others of this machine have quotas, too
counted()
{
	name=$1
	shift
	hist report $(printf ' -i %s' "$@") run-queue-wait
	status_is 0
	sed -n "s|.*(cpu.stat), .* back for \\([0-9.]*\\) s in \\([0-9]*\\) periods \\(.*\\), most of it /hist-quota-$$ .*|\\1 \\2 \\3|p" "$tmp.err" >"$tmp/$name"
	[ -s "$tmp/$name" ] || echo 0 0 meanwhile >"$tmp/$name"
	! grep -q 'held [0-9]* cgroups' "$tmp.err"
}

# so little that it is used up on a busy machine, too
if [ -e "$group/cpu.max" ]; then echo '1000 50000' >"$group/cpu.max"; else echo 1000 >"$group/cpu.cfs_quota_us"; fi

# a task in the group that is busy until it is killed
sh -c 'echo $$ >"$0/cgroup.procs"; while :; do :; done' "$group" &
busy=$!
trap 'kill $busy; wait; rmdir "$group"; rm -rf "$tmp" "$tmp".*' EXIT

it 'files of --rotate have each what was counted in their own time'
hist record -q -o "$tmp/r-%n.dat" -e sched:sched_switch,sched:sched_waking --rotate 400ms --times 0 sleep 1.5
status_is 0
set -- $(ls "$tmp"/r-*.dat | sort -V)
checked [ $# -ge 2 ] || fail "files: $#"
: >"$tmp/each"
for f; do
	counted one "$f"
	cat "$tmp/one" >>"$tmp/each"
done
if counted all "$@"; then
	checked awk '{ s += $1; n += $2; if (NR == FNR && !/meanwhile$/) bad = 1 }
		NR > FNR { exit !(!bad && n == 2 * $2 && s - 2 * $1 < 1e-5 && 2 * $1 - s < 1e-5) }' "$tmp/each" "$tmp/all" ||
		fail_file "all: $(cat "$tmp/all"), each:" "$tmp/each"
fi

it 'an answer on a part of a file is of a part of that'
for f in "$1" "$2"; do
	hist slim -i "$f" -e sched --from +50ms --to +100ms -o "$tmp/slim.dat"
	hist report -i "$tmp/slim.dat" run-queue-wait
	cp "$tmp.err" "$tmp/slim.err"
	hist report --from +50ms --to +100ms -i "$f" run-queue-wait
	status_is 0
	cat "$tmp/slim.err" >>"$tmp.err"
	checked [ "$(grep -c ' periods ' "$tmp.err")" = "$(grep -c 'periods in [0-9.]* s, of which the answer is of 0\.0[45]' "$tmp.err")" ] ||
		fail_file "of a part of $f:" "$tmp.err"
done

it 'a part that is kept is of a part of what was counted, which is said'
hist record -q -o "$tmp/k.dat" -e sched --keep 200ms --until 'sched_process_exec if filename ~ "*/true"' sh -c 'sleep 1; /bin/true; sleep 0.3'
status_is 0
! counted kept "$tmp/k.dat" || checked grep -q ' [1-9][0-9]* in [0-9.]* s, of which the answer is of [0-9.]* s$' "$tmp/kept" || fail_file 'kept:' "$tmp/kept"

it 'a recording that was killed has what was counted until it is recovered'
alone
"$HIST" record -q -o "$tmp/dead.dat" -e sched:sched_switch,sched:sched_waking sh -c 'sleep 0.5; kill -KILL $PPID' >/dev/null 2>&1 9<&-
hist record -q -o "$tmp/dead.dat" --recover
status_is 0
not_alone
! counted dead "$tmp/dead.dat" || checked grep -q ' [1-9][0-9]* meanwhile$' "$tmp/dead" || fail_file 'after a kill:' "$tmp/dead"

it 'cpu.pressure of cgroups at both ends'
root=/sys/fs/cgroup/unified
[ -e $root ] || root=/sys/fs/cgroup
total()
{
	sed -n 's/^some .*total=//p' $root/cpu.pressure
}
if [ -n "$(total 2>/dev/null)" ]; then
	before=$(total)
	hist record -q --compression none -o "$tmp/p.dat" -e sched:sched_switch sleep 0.2
	after=$(total)
	grep -a '^pressure [01] [0-9]* [0-9]* /$' "$tmp/p.dat" >"$tmp/lines"
	checked awk -v a="$before" -v b="$after" '$2 != NR - 1 || $3 < a || $3 > b { bad = 1 } { a = $3 } END { exit bad || NR != 2 }' "$tmp/lines" ||
		fail_file "not from $before to $after:" "$tmp/lines"
else
	skip 'the kernel has no cpu.pressure'
fi
done_testing
