#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compatibility: results written by earlier versions (tests/saved/VERSION) are read completely and
# conform to today's schema; a plugin compiled with the header of ABI 1 loads and gets the same data
# as before.
. tests/cli/lib.sh

python=$(python_with jsonschema)
have python3 || skip_all 'no python3'

# rows FILE: the rows of results, one per line; numbers are equal with and without quotes. hist
# merge does not keep exemplars.
rows()
{
	python3 -c '
import json, sys
def plain(v):
    if isinstance(v, dict):
        return {k: plain(e) for k, e in v.items()}
    return [plain(e) for e in v] if isinstance(v, list) else v if isinstance(v, bool) else str(v)
for line in open(sys.argv[1]):
    v = json.loads(line)
    for row in v.get("data", [v] if v["type"] == "hist_row" else []):
        row.pop("type", None)
        row.pop("exemplars", None)
        print(json.dumps(plain(row), sort_keys=True))' "$1"
}

for file in tests/saved/*/*json; do
	it "${file#tests/saved/}: all rows are read"
	hist merge --format ndjson "$file"
	status_is 0
	cp "$tmp.out" "$tmp/read"
	rows "$file" | sort >"$tmp/then"
	rows "$tmp/read" | sort >"$tmp/now"
	holds test -s "$tmp/then"
	checked cmp -s "$tmp/then" "$tmp/now" || {
		diff "$tmp/then" "$tmp/now" >"$tmp/difference"
		fail_file 'written then (<), read now (>):' "$tmp/difference"
	}
	hist diff -q "$file" "$file"
	status_is 0

	it "${file#tests/saved/}: conforms to today's schema"
	if [ -n "$python" ]; then
		run "$python" -c '
import json, jsonschema, sys
with open("share/hist-result-1.schema.json") as f:
    v = jsonschema.Draft7Validator(json.load(f))
for line in open(sys.argv[1]):
    for e in v.iter_errors(json.loads(line)):
        sys.exit(str(jsonschema.exceptions.best_match([e]).message)[:300])' "$file"
		status_is 0
		stderr_is ''
	else
		skip 'no python3-jsonschema'
	fi
done

it 'the schema number of a result exists in share/'
# shellcheck disable=SC2013 # split into words
for schema in $(cat tests/saved/*/*json | grep -o '"schema":[0-9]*' | sed 's/.*://' | sort -u); do
	holds test -f "share/hist-result-$schema.schema.json"
done

it 'rejects another schema'
sed 's/"schema":1/"schema":2/' tests/saved/0.1.0/wakeup.json >"$tmp/new.json"
hist merge "$tmp/new.json"
status_is 2
stdout_is ''
stderr_has 'new.json.*schema'

it 'loads a plugin of ABI 1'
if have gcc; then
	# shellcheck disable=SC2086 # flags
	run gcc -Wall -Wextra -Werror -shared -fPIC -Itests/abi ${SANITIZE:-} -o "$tmp/plugin-1.so" tests/abi/plugin-1.c
	status_is 0
	hist report -i trace.dat-samples/switch.dat -e sched_switch -R 'hist:keys=next_prio' \
		--plugin "$tmp/plugin-1.so" --modifier next_prio=halved
	status_is 0
	stdout_has '^\{ next_prio: s120/2 +\[120\] \} hitcount: +[0-9]+$'

	it 'and passes the same data to it as before'
	hist report -i trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.script --plugin "$tmp/plugin-1.so" --format members
	status_is 0
	stdout_is_file tests/abi/plugin-1.txt
else
	skip 'no gcc'
fi

done_testing
