#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record as root in a directory that another user can write to: no files of other users are
# harmed or trusted.
. tests/record/lib.sh

have setpriv || skip_all 'setpriv is not installed'
# The other user needs access to the directory, which is not always possible.
setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null || skip_all 'cannot become another user'
chmod 755 "$tmp"
shared=$tmp/shared
victim=$tmp/victim
dat=$shared/t.dat

# as_other COMMAND ARG...: run it as the other user
as_other()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# listing: the contents of the directory of the victim
listing()
{
	find "$victim" -printf '%P %y %m %U %s %i %n %t\n' | sort
}

# fresh: make a directory of the other user, who can rename everything in it at any time
fresh()
{
	rm -rf "$shared" "$victim"
	mkdir "$shared" "$victim"
	chown 65534:65534 "$shared"
	: >"$tmp/empty"
	for f in manifest trace.dat reserve machine.dat cpu0 cpu1 trace.dat.tmp-1-0 other; do
		echo "precious $f" >"$victim/$f"
	done
	listing >"$tmp/before"
}

unharmed()
{
	listing | cmp -s - "$tmp/before" || fail "$1: something of another is gone: $(ls "$victim")"
	for f in manifest trace.dat reserve machine.dat cpu0 cpu1 trace.dat.tmp-1-0 other; do
		[ "$(cat "$victim/$f" 2>/dev/null)" = "precious $f" ] || fail "$1: $f was written to"
	done
}

# attacked WHAT PLANTED: hist neither overwrites nor recovers it
attacked()
{
	hist record -o "$dat" -e sched:sched_process_exec true
	status_is 0
	unharmed "$1, record"
	stderr_lacks 'another user'
	[ -e "$dat" ] || fail "$1: there is no file"
	rm -f "$dat"
	hist record -o "$dat" --recover
	status_is 125
	stderr_has 'nothing to recover'
	stderr_has "$2 belongs to another user, or was not made by hist record: it is not touched"
	unharmed "$1, --recover"
	[ ! -e "$dat" ] || fail "$1: it was believed"
}

it 'a link to a directory of root'
fresh
as_other ln -s "$victim" "$dat.part.77"
attacked link t.dat.part.77
[ -L "$dat.part.77" ] || fail 'the link is gone'

it 'a directory of root that has been renamed to that name'
fresh
mv "$victim" "$dat.part.78"
victim=$dat.part.78
listing >"$tmp/before"
attacked 'moved directory' t.dat.part.78
victim=$tmp/victim

it 'a directory of the other user'
fresh
as_other mkdir "$dat.part.79"
# it looks complete
printf 'hist-recording 0\n\ncodec 1\n0\nsubbuf 4\n4096\ncpus 1\n1\nready 0\n\n' >"$tmp/manifest"
chmod 644 "$tmp/manifest"
as_other cp "$tmp/manifest" "$dat.part.79/manifest"
as_other dd if=/dev/zero of="$dat.part.79/cpu0" bs=4096 count=3 status=none
attacked 'directory of another' t.dat.part.79
cmp -s "$tmp/manifest" "$dat.part.79/manifest" || fail 'its manifest was changed'
[ "$(stat -c %s "$dat.part.79/cpu0")" = 12288 ] || fail 'its data was changed'

it 'links and pipes in it'
fresh
as_other mkdir "$dat.part.80"
as_other mkfifo "$dat.part.80/manifest"
as_other ln -s "$victim/cpu0" "$dat.part.80/cpu0"
attacked fifo t.dat.part.80

it 'a directory of root to which others can write'
fresh
mkdir -m 777 "$dat.part.81"
cp "$tmp/manifest" "$dat.part.81/manifest"
attacked 'open directory' t.dat.part.81

it 'a directory without a manifest is not removed, nor are its files'
fresh
mkdir -m 700 "$dat.part.82"
echo mine >"$dat.part.82/cpu0"
attacked 'no manifest' t.dat.part.82
[ -e "$dat.part.82/cpu0" ] || fail 'it is gone'

it 'a second name of a file of root'
fresh
mkdir -m 700 "$dat.part.83"
ln "$victim/manifest" "$dat.part.83/manifest" && listing >"$tmp/before"
attacked 'hard link' t.dat.part.83

it 'the work directory is replaced during the recording'
fresh
alone
"$HIST" record -o "$dat" -e sched:sched_process_exec sh -c '
	cd "$1" && part=$(echo t.dat.part.*) && setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "
		mv $part moved; ln -s $2 $part" && /bin/true' sh "$shared" "$victim" >"$tmp.out" 2>"$tmp.err" 9<&-
status=$?
status_is 0
unharmed 'exchanged'
stderr_has 'cannot remove'
[ -d "$shared/moved" ] || fail 'nothing was exchanged: nothing is tested'
[ -z "$(ls "$shared/moved")" ] || fail "left: $(ls "$shared/moved")"
report_has 'sched_process_exec'

it 'existing files with its names are not replaced'
fresh
alone
# a shell with the process id that hist will have
sh -c 'setpriv --reuid=65534 --regid=65534 --clear-groups mkdir "$1.part.$$" "$1.part.$$.new"
	exec "$HIST" record -o "$1" -e sched:sched_process_exec true' sh "$dat" >"$tmp.out" 2>"$tmp.err" 9<&-
status=$?
status_is 0
stderr_lacks 'another user'
[ "$(stat -c %u "$dat".part.*)" = "65534
65534" ] || fail 'they are gone'
report_has 'sched_process_exec'

it 'thousands of names are not all listed'
fresh
as_other sh -c 'seq 1 3000 | sed "s|^|$1.part.|" | xargs mkdir' sh "$dat"
hist record -o "$dat" -e sched:sched_process_exec true
status_is 0
stderr_lacks 'another user'
hist record -o "$dat" --recover
stderr_has 'nor are 2997 others of .*t\.dat\.part\.PID'
holds test "$(wc -l <"$tmp.err")" -lt 10
rm "$dat"
hist record -o "$dat" --recover
status_is 125
stderr_has 'nor are 2997 others of .*t\.dat\.part\.PID'
holds test "$(wc -l <"$tmp.err")" -lt 10
holds test "$(find "$shared" -name 't.dat.part.*' | wc -l)" = 3000

it 'restores the machine'
machine_is_unchanged

done_testing
