# SPDX-License-Identifier: GPL-2.0-only
"""Random machines whose every event is known: CPUs, tasks that sleep, wake, fork, exit and are renamed, interrupts in interrupts,
system calls, and an event with fields of all types."""
import itertools
import random

from machines import doings, kinds
from machines.doings import SOFT_END
from machines.recording import Event, Type

WAKE = (("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"), ("int", "target_cpu"))
SWITCH = Type("sched", "sched_switch", 300, ("char[16]", "prev_comm"), ("pid_t", "prev_pid"), ("int", "prev_prio"), ("long", "prev_state"),
              ("char[16]", "next_comm"), ("pid_t", "next_pid"), ("int", "next_prio"))
WAKING = Type("sched", "sched_waking", 301, *WAKE)
WAKEUP = Type("sched", "sched_wakeup", 302, *WAKE)
NEW = Type("sched", "sched_wakeup_new", 303, *WAKE)
MIGRATE = Type("sched", "sched_migrate_task", 304, ("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"), ("int", "orig_cpu"),
               ("int", "dest_cpu"))
FORK = Type("sched", "sched_process_fork", 305, ("char[16]", "parent_comm"), ("pid_t", "parent_pid"), ("char[16]", "child_comm"),
            ("pid_t", "child_pid"))
EXIT = Type("sched", "sched_process_exit", 306, ("char[16]", "comm"), ("pid_t", "pid"), ("int", "prio"))
RENAME = Type("task", "task_rename", 307, ("pid_t", "pid"), ("char[16]", "oldcomm"), ("char[16]", "newcomm"), ("short", "oom_score_adj"))
IRQ = Type("irq", "irq_handler_entry", 308, ("int", "irq"), ("char[]", "name"))
IRQ_END = Type("irq", "irq_handler_exit", 309, ("int", "irq"), ("int", "ret"))
ENTER = Type("raw_syscalls", "sys_enter", 312, ("long", "id"))
LEAVE = Type("raw_syscalls", "sys_exit", 313, ("long", "id"), ("long", "ret"))
MIXED = Type("test", "mixed", 314, ("s8", "tiny"), ("u8", "byte"), ("s16", "low"), ("u16", "port"), ("s32", "number"), ("u32", "size"),
             ("s64", "offset"), ("u64", "big"), ("unsigned long", "address"), ("char[8]", "tag"), ("char[24]", "path"), ("char[]", "text"))
YIELD = Type("syscalls", "sys_enter_sched_yield", 330, ("int", "__syscall_nr"))
EXEC = Type("sched", "sched_process_exec", 331, ("char[]", "filename"), ("pid_t", "pid"), ("pid_t", "old_pid"))
NEWTASK = Type("task", "task_newtask", 332, ("pid_t", "pid"), ("char[16]", "comm"), ("unsigned long", "clone_flags"), ("short", "oom_score_adj"))
KINDS = [SWITCH, WAKING, WAKEUP, NEW, MIGRATE, FORK, EXIT, RENAME, IRQ, IRQ_END, ENTER, LEAVE, MIXED, YIELD, EXEC, NEWTASK, kinds.KINDS, *doings.KINDS]

NAMES = ["sh", "cc1", "dd", "make", "beef", "a b", "x" * 15, "kworker/0:1", "(sd-pam)", "née", "[k]", "-c", "7", "a-7", "a,b", 'q"q']
TEXTS = ["", "a", "read", "write", "a b", "x=1", "eth0", "long " + "y" * 30, "naïve", "100%", 'say "no"', "a,b"]
INTERRUPTS = ["timer", "eth0-rx-1", "call_function_single", "mlx5_comp0@pci:0000:08:00.0"]


class Task:
    def __init__(self, pid, name, cpu):
        self.pid, self.name, self.cpu, self.state, self.call, self.prio = pid, name, cpu, "sleeps", None, 120
        self.woken, self.locks, self.calls = False, [], []  # woken: while it ran


class Cpu:
    def __init__(self, number):
        self.number, self.task, self.stack, self.idle = number, None, [], f"swapper/{number}"
        self.pending, self.batch, self.locks, self.calls = set(), [], [], []


class Machine(doings.Doings):
    prios = -1, 0, 98, 120  # of tasks: deadline, the highest of real-time, real-time, fair

    def __init__(self, rng, most=None):
        """@most: events, which need no more steps."""
        self.rng, self.now, self.events, self.gaps = rng, rng.choice([1_000_000, 10**12 + 7, 2**45 + 3]), [], {}
        self.even, self.last = rng.random() < 0.25, 0  # events may have equal times: then they have the order of CPUs
        self.newtasks = rng.random() < 0.5  # both events of a new task are recorded
        # the event with fields of all types has other ones; machines without it do not depend on this choice
        self.others = random.Random(rng.getstate()[1][5]).random() < 0.25
        self.plain = rng.random() < 0.5  # texts and names can be told from what is around them in a line
        self.throttles = rng.random() < 0.3  # a CPU may be idle while tasks wait for it; tasks that run are woken
        self.names_of = [n for n in NAMES if not self.plain or n.isalnum() or n in ("a b", "kworker/0:1", "(sd-pam)", "née")]
        self.texts = [t for t in TEXTS if not self.plain or t.isalnum()]
        self.cpus = [Cpu(i) for i in range(rng.choice([1, 2, 2, 3, 4]))]
        self.tasks = [Task(20 + i, rng.choice(self.names_of), rng.choice(self.cpus)) for i in range(rng.randint(3, 12))]
        self.first = [(t.pid, t.name) for t in self.tasks]
        self.steps = [(0.3, self.switch), (0.2, self.wake), (0.08, self.interrupt), (0.1, self.call), (0.12, self.mixed), (0.05, self.rename),
                      (0.04, self.fork), (0.04, self.exit), (0.07, self.migrate), (0.03, self.yields),
                      (0.03, self.early), *self.other_steps()]
        for cpu in self.cpus:  # what each CPU does is known from the beginning
            self.switch_to(cpu, None, 0)
        self.wake(self.cpus[0], 1)  # and that ends of wakeups are recorded
        steps, weights = [s for _, s in self.steps], list(itertools.accumulate(w for w, _ in self.steps))
        for _ in range(rng.choice([30, 200, 600])):
            if most and len(self.events) >= most:
                break
            self.now += rng.choice([1, 500, 20_000, 700_000])
            rng.choices(steps, cum_weights=weights)[0](rng.choice(self.cpus))
        self.names = [(t.pid, t.name) for t in self.tasks]
        del self.events[most or len(self.events):]

    def put(self, cpu, kind, *values, flags=0):
        self.now += not self.even or cpu.number < self.last or self.rng.random() < 0.5
        self.last, task = cpu.number, cpu.task
        self.events.append(Event(kind, self.now, cpu.number, task.pid if task else 0, dict(zip([f[1] for f in kind.fields], values)),
                                 flags | (8 if any(k == "irq" for k, _ in cpu.stack) else 0) | (16 if cpu.stack else 0) | (kind in (WAKING, WAKEUP, NEW)),
                                 task.name if task else cpu.idle))

    def switch_to(self, cpu, task, state):
        was = cpu.task
        if was and self.rng.random() < 0.05:
            was.prio = self.rng.choice(self.prios)
        self.put(cpu, SWITCH, was.name if was else cpu.idle, was.pid if was else 0, was.prio if was else 120, state,
                 task.name if task else cpu.idle, task.pid if task else 0, task.prio if task else 120)
        if was:
            was.state = {0: "waits", 1: "sleeps", 2: "sleeps"}.get(state, "dead")
            if was.woken and was.state == "sleeps":
                was.state = "waits"
            was.woken = False
        if task:
            task.state, task.cpu = "runs", cpu
        cpu.task = task

    def switch(self, cpu):
        if cpu.stack or cpu.batch:
            return self.end_interrupt(cpu)
        ready = [t for t in self.tasks if t.state == "waits" and t.cpu is cpu]
        if ready or cpu.task:
            state = self.rng.choice([0, 1, 1, 2] if ready or self.throttles else [1, 2]) if cpu.task else 0
            self.switch_to(cpu, self.rng.choice(ready) if ready else None, state or int(bool(cpu.task and cpu.task.woken)))

    def wake(self, cpu, ends=0.7):
        asleep = [t for t in self.tasks if t.state == "sleeps"]
        if not asleep:
            return
        t = self.rng.choice(asleep)
        target = self.rng.choice(self.cpus)
        self.put(cpu, WAKING, t.name, t.pid, t.prio, target.number)
        if self.rng.random() < ends:
            self.put(cpu, WAKEUP, t.name, t.pid, t.prio, target.number)
        t.state, t.cpu = "waits", target

    def migrate(self, cpu):
        ready = [t for t in self.tasks if t.state == "waits"]
        if ready:
            t, to = self.rng.choice(ready), self.rng.choice(self.cpus)
            self.put(cpu, MIGRATE, t.name, t.pid, t.prio, t.cpu.number, to.number)
            t.cpu = to

    def interrupt(self, cpu):
        if len(cpu.stack) > 2 or self.rng.random() < 0.3:
            return self.end_interrupt(cpu)
        hard = [i for i in range(4) if ("irq", i) not in cpu.stack]
        if hard:
            n = self.rng.choice(hard)
            self.put(cpu, IRQ, n, INTERRUPTS[n])
            cpu.stack.append(("irq", n))

    def end_interrupt(self, cpu):
        if cpu.stack:
            self.end_locks(cpu)
            kind, n = cpu.stack.pop()
            self.put(cpu, IRQ_END if kind == "irq" else SOFT_END, *((n, 1) if kind == "irq" else (n,)))

    def call(self, cpu):
        if not cpu.task or cpu.stack:
            return
        if cpu.task.call is None:
            cpu.task.call = self.rng.choice([0, 1, 7, 202, 230])
            self.put(cpu, ENTER, cpu.task.call)
        else:
            self.put(cpu, LEAVE, cpu.task.call, self.rng.choice([0, 0, 5, 4096, -2, -11]))
            cpu.task.call = None

    def yields(self, cpu):
        if cpu.task and not cpu.stack and not cpu.batch and cpu.task.call is None and not cpu.task.woken:
            ready = [t for t in self.tasks if t.state == "waits" and t.cpu is cpu]
            if not ready and not self.throttles:
                return
            cpu.task.call = 24
            self.put(cpu, ENTER, 24)
            self.put(cpu, YIELD, 24)
            self.switch_to(cpu, self.rng.choice(ready) if ready else None, 0)

    def early(self, cpu):
        """Wakes a task that runs: it is on its way to sleep, or decided not to sleep."""
        others = [c for c in self.cpus if c.task and c is not cpu and not c.task.woken]
        if others:
            to = self.rng.choice(others)
            t = to.task
            stays = bool(to.stack or to.batch) or self.rng.random() < 0.3
            if stays and not self.throttles:
                return None
            self.put(cpu, WAKING, t.name, t.pid, t.prio, to.number)
            if stays:
                return self.put(cpu, WAKEUP, t.name, t.pid, t.prio, to.number)
            t.woken = True
            self.switch(to)  # and its CPU may be idle until it is put on a queue
            if self.rng.random() < 0.6 and not any(c.task is t for c in self.cpus):
                self.put(cpu, WAKEUP, t.name, t.pid, t.prio, to.number)

    def mixed(self, cpu):
        r = self.rng
        if self.others:
            return self.put(cpu, kinds.KINDS, *kinds.values(r, len(self.cpus)).values())
        near = lambda bits, signed: r.choice([0, 1, 2, 3, 100, 2**(bits - 1) - 1] + ([-1, -2, -100, -2**(bits - 1)] if signed else [2**bits - 1, 2**(bits - 1)]))
        self.put(cpu, MIXED, near(8, 1), near(8, 0), near(16, 1), near(16, 0), near(32, 1), near(32, 0), near(64, 1), near(64, 0),
                 r.choice([0, 64, 0x7ffff000]), r.choice(self.texts)[:7], r.choice(self.texts)[:23], r.choice(self.texts))

    def rename(self, cpu):
        if cpu.task and not cpu.stack:
            name = self.rng.choice(self.names_of)
            self.put(cpu, RENAME, cpu.task.pid, cpu.task.name, name, 0)
            cpu.task.name = name
            if "/" not in name and self.rng.random() < 0.3:
                self.put(cpu, EXEC, "/bin/" + name, cpu.task.pid, cpu.task.pid)

    def fork(self, cpu, pid=None):
        if not cpu.task or cpu.stack or cpu.batch or len(self.tasks) > 20:
            return
        child = Task(pid or max(t.pid for t in self.tasks) + 1, cpu.task.name, self.rng.choice(self.cpus))
        if self.newtasks:
            self.put(cpu, NEWTASK, child.pid, child.name, self.rng.choice([0x11, 0x3d0f00]), 0)
        self.put(cpu, FORK, cpu.task.name, cpu.task.pid, child.name, child.pid)
        self.put(cpu, NEW, child.name, child.pid, child.prio, child.cpu.number)
        child.state = "waits"
        self.tasks.append(child)

    def exit(self, cpu):
        if not cpu.task or cpu.stack or cpu.batch or cpu.task.locks or len(self.tasks) < 3:
            return
        gone = cpu.task
        self.put(cpu, EXIT, gone.name, gone.pid, gone.prio)
        ready = [t for t in self.tasks if t.state == "waits" and t.cpu is cpu]
        self.switch_to(cpu, self.rng.choice(ready) if ready and not self.throttles else None, 16)
        self.tasks.remove(gone)
        others = [c for c in self.cpus if c.task and not c.stack and not c.batch]
        if others and self.rng.random() < 0.6:  # its pid is used again
            self.fork(self.rng.choice(others), gone.pid)

    def lose(self, rng):
        """Some events are lost, before which ->gaps has their number, or None: it is not known. None of them says who a task is."""
        gone = set()
        for cpu in self.cpus:
            events = [e for e in self.events if e.cpu == cpu.number]
            for _ in range(rng.choice([0, 1, 3])):
                first = rng.randrange(len(events))
                some = events[first:first + rng.choice([1, 4, 30])]
                if not any(e.kind in (RENAME, FORK, NEWTASK, EXEC, EXIT) for e in some) and first + len(some) < len(events):
                    gone.update(map(id, some))
                    self.gaps[id(events[first + len(some)])] = rng.choice([None, len(some)])
        self.events = [e for e in self.events if id(e) not in gone]

    def of_cpus(self):
        """The events of each CPU, and where some were lost."""
        return [[x for e in self.events if e.cpu == c.number for x in ([self.gaps[id(e)]] if id(e) in self.gaps else []) + [e]] for c in self.cpus]

    def write(self, path, shape):
        shape.write(path, KINDS, self.of_cpus(), self.names)
