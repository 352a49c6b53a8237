#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The rpm spec: rpmbuild accepts it, and its packages contain the files that make install installs.
. tests/cli/lib.sh

have rpmbuild rpm || skip_all 'no rpmbuild'
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/--jobserver-auth=[^ ]*//; s/-j[0-9]*//')
export MAKEFLAGS
RUN_TIMEOUT=3000
out=${BUILD:-build}

it 'rpmbuild makes the packages, and the golden tests pass'
# Debian's rpm does not know the packages that dpkg installed.
run make rpm O="$out" RPM_FLAGS=--nodeps
status_is 0
stdout_has '^[1-9][0-9]* passed, 0 failed'

it 'they contain the expected files'
for package in "$out"/rpm/RPMS/*/*.rpm; do
	rpm -qlp "$package" >>"$tmp/files" 2>/dev/null
done
for file in /usr/bin/hist '/usr/lib.*/libhist.so.0' /usr/include/hist.h '/usr/lib.*/hist/plugins/folded.so' \
	'/usr/share/man/man1/hist.1.*' '/usr/share/hist/hist-result-1.schema.json'; do
	checked grep -qx "$file" "$tmp/files" || fail "no $file"
done

done_testing
