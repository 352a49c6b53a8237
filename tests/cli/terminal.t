#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Texts of a recording do not control a terminal, and are unchanged in files and pipes.
. tests/cli/lib.sh

have script || skip_all 'script(1) is not installed'
sample=trace.dat-samples/switch.dat
[ -f $sample ] || skip_all "no $sample"
"$HIST" report -q -i $sample -e sched_switch --by next_comm --format json >"$tmp/plain.json"

# on_terminal ARG...: run hist with a terminal as output, with its bytes in $tmp.out
on_terminal()
{
	words=
	for word; do
		words="$words '$word'"
	done
	run script -qec "'$HIST' $words" /dev/null </dev/null
	tr -d '\r' <"$tmp.out" >"$tmp/shown"
}

# named TEXT: a result with TEXT, a string of json, instead of the name sync
named()
{
	sed "s/\"sync\"/\"$1\"/" "$tmp/plain.json" >"$tmp/named.json"
}

it 'shows control characters on a terminal as ? or their numbers'
for text in '\\u001b]0;t\\u0007' '\\u001b[2J' '\\b\\b' '\\u009b2J' '\\u007f' '\\u001b[8m' '\\u001b[38;5;1;8m' '\\u001b\\u001bc' '\\r'; do
	named "<$text>"
	on_terminal merge --format hist "$tmp/named.json"
	status_is 0
	LC_ALL=C checked grep -q 'next_comm: <[^>]*\(?\|\\u00\)[^>]*>' "$tmp/shown" || fail_file "$text is shown as:" "$tmp/shown"
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$tmp/shown" || fail "$text reached the terminal"
	! LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$tmp/shown" || fail "$text reached the terminal"
done
# bytes of C1 after a byte that begins no character, or after a whole one; a text of a script in a message
for text in '\302\205' 'a\233b' '\351\233b' '\303\251\233b' '\302\240\205' '\377\233' '\370\210\233' '\342\233b' '\360\237\233'; do
	run script -qec "'$HIST' report -q -i $sample -e \$(printf 'a${text}c')" /dev/null </dev/null
	holds env LC_ALL=C grep -q 'a.*c' "$tmp.out"
	holds python3 -c "
import sys
text = open(sys.argv[1], 'rb').read().decode(errors='surrogateescape')
sys.exit(any(0x80 <= (ord(c) & ~0xdc00) < 0xa0 for c in text if ord(c) < 256 or '\\udc00' <= c < '\\udd00'))" "$tmp.out"
done
# the tables of answers have the code, also in a file
named '<\\u001b[2J>'
on_terminal merge "$tmp/named.json"
holds grep -qF '<\x1b[2J> ' "$tmp/shown"

it 'shows characters that turn the direction as their numbers'
for code in 202a 202b 202c 202d 202e 2066 2067 2068 2069; do
	named "a\\\\u${code}b"
	on_terminal merge --format hist "$tmp/named.json"
	status_is 0
	holds grep -qF "next_comm: a\\u${code}b " "$tmp/shown"
	run script -qec "'$HIST' report -q -i $sample -e \$(printf 'a\\u$code')" /dev/null </dev/null
	holds grep -qF "a\\u$code" "$tmp.out"
done
for code in 2026 2065 206a 200f; do
	named "a\\\\u${code}b"
	on_terminal merge --format hist "$tmp/named.json"
	checked grep -qF "\\u$code" "$tmp/shown" && fail "$code is not shown as itself"
done

it 'shows letters of other languages'
named 'h\\u00e4\\u00df\\u4e16\\u754c'
on_terminal merge --format hist "$tmp/named.json"
holds grep -q 'next_comm: häß世界 ' "$tmp/shown"

it 'keeps the colours of pictures'
TERM=xterm
export TERM
on_terminal report -q -i $sample -e sched_switch --by next_pid --format heat --color always
holds grep -q "$(printf '\033\\[38;5;[0-9]*m')" "$tmp/shown"

it 'does not change what goes to a pipe or a file'
named '<\\u001b[2J>'
hist merge --format hist "$tmp/named.json"
holds grep -q "$(printf '<\033\\[2J>')" "$tmp.out"
cp "$tmp.out" "$tmp/piped"
hist merge --format hist "$tmp/named.json" -o "$tmp/file"
holds cmp "$tmp/file" "$tmp/piped"

done_testing
