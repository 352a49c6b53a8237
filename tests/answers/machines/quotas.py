# SPDX-License-Identifier: GPL-2.0-only
"""Random machines on which CPU quotas of cgroups are used up, as the probes of hist record tell (derived:throttle)."""
from machines import machine
from machines.journal import CGROUPS
from machines.recording import Type

FIELDS = ("u64", "cgroup"), ("u32", "on_cpu"), ("u64", "ns"), ("u32", "periods")
DOWN, UP, OF_TASK = Type("hist", "throttle_down", 350, *FIELDS), Type("hist", "throttle_up", 351, *FIELDS), Type("hist", "throttle_task", 352)
LONG = "/system.slice/system-getty.slice/c.service"
IDS = {path: 5 + i for i, path in enumerate([*CGROUPS, "/system.slice/system-getty.slice", LONG])}


class QuotaMachine(machine.Machine):
    """->by_task: of a kernel since 6.18, which holds back each task on its own, when it would return to user space."""

    def other_steps(self):
        self.by_task, self.used_up, self.stats = self.rng.random() < 0.4, {}, {path: [0, 0] for path in IDS}
        return [(0.15, self.quota)] + ([(0.1, self.mark)] if self.by_task else [])

    def kinds(self):
        return [*machine.KINDS, DOWN, UP] + ([OF_TASK] if self.by_task else [])

    def quota(self, cpu):
        """A quota is used up on some CPU, or a period begins. This is recorded of the cgroup and of those in it."""
        on, path = self.rng.choice(self.cpus), self.rng.choice([p for p in IDS if p != "/"])
        if self.used_up and self.rng.random() < 0.5:
            on, path = self.rng.choice([*self.used_up])
        below = [p for p in IDS if p.startswith(path + "/")]
        if (on, path) in self.used_up:
            self.stats[path][0] += self.now - self.used_up.pop((on, path))
            self.stats[path][1] += self.rng.choice([0, 1, 1, 3])
            for p in [*below[::-1], path]:
                self.put(cpu, UP, IDS[p], on.number, *self.stats[p])
        elif not any(c is on and path.startswith(p + "/") for c, p in self.used_up):  # nothing in it runs
            self.used_up[on, path] = self.now
            for p in [path, *below]:
                self.put(cpu, DOWN, IDS[p], on.number, *self.stats[p])

    def mark(self, cpu):
        """Most of the time it leaves the CPU at once, and may be moved."""
        if cpu.task and not cpu.stack and not cpu.batch:
            self.put(cpu, OF_TASK)
            ready = [t for t in self.tasks if t.state == "waits" and t.cpu is cpu]
            if self.rng.random() < 0.8 and not cpu.task.woken:
                self.switch_to(cpu, self.rng.choice(ready) if ready else None, 0)
                self.migrate(cpu)
