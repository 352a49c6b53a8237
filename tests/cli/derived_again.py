#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""derived_again.py HIST RECORDING...: computes the derived events of the scheduler again, from the text of trace-cmd
report -R, by rules that are written down independently, and compares: each wait and each state of a task, sums of delays by
victim and culprit, time by depth of run queues. Prints what was compared; exits with 1 if something differs."""
import collections
import csv
import io
import re
import subprocess
import sys

FIELD = re.compile(r"(\w+)=(.*?)(?= \w+=|\s*$)")
# trace-cmd 3.3 report -R writes the raw flags after the CPU
LINE = re.compile(r"^\s*(.*)-(\d+)\s+\[(\d+)\](?:-0x[0-9a-f]+)?\s.*?([\d.]+):\s+(\w+):\s+(.*)$")
VECTORS = "local_timer reschedule call_function call_function_single irq_work x86_platform_ipi error_apic".split()
INTERRUPT = re.compile(rf"(irq_handler|softirq|{'|'.join(VECTORS)})_(entry|exit)$")
STATES = [(1, "sleeping"), (2, "disk"), (4, "stopped"), (8, "traced"), (16, "dead"), (32, "dead"), (64, "parked"),
          (128, "idle")]


def number(text):
    return int(text, 16 if text.startswith("0x") else 10) if text else 0


def records(path):
    out = subprocess.run(["trace-cmd", "report", "-R", "-t", path], capture_output=True, text=True, errors="replace").stdout
    if "EVENTS DROPPED" in out:
        return None
    found = []
    for line in out.split("\n"):
        m = LINE.match(line)
        if not m or not (m[5].startswith("sched_") or m[5] == "sys_enter_sched_yield" or INTERRUPT.match(m[5])):
            continue
        found.append((int(m[4].replace(".", "")), int(m[3]), int(m[2]), m[5], dict(FIELD.findall(m[6]))))
    return found


class Task:
    def __init__(self):
        self.state = None  # a word, or None: unknown
        self.since = 0
        self.cpu = None
        self.first_cpu = None
        self.places = []  # CPU and begin of each part of a wait
        self.woken_early = False
        self.yields = False


class Machine:
    """UNKNOWN = -1: who ran while a task switch is missing."""
    WAITS = ("woken", "preempted", "new", "yielded")

    def __init__(self, old):
        self.bits = [(bit, "dead" if old and bit == 64 else word) for bit, word in STATES]
        self.tasks = collections.defaultdict(Task)
        self.current = {}
        self.waits, self.states, self.delays = [], [], collections.Counter()
        self.early = collections.Counter()  # by CPU: the last interrupt, also before the first switch
        self.stack = collections.defaultdict(list)  # by CPU: interrupts that it is in
        self.ran = collections.defaultdict(list)  # by CPU: (begin, end, pid)
        self.depths, self.old = collections.Counter(), {}  # old: (depth, since, whether it began then)
        self.first, self.pending, self.woken = {}, {}, False

    def ends(self, pid, ts, next_state):
        t = self.tasks[pid]
        if t.state:
            self.states.append((ts, pid, t.state, next_state, ts - t.since))

    def begin(self, pid, state, ts, cpu):
        t = self.tasks[pid]
        t.state, t.since, t.cpu, t.first_cpu, t.places = state, ts, cpu, cpu, [(cpu, ts)]

    def switch(self, ts, cpu, f):
        prev, nxt = number(f["prev_pid"]), number(f["next_pid"])
        value = number(f["prev_state"])
        was = self.current.get(cpu)
        if was is not None:
            self.ran[cpu].append((was[1], ts, prev if was[0] == prev and not self.stack[cpu] else -1))
            if was[0] and was[0] != prev:
                self.tasks[was[0]].state = None
        else:
            self.ran[cpu].append((self.early[cpu], ts, prev if not self.stack[cpu] else -1))
        self.stack[cpu] = []
        self.current[cpu] = (nxt, ts)
        if prev:
            t = self.tasks[prev]
            blocked = next((word for bit, word in self.bits if value & bit), None)
            kind = "yielded" if t.yields else "preempted"
            if t.state == "running" and t.cpu == cpu:
                self.ends(prev, ts, blocked or kind)
            early = t.woken_early and t.state == "running" and t.cpu == cpu
            t.yields = t.woken_early = False
            if blocked == "dead":
                t.state = None
            elif blocked:
                self.begin(prev, blocked, ts, cpu)
                t.woken_early = early
            else:
                self.begin(prev, kind, ts, cpu)
        if nxt:
            t = self.tasks[nxt]
            if t.woken_early and t.state and t.state not in self.WAITS and t.state != "running":
                t.state = "woken"
            if t.state in self.WAITS:
                self.ends(nxt, ts, "running")
                self.waits.append((ts, nxt, t.state, ts - t.since, cpu, int(cpu != t.first_cpu)))
                if t.places[-1][0] == cpu:
                    self.delayed(nxt, t, ts)
                else:  # it went there, and when was not recorded
                    self.delays[nxt, -1] += ts - t.since
            self.begin(nxt, "running", ts, cpu)
            t.yields = t.woken_early = False

    def delayed(self, pid, t, end):
        places = t.places + [(None, end)]
        for (cpu, begin), (_, stop) in zip(places, places[1:]):
            rest = stop - begin
            now = (self.stack[cpu] or [self.current.get(cpu, (-1, 0))[0]])[-1]
            since = self.current[cpu][1] if cpu in self.current else self.early[cpu]
            runs = self.ran[cpu] + [(since, stop, now)]
            for a, b, who in reversed(runs):
                if b <= begin:
                    break
                ns = min(b, stop) - max(a, begin)
                if ns > 0:
                    self.delays[pid, who] += ns
                    rest -= ns
            if rest:
                self.delays[pid, 0] += rest

    def wake(self, ts, cpu, name, f):
        pid, target = number(f["pid"]), number(f.get("target_cpu", "0"))
        if not pid:
            return
        t = self.tasks[pid]
        # what waits after a wakeup is woken again only if it ran, unseen
        if name == "sched_wakeup_new" or (name == "sched_waking" and t.state == "woken"):
            t.state, t.woken_early = None, False
        if t.state in self.WAITS:
            if name == "sched_wakeup" and t.cpu != target:
                t.cpu = target
                t.places.append((target, ts))
        elif t.state == "running":
            t.woken_early = name == "sched_waking"
        else:
            if not (t.woken_early and name == "sched_wakeup"):
                self.ends(pid, ts, "woken")
                self.begin(pid, "new" if name == "sched_wakeup_new" else "woken", ts, target)
            else:
                t.state = "woken"
            t.woken_early = False

    def migrate(self, ts, f):
        t = self.tasks[number(f["pid"])]
        if t.state in self.WAITS:
            t.cpu = number(f["dest_cpu"])
            t.places.append((t.cpu, ts))

    def interrupt(self, ts, cpu, kind, edge, f):
        pid, since = self.current.get(cpu, (-1, self.early[cpu]))
        self.ran[cpu].append((since, ts, (self.stack[cpu] or [pid])[-1]))
        if cpu in self.current:
            self.current[cpu] = (pid, ts)
        self.early[cpu] = ts
        name = kind + " " + (f.get("irq") or f.get("vec") or "")
        if edge == "entry":
            self.stack[cpu].append(name)
        elif name in self.stack[cpu]:
            del self.stack[cpu][self.stack[cpu].index(name):]

    def look_ahead(self, events):
        """Which tasks ran or waited where when the recording began, from the first record of each."""
        seen, idle = set(), set()
        for ts, cpu, pid, name, f in events:
            if name == "sched_switch":
                prev, next_pid = number(f["prev_pid"]), number(f["next_pid"])
                if cpu not in self.first:
                    self.first[cpu] = prev
                seen.add(prev)
                if next_pid and next_pid not in seen and cpu not in idle:
                    self.pending[next_pid] = cpu
                idle |= set() if next_pid else {cpu}
                seen.add(next_pid)
            elif name in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
                seen.add(number(f["pid"]))
                self.woken = True
            elif name == "sched_migrate_task" and number(f["pid"]) not in seen:
                self.pending[number(f["pid"])] = number(f["orig_cpu"])
                seen.add(number(f["pid"]))
            elif name == "sched_process_fork":
                seen.add(number(f["child_pid"]))

        if self.woken:
            now = collections.Counter(self.pending.values())
            now.update(cpu for cpu, pid in self.first.items() if pid)
            self.old = {cpu: (now[cpu], events[0][0], False) for cpu in self.first}

    def depths_now(self, ts):
        now = collections.Counter(t.cpu for t in self.tasks.values() if t.state == "running" or t.state in self.WAITS)
        if self.woken:
            now.update(self.pending.values())
            now.update(cpu for cpu, pid in self.first.items() if pid and cpu not in self.current)
        for cpu in set(now) | set(self.current) | set(self.old) | set(self.first):
            n = now[cpu]
            if cpu not in self.old:
                if self.current.get(cpu, (1,))[0] == 0:
                    self.old[cpu] = (n, ts, True)
            elif self.old[cpu][0] != n:
                if self.old[cpu][2]:
                    self.depths[cpu, self.old[cpu][0]] += ts - self.old[cpu][1]
                self.old[cpu] = (n, ts, True)

    def run(self, events):
        self.look_ahead(events)
        for ts, cpu, pid, name, f in events:
            if name == "sched_switch":
                self.pending.pop(number(f["next_pid"]), None)
                self.switch(ts, cpu, f)
            elif name in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
                self.wake(ts, cpu, name, f)
            elif name == "sched_migrate_task":
                if number(f["pid"]) in self.pending:
                    self.pending[number(f["pid"])] = number(f["dest_cpu"])
                self.migrate(ts, f)
            elif name == "sched_process_fork":
                self.tasks[number(f["child_pid"])].state = None
            elif INTERRUPT.match(name):
                self.interrupt(ts, cpu, *INTERRUPT.match(name).groups(), f)
            elif name == "sys_enter_sched_yield":
                self.tasks[pid].yields = True
            else:
                continue
            self.depths_now(ts)


def asked(hist, path, event, keys):
    out = subprocess.run([hist, "report", "-q", "-i", path, "--unlimited", "--format", "csv", "-e", "derived:" + event, "--by",
                          keys, "--sum", "ns"], capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))


def compare(what, ours, theirs):
    """Both: counters. The rows that only one has."""
    differ = (ours - theirs) + (theirs - ours)
    print(f"  {what}: {sum(theirs.values()) if what in ('waits', 'states') else len(theirs)} again, {len(differ)} differ")
    for row in sorted(differ, key=str)[:5]:
        print("   ", row, "hist", ours[row], "again", theirs[row])
    return bool(differ)


def main(hist, paths):
    bad = 0
    for path in paths:
        events = records(path)
        print(path + (": events were lost" if events is None else f": {len(events)} records"))
        if not events:
            continue
        # before 4.14, 64 is the last state of a task
        machine = Machine(re.search(rb'\{ (64|0x40), "x" \}', open(path, "rb").read()))
        machine.run(events)
        rows = collections.Counter()
        for r in asked(hist, path, "wait", "common_timestamp,pid,kind,cpu,migrated,ns"):
            rows[tuple(int(r[k]) if k != "kind" else r[k] for k in ("common_timestamp", "pid", "kind", "ns.1" if "ns.1" in r else "ns", "cpu", "migrated"))] += int(r["hitcount"])
        bad |= compare("waits", rows, collections.Counter(machine.waits))
        rows = collections.Counter()
        for r in asked(hist, path, "task_state", "common_timestamp,pid,state,next_state"):
            rows[int(r["common_timestamp"]), int(r["pid"]), r["state"], r["next_state"], int(r["ns"])] += int(r["hitcount"])
        bad |= compare("states", rows, collections.Counter(machine.states))
        rows = collections.Counter()
        for r in asked(hist, path, "delay", "victim_pid,culprit_pid,culprit_kind"):
            who = {"task": int(r["culprit_pid"]), "idle": 0, "unknown": -1}.get(r["culprit_kind"], r["culprit_kind"])
            rows[int(r["victim_pid"]), who] += int(r["ns"])
        again = collections.Counter()
        for (victim, who), ns in machine.delays.items():
            if isinstance(who, str):
                who = {"irq_handler": "irq", "softirq": "softirq"}.get(who.split(" ")[0], "vector")
            again[victim, who] += ns
        bad |= compare("delays", rows, +again)
        rows = collections.Counter()
        for r in asked(hist, path, "runqueue", "cpu,depth"):
            rows[int(r["cpu"]), int(r["depth"])] = int(r["ns"])
        bad |= compare("depths", rows, +machine.depths)
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
