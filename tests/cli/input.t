#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Files that are not recordings, or not complete: one clear message, status 2, never a crash.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
line='echo hist:keys=next_comm >> events/sched/sched_switch/trigger'

# Every verb that reads a recording exits with status 2 for $1, with a message that matches $2.
all_refuse()
{
	for verb in report check list dump; do
		case $verb in
		list | dump) hist $verb -i "$1" ;;
		*) hist $verb -i "$1" -x "$line" ;;
		esac
		status_is 2
		stdout_is ''
		stderr_has "^hist: error: .*$2"
	done
}

it 'rejects a file that does not exist'
all_refuse "$tmp/none.dat" 'none\.dat.*No such file'
all_refuse "$tmp/none/none.dat" 'none\.dat.*No such file'
all_refuse '' ''

it 'rejects an empty file'
: >"$tmp/empty.dat"
all_refuse "$tmp/empty.dat" 'empty\.dat'

it 'rejects a directory'
mkdir "$tmp/dir.dat"
all_refuse "$tmp/dir.dat" 'dir\.dat.*directory'

it 'rejects a file that is not a trace.dat'
echo 'not a trace' >"$tmp/text.dat"
all_refuse "$tmp/text.dat" 'text\.dat.*not a trace\.dat'
printf '\027\010\104tracin' >"$tmp/almost.dat"
all_refuse "$tmp/almost.dat" 'almost\.dat'
all_refuse "$HIST" 'not a trace\.dat'
all_refuse /dev/null '/dev/null.*not a trace\.dat'

it 'rejects a file that is just the magic, and unknown versions'
printf '\027\010\104tracing' >"$tmp/magic.dat"
all_refuse "$tmp/magic.dat" 'magic\.dat'
printf '\027\010\104tracing9999\000\000\010\000\000\020\000\000' >"$tmp/version.dat"
all_refuse "$tmp/version.dat" 'version\.dat'

it 'rejects a file without permission to read'
if [ "$(id -u)" = 0 ]; then
	skip 'root may read everything'
else
	: >"$tmp/secret.dat"
	chmod 0 "$tmp/secret.dat"
	all_refuse "$tmp/secret.dat" 'secret\.dat.*Permission denied'
fi

it 'names the file that it tried to read if none was given'
case $HIST in
/*) program=$HIST ;;
*) program=$PWD/$HIST ;;
esac
here=$PWD
cd "$tmp" || exit
run "$program" list
cd "$here" || exit
status_is 2
stderr_has '^hist: error: trace\.dat: No such file or directory; .*-i FILE'

it 'rejects garbage through a pipe'
run sh -c 'echo nonsense | "$HIST" report -i - -x "echo 1 > events/enable"'
status_is 2
stderr_has 'standard input: is not a trace\.dat'
run sh -c '"$HIST" list -i - </dev/null'
status_is 2
stderr_has 'standard input.*not a trace\.dat'

it 'does not read an endless file'
hist report -i /dev/zero -x "$line"
status_is 2
stderr_has 'not a trace\.dat'
hist report /dev/zero
status_is 2

it 'does not read an endless file as a script, a result or a list'
hist record -S /dev/zero true
status_is 125
stderr_has '/dev/zero: longer than 4 MiB'
hist merge /dev/zero
status_is 2
stderr_has '^hist: error: /dev/zero'
hist diff /dev/zero /dev/zero
status_is 2

it 'ignores zeros after a recording, however many'
# the class of the program's ELF header
if [ "$(od -A n -t u1 -j 4 -N 1 "$HIST" | tr -d ' ')" = 1 ]; then
	for size in 500G 4G 4294971392; do
		cp $sample "$tmp/tail.dat"
		truncate -s $size "$tmp/tail.dat"
		hist list "$tmp/tail.dat"
		status_is 2
		stderr_has 'tail\.dat: is too large for a 32-bit program'
	done
elif [ -n "${HIST_VALGRIND:-}" ]; then
	skip 'valgrind cannot map 500 GB'
elif [ -f $sample ] && cp $sample "$tmp/tail.dat" && truncate -s 500G "$tmp/tail.dat" 2>"$tmp.dd"; then
	for verb in list dump; do
		hist $verb "$tmp/tail.dat"
		status_is 0
	done
	check_reader "$tmp/tail.dat"
	status_is 2
	stderr_has 'libtracecmd cannot open it'
else
	skip 'no room for a sparse file'
fi
rm -f "$tmp/tail.dat"

it 'reads standard input only once'
run sh -c 'echo | "$HIST" report - -'
status_is 2
stderr_has 'standard input can be used only once'
run sh -c 'echo | "$HIST" report -i - -'
status_is 2

if [ ! -f $sample ]; then
	it 'reads a recording'
	skip "no $sample"
	done_testing
fi

it 'reads a recording in every way'
hist report -i $sample -x "$line"
status_is 0
stderr_is ''
stdout_has '^# event histogram'
cp "$tmp.out" "$tmp/want"
hist report $sample -x "$line"
status_is 0
stdout_is_file "$tmp/want"
run sh -c 'cat "$1" | "$HIST" report -i - -x "$2"' sh $sample "$line"
status_is 0
stdout_is_file "$tmp/want"
run sh -c '"$HIST" report -i - -x "$2" <"$1"' sh $sample "$line"
status_is 0
stdout_is_file "$tmp/want"
run sh -c '"$HIST" report - -x "$2" <"$1"' sh $sample "$line"
status_is 0
stdout_is_file "$tmp/want"
mkfifo "$tmp/fifo"
cat $sample >"$tmp/fifo" &
hist report "$tmp/fifo" -x "$line"
wait
status_is 0
stdout_is_file "$tmp/want"

it 'removes the copy of what came through a pipe'
mkdir "$tmp/spool"
run sh -c 'cat "$1" | TMPDIR=$3 "$HIST" report -i - -x "$2"' sh $sample "$line" "$tmp/spool"
status_is 0
stdout_is_file "$tmp/want"
holds rmdir "$tmp/spool"

it 'refers to standard input as such in messages'
head -c 50000 $sample >"$tmp/cut.dat"
for verb in list dump; do
	run sh -c 'cat "$1" | "$HIST" "$2" -i -' sh "$tmp/cut.dat" $verb
	status_is 2
	stderr_has '^hist: (error|warning): standard input: truncated'
	run sh -c '"$HIST" "$2" - <"$1"' sh "$tmp/cut.dat" $verb
	stderr_has '^hist: (error|warning): standard input: truncated'
	cat "$tmp/cut.dat" >"$tmp/fifo" &
	hist $verb "$tmp/fifo"
	wait
	stderr_has '^hist: (error|warning): .*/fifo: truncated'
done
run sh -c 'cat "$1" | "$HIST" list -' sh $sample
stdout_has '^standard input: trace\.dat version'

# A file cut anywhere: no crash, no hang, not status 0, and a message.
cut_at()
{
	head -c "$1" $sample >"$tmp/cut.dat"
	for verb in report check list dump; do
		case $verb in
		list | dump) hist $verb -i "$tmp/cut.dat" ;;
		*) hist $verb -i "$tmp/cut.dat" -x "$line" ;;
		esac
		[ "$verb $status" = 'check 1' ] || status_is 2 # the missing part may be the formats
		stderr_has '^hist: (error|warning): .'
	done
}

size=$(wc -c <$sample)
for tenth in 1 2 3 4 5 6 7 8 9; do
	it "reports what is missing in a file cut at $tenth tenths"
	cut_at $((size * tenth / 10))
done

it 'reports what is missing in a file without its end'
cut_at $((size * 98 / 100))

it 'reports the sub-buffers that cannot be read'
for codec in zlib zstd; do
	"$BUILD/bench/make_recording" "$tmp/chunk.dat" 20000 wakeup $codec
	head -c 40 /dev/zero | tr '\0' '\252' |
		dd of="$tmp/chunk.dat" bs=1 seek=$(($(wc -c <"$tmp/chunk.dat") / 2)) conv=notrunc 2>"$tmp.dd"
	for verb in report list dump; do
		case $verb in
		list | dump) hist $verb "$tmp/chunk.dat" ;;
		*) hist $verb -i "$tmp/chunk.dat" -x "$line" ;;
		esac
		status_is 2
		stderr_has 'chunk\.dat: damaged at offset [0-9]+: 1 chunk of CPU [0-9] cannot be inflated'
	done
	hist report -j 1 -i "$tmp/chunk.dat" -x 'echo hist:keys=pid:ts=common_timestamp >> events/sched/sched_waking/trigger'
	status_is 2
done

it 'survives a damaged file'
for at in 11 20 100 1000 $((size / 3)) $((size / 2)) $((size - 5000)) $((size - 100)); do
	cp $sample "$tmp/bad.dat"
	printf '\377\377\377\377\377\377\377\177' |
		dd of="$tmp/bad.dat" bs=1 seek="$at" conv=notrunc 2>"$tmp.dd"
	for verb in report check list dump; do
		case $verb in
		list | dump) hist $verb -i "$tmp/bad.dat" ;;
		*) hist $verb -i "$tmp/bad.dat" -x "$line" ;;
		esac
		checked [ "$status" -le 2 ] || fail "status $status with byte $at damaged"
		[ "$status" = 0 ] || stderr_has 'error|warning'
	done
done

it 'lists the number of CPUs'
hist list trace.dat-samples/wakeup.dat
stdout_has '^  machine .* 1 CPU, 64-bit'
hist list trace.dat-samples/switch.dat
stdout_has '^  machine .* 4 CPUs, 64-bit'

done_testing
