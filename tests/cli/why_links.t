#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every command "hist why" of a page explains the interval of its row: its end, CPU, task and length. MOST:
# rows of each page.
. tests/cli/lib.sh

samples=trace.dat-samples
[ -f $samples/wakeup.dat ] || skip_all "no $samples"

# rows: NS TIME CPU TASK-PID COMMAND of the exemplars of $tmp/page.html with a command "hist why"
rows()
{
	sed 's/<tr>/\n&/g' "$tmp/page.html" |
		sed -n -E 's|^<tr><td class="n" data-v="([0-9]+)">[^<]*</td><td class="n" data-v="([0-9.]+),([0-9]+)">[^<]*</td><td class="n">[0-9]+</td><td>([^<]*)</td><td class="c"><code>(hist why [^<]*)</code>.*|\1\t\2\t\3\t\4\t\5|p' |
		sed "s/&#39;/'/g; s/&quot;/\"/g; s/&gt;/>/g; s/&lt;/</g; s/&amp;/\\&/g" | head -n "${MOST:-2}"
}

# typed COMMAND: as a shell runs it
typed()
{
	eval "\"\$HIST\" why -q --format json ${1#hist why}" >"$tmp/why.json" 2>"$tmp/why.err"
}

# explained NS TIME CPU PID: the answer in $tmp/why.json is about this interval
explained()
{
	grep -q "\"to\":$2,\"cpu\":$3," "$tmp/why.json" && grep -qE "\"pid\":$4,.*\"ns\":$1[,}]|\"record\":\"[^\"]*=$1 .*\"pid\":$4," "$tmp/why.json"
}

it 'the commands of the pages of all recipes'
n=0
# shellcheck disable=SC2013 # names without spaces
for recipe in $(grep -l '^table derived:' share/hist/recipes/*.hist); do
	recipe=${recipe##*/}
	recipe=${recipe%.hist}
	for input in $samples/wakeup.dat $samples/syscalls.dat tests/cli/recipes/7.3.dat tests/cli/recipes/irqs.dat \
		tests/cli/recipes/power.dat tests/cli/recipes/6.1-graph.dat tests/cli/recipes/net.dat; do
		# shellcheck disable=SC2086 # a file, and options
		"$HIST" report -q -i $input "$recipe" --format html -o "$tmp/page.html" 2>"$tmp/messages" || continue
		rows >"$tmp/rows"
		while IFS="$(printf '\t')" read -r ns time cpu task command; do
			n=$((n + 1))
			typed "$command" || fail_file "$command" "$tmp/why.err"
			checked explained "$ns" "$time" "$cpu" "${task##*-}" ||
				fail "$recipe, $input: $command explains $(cut -c1-300 "$tmp/why.json"), not $ns ns of $task to $time on CPU $cpu"
		done <"$tmp/rows"
	done
done
echo "# $n commands"
[ $n -ge 20 ] || fail "only $n commands"

it '--at takes an interval that ends then, or contains the time'
hist why -q -i $samples/wakeup.dat wakeup-latency --at 30.349774421,0
status_is 0
stdout_has '^  pid=16, comm=rcu_preempt, .* ns=1000405,'
hist why -q -i $samples/wakeup.dat wakeup-latency --at 30.349774420,0
stdout_has '^  pid=16, comm=rcu_preempt, .* ns=1000405,'

it 'what any table of a recipe prints as an example can be typed'
hist report -q -i $samples/wakeup.dat wakeup-latency --exemplars 2
sed -n -E 's/^ +[0-9.]+ [a-z]*s at ([0-9.]+,[0-9]+)  .*-([0-9]+)$/\1 \2/p' "$tmp.out" | sort -u >"$tmp/moments"
n=0
while read -r at pid; do
	n=$((n + 1))
	"$HIST" why -q -i $samples/wakeup.dat wakeup-latency --at "$at" --format json >"$tmp/why.json"
	checked grep -q "\"to\":${at%,*},\"cpu\":${at#*,},\"pid\":$pid," "$tmp/why.json" || fail_file "$at:" "$tmp/why.json"
done <"$tmp/moments"
[ $n -ge 20 ] || fail "only $n moments"

done_testing
