#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --compare-live: compares the kernel's output in a recording with a replay. The
# recordings are some of tests/fuzz/live; one contains the output that a kernel would have printed.
. tests/cli/lib.sh

same=tests/fuzz/live/identical

# changed OLD NEW: replace a text in the kernel's output by another one of the same length
changed()
{
	sed "s/$1/$2/" $same >"$tmp/changed.dat"
	hist report --compare-live -i "$tmp/changed.dat"
}

it 'reports that a histogram is identical'
hist report --compare-live -i $same
status_is 0
stdout_is 'events/test/foo/hist: identical'

it 'prints the lines that differ, of the kernel and of the replay'
changed 'hitcount:          6' 'hitcount:          7'
status_is 1
stdout_is 'events/test/foo/hist: different
  replay { a: ~ 2^4  } hitcount:          6
  kernel { a: ~ 2^4  } hitcount:          7'

it 'prints a line for which one side has another'
changed 'Hits: 30' 'Hits: 31'
status_is 1
stdout_has '^  replay     Hits: 30$'
stdout_has '^  kernel     Hits: 31$'

it 'reports lines in a different order'
changed '{ a: ~ 2^1  } hitcount:          2' '{ a: ~ 2^2  } hitcount:          4'
status_is 1
stdout_has '^  replay . a: ~ 2.1  . hitcount:          2$'
sed -e 's/{ a: ~ 2^1  } hitcount:          2/X/;s/{ a: ~ 2^2  } hitcount:          4/{ a: ~ 2^1  } hitcount:          2/' \
	-e 's/^X$/{ a: ~ 2^2  } hitcount:          4/' $same >"$tmp/order.dat"
hist report --compare-live -i "$tmp/order.dat"
status_is 1
stdout_is 'events/test/foo/hist: different
  the lines are the same, in another order'

it 'explains the difference if a result depends on the order of CPUs'
changed 'keys=a.log2:vals=hitcount' 'keys=a.log2:onms=hitcount'
status_is 1
stdout_has 'the result depends on the order of events on different CPUs'

it 'explains hits that the kernel dropped while another CPU added the same key'
changed 'Hits: 30\(.*\)' 'Hits: 29\1'
stdout_lacks 'another CPU'
sed -e 's/Hits: 30/Hits: 29/; s/Dropped: 0/Dropped: 1/' $same >"$tmp/changed.dat"
hist report --compare-live -i "$tmp/changed.dat"
status_is 1
stdout_has '^  the kernel dropped hits because another CPU was adding their keys$'
stdout_has '^  kernel     Dropped: 1$'

it 'rejects a recording without live output, and an additional script'
hist report --compare-live -i trace.dat-samples/switch.dat
status_is 2
stderr_has 'does not contain the kernel.s output: record with hist record --live'
hist report --compare-live -i $same -x 'cat trace'
status_is 2
stderr_has 'takes no other'

it 'fails if the stored script is rejected'
changed "hist:keys=a.log2' >>" "hist:keys=A.log2' >>"
status_is 1
stderr_has 'Couldn.t find field'

done_testing
