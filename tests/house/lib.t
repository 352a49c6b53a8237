#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The helpers of the shell tests: a check that cannot fail is useless.
. tests/cli/lib.sh

fake=$tmp/fake
cat >"$fake" <<'END'
#!/bin/sh
case $1 in
say) printf 'one\ntwo\n'; echo 'hist: error: three' >&2; exit 3 ;;
crash) kill -SEGV $$ ;;
sanitizer) exit 99 ;;
hang) sleep 20 ;;
echo) cat ;;
esac
END
chmod +x "$fake"

# verdict TEXT: the result of a test script with one test, without comments
verdict()
{
	printf '. tests/cli/lib.sh\nit "x"\n%s\ndone_testing\n' "$1" >"$tmp/script"
	HIST=$fake RUN_TIMEOUT=${limit:-${RUN_TIMEOUT:-60}} sh "$tmp/script" 2>&1 | grep -v '^#' | tr '\n' ' '
}

passes() { checked [ "$(verdict "$1")" = "ok 1 - x 1..1 " ] || fail "should pass: $1: $(verdict "$1")"; }
fails() { checked [ "$(verdict "$1")" = "not ok 1 - x 1..1 " ] || fail "should fail: $1: $(verdict "$1")"; }

it 'checks the exit status'
passes 'hist say; status_is 3'
fails 'hist say; status_is 0'
fails 'hist say; status_is 33'

it 'compares the whole output'
passes 'hist say; stdout_is "one
two"; stderr_is "hist: error: three"'
fails 'hist say; stdout_is "one"'
fails 'hist say; stdout_is ""'
fails 'hist say; stderr_is ""'
passes 'hist nothing; stdout_is ""; stderr_is ""'

it 'searches the output'
passes 'hist say; stdout_has "^t.o$"; stdout_lacks three; stderr_has three; stderr_lacks one'
fails 'hist say; stdout_has three'
fails 'hist say; stdout_lacks one'
fails 'hist say; stderr_has one'
fails 'hist say; stderr_lacks three'

it 'compares with a file'
passes 'hist say; printf "one\ntwo\n" >$tmp/f; stdout_is_file $tmp/f'
fails 'hist say; printf "one\ntwo" >$tmp/f; stdout_is_file $tmp/f'
fails 'hist say; stdout_is_file $tmp/none'

it 'passes on stdin'
passes 'echo input | { hist echo; stdout_is input; }'

it 'detects crashes, memory errors and hangs without a check'
fails 'holds true; hist crash'
fails 'holds true; hist sanitizer'
limit=1
fails 'holds true; hist hang'
limit=

it 'a test without a check fails'
fails ':'
fails 'hist say'
fails '[ a = a ] || fail because'
passes 'checked [ a = a ] || fail because'
fails 'checked [ a = b ] || fail because'
passes '! checked [ a = b ] || fail because'

it 'runs any condition'
passes 'holds test -d /'
fails 'holds test -f /'
fails 'fail because'

it 'skips'
checked [ "$(verdict 'fail x; skip "no root"')" = 'ok 1 - x # SKIP no root 1..1 ' ] || fail "$(verdict 'skip x')"
checked [ "$(sh -c '. tests/cli/lib.sh; skip_all "not here"')" = '1..0 # SKIP not here' ] || fail skip_all

it 'removes its files'
left=$(sh -c '. tests/cli/lib.sh; it x; hist say; echo "$tmp" >&2; done_testing' 2>&1 >/dev/null)
holds test -n "$left"
checked [ -z "$(find "${left%/*}" -maxdepth 1 -name "${left##*/}*")" ] || fail "$left is still there"

it 'a script that dies has failed'
run sh -c '. tests/cli/lib.sh; it x; nonsense_command_that_is_unset "$unset"; done_testing'
stdout_lacks '1\.\.1'

it 'no test has something after done_testing, which would not run'
stray=$(awk 'FNR == 1 { ended = 0 } ended && NF { print FILENAME; nextfile } /^done_testing/ { ended = 1 }' tests/*/*.t)
checked [ -z "$stray" ] || fail "$stray"

done_testing
