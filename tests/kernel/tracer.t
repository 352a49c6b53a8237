#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist record -p in a guest: the tracers record what was asked for, trace-cmd reads the file, and
# functions of an instance that exists are restored.
#
# $TRACER_KERNELS are the versions (default: newest).
. tests/kernel/lib.sh

: "${TRACER_KERNELS:=newest}"

# functions FILE: the functions that trace-cmd reads
functions()
{
	sed -n 's/.*: function: *\([^ ]*\).*/\1/p' "$out/$1.txt" | sort -u
}

for version in $TRACER_KERNELS; do
	kernel "$version"
	it "Linux $version: tracers with functions, in private instances and others"
	guest tracer 1 || continue
	functions function >"$tmp/got"
	holds grep -qx vfs_read "$tmp/got"
	holds test "$(grep -c -v '^vfs_' "$tmp/got")" = 0
	holds test "$(grep -c -x vfs_write "$tmp/got")" = 0
	functions only >"$tmp/got"
	printf '%s\n' vfs_open vfs_read | checked cmp -s - "$tmp/got" || fail_file 'other functions:' "$tmp/got"
	holds test "$(grep -c ': function:' "$out/only.txt")" = "$(grep -c '^ *cat-.*: function:' "$out/only.txt")"
	run "$HIST" report --format hist -q -i "$out/only.dat" -e function --by ip
	status_is 0
	stdout_has 'vfs_read'
	holds grep -q "no function of this kernel that can be traced matches 'nothing_like_this'" "$out/none.log"
	# kernels before 6.12 have function_graph only at the top
	if [ -f "$out/graph.dat" ]; then
		run "$HIST" report --format hist -q -i "$out/graph.dat" -e derived:function --by func --sum ns
		status_is 0
		stdout_has 'func: .*vfs_read'
	else
		holds grep -q 'has the tracer function_graph only for its top buffer' "$out/graph.log"
	fi
	holds cmp -s "$out/before" "$out/after"
	printf '%s\n' nop 0 | checked cmp -s - "$out/tracer" || fail_file 'not restored:' "$out/tracer"
	functions mine >"$tmp/got"
	echo vfs_read | checked cmp -s - "$tmp/got" || fail_file 'other functions:' "$tmp/got"
	holds test ! -s "$out/instances"
done
done_testing
