#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# perf.data as a recording: it has the events that perf script prints, whatever its layout.
. tests/cli/lib.sh

make_perf()
{
	python3 tests/cli/import_perf.py make "$@" || fail "cannot make $*"
}

things="-e thing -R hist:keys=value,common_pid.execname,cpu:sort=value"

# Unpack tests/import/NAME.data.gz or .tar.gz to $tmp/NAME.data.
unpack()
{
	if [ -f "tests/import/$1.data.tar.gz" ]; then
		tar -xzf "tests/import/$1.data.tar.gz" -C "$tmp"
	else
		gunzip -c "tests/import/$1.data.gz" >"$tmp/$1.data"
	fi
}

for name in plain stacks zstd pipe threads mixed tasks; do
	it "has the events of perf script: $name"
	if [ "$name" = stacks ] && [ "$(getconf LONG_BIT)" = 32 ]; then
		skip 'trace-cmd of 32 bits prints half of a pointer'
	elif have trace-cmd; then
		unpack "$name"
		gunzip -c "tests/import/$name.perf.gz" >"$tmp/$name.perf"
		# symbols of the machine on which perf script ran; this machine has others
		kallsyms=
		[ ! -f "tests/import/$name.kallsyms" ] || kallsyms="--kallsyms=tests/import/$name.kallsyms"
		hist import ${kallsyms:+"$kallsyms"} "$tmp/$name.data" -o "$tmp/$name.dat"
		status_is 0
		stderr_has "$name.data: perf.data: [0-9]* samples were converted to events"
		trace-cmd report -t -N "$tmp/$name.dat" >"$tmp/$name.report" 2>/dev/null
		run python3 tests/cli/import_perf.py compare "$tmp/$name.perf" "$tmp/$name.report"
		status_is 0
	else
		skip 'no trace-cmd'
	fi
done

it 'has the facts about tasks: processes, threads, programs, cgroups'
unpack tasks
hist import -q -z none "$tmp/tasks.data" -o "$tmp/tasks.dat"
grep -a -E '^(from|is|new|exec|moved|exit) ' "$tmp/tasks.dat" >"$tmp/facts"
cut -d ' ' -f 1 "$tmp/facts" | sort | uniq -c | tr -s '\n ' ' ' >"$tmp/kinds"
checked grep -q -x ' 5 exec 5 exit 1 from 1 is 6 moved 4 new ' "$tmp/kinds" || fail_file 'facts:' "$tmp/facts"
checked grep -q -x 'new 15617745865365 18263 18245 65536 python3' "$tmp/facts" || fail 'a thread'
checked grep -a -q -E '^map [0-9]+ 18245 [0-9]+ [0-9]+ [0-9]+ [0-9a-f]* /.*python3' "$tmp/tasks.dat" || fail 'a file that a task mapped'
checked grep -q -x 'moved 15617686602808 18216 0 /fq' "$tmp/facts" || fail 'a cgroup'
hist list "$tmp/tasks.data"
stdout_has 'tasks  *5 tasks, incomplete, from perf.data$'

it 'is read by other verbs directly, with the same result'
unpack plain
hist import -q "$tmp/plain.data" -o "$tmp/plain.dat"
for args in "-e sched_switch -R hist:keys=next_comm:sort=next_comm" "-e sys_exit -R hist:keys=id,common_pid.execname"; do
	# shellcheck disable=SC2086 # split into words
	hist report -q -i "$tmp/plain.dat" $args
	status_is 0
	mv "$tmp.out" "$tmp/want"
	# shellcheck disable=SC2086 # split into words
	hist report -q -i "$tmp/plain.data" $args
	stdout_is_file "$tmp/want"
	# shellcheck disable=SC2086 # split into words
	hist report -q $args "$tmp/plain.data"
	stdout_is_file "$tmp/want"
	# shellcheck disable=SC2086,SC2002 # split into words; a pipe
	cat "$tmp/plain.data" | hist report -q -i - $args
	stdout_is_file "$tmp/want"
done
hist list "$tmp/plain.data"
status_is 0
stdout_has 'sched:sched_switch'
stdout_has "plain.data: perf.data, imported, $(wc -c <"$tmp/plain.data") bytes\$"
hist list --format json "$tmp/plain.data" "$tmp/plain.dat"
status_is 0
stdout_has "^.*plain.data\".*\"bytes\":$(wc -c <"$tmp/plain.data"),\"imported_from\":\"perf.data\","
stdout_has "^.*plain.dat\".*\"bytes\":$(wc -c <"$tmp/plain.dat"),\"cut\""
# shellcheck disable=SC2002 # a pipe
cat "$tmp/plain.data" | hist list -
stdout_has "standard input: perf.data, imported, $(wc -c <"$tmp/plain.data") bytes"
hist dump -i "$tmp/plain.data"
status_is 0
hist diff -q "$tmp/plain.data" "$tmp/plain.dat" -e sched_switch -R hist:keys=next_comm
status_is 0
hist slim -q -i "$tmp/plain.data" -o "$tmp/slim.dat" -e sched_switch -R hist:keys=next_comm
status_is 0

it 'call chains become stack keys, without the function that contains the tracepoint'
make_perf "$tmp/chain.data" chain
hist report -i "$tmp/chain.data" -e thing -R 'hist:keys=common_stacktrace'
status_is 0
stdout_has '^ *0xffffffff81000200$'
stdout_lacks '81000100'
stdout_lacks '400000'

it 'reads both byte orders, files and pipes, and samples with all kinds of ids'
make_perf "$tmp/a.data"
# shellcheck disable=SC2086 # split into words
hist report -q -i "$tmp/a.data" $things
status_is 0
stdout_has 'value:          1, common_pid: five            .         5., cpu:          0'
stdout_has 'value:          2, common_pid: five            .         7., cpu:          1'
stdout_has 'value:          4, common_pid: renamed         .         5., cpu:          0'
stdout_has 'value:          5, common_pid: six '
stdout_has 'Hits: 5'
mv "$tmp.out" "$tmp/want"
for shape in big pipe 'pipe big' noid id read 'big read id chain' disorder long=6000 long=60000; do
	# shellcheck disable=SC2086 # split into words
	make_perf "$tmp/b.data" $shape
	# shellcheck disable=SC2086 # split into words
	hist report -q -i "$tmp/b.data" $things
	status_is 0
	stdout_is_file "$tmp/want"
done

it 'sorts samples by time'
make_perf "$tmp/b.data" disorder
hist dump -i "$tmp/b.data" --audit
status_is 0

it 'sorts samples of many buffers by time, whatever their order'
make_perf "$tmp/m.data" many=sorted
hist import "$tmp/m.data" -o "$tmp/sorted.dat"
status_is 0
stderr_has '40000 samples were converted to events'
for how in near rings; do
	make_perf "$tmp/m.data" many=$how
	hist import -q "$tmp/m.data" -o "$tmp/m.dat"
	status_is 0
	cmp -s "$tmp/sorted.dat" "$tmp/m.dat" || fail "$how: other order"
done

it 'has the same events of a large file, converted to a file or read directly'
for shape in many=rings flood; do
	make_perf "$tmp/m.data" $shape
	hist import -q "$tmp/m.data" -o "$tmp/m.dat"
	status_is 0
	# shellcheck disable=SC2086 # split into words
	hist report -i "$tmp/m.dat" $things
	mv "$tmp.out" "$tmp/want_many"
	# shellcheck disable=SC2086 # split into words
	hist report -i "$tmp/m.data" $things
	status_is 0
	stdout_is_file "$tmp/want_many"
done
stderr_has 'CPU 0 lost 12000 events'

it 'samples of other events are events, with their fields and stacks, as in perf script'
if have python3; then
	unpack samples
	gunzip -c tests/import/samples.perf.gz >"$tmp/samples.perf"
	run python3 tests/cli/import_samples.py "$HIST" "$tmp/samples.data" "$tmp/samples.perf"
	status_is 0
	hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by mode --sum period --format csv
	stdout_has '^1,kernel,[0-9]*,[0-9]*000$'
	hist report -i "$tmp/samples.data" -e perf:cpu-clock --by comm
	stderr_has 'warning: .*cpu-clock was sampled at a frequency; the counts are those of samples'
else
	skip 'no python3'
fi

it 'counts lost samples as lost, at the right time'
make_perf "$tmp/b.data" lost
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/b.data" $things
status_is 0
stderr_has 'b\.data: CPU 0 lost 9 events'

it 'reports what it omits'
make_perf "$tmp/b.data" unknown
hist list "$tmp/b.data"
status_is 2
stderr_has 'warning: .*1 samples are left out: the file does not describe their event'
stdout_has '^ *1  perf:type1-190$'
make_perf "$tmp/b.data" wild
hist list "$tmp/b.data"
status_is 2
stderr_has 'warning: .*1 damaged records are left out'
make_perf "$tmp/b.data" freq
hist list "$tmp/b.data"
stderr_has 'warning: .*test:thing was sampled at a frequency; the counts are those of samples'
make_perf "$tmp/b.data" period=7
hist list "$tmp/b.data"
stderr_has 'warning: .*test:thing was sampled once in several events'
make_perf "$tmp/b.data" read
hist list "$tmp/b.data"
stderr_has 'warning: .*samples of test:thing also have counts of the other events of its group'
make_perf "$tmp/b.data" notracing
hist list "$tmp/b.data"
stderr_has 'warning: .*the format of an event of type 2, config 0x190 is missing'

it 'reads a file that perf did not finish'
make_perf "$tmp/b.data" nodatasize
hist list "$tmp/b.data"
status_is 2
stderr_has 'b\.data: perf record did not finish the file'

it 'reads the intact part of a cut file, and reports the cut'
size=$(stat -c %s "$tmp/a.data")
for n in 9 20 100 120 250 400 700 $((size - 8)) $((size - 100)); do
	head -c "$n" "$tmp/a.data" >"$tmp/cut.data"
	hist list "$tmp/cut.data"
	status_is 2
	stderr_has 'cut\.data: .*(truncated|damaged|missing)'
done
make_perf "$tmp/b.data" pipe
head -c $(($(stat -c %s "$tmp/b.data") - 3)) "$tmp/b.data" >"$tmp/cut.data"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/cut.data" $things
status_is 2
stdout_has 'Hits: 4'
stderr_has 'cut\.data: truncated'

it 'moves symbols to the address of the kernel, or uses them unchanged'
make_perf "$tmp/b.data" chain
printf 'ffffffff81000000 T _text\nffffffff81000100 T first\nffffffff81000200 T second\nffffffff81000300 T third\n' >"$tmp/syms"
hist report -i "$tmp/b.data" --kallsyms "$tmp/syms" -e thing -R 'hist:keys=common_stacktrace'
status_is 0
stdout_has 'second\+0x0/0x100'
hist report -i "$tmp/b.data" --kallsyms "$tmp/none" -e thing -R 'hist:keys=common_stacktrace'
status_is 2
stderr_has 'none: cannot read'
hist report -i "$tmp/b.data" --kallsyms "$tmp/a.data" -e thing -R 'hist:keys=common_stacktrace'
status_is 2
stderr_has 'a\.data: has no lines in the format of /proc/kallsyms'
hist report -i trace.dat-samples/switch.dat --kallsyms "$tmp/none" --formats "$tmp/none" -e sched_switch --by prev_prio
status_is 0
stderr_has 'none is not read: a trace\.dat has its own symbols, --kallsyms is for imports'
stderr_has 'none is not read: a trace\.dat has its own formats, --formats is for imports'

it 'reads perf.data of perf before Linux 3.4, in both byte orders'
for order in '' big; do
	make_perf "$tmp/old.data" old $order
	# shellcheck disable=SC2086 # words
	hist report -i "$tmp/old.data" $things
	status_is 0
	stdout_has 'Hits: 5'
done

it 'gives the names that perf saw in its pid namespace to the pids of the kernel'
for shape in '' pipe big; do
	make_perf "$tmp/ns.data" namespace $shape
	hist report -i "$tmp/ns.data" -e thing -R hist:keys=value,common_pid,common_pid.execname:sort=value
	status_is 0
	stdout_has 'value: *1, common_pid: *1005, common_pid: five  *\[ *1005\]'
	stdout_has 'value: *2, common_pid: *1007, common_pid: five  *\[ *1007\]'
	stdout_has 'value: *4, common_pid: *1005, common_pid: renamed  *\[ *1005\]'
	stdout_has 'value: *5, common_pid: *1006, common_pid: six  *\[ *1006\]'
	stderr_has 'note: .*perf ran in a pid namespace'
	hist report -q -i "$tmp/ns.data" -e task_rename -R hist:keys=common_pid,oldcomm,newcomm
	stdout_has 'common_pid: *1005, oldcomm: five *, newcomm: renamed'
done

it 'has events with the longest names that a file system permits'
long=$(printf 'n%0239d' 0)
make_perf "$tmp/long.data" name="$long"
hist report -i "$tmp/long.data" -e '*' -R hist:keys=cpu
status_is 0
stdout_has "Hits: 5"

it 'names what a perf.data is, and what is wrong with it'
make_perf "$tmp/arm.data" arm notracing
hist list "$tmp/arm.data"
stdout_has '32-bit little-endian'
make_perf "$tmp/cycles.data" pipe cycles
hist list "$tmp/cycles.data"
stdout_has '^ *5  perf:cycles$'
make_perf "$tmp/whole.data"
head -c 100 "$tmp/whole.data" >"$tmp/part.data"
hist list "$tmp/part.data"
status_is 2
stderr_has 'part.data: truncated within its header'
for shape in '' pipe; do
	make_perf "$tmp/text.data" text $shape
	hist list "$tmp/text.data"
	status_is 2
	stdout_has ' 2  test:thing'
	stderr_has 'warning: .*text is among the data, such as messages of perf or the output of its command'
	make_perf "$tmp/hole.data" $shape
	python3 - "$tmp/hole.data" <<'END'
import sys
b = bytearray(open(sys.argv[1], "rb").read())
at = b.rindex(b"renamed")
b[at - 16:at - 8] = bytes(8)
open(sys.argv[1], "wb").write(b)
END
	hist list "$tmp/hole.data"
	status_is 2
	stdout_has ' 2  test:thing'
	stderr_has 'warning: .*hole.data: damaged; the data from the damage on is missing'
done

it 'names other files that are not recordings'
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n' >"$tmp/lfs"
hist list "$tmp/lfs"
status_is 2
stderr_has 'lfs: is a pointer of Git LFS, not the file itself; git lfs pull fetches it'

it 'rejects what it cannot import, and leaves no file'
echo nothing >"$tmp/text"
hist import "$tmp/text" -o "$tmp/no.dat"
status_is 2
stderr_has 'text: is not in a format that can be imported'
hist import "$tmp/none" -o "$tmp/no.dat"
status_is 2
stderr_has 'none: cannot open: No such file'
hist import trace.dat-samples/switch.dat -o "$tmp/no.dat"
status_is 2
stderr_has 'is already a trace.dat'
: >"$tmp/empty"
hist import "$tmp/empty" -o "$tmp/no.dat"
status_is 2
hist import "$tmp/a.data" -o "$tmp/empty/no.dat" # is not a directory
status_is 2
hist import "$tmp/a.data" -z lzma -o "$tmp/no.dat"
status_is 2
stderr_has 'not .lzma.'
[ ! -e "$tmp/no.dat" ] || fail 'left a file'
hist import "$tmp/a.data" -o -
status_is 2
stderr_has 'a recording cannot be written to standard output'
holds test ! -e ./-
hist import "$tmp/a.data"
status_is 2
stderr_has '-o FILE'
hist import -o "$tmp/no.dat"
status_is 2

it 'compresses on request'
for z in none zlib zstd; do
	hist import -q "$tmp/a.data" -z $z -o "$tmp/z.dat"
	status_is 0
	# shellcheck disable=SC2086 # split into words
	hist report -q -i "$tmp/z.dat" $things
	stdout_is_file "$tmp/want"
done

it 'says what to do with archives and compressed files'
while read -r bytes what; do
	# shellcheck disable=SC2059 # escapes
	printf "$bytes" >"$tmp/packed"
	head -c 1000 /dev/zero >>"$tmp/packed"
	for verb in import list; do
		case $verb in
		import) hist import "$tmp/packed" -o "$tmp/no.dat" ;;
		list) hist list "$tmp/packed" ;;
		esac
		status_is 2
		stderr_has "error: .*packed: is .*$what"
	done
	hist report -i - -e x <"$tmp/packed"
	status_is 2
	stderr_has "error: standard input: is .*$what"
done <<'END'
\3757zXZ compressed with xz; unpack it first
\050\265\057\375 compressed with zstd as a whole; unpack it first
BZh9 compressed with bzip2; unpack it first
\004\042\115\030 compressed with lz4; unpack it first
PK\003\004 a zip archive; unpack it first
\177ELF a program or a core dump
LPKSHHRH a journal; save what journalctl -k prints
\036{"type": the metadata of a CTF 2 trace, as LTTng writes them; the recording is its directory
\127\035\321\165 the metadata of a CTF trace
SIMPLEPERF a report of simpleperf
\n\016\062\n\n\010\010\006\020\200\224\353\334\003P\001\n a trace of Perfetto
{"traceEvents":[{"ph":"X"}]} a trace of Chrome in JSON
[{"ph":"X","ts":1}] a trace of Chrome in JSON
{"a":1} JSON, which cannot be read
#\040Overhead\040\040Command the output of perf report
0.0\040(\0400.003\040ms):\040ls/1\040close(fd:3)\n the output of perf trace
SQLite\040format\0403 a database of SQLite
Attaching\0401\040probe... the output of bpftrace
[10:37:09.1]\040(+0.1)\040h\040x:\040{\040cpu_id\040=\0401\040} the output of babeltrace; read the CTF trace itself
time\040wait\040time\040\040sch\040delay\n the output of perf sched timehist; save that of perf script
END
mkdir "$tmp/ctf" && echo x >"$tmp/ctf/metadata"
hist list "$tmp/ctf"
status_is 2
stderr_has 'error: .*ctf: is a directory, not a trace.dat file'
printf '\n\n[text]\nx: 1\n' >"$tmp/packed"
hist list "$tmp/packed"
stderr_has 'packed: is not a trace.dat file'
mkdir "$tmp/packed.d"
tar -cf "$tmp/packed" -C "$tmp" packed.d
hist import "$tmp/packed" -o "$tmp/no.dat"
status_is 2
stderr_has 'packed: is a tar archive without a copy of the tracing directory or a CTF trace; unpack it, and name one of its files'
: >"$tmp/packed"
hist import "$tmp/packed" -o "$tmp/no.dat"
status_is 2
stderr_has 'packed: is empty'

it 'reads what is compressed by gzip: trace.dat, perf.data, texts, archives, from files and pipes'
gzip -dc tests/import/switch.data.gz >"$tmp/plain.data"
gzip -dc tests/cli/off_wake.txt.gz >"$tmp/plain.txt"
for f in trace.dat-samples/wakeup.dat "$tmp/plain.txt" "$tmp/plain.data"; do
	hist events -q -i $f
	status_is 0
	cp "$tmp.out" "$tmp/want"
	gzip -c $f >"$tmp/x.gz"
	for input in "$tmp/x.gz" -; do
		hist events -q -i "$input" <"$tmp/x.gz"
		status_is 0
		stdout_is_file "$tmp/want"
	done
done
hist list tests/import/tracing.tar.gz
status_is 0
# two streams, one after the other
head -c 3000 trace.dat-samples/wakeup.dat | gzip -c >"$tmp/two.gz"
tail -c +3001 trace.dat-samples/wakeup.dat | gzip -c >>"$tmp/two.gz"
hist events -q -i trace.dat-samples/wakeup.dat
cp "$tmp.out" "$tmp/want"
hist events -q -i "$tmp/two.gz"
stdout_is_file "$tmp/want"

it 'reports what is damaged of a file of gzip'
gzip -c "$tmp/plain.txt" >"$tmp/text.gz"
head -c $(($(wc -c <"$tmp/text.gz") / 2)) "$tmp/text.gz" >"$tmp/cut.gz"
hist list "$tmp/cut.gz"
status_is 2
stderr_has 'cut.gz: the gzip stream is cut or damaged; what comes before is used'
gzip -c "$tmp/text.gz" >"$tmp/twice.gz"
hist list "$tmp/twice.gz"
status_is 2
stderr_is "hist: error: $tmp/twice.gz: is compressed twice"
printf '\037\213\010garbage' >"$tmp/bad.gz"
hist list "$tmp/bad.gz"
status_is 2
stderr_has 'bad.gz: cannot inflate: the gzip stream is damaged'
gzip -c trace.dat-samples/wakeup.dat >"$tmp/x.gz"
hist import "$tmp/x.gz" -o "$tmp/y.dat"
status_is 2
stderr_has 'is already a trace.dat'

done_testing
