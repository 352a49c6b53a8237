#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Names and texts of a recording that were made to do harm.
. tests/cli/lib.sh

hist slim -q -z none -i trace.dat-samples/wakeup.dat -o "$tmp/plain.dat" trace.dat-samples/wakeup.script
latency='SELECT start.pid, (end.TIMESTAMP_USECS - start.TIMESTAMP_USECS) AS lat FROM sched_waking AS start
	JOIN sched_switch AS end ON start.pid = end.next_pid'
TMPDIR="$tmp/made"
export TMPDIR
mkdir "$TMPDIR"

# changed FROM TO: changed.dat has TO instead of FROM, which has the same length
changed()
{
	LC_ALL=C sed "s^$1^$2^g" "$tmp/plain.dat" >"$tmp/changed.dat"
	holds test "$(stat -c %s "$tmp/plain.dat")" = "$(stat -c %s "$tmp/changed.dat")"
	! cmp -s "$tmp/plain.dat" "$tmp/changed.dat" || fail "the recording does not contain $1"
}

it '--sql: libtracefs gets the fields of the recording, not its print fmt'
hist report -i "$tmp/plain.dat" --sql "$latency"
status_is 0
cp "$tmp.out" "$tmp/plain.out"
for fmt in 'x %s", __print_array(REC->pid, 1/0, 4)' '%d", REC->pid % 0 ' '%d", 1 % (REC->pid/0)' \
	'%s", __print_flags(REC->pid, "|", { 1/0, "S" })' '%d", ((((((((((((((((((((((((((' \
	'%s", __get_dynamic_array(1/0)' '%d", REC->pid ? 1/0 : 2%0'; do
	changed '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu' \
		"$(printf '"%-88s' "$fmt")"
	hist report -i "$tmp/changed.dat" --sql "$latency"
	status_is 0
	stdout_is_file "$tmp/plain.out"
done
holds test -z "$(ls "$TMPDIR")"

it '--sql: a declaration that is not one of a field'
for decl in 'field:pid_t pi-;' 'field:pid_t pi[;' 'field:pid_t  [];' 'field:[[[[[[[[[;' 'field:pid_t p	d;'; do
	changed 'field:pid_t pid;' "$decl"
	hist report -i "$tmp/changed.dat" --sql "$latency"
	status_is 2
	stdout_is ''
done
holds test -z "$(ls "$TMPDIR")"

it 'an event whose name or system is not that of a file: no path is made of it'
for change in 'name: sched_switch|name: ..          ' 'name: sched_switch|name: .           ' \
	'name: sched_switch|name: ../../../xxx' 'name: sched_switch|name: sched/switch' \
	'name: sched_switch|name: sched\x1bswitch' 'name: sched_switch|name: /tmp/xxxxxxx' \
	'sched\x00|../..\x00' 'sched\x00|/sche\x00' 'sched\x00|sc\x01ed\x00'; do
	changed "${change%%|*}" "${change#*|}"
	hist report -i "$tmp/changed.dat" -e '*:*' -R 'hist:keys=common_pid' --tracefs="$TMPDIR/dir"
	status_is 2
	stderr_has 'a format of system .* has no name or ID that an event can have'
	holds test -z "$(cd "$TMPDIR" && find . -name 'xxx*' -o -name hist -path './hist')"
	holds test "$(ls "$TMPDIR")" = dir
	rm -r "$TMPDIR/dir"
	hist report -i "$tmp/changed.dat" --sql "$latency"
	status_is 2
	stdout_is ''
	holds test -z "$(ls "$TMPDIR")"
	hist list "$tmp/changed.dat"
	status_is 2
done

it 'texts that XML cannot contain, or that turn the direction of others, become visible'
hidden=$(printf '\357\277[\276\277]|\342\200[\252-\256]|\342\201[\246-\251]|\355[\240-\277]|\302[\200-\237]|\364\220|[\377\300\001\033\177]')
hist slim -q -z none -i trace.dat-samples/wakeup.dat -o "$tmp/plain.dat" trace.dat-samples/wakeup.script
for text in '\xef\xbf\xbeabcd' '\xef\xbf\xbfabcd' '\xe2\x80\xaeabcd' '\xe2\x80\xaaabcd' '\xe2\x81\xa6abcd' '\xe2\x81\xa9abcd' \
	'\xed\xa0\x80abcd' '\xed\xbf\xbfabcd' '\xc2\x85abcde' '\xc0\x80abcde' '\xff\xfeabcde' '\x1b]2;abc' '\x01abcdef' '\x7fabcdef' \
	'\xf4\x90\x80\x80abc'; do
	changed alpha-a "$text"
	for format in html svg heat plot; do
		hist report -q -i "$tmp/changed.dat" -e sched_switch --by next_comm --format $format -o "$tmp/$format"
		status_is 0
	done
	for format in markdown junit; do
		hist diff -q --all --absolute -e sched_switch -R hist:keys=next_comm --fail-on '*:hitcount>+10%' \
			--format $format "$tmp/changed.dat" trace.dat-samples/wakeup.dat -o "$tmp/$format"
	done
	hist diff -q --all --absolute -e sched_switch -R hist:keys=next_comm --format html "$tmp/changed.dat" \
		trace.dat-samples/wakeup.dat -o "$tmp/page"
	for format in html svg heat plot markdown junit page; do
		LC_ALL=C checked grep -qE '(\\|&#92;)[xu][0-9a-f]' "$tmp/$format" || fail "$text does not appear in $format"
		! LC_ALL=C grep -qaE "$hidden" "$tmp/$format" || fail "$format contains $text"
	done
	if have xmllint; then
		holds xmllint --noout "$tmp/svg" "$tmp/junit"
	elif have python3; then
		holds python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' "$tmp/svg" "$tmp/junit"
	fi
done
printf 'next_comm: \342\200\256abcd' >"$tmp/raw"
changed alpha-a '\xe2\x80\xaeabcd'
hist report -q -i "$tmp/changed.dat" -e sched_switch --by next_comm --format hist
LC_ALL=C holds grep -qaFf "$tmp/raw" "$tmp.out"

it '--csv-safe: no cell is a formula'
hist slim -q -z none -i trace.dat-samples/wakeup.dat -o "$tmp/plain.dat" trace.dat-samples/wakeup.script
for text in '=1+1;"a' '+1;,"=a' '-A1,=a;' '@SUM(a)' '\t=1+1aa' '\r=1+1aa' '-1-cmd|'; do
	changed alpha-a "$text"
	for format in csv tsv; do
		hist report -q -i "$tmp/changed.dat" -e sched_switch --by next_comm --format $format
		status_is 0
		cp "$tmp.out" "$tmp/plain.$format"
		hist report -q -i "$tmp/changed.dat" -e sched_switch --by next_comm --format $format --csv-safe
		status_is 0
		! cmp -s "$tmp.out" "$tmp/plain.$format" || fail "$format does not change $text"
		! LC_ALL=C grep -qE '^"?[=+@-]' "$tmp.out" || fail "$format: $text is a formula"
	done
	hist diff -q --all --absolute -e sched_switch -R hist:keys=next_comm --format csv --csv-safe \
		"$tmp/changed.dat" trace.dat-samples/wakeup.dat
	! LC_ALL=C grep -qE '^"?[=+@-]' "$tmp.out" || fail "diff: $text is a formula"
	case $text in
	[-=+@]*) checked grep -q "^\"'" "$tmp.out" || fail "diff does not change $text" ;;
	esac
done
changed alpha-a '-12.345'
hist report -q -i "$tmp/changed.dat" -e sched_switch --by next_comm --format csv --csv-safe
holds grep -q '^"-12.345",' "$tmp.out"
hist report -q -i trace.dat-samples/wakeup.dat -e sched_switch --by prev_prio --format json -o "$tmp/result.json"
hist merge --csv-safe --format tsv "$tmp/result.json"
status_is 0
for command in "merge $tmp/result.json" "report -i $tmp/plain.dat -e sched_switch --by next_comm" "diff $tmp/result.json $tmp/result.json"; do
	# shellcheck disable=SC2086 # a command and its options
	hist $command --csv-safe
	status_is 2
	stderr_has 'csv-safe needs --format csv'
done

it 'an instance whose name is not that of a file'
cp tests/fuzz/trace_dat/v7-none.dat "$tmp/plain.dat"
trigger='echo hist:keys=common_pid > instances/inst/events/test/foo/trigger'
hist report -i "$tmp/plain.dat" --tracefs="$TMPDIR/dir" - <<-END
	$trigger
END
status_is 0
holds test -s "$TMPDIR/dir/instances/inst/events/test/foo/hist"
rm -r "$TMPDIR/dir"
changed inst 'i\x01st'
hist report -i "$tmp/changed.dat" --tracefs="$TMPDIR/dir" - <<-END
	$(echo "$trigger" | LC_ALL=C sed 's^inst/^i\x01st/^')
END
status_is 1
stderr_has 'no buffer for an instance'
holds test -z "$(find "$TMPDIR" -name 'i?st')"

it 'two options that contradict each other are reported'
if have python3; then
	hist slim -q -i trace.dat-samples/kmalloc.dat -e kmalloc -R hist:keys=common_pid -z none -o "$tmp/once.dat"
	python3 tests/cli/add_options.py any "$tmp/once.dat" "$tmp/twice.dat" 5 'Linux two 6.1.0 x86_64'
	hist list -i "$tmp/twice.dat"
	status_is 0
	stderr_has 'twice.dat: contains two options for the kernel and machine, which differ; the last one is used'
	stdout_has 'Linux two 6.1.0'
else
	skip 'no python3'
fi

it 'notes of chunks that lie: the right answer, or an error'
"${BUILD:-build}/bench/make_recording" "$tmp/noted.dat" 400000 wakeup zstd 7 2
run tests/cli/lying_notes.py "$HIST" "$tmp/noted.dat" "$tmp" "${SEED:-1}" 60
status_is 0
stdout_is '120 questions, many answers'

it 'a task that was seen to run, and is woken before it stopped, waits no longer after lost events'
cat >"$tmp/seen.txt" <<'EOF'
# tracer: nop
b-6       [001] d..2.   100.000100: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=6 next_prio=120
c-7       [000] d..2.   100.000150: sched_switch: prev_comm=d prev_pid=8 prev_prio=120 prev_state=S ==> next_comm=c next_pid=7 next_prio=120
a-5       [000] .....   100.000200: sys_enter: NR 39 (0, 0, 0, 0, 0, 0)
b-6       [001] d..3.   100.000300: sched_waking: comm=a pid=5 prio=120 target_cpu=000
a-5       [000] .....   100.000350: sys_exit: NR 39 = 5
CPU:1 [LOST 12 EVENTS]
b-6       [001] .....   100.000400: sys_enter: NR 39 (0, 0, 0, 0, 0, 0)
c-7       [000] d..2.   100.000500: sched_switch: prev_comm=c prev_pid=7 prev_prio=120 prev_state=R ==> next_comm=a next_pid=5 next_prio=120
a-5       [000] d..2.   100.000600: sched_switch: prev_comm=a prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=c next_pid=7 next_prio=120
b-6       [001] .....   100.000700: sys_enter: NR 39 (0, 0, 0, 0, 0, 0)
b-6       [001] d..3.   100.000800: sched_waking: comm=e pid=9 prio=120 target_cpu=000
c-7       [000] d..2.   100.000900: sched_switch: prev_comm=c prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=e next_pid=9 next_prio=120
EOF
hist events -i "$tmp/seen.txt" -e derived:delay -e derived:syscall -e derived:wait
status_is 0
stdout_has 'wait: +pid=9 comm=e prio=120 kind=woken ns=100000 cpu=0'
stderr_has 'warning: 2 intervals were left out, because they span lost events'

done_testing
