# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Library of shell tests: . tests/cli/lib.sh
#
#	it 'names the missing file'		# starts a test
#	hist report -i "$tmp/none.dat"		# runs the program
#	status_is 2				# a failed check prints the reason
#	stdout_is ''
#	stderr_has 'none.dat: .*No such file'	# a test without a check fails
#
#	done_testing				# the last line
#
# Tests start in the root of the project. $tmp is an empty directory for the test, removed at the
# end. The output of the program is in $tmp.out and $tmp.err, its exit status in $status. A program
# that is killed, reports a memory error or takes longer than 60 s fails the test.
set -u
: "${HIST:=./hist}"
export HIST
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp" "$tmp".*' EXIT
trap 'exit 1' HUP INT TERM
status=0
tap_number=0
tap_name=
tap_note=

tap_finish()
{
	[ -n "$tap_name" ] || return 0
	tap_number=$((tap_number + 1))
	[ -e "$tmp.checked" ] || [ -n "$tap_note" ] || fail 'this test checks nothing'
	if [ -s "$tmp.why" ]; then
		echo "not ok $tap_number - $tap_name$tap_note"
		sed 's/^/# /' "$tmp.why"
	else
		echo "ok $tap_number - $tap_name$tap_note"
	fi
	tap_name=
	tap_note=
}

tap_start()
{
	tap_name=$1
	: >"$tmp.why"
	rm -f "$tmp.checked"
}

# it NAME: end the previous test and start the next one
it()
{
	tap_finish
	tap_start "$1"
}

done_testing()
{
	tap_finish
	echo "1..$tap_number"
	exit 0
}

# skip_all WHY: for the start of a script that cannot run here
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# skip WHY: count the current test as skipped; the commands after it still run, so leave them out
skip()
{
	: >"$tmp.why"
	tap_note=" # SKIP $1"
}

# have COMMAND...: whether all of them are installed
have()
{
	for c; do
		command -v "$c" >/dev/null || return
	done
}

# python_with MODULE: the Python that has it; nothing: none has
python_with()
{
	for p in python3 /usr/bin/python3; do
		"$p" -c "import $1" 2>/dev/null && echo "$p" && break
	done
}

# fail WHY...: the current test has failed
fail()
{
	: >"$tmp.checked"
	printf '%s\n' "$*" >>"$tmp.why"
}

# fail_file WHY FILE: as fail, and print the beginning of FILE
fail_file()
{
	{
		echo "$1"
		head -n 30 "$2" | sed 's/^/    /'
	} >>"$tmp.why"
}

# checked COMMAND...: another kind of check: checked cmp -s a b || fail 'a and b differ'
checked()
{
	: >"$tmp.checked"
	"$@"
}

# run COMMAND...: run it with a time limit; stdin is that of the caller
run()
{
	timeout -k 5 "${RUN_TIMEOUT:-60}" "$@" >"$tmp.out" 2>"$tmp.err"
	status=$?
	case $status in
	99) fail_file "memory error: $*" "$tmp.err" ;;
	124 | 137) fail "took too long or was killed: $*" ;;
	129 | 13[0-9] | 14[0-9]) fail_file "died of signal $((status - 128)): $*" "$tmp.err" ;;
	esac
}

# long_run COMMAND...: run one that may take minutes
long_run()
{
	tap_limit=${RUN_TIMEOUT:-60}
	RUN_TIMEOUT=$((tap_limit * 10))
	run "$@"
	RUN_TIMEOUT=$tap_limit
}

# hist ARG...: run the program
# hist VERB ARG...; $layout is the format of report and merge, unless they have another one: tests of what is
# counted set layout=hist, so that answers have the kernel's layout, too, with a line for each row
layout=
run_hist()
{
	case $layout-${1-} in
	?*-report | ?*-merge)
		tap_verb=$1
		shift
		set -- "$tap_verb" --format "$layout" "$@"
		;;
	esac
	# shellcheck disable=SC2086 # a command and its options
	run ${HIST_VALGRIND:-} "$HIST" "$@"
}

hist() { run_hist "$@"; }

# check_reader FILE [OPTION]: compares our reader with libtracecmd's (tests/unit/second_reader_test.c); ignores
# memory leaks of libtracecmd; OPTION is one of
# AddressSanitizer and ThreadSanitizer
check_reader()
{
	asan_options=${ASAN_OPTIONS-} tsan_options=${TSAN_OPTIONS-}
	export ASAN_OPTIONS="$asan_options:detect_leaks=0${2:+:$2}" TSAN_OPTIONS="$tsan_options${2:+:$2}"
	run "${BUILD:-build}/tests/second_reader_test" "$1"
	ASAN_OPTIONS=$asan_options TSAN_OPTIONS=$tsan_options
}

status_is()
{
	checked [ "$status" = "$1" ] || fail_file "exit status is $status, not $1; stderr:" "$tmp.err"
}

# tap_is PREFIX ...: PREFIX is the name of the file in messages: stdout or stderr
tap_is()
{
	: >"$tmp.checked"
	printf '%s' "$2" | cmp -s - "$3" || printf '%s\n' "$2" | cmp -s - "$3" || {
		echo "$1 differs:"
		printf '%s\n' "$2" | diff -a -U3 --label wanted --label "$1" - "$3"
	} >>"$tmp.why"
}

tap_has()
{
	checked grep -a -q -E -e "$2" "$3" || fail_file "$1 lacks '$2':" "$3"
}

tap_lacks()
{
	! checked grep -a -q -E -e "$2" "$3" || fail_file "$1 has '$2':" "$3"
}

# _is TEXT: the whole output, except for its last newline; _has, _lacks ERE: a line matches, or none
stdout_is() { tap_is stdout "$1" "$tmp.out"; }
stderr_is() { tap_is stderr "$1" "$tmp.err"; }
stdout_has() { tap_has stdout "$1" "$tmp.out"; }
stderr_has() { tap_has stderr "$1" "$tmp.err"; }
stdout_lacks() { tap_lacks stdout "$1" "$tmp.out"; }
stderr_lacks() { tap_lacks stderr "$1" "$tmp.err"; }

# stdout_is_file FILE: stdout has the same bytes
stdout_is_file()
{
	checked cmp -s "$1" "$tmp.out" || {
		echo "stdout differs from $1:"
		diff -a -U3 --label "$1" --label stdout "$1" "$tmp.out" 2>&1
	} >>"$tmp.why"
}

# holds COMMAND...: the command succeeds
holds()
{
	checked "$@" >"$tmp.holds" 2>&1 || fail_file "does not hold: $*" "$tmp.holds"
}
