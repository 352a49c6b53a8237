#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist diff --exemplars: the largest hits of rows that became worse, in each format; p of several runs.
. tests/cli/lib.sh

wakeup=trace.dat-samples/wakeup.dat
[ -f $wakeup ] || skip_all "no $wakeup"
latency="$tmp/latency"
cat >"$latency" <<'END'
echo 'lat u64 lat; pid_t pid; char comm[16]' >> synthetic_events
echo 'hist:keys=pid:ts0=common_timestamp.usecs' >> events/sched/sched_waking/trigger
echo 'hist:keys=next_pid:l=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).lat($l,next_pid,next_comm)' \
	>> events/sched/sched_switch/trigger
echo 'hist:keys=comm:vals=lat' >> events/synthetic/lat/trigger
END
# save NAME OPTION...
save()
{
	name=$1
	shift
	"$HIST" report -q -i $wakeup "$latency" --show lat --format json -o "$tmp/$name.json" "$@"
}
save before --to +0.1 --exemplars 2:lat
save after --from +0.1 --exemplars 2:lat
save without --from +0.1

it 'shows the largest hits of the rows that became worse'
hist diff -q --alpha 1 "$tmp/before.json" "$tmp/after.json"
status_is 1
cp "$tmp.out" "$tmp/text"
stdout_has '^worst hits: .*init: lat 198 us at 30.456760724,0 rcu_preempt-16'
# each named row is worse or new, and its hit is the largest of the saved result
hist report -q -i $wakeup "$latency" --show lat --from +0.1 --exemplars 1:lat
cp "$tmp.out" "$tmp/rows"
sed -n '/^lat:/,$p' "$tmp/text" | sed -n 's/^worst hits: //p' | tr ';' '\n' | sed 's/^ *//' >"$tmp/worst"
holds test "$(wc -l <"$tmp/worst")" = 3
while IFS=: read -r comm hit; do
	at=${hit#* at }
	at=${at%% *}
	holds test "$(grep -A 1 "^{ comm: $comm *}" "$tmp/rows" | grep -c " $at ")" = 1
	holds grep -q "^$comm .* +.*[!+]\$" "$tmp/text"
done <"$tmp/worst"

it 'recordings have those of the saved result, or of the option'
hist diff -q --alpha 1 "$tmp/before.json" --from +0.1 $wakeup
stdout_has '^worst hits: .*init: lat 198 us at 30.456760724,0 rcu_preempt-16'
hist diff -q "$tmp/without.json" --to +0.1 $wakeup
stdout_lacks 'worst hits'
hist diff -q -S "$latency" --show lat --exemplars 1:lat --all $wakeup $wakeup
status_is 0
stdout_has 'alpha-a: lat 249 us at 30.247206596,0 alpha-b-484'
hist diff -q -S "$latency" --show lat --exemplars 1:latt $wakeup $wakeup
status_is 2
stderr_has "no histogram has a numeric value, variable or key 'latt'"
hist diff --exemplars 0 $wakeup $wakeup
status_is 2
stderr_has '--exemplars takes N or N:NAME'
hist diff -q --alpha 1 --format json "$tmp/without.json" "$tmp/after.json"
stdout_has '"exemplars":\[\{"value":[0-9]*,'

it 'each format has them'
hist diff -q --alpha 1 --format json "$tmp/before.json" "$tmp/after.json"
stdout_has '"exemplars":\{"name":"lat","signed":false,"unit":"us"\}'
stdout_has '"key":\{"comm":"init"\}.*"exemplars":\[\{"value":198,"time":30.456760724,"cpu":0,"pid":16,"comm":"rcu_preempt","file":"[^"]*wakeup.dat"\}'
hist diff -q --alpha 1 --format csv "$tmp/before.json" "$tmp/after.json"
stdout_has '^init,hitcount,.*,"lat 198 us at 30.456760724,0 rcu_preempt-16, [0-9]* us at '
hist diff -q --alpha 1 --format html "$tmp/before.json" "$tmp/after.json"
stdout_has '<p>worst hits: .*init: lat 198 us at 30.456760724,0 rcu_preempt-16'
hist diff -q --alpha 1 --format markdown "$tmp/before.json" "$tmp/after.json"
stdout_has '^_worst hits&#58; .*init&#58; lat 198 us at 30.456760724,0 rcu&#95;preempt-16'

it 'a row that fails names its worst hits'
for format in text markdown html junit; do
	hist diff -q --format $format --fail-on 'init:lat>+1' "$tmp/before.json" "$tmp/after.json"
	status_is 1
	stdout_has 'lat of init 11\.2 ms -(>|&gt;) 26\.4 ms .*; worst hits(:|&#58;) lat 198 us at 30.456760724,0 rcu(_|&#95;)preempt-16'
done
hist diff -q --format json --fail-on 'lat>+1' "$tmp/before.json" "$tmp/after.json"
stdout_has '"fail_on":\[.*"metric":"lat".*"exemplars":\[\{"value":[0-9]*,'

it 'of several runs the largest of all, with their recordings'
cp $wakeup "$tmp/second.dat"
"$HIST" report -q -i "$tmp/second.dat" "$latency" --show lat --exemplars 2:lat --to +0.1 --format json -o "$tmp/second.json"
hist diff -q --all --before "$tmp/before.json" --after "$tmp/second.json" "$tmp/after.json"
stdout_has 'init: lat 198 us at 30.456760724,0 rcu_preempt-16 in [^ ]*/wakeup.dat'
hist diff -q --all --format json --before "$tmp/before.json" --after "$tmp/second.json" "$tmp/after.json"
stdout_has '"comm":"rcu_preempt","file":"[^"]*/wakeup.dat"'

it 'of several sides each has its own'
hist diff -q --all "$tmp/before.json" -- "$tmp/second.json" -- "$tmp/after.json"
holds test "$(grep -c 'init: lat 198 us' "$tmp.out")" = 2

# --- p ---

python=$(command -v python3)
it 'p of each row is that of an independent computation'
for i in 1 2 3 4; do
	save b$i --from +0.0$i --to +0.1$i
	save a$i --from +0.1$i --to +0.2$i
done
hist diff -q --all --format json --before "$tmp"/b?.json --after "$tmp"/a?.json
cp "$tmp.out" "$tmp/json"
hist diff -q --all --format csv --before "$tmp"/b?.json --after "$tmp"/a?.json
cp "$tmp.out" "$tmp/csv"
if [ -n "$python" ]; then
	run "$python" - "$tmp" <<'END'
import csv, itertools, json, sys
tmp = sys.argv[1]
diff = json.loads(open(tmp + "/json").readline())
assert diff["test"] == "Mann-Whitney", diff["test"]
def runs(side):
    for i in range(1, 5):
        r = json.load(open(f"{tmp}/{side}{i}.json"))
        yield r["span"]["to"] - r["span"]["from"], {d["key"]["comm"]: d["val"] for d in r["data"]}
before, after = list(runs("b")), list(runs("a"))
def ranks(v):
    s = sorted(v)
    return [(s.index(x) + len(s) - 1 - s[::-1].index(x)) / 2 + 1 for x in v]
def p_of(a, b):
    r = ranks([round(x, 6) for x in a + b])
    mean = sum(r) / 2
    far = abs(sum(r[:4]) - mean)
    all = [abs(sum(c) - mean) for c in itertools.combinations(r, 4)]
    return sum(x >= far - 1e-9 for x in all) / len(all)
table = {(r["comm"], r["metric"]): r for r in csv.DictReader(open(tmp + "/csv"))}
n = 0
for value in diff["values"]:
    for row in value["rows"] + [value["all"]]:
        comm = row["key"]["comm"] if "key" in row else None
        def numbers(side):
            return [sum(v[value["name"]] for c, v in rows.items() if comm in (None, c)) / seconds for seconds, rows in side]
        want = p_of(numbers(before), numbers(after))
        if abs(row["p"] - want) > 1e-9:
            sys.exit(f"{value['name']} of {comm}: p {row['p']} is not {want}")
        line = table[comm or "(all)", value["name"]]
        if float(line["p"]) != row["p"] or float(line["before_spread_min"] or 0) > float(line["before_spread_max"] or 0):
            sys.exit(f"csv has {line}")
        n += 1
if n < 10:
    sys.exit(f"only {n} rows")
END
	status_is 0
	stderr_is ''
else
	skip 'no python3'
fi

it 'p of the family is in each format, with its test and the smallest possible'
for format in text markdown html; do
	hist diff -q --all --format $format --before "$tmp"/b?.json --after "$tmp"/a?.json
	stdout_has 'p(:|&#58;) of the 70 ways to divide the 8 runs into two sides, the share in which any of the [0-9]+ numbers differs as much(;|&#59;) at least 0.0286'
	stdout_has 'delta%( +|</th><th class="n">| . )p'
	hist diff -q --all --format $format "$tmp/b1.json" "$tmp/a1.json"
	stdout_lacks 'p(:|&#58;) of the'
	stdout_has 'noise(:|&#58;) a number counts as changed if it differs by far more than others usually do'
done

done_testing
