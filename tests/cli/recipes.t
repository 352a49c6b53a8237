#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Recipes: found by name, with parameters. The result of each is compared with that of recipes.py,
# computed from the text of the same recording. Events that no sample contains are in
# ../shared/foreign, if that exists.
. tests/cli/lib.sh
layout=hist

dir=tests/cli/recipes
sample=trace.dat-samples/wakeup.dat

. tests/cli/recipes_answers.sh

it 'lists all recipes with their questions'
hist recipe
status_is 0
for file in share/hist/recipes/*.hist; do
	name=$(basename "$file" .hist)
	stdout_has "^  $name +[A-Z].*\\?\$"
done

it 'prints one recipe'
hist recipe wakeup-latency
status_is 0
stdout_is_file share/hist/recipes/wakeup-latency.hist

it 'lists the recipes that a recording has events for, and the events that others lack'
hist recipe -i $sample
status_is 0
stdout_has '^  wakeup-latency +How long'
stdout_has '^  block-size +not recorded: block:block_rq_issue, block:block_rq_complete$'
hist recipe -i $sample wakeup-latency
status_is 0
hist recipe -i $sample block-size
status_is 1
stdout_is 'block-size: not recorded: block:block_rq_issue, block:block_rq_complete'
hist list -i $sample
stdout_has '^  recipes .*off-cpu, on-cpu'
stdout_has 'hist report NAME -i trace.dat-samples/wakeup.dat'

it 'is accepted wherever a script is'
hist report wakeup-latency -i $sample
status_is 0
stdout_has 'comm: alpha-a .*hitcount:'
hist report $sample wakeup-latency
status_is 0
hist check wakeup-latency -i $sample
status_is 0
hist diff -S wakeup-latency $sample $sample
status_is 0
hist slim -i $sample -o "$tmp/slim.dat" wakeup-latency
status_is 0

it 'a file of that name takes precedence, a directory does not'
mkdir "$tmp/wd"
here=$PWD
program=$(realpath "$HIST")
echo 'cat tracing_on' >"$tmp/wd/wakeup-latency"
cd "$tmp/wd" || exit
run "$program" report wakeup-latency -i "$here/$sample"
status_is 0
stdout_is 1
rm wakeup-latency
mkdir wakeup-latency
run "$program" report wakeup-latency -i "$here/$sample"
status_is 0
stdout_has '^alpha-a  '
cd "$here" || exit

it 'HIST_RECIPES adds recipes, which take precedence'
mkdir "$tmp/more" "$tmp/less"
printf '# mine: Is it on?\ncat tracing_on\n' >"$tmp/more/mine.hist"
printf '# on-cpu: Hidden?\ncat tracing_on\n' >"$tmp/more/on-cpu.hist"
printf '# on-cpu: Later?\ncat error_log\n' >"$tmp/less/on-cpu.hist"
HIST_RECIPES=/nonexistent:$tmp/more::$tmp/less
export HIST_RECIPES
hist report mine -i $sample
status_is 0
stdout_is 1
hist report on-cpu -i $sample
stdout_is 1
hist recipe
stdout_has '^  mine +Is it on\?'
stdout_has '^  on-cpu +Hidden\?'
stdout_lacks 'Later'
unset HIST_RECIPES

it 'changes no script whose first comment has a colon but asks nothing'
cat >"$tmp/mine" <<'end'
# mine: switches by task
echo 'hist:keys=common_pid.execname' > events/sched/sched_switch/trigger
cat events/sched/sched_switch/hist
end
hist report "$tmp/mine" -i $sample
status_is 0
stdout_has 'trigger info: hist:keys=common_pid.execname:'
hist report "$tmp/mine" -i $sample --strict-kernel
stdout_has 'trigger info: hist:keys=common_pid.execname:'

it 'suggests similar names'
hist report wakup-latency -i $sample
status_is 2
stderr_has 'wakup-latency: No such file or directory; recipes of similar names: wakeup-latency'
hist recipe wakup-latency
status_is 2
stderr_has 'there is no recipe wakup-latency; recipes of similar names: wakeup-latency'
hist report ./wakeup-latency -i $sample
status_is 2
hist recipe ../recipes/on-cpu
status_is 2

it 'a tool that no recipe replaces is answered with what comes nearest'
hist recipe capable
status_is 2
stderr_has 'there is no recipe capable; nearest: hist report -e capability:cap_capable --by comm,cap'
hist report tcprtt -i $sample
status_is 2
stderr_has '; nearest: hist report -e tcp:tcp_probe --by srtt.log2'
hist recipe biotop
status_is 0
stderr_has 'the recipe block-size'

it 'each tool has one answer, with recipes that exist'
sed -n 's/^# Alias: //p' share/hist/recipes/*.hist | tr -d ' ' | tr , '\n' >"$tmp/names"
sed -n 's/^\([^#:]*\):.*/\1/p' share/hist/recipes/other-tools >>"$tmp/names"
hist recipe
sed -n 's/^  \([a-z0-9-]*\) .*/\1/p' "$tmp.out" >"$tmp/recipes"
cat "$tmp/recipes" "$tmp/names" | sort | uniq -d >"$tmp/twice"
checked [ ! -s "$tmp/twice" ] || fail_file 'twice:' "$tmp/twice"
# shellcheck disable=SC2013 # words
for name in $(sed '/^#/d; s/^[^:]*://' share/hist/recipes/other-tools | grep -o '[a-z]\{1,\}\(-[a-z]\{1,\}\)\{1,\}' | sort -u); do
	case $name in
	trace-cmd | context-switches | perf-sched-map | hist-triggers | cache-misses) ;;
	*) checked grep -q -x -e "$name" "$tmp/recipes" || fail "there is no recipe $name" ;;
	esac
done

it 'substitutes parameters'
hist recipe wakeup-latency -D min=100 -D 'comm=alpha*'
status_is 0
stdout_has 'ns >= 100us && comm ~ "alpha\*"'
stdout_has 'if us >= 100 && comm ~ "alpha\*"'
stdout_lacks '@[a-z]*@'
hist report -q wakeup-latency -i $sample -D 'comm=alpha*'
status_is 0
stdout_has 'comm: alpha-a '
stdout_lacks 'comm: (work|rcu)'

it 'rejects a value that would end the quotes, or is not a number where one is needed'
for value in "a'b" 'a"b' 'a\b' 'a$b' 'a`b' 'a
b'; do
	hist report wakeup-latency -i $sample -D "comm=$value"
	status_is 2
	stdout_is ''
	stderr_has '^-D:1:6: error: comm takes text without quotes'
done
hist report wakeup-latency -i $sample -D min=1x
status_is 2
stderr_has "^-D:1:5: error: min takes a time such as 10ms or 500us, not '1x'"
stderr_has '^    min=1x$'
stderr_has '^        \^$'
hist report wakeup-latency -i $sample -D min=
status_is 2
hist report page-faults -i $sample -D range=99999999999999999999
status_is 2
stderr_has "^-D:1:7: error: range takes a number, not '99999999999999999999'"

it 'all formats have names next to numbers as declared in the header'
hist report -q off-cpu -i $sample --strict-kernel
status_is 0
stdout_has 'comm: rcu_preempt .*state: I +\[128\] } hitcount: +87 '
hist report -q off-cpu -i $sample --strict-kernel --format ndjson
stdout_has '"key":\{"comm":"rcu_preempt","state":128\},"text":\{"state":"I"\},"val"'
cat >"$tmp/names" <<'E'
# names: Which priority has a name?
# Names: prio 120=normal
#     139=low
# Shows: nothing
echo 'hist:keys=prio:sort=prio' >> events/sched/sched_waking/trigger
E
hist report -q -i $sample "$tmp/names"
stdout_has '^\{ prio: normal +\[120\] \} hitcount:'
hist report -q -i $sample -e sched_waking -R hist:keys=prio:sort=prio
stdout_has '^\{ prio:        120 \} hitcount:'
hist report -q -i tests/cli/recipes/tasks.dat syscall-errors
stdout_has 'id: sys_openat +\[257\], error: ENOENT +\[  2\] }'

it 'names can be those of the print fmt of an event'
cat >"$tmp/names" <<'E'
# names: In which states are tasks switched?
# Names: prev_state sched:sched_switch.prev_state 0=R 256=R+
# Names: prev_prio sched:sched_switch.prev_prio nosuch:event.field sched:nosuch.field : . a:b 120=normal
echo 'hist:keys=prev_state,prev_prio:sort=prev_state' >> events/sched/sched_switch/trigger
E
hist report -q -i tests/cli/recipes/6.12.dat "$tmp/names"
status_is 0
stdout_has '^\{ prev_state: R +\[ *0\], prev_prio: normal +\[ *120\] \}'
stdout_has '^\{ prev_state: S +\[ *1\], '
stdout_has '^\{ prev_state: I +\[ *128\], '
hist report -q -i tests/cli/recipes/6.12.dat packet-drops
stdout_has 'reason: QUEUE_PURGE +\[ 91\]'
hist report -q -i tests/cli/recipes/7.3.dat packet-drops
stdout_has 'reason: QUEUE_PURGE +\[103\]'

it 'names the event that -D chooses, if the recording has it in another system'
hist report inter-arrival -i $sample -D event=sched_wakking
stderr_has 'inter-arrival: the recording has no format for event sched:sched_wakking; nearest: sched:sched_waking.*; -D chooses the event$'
stderr_lacks 'kernels with these events'

it 'rejects a parameter that no script has'
hist report wakeup-latency -i $sample -D max=1
status_is 2
stderr_is "-D:1:1: error: no script has a parameter 'max'; there are comm, min
    max=1
    ^~~
hist: note: a filter on the answer, by its fields: -f 'max == 1'"
hist report wakeup-latency -i $sample max=1
status_is 2
stderr_is 'hist: error: max=1: no such script; a parameter of a recipe must follow -D, a filter -f'
hist report wakeup-latency -i $sample -D max=1
stderr_has "a filter on the answer, by its fields: -f 'max == 1'"
hist report wakeup-latency -i $sample -D minn=5ms
status_is 2
stderr_has 'note: nearest: -D min=5ms$'
stderr_lacks 'a filter on the answer'
hist recipe wakeup-latency -D max=1
status_is 2
stderr_has "^-D:1:1: error: no script has a parameter 'max'; there are comm, min$"

it 'names the kernels of a recipe whose fields this one does not have'
cat >"$tmp/newer.hist" <<'EOF2'
# newer: What does a later kernel have?
#
# Needs: sched:sched_switch
# Kernels: 9.9 and later; before, see older
echo 'hist:keys=next_colour' >> events/sched/sched_switch/trigger
EOF2
HIST_RECIPES=$tmp hist report -i $sample newer
status_is 1
stderr_has '^newer:5:[0-9]*: error: .*find field$'
stderr_has '^hist: note: kernels with these events: 9.9 and later; before, see older$'

it 'a recipe can do with another event'
cat >"$tmp/wakeup.txt" <<'END2'
# tracer: nop
          <idle>-0     [000] dNh2.     1.000100: sched_wakeup: comm=alpha pid=7 prio=120 target_cpu=000
          <idle>-0     [000] d..2.     1.000150: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=alpha next_pid=7 next_prio=120
END2
hist recipe -q -i "$tmp/wakeup.txt"
status_is 0
awk '!NF { exit } { print $1 }' "$tmp.out" >"$tmp/names"
holds test "$(paste -s -d ' ' "$tmp/names")" = 'inversions off-cpu on-cpu preemptions run-queue-wait scheduler task-states wakeup-latency'
hist report -q -i "$tmp/wakeup.txt" wakeup-latency
status_is 0
stdout_has 'comm: alpha .*hitcount: +1 +ns: +50000'
hist recipe -i "$tmp/wakeup.txt" wakers
stdout_is 'wakers: not recorded: sched:sched_waking'
sed -i /sched_wakeup/d "$tmp/wakeup.txt"
hist recipe -i "$tmp/wakeup.txt" wakeup-latency
stdout_is 'wakeup-latency: not recorded: sched:sched_waking'

it 'the rest of -D'
hist report -i $sample -D min=1 -e sched_switch -R 'hist:keys=pid'
status_is 2
hist report wakeup-latency -i $sample -D min
status_is 2
stderr_has '-D takes NAME=VALUE'
hist recipe -D min=1
status_is 2

it 'substitutes only parameters'
printf '# x: A question?\n# Parameter: n=5\necho "hist:keys=pid if pid == @n@ || comm == \\"@m@\\" || comm == \\"@\\"" >> events/sched/sched_waking/trigger\n' >"$tmp/x.hist"
HIST_RECIPES=$tmp hist report x -i $sample -D n=7
status_is 0
stdout_has 'if pid == 7 \|\| comm == "@m@" \|\| comm == "@"'

# What derived events are made of; a recipe can need one that is optional, for what it asks.
cat >"$tmp/derived" <<'END'
derived:(wait|delay|task_state|runqueue) sched:sched_switch sched:sched_waking
derived:syscall raw_syscalls:sys_enter raw_syscalls:sys_exit
derived:slice ftrace:print
derived:function ftrace:funcgraph_exit
derived:block_io block:block_rq_issue block:block_rq_complete
derived:lock_wait lock:contention_begin lock:contention_end sched:sched_switch sched:sched_waking
derived:softirq_wait irq:softirq_raise irq:softirq_entry
derived:(throttle|held) hist:throttle_down hist:throttle_up sched:sched_switch sched:sched_waking
derived:allocation kmem:kmalloc kmem:kfree kmem:kmem_cache_alloc kmem:kmem_cache_free
END

it 'the headers list exactly the events that the scripts need'
for file in share/hist/recipes/*.hist; do
	name=$(basename "$file" .hist)
	# events may contain parameters
	sed -n 's/^# Parameter: \([a-z]*\)=\([^ ]*\).*/s,@\1@,\2,g/p' "$file" >"$tmp/defaults"
	sed -f "$tmp/defaults" "$file" | sed -n 's/^# Needs: //p' | sed 's/ or [a-z:_]*//g' | tr -d ' ' | tr , '\n' | grep -v '^ftrace:kernel_stack$' | sort >"$tmp/needs"
	sed -f "$tmp/defaults" "$file" | sed 's,^table \([a-z_]*\):\([a-z_]*\) .*,events/\1/\2/trigger,' | grep -o -e 'events/[a-z_]*/[a-z_]*/trigger' | grep -v events/synthetic |
		sed 's,events/\(.*\)/\(.*\)/trigger,\1:\2,' | sort -u >"$tmp/uses"
	# derived:irq contains those kinds of interrupts that were recorded; the second form has the same
	grep -v -x derived:irq "$tmp/uses" >"$tmp/x"
	mv "$tmp/x" "$tmp/uses"
	: >"$tmp/may"
	grep '^derived:' "$tmp/uses" >"$tmp/of" && while read -r of needed optional; do
		grep -q -x -E -e "$of" "$tmp/of" || continue
		echo "$needed" >>"$tmp/uses"
		echo "$optional" | tr ' ' '\n' >>"$tmp/may"
		grep -v -x -E -e "$of" "$tmp/of" >"$tmp/left"
		mv "$tmp/left" "$tmp/of"
	done <"$tmp/derived"
	checked [ ! -s "$tmp/of" ] || fail_file "$name: unknown:" "$tmp/of"
	grep -v '^derived:' "$tmp/uses" | sort -u >"$tmp/must"
	comm -23 "$tmp/must" "$tmp/needs" >"$tmp/x"
	checked [ ! -s "$tmp/x" ] || fail_file "$name: uses, but does not need:" "$tmp/x"
	sort -u "$tmp/may" "$tmp/must" | comm -23 "$tmp/needs" - >"$tmp/x"
	checked [ ! -s "$tmp/x" ] || fail_file "$name: needs, but does not use:" "$tmp/x"
	for p in $(grep -o '@[a-z]*@' "$file" | tr -d @ | sort -u); do
		grep -q "^# Parameter: $p=" "$file" || fail "$name: no parameter $p"
	done
	for word in Shows Kernels Example; do
		grep -q "^# $word: " "$file" || fail "$name: no '$word' in its header"
	done
done

it 'a recipe of two events is typed as the manual has it'
mkdir "$tmp/own"
sed -n '/^# pairs: /,/^.EE/p' man/hist-recipe.1 | sed '$d' >"$tmp/own/pairs.hist"
wakeup=trace.dat-samples/wakeup.dat
HIST_RECIPES=$tmp/own hist report -q -i $wakeup pairs -D 'comm=alpha*' --format text
status_is 0
stdout_has '^Which tasks are woken, and which stop running\?$'
stdout_has '^1\. sched:sched_waking by comm'
stdout_has '^2\. sched:sched_switch by prev_comm, prev_state'
HIST_RECIPES=$tmp/own hist report -q -i $wakeup pairs -D 'comm=alpha*' --show 1 --format csv
cp "$tmp.out" "$tmp/got"
hist report -q -i $wakeup -e sched_waking --by comm -f 'comm ~ "alpha*"' --format csv
stdout_is_file "$tmp/got"
HIST_RECIPES=$tmp/own hist report -q -i $wakeup pairs -f 'prev_pid == 0' --format csv
status_is 0
stderr_lacks 'error'
HIST_RECIPES=$tmp/own hist recipe -i $wakeup
stdout_has '^  pairs  *Which tasks are woken'
# what is wrong is shown where it is
sed 's/ by prev_comm/ by prev_name/' "$tmp/own/pairs.hist" >"$tmp/own/wrong.hist"
hist report -i $wakeup "$tmp/own/wrong.hist" -q
status_is 1
stderr_has 'wrong.hist:[0-9]*:[0-9]*: error: .*find field$'
hist check -i $wakeup -x 'table sched:sched_switch by prev_name'
status_is 1
stderr_has '^-x:1:29: error: .*find field'
hist check -i $wakeup -x 'table sched:sched_switch of prev_comm'
status_is 1
stderr_has '^-x:1:26: error: a table is: table EVENT'

it 'all recipes for tasks.dat that kernels can run work together'
# shellcheck disable=SC2046 # several names
hist check -i $dir/tasks.dat $(hist recipe -q -i $dir/tasks.dat && awk '!NF { exit } $1 !~ /^(inversions|lock-inversions|scheduler|task-states)$/ { print $1 }' "$tmp.out")
status_is 0

answers $dir/tasks.dat futex-wait irq-time kmalloc-by-site kmalloc-waste \
	inter-arrival lock-contention migrations off-cpu on-cpu page-faults preemptions process-lifetime \
	read-write-sizes run-queue-wait signals slab-churn softirq-time syscall-count syscall-errors \
	syscall-latency timer-lateness wakers wakeup-latency
answers $dir/work.dat block-latency block-size wheel-timer-lateness workqueue-latency workqueue-time
answers $dir/marker.dat marker-slices
answers $dir/functions.dat function-count function-time
answers $dir/irqs.dat irqs-off preempt-off
answers $dir/power.dat cpu-idle-residency cpu-frequency-residency
it 'lists the recipes for events of ftrace'
hist recipe -i $dir/marker.dat
stdout_has '^  marker-slices '
hist recipe -i $dir/functions.dat
stdout_has '^  function-count '
hist report -q -i $dir/functions.dat -e '*' --by common_cpu
stdout_has '^==> events/ftrace/function/hist'
stdout_lacks 'Hits: 0'

answers $dir/net.dat net-receive net-send tcp-retransmits
if [ -f ../shared/foreign/arm64-sched-load.dat ]; then
	answers ../shared/foreign/arm64-sched-load.dat cpu-frequency-residency cpu-idle-residency \
		on-cpu preemptions migrations
fi

it 'futex-wait has each operation that waits, and no other'
for op in 0 1 2 3 5 6 7 9 b 80 81 86 89 8b 109 189; do
	cat >"$tmp/futex.txt" <<-END
		# tracer: nop
		#
		            prog-42    [000] .....     1.000000: sys_futex(uaddr: 7f0010, op: $op, val: 0, utime: 0, uaddr2: 0, val3: 0)
		            prog-42    [000] .....     1.000700: sys_futex -> 0x0
	END
	hist report -q -i "$tmp/futex.txt" futex-wait --format csv
	case $op in
	0 | 6 | 9 | 80 | 86 | 89 | 109 | 189) stdout_has '^prog-42,1,700,' ;;
	*) stdout_lacks prog ;;
	esac
done

done_testing
