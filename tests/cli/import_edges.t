#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# perf.data: where a recording begins, and the times in which tasks did not run.
. tests/cli/lib.sh

it 'does not take names that perf recorded before its first sample for the beginning'
for data in plain stacks samples mixed; do
	gunzip -c "tests/import/$data.data.gz" >"$tmp/edge.data"
	gunzip -c "tests/import/$data.perf.gz" | sed -n '1s/.* \([0-9]*\)\.\([0-9]*\): .*/\1\2/p' >"$tmp/want"
	hist events -q -i "$tmp/edge.data" --fields ts
	checked [ "$(sed -n 2p "$tmp.out")" = "$(cat "$tmp/want")" ] || fail "$data: $(sed -n 2p "$tmp.out"), not $(cat "$tmp/want")"
	hist events -q -i "$tmp/edge.data" --fields comm
	stdout_lacks 'perf-exec'
done

it 'has the times in which the tasks of perf record --switch-events did not run'
gunzip -c tests/import/switch.data.gz >"$tmp/switch.data"
# of perf script: task, whether it was preempted, how often, ns
gunzip -c tests/import/switch.perf.gz | awk '
	{ at = 0; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) { at = i; break } }
	!at { next }
	{ split($at, time, /[.:]/); ts = time[1] * 1000000000 + time[2]; pid = $(at - 2) }
	$(at + 1) ~ /PERF_RECORD_SWITCH/ && $(at + 2) == "OUT" { out[pid] = ts; kind[pid] = $(at + 3) == "preempt" }
	$(at + 1) ~ /PERF_RECORD_SWITCH/ && $(at + 2) == "IN" && out[pid] {
		key = pid "," kind[pid]; n[key]++; sum[key] += ts - out[pid]; out[pid] = 0 }
	END { for (key in n) printf "%s,%d,%.0f\n", key, n[key], sum[key] }' | sort >"$tmp/want"
hist report -q -i "$tmp/switch.data" -e perf:off_cpu --by pid,preempted --sum ns --format csv
sed 1d "$tmp.out" | sort >"$tmp/got"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"
checked [ "$(wc -l <"$tmp/want")" -ge 8 ] || fail_file 'too few:' "$tmp/want"
hist list "$tmp/switch.data"
stderr_has 'note: .* times in which a task did not run were converted to perf:off_cpu events'
hist events -q -i "$tmp/switch.data" -e perf:off_cpu --fields comm
stdout_has '^sleep$'

done_testing
