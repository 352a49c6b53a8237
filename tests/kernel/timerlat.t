#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tracers timerlat, osnoise and hwlat in a guest: what hist answers of the samples is what rtla counted in the same run, by CPU and
# latency (minimum, mean, maximum, histogram), and what trace-cmd's text has. Debian's kernels lack these tracers, so the kernel is
# Ubuntu's; it takes minutes, so this is asked for: TIMERLAT=1.
[ -n "${TIMERLAT:-}" ] || {
	echo '1..0 # SKIP TIMERLAT=1 downloads a kernel that has the tracers, and takes minutes'
	exit
}
# emulated CPUs are too slow for its clock
export STEADY=1
. tests/kernel/lib.sh
have curl sha256sum || skip_all 'curl is not installed'

# rtla of this machine, or of its packages, and the libraries that the guest lacks
rtla=$(command -v rtla) || {
	(cd "$tmp" && apt-get download -qq rtla >/dev/null 2>&1 && dpkg-deb -x rtla_*.deb rtla.d) || skip_all 'rtla cannot be fetched'
	rtla=$tmp/rtla.d/usr/bin/rtla
}
cp "$rtla" "$tmp/rtla"
libraries=$(ldd "$tmp/rtla" | sed -n 's/^.*=> \(\/[^ ]*libcpupower[^ ]*\) (.*/\1/p')
libgcc=$(gcc -print-file-name=libgcc_s.so.1)

version=tracers
it 'timerlat: hist and rtla have the same samples, and the same numbers of them'
# shellcheck disable=SC2086 # none, or one
guest timerlat 2 "$tmp/rtla" "$libgcc" $libraries && {
	python3 -B "$here/rtla_compare.py" "$HIST" "$out/timerlat.dat" "$out/timerlat.rtla" 100 500 >"$tmp/compared"
	sed 's/^/# /' "$tmp/compared"
	checked grep -q '^CPU 1, context 1: ' "$tmp/compared" || fail_file 'rtla has nothing:' "$out/timerlat.rtla"
	holds test "$(grep -c differs "$tmp/compared")" = 0

	if [ -f "$out/user.dat" ]; then
		it 'timerlat: threads of a program, with the latency of their return to user space'
		python3 -B "$here/rtla_compare.py" "$HIST" "$out/user.dat" "$out/user.rtla" 100 500 >"$tmp/compared"
		sed 's/^/# /' "$tmp/compared"
		checked grep -q '^CPU 1, context 2: ' "$tmp/compared" || fail_file 'rtla has nothing:' "$out/user.rtla"
		holds test "$(grep -c differs "$tmp/compared")" = 0
	fi

	it 'why: the time of the longest sample, whose parts add up to it'
	most=$(sed -n 's/.*timer_latency: *\([0-9]*\).*/\1/p' "$out/timerlat.txt" | sort -n | tail -n 1)
	run "$HIST" why -q -i "$out/timerlat.dat" timerlat
	status_is 0
	stdout_has "^ *$(awk -v ns="$most" 'BEGIN { printf "%d\\.%03d", ns / 1000, ns % 1000 }') +100\.0 +timerlat/[01]-"
	checked awk '$2 == "100.0" { all = $1 } $3 ~ /^[|`]-$/ { s += $1 } END { exit !(all && s > all - 0.01 && s < all + 0.01) }' "$tmp.out" ||
		fail_file 'do not add up:' "$tmp.out"

	it '--until: a file for a sample that was late, which has it'
	for file in "$out"/until*.dat; do
		run "$HIST" events -q -i "$file" -e ftrace:timerlat -f 'timer_latency > 500000' --format csv
		holds test "$(wc -l <"$tmp.out")" -gt 1
	done

	it 'osnoise and hwlat: sums and counts are those of the text of trace-cmd'
	run "$HIST" report -q -i "$out/osnoise.dat" osnoise-samples --format csv
	status_is 0
	holds test "$(awk -F, 'NR > 1 { n += $2 } END { print n + 0 }' "$tmp.out")" = "$(grep -c ' osnoise: ' "$out/osnoise.txt")"
	run "$HIST" report -q -i "$out/osnoise.dat" osnoise --show 1 --format csv
	status_is 0
	holds test "$(awk -F, 'NR > 1 { n += $3; ns += $4 } END { print n + 0, ns + 0 }' "$tmp.out")" = \
		"$(sed -n 's/.* irq_noise: .* duration \([0-9]*\) ns.*/\1/p' "$out/osnoise.txt" | awk '{ ns += $1 } END { print NR, ns + 0 }')"
	run "$HIST" report -q -i "$out/hwlat.dat" hwlat --show 1 --format csv
	status_is 0
	holds test "$(awk -F, 'NR > 1 { n += $2 } END { print n + 0 }' "$tmp.out")" = "$(grep -c ' hwlat: ' "$out/hwlat.txt")"
	holds test ! -s "$out/instances"
}
done_testing
