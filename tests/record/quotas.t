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
