# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
# What recipes show, and what recipes.py computes from the text of the same recording. After lib.sh.

# text_of FILE.dat: the text of the trace, and with options/fields, which 6.1 does not have. FILE.txt, where
# a generator wrote one, has what the trace does not show; of stacks and functions trace-cmd has the text.
text_of()
{
	case $1 in
	*-stacks.dat) trace-cmd report -i "$1" >"$tmp/0.txt" 2>/dev/null ;;
	*-functions.dat | *-graph.dat) trace-cmd report -R -i "$1" >"$tmp/0.txt" 2>/dev/null ;;
	*)
		if [ -f "${1%.dat}.txt" ]; then
			cp "${1%.dat}.txt" "$tmp/0.txt"
		else
			for fields in 0 1; do
				hist report -q -i "$1" --kernel=6.12 -x 'echo 300000 > buffer_size_kb' \
					-x "echo $fields > options/fields" -x 'echo 1 > events/enable' -x 'cat trace'
				status_is 0
				cp "$tmp.out" "$tmp/$fields.txt"
			done
			return
		fi
		;;
	esac
	cp "$tmp/0.txt" "$tmp/1.txt"
}

# exact_text FILE.dat: trace-cmd's text, with all digits of times, without its plugins, and with the flags; beside it the
# names of the tasks of all events at that time, which trace-cmd does not have
exact_text()
{
	trace-cmd report -t -N -l -i "$1" >"$tmp/exact.txt" 2>/dev/null
	"$HIST" events -q -i "$1" -e all --format csv --fields ts,pid,comm >"$tmp/exact.txt.names" 2>/dev/null || :
}

# answers FILE.dat RECIPE...: each shows what recipes.py computes of the trace, and so does its form for kernels.
answers()
{
	file=$1
	shift
	it "$* of ${file##*/}"
	text_of "$file"
	exact_text "$file"
	rm -rf "$tmp/results"
	mkdir "$tmp/results"
	for recipe; do
		hist report -q -i "$file" "$recipe" --format ndjson
		status_is 0
		cp "$tmp.out" "$tmp/results/$recipe"
		grep -q '^# Live:' "share/hist/recipes/$recipe.hist" || continue
		hist report -q -i "$file" "$recipe" --strict-kernel --format ndjson
		status_is 0
		cp "$tmp.out" "$tmp/results/$recipe.live"
	done
	if have python3; then
		long_run python3 -B tests/cli/recipes.py "$tmp/0.txt" "$tmp/1.txt" "$tmp/exact.txt" "$tmp"/results/*
		status_is 0
		stdout_lacks '^not ok'
		[ "$(grep -c '^ok' "$tmp.out")" = "$(find "$tmp/results" -type f | wc -l)" ] || fail_file 'not all were compared:' "$tmp.out"
	else
		skip 'no python3'
	fi
}
