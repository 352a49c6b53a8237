#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A copy of the tracing directory as a recording: it has the events of the kernel's own trace file.
. tests/cli/lib.sh

tar -xzf tests/import/tracing.tar.gz -C "$tmp"
copy=$tmp/tracing
grep -v '^#' "$tmp/trace.txt" >"$tmp/want"

# The events printed by "$@", as lines of the trace file without its header.
trace_of()
{
	hist report -q "$@" -x 'echo 1 > events/enable' -x 'cat trace'
	status_is 0
	grep -v '^#' "$tmp.out" >"$tmp/got"
	cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got" | head -n 6)"
}

it 'has the events of the kernel'\''s trace file, byte for byte'
trace_of -i "$copy"

it 'comes packed by tar through a pipe, too'
tar -C "$tmp" -cf "$tmp/copy.tar" tracing
trace_of -i - <"$tmp/copy.tar"
hist import -q -o "$tmp/packed.dat" - <"$tmp/copy.tar"
status_is 0
trace_of -i "$tmp/packed.dat"

it 'is what the commands of the manual copy'
sed 's/\\-/-/g' man/hist-import.1 | sed -n '/^T=\/sys/,/^\.EE/p' | grep -v '^\.\|trace_pipe_raw\|/proc/\|uname' \
	>"$tmp/commands"
sed -i "s|/sys/kernel/tracing|$copy|; s|/tmp/copy|$tmp/copied|" "$tmp/commands"
sh "$tmp/commands"
for file in events/header_page saved_cmdlines trace_clock per_cpu/cpu0/stats events/sched/sched_switch/format; do
	[ ! -e "$copy/$file" ] || checked cmp "$copy/$file" "$tmp/copied/$file" || fail "$file"
done
checked [ -f "$tmp/copied/saved_cmdlines" ] || fail "no saved_cmdlines: $(ls "$tmp/copied")"

it 'is listed with its own kind and size'
hist list "$copy"
status_is 0
bytes=$(find "$copy" -type f -exec cat {} + | wc -c)
stdout_has "tracing: tracing directory, imported, $bytes bytes\$"
hist list --format json "$copy"
stdout_has "\"bytes\":$bytes,\"imported_from\":\"tracing directory\","

it 'is converted to a trace.dat'
hist import "$copy" -o "$tmp/t.dat"
status_is 0
stderr_has 'tracing: a tracing directory: 1 sub-buffers of 2 CPUs'
trace_of -i "$tmp/t.dat"
hist list "$tmp/t.dat"
stdout_has 'machine *Linux .* x86_64, 2 CPUs, 64-bit little-endian'
stdout_has 'clock *local'

it 'has the processes of tasks'
printf '18263 18245\nx\n5 \n0 1\n18245 18245\n' >"$copy/saved_tgids"
hist import -q -z none "$copy" -o "$tmp/t.dat"
grep -a -E '^(from|of) ' "$tmp/t.dat" >"$tmp/facts"
printf 'from tracing\\040directory\nof 18263 18245\nof 18245 18245\n' | checked cmp -s "$tmp/facts" ||
	fail_file 'facts:' "$tmp/facts"
hist list "$tmp/t.dat"
stdout_has 'tasks  *2 tasks, incomplete, from tracing directory$'
rm "$copy/saved_tgids"

it 'uses the snapshot if the buffer is empty'
mv "$copy/per_cpu/cpu0/trace_pipe_raw" "$copy/per_cpu/cpu0/snapshot_raw"
trace_of -i "$copy"
hist list "$copy"
stderr_has 'some of them from the snapshot'
mv "$copy/per_cpu/cpu0/snapshot_raw" "$copy/per_cpu/cpu0/trace_pipe_raw"

it 'reads sub-buffers of 1 MB, more than are written at a time'
cp -r "$copy" "$tmp/large"
sed -i 's/\(data;.*size:\)4080/\11048560/' "$tmp/large/events/header_page"
for _ in 1 2 3; do
	cp "$copy/per_cpu/cpu0/trace_pipe_raw" "$tmp/page"
	truncate -s 1M "$tmp/page"
	cat "$tmp/page"
done >"$tmp/large/per_cpu/cpu0/trace_pipe_raw"
mkdir -p "$tmp/large/per_cpu/cpu1"
cp "$tmp/page" "$tmp/large/per_cpu/cpu1/trace_pipe_raw"
hist list "$tmp/large"
status_is 0
stdout_has "top buffer: $((4 * $(wc -l <"$tmp/want"))) events, sub-buffers of 1048576 bytes"
rm "$tmp/large/per_cpu/cpu1/trace_pipe_raw"
cp "$tmp/page" "$tmp/large/per_cpu/cpu0/trace_pipe_raw"
trace_of -i "$tmp/large"

it 'reports assumptions, and missing files'
cp -r "$copy" "$tmp/whole"
mv "$copy/events/header_page" "$tmp/"
hist list "$copy"
status_is 0
stderr_has 'has no events/header_page; assuming a 64-bit kernel with sub-buffers of 4096 bytes'
echo nonsense >"$copy/events/header_page"
hist list "$copy"
status_is 2
stderr_has 'tracing/events/header_page does not describe a sub-buffer'
mv "$tmp/header_page" "$copy/events/"
head -c 5000 /dev/zero >>"$copy/per_cpu/cpu0/trace_pipe_raw"
hist list "$copy"
status_is 2
stderr_has 'raw files end within a sub-buffer; 904 bytes are left out'

it 'reports files that cannot be read'
mkdir "$tmp/odd"
for file in kallsyms saved_cmdlines per_cpu/cpu0/stats per_cpu/cpu0/trace_pipe_raw; do
	rm -rf "$tmp/odd"
	cp -r "$tmp/whole" "$tmp/odd"
	rm -f "$tmp/odd/$file"
	mkdir "$tmp/odd/$file"
	hist list "$tmp/odd"
	status_is 2
	stderr_has "odd/$file: "
done
format=$(cd "$tmp/whole" && find events -name format | sort | head -n 1)
rm -rf "$tmp/odd"
cp -r "$tmp/whole" "$tmp/odd"
rm "$tmp/odd/$format"
mkdir "$tmp/odd/$format"
hist list "$tmp/odd"
status_is 2
stderr_has 'odd: 1 event formats cannot be read'

it 'reports formats that are cut'
for size in 0 10 40 200; do
	rm -rf "$tmp/odd"
	cp -r "$tmp/whole" "$tmp/odd"
	truncate -s $size "$tmp/odd/events/raw_syscalls/sys_exit/format"
	hist report -i "$tmp/odd" -x 'echo 1 > events/enable; cat trace'
	status_is 2
	stderr_has 'odd: 1 event formats cannot be read|odd: damaged .*: the format of event'
done
truncate -s 10 "$tmp/odd/events/raw_syscalls/sys_exit/format"
gzip -dc tests/import/plain.data.gz >"$tmp/perf.data"
hist list -i "$tmp/perf.data" --formats "$tmp/odd"
stderr_has 'odd: 1 event formats cannot be read'

it 'reports pipes and devices instead of its files, and reads none of them'
for file in kallsyms trace_clock events/header_page "$format" per_cpu/cpu0/stats per_cpu/cpu0/trace_pipe_raw; do
	for kind in pipe device; do
		rm -rf "$tmp/odd"
		cp -r "$tmp/whole" "$tmp/odd"
		rm -f "$tmp/odd/$file"
		if [ $kind = pipe ]; then
			mkfifo "$tmp/odd/$file"
		else
			ln -s /dev/zero "$tmp/odd/$file"
		fi
		hist list "$tmp/odd"
		status_is 2
		stderr_has 'Operation not supported|is not a regular file|1 event formats cannot be read'
	done
done

it 'rejects a directory that is not a copy of the tracing directory'
mkdir "$tmp/dir" "$tmp/dir/events"
hist list "$tmp/dir"
status_is 2
stderr_has 'dir: is a directory'
mkdir "$tmp/dir/per_cpu"
hist list "$tmp/dir"
status_is 0
stderr_has 'dir: contains no event formats'

done_testing
