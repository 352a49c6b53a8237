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

# fail_log WHY FILE: the test has failed; print the errors in the log FILE, or its end
fail_log()
{
	grep -E ': not ok |^    #|: (error|warning): |passed, ' "$2" | head -n 60 >"$tmp/why"
	[ -s "$tmp/why" ] || tail -n 20 "$2" >"$tmp/why"
	fail_file "$1:" "$tmp/why"
}
