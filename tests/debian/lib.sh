# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # tmp is of tests/cli/lib.sh
#
# What the tests in other Debians share.

# copy_source ROOT: copy the project's files, without build results, to ROOT/src
copy_source()
{
	rm -rf "$1/src"
	mkdir "$1/src"
	if [ -e .git ]; then
		git ls-files -co --exclude-standard
	else
		find . -path './build*' -prune -o -type f -print
	fi | tar -cT - | tar -xC "$1/src"
}

# fail_log WHY FILE: the test has failed; print the counts and the failed tests in the log FILE, then
# its errors, or its end
fail_log()
{
	awk '/passed, |: not ok / { print "    " substr($0, 1, 160) }
		/^(No subtests run|Dubious|Parse errors)/ { print "    " before $0 }
		{ before = $0 }' "$2" | tail -n 100 >"$tmp/failed"
	grep -E '^    #|: (error|warning): ' "$2" | cut -c 1-300 | head -n 60 >"$tmp/why"
	[ -s "$tmp/why" ] || [ -s "$tmp/failed" ] || tail -n 20 "$2" >"$tmp/why"
	fail "$1:"
	cat "$tmp/failed" >>"$tmp.why"
	fail_file 'errors:' "$tmp/why"
}
