#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Actions that pass a computed value to a string field: a part of a string, or a number that is not
# a string.
. tests/cli/lib.sh

sample=trace.dat-samples/wakeup.dat

cat >"$tmp/part" <<'EOF'
echo 's1 char c[16]' >> synthetic_events
echo 'hist:keys=pid:c=comm' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:d=$c+4:onmatch(sched.sched_waking).s1($d)' >> events/sched/sched_switch/trigger
echo 'hist:keys=c' >> events/synthetic/s1/trigger
EOF
cat >"$tmp/whole" <<'EOF'
echo 's1 char c[16]' >> synthetic_events
echo 'hist:keys=pid:c=comm' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:d=$c+0:onmatch(sched.sched_waking).s1($d)' >> events/sched/sched_switch/trigger
echo 'hist:keys=c' >> events/synthetic/s1/trigger
EOF
cat >"$tmp/number" <<'EOF'
echo 'lat char c[8]' >> synthetic_events
echo 'hist:keys=pid:x=common_timestamp:onmax($x).lat($x)' >> events/sched/sched_waking/trigger
echo 'hist:keys=c' >> events/synthetic/lat/trigger
EOF

# texts N: the strings that s1 was generated with, from byte N on, as "TEXT HITCOUNT"
texts()
{
	awk -v from="$1" '/^[{] c: / && $3 != "}" && (t = substr($3, from)) != "" { n[t] += $NF }
		END { for (t in n) print t, n[t] }' "$tmp.out" | sort
}

it 'a number moves the start of a string'
hist report -i $sample "$tmp/whole"
status_is 0
texts 5 >"$tmp/wanted"
holds test -s "$tmp/wanted"
hist report -i $sample "$tmp/part"
status_is 0
stderr_is ''
texts 1 >"$tmp/got"
holds diff "$tmp/wanted" "$tmp/got"

it 'a number passed to a string field prints (fault), with a warning'
hist report -i $sample "$tmp/number"
status_is 0
stdout_has '^\{ c: \(fault\) +\} hitcount: +[1-9]'
stderr_has 'warning: field c is a string, but gets a number'

for script in part number; do
	it "a recording with such a stored script: $script"
	hist slim -i $sample -o "$tmp/$script.dat" "$tmp/$script"
	status_is 0
	hist report -i $sample "$tmp/$script"
	cp "$tmp.out" "$tmp/wanted"
	hist report -i "$tmp/$script.dat"
	status_is 0
	stdout_is_file "$tmp/wanted"
done

done_testing
