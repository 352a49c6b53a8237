# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Library of the tests in which a guest runs one job: . tests/kernel/lib.sh
#
# A test is skipped without QEMU, a compiler or the network. $KERNEL_CACHE has the kernels; $KEEP is a
# folder for the output of the guests, $BOOT_LIMIT the time limit of one in seconds.
. tests/cli/lib.sh

: "${KERNEL_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hist-kernels}" "${BOOT_LIMIT:=500}"
here=$PWD/tests/kernel
HIST=$(realpath "$HIST")
WORK=$tmp/work
export HIST WORK BOOT_LIMIT

# linked NAME SOURCE OPTION...: make the program $tmp/NAME, which the guest can run
linked()
{
	name=$1
	shift
	gcc -O1 -static -o "$tmp/$name" "$@" 2>"$tmp.err" || skip_all 'the workloads cannot be linked statically'
}

[ "$(uname -m)" = x86_64 ] || skip_all 'the guest is an x86_64'
have qemu-system-x86_64 cpio busybox gcc apt-cache dpkg-deb trace-cmd xz python3 ||
	skip_all 'QEMU, apt or python3 is not installed'
mkdir -p "$KERNEL_CACHE"
linked work "$here/work.c" -lpthread

# kernel VERSION: $version is it; newest: the newest one that there is
kernel()
{
	version=$1
	[ "$version" != newest ] || version=$("$here/get" list 2>/dev/null | tail -n 1)
}

# guest JOB CPUS FILE...: run tests/kernel/JOB-job, which has the files, on $version; its output is in
# $out. False if it did not get to its end, which ends the test
guest()
{
	job=$1 cpus=$2
	shift 2
	share=$tmp/share-$version
	out=$share/out
	mkdir -p "$share"
	cp "$here/$job-job" "$share/job"
	[ $# = 0 ] || cp "$@" "$share"
	if ! "$here/get" "$version" "$KERNEL_CACHE/$version" >/dev/null 2>"$tmp.err"; then
		skip "the kernel cannot be fetched: $(head -n 1 "$tmp.err")"
		return 1
	fi
	KERNEL=$KERNEL_CACHE/$version/vmlinuz MODULES=$KERNEL_CACHE/$version/modules "$here/boot" "$cpus" "$share"
	[ -z "${KEEP:-}" ] || cp -r "$out" "$KEEP/$job-$version"
	[ -f "$out/done" ] && return 0
	tail -n 20 "$share/console" >"$tmp/console"
	fail_file 'the guest did not get to its end:' "$tmp/console"
	return 1
}
