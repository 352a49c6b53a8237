#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# hist report --from, --to: sub-buffers outside the span are not read; the result is the same.
. tests/cli/lib.sh

# The recordings have 1300 sub-buffers, from 1.0 s to 1.3 s.
make=${BUILD:-build}/bench/make_recording
for form in none zlib zstd; do
	"$make" "$tmp/$form.dat" 100000 mix "$form" 7 4
done
"$make" "$tmp/v6.dat" 100000 mix none 6 4

by_time='hist:keys=common_timestamp:size=131072'
key='hist:keys=common_cpu'
spans='1.05,1.0501 1.281558016,1.281558016 1,1.0001 1.1,9 0,1.02 9,10 1.2811,1.2822'

# Print the rows of the whole recording with times in $1, by CPU.
expected()
{
	awk -F, -v from="${1%,*}" -v to="${1#*,}" '
		NR > 1 && $1 + 0 >= from * 1000000000 && $1 + 0 <= to * 1000000000 { n += $2 }
		END { print n + 0 }' "$tmp/times.csv"
}

# The last report has the hits expected for the span $1.
hits_fit()
{
	checked test "$(awk '/^    Hits:/ { print $2 }' "$tmp.out")" = "$(expected "$1")" ||
		fail_file "not $(expected "$1") hits in $1:" "$tmp.out"
}

# edit_v6 OUT: copies v6.dat to OUT after running the Python code on stdin, which changes `data`;
# `pages` are the offsets of the sub-buffers with times of make_recording's events
edit_v6()
{
	cat >"$tmp/edit"
	python3 - "$tmp/v6.dat" "$1" "$tmp/edit" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
pages = [at for at in range(0, len(data) - 4095, 4096) if 10**9 <= struct.unpack_from('<Q', data, at)[0] < 2 * 10**9]
exec(open(sys.argv[3]).read())
open(sys.argv[2], 'wb').write(data)
END
}

it 'a span has the events of its time'
hist report --unlimited --format csv -i "$tmp/none.dat" -e sys_enter -R "$by_time"
status_is 0
cp "$tmp.out" "$tmp/times.csv"
for form in none zlib zstd v6; do
	for span in $spans; do
		hist report -q -i "$tmp/$form.dat" --from "${span%,*}" --to "${span#*,}" \
			-e sys_enter -R "$key"
		hits_fit "$span"
	done
done

it 'also in order, with names of tasks from before the span'
for span in $spans; do
	hist report -q -i "$tmp/none.dat" --plan=order --from "${span%,*}" --to "${span#*,}" \
		-e sys_enter -R "$key"
	hits_fit "$span"
	hist report -q -i "$tmp/none.dat" --from "${span%,*}" --to "${span#*,}" \
		-e sys_enter -R 'hist:keys=common_pid.execname'
	hits_fit "$span"
done

it 'if the time of a CPU decreases, all sub-buffers are read'
edit_v6 "$tmp/back.dat" <<'END'
n = len(pages) // 4
a, b = pages[n // 4], pages[n // 2]
size = 4096 * (n // 8)
data[a:a + size], data[b:b + size] = data[b:b + size], data[a:a + size]
END
for span in $spans; do
	hist report -q -i "$tmp/back.dat" --from "${span%,*}" --to "${span#*,}" -e sys_enter -R "$key"
	hits_fit "$span"
done

it 'damage outside the span is not read'
edit_v6 "$tmp/bad.dat" <<'END'
commit = pages[len(pages) // 8 + 3] + 8
struct.pack_into('<Q', data, commit, 1 << 20)
END
hist report --strict -i "$tmp/bad.dat" -e sys_enter -R "$key"
status_is 2
stderr_has 'damaged'
hist report --strict -i "$tmp/bad.dat" --to 1.2 -e sys_enter -R "$key"
status_is 0
stderr_is ''

done_testing
