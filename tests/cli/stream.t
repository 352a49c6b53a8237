#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A stream of hist record -o - (tests/cli/stream.dat) whose end is missing, or whose bytes are changed.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
sample=tests/cli/stream.dat
size=$(wc -c <$sample)

it 'reads all parts'
hist report -i $sample -e sys_enter_lseek --by common_cpu
status_is 0
stdout_has '^ *0 +900'
hist dump -i $sample
status_is 0

it 'uses what came of a stream that was cut'
last=0
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	head -c $((size * i / 13)) $sample >"$tmp/cut.dat"
	hist events -i "$tmp/cut.dat" -e sys_enter_lseek --format csv --fields offset
	[ "$status" != 0 ] || stderr_has 'truncated'
	[ "$status" = 0 ] || stderr_has 'truncated|nothing|no event'
	n=$(grep -c '^[0-9]' "$tmp.out")
	checked [ "$n" -ge "$last" ] || fail "a longer part has $n events instead of $last"
	last=$n
done
checked [ "$last" -gt 100 ] || fail "only $last events"

it 'reports damage, and does not fail'
cat >"$tmp/damage.py" <<'END'
import random, sys
data = bytearray(open(sys.argv[1], 'rb').read())
rng = random.Random(int(sys.argv[3]))
# mostly in the sections of options, which have the text of the clock
places = [i for i in range(len(data) - 64) if data[i:i + 5] == b'mono\0']
for _ in range(rng.randint(1, 4)):
    at = rng.choice(places) + rng.randint(-40, 60) if rng.random() < 0.8 else rng.randrange(len(data))
    data[at] = rng.choice([0, 1, 0x7f, 0xff, rng.randrange(256)])
open(sys.argv[2], 'wb').write(data)
END
for seed in $(seq 12); do
	python3 "$tmp/damage.py" $sample "$tmp/bad.dat" "$seed"
	hist events -i "$tmp/bad.dat" -e sys_enter_lseek
	checked [ "$status" -le 2 ] || fail "seed $seed: status $status"
done

it 'follows it to its end, whatever comes'
hist report -i $sample --follow -e sys_enter_lseek --by common_cpu
status_is 0
stdout_has '^ *0 +900'
run sh -c "'$HIST' report -i - --follow -e sys_enter_lseek --by common_cpu <$sample"
status_is 0
stdout_has '^ *0 +900'
run sh -c "head -c 40000 $sample | '$HIST' report -i - --follow -e sys_enter_lseek --by common_cpu"
status_is 2
stderr_has 'standard input: truncated: the stream ended before the recording'
stdout_has '^ *0 +[0-9]+'
for seed in $(seq 12); do
	python3 "$tmp/damage.py" $sample "$tmp/bad.dat" "$seed"
	run sh -c "cat '$tmp/bad.dat' | '$HIST' report -i - --follow -e sys_enter_lseek --by common_cpu"
	checked [ "$status" -le 2 ] || fail "seed $seed: status $status"
done

it 'what lasts to the end lasts to the last record of the stream, whatever that is'
cat >"$tmp/objects.py" <<'END'
import sys
sys.path.insert(0, "tests/answers")
from machines.recording import Event, Shape, Type
ALLOC = Type("kmem", "kmalloc", 340, ("unsigned long", "call_site"), ("const void *", "ptr"), ("size_t", "bytes_req"), ("size_t", "bytes_alloc"))
OTHER = Type("sched", "sched_process_exit", 341, ("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"))
cpus = [[Event(ALLOC, 10**9, 0, 7, dict(call_site=16, ptr=4096, bytes_req=3, bytes_alloc=8), comm="a")],
        [Event(OTHER, 5 * 10**9, 1, 8, dict(comm="b", pid=8, prio=120), comm="b")]]
Shape(version=7).write_stream(sys.argv[1], [ALLOC, OTHER], cpus, [(7, "a"), (8, "b")], [], [])
END
python3 -B "$tmp/objects.py" "$tmp/objects.dat"
for options in "-i '$tmp/objects.dat'" '-i - --follow'; do
	run sh -c "'$HIST' report -q $options -e derived:allocation --by ptr,open --sum ns --format csv <'$tmp/objects.dat'"
	stdout_is 'ptr,open,hitcount,ns
4096,end,1,4000000000'
done

it 'refuses what it cannot follow'
run sh -c "printf x | '$HIST' report -i - --follow -e sched_switch --by prev_comm"
status_is 2
stderr_has 'standard input: ends in its beginning'
hist report -i tests/cli/processes.dat --follow -e sched_switch --by prev_comm
status_is 2
stderr_has 'processes.dat: is an ordinary trace.dat, not a stream|is not a stream'
hist report -i $sample --follow --from +1 -e sys_enter_lseek --by common_cpu
status_is 2
stderr_has -- '--follow takes one -i, and no --from'
hist report -i $sample --refresh 2 -e sys_enter_lseek --by common_cpu
status_is 2
stderr_has -- '--refresh needs --follow'
hist report -i $sample --follow --refresh x -e sys_enter_lseek --by common_cpu
status_is 2
stderr_has -- "--refresh takes a time, such as 1 \(second\) or 500ms, not 'x'"

done_testing
