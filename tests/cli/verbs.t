#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The program: its verbs, their help, and the messages for errors on the command line.
. tests/cli/lib.sh

it 'lists its verbs if none is given'
hist
status_is 2
stdout_is ''
stderr_has '^usage: hist VERB'
for verb in report check list dump; do
	stderr_has "^  $verb "
done

it 'has a help text, a usage and a version'
hist --help
status_is 0
stdout_has '^Usage: hist '
stdout_has '^  report '
hist help
status_is 0
stdout_has '^  report '
hist --usage
status_is 0
hist --version
status_is 0
stdout_has '^hist [0-9]+\.[0-9]+'

it 'has the text of a recipe as its help'
hist recipe wakeup-latency
cp "$tmp.out" "$tmp/help"
hist help wakeup-latency
status_is 0
stdout_is_file "$tmp/help"

it 'has a help text for every verb'
hist
sed -n 's/^  \([a-z]*\)  .*/\1/p' "$tmp.err" >"$tmp/verbs"
while read -r verb; do
	hist "$verb" --help
	status_is 0
	stdout_has "^Usage: hist $verb "
	stdout_has '  -q, --quiet '
	cp "$tmp.out" "$tmp/help"
	hist help "$verb"
	status_is 0
	stdout_is_file "$tmp/help"
	hist "$verb" -?
	status_is 0
	stdout_is_file "$tmp/help"
	hist "$verb" --usage
	status_is 0
	stdout_has "^Usage: hist $verb "
	hist "$verb" --version
	status_is 0
	stdout_has '^hist [0-9]'
done <"$tmp/verbs"

it 'suggests an option for a misspelled one'
for typo in tpo topp top1; do
	hist report --$typo 3 -i trace.dat-samples/switch.dat
	status_is 2
	stdout_is ''
	stderr_has "^hist report: there is no option --$typo; did you mean (--to, )?--top(, --[a-z]+)?\?"
done
hist report -qi --stast
stderr_lacks 'did you mean'
hist report -qi trace.dat-samples/switch.dat --stast
stderr_has 'there is no option --stast; did you mean --stats\?$'
hist report --help=1 --hepl
stderr_has 'there is no option --hepl; did you mean --help\?$'
hist --colro=always report
stderr_has '^hist report: there is no option --colro; did you mean --color\?$'
hist record --outptu x true
status_is 125
stderr_has '^hist record: there is no option --outptu; did you mean --output\?$'

it 'names the options that begin with a letter which is none'
hist record -d 1 true
status_is 125
stderr_has '^hist record: there is no option -d; did you mean --define, --do, --duration, --dump\?$'
hist report -qX -i trace.dat-samples/switch.dat
status_is 2
stderr_has '^hist report: there is no option -X$'
hist record -o "$tmp/x.dat" -- true -d
stderr_lacks 'there is no option'
hist report -q -i -d
stderr_lacks 'there is no option'

it 'an argument of an option, of a command or after -- is not an option'
hist report -i trace.dat-samples/switch.dat -e sched_switch --by --stast
stderr_lacks 'did you mean'
hist report -i trace.dat-samples/switch.dat -- --stast
stderr_lacks 'there is no option'
hist record -F true --outptu
stderr_lacks 'there is no option'

it 'suggests a verb for a misspelled one'
for typo in repotr reprt report1 repor; do
	hist $typo
	status_is 2
	stdout_is ''
	stderr_has "^hist: error: '$typo' is not a verb"
	stderr_has "did you mean report"
done
hist lsit
stderr_has "did you mean list"
for question in wakeup-latency wakeup_latency runqlat; do
	hist $question -i trace.dat-samples/wakeup.dat --top 1
	status_is 0
	stdout_has '^How long do woken tasks wait until they run'
	hist trace.dat-samples/wakeup.dat $question --top 1
	status_is 0
	stdout_has '^How long do woken tasks wait until they run'
done
hist report -i trace.dat-samples/wakeup.dat wakeup_latency --top 1
status_is 0
stderr_has 'note: wakeup_latency: using the recipe wakeup-latency$'
stdout_has '^How long do woken tasks wait until they run'
hist help chekc
status_is 2
stderr_has "did you mean check"
hist quux
status_is 2
stderr_lacks 'did you mean'
hist ''
status_is 2

it 'recognises a file in place of a verb'
: >"$tmp/my.dat"
hist "$tmp/my.dat"
status_is 2
stderr_has "my\.dat: is empty"

it 'takes the options of a verb before it, too'
hist report -i trace.dat-samples/wakeup.dat on-cpu --show 1
cp "$tmp.out" "$tmp/want"
hist -i trace.dat-samples/wakeup.dat report on-cpu --show 1
status_is 0
stdout_is_file "$tmp/want"
hist --show 1 -i trace.dat-samples/wakeup.dat report on-cpu
stdout_is_file "$tmp/want"

it 'exits with status 2 for usage errors'
while read -r args; do
	# shellcheck disable=SC2086 # several words
	hist $args
	status_is 2
	stdout_is ''
	stderr_has '^hist( [a-z]+)?: '
	stderr_has '^Try .hist.* --help'
done <<-'END'
	--nosuch
	report --nosuch
	report -i
	report -R x
	report --top x
	report -j 0
	report -j 1x
	report -j -1
	report --jobs=999999
	report --color=red
	check --color
	list -Z
	--color=blue list
END

it 'rejects unknown options'
for option in --saved-events=x --no-such; do
	hist report $option
	status_is 2
	stderr_has 'there is no option (--no-such|--saved-events; did you mean --save-events\?)$'
done

it 'colours messages only on request, or on a terminal'
hist report --color=always -i "$tmp/none"
stderr_has "$(printf '\033')"
hist report --color=never -i "$tmp/none"
stderr_lacks "$(printf '\033')"
hist report -i "$tmp/none"
stderr_lacks "$(printf '\033')"
hist --color=always report -i "$tmp/none"
stderr_has "$(printf '\033')"

it 'reports that standard output cannot be written'
if [ -w /dev/full ]; then
	run sh -c '"$HIST" --help >/dev/full'
	status_is 2
	stderr_has '^hist: error: standard output: No space left'
	run sh -c '"$HIST" report --help >/dev/full'
	status_is 2
	stderr_has '^hist: error: standard output: cannot write'
	run sh -c '"$HIST" --version >&-'
	status_is 2
	stderr_has '^hist: error: standard output: '
else
	skip 'no /dev/full'
fi

done_testing
