#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The manual: its pages are well formed, there is one for every verb that describes every option,
# and the examples have the output shown.
#
# tests/house/examples.sh describes the format of examples.
. tests/cli/lib.sh

. tests/house/examples.sh

pages=$(ls man/*.[1357] 2>/dev/null)
[ -n "$pages" ] || skip_all 'no man pages'
root=$PWD

it 'is well formed'
have mandoc || have groff || skip 'neither mandoc nor groff'
for page in $pages; do
	have mandoc && run mandoc -Tlint -W warning "$page" &&
		{ checked [ "$status" = 0 ] || fail_file "$page:" "$tmp.out"; }
	have groff && run groff -man -Tutf8 -ww -z "$page" &&
		{ checked [ ! -s "$tmp.err" ] || fail_file "$page:" "$tmp.err"; }
done

# The verbs, from the output of the program without arguments: lines "  VERB   DESCRIPTION".
hist
verbs=$(sed -n 's/^  *\([a-z][a-z-]*\)  .*/\1/p' "$tmp.err")

it 'the program lists its verbs'
checked [ -n "$verbs" ] || fail_file 'no verbs in:' "$tmp.err"

for verb in $verbs; do
	page=man/hist-$verb.1
	it "hist $verb has a page that names every option"
	if [ ! -f "$page" ]; then
		fail "no $page"
		continue
	fi
	hist "$verb" --help
	status_is 0
	plain "$page" >"$tmp/page"
	# Long options as argp lists them, at the start of a line of --help.
	sed -n 's/^  *\(-[[:alnum:]], *\)\{0,1\}\(--[a-z-]*\).*/\2/p' "$tmp.out" >"$tmp/options"
	while read -r option; do
		case $option in
		--help | --usage | --version) continue ;;
		esac
		grep -q -e "$option\([^a-z-]\|$\)" "$tmp/page" || fail "$page does not mention $option"
	done <"$tmp/options"
	plain man/hist.1 | checked grep -q "hist-$verb (1)" || fail "man/hist.1 does not refer to hist-$verb(1)"
done

it 'has no page without a verb'
for page in man/hist-*.1; do
	[ -f "$page" ] || continue
	verb=${page#man/hist-}
	echo "$verbs" | checked grep -qx "${verb%.1}" || fail "$page: no such verb"
done

install_wrapper
PATH=$tmp/bin:$PATH
HIST_PLUGIN_DIR=$(realpath "${BUILD:-build}/plugins")
export HIST_PLUGIN_DIR

it 'libhist(3) lists every function'
while read -r name; do
	plain man/libhist.3 | checked grep -q "${name#__}" || fail "man/libhist.3 has no word on $name()"
done <<END
$(sed -n 's/^\t\([a-z_0-9]*\);$/\1/p' src/libhist.map)
END

for page in $pages; do
	try_examples "$page"
done

done_testing
