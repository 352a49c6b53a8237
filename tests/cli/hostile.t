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

done_testing
