#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Derived events of a span of time: only a part of a large recording is read, and the answer is that of all of it.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
# each has a little more than 4 MB: of a smaller one all is read
"$make" "$tmp/none.dat" 90000 wakeup none 7 4
"$make" "$tmp/zstd.dat" 330000 wakeup zstd 7 2
"$make" "$tmp/sched.dat" 90000 sched none 7

# same VERB OPTION...: as --plan plain, which reads all, tells
same()
{
	hist "$@"
	status_is 0
	cp "$tmp.out" "$tmp/part.out"
	cp "$tmp.err" "$tmp/part.err"
	hist "$@" --plan plain
	status_is 0
	holds cmp "$tmp/part.out" "$tmp.out"
	# how many end after --to is known only where that is read
	for err in "$tmp/part.err" "$tmp.err"; do
		sed 's/, .* after --to are not/, not/; /: 0 .* before --from/d' "$err" >"$err.numbers"
	done
	holds cmp "$tmp/part.err.numbers" "$tmp.err.numbers"
}

# of the 40,000th and of other events: "FROM TO", 200 us of time
spans()
{
	hist events -i "$1" -e "$2" --format csv --fields ts
	awk 'NR > 1 && NR % 9000 == 40 { printf "%.9f %.9f\n", $1 / 1e9, $1 / 1e9 + 0.0002 }' "$tmp.out" | head -4
}

it 'recordings are so large that a part of them is read'
for file in none zstd sched; do
	holds test "$(wc -c <"$tmp/$file.dat")" -ge $((4 << 20))
done

it 'prints the same events, answers and notes as if all had been read'
for file in none zstd sched; do
	spans "$tmp/$file.dat" sched_switch >"$tmp/spans"
	holds test "$(wc -l <"$tmp/spans")" -ge 3
	while read -r from to; do
		same events -i "$tmp/$file.dat" -e derived:wait --from "$from" --to "$to" --format csv --fields ts,cpu,pid,comm,ns,kind,reason,waker_comm,other_idle_ns
		same report -i "$tmp/$file.dat" -e derived:delay --by culprit_comm --sum ns --from "$from" --to "$to"
		same report -i "$tmp/$file.dat" -e derived:task_state,sched_switch --by event --from "$from" --to "$to" --cpu 1
	done <"$tmp/spans"
done

it 'explains the longest interval of a span'
spans "$tmp/none.dat" sched_switch | head -2 >"$tmp/spans"
while read -r from to; do
	hist why -i "$tmp/none.dat" -e derived:wait --from "$from" --to "$to"
	status_is 0
	sed -n 2p "$tmp.out" | grep -o ' ns=[0-9]*' | tr -d ' ns=' >"$tmp/longest"
	hist events -i "$tmp/none.dat" -e derived:wait --from "$from" --to "$to" --plan plain --format csv --fields ns
	sed 1d "$tmp.out" | sort -n | tail -1 >"$tmp/want"
	holds cmp "$tmp/longest" "$tmp/want"
done <"$tmp/spans"

it 'explains the longest intervals as if all had been read at once'
longest()
{
	file=$1
	shift
	hist why -i "$tmp/$file" "$@"
	status_is 0
	cp "$tmp.out" "$tmp/part.out"
	hist why -i "$tmp/$file" "$@" --from +0
	status_is 0
	holds cmp "$tmp/part.out" "$tmp.out"
}
longest zstd.dat -e derived:wait --exemplar 3 -f 'kind == "woken" && comm ~ "*a*"'
longest none.dat -e derived:delay -f 'culprit_pid != 0'
longest zstd.dat wakeup-latency

it 'reads a part'
read -r from to <<END
$(spans "$tmp/zstd.dat" sched_switch | sed -n 2p)
END
# the file is damaged elsewhere, which nothing tells that does not read it
cp "$tmp/zstd.dat" "$tmp/damaged.dat"
size=$(wc -c <"$tmp/damaged.dat")
printf '%4096s' x | dd of="$tmp/damaged.dat" bs=1 seek=$((size * 49 / 100)) conv=notrunc 2>/dev/null
hist report -i "$tmp/damaged.dat" -e derived:wait --by comm --plan plain
status_is 2
stderr_has 'damaged'
hist report -i "$tmp/damaged.dat" -e derived:wait --by comm --from "$from" --to "$to"
status_is 0
stderr_lacks 'damaged'

it 'writes a small recording of a moment'
hist slim -i "$tmp/zstd.dat" -o "$tmp/slim.dat" -e derived:wait --by comm --sum ns --from "$from" --to "$to"
status_is 0
holds test "$(wc -c <"$tmp/slim.dat")" -lt 300000
hist report -i "$tmp/zstd.dat" -e derived:wait --by comm --sum ns --from "$from" --to "$to"
cp "$tmp.out" "$tmp/want"
hist report -i "$tmp/slim.dat" -e derived:wait --by comm --sum ns
holds cmp "$tmp/want" "$tmp.out"

done_testing
