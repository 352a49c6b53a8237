#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Programs built with the last release run with this libhist: no exported symbol is missing or has
# another type, version or layout. Functions may be added.
. tests/cli/lib.sh

case ${SANITIZE:-} in
?*) skip_all 'an instrumented library is not for installing' ;;
esac
have abidw abidiff || skip_all 'no abidw (abigail-tools)'
shared=$(ls "${BUILD:-build}"/lib/libhist.so.*.*.*)
released=$(find tests/abi -name 'libhist-*.abi' | sort -V | tail -n 1)
# uname would give the machine of the kernel
case $(readelf -h "$shared" | sed -n 's/^ *Machine: *//p'):$(head -n 1 "$released") in
*X86-64:*elf-amd-x86_64*) ;;
*) skip_all "$released is of another machine" ;;
esac

# compatible OLD NEW: NEW has everything that programs of OLD need; $tmp.out lists the differences
compatible()
{
	run abidiff --no-added-syms "$1" "$2"
	[ "$status" = 0 ]
}

it "has everything of ${released##*/}"
readelf -S "$shared" >"$tmp/sections"
if ! grep -q debug_info "$tmp/sections"; then
	skip 'built without -g'
elif ! tests/abi/describe "$shared" | head -n 1 | grep -q "$(head -n 1 "$released" | sed "s/.* \(version='[0-9]*\).*/\1/")"; then
	skip 'this abidw writes another format'
else
	checked tests/abi/describe "$shared" >"$tmp/new.abi" || fail 'abidw failed'
	checked compatible "$released" "$tmp/new.abi" || fail_file 'not the same interface:' "$tmp.out"
fi

it 'detects an interface that would break programs'
sed "/<elf-symbol name='hist_open'/d; /mangled-name='hist_open'/,/<\/function-decl>/d" "$released" >"$tmp/gone.abi"
! checked compatible "$released" "$tmp/gone.abi" || fail 'hist_open() is gone'
sed "s/\(<class-decl name='hist_options' size-in-bits='\)[0-9]*/\19999/" "$released" >"$tmp/grown.abi"
! checked compatible "$released" "$tmp/grown.abi" || fail 'struct hist_options has grown'
sed "s/version='HIST_0.2'/version='HIST_0.1'/" "$released" >"$tmp/version.abi"
! checked compatible "$released" "$tmp/version.abi" || fail 'other symbol versions'
checked compatible "$released" "$released" || fail_file 'differs from itself:' "$tmp.out"

done_testing
