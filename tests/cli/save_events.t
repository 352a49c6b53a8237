#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# report --save-events: a recording of the traced events, which trace-cmd and hist read alike.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
dat=$tmp/events.dat
on='echo 1 > events/sched/sched_switch/enable'

# save INPUT ARG...: write $dat
save()
{
	input=$1
	shift
	rm -f "$dat"
	hist report -i "$input" --save-events "$dat" "$@"
}

# plain FILE: the text of trace-cmd without times; a synthetic event has the time of the event that
# generated it
plain()
{
	trace-cmd report -i "$1" 2>/dev/null | sed 's/ *[0-9]*\.[0-9]*: / T: /'
}

counts()
{
	hist list "$1"
	status_is 0
	sed -n 's/^ *\([0-9]*\)  \([a-z_]*:[a-z_]*\)$/\1 \2/p' "$tmp.out" | sort
}

# The kernel recorded the same events, including the synthetic ones that it generated.
for scenario in tests/golden/6.*/design-3-trace-action ../shared/corpus/6.*/design-3-trace-action; do
	[ -f "$scenario/trace.dat" ] || continue
	it "$scenario: the events that the kernel recorded"
	save "$scenario/trace.dat" "$scenario/triggers"
	status_is 0
	counts "$scenario/trace.dat" >"$tmp/want"
	counts "$dat" >"$tmp/got"
	holds diff "$tmp/want" "$tmp/got"
	check_reader "$dat"
	status_is 0
	if have trace-cmd; then
		plain "$scenario/trace.dat" >"$tmp/want"
		plain "$dat" >"$tmp/got"
		holds diff "$tmp/want" "$tmp/got"
	fi
done

it 'saves only enabled events, and markers'
save $sample -x "$on"
status_is 0
counts $sample | grep -E 'sched_switch$|print$' >"$tmp/want"
counts "$dat" >"$tmp/got"
holds diff "$tmp/want" "$tmp/got"
save $sample -x 'echo hist:keys=next_comm > events/sched/sched_switch/trigger'
stdout_has 'Hits: '
counts "$dat" >"$tmp/got"
holds test "$(cat "$tmp/got")" = '1 ftrace:print'

it 'saves events that pass filters, switches and the span of time'
save $sample -x "$on" -x "echo 'next_pid == 0' > events/sched/sched_switch/filter"
status_is 0
hist report -q -i $sample -x "echo 'hist:keys=next_pid if next_pid == 0' > events/sched/sched_switch/trigger"
n=$(sed -n 's/^    Hits: //p' "$tmp.out")
counts "$dat" >"$tmp/got"
holds grep -qx "$n sched:sched_switch" "$tmp/got"
save $sample --cpu 1 --to +0.05 -x "$on"
hist report -q -i $sample --cpu 1 --to +0.05 -x 'echo hist:keys=next_pid > events/sched/sched_switch/trigger'
n=$(sed -n 's/^    Hits: //p' "$tmp.out")
counts "$dat" >"$tmp/got"
holds grep -qx "$n sched:sched_switch" "$tmp/got"

it 'adds formats for synthetic events, with free ids'
save $sample -x "echo 'one pid_t pid; char[16] comm' >> synthetic_events" \
	-x 'echo 1 > events/synthetic/one/enable' \
	-x "echo 'hist:keys=next_comm:c=next_pid:onchange(\$c).trace(one,\$c,next_comm)' >> events/sched/sched_switch/trigger"
status_is 0
hist list "$dat"
stdout_has ' synthetic:one$'
hist report -i "$dat" -x 'cat events/synthetic/one/format'
stdout_has '^name: one$'
hist list -a "$dat"
holds test "$(sed -n 's/^ *[0-9]*  \([a-z_]*:.*\)/\1/p' "$tmp.out" | sort | uniq -d | wc -l)" = 0
if have trace-cmd; then
	trace-cmd report -i "$dat" >"$tmp.out" 2>"$tmp.err"
	stdout_has ' one: '
	stdout_lacks 'UNKNOWN|unknown event'
fi

it 'saves in every version and codec'
for form in '--file-version 6' '--file-version 7 -z none' '--file-version 7 -z zlib' '--file-version 7 -z zstd'; do
	# shellcheck disable=SC2086 # options
	hist slim -q -i $sample $form -o "$tmp/form.dat" -x "$on" -x 'cat trace'
	save "$tmp/form.dat" -x "$on"
	status_is 0
	counts "$tmp/form.dat" >"$tmp/want"
	counts "$dat" >"$tmp/got"
	holds diff "$tmp/want" "$tmp/got"
done

it 'writes nothing if the script is rejected, unless -k is given'
save $sample -x 'echo hist:keys=nosuch > events/sched/sched_switch/trigger'
status_is 1
holds test ! -e "$dat"
save $sample -k -x 'echo hist:keys=nosuch > events/sched/sched_switch/trigger' -x "$on"
status_is 1
hist list "$dat"
stdout_has 'sched_switch$'

it 'prints nothing if the script has no histogram'
hist report -i $sample --save-events "$dat" -x "$on"
status_is 0
stdout_is ''
stderr_is ''

it 'does not overwrite its input, and reports a path that cannot be written'
cp $sample "$tmp/self.dat"
hist report -i "$tmp/self.dat" --save-events "$tmp/self.dat" -x "$on"
status_is 2
stderr_has 'self.dat: is an input of this command'
holds cmp $sample "$tmp/self.dat"
hist report -i $sample --save-events /dev/null -x "$on"
status_is 2
stderr_has '/dev/null: cannot write: not a regular file'
hist report -i $sample --save-events - -x "$on"
status_is 2
stderr_has 'a recording cannot be written to standard output'
holds test ! -e ./-
: >"$tmp/no"
hist report -i $sample --save-events "$tmp/no/such.dat" -x "$on"
status_is 2
stderr_has '/no.*: cannot create: (Not a directory|File exists)'
cp $sample "$tmp/again.dat"
hist report -i $sample -i "$tmp/again.dat" --save-events "$dat" -x "$on"
status_is 2
stderr_has 'one recording'

done_testing
