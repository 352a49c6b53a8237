# SPDX-License-Identifier: GPL-2.0-only
"""Processes, cgroups and descendants of tasks at a time, as the journal of a recording states them."""

# of these events, the field with the pid of the task that they are about
ABOUT = {"sched_switch": "next_pid", "sched_waking": "pid", "sched_wakeup": "pid", "sched_wakeup_new": "pid", "sched_migrate_task": "pid"}


class Tasks:
    """By pid, (since, what it was since then): ->names, ->tgids; of processes, ->cgroups, which their threads share. ->born: when tasks
    with this pid began; ->parents: (parent, child); ->paths: of cgroups, by their numbers;
    ->by_task: see machines/quotas.py; ->quotas: these are known."""

    def __init__(self):
        self.by_task = self.quotas = False
        self.names, self.tgids, self.cgroups, self.born, self.parents, self.paths = {}, {}, {}, {}, [], {}

    @staticmethod
    def at(changes, ts):
        return [value for since, value in changes if since <= ts][-1]

    def name(self, pid, ts):
        return self.at(self.names[pid], ts)

    def tgid(self, pid, ts):
        return self.at(self.tgids[pid], ts)

    def cgroup(self, pid, ts):
        return self.at(self.cgroups[self.tgid(pid, ts)], ts)

    def task(self, pid, ts):
        """sh-300, or sh-300 (2): the second task with this name and pid."""
        life = lambda when: sum(born <= when for born in self.born.get(pid, []))
        name = self.name(pid, ts)
        before = {life(since) for since, other in self.names[pid] if other == name and life(since) < life(ts)}
        return f"{name}-{pid}" + (f" ({len(before) + 1})" if before else "")

    def tree(self, pid):
        """It and its descendants."""
        found = {pid}
        for parent, child in self.parents:
            if parent in found:
                found.add(child)
        return found

    def keys_of(self, row):
        # what is open at the end is known after the last event, which may be a new name
        pid, ts = row["@pid"], row["@ts"] + (row.get("open") == "end")
        return {"task": self.task(pid, ts), "process": self.task(self.tgid(pid, ts), ts), "tgid": str(self.tgid(pid, ts)), "cgroup": self.cgroup(pid, ts),
                "pid": str(pid), "cpu": str(row["@cpu"])}


def selects(table, test, negated, of_names=False):
    """@test of the task of a row; of the scheduler's events, also of the task that they are about. Idle tasks have names, and are others."""
    field = ABOUT.get(table.event.removeprefix("sched:"))
    about = lambda r: test(dict(r, **{"@pid": r[field], "@comm": r[field.replace("pid", "comm")]})) if r[field] or of_names else negated
    return lambda r: test(r) or bool(field and about(r))
