#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A recording that lists something twice is an error that names both; nothing is left out silently.
. tests/cli/lib.sh

"${BUILD:-build}/bench/make_recording" "$tmp/good.dat" 2000 mix none 7 2

# edit: runs the Python code on stdin, which changes `data`, good.dat, and writes double.dat. options():
# the offset, number and contents of each option; append(options): adds some, in a new section
edit()
{
	cat >"$tmp/edit"
	python3 - "$tmp/good.dat" "$tmp/double.dat" "$tmp/edit" <<'END_OF_CODE'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
link = data.index(b'none\0') + 6
done = 0
def options():
    global done
    found, at = [], struct.unpack_from('<Q', data, link)[0]
    while at:
        p = at + 16
        number, size = struct.unpack_from('<HI', data, p)
        while number:
            found.append((p, number, bytes(data[p + 6:p + 6 + size])))
            p += 6 + size
            number, size = struct.unpack_from('<HI', data, p)
        done, at = p + 6, struct.unpack_from('<Q', data, p + 6)[0]
    return found
def append(new):
    options()
    struct.pack_into('<Q', data, done, len(data))
    body = b''.join(struct.pack('<HI', n, len(o)) + o for n, o in new) + struct.pack('<HIQ', 0, 8, 0)
    data.extend(struct.pack('<HHIQ', 0, 0, 0, len(body)) + body)
exec(open(sys.argv[3]).read())
open(sys.argv[2], 'wb').write(data)
END_OF_CODE
}

# refused MESSAGE: list, report and slim report it for double.dat
refused()
{
	for command in 'list' 'report -e sys_enter --by id' "slim -e sys_enter --by id -o $tmp/slim.dat"; do
		# shellcheck disable=SC2086 # words
		hist $command -i "$tmp/double.dat"
		status_is 2
		stderr_has "double.dat: $1"
	done
}

it 'two events with one number'
edit <<'END'
data[:] = data.replace(b'ID: 262\n', b'ID: 263\n')
END
refused 'the events sched:sched_wak[a-z]* and sched:sched_wak[a-z]* have the same number, 263'

it 'two formats of one event'
edit <<'END'
data[:] = data.replace(b'name: sched_wakeup\n', b'name: sched_waking\n')
END
refused 'has two formats of the event sched:sched_waking, with the numbers 26[23] and 26[23]'

it 'the same format twice is one'
edit <<'END'
waking, wakeup = data.index(b'name: sched_waking\n'), data.index(b'name: sched_wakeup\n')
size, = struct.unpack_from('<Q', data, waking - 8)
data[wakeup:wakeup + size] = data[waking:waking + size]
END
hist list -i "$tmp/double.dat"
status_is 0

it 'two buffers of one name'
for name in '' inst; do
	edit <<END
top = next(o for p, n, o in options() if n == 3)
section, = struct.unpack_from('<Q', top)
cpu, offset, size = struct.unpack_from('<IQQ', top, len(top) - 40)
half = size // 2 // 4096 * 4096
def option(offset, size):
    return 3, struct.pack('<Q', section) + b'$name\0local\0' + struct.pack('<IIIQQ', 4096, 1, cpu, offset, size)
for p, n, o in options():
    if n == 3:
        struct.pack_into('<H', data, p, 99)
append([option(offset, half), option(offset + half, size - half)])
END
	refused "damaged at offset [0-9]*: .*${name:-top buffer}.* is listed twice"
done

it 'two sections of one kind'
edit <<'END'
for p, n, o in options():
    if n == 19:
        struct.pack_into('<H', data, p, 18)
        struct.pack_into('<H', data, struct.unpack('<Q', o)[0], 18)
END
refused 'damaged at offset [0-9]*: the event formats are here and at offset [0-9]*'

done_testing
