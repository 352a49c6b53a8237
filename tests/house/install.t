#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make install to an empty directory: the installed files, programs built with them, and that make
# uninstall removes all of them; make dist, and a build of the archive.
. tests/cli/lib.sh
. tests/house/examples.sh

case ${SANITIZE:-} in
?*) skip_all 'an instrumented library is not for installing' ;;
esac
[ -n "${BUILD:-}" ] || skip_all 'runs under make check'

# The make that runs this test has assigned its jobs already.
MAKEFLAGS=$(printf '%s' "${MAKEFLAGS:-}" | sed 's/--jobserver-auth=[^ ]*//; s/-j[0-9]*//')
export MAKEFLAGS
# Another PREFIX builds the program again: use another directory than the tests that run now.
mkdir "$tmp/build"
cp -a "$BUILD/." "$tmp/build"

# in_tree TARGET VARIABLE...: run make in a copy of the directory that the tests were built in
in_tree()
{
	long_run make -s O="$tmp/build" "$@"
	status_is 0
}

it 'installs all files'
in_tree install DESTDIR="$tmp/root" PREFIX=/opt/hist
for f in bin/hist lib/libhist.a lib/libhist.so lib/pkgconfig/hist.pc include/hist.h; do
	holds test -f "$tmp/root/opt/hist/$f"
done
holds test -x "$tmp/root/opt/hist/bin/hist"
for f in man/*.[1357]; do
	sed 's|/usr/local|/opt/hist|' "$f" >"$tmp/page"
	holds cmp "$tmp/page" "$tmp/root/opt/hist/share/man/man${f##*.}/${f##*/}"
done

it 'installed pages name the directories that were chosen'
in_tree install DESTDIR="$tmp/multiarch" PREFIX=/usr libdir=/usr/lib/x-y docdir=/usr/share/doc/libhist-dev
for page in man1/hist.1 man7/hist-plugin.7; do
	holds grep -qF '/usr/lib/x\-y/hist/plugins' "$tmp/multiarch/usr/share/man/$page"
done
holds grep -qF '/usr/share/doc/libhist\-dev/examples' "$tmp/multiarch/usr/share/man/man3/libhist.3"
if grep -rl /usr/local "$tmp/multiarch/usr/share/man" >"$tmp/local"; then
	fail_file 'pages with another directory:' "$tmp/local"
fi

for f in share/*.json; do
	holds cmp "$f" "$tmp/root/opt/hist/share/hist/${f##*/}"
done
holds cmp completion/hist "$tmp/root/opt/hist/share/bash-completion/completions/hist"
holds cmp completion/_hist "$tmp/root/opt/hist/share/zsh/site-functions/_hist"
holds cmp completion/hist.fish "$tmp/root/opt/hist/share/fish/vendor_completions.d/hist.fish"

it 'the installed program runs'
run "$tmp/root/opt/hist/bin/hist" --version
status_is 0
stdout_has "$(sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)"

it 'the examples can be built with the flags of pkg-config'
in_tree install PREFIX="$tmp/prefix"
PKG_CONFIG_PATH=$tmp/prefix/lib/pkgconfig
export PKG_CONFIG_PATH
checked [ "$(pkg-config --modversion hist)" = "$(sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)" ] || fail version
programs=$(cd examples && ls ./*.c)

# compile OPTION...: all examples, with the flags of pkg-config for these options
compile()
{
	for e in $programs; do
		# shellcheck disable=SC2046 # split into words
		run gcc -std=c11 -Wall -Wextra -Werror -o "$tmp/${e%.c}" "$tmp/prefix/share/doc/hist/examples/$e" \
			$(pkg-config --cflags --libs "$@" hist)
		status_is 0
	done
}

# try_programs: compare the output of the examples
try_programs()
{
	run "$tmp/top" trace.dat-samples/switch.dat
	status_is 0
	stderr_is ''
	stdout_has '^\{ next_comm: init +\} hitcount: +322$'
	run "$tmp/top" /nonexistent
	status_is 2
	stderr_has 'top: error: .*/nonexistent'

	run "$tmp/script" trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.script
	status_is 0
	cp "$tmp.out" "$tmp/by_program"
	hist report -i trace.dat-samples/wakeup.dat trace.dat-samples/wakeup.script
	stdout_is_file "$tmp/by_program"
	echo "echo 'hist:keys=ret' > events/raw_syscalls/sys_exit/trigger" >"$tmp/ret"
	HIST_PLUGIN_DIR=$tmp/prefix/lib/hist/plugins run "$tmp/script" trace.dat-samples/syscalls.dat "$tmp/ret" folded
	status_is 0
	stdout_has '^ret:-2 [0-9]+$'
	echo "echo 'hist:keys=nix' > events/raw_syscalls/sys_exit/trigger" >"$tmp/nix"
	run "$tmp/script" trace.dat-samples/syscalls.dat "$tmp/nix"
	status_is 1
	stderr_has "Couldn't find field"

	run "$tmp/synth" trace.dat-samples/wakeup.dat
	status_is 0
	stdout_has '^\{ pid: +7, state: asleep +\} hitcount: +1  depth: +1$'
	stdout_has '^\{ pid: +7, state: awake +\} hitcount: +2  depth: +7$'

	hist events -i trace.dat-samples/wakeup.dat -e derived:wait --format csv --fields ns,comm,pid,cpu,ts
	awk -F, 'NR > 1 { n++; sum += $1; if ($1 >= worst) { worst = $1; of = $2 "-" $3 " on CPU " $4 " until " $5 } }
		END { printf "%d waits, %d ns; the longest: %d ns, %s\n", n, sum, worst, of }' "$tmp.out" >"$tmp/waits"
	run "$tmp/events" trace.dat-samples/wakeup.dat
	status_is 0
	stderr_is ''
	stdout_is_file "$tmp/waits"
	run "$tmp/events" /nonexistent
	status_is 2

	run "$tmp/kprobe" vfs_read
	status_is 0
	cp "$tmp.out" "$tmp/latency"
	hist check -i trace.dat-samples/wakeup.dat "$tmp/latency"
	status_is 0
	run "$tmp/kprobe" 'a b c='
	status_is 2
}

compile
LD_LIBRARY_PATH=$tmp/prefix/lib
export LD_LIBRARY_PATH
try_programs

it 'the scripts of the examples record'
if [ -w /sys/kernel/tracing/kprobe_events ]; then
	install_wrapper
	run "$tmp/bin/hist" record -q -o "$tmp/latency.dat" -S "$tmp/latency" cat /dev/null
	status_is 0
	hist report -i "$tmp/latency.dat"
	status_is 0
	stdout_has '^    Hits: [1-9]'
else
	skip 'no kprobe_events that could be written'
fi

# The examples of the manual that need an installed libhist.
root=$PWD
INSTALLED=1
oldpath=$PATH
PATH=$tmp/prefix/bin:$PATH
for page in man/*.[37]; do
	try_examples "$page" installed
done
PATH=$oldpath
unset LD_LIBRARY_PATH

it 'links a program statically'
mkdir "$tmp/shared"
mv "$tmp"/prefix/lib/libhist.so* "$tmp/shared"
compile --static
try_programs

it 'a C++ program compiles each header'
if have g++; then
	for h in "$tmp"/prefix/include/*.h; do
		run g++ -Wall -Wextra -Werror -fsyntax-only -x c++ -I"$tmp/prefix/include" -include "$h" /dev/null
		status_is 0
		run g++ -Wall -Wextra -Werror -fsyntax-only -x c++ -DTHIS_MODULE=h -I"$tmp/prefix/include" -include "$h" /dev/null
		status_is 0
	done
else
	skip 'no g++'
fi

it 'each header can be included alone'
for h in "$tmp"/prefix/include/*.h; do
	run gcc -std=c99 -Wall -Wextra -Werror -fsyntax-only -x c -I"$tmp/prefix/include" -include "$h" /dev/null
	status_is 0
done

it 'uninstalls all files'
in_tree uninstall DESTDIR="$tmp/root" PREFIX=/opt/hist
left=$(find "$tmp/root" ! -type d)
checked [ -z "$left" ] || fail "left: $left"

it 'packs a tree that can be built'
in_tree dist
tarball=$(ls "$tmp/build"/hist-*.tar.gz)
holds tar -xzf "$tarball" -C "$tmp"
dir=$(find "$tmp" -maxdepth 1 -type d -name 'hist-*')
for f in Makefile README.md src/hist.h tests/run man/hist.1; do
	holds test -f "$dir/$f"
done
holds test ! -e "$dir/.git"
run make -s -n -C "$dir" all
status_is 0
stdout_lacks '-Werror'

done_testing
