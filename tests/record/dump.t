#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record --dump: a copy of the tracing directory, also where another user may rename it.
. tests/record/lib.sh
layout=hist

instance=$tracefs/instances/test.$$
trap 'rmdir "$instance" 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
copy=$tmp/copy

# An instance with events, of which other tests make some, too.
cp /bin/true "$tmp/true"
fill()
{
	mkdir "$instance" 2>/dev/null
	echo 1 >"$instance/events/sched/sched_process_exec/enable"
	"$tmp/true"
	"$tmp/true"
	echo 0 >"$instance/events/sched/sched_process_exec/enable"
}

it 'copies an instance'
fill
hist record --dump "$copy" -B "test.$$"
status_is 0
hist report -i "$copy" -e sched_process_exec --by filename
stdout_has "filename: $tmp/true .* hitcount: +2\$"
hist record --dump "$copy" -B "test.$$"
status_is 125
stderr_has 'copy: File exists'

it 'too few descriptors'
if have prlimit; then
	fill
	for limit in 4 5 6; do
		rm -rf "$copy"
		run prlimit --nofile="$limit" "$HIST" record --dump "$copy" -B "test.$$" 9<&-
		status_is 125
		stderr_has 'Too many open files'
	done
	rm -rf "$copy"
	hist record --dump "$copy" -B "test.$$"
	hist report -i "$copy" -e sched_process_exec --by filename
	stdout_has "filename: $tmp/true "
else
	skip 'prlimit is not installed'
fi

it 'another user exchanges the directory for a link'
if have setpriv && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	chmod 755 "$tmp"
	shared=$tmp/shared
	victim=$tmp/victim
	mkdir "$shared" "$victim" "$victim/events"
	chown 65534:65534 "$shared"
	for f in uname kallsyms modules trace_clock saved_cmdlines printk_formats; do
		echo "precious $f" >"$victim/$f"
	done
	find "$victim" -printf '%P %s %i %n %T@\n' | sort >"$tmp/before"
	setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '
		until [ -d "$1/copy/events" ]; do :; done
		mv "$1/copy" "$1/moved"
		ln -s "$2" "$1/copy"' sh "$shared" "$victim" &
	fill
	hist record --dump "$shared/copy" -B "test.$$"
	wait
	checked [ -L "$shared/copy" ] || fail 'nothing was exchanged: nothing is tested'
	find "$victim" -printf '%P %s %i %n %T@\n' | sort | cmp -s - "$tmp/before" || fail "changed: $(ls -l "$victim")"
	status_is 0
	hist report -i "$shared/moved" -e sched_process_exec --by filename
	stdout_has "filename: $tmp/true "
else
	skip 'cannot become another user'
fi
rmdir "$instance"

it 'leaves the machine as it was'
machine_is_unchanged

done_testing
