#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Debian's packages: built, installed with apt-get in a clean Debian of each of $RELEASES, where
# README's examples and debian/tests are run; then removed, after which no file is left.
. tests/cli/lib.sh

have dpkg-buildpackage dh || skip_all 'no dpkg-buildpackage, debhelper'
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/--jobserver-auth=[^ ]*//; s/-j[0-9]*//')
export MAKEFLAGS
RUN_TIMEOUT=3000
version=$(sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)
debs=${BUILD:-build}/deb
changes=$debs/hist_${version}_$(dpkg --print-architecture).changes
DEBIAN_CACHE=${DEBIAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hist-debian}/clean
export DEBIAN_CACHE

it 'the packages are built, and their tests pass'
run make deb O="${BUILD:-build}"
status_is 0
stdout_has '^[1-9][0-9]* passed, 0 failed'
[ -f "$changes" ] || { fail_file "no $changes" "$tmp.err"; done_testing; }

it 'lintian reports nothing'
if have lintian; then
	run lintian --fail-on error,warning,info --display-info --allow-root --suppress-tags spelling-error-in-binary "$changes"
	status_is 0
	stdout_is ''
else
	skip 'no lintian'
fi

# in_debian COMMAND...: run it in $tmp/root, as root
in_debian()
{
	run tests/debian/run "$tmp/root" root "$@"
}

# list_files FILE: list all files except for those of apt and dpkg. netbase, which Python needs in trixie, makes
# /etc/hosts if there is none, and leaves it.
list_files()
{
	in_debian find / -xdev -not -path '/src*' -not -path '/var/lib/dpkg*' -not -path '/var/lib/apt*' \
		-not -path '/var/cache/*' -not -path '/var/log/*' -not -path '/tmp*' -not -path /etc/hosts
	LC_ALL=C sort "$tmp.out" >"$1"
}

# try_release SUITE: test the packages on one release
try_release()
{
	it "$1: clean Debian"
	clean=$(tests/debian/get "$1") || {
		skip "no $1 could be made"
		return
	}
	rm -rf "$tmp/root"
	holds cp -a --reflink=auto "$clean" "$tmp/root"
	mkdir -p "$tmp/root/src/debs"
	tar -xzf "${BUILD:-build}/hist-$version.tar.gz" -C "$tmp/root/src" --strip-components=1
	cp "$debs"/*.deb "$tmp/root/src/debs"
	in_debian apt-get update -q
	list_files "$tmp/before"

	it "$1: apt-get installs the packages"
	in_debian sh -c 'apt-get install -y -q --no-install-recommends $(ls ./debs/*.deb | grep -v dbgsym)'
	status_is 0
	in_debian hist --version
	stdout_is "hist $version"

	it "$1: README's examples"
	in_debian env HIST=/usr/bin/hist tests/house/readme.t
	status_is 0
	stdout_has '^ok .*report -i trace.dat-samples/wakeup.dat latency.sh'
	stdout_lacks '^not ok'

	it "$1: no file is left when they are removed"
	in_debian apt-get purge -y -q --autoremove hist libhist0 libhist-dev hist-plugins
	status_is 0
	list_files "$tmp/after"
	checked cmp -s "$tmp/before" "$tmp/after" || {
		diff "$tmp/before" "$tmp/after" >"$tmp/left"
		fail_file 'left, or gone:' "$tmp/left"
	}

	# the tests of debian/tests, as Debian runs them: with the packages in debian/tests/control
	it "$1: autopkgtest"
	in_debian apt-get install -y -q --no-install-recommends autopkgtest
	status_is 0
	in_debian sh -c 'autopkgtest $(ls ./debs/*.deb | grep -v dbgsym) ./ -- null'
	status_is 0
	# shellcheck disable=SC2013 # words
	for t in $(sed -n 's/^Tests: *//p' debian/tests/control); do
		stdout_has "^$t +PASS"
	done
	rm -rf "$tmp/root"
}

if [ "$(id -u)" = 0 ] && have debootstrap; then
	for suite in ${RELEASES:-bookworm}; do
		try_release "$suite"
	done
else
	it 'installs in a clean Debian'
	skip 'needs root and debootstrap'
fi

done_testing
