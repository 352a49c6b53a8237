#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of a host and its guest on one time line; libtracecmd is the reference for times.
. tests/cli/lib.sh

gunzip -c tests/import/plain.data.gz >"$tmp/plain.data"
hist import -q "$tmp/plain.data" -o "$tmp/plain.dat"
python3 tests/cli/add_options.py host "$tmp/plain.dat" "$tmp/host.dat" 77 vm-1 88 2

# make_guest PEER FLAGS SAMPLES...: make $tmp/guest.dat; the trace id of its host is PEER
make_guest()
{
	python3 tests/cli/add_options.py guest "$tmp/plain.dat" "$tmp/guest.dat" 88 "$@" || fail "cannot make $*"
}

# The CPUs and times of the guest's system calls, by trace-cmd and by hist.
times_of_judge()
{
	trace-cmd report -t -i "$tmp/host.dat" -i "$tmp/guest.dat" 2>/dev/null |
		sed -n 's/^guest\.dat:.*\[\([0-9]*\)\] *\([^ 0-9][^ ]* *\)\{0,1\}\([0-9]*\)\.\([0-9]*\): sys_exit:.*/\1 \3\4/p' |
		awk '{ print $1 + 0, $2 }' | sort
}

times_of_hist()
{
	hist report -q -i "$tmp/host.dat" -i "$tmp/guest.dat" -e vm_1_raw_syscalls:sys_exit \
		-R 'hist:keys=cpu,common_timestamp:size=16384'
	sed -n 's/^{ cpu: *\([0-9]*\), common_timestamp: *\([0-9]*\) .*/\1 \2/p' "$tmp.out" |
		awk '{ print $1 - 2, $2 }' | sort
}

first=2720833199759
for samples in "0 $first:5000:1:0 $first:-77:1:0" \
	"0 2720000000000:5000:1:0,2721000000000:7001:1:0 2720000000000:5000:1:0" \
	"1 2720000000000:5000:1:0,2721000000000:7001:1:0 2720000000000:-1000:1:0,2720840000000:5000:3:1,2720850000000:-200000:1:0" \
	"0 $first:5000:1:0,2720833317459:7001:1:0,2720833341749:-5000:1:0 2720841000000:-1000:3:1,2720840000000:5000:3:1,2720850000000:-200000:1:0,2720850000000:-30:1:0" \
	"1 2720833341749:-5000:1:0,2720850000000:-200000:1:0 2720000000000:1:1048577:20,2720840000000:2:1048575:20"; do
	it "converts times to those of the host: $samples"
	if have trace-cmd; then
		# shellcheck disable=SC2086 # split into words
		make_guest 77 $samples
		times_of_judge >"$tmp/want"
		times_of_hist >"$tmp/got"
		holds test "$(wc -l <"$tmp/want")" = 255
		checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got" | head -n 6)"
	else
		skip 'no trace-cmd'
	fi
done

it 'separates the events of both'
make_guest 77 0 "$first:1000000:1:0" "$first:1000000:1:0"
hist report -i "$tmp/host.dat" -i "$tmp/guest.dat" -e sched:sched_switch -R 'hist:keys=cpu:sort=cpu'
status_is 0
stderr_has 'guest\.dat: recorded in guest vm_1: 276 events were converted to the host.s time; its events are named vm_1_SYSTEM:EVENT, its CPUs start at 2'
stdout_has 'cpu: *1 '
stdout_lacks 'cpu: *[23] '
cp "$tmp.out" "$tmp/both"
hist report -q -i "$tmp/host.dat" -e sched:sched_switch -R 'hist:keys=cpu:sort=cpu'
stdout_is_file "$tmp/both"

it 'measures latencies from the guest to the host'
hist report -q -i "$tmp/guest.dat" -i "$tmp/host.dat" --synth 'lat pid_t pid; u64 ns' \
	-e sched:sched_switch -R 'hist:keys=next_pid:t0=common_timestamp' \
	-e vm_1_sched:sched_switch -R 'hist:keys=next_pid:ns=common_timestamp-$t0:onmatch(sched.sched_switch).lat(next_pid,$ns)' \
	-e lat -R 'hist:keys=ns,pid'
status_is 0
stdout_has 'ns: *1000000, pid: *9076 '

it 'warns about a guest without its host'
hist report -i "$tmp/guest.dat" -e sched_switch -R hist:keys=next_pid
status_is 0
stderr_has 'guest\.dat: recorded in a guest, with the guest.s times: give the recording of its host, too'
make_guest 76 0 "$first:1000000:1:0" "$first:1000000:1:0"
hist report -i "$tmp/host.dat" -i "$tmp/guest.dat" -e sched_switch -R hist:keys=next_pid
stderr_has 'guest\.dat: recorded in a guest'

it 'warns about pids and symbols that are different in the guest'
make_guest 77 0 "$first:1000000:1:0" "$first:1000000:1:0"
hist report -i "$tmp/host.dat" -i "$tmp/guest.dat" -e vm_1_sched:sched_switch -R hist:keys=common_pid.execname
status_is 0
stderr_lacks warning
printf 'ffffffff81000000 T of_the_host\n' >"$tmp/host.syms"
printf 'ffffffff81000000 T of_a_guest\n' >"$tmp/guest.syms"
cp "$tmp/plain.dat" "$tmp/was.dat"
hist import -q "$tmp/plain.data" --kallsyms "$tmp/host.syms" -o "$tmp/plain.dat"
python3 tests/cli/add_options.py host "$tmp/plain.dat" "$tmp/symbols.dat" 77 vm-1 88 2
hist import -q "$tmp/plain.data" --kallsyms "$tmp/guest.syms" -o "$tmp/plain.dat"
LC_ALL=C sed -i 's/^9048 w16-wl\.sh$/9048 in-guest1/' "$tmp/plain.dat"
make_guest 77 0 "$first:1000000:1:0" "$first:1000000:1:0"
hist report -i "$tmp/guest.dat" -i "$tmp/symbols.dat" -e vm_1_sched:sched_switch -R hist:keys=common_pid.execname
status_is 0
stdout_has 'w16-wl.sh *. *9048'
stderr_has 'warning: .*guest\.dat: 1 pids belong to different tasks in the guest and in the host .9048: in-guest1, w16-wl\.sh.; both are shown with'
stderr_has "warning: .*guest\.dat: the host.s kernel has other symbols"
mv "$tmp/was.dat" "$tmp/plain.dat"

it 'rejects damaged samples'
make_guest 77 0 "$first:1000000:1:99"
hist report -i "$tmp/host.dat" -i "$tmp/guest.dat" -e sched_switch -R hist:keys=next_pid
status_is 2
stderr_has 'guest\.dat: its TIME_SHIFT option is damaged'

it 'what is known about the guest is known about the timeline'
make_guest 77 0 "$first:1000000:1:0" "$first:1000000:1:0"
python3 tests/cli/add_options.py any "$tmp/guest.dat" "$tmp/lossy.dat" 2 'CPU: 0\ndropped events: 1000\n'
python3 tests/cli/add_options.py any "$tmp/lossy.dat" "$tmp/guest.dat" 0x4843 \
	'lost 20 1\nsampled 9 sched:sched_switch\n'
hist import -q "$tmp/host.dat" "$tmp/guest.dat" -o "$tmp/timeline.dat"
status_is 0
for input in "-i $tmp/host.dat -i $tmp/guest.dat" "-i $tmp/timeline.dat"; do
	# shellcheck disable=SC2086 # split into words
	hist report --strict $input -e vm_1_sched:sched_switch -R hist:keys=common_pid --format json
	status_is 2
	stdout_has '"lost_events":1020,'
	stdout_has '"caveats":\[{"kind":"sampled","n":9,"of":"vm_1_sched:sched_switch"'
	# shellcheck disable=SC2086
	hist report -q $input -e sched:sched_switch -R hist:keys=common_pid --format json
	stdout_lacks sampled
done
hist list -i "$tmp/timeline.dat"
stdout_has 'caveat  *1000 events of CPU 2 were lost'
stdout_has 'caveat  *20 events of CPU 3 were lost'

it 'a guest from which tasks were selected is refused'
hist slim -q -i "$tmp/guest.dat" --pid 1 -e sched_switch -R hist:keys=common_pid -o "$tmp/slim.dat"
hist report -i "$tmp/host.dat" -i "$tmp/slim.dat" -e sched_switch -R hist:keys=cpu
status_is 2
stderr_has 'hist slim selected tasks'

done_testing
