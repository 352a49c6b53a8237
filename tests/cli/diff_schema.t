#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The json of hist diff conforms to share/hist-diff-1.schema.json, whatever is compared.
. tests/cli/lib.sh
. tests/cli/calls.sh

python=$(python_with jsonschema)
[ -n "$python" ] || skip_all 'no python3-jsonschema'
samples=trace.dat-samples
schema=share/hist-diff-1.schema.json

cat >"$tmp/check.py" <<'END'
import json, jsonschema, sys
with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
lines = open(sys.argv[2]).read().splitlines()
types = [json.loads(line)["type"] for line in lines]
if types != ["hist_diff"] * (len(lines) - 1) + ["hist_diff_verdict"]:
    sys.exit(f"the lines are {types}")
for line in lines:
    for error in jsonschema.Draft7Validator(schema).iter_errors(json.loads(line)):
        sys.exit(f"{list(error.path)}: {jsonschema.exceptions.best_match([error]).message[:200]}")
END

# follows STATUS [ARG...]: the json of hist diff, in $tmp/json, conforms to the schema
follows()
{
	want=$1
	shift
	hist diff --format json "$@"
	status_is "$want"
	cp "$tmp.out" "$tmp/json"
	run "$python" "$tmp/check.py" $schema "$tmp/json"
	status_is 0
	stderr_is ''
}

make_calls 20000
a=$tmp/a.json
b=$tmp/b.json
hist report -q -i "$tmp/calls.dat" "$tmp/calls.script" --show call --stats --format json -o "$a"
hist report -q -i "$tmp/slow.dat" "$tmp/calls.script" --show call --stats --format json -o "$b"

it 'every sample compared with itself'
for sample in switch wakeup syscalls kmalloc stacks; do
	follows 0 -S $samples/$sample.script $samples/$sample.dat $samples/$sample.dat
	follows 0 --all --stats -S $samples/$sample.script $samples/$sample.dat $samples/$sample.dat
done

it 'differences, in each mode'
follows 1 --alpha 1 "$a" "$b"
follows 1 --alpha 1 --all --share "$a" "$b"
follows 1 --alpha 1 --absolute --noise 20% "$b" "$a"
follows 1 --before "$a" "$a" "$a" "$a" --after "$b" "$b" "$b" "$b"
follows 0 --all "$a" "$b"

it 'keys of every type'
for keys in prev_pid.hex next_comm,prev_state prev_pid.log2 prev_prio.buckets=10 common_pid.execname; do
	follows 0 --all -e sched_switch -R "hist:keys=$keys" $samples/switch.dat $samples/switch.dat
done

it 'rows and distributions of one side only'
follows 1 --alpha 1 --stats --all -e sched_switch -R 'hist:keys=next_pid:vals=prev_prio' $samples/switch.dat $samples/wakeup.dat

it 'expressions, on one run and on several'
follows 1 --fail-on '*:lat.mean>+20%' --fail-on 'lat.p99.9>+1%' "$a" "$b"
follows 2 --unit lat=us --fail-on 'sys_read:lat.p50>+100s' "$a" "$b"
holds grep -q '"why":' "$tmp/json"
follows 0 --unit lat=us --fail-on 'lat.p50>+100s' "$a" "$b"
follows 1 --fail-on 'sys_getpid:lat.mean>+20%' --before "$a" "$a" "$a" "$a" --after "$b" "$b" "$b" "$b"

it 'the schema rejects other json'
hist diff --all --format json --fail-on '*:lat.mean>+20%' "$a" "$b"
cp "$tmp.out" "$tmp/good"
for change in 's/"schema":1/"schema":2/' 's/"dropped":[0-9]*/"dropped":-1/' 's/"percent"/"per_cent"/' 's/"verdict":"[a-z ]*"/"verdict":"sane"/' \
	's/"ks_d":/"ks":/' 's/"outcome":"holds"/"outcome":"hold"/'; do
	sed "$change" "$tmp/good" >"$tmp/bad"
	run cmp -s "$tmp/good" "$tmp/bad"
	status_is 1
	run "$python" "$tmp/check.py" $schema "$tmp/bad"
	status_is 1
done

done_testing
