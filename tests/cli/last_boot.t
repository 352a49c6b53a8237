#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A buffer that was written during a previous boot: symbols have the addresses of that boot.
. tests/cli/lib.sh

cat >"$tmp/trace" <<'END'
# tracer: nop
            bash-12      [000] d..2.     1.000001: thing: fn=0xffffffff81000205
            bash-12      [000] d..2.     1.000002: thing: fn=0xffffffffc0200010
            bash-12      [000] d..2.     1.000003: thing: fn=0xffffffffc0300010
END
cat >"$tmp/syms" <<'END'
ffffffffa1000000 T _text
ffffffffa1000100 T first
ffffffffa1000200 T second
ffffffffa1000300 T third
ffffffffa1001000 T _etext
ffffffffa1002000 T _end
ffffffffc0a00000 t mod_one	[mod]
ffffffffc0a00100 t mod_two	[mod]
ffffffffc0b00000 t gone_one	[gone]
END
printf '%s\n' 'mod 16384 0 - Live 0xffffffffc0a00000' 'other 16384 0 - Live 0xffffffffc0c00000' >"$tmp/modules"
printf 'ffffffff81000000\t\t[kernel]\nffffffffc0200000\tmod\nffffffffc0300000\tgone\n' >"$tmp/info"
hist import -q "$tmp/trace" --kallsyms "$tmp/syms" -o "$tmp/plain.dat"
ask="-e thing -R hist:keys=fn.sym-offset:sort=fn"

it 'prints no symbols for addresses of another boot'
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/plain.dat" $ask
status_is 0
stdout_lacks 'second'
stderr_has 'warning: none of [0-9]* kernel addresses has a symbol: they are data on the heap, or from another boot'

it 'moves the symbols of the kernel, and of each module'
python3 tests/cli/add_options.py last-boot "$tmp/plain.dat" "$tmp/boot.dat" '' "$tmp/info" "$tmp/modules"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/boot.dat" $ask
status_is 0
stdout_has '\[ffffffff81000205\] second\+0x5/0x100 '
stdout_has '\[ffffffffc0200010\] mod_one\+0x10/0x100 +\[mod\]'
stdout_lacks 'gone_one'
stderr_has 'warning: .*boot\.dat: the buffer is from an earlier boot; 1 of its modules are not where the recording could find them, and have no symbols'

it 'only its own instance is from another boot'
python3 tests/cli/add_options.py last-boot "$tmp/plain.dat" "$tmp/other.dat" boot_mapped "$tmp/info" "$tmp/modules"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/other.dat" $ask
stdout_lacks 'second'
stderr_lacks 'earlier boot'

it 'reads the offset that older kernels store there'
printf '0\t[kernel]\n' >"$tmp/offset"
python3 tests/cli/add_options.py last-boot "$tmp/plain.dat" "$tmp/boot.dat" '' "$tmp/offset"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/boot.dat" $ask
stdout_has '\[ffffffff81000205\] second\+0x5/0x100 '
stderr_lacks 'warning: .*earlier boot'

it 'does not move addresses of the boot that read the buffer'
printf '# Current\n' >"$tmp/current"
python3 tests/cli/add_options.py last-boot "$tmp/plain.dat" "$tmp/boot.dat" '' "$tmp/current"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/boot.dat" $ask
stdout_lacks 'second'
stderr_lacks 'earlier boot'

it 'reports that the address of that kernel is unknown'
printf 'ffffffffc0200000\tmod\n' >"$tmp/nokernel"
python3 tests/cli/add_options.py last-boot "$tmp/plain.dat" "$tmp/boot.dat" '' "$tmp/nokernel" "$tmp/modules"
# shellcheck disable=SC2086 # split into words
hist report -i "$tmp/boot.dat" $ask
stderr_has 'warning: .*the buffer is from an earlier boot, and where that kernel was is not known'

it 'is correct in a smaller recording'
python3 tests/cli/add_options.py last-boot "$tmp/plain.dat" "$tmp/boot.dat" '' "$tmp/info" "$tmp/modules"
# shellcheck disable=SC2086 # split into words
hist report -q -i "$tmp/boot.dat" $ask
cp "$tmp.out" "$tmp/want"
# shellcheck disable=SC2086 # split into words
hist slim -q -i "$tmp/boot.dat" -o "$tmp/slim.dat" $ask
# shellcheck disable=SC2086 # split into words
hist report -q -i "$tmp/slim.dat" $ask
stdout_is_file "$tmp/want"

it 'has the symbols of the previous boot in a recording that trace-cmd 3.4 extracted from a guest'
gunzip -c tests/import/last-boot.txt.gz | grep -o 'kmalloc: call_site=[^/ ]*' | sed 's/.*=//' | sort | uniq -c |
	sed 's/^ *//' >"$tmp/want"
hist report -i tests/import/last-boot.dat -B boot_map -e kmalloc -R hist:keys=call_site.sym-offset
status_is 0
stderr_lacks 'warning'
sed -n 's/^{ call_site: \[[0-9a-f]*\] \([^/ ]*\).* hitcount: *\([0-9]*\).*/\2 \1/p' "$tmp.out" | sort -k 2 >"$tmp/got"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got" | head -n 6)"

it 'has them in a copy of the tracing directory'
tar -xzf tests/import/tracing.tar.gz -C "$tmp"
copy=$tmp/tracing
cp "$tmp/syms" "$copy/kallsyms"
cp "$tmp/modules" "$copy/modules"
cp "$tmp/info" "$copy/last_boot_info"
hist import "$copy" -o "$tmp/copy.dat"
stderr_has 'warning: .*tracing: the buffer is from an earlier boot; 1 of its modules are not where the recording could find them'
# uncompressed, so the file contains the text of the symbols
checked grep -q -a '^ffffffff81000200 T second' "$tmp/copy.dat" || fail 'a symbol of the kernel is not where it was'
checked grep -q -a '^ffffffffc0200000 t mod_one' "$tmp/copy.dat" || fail 'a symbol of a module is not where it was'
! checked grep -q -a 'gone_one' "$tmp/copy.dat" || fail 'a module has symbols whose place is unknown'
echo '# Current' >"$copy/last_boot_info"
hist import "$copy" -o "$tmp/copy2.dat"
stderr_lacks 'warning'
checked grep -q -a '^ffffffffa1000200 T second' "$tmp/copy2.dat" || fail 'a symbol of this boot was moved'

done_testing
