#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where in the kernel tasks wait for locks: wait_stack of derived:lock_wait is the stack of the first contention_begin.
. tests/cli/lib.sh
have python3 || skip_all 'python3 is not installed'

# Two waits of one function, of which one begins again elsewhere, one of another, and one without a stack.
PYTHONPATH=tests/answers python3 -B - "$tmp/locks.dat" <<'END_OF_PROGRAM'
import sys

from machines.doings import CONTEND, CONTENDED
from machines.recording import Event, Shape, Type

STACK = Type("ftrace", "kernel_stack", 4, ("int", "size"), ("unsigned long[*]", "caller"), fmt='"\\t=> %ps\\n", (void *)REC->caller[0]')
events = []


def at(us, kind, **values):
    events.append(Event(kind, 10**9 + us * 1000, 0, 7, values, flags=1, comm="waits"))


def wait(us, length, lock, *stacks):
    for i, callers in enumerate(stacks):
        at(us + i, CONTEND, lock_addr=lock, flags=33 if i == 0 else 32)
        if callers:
            at(us + i, STACK, size=2 + len(callers), caller=[0x7ffe0000, 0x7ffe0010, *callers])
    at(us + length, CONTENDED, lock_addr=lock, ret=0)


HEAP = 0xffff888100000000
wait(10, 20, HEAP, (0x7f000010, 0x7f000020), (0x7f000030,))
wait(50, 5, HEAP, (0x7f000010, 0x7f000020))
wait(60, 3, HEAP, (0x7f000040,))
wait(70, 1, HEAP, ())
Shape().write(sys.argv[1], [CONTEND, CONTENDED, STACK], [events], [(7, "waits")])
END_OF_PROGRAM

it 'the stack where a wait for a lock began is a key'
hist report -q -i "$tmp/locks.dat" -e derived:lock_wait --by wait_stack --sum ns --format csv
status_is 0
sed 1d "$tmp.out" | cut -d , -f 2- | sort >"$tmp/got"
printf '%s\n' '"",1,1000' '0x7f000010;0x7f000020,2,25000' '0x7f000040,1,3000' | checked diff - "$tmp/got" || fail_file 'by stack:' "$tmp.out"
stderr_is ''

it 'the recipe lock-contention has it beside the lock; without stacks, a note names what records them'
hist report -i "$tmp/locks.dat" lock-contention --show 3 --format csv
status_is 0
stdout_has ',0xffff888100000000,0x7f000010 0x7f000020,0x7f000010;0x7f000020,2,25000$'
stderr_lacks 'kernel stacks'
hist report -i tests/cli/recipes/7.3.dat lock-contention --show 3
status_is 0
stderr_has 'note: no kernel stacks were recorded, so sleep_stack, waker_stack and wait_stack are empty: hist record -T'
done_testing
