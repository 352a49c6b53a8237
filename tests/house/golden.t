#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The golden test runner, tested with a program that repeats the output of the "kernel" with small
# changes.
. tests/cli/lib.sh

kernel=$tmp/6.12
mkdir -p "$kernel/one" "$kernel/two" "$kernel/errors-x"
echo 'a recording' >"$kernel/one/trace.dat"
echo "echo 'hist:keys=pid' >> events/s/e/trigger" >"$kernel/one/triggers"
printf 'hits 1\n' >"$kernel/one/s.e.hist"
printf 'map 00000000deadbeef, elt 00000000deadbee0, map 00000000deadbeef\n' >"$kernel/one/s.e.hist_debug"
printf 'name: lat\nID: 1234\n' >"$kernel/one/synthetic.lat.format"
echo paused >"$kernel/one/s.f.trigger"
cp "$kernel/one/trace.dat" "$kernel/one/triggers" "$kernel/two"
printf 'hist:s:e: error: no\n' >"$kernel/two/error_log"
: >"$kernel/two/rejected"
cat >"$kernel/errors-x/errors.txt" <<'END'
OK	events/s/e/trigger	hist:keys=it's:count=5
hist:keys=it's:count=3
ERR	events/s/e/filter	bad "x"
hist:s:e: error: no
kept filter
END

# A program that writes the files listed in $tmp/as.ONE, as lines PATH TEXT, and exits with the
# status in $tmp/as.ONE.status.
cat >"$tmp/fake" <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do
	case $1 in
	--tracefs) out=$2; shift ;;
	-i) name=${2%/*} name=${name##*/}; shift ;;
	esac
	shift
done
base=${0%/*}
if [ -z "${out:-}" ]; then
	cat >"$base/script"
	echo said >&2
	case $(cat "$base/script") in
	*'>> events/s/e/trigger'*) echo '# commented'; echo "hist:keys=it's:count=5"; exit 0 ;;
	*) echo '[    1.25] hist:s:e: error: no'; echo 'kept filter'; exit 1 ;;
	esac
fi
mkdir -p "$out/events/s/e" "$out/events/s/f" "$out/events/synthetic/lat"
sh "$base/as.$name" "$out"
END
chmod +x "$tmp/fake"

cat >"$tmp/as.one" <<'END'
cd "$1" || exit
printf 'hits 1\n' >events/s/e/hist
printf 'map ffff8880aaaabbbb, elt ffff8880aaaacccc, map ffff8880aaaabbbb\n' >events/s/e/hist_debug
printf 'name: lat\nID: 77\n' >events/synthetic/lat/format
echo paused >events/s/f/trigger
printf 'not compared\n' >trace
END
cat >"$tmp/as.two" <<'END'
printf '[   11.5] hist:s:e: error: no\n' >"$1/error_log"
exit 1
END

golden()
{
	HIST=$tmp/fake run tests/golden/run "$@"
}

# one_fails WHAT SCRIPT: scenario one with one error is reported, with the reason
one_fails()
{
	cp "$tmp/as.one" "$tmp/as.good"
	echo "$2" >>"$tmp/as.one"
	golden "$kernel/one"
	stdout_has '^not ok 1 - 6.12/one$'
	stdout_has "$1"
	mv "$tmp/as.good" "$tmp/as.one"
}

it 'passes if everything is equal'
golden "$kernel/one" "$kernel/two"
stdout_is 'ok 1 - 6.12/one
ok 2 - 6.12/two
1..2'

it 'detects a different byte, a missing newline, a missing file, an additional file'
one_fails '^# \+hits 2' 'printf "hits 2\n" >events/s/e/hist'
one_fails 'No newline' 'printf "hits 1" >events/s/e/hist'
one_fails '^# -hits 1' 'rm events/s/e/hist'
one_fails 'hist/s.e.trigger' 'echo x >events/s/e/trigger'
one_fails 'hist/error_log' 'echo x >error_log'

it 'compares files trigger only if one was captured'
mv "$kernel/one/s.f.trigger" "$tmp/captured"
golden "$kernel/one"
stdout_is 'ok 1 - 6.12/one
1..1'
mv "$tmp/captured" "$kernel/one/s.f.trigger"

it 'detects equal pointers that differ in the kernel, and vice versa'
one_fails 'PTR1, elt PTR2, map PTR2' \
	'printf "map ffff8880aaaabbbb, elt ffff8880aaaacccc, map ffff8880aaaacccc\n" >events/s/e/hist_debug'

it 'detects a wrong exit status'
one_fails 'exit status 1, not 0' 'exit 1'
one_fails 'exit status 99, not 0' 'exit 99'

it 'runs each block of errors.txt as a separate script'
golden "$kernel/errors-x"
stdout_is "ok 1 - 6.12/errors-x: events/s/e/trigger <- hist:keys=it's:count=5
ok 2 - 6.12/errors-x: events/s/e/filter <- bad \"x\"
1..2"
cat >"$tmp/want" <<'END'
echo -n 'bad "x"' >> events/s/e/filter
cat error_log
cat events/s/e/filter
END
holds cmp "$tmp/want" "$tmp/script"

it 'detects a block with another result'
sed 's/kept/lost/' "$kernel/errors-x/errors.txt" >"$tmp/e"
mkdir -p "$tmp/6.1/errors-x" && mv "$tmp/e" "$tmp/6.1/errors-x/errors.txt"
golden "$tmp/6.1/errors-x"
stdout_has '^ok 1 '
stdout_has '^not ok 2 '
sed 's/^ERR/OK/' "$kernel/errors-x/errors.txt" >"$tmp/6.1/errors-x/errors.txt"
golden "$tmp/6.1/errors-x"
stdout_has '^not ok 2 '
stdout_has 'exit status 1'

it 'fails without a program'
HIST=$tmp/none run tests/golden/run "$kernel/one"
stdout_has '^not ok 1 '

done_testing
