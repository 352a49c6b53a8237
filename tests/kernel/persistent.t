#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A buffer in reserved memory after a crash of Linux 7.3: its events, with the symbols of the boot
# that wrote them, although KASLR moves the kernel in the boot that reads them.
. tests/cli/lib.sh
layout=hist

: "${BUILD:=build}"
: "${KERNEL_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/hist-kernels}"
here=$PWD/tests/kernel
HIST=$(realpath "$HIST")

[ "$(uname -m)" = x86_64 ] || skip_all 'the guest is an x86_64'
have qemu-system-x86_64 cpio busybox gcc apt-cache dpkg-deb xz trace-cmd || skip_all 'QEMU or apt is not installed'
WORK=$tmp/work
gcc -O1 -static -o "$WORK" "$here/work.c" -lpthread 2>"$tmp.err" || skip_all 'the workloads cannot be linked statically'
mkdir -p "$KERNEL_CACHE"
"$here/get" 7.3 "$KERNEL_CACHE/7.3" >/dev/null 2>&1 || skip_all 'Linux 7.3 cannot be had'
KERNEL=$KERNEL_CACHE/7.3/vmlinuz
MODULES=$KERNEL_CACHE/7.3/modules
[ -d "$MODULES" ] || skip_all 'Linux 7.3 has no modules here'
export HIST KERNEL MODULES WORK

mkdir -p "$tmp/share" "$tmp/copy"
cp "$here/persistent" "$tmp/share/job"
# At a fixed address: what reserve_mem= finds may be at another address in the next boot, since KASLR
# does not avoid it. KASLR avoids what memmap= reserves.
REBOOT=1 APPEND='memmap=4M$0x30000000 trace_instance=boot_map@0x30000000:4M' "$here/boot" 2 "$tmp/share"

it 'has the events before the crash'
if [ ! -s "$tmp/share/copy.tar" ]; then
	tr -d '\r' <"$tmp/share/console" | tail -n 20 >"$tmp/console"
	fail_file 'no copy was made:' "$tmp/console"
	done_testing
fi
tar -xf "$tmp/share/copy.tar" -C "$tmp/copy"
checked grep -q '\[kernel\]' "$tmp/share/info" || fail_file 'the kernel has nothing of the boot before:' "$tmp/share/info"
grep -o 'kmalloc: call_site=[^/ ]*' "$tmp/share/first" | sed 's/.*=//' | sort >"$tmp/want"
checked [ -s "$tmp/want" ] || fail 'nothing was recorded'
hist report -i "$tmp/copy" -e kmalloc -R hist:keys=bytes_req
status_is 0
stdout_has "^    Hits: $(wc -l <"$tmp/want")$"

it 'has the symbols of the boot that wrote it'
hist report -i "$tmp/copy" -e kmalloc -R hist:keys=call_site.sym-offset
status_is 0
stderr_lacks 'warning'
sed -n 's/^{ call_site: \[[0-9a-f]*\] \([^/ ]*\).* hitcount: *\([0-9]*\).*/\2 \1/p' "$tmp.out" |
	while read -r n name; do
		while [ "$n" -gt 0 ]; do
			echo "$name"
			n=$((n - 1))
		done
	done | sort >"$tmp/got"
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got" | head -n 20)"
checked grep -q p9_ "$tmp/got" || fail 'no symbol of a module'
[ "$(sed 's/^\([0-9a-f]*\).*/\1/' "$tmp/share/text")" != "$(sed -n 's/\t.*\[kernel\]//p' "$tmp/share/info")" ] ||
	skip 'KASLR put the kernel to the same address twice: nothing was moved'

done_testing
