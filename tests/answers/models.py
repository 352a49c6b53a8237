# SPDX-License-Identifier: GPL-2.0-only
"""models.py MODELS FIRST SEEDS: the reference beside the models of another hand in MODELS, ../shared/models.

Both derive from the events of the same random machines. The models read them as texts of trace-cmd, and what they ask hist for is answered by
derived.py. Prints what was compared, and what differs; exits with 1 if something does, with 77 without MODELS.
"""
import collections
import contextlib
import io
import os
import random
import re
import runpy
import sys

from machines import machine
from machines.recording import Shape
from reference import derived

SOFTIRQS = "HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU".split()
STATES = {0: "R", 1: "S", 2: "D", 4: "T", 8: "t", 16: "X", 32: "Z", 64: "P", 128: "I"}

# --- texts of events, as trace-cmd report -N prints them ---

WAKE = r"comm={comm:s} pid={pid} prio={prio} target_cpu={target_cpu}"
RQ = "{dev} {rwbs:w} {bytes} () {sector} + {nr_sector} [{comm:s}]"
TEXTS = {
    "sched_switch": "prev_comm={prev_comm:s} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state} ==> next_comm={next_comm:s} "
                    "next_pid={next_pid} next_prio={next_prio}",
    "sched_waking": WAKE, "sched_wakeup": WAKE, "sched_wakeup_new": WAKE,
    "sched_migrate_task": "comm={comm:s} pid={pid} prio={prio} orig_cpu={orig_cpu} dest_cpu={dest_cpu}",
    "sched_process_fork": "comm={parent_comm:s} pid={parent_pid} child_comm={child_comm:s} child_pid={child_pid}",
    "sched_process_exit": "comm={comm:s} pid={pid} prio={prio}",
    "task_rename": "pid={pid} oldcomm={oldcomm:s} newcomm={newcomm:s} oom_score_adj={oom_score_adj}",
    "irq_handler_entry": "irq={irq} name={name:s}", "irq_handler_exit": "irq={irq} ret={ret}",
    "softirq_entry": "vec={vec}", "softirq_exit": "vec={vec}", "softirq_raise": "vec={vec}",
    "sys_enter": "NR {id} ()", "sys_exit": "NR {id} = {ret}", "sys_enter_sched_yield": "",
    "contention_begin": "{lock_addr} (flags={flags})", "contention_end": "{lock_addr} (ret={ret})",
    "block_rq_insert": RQ, "block_rq_issue": RQ, "block_rq_merge": RQ,
    "block_rq_requeue": "{dev} {rwbs:w} () {sector} + {nr_sector} [0]", "block_rq_complete": "{dev} {rwbs:w} () {sector} + {nr_sector} [{error}]",
    "print": "mark: {buf:s}",
}
WORDS = {
    "prev_state": lambda v: STATES.get(v, "R+"), "vec": lambda v: f"{v} [action={SOFTIRQS[v]}]", "lock_addr": lambda v: f"0x{v:x}",
    "dev": lambda v: f"{v >> 20},{v & 0xfffff}", "flags": lambda v: f"{v:#x}", "buf": lambda v: v.rstrip("\n"),
}


def text_of(e):
    values = {n: WORDS.get(n, str)(v) for n, v in e.values.items()}
    return re.sub(r"\{(\w+)(?::\w)?\}", lambda m: values[m[1]], TEXTS[e.kind.name])


def tuples(events):
    """As load() of the models returns them."""
    for e in events:
        interrupt = ".hsH"[bool(e.flags & 8) + 2 * bool(e.flags & 16)]
        yield e.ts, e.cpu, f"..{interrupt}..", e.pid, e.kind.name, text_of(e)


# --- what both know ---

# of these markers, the models read all
MARKER = re.compile(r"B\|\d+\|[^|]*|E(\|\d+)?|[SF]\|\d+\|[^|]*\|\d+|C\|\d+\|[^|]*\|-?\d+(\|[^|]*)?")


def place_of(e):
    """Of a request: what machines use for one at a time."""
    return e.values["dev"], e.values["sector"] // 64 % 2**58


def common(events):
    """Without requests that are merged, given back or done in parts, of which the models know only the first issue and end; and without
    waits of idle tasks for locks: each CPU has one, which are one task in the models."""
    left = {}
    apart = set()
    for e in events:
        if e.kind.name in ("block_rq_merge", "block_rq_requeue"):
            apart.add(place_of(e))
        elif e.kind.name == "block_rq_issue":
            left[place_of(e)] = e.values["nr_sector"]
        elif e.kind.name == "block_rq_complete" and left.get(place_of(e)) != e.values["nr_sector"]:
            apart.add(place_of(e))
    return [e for e in events if e.kind.name in TEXTS and (e.kind.name != "print" or MARKER.fullmatch(e.values["buf"].rstrip("\n")))
            and not (e.kind.system == "block" and place_of(e) in apart) and (e.pid or e.kind.system != "lock")]


class Machine(machine.Machine):
    """Without tasks that are woken while they run, which sleep in the models until sched_wakeup; and every wait ends, because the models
    count no others in the depth of a queue. The models know nothing of the budgets of classes, nor of quotas: there is one class,
    and no CPU becomes idle while a task waits for it. A task that ends when another one gets its pid is the same one in them."""

    prios = (120,)
    throttles = even = property(lambda self: False, lambda self, value: None)

    def __init__(self, rng):
        super().__init__(rng)
        for cpu in self.cpus:
            while cpu.stack:
                self.end_interrupt(cpu)
            for t in [t for t in self.tasks if t.state == "waits" and t.cpu is cpu]:
                self.now += 1000
                self.switch_to(cpu, t, 1 if cpu.task else 0)
            if cpu.task:
                self.switch_to(cpu, None, 1)

    def early(self, cpu):
        pass

    def migrate(self, cpu):
        """The models know the idle time of the other one of two CPUs, if the task waits for one of them only."""
        if len(self.cpus) != 2:
            super().migrate(cpu)


# --- the reference answers instead of hist ---

class Answers:
    def __init__(self, events):
        self.events, self.models = events, derived.models(Shape())

    def hist(self, _program, _path, event, *_):
        name = event.partition(":")[2]
        if not name:
            return [dict(ts=e.ts, pid=e.pid, comm=e.comm) for e in self.events if e.kind.name == event], ""
        rows = [dict(ts=e.ts, pid=f.get("pid", f.get("victim_pid")), cpu=e.cpu, fields=f) for e, f in self.models[name](self.events)]
        for f in (r["fields"] for r in rows):
            for kind, text in (("culprit_kind", "culprit_comm"), ("kind", "name")):
                if f.get(kind) == "softirq" or name == "softirq_wait" and text == "name":
                    f[text] = SOFTIRQS[int(f[text])]
        return rows, ""


def run(events):
    """What the models print."""
    import cmp
    import load
    answers, texts, out = Answers(events), list(tuples(events)), io.StringIO()
    for module in (load, cmp):
        module.load, module.hist = (lambda *_: texts), answers.hist
    with contextlib.redirect_stdout(out):
        cmp.run("events", parts="swdilqbx")
        for script in ("rq.py", "nmchk.py", "nmchk2.py"):
            sys.argv = [script, "events"]
            runpy.run_path(os.path.join(os.path.dirname(load.__file__), script))
    return out.getvalue()


# --- what they print ---

LINES = (
    r"(?P<what>.+): model (?P<n>\d+) hist \d+ equal (?P<same>\d+) model-only \d+ hist-only (?P<more>\d+)",
    r"(?P<what>delay): waits (?P<n>\d+) equal (?P<same>\d+) hist-only waits (?P<more>\d+)",
    r"(?P<what>runqueue) intervals (?P<n>\d+) equal (?P<same>\d+) .*",
    r"(?P<what>syscall parts): (?P<n>\d+) different \d+ outside hidden windows (?P<more>\d+)",
    r"(?P<what>slice parts) (?P<n>\d+) different (?P<more>\d+) .*",
    r"(?P<what>derived:\S+ \S+) checked (?P<n>\d+) different (?P<more>\d+) .*",
    r"events (?P<what>delays by tasks) (?P<n>\d+) name it never had then (?P<more>\d+) .*",
)


def results(text, cpus):
    """(what, how many were compared, how many differ, the line)"""
    for line in text.splitlines():
        found = next(filter(None, (re.fullmatch(r"\s*" + pattern, line) for pattern in LINES)), None)
        # a culprit has the name that it had when it last ran, which is in "delays by tasks", and not the one at the end
        if not found or "culprit_comm" in found["what"] or "other_idle" in found["what"] and cpus != 2:
            continue
        g = found.groupdict()
        yield g["what"].strip(), int(g["n"]), int(g["n"]) - int(g.get("same") or g["n"]) + int(g.get("more") or 0), line


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    directory, first, seeds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if not os.path.isdir(directory):
        print(f"no models: {directory} is not here")
        sys.exit(77)
    sys.path.insert(0, directory)
    compared, different = collections.Counter(), collections.Counter()
    for seed in range(first, first + seeds):
        m = Machine(random.Random(seed))
        for what, n, bad, line in results(run(common(m.events)), len(m.cpus)):
            compared[what] += n
            different[what] += bad
            if bad:
                print(f"seed {seed}, {len(m.cpus)} CPUs: {line.strip()[:300]}")
    for what, n in compared.items():
        print(f"{n:8} {what}: {different[what]} differ")
    print(f"{compared.total()} compared, {different.total()} differ")
    sys.exit(different.total() != 0)


if __name__ == "__main__":
    main()
