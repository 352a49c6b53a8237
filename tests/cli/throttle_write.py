# SPDX-License-Identifier: GPL-2.0-only
"""throttle_write.py FILE: a recording of cgroups that are held back, with their paths: /a by its own quota, /a/b below it, /ab beside it."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "answers"))
from machines.recording import Event, Shape, Type  # pylint: disable=wrong-import-position

FIELDS = ("u64", "cgroup"), ("u32", "on_cpu"), ("u64", "ns"), ("u64", "periods")
DOWN, UP = Type("hist", "throttle_down", 700, *FIELDS), Type("hist", "throttle_up", 701, *FIELDS)
A, B, BESIDE = 5, 6, 7
WHAT = [(0, DOWN, A, 100, 1), (0, DOWN, B, 0, 0), (10, DOWN, BESIDE, 0, 0), (50, UP, B, 0, 0), (50, UP, A, 50_000_100, 2), (60, UP, BESIDE, 50_000_000, 1)]
events = [Event(kind, 10**9 + ms * 10**6, 0, 20, dict(cgroup=cgroup, on_cpu=0, ns=ns, periods=periods), comm="sh") for ms, kind, cgroup, ns, periods in WHAT]
journal = f"tasks 1\nbegin {10**9}\nis 20 20 1 1 sh\ncgroup {A} /a\ncgroup {B} /a/b\ncgroup {BESIDE} /ab\nscanned {10**9}\nend {2 * 10**9}\n"
Shape().write(sys.argv[1], [DOWN, UP], [events], [(20, "sh")], journal=journal.encode())
