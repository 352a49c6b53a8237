#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A perf.data that is read directly: its records are made when a question needs them.
. tests/cli/lib.sh

for name in plain stacks threads; do
	if [ -f "tests/import/$name.data.tar.gz" ]; then
		tar -xzf "tests/import/$name.data.tar.gz" -C "$tmp"
	else
		gunzip -c "tests/import/$name.data.gz" >"$tmp/$name.data"
	fi
done

it 'gives each question what the whole import gives'
for name in plain stacks threads; do
	hist import -q "$tmp/$name.data" -o "$tmp/all.dat"
	hist list --format json "$tmp/all.dat"
	tr '{' '\n' <"$tmp.out" | sed -n 's/^"system":"\([^"]*\)","name":"\([^"]*\)","id".*/\1:\2/p' >"$tmp/events"
	checked grep -q : "$tmp/events" || fail "no events in $name"
	while read -r event; do
		for args in "--by comm" "--by common_cpu --interval 0.01" "-R hist:keys=common_stacktrace" "--by common_pid --from +0.0001"; do
			# shellcheck disable=SC2086 # split into words
			hist report -q -i "$tmp/all.dat" -e "$event" $args --format json
			sed 's/"source":{[^}]*}//' "$tmp.out" >"$tmp/want"
			for plan in auto plain; do
				# shellcheck disable=SC2086 # split into words
				hist report -q -i "$tmp/$name.data" -e "$event" $args --format json --plan=$plan
				status_is 0
				sed 's/"source":{[^}]*}//' "$tmp.out" >"$tmp/got"
				checked cmp -s "$tmp/want" "$tmp/got" || fail "$name, $event, $args, $plan"
			done
		done
	done <"$tmp/events"
done

it 'makes more records for the next question'
cat >"$tmp/two" <<'END'
echo hist:keys=id >events/raw_syscalls/sys_exit/trigger
cat events/raw_syscalls/sys_exit/hist
echo hist:keys=next_comm >events/sched/sched_switch/trigger
cat events/sched/sched_switch/hist
cat events/raw_syscalls/sys_exit/hist
END
hist import -q "$tmp/plain.data" -o "$tmp/plain.dat"
hist report -q -i "$tmp/plain.dat" "$tmp/two"
mv "$tmp.out" "$tmp/want"
hist report -q -i "$tmp/plain.data" "$tmp/two"
stdout_is_file "$tmp/want"
for query in 'SELECT count(*) FROM sched_switch' \
	'SELECT s.next_comm, e.id FROM sched_switch s JOIN sys_exit e ON e.ts > s.ts LIMIT 20' \
	'SELECT (SELECT count(*) FROM sys_exit), (SELECT count(*) FROM sched_wakeup)'; do
	hist sql -i "$tmp/plain.dat" "$query"
	mv "$tmp.out" "$tmp/want"
	hist sql -i "$tmp/plain.data" "$query"
	stdout_is_file "$tmp/want"
done

done_testing
