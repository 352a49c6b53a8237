# SPDX-License-Identifier: GPL-2.0-only
"""What the events of the scheduler say of tasks: derived:wait, task_state, delay, held, runqueue.

A task runs from the switch to it until the switch away from it. That one tells whether the task sleeps, or wants to run: then it was
preempted, or it yielded. Who sleeps is woken by sched_waking; a new task is put on a queue by sched_wakeup_new. From then on it waits for
a CPU, until the switch to it: this is derived:wait, and how it began is its kind. What the CPU did meanwhile is derived:delay.
"""
import bisect
import itertools

from reference.cpus import Cpus
from reference.names import Names

STATES = [(1, "sleeping"), (2, "disk"), (4, "stopped"), (8, "traced"), (16, "dead"), (32, "dead"), (64, "parked"), (128, "idle")]
WAITS = ("woken", "preempted", "new", "yielded")
HARD, SOFT = 8, 16  # common_flags: in an interrupt, in a softirq
TICK = 2**40  # parts of a nanosecond, in which times are here: events of the same time are some of these apart, see derived.py


def in_ns(time):
    return (time + TICK // 2) // TICK


class Interval:
    """What a task did from ->begin to the event ->end: ->state is running, one of WAITS, or one of STATES; ->next is the one after it.
    ->cpu: where it ran, or for which it waited at first; ->places: (CPU, since when) of a wait; ->by: the event that woke or made a task
    which waits; ->waker: the event that ends a sleep. ->end is None if it is not over."""

    def __init__(self, pid, state, begin, cpu, places=(), by=None):
        self.pid, self.state, self.begin, self.cpu, self.places, self.by = pid, state, begin, cpu, list(places), by
        self.end = self.comm = self.prio = self.next = self.waker = None

    def ended(self, end, comm, prio, then, waker=None):
        self.end, self.comm, self.prio, self.next, self.waker = end, comm, prio, then, waker
        return self

    def parts(self, end=None):
        """(CPU, begin, end) of a wait for several."""
        end = self.end.ts if self.end else end
        return [(cpu, begin, stop) for (cpu, begin), stop in zip(self.places, [at for _, at in self.places[1:]] + [end])]


def waits_from(pid, kind, e, cpu, by=None):
    return Interval(pid, kind, e.ts, cpu, [(cpu, e.ts)], by)


def intervals_of_tasks(events, now=None):
    """Intervals, as they end. @now takes those that are not over at the end, by pid."""
    now = {} if now is None else now
    early, yields = {}, set()  # who was woken while it ran, by which event; who called sched_yield()
    for e in events:
        v, name = e.values, e.kind.name
        if name == "sched_switch":
            prev, then = v["prev_pid"], v["next_pid"]
            if prev:
                word = next((word for bit, word in STATES if v["prev_state"] & bit), "yielded" if prev in yields else "preempted")
                if prev in now and now[prev].state == "running":
                    yield now[prev].ended(e, v["prev_comm"], v["prev_prio"], word)
                if prev in early and word not in WAITS:  # woken on the way to sleep: it does not sleep
                    word = "woken"
                now[prev] = waits_from(prev, word, e, e.cpu, early.get(prev) if word == "woken" else None)
                if word == "dead":
                    del now[prev]
            if then:
                if then in now:
                    yield now[then].ended(e, v["next_comm"], v["next_prio"], "running")
                now[then] = Interval(then, "running", e.ts, e.cpu)
            for pid in (prev, then):
                early.pop(pid, None)
            yields -= {prev, then}
        elif name == "sched_waking":
            pid, before = v["pid"], now.get(v["pid"])
            if before and before.state == "running":
                early[pid] = e
                continue
            if before and before.state not in WAITS:
                yield before.ended(e, v["comm"], v["prio"], "woken", e)
            now[pid] = waits_from(pid, "woken", e, v["target_cpu"], e)
        elif name == "sched_wakeup":  # if it runs, it decided not to sleep
            early.pop(v["pid"], None)
        elif name == "sched_wakeup_new":
            now[v["pid"]] = waits_from(v["pid"], "new", e, v["target_cpu"], e)
        elif name == "sched_migrate_task" and v["pid"] in now and now[v["pid"]].state in WAITS:
            now[v["pid"]].places.append((v["dest_cpu"], e.ts))
        elif name == "sys_enter_sched_yield":
            yields.add(e.pid)


def woken_by(waker):
    return dict(waker_pid=waker.pid if waker else 0, waker_comm=(waker.comm if waker.pid else "swapper") if waker else "",
                in_irq=int(bool(waker and waker.flags & (HARD | SOFT))))


def task_state(events):
    for i in intervals_of_tasks(events):
        if i.state == "running" or i.state in WAITS or i.waker:
            yield i.end, dict(pid=i.pid, comm=i.comm, prio=i.prio, cpu=i.cpu if i.waker else i.end.cpu, state=i.state, ns=i.end.ts - i.begin,
                              next_state=i.next, **woken_by(i.waker))


def wait(events, tasks=None):
    """The intervals of WAITS, which end with the switch to the task; so its name, its priority and the CPU are those of this switch. The
    reason is what kept it from running for most of the time (parts_of_delay()); of equal ones, the first in the order below."""
    cpus = Cpus(events, tasks, TICK)
    for i in intervals_of_tasks(events):
        if i.state not in WAITS:
            continue
        causes = dict.fromkeys(("unknown", "task", "irq", "softirq", "idle", "throttled"), 0)
        for p in parts_of_delay(events, cpus, i):
            causes[reason(p.kind)] += p.end - p.begin
        yield i.end, dict(pid=i.pid, comm=i.comm, prio=i.prio, kind=i.state, ns=i.end.ts - i.begin, cpu=i.end.cpu,
                          migrated=int(i.places[0][0] != i.end.cpu), other_idle_ns=sum(cpus.idle_beside(*part) for part in i.parts()),
                          reason=max(causes, key=lambda r: in_ns(causes[r])),
                          idle_cpu=int(cpus.is_idle(*chosen_place(events, i))),
                          **woken_by(i.by))


def chosen_place(events, i):
    """(CPU, when it was chosen) for a task that begins to wait: one that was woken may be moved until it is on a run queue."""
    return [p for p in i.places if p[1] <= queued_at(events, i, i.end.ts)][-1]


def runqueue(events, live=False):
    """How many tasks run or wait on a CPU; what began before the recording is left out. @live: who waits at the beginning is not known
    before the end; so the number is known from the first switch to the idle task on."""
    changes, now, at = {}, {}, {e.ts: e for e in events}  # by CPU: {when: by how many}
    for i in [*intervals_of_tasks(events, now), *now.values()]:
        if i.state == "running":
            i.places = [(i.cpu, i.begin)]
        for cpu, begin, end in i.parts() if i.state == "running" or i.state in WAITS else ():
            of = changes.setdefault(cpu, {})
            of[begin] = of.get(begin, 0) + 1
            if end is not None:
                of[end] = of.get(end, 0) - 1
    for cpu, of in changes.items():
        first = next((e.ts for e in events if e.cpu == cpu and e.kind.name == "sched_switch" and not e.values["next_pid"]), None) if live else 0
        depth, since = 0, None
        for ts, n in sorted((of | {first: of.get(first, 0)} if live and first else of).items()):
            if n or ts == first:
                if since is not None:
                    yield at[ts], dict(cpu=cpu, depth=depth, ns=ts - since, depth_ns=depth * in_ns(ts - since) * TICK)
                depth, since = depth + n, ts if first is not None and ts >= first else None


def live_runqueue(events):
    return runqueue(events, True)


# --- what a CPU did while a task waited for it ---


def rank(prio):
    """Classes of tasks, the first one goes first: stopper (and the highest of SCHED_FIFO), deadline, real-time, fair, idle."""
    return 4 if prio is None else 0 if prio == 0 else 1 if prio < 0 else 2 if prio < 100 else 3


def reason(kind):
    return {"vector": "irq", "nmi": "irq", "others": "unknown", "budget": "throttled", "quota": "throttled"}.get(kind, kind)


class Part:
    """->pid, ->name, ->kind and ->prio of what a CPU did; kind "budget": the class of the waiting task had used up its time;
    "quota": its cgroup had."""

    def __init__(self, begin, end, pid, name, kind, prio):
        self.begin, self.end, self.pid, self.name, self.kind, self.prio = begin, end, pid, name, kind, prio


def priority(events, pid, at):
    """That the task had when its wait began."""
    for e in reversed(events[:bisect.bisect_right(events, at, key=lambda e: e.ts)]):
        which = "prev_" if e.kind.name == "sched_switch" else ""
        if e.kind.name in ("sched_switch", "sched_waking", "sched_wakeup_new") and e.values[which + "pid"] == pid:
            return e.values[which + "prio"]
    return None


def queued_at(events, i, end):
    """When a task that waits was on a run queue: one that was woken is from its sched_wakeup on."""
    if i.state != "woken":
        return i.begin
    meanwhile = itertools.islice(events, bisect.bisect_right(events, i.begin, key=lambda e: e.ts), None)
    return min(next((e.ts for e in meanwhile if e.ts >= end or (e.kind.name == "sched_wakeup" and e.values["pid"] == i.pid)), end), end)


def beside(times, begin, end):
    """(begin, end) of what is not in any of these times."""
    for a, b, *_ in times:
        if begin < min(a, end):
            yield begin, min(a, end)
        begin = max(begin, b)
    if begin < end:
        yield begin, end


def parts_of_delay(events, cpus, i, end=None):
    """While a task of a lower class than that of the waiting one was chosen, this one was held back by its budget (a deadline task since it
    waits there, as it uses it up only while it runs); and one that was preempted while its CPU is idle by a quota, if those are not known."""
    mine, end = rank(priority(events, i.pid, i.begin)), i.end.ts if i.end else end
    queued = queued_at(events, i, end)
    held = list(cpus.quotas.holds(i, end)) if cpus.quotas and mine == 3 else []
    deduces = mine < 3 or (i.state in ("preempted", "yielded") and not (cpus.quotas and cpus.quotas.tasks.quotas))
    for cpu, begin, stop in i.parts(end):
        chosen = [(ts, rank(prio)) for ts, prio in cpus.switches.get(cpu, []) if max(begin, queued) <= ts < stop]
        spent = max([ts for ts, theirs in chosen if theirs > mine == 1], default=0)
        yield from (Part(a, b, 0, by, "quota", 0) for a, b, by in held if begin <= a < stop)
        for a, b, (pid, name, kind) in [did for x, y in beside(held, begin, stop) for did in cpus.did_between(cpu, x, y)]:
            theirs = ([r for ts, r in chosen if ts <= a] or [0])[-1]
            if a < spent or (deduces and theirs > mine):
                whose = {1: "deadline", 3: "quota"}.get(mine, "real-time")
                yield Part(a, b, 0, whose + ", deduced", "quota" if mine == 3 else "budget", 0)
            else:
                yield Part(a, b, pid, name, kind, cpus.priority(cpu, a) if pid else 0)


def cgroup_of(tasks, part, pid):
    """Of the one that ran meanwhile, beside that of the task @pid which waited."""
    if not part.pid or not tasks:
        return "unknown" if part.pid else ""
    until = in_ns(part.end)
    return "own" if tasks.cgroup(part.pid, until) == tasks.cgroup(pid, until) else "foreign"


def delay(events, tasks=None):
    cpus, names, ends = Cpus(events, tasks, TICK), Names(events), {}
    for e in events:
        if e.kind.name == "sched_process_exit":
            ends.setdefault(e.pid, []).append(e.ts)
    for i in intervals_of_tasks(events):
        if i.state not in WAITS:
            continue
        sums, taker = {}, None
        for p in sorted(parts_of_delay(events, cpus, i), key=lambda p: p.begin):
            # the name that it had when it last ran meanwhile, at the end of that nanosecond
            name = names.at(p.pid, (p.end // TICK + 1) * TICK - 1) if p.pid else p.name
            # a pid that is used again is another task
            key = (p.pid, sum(ts <= p.begin for ts in ends.get(p.pid, []))) if p.pid else (0, name, p.kind)
            if i.state == "preempted" and not sums:  # who took its CPU
                taker = key
            sums[key] = (sums.get(key, (0,))[0] + p.end - p.begin, name, p)
        for key, (ns, name, p) in sums.items():
            yield i.end, dict(victim_pid=i.pid, victim_comm=i.comm, culprit_pid=p.pid, culprit_comm=name, ns=ns, cpu=i.end.cpu, kind=i.state,
                              culprit_kind=p.kind, preemptions=int(key == taker), culprit_prio=p.prio, reason=reason(p.kind),
                              victim_prio=i.prio, inverted=int(p.kind == "task" and p.prio > i.prio),
                              culprit_cgroup=cgroup_of(tasks, p, i.pid))


def holds(events, cpus, i, end=None):
    """[begin, end, name]: when a task that waits was not to run."""
    times = []
    for p in sorted(parts_of_delay(events, cpus, i, end), key=lambda p: p.begin):
        if reason(p.kind) == "throttled":
            if times and times[-1][1:] == [p.begin, p.name]:
                times[-1][1] = p.end
            else:
                times.append([p.begin, p.end, p.name])
    return times


def held(events, tasks=None):
    cpus = Cpus(events, tasks, TICK)
    for i in intervals_of_tasks(events):
        for a, b, name in holds(events, cpus, i) if i.state in WAITS else ():
            yield i.end, dict(pid=i.pid, comm=i.comm, by=name, ns=b - a, ended_ns=i.end.ts - b, cpu=i.end.cpu)
