#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Arguments of functions by the BTF that trace-cmd 3.4 records (option 23), compared with the
# kernel's own text.
. tests/cli/lib.sh

gunzip -c tests/import/function-args.txt.gz | grep -v '^#' >"$tmp/trace"
# without task, CPU, flags and time, and without the callers, because the recording lacks some
# symbols
sed 's/^[^:]*: //; s/ <-.*//' "$tmp/trace" | sort >"$tmp/want"

it 'names the arguments as the kernel does'
hist dump --text tests/import/function-args.dat
status_is 0
sed -n 's/.* ftrace:function  //p' "$tmp.out" | sed 's/ <-- .*//' | sort >"$tmp/got"
checked [ -s "$tmp/got" ] || fail 'no function'
checked cmp -s "$tmp/want" "$tmp/got" || fail "$(diff "$tmp/want" "$tmp/got" | head -n 6)"
checked grep -q 'mode=10 \[HRTIMER_MODE_ABS_PINNED_HARD\]' "$tmp/got" || fail 'no enumerator'

it 'prints the same in json'
hist dump --text --format json tests/import/function-args.dat
status_is 0
stdout_has '"text": *" *vfs_read\(file=0x[0-9a-f]+, buf=0x[0-9a-f]+, count=0x[0-9a-f]+, pos=0x[0-9a-f]+\) <-- ksys_read"'

it 'prints the words in hexadecimal without BTF'
# replace the number of option 23, which is followed by the size of its data
python3 - tests/import/function-args.dat "$tmp/without.dat" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
option = b"\x17\0\x08\0\0\0"
assert data.count(option) == 1
open(sys.argv[2], "wb").write(data.replace(option, b"\xff\x7f\x08\0\0\0"))
END
hist dump --text "$tmp/without.dat"
status_is 0
stdout_has 'ftrace:function  vfs_read\(0x[0-9a-f]+, 0x[0-9a-f]+, 0x[0-9a-f]+, 0x[0-9a-f]+, 0x[0-9a-f]+, 0x[0-9a-f]+\) <-- ksys_read'

it 'reports a damaged BTF, and prints the words in hexadecimal'
python3 - tests/import/function-args.dat "$tmp/damaged.dat" <<'END'
import struct
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = struct.unpack_from("<Q", data, data.index(b"\x17\0\x08\0\0\0") + 6)[0]
data[at + 16 + 8:at + 16 + 12] = bytes(4)
open(sys.argv[2], "wb").write(data)
END
hist dump --text "$tmp/damaged.dat"
status_is 2
stderr_has 'damaged.dat: damaged at offset [0-9]*: the BTF cannot be inflated'
stdout_has 'ftrace:function  vfs_read\(0x'

done_testing
