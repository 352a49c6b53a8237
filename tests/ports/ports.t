#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist on other processors: built without warnings by cross compilers, then tested under qemu-user.
# make check-ports runs it.
#
# $PORTS selects processors, such as 'arm64 s390x'; $PARTS selects tests, such as 'unit golden'; $GOLDEN
# recordings by name.
. tests/cli/lib.sh
. tests/debian/lib.sh

here=tests/ports
[ "$(id -u)" = 0 ] || skip_all 'debootstrap and chroot need root'
have debootstrap unshare || skip_all 'debootstrap is not installed'
have qemu-s390x-static || skip_all 'qemu-user-static is not installed'
unshare --user --map-root-user --mount mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null ||
	skip_all 'the kernel has no binfmt_misc for user namespaces'

for port in ${PORTS:-arm64 s390x riscv64 i386}; do
	it "$port: a Debian with its cross compiler and libraries"
	root=$(checked "$here/get" "$port" 2>"$tmp/get") || {
		skip "$(grep '^E: ' "$tmp/get" | head -n 1)"
		continue
	}
	copy_source "$root"

	it "$port: is built without warnings"
	# these can be installed only for one architecture
	checked tests/debian/run "$root" root apt-get install -y -q --no-install-recommends "libtracecmd-dev:$port" \
		>"$tmp/log" 2>&1 || fail_log "libtracecmd-dev:$port" "$tmp/log"
	checked "$here/run" "$root" "$port" tests/ports/make "$port" all >"$tmp/log" 2>&1 || fail_log make "$tmp/log"

	for part in ${PARTS:-unit golden cli}; do
		it "$port: make check-$part"
		checked "$here/run" "$root" "$port" tests/ports/make "$port" "GOLDEN=${GOLDEN:-*}" "check-$part" >"$tmp/log" 2>&1 ||
			fail_log make "$tmp/log"
		tail -n 1 "$tmp/log" | sed 's/^/# /'
	done
done

done_testing
