#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Scripts of thousands of lines: four times the lines take about four times the time, and 10000 less
# than two seconds; so do slices of time that become small.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'times are those of the instruments'

# lines N LINE: N of them; & in LINE is the number.
lines()
{
	seq 1 "$1" | sed "s~.*~$2~"
}

# cpu ARG...: CPU time of a report, in ms.
cpu()
{
	python3 - "$HIST" "$@" <<'END'
import os, sys
pid = os.fork()
if not pid:
    null = os.open('/dev/null', os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.execv(sys.argv[1], [sys.argv[1], 'report', '-i', 'trace.dat-samples/switch.dat', *sys.argv[2:]])
_, status, used = os.wait4(pid, 0)
if status:
    sys.exit('does not run')
print(int(used.ru_utime * 1000))
END
}

# grew FACTOR LIMIT SMALL LARGE: whether a report with the arguments of SMALL (words) and then that with those
# of LARGE take times, in $small and $large, that do not differ by more than FACTOR, nor exceed LIMIT ms. A busy
# machine makes both longer: those that are too long are measured again.
grew()
{
	small=100000
	large=100000
	for attempt in 1 2 3 4; do
		# shellcheck disable=SC2086 # words
		now=$(cpu $3)
		[ "${now:-100000}" -ge $small ] || small=$now
		# shellcheck disable=SC2086
		now=$(cpu $4)
		[ "${now:-100000}" -ge $large ] || large=$now
		[ "$large" -gt $(($1 * small + 100)) ] || [ "$large" -gt "$2" ] || return 0
	done
	return 1
}

# grows NAME LINE...: each LINE is in the script 10000 times, all of one LINE after all of another.
grows()
{
	it "10000 $1"
	shift
	for n in 2500 10000; do
		for l in "$@"; do
			lines "$n" "$l"
		done >"$tmp/$n"
	done
	checked grew 8 2000 "$tmp/2500" "$tmp/10000" || fail "2500 take $small ms, 10000 take $large ms"
}

event=events/syscalls/sys_enter_sync
synth="echo 'ev& u64 lat; int pid' >> synthetic_events"
probe="echo 'p:kp& do_sys_open a=%di b=%si' >> kprobe_events"
hist="echo 'hist:keys=common_pid:v&=common_timestamp' >> events/syscalls/sys_enter_sync/trigger"

grows 'synthetic events' "$synth"
grows 'synthetic events, removed' "$synth" "echo '!ev&' >> synthetic_events"
grows 'synthetic events with a histogram' "$synth" "echo 'hist:keys=pid' >> events/synthetic/ev&/trigger"
grows 'synthetic events that are on' "$synth" "echo synthetic:ev& >> set_event"
grows 'synthetic events that a trigger switches' "$synth" "echo 'enable_event:synthetic:ev&' >> $event/trigger" \
	"echo '!enable_event:synthetic:ev&' >> $event/trigger"
grows 'probes' "$probe"
grows 'probes, removed' "$probe" "echo '-:kp&' >> kprobe_events"
grows 'probes with a histogram' "$probe" "echo 'hist:keys=a' >> events/kprobes/kp&/trigger"
grows 'places of one probe' "echo 'p:kp do_sys_open+& a=%di' >> kprobe_events"
grows 'dynamic events' "echo 's:dv& u64 lat; pid_t pid' >> dynamic_events"
grows 'histograms of one event' "$hist"
grows 'histograms of one event, removed' "$hist" "echo '!${hist#*"'"}"
grows 'histograms with filters' "echo 'hist:keys=common_pid if common_pid == &' >> $event/trigger"
grows 'histograms with names' "echo 'hist:name=n&:keys=common_pid' >> $event/trigger" \
	"echo 'hist:name=n&:keys=common_pid:pause' >> $event/trigger"
grows 'histograms with one name' "echo 'hist:name=n:keys=common_pid if common_pid == &' >> $event/trigger"
grows 'references' "$hist" \
	"echo 'hist:keys=common_pid:d&=common_timestamp-\$v&' >> events/raw_syscalls/sys_enter/trigger" \
	"echo '!hist:keys=common_pid:d&=common_timestamp-\$v&' >> events/raw_syscalls/sys_enter/trigger"
grows 'actions' "$synth" "$hist" \
	"echo 'hist:keys=common_pid:d&=common_timestamp-\$v&:onmatch(syscalls.sys_enter_sync).ev&(\$d&,common_pid) if ip == 1' >> events/ftrace/print/trigger"
grows 'warnings' "echo 'prev_pid == & || comm == \"a\"' > events/sched/filter"

it 'json of many histograms, and what is made of it'
for n in 500 2000; do
	lines "$n" "$hist" >"$tmp/script"
	for format in json ndjson; do
		hist report -i trace.dat-samples/switch.dat "$tmp/script" --format $format -o "$tmp/$n.$format"
		hist merge "$tmp/$n.$format" "$tmp/$n.$format" --format $format -o "$tmp/$n.merged.$format"
		status_is 0
	done
done
for file in json ndjson merged.json merged.ndjson; do
	small=$(wc -c <"$tmp/500.$file")
	large=$(wc -c <"$tmp/2000.$file")
	checked [ "$large" -le $((5 * small)) ] || fail "$file of 500 has $small bytes, of 2000 $large"
done

it 'the first of many histograms has the whole script'
n_lines='[inputs | select(.script).script | length] | "\(.[0]) \(.[1:] | add)"'
if have jq; then
	for file in json ndjson merged.json merged.ndjson; do
		run jq -rn "$n_lines" "$tmp/2000.$file"
		stdout_is '2000 0'
	done
	{
		cat "$tmp/script"
		echo "cat $event/hist"
		lines 3 "echo 'hist:keys=common_cpu:w&=common_timestamp' >> $event/trigger"
		echo "cat $event/hist"
	} >"$tmp/twice"
	hist report -i trace.dat-samples/switch.dat "$tmp/twice" --format json -o "$tmp/twice.json"
	run jq -rn '[inputs.script] | map(length) | "\(.[0]) \(.[1:2000] | add) \(.[2000]) \(.[2001:] | add)"' "$tmp/twice.json"
	stdout_is '2000 0 3 0'
else
	skip 'needs jq'
fi

# Ten times as many slices that have a hit cost at most ten times as much.
it 'small slices of time'
report='-e raw_syscalls:sys_enter -R hist:keys=common_timestamp:v=id:size=32768'
for format in '' '--format json'; do
	checked grew 20 10000 "$report --interval 0.001 $format" "$report --interval 0.00001 $format" ||
		fail "slices of 1 ms take $small ms, of 10 us $large ms"
done

done_testing
