#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# -o FILE if FILE is a symbolic link, a pipe or a descriptor; no other user can use them to choose a
# file that is written to.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"
script='echo hist:keys=next_comm >> events/sched/sched_switch/trigger'
"$HIST" report -i $sample -x "$script" >"$tmp/want"
"$HIST" report -i $sample -x "$script" --format json >"$tmp/saved.json"
dir=$tmp/dir
mkdir "$dir"

it 'creates the target of a link that does not exist yet'
ln -s target "$dir/first"
ln -s "$dir/first" "$dir/second"
hist report -i $sample -x "$script" -o "$dir/second"
status_is 0
holds test -L "$dir/first"
holds test -L "$dir/second"
holds cmp "$dir/target" "$tmp/want"

it 'reports links that form a circle'
ln -s circle "$dir/circle"
hist report -i $sample -x "$script" -o "$dir/circle"
status_is 2
stderr_has 'circle: cannot create: Too many levels'

it 'writes to a descriptor without replacing its file'
echo before >"$dir/log"
run sh -c 'exec >>"$3"; "$HIST" report -i "$1" -x "$2" -o /dev/stdout; echo after' sh $sample "$script" "$dir/log"
{ echo before; cat "$tmp/want"; echo after; } >"$tmp/lines"
holds cmp "$dir/log" "$tmp/lines"
run sh -c 'exec 7>"$3"; echo before >&7; "$HIST" report -i "$1" -x "$2" -o /dev/fd/7; echo after >&7' sh $sample "$script" "$dir/seven"
holds cmp "$dir/seven" "$tmp/lines"
run sh -c '"$HIST" report -i "$1" -x "$2" -o /dev/stdout | cat' sh $sample "$script"
stdout_is_file "$tmp/want"

it 'writes to a pipe and to a device'
mkfifo "$dir/pipe"
cat "$dir/pipe" >"$tmp/read" &
hist report -i $sample -x "$script" -o "$dir/pipe"
status_is 0
wait
holds cmp "$tmp/read" "$tmp/want"
holds test -p "$dir/pipe"
hist report -i $sample -x "$script" -o /dev/null
status_is 0
holds test -c /dev/null

it 'writes a recording through a link, but not to a pipe'
ln -s slim.dat "$dir/slim"
hist slim -i $sample -x "$script" -o "$dir/slim"
status_is 0
holds test -L "$dir/slim"
holds test -f "$dir/slim.dat"
run sh -c '"$HIST" slim -i "$1" -x "$2" -o /dev/stdout | cat' sh $sample "$script"
stderr_has 'stdout: cannot write: not a regular file'
run sh -c '"$HIST" slim -i "$1" -x "$2" -o /dev/stdout >"$3"' sh $sample "$script" "$dir/out.dat"
holds cmp "$dir/out.dat" "$dir/slim.dat"

# The rest needs another user, who can use the directories.
[ "$(id -u)" = 0 ] || { tap_finish; tap_start 'links of another user'; skip 'needs root'; done_testing; }
as_other()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
as_other true 2>/dev/null || { tap_finish; tap_start 'links of another user'; skip 'cannot become another user'; done_testing; }
chmod 755 "$tmp"
mkdir "$tmp/sticky" "$tmp/own" "$tmp/victim"
chmod 1777 "$tmp/sticky"
chown 65534:65534 "$tmp/own"
cat $sample >"$tmp/rec.dat"
gzip -dc tests/import/plain.data.gz >"$tmp/perf.data"

# each_verb FUNCTION: FUNCTION NAME COMMAND... for each way to write a file
each_verb()
{
	"$1" report report -i "$tmp/rec.dat" -x "$script" -o
	"$1" live report --compare-live -i "$tmp/rec.dat" -o
	"$1" merge merge "$tmp/saved.json" -o
	"$1" diff diff "$tmp/saved.json" "$tmp/saved.json" -o
	"$1" trend trend "$tmp/saved.json" "$tmp/saved.json" -o
	"$1" dump dump -i "$tmp/rec.dat" -o
	"$1" slim slim -i "$tmp/rec.dat" -x "$script" -o
	"$1" import import "$tmp/perf.data" -o
	"$1" save report -i "$tmp/rec.dat" -x "$script" --save-events
}

planted()
{
	name=$1
	shift
	for where in sticky own; do
		at=$tmp/$where/$name
		rm -f "$tmp/$where"/*
		echo precious >"$tmp/victim/$name"
		as_other ln -s "$tmp/victim/$name" "$at"
		hist "$@" "$at"
		checked [ "$status" != 0 ] || fail "$name in $where: status 0"
		stderr_has "$at: .*it is a symbolic link of another user"
		holds test -L "$at"
		holds grep -qx precious "$tmp/victim/$name"
		# a link to a name that does not exist yet
		rm -f "$tmp/victim/$name"
		hist "$@" "$at"
		holds test ! -e "$tmp/victim/$name"
	done
}

it 'does not write through a link of another user'
each_verb planted

it 'does not write a tracing directory through a link of another user'
mkdir "$tmp/victim/dir"
for where in sticky own; do
	as_other ln -s "$tmp/victim/dir" "$tmp/$where/tracing"
	hist report -i "$tmp/rec.dat" -x "$script" --tracefs "$tmp/$where/tracing"
	status_is 2
	stderr_has "$where/tracing: .*it is a symbolic link of another user"
	holds rmdir "$tmp/victim/dir"
	hist report -i "$tmp/rec.dat" -x "$script" --tracefs "$tmp/$where/tracing"
	status_is 2
	holds test ! -e "$tmp/victim/dir"
	mkdir "$tmp/victim/dir"
done

it 'does not write through a link that appears in the tracing directory'
# the other user replaces the new directory events by a link as soon as it is there
as_other mkdir "$tmp/own/race"
mkdir "$tmp/victim/events"
setpriv --reuid=65534 --regid=65534 --clear-groups timeout 30 sh -c 'cd "$1" && while :; do
	if mv events "old.$((n += 1))"; then
		ln -s "$2" events
	fi
done' sh "$tmp/own/race" "$tmp/victim/events" 2>/dev/null &
attacker=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	hist report -i "$tmp/rec.dat" -x "$script" --tracefs "$tmp/own/race"
	[ -z "$(ls "$tmp/victim/events")" ] || break
	rm -rf "$tmp/own/race"/*
done
kill $attacker
wait
holds test -z "$(ls "$tmp/victim/events")"

it 'does not write to a pipe of another user'
rm -f "$tmp/sticky"/*
as_other mkfifo "$tmp/sticky/pipe"
hist report -i $sample -x "$script" -o "$tmp/sticky/pipe"
status_is 2
stderr_has 'sticky/pipe: cannot create: Permission denied'

it "does not give a file the mode of another user's file"
as_other sh -c 'umask 0; : >"$1/file"; chmod 6777 "$1/file"' sh "$tmp/sticky"
hist report -i $sample -x "$script" -o "$tmp/sticky/file"
status_is 0
holds test "$(stat -c '%a %u' "$tmp/sticky/file")" = "644 0"

it 'follows links of root in a directory where others can write'
ln -s "$tmp/victim/chosen" "$tmp/sticky/mine"
hist report -i $sample -x "$script" -o "$tmp/sticky/mine"
status_is 0
holds cmp "$tmp/victim/chosen" "$tmp/want"

done_testing
