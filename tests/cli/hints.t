#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Messages that explain frequent mistakes, in addition to what the kernel reports.
. tests/cli/lib.sh
. tests/house/examples.sh
layout=hist

wakeup=trace.dat-samples/wakeup.dat
switch=trace.dat-samples/switch.dat

# two PARAMS: a synthetic event "lat u64 d; char c[16]", generated with PARAMS
two()
{
	hist report -i "$wakeup" --synth 'lat u64 d; char c[16]' \
		-e sched_waking -R 'hist:keys=pid:ts0=common_timestamp.usecs' \
		-e sched_switch \
		-R "hist:keys=next_pid:d=common_timestamp.usecs-\$ts0:onmatch(sched.sched_waking).lat($1)"
}

it 'names the types of a parameter and of its field'
two '$d,next_pid'
status_is 1
stderr_has "error: hist:sched:sched_switch: Param type doesn't match synthetic event field type"
stderr_has 'note: next_pid is pid_t, but field c of lat is char\[16\]'

it 'names the number of fields for an excess parameter'
two '$d,next_comm,next_pid'
status_is 1
stderr_has 'note: lat has only 2 fields'

it 'accepts matching types without a note'
two '$d,next_comm'
status_is 0
stderr_is ''

it 'suggests single quotes where a shell has removed a variable'
hist report -i "$wakeup" -e sched_switch -R 'hist:keys=next_pid:d=common_timestamp-'
status_is 1
stderr_has 'operand is missing; was it \$NAME in double quotes\?.* single quotes'
two ',next_comm'
status_is 1
stderr_has 'error: .*Invalid action param'
stderr_has 'note: a parameter is empty; .*single quotes'

it 'warns of a variable that was meant as a parameter of the trigger'
hist report -i "$switch" -e sched_switch -R 'hist:keys=next_pid: sort=hitcount'
status_is 0
stderr_has 'warning: this defines a variable " sort": remove the blank'
hist report -i "$switch" -e sched_switch -R 'hist:keys=next_pid:sort=hitcount:mysort=next_prio'
status_is 0
stderr_is ''

it 'suggests quotes for a trigger with a filter'
hist report -i "$switch" -e sched_switch -R hist:keys=next_pid if next_pid != 0
status_is 2
stderr_has "if: no such script; quote a trigger with a filter: -R 'hist:keys=KEY if FILTER'"

it 'warns of a span of time that ends before it starts'
hist report -i "$switch" --from +0.2 --to +0.1 -e sched_switch -R hist:keys=next_pid
status_is 0
stderr_has 'warning: nothing is replayed: the start of the time span, \+0.2, is after its end, \+0.1'
hist report -i "$switch" --from +0.1 --to +0.2 -e sched_switch -R hist:keys=next_pid
stderr_is ''

it 'takes a second recipe or script as another question, not as an addition to the first'
hist report -i "$wakeup" wakeup-latency on-cpu
status_is 0
stderr_lacks 'note'
cp "$tmp.out" "$tmp/both"
for recipe in wakeup-latency on-cpu; do
	hist report -q -i "$wakeup" $recipe
	cat "$tmp.out"
done >"$tmp/each"
# together, each has the name of its event
for out in both each; do
	sed '/^==> /d; /^$/d' "$tmp/$out" >"$tmp/$out.rows"
done
checked cmp -s "$tmp/both.rows" "$tmp/each.rows" || fail "$(diff "$tmp/both.rows" "$tmp/each.rows" | head)"
printf '%s\n' 'echo hist:keys=pid >> events/sched/sched_waking/trigger' 'cat events/sched/sched_waking/hist' \
	'echo hist:keys=next_pid >> events/sched/sched_switch/trigger' 'cat events/sched/sched_switch/hist' >"$tmp/later"
hist report -i "$wakeup" "$tmp/later"
stderr_has 'note: a trigger was added after the replay: replaying from the start'

it 'names the rules used for an unknown kernel'
hist report -i "$switch" --kernel 9.9 -e sched_switch -R hist:keys=next_pid
status_is 0
stderr_has 'note: Linux 9.9 has not been compared; the rules of [0-9.]+ are used'

it 'lists a recording without -i, and several that do not share a time line'
hist list "$switch"
status_is 0
stdout_has "^$switch: trace.dat version"
hist list -i "$switch" -i "$wakeup"
status_is 0
stdout_has "^$switch: trace.dat version"
stdout_has "^$wakeup: trace.dat version"
stderr_is ''
hist list "$switch" "$tmp/none.dat" "$wakeup"
status_is 2
stdout_has "^$wakeup: trace.dat version"
stderr_has 'none.dat: .*No such file'

it 'names the operators of filters'
for f in 'next_comm=init' 'next_comm =~ "i.*"' 'next_pid > 1 and next_pid < 9'; do
	hist report -i "$switch" -e sched_switch -f "$f" --by next_comm
	status_is 1
	stderr_has 'note: operators: == !='
done

it 'names the event for a term of perf, and the command that lists others'
hist report -i "$switch" -e context-switches --by comm
status_is 1
stderr_has 'note: the event for that is sched:sched_switch'
hist report -i "$switch" -e nosuchevent --by comm
stderr_has 'note: hist list lists the recorded events'
hist report -i "$switch" -e 'tracepoint:sched:sched_switch { @[comm] = count(); }' --by comm
stderr_has 'note: a program such as .* is here: -e EVENT --by comm'

it 'names what records the events of a recipe that were not recorded, once'
for verb in report check; do
	hist $verb -i "$switch" irqs-off --by comm --sum ns
	status_is 1
	stderr_has '^hist: error: irqs-off needs events that were not recorded: preemptirq:irq_disable, preemptirq:irq_enable; hist record -S irqs-off records them$'
	stderr_has 'note: kernels with these events: .*CONFIG_PREEMPTIRQ_TRACEPOINTS$'
	stderr_lacks '[-][-]by|echo'
done

it 'names perf for counters of the CPU, and nothing else'
hist report -i "$switch" -e cycles --by comm
status_is 1
stderr_has 'note: .*counters of the CPU are for perf record -e'
stderr_lacks '[-][-]by'

it 'names what replaces a key that groups nothing'
for key in 'p50(next_pid)' 'avg(next_pid)' 'count()' name time; do
	hist report -i "$switch" -e sched_switch --by "next_comm,$key"
	status_is 1
	stderr_has "^--by:1:11: error: --by $(echo "$key" | sed 's/[()]/\\&/g') is not a key: .*--(stats|by comm|interval)"
done

it 'names of numbers are not for kernels'
hist check -i "$switch" -e sched_switch -R 'hist:keys=next_comm if prev_state == R'
status_is 1
stderr_has 'note: .*names of numbers \(prev_state == D\) are for -f of hist report'

it 'accepts the names of events that bpftrace uses'
hist report -i "$switch" -e sched:sched_switch --by next_comm
cp "$tmp.out" "$tmp/wanted"
for kind in tracepoint t; do
	hist report -i "$switch" -e $kind:sched:sched_switch --by next_comm
	status_is 0
	stdout_is_file "$tmp/wanted"
done

it 'names the equivalent of an option of another tool'
for o in max percent histogram timeline flamegraph; do
	for verb in report diff; do
		hist $verb -i "$switch" -e sched_switch --by next_comm --$o=1
		status_is 2
	done
	hist report -i "$switch" -e sched_switch --by next_comm --$o 1
	status_is 2
	stderr_has 'hist has another option for this: .*--(stats|top|by|format|comm|from)'
done

it 'takes options of other tools that are those of hist'
while IFS='|' read -r verb theirs ours; do
	eval "hist $verb -q -i $switch $ours"
	cp "$tmp.out" "$tmp/wanted"
	status_is 0
	eval "hist $verb -q -i $switch $theirs"
	status_is 0
	stdout_is_file "$tmp/wanted"
done <<'END'
report|on-cpu --limit 2 --csv|on-cpu --top 2 --format csv
report|on-cpu --head=2 --json|on-cpu --top=2 --format=json
report|on-cpu -n 2 --sort-by max|on-cpu --top 2 --sort max
report|-e sched_switch --where 'next_pid > 0' --group-by next_comm --p99|-e sched_switch -f 'next_pid > 0' --by next_comm --stats
report|on-cpu --min 100us --task 'sh*' --percentiles|on-cpu -D min=100us --comm 'sh*' --stats
report|on-cpu --threshold=100us --since +0.1 --until +0.2|on-cpu -D min=100us --from +0.1 --to +0.2
events|-e sched_switch -p 1 -C 0 --count 3|-e sched_switch --pid 1 --cpu 0 --top 3
events|-e sched_switch --columns ts,next_comm --limit=3|-e sched_switch --fields ts,next_comm --top=3
sql|--json 'SELECT count(*) FROM sched_switch'|--format json 'SELECT count(*) FROM sched_switch'
END
hist top -n 1 on-cpu
status_is 2
stderr_has 'hist has another option for this: .*--duration TIME'
hist report -i "$switch" on-cpu --min
status_is 2
hist report -i "$switch" -f -- --csv
status_is 2

it 'names the verb for a question after a recording, and for a recording after hist top'
hist summary "$switch" on-cpu
status_is 2
stderr_has 'on-cpu is a question, not a recording: hist report -i FILE on-cpu$'
hist top "$switch"
stderr_has "error: $switch is a recording, and hist top records: hist report -i $switch answers questions about it$"

it 'names how to find the largest and the last events'
hist events -i "$switch" -e sched_switch --sort next_pid
status_is 2
stderr_has "hist has another option for this: .*hist sql FILE 'SELECT \* FROM \"EVENT\" ORDER BY FIELD DESC LIMIT 9'"
hist sql "$switch" 'SELECT * FROM "sched_switch" ORDER BY next_pid DESC LIMIT 9'
status_is 0
checked [ "$(wc -l <"$tmp.out")" = 10 ] || fail_file 'not nine rows:' "$tmp.out"
hist events -i "$switch" --tail 3
stderr_has 'hist has another option for this: --from TIME'

it 'names the command that prints events as text'
hist report -i tests/cli/recipes/functions.dat
status_is 2
stderr_has 'all events as text: hist events -i tests/cli/recipes/functions.dat$'
stderr_has 'questions with ready answers: hist recipe -i tests/cli/recipes/functions.dat$'
hist report -i "$switch" -e sched_switch
stderr_has "the events: hist events -i $switch -e sched_switch$"

it 'names the kernels whose values take .percent'
hist report -i tests/cli/recipes/tasks.dat
status_is 1
stderr_has 'note: values of this kernel do not take .percent and .graph .*--kernel 7.3'
hist report -q -i tests/cli/recipes/tasks.dat --kernel 7.3
status_is 0

layout=
it '-e all is every recorded event'
hist report -q -i trace.dat-samples/wakeup.dat -e all --by event
status_is 0
stdout_has '^sched:sched_switch +1,222$'
stdout_has '^1,886 hits in 4 rows$'
hist events -q -i trace.dat-samples/wakeup.dat -e all --format csv
checked [ "$(wc -l <"$tmp.out")" = 1887 ] || fail 'not all events'

it 'names the number that a field without a sign has for one below 0'
hist report -i trace.dat-samples/syscalls.dat -e sys_enter_read -f 'fd == -1' --by fd
stderr_has 'Illegal integer value'
stderr_has 'note: fd has no sign; there, this number is 18446744073709551615$'

it 'names recipes about a word, and what an option, a verb or a system of events without records stands for'
hist report -i trace.dat-samples/wakeup.dat disks
status_is 2
stderr_has 'disks: No such file or directory; recipes about it: block-latency, block-size$'
hist report -i trace.dat-samples/wakeup.dat failed
stderr_has 'failed: using the recipe syscall-errors$'
hist top -i trace.dat-samples/wakeup.dat wakeup-latency
status_is 2
stderr_has 'hist report -i trace.dat-samples/wakeup.dat answers'
hist report -i tests/golden/6.1/globs/trace.dat -e writeback --by comm
status_is 1
stdout_is ''
stderr_has 'error: no event writeback:\* is in the recording$'
for verb in ps tasks; do
	hist $verb
	status_is 2
	stderr_has "hist has this instead: hist sql FILE 'SELECT \* FROM tasks'"
done
for o in '-F x:-e EVENT -f' '-s comm:use --by KEYS' '-g:--by stack'; do
	# shellcheck disable=SC2086 # an option and its argument
	hist report -i trace.dat-samples/wakeup.dat wakeup-latency ${o%%:*}
	status_is 2
	stderr_has "hist has another option for this: .*${o#*:}"
done
hist report -i trace.dat-samples/wakeup.dat 'SELECT comm FROM sched_switch'
stderr_has 'SQL must follow --sql, and hist sql FILE answers any statement'
hist report -i trace.dat-samples/wakeup.dat -e derived:waits
stderr_has 'note: man hist-derived lists the derived events'
hist events -i trace.dat-samples/wakeup.dat -e sched_switch --fields timestamp
stderr_has 'no event has a field timestamp; all have ts, cpu, pid, comm, event, text'
hist -i trace.dat-samples/wakeup.dat
stdout_has '^nothing is known to be missing'
hist events -i trace.dat-samples/wakeup.dat -f 'comm == init'
status_is 0
stdout_has 'sched_waking: +comm=init'
hist report -i tests/golden/6.1/globs/trace.dat -e writeback_dirty_inode --by comm
stderr_has 'warning: no writeback:writeback_dirty_inode event is in the recording; hist list shows which are$'

it 'a column for --sort that no table has is an error before anything is printed'
for format in text json html; do
	hist report -i trace.dat-samples/wakeup.dat wakeup-latency --format $format --sort nothing
	status_is 2
	stdout_is ''
	stderr_has 'the histogram has no column nothing; it has comm'
done
hist report -q -i trace.dat-samples/wakeup.dat wakeup-latency --sort kind
status_is 0
stdout_has '^1. derived:wait by comm'

it 'names what words and options of other tools stand for, and what an event alone can be asked'
for word in 'recipe wakup:recipes of similar names: wakeup-latency$' 'report d-state:hist report -i FILE off-cpu -f .state == disk. --sort max$' 'record -M 1 true:hist report --cpu LIST' \
	'record -r 10 true:-r is not needed' 'timehist:timehist: hist events -e derived:task_state$' 'extract:hist record --take' \
	'report -i trace.dat-samples/wakeup.dat -e sched_switch -f prev_comm == init:a filter is one argument'; do
	# shellcheck disable=SC2086 # words
	hist ${word%%:*}
	stderr_has "${word#*:}"
done
hist report -i trace.dat-samples/wakeup.dat -e sched_switch
status_is 0
stderr_has 'note: sched_switch is counted by comm, for want of --by FIELD; it has prev_comm, prev_pid, .*; the events: hist events -i trace.dat-samples/wakeup.dat -e sched_switch$'
cp "$tmp.out" "$tmp/wanted"
hist report -i trace.dat-samples/wakeup.dat -e sched_switch --interval 100ms
status_is 0
stderr_lacks 'statistics'
hist report -i trace.dat-samples/wakeup.dat -e sched_switch --by comm
stdout_is_file "$tmp/wanted"
hist report -q -i trace.dat-samples/wakeup.dat -e sched_switch --interval 100ms
cp "$tmp.out" "$tmp/wanted"
stdout_has '^ +from +to +hits$'
hist report -q -i trace.dat-samples/wakeup.dat -e sched_switch --by comm --interval 100ms --over-time
stdout_is_file "$tmp/wanted"
hist report -q -i trace.dat-samples/wakeup.dat -e sched_switch -e sched_waking -f 'pid > 1'
stdout_has '^1. sched:sched_switch by common_comm$'
stdout_has '^2. sched:sched_waking by comm if pid > 1'

it 'names what replaces options of other tools, for each verb that is asked questions'
for o in 'report wakeup-latency --max 1ms:-D min=1ms' 'report wakeup-latency --unit us:csv and json have nanoseconds' \
	'report profile --no-children:hist report profile has' \
	'why --slowest wakeup-latency:hist why --all QUESTION' 'why --p99 wakeup-latency:--stats' \
	'top -n 1 on-cpu:--duration TIME' 'trend --baseline a b:hist diff QUESTION BEFORE AFTER' \
	'diff --baseline a b on-cpu:hist diff QUESTION BEFORE AFTER' 'events --max 5:--top N'; do
	# shellcheck disable=SC2086 # words
	hist ${o%%:*}
	status_is 2
	stderr_has "hist has another option for this: .*${o#*:}"
done

it 'names the questions about the words of something that is neither verb nor recipe'
for words in 'syscall-things' 'things-syscall' 'report syscall-things'; do
	# shellcheck disable=SC2086 # words
	hist ${words}
	status_is 2
	stderr_has 'recipes about it: syscall-count, syscall-errors, syscall-latency$'
done
hist report 'syscalls of things'
stderr_has 'recipes about it: syscall-count, syscall-errors, syscall-latency$'
hist report 'cat events/sched/sched_switch/hist'
stderr_has 'a line of a script must follow -x'
hist report -i "$wakeup" slowest syscalls
status_is 2
stderr_has 'hist why QUESTION explains the longest interval'
hist why -i "$wakeup" python3
stderr_has 'a task after --comm$'
hist latencies
stderr_has 'questions are asked by hist report; recipes about it: .*wakeup-latency'

it 'names the event of a system call, the samples that there are, the option for a question that is no event'
hist report -i trace.dat-samples/syscalls.dat -e openat --by comm
status_is 1
stderr_has 'no format for event openat; nearest: syscalls:sys_enter_openat$'
gzip -dc tests/import/samples.data.gz >"$tmp/samples.data"
hist report -i "$tmp/samples.data" -e instructions --by comm
stderr_has 'note: the recording has samples of perf:'
hist record -e wakeup-latency true
status_is 125
stderr_has 'wakeup-latency is a question, not an event: -S wakeup-latency$'
install_wrapper # it looks for the event in the kernel, and so it has saved what killed recordings left
run "$tmp/bin/hist" record -e runqlat-x true
stderr_lacks 'is a question'
hist why -i trace.dat-samples/syscalls.dat -e sys_exit
stderr_has 'is not an interval: .*derived events are, such as derived:wait'

it 'a recording after hist recipe is that of -i, and --sort count is that of hits'
hist recipe -i "$wakeup"
cp "$tmp.out" "$tmp/wanted"
hist recipe "$wakeup"
status_is 0
stdout_is_file "$tmp/wanted"
hist report -i "$switch" -e sched_switch --by next_comm --sort hits.ascending
cp "$tmp.out" "$tmp/wanted"
hist report -i "$switch" -e sched_switch --by next_comm --sort count.ascending
status_is 0
stdout_is_file "$tmp/wanted"

it 'a file has the format with which its name ends'
for verb in 'report -e sched_switch --by next_comm' 'events -e sched_switch --top 2' "sql 'SELECT 1'"; do
	for format in csv ndjson markdown; do
		end=$(echo $format | sed 's/markdown/md/')
		eval "hist $verb -i $switch --format $format -o $tmp/wanted"
		stderr_lacks 'as its name ends'
		eval "hist $verb -i $switch -o $tmp/x.$end"
		status_is 0
		stderr_has "note: $tmp/x.$end: --format $format, as its name ends; --format text writes text$"
		holds cmp "$tmp/x.$end" "$tmp/wanted"
	done
	for name in "--format text -o $tmp/x.csv" "-o $tmp/x.txt"; do
		eval "hist $verb -i $switch $name"
		status_is 0
		stderr_lacks 'as its name ends'
	done
done
hist events -i "$switch" -e sched_switch -o "$tmp/x.html"
stderr_has "note: $tmp/x.html: --format timeline, as its name ends"
hist report -i "$switch" on-cpu -o "$tmp/x.html"
holds grep -q '<title>Which tasks use' "$tmp/x.html"

it 'names the tables and columns of here for those of trace_processor'
hist sql "$wakeup" 'SELECT name FROM thread'
status_is 2
stderr_has 'note: thread is tasks here$'
hist sql "$wakeup" 'SELECT arg_max(comm, ns) FROM wait'
status_is 2
stderr_has 'note: arg_max is a column beside max\(\): SELECT comm, max\(ns\) here$'
hist sql -q "$wakeup" "SELECT sum(ns) FROM task_state WHERE state = 'running'"
status_is 0

it 'a recording that is not there is no verb, one that is compressed gets one hint'
hist nothing.dat
status_is 2
stderr_is 'hist: error: nothing.dat: cannot open: No such file or directory'
printf '\3757zXZ' >"$tmp/packed.xz"
hist "$tmp/packed.xz"
status_is 2
stderr_is "hist: error: $tmp/packed.xz: is compressed with xz; unpack it first: xzcat FILE | hist report -i -"

it 'uses the only recipe that has all words, and names what can be asked instead of one without events'
for word in cpu-time:on-cpu failing_syscall:syscall-errors memory-not-freed:leaks irq:irq-time tcp-retransmit:tcp-retransmits; do
	hist recipe ${word%%:*}
	status_is 0
	stderr_has "${word%%:*}: using the recipe ${word#*:}$"
done
hist recipe syscall-things
status_is 2
hist report -i "$switch" idle
status_is 1
stderr_has 'note: this recording can be asked: .*hist report -i FILE on-cpu'
hist report -i "$switch" tcp-retransmits
status_is 1
stderr_has 'note: hist recipe -i FILE lists what this recording answers$'

it 'a field has also the name that the text of the event shows'
net=tests/cli/recipes/net.dat
hist report -q -i $net -e net_dev_xmit -f 'name == lo' --by name --sum len
cp "$tmp.out" "$tmp/wanted"
hist report -q -i $net -e net_dev_xmit -f 'dev == lo' --by dev --sum len
status_is 0
sed 's/if dev/if name/' "$tmp.out" | cmp -s - "$tmp/wanted" || fail_file 'not the same:' "$tmp.out"
hist events -q -i $net -e net_dev_xmit -f 'dev == lo' --top 1
stdout_has 'dev=lo'
hist report -i $net -e net_dev_xmit -R 'hist:keys=dev'
status_is 1
stderr_has "Couldn't find field"
hist report -i tests/cli/recipes/irqs.dat preemptoff --by caller
status_is 1
stderr_has 'note: nearest: caller_offs$'

it 'takes verbs of other tools that are those of hist'
for word in script:events show:events query:sql info:list analyze:summary compare:diff; do
	case ${word%%:*} in
	query) set -- "$switch" 'SELECT count(*) FROM sched_switch' ;;
	compare) set -- on-cpu "$switch" "$switch" ;;
	*) set -- -i "$switch" ;;
	esac
	hist "${word#*:}" "$@"
	cp "$tmp.out" "$tmp/wanted"
	hist "${word%%:*}" "$@"
	stdout_is_file "$tmp/wanted"
	stderr_has "note: ${word%%:*}: hist ${word#*:}$"
done

it 'a program of bpftrace in place of a question is answered with the command'
while IFS='|' read -r program command; do
	hist report -i "$switch" "$program"
	status_is 2
	stderr_has "error: a program of bpftrace is here: hist report -i FILE "
	sed -n 's/.* is here: hist report -i FILE //p' "$tmp.err" >"$tmp/command"
	checked [ "$(cat "$tmp/command")" = "$command" ] || fail_file "$program:" "$tmp/command"
	eval "hist report -q -i $switch $command"
	status_is 0
done <<'END'
tracepoint:sched:sched_switch { @[args->next_comm] = count(); }|-e sched:sched_switch --by 'next_comm'
t:sched:sched_switch /args.next_pid > 0/ { @n[comm, args.next_prio] = count(); }|-e sched:sched_switch -f 'next_pid > 0' --by 'comm, next_prio'
tracepoint:raw_syscalls:sys_enter { @x = sum(args->id); }|-e raw_syscalls:sys_enter --by 'comm' --sum 'id' --stats
tracepoint:sched:sched_waking { @[comm] = hist(args->pid); }|-e sched:sched_waking --by 'comm,pid.log2'
END
hist report -i "$switch" 'kprobe:vfs_read { @start[tid] = nsecs; }'
status_is 2
stderr_lacks 'is here'

it 'a limit with a unit has no note about units, and a thread is a task'
hist report -i tests/cli/recipes/tasks.dat syscall-latency -D min=1ms --top 1
status_is 0
stderr_lacks 'numbers without a unit'
hist report -q -i "$switch" on-cpu --by thread
cp "$tmp.out" "$tmp/wanted"
hist report -q -i "$switch" on-cpu --by task
stdout_is_file "$tmp/wanted"
hist diff tests/cli/recipes/6.1.dat tests/cli/recipes/6.12.dat
status_is 2
stderr_has 'note: without a question, the stored script is compared; with one: hist diff on-cpu BEFORE AFTER'

it 'an event that was recorded, but not in the part, has no nearest one; how an answer is described'
hist events -i "$switch" -e sched_switch --pid 999999
status_is 0
stderr_lacks 'is not in the recording'
hist sql "$switch" 'SELECT max(latency) FROM wakeup_latency'
status_is 2
stderr_has 'note: DESCRIBE TABLE lists the columns of an answer$'
hist sql -q "$switch" 'DESCRIBE wakeup_latency'
status_is 0
stdout_has '^ns '

it 'tables and columns of trace_processor that have the same here are those'
hist sql -q "$wakeup" "SELECT comm, sum(ns) FROM task_state t WHERE state = 'running' GROUP BY 1 ORDER BY 2"
cp "$tmp.out" "$tmp/wanted"
hist sql "$wakeup" 'SELECT comm, sum(dur) FROM sched GROUP BY 1 ORDER BY sum(duration)'
status_is 0
stdout_is_file "$tmp/wanted"
stderr_has 'note: sched: using \(SELECT \* FROM task_state WHERE state = .running.\)$'
stderr_has 'note: dur: using ns$'
hist sql "$wakeup" "SELECT 'a,raw' AS x, count(*) > 0 FROM raw"
status_is 0
stdout_has '^a,raw  '
hist sql "$wakeup" 'SELECT host FROM sched_switch'
status_is 2
stderr_has 'note: host is a column of --hosts here$'
hist sql -q "$wakeup" "SELECT 'from sched, dur' AS dur, s.tid FROM
	ftrace_event s LIMIT 1"
status_is 0
stdout_has '^from sched, dur +[0-9]+$'
hist sql "$wakeup" 'SELECT dur FROM sched_waking'
status_is 2
stderr_has 'error: no such column: ns$'

it 'words of other tools are commands here, with their second word and with the options of the user'
tasks=tests/cli/recipes/tasks.dat
while IFS='|' read -r theirs ours; do
	eval "hist $ours"
	status_is 0
	cp "$tmp.out" "$tmp/wanted"
	eval "hist $theirs"
	status_is 0
	stdout_is_file "$tmp/wanted"
done <<END
sched latency -i $wakeup --top 3|report wakeup-latency -i $wakeup --top 3
perf sched latency -i $wakeup|report wakeup-latency -i $wakeup
sched timehist $wakeup --top 3|events -e derived:task_state -i $wakeup --top 3
trace -s -i $tasks|report syscall-latency -i $tasks
strace -c $tasks|report syscall-latency -i $tasks
mpstat $wakeup|report on-cpu --by cpu -i $wakeup
trace-cmd stat $wakeup|list $wakeup
trace-cmd report -i $wakeup --top 3|events -i $wakeup --top 3
count $wakeup|report -i $wakeup -e all --by event
report -i $tasks syscall-latency --call 'r*' --worst 2|report -i $tasks syscall-latency -D 'call=r*' --exemplars 2
report -i $wakeup -e sched_waking --by comm --avg prio|report -i $wakeup -e sched_waking --by comm --sum prio --stats
report -i $wakeup -e sched_waking --by comm --avg=prio|report -i $wakeup -e sched_waking --by comm --sum prio --stats
report -i $wakeup wakeup-latency --stdio|report -i $wakeup wakeup-latency --format text
END
hist lock contention -i "$tasks"
stdout_has '^Which locks of the kernel do tasks wait for'
hist sched map "$wakeup"
status_is 2
stderr_has 'hist has this instead: hist report wakeup-latency$'

it 'a recording may have the name of another tool'
cp "$wakeup" "$tmp/perf"
run sh -c 'cd "$1" && "$HIST" perf wakeup-latency' sh "$tmp"
status_is 0
stdout_has 'alpha-b'

it 'a profile that is asked nothing has the functions, by the keys of perf'
gzip -dc tests/import/samples.data.gz >"$tmp/samples.data"
while IFS='|' read -r theirs ours; do
	eval "hist report -q -i $tmp/samples.data $ours"
	status_is 0
	cp "$tmp.out" "$tmp/wanted"
	eval "hist report -q -i $tmp/samples.data $theirs"
	status_is 0
	stdout_is_file "$tmp/wanted"
done <<'END'
|profile
--sort dso|profile --by ip.dso
profile --by dso|profile --by ip.dso
--sort comm,symbol|profile --by comm,ip.sym
--sort hits.ascending|profile --sort hits.ascending
END

done_testing
