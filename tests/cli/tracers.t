#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The records of tracers: hwlat, osnoise, timerlat, irqsoff and preemptoff (functions), recorded on 6.12 built with
# these tracers; wakeup and context_switch, written by a program, since the kernel copies the records of the wakeup
# tracer where no reader of pages gets them. Each table is what awk computes from the text of trace-cmd,
# which from version 3.3 on has latency flags after the CPU.
. tests/cli/lib.sh
layout=hist

dir=tests/cli/tracers
have trace-cmd || skip_all 'no trace-cmd'

# lines NAME EVENT: the lines of an event in trace-cmd's text
lines()
{
	trace-cmd report -i "$dir/$1.dat" 2>/dev/null | grep " $2: "
}

# equal OPTION...: the rows of hist report are the lines of $tmp/want, in any order
equal()
{
	hist report -q "$@" --format tsv
	status_is 0
	sed 1d "$tmp.out" | tr '\t' , | sort >"$tmp/got"
	sort "$tmp/want" >"$tmp/sorted"
	holds diff "$tmp/sorted" "$tmp/got"
	[ -s "$tmp/want" ] || fail 'nothing to compare'
}

it 'hwlat: count and duration of each sample, a filter'
lines hwlat hwlat | sed 's/.*cnt:\([0-9]*\).*inner:\([0-9]*\).*count:\([0-9]*\)\t.*/\1,\3,1,\2/' >"$tmp/want"
equal -i $dir/hwlat.dat -e hwlat -R 'hist:keys=seqnum,count:vals=duration'
stderr_is ''
lines hwlat hwlat | sed 's/.*cnt:\([0-9]*\).*inner:\([0-9]*\).*/\1,1,\2/' | awk -F, '$3 > 8000' >"$tmp/want"
equal -i $dir/hwlat.dat -e ftrace:hwlat -R 'hist:keys=seqnum:vals=duration if duration > 8000'

it 'timerlat: latency by context and CPU'
lines timerlat timerlat | sed 's/.*\[\([0-9]*\)\].*context:\([0-9]*\)\ttimer_latency:\([0-9]*\).*/\1 \2 \3/' |
	awk '{ n[($1 + 0) "," $2]++; s[($1 + 0) "," $2] += $3 } END { for (k in n) print k "," n[k] "," s[k] }' >"$tmp/want"
equal -i $dir/timerlat.dat -e timerlat --by common_cpu,context --sum timer_latency
lines timerlat timerlat | sed -n 's/.*context:1\ttimer_latency:\([0-9]*\).*/\1/p' | awk '$1 >= 100000 { n++ } END { print "1," n }' >"$tmp/want"
equal -i $dir/timerlat.dat -e timerlat -R 'hist:keys=context if context == 1 && timer_latency >= 100000'

it 'osnoise: the tracer and its events'
lines osnoise irq_noise | sed 's/.*: *\([^ :]*\):\([0-9]*\) start .* duration \([0-9]*\) ns.*/\2 \3/' |
	awk '{ n[$1]++; s[$1] += $2 } END { for (k in n) print k "," n[k] "," s[k] }' >"$tmp/want"
equal -i $dir/osnoise.dat -e irq_noise --by vector --sum duration
hist report -i $dir/osnoise.dat -e osnoise --by common_cpu --sum noise,runtime
status_is 0
stdout_has '^    Hits: 4$'
hist report -i $dir/osnoise.dat -e osnoise --by common_cpu --strict-kernel
status_is 1
stderr_has 'error: -e: the kernel has no triggers for ftrace:osnoise'

it 'why a sample of timerlat was late: what its CPU did before the interrupt, and what ran while the thread waited'
if have python3; then
	python3 -B tests/cli/timerlat_write.py "$tmp/late.dat"
	hist why -q -i "$tmp/late.dat" timerlat
	status_is 0
	stdout_is 'ftrace:timerlat, number 1 of 6 by length
  seqnum=2 context=1 timer_latency=505000
  from 1.002000000 to 1.002505000, where it ended on CPU 0

        us      %
   505.000  100.0  timerlat/0-30
   302.000   59.8  |- sleeping until hog-20 woke it, which meanwhile was
   300.000   59.4  |  |- running on CPU 0
     2.000    0.4  |  `- interrupted by vector local_timer on CPU 0
   198.000   39.2  |- waiting for a CPU (woken)
   140.000   27.7  |  |- while hog-20 ran on CPU 0
    50.000    9.9  |  |- while irq disk ran on CPU 0
     8.000    1.6  |  `- while vector local_timer ran on CPU 0
     5.000    1.0  `- running on CPU 0'
	hist why -q -i "$tmp/late.dat" timerlat --exemplar 2
	status_is 0
	stdout_has '^   300\.000   99\.7  \|- running on CPU 0'
else
	skip 'python3 is not installed'
fi

it 'recipes of timerlat, osnoise and hwlat, with the times of trace-cmd'
layout=
lines timerlat timerlat | sed 's/.*\[\([0-9]*\)\].*context:\([0-9]*\)\ttimer_latency:\([0-9]*\).*/\2 \1 \3/' |
	awk '{ k = $1 "," ($2 + 0); n[k]++; s[k] += $3; if ($3 > m[k]) m[k] = $3
		if (!(k in l) || $3 < l[k]) l[k] = $3 } END { for (k in n) print k "," n[k] "," s[k] "," m[k] "," l[k] }' >"$tmp/want"
hist report -q -i $dir/timerlat.dat timerlat --show 1 --stats --format csv
status_is 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { print $1 "," $2 "," $3 "," $4 "," $5 "," $at["timer_latency_min"] }' "$tmp.out" | sort >"$tmp/got"
sort "$tmp/want" >"$tmp/sorted"
holds diff "$tmp/sorted" "$tmp/got"
hist report -q -i $dir/timerlat.dat timerlat --show 2 --format csv -D min=1ms
status_is 0
[ "$(awk -F, 'NR > 1 { n += $4 } END { print n }' "$tmp.out")" = "$(lines timerlat timerlat | sed 's/.*latency://' | awk '$1 >= 1000000' | wc -l)" ] ||
	fail_file 'not as many:' "$tmp.out"
lines osnoise thread_noise | sed 's/.*thread_noise: *\(.*\):\([0-9]*\) start .* duration \([0-9]*\) ns.*/\1,\2,\3/' |
	awk -F, '{ k = $1 "," $2; n[k]++; s[k] += $3; if ($3 > m[k]) m[k] = $3 } END { for (k in n) print k "," n[k] "," s[k] "," m[k] }' |
	sort >"$tmp/want"
hist report -q -i $dir/osnoise.dat osnoise --show 3 --format csv
status_is 0
sed 1d "$tmp.out" | cut -d, -f1-5 | sort >"$tmp/got"
holds diff "$tmp/want" "$tmp/got"
hist report -q -i $dir/osnoise.dat osnoise-samples
status_is 0
stdout_has '^ +0 +2 +1\.77 s +2\.05 s +64,257 +0 +567 +144 +137 +93\.2 ms '
hist report -q -i $dir/hwlat.dat hwlat
status_is 0
stdout_has '^ +0 +6 +47\.6 ms +126 ms '
layout=hist

it 'irqsoff and preemptoff: the functions that ran meanwhile'
for tracer in irqsoff preemptoff; do
	lines $tracer function | awk '{ sub(/.* function: /, ""); n[$1]++ } END { for (k in n) print k "," n[k] }' >"$tmp/want"
	sort "$tmp/want" >"$tmp/sorted"
	hist report -q -i $dir/$tracer.dat -e function -R hist:keys=ip.sym --format tsv
	awk -F'\t' 'NR > 1 { n[$2] += $3 } END { for (k in n) print k "," n[k] }' "$tmp.out" | sort >"$tmp/got"
	holds diff "$tmp/sorted" "$tmp/got"
	[ -s "$tmp/want" ] || fail 'nothing to compare'
done
hist report -q -i $dir/irqsoff.dat function-count
status_is 0

it 'wakeup: who is woken, over whom; its event context_switch'
lines wakeup wakeup | sed 's/.*: *\([0-9]*\):[0-9]*:[0-9]* *==+ \([0-9]*\):\([0-9]*\):.*/\2,\3/' | sort | uniq -c |
	awk '{ print $2 "," $1 }' >"$tmp/want"
equal -i $dir/wakeup.dat -e wakeup --by next_pid,next_prio
lines wakeup context_switch | sed 's/.*: *\([0-9]*\):[0-9]*:\([0-9]*\) *==> .*/\2/' | sort | uniq -c |
	awk '{ print $2 "," $1 }' >"$tmp/want"
equal -i $dir/wakeup.dat -e context_switch --by prev_state

it 'wakeup: the latency from one event to the other, which no kernel could ask'
trace-cmd report -t -i $dir/wakeup.dat 2>/dev/null |
	sed -n 's/.*\[\([0-9]*\)\].* \([0-9]*\.[0-9]*\): \([a-z_]*\): .*==. \([0-9]*\):.*/\1 \2 \3 \4/p' |
	awk '{ split($2, t, "."); ns = t[1] * 1e9 + t[2] }
		$3 == "wakeup" { at[$4] = ns }
		$3 != "wakeup" && ($4 in at) { n[$4]++; s[$4] += ns - at[$4]; delete at[$4] }
		END { for (k in n) printf "%d,%d,%d\n", k, n[k], s[k] }' >"$tmp/want"
equal -i $dir/wakeup.dat --synth 'wl u64 ns; unsigned int pid' \
	-e wakeup -R 'hist:keys=next_pid:ts=common_timestamp' \
	-e context_switch -R 'hist:keys=next_pid:ns=common_timestamp-$ts:onmatch(ftrace.wakeup).wl($ns,next_pid)' \
	-e wl --by pid --sum ns --show wl

it 'preemptirq: the text has the places, which are recorded as distances from _stext'
trace-cmd report -i $dir/preemptirq.dat 2>/dev/null | sed -n 's/.*: \([a-z_]*able\): *\(caller=.*\)/\1 \2/p' >"$tmp/want"
hist report -q -i $dir/preemptirq.dat -x 'echo 1 > events/preemptirq/enable' -x 'cat trace'
sed -n 's,/0x[0-9a-f]*,,g; s/.*: \([a-z_]*able\): *\(caller=.*\)/\1 \2/p' "$tmp.out" >"$tmp/got"
holds diff "$tmp/want" "$tmp/got"
[ -s "$tmp/want" ] || fail 'nothing to compare'
stdout_has 'irq_disable: caller=irqentry_enter\+0x31/0x50 parent=0x0$'
# no symbols: no letter of %pS is left
hist report -q -i tests/cli/recipes/irqs.dat -x 'echo 1 > events/preemptirq/enable' -x 'cat trace'
stdout_has 'irq_disable: caller=\(____ptrval____\) parent=\(____ptrval____\)$'

it '--strict-kernel and check refuse all of it'
for event in hwlat osnoise timerlat wakeup context_switch function; do
	for file in "$dir"/*.dat; do
		hist check -i "$file" -e ftrace:$event -R hist:keys=common_pid
		checked [ $status != 0 ] || fail "$event of $file is accepted"
	done
done

done_testing
