# SPDX-License-Identifier: GPL-2.0-only
"""Random schedules of tasks with system calls and nested interrupts, whose parts are known: derived_calls.py HIST DIR SEEDS"""
import random
import re
import subprocess
import sys

from derived_write import Event, Recording

SWITCH = Event("sched", "sched_switch", 100, [
    ("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
    ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1)])
WAKING = Event("sched", "sched_waking", 101, [
    ("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int target_cpu", 4, 1)])
ENTER = Event("raw_syscalls", "sys_enter", 102, [("long id", 8, 1)])
EXIT = Event("raw_syscalls", "sys_exit", 103, [("long id", 8, 1), ("long ret", 8, 1)])
SOFT, SOFT_END = (Event("irq", f"softirq_{w}", i, [("unsigned int vec", 4, 0)]) for i, w in enumerate(("entry", "exit"), 104))
IRQ = Event("irq", "irq_handler_entry", 106, [("int irq", 4, 1), ("char name[]", 0, 0)])
IRQ_END = Event("irq", "irq_handler_exit", 107, [("int irq", 4, 1), ("int ret", 4, 1)])
SCRIPT = """echo 1 > events/derived/syscall/enable
echo 1 > events/derived/irq/enable
echo 100000 > buffer_size_kb
cat trace
"""
PARTS = ("running", "waiting", "sleeping", "irq")


class Task:
    def __init__(self, pid):
        self.pid, self.state, self.call = pid, "sleeping", None

    def passes(self, ns):
        """It is in its state for ns."""
        if self.call:
            self.call[2][self.state] += ns


class Machine:
    def __init__(self, seed):
        self.r, self.now, self.want = random.Random(seed), 1000, []
        self.out = Recording([SWITCH, WAKING, ENTER, EXIT, SOFT, SOFT_END, IRQ, IRQ_END])
        self.tasks = [Task(10 + i) for i in range(7)]
        self.cpus = [None, None]  # the task that runs; None: idle

    def advance(self):
        ns = self.r.randrange(1, 5000)
        self.now += ns
        for t in self.tasks:
            t.passes(ns)

    def pid(self, cpu):
        return self.cpus[cpu].pid if self.cpus[cpu] else 0

    def add(self, cpu, event, *values):
        self.out.add(cpu, self.now, event, self.pid(cpu), values)

    def switch(self, cpu):
        ready = [t for t in self.tasks if t.state == "waiting"]
        prev, state = self.cpus[cpu], self.r.choice((0, 1, 2))
        after = self.r.choice(ready + [None]) if ready else None
        if after is prev:
            return
        self.add(cpu, SWITCH, "a", self.pid(cpu), 120, state, "b", after.pid if after else 0, 120)
        if prev:
            prev.state = "sleeping" if state else "waiting"
        if after:
            after.state = "running"
        self.cpus[cpu] = after

    def wake(self, cpu):
        asleep = [t for t in self.tasks if t.state == "sleeping"]
        if asleep:
            t = self.r.choice(asleep)
            self.add(cpu, WAKING, "c", t.pid, 120, self.r.randrange(2))
            t.state = "waiting"

    def syscall(self, cpu):
        t = self.cpus[cpu]
        if t and t.call:
            number, start, parts = t.call
            ret = self.r.randrange(-5, 5)
            self.add(cpu, EXIT, number, ret)
            self.want.append(("syscall", t.pid, number, ret, self.now - start, *(parts[p] for p in PARTS), 0))
            t.call = None
        elif t:
            t.call = (self.r.choice((0, 1, 7, 202, 9999)), self.now, dict.fromkeys(PARTS, 0))
            self.add(cpu, ENTER, t.call[0])

    def interrupt(self, cpu, soft, numbers):
        """Returns its length; nothing else happens on the CPU meanwhile, but time passes for all."""
        number, start, nested = numbers.pop(), self.now, 0
        self.add(cpu, SOFT if soft else IRQ, number, *(() if soft else ("timer",)))
        self.advance()
        while numbers and self.r.random() < 0.3:
            nested += self.interrupt(cpu, False, numbers)
            self.advance()
        self.add(cpu, SOFT_END if soft else IRQ_END, number, *(() if soft else (0,)))
        ns = self.now - start
        self.want.append(("irq", self.pid(cpu), "softirq" if soft else "irq", ns, ns - nested))
        return ns

    def interrupts(self, cpu):
        t = self.cpus[cpu]
        if t:
            t.state = "irq"
        self.interrupt(cpu, self.r.random() < 0.5, self.r.sample(range(10), 4))
        if t:
            t.state = "running"

    def run(self, steps):
        # without a task of its own a CPU is not known to be idle
        for cpu in (0, 1):
            self.advance()
            self.add(cpu, SWITCH, "a", 0, 120, 0, "b", self.tasks[cpu].pid, 120)
            self.tasks[cpu].state, self.cpus[cpu] = "running", self.tasks[cpu]
        for _ in range(steps):
            self.advance()
            self.r.choice((self.switch, self.wake, self.wake, self.syscall, self.syscall, self.interrupts))(self.r.randrange(2))


def derived(text):
    for line in text.splitlines():
        m = re.search(r": (syscall|irq): pid=(\d+) .*", line)
        if not m:
            continue
        f = dict(w.split("=", 1) for w in m[0].split() if "=" in w)
        pid = int(m[2])
        if m[1] == "irq":
            yield "irq", pid, f["kind"], int(f["ns"]), int(f["self_ns"])
        else:
            yield ("syscall", pid, int(f["id"]), int(f["ret"]), int(f["ns"]), *(int(f[p + "_ns"]) for p in PARTS), int(f["unknown_ns"]))


def main():
    hist, tmp, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(tmp + "/calls.script", "w") as f:
        f.write(SCRIPT)
    for seed in range(seeds):
        machine = Machine(seed)
        machine.run(3000)
        machine.out.write(tmp + "/calls.dat")
        out = subprocess.run([hist, "report", "-q", "-i", tmp + "/calls.dat", tmp + "/calls.script"],
                             capture_output=True, text=True, check=True).stdout
        got = list(derived(out))
        if got != machine.want or len(got) < 500:
            for n, (a, b) in enumerate(zip(got, machine.want)):
                if a != b:
                    sys.exit(f"seed {seed}, event {n}: {a} is not {b}")
            sys.exit(f"seed {seed}: {len(got)} events are not {len(machine.want)}")


main()
