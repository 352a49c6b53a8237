#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The parts of a release: the same version everywhere, a reproducible tarball, packages with the
# installed files. tests/packages builds the packages.
. tests/cli/lib.sh

case ${SANITIZE:-} in
?*) skip_all 'nothing here is instrumented' ;;
esac
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/--jobserver-auth=[^ ]*//; s/-j[0-9]*//')
export MAKEFLAGS

it 'has the same version everywhere'
run .ci/release versions
status_is 0
stdout_is ''

it 'detects a version that differs, and writes it everywhere'
mkdir "$tmp/tree"
cp -r .ci man packaging debian src CHANGELOG.md "$tmp/tree"
sed -i 's/hist [0-9.]*"/hist 0.0.9"/' "$tmp/tree/man/hist.1"
run "$tmp/tree/.ci/release" versions
status_is 1
stdout_has '^man/hist.1: version is 0.0.9'
run "$tmp/tree/.ci/release" set 9.8.7
status_is 0
run "$tmp/tree/.ci/release" versions
status_is 0
stdout_is ''
holds grep -q '^## \[Unreleased\]$' "$tmp/tree/CHANGELOG.md"
holds grep -q '^hist (9.8.7) ' "$tmp/tree/debian/changelog"

# pack DIR NAME [WORD...]: make dist in DIR, to $tmp/NAME
pack()
{
	dir=$1 name=$2
	shift 2
	long_run "$@" make -s -C "$dir" O="$tmp/$name.build" dist
	status_is 0
	cp "$tmp/$name.build"/hist-*.tar.gz "$tmp/$name"
}

it 'make dist packs the same bytes for every user, and from its own archive'
pack . one
pack . two sh -c 'umask 077; exec "$@"' sh env TZ=Asia/Tokyo LC_ALL=C
holds cmp "$tmp/one" "$tmp/two"
holds tar -xzf "$tmp/one" -C "$tmp"
dir=$(find "$tmp" -maxdepth 1 -type d -name 'hist-*')
pack "$dir" three
holds cmp "$tmp/one" "$tmp/three"
holds test -z "$(tar -tvzf "$tmp/one" | awk '{ print $2, $4 }' | sort -u | sed 1d)"

it 'debian/ lists the version of each symbol'
sed -n 's/^\(HIST_[0-9.]*\) .*/\1/p' src/libhist.map | sort >"$tmp/map"
sed -n 's/^ (symver)\([^ ]*\) .*/\1/p' debian/libhist0.symbols | sort >"$tmp/debian"
holds cmp "$tmp/map" "$tmp/debian"

it 'each manual page is in a Debian package, and in one of the spec'
for page in man/*.[1357]; do
	name=${page#man/}
	where=man/man${name##*.}
	checked grep -qx "usr/share/$where\(/$name\)\{0,1\}" debian/*.install || fail "no debian/*.install has $name"
	checked grep -q "^%{_mandir}/${where#man/}/hist\*$\|^%{_mandir}/${where#man/}/$name\*$" packaging/hist.spec ||
		fail "packaging/hist.spec does not have $name"
done

it 'rpmlint accepts the spec'
if have rpmlint; then
	run rpmlint -c packaging/rpmlint.toml packaging/hist.spec
	status_is 0
	stdout_has ' 0 errors, 0 warnings'
else
	skip 'no rpmlint'
fi

done_testing
