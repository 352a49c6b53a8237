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

it 'recipes: functions by task'
hist report -q -i "$tmp/samples.data" profile -D event=cpu-clock --top 0 --format csv
cp "$tmp.out" "$tmp/table"
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by comm,ip.dso,ip.sym --sum period --top 0 --format csv
stdout_is_file "$tmp/table"
hist report -q -i "$tmp/samples.data" profile-by-thread -D event=cpu-clock -D comm='d*' --top 0 --format csv
stdout_has '^common_task,ip.dso,ip.sym,hitcount,period$'
stdout_has '^dd-[0-9]*,'
hist diff -q profile -D event=cpu-clock "$tmp/samples.data" "$tmp/samples.dat"
status_is 0
hist report -i "$tmp/samples.data" profile
status_is 1
stderr_has 'profile needs events that were not recorded: perf:cycles; perf record -e cycles records them; -D event=NAME'

it 'folded has functions without parameters, of one profile and of two'
hist report -q -i "$tmp/samples.data" -e perf:cpu-clock --by comm,stack --format json -o "$tmp/result.json"
sed 's/"do_syscall_64"/"a::(anonymous namespace)::f<b(int)>(c)"/g; s/"common_comm":"dd"/"common_comm":"(dd)"/g' \
	"$tmp/result.json" >"$tmp/names.json"
hist merge -q "$tmp/names.json" --format folded
stdout_has '^\(dd\);.*;a::\(anonymous namespace\)::f<b;[^ ]* [0-9]+$'
hist diff -q "$tmp/names.json" "$tmp/names.json" --format folded
stdout_has '^\(dd\);.*;a::\(anonymous namespace\)::f<b;[^ ]* ([0-9]+) [0-9]+$'

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
