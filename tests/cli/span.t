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
		NR > 1 && $1 + 0 >= from * 1000000000 && $1 + 0 <= to * 1000000000 { n += $NF }
		END { print n + 0 }' "$tmp/times.csv"
}

# The last report has the hits expected for the span $1; a span outside the recording is an error.
hits_fit()
{
	if grep -q 'error: the selected time is outside: the recording is from' "$tmp.err"; then
		checked test "$(expected "$1")" = 0 || fail "$1 is not outside the recording"
		return
	fi
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

# The times of a large recording are not decoded. Its parts of 0.1 ms: the rows of the whole one, and spans
# of these parts. edit_large OUT: as edit_v6, of large.dat; back(i, ns) sets a sub-buffer's clock back
large='hist:keys=common_timestamp.buckets=100000:size=131072'

edit_large()
{
	cat >"$tmp/edit"
	python3 - "$tmp/large.dat" "$1" "$tmp/edit" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
pages = [at for at in range(0, len(data) - 4095, 4096) if 10**9 <= struct.unpack_from('<Q', data, at)[0] < 2 * 10**10]
def back(i, ns):
    struct.pack_into('<Q', data, pages[i], struct.unpack_from('<Q', data, pages[i])[0] - ns)
exec(open(sys.argv[3]).read())
open(sys.argv[2], 'wb').write(data)
END
}

# large_fits FILE SPAN...: each span has the hits that the whole recording has in it, by each plan
large_fits()
{
	file=$1
	shift
	hist report -q --format csv -i "$file" -e sys_enter -R "$large"
	cp "$tmp.out" "$tmp/times.csv"
	for span; do
		for plan in order range; do
			hist report -q -i "$file" --plan="$plan" --from "${span%,*}" --to "${span#*,}" \
				-e sys_enter -R "$key"
			hits_fit "$span"
		done
	done
}

spans='1.0205,1.020599999 1.02,1.024999999 1.39,9 0,1.000199999 5,5.999999999'
it 'a large recording, of ascending times'
"$make" "$tmp/large.dat" 800000 mix none 6 1
"$make" "$tmp/large7.dat" 800000 mix none 7 1
"$make" "$tmp/largez.dat" 800000 mix zstd 7 1
for form in large large7 largez; do
	# shellcheck disable=SC2086 # words
	large_fits "$tmp/$form.dat" $spans
done

it 'a sub-buffer with an earlier time'
edit_large "$tmp/one.dat" <<'END'
back(len(pages) * 3 // 4 + 5, 100 * 10**6)
END
# shellcheck disable=SC2086 # words
large_fits "$tmp/one.dat" $spans

it 'a clock that is set back'
edit_large "$tmp/step.dat" <<'END'
for i in range(len(pages) // 3, len(pages)):
    back(i, 5 * 10**6)
END
# shellcheck disable=SC2086 # words
large_fits "$tmp/step.dat" $spans

it 'a sub-buffer with a later time is the last one in time, not in place'
edit_large "$tmp/late.dat" <<'END'
back(0, -5 * 10**9)
END
# shellcheck disable=SC2086 # words
large_fits "$tmp/late.dat" $spans 6.0,6.000099999
hist report -q --format json -i "$tmp/late.dat" -e sys_enter -R "$key"
stdout_has '"span":{"from":1.000020241,"to":6.0000201'
hist list -i "$tmp/late.dat"
stdout_has '1.000020 s to 6.000020 s'

it 'a file that was changed after it was written'
python3 - "$tmp/large7.dat" "$tmp/changed.dat" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
pages = [at for at in range(0, len(data) - 4095, 4096) if 10**9 <= struct.unpack_from('<Q', data, at)[0] < 2 * 10**10]
clock = lambda at: struct.unpack_from('<Q', data, at)[0]
one = bytearray(data)
struct.pack_into('<Q', one, pages[len(pages) // 16 * 8 + 8], 1020550000)
open(sys.argv[2] + '1', 'wb').write(one)
for at in pages[len(pages) // 2:]:
    struct.pack_into('<Q', data, at, clock(at) - 2 * 10**7)
open(sys.argv[2], 'wb').write(data)
END
# shellcheck disable=SC2086 # words
large_fits "$tmp/changed.dat" $spans
# shellcheck disable=SC2086 # words
large_fits "$tmp/changed.dat1" $spans

# note FILE CODE: copies largez.dat to FILE after running the Python code: `notes` is the list of what was noted of
# chunks (place, first sub-buffer, number, time), `data` the file
note()
{
	cat >"$tmp/edit"
	python3 - "$tmp/largez.dat" "$1" "$tmp/edit" <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
at = data.rindex(struct.pack('<H', 0x4844)) + 6
size = struct.unpack_from('<I', data, at - 4)[0]
notes = [list(struct.unpack_from('<4Q', data, i)) for i in range(at, at + size, 32)]
assert all(data[n[0] + 4:n[0] + 8] == struct.pack('<I', 40960) for n in notes[:-2])
exec(open(sys.argv[3]).read())
data[at:at + size] = b''.join(struct.pack('<4Q', *n) for n in notes)
open(sys.argv[2], 'wb').write(data)
END
}

it 'of compressed data, only the chunks of the span are visited, which the file notes'
note "$tmp/torn.dat" <<'END'
place = notes[len(notes) * 3 // 4][0]
place += 8 + struct.unpack_from('<I', data, place)[0]
data[place:place + 8] = bytes(8)
END
large_fits "$tmp/largez.dat" 1.5805,1.580599999
hist report --strict -i "$tmp/torn.dat" --from 1.5805 --to 1.580599999 -e sys_enter -R "$key"
status_is 0
stderr_is ''
hits_fit 1.5805,1.580599999
hist report --strict -i "$tmp/torn.dat" -e sys_enter -R "$key"
status_is 2
stderr_has 'damaged at offset [0-9]*: CPU 0 has only [0-9]* of [0-9]* chunks'
for plan in order range; do
	hist report -i "$tmp/torn.dat" --plan=$plan --from 2.4 -e sys_enter -R "$key"
	stderr_has 'CPU 0 has only [0-9]* of [0-9]* chunks'
done

it 'notes that are wrong are not used'
for wrong in 'n[3] += 2 * 10**7' 'n[3] = n[3] // 2 + 7 * 10**8' 'n[0] += 8' 'n[1] += 10' 'n[2] += 1' 'n[:] = notes[0]'; do
	for part in 'notes[1:-1]' 'notes[-1:]' 'notes[100:-1]' '[n for n in notes if 1585 < n[3] // 10**6 < 1870]'; do
		echo "for n in $part: $wrong" | note "$tmp/noted.dat"
		for span in 1.5805,1.580599999 1.58,1.874999999 2.2,9; do
			hist report -q -i "$tmp/noted.dat" --from "${span%,*}" --to "${span#*,}" -e sys_enter -R "$key"
			hits_fit "$span"
		done
	done
done

done_testing
