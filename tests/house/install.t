#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make install into an empty place: what lies there, that a program can be built with it,
# and that make uninstall takes all of it away; make dist, and a build of what it packed.
. tests/cli/lib.sh

case ${SANITIZE:-} in
?*) skip_all 'an instrumented library is not for installing' ;;
esac
[ -n "${BUILD:-}" ] || skip_all 'runs under make check'

# The make that runs this test gave its jobs to us already.
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/--jobserver-auth=[^ ]*//; s/-j[0-9]*//')
export MAKEFLAGS
# Another PREFIX builds the program again: not the one that other tests run at this moment.
mkdir "$tmp/build"
cp -a "$BUILD/." "$tmp/build"

# in_tree TARGET VARIABLE...: make, in a copy of the directory that the tests were built in.
in_tree()
{
	RUN_TIMEOUT=300 run make -s O="$tmp/build" "$@"
	status_is 0
}

it 'installs'
in_tree install DESTDIR="$tmp/root" PREFIX=/opt/hist
for f in bin/hist lib/libhist.a lib/libhist.so lib/pkgconfig/hist.pc include/hist.h; do
	holds test -f "$tmp/root/opt/hist/$f"
done
holds test -x "$tmp/root/opt/hist/bin/hist"
for f in man/*.[1357]; do
	[ ! -f "$f" ] || holds cmp "$f" "$tmp/root/opt/hist/share/man/man${f##*.}/${f##*/}"
done

it 'the installed program runs'
run "$tmp/root/opt/hist/bin/hist" --version
status_is 0
stdout_has "$(sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)"

it 'a program can be built with what pkg-config says'
in_tree install PREFIX="$tmp/prefix"
cat >"$tmp/user.c" <<'END'
#include <hist.h>
#include <stdio.h>
int main(void)
{
	struct diags *diags = hist_diags_new();
	const char *none = "/nonexistent";
	struct hist *h = NULL;
	int err = hist_open(&(struct hist_options){ .inputs = &none, .n_inputs = 1 }, &h, diags);

	printf("%s %zu\n", hist_strerror(err), hist_diags_count(diags));
	hist_diags_free(diags);
	return 0;
}
END
PKG_CONFIG_PATH=$tmp/prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# compile OPTION...: the program, with what pkg-config says under these options.
compile()
{
	# shellcheck disable=SC2046 # words
	run gcc -Wall -Werror -o "$tmp/user" "$tmp/user.c" $(pkg-config --cflags --libs "$@" hist)
	status_is 0
}
compile
LD_LIBRARY_PATH=$tmp/prefix/lib run "$tmp/user"
status_is 0
stdout_has '^(not found|input/output error) [1-9]'
[ "$(pkg-config --modversion hist)" = "$(sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)" ] || fail version

it 'so it can statically'
mkdir "$tmp/shared"
mv "$tmp"/prefix/lib/libhist.so* "$tmp/shared"
compile --static
run "$tmp/user"
status_is 0
stdout_has '^(not found|input/output error) [1-9]'

it 'a C++ program takes the header'
if have g++; then
	run g++ -Wall -Wextra -Werror -fsyntax-only -x c++ -I"$tmp/prefix/include" -include hist.h /dev/null
	status_is 0
else
	skip 'no g++'
fi

it 'uninstalls all of it'
in_tree uninstall DESTDIR="$tmp/root" PREFIX=/opt/hist
left=$(find "$tmp/root" ! -type d)
[ -z "$left" ] || fail "left: $left"

it 'packs what can be built again'
in_tree dist
tarball=$(ls "$tmp/build"/hist-*.tar.gz)
holds tar -xzf "$tarball" -C "$tmp"
dir=$(find "$tmp" -maxdepth 1 -type d -name 'hist-*')
for f in Makefile README.md src/hist.h tests/run man/hist.1; do
	holds test -f "$dir/$f"
done
holds test ! -e "$dir/.git"
RUN_TIMEOUT=30 run make -s -n -C "$dir" all
status_is 0
stdout_lacks '-Werror'

done_testing
