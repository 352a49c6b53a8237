#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record: the same user changes files of its work directory while it records.
. tests/record/lib.sh

# meddled COMMANDS: record COMMANDS, which change files of the work directory $part when data of
# 20000 system calls is on the disk; $cpu is the file with most of it
meddled()
{
	cat >"$tmp/commands" <<END
"$load" 10000
until [ -n "\$(find "$dat".part.* -name 'cpu*' -size +300k)" ]; do "$load" 1000; sleep 0.01; done
part=\$(echo "$dat".part.*)
cpu=\$(ls -S "\$part"/cpu* | head -n 1)
$1
END
	shift
	rm -rf "$tmp"/t.dat*
	alone
	"$HIST" record -o "$dat" -b 64 -F -c -e raw_syscalls:sys_enter "$@" sh "$tmp/commands" \
		>"$tmp.out" 2>"$tmp.err" 9<&-
	status=$?
}

# damage_is_seen: a report of the file shows that it is damaged
damage_is_seen()
{
	hist report -i "$dat" -e raw_syscalls:sys_enter -R 'hist:keys=common_cpu'
	status_is 2
	stderr_has 'CPU [0-9]+: [12] damaged sub-buffers'
}

missing_is_said()
{
	status_is 125
	stderr_has 'another program changed .*/t\.dat\.part\.[0-9]+/cpu[0-9]+: [0-9]+ bytes of events are missing'
	stderr_has ' lost.*, [0-9.]+ .?i?B of events missing'
	no_leftovers
}

for codec in zstd none; do
	it "data is cut while more is written, -z $codec"
	meddled ": >\"\$cpu\"; \"$load\" 10000" -z $codec
	missing_is_said
	damage_is_seen
done

it 'data is cut at the end'
meddled 'truncate -s 100000 "$cpu"'
missing_is_said
damage_is_seen

it 'data is cut of which only the latest is kept'
meddled ": >\"\$cpu\"; \"$load\" 1000" -m 400
missing_is_said
damage_is_seen

it 'data is removed, for each verb'
meddled 'rm "$cpu"'
missing_is_said
damage_is_seen
for verb in 'list -i' dump 'check --reader -i' 'report -e sys_enter --by id -i' 'report --interval 0.1 -e sys_enter --by id -i'; do
	# shellcheck disable=SC2086 # a verb and its options
	hist $verb "$dat"
	status_is 2
done

it 'the manifest is emptied'
meddled ': >"$part/manifest"'
status_is 125
stderr_has 't\.dat\.part\.[0-9]+/manifest is damaged; the data is not touched'
checked [ -n "$(ls "$dat".part.*/cpu*)" ] || fail 'the data is gone'
checked [ ! -e "$dat" ] || fail 'there is a file'

it 'the manifest is removed'
meddled 'rm "$part/manifest"'
stderr_has 'cannot remove'
nothing_lost

it 'data is cut after the recording was killed and its end was saved'
meddled 'kill -KILL "$PPID"'
part=$(echo "$dat".part.*)
"$HIST" record -q -o "$tmp/other.dat" -e sched:sched_process_exec true 2>/dev/null 9<&-
# shellcheck disable=SC2012 # by size
cpu=$(ls -S "$part"/cpu* | head -n 1)
truncate -s 100000 "$cpu"
record --recover
status_is 125
stderr_has 'another program changed .*: [0-9]+ bytes of events are missing'
stderr_has 'recovered '
no_leftovers
damage_is_seen

it 'restores the machine'
machine_is_unchanged

done_testing
