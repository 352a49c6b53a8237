#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Object files: the library exports what its headers declare and nothing else, has no mutable state,
# and calls no function that prints or ends the program.
. tests/cli/lib.sh

case ${SANITIZE:-} in
?*) skip_all 'instrumented objects have symbols of their own' ;;
esac
lib=${BUILD:-build}/lib/libhist.a
nm "$lib" >"$tmp/symbols" || skip_all "no $lib"

# State that is unavoidable: it is read by a signal handler, or is the library that sqlite/ has loaded.
state='guards guards_lock previous page_mask sqlite3_api'

# same WANTED FILE WHAT: two sorted lists of names.
same()
{
	checked cmp -s "$1" "$2" || {
		diff "$1" "$2" | grep '^[<>]' >"$tmp/difference"
		fail_file "$3" "$tmp/difference"
	}
}

sed -n 's/^\t\([a-z_0-9]*\);$/\1/p' src/libhist.map | LC_ALL=C sort >"$tmp/exported"

it 'the headers declare the functions that src/libhist.map lists'
perl -0777 -ne 's{/\*.*?\*/}{}gs; s{^#.*?(?<!\\)$}{}gms;
	print "$1\n" while m{^(?!typedef|static)[a-z][^;{}()]*?\b(\w+)\([^;]*\)[^;{}]*;}gm' \
	src/hist.h src/hist-*.h | LC_ALL=C sort -u >"$tmp/declared"
holds test -s "$tmp/exported"
same "$tmp/exported" "$tmp/declared" 'only in the list (<) or only in the headers (>):'

it 'the static library exports only these'
sed -n 's/^[0-9a-f]* [A-TV-Z] //p' "$tmp/symbols" | LC_ALL=C sort >"$tmp/static"
same "$tmp/exported" "$tmp/static" 'missing (<) or too much (>):'

it 'also the shared library'
shared=$(ls "${lib%.a}".so.*.*.*)
nm -D --defined-only "$shared" | sed -n 's/^[0-9a-f]* [B-Z] //p' >"$tmp/versioned"
sed 's/@.*//' "$tmp/versioned" | LC_ALL=C sort >"$tmp/shared"
same "$tmp/exported" "$tmp/shared" 'missing (<) or too much (>):'

it 'each has the version of the release in which it was added'
awk '/^HIST_/ { version = $1 } /^\t[a-z_0-9]+;$/ { sub(/;/, ""); print $1 "@@" version }' src/libhist.map |
	LC_ALL=C sort >"$tmp/mapped"
LC_ALL=C sort "$tmp/versioned" >"$tmp/sorted"
same "$tmp/mapped" "$tmp/sorted" 'missing (<) or too much (>):'

it 'the shared library has its soname and lists its dependencies'
version=$(sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)
checked [ "${shared##*/}" = "libhist.so.$version" ] || fail "it is called ${shared##*/}"
readelf -d "$shared" >"$tmp/dynamic"
checked grep -q "SONAME.*\[libhist.so.${version%%.*}\]" "$tmp/dynamic" || fail_file 'no SONAME:' "$tmp/dynamic"
! checked grep -q TEXTREL "$tmp/dynamic" || fail 'not position-independent'
! checked grep -q 'NEEDED.*libtracefs' "$tmp/dynamic" || fail 'recording does not belong into the library'

it 'no mutable state'
objdump -t "$lib" | grep -E '[[:space:]]\.(data|bss|tdata|tbss)' | grep -v '\.data\.rel\.ro' |
	awk '$NF !~ /^\./ { print $NF }' >"$tmp/state"
for name in $state; do
	sed -i "/^$name\$/d" "$tmp/state"
done
holds test ! -s "$tmp/state"
checked [ ! -s "$tmp/state" ] || fail_file 'these can be written to:' "$tmp/state"

it 'calls no function that prints, exits or overruns'
sed -n 's/^ *U //p' "$tmp/symbols" |
	grep -xE 'exit|abort|__assert_fail|v?printf|puts|putchar|perror|stdout|stderr|strcpy|strcat|v?sprintf|gets' \
		>"$tmp/calls"
checked [ ! -s "$tmp/calls" ] || fail_file 'it does:' "$tmp/calls"

done_testing
