#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# --by event: the fields of each event are read where that event has them, so each row is that of
# the event alone.
. tests/cli/lib.sh

cat >"$tmp/two.txt" <<'EOF'
# tracer: nop
#
           <...>-7     [000] .....     1.000001: one: v=5 name=alpha k=3
           <...>-7     [000] .....     1.000002: two: a=1 b=2 name=beta c=9 v=100 k=4
           <...>-8     [001] .....     1.000003: one: v=6 name=alpha k=4
           <...>-8     [001] .....     1.000004: two: a=1 b=2 name=alpha c=9 v=200 k=3
           <...>-8     [001] .....     1.000005: three: name=beta v=7 k=3
           <...>-8     [001] .....     1.000006: two: a=3 b=2 name=a_longer_name c=9 v=300 k=3
EOF
hist import -q "$tmp/two.txt" -o "$tmp/two.dat"

# each_alone INPUT EVENT,EVENT... KEY SUM [OPTION...]: the table of all has the rows of each
each_alone()
{
	input=$1 events=$2 key=$3 sum=$4
	shift 4
	hist report -q -i "$input" -e "$events" "$@" --by "event,$key" --sum "$sum" --format csv
	status_is 0
	: >"$tmp/want"
	for event in $(echo "$events" | tr , ' '); do
		sed 1d "$tmp.out" | grep -E "^[0-9]+,([a-z]+:)?$event," | cut -d, -f3- | sort >"$tmp/got"
		cp "$tmp.out" "$tmp/all"
		hist report -q -i "$input" -e "$event" "$@" --by "$key" --sum "$sum" --format csv
		sed 1d "$tmp.out" | sort >"$tmp/want"
		[ -s "$tmp/want" ] || fail "$event has no rows"
		checked diff "$tmp/want" "$tmp/got" >"$tmp/why" || fail_file "$event by $key:" "$tmp/why"
		cp "$tmp/all" "$tmp.out"
	done
}

it 'sums, keys, texts and filters of events with other layouts'
for plan in auto plain; do
	each_alone "$tmp/two.dat" one,two,three k v --plan=$plan
	each_alone "$tmp/two.dat" three,two,one k v --plan=$plan
	each_alone "$tmp/two.dat" two,one name k,v --plan=$plan
	each_alone "$tmp/two.dat" one,two v.log2 v -f 'v > 5' --plan=$plan
	each_alone "$tmp/two.dat" one,two name v -f 'name == alpha' --plan=$plan
done

it 'derived events'
w=trace.dat-samples/wakeup.dat
if [ -f $w ]; then
	hist report -q -i $w -e derived:wait,derived:task_state,derived:delay --by event --sum ns --format csv
	for event in derived:wait derived:task_state derived:delay; do
		grep ",$event," "$tmp.out" | cut -d, -f3- >"$tmp/got"
		cp "$tmp.out" "$tmp/all"
		hist report -q -i $w -e $event -R 'hist:keys=common_type:vals=ns' --format csv
		sed 1d "$tmp.out" | cut -d, -f2- >"$tmp/want"
		checked diff "$tmp/want" "$tmp/got" >"$tmp/why" || fail_file "$event:" "$tmp/why"
		cp "$tmp/all" "$tmp.out"
	done
else
	skip "no $w"
fi

it 'statistics, exemplars, slices and diff'
hist report -q -i "$tmp/two.dat" -e one,two --by event --sum v --stats --exemplars 1 --format csv
status_is 0
stdout_has '^[0-9]+,[a-z]+:one,2,11'
cp "$tmp.out" "$tmp/stats"
checked grep -q '300' "$tmp/stats" || fail_file 'the largest v of two is 300:' "$tmp/stats"
hist diff -e one,two --by event --sum v --absolute --format csv "$tmp/two.dat" "$tmp/two.dat"
status_is 0
stdout_has '^\(all\),v,611,611'

it 'a field that an event lacks is an error that names the event'
hist report -q -i "$tmp/two.dat" -e two,one --by event,a
status_is 1
stdout_is ''
stderr_has 'error: hist:[a-z]*:one: Couldn.t find field'
hist report -q -i "$tmp/two.dat" -e one,two --by event --sum c
status_is 1
stderr_has 'error: hist:[a-z]*:one: '

it 'a trigger reads as the kernel does'
hist report -q -i "$tmp/two.dat" -e one -R 'hist:name=x:keys=common_pid:vals=v' -e two -R 'hist:name=x:keys=common_pid:vals=v'
status_is 0
hist report -q -i "$tmp/two.dat" -e two -R 'hist:keys=common_pid:vals=v'
status_is 0

done_testing
