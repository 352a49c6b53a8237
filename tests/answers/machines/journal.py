# SPDX-License-Identifier: GPL-2.0-only
"""Journals of tasks, as hist record writes them beside the events: who was there, processes, cgroups."""
from machines import machine
from reference.tasks import Tasks

THREAD = 0x10000  # of the flags of clone()
CGROUPS = ["/", "/system.slice", "/system.slice/a.service", "/system.slice/b.service", "/user.slice", "/a b"]


def word(name):
    """A text of the journal."""
    return "".join(chr(b) if 32 < b < 127 and b != 92 else f"\\{b:03o}" for b in name.encode("utf-8", "surrogateescape"))


def first_names(m):
    """(pid, name) of the tasks that were there before the first event."""
    first, born = {}, set()
    for e in m.events:
        if e.pid not in born and e.pid:
            first.setdefault(e.pid, e.comm)
        if e.kind.name == "sched_process_fork":
            born.add(e.values["child_pid"])
    return sorted(first.items())


def plain_journal(m):
    """Each task is a process: (when, line)."""
    begin = m.events[0].ts
    lines = ["tasks 1", f"begin {begin}", *(f"is {pid} {pid} 1 1 {word(name)}" for pid, name in first_names(m)), f"scanned {begin}"]
    found = [(0, line) for line in lines]
    for e in m.events:
        v, name = e.values, e.kind.name
        if name == "sched_process_fork":
            found.append((e.ts, f"new {e.ts} {v['child_pid']} {v['parent_pid']} 0 {word(v['child_comm'])}"))
        elif name == "task_rename":
            found.append((e.ts, f"name {e.ts} {v['pid']} {word(v['oldcomm'])} {word(v['newcomm'])}"))
        elif name == "sched_process_exit":
            found.append((e.ts, f"exit {e.ts} {v['pid']} {word(v['comm'])}"))
    return found + [(m.events[-1].ts, f"end {m.events[-1].ts}")]


def journal_of(m, rng, ids=None):
    """(journal, what it states): random processes and cgroups. A process whose leader ends has no other threads. @ids: of cgroups."""
    tasks, begin, leaders = Tasks(), m.events[0].ts, []
    ends = {e.values["pid"] for e in m.events if e.kind is machine.EXIT}
    there, inside, lines, ids = [], [], [], ids or {}
    tasks.paths = {ident: path for path, ident in ids.items()}
    for pid, name in m.first:
        tgid = rng.choice(leaders) if leaders and rng.random() < 0.4 else pid
        if tgid == pid and pid not in ends:
            leaders.append(pid)
        there.append(f"is {pid} {tgid} 1 {pid} {word(name)}")
        tasks.names[pid], tasks.tgids[pid] = [(0, name)], [(0, tgid)]
        if tgid == pid:
            path = rng.choice([*ids] or CGROUPS)
            inside.append(f"in {pid} 0 {word(path)}")
            tasks.cgroups[pid] = [(0, path)]
    times = {e.ts for e in m.events}
    for e in m.events:
        v = e.values
        if e.kind is machine.FORK:
            child, parent, tgid = v["child_pid"], v["parent_pid"], tasks.tgid(v["parent_pid"], e.ts)
            thread = tgid not in ends and rng.random() < 0.5
            lines.append(f"new {e.ts} {child} {parent} {THREAD if thread else 0} {word(v['child_comm'])}")
            tasks.parents.append((parent, child))
            tasks.names.setdefault(child, []).append((e.ts, v["child_comm"]))
            tasks.tgids.setdefault(child, []).append((e.ts, tgid if thread else child))
            tasks.born.setdefault(child, []).append(e.ts)
            if not thread:
                tasks.cgroups.setdefault(child, []).append((e.ts, tasks.cgroup(parent, e.ts)))
        elif e.kind is machine.RENAME:
            lines.append(f"name {e.ts} {v['pid']} {word(v['oldcomm'])} {word(v['newcomm'])}")
            tasks.names[v["pid"]].append((e.ts + 1, v["newcomm"]))  # directly after this time
        elif e.kind is machine.EXIT:
            lines.append(f"exit {e.ts} {v['pid']} {word(v['comm'])}")
        elif rng.random() < 0.03 and e.ts - 1 not in times and e.pid and tasks.tgid(e.pid, e.ts - 1) == e.pid:
            path = rng.choice([*ids] or CGROUPS)
            lines.append(f"moved {e.ts - 1} {e.pid} 0 {word(path)}")
            tasks.cgroups[e.pid].append((e.ts - 1, path))
    every = ["tasks 1", f"begin {begin}", *there, *inside, *(f"cgroup {ident} {word(path)}" for path, ident in ids.items()), f"scanned {begin}", *lines, f"end {m.events[-1].ts}"]
    return "".join(line + "\n" for line in every).encode(), tasks
