# SPDX-License-Identifier: GPL-2.0-only
"""When the CPU quota of a cgroup was used up, on which CPU, and which tasks that held back: derived:throttle, and a part of derived:held."""


class Quotas:
    """->spans: (path, CPU, begin, end, path of the cgroup whose quota it was): when tasks of a cgroup were held back.
    @tasks: see tasks.py. Times are those of @events; in @tasks, they are @tick times smaller."""

    def __init__(self, events, tasks, tick):
        self.tasks, self.tick, self.spans, self.marks = tasks, tick, [], set()
        marked, last = set(), events[-1].ts
        for (path, cpu), begin, end, by in spans(events, tasks):
            self.spans.append((path, cpu, begin, end.ts if end else last + 1, by))
        for e in events:
            if e.kind.name == "throttle_task":
                marked.add(e.pid)
            elif e.kind.name == "sched_switch":
                if e.values["prev_pid"] in marked:
                    self.marks.add((e.values["prev_pid"], e.ts))
                marked -= {e.values["prev_pid"], e.values["next_pid"]}

    def holds(self, wait, end):
        """(begin, end, by) of the time that a task waits: where its cgroup is held back. Since Linux 6.18 each task is, when it would
        return to user space, until its cgroup may run again: see ->marks."""
        held = wait.state != "woken" and (wait.pid, wait.begin) in self.marks
        for cpu, begin, stop in self.of_one_cgroup(wait.pid, wait.parts(end)):
            found = sorted(s for s in self.spans if s[1] == cpu and s[3] > begin and s[2] < stop and
                           s[0] == self.tasks.cgroup(wait.pid, begin // self.tick))
            if self.tasks.by_task:
                found = [s for s in found if held and s[2] <= begin]
            for _, _, a, b, by in found:
                yield max(a, begin), min(b, stop), by if len(by) < 32 else by.split("/")[-1]
            held = any(s[3] > stop for s in found)

    def of_one_cgroup(self, pid, parts):
        """Parts of a wait, split where the task is moved to another cgroup."""
        for cpu, begin, stop in parts:
            for moved in sorted(since * self.tick for since, _ in self.tasks.cgroups[self.tasks.tgid(pid, begin // self.tick)]):
                if begin < moved < stop:
                    yield cpu, begin, moved
                    begin = moved
            yield cpu, begin, stop


def spans(events, tasks):
    """((path, CPU), begin, the event that ends it, path of whose quota it was): a cgroup can be held back by several quotas, its own and
    those of cgroups that it is in; the first one is named."""
    depth, since, by = {}, {}, {}
    for e in events:
        if e.kind.name not in ("throttle_down", "throttle_up"):
            continue
        path = tasks.paths[e.values["cgroup"]]
        key = path, e.values["on_cpu"]
        if e.kind.name == "throttle_down":
            depth[key] = depth.get(key, 0) + 1
            if depth[key] == 1:
                above = [p for p, cpu in by if cpu == key[1] and path.startswith(p + "/")]
                since[key], by[key] = e.ts, by[max(above, key=len), key[1]] if above else path
        elif depth.get(key):
            depth[key] -= 1
            if not depth[key]:
                yield key, since[key], e, by.pop(key)
    for key in by:
        yield key, since[key], None, by[key]


def throttle(events, tasks):
    last = {}  # numbers of cgroups
    numbers = lambda e: (e.values["ns"], e.values["periods"])
    ends = {id(end): (key, begin, by) for key, begin, end, by in spans(events, tasks) if end}
    for e in events:
        if e.kind.name not in ("throttle_down", "throttle_up"):
            continue
        before = last.setdefault(e.values["cgroup"], numbers(e))
        if id(e) in ends:
            (path, cpu), begin, by = ends[id(e)]
            ns, periods = (now - then for now, then in zip(numbers(e), before))
            last[e.values["cgroup"]] = numbers(e)
            yield e, dict(id=e.values["cgroup"], cgroup=path, by=by, cpu=cpu, ns=e.ts - begin, quota_ns=ns, periods=periods)
