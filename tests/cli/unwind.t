#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Call chains of copies of stacks, of perf record --call-graph dwarf. unwind.tar.gz has the recorded
# programs, the second of which replaces the first one at the same addresses, and what perf script
# prints.
. tests/cli/lib.sh

mkdir -p "$tmp/files/tmp/unwind-test"
tar -xzf tests/import/unwind.tar.gz -C "$tmp/files/tmp/unwind-test"
gunzip -c tests/import/unwind.data.gz >"$tmp/unwind.data"

report()
{
	hist report -q "$@" --symfs "$tmp/files" --buildid-dir "$tmp/none"
}

report -i "$tmp/unwind.data" -e sys_enter_getppid --by ustack
grep -q 'libdw cannot be loaded\|libelf cannot be loaded' "$tmp.err" && skip_all 'no libdw'

it 'stacks are counted as events, in every way of counting'
for way in auto plain; do
	report -i "$tmp/unwind.data" -e ftrace:user_stack --by cpu,common_pid --format csv --plan $way
	sed 1d "$tmp.out" | sort >"$tmp/$way"
done
report -i "$tmp/unwind.data" -e sys_enter_getppid --by cpu,common_pid --format csv
sed 1d "$tmp.out" | sort >"$tmp/want"
holds test -s "$tmp/want"
holds cmp "$tmp/want" "$tmp/auto"
holds cmp "$tmp/want" "$tmp/plain"

it 'chains are those of perf script, with the files at that time'
report -i "$tmp/unwind.data" -e sys_enter_getppid --by comm,ustack --format folded --top 0
status_is 0
cp "$tmp.out" "$tmp/folded"
awk '
function put() { if (stack != "") n[stack]++; stack = "" }
/^[^[:space:]]/ { put(); comm = $1; next }
NF == 2 { stack = stack == "" ? $2 : $2 ";" stack; next }
{ if (stack != "") stack = comm ";" stack; put() }
END { if (stack != "") stack = comm ";" stack; put(); for (s in n) print s, n[s] }
' "$tmp/files/tmp/unwind-test/unwind.perf" | sort >"$tmp/perf"
sort "$tmp/folded" >"$tmp/hist"
holds test "$(wc -l <"$tmp/perf")" = 6
holds cmp "$tmp/perf" "$tmp/hist"

it 'also those of a converted recording, in which the chains are'
# hist import has no --symfs: the files are in perf's cache
checked python3 - "$tmp/files/tmp/unwind-test" "$tmp/home/.debug/.build-id" <<'END' || fail 'cannot make the cache'
import os, shutil, sys
for program in "first", "second":
    path = os.path.join(sys.argv[1], program)
    data = open(path, "rb").read()
    at = data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
    build_id = data[at:at + 20].hex()
    to = os.path.join(sys.argv[2], build_id[:2], build_id[2:])
    os.makedirs(to)
    shutil.copy(path, os.path.join(to, "elf"))
END
export HOME="$tmp/home"
hist import -q "$tmp/unwind.data" -o "$tmp/unwind.dat"
status_is 0
report -i "$tmp/unwind.dat" -e sys_enter_getppid --by comm,ustack --format folded --top 0
stdout_is_file "$tmp/folded"

it 'chains are made when a later question asks for them'
report -i "$tmp/unwind.data" -x "echo hist:keys=common_comm > events/syscalls/sys_enter_getppid/trigger
cat events/syscalls/sys_enter_getppid/hist
echo '!hist:keys=common_comm' > events/syscalls/sys_enter_getppid/trigger
echo hist:keys=common_ustack > events/syscalls/sys_enter_getppid/trigger
cat events/syscalls/sys_enter_getppid/hist"
status_is 0
stdout_has 'common_comm: first *} hitcount: *5$'
stdout_has ' second$'
stdout_has ' before_exec$'
stdout_lacks 'no stack'

it 'a file that is not here ends a chain, and is named once'
hist report -i "$tmp/unwind.data" -e sys_enter_getppid --by comm,ustack --symfs "$tmp/none" --buildid-dir "$tmp/none" --format folded
status_is 0
stdout_is 'first;[first] 5
second;[second] 2'
stderr_has '^hist: warning: /tmp/unwind-test/first and 1 more file do not exist here as they were recorded: stacks end in their functions$'
holds test "$(grep -c 'stacks end' "$tmp.err")" = 1

it 'damaged registers, stacks and mappings'
cat >"$tmp/damage.py" <<'END'
import random, sys
data = bytearray(open(sys.argv[1], "rb").read())
r = random.Random(int(sys.argv[3]))
start = int.from_bytes(data[40:48], "little")
size = int.from_bytes(data[48:56], "little")
for _ in range(r.choice((1, 8, 64, 400))):
    data[start + r.randrange(size)] = r.choice((0, 255, 8, r.randrange(256)))
open(sys.argv[2], "wb").write(data)
END
for seed in 1 2 3 4 5 6 7 8; do
	python3 "$tmp/damage.py" "$tmp/unwind.data" "$tmp/damaged.data" $seed
	report -i "$tmp/damaged.data" -e sys_enter_getppid --by ustack
	holds test "$status" -le 3
done

done_testing
