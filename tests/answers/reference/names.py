# SPDX-License-Identifier: GPL-2.0-only
"""Which names tasks had."""


class Names:
    """Which name a task had at a time."""

    def __init__(self, events):
        self.of = {}
        for e in events:
            renamed = e.kind.name == "task_rename"
            self.of.setdefault(e.pid, [(0, e.values["oldcomm"])] if renamed else []).append((e.ts, e.values["newcomm"] if renamed else e.comm))
            if e.kind.name == "sched_process_fork":
                self.of.setdefault(e.values["child_pid"], []).append((e.ts, e.values["child_comm"]))
            elif e.kind.name == "sched_switch":  # who runs then may have no record of its own
                self.of.setdefault(e.values["next_pid"], []).append((e.ts, e.values["next_comm"]))
            elif e.kind.name == "task_newtask":
                self.of.setdefault(e.values["pid"], []).append((e.ts, e.values["comm"]))

    def at(self, pid, ts):
        return ([name for when, name in self.of[pid] if when <= ts] or [self.of[pid][0][1]])[-1] if pid else None


class Lives:
    """Which task with its pid and name a task is: "sh-300", "sh-300 (2)"."""

    def __init__(self, events):
        self.born, self.named = {}, {}
        for e in events:
            self.named.setdefault((e.pid, e.comm), set()).add(self.life(e.pid, e.ts))
            v = e.values
            if e.kind.name == "sched_process_fork":
                self.born.setdefault(v["child_pid"], []).append(e.ts)
                self.named.setdefault((v["child_pid"], v["child_comm"]), set()).add(self.life(v["child_pid"], e.ts))

    def life(self, pid, ts):
        return sum(born <= ts for born in self.born.get(pid, []))

    def task(self, pid, comm, ts):
        before = sum(life < self.life(pid, ts) for life in self.named.get((pid, comm), [])) if pid else 0
        return f"{comm}-{pid}" + (f" ({before + 1})" if before else "")
