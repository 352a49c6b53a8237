#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The two commands of README on other releases of Debian, and a build without warnings by each of
# their compilers. Takes half an hour; make check-debian runs it.
#
# $DEBIANS lists the releases as SUITE[/ARCH], by default trixie, sid, and bookworm on i386;
# $COMPILERS the compilers, by default gcc and each clang from 14 on. See get for the location of
# these systems.
. tests/cli/lib.sh
. tests/debian/lib.sh

here=tests/debian
[ "$(id -u)" = 0 ] || skip_all 'debootstrap and chroot need root'
have debootstrap unshare || skip_all 'debootstrap is not installed'

# in_debian USER COMMAND...: run it in /src of the system; print the end of its output if it fails
in_debian()
{
	checked "$here/run" "$root" "$@" >"$tmp/log" 2>&1 || fail_log "$*" "$tmp/log"
}

# Prepare a new system: a user who may sudo, and make for the commands of README.
make_user()
{
	in_debian root sh -ec '
		id new || useradd -m -s /bin/bash new
		apt-get install -y -q --no-install-recommends make sudo
		echo "new ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/new
		chown -R new: /src'
}

for debian in ${DEBIANS:-trixie sid bookworm/i386}; do
	suite=${debian%/*}
	arch=${debian#"$suite"}
	it "$debian is available"
	# shellcheck disable=SC2086 # the architecture, or nothing
	root=$("$here/get" "$suite" ${arch#/} 2>"$tmp/get")
	if [ -z "$root" ]; then
		skip 'it cannot be downloaded'
		continue
	fi
	copy_source "$root"
	make_user

	it "$debian: make demo"
	in_debian new make demo
	checked grep -q 'make demo' "$root/src/README.md" || fail 'README has another command'
	grep -q '^ *Hits: ' "$tmp/log" || fail_file 'no histogram:' "$tmp/log"

	it "$debian: make check"
	in_debian new make check
	tail -n 1 "$tmp/log" | sed 's/^/# /'

	it "$debian: records as root"
	in_debian root make check-record
	tail -n 1 "$tmp/log" | sed 's/^/# /'

	compilers=gcc
	for n in 14 15 16 17 18 19 20 21 22 23; do
		"$here/run" "$root" root apt-cache show "clang-$n" >/dev/null 2>&1 && compilers="$compilers clang-$n"
	done
	for cc in ${COMPILERS:-$compilers}; do
		it "$debian: $cc has no warnings"
		in_debian root sh -c "command -v $cc >/dev/null || apt-get install -y -q --no-install-recommends $cc"
		in_debian new make -j"$(nproc)" O="/tmp/build-$cc" CC="$cc" DEVELOPER=1 all
		rm -rf "$root/tmp/build-$cc"
	done
done

done_testing
