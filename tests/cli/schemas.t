#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The json of every verb, and of hist help --json, conforms to a schema of share.
. tests/cli/lib.sh

python=$(python_with jsonschema)
[ -n "$python" ] || skip_all 'no python3-jsonschema'
rec=trace.dat-samples/wakeup.dat
kmalloc=trace.dat-samples/kmalloc.dat
cat >"$tmp/check.py" <<'END'
import json, jsonschema, sys
with open(f"share/hist-{sys.argv[1]}-1.schema.json") as f:
    schema = json.load(f)
if len(sys.argv) > 3:
    schema = {"$ref": "#/definitions/" + sys.argv[3], "definitions": schema["definitions"]}
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
with open(sys.argv[2]) as f:
    text, decoder, n = f.read().strip(), json.JSONDecoder(), 0
at = 0
while at < len(text):
    value, at = decoder.raw_decode(text, at)
    n += 1
    while text[at:at + 1].isspace():
        at += 1
    for error in validator.iter_errors(value):
        sys.exit(f"{list(error.path)}: {jsonschema.exceptions.best_match([error]).message[:200]}")
assert n
END

# conforms SCHEMA [DEFINITION]: what was printed
conforms()
{
	status_is 0
	cp "$tmp.out" "$tmp/json"
	run "$python" "$tmp/check.py" "$1" "$tmp/json" ${2:+"$2"}
	status_is 0
	stderr_is ''
}

it 'json and ndjson of events, SQL and summaries'
for file in $kmalloc trace.dat-samples/stacks.dat; do
	hist events -q -i "$file" --format json
	conforms events
	hist events -q -i "$file" --format ndjson
	conforms events event
	hist summary -q -i "$file" --format json
	conforms summary
	hist summary -q -i "$file" --format ndjson
	conforms summary line
done
hist events -q -i $rec -e derived:wait --format json
conforms events
hist sql -q -i $kmalloc --format json 'SELECT *, call_site_sym FROM kmalloc; SELECT 1.5 AS a, NULL AS b'
conforms sql
hist sql -q -i $kmalloc --format ndjson 'SELECT * FROM kmalloc'
conforms sql row

it 'json of each verb'
for question in on-cpu 'wakeup-latency --stats --exemplars 2' scheduler '-e sched_switch --by next_comm' '-e sched_switch --by cpu --interval 0.5'; do
	# shellcheck disable=SC2086 # words
	hist report -q -i $rec $question --format json
	conforms result hist_trigger
done
hist report -q -i $rec wakeup-latency --stats --format ndjson
conforms result
hist diff -q wakeup-latency --stats $rec $rec --format json
conforms diff
hist list -q $kmalloc $rec --format json
conforms list
hist why -q -i $rec --format json
conforms why why
for all in '' '--by reason' '--by what,prio --min 1us'; do
	# shellcheck disable=SC2086 # words
	hist why -q -i $rec --all $all --format json
	conforms why why_all
done

it 'lines of results, of a trend, of a dump'
hist report -q -i $rec wakeup-latency --stats --format ndjson
conforms ndjson
for n in 1 2; do
	hist report -q -i $rec on-cpu --format json -o "$tmp/$n.json"
done
hist merge "$tmp/1.json" "$tmp/2.json" --format ndjson
conforms ndjson
hist trend "$tmp/1.json" "$tmp/2.json" --format json
conforms trend
hist dump $rec --format json
head -n 400 "$tmp.out" >"$tmp/part"
mv "$tmp/part" "$tmp.out"
conforms dump

it 'what a program can type: all verbs, options, recipes and fields of derived events'
hist help --json
conforms help
cat >"$tmp/help.py" <<'END'
import json, re, subprocess, sys
with open(sys.argv[1]) as f:
    known = json.load(f)
names = subprocess.run([sys.argv[2], "recipe"], stdout=subprocess.PIPE, text=True, check=True).stdout
assert [r["name"] for r in known["recipes"]] == [l.split()[0] for l in names.splitlines() if l.startswith("  ")]
for verb in known["verbs"]:
    page = subprocess.run([sys.argv[2], verb["name"], "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    # options that a line of help begins with; a text may name others
    shown = set(re.findall(r"^ {2,6}(?:-\S, )?--([a-z0-9-]+)", page, re.M)) - {"help", "usage", "version", "color", "quiet"}
    assert shown == {o["name"] for o in verb["options"] if "name" in o}, (verb["name"], shown)
    assert verb["exit_status"].startswith("0") or verb["name"] == "record", verb["name"]
wait = next(e for e in known["derived"] if e["name"] == "derived:wait")
assert {"type": "u64", "name": "ns"} in wait["fields"], wait
parameters = {p["name"]: p["default"] for r in known["recipes"] if r["name"] == "block-latency" for p in r["parameters"]}
assert parameters == {"comm": "*", "min": "0us"}, parameters
END
run "$python" "$tmp/help.py" "$tmp/json" "$HIST"
status_is 0
stderr_is ''

it 'the schemas reject other json'
echo '[{"kind":"about"}]' >"$tmp/json"
run "$python" "$tmp/check.py" summary "$tmp/json"
checked [ "$status" = 1 ] || fail 'a line without members conforms'
echo '[{"time":1,"ts":1,"cpu":0,"pid":1,"comm":"a","event":"switch","fields":{}}]' >"$tmp/json"
run "$python" "$tmp/check.py" events "$tmp/json"
checked [ "$status" = 1 ] || fail 'an event without a system conforms'

done_testing
