#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist merge: sums are exact and do not depend on order or grouping; incompatible results are
# rejected.
. tests/cli/lib.sh

samples=trace.dat-samples
[ -f $samples/switch.dat ] || skip_all "no $samples"
trigger='hist:keys=next_comm,next_pid:vals=prev_prio:sort=hitcount.descending,next_comm'

# part N FROM TO [OPTION...]: the events of a span of time, as a result
part()
{
	to=$tmp/$1.json
	shift
	"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$trigger" --format json --from "$1" --to "$2" -o "$to" || exit
}

# Seven parts of the recording; times are relative to the first event.
first=$("$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$trigger" --format json |
	sed 's/.*"span":{"from":\([0-9.]*\),"to":\([0-9.]*\).*/\1 \2/')
awk -v span="$first" 'BEGIN {
	split(span, s, " ")
	split(s[1], a, "."); split(s[2], b, ".")
	from = a[1] * 1e9 + a[2]; to = b[1] * 1e9 + b[2] + 7
	for (i = 0; i < 7; i++) {
		x = from + int((to - from) * i / 7) ; y = from + int((to - from) * (i + 1) / 7) - 1
		printf "%d.%09d %d.%09d\n", x / 1e9, x % 1e9, y / 1e9, y % 1e9
	}
}' >"$tmp/spans"
n=0
while read -r from to; do
	n=$((n + 1))
	part $n "$from" "$to"
done <"$tmp/spans"

# rows FILE: keys and values, without spans and files
rows()
{
	sed 's/"span":{[^}]*}//; s/"source":{[^}]*}//; s/"selection":{[^}]*},//' "$1"
}

it 'the parts of a recording add up to the whole'
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$trigger" --format json -o "$tmp/whole.json"
hist merge -q "$tmp"/[1-7].json --format json
status_is 0
stderr_is ''
cp "$tmp.out" "$tmp/sum.json"
rows "$tmp/whole.json" | sed 's/"data".*//' >"$tmp/a"
rows "$tmp/sum.json" | sed 's/"data".*//' >"$tmp/b"
holds cmp "$tmp/a" "$tmp/b"
hist merge "$tmp/whole.json" --format csv
cp "$tmp.out" "$tmp/a"
hist merge "$tmp"/[1-7].json --format csv
holds cmp "$tmp/a" "$tmp.out"
holds test "$(wc -l <"$tmp/a")" -gt 3

it 'the order and previous merges do not matter'
for order in '7 6 5 4 3 2 1' '3 1 7 2 6 4 5'; do
	set --
	for i in $order; do
		set -- "$@" "$tmp/$i.json"
	done
	hist merge --format json "$@"
	holds cmp "$tmp/sum.json" "$tmp.out"
done
hist merge --format json "$tmp/5.json" "$tmp/1.json" -o "$tmp/x"
hist merge --format ndjson "$tmp/x" "$tmp/7.json" -o "$tmp/y"
hist merge --format json "$tmp/6.json" "$tmp/2.json" "$tmp/3.json" -o "$tmp/z"
hist merge --format json "$tmp/z" "$tmp/4.json" "$tmp/y"
holds cmp "$tmp/sum.json" "$tmp.out"

it 'of equal largest values the earlier one is kept, with its fields, in any order'
for at in 1 2; do
	cat >"$tmp/$at.txt" <<-END
		# tracer: nop
		#
		            prog-42    [000] .....     $at.000000: sys_futex(uaddr: 7f00${at}0, op: 0, val: 0, utime: 0, uaddr2: 0, val3: 0)
		            prog-42    [000] .....     $at.000700: sys_futex -> 0x0
	END
	hist report -q -i "$tmp/$at.txt" futex-wait --show 1 --format json -o "$tmp/at$at.json"
	status_is 0
done
for order in '1 2' '2 1'; do
	hist merge --format csv "$tmp/at${order% *}.json" "$tmp/at${order#* }.json"
	stdout_has "^prog-42,2,1400,700,$((0x7f0010)),1.000700000,true\$"
done

it 'shows all histograms of a question with --show 0, one with --show N'
hist report -q -i trace.dat-samples/wakeup.dat wakeup-latency --format json -o "$tmp/question.json"
hist merge -q "$tmp/question.json" --format json
cp "$tmp.out" "$tmp/all"
hist merge -q "$tmp/question.json" --format json --show 0
stdout_is_file "$tmp/all"
hist merge -q "$tmp/question.json" --format csv --show 2
cp "$tmp.out" "$tmp/second"
hist report -q -i trace.dat-samples/wakeup.dat wakeup-latency --format csv --show 2
stdout_is_file "$tmp/second"
hist merge "$tmp/question.json" --show 4
status_is 2
stderr_has 'nor a number from 1 to 3'

it 'names the versions of hist that counted'
sed 's/"version":"[^"]*"/"version":"0.1.0"/' "$tmp/1.json" >"$tmp/old.json"
for order in 'old 2' '2 old'; do
	# shellcheck disable=SC2086 # two names
	set -- $order
	hist merge "$tmp/$1.json" "$tmp/$2.json" --format json
	status_is 0
	stdout_has '"version":"0\.1\.0, [0-9.]*"'
	cp "$tmp.out" "$tmp/versions-$1"
done
holds cmp "$tmp/versions-old" "$tmp/versions-2"

it 'its json is a result'
hist merge --format json "$tmp/sum.json"
stdout_is_file "$tmp/sum.json"
hist merge --format ndjson "$tmp/sum.json" -o "$tmp/x"
hist merge --format json "$tmp/x"
stdout_is_file "$tmp/sum.json"

it 'reads standard input, and file names separated by NUL'
run sh -c 'cat "$1"/[1-7].json | "$HIST" merge --format csv -' sh "$tmp"
holds cmp "$tmp/a" "$tmp.out"
run sh -c 'printf "%s\0" "$1"/[1-7].json | "$HIST" merge --format csv --files0-from -' sh "$tmp"
status_is 0
holds cmp "$tmp/a" "$tmp.out"
printf '%s\0%s' "$tmp/1.json" "$tmp/2.json" >"$tmp/names"
hist merge --format csv --files0-from "$tmp/names" "$tmp"/[3-7].json
holds cmp "$tmp/a" "$tmp.out"
run sh -c '"$HIST" merge - - <"$1"' sh "$tmp/1.json"
status_is 2
stderr_has 'only once'

it 'prints the text that report prints, except for the order of rows with equal sort keys'
for name in kmalloc stacks switch syscalls wakeup; do
	for stats in '' --stats; do
		hist report -q -i $samples/$name.dat $samples/$name.script $stats
		grep -v '^==>' "$tmp.out" | sort >"$tmp/want"
		# results do not contain the files that cat prints
		grep -v '^cat' $samples/$name.script >"$tmp/script"
		hist report -q -i $samples/$name.dat "$tmp/script" $stats --format json -o "$tmp/x.json"
		hist report -q -i $samples/$name.dat "$tmp/script" $stats
		sort "$tmp.out" >"$tmp/want"
		hist merge -q "$tmp/x.json"
		status_is 0
		sort "$tmp.out" >"$tmp/got"
		holds cmp "$tmp/want" "$tmp/got"
	done
done

it 'a label is an additional key of the results after it'
hist merge --label host=a "$tmp/1.json" --label host=b --label rack=r1 "$tmp/1.json" --format csv
status_is 2
stderr_has '1.json.*its columns differ'
hist merge --label host=a "$tmp/1.json" --label host=b "$tmp/1.json" "$tmp/2.json" --format csv
status_is 0
stdout_has '^next_comm,next_pid,host,hitcount,prev_prio'
holds test "$(grep -c ',a,' "$tmp.out")" -ge 1
holds test "$(grep -c ',b,' "$tmp.out")" -ge "$(grep -c ',a,' "$tmp.out")"
hist merge --label host=a "$tmp/1.json" --format json -o "$tmp/x.json"
hist merge --label host=b "$tmp/x.json"
status_is 2
stderr_has 'x.json already has a key host'
hist merge "$tmp/1.json" --label host=a
status_is 2
stderr_has 'labels the results that follow'
hist merge --label host "$tmp/1.json"
status_is 2
stderr_has 'NAME=VALUE'

it 'labels of a merge of merges'
hist merge --label host=b "$tmp/2.json" --format json -o "$tmp/y.json"
hist merge --format json "$tmp/y.json" "$tmp/x.json"
cp "$tmp.out" "$tmp/want"
hist merge --format json --label host=a "$tmp/1.json" --label host=b "$tmp/2.json"
stdout_is_file "$tmp/want"

it 'the file is an additional key on request'
hist merge --key-by file "$tmp/1.json" "$tmp/2.json" --format csv
status_is 0
stdout_has '^next_comm,next_pid,file,hitcount'
stdout_has '/1.json,'
stdout_has '/2.json,'
hist merge --key-by pid "$tmp/1.json"
status_is 2

it 'rejects results of another trigger, and names them'
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R 'hist:keys=next_comm' --format json -o "$tmp/other.json"
hist merge "$tmp/1.json" "$tmp/other.json"
status_is 2
stdout_is ''
stderr_has 'other.json: the trigger of sched:sched_switch is hist:keys=next_comm:.*in .*/1.json it is hist:keys=next_comm,next_pid'
"$HIST" report -q -i $samples/wakeup.dat -e sched_waking -R 'hist:keys=pid' --format json -o "$tmp/other.json"
hist merge "$tmp/1.json" "$tmp/other.json"
status_is 2
stderr_has 'other.json has a histogram of sched:sched_waking, but .*/1.json has none'
sed 's/"clock":"[a-z]*"/"clock":"mono"/' "$tmp/2.json" >"$tmp/other.json"
hist merge "$tmp/1.json" "$tmp/other.json"
status_is 2
stderr_has 'other.json cannot be merged.*clock is mono'
sed 's/"schema":1/"schema":2/' "$tmp/2.json" >"$tmp/other.json"
hist merge "$tmp/1.json" "$tmp/other.json"
status_is 2
stderr_has 'other.json:1: its schema is not 1'
sed 's/"name":"next_pid","type":"number","signed":true/"name":"next_pid","type":"number","signed":false/' "$tmp/2.json" >"$tmp/other.json"
hist merge "$tmp/1.json" "$tmp/other.json"
status_is 2
stderr_has 'column next_pid is different'
"$HIST" report -q -i $samples/switch.dat -e sched_switch -R "$trigger" --stats --format json -o "$tmp/other.json"
hist merge "$tmp/1.json" "$tmp/other.json"
status_is 2
stderr_has -- '--stats'
cat "$tmp/1.json" "$tmp/whole.json" >"$tmp/two.json"
hist merge "$tmp/two.json" "$tmp/1.json"
status_is 0

it 'rejects a result whose sort keys are not those of the trigger'
sed 's/"descending":true/"descending":false/' "$tmp/1.json" >"$tmp/sorted.json"
hist merge "$tmp/sorted.json" "$tmp/2.json"
status_is 2
stderr_has '2.json.*its rows are sorted differently'

it 'rejects files that are not results, or not complete'
hist merge
status_is 2
stderr_has 'no RESULT'
hist merge "$tmp/none.json"
status_is 2
stderr_has 'none.json: No such file'
hist merge $samples/switch.dat
status_is 2
stderr_has 'is a recording.*hist report -i'
: >"$tmp/empty"
hist merge "$tmp/empty"
status_is 2
stderr_has 'contains no result'
echo '{"a":1}' >"$tmp/odd"
hist merge "$tmp/odd"
status_is 2
stderr_has 'odd:1: it is not a result'
head -c 700 "$tmp/1.json" >"$tmp/cut.json"
hist merge "$tmp/1.json" "$tmp/cut.json"
status_is 2
stdout_is ''
stderr_has 'cut.json:1:'
hist merge "$tmp/1.json" --format nosuch
status_is 2
stderr_has 'unknown format nosuch'

it 'a note reports that ids of tasks of several recordings are added up'
for key in next_pid next_pid.task task process tgid next_comm next_pid.cgroup; do
	for part in '--to +.2' '--from +.2'; do
		# shellcheck disable=SC2086 # options
		hist report -q -i trace.dat-samples/switch.dat $part -e sched_switch --by $key --format json
		cp "$tmp.out" "$tmp/${part%% *}.json"
	done
	hist merge "$tmp/--to.json" "$tmp/--from.json"
	case $key in
	next_comm | next_pid.cgroup) stderr_lacks 'tasks of different recordings' ;;
	*) stderr_has 'note: sched:sched_switch: a row with [a-z_.]* adds up tasks of different recordings that had the same id: --key-by file' ;;
	esac
	hist merge --key-by file "$tmp/--to.json" "$tmp/--from.json"
	stderr_lacks 'tasks of different recordings'
	hist merge "$tmp/--to.json"
	stderr_lacks 'tasks of different recordings'
done

it 'refuses a result that is named twice, under any name'
ln -s 1.json "$tmp/also-1.json"
for name in 1.json also-1.json; do
	hist merge "$tmp/1.json" "$tmp/$name"
	status_is 2
	stdout_is ''
	stderr_has "1.json and .*$name are the same file; name it only once"
done
# shellcheck disable=SC2094 # it is only read
hist merge "$tmp/1.json" - <"$tmp/1.json"
status_is 2
stderr_has '1.json and standard input are the same file'

it 'a result that is named twice needs different labels'
hist merge --label x=1 "$tmp/1.json" "$tmp/also-1.json"
status_is 2
stdout_is ''
stderr_has '1.json and .*also-1.json are the same file; name it only once'
hist merge --label x=1 "$tmp/1.json" --label x=2 "$tmp/1.json" --label x=1 "$tmp/1.json"
status_is 2
stderr_has 'are the same file'
hist merge --label x=1 --label y=1 "$tmp/1.json" --label y=2 "$tmp/1.json" --label x=2 "$tmp/1.json"
status_is 0
hist merge --label x=1 "$tmp/1.json" --label x=2 "$tmp/2.json" --label x=2 --label x=1 "$tmp/also-1.json"
status_is 2
stderr_has 'are the same file'

it 'reports drops and losses'
sed 's/"lost_events":0/"lost_events":3/; s/"dropped":0/"dropped":4/' "$tmp/1.json" >"$tmp/lossy.json"
cp "$tmp/lossy.json" "$tmp/lossy2.json"
hist merge "$tmp/lossy.json" "$tmp/lossy2.json"
status_is 0
stderr_has '8 hits were dropped'
stderr_has '6 events were lost'

it 'diff computes the rate of a sum from the time that all recordings cover'
cp "$tmp/whole.json" "$tmp/whole2.json"
hist merge "$tmp/whole.json" "$tmp/whole2.json" --format json -o "$tmp/twice.json"
stdout_is ''
hist diff "$tmp/whole.json" "$tmp/twice.json"
status_is 0

it 'ends without a message if the reader closes the pipe'
run sh -c '"$HIST" merge "$1" --format csv | head -n 1' sh "$tmp/sum.json"
stderr_is ''
it 'the conditional snapshot is that of the greatest value; several histograms have one order'
cat >"$tmp/snapshot.script" <<'EOF'
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:onmax($lat).snapshot()' >> events/sched/sched_switch/trigger
cat events/sched/sched_waking/hist events/sched/sched_switch/hist
EOF
for part in whole '--to 30.25' '--from 30.250000001'; do
	# shellcheck disable=SC2086 # options
	hist report -q -i trace.dat-samples/wakeup.dat "$tmp/snapshot.script" ${part#whole} --format json \
		-o "$tmp/${part%% *}.json"
	status_is 0
done
snapshot()
{
	grep -o '"snapshot":{[^}]*}}' "$1"
}
hist merge -q "$tmp/--to.json" "$tmp/--from.json" --format json -o "$tmp/one.json"
hist merge -q "$tmp/--from.json" "$tmp/--to.json" --format json -o "$tmp/other.json"
for sum in one other; do
	checked [ "$(snapshot "$tmp/$sum.json")" = "$(snapshot "$tmp/whole.json")" ] || fail 'another snapshot'
done
checked [ "$(snapshot "$tmp/--to.json")" != "$(snapshot "$tmp/whole.json")" ] || fail 'the parts have the same'
grep -o '"event":"[^"]*"' "$tmp/one.json" >"$tmp/order"
grep -o '"event":"[^"]*"' "$tmp/other.json" | cmp -s - "$tmp/order" || fail 'another order'
sed -i '$s/.*/cat events\/sched\/sched_switch\/hist events\/sched\/sched_waking\/hist/' "$tmp/snapshot.script"
hist report -q -i trace.dat-samples/wakeup.dat "$tmp/snapshot.script" --from 30.250000001 --format json -o "$tmp/swapped.json"
hist merge -q "$tmp/--to.json" "$tmp/swapped.json"
cp "$tmp.out" "$tmp/text"
hist merge -q "$tmp/swapped.json" "$tmp/--to.json"
stdout_is_file "$tmp/text"

# sum_of HITCOUNT [BYTES]: a result with one row
sum_of()
{
	sed "s/\"hitcount\":[0-9]*/\"hitcount\":$1/; s/\"hits\":[0-9]*/\"hits\":$1/; s/\"val\":{\(.*\)\"bytes_req\":[0-9]*/\"val\":{\1\"bytes_req\":${2-7}/" "$tmp/one.json"
}
"$HIST" report -q -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=common_cpu:vals=bytes_req' --format json -o "$tmp/one.json"
most=18446744073709551615

it 'sums beyond 64 bits saturate, with a caveat, also in sums of sums'
sum_of $most >"$tmp/big.json"
sum_of 3 >"$tmp/small.json"
hist merge "$tmp/big.json" "$tmp/small.json"
status_is 0
stdout_has "hitcount: $most  bytes_req:         14"
stdout_has "Hits: $most"
stderr_has 'hitcount: 1 sum exceeds 64 bits'
hist merge --strict "$tmp/small.json" "$tmp/big.json" --format json -o "$tmp/sum.json"
status_is 2
hist merge "$tmp/sum.json" "$tmp/small.json" --format json
status_is 0
stdout_has '{"kind":"saturated","n":1,"of":"hitcount",'
stdout_has '{"kind":"saturated","n":1,"of":"totals",'
stdout_has "\"hitcount\":$most"

it 'a sum of 64 bits is exact and has none'
sum_of 18446744073709551612 >"$tmp/almost.json"
hist merge --strict "$tmp/almost.json" "$tmp/small.json"
status_is 0
stdout_has "Hits: $most"
stderr_is ''

it 'negative sums: those that leave 64 bits only in between are exact, in any order'
"$HIST" report -q -i $samples/syscalls.dat -e sys_exit -R 'hist:keys=common_cpu:vals=ret' --format json -o "$tmp/ret.json"
for v in 9223372036854775807 5 -10; do
	sed "s/\"ret\":-*[0-9][0-9]*/\"ret\":$v/g" "$tmp/ret.json" >"$tmp/ret$v.json"
done
for order in '9223372036854775807 5 -10' '-10 9223372036854775807 5' '5 9223372036854775807 -10'; do
	# shellcheck disable=SC2086 # three numbers
	set -- $order
	hist merge --strict "$tmp/ret$1.json" "$tmp/ret$2.json" "$tmp/ret$3.json" --format json
	status_is 0
	stdout_has '"ret":9223372036854775802'
done
hist merge --strict "$tmp/ret9223372036854775807.json" "$tmp/ret5.json" --format json
status_is 2
stdout_has '"ret":9223372036854775807'

it 'saturated sums with statistics can be read again'
"$HIST" report -q --stats -i $samples/kmalloc.dat -e kmalloc -R 'hist:keys=common_cpu:vals=ptr' --format json -o "$tmp/ptr1.json"
cp "$tmp/ptr1.json" "$tmp/ptr2.json"
hist merge "$tmp/ptr1.json" "$tmp/ptr2.json" --format json -o "$tmp/ptr.json"
status_is 0
hist merge "$tmp/ptr.json" "$tmp/ptr1.json"
status_is 0

it 'comparisons of saturated sums are inconclusive'
sed "s/\"data\":\[\(.*\)\]}$/\"data\":[\1,\1]}/; s/\(.*\)\"common_cpu\":0}/\1\"common_cpu\":1}/; s/\"entries\":1/\"entries\":2/" "$tmp/big.json" >"$tmp/two.json"
hist diff --drop-key common_cpu "$tmp/two.json" "$tmp/two.json"
status_is 2
stdout_has "inconclusive"
hist trend "$tmp/two.json" "$tmp/small.json"
status_is 2
stderr_has 'rows: .* exceed'

it 'reads members in any order, also those after the rows'
hist merge --format json "$tmp/1.json"
status_is 0
cp "$tmp.out" "$tmp/ordered"
sed -E 's/^\{("type":"hist_trigger"),(.*),("totals":\{[^}]*\},.*"data":.*\])\}$/{\1,\3,\2}/' "$tmp/1.json" >"$tmp/other.json"
! cmp -s "$tmp/1.json" "$tmp/other.json" || fail 'the members have the same order'
cp "$tmp/1.json" "$tmp/first.json"
cp "$tmp/other.json" "$tmp/1.json"
hist merge --format json "$tmp/1.json"
status_is 0
stdout_is_file "$tmp/ordered"
cp "$tmp/first.json" "$tmp/1.json"

done_testing
