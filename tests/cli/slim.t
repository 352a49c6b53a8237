#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A smaller recording: it gives the same results at a fraction of the size, and trace-cmd reads it,
# in every version and codec. If it cannot be written, nothing is lost and no file remains.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
script=trace.dat-samples/switch.script
. tests/cli/slim.sh

it 'a second run does not change the size'
slim $sample $script
status_is 0
tree $sample "$tmp/a" $script
cp "$small" "$tmp/once.dat"
slim "$tmp/once.dat"
status_is 0
tree "$small" "$tmp/b"
same_tree
holds test "$(wc -c <"$small")" -le "$(wc -c <"$tmp/once.dat")"

# --- which records are kept ---

pause="echo 'hist:keys=next_comm:pause' >> events/sched/sched_switch/trigger"

it 'keeps nothing of a span in which every trigger is paused'
slim $sample -x "$pause"
status_is 0
hist list "$small"
stdout_has '^ *1  ftrace:print' # every trace contains it
stdout_lacks 'sched_switch$'
hist report -i "$small"
status_is 0
stdout_has 'Hits: 0$'
stderr_is ''

it 'keeps one record for each hit'
slim $sample -x "echo 'hist:keys=next_comm if next_pid > 0' >> events/sched/sched_switch/trigger"
status_is 0
hist report -i "$small"
hits=$(sed -n 's/^    Hits: //p' "$tmp.out")
hist list "$small"
stdout_has "^ *$hits  sched:sched_switch"
stdout_has '^  formats  *2 events'

it 'keeps records that are asked for as events and as stacks, and whatever else is shown'
for key in common_pid common_stacktrace; do
	for more in 'cat trace_clock' 'echo 1 > events/kmem/kmalloc/enable; cat trace' 'echo stacktrace >> events/kmem/kmalloc/trigger'; do
		echo "echo 'hist:keys=$key' >> events/ftrace/kernel_stack/trigger; $more; cat events/ftrace/kernel_stack/hist" >"$tmp/stack.script"
		hist report -q -i trace.dat-samples/stacks.dat "$tmp/stack.script"
		stdout_has 'Hits: 1518'
		"$HIST" slim -q -i trace.dat-samples/stacks.dat "$tmp/stack.script" -o "$tmp/stack.dat"
		hist report -q -i "$tmp/stack.dat"
		stdout_has 'Hits: 1518'
	done
done

it 'stores the script'
slim $sample $script
hist report -i "$small"
cp "$tmp.out" "$tmp/want"
hist report -i $sample $script
stdout_is_file "$tmp/want"
slim $sample -e sched_switch -R "hist:keys=next_comm if next_comm != \"it's\"" --synth 'lat u64 v'
status_is 0
hist list "$small"
stdout_has "^ *echo '1' > events/sched/sched_switch/enable"
stdout_has "'hist:keys=next_comm if next_comm != \"it'.''s\"' >> events/sched/sched_switch/trigger"
stdout_has "'lat u64 v' >> synthetic_events"

it 'keeps what trace shows if the script prints trace'
slim $sample -x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
status_is 0
hist report -i $sample -x 'echo 1 > events/sched/sched_switch/enable' -x 'cat trace'
cp "$tmp.out" "$tmp/want"
hist report -i "$small"
stdout_is_file "$tmp/want"

it 'keeps all records of enabled events with --trace'
slim $sample --trace -e sched_switch -R 'hist:keys=next_comm if next_pid == 1'
status_is 0
hist list $sample
line=$(grep ' sched:sched_switch' "$tmp.out")
hist list "$small"
stdout_has "$line"

it 'keeps all formats for a script that lists them'
slim $sample -x "$pause" -x 'cat available_events'
hist report -i $sample -x 'cat available_events'
cp "$tmp.out" "$tmp/want"
hist report -i "$small"
stdout_is_file "$tmp/want"

it 'keeps what a script without cat would print as json, with its span of time'
json='s/"file":"[^"]*"//'
hist report -i $sample --format json $script
sed "$json" "$tmp.out" >"$tmp/want"
slim $sample $script
hist report -i "$small" --format json
sed "$json" "$tmp.out" >"$tmp/got"
holds cmp "$tmp/want" "$tmp/got"

it 'keeps only the selected CPUs and time'
hist list $sample
from=$(sed -n '/^top buffer:/,/^$/s/^ *time *\([0-9.]*\) s to.*/\1/p' "$tmp.out")
checked [ -n "$from" ] || fail 'no time of the first event'

for part in "--cpu 0" "--from +0.01" "--to +0.02" "--from $from --to +0.03"; do
	# shellcheck disable=SC2086 # options
	slim $sample $part $script
	status_is 0
	# shellcheck disable=SC2086
	tree $sample "$tmp/a" $part $script
	tree "$small" "$tmp/b"
	same_tree
done

# events FILE [PART...]: as text, in $tmp.out
events()
{
	events_of=$1
	shift
	hist events -q -i "$events_of" "$@"
	status_is 0
}

it 'without a question, it keeps all events'
for f in trace.dat-samples/*.dat tests/cli/recipes/*.dat; do
	question=
	! "$HIST" list -i $f | grep -q '^  script$' || question='-e all'
	events $f
	cp "$tmp.out" "$tmp/want"
	# shellcheck disable=SC2086 # words
	slim $f $question
	status_is 0
	events "$small"
	stdout_is_file "$tmp/want"
done
stderr_lacks 'intervals|left out' # of derived events, which were not asked for

it 'of a recording with a stored script, it keeps what that needs, and reports this'
slim $sample
status_is 0
stderr_has 'note: what the stored script needs is kept; -e all keeps all events'
slim $sample -e all
status_is 0
stderr_lacks 'stored script'

it 'of a part, also of an import'
"$HIST" events -q -i tests/cli/recipes/7.3.dat --format perfetto -o "$tmp/big.pftrace"
for f in tests/cli/recipes/7.3.dat "$tmp/big.pftrace"; do
	for part in '--from +2 --to +2.2' '--from +2.1 --cpu 1' '--to +0.5'; do
		# shellcheck disable=SC2086 # words
		slim $f -e all $part
		status_is 0
		checked [ "$(wc -c <"$small")" -lt "$(($(wc -c <$f) * 3 / 4))" ] || fail "$part is not smaller"
		for question in '-e derived:wait --by comm,kind --sum ns' '-e derived:delay --by victim_comm,culprit_comm --sum ns' '-e sched_switch --by next_comm,cpu' wakeup-latency; do
			# shellcheck disable=SC2086
			hist report -q -i $f $part $question
			cp "$tmp.out" "$tmp/want"
			# shellcheck disable=SC2086
			hist report -q -i "$small" $question
			stdout_is_file "$tmp/want"
		done
		# shellcheck disable=SC2086
		events $f $part
		cp "$tmp.out" "$tmp/want"
		events "$small"
		stdout_is_file "$tmp/want"
		# the list has those of the part, and not what derived events need of the time before
		! echo "$part" | grep -q cpu || continue
		hist list -q -i "$small" --format csv
		sed 1d "$tmp.out" | cut -d, -f 3,5 | sort >"$tmp/listed"
		# shellcheck disable=SC2086
		hist events -q -i "$f" $part --format csv
		sed -n 's/.*,\([a-z_]*:[a-z_]*\),"*{.*/\1/p' "$tmp.out" | sort | uniq -c |
			sed 's/^ *\([0-9]*\) \(.*\)/\2,\1/' | sort >"$tmp/want"
		checked cmp -s "$tmp/listed" "$tmp/want" || fail "$f $part: the list has other numbers"
	done
done

it 'of tasks'
slim tests/cli/recipes/7.3.dat -e all --comm 'sh*' --from +1
status_is 0
hist report -q -i tests/cli/recipes/7.3.dat -e sched_switch --by comm,next_comm --comm 'sh*' --from +1
cp "$tmp.out" "$tmp/want"
hist report -q -i "$small" -e sched_switch --by comm,next_comm
stdout_is_file "$tmp/want"

it 'has the same messages when the script is rejected, and writes only with -k'
bad="echo 'hist:keys=nosuch' >> events/sched/sched_switch/trigger"
slim $sample -x "$bad"
status_is 1
stderr_has "Couldn't find field"
holds test ! -e "$small"
slim $sample -k -x "$bad" -x "echo 'hist:keys=next_pid' >> events/sched/sched_switch/trigger" -x 'cat error_log'
status_is 1
hist report -k -i "$small"
status_is 1
stdout_has "Couldn't find field"

it 'the rules of an unknown kernel stay those that its formats prove'
for f in trace.dat-samples/syscalls.dat trace.dat-samples/switch.dat tests/cli/recipes/6.1.dat tests/cli/recipes/6.12.dat; do
	LC_ALL=C sed 's/6\.1\.0-[0-9]*/?.?.0-00/; s/6\.12\.[0-9]\{3\}/?.??.???/; s/6\.12\.[0-9]\{2\}/?.??.??/' $f >"$tmp/unknown.dat"
	hist report -i "$tmp/unknown.dat" -e raw_syscalls:sys_enter -R 'hist:keys=id,common_pid:sort=hitcount'
	cp "$tmp.out" "$tmp/want"
	sed -n 's/.*the version of the kernel is unknown/unknown/p' "$tmp.err" >"$tmp/rules"
	holds test -s "$tmp/rules"
	slim "$tmp/unknown.dat" -e raw_syscalls:sys_enter -R 'hist:keys=id,common_pid:sort=hitcount'
	hist report -i "$small" -e raw_syscalls:sys_enter -R 'hist:keys=id,common_pid:sort=hitcount'
	stdout_is_file "$tmp/want"
	sed -n 's/.*the version of the kernel is unknown/unknown/p' "$tmp.err" >"$tmp/got"
	holds cmp "$tmp/rules" "$tmp/got"
done

# --- versions and codecs ---

for form in '--file-version 6' '--file-version 7 -z none' '--file-version 7 -z zlib' '--file-version 7 -z zstd'; do
	it "is the same with $form"
	# shellcheck disable=SC2086 # options
	slim $sample $form $script
	status_is 0
	tree $sample "$tmp/a" $script
	tree "$small" "$tmp/b"
	same_tree
	check_reader "$small"
	case $form in
	*zlib) # Debian builds libtracecmd without zlib
		[ "$status" = 0 ] || stderr_has 'libtracecmd cannot open' ;;
	*)
		status_is 0
		! have trace-cmd || in_original $sample
		;;
	esac
done

# --- wrong input ---

it 'reports what is missing or wrong'
hist slim -i $sample $script
status_is 2
stderr_has 'name the file to write with -o FILE'
slim $sample -z lzma $script
status_is 2
stderr_has 'lzma: unknown compression; use none, zlib or zstd'
slim $sample --file-version 8 $script
status_is 2
stderr_has 'takes 6 or 7'
slim $sample --file-version 6 -z zstd $script
status_is 2
stderr_has 'version 6 cannot be compressed'
cp $sample "$tmp/again.dat"
slim $sample -i "$tmp/again.dat" $script
status_is 2
stderr_has 'only one recording at a time can be made smaller'
slim "$tmp/none.dat" $script
status_is 2
stderr_has 'none.dat'
hist slim -i $sample -o /dev/null $script
status_is 2
stderr_has '/dev/null: cannot write: not a regular file'
hist slim -i $sample -o - $script
status_is 2
stderr_has 'a recording cannot be written to standard output'
holds test ! -e ./-
hist slim -i $sample -o '' $script
status_is 2
stderr_has "'' is not the name of a file"
slim tests/cli/recipes/power.dat --around 'ns>=1ms'
status_is 2
stderr_has 'nothing to replay'

it 'does not overwrite its input'
cp $sample "$tmp/self.dat"
ln -s self.dat "$tmp/link.dat"
for name in self.dat link.dat; do
	hist slim -i "$tmp/self.dat" -o "$tmp/$name" $script
	status_is 2
	stderr_has "$name: is (an input|the same file)"
done
holds cmp $sample "$tmp/self.dat"

it 'writes the intact part of a cut recording, and reports the cut'
size=$(wc -c <$sample)
head -c $((size - 3000)) $sample >"$tmp/cut.dat"
slim "$tmp/cut.dat" $script
status_is 2

# --- errors while writing ---

# left DIR: the names in it, in one line
left()
{
	(cd "$1" && find . -type f | sort | tr '\n' ' ')
}

mkdir "$tmp/d"
echo old >"$tmp/d/small.dat"

it 'does not touch the old file when there is no space for the new one'
# a limit on the size of files instead of a full disk
run sh -c 'trap "" XFSZ; ulimit -f 1; "$HIST" slim -i "$1" -o "$2" "$3"' sh $sample "$tmp/d/small.dat" $script
status_is 2
stderr_has 'small.dat: cannot write: '
holds test "$(left "$tmp/d")" = './small.dat '
holds test "$(cat "$tmp/d/small.dat")" = old

# File systems are mounted in a namespace of their own, if that is permitted.
own=$([ "$(id -u)" = 0 ] && echo 'unshare -m' || echo 'unshare -rm')

it 'no file remains on a full disk and in a read-only directory'
if $own mount -t tmpfs none "$tmp/d" 2>/dev/null; then
	# shellcheck disable=SC2016 # expanded by the inner shell
	run $own sh -c '
		mount -t tmpfs -o size=8k none "$1" && echo old >"$1/small.dat"
		"$HIST" slim -i "$2" -o "$1/small.dat" "$3"; echo "status $?"
		"$HIST" slim -i "$2" -o "$1/new.dat" "$3"; echo "status $?"
		ls -A "$1"; cat "$1/small.dat"
		mount -o remount,ro "$1"
		"$HIST" slim -i "$2" -o "$1/new.dat" "$3"; echo "status $?"; ls -A "$1"
	' sh "$tmp/d" $sample $script
	stdout_is 'status 2
status 2
small.dat
old
status 2
small.dat'
	stderr_has 'small.dat: cannot write: No space left'
	stderr_has 'new.dat: cannot create: Read-only file system'
else
	skip 'nothing can be mounted'
fi

it 'no file remains after an interrupt'
"$BUILD/bench/make_recording" "$tmp/large.dat" 400000 mix zstd
for signal in INT TERM KILL; do
	for delay in 0.05 0.2 0.5; do
		timeout -s $signal $delay "$HIST" slim -q -i "$tmp/large.dat" -o "$tmp/d/small.dat" \
			-x "echo 'hist:keys=common_pid' >> events/sched/sched_switch/trigger" >"$tmp.out" 2>"$tmp.err"
		holds test "$(left "$tmp/d")" = './small.dat '
		[ "$(head -c 3 "$tmp/d/small.dat")" = old ] || holds "$HIST" list "$tmp/d/small.dat"
	done
done

done_testing
