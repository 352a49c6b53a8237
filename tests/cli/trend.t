#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist trend: its options and the printed values. The errors are in diff_sides.t.
. tests/cli/lib.sh

mkdir "$tmp/runs"
# Twelve results; from the seventh on, bash has ten times as many switches.
python=$(command -v python3) || skip_all 'no python3'
"$HIST" report -q -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=next_comm,next_pid:vals=prev_prio' \
	--stats --format json -o "$tmp/one.json"
"$python" - "$tmp/one.json" "$tmp/runs" <<'END'
import json, sys
for i in range(12):
    v = json.loads(open(sys.argv[1]).readline())
    for row in v["data"]:
        if row["key"]["next_comm"] == "init" and i > 5:
            row["val"]["hitcount"] *= 10
        row.pop("stats", None)
    v["totals"]["hits"] = sum(row["val"]["hitcount"] for row in v["data"])
    v["columns"].pop("stats")
    v.pop("stats")
    with open("%s/run-%d.json" % (sys.argv[2], i), "w") as out:
        out.write(json.dumps(v, separators=(",", ":")) + "\n")
END

it 'values per second, and the result at which the level changed'
hist trend "$tmp/runs"
status_is 1
stdout_has '; values/s$'
stdout_has '^hitcount +3,075 +8,380 +3,075 +8,380 +▁▁▁▁▁▁██████$'
stdout_has '^hitcount: changed at .*/run-6.json: 3,075 -> 8,380 '
hist trend --rate "$tmp/runs"
stdout_has '; values/s$'

it 'a page: what changed first, since when, and a mark for each result'
hist trend "$tmp/runs" --format html
status_is 1
stdout_has '<h1>hist trend: something changed</h1>'
stdout_has '^<p class="warn">hitcount: changed at .*/run-6.json: 3,075 -&gt; 8,380 \(\+172.5%\), p='
holds test "$(grep -n '<h3>' "$tmp.out" | head -1 | cut -d: -f2)" = '<h3>hitcount</h3>'
holds test "$(grep -o '<rect class="a"' "$tmp.out" | wc -l)" = 18
holds test "$(grep -o '<rect class="b"' "$tmp.out" | wc -l)" = 6
stdout_has '<title>[^<]*/run-6.json: 8,380</title>'
hist trend "$tmp/runs" --format svg
status_is 2

it 'a recipe is named by its question, and a warning is given once'
for n in 0 1 2; do
	"$HIST" report -q -i trace.dat-samples/wakeup.dat run-queue-wait --to "30.$((n + 3))" --format json -o "$tmp/asked-$n.json"
done
hist trend "$tmp"/asked-?.json
stdout_has '^# How long do tasks wait for a CPU, for which one, and why\? derived:wait by cpu$'
holds test "$(grep -c 'counted time' "$tmp.err")" = 1
hist trend "$tmp"/asked-?.json --format html
stdout_has '<h1>How long do tasks wait for a CPU, for which one, and why\? Trend: no change</h1>'
stdout_has '<text x="12%"[^>]*>asked-0.json</text><text x="100%"[^>]*>asked-2.json</text>'

it 'recordings are counted by a recipe, or what is asked by options, as saved results are'
for n in 1 2 3; do
	cp trace.dat-samples/wakeup.dat "$tmp/day-$n.dat"
	"$HIST" report -q -i "$tmp/day-$n.dat" run-queue-wait --format json -o "$tmp/day-$n.json"
done
hist trend "$tmp"/day-?.json --format csv
sed 's/\.json/.dat/' "$tmp.out" >"$tmp/wanted"
hist trend run-queue-wait "$tmp"/day-?.dat --format csv
status_is 0
stdout_is_file "$tmp/wanted"
checked grep -q '^hitcount,,.*day-3.dat,' "$tmp.out" || fail 'no hits'
hist trend -e sched_switch --by next_comm "$tmp"/day-?.dat
status_is 0
stdout_has '^# 3 results, .*/day-1.dat to .*/day-3.dat; values/s$'
hist trend "$tmp/day-1.dat" -f 'a == 1'
status_is 2
hist trend trace.dat-samples/README
status_is 2
hist trend tests/golden/6.1/globs/trace.dat
status_is 2
stderr_has 'for example: hist trend -e .* --by comm FILE FILE, or hist trend RECIPE FILE FILE'

it 'a variable that is the same number as a value is not shown once more'
mkdir "$tmp/waits"
for to in 3 35 4; do
	"$HIST" report -q -i trace.dat-samples/wakeup.dat wakeup-latency --show 1 --stats --to "30.$to" \
		--format json -o "$tmp/waits/$to.json"
done
hist trend "$tmp/waits"
status_is 0
holds test "$(grep -c '^[a-z]*\.p99 ' "$tmp.out")" = 1
stdout_has '^ns\.p99 '
hist trend "$tmp/waits" --format json
stdout_lacks '"worst\.'

it 'the last results of each of several directories, in the order of the command line'
mkdir "$tmp/first"
mv "$tmp/runs/run-0.json" "$tmp/runs/run-1.json" "$tmp/first"
hist trend --last 1 --format json "$tmp/runs" "$tmp/first"
mv "$tmp/first"/* "$tmp/runs"
status_is 0
stdout_has 'run-11\.json.*run-1\.json'
stdout_lacks 'run-(0|10)\.json'

it 'absolute values, of each row, without one of its keys'
hist trend --all --absolute --drop-key next_pid "$tmp/runs"
status_is 1
stdout_has '; values$'
stdout_has '^hitcount of init +322 +3,220 +322 +3,220 +▁▁▁▁▁▁██████$'
stdout_has '^hitcount of sync '
stdout_has '^hitcount of init: changed at .*/run-6.json: 322 -> 3,220 \(\+900.0%\)'
stdout_has '^2 change points '

it 'shares of the rows with enough hits'
hist trend --share --all --min-count 1000 "$tmp/runs"
status_is 1
stdout_has '; values share$'
stdout_has '^hitcount of init, 1 +16.19 +59.41 '
stdout_lacks '^hitcount of sync'

it 'json: units, values and changes'
hist trend --all --format json --unit prev_prio=us --drop-key next_pid --min-count 1000 "$tmp/runs"
status_is 1
holds "$python" - "$tmp.out" <<'END'
import json, sys
v = json.loads(open(sys.argv[1]).readline())
metrics = {m["metric"]: m for m in v["series"]}
assert metrics["prev_prio"]["unit"] == "us", metrics["prev_prio"]
change = metrics["hitcount of init"]["changes"][0]
assert change["at"] == 6 and change["after"] > 9 * change["before"] and change["p"] < 0.05, change
assert len(v["files"]) == 12
END

it 'rows of each format: a line for each value, with the change at its result; --show N'
hist trend --all --format csv --drop-key next_pid "$tmp/runs"
status_is 1
stdout_has '^metric,unit,file,value,before,after,p$'
holds test "$(grep -c '^hitcount of init,,' "$tmp.out")" = 12
stdout_has '^hitcount of init,,.*/run-6.json,[0-9.]+,[0-9.]+,[0-9.]+,0\.0'
holds test "$(grep '^hitcount of init,,' "$tmp.out" | grep -cv ',,,$')" = 1
hist trend --show 1 --format ndjson "$tmp/runs"
stdout_has '^\{"metric":"hitcount","unit":null,"file":".*/run-0.json","value":3075'
hist trend --show 2 --format csv "$tmp/runs"
status_is 2
stderr_has 'show takes an event, or the number of a histogram, of which there are 1'
hist trend --format junit "$tmp/runs"
status_is 2
stderr_has 'unknown format junit; known: text, csv, '

it 'one event, another level'
hist trend --show sched_switch --alpha 0.000001 "$tmp/runs"
status_is 0
stdout_has '^0 change points .*level 1e-06'
hist trend --show sched_waking "$tmp/runs"
status_is 2
stderr_has 'no histograms to compare of sched_waking'

it 'twenty times fifteen like runs, with all rows: hardly ever a change; a step of a fifth is found'
mkdir "$tmp/like"
found=$("$python" tests/cli/like_runs.py "$HIST" "$tmp/runs/run-0.json" "$tmp/like" trend 20 1)
found=${found% *}
checked [ "$found" -le 2 ] || fail "$found of 20 like series changed"
found=$("$python" tests/cli/like_runs.py "$HIST" "$tmp/runs/run-0.json" "$tmp/like" trend 10 1 1.2)
found=${found% *}
checked [ "$found" -ge 8 ] || fail "$found of 10 steps of 20 % were found"

it 'one new result against ten: like ones are the same, one that is twice as much is not'
rm -rf "$tmp/like"
mkdir "$tmp/like"
found=$("$python" tests/cli/like_runs.py "$HIST" "$tmp/runs/run-0.json" "$tmp/like" history 30 3)
checked [ "${found% *}" -le 3 ] || fail "$found of 30 like results: different, inconclusive"
checked [ "${found#* }" -le 3 ] || fail "$found of 30 like results: different, inconclusive"
found=$("$python" tests/cli/like_runs.py "$HIST" "$tmp/runs/run-0.json" "$tmp/like" history 10 3 2)
checked [ "${found% *}" -ge 9 ] || fail "$found of 10 doubled results: different, inconclusive"
hist diff --history "$tmp/like" "$tmp/like/run-10.json"
status_is 1
stdout_has '^p: that one more run like the 10 before differs as much \(Student.s t\), corrected for [0-9]+ numbers; '
stdout_has '^changed: hitcount of \(all\) '

it 'a single result'
hist trend "$(find "$tmp/runs" -name '*.json' | head -n 1)"
status_is 0
stdout_has '^# 1 result, '

it 'options that reject a value'
hist trend --alpha 2 "$tmp/runs"
status_is 2
stderr_has '\-\-alpha takes a number between 0 and 1, not .2.'
hist trend --min-count x "$tmp/runs"
status_is 2
stderr_has '\-\-min-count takes a number greater than 0, not .x.'

it 'events that were lost make it inconclusive'
mkdir "$tmp/lossy"
cp "$tmp/runs/"*.json "$tmp/lossy"
sed -i 's/"lost_events":0/"lost_events":17/' "$tmp/lossy/run-3.json"
hist trend "$tmp/lossy"
status_is 2
stderr_has 'run-3.json: 17 events lost and 0 hits dropped'
stdout_has '^hitcount: changed at'

done_testing
