#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Traces in text form as recordings: with formats, they have the same events and histograms; without
# formats, they are marked as inexact.
. tests/cli/lib.sh
layout=hist

# Write all events of RECORDING to $tmp/trace.txt as text of the trace file.
text_of()
{
	of=$1
	shift
	hist report -q -i "$of" -x 'echo 60000 > buffer_size_kb' "$@" -x 'echo 1 > events/enable' -x 'cat trace'
	cp "$tmp.out" "$tmp/trace.txt"
}

for rec in 6.12/chain 6.12/ring-two-cpus 6.12/design-4-save-action 6.12/control-counts 6.12/design-6-alias 6.1/globs 6.17/filters 7.3/smp 6.12.107/strings; do
	it "restores the events of $rec from its text"
	text_of "tests/golden/$rec/trace.dat"
	grep -a -v '^#' "$tmp/trace.txt" >"$tmp/want"
	hist report -i "$tmp/trace.txt" --formats "tests/golden/$rec/trace.dat" \
		-x 'echo 60000 > buffer_size_kb' -x 'echo 1 > events/enable' -x 'cat trace'
	status_is 0
	stderr_lacks 'warning: .*they do not match the print formats'
	grep -a -v '^#' "$tmp.out" >"$tmp/got"
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff -a "$tmp/want" "$tmp/got" | head -n 6)"
done

other=tests/golden/6.12/design-5-other-field/trace.dat
rec=$other
state='-e sched_switch -R hist:keys=prev_comm,prev_state:sort=prev_comm,prev_state'
prio='-e sched_waking -R hist:keys=comm,target_cpu:vals=prio:sort=comm,target_cpu'
text_of "$rec"

it 'has the same histograms'
for what in "$state" "$prio"; do
	# shellcheck disable=SC2086 # split into words
	hist report -q -i "$rec" $what
	cp "$tmp.out" "$tmp/want"
	# shellcheck disable=SC2086 # split into words
	hist report -q --strict -i "$tmp/trace.txt" --formats "$rec" $what
	status_is 0
	stdout_is_file "$tmp/want"
done

it 'reads formats from a directory, from one file with all formats, with and without names of systems'
mkdir -p "$tmp/copy/events/sched/sched_switch" "$tmp/copy/events/sched/sched_waking"
for event in sched_switch sched_waking; do
	hist report -q -i "$rec" -x "cat events/sched/$event/format"
	cp "$tmp.out" "$tmp/copy/events/sched/$event/format"
done
cat "$tmp"/copy/events/sched/*/format >"$tmp/all"
(cd "$tmp/copy" && tail -n +1 events/sched/*/format) >"$tmp/tail"
# shellcheck disable=SC2086 # split into words
hist report -q -i "$rec" $state
cp "$tmp.out" "$tmp/want"
for formats in copy copy/events all tail; do
	# shellcheck disable=SC2086 # split into words
	hist report -i "$tmp/trace.txt" --formats "$tmp/$formats" $state
	status_is 0
	stdout_is_file "$tmp/want"
	stderr_has 'lines are left out: --formats does not contain '
done
hist list "$tmp/trace.txt" --formats "$tmp/trace.txt"
status_is 2
stderr_has 'trace\.txt: contains no event formats'
hist list "$tmp/trace.txt" --formats "$tmp/none"
status_is 2
stderr_has 'none: cannot read: No such file'

it 'reads the output of trace-cmd report and perf script'
if have trace-cmd; then
	gunzip -c tests/import/plain.data.gz >"$tmp/plain.data"
	gunzip -c tests/import/plain.perf.gz >"$tmp/plain.perf"
	hist import -q "$tmp/plain.data" -o "$tmp/plain.dat"
	trace-cmd report "$tmp/plain.dat" >"$tmp/plugins.txt" 2>/dev/null
	trace-cmd report -N -t "$tmp/plain.dat" >"$tmp/cmd.txt" 2>/dev/null
	for text in plain.perf plugins.txt cmd.txt; do
		for what in "$state" '-e sys_exit -R hist:keys=id,ret,cpu:sort=id,ret'; do
			# shellcheck disable=SC2086 # split into words
			hist report -q -i "$tmp/plain.dat" $what
			sed 's/~ R+/~ R/' "$tmp.out" >"$tmp/want"
			# shellcheck disable=SC2086 # split into words
			hist report -i "$tmp/$text" --formats "$tmp/plain.dat" $what
			status_is 0
			stderr_lacks 'warning'
			[ "$text" = plugins.txt ] || stdout_is_file "$tmp/want"
		done
	done
else
	skip 'no trace-cmd'
fi

sample=trace.dat-samples/wakeup.dat
states='-e sched_switch -R hist:keys=prev_state:sort=prev_state'
it 'knows the states that the plugin of trace-cmd report prints'
if have trace-cmd; then
	hist report -q -i $sample -e sched_switch -R 'hist:keys=prev_state:sort=prev_state if prev_state & 255'
	cp "$tmp.out" "$tmp/want"
	for option in '' -N; do
		# shellcheck disable=SC2086 # none
		trace-cmd report $option $sample >"$tmp/report.txt" 2>/dev/null
		hist report -i "$tmp/report.txt" --formats $sample -e sched_switch \
			-R 'hist:keys=prev_state:sort=prev_state if prev_state & 255'
		status_is 0
		stderr_lacks 'warning'
		stdout_is_file "$tmp/want"
	done
else
	skip 'no trace-cmd'
fi

# by_name FILE: its names of tasks as keys, one on a line
by_name()
{
	hist report -q -i "$1" --formats $sample -e sched_switch -R hist:keys=prev_comm:sort=prev_comm
	sed -n 's/^{ prev_comm: \(.*[^ ]\) *} hitcount:.*/[\1]/p' "$tmp.out" >"$tmp/names"
}

it 'does not take the padding of trace-cmd report for a part of a name at the start of the text'
blanks='                    '
for width in 1 9; do
	pad=$(printf "%.${width}s" "$blanks")
	{
		echo '# tracer: nop'
		echo "            cat-86    [001]     2.778677168: sched_switch:${pad}cat:86 [120] D ==> swapper/1:0 [120]"
		echo "              b-86    [001]     2.778677169: sched_switch:${pad}  b:86 [120] D ==> swapper/1:0 [120]"
		echo "      x-86    [001]     2.778677170: sched_switch:${pad}         x:86 [120] D ==> swapper/1:0 [120]"
	} >"$tmp/padded.txt"
	by_name "$tmp/padded.txt"
	holds printf '%s\n' '[         x]' '[  b]' '[cat]'
	checked cmp -s "$tmp.holds" "$tmp/names" || fail_file "width $width:" "$tmp/names"
done
head -n 2 "$tmp/padded.txt" >"$tmp/line.txt"
by_name "$tmp/line.txt"
checked [ "$(cat "$tmp/names")" = '[cat]' ] || fail_file 'a single line:' "$tmp/names"
for option in '' -l; do
	if have trace-cmd; then
		# shellcheck disable=SC2086 # none
		trace-cmd report -t $option trace.dat-samples/switch.dat >"$tmp/report.txt" 2>/dev/null
		for keys in prev_comm,prev_pid comm,pid; do
			event=sched_switch
			[ $keys = comm,pid ] && event=sched_waking
			hist report -q -i trace.dat-samples/switch.dat -e $event -R "hist:keys=$keys:sort=$keys"
			cp "$tmp.out" "$tmp/want"
			hist report -q -i "$tmp/report.txt" --formats trace.dat-samples/switch.dat -e $event -R "hist:keys=$keys:sort=$keys"
			status_is 0
			stdout_is_file "$tmp/want"
		done
	fi
done

it 'reads the callers that the plugin of trace-cmd report prints before the text of kmalloc'
if have trace-cmd; then
	hist report -q -i trace.dat-samples/kmalloc.dat -e kmalloc --by call_site.sym,bytes_req
	cp "$tmp.out" "$tmp/want"
	for option in '' -N; do
		# shellcheck disable=SC2086 # none
		trace-cmd report -t $option trace.dat-samples/kmalloc.dat >"$tmp/report.txt" 2>/dev/null
		hist report -i "$tmp/report.txt" --formats trace.dat-samples/kmalloc.dat -e kmalloc --by call_site.sym,bytes_req
		status_is 0
		stderr_lacks 'warning'
		stdout_is_file "$tmp/want"
	done
else
	skip 'no trace-cmd'
fi

# letters LETTERS WANTED [guess]: the states of lines with these letters, as numbers
letters()
{
	at=0
	for letter in $1; do
		at=$((at + 1))
		echo "    a-1   [000]   1.00000$at: sched_switch:   a:1 [120] $letter ==> b [0]:2 [100]"
	done >"$tmp/letters.txt"
	formats="--formats $sample"
	[ "${3:-}" != guess ] || formats=
	# shellcheck disable=SC2086 # options
	hist report -i "$tmp/letters.txt" $formats $states
	got=$(sed -n 's/^{ prev_state: *\(.*[^ ]\) *} hitcount: *1$/\1/p' "$tmp.out" | sed 's/.*\[ *\(.*\)\]/\1/' | tr '\n' ' ')
	checked [ "$got" = "$2 " ] || fail "the letters $1 are the states $got, not $2"
}

it 'knows the letters of both versions, by those that only one of them has'
letters 'R S Z X W' '0 1 16 32 128'
status_is 0
stderr_lacks ambiguous
letters 'S|D Z|W x|W X' '3 32 144 192'
letters 'Z X P|I T|t' '12 16 32 192'
stderr_lacks ambiguous
letters 'R S Z X W' '0 1 16 32 128' guess
letters 'Z X P|I T|t' '12 16 32 192' guess
letters 'Z S' '1 32'
stderr_has 'warning: .*1 line is ambiguous; the first interpretation is used: sched_switch'
letters 'S W I' '1'
letters 'R W I X' '0 16'
stderr_has 'warning: .*1 line is ambiguous'
letters 'R Q' '0'
status_is 2
stderr_has 'warning: .*1 line is left out: .*: sched_switch \(trace-cmd report -N prints that of the kernel\)'

it 'finds a dump in the log of a crashed kernel'
text_of "$rec" -x 'echo 1 > options/latency-format'
{
	echo '[    1.000000] Linux version 6.12'
	echo '[    2.000000] Dumping ftrace buffer:'
	echo '[    2.000000] ---------------------------------'
	echo '[    2.000000] CPU:0 [LOST 3 EVENTS]'
	grep -a -v '^#' "$tmp/trace.txt" | sed 's/^/[    2.000001] /'
	echo '[    2.000000] ---------------------------------'
	echo '[    2.000000] Kernel panic - not syncing'
} >"$tmp/dmesg"
for what in "$state" "$prio"; do
	# shellcheck disable=SC2086 # split into words
	hist report -q -i "$rec" $what
	cp "$tmp.out" "$tmp/want"
	# shellcheck disable=SC2086 # split into words
	hist report -i "$tmp/dmesg" --formats "$rec" $what
	status_is 0
	stdout_is_file "$tmp/want"
	stderr_has 'dmesg: 2 lines are left out: they are not part of a trace'
	stderr_has 'task names at the start of a line are truncated to 8 characters'
	stderr_has 'CPU 0 lost 3 events'
done
sed 's/^/Nov 22 10:00:00 host kernel: /' "$tmp/dmesg" >"$tmp/journal"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/journal" --formats "$rec" $prio
stdout_is_file "$tmp/want"

# The events of a trace without task, CPU, flags and time.
events_of()
{
	grep -a -v -e '^#' -e tracing_mark_write "$1" | sed -E 's/(([0-9](us.)?|ms\)): )/\n/; s/^.*\n//'
}

for rec in 6.12.107/strings 6.12/ties; do
	it "gives the events of $rec back whichever trace_options print task, CPU and time"
	rich=tests/golden/$rec/trace.dat
	text_of "$rich"
	events_of "$tmp/trace.txt" >"$tmp/want"
	checked [ -s "$tmp/want" ] || fail 'no events'
	for options in noirq-info latency-format 'latency-format verbose' 'latency-format noirq-info' verbose fields; do
		set --
		for o in $options; do
			set -- "$@" -x "echo $o > trace_options"
		done
		text_of "$rich" "$@"
		hist report -i "$tmp/trace.txt" --formats "$rich" -x 'echo 60000 > buffer_size_kb' -x 'echo 1 > events/enable' -x 'cat trace'
		status_is 0
		stderr_lacks 'warning: .*they do not match the print formats'
		stderr_lacks 'not part of a trace'
		events_of "$tmp.out" >"$tmp/got"
		cmp -s "$tmp/want" "$tmp/got" || fail "$options: $(diff -a "$tmp/want" "$tmp/got" | head -n 6)"
	done
done

rich=tests/golden/6.12.107/strings/trace.dat
it 'keeps the columns of verbose: task, CPU, flags'
text_of "$rich"
sed -e '/^#/d' -e /tracing_mark_write/d -e 's/\[\([0-9]*\)\].*/\1/' "$tmp/trace.txt" | tr -s ' ' | sort | uniq -c >"$tmp/want"
text_of "$rich" -x 'echo latency-format > trace_options' -x 'echo verbose > trace_options'
hist report -q -i "$tmp/trace.txt" --formats "$rich" -x 'echo 60000 > buffer_size_kb' -x 'echo 1 > events/enable' -x 'cat trace'
sed -e '/^#/d' -e /tracing_mark_write/d -e 's/\[\([0-9]*\)\].*/\1/' "$tmp.out" | tr -s ' ' | sort | uniq -c >"$tmp/got"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got" | head -n 6)"

it 'reads trace-cmd report -l'
if have trace-cmd; then
	trace-cmd report -l -N "$rich" >"$tmp/latency.txt" 2>/dev/null
	hist report -q -i "$rich" -e sched_switch -R 'hist:keys=prev_comm,next_pid,cpu:sort=prev_comm,next_pid'
	cp "$tmp.out" "$tmp/want"
	hist report -i "$tmp/latency.txt" --formats "$rich" -e sched_switch -R 'hist:keys=prev_comm,next_pid,cpu:sort=prev_comm,next_pid'
	status_is 0
	stdout_is_file "$tmp/want"
	stderr_lacks 'not part of a trace'
else
	skip 'no trace-cmd'
fi

it 'reads the events of a latency trace, and counts the lines of its tracer'
cat >"$tmp/irqsoff" <<'END'
# tracer: irqsoff
#
# irqsoff latency trace v1.1.5 on 6.12.0
# --------------------------------------------------------------------
# latency: 259 us, #4/9, CPU#2 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:4)
#    -----------------
#    | task: ps-6143 (uid:0 nice:0 policy:0 rt_prio:0)
#    -----------------
#  => started at: __lock_task_sighand
#  => ended at:   _raw_spin_unlock_irqrestore
#
#                    _------=> CPU#
#                   / _-----=> irqs-off/BH-disabled
#  cmd     pid     |||||| time  |   caller
#     \   /        ||||||  \    |    /
      ps-6143       2d....    0us!: trace_hardirqs_off <-__lock_task_sighand
      ps-6143       2d..2.  120us#: thing: a=7
      ps-6143       2d..1.  259us+: trace_hardirqs_on <-_raw_spin_unlock_irqrestore
      ps-6143       2d..1.  306us : <stack trace>
 => trace_hardirqs_on_caller
 => trace_hardirqs_on
END
hist report -i "$tmp/irqsoff" -e thing -R hist:keys=cpu,common_pid,common_timestamp.usecs:vals=a
status_is 0
stdout_has 'cpu: *2, common_pid: *6143, common_timestamp: *120 *\} hitcount: *1  a: *7'
stderr_has 'note: .*2 lines of a tracer, such as calls of functions, are left out'
stderr_has 'note: .*3 lines of stack traces are left out'
stderr_has 'warning: .*the trace had wrapped: 5 earlier events were overwritten'
hist list "$tmp/irqsoff"
stdout_has 'machine .* 4 CPUs'

it 'refuses a trace whose lines have no task, CPU and time'
while read -r line; do
	printf '# tracer: nop\n#\n# entries-in-buffer/entries-written: 1/1   #P:2\n#\n%s\n' "$line" >"$tmp/columns.txt"
	hist report -i "$tmp/columns.txt" --formats "$rich" -e sched_switch -R hist:keys=next_comm
	status_is 2
	stderr_has 'error: .*none of its lines has a task, a CPU, a time and an event; print trace again with .* noraw nohex nobin'
done <<'END'
1055 0 26652271045969 type: 366
0000041f 00000000 0000183d7725ed51 type: 366
sched_process_fork: comm=bash pid=1055 child_comm=bash child_pid=1090
            bash-12      [001] d..2.     1.000006: schedule <-worker_thread
 0)   0.646 us    |      mutex_unlock();
END
printf '# tracer: nop\n            bash-12      [001] d\0.2.     1.000001: thing: a=1\n' >"$tmp/columns.txt"
hist list "$tmp/columns.txt"
status_is 2
printf '# tracer: nop\n#\n' >"$tmp/empty.txt"
hist list "$tmp/empty.txt" --formats "$rich"
status_is 0

rec=$other
text_of "$rec"
it 'marks guesses in each format, in the file, and in everything derived from it'
hist import "$tmp/trace.txt" -o "$tmp/guessed.dat"
status_is 0
hist import "$tmp/trace.txt" --formats "$rec" -o "$tmp/exact.dat"
status_is 0
hist list "$tmp/trace.txt"
stdout_has "trace.txt: text, imported, $(wc -c <"$tmp/trace.txt") bytes\$"
hist list "$tmp/guessed.dat"
stdout_has 'recorded by  hist import, inexact: fields were guessed from a text'
hist list "$tmp/exact.dat"
stdout_lacks 'inexact'
cp "$tmp/trace.txt" "$tmp/again.txt"
hist import "$tmp/trace.txt" "$tmp/again.txt" -o "$tmp/both.dat"
for input in trace.txt guessed.dat both.dat; do
	# shellcheck disable=SC2086 # split into words
	hist report --strict -i "$tmp/$input" $prio
	status_is 2
	# shellcheck disable=SC2086 # split into words
	hist report -i "$tmp/$input" $prio --format json
	status_is 0
	stdout_has '"inexact":true'
	cp "$tmp.out" "$tmp/guessed.json"
done
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/exact.dat" $prio --format json
stdout_lacks inexact
cp "$tmp.out" "$tmp/exact.json"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/guessed.dat" $prio --format csv
stdout_has '^comm,target_cpu,hitcount,prio,inexact'
stdout_has '^[^,]*,[0-9]*,[0-9]*,[0-9]*,true'
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/guessed.dat" $prio --format html
stdout_has '<p class="warn">Inexact: the fields of events were guessed from a text'
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/guessed.dat" $prio --format svg
stdout_has 'all (.inexact: fields were guessed from a text.)'
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/guessed.dat" $prio --format plot
stdout_has '^# inexact: fields were guessed from a text'
hist merge "$tmp/guessed.json" "$tmp/exact.json" --format json
status_is 0
stdout_has '"inexact":true'
cp "$tmp/exact.json" "$tmp/again.json"
hist merge "$tmp/exact.json" "$tmp/again.json" --format json
status_is 0
stdout_lacks inexact
hist diff "$tmp/exact.json" "$tmp/guessed.json" --format json
stdout_has '"lost_events":0,"inexact":true'

it 'hist diff marks it in each format, with the side'
for format in text markdown html junit svg; do
	hist diff "$tmp/exact.json" "$tmp/guessed.json" --format $format
	stdout_has 'inexact(:|&#58;) fields were guessed from a text'
	stderr_has 'note: .*guessed.json is inexact: its fields were guessed from a text'
	hist diff "$tmp/exact.json" "$tmp/exact.json" --format $format
	stdout_lacks inexact
done
hist diff "$tmp/exact.json" "$tmp/guessed.json" --all --format csv
stdout_has ',exemplars,p_family,inexact$'
stdout_has '^\(all\),.*,after$'
hist diff "$tmp/guessed.json" "$tmp/exact.json" --all --format csv
stdout_has '^\(all\),.*,before$'
hist diff "$tmp/guessed.json" "$tmp/guessed.json" --all --format csv
stdout_has '^\(all\),.*,both$'
hist diff "$tmp/exact.json" "$tmp/exact.json" --all --format csv
stdout_lacks inexact
hist diff "$tmp/exact.json" "$tmp/guessed.json" --format folded
stderr_has 'note: .*guessed.json is inexact'

it 'guesses fields without formats, and marks the result as inexact'
# shellcheck disable=SC2086 # split into words
hist report -q -i "$rec" $prio
cp "$tmp.out" "$tmp/want"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/trace.txt" $prio
status_is 0
stdout_is_file "$tmp/want"
stderr_has 'warning: .*trace\.txt: inexact: without --formats, the fields of [0-9]* events and their types are guessed'
# shellcheck disable=SC2086 # split into words
hist report --strict -i "$tmp/trace.txt" $prio
status_is 2
hist report -q -i "$tmp/trace.txt" --synth 'lat pid_t pid; u64 us' \
	-e sched_waking -R 'hist:keys=pid:t0=common_timestamp.usecs' \
	-e sched_switch -R 'hist:keys=next_pid:us=common_timestamp.usecs-$t0:onmatch(sched.sched_waking).lat(next_pid,$us)' \
	-e lat -R 'hist:keys=pid'
status_is 0
stdout_has 'Hits: [1-9]'

it 'the thread group of a line is also that of a task that is made there'
cat >"$tmp/made.txt" <<'END'
            bash-100     (    100) [000] .....     1.000000: sched_process_fork: comm=bash pid=100 child_comm=bash child_pid=200
          worker-200     (    100) [000] d..2.     1.100000: sched_waking: comm=dd pid=300 prio=120 target_cpu=000
              dd-300     (    300) [000] d..2.     1.200000: sched_waking: comm=bash pid=100 prio=120 target_cpu=000
END
hist report -q -i "$tmp/made.txt" -e sched_waking --by common_pid,process --format csv
stdout_is 'common_pid,common_process,hitcount,inexact
200,bash-100,1,true
300,dd-300,1,true'

it 'has the processes of tasks that lines name, of the kernel and of perf script'
cat >"$tmp/tgid.txt" <<'END'
# tracer: nop
#
#           TASK-PID     TGID      CPU#  |||||  TIMESTAMP  FUNCTION
             cc1-101  (    100) [000] d..2.  10.000001: sched_waking: comm=dd pid=7 prio=120 target_cpu=000
           <...>-102  (    100) [000] d..2.  10.000002: sched_waking: comm=dd pid=7 prio=120 target_cpu=000
            make-100  (    100) [000] d..2.  10.000003: sched_waking: comm=dd pid=7 prio=120 target_cpu=000
              dd-7    (-------) [000] d..2.  10.000004: sched_waking: comm=sh pid=8 prio=120 target_cpu=000
END
run "$HIST" report -q -i "$tmp/tgid.txt" -e sched_waking --by process --format csv
stdout_is 'common_process,hitcount,inexact
make-100,3,true
? (thread 7),1,true'
run "$HIST" report -q -i "$tmp/tgid.txt" -e sched_waking --process 100 --by common_pid --format csv
stdout_is 'common_pid,hitcount,inexact
100,1,true
101,1,true
102,1,true'
sed -En 's/^ +(.+)-([0-9]+) +\( *([0-9]+)\) (\S+) \S+ +(\S+) sched_waking:/\1 \3\/\2 \4 \5 sched:sched_waking:/p' "$tmp/tgid.txt" >"$tmp/tgid.perf"
run "$HIST" report -q -i "$tmp/tgid.perf" -e sched_waking --by tgid --format csv
stdout_is 'common_tgid,hitcount,inexact
100,3,true'

it 'reads a task whose name is a number in angle brackets at the start of a line, which is no level of a logger'
printf '%s\n' '<7952>-7952  [000] d..2.  10.000001: sched_waking: comm=dd pid=7 prio=120 target_cpu=000' \
	'<6>cc1-7953  [000] d..2.  10.000002: sched_waking: comm=dd pid=7 prio=120 target_cpu=000' >"$tmp/angles.txt"
run "$HIST" report -q -i "$tmp/angles.txt" -e sched_waking --by common_comm --format csv
stdout_is 'common_comm,hitcount,inexact
<7952>,1,true
cc1,1,true'

it 'names guessed fields that are symbols as text, not addresses'
cat >"$tmp/symbols" <<'END'
# tracer: nop
            bash-12      [001] d..2.     1.000001: kmalloc: call_site=seq_read_iter+0x329/0x4a0 name=cat state=R+
            bash-12      [001] d..2.     1.000003: kmalloc: call_site=ext4_x.isra.0+0x2c/0x40 [ext4] name=two words state=R
            bash-12      [001] d..2.     1.000004: kmalloc: call_site=0xffffffff81000000 name=cat state=R
            bash-12      [001] d..2.     1.000005: timer_start: timer=0xff function=tick_func expires=4
            bash-12      [001] d..2.     1.000006: filemap: at=x+0x1 ip=free text, in words function=7
END
hist report -i "$tmp/symbols" -e kmalloc --by call_site
status_is 0
stdout_has 'call_site: seq_read_iter\+0x329/0x4a0 '
stderr_has 'warning: .*symbols: the names of symbols are text.*: questions show them, triggers only without \.sym, .*: kmalloc\.call_site, timer_start\.function, filemap\.at$'
hist list "$tmp/trace.txt"
stderr_lacks 'names of symbols'

it 'counts what lines lack, and text that is not a field'
cat >"$tmp/odd" <<'END'
# tracer: nop
            bash-12      [001] d..2.     1.000001: thing: a=1 b=two words c=0xff
            bash-12      [001] d..2.     1.000003: thing: a=-7 c=0x10
  [bad] [9] x-13      [000] .....     1.000002: thing: a=2, b=three ==>  c=0x1
            bash-12      [001] d..2.     1.000004: words: nothing here
            bash-12      [001] d..2.     1.000005: sys_read(fd: 3, count: 1f)
            bash-12      [001] d..2.     1.000006: sys_read -> 0x1f
            bash-12      [001] d..2.     1.000006: schedule <-worker_thread
CPU:1 [LOST EVENTS]
            bash-12      [001] d..2.     1.000007: thing: a=1 b=x c=0xff
            bash-12      [001] d..2.     1.000001: thing: a=1 b=x c=0xff
 => schedule
some text
END
hist report -i "$tmp/odd" -e text:thing -R 'hist:keys=a,b:vals=c:sort=a,b'
status_is 0
stdout_has 'a: *18446744073709551609, b: *\} hitcount: *1  c: *16'
stdout_has 'a: *1, b: two words *\} hitcount: *1  c: *255'
stdout_has 'a: *2, b: three *\} hitcount: *1  c: *1'
stderr_has 'warning: .*1 line lacks a field .*: thing'
stderr_has 'note: .*1 line has no name=value; it is the field text: words'
stderr_has 'note: .*8 of 8 lines were converted to events, with times in microseconds'
stderr_has 'note: .*1 line of a stack trace is left out'
stderr_has 'note: .*1 line is left out: it is not part of a trace'
stderr_has 'note: .*1 line of a tracer, such as a call of a function, is left out'
stderr_has 'warning: .*on 1 line the time of a CPU goes back'
hist report -q -i "$tmp/odd" -e sys_enter_read -R 'hist:keys=fd,count:vals=hitcount' -e sys_exit_read -R 'hist:keys=ret.hex'
stdout_has 'fd: *3, count: *31'
stdout_has 'ret: 1f'

it 'answers what tasks waited for from text without formats: of the kernel, of trace-cmd report, with its old and new letters'
text_of trace.dat-samples/wakeup.dat
cp "$tmp/trace.txt" "$tmp/kernel.txt"
# name=value of sched events as the plugins of trace-cmd report print them
sed -E 's/ (sched_switch): prev_comm=(.*) prev_pid=([0-9]+) prev_prio=([0-9]+) prev_state=([A-Z]).* ==> next_comm=(.*) next_pid=([0-9]+) next_prio=([0-9]+)/ \1:         \2:\3 [\4] \5 ==> \6:\7 [\8]/
	s/ (sched_waking): comm=(.*) pid=([0-9]+) prio=([0-9]+) target_cpu=([0-9]+)/ \1:         \2:\3 [\4] CPU:\5/' "$tmp/kernel.txt" >"$tmp/plugin.txt"
checked grep -q 'init:1 \[120\] D ==> swapper/0:0 \[120\]' "$tmp/plugin.txt" || fail 'not the text of trace-cmd report'
sed 's/ I ==>/ W ==>/' "$tmp/plugin.txt" >"$tmp/old.txt"
waits()
{
	hist report -q -i "$1" -e derived:wait --by kind,comm --format csv
	cut -d, -f 1-3 "$tmp.out" | checked sort >"$tmp/$2"
}
waits trace.dat-samples/wakeup.dat want
for text in kernel plugin old; do
	waits "$tmp/$text.txt" got
	holds cmp "$tmp/want" "$tmp/got"
	hist report -q -i "$tmp/$text.txt" -e sched_switch -f 'prev_state == D' --by prev_state --format csv
	stdout_has '^2,D,339,true$'
done
hist events -q -i "$tmp/kernel.txt" -e sched_switch -f 'prev_state == R+' --fields prev_state,prev_state_text --format csv
stdout_has '^256,R[+]$'

it 'answers recipes that pass addresses on, from texts with the names of symbols'
if have trace-cmd; then
	dat=tests/cli/recipes/7.3.dat
	trace-cmd report -t $dat >"$tmp/names" 2>/dev/null
	for recipe in kmalloc-waste timer-lateness wheel-timer-lateness workqueue-latency workqueue-time slab-churn; do
		hist report -q -i $dat $recipe --show 1 --format csv
		# the address is a column of its own, and the text has no names of modules
		sed '1d; s/^[^,]*,//; s/ \[[a-z0-9_]*\]//' "$tmp.out" | sort >"$tmp/want"
		hist report -q -i "$tmp/names" $recipe --show 1 --format csv
		sed '1d; s/,true$//; s/ \[[a-z0-9_]*\]//' "$tmp.out" | sort >"$tmp/got"
		checked test -s "$tmp/want" || fail "$recipe has no rows"
		checked cmp -s "$tmp/want" "$tmp/got" || fail "$recipe: $(diff "$tmp/want" "$tmp/got" | head -n 3)"
	done
else
	skip 'no trace-cmd'
fi

it 'says that wakings without flags do not tell whether an interrupt woke, where that is asked'
if have trace-cmd; then
	trace-cmd report trace.dat-samples/wakeup.dat 2>/dev/null |
		sed -E 's/(\[[0-9]+\]) [^ 0-9][^ ]* /\1 /' >"$tmp/bare" # trace-cmd 3.3 prints the flags
	hist report -i "$tmp/bare" -e derived:wait --by in_irq
	stderr_has 'note: 662 wakings have no flags, .*in_irq. is unknown'
	hist report -i "$tmp/bare" -e derived:wait --by comm
	stderr_lacks wakings
	hist report -i trace.dat-samples/wakeup.dat -e derived:wait --by waker_comm
	stderr_lacks wakings
else
	skip 'no trace-cmd'
fi

it 'reads the numbers that the option fields prints in two ways'
hist report -q -i trace.dat-samples/switch.dat -x 'echo 1 > options/fields; echo 1 > events/enable; cat trace'
cp "$tmp.out" "$tmp/fields"
holds grep -q 'next_pid=0x10 (16)' "$tmp/fields"
for question in '--by next_prio,next_pid,prev_comm' '--by prev_state --sum next_prio'; do
	# shellcheck disable=SC2086 # split into words
	hist report -q -i trace.dat-samples/switch.dat -e sched_switch $question --format csv
	sed '1d' "$tmp.out" >"$tmp/want"
	# shellcheck disable=SC2086 # the same
	hist report -q -i "$tmp/fields" -e sched_switch $question --format csv
	sed '1d; s/,true$//' "$tmp.out" >"$tmp/got"
	holds cmp "$tmp/want" "$tmp/got"
done
cat >"$tmp/signs" <<'EOF'
 work-9     [000] .....   100.006691: kmalloc: node=0xffffffff (-1) bytes_req=0x210 (528) ptr=0xff110000007f1c00 (-67272519433216)
EOF
hist report -q -i "$tmp/signs" -e kmalloc --by node,ptr --sum bytes_req --format csv
stdout_has '^-1,18379471554284035072,1,528,true$'

it 'has the name of a task on each line of perf script, also before its first program'
gzip -dc tests/import/tasks.data.gz >"$tmp/perf.data"
gzip -dc tests/import/tasks.perf.gz >"$tmp/perf"
hist report -q -i "$tmp/perf.data" -e sched_waking --by common_pid,common_comm --format csv
sed 1d "$tmp.out" | sort >"$tmp/want"
hist report -q -i "$tmp/perf" -e sched_waking --by common_pid,common_comm --format csv
sed '1d; s/,true$//' "$tmp.out" | sort >"$tmp/got"
checked test -s "$tmp/want"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"

it 'reads perf script -L, which has names of 8 characters and CPUs without brackets'
cat >"$tmp/latency" <<'EOF'
      sh 18137   1 15617.650802: sched:sched_waking: comm=a pid=18 prio=0 target_cpu=000
perf-exe 18216  13 15617.676356:       sched:sched_waking: comm=b pid=19 prio=0 target_cpu=000
Thread 5 18217  15617.676357:       sched:sched_waking: comm=c pid=20 prio=0 target_cpu=000
EOF
hist events -q -i "$tmp/latency" --format csv --fields cpu,pid,comm,prio
stdout_is 'cpu,pid,comm,prio
1,18137,sh,0
13,18216,perf-exe,0
0,18217,Thread 5,0'

it 'reads tasks whose names begin like a comment'
cat >"$tmp/numbers" <<'EOF'
# tracer: nop
#
 #aaaaaaaaaaaaaa-123     [000] d..2.     1.000000: sched_waking: comm=a pid=55 prio=120 target_cpu=000
            #foo-124     [000] d..2.     1.000100: sched_waking: comm=b pid=102 prio=120 target_cpu=001
EOF
hist events -i "$tmp/numbers" --format csv --fields pid,comm
stdout_is 'pid,comm
123,#aaaaaaaaaaaaaa
124,#foo'
stderr_has '2 of 2 lines were converted'

it 'reads pointers as kernels print them, hashed and without 0x'
cat >"$tmp/hashed" <<'EOF'
 work-9     [000] .....   100.006691: kmem_cache_alloc: call_site=foo+0x1/0x2 ptr=00000000d3adbeef bytes_req=10 bytes_alloc=16 gfp_flags=GFP_KERNEL name=dentry
 work-9     [000] .....   100.006791: kmem_cache_alloc: call_site=foo+0x1/0x2 ptr=0000000012345678 bytes_req=10 bytes_alloc=16 gfp_flags=GFP_KERNEL name=dentry
 work-9     [000] .....   100.006891: kmem_cache_free: call_site=bar+0x1/0x2 ptr=00000000d3adbeef name=dentry
EOF
hist report -q -i "$tmp/hashed" -e kmem_cache_alloc --by ptr.hex --format csv
stdout_is 'ptr,hitcount,inexact
305419896,1,true
3551379183,1,true'

it 'has the fields of requests to disks and softirqs without formats, of old and new kernels'
for kernel in 6.1 7.3; do
	dat=tests/cli/recipes/$kernel.dat
	hist events -q -i $dat -e 'block:block_rq_*' -e 'irq:*' -o "$tmp/block.txt"
	status_is 0
	for question in '-e block_rq_issue --by dev,rwbs --sum bytes,nr_sector' '-e derived:block_io --by dev,op,flags --sum bytes' \
		'-e block_rq_complete --by comm,error' '-e softirq_entry --by vec' '-e derived:irq --by name'; do
		# shellcheck disable=SC2086 # options
		hist report -q -i $dat $question --format csv
		status_is 0
		holds test "$(wc -l <"$tmp.out")" -gt 1
		cp "$tmp.out" "$tmp/want"
		# shellcheck disable=SC2086 # options
		hist report -q -i "$tmp/block.txt" $question --format csv
		sed 's/,inexact$//; s/,true$//' "$tmp.out" >"$tmp/got"
		holds diff "$tmp/want" "$tmp/got"
	done
done
hist events -q -i "$tmp/block.txt" -e softirq_entry
stdout_has 'softirq_entry: +vec=[0-9] \[action=[A-Z]'

it 'reads numbers of system calls, and numbers with units, from text without formats'
cat >"$tmp/calls" <<'END'
# tracer: nop
            bash-12      [001] .....     1.000001: sys_enter: NR 217 (1b, 0, 0, 0, 0, 5630f48ac320)
            bash-12      [001] .....     1.000004: sys_exit: NR 217 = -11
            bash-12      [001] d..2.     1.000005: sched_stat_runtime: comm=bash pid=12 runtime=542194 [ns]
            bash-12      [001] d..2.     1.000006: sched_stat_runtime: comm=ba [x pid=13 runtime=6 [ns]
END
hist report -q -i "$tmp/calls" -e derived:syscall --by id.syscall --format csv
stdout_has '^217,syscall 217,1,true$'
hist report -q -i "$tmp/calls" -e sched_stat_runtime --by comm --sum runtime --format csv
stdout_has '^bash,1,542194,true$'
stdout_has '^ba \[x,1,6,true$'

it 'names of tasks and interrupts may have what looks like fields, in the forms of the kernel and of trace-cmd report'
cat >"$tmp/names.txt" <<'END'
          <idle>-0       [000] d.h2.  1000.000100: sched_waking: comm=x pid=3 pid=100 prio=120 target_cpu=000
          <idle>-0       [000] d..2.  1000.000200: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=x pid=3 next_pid=100 next_prio=120
         x pid=3-100     [000] d..2.  1000.000300: sched_switch: prev_comm=x pid=3 prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=a ==> next_pid=101 next_prio=120
           a ==>-101     [000] d..2.  1000.000400: sched_process_fork: comm=a, pid=101 child_comm=a child_pid= child_pid=102
           a ==>-101     [000] d..2.  1000.000500: task_rename: pid=101 oldcomm=ab ==> newcomm=b newcomm=c oom_score_adj=0
     b newcomm=c-101     [000] d..2.  1000.000600: task_newtask: pid=103 comm=b pid=1 clone_flags=1200 oom_score_adj=0
     b newcomm=c-101     [000] d..2.  1000.000700: irq_handler_entry: irq=5 name=eth0 rx=1
     b newcomm=c-101     [000] d..2.  1000.000800: sched_waking: comm=ARRAY[c3, a9, 00, 00] pid=104 prio=120 target_cpu=000
     b newcomm=c-101     [000] d..2.  1000.000900: sched_wakeup: e:3 [120]:105 [120] CPU:000
     b newcomm=c-101     [000] d..2.  1000.001000: sched_switch: b newcomm=c:101 [120] S ==> e:3 [120]:105 [120]
       e:3 [120]-105     [000] d..2.  1000.001100: block_rq_issue: 8,0 R 4096 () 100 + 8 [e] f]
       e:3 [120]-105     [000] ..s2.  1000.001200: softirq_entry: vec=9
       e:3 [120]-105     [000] ..s2.  1000.001300: softirq_exit: vec=9
END
hist report -q -i "$tmp/names.txt" -e derived:irq --by name --format csv
stdout_has '^RCU,1,true$'
hist events -q -i "$tmp/names.txt" --format ndjson
for fields in '"comm":"x pid=3","pid":100,' '"next_comm":"x pid=3","next_pid":100,' '"prev_comm":"x pid=3","prev_pid":100,.*"next_comm":"a ==>","next_pid":101,' \
	'"parent_comm":"a,","parent_pid":101,"child_comm":"a child_pid=","child_pid":102' '"oldcomm":"ab ==>","newcomm":"b newcomm=c",' '"comm":"b pid=1","clone_flags":4608,' \
	'"name":"eth0 rx=1"' '"comm":"é","pid":104,' '"comm":"e:3 \[120\]","pid":105,"prio":120' '"prev_comm":"b newcomm=c","prev_pid":101,"prev_prio":120,.*"next_comm":"e:3 \[120\]"' \
	'"comm":"e\] f"'; do
	stdout_has "$fields"
done

it 'adds up the distances of perf script --deltatime'
cat >"$tmp/distances.txt" <<'END'
       a    10 [000]     0.000000000: sched:sched_wakeup: comm=b pid=11 prio=120 target_cpu=000
       a    10 [000]     0.000004000: sched:sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=b next_pid=11 next_prio=120
       b    11 [000]     0.000000500: sched:sched_wakeup: comm=a pid=10 prio=120 target_cpu=000
       b    11 [000]     0.000700000: sched:sched_switch: prev_comm=b prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=a next_pid=10 next_prio=120
       a    10 [001]     0.000000100: sched:sched_wakeup: comm=b pid=11 prio=120 target_cpu=000
END
hist report -i "$tmp/distances.txt" -e derived:wait --by comm --sum ns --format csv
stdout_is 'comm,hitcount,ns,inexact
a,1,700000,true
b,1,4000,true'
stderr_has 'note: .*the times are distances to the line before, which are added up'
stderr_lacks 'goes back'

it 'warns of a CPU that begins late in a text that does not tell why'
seq 1 1500 | awk '{ printf "  sh-7 [00%d] 5.%06d: ev: a=1\n", ($1 > 1200), $1 }' >"$tmp/late.txt"
hist report -i "$tmp/late.txt" -e ev --by cpu
stderr_has 'warning: .*late.txt: CPU 1 begins 1.200 ms late; if its earlier events were overwritten'
stderr_lacks 'CPU 0 begins'
{ echo '# entries-in-buffer/entries-written: 1500/1500   #P:2' && cat "$tmp/late.txt"; } >"$tmp/counted.txt"
hist report -i "$tmp/counted.txt" -e ev --by cpu
stderr_lacks 'begins'
seq 1 1500 | awk '{ printf "  sh-7 [00%d] 5.%06d: ev: a=1\n", $1 % 2, $1 }' >"$tmp/even.txt"
hist report -i "$tmp/even.txt" -e ev --by cpu
stderr_lacks 'begins'

it 'keeps what is no name=value in the field text, and prints it again'
cat >"$tmp/words" <<'END'
              sh-1     [000] .....     1.000001: clock_set_rate: clk_a state=200000000 cpu_id=7
              sh-1     [000] .....     1.000002: clk_set_rate: clk_b 300000000
              sh-1     [000] .....     1.000003: device_pm_callback_start: usb 1-1, parent: usb1, suspend [suspend]
              sh-1     [000] .....     1.000004: irq_noise: local_timer:236 start 12.345 duration 1234 ns
              sh-1     [000] .....     1.000005: bpf_trace_printk: hello: world
              sh-1     [000] .....     1.000006: nvme_sq: nvme0: disk=nvme0n1, qid=1
              sh-1     [000] .....     1.000007: plain: a=1 b=2
              sh-1     [000] .....     1.000008: empty:
END
hist events -q -i "$tmp/words" --format json
sed -n 's/.*"event":"[a-z_]*:\([a-z_]*\)","fields":/\1 /p' "$tmp.out" | sed 's/},*$//' >"$tmp/got"
printf '%s\n' 'clock_set_rate {"text":"clk_a","state":200000000,"cpu_id":7}' 'clk_set_rate {"text":"clk_b 300000000"}' \
	'device_pm_callback_start {"text":"usb 1-1, parent: usb1, suspend [suspend]"}' \
	'irq_noise {"text":"local_timer:236 start 12.345 duration 1234 ns"}' 'bpf_trace_printk {"text":"hello: world"}' \
	'nvme_sq {"text":"nvme0","disk":"nvme0n1","qid":1}' 'plain {"a":1,"b":2}' 'empty {}' >"$tmp/want"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"
hist report -q -i "$tmp/words" -e clk_set_rate --by text --format csv
stdout_has 'clk_b 300000000,1'
hist report -q -i "$tmp/words" -x 'echo 1 > events/enable' -x 'cat trace'
stdout_has ' clock_set_rate: clk_a state=200000000 cpu_id=7'
stdout_has ' bpf_trace_printk: hello: world'

it 'reads wakeups of kernels before 5.14 as trace-cmd report prints them'
cat >"$tmp/success" <<'END'
          <idle>-0     [001]  5017.100100: sched_wakeup:         a:b c:1234 [120] success=1 CPU:001
          <idle>-0     [001]  5017.100150: sched_switch:         swapper/1:0 [120] R ==> a:b c:1234 [120]
           a:b c-1234  [001]  5017.100500: sched_switch:         a:b c:1234 [120] S ==> swapper/1:0 [120]
          <idle>-0     [001]  5017.101000: sched_wakeup_new:     sh:1235 [98] CPU:001
          <idle>-0     [001]  5017.101050: sched_switch:         swapper/1:0 [120] R ==> sh:1235 [98]
END
hist events -q -i "$tmp/success" -e derived:wait --fields comm,pid,ns
stdout_is 'comm,pid,ns
a:b c,1234,50000
sh,1235,50000'

it 'knows priorities of deadline tasks, which libtraceevent prints without a sign'
cat >"$tmp/deadline" <<'END'
          <idle>-0     [001]  5017.100100: sched_wakeup:         dl:1234 [4294967295] CPU:001
          <idle>-0     [001]  5017.100150: sched_switch:         swapper/1:0 [120] R ==> dl:1234 [4294967295]
              dl-1234  [001]  5017.100500: sched_switch:         dl:1234 [-1] S ==> swapper/1:0 [120]
END
hist events -q -i "$tmp/deadline" -e sched_wakeup --fields prio
stdout_is 'prio
-1'
hist events -q -i "$tmp/deadline" -e sched_switch --fields prev_prio,next_prio
stdout_is 'prev_prio,next_prio
120,-1
-1,120'

it 'has the system calls of texts that name them: of the kernel, perf script and trace-cmd report'
cat >"$tmp/kernel" <<'END'
              sh-9     [000] .....     1.000001: sys_read -> 0x1
              sh-9     [000] .....     1.000002: sys_openat(dfd: ffffff9c, filename: 7f00, flags: 0, mode: 0)
              sh-9     [000] .....     1.000005: sys_openat -> 0x3
              sh-9     [000] .....     1.000006: sys_write(fd: 3, buf: 7f00 "a, b: c", count: 10)
              sh-9     [000] .....     1.000010: sys_write -> 0xfffffffffffffff2
END
cat >"$tmp/script" <<'END'
              sh     9 [000]     1.000001: syscalls:sys_exit_read: 0x1
              sh     9 [000]     1.000002: syscalls:sys_enter_openat: dfd: 0xffffff9c, filename: 0x00007f00, flags: 0x00000000, mode: 0x00000000
              sh     9 [000]     1.000005: syscalls:sys_exit_openat: 0x3
              sh     9 [000]     1.000006: syscalls:sys_enter_write: fd: 0x00000003, buf: 0x00007f00, count: 0x00000010
              sh     9 [000]     1.000010: syscalls:sys_exit_write: 0xfffffffffffffff2
END
sed 's/ *9 \[/-9 [/; s/syscalls://' "$tmp/script" >"$tmp/report"
for text in kernel script report; do
	hist events -i "$tmp/$text" -e derived:syscall --fields comm,pid,name,ns,ret
	stdout_is 'comm,pid,name,ns,ret
sh,9,openat,3000,3
sh,9,write,4000,-14'
	stderr_has 'note: .*system calls have the numbers of x86_64'
	hist events -q -i "$tmp/$text" -e sys_enter_write --fields fd,count
	stdout_is 'fd,count
3,16'
done

it 'reads the text of trace_marker and trace_printk() in every form, with formats of old and new kernels and without'
cat >"$tmp/marks" <<'END'
# tracer: nop
<7952>-7952  (-----) [001] ...1     1.000001: tracing_mark_write: B|1|draw=1
 <...>-7952  [001] ...1     1.000002: 0: B|1|inner
         -7  [001] ...1     1.000003: tracing_mark_write: C|1||3
 <...>-7952  [001] d.h1     1.000004: 0xffff800000101234: E
      sh-7   [001] ...1     1.000005: tracing_mark_write+0xdd/0x240: S|1|x: y|2
      sh-7   [001] ...1     1.000006: tracing_mark_write <ffffffff8cbc36bd>: F
      sh-7   [001] ...1     1.000007: tracing_mark_write+0xdd/0x240 <ffffffff8cbc36bd>:  two blanks
      sh-7   [001] ...1     1.000008: probe [driver]: of a module
      sh-7   [001] ...1     1.000009: print:                tracing_mark_write: of trace-cmd
      sh-7   [001] ...1     1.000010: bprint:               do_exit: of trace_printk
      sh-7   [001] ...1     1.000011: tracing_mark_write:
END
printf '%s\n' 'B|1|draw=1' 'B|1|inner' 'C|1||3' E 'S|1|x: y|2' F ' two blanks' 'of a module' 'of trace-cmd' 'of trace_printk' '' >"$tmp/want"
# print_format WORD BUF: as kernels declare it; up to Linux 5.4, BUF is "buf"
print_format()
{
	printf '%s\n' 'name: print' 'ID: 5' 'format:' '	field:unsigned short common_type;	offset:0;	size:2;	signed:0;' \
		'	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;' \
		'	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;' \
		'	field:int common_pid;	offset:4;	size:4;	signed:1;' '' \
		"	field:unsigned long ip;	offset:8;	size:$1;	signed:0;" \
		"	field:char $2;	offset:$((8 + $1));	size:0;	signed:1;" '' 'print fmt: "%ps: %s", (void *)REC->ip, REC->buf'
}
print_format 8 'buf[]' >"$tmp/print-new"
print_format 4 buf >"$tmp/print-old"
for formats in none print-new print-old two-of-others; do
	echo "with $formats" >"$tmp/with"
	case $formats in
	none) set -- ;;
	two-of-others) set -- --formats "$tmp/all" ;;
	*) set -- --formats "$tmp/$formats" ;;
	esac
	hist report -i "$tmp/marks" "$@" -x 'cat trace'
	status_is 0
	stderr_has 'text of a trace: 11 of 11 lines were converted'
	grep -v '^#' "$tmp.out" | sed 's/.*1\.0000..: [^:]*: //' >"$tmp/got"
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$(cat "$tmp/with"; diff "$tmp/want" "$tmp/got")"
	hist report --strict -i "$tmp/marks" "$@" -e print --by buf,common_pid
	stdout_has 'buf: B.1.draw=1 .* common_pid: *7952 '
	stdout_has 'Hits: 11'
	hist report -q -i "$tmp/marks" "$@" marker-slices
	status_is 0
	stdout_has 'name: inner .*hitcount: *1  ns: *2000'
done
hist list "$tmp/marks"
status_is 0
stderr_lacks 'guessed'

it 'reads the text of perf script without CPUs'
cat >"$tmp/nocpu" <<'END'
perf  11395 276906.176725:          1 cycles:HG:  ffffffff81012b5d __entry_text_end+0x110d6 ([kernel.kallsyms])
my task 7/8   276906.176728: sched:sched_wakeup: comm=a pid=1 prio=120 target_cpu=000
END
sed 's/ 2769/ [001] 2769/' "$tmp/nocpu" >"$tmp/withcpu"
{
	printf 'sh     1 276906.100000: PERF_RECORD_COMM: sh:1/1\n'
	cat "$tmp/nocpu"
	printf '\tffffffff81012b5d __entry_text_end+0x110d6 ([kernel.kallsyms])\n\n'
} >"$tmp/events"
for file in withcpu nocpu events; do
	hist events -q -i "$tmp/$file" -e perf:cycles -e sched:sched_wakeup --fields ts,pid,comm,event
	status_is 0
	stdout_is 'ts,pid,comm,event
276906176725000,11395,perf,perf:cycles
276906176728000,8,my task,sched:sched_wakeup'
done
hist list "$tmp/nocpu"
stderr_has 'nocpu: 2 lines have no CPU; all are assigned to CPU 0'
printf 'sh 1 12.5: a: b\nsh 1 of 12.500000\n' >"$tmp/log"
hist list "$tmp/log"
stderr_lacks 'perf script'

it 'takes the name of a function for trace_printk() if the recording with the formats has it as a symbol'
cat >"$tmp/printk" <<'END'
      sh-7   [001] ...1     1.000001: do_exit: text a=1
      sh-7   [001] ...1     1.000002: no_such_symbol: text
END
hist list "$tmp/printk" --formats tests/golden/6.12/chain/trace.dat
status_is 0
stdout_has '1  ftrace:print'
stderr_has '1 line is left out: --formats does not contain no_such_symbol'

it 'reports the lines that cannot be read, and does not guess their fields'
sed 's/prev_prio=120 prev_state=S/prev_prio=none/' "$tmp/trace.txt" >"$tmp/broken"
n=$(grep -c 'prev_prio=none' "$tmp/broken")
hist list "$tmp/broken" --formats "$rec"
status_is 2
stderr_has "warning: .*broken: $n lines are left out: they do not match the print formats: sched_switch"
printf '%s\n' 'name: two' 'ID: 300' 'format:' '	field:unsigned short common_type;	offset:0;	size:2;	signed:0;' \
	'	field:int common_pid;	offset:4;	size:4;	signed:1;' '' '	field:char a[16];	offset:8;	size:16;	signed:0;' \
	'	field:char b[16];	offset:24;	size:16;	signed:0;' '' 'print fmt: "%s, %s", REC->a, REC->b' >"$tmp/two"
echo '            bash-12      [001] d..2.     1.000007: two: x, y' >"$tmp/one"
echo '            bash-12      [001] d..2.     1.000007: two: x, y, z' >"$tmp/several"
hist report --strict -i "$tmp/one" --formats "$tmp/two" -e two -R hist:keys=a,b
status_is 0
stdout_has 'a: x *, b: y '
hist report --strict -i "$tmp/several" --formats "$tmp/two" -e two -R hist:keys=a,b
status_is 2
stderr_has 'warning: .*1 line is ambiguous; the first interpretation is used: two'

it 'reads pages of systrace, behind a long viewer, with several traces, and compressed texts of atrace'
if have python3; then
	text_of "$rec"
	hist events -q -i "$tmp/trace.txt"
	cp "$tmp.out" "$tmp/want"
	python3 - "$tmp" <<'EOF'
import sys, zlib
tmp = sys.argv[1]
text = open(tmp + "/trace.txt", encoding="latin-1").read()
viewer = "<!DOCTYPE html>\n<html><head><script>" + "var v = function() { return 'sched_switch: x'; };\n" * 4000 + "</script>\n"
string = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n\\\n")
half = text.index("\n", len(text) // 2) + 1
pages = {
    "string.html": viewer + '<script>\n  var linuxPerfData = "\\\n' + string + '";\n</script></html>\n',
    "element.html": viewer + '<script class="trace-data" type="application/text">\n' + text + "</script></html>\n",
    "several.html": viewer + '<script class="trace-data">\n' + text[:half] + '</script>\n<script class="trace-data">\n{"a": ['
                    + '1]}</script><script class="trace-data">' + text[half:] + "</script></html>\n",
    "script.txt": text.replace("\n", "\\n\\\n"),
    "none.html": viewer + "</html>",
}
for name, page in pages.items():
    open(tmp + "/" + name, "w", encoding="latin-1").write(page)
packed = zlib.compress(text.encode("latin-1"))
open(tmp + "/packed.txt", "wb").write(b"capturing trace... done\nTRACE:\n" + packed)
line = text[text.rindex("\n", 0, -1) + 1:].encode("latin-1")
open(tmp + "/bomb.txt", "wb").write(b"TRACE:\n" + zlib.compress(line * (40000000 // len(line))))
open(tmp + "/cut.txt", "wb").write(b"TRACE:\n" + packed[:len(packed) // 2])
EOF
	for input in string.html element.html several.html script.txt packed.txt; do
		hist events -q -i "$tmp/$input"
		status_is 0
		stdout_is_file "$tmp/want"
	done
	hist list -i "$tmp/cut.txt"
	stderr_has 'cut.txt: the compressed trace is damaged, or its end is missing'
	hist list -i "$tmp/bomb.txt"
	status_is 2
	stderr_has 'bomb.txt: the trace in it has more than [12][0-9] MiB, which is the limit for a compressed one of [0-9]* bytes: decompress it'
	hist list -i "$tmp/none.html"
	status_is 2
	stderr_has 'none.html: is a web page without a trace of systrace in it'
else
	skip 'no python3'
fi

it 'the flags that trace-cmd 3.3 report -R prints after the CPU'
cat >"$tmp/raw.txt" <<'END'
          <idle>-0     [001]-0x11     2.491579: sched_waking:          comm=rcu_preempt pid=16 prio=120 target_cpu=001
            init-1     [002]-0x0     2.494251: sched_waking:          comm=rcu_preempt pid=16 prio=120 target_cpu=001
END
hist report -q -i "$tmp/raw.txt" -e sched_waking --by common_pid,common_cpu,common_flags --format csv
stdout_has '^0,1,17,1'
stdout_has '^1,2,0,1'

it 'before a buffer started, nothing is known of its CPU: a wait for it is not invented'
cat >"$tmp/late.txt" <<'END'
# tracer: nop
#
# entries-in-buffer/entries-written: 6/50000   #P:2
#
             sh-40      [000] d..2.     1.000000: sched_waking: comm=job pid=50 prio=120 target_cpu=001
             sh-40      [000] d..2.     1.000100: sched_switch: prev_comm=sh prev_pid=40 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
##### CPU 1 buffer started ####
          <idle>-0      [001] d..2.     7.000000: sched_waking: comm=dd pid=60 prio=120 target_cpu=001
          <idle>-0      [001] d..2.     7.000010: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=job next_pid=50 next_prio=120
             job-50     [001] d..2.     7.000500: sched_switch: prev_comm=job prev_pid=50 prev_prio=120 prev_state=S ==> next_comm=dd next_pid=60 next_prio=120
END
hist report -q -i "$tmp/late.txt" -e derived:wait --by comm --sum ns --format csv
stdout_is 'comm,hitcount,ns,inexact
dd,1,500000,true'
sed 's/ 7\.000500/ 7.0005004/' "$tmp/late.txt" >"$tmp/digits.txt"
hist report -q -i "$tmp/digits.txt" -e derived:wait --by comm --sum ns --format csv
stdout_has '^dd,1,500400,'

done_testing
