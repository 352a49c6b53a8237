#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record in a namespace of process ids, as containers have them.
. tests/record/lib.sh
layout=hist

have unshare || skip_all 'unshare is not installed'
unshare --pid --fork true 2>/dev/null || skip_all 'no namespace of process ids can be made'

# in_container COMMAND...: run it with process id 1
in_container()
{
	run unshare --pid --fork "$@" 9<&-
}

it 'does not confuse process ids of a container with those of the kernel'
for only in -F '-P 1'; do
	# shellcheck disable=SC2086 # an option and its argument
	in_container "$HIST" record -o "$dat" $only -e sched:sched_process_exec true
	status_is 125
	stderr_has "${only%% *} cannot be used in a container"
done
checked [ ! -e "$dat" ] || fail 'there is a file'

it 'two containers record at the same time with the same process id'
alone
for n in 1 2; do
	unshare --pid --fork "$HIST" record -o "$tmp/$n.dat" -e sched:sched_process_exec \
		sh -c 'sleep 0.3; /bin/true; sleep 0.3' >"$tmp/$n.err" 2>&1 9<&- &
done
wait
for n in 1 2; do
	checked grep -q ' 0 lost' "$tmp/$n.err" || fail_file "recording $n:" "$tmp/$n.err"
	hist report -q -i "$tmp/$n.dat" -e sched_process_exec -R 'hist:keys=filename'
	stdout_has 'filename: .*/true'
done

it 'two containers record to one output, and are killed: --recover finds both'
alone
for n in 1 2; do
	unshare --pid --fork --kill-child "$HIST" record -o "$dat" -e sched:sched_process_exec \
		sh -c 'while /bin/true; do /bin/true; : >"$1"; done' sh "$tmp/runs.$n" >"$tmp/$n.err" 2>&1 9<&- &
	eval "unshare_$n=\$!"
done
wait_until test -e "$tmp/runs.1"
wait_until test -e "$tmp/runs.2"
sleep 0.5
# shellcheck disable=SC2154 # set by eval
kill -KILL "$unshare_1" "$unshare_2"
wait
# each has the first name that the other one did not take or sweep
checked [ "$(find "$tmp" -maxdepth 1 -name 't.dat.part.1*' | wc -l)" = 2 ] || fail "$(ls "$tmp")"
# the kernel kills the processes of the containers
are_gone()
{
	[ -z "$(pids "^$HIST record -o $dat ")" ]
}
wait_until are_gone
run "$HIST" record -o "$dat" --recover 9<&-
status_is 0
stderr_has 'recovered .*/t\.dat:'
stderr_has 'recovered .*/t\.dat\.1(\.[0-9]+)?:'
no_leftovers
for file in "$tmp"/t.dat*; do
	hist report -q -i "$file" -e sched_process_exec -R 'hist:keys=filename'
	stdout_has 'filename: .*/true'
done
rm -f "$tmp"/t.dat*

it 'a container does not touch instances of other containers, or of the machine'
alone
mkdir "$tracefs/instances/hist.2147483647" "$tracefs/instances/hist.2147483647.1"
in_container "$HIST" record -o "$dat" -e sched:sched_process_exec true
status_is 0
for name in hist.2147483647 hist.2147483647.1; do
	checked [ -d "$tracefs/instances/$name" ] || fail "$name is removed"
done
run "$HIST" record -o "$dat" -e sched:sched_process_exec true 9<&-
checked [ ! -d "$tracefs/instances/hist.2147483647" ] || fail 'the stale instance of the machine is still there'
rmdir "$tracefs/instances/hist.2147483647.1"

it 'leaves the events of a killed recording whose journal it cannot see'
if unshare --mount true 2>"$tmp.err"; then
	alone
	"$HIST" record -q -F -c -b 2048 -e raw_syscalls:sys_enter -o "$dat" sh -c '"$0" 3000; kill -KILL "$PPID"' "$load" 9<&-
	run unshare --mount sh -c 'mount -t tmpfs none /run && exec "$@"' sh "$HIST" record -o "$tmp/other.dat" \
		-e sched:sched_process_exec true 9<&-
	status_is 0
	stderr_has 'instance hist\.[0-9]+ of a killed recording has events, but there is no journal here: .*rmdir /'
	record --recover
	status_is 0
	stderr_lacks 'warning'
	hist report -q -i "$dat" -e raw_syscalls:sys_enter -R hist:keys=id
	checked [ "$(sed -n 's/^    Hits: //p' "$tmp.out")" -ge 6000 ] || fail_file 'events are missing:' "$tmp.out"
	checked [ -z "$(stale)" ] || fail "left: $(stale)"
	no_leftovers
	rm -f "$tmp"/*.dat
else # in a chroot
	skip "no private mounts: $(cat "$tmp.err")"
fi

it 'does not take over an instance with its name'
alone
run sh -c 'mkdir "$1/instances/hist.$$" && exec "$2" record -o "$3" -e sched:sched_process_exec true' \
	sh "$tracefs" "$HIST" "$dat" 9<&-
status_is 125
stderr_has 'the instance hist\.[0-9]+ exists'
rmdir "$tracefs"/instances/hist.[0-9]*

machine_is_unchanged
done_testing
