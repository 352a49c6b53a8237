#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Keys of questions that are no plain numbers: arrays of a varying length, and times.
. tests/cli/lib.sh

mask=tests/golden/7.3/bitmask-list/trace.dat

it 'an array is no key, value or operand of a question'
if [ -f $mask ]; then
	for question in '--by cpumask' '--by callback --sum cpumask' '--by common_cpu,cpumask.hex'; do
		# shellcheck disable=SC2086
		hist report -q -i $mask -e ipi_send_cpumask $question
		status_is 1
		stdout_is ''
		stderr_has 'cpumask is an array, not a number: hist events and hist sql show its elements'
	done
	hist report -q -i $mask -e ipi_send_cpumask -f 'cpumask == 3' --by common_cpu
	status_is 1
	stdout_is ''
	hist report -q -i $mask -e ipi_send_cpumask -R 'hist:keys=cpumask'
	status_is 0
else
	skip "no $mask"
fi

it 'a text that fills its array, and a CPU mask whose place is relative'
if have python3; then
	python3 -B - "$tmp/tags.dat" <<'END'
import struct
import sys
sys.path.insert(0, "tests/answers")
from machines.recording import Event, Shape, Type

TAG, MASK = Type("test", "tag", 800, ("char[8]", "tag")), Type("test", "mask", 801, ("cpumask_t", "cpus"))
tags = [Event(TAG, 10**9 + i, 0, 7, dict(tag=tag), comm="dd") for i, tag in enumerate(("ABCDEF1", "ABCDEF2", "ABCDEFG"))]
masks = [Event(MASK, 2 * 10**9 + i, 0, 7, dict(cpus=[i]), comm="dd") for i in (1, 5)]
shape = Shape()
shape.write(sys.argv[1], [TAG, MASK], [tags + masks], [(7, "dd")])
with open(sys.argv[1], "rb") as f:
    data = f.read().replace(b"__data_loc cpumask_t cpus", b"__rel_loc cpumask_t cpus ")
data = data.replace(b"ABCDEF1\0", b"ABCDEFGH").replace(b"ABCDEF2\0", b"ABCDEFGX")  # without a NUL
word = data.index(struct.pack("<HBBiI", 801, 0, 0, 7, 8 << 16 | 12)[:8]) + 8
at = struct.unpack_from("<I", data, word)[0] & 0xffff
with open(sys.argv[1], "wb") as f:
    f.write(data.replace(struct.pack("<I", 8 << 16 | at), struct.pack("<I", 8 << 16 | at - 12)))
END
	hist report -q -i "$tmp/tags.dat" -e tag --by tag --format csv
	stdout_is 'tag,hitcount
ABCDEFG,1
ABCDEFGH,1
ABCDEFGX,1'
	hist report -q -i "$tmp/tags.dat" -e tag -R hist:keys=tag --format csv
	stdout_has '^ABCDEFG,3' # kernel
	hist events -q -i "$tmp/tags.dat" -e mask --fields cpus --format csv
	stdout_is 'cpus
0x1
0x5'
else
	skip 'python3 is not installed'
fi

w=trace.dat-samples/wakeup.dat
[ -f $w ] || skip_all "no $w"

it 'an array that is no CPU mask is not compared with a set of CPUs'
s=trace.dat-samples/syscalls.dat
if [ -f $s ]; then
	hist report -q -i $s -e raw_syscalls:sys_enter --by id -f 'args & CPUS{0}'
	status_is 1
	stdout_is ''
	stderr_has 'Illegal operation for field type'
	hist report -q -i $s -e raw_syscalls:sys_enter -R 'hist:keys=id if args & CPUS{0}'
	status_is 0
else
	skip "no $s"
fi

it 'rows of times as keys differ'
hist report -q -i $w -e derived:wait --by ns --top 0
status_is 0
sed -n 's/^ *\([0-9,.]* [a-zµ]*s\) .*/\1/p' "$tmp.out" >"$tmp/keys"
[ -s "$tmp/keys" ] || fail_file 'no keys:' "$tmp.out"
checked sh -c "[ \$(sort '$tmp/keys' | uniq -d | wc -l) = 0 ]" || fail_file 'equal rows:' "$tmp/keys"
hist report -q -i $w -e derived:wait --by ns --format csv
stdout_has '^1000405,1$'
hist report -q -i $w -e derived:wait --by ns --top 0
stdout_has '^1,000,405 ns +1$'

it 'a number for a time without a unit is noted, once'
hist report -i $w -e derived:wait -f 'ns >= 5' --by comm
status_is 0
stderr_has 'note: ns is in ns: numbers without a unit are, too; with one: 5us, 10ms$'
[ "$(grep -c 'is in ns' "$tmp.err")" = 1 ] || fail_file 'not once:' "$tmp.err"
hist report -i $w wakeup-latency -f 'ns > 200'
[ "$(grep -c 'is in ns' "$tmp.err")" = 1 ] || fail_file 'not once:' "$tmp.err"
hist report -i tests/cli/recipes/irqs.dat irqs-off -D min=10us
status_is 0
stderr_lacks 'is in ns'
for filter in 'ns >= 5us' 'ns > 0' 'pid > 5'; do
	hist report -i $w -e derived:wait -f "$filter" --by comm
	status_is 0
	stderr_lacks 'is in ns'
done
hist report -i $w wakeup-latency -D min=5
stderr_lacks 'is in ns'

done_testing
