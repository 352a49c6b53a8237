#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Symbols, files and stacks of programs, of samples of perf.data. Names of functions
# depend on the files of this machine, so tables are compared with each other.
. tests/cli/lib.sh

it 'knows the files of the addresses of a recording from elsewhere'
gunzip -c tests/import/stacks.data.gz >"$tmp/stacks.data"
gunzip -c tests/import/samples.data.gz >"$tmp/samples.data"
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by mode,ip.dso --format csv
status_is 0
stdout_has '^1,kernel,\[kernel.kallsyms\],63$'
stdout_has '^2,user,ld-linux-x86-64.so.2,2$'
stdout_has '^2,user,libc.so.6,1$'

it 'names are in the result: the same table from json'
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by ip.dso,ip.sym,ustack --format json -o "$tmp/result.json"
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by ip.dso,ip.sym,ustack --top 0
cp "$tmp.out" "$tmp/table"
hist merge -q "$tmp/result.json" --top 0
stdout_is_file "$tmp/table"

it 'keeps mappings and stacks in a recording, also in a smaller one'
for by in ip.dso,ip.sym ustack stack; do
	hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by "$by" --top 0
	cp "$tmp.out" "$tmp/table"
	hist import -q "$tmp/samples.data" -o "$tmp/samples.dat"
	hist report -q -i "$tmp/samples.dat" -e perf:cpu-clock --by "$by" --top 0
	stdout_is_file "$tmp/table"
	hist slim -q -i "$tmp/samples.dat" -o "$tmp/slim.dat" -e perf:cpu-clock -R "hist:keys=$(
		case $by in ip*) echo "$by" ;; *) echo "common_$by" ;; esac)"
	hist report -q -i "$tmp/slim.dat" -e perf:cpu-clock --by "$by" --top 0
	stdout_is_file "$tmp/table"
done

it 'is the same however it is counted'
for by in comm,ip.sym ip.dso ustack stack; do
	hist report -q -i "$tmp/samples.dat" -e perf:cpu-clock --by "$by" --top 0 --plan=plain
	cp "$tmp.out" "$tmp/table"
	for plan in order range; do
		hist report -q -i "$tmp/samples.dat" -e perf:cpu-clock --by "$by" --top 0 --plan=$plan -j 3
		stdout_is_file "$tmp/table"
	done
done

it 'stacks have the frames of perf script'
gunzip -c tests/import/samples.perf.gz >"$tmp/samples.perf"
for by in ustack stack; do
	hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by "$by" --no-inline --top 0 --format json
	cp "$tmp.out" "$tmp/$by.json"
done
checked python3 - "$tmp/samples.perf" "$tmp/ustack.json" "$tmp/stack.json" <<'END' >"$tmp/verdict" 2>&1 || fail_file 'frames differ:' "$tmp/verdict"
import collections, json, sys
user, both = collections.Counter(), collections.Counter()
for sample in open(sys.argv[1]).read().split("\n\n"):
    head, *ips = sample.strip().split("\n")
    if "cpu-clock" in head:
        ips = [int(ip.split()[0], 16) for ip in ips]
        user[sum(not ip >> 63 for ip in ips)] += 1
        both[len(ips)] += 1
for path, want in zip(sys.argv[2:], (user, both)):
    got = collections.Counter()
    for row in json.load(open(path))["data"]:
        stack, = row["key"].values()
        got[len(stack)] += row["val"]["hitcount"]
    assert got == want and max(want) > 1, (got, want)
END

it 'stacks of programs of tracepoints'
hist report -q -i "$tmp/stacks.data" -e kmem_cache_alloc --by ustack
status_is 0
stdout_has '^[^ ].* *[0-9]+$'
stdout_lacks '^\[no stack\]'

it 'files of the kernel without its symbols, as perf report names them; CPUs with two kinds of cores'
python3 tests/cli/import_profile.py "$tmp/cores.data"
hist report -q -i "$tmp/cores.data" -e perf:cycles --by ip.dso --sum period --format csv
status_is 0
stdout_is 'ip.dso,hitcount,period
[JIT] tid 1234,16,16008
lib.so.1,14,14007
program,12,12006
[kernel.kallsyms],10,10005
[a_b],8,8004
[thing],6,6003
bpf_prog_1234_f,4,4002
[unknown],2,2001
[vdso],2,2001'
hist events -q -i "$tmp/cores.data" -e perf:cycles -f 'ip.dso ~ "*JIT*"' -n 1 --fields ustack
stdout_has '^\[perf-1234.map\]$'
hist report -q -i "$tmp/cores.data" -e perf:cycles --by ip.sym,ip.dso --format csv
stdout_has '^bpf_prog_1234_f,bpf_prog_1234_f,4$'
hist import -q "$tmp/cores.data" -o "$tmp/cores.dat"
hist slim -q -i "$tmp/cores.dat" -o "$tmp/small.dat" -e perf:cycles --by ip.dso
for file in cores.dat small.dat; do
	hist report -q -i "$tmp/$file" -e perf:cycles --by ip.dso --format csv
	stdout_has '^\[a_b\],8$'
done
python3 tests/cli/import_profile.py "$tmp/user.data" cpu-clock nokernel
hist report -q -i "$tmp/user.data" -e perf --by ip.dso,mode --format csv
stdout_has '^\[unknown\],1,kernel,15$'

it 'symbols of the kernel of this machine, which perf record -z does not name'
if grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _text$' /proc/kallsyms; then
	python3 tests/cli/import_profile.py "$tmp/here.data" cpu-clock here
	hist report -i "$tmp/here.data" -e perf:cpu-clock --by ip.dso,ip.sym --format csv
	stderr_lacks 'have no symbols: it'
	stdout_lacks '^\[kernel.kallsyms\],\[unknown\]'
	sed "s/$(uname -n)/$(uname -n | tr 'a-zA-Z0-9' 'b-zaB-ZA1-90')/g" "$tmp/here.data" >"$tmp/there.data"
	hist report -i "$tmp/there.data" -e perf:cpu-clock --by ip.dso,ip.sym --format csv
	stderr_has 'addresses have no symbols: it does not name its kernel'
	stdout_has '^\[kernel.kallsyms\],\[unknown\],5$'
else
	skip '/proc/kallsyms shows no addresses to this user'
fi

it 'symbols that a distribution left in a stripped program'
if have objcopy && have xz && have gcc; then
	program=$tmp/root/nowhere/program
	mkdir -p "$tmp/root/nowhere"
	# the first function of the code is at the place of the samples
	printf '.globl _start\n.type _start, %%function\n_start: .skip 64\n.size _start, 64\n' >"$tmp/code.s"
	printf 'SECTIONS { . = 0x1000; .text : { *(.text) } }\n' >"$tmp/place.ld"
	checked gcc -nostdlib -static -Wl,--build-id=none -Wl,-z,max-page-size=4096 -Wl,-T,"$tmp/place.ld" -o "$program" "$tmp/code.s"
	objcopy --only-keep-debug "$program" "$tmp/mini"
	objcopy --strip-all "$program"
	xz -k "$tmp/mini"
	head -c 100 "$tmp/mini.xz" >"$tmp/cut.xz"
	for with in nothing mini.xz cut.xz; do
		[ $with = nothing ] ||
			checked objcopy --remove-section .gnu_debugdata --add-section .gnu_debugdata="$tmp/$with" "$program"
		hist report -q -i "$tmp/cores.data" -e perf:cycles --by ip.dso,ip.sym --symfs "$tmp/root" --format csv
		status_is 0
		stdout_has "^program,$([ $with = mini.xz ] && echo _start || echo '\[unknown\]'),12\$"
	done
else
	skip 'no gcc, objcopy or xz'
fi

it 'columns of events and of SQL have what keys have'
cat >"$tmp/count.py" <<'END'
import collections, csv, json, sys
key, table = sys.argv[1:3]
want = {}
for row in json.load(open(table))["data"]:
    name = row["text"][key] if "stack" in key else row["key"][key]
    want[";".join(name) if isinstance(name, list) else name] = row["val"]["hitcount"]
for path in sys.argv[3:]:
    if path.endswith("json"):
        got = [list(json.loads(line).values())[0] for line in open(path)]
        got = [";".join(v) if isinstance(v, list) else v for v in got]
    else:
        got = [row[0] for row in csv.reader(open(path))][1:]
    # how many names there are depends on the files of this machine
    assert collections.Counter(got) == want and sum(want.values()) == 66, (path, got, want)
END
for by in ip.sym ip.dso ip.srcline ustack stack; do
	key=$(case $by in *stack) echo "common_$by" ;; *) echo "$by" ;; esac)
	hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by "$by" --top 0 --format json -o "$tmp/table.json"
	for format in csv ndjson; do
		hist events -q -i "$tmp/samples.data" -e perf:cpu-clock --fields "$by" --format $format -o "$tmp/events.$format"
	done
	column=$(echo "$by" | tr . _)
	hist sql -q -i "$tmp/samples.data" "SELECT $column FROM \"perf:cpu-clock\"" --format csv
	cp "$tmp.out" "$tmp/sql.csv"
	checked python3 "$tmp/count.py" "$key" "$tmp/table.json" "$tmp/events.csv" "$tmp/events.ndjson" "$tmp/sql.csv" \
		>"$tmp/verdict" 2>&1 || fail_file "$by differs:" "$tmp/verdict"
done
hist events -q -i "$tmp/samples.data" -e perf:cpu-clock --fields ip.dso,ustack --format parquet -o "$tmp/code.parquet"
status_is 0
hist events -q -i "$tmp/samples.data" --fields event,ip.dso,stack
stdout_has '^task:task_rename,,'
hist events -q -i "$tmp/samples.data" --fields ip.name
status_is 2
stderr_has 'no event has a field ip.name'

it 'filters compare them, however they are counted'
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by ip.dso -f 'ip.dso ~ "*libc*"' --format csv
stdout_is 'ip.dso,hitcount
libc.so.6,1'
hist sql -q -i "$tmp/samples.data" "SELECT count(*) AS n FROM \"perf:cpu-clock\" WHERE ip_dso = 'libc.so.6'" --format csv
stdout_is 'n
1'
count_of() {
	sed 1d "$tmp.out" | awk -F, '{ n += $2 } END { print n + 0 }'
}
for of in 'ip.dso == "[kernel.kallsyms]"' 'stack == do_syscall_64' 'stack ~ "*_relocate_*" || ustack == nothing'; do
	n=0
	for filter in "$of" "!($of)"; do
		hist events -q -i "$tmp/samples.data" -e perf:cpu-clock -f "$filter" --fields ts,cpu
		events=$(($(wc -l <"$tmp.out") - 1))
		n=$((n + events))
		for plan in plain order range; do
			hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by ip.dso -f "$filter" --format csv --plan=$plan
			[ "$(count_of)" -eq "$events" ] || fail "$filter: $plan counts $(count_of), not $events"
		done
	done
	[ $n -eq 66 ] || fail "$of: $n samples with and without it"
done
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by ip.sym -f 'stack == do_syscall_64 && stack != do_syscall_64'
stdout_has '^0 hits'
hist report -i "$tmp/samples.data" -e perf:cpu-clock -R 'hist:keys=common_pid if ip.dso == "libc.so.6"'
stderr_has 'names of code are an extension'
for filter in 'comm.dso == "x"' 'ip.dso > 3' 'ip.dso'; do
	hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by comm -f "$filter"
	status_is 1
done
hist report --strict-kernel -q -i "$tmp/samples.data" -e perf:cpu-clock -R 'hist:keys=common_pid if ip.dso == "libc.so.6"'
status_is 1

it 'recipes: functions by task'
hist report -q -i "$tmp/samples.data" profile -D event=cpu-clock --top 0 --format csv
cut -d, -f1-5 "$tmp.out" >"$tmp/table" # without the share
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by comm,ip.dso,ip.sym --sum period --top 0 --format csv
stdout_is_file "$tmp/table"
hist report -q -i "$tmp/samples.data" profile-by-thread -D event=cpu-clock -D comm='d*' --top 0 --format csv
stdout_has '^common_task,ip.dso,ip.sym,hitcount,period$'
stdout_has '^dd-[0-9]*,'
hist diff -q profile -D event=cpu-clock "$tmp/samples.data" "$tmp/samples.dat"
status_is 0
for profile in profile profile-by-thread; do
	hist report -q -i "$tmp/samples.data" $profile -D event=cpu-clock --format csv
	cp "$tmp.out" "$tmp/table"
	hist report -i "$tmp/samples.data" $profile --format csv
	stdout_is_file "$tmp/table"
	stderr_has "$profile: counts samples of cpu-clock, because the recording has none of cycles; -D event=NAME"
done
hist report -q -i "$tmp/samples.data" profile -f 'comm == dd' --by ip.dso --format csv
stdout_has '^libc.so.6,1,500000$'
hist list -i "$tmp/samples.data"
stdout_has 'recipes      profile, profile-by-thread'
hist sql -q -i "$tmp/samples.data" 'SELECT sum(hitcount) AS n FROM profile' --format csv
stdout_is 'n
66'
hist report -i "$tmp/samples.data" profile -D event=cycles
status_is 1
stderr_has 'profile needs events that were not recorded: perf:cycles; perf record -e cycles records them; this recording has -D event=cpu-clock'
python3 tests/cli/import_profile.py "$tmp/several.data" page-faults task-clock instructions
hist report -i "$tmp/several.data" profile
stderr_has 'counts samples of task-clock'

it 'folded has functions without parameters, of one profile and of two'
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by comm,stack --format json -o "$tmp/result.json"
# the second frame of each stack, whether this machine has its name or not
sed -E 's/("common_stack":\["[^"]*",)"[^"]*"/\1"a::(anonymous namespace)::f<b(int)>(c)"/g; s/"common_comm":"dd"/"common_comm":"(dd)"/g' \
	"$tmp/result.json" >"$tmp/names.json"
hist merge -q "$tmp/names.json" --format folded
stdout_has '^\(dd\);.*;a::\(anonymous namespace\)::f<b\(int\)>;[^ ]* [0-9]+$'
hist diff -q "$tmp/names.json" "$tmp/names.json" --format folded
stdout_has '^\(dd\);.*;a::\(anonymous namespace\)::f<b\(int\)>;[^ ]* ([0-9]+) [0-9]+$'

it 'folded keeps the parameters of functions that differ only in them'
for function in 'f(int)' 'f(char)' 'g(int)' 'f(char)'; do
	printf 'a 1 100.000001: 1 cycles:\n\t100 %s+0x1 (/bin/a)\n\t200 main+0x3 (/bin/a)\n\n' "$function"
done >"$tmp/overloads"
hist report -q -i "$tmp/overloads" -e 'perf:*' --by stack --format folded
stdout_is 'main;f(char) 2
main;f(int) 1
main;g 1'
hist report -q -i "$tmp/overloads" -e 'perf:*' --by stack --format speedscope
stdout_has '"name":"f\(int\)"'
stdout_has '"name":"g"'
hist report -q -i "$tmp/overloads" -e 'perf:*' --by stack --format json -o "$tmp/overloads.json"
hist diff -q "$tmp/overloads.json" "$tmp/overloads.json" --format folded
stdout_has '^main;f\(char\) 2 2$'
stdout_has '^main;f\(int\) 1 1$'
stdout_has '^main;g 1 1$'

it 'refuses what has no meaning'
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock -R 'hist:keys=comm:vals=ip.dso'
status_is 1
stderr_has 'names of code can be keys, but not values'
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock -R 'hist:keys=comm.dso'
status_is 1
stderr_has 'comm is not an address'
hist report --strict-kernel -i "$tmp/samples.data" -e perf:cpu-clock -R 'hist:keys=ip.dso'
status_is 1
stderr_has 'no kernel has it'
done_testing
