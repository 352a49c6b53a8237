#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Random questions about random recordings have the answers of the reference in tests/answers, by every road;
# oracle-2.t has the second half of the seeds.
. tests/cli/lib.sh

have python3 || skip_all 'python3 is not installed'
answers=tests/answers

# some 2,000 programs, two at a time; those with sanitizers start slowly
seeds=${SEEDS:-100}
[ -z "${SANITIZE:-}${HIST_VALGRIND:-}" ] || seeds=6

it 'prints what it is called with, and the roads'
run python3 -B $answers/check.py
status_is 2
stderr_has '^check\.py HIST DIR FIRST SEEDS'
run python3 -B $answers/check.py "$HIST" "$tmp" 0 1 report rod
status_is 2
stderr_has '^unknown road: rod$'

it 'questions, explanations and recipes have the answer of the reference by all roads, also if events are missing'
# shellcheck disable=SC2086 # two words
long_run python3 -B $answers/check.py "$HIST" "$tmp" "${SEED:-0}" $seeds
status_is 0
stdout_has "^$((3 * seeds)) questions, .* roads: 0 of $seeds seeds wrong\$"

it 'the reference derives what the models of another hand do, where these are here'
if [ -d ../shared/models ]; then
	long_run python3 -B $answers/models.py ../shared/models "${SEED:-0}" 20
	status_is 0
	stdout_has '^[0-9]+ compared, 0 differ$'
else
	skip 'no ../shared/models'
fi

it 'recordings that were answered wrongly once: the right answer, also of a smaller recording'
for right in "$answers"/found/*.csv; do
	[ -e "$right" ] || continue
	recording=${right%.csv}.dat
	sed 1d "$right" >"$tmp/right"
	{ head -n 1 "$tmp/right"; sed 1d "$tmp/right" | sort; } >"$tmp/rows"
	sh -c "$(sed -n '1s/^# /exec "$HIST" slim -q -o "$2" -i "$1" /p' "$right")" sh "$recording" "$tmp/small.dat"
	for asked in "$recording" "$tmp/small.dat"; do
		run sh -c "$(sed -n '1s/^# /exec "$HIST" report -q --format csv -i "$1" /p' "$right")" sh "$asked"
		status_is 0
		{ head -n 1 "$tmp.out"; sed 1d "$tmp.out" | sort; } >"$tmp/answer"
		holds diff "$tmp/rows" "$tmp/answer"
	done
done

it 'an answer that is wrong is noticed: the smallest question and recording are printed'
# a program that says that each number has more events
cat >"$tmp/wrong" <<'END'
#!/bin/sh
"$HIST" "$@" | sed -E '/^[0-9]+,[0-9]+$/ s/$/1/'
END
chmod +x "$tmp/wrong"
mkdir "$tmp/a"
long_run python3 -B $answers/check.py "$tmp/wrong" "$tmp/a" 10 20 report
status_is 1
stdout_has '^seed [0-9]+, .*, road report, 1 event\(s\): hist report -i .*answers-[0-9]+.dat -e [a-z:_]+ --by [a-z_]+$'
stdout_has '^  to keep it: cp .*/answers-[0-9]+.dat .*/answers-[0-9]+.csv tests/answers/found/$'
holds sh -c "$(sed -n 's/^  to keep it: \(cp .*\) tests.*/\1/p' "$tmp.out" | head -n 1) \"\$1\"" sh "$tmp"

done_testing
