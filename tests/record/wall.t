#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The time of day in a recording: it is that of the machine, survives hist slim and import, and selects a span.
. tests/record/lib.sh

rec=$dat

it 'is that of the machine, as exact as it states'
record -e sched_switch -- sh -c "date +%s.%N >'$tmp/before'
	echo here >$tracefs/trace_marker; date +%s.%N >'$tmp/after'"
status_is 0
hist list --format json "$rec"
cp "$tmp.out" "$tmp/list"
hist events -q -i "$rec" -e ftrace:print --fields time,text --format ndjson
cp "$tmp.out" "$tmp/marks"
cat >"$tmp/wall.py" <<'END'
import json, sys
from fractions import Fraction
ts, unix, doubt = map(int, json.load(open(sys.argv[1]))["time_of_day"].split())
[mark] = [json.loads(line) for line in open(sys.argv[2]) if "here" in line]
before, after = (Fraction(open(name).read().strip()) * 10**9 for name in sys.argv[3:5])
at = int(Fraction(str(mark["time"])) * 10**9) - ts + unix
assert before - doubt <= at <= after + doubt, (before, at, after, doubt)
for name, ns in ("from", int(before) - doubt), ("to", int(after) + doubt):
    open(sys.argv[5] + "/" + name, "w").write("%d.%09d" % divmod(ns, 10**9))
END
run python3 "$tmp/wall.py" "$tmp/list" "$tmp/marks" "$tmp/before" "$tmp/after" "$tmp"
status_is 0
[ "$status" = 0 ] || fail_file 'wall.py:' "$tmp.err"

# day FILE ZONE: its time as a date of the zone
day()
{
	printf '%s.%s' "$(TZ=$2 date -d "@$(cut -d . -f 1 "$1")" '+%F %T')" "$(cut -d . -f 2 "$1")"
}

# marks OPTION...: how often the mark is selected
marks()
{
	hist events -q -i "${file:-$rec}" -e ftrace:print --format csv --fields text "$@"
	grep -c here "$tmp.out"
}

it 'selects a span, in the time zone of the machine or one that is named'
checked [ "$(TZ=UTC marks --from "$(day "$tmp/from" UTC)" --to "$(day "$tmp/to" UTC)")" = 1 ] || fail 'UTC'
checked [ "$(TZ=XYZ-9 marks --from "$(day "$tmp/from" XYZ-9)" --to "$(day "$tmp/to" XYZ-9)")" = 1 ] || fail 'a zone'
checked [ "$(TZ=XYZ-9 marks --from "$(day "$tmp/from" UTC)Z" --to "$(day "$tmp/to" UTC)Z")" = 1 ] || fail 'Z'
checked [ "$(TZ=UTC marks --from "$(day "$tmp/from" ABC+3:30 | tr ' ' T)-03:30" --to "$(day "$tmp/to" ABC+3:30)-03:30")" = 1 ] ||
	fail 'an offset'
checked [ "$(marks --to "$(day "$tmp/from" UTC)Z-1us")" = 0 ] || fail 'before'
checked [ "$(marks --from '2000-01-01 00:00' --to '2037-01-01 00:00')" = 1 ] || fail 'years'

it 'is kept by hist slim'
hist slim -q -i "$rec" -o "$tmp/slim.dat" -e ftrace:print --by buf
status_is 0
hist list --format json "$tmp/slim.dat"
stdout_has "\"time_of_day\":\"[0-9 ]*\""
checked [ "$(file=$tmp/slim.dat marks --from "$(day "$tmp/from" UTC)Z" --to "$(day "$tmp/to" UTC)Z")" = 1 ] || fail 'slim'

it 'is the column time of Parquet'
hist events -q -i "$rec" -e ftrace:print --format parquet -o "$tmp/print.parquet"
status_is 0
cat >"$tmp/column.py" <<'END'
import json, sys
sys.path.insert(0, "tests/cli")
import parquet_read
ts, unix, doubt = map(int, json.load(open(sys.argv[1]))["time_of_day"].split())
table = parquet_read.read(sys.argv[2])
names, rows = table[0], table[1]
at, day = names.index("ts"), names.index("time")
assert rows and all(row[day] - row[at] == unix - ts for row in rows), rows[:2]
END
run python3 "$tmp/column.py" "$tmp/list" "$tmp/print.parquet"
status_is 0
[ "$status" = 0 ] || fail_file 'column.py:' "$tmp.err"

it 'is not known of other recordings, which is an error'
hist report -i trace.dat-samples/switch.dat -e sched_switch --by cpu --from '2026-11-28 20:05:03'
status_is 2
stderr_has 'switch.dat does not have the time of day; give seconds of its clock'
for wrong in '2026-13-01 00:00:00' '2026-11-28 20:05:03x' '2026-11-28 20:05:03+2:'; do
	hist report -i "$rec" -e sched_switch --by cpu --from "$wrong"
	stderr_has "is not a date: write"
done

it 'is left out with a clock that counts'
hist record -o "$tmp/count.dat" -C counter -e sched_switch -- true
status_is 0
hist list "$tmp/count.dat"
stdout_lacks 'time of day'

machine_is_unchanged
done_testing
