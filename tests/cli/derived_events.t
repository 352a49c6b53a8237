#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Derived events are events like others: in triggers, saved recordings, smaller ones, slices of time, results that are
# merged or compared. Each way has the same rows.
. tests/cli/lib.sh

# rows ARG...: the rows of a report as csv, sorted; with a key, hits and ns
rows()
{
	hist report -q "$@" --format csv
	status_is 0
	sed 1d "$tmp.out" | sort >"$tmp/got"
}

# same: these rows are those of the whole recording
same() { checked cmp -s "$tmp/whole" "$tmp/got" || fail_file "$1: not $(head -n 3 "$tmp/whole") ..., but:" "$tmp/got"; }

# event RECORDING EVENT KEY TIME: TIME, after the start, is between two of its records
event()
{
	recording=$1 event=derived:$2 key=$3
	it "$event of ${recording##*/}"
	rows -i "$recording" -e "$event" --by "$key" --sum ns
	mv "$tmp/got" "$tmp/whole"
	holds test -s "$tmp/whole"

	rows -i "$recording" -e "$event" -R "hist:keys=$key:vals=ns"
	same -R

	hist report -q -i "$recording" -x "echo 1 > events/derived/$2/enable" --save-events "$tmp/saved.dat"
	status_is 0
	rows -i "$tmp/saved.dat" -e "$event" --by "$key" --sum ns
	same --save-events
	if have trace-cmd; then
		n=$(awk -F, '{ n += $2 } END { print n }' "$tmp/whole")
		trace-cmd report -i "$tmp/saved.dat" 2>/dev/null | sed -n "s/.*[0-9]: $2: *\(.*\)/\1/p" >"$tmp/read"
		checked [ "$(wc -l <"$tmp/read")" = "$n" ] || fail_file "trace-cmd reads $(wc -l <"$tmp/read") events, not $n:" "$tmp/read"
		checked [ "$(grep -o ' ns=[0-9]*' "$tmp/read" | awk -F= '{ n += $2 } END { printf "%.0f\n", n }')" = \
			"$(awk -F, '{ n += $3 } END { printf "%.0f\n", n }' "$tmp/whole")" ] || fail_file 'trace-cmd has another ns:' "$tmp/read"
	fi

	hist slim -q -i "$recording" -o "$tmp/slim.dat" -e "$event" --by "$key" --sum ns
	rows -i "$tmp/slim.dat" -e "$event" --by "$key" --sum ns
	same slim
	rows -i "$tmp/slim.dat"
	same 'the stored question'

	hist report -q -i "$recording" -e "$event" --by "$key" --sum ns --interval 0.05 --format json
	status_is 0
	cp "$tmp.out" "$tmp/slices.json"
	hist merge -q "$tmp/slices.json" --format csv
	sed 1d "$tmp.out" | sort >"$tmp/got"
	same 'merged slices'

	hist report -q -i "$recording" --to "+$4" -e "$event" --by "$key" --sum ns --format json -o "$tmp/first.json"
	hist report -q -i "$recording" --from "+$4" -e "$event" --by "$key" --sum ns --format json -o "$tmp/second.json"
	hist merge -q "$tmp/first.json" "$tmp/second.json" --format csv
	sed 1d "$tmp.out" | sort >"$tmp/got"
	same 'merged halves'

	hist diff -q "$recording" "$tmp/slim.dat" -e "$event" --by "$key" --sum ns
	status_is 0
}

event trace.dat-samples/wakeup.dat wait comm 0.1
event trace.dat-samples/wakeup.dat delay culprit_comm 0.1
event tests/cli/recipes/7.3.dat task_state state 1.5
event tests/cli/recipes/7.3.dat syscall name 1.5
event tests/cli/recipes/7.3.dat softirq_wait name 1.5
event tests/cli/recipes/6.12.dat block_io op 1.5
event tests/cli/recipes/7.3.dat slice name 1.5
event tests/cli/recipes/functions.dat function depth 0.0001
done_testing
