#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What is known to be missing in a recording, or to be a guess, travels through every file that hist
# writes: each verb warns, --strict refuses, comparisons are inconclusive, sums add it up.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'

# travels RECORDING EVENT KEY WORDS: import or not, slim, save the events, save the result
travels()
{
	counts="-e $2 -R hist:keys=$3"
	it "$4: a slim recording"
	# shellcheck disable=SC2086 # options
	"$HIST" slim -q -i "$1" $counts -o "$tmp/slim.dat" 2>/dev/null
	hist report -i "$tmp/slim.dat"
	status_is 0
	stderr_has "$4"
	hist report --strict -i "$tmp/slim.dat"
	status_is 2

	it "$4: a slim recording of that one"
	# shellcheck disable=SC2086
	hist slim -i "$tmp/slim.dat" $counts -o "$tmp/slim2.dat"
	status_is 0
	stderr_has "$4"
	hist list -i "$tmp/slim2.dat"
	stdout_has "caveat  *.*$4"
	stderr_has "$4"
	hist list --format json -i "$tmp/slim2.dat"
	stdout_has '"caveats":\[{"kind":'

	it "$4: saved events"
	printf 'echo 1 > events/%s/enable\ncat trace\n' "$(echo "$2" | tr : /)" >"$tmp/enable"
	hist report -q -i "$tmp/slim2.dat" "$tmp/enable" --save-events "$tmp/saved.dat"
	status_is 0
	# shellcheck disable=SC2086
	hist report --strict -i "$tmp/saved.dat" $counts
	status_is 2
	stderr_has "$4"

	it "$4: results, sums, comparisons"
	for n in 1 2; do
		# shellcheck disable=SC2086
		"$HIST" report -q -i "$tmp/saved.dat" $counts --format json -o "$tmp/$n.json"
	done
	hist merge "$tmp/1.json" "$tmp/2.json"
	status_is 0
	stderr_has "$5"
	hist merge --strict "$tmp/1.json" "$tmp/2.json" --format json -o "$tmp/sum.json"
	status_is 2
	hist merge --strict "$tmp/sum.json"
	status_is 2
	stderr_has "$5"
	hist diff "$tmp/1.json" "$tmp/sum.json"
	status_is 2
	stdout_has 'inconclusive'
	# shellcheck disable=SC2086
	hist diff $counts "$tmp/saved.dat" "$tmp/slim.dat"
	status_is 2
	stdout_has "inconclusive.*$4"
	hist trend "$tmp/1.json" "$tmp/2.json" "$tmp/sum.json"
	status_is 2
	stderr_has "$4"

	have trace-cmd || return
	it "$4: trace-cmd reads the files"
	for file in slim slim2 saved; do
		trace-cmd report "$tmp/$file.dat" 2>/dev/null | grep -v ^cpus= | sed 's/^ *[^ ]*-\([0-9]*\) /\1/' >"$tmp/$file.txt"
	done
	checked cmp -s "$tmp/slim.txt" "$tmp/saved.txt" || fail 'trace-cmd shows other events'
	checked cmp -s "$tmp/slim.txt" "$tmp/slim2.txt" || fail 'trace-cmd shows other events'
	checked [ -s "$tmp/slim.txt" ] || fail 'trace-cmd shows no events'
}

python3 tests/cli/import_perf.py make "$tmp/sampled.data" period=5
"$HIST" import -q "$tmp/sampled.data" -o "$tmp/sampled.dat"
travels "$tmp/sampled.data" test:thing common_pid 'test:thing was sampled: the counts are those of samples' 'was sampled'

it 'an import is refused by --strict, as the original is'
for file in sampled.data sampled.dat; do
	hist report -q --strict -i "$tmp/$file" -e thing -R hist:keys=common_pid
	status_is 2
done

it 'the caveat is a member in json; only of histograms of the sampled event'
hist report -q -i "$tmp/sampled.dat" -e task_rename -R hist:keys=common_pid --format json
stdout_has '"hits":[1-9]'
stdout_lacks caveats
hist report --strict -i "$tmp/sampled.dat" -e thing -R hist:keys=common_pid --format json
stdout_has '"caveats":\[{"kind":"sampled","n":[1-9][0-9]*,"of":"test:thing","text":"[^"]*"}\]'

size=$(wc -c <trace.dat-samples/kmalloc.dat)
head -c $((size - 4096)) trace.dat-samples/kmalloc.dat >"$tmp/cut.dat"
travels "$tmp/cut.dat" kmem:kmalloc common_cpu 'parts of the recording are missing or damaged' 'parts of 2 recordings are missing'

it 'slices of time have the caveats'
hist report -q -i "$tmp/slim.dat" --interval 0.01 --format json
status_is 0
checked [ "$(grep -c '"caveats":' "$tmp.out")" = "$(wc -l <"$tmp.out")" ] || fail 'a slice has no caveats'

it 'a page shows them'
hist report -q -i "$tmp/slim.dat" --format html
stdout_has 'class="warn">Warning: .*parts of the recording are missing or damaged'
checked [ "$(grep -c 'missing or damaged' "$tmp.out")" = 1 ] || fail 'it is repeated'
hist merge "$tmp/1.json" --format html
stdout_has 'class="warn">parts of the recording are missing or damaged'

it 'an undamaged recording has none'
hist report --strict -i trace.dat-samples/kmalloc.dat -e kmalloc -R hist:keys=common_cpu --format json
status_is 0
stdout_lacks caveats

it 'a result with an invalid caveat is refused'
for change in 's/"kind":"[a-z]*"/"kind":"a b"/' 's/"kind":"[a-z]*",//' 's/"n":[0-9]*/"n":-1/'; do
	sed "$change" "$tmp/1.json" >"$tmp/bad.json"
	hist merge "$tmp/bad.json"
	status_is 2
	stdout_is ''
done

it 'a kind of a later version is passed on'
sed 's/"kind":"[a-z]*"/"kind":"later"/' "$tmp/1.json" >"$tmp/later.json"
hist merge --strict "$tmp/later.json" --format json
status_is 2
stderr_has 'a later version of hist reports: later 1'
stdout_has '"kind":"later"'

it 'switches that are hidden: no verdict, unless so many are allowed'
{
	printf '# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n#              | |         |   |||||     |         |\n'
	for i in $(seq 10 49); do
		cat <<-END
		               a-1       [000] d..2. 1.0000${i}0: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120
		               b-2       [000] d..2. 1.0000${i}5: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=c next_pid=3 next_prio=120
		END
	done
} >"$tmp/hidden.txt"
for run in before after; do
	hist report -q -i "$tmp/hidden.txt" -e derived:task_state --by state --sum ns --format json -o "$tmp/$run.json"
done
hist diff "$tmp/before.json" "$tmp/after.json"
status_is 2
stdout_has '^verdict: inconclusive: .*39 sched_switch do not follow the one before on their CPU'
hist diff --allow-lost 60 "$tmp/before.json" "$tmp/after.json"
status_is 0

done_testing
