#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist top in a guest with hist triggers: what the kernel counts, what hist counts of the same events,
# what the triggers of another instance count, and a report of a recording are equal.
#
# $TOP_KERNELS are the versions (default: newest).
. tests/kernel/lib.sh

: "${TOP_KERNELS:=newest}"
linked seek "$here/seek.c"

# rows FILE: KEY... | VALUE... of the last table of a file of ndjson, and its hits
cat >"$tmp/rows" <<'EOP'
import json, sys
rows, table = [], []
for line in open(sys.argv[1]):
    l = json.loads(line)
    if l["type"] == "hist_row":
        table.append(" ".join(str(v) for v in l["key"].values()) + " | " + " ".join(str(v) for v in l["val"].values()))
    elif l["type"] == "hist_totals":
        rows, table = table + ["hits %d dropped %d" % (l["hits"], l["dropped"])], []
print("\n".join(sorted(rows)))
EOP
rows()
{
	python3 "$tmp/rows" "$1"
}

for version in $TOP_KERNELS; do
	kernel "$version"
	it "Linux $version: the kernel counts what hist counts"
	guest top 1 "$tmp/seek" || continue
	checked [ ! -s "$out/trouble" ] || fail_file 'what was not ready:' "$out/trouble"
	for what in id state bytes; do
		holds grep -q 'the kernel counts, in the instance hist.[0-9.]*until' "$out/$what-kernel.log"
		holds grep -q 'hist counts; the kernel does not: --plan=engine' "$out/$what-engine.log"
		rows "$out/$what-kernel.ndjson" >"$tmp/kernel"
		rows "$out/$what-engine.ndjson" >"$tmp/engine"
		checked [ "$(wc -l <"$tmp/kernel")" -gt 2 ] || fail_file "$what: no rows:" "$tmp/kernel"
		checked cmp -s "$tmp/kernel" "$tmp/engine" || fail "$what: $(diff "$tmp/kernel" "$tmp/engine")"
		case $what in
		id) file=sys_enter ;;
		state) file=sched_switch ;;
		bytes) file=kmalloc ;;
		esac
		sed -n 's/^    Hits: /hits /p' "$out/$file.hist" >"$tmp/want"
		sed -n 's/^\(hits [0-9]*\) .*/\1/p' "$tmp/kernel" >"$tmp/got"
		checked cmp -s "$tmp/want" "$tmp/got" || fail "$what: $(diff "$tmp/want" "$tmp/got")"
	done
	# each row, where a table has a plain key
	sed -n 's/^{ id: *\([0-9]*\) } hitcount: *\([0-9]*\)$/\1 | \2/p' "$out/sys_enter.hist" | sort >"$tmp/want"
	rows "$out/id-kernel.ndjson" | grep -v hits >"$tmp/got"
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got")"
	# a recording at the same time
	rows "$out/id-record.ndjson" | grep -v hits >"$tmp/got"
	checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got"; cat "$out/record.log")"
	rows "$out/trigger.ndjson" >"$tmp/got"
	rows "$out/state-kernel.ndjson" >"$tmp/want"
	checked [ "$(grep hits "$tmp/got")" = "$(grep hits "$tmp/want")" ] || fail "$(diff "$tmp/want" "$tmp/got")"
	holds grep -q '^entries: 0$' "$out/stats"
	grep '^\(entries\|overrun\|read events\): [1-9]' "$out/stats" >"$tmp/recorded"
	checked [ ! -s "$tmp/recorded" ] || fail_file 'events were recorded:' "$tmp/recorded"

	it "Linux $version: more rows than the kernel has room for are counted by hist"
	holds grep -q 'there are more rows than the kernel has room for: hist counts anew' "$out/full.log"
	holds grep -q 'kernel: there are more rows than the kernel has room for' "$out/full-kernel.log"
	checked [ "$(rows "$out/full.ndjson" | wc -l)" -eq 40001 ] || fail "$(rows "$out/full.ndjson" | wc -l) rows"
	checked [ ! -s "$out/left" ] || fail_file 'left in the kernel:' "$out/left"
done
done_testing
