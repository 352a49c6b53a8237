# SPDX-License-Identifier: GPL-2.0-only
"""hist --clip: intervals that are cut to a span of time, so that their times add up to it."""
import collections

from reference import calls, derived, scheduler
from roads import holes
from roads.questions import seconds

# what of an interval does not change when it is cut
FIELDS = {"wait": ("pid", "kind"), "task_state": ("pid", "state"), "syscall": ("pid", "id"), "lock_wait": ("pid", "lock", "kind"), "softirq_wait": ("name", "cpu"),
          "runqueue": ("cpu", "depth")}


def unfinished(events, name):
    """(what it is, begin) of intervals that still last at the end."""
    now = {}
    if name in ("wait", "task_state"):
        collections.deque(scheduler.intervals_of_tasks(events, now), 0)
        return [((i.pid, i.state), i.begin) for i in now.values() if name == "task_state" or i.state in scheduler.WAITS]
    if name == "syscall":
        collections.deque(calls.syscall(events, {}, now), 0)
        return [((pid, number), begin) for pid, (number, begin) in now.items()]
    return None


def differences(hist, path, events, shape, rng):
    name = rng.choice([*FIELDS])
    a, b = sorted(rng.choice(events).ts + rng.choice([0, 0, 1]) for _ in range(2))
    if a == b:
        return
    id_of = lambda f: tuple(f[n] for n in FIELDS[name])
    cut = lambda begin, end: (min(end, b), min(end, b) - max(begin, a))
    right, may = collections.Counter(), collections.Counter()
    for e, f in derived.models(shape)[name](events):
        end, ns = cut(e.ts - f["ns"], e.ts)
        # one that only touches the span may be there with no time
        (right if ns > 0 else may)[id_of(f), end, max(ns, 0)] += 1
    of_end = unfinished(events, name)
    for what, begin in of_end or ():
        end, ns = cut(begin, events[-1].ts)
        (right if ns > 0 else may)[what, end, max(ns, 0)] += 1
    got = collections.Counter((id_of(f), ts, f["ns"]) for ts, f in holes.rows_of(hist, path, name, "--clip", "--from=" + seconds(a), "--to=" + seconds(b)))
    what = f"hist events -i {path} -e derived:{name} --clip --from={seconds(a)} --to={seconds(b)}"
    for row in sorted(right - got, key=str)[:3]:
        yield f"{what}: {row} is missing"
    # what had begun before the recording, or is not over, begins or ends with the span
    first = {e.cpu: e.ts for e in reversed(events)}
    for row in sorted(got - right - may, key=str)[:3]:
        _, end, ns = row
        if end - ns > max(a, *first.values()) and (end < min(b, events[-1].ts) or of_end is not None):
            yield f"{what}: {row} is too much"
