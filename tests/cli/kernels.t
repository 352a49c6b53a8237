#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --kernel: the rules used for a version, and the messages for kernels that were not compared.
. tests/cli/lib.sh

dat=tests/golden/7.3/design-6-alias/trace.dat
script=$tmp/script
printf '%s\n' "echo 'hist:keys=pid:vals=prio.percent' >> events/sched/sched_waking/trigger" \
	'cat events/sched/sched_waking/trigger' >"$script"

it 'follows the patch level of a stable tree'
for version in 6.1.188 6.12.107 6.12.110 6.16 7.0; do
	hist report -i $dat --kernel=$version "$script"
	status_is 1
	stderr_has 'Invalid field modifier'
done
for version in 6.1.189 6.1 6.12.111 6.12 7.3.4; do
	hist report -i $dat --kernel=$version "$script"
	status_is 0
	stdout_has 'prio.percent'
	stderr_is ''
done

it 'for a kernel newer or older than the compared ones, names these and the rules used'
for version in 7.9.1 8.0; do
	hist report -i $dat --kernel=$version "$script"
	status_is 0
	stderr_has "Linux ${version%.1} has not been compared; the rules of 7.3 are used"
done
hist report -i $dat --kernel=5.10.3 "$script"
stderr_has 'Linux 5.10 has not been compared; the rules of 6.1 are used'

it 'names the kernels from which the rules of one are derived'
hist report -i $dat --kernel=6.6.99 "$script"
stderr_has 'Linux 6.6 has not been compared; its rules are derived from 6.1, 6.12 and changelogs'
hist report -i $dat --kernel=6.14 "$script"
stderr_has 'Linux 6.14 has not been compared; its rules are derived from 6.12, 6.16 and changelogs'
hist report -i $dat --kernel=6.12.1 "$script"
stderr_lacks 'has not been compared'

it 'reports that a recording does not contain its kernel version'
sed 's/7\.3\.4+deb13/x.3.4+deb13/' $dat >"$tmp/unknown.dat"
hist report -i "$tmp/unknown.dat" "$script"
status_is 0
stderr_has 'the version of the kernel is unknown; the rules of Linux 7.3 are used'
hist list "$tmp/unknown.dat"
stderr_is ''

it 'limits the version of an unknown kernel by formats that later kernels changed'
for proof in 6.1/globs:6.1:ftrace:print 6.12/chain:6.15:ftrace:function; do
	sed 's/Linux \((none)\|[^ ]*\) 6\./Linux \1 x./' "tests/golden/${proof%%:*}/trace.dat" >"$tmp/older.dat"
	proof=${proof#*:}
	hist report -i "$tmp/older.dat" -e sched_switch --by prev_comm
	status_is 0
	stderr_has "unknown, but its format of ${proof#*:} is not that of later kernels; the rules of Linux ${proof%%:*} are used"
done
hist report -i "$tmp/older.dat" --kernel 7.3 -e sched_switch --by prev_comm
stderr_is ''

it 'uses the bytes after the strings of a recorded synthetic event; without them, reports that they are missing'
sed '/synthetic.*enable/d' tests/golden/7.3/design-6-alias/triggers >"$script"
hist report -i $dat "$script"
status_is 0
stderr_lacks 'were not recorded'
# another name, so not the event that was recorded
sed -i 's/wakeup_latency/other_latency/g' "$script"
hist report -i $dat "$script"
status_is 0
stderr_has 'synthetic:other_latency was not recorded: this kernel.s keys include the bytes after the end'

it 'counts without records, if no synthetic event was recorded'
cat >"$script" <<'END'
echo 'other_latency u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).other_latency($lat,next_pid,next_comm)' >> events/sched/sched_switch/trigger
echo 'hist:keys=comm,lat.log2:vals=pid' >> events/synthetic/other_latency/trigger
cat events/synthetic/other_latency/hist
END
hist report -q -j 2 --plan=plain -i $dat "$script"
status_is 0
stdout_has 'comm: '
cp "$tmp.out" "$tmp/plain"
for plan in auto order; do
	hist report -q -j 2 --plan=$plan -i $dat "$script"
	status_is 0
	stdout_is_file "$tmp/plain"
done

done_testing
