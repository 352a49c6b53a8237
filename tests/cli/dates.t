#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The time of day as a column, in all formats and in SQL, and recordings of several machines in its order.
. tests/cli/lib.sh

make=${BUILD:-build}/bench/make_recording
[ -x "$make" ] || skip_all "no $make"
have python3 || skip_all 'no python3'
# a second before, half a second after the start of 2027
for i in a:0x18d99b3e88f4ca00 b:0x18d99b3ebcf1ba00; do
	"$make" "$tmp/${i%:*}.dat" 300 sched zstd 7 2 - "${i#*:}" || skip_all 'no recordings'
done

it 'is that of the trace clock and the offset, in each format'
hist events -q -i "$tmp/a.dat" --fields date,ts --format csv
sed 1d "$tmp.out" >"$tmp/csv"
cat >"$tmp/check.py" <<'END'
import datetime, sys
n = 0
for line in sys.stdin:
    date, ns = line.split(",")[:2]
    seconds, part = divmod(int(ns), 10**9)
    assert date == datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S") + ".%09d" % part, line
    n += 1
assert n >= 300
END
run python3 "$tmp/check.py" <"$tmp/csv"
status_is 0
stderr_is ''
hist events -q -i "$tmp/a.dat" --fields date,ts --format ndjson
sed 's/^{"date":"\(.*\)","ts":\(.*\)}$/\1,\2/' "$tmp.out" >"$tmp/other"
checked cmp -s "$tmp/csv" "$tmp/other" || fail_file 'ndjson:' "$tmp/other"
hist sql -q -i "$tmp/a.dat" --format csv 'SELECT date, ts FROM events'
sed 1d "$tmp.out" >"$tmp/other"
checked cmp -s "$tmp/csv" "$tmp/other" || fail_file 'SQL:' "$tmp/other"

it 'compares in SQL, and is not in *'
middle=$(sed -n '150s/,.*//p' "$tmp/csv")
want=$(awk -F, -v t="$middle" '$1 >= t' "$tmp/csv" | wc -l)
hist sql -q -i "$tmp/a.dat" --format csv "SELECT count(*) FROM events WHERE date >= '$middle'"
stdout_has "^$want\$"
hist sql -q -i "$tmp/a.dat" --format csv "SELECT count(*) FROM events WHERE date = '$middle'"
stdout_has "^$(grep -c "^$middle," "$tmp/csv")\$"
hist sql -q -i "$tmp/a.dat" --format csv "SELECT strftime('%Y', min(date)), typeof(date) FROM sched_switch"
stdout_has '^20[0-9][0-9],text$'
hist sql -q -i "$tmp/a.dat" --format csv 'SELECT * FROM sched_switch LIMIT 1'
stdout_lacks date

it 'is absent where the recording does not have it'
hist events -q -i trace.dat-samples/wakeup.dat --fields date,ts --top 1 --format csv
stdout_is 'date,ts
,30185219835'
hist sql -q -i trace.dat-samples/wakeup.dat --format csv 'SELECT count(*), count(date) FROM sched_switch'
stdout_has ',0$'

it 'a time of day is that of the day of the recording, in any time zone'
all=$(wc -l <"$tmp/csv")
for zone in UTC Asia/Tokyo America/New_York; do
	rest=$(TZ=$zone "$HIST" events -q -i "$tmp/a.dat" --fields ts --format csv \
		--from "$(TZ=$zone date -d "$middle UTC" +%H:%M:%S.%N)" | sed 1d | wc -l)
	checked [ "$rest" = "$want" ] || fail "$zone: $rest of $all, not $want"
done
hist events -q -i "$tmp/a.dat" --fields ts --format csv --from "${middle#* }Z"
checked [ "$(sed 1d "$tmp.out" | wc -l)" = "$want" ] || fail_file 'Z:' "$tmp.out"
hist events -i "$tmp/a.dat" --from 25:00
stderr_has "is not a date: write '2026-11-28 20:05:03' or 20:05:03"
hist events -i "$tmp/a.dat" --from '2031-01-01 00:00'
stderr_has 'outside: the recording is from [0-9.]+ \([0-9-]+ [0-9:]+\) to '

it 'orders the events of two machines'
for file in a b; do
	hist events -q -i "$tmp/$file.dat" --fields date,cpu,event --format tsv
	sed "1d; s/\$/\t$file/" "$tmp.out" >"$tmp/$file.tsv"
done
sort -m "$tmp/a.tsv" "$tmp/b.tsv" >"$tmp/both"
checked sort -c "$tmp/both" || fail_file 'not in order:' "$tmp/both"
[ "$(wc -l <"$tmp/both")" = "$(cat "$tmp/a.tsv" "$tmp/b.tsv" | wc -l)" ] || fail 'lines are missing'

it 'merges them in one command, by the names of their files if they are called alike'
hist events --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" --format csv
stderr_has 'a.dat, a.dat: times of day as trace-cmd'
cut -d, -f1,2,4,7 "$tmp.out" | sed 1d >"$tmp/merged"
sed 's/\t/,/g; s/^\([^,]*\),\([^,]*\),[^,]*:\([^,]*\),\([ab]\)$/\1,\4.dat,\2,\3/' "$tmp/both" >"$tmp/sorted"
sort "$tmp/merged" >"$tmp/merged.sorted"
sort "$tmp/sorted" >"$tmp/sorted.sorted"
checked cmp -s "$tmp/merged.sorted" "$tmp/sorted.sorted" || fail_file 'other events:' "$tmp/merged.sorted"
cut -d, -f1 "$tmp/merged" >"$tmp/dates"
checked sort -c "$tmp/dates" || fail_file 'not in order:' "$tmp/dates"
hist events --hosts -q -i "$tmp/a.dat" -i "$tmp/b.dat" -n 2
stdout_has '^20.*\.[0-9]{9} [ab]\.dat  *[a-z].*-[0-9]* *\[00[01]\] [a-z_]*: '

it 'refuses a recording without the time of day, and columns of one machine'
hist events --hosts -i "$tmp/a.dat" -i trace.dat-samples/wakeup.dat
status_is 2
stderr_has 'wakeup.dat does not have the time of day'
hist events --hosts -i "$tmp/a.dat" -i "$tmp/b.dat" --fields ts
status_is 2
stderr_has '--hosts prints date, host'

done_testing
