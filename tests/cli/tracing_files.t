#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Files of the tracing directory that no trigger needs, but that scripts read and write.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat

# files LINE...: run a script with these lines on the sample
files()
{
	n=$#
	while [ "$n" -gt 0 ]; do
		line=$1
		shift
		set -- "$@" -x "$line"
		n=$((n - 1))
	done
	hist report -i $sample "$@"
}

it 'README describes the directory'
files 'cat README'
status_is 0
stdout_has 'trigger, hist, hist_debug'

it 'timestamp_mode and the tracer'
files 'cat timestamp_mode' 'cat current_tracer' 'echo nop > current_tracer' 'cat current_tracer'
status_is 0
stdout_is '[delta] absolute
nop
nop'
files 'echo function > current_tracer'
status_is 1
stderr_has 'only the nop tracer can be replayed: Invalid argument'

it 'saved_cmdlines has the names of tasks'
files 'cat saved_cmdlines'
status_is 0
stdout_has '^[0-9]+ rcu_preempt$'

it 'set_event_notrace_pid: written, appended to, cleared; its tasks are not traced'
files 'echo 5 > set_event_notrace_pid' 'echo 7 >> set_event_notrace_pid' 'cat set_event_notrace_pid' \
	'echo > set_event_notrace_pid' 'cat set_event_notrace_pid'
status_is 0
stdout_is '5
7'
hits="echo 'hist:keys=common_pid' >> events/kmem/kmalloc/trigger"
hist report -i trace.dat-samples/kmalloc.dat -x "$hits"
stdout_has 'common_pid: +1 '
stdout_has 'common_pid: +411 '
hist report -i trace.dat-samples/kmalloc.dat -x 'echo 1 > set_event_notrace_pid' -x "$hits"
stdout_has 'common_pid: +411 '
stdout_lacks 'common_pid: +1 '

it 'kprobe_events: a name that libtraceevent cannot parse is refused'
hist report -i trace.dat-samples/switch.dat -x "$(printf 'echo "p:g/n sym \351=%%ax" >> kprobe_events')"
status_is 1
stderr_has 'names of arguments that are not ASCII are not supported'

it 'uprobe_events: a probe is defined, and removed by emptying the file'
files 'echo "p:a /bin/bash:0x10" > uprobe_events' 'cat uprobe_events' 'echo > uprobe_events' 'cat uprobe_events'
status_is 0
stdout_is 'p:uprobes/a /bin/bash:0x0000000000000010'

it 'options: read, written; one without an effect has a note; invalid values are rejected'
files 'cat options/event-fork' 'echo 1 > options/event-fork' 'cat options/event-fork'
status_is 0
stdout_is '0
1'
files 'echo 2 > options/event-fork'
status_is 1
stderr_has 'Invalid argument'

it 'trace_clock: lists the clocks; an unknown one is rejected, a different one has a warning'
files 'cat trace_clock'
stdout_has '^\[local\] global'
files 'echo sundial > trace_clock'
status_is 1
stderr_has 'unknown clock: Invalid argument'
files 'echo global > trace_clock'
status_is 0
stderr_has 'times are not converted to global'

it 'snapshot: allocated and freed; other numbers clear it'
files 'echo 1 > snapshot' 'echo 0 > snapshot' 'cat snapshot'
status_is 0
stdout_has 'Snapshot is freed'
files 'echo x > snapshot'
status_is 1
stderr_has 'Invalid argument'

it 'tracing_on accepts a number'
files 'echo x > tracing_on'
status_is 1
stderr_has 'tracing_on takes 0 or 1: Invalid argument'

done_testing
