#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist events --format timeline: its numbers are those of the events, its size has a limit, hostile names
# are text; in a browser: lanes, selection, search, keys.
. tests/cli/lib.sh

have python3 || skip_all 'no python3'
samples=trace.dat-samples

# same PAGE RECORDING [TABLE...]: the numbers of a page are those of the events
same()
{
	page=$1
	shift
	run python3 tests/cli/timeline.py "$page" "$HIST" "$@"
	status_is 0
	! checked grep -E 'differs|otherwise|nothing' "$tmp.out" || fail_file 'other numbers:' "$tmp.out"
}

it 'has the numbers of the events'
for f in switch wakeup syscalls; do
	hist events -q -i $samples/$f.dat --format timeline -o "$tmp/$f.html"
	status_is 0
	same "$tmp/$f.html" $samples/$f.dat
done

it 'sums up what is too much, and has the same numbers'
"${BUILD:-build}/bench/make_recording" "$tmp/large.dat" 150000 sched none 7 4
hist events -q -i "$tmp/large.dat" --format timeline -o "$tmp/large.html"
status_is 0
same "$tmp/large.html" "$tmp/large.dat"
checked grep -q '"cut":' "$tmp/large.html" || fail 'nothing was summed up'
size=$(wc -c <"$tmp/large.html")
checked [ "$size" -lt 8000000 ] || fail "the page has $size bytes"

it 'shows a picture without scripts, and repeats the command'
checked grep -q '<svg class="lanes"' "$tmp/switch.html" || fail 'no picture'
checked grep -q 'class="k7"' "$tmp/switch.html" || fail 'no task runs in it'
checked grep -q 'format timeline' "$tmp/switch.html" || fail 'no command'

it 'adds those of -e, and shows only the tasks that are chosen, with all that ran'
hist events -q -i $samples/wakeup.dat -e sched_waking --comm 'alpha*' --format timeline -o "$tmp/some.html"
status_is 0
run python3 - "$tmp/some.html" <<'END'
import json, re, sys
data = json.loads(re.search(r'json">(.*?)</script>', open(sys.argv[1]).read(), re.S).group(1))
print(*sorted(l["owner"] or l["sub"] for l in data["lanes"]), sep="\n")
cpu = next(l for l in data["lanes"] if l["owner"] == "CPU 0")
stride = 3 + len(data["views"][cpu["view"]]["fields"])
print("others", any(data["names"][n] == "grep" for n in cpu["spans"][2::stride]))
END
stdout_is 'CPU 0
alpha-a-483
alpha-b-484
sched:sched_waking
others True'

it 'takes names of a recording as text'
cat >"$tmp/hostile.txt" <<'END'
          </script><b-77 [000] d..1. 10.000000: sched_switch: prev_comm=</script><b prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=a\u0022 next_pid=78 next_prio=120
          a\u0022-78 [000] d..1. 10.001000: sched_switch: prev_comm=a\u0022 prev_pid=78 prev_prio=120 prev_state=S ==> next_comm=</script><b next_pid=77 next_prio=120
          </script><b-77 [000] d..1. 10.002000: sched_switch: prev_comm=</script><b prev_pid=77 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
hist events -q -i "$tmp/hostile.txt" --format timeline -o "$tmp/hostile.html"
status_is 0
same "$tmp/hostile.html" "$tmp/hostile.txt"
checked [ "$(grep -o '</script>' "$tmp/hostile.html" | wc -l)" = 3 ] || fail 'a name ends a script'

it 'is in the page of hist why'
hist why -q -i $samples/wakeup.dat --format html -o "$tmp/why.html"
status_is 0
checked grep -q '<div class="timeline">' "$tmp/why.html" || fail 'no timeline'

it 'notes that a recording has nothing to show'
hist events -i $samples/kmalloc.dat --format timeline -o "$tmp/none.html"
status_is 0
stderr_has 'no event was found'

browser=
for b in chromium chromium-browser google-chrome; do
	command -v $b >/dev/null && browser=$b && break
done

# shown PAGE#ADDRESS: the elements after the scripts ran; errors of the script are on stderr
shown()
{
	rm -rf "$tmp/profile"
	long_run $browser --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
		--user-data-dir="$tmp/profile" --enable-logging=stderr --window-size=1200,900 \
		--virtual-time-budget=20000 --dump-dom "file://$1"
	! checked grep CONSOLE "$tmp.err" >"$tmp/console" || fail_file 'on the console:' "$tmp/console"
}

it 'shows these numbers in a browser, and what is in a span'
if [ -z "$browser" ]; then
	skip 'no chromium'
else
	shown "$tmp/large.html"
	cp "$tmp.out" "$tmp/table"
	same "$tmp/large.html" "$tmp/large.dat" "$tmp/table"
	shown "$tmp/large.html#from=1.05&to=1.06"
	stdout_has "<pre>hist events -i $tmp/large.dat --from 1.05[0-9]* --to 1.06[0-9]* --format timeline -o part.html</pre>"
	shown "$tmp/wakeup.html#from=30.3&to=30.4&lane=2&span=300"
	stdout_has '<dd data-field="waker_comm">swapper</dd>'
	stdout_has '<pre>hist why -i trace.dat-samples/wakeup.dat -e derived:task_state --pid 1 --at 30.396194882</pre>'
	hist why -i $samples/wakeup.dat -e derived:task_state --pid 1 --at 30.396194882
	status_is 0
	stdout_has 'ns=78818'
fi

done_testing
