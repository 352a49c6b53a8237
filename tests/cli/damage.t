#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Damages each part of a recording in turn: either this is reported with status 2, or the output is
# unchanged. DAMAGE=all: every part, of all samples and of the recordings of the corpus.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
[ -z "${HIST_VALGRIND:-}" ] || skip_all 'too many runs for valgrind'

# damage RECORDING SCRIPT PARTS: as plain, zlib and zstd
damage()
{
	for codec in none zlib zstd; do
		it "damage is reported: $1 as $codec"
		hist slim -q -i "$1" -z $codec -o "$tmp/$codec.dat" "$2"
		status_is 0
		DAMAGE_PARTS=$3 python3 tests/cli/damage.py "$HIST" "$tmp/$codec.dat" "$2" >"$tmp/silent" 2>&1 ||
			fail_file 'silent damage:' "$tmp/silent"
	done
}

if [ "${DAMAGE:-}" = all ]; then
	for dat in trace.dat-samples/*.dat; do
		damage "$dat" "${dat%.dat}.script" 0
	done
	# those whose undamaged report has no warnings
	for dat in $(ls ../shared/corpus/*/*/trace.dat || ls tests/golden/*/*/trace.dat); do
		"$HIST" report -i "$dat" "${dat%/*}/triggers" >/dev/null 2>&1 &&
			damage "$dat" "${dat%/*}/triggers" 40
	done
else
	damage trace.dat-samples/kmalloc.dat trace.dat-samples/kmalloc.script 12
	damage trace.dat-samples/stacks.dat trace.dat-samples/stacks.script 25
	damage trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.script 25
fi

# Few parts, but every verb.
[ "${DAMAGE:-}" = all ] || verbs=8
for codec in none zstd; do
	it "damage is reported by each verb: wakeup.dat as $codec"
	"$HIST" slim -q -i trace.dat-samples/wakeup.dat -z $codec -o "$tmp/$codec.dat" trace.dat-samples/wakeup.script
	DAMAGE_VERBS=1 DAMAGE_PARTS=${verbs:-0} checked python3 tests/cli/damage.py "$HIST" "$tmp/$codec.dat" \
		trace.dat-samples/wakeup.script >"$tmp/silent" 2>&1 || fail_file 'silent damage:' "$tmp/silent"
done

it 'recipe reports damage that it meets'
at=$("$HIST" dump -i "$tmp/zstd.dat" | sed -n 's/.*in the chunk at \(0x[0-9a-f]*\).*/\1/p' | head -n 1)
printf '\377\377\377\377' | dd of="$tmp/zstd.dat" bs=1 seek=$((at)) conv=notrunc 2>"$tmp.dd"
hist recipe -i "$tmp/zstd.dat"
status_is 2
stderr_has 'the recording is damaged'

# section RECORDING ID TO: a copy with a damaged header in the block of section ID
section()
{
	python3 - "$1" "$2" "$3" <<'END'
import struct, sys
path, section, to = sys.argv[1], int(sys.argv[2]), sys.argv[3]
data = bytearray(open(path, 'rb').read())
at = data.index(struct.pack('<HI', section, 8))
place, = struct.unpack_from('<Q', data, at + 6)
data[place + 16:place + 24] = b'\xff' * 8
open(to, 'wb').write(data)
END
}

it 'list reports damaged formats, symbols, names and printk formats, with status 2'
for s in 18 19 20 21; do
	section trace.dat-samples/stacks.dat $s "$tmp/damaged.dat"
	hist list -i "$tmp/damaged.dat"
	status_is 2
	stderr_has 'damaged at offset [0-9]+: the .* cannot be inflated'
done

it 'a report that uses symbols reports that these are damaged, also with --strict'
section trace.dat-samples/stacks.dat 19 "$tmp/damaged.dat"
for strict in '' --strict; do
	# shellcheck disable=SC2086 # an option or nothing
	hist report $strict -i "$tmp/damaged.dat" trace.dat-samples/stacks.script
	status_is 2
	stderr_has 'damaged at offset [0-9]+: the kallsyms cannot be inflated'
done

it 'also for damaged names of threads'
section trace.dat-samples/kmalloc.dat 21 "$tmp/damaged.dat"
hist report -i "$tmp/damaged.dat" -e kmem:kmalloc -R 'hist:keys=common_pid.execname'
status_is 2
stderr_has 'damaged at offset [0-9]+: the saved command lines cannot be inflated'

it 'but not if the records name all threads, in each way of counting'
section trace.dat-samples/wakeup.dat 21 "$tmp/damaged.dat"
set -- -e sched:sched_switch -R 'hist:keys=common_pid.execname'
hist report -i trace.dat-samples/wakeup.dat "$@"
cp "$tmp.out" "$tmp/whole"
for plan in order range; do
	hist report --plan=$plan -j 2 -i "$tmp/damaged.dat" "$@"
	status_is 0
	stderr_is ''
	stdout_is_file "$tmp/whole"
done

it 'also for damaged symbols that only slim reads'
section trace.dat-samples/wakeup.dat 19 "$tmp/damaged.dat"
hist slim -q -i "$tmp/damaged.dat" -o "$tmp/small.dat" trace.dat-samples/wakeup.script
status_is 2
stderr_has 'damaged at offset [0-9]+: the kallsyms cannot be inflated'

it 'damage takes precedence over the event that is missing because of it'
section trace.dat-samples/wakeup.dat 18 "$tmp/damaged.dat"
hist report -i "$tmp/damaged.dat" -e sched_waking -R 'hist:keys=pid'
status_is 2
stderr_has 'damaged at offset [0-9]+: the event formats'

# damaged_part WHAT LAST FROM TO: FROM with a damaged part: the last or the first one of this kind
damaged_part()
{
	python3 - "$@" <<'END'
import importlib.util, sys
what, last, path, to = sys.argv[1:]
sys.argv[1:] = ['', '', '']
spec = importlib.util.spec_from_loader('damage', None)
damage = importlib.util.module_from_spec(spec)
with open('tests/cli/damage.py', encoding='ascii') as file:
    exec(file.read().replace("__name__ == '__main__'", 'False'), damage.__dict__)
with open(path, 'rb') as file:
    data = bytearray(file.read())
parts = [part for part in damage.Recording(bytes(data)).parts if part[0] == what]
_, at, size = parts[-1 if last == 'last' else 0]
data[at:at + size] = b'\xff' * size
with open(to, 'wb') as file:
    file.write(data)
END
}

it 'the message names a chunk of a CPU of which only the times are needed'
"$HIST" slim -q -i trace.dat-samples/switch.dat -z zstd -o "$tmp/zstd.dat" trace.dat-samples/switch.script
damaged_part chunk last "$tmp/zstd.dat" "$tmp/chunk.dat"
hist slim --cpu 0 -i "$tmp/chunk.dat" -o "$tmp/small.dat" trace.dat-samples/switch.script
status_is 2
stderr_has 'chunk.dat: damaged at offset [0-9]+: 1 chunk of CPU'
hist report --cpu 0 --from +0.01 -i "$tmp/chunk.dat" trace.dat-samples/switch.script
status_is 2
stderr_has 'chunk.dat: damaged at offset [0-9]+: 1 chunk of CPU'
hist dump --totals --from +0.01 "$tmp/chunk.dat"
status_is 2
holds [ "$(grep -c 'damaged at offset' "$tmp.err")" = 1 ]

it 'reads a recording on which libtracecmd crashes'
damaged_part 'head of a chunk' first trace.dat-samples/wakeup.dat "$tmp/crash.dat"
check_reader "$tmp/crash.dat" handle_segv=0
status_is 2
stderr_has 'damaged|libtracecmd'

# edited FROM TO: a copy of wakeup.dat, not compressed, with changed text in the format of sched_switch
"$HIST" slim -q -i trace.dat-samples/wakeup.dat -z none -o "$tmp/plain.dat" trace.dat-samples/wakeup.script
edited()
{
	python3 - "$tmp/plain.dat" "$1" "$2" "$tmp/edited.dat" <<'END'
import sys
path, old, new, to = sys.argv[1:]
data = open(path, 'rb').read()
old, new = (s.encode().decode('unicode_escape').encode() for s in (old, new))
at = data.index(old, data.index(b'name: sched_switch\n'))
assert len(old) == len(new)
open(to, 'wb').write(data[:at] + new + data[at + len(old):])
END
}

it 'warns of two fields of one name, and uses the last one'
edited 'field:int prev_prio' 'field:int next_prio'
hist report -i "$tmp/edited.dat" -e sched_switch --by next_prio
status_is 0
stderr_has 'warning: .*edited.dat: event sched:sched_switch has two fields named next_prio; the last one is used'
"$HIST" report -q -i "$tmp/plain.dat" -e sched_switch --by next_prio >"$tmp/last"
stdout_is_file "$tmp/last"
hist report -i "$tmp/edited.dat" -e sched_waking --by pid
stderr_lacks 'two fields'

it 'reports formats whose fields cannot be parsed, and formats without a name or id'
edited 'field:pid_t next_pid' 'fjeld:pid_t next_pid'
hist report -i "$tmp/edited.dat" -x 'echo 1 > events/enable; cat trace'
status_is 2
stderr_has 'edited.dat: damaged at offset [0-9]+: the format of event sched:sched_switch cannot be parsed'
hist report -i "$tmp/edited.dat" -e sched_switch -R 'hist:keys=next_pid'
status_is 2
stderr_has 'error: the format of event sched:sched_switch cannot be parsed'
stderr_lacks nearest
for damage in 'name: Name:' 'ID: ID; ' 'sched_switch\n sched\x00switch\n'; do
	# shellcheck disable=SC2086 # two words
	edited $damage
	hist list "$tmp/edited.dat"
	status_is 2
	stderr_has 'damaged at offset [0-9]+: a format of system sched has no name or ID'
	hist report -i "$tmp/edited.dat" -e sched_waking -R 'hist:keys=pid'
	status_is 2
	stderr_has 'damaged at offset [0-9]+: a format of system sched has no name or ID'
done

it 'records that are shorter than their format are damage'
edited 'offset:56;' 'offset:99;'
hist report -i "$tmp/edited.dat" -e sched_switch -R 'hist:keys=next_prio'
status_is 2
stderr_has 'records are shorter than their format'

it 'strings that point outside of their record are damage, in every plan'
edited 'field:char next_comm[16];\toffset:40;\tsize:16;' 'field:__data_loc char[] c;\toffset:40;\tsize:4;'
for plan in order range; do
	for key in c next_pid; do
		hist report -i "$tmp/edited.dat" -e sched_switch -R "hist:keys=$key" --plan=$plan
		status_is 2
		stderr_has 'records are shorter than their format or a string in them says and were skipped'
		stdout_has 'Hits: 0$'
	done
done
edited 'field:char next_comm[16];\toffset:40;\tsize:16;' 'field:__rel_loc  char[] c;\toffset:40;\tsize:4;'
hist report -i "$tmp/edited.dat" -e sched_switch -R 'hist:keys=next_pid'
status_is 2
stderr_has 'records are shorter than their format or a string'

it 'a comparison with this recording is inconclusive'
hist diff -e kmem:kmalloc -R 'hist:keys=common_pid.execname' trace.dat-samples/kmalloc.dat "$tmp/damaged.dat"
status_is 2
stderr_has 'damaged at offset'

it 'a hole in an uncompressed recording is damage'
hist slim -q -i trace.dat-samples/kmalloc.dat -z none -o "$tmp/hole.dat" trace.dat-samples/kmalloc.script
size=$(stat -c %s "$tmp/hole.dat")
dd if=/dev/zero of="$tmp/hole.dat" bs=4096 seek=$((size / 8192)) count=2 conv=notrunc status=none
hist report -i "$tmp/hole.dat" trace.dat-samples/kmalloc.script
status_is 2
stderr_has '[12] damaged sub-buffers'

# What is missing is known from the intact recording: its events in and around the gap.
"$HIST" events -q -i trace.dat-samples/kmalloc.dat -e kmem:kmalloc --format csv >"$tmp/intact.csv"
for codec in zlib zstd; do
	it "list and dump say how much is missing and when, as json and text: $codec"
	hist slim -q -i trace.dat-samples/kmalloc.dat -z $codec -o "$tmp/gap.dat" -e kmem:kmalloc
	python3 - "$tmp/gap.dat" <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(0, 2)
    f.seek(f.tell() * 3 // 5)
    f.write(b"Z" * 60)
END
	hist list -q --format json "$tmp/gap.dat"
	holds python3 - "$tmp.out" "$tmp/intact.csv" <<'END'
import csv, json, sys
listed = json.load(open(sys.argv[1]))
assert listed["damaged"] is True and not listed["cut"], listed
assert listed["caveats"][0]["kind"] == "damaged", listed["caveats"]
cpu = listed["buffers"][0]["cpus"][0]
assert cpu["unread_chunks"] == 1 and cpu["unread_subbufs"] > 0, cpu
rows = list(csv.DictReader(open(sys.argv[2])))
times = [float(next(row[k] for k in row if k in ("time", "ts"))) for row in rows]
gap = cpu["missing"]
inside = sum(gap["from"] + 1e-7 < t < gap["to"] - 1e-7 for t in times)
assert inside >= len(rows) - cpu["events"] - 2 > 0, (inside, len(rows), cpu)
assert abs(cpu["missing_about"] - inside) < inside / 2 + 10, (cpu, inside)
END
	hist list "$tmp/gap.dat"
	status_is 2
	stdout_has '^  CPU 0 +[0-9]+ events, 0 lost, 1 chunk with about [0-9]+ events cannot be read; missing from 24\.[0-9]+ s to 24\.[0-9]+ s$'
	hist dump --audit "$tmp/gap.dat"
	stdout_has '^audit: .*, 1 part was damaged or missing$'
	hist dump --audit --format json "$tmp/gap.dat"
	stdout_has '"damaged":1}$'
	hist list -q --format json trace.dat-samples/kmalloc.dat
	stdout_has '"damaged":false'
	stdout_lacks '"missing'
done

it 'a cut file: the end is missing'
head -c $(($(stat -c %s trace.dat-samples/kmalloc.dat) * 4 / 5)) trace.dat-samples/kmalloc.dat >"$tmp/cut.dat"
hist list -q --format json "$tmp/cut.dat"
stdout_has '"damaged":|"cut":true'
stdout_has '"caveats":\[\{"kind":"damaged"'
hist dump --audit "$tmp/cut.dat"
stdout_lacks 'nothing found'

it 'the span of an answer of a compressed recording begins with its first event, also if CPUs are empty'
for codec in none zlib zstd; do
	hist slim -q -i trace.dat-samples/switch.dat --cpu=3 -z $codec -o "$tmp/one.dat" -e sched:sched_switch
	hist report -q -i "$tmp/one.dat" -e derived:counter --by cpu --format json
	stdout_lacks '"from":0'
done

done_testing
