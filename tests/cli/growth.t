#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Scripts with thousands of definitions, and command lines.
. tests/cli/growth.sh

grows 'synthetic events' "$synth"
grows 'synthetic events, removed' "$synth" "echo '!ev&' >> synthetic_events"
grows 'synthetic events with a histogram' "$synth" "echo 'hist:keys=pid' >> events/synthetic/ev&/trigger"
grows 'synthetic events that are on' "$synth" "echo synthetic:ev& >> set_event"
grows 'synthetic events that a trigger switches' "$synth" "echo 'enable_event:synthetic:ev&' >> $event/trigger" \
	"echo '!enable_event:synthetic:ev&' >> $event/trigger"
grows 'probes' "$probe"
grows 'probes, removed' "$probe" "echo '-:kp&' >> kprobe_events"
grows 'probes with a histogram' "$probe" "echo 'hist:keys=a' >> events/kprobes/kp&/trigger"
grows 'places of one probe' "echo 'p:kp do_sys_open+& a=%di' >> kprobe_events"
grows 'dynamic events' "echo 's:dv& u64 lat; pid_t pid' >> dynamic_events"

options_grow 'options -e' -e sys_enter_sync -R 'hist:keys=common_pid:v&=common_timestamp'
options_grow 'options --synth' --synth 'ev& u64 lat' -e 'ev&' --by lat
options_grow 'options -x' -x "echo 'ev& u64 lat' >> synthetic_events" -x "echo 'hist:keys=lat' >> events/synthetic/ev&/trigger"

done_testing
