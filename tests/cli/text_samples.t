#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Samples and stacks in the text of perf script. The folded stacks are those that stackcollapse-perf.pl of
# FlameGraph makes of the same text, but for names of files with parentheses, at which it cuts.
. tests/cli/lib.sh

# text_of HEAD...: samples, each with the stack of its line in $tmp/stacks
cat >"$tmp/stacks" <<'END'
	ffffffff81000120 do_sys_open+0x20 ([kernel.kallsyms])
	             4d0 nf_hook+0x10 ([nf_tables])
	            1306 work(int, std::vector<int, std::allocator<int> > const&)+0x36 (/opt/my app/work)
	            1106 main+0x56 (/opt/my app/work)
	           2724a __libc_start_call_main+0x7a (/usr/lib/libc.so.6)

	            1106 free+0x6 (/usr/lib/libc.so.6)
	            1349 inl+0x29 (inlined)
	            1349 middle+0x29 (inlined)
	            1349 main+0x55 (/opt/my app/work)
	    7f8c2f9f28a8 [unknown] (/memfd:jit (deleted))
	               0 [unknown] ([unknown])

	    7ffc00001000 [unknown] ([vdso])
	            1106 operator()+0x1 (/opt/my app/work)

END
text_of()
{
	n=0
	while IFS= read -r line; do
		[ -n "$line" ] && [ $n = 0 ] && printf '%s\n' "$1" && shift && n=1
		printf '%s\n' "$line"
		[ -n "$line" ] || n=0
	done <"$tmp/stacks"
}

text_of 'my task    11/12    [001]    10.000001:     250000 cpu-clock:ppp: ' 'my task    11/12    [001]    10.000002:     250001 cpu-clock:ppp: ' \
	'other 13/13 [000]  10.000003:          7 cpu-clock:ppp: ' >"$tmp/all.txt"
text_of 'my task 12    10.000001:     250000 cpu-clock:u: ' 'my task 12    10.000002:     250001 cpu-clock:u: ' \
	'other 13   10.000003:          7 cpu-clock:u: ' >"$tmp/nocpu.txt"
text_of 'my task 12 U      10.000001:     250000 cpu_core/cpu-clock/u: ' 'my task 12 U      10.000002:     250001 cpu_core/cpu-clock/u: ' \
	'other 13 U   10.000003:          7 cpu_core/cpu-clock/u: ' | sed 's/^\t.*/&\n  work.c:12/' >"$tmp/misc.txt"
text_of 'my task 12 [001]    250000 cpu-clock: ' 'my task 12 [001]  250001    cpu-clock: ' 'other 13  [001]   7 cpu-clock:' >"$tmp/notime.txt"

# which cuts names at the first parenthesis, also operator()
it 'folded stacks are those of stackcollapse-perf.pl, with CPUs, times, modes and lines of the source, and without'
for file in all nocpu misc notime; do
	hist report -q -i "$tmp/$file.txt" -e perf:cpu-clock --by comm,stack --sum period --format folded
	status_is 0
	sort "$tmp.out" >"$tmp/sorted"
	holds printf '%s\n' \
		'my task;[unknown];[memfd:jit (deleted)];main;middle;inl;free 250001' \
		'my task;__libc_start_call_main;main;work;nf_hook;do_sys_open 250000' \
		'other;operator();[[vdso]] 7'
	checked cmp -s "$tmp.holds" "$tmp/sorted" || fail_file "$file:" "$tmp/sorted"
done

# pairs of a function and its folded name
cat >"$tmp/pairs" <<'END'
job(int)::{lambda(int)#1}::operator()(int) const	job(int)::{lambda(int)#1}::operator()
job(int)::{lambda(int)#2}::operator()(int) const	job(int)::{lambda(int)#2}::operator()
run<job(int)::{lambda(int)#1}>(job(int)::{lambda(int)#1})	run<job(int)::{lambda(int)#1}>
job(int)::'lambda'(int)::operator()(int) const	job(int)::lambda(int)::operator()
(anonymous namespace)::f	(anonymous namespace)::f
a::(anonymous namespace)::g(int)	a::(anonymous namespace)::g
main.(*T).Run	main.(*T).Run
std::operator<< <char>(std::ostream&)	std::operator<< <char>
X::operator()	X::operator()
X::operator()(int)	X::operator()
X::operator->() const	X::operator->
X::operator<=>(X const&) const	X::operator<=>
f(int) [clone .part.0]	f
<T as U<fn(i32) -> u8>>::go	<T as U<fn(i32) -> u8>>::go
core::ops::FnOnce::call_once{{vtable.shim}}	core::ops::FnOnce::call_once{{vtable.shim}}
foo::{closure#0}	foo::{closure#0}
std::vector<int, std::allocator<int> >::push_back(int&&)	std::vector<int, std::allocator<int> >::push_back
operator new(unsigned long)	operator new
sort(int (*)(void const*), int)	sort
END

it 'folded names of functions are whole, without their own parameters'
n=0
while IFS="$(printf '\t')" read -r function _; do
	n=$((n + 1))
	printf 'two 7 [001] 50.%06d:  1 task-clock:u: \n\t  55555555%04x %s+0x10 (/opt/two)\n\n' $n $((n * 64)) "$function"
done <"$tmp/pairs" >"$tmp/names.txt"
hist report -q -i "$tmp/names.txt" -e 'perf:*' --by stack --format folded
status_is 0
cut -f2 "$tmp/pairs" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2 \1/' >"$tmp/want"
sed -E 's/ [0-9]+$//' "$tmp.out" | sort | uniq -c | sed -E 's/^ *([0-9]+) (.*)/\2 \1/' >"$tmp/got"
checked diff "$tmp/want" "$tmp/got" >"$tmp/why" || fail_file 'other names:' "$tmp/why"

it 'functions and files as perf wrote them, also where files have the same addresses'
hist report -q -i "$tmp/all.txt" -e perf:cpu-clock --by comm,ip.sym,ip.dso,mode,tgid --sum period --format csv
stdout_is 'common_comm,ip.sym,ip.dso,mode,mode_text,tgid,hitcount,period
my task,free,libc.so.6,2,user,11,1,250001
my task,do_sys_open,[kernel.kallsyms],1,kernel,11,1,250000
other,[unknown],[vdso],2,user,13,1,7'
hist report -q -i "$tmp/all.txt" -e perf:cpu-clock --by ustack --no-inline --format folded
stdout_has '^\[unknown\];\[memfd:jit \(deleted\)\];main;free 1$'
hist report -q -i "$tmp/all.txt" -e perf:cpu-clock --by kstack
stdout_has 'do_sys_open'
stdout_has 'nf_hook.*\[nf_tables\]'
hist events -q -i "$tmp/all.txt" -e perf:cpu-clock --fields ts,cpu,pid,comm,period,ip.sym
stdout_is 'ts,cpu,pid,comm,period,ip.sym
10000001000,1,12,my task,250000,do_sys_open
10000002000,1,12,my task,250001,free
10000003000,0,13,other,7,[unknown]'

it 'is the same as a trace.dat, and as part of it'
hist import -q "$tmp/all.txt" -o "$tmp/all.dat"
hist slim -q -i "$tmp/all.dat" -o "$tmp/slim.dat" -e perf:cpu-clock --by comm,stack --sum period
hist report -q -i "$tmp/all.txt" -e perf:cpu-clock --by comm,stack --sum period --format folded
cp "$tmp.out" "$tmp/want"
for file in all.dat slim.dat; do
	hist report -q -i "$tmp/$file" -e perf:cpu-clock --by comm,stack --sum period --format folded
	stdout_is_file "$tmp/want"
done

it 'samples without stacks, in one line, with the address of the data'
cat >"$tmp/lines.txt" <<'END'
            work 12 10.000001:          1 page-faults:  ffffffff82256400 rep_stos+0x40 ([kernel.kallsyms])
            work 12 10.000002:          9 cache-misses:     7f1bb1274b70         55b70001 f+0x1 (/bin/work)
            exec 12 10.000003:          2 page-faults:      7f1bb1274b70 g (/bin/work) => 0 [unknown] ([unknown])
END
hist report -q -i "$tmp/lines.txt" -e perf:page-faults --by comm,ip.sym,stack --sum period --format csv
stdout_has '^exec,g,0x0,g,1,2$'
stdout_has '^work,rep_stos,0x0,rep_stos,1,1$'
hist report -q -i "$tmp/lines.txt" -e perf:cache-misses --by addr.hex,ip.hex,ip.sym
stdout_has '0x7f1bb1274b70 +0x55b70001 +f +1$'

it 'tracepoints have stacks, too; reports what the text lacks'
cat >"$tmp/switch.txt" <<'END'
work 12 [000] 10.000001: sched:sched_wakeup: comm=a pid=1 prio=120 target_cpu=000
	ffffffff81000120 ttwu+0x20 ([kernel.kallsyms])
	ffffffff81000220 futex_wake+0x20 ([kernel.kallsyms])
	    7f1bb1274b70 wake (/bin/work)

work 12 [000] 10.000002: cycles: 
	    7f1bb1274b70 wake (/bin/work)

END
hist report -q -i "$tmp/switch.txt" -e sched_wakeup --by kstack,ustack --format folded
stdout_is 'futex_wake;wake 1'
hist list -i "$tmp/switch.txt"
stderr_has 'switch.txt: 1 sample has no period: it is 1'
stderr_lacks 'stack traces are left out'
hist list -i "$tmp/notime.txt"
stderr_has 'notime.txt: 3 samples have no time: they are numbered in the order of the text'

it 'inlined functions of a frame that the text does not have'
printf 'sh 12 10.000001: 5 cycles: \n\tffffffff81000120 a+0x1 (inlined)\n\tffffffff81000130 b+0x1 (inlined)\n\n' >"$tmp/inlined.txt"
hist report -q -i "$tmp/inlined.txt" -e perf:cycles --by stack,ip.sym --sum period --format csv
stdout_has 'a;b,a,1,5$'

it 'hist sql reports what an import found once'
hist sql -i "$tmp/notime.txt" 'SELECT count(*) FROM "cpu-clock"'
stdout_has '^ *3$'
checked [ "$(grep -c 'samples have no time' "$tmp.err")" = 1 ] || fail_file 'reported:' "$tmp.err"

it 'takes lines of other programs for what they are'
printf 'error 42 file: not found\nmake 2 [1] target: done\nsh 12 cycles: \nx\n' >"$tmp/log.txt"
hist list -i "$tmp/log.txt"
status_is 2
stderr_has 'log.txt: is not a trace.dat file'
printf 'sh 12 cycles: \n\t(\n\t0 )\n\tffffffffffffffffff f (x)\n\t12 ((((\n\t13 )\n\t14 ) (\n\n' >"$tmp/odd.txt"
hist report -q -i "$tmp/odd.txt" -e perf:cycles --by ustack
status_is 2
done_testing
