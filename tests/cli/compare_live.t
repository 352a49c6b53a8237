#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --compare-live: the kernel's output that a recording contains, compared with a replay.
# The recordings are some of tests/fuzz/live: one has what a kernel would have printed.
. tests/cli/lib.sh

same=tests/fuzz/live/identical

# changed OLD NEW: the recording with another text, of the same length, as the kernel's output
changed()
{
	sed "s/$1/$2/" $same >"$tmp/changed.dat"
	hist report --compare-live -i "$tmp/changed.dat"
}

it 'reports a histogram that is the same'
hist report --compare-live -i $same
status_is 0
stdout_is 'events/test/foo/hist: identical'

it 'shows the lines that differ, the kernel and the replay'
changed 'hitcount:          6' 'hitcount:          7'
status_is 1
stdout_is 'events/test/foo/hist: different
  replay { a: ~ 2^4  } hitcount:          6
  kernel { a: ~ 2^4  } hitcount:          7'

it 'names a line of which one side has another'
changed 'Hits: 30' 'Hits: 31'
status_is 1
stdout_has '^  replay     Hits: 30$'
stdout_has '^  kernel     Hits: 31$'

it 'reports lines in another order'
changed '{ a: ~ 2^1  } hitcount:          2' '{ a: ~ 2^2  } hitcount:          4'
status_is 1
stdout_has '^  replay . a: ~ 2.1  . hitcount:          2$'
sed -e 's/{ a: ~ 2^1  } hitcount:          2/X/;s/{ a: ~ 2^2  } hitcount:          4/{ a: ~ 2^1  } hitcount:          2/' \
	-e 's/^X$/{ a: ~ 2^2  } hitcount:          4/' $same >"$tmp/order.dat"
hist report --compare-live -i "$tmp/order.dat"
status_is 1
stdout_is 'events/test/foo/hist: different
  the lines are the same, in another order'

it 'explains a difference of a result that depends on the order of CPUs'
changed 'keys=a.log2:vals=hitcount' 'keys=a.log2:onms=hitcount'
status_is 1
stdout_has 'the result depends on the order of events on different CPUs'

it 'refuses a recording without live output, and a script beside it'
hist report --compare-live -i trace.dat-samples/switch.dat
status_is 2
stderr_has 'does not contain the kernel.s output: record with hist record --live'
hist report --compare-live -i $same -x 'cat trace'
status_is 2
stderr_has 'takes no other'

it 'fails if the stored script is refused'
changed "hist:keys=a.log2' >>" "hist:keys=A.log2' >>"
status_is 1
stderr_has 'Couldn.t find field'

done_testing
