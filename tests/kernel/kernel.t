#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hist record --live in a real kernel with hist triggers: a replay prints what it printed.
#
# Debian's linux-image is downloaded (not installed) into $BUILD/kernel, or $KERNEL and $MODULES
# name another. Scenarios are folders with triggers and a workload: those here, and those of
# $GOLDEN_DIRS (tests/golden without it) that are of the same kernel. $KERNEL_CPUS are the sizes of the
# guest, "1 4" without it; $KERNEL_KILLS how many recordings are ended by signals in each, 12.
. tests/cli/lib.sh

: "${BUILD:=build}"
here=$PWD/tests/kernel
dir=$BUILD/kernel
mkdir -p "$dir"
dir=$(realpath "$dir")
HIST=$(realpath "$HIST")

[ "$(uname -m)" = x86_64 ] || skip_all 'the guest is an x86_64'
have qemu-system-x86_64 cpio busybox gcc dpkg trace-cmd || skip_all 'QEMU is not installed'
if [ -z "${KERNEL:-}" ]; then
	have apt-get || skip_all 'no apt-get, and $KERNEL is not set'
	package=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
	if [ ! -d "$dir/${package:-none}" ]; then
		(
			[ -n "$package" ] && cd "$dir" && apt-get download -q "$package" >/dev/null 2>&1 &&
				dpkg -x "$package"_*.deb "$package.new" && mv "$package.new" "$package"
		)
		rm -f "$dir"/*.deb
		[ -d "$dir/${package:-none}" ] || skip_all 'the kernel cannot be downloaded'
	fi
	KERNEL=$(echo "$dir/$package"/boot/vmlinuz-*)
	MODULES=$dir/$package/lib/modules
fi
WORK=$dir/work
gcc -O1 -static -o "$WORK" "$here/work.c" -lpthread 2>"$tmp.err" || skip_all 'the workloads cannot be linked statically'
export HIST KERNEL MODULES WORK
version=$(basename "$KERNEL" | sed 's/^[^0-9]*\([0-9]*\.[0-9]*\).*/\1/')

# share DIR CPUS: what the guest gets.
share()
{
	mkdir -p "$1/scenarios"
	cp "$here/job" "$1/job"
	cp "$here/scenarios/latency/triggers" "$1/kills.script"
	echo "${KERNEL_KILLS:-12}" >"$1/kills"
	cp -r "$here"/scenarios/*/ "$1/scenarios"
	for d in ${GOLDEN_DIRS:-tests/golden}; do
		for s in "$d/$version"/*/; do
			# what is about errors or the ring buffer has no live histograms
			if [ ! -f "$s/triggers" ] || [ -f "$s/ring-stats.txt" ]; then
				continue
			fi
			# nor can probes be had that nobody makes
			if grep -q 'events/[kue]probes/' "$s/triggers" &&
				! cat "$s/triggers" "$s/guest-pre" 2>/dev/null | grep -q '\(probe\|dynamic\)_events'; then
				continue
			fi
			to=$1/scenarios/corpus-$(basename "$s")
			mkdir -p "$to"
			for f in triggers workload guest-pre; do
				[ ! -f "$s/$f" ] || cp "$s/$f" "$to"
			done
			[ -f "$to/workload" ] || printf '%s\n' 'work wake 40 alpha' 'work sys 100' 'work naps 10' >"$to/workload"
			# without the lines that the kernel refused then, since a recording would not start
			"$HIST" check -i "$s/trace.dat" "$to/triggers" 2>&1 >/dev/null |
				sed -n 's/^.*triggers:\([0-9]*\):.*error.*/\1d/p' | sort -u >"$tmp/refused"
			sed -i -f "$tmp/refused" "$to/triggers"
			grep -q "'hist:" "$to/triggers" || rm -r "$to"
		done
	done
}

# order_free SCRIPT EVENT: no variable and no action, so that the order of events does not matter.
# Synthetic events are made by actions.
order_free()
{
	[ "${2#synthetic/}" = "$2" ] &&
	! grep "events/$2/trigger" "$1" | grep -q -e '\$' -e 'onm' -e 'onch' -e '=common_timestamp' -e COMM -e execname
}

# same NAME CPUS: a recording is complete, and its replay is what the kernel printed.
same()
{
	out=$1
	it "$3 CPUs: $2"
	[ "$(cat "$out/status" 2>/dev/null)" = 0 ] || {
		fail_file 'was not recorded:' "$out/stderr"
		return
	}
	checked [ ! -s "$out/changed" ] || fail_file 'the machine is not as before:' "$out/changed"
	! grep 'warning' "$out/stderr" | checked grep -q -v -e 'trace_marker' -e 'could not be stopped' || fail_file 'warns:' "$out/stderr"
	read=$(trace-cmd report --stat "$out/t.dat" 2>/dev/null | awk -F': *' '$1 == "read events" { s += $2 } END { print s + 0 }')
	events=$(trace-cmd report "$out/t.dat" 2>/dev/null | grep -v -e '^cpus=' -e 'EVENTS DROPPED' -e '^ *=>' | grep -c .)
	checked [ "$read" = "$events" ] || fail "events in the file: $events, handed out by the kernel: $read"
	hist report --compare-live -i "$out/t.dat"
	case $3:$status in
	*:0) ;;
	1:*) fail_file 'the replay differs:' "$tmp.out" ;;
	*:1)
		# on several CPUs only what depends on the order of events on different ones may differ
		sed -n 's/^events\/\(.*\)\/hist: different$/\1/p' "$tmp.out" >"$tmp/different"
		while read -r event; do
			! order_free "$out/../../scenarios/$2/triggers" "$event" ||
				fail_file "$event does not depend on order, and differs:" "$tmp.out"
		done <"$tmp/different"
		cat "$tmp.out" >>"$tmp/differences"
		;;
	*) fail_file "status $status:" "$tmp.err" ;;
	esac
}

for cpus in ${KERNEL_CPUS:-1 4}; do
	share "$tmp/guest-$cpus" "$cpus"
	"$here/boot" "$cpus" "$tmp/guest-$cpus"
	# on a busy machine the software emulation may not even get the kernel to its init
	[ -d "$tmp/guest-$cpus/out" ] || "$here/boot" "$cpus" "$tmp/guest-$cpus"
	it "$cpus CPUs: the guest did its work"
	checked [ -f "$tmp/guest-$cpus/out/done" ] || {
		tail -n 20 "$tmp/guest-$cpus/console" | tr -d '\r' >"$tmp/console"
		fail_file 'the guest did not get to its end:' "$tmp/console"
	}
	[ -z "${KEEP:-}" ] || cp -r "$tmp/guest-$cpus" "$KEEP"
	for s in "$tmp/guest-$cpus/scenarios"/*/; do
		same "$tmp/guest-$cpus/out/$(basename "$s")" "$(basename "$s")" "$cpus"
	done

	it "$cpus CPUs: whatever ends a recording, nothing is left and its file can be read"
	checked [ -f "$tmp/guest-$cpus/out/kills/changed" ] || fail 'was not run'
	checked [ ! -s "$tmp/guest-$cpus/out/kills/changed" ] || fail_file 'left:' "$tmp/guest-$cpus/out/kills/changed"
	checked [ ! -f "$tmp/guest-$cpus/out/kills/without" ] || fail_file 'recorded, and left no file:' "$tmp/guest-$cpus/out/kills/without"
	n=0
	for dat in "$tmp/guest-$cpus/out/kills"/*.dat; do
		[ -f "$dat" ] || continue
		n=$((n + 1))
		trace-cmd report "$dat" 2>&1 | checked grep -q '^cpus=' || fail "trace-cmd cannot read $dat"
		hist report -i "$dat"
		checked [ "$status" = 0 ] || fail_file "$dat:" "$tmp.err"
	done
	checked [ $n -gt 0 ] || fail 'no recording was left at all'
done

done_testing
