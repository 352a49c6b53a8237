#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist dump: the ring buffer of a recording, and the audit of its time stamps.
. tests/cli/lib.sh

sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"

it 'prints sub-buffers, records and totals'
hist dump -i $sample
status_is 0
stderr_is ''
stdout_has '^CPU 0, sub-buffer 0 (in the chunk )?at 0x[0-9a-f]+: [0-9]+ of [0-9]+ bytes, from [0-9]+\.[0-9]{9}$'
stdout_has '^  0x0010 record  +[0-9]+ +\+0 +[0-9]+\.[0-9]{9} .* sched:sched_switch$'
stdout_has '^CPU 0: [0-9]+ sub-buffers, .*; [0-9]+ records, .* 0 lost; from '
cp "$tmp.out" "$tmp/want"

it 'reads the recording from an argument or a pipe, and writes to a file'
hist dump $sample
stdout_is_file "$tmp/want"
run sh -c 'cat "$1" | "$HIST" dump -' sh $sample
status_is 0
stdout_is_file "$tmp/want"
hist dump $sample -o "$tmp/out"
status_is 0
stdout_is ''
holds cmp "$tmp/out" "$tmp/want"

it 'prints only the totals'
hist dump --totals $sample
status_is 0
grep '^CPU [0-9]*: ' "$tmp/want" >"$tmp/totals"
stdout_is_file "$tmp/totals"

it 'prints the text of events on request'
hist dump --text $sample
status_is 0
stdout_has 'sched:sched_switch .*prev_comm=|sched:sched_switch .* ==> '

it 'finds nothing in an intact recording'
hist dump --audit $sample
status_is 0
stdout_has '^audit: nothing found$'
stdout_lacks '^  0x'

it 'prints the same as json, one object per line'
hist dump --format=json $sample
status_is 0
stdout_has '^\{"type":"subbuffer","cpu":0,"index":0,'
stdout_has '^\{"type":"record","cpu":0,"offset":16,'
stdout_has '^\{"type":"totals","cpu":0,'
holds test "$(grep -c '"type":"record"' "$tmp.out")" = "$(grep -c '^  0x.* record ' "$tmp/want")"
if have jq; then
	holds jq -e -s 'length > 3' "$tmp.out"
fi

it 'prints its tables in formats of rows: entries, totals, findings'
hist dump --format=csv $sample
status_is 0
stderr_has '^hist: note: csv contains the entries; --totals'
stdout_has '^type,cpu,index,offset,size,delta,ts,diff,pid,comm,flags,system,event,text,file_offset,lost,why$'
stdout_has '^subbuffer,0,0,,'
stdout_has '^record,0,0,16,'
holds test "$(grep -c '^record,' "$tmp.out")" = "$(grep -c '^  0x.* record ' "$tmp/want")"
hist dump --totals --format=tsv $sample
stderr_is ''
holds test "$(wc -l <"$tmp.out")" = "$(($(grep -c '' "$tmp/totals") + 1))"
hist dump --audit --format=ndjson $sample
status_is 0
stdout_is ''
hist dump --format=parquet $sample -o "$tmp/dump.parquet"
status_is 0
holds test "$(head -c 4 "$tmp/dump.parquet")" = PAR1

it 'agrees with trace-cmd on offsets, deltas, sizes and times'
if have trace-cmd perl; then
	trace-cmd report --debug -t --ts-diff $sample 2>/dev/null |
		perl -ne 'print "$1.$2 $3 $4 $5\n" if /\s(\d+)\.(\d{9}): .*\[(\d+):0x([0-9a-f]+):(\d+)\]$/' |
		sort >"$tmp/theirs"
	perl -ne 'print "$4 $3 ", sprintf("%x", hex $1), " $2\n"
		if /^  0x(\w+) record +(\d+) +\+(\d+) +(\d+\.\d+)/' "$tmp/want" | sort >"$tmp/ours"
	holds test -s "$tmp/ours"
	holds cmp "$tmp/theirs" "$tmp/ours"
else
	skip 'needs trace-cmd and perl'
fi

it 'prints a span of time and some CPUs'
hist dump --from +0 --to +0 $sample
status_is 0
holds test "$(grep -c '^  0x.* record ' "$tmp.out")" = 1
hist dump --cpu 0 $sample
status_is 0
stdout_lacks '^CPU [1-9]'
hist dump --cpu 77 $sample
status_is 2
stderr_has 'no CPU 77'
hist dump -B nosuch $sample
status_is 2
stderr_has 'no buffer nosuch'

# Print the recording $1 with the sub-buffers of CPU 0 as they were written, as uncompressed version
# 6 or 7.
plain()
{
	"$BUILD/bench/make_recording" "$1" 3000 wakeup none
}

it 'finds decreasing times and lost events'
plain "$tmp/plain.dat"
hist dump --audit "$tmp/plain.dat"
status_is 0
hist dump --cpu 0 "$tmp/plain.dat"
at=$(sed -n 's/^CPU 0, sub-buffer 1 at \(0x[0-9a-f]*\): .*/\1/p' "$tmp.out")
printf '\0\0\0\0\0\0\0\0' | dd of="$tmp/plain.dat" bs=1 seek=$((at)) conv=notrunc 2>"$tmp.dd"
hist dump --audit "$tmp/plain.dat"
status_is 1
stdout_has '^CPU 0, sub-buffer 1, offset 0x10, 0\.000000000: time goes back by [0-9]+, from [0-9]'
stdout_has '^audit: time went back 1 times, 0 runs'
hist dump --audit -o "$tmp/out" "$tmp/plain.dat"
status_is 1
holds grep -q 'time goes back' "$tmp/out"
hist dump "$tmp/plain.dat"
status_is 0
plain "$tmp/plain.dat"
printf '\200' | dd of="$tmp/plain.dat" bs=1 seek=$((at + 11)) conv=notrunc 2>"$tmp.dd"
hist dump --audit "$tmp/plain.dat"
status_is 1
stdout_has '^CPU 0, sub-buffer 1, [0-9.]+: events were lost before it .the number was not recorded.$'
hist dump "$tmp/plain.dat"
status_is 0
stdout_has '^CPU 0, sub-buffer 1 at .*, events lost before it .the number was not recorded.$'
stdout_has '^CPU 0: .* some lost;'

it 'reports damaged and cut parts, prints the rest, and exits with status 2'
plain "$tmp/plain.dat"
printf '\377\377\377\7' | dd of="$tmp/plain.dat" bs=1 seek=$((at + 8)) conv=notrunc 2>"$tmp.dd"
hist dump "$tmp/plain.dat"
status_is 2
stdout_has "^CPU 0, at $at: damaged: "
stdout_has '^CPU 0, sub-buffer 2 '
stdout_has '^CPU 0: .*, 1 damaged'
plain "$tmp/plain.dat"
head -c $((at + 100)) "$tmp/plain.dat" >"$tmp/cut.dat"
hist dump --audit "$tmp/cut.dat"
status_is 2
stderr_has 'cut\.dat: truncated: '
stdout_has '^CPU 0, at 0x[0-9a-f]+: cut: the file ends within this sub-buffer$'
stdout_has '^CPU 0: 2 sub-buffers, '

it 'survives a recording that shrinks while it is read'
"$BUILD/bench/make_recording" "$tmp/large.dat" 20000 wakeup none
if [ "${EMULATED:-}" = s390x ]; then
	skip 'qemu-user has no address of a SIGBUS on big-endian machines'
else
	run sh -c '{ "$HIST" dump "$1"; echo $? >"$1.status"; } | { read -r line; truncate -s 20000 "$1"; cat >/dev/null; }' \
		sh "$tmp/large.dat"
	holds test "$(cat "$tmp/large.dat.status")" = 2
	stderr_has '^hist: warning: .*large\.dat: was truncated during reading'
fi

it 'exits with status 2 for usage errors'
for args in '--format=xml' '--audit --totals' '--nosuch'; do
	# shellcheck disable=SC2086 # several words
	hist dump $args
	status_is 2
	stdout_is ''
	stderr_has '^hist( dump)?: '
done

done_testing
