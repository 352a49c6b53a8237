#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist summary: trouble that is planted is in the first ten lines, numbers are those of the answers to
# which lines go on, commands work as they are printed, forty lines and eighty columns suffice.
. tests/cli/lib.sh

samples=trace.dat-samples

# numbers of a line: TOPIC COLUMN...
numbers()
{
	topic=$1
	shift
	hist summary -q -i "$rec" --format json
	python3 -c '
import json, sys
row = next((r for r in json.load(open(sys.argv[1])) if r["topic"] == sys.argv[2]), None)
print(*([row[c] for c in sys.argv[3:]] if row else ["none"]))' "$tmp.out" "$topic" "$@"
}

it 'names planted trouble in the first ten lines, and none where there is none'
run python3 tests/cli/summary_trouble.py "$HIST" "$tmp"
status_is 0
[ "$status" = 0 ] || fail_file 'summary_trouble.py:' "$tmp.err"

it 'an error that is an answer, such as EAGAIN, is no trouble, an input or output error is'
for error in 5 11 29; do
	awk -v error=$error 'BEGIN {
		print "# tracer: nop\n#"
		for (i = 0; i < 100; i++) {
			printf "            prog-42    [000] .....     1.%03d000: sys_enter: NR 0 (3, 0, 0, 0, 0, 0)\n", i
			printf "            prog-42    [000] .....     1.%03d100: sys_exit: NR 0 = -%d\n", i, error
		}
	}' >"$tmp/$error.txt"
done
hist summary -q -i "$tmp/5.txt"
stdout_has '^TROUBLE    100 of 100 calls of syscall 0 failed: EIO'
hist summary -q -i "$tmp/11.txt"
stdout_lacks '^TROUBLE'
stdout_has '^errors     100 syscall 0 EAGAIN$'
hist summary -q -i "$tmp/29.txt" # whether a file is a pipe
stdout_lacks '^TROUBLE'
stdout_has '^errors     100 syscall 0 ESPIPE$'

it 'prints at most 40 lines of 80 columns, except commands'
for rec in "$samples"/*.dat tests/golden/6.1/*/trace.dat tests/golden/7.3/*/trace.dat; do
	hist summary -q -i "$rec"
	status_is 0
	awk 'NR > 40 || (length > 80 && !/^ *hist /)' "$tmp.out" >"$tmp/wrong"
	checked [ ! -s "$tmp/wrong" ] || fail_file "$rec:" "$tmp/wrong"
done

it 'has the numbers of the recipes'
for rec in $samples/switch.dat $samples/wakeup.dat tests/golden/7.3/smp/trace.dat; do
	for question in 'cpus|on-cpu' 'waiting|run-queue-wait --show 2' \
		"D state|-e derived:task_state -f 'state == \"disk\"' --by comm --sum ns"; do
		got=$(numbers "${question%%|*}" name hits total_ns)
		eval "hist report -q -i $rec ${question#*|} --format json --top 0"
		want=$(python3 -c '
import json, sys
rows = json.loads(open(sys.argv[1]).readline())["data"]
name = lambda r: " ".join(str(v) if not i else "(%s)" % v for i, v in enumerate(r["key"].values()))
print(*sorted("%s %d %d" % (name(r), r["val"]["hitcount"], r["val"]["ns"]) for r in rows), sep="\n")' "$tmp.out")
		[ "$got" = none ] && [ -z "$want" ] && continue
		checked grep -qxF -e "$got" <<-END || fail "$rec: ${question%%|*} is '$got', not one of: $want"
			$want
		END
	done
done

it 'prints commands that work'
for rec in $samples/switch.dat $samples/syscalls.dat "$tmp/storm.dat" "$tmp/inversion.dat" "$tmp/call.dat" "$tmp/leak.dat"; do
	hist summary -q -i "$rec"
	sed -n 's/^ *hist \(report\|why\|list\|events\) /\1 /p' "$tmp.out" >"$tmp/commands"
	checked [ -s "$tmp/commands" ] || fail "$rec: no commands"
	while read -r command; do
		eval "hist $command" </dev/null
		status_is 0
	done <"$tmp/commands"
done

it 'keeps what was selected in its commands, and selects'
hist summary -q --from 2.6 --to 2.7 --cpu 1 -i $samples/switch.dat
status_is 0
stdout_has 'hist report -i trace.dat-samples/switch.dat --cpu 1 --from 2.6 --to 2.7 on-cpu$'
stdout_has '^100 ms from 2.600000000; '

it 'goes on from the most frequent event, if there is nothing else to ask'
printf ' a-%d [000] .... %d.000000: thing: x=5\n' 1 1 1 2 2 3 >"$tmp/things.txt"
hist summary -q "$tmp/things.txt"
stdout_has '^tasks      the most frequent event by task: [a-z]+:thing$'
stdout_has "^ +hist report -i $tmp/things.txt -e [a-z]+:thing --by comm\$"
hist summary -q $samples/wakeup.dat
stdout_lacks '^tasks '

it 'is also hist FILE'
hist summary -i $samples/wakeup.dat
cp "$tmp.out" "$tmp/want"
hist $samples/wakeup.dat
status_is 0
sed 's/\(hist [a-z]*\) -i/\1/' "$tmp/want" >"$tmp/a"
sed 's/\(hist [a-z]*\) -i/\1/' "$tmp.out" >"$tmp/b"
holds cmp "$tmp/a" "$tmp/b"

it 'prints a page and Markdown'
hist summary -q -i $samples/switch.dat --format html -o "$tmp/page.html"
status_is 0
holds grep -q '<pre>hist report -i trace.dat-samples/switch.dat on-cpu' "$tmp/page.html"
hist summary -q -i $samples/switch.dat --format markdown
status_is 0
stdout_has '^\| answer \| cpus \| 27 % busy'

it 'survives recordings that are empty, cut, or not recordings'
head -c 30000 $samples/switch.dat >"$tmp/cut.dat"
hist summary -q -i "$tmp/cut.dat"
stdout_has '^TROUBLE .* (cut|damaged)'
: >"$tmp/empty.dat"
hist summary -i "$tmp/empty.dat"
status_is 2
hist summary -i $samples/switch.dat --format nothing
status_is 2
stderr_has 'unknown format nothing; known: .*json'

it 'names what takes more time than in a baseline'
hist summary -q -i $samples/wakeup.dat --baseline $samples/switch.dat
status_is 0
stdout_has 'hist diff off-cpu trace.dat-samples/switch.dat trace.dat-samples/wakeup.dat'
hist summary -q -i $samples/wakeup.dat --baseline $samples/switch.dat --format json
cp "$tmp.out" "$tmp/lines"
for f in switch wakeup; do
	"$HIST" events -q -i $samples/$f.dat -e derived:task_state -f 'state == "disk"' --fields comm,ns >"$tmp/$f.csv"
	"$HIST" list -i $samples/$f.dat --format json >"$tmp/$f.json"
done
run python3 - "$tmp" <<'END'
import csv, json, re, sys
tmp = sys.argv[1]
def rate(name):
    rows = [int(r[-1]) for r in csv.reader(open(f"{tmp}/{name}.csv")) if r[0] == "init"]
    span = json.load(open(f"{tmp}/{name}.json"))["buffers"][0]["span"]
    return sum(rows) / (span["to"] - span["from"])
line = next(l for l in json.load(open(f"{tmp}/lines")) if l["kind"] == "unusual" and l["topic"] == "D state")
print(re.sub("^.*second, ", "", line["text"]), "and", f"{rate('wakeup') / rate('switch'):.3g}")
END
stdout_is '3.38 times as much as in trace.dat-samples/switch.dat and 3.38'
hist summary -q -i $samples/switch.dat --baseline $samples/switch.dat
stdout_has 'nothing takes 2 times as much time as in trace.dat-samples/switch.dat'
hist summary -q -i $samples/switch.dat --baseline "$tmp/none.dat"
status_is 2
stderr_has 'none.dat: cannot open'

done_testing
