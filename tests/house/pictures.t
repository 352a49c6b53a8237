#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The pictures in README are those that `make pictures` makes of the samples.
. tests/cli/lib.sh

mkdir "$tmp/bin" "$tmp/pictures"
# without the screenshot, because each browser renders text differently
ln -s "$(command -v sh)" "$tmp/bin/sh"
for c in mktemp rm env; do
	ln -s "$(command -v $c)" "$tmp/bin/$c"
done
it 'make pictures succeeds'
PATH=$tmp/bin checked .ci/pictures "$(realpath "$HIST")" "$tmp/pictures" 2>"$tmp/log" || fail_file 'failed:' "$tmp/log"

for picture in flame.svg diff.svg; do
	it "pictures/$picture is up to date"
	holds cmp pictures/$picture "$tmp/pictures/$picture"
done

it 'pictures are small, and README contains each'
for picture in pictures/*; do
	checked [ "$(wc -c <"$picture")" -lt 100000 ] || fail "$picture has $(wc -c <"$picture") bytes"
	checked grep -q "($picture)" README.md || fail "README does not show $picture"
done

done_testing
