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

probed=tests/golden/7.3/probe-fault/trace.dat
on_lseek='e:eprobes/eu syscalls.sys_enter_lseek s=+0($offset):ustring t=+0($offset):string n=+0($offset):u16'

it 'an enabled eprobe enables its event softly, and is one of its triggers'
hist report -i $probed --kernel=7.0 -x "echo '$on_lseek' > dynamic_events" -x 'echo 1 > events/eprobes/eu/enable' -x 'cat set_event' \
	-x 'cat events/syscalls/sys_enter_lseek/enable' -x 'echo hist:keys=fd > events/syscalls/sys_enter_lseek/trigger' \
	-x 'cat show_event_triggers' -x 'echo 0 > events/eprobes/eu/enable' -x 'cat show_event_triggers'
status_is 0
stdout_is 'eprobes:eu
syscalls:sys_enter_lseek
0*
syscalls:sys_enter_lseek        syscalls:sys_enter_lseek        hist:keys=fd:vals=hitcount:sort=hitcount:size=2048 [active]
syscalls:sys_enter_lseek        hist:keys=fd:vals=hitcount:sort=hitcount:size=2048 [active]'

it 'dynamic_events: returns of functions, addresses, $arg* of a recorded probe'
hist report -i $probed -x "echo 'f:a vfs_read r=\$retval' > dynamic_events" -x "echo 'p:b 0x10' >> dynamic_events" \
	-x "echo 'r 0x1f' >> dynamic_events" -x "echo 'p:kb __x64_sys_lseek \$arg* c=\$comm' >> dynamic_events" -x 'cat dynamic_events'
status_is 0
stdout_is 'f:fprobes/a vfs_read%return r=$retval
p:kprobes/b 0x0000000000000010
r10:kprobes/r_0x000000000000001f 0x000000000000001f
p:kprobes/kb __x64_sys_lseek s=s u=u n=n a=a c=$comm'
stderr_has 'p:b 0x10'
stderr_has 'a hash that only it can compute'
hist report -i $probed -x "echo 'p:x vfs_read \$arg*' > dynamic_events" -x "echo 'p:y vfs_read f=%di:%pD' >> dynamic_events"
stderr_has '\$arg\* stands for the arguments of the function, whose types were not recorded'
stderr_has ':%pD is shown as written'
hist report -i $probed -x 'echo "p:x +0" > kprobe_events' -x 'cat error_log'
status_is 1
hist report --keep-going -i $probed -x 'echo "p:x +0" > kprobe_events' -x 'cat error_log'
stdout_has 'trace_kprobe: error: Failed to register probe event'

it 'places that have a probe: a second one of a tracepoint needs 6.16, one of a file the same reference counter'
hist report -i $probed --kernel=6.12 -x "echo 't:a task_rename' > dynamic_events" -x "echo 't:b task_rename' >> dynamic_events"
status_is 1
stderr_has 'another probe is on this tracepoint: File exists'
hist report -i $probed --kernel=6.16 -x "echo 't:a task_rename' > dynamic_events" -x "echo 't:b task_rename' >> dynamic_events"
status_is 0
hist report -i $probed -x "echo 'p:a /bin/fw:0x17dc' > uprobe_events" -x "echo 'p:b /bin/fw:0x17dc(0x10)' >> uprobe_events"
status_is 1
stderr_has 'has another reference counter: Invalid argument'
hist report -i $probed -x "echo 'p:a /bin/fw:0x17dc(0x10)' > uprobe_events" -x "echo 'p:b /bin/fw:0x17dc(0x10)' >> uprobe_events"
status_is 0

it 'a filter on a string that a probe could not read, at the end of its record, has a warning'
unread=tests/golden/7.3/string-unread/trace.dat
hist report -i $unread -x "echo 'hist:keys=n if s == \"abc\"' > events/kprobes/kf/trigger"
status_is 0
stderr_has '[0-9]+ times a filter compared a string that a probe could not read'
hist report --strict -i $unread -x "echo 'hist:keys=n if s == \"abc\"' > events/kprobes/kf/trigger"
status_is 2
hist report -i $unread -x "echo 'hist:keys=n if n == 3' > events/kprobes/kf/trigger"
status_is 0
stderr_is ''

done_testing
