#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Times as the options of a recording convert them: TSC2NSEC, DATE, OFFSET.
. tests/cli/lib.sh

python=$(command -v python3) || skip_all 'no python3'
make=${BUILD:-build}/bench/make_recording
[ -x "$make" ] || skip_all "no $make"

it 'times are those that trace-cmd prints: random options, both versions, compressed or not'
run "$python" tests/cli/times.py "$HIST" "$make" "$(command -v trace-cmd || echo -)" "$tmp" 20 1
status_is 0
stdout_is equal

it 'list names the conversion, and nanoseconds are not units of the clock'
"$python" tests/cli/add_options.py any trace.dat-samples/switch.dat "$tmp/moved.dat" 7 -1000
"$python" tests/cli/add_options.py any "$tmp/moved.dat" "$tmp/tsc.dat" 14 '\xab\xaa\xaa\x2a\x1f\0\0\0\0\0\0\0\0\0\0'
hist list "$tmp/tsc.dat"
status_is 0
stdout_has '^  clock        tsc2nsec; times: cycles \* 715827883 >> 31 -1000 ns$'
hist report -i "$tmp/tsc.dat" -e derived:wait --by comm -f 'ns > 1us' --sum ns
status_is 0
stderr_lacks 'units of this clock'
hist list -q --format json "$tmp/tsc.dat"
stdout_has '"clock":"tsc2nsec",.*"times":"cycles \* 715827883 >> 31 -1000 ns"'

it 'stamps that were converted are not converted again'
hist slim -q -i "$tmp/tsc.dat" -o "$tmp/slim.dat" -e sched_switch
hist events -q -i "$tmp/tsc.dat" -e sched_switch
cp "$tmp.out" "$tmp/want"
hist events -q -i "$tmp/slim.dat" -e sched_switch
stdout_is_file "$tmp/want"
hist list "$tmp/slim.dat"
stdout_has '^  clock        tsc2nsec$'

it 'a guest beside its host: first the cycles of the host, then nanoseconds'
if have trace-cmd; then
	gunzip -c tests/import/plain.data.gz >"$tmp/plain.data"
	hist import -q "$tmp/plain.data" -o "$tmp/plain.dat"
	"$python" tests/cli/add_options.py host "$tmp/plain.dat" "$tmp/host0.dat" 77 vm-1 88 2
	"$python" tests/cli/add_options.py guest "$tmp/plain.dat" "$tmp/guest0.dat" 88 77 0 2720833199759:5000:1:0 2720833199759:-77:1:0
	for file in host guest; do
		"$python" tests/cli/add_options.py any "$tmp/${file}0.dat" "$tmp/$file.dat" 14 '\xab\xaa\xaa\x2a\x1f\0\0\0\0\0\0\0\0\0\0'
	done
	trace-cmd report -t -i "$tmp/host.dat" -i "$tmp/guest.dat" 2>/dev/null |
		sed -n 's/^guest\.dat:.* \([0-9]*\)\.\([0-9]*\): sys_exit:.*/\1\2/p' | sort >"$tmp/want"
	hist events -q -i "$tmp/host.dat" -i "$tmp/guest.dat" -e vm_1_raw_syscalls:sys_exit --format csv --fields ts
	sed 1d "$tmp.out" | sort >"$tmp/got"
	holds test "$(wc -l <"$tmp/want")" -gt 100
	holds cmp "$tmp/want" "$tmp/got"
else
	skip 'no trace-cmd'
fi

done_testing
