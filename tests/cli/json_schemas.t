#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The json of hist list and hist why conforms to the schemas in share, for many recordings.
. tests/cli/lib.sh

python=$(python_with jsonschema)
[ -n "$python" ] || skip_all 'no python3-jsonschema'

cat >"$tmp/check.py" <<'END'
import json, jsonschema, sys
with open(sys.argv[1]) as f:
    schema = json.load(f)
jsonschema.Draft7Validator.check_schema(schema)
lines = open(sys.argv[2]).read().splitlines()
if len(lines) < int(sys.argv[3]):
    sys.exit(f"only {len(lines)} lines")
for line in lines:
    value = json.loads(line)
    for error in jsonschema.Draft7Validator(schema).iter_errors(value):
        sys.exit(f"{value.get('file')}: {list(error.path)}: {jsonschema.exceptions.best_match([error]).message[:200]}")
END

# follows VERB AT-LEAST: the lines of $tmp/json conform to the schema of hist VERB
follows()
{
	run "$python" "$tmp/check.py" "share/hist-$1-1.schema.json" "$tmp/json" "$2"
	status_is 0
	stderr_is ''
}

recordings="trace.dat-samples/*.dat tests/golden/*/*/trace.dat tests/cli/recipes/*.dat tests/cli/*.dat"

it 'hist list'
# shellcheck disable=SC2086
hist list -q --format json $recordings
cp "$tmp.out" "$tmp/json"
follows list 20
hist list -q --format json -e -a trace.dat-samples/wakeup.dat trace.dat-samples/stacks.dat
cp "$tmp.out" "$tmp/json"
follows list 2

it 'hist list of what is damaged, made smaller, or imported'
head -c 20000 trace.dat-samples/wakeup.dat >"$tmp/cut.dat"
hist slim -q -i trace.dat-samples/wakeup.dat -o "$tmp/slim.dat" --from +0.1 --comm 'e*' -e sched_switch --by next_comm
for name in tasks samples; do
	gzip -dc "tests/import/$name.data.gz" >"$tmp/$name.data"
done
: >"$tmp/json"
for file in "$tmp/cut.dat" "$tmp/slim.dat" "$tmp/tasks.data" "$tmp/samples.data"; do
	hist list -q --format json "$file"
	cat "$tmp.out" >>"$tmp/json"
done
follows list 4

it 'hist why'
: >"$tmp/json"
for file in trace.dat-samples/wakeup.dat trace.dat-samples/switch.dat trace.dat-samples/syscalls.dat tests/cli/recipes/*.dat; do
	for event in derived:wait derived:task_state derived:syscall derived:irq derived:block_io; do
		hist why -q -i "$file" -e $event --format json
		[ "$status" != 0 ] || cat "$tmp.out" >>"$tmp/json"
	done
done
follows why 20

done_testing
