#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report, hist list: losses that are in the kernel's statistics and not in any sub-buffer.
. tests/cli/lib.sh

# The statistics are text in an option that is not compressed; change those of the first CPU.
python3 - trace.dat-samples/switch.dat "$tmp/lost.dat" <<'END'
import sys
data = open(sys.argv[1], 'rb').read()
for name, n in (b'dropped events', b'7'), (b'commit overrun', b'2'):
    assert name + b': 0\n' in data
    data = data.replace(name + b': 0\n', name + b': ' + n + b'\n', 1)
open(sys.argv[2], 'wb').write(data)
END

it 'report prints them, and --strict makes them an error'
hist report -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=common_cpu'
status_is 0
stderr_is ''
cp "$tmp.out" "$tmp/whole"
hist report -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
status_is 0
stdout_is_file "$tmp/whole"
stderr_has 'warning: .*lost.dat: CPU 0 dropped 7 events because its buffer was full'
stderr_has 'warning: .*lost.dat: CPU 0 lost 2 events .*commit overrun'
hist report --strict -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
status_is 2

it 'also in json'
hist report --format json -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
stdout_has '"lost_events":9,'

it 'only for the CPUs that are read'
hist report --strict --cpu 1 -i "$tmp/lost.dat" -e sched_switch -R 'hist:keys=common_cpu'
status_is 0
stderr_is ''

it 'list counts them'
hist list -i "$tmp/lost.dat"
stdout_has 'CPU 0 .* 9 lost'
stdout_has 'CPU 1 .* 0 lost'

done_testing
