#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The Python module: its unit tests, and its example.
. tests/cli/lib.sh

# Debian's, which has numpy and pandas if they are installed
python=/usr/bin/python3
[ -x $python ] || python=python3
have "$python" || skip_all 'no python3'
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || skip_all 'python3 is not built like libhist'
LIBHIST=$(realpath "${BUILD:-build}/lib/libhist.so.0")
# what the module is compared with
HIST=$(realpath "$HIST")
PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
export LIBHIST HIST PYTHONPATH PYTHONDONTWRITEBYTECODE

it 'the unit tests pass'
run "$python" -W error -m unittest tests/python/hist_test.py
status_is 0
stderr_has '^OK'

it 'the example prints what hist events has'
run "$python" examples/waits.py trace.dat-samples/wakeup.dat
status_is 0
stderr_is ''
hist sql -q -i trace.dat-samples/wakeup.dat --format csv 'SELECT count(*), max(ns) FROM wait'
want=$(sed -n 2p "$tmp.out")
run "$python" examples/waits.py trace.dat-samples/wakeup.dat
stdout_has "^${want%,*} waits, the longest ${want#*,} ns\$"

it 'the notebook runs as a script'
cat >"$tmp/cells.py" <<'END'
import json, sys
print("\n\n".join("".join(c["source"]) for c in json.load(open(sys.argv[1]))["cells"] if c["cell_type"] == "code"))
END
run "$python" "$tmp/cells.py" examples/waits.ipynb
cp "$tmp.out" "$tmp/notebook.py"
TRACE=trace.dat-samples/wakeup.dat run "$python" "$tmp/notebook.py"
status_is 0
stderr_is ''
hist sql -q -i trace.dat-samples/wakeup.dat --format csv 'SELECT count(*), (SELECT count(*) FROM wait WHERE ns > 100000) FROM wait'
want=$(sed -n 2p "$tmp.out" | tr , ' ')
TRACE=trace.dat-samples/wakeup.dat run "$python" "$tmp/notebook.py"
stdout_has "^$want\$"

it 'a summary has the lines of hist summary, with the other recipes'
cat >"$tmp/summary.py" <<'END'
import json, subprocess, sys, hist
hist_, path = sys.argv[1:]
mine = hist.open(path).summary()
theirs = json.loads(subprocess.run([hist_, "summary", "-q", "-i", path, "--format", "json"], capture_output=True, check=True).stdout)
assert mine.columns == list(theirs[0]) and mine.rows == [tuple(r.values()) for r in theirs], (mine.rows, theirs)
assert "recipes" in mine.column("topic"), mine.rows
END
run "$python" "$tmp/summary.py" "$HIST" trace.dat-samples/wakeup.dat
status_is 0
stderr_is ''

it 'pip installs it without a network, with its library and the recipes'
if [ -e build/lib/libhist.so.0 ] && "$python" -m venv "$tmp/venv" >/dev/null 2>&1; then
	unset LIBHIST PYTHONPATH
	run "$tmp/venv/bin/python" -m pip install -q --no-index --no-cache-dir --disable-pip-version-check ./python
	status_is 0
	cp trace.dat-samples/wakeup.dat "$tmp"
	cat >"$tmp/installed.py" <<'END'
import os, sys, hist
assert hist.__file__.startswith(sys.prefix), hist.__file__
rec = hist.open(sys.argv[1])
print(rec.sql("SELECT count(*) FROM wait").rows[0][0], len(rec.report("wakeup-latency")), "HIST_RECIPES" in os.environ)
assert sys.prefix in os.environ["HIST_RECIPES"]
END
	(cd "$tmp" && run venv/bin/python installed.py wakeup.dat)
	status_is 0
	stdout_is '818 11 True'
else
	skip 'no venv, or no library in build'
fi

done_testing
