# SPDX-License-Identifier: GPL-2.0-only
"""Who tasks were: recordings with a journal of tasks, their processes, cgroups and descendants; keys, columns and selections of these."""
import csv
import io
import os
import shlex

import machine
import others
import questions
from common import run

THREAD = 0x10000  # of the flags of clone()
CGROUPS = ["/", "/system.slice", "/system.slice/a.service", "/system.slice/b.service", "/user.slice", "/a b"]


class Tasks:
    """The journal of a machine, and what follows from it. A process whose leader ends has no other threads."""

    def __init__(self, m, rng):
        self.m, begin = m, m.events[0].ts
        # by pid: [(since, name)], [(since, tgid)]; of processes: [(since, path)]; threads of their own cgroup follow their process
        self.names, self.tgids, self.cgroups, self.born = {}, {}, {}, {}
        ends = {e.values["pid"] for e in m.events if e.kind is machine.EXIT}
        lines, inside, leaders = [], [], []
        for pid, name in m.first:
            tgid = rng.choice(leaders) if leaders and rng.random() < 0.4 else pid
            if tgid == pid and pid not in ends:
                leaders.append(pid)
            lines.append((0, f"is {pid} {tgid} 1 {pid} {others.word(name)}"))
            self.names[pid], self.tgids[pid] = [(0, name)], [(0, tgid)]
            if tgid == pid:
                path = rng.choice(CGROUPS)
                inside.append((0, f"in {pid} 0 {others.word(path)}"))
                self.cgroups[pid] = [(0, path)]
        lines = [(0, "tasks 1"), (0, f"begin {begin}"), *lines, *inside, (0, f"scanned {begin}")]
        times = {e.ts for e in m.events}
        for e in m.events:
            v = e.values
            if e.kind is machine.FORK:
                child, tgid = v["child_pid"], self.tgid(v["parent_pid"], e.ts)
                thread = tgid not in ends and rng.random() < 0.5
                lines.append((e.ts, f"new {e.ts} {child} {v['parent_pid']} {THREAD if thread else 0} {others.word(v['child_comm'])}"))
                self.names.setdefault(child, []).append((e.ts, v["child_comm"]))
                self.tgids.setdefault(child, []).append((e.ts, tgid if thread else child))
                self.born.setdefault(child, []).append(e.ts)
                if not thread:
                    self.cgroups.setdefault(child, []).append((e.ts, self.cgroup(v["parent_pid"], e.ts)))
            elif e.kind is machine.RENAME:
                lines.append((e.ts, f"name {e.ts} {v['pid']} {others.word(v['oldcomm'])} {others.word(v['newcomm'])}"))
                self.names[v["pid"]].append((e.ts + 1, v["newcomm"]))  # directly after this time
            elif e.kind is machine.EXIT:
                lines.append((e.ts, f"exit {e.ts} {v['pid']} {others.word(v['comm'])}"))
            elif rng.random() < 0.03 and e.ts - 1 not in times and e.pid and self.tgid(e.pid, e.ts - 1) == e.pid:
                path = rng.choice(CGROUPS)
                lines.append((e.ts - 1, f"moved {e.ts - 1} {e.pid} 0 {others.word(path)}"))
                self.cgroups[e.pid].append((e.ts - 1, path))
        lines.append((m.events[-1].ts, f"end {m.events[-1].ts}"))
        self.journal = "".join(line + "\n" for _, line in lines).encode()

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
        for e in self.m.events:
            if e.kind is machine.FORK and e.values["parent_pid"] in found:
                found.add(e.values["child_pid"])
        return found


def keys_of(tasks, row):
    pid, ts = row["@pid"], row["@ts"]
    return {"task": tasks.task(pid, ts), "process": tasks.task(tasks.tgid(pid, ts), ts), "tgid": str(tasks.tgid(pid, ts)), "cgroup": tasks.cgroup(pid, ts),
            "pid": str(pid), "cpu": str(row["@cpu"])}


ABOUT = {"sched_switch": "next_pid", "sched_waking": "pid", "sched_wakeup": "pid", "sched_wakeup_new": "pid", "sched_migrate_task": "pid"}


def selects(table, test, negated):
    """Of the scheduler's events, also those about such a task; idle tasks are others."""
    field = ABOUT.get(table.event.removeprefix("sched:"))
    about = lambda r: test(dict(r, **{"@pid": r[field], "@comm": r[field.replace("pid", "comm")]})) if r[field] else negated
    return lambda r: test(r) or bool(field and about(r))


def random_selections(tasks, table, rng):
    """(options, test); of several options that name tasks, one must match."""
    row = rng.choice(table.rows)
    pid, ts = row["@pid"], row["@ts"]
    tgid, cgroup, options, tests = tasks.tgid(pid, ts), tasks.cgroup(pid, ts), [], []
    leader, name = tasks.name(tgid, ts), row["@comm"]
    plain = lambda text: all(c.isalnum() or c in "/.-: " for c in text) and text[0] not in "-!"
    choices = [
        ("--process", str(tgid), lambda r: tasks.tgid(r["@pid"], r["@ts"]) == tgid),
        ("--process", "!" + str(tgid), lambda r: tasks.tgid(r["@pid"], r["@ts"]) != tgid),
        ("--cgroup", cgroup, lambda r: (tasks.cgroup(r["@pid"], r["@ts"]) + "/").startswith(cgroup.rstrip("/") + "/")),
        ("--tree", str(pid), lambda r: r["@pid"] in tasks.tree(pid)),
        ("--pid", f"{pid},{tgid}", lambda r: r["@pid"] in (pid, tgid)),
        ("--cpu", str(row["@cpu"]), lambda r: r["@cpu"] == row["@cpu"]),
        ("--from", questions.seconds(ts), lambda r: r["@ts"] >= ts),
        ("--to", questions.seconds(ts), lambda r: r["@ts"] <= ts),
    ]
    if plain(leader):
        choices.append(("--process", leader, lambda r: tasks.name(tasks.tgid(r["@pid"], r["@ts"]), r["@ts"]) == leader))
    if plain(name):
        choices += [("--comm", name, lambda r: r["@comm"] == name), ("--comm", name[:1] + "*", lambda r: r["@comm"].startswith(name[:1]))]
    of = dict.fromkeys(("--cpu", "--from", "--to"))
    for option, value, test in rng.sample(choices, rng.choice([0, 1, 1, 2, 3])):
        if option not in [o.partition("=")[0] for o in options]:
            options.append(f"{option}={value}")
            tests.append((option in of, test if option in of else selects(table, test, value[0] == "!")))
    of_tasks = [test for other, test in tests if not other]
    return options, lambda r: all(test(r) for other, test in tests if other) and (not of_tasks or any(test(r) for test in of_tasks))


def counted(rows):
    found = {}
    for r in rows:
        found[r] = found.get(r, 0) + 1
    return found


def asked(hist, path, way, table, keys, options):
    """{keys: hits}"""
    if way == "events":
        out = run(hist, "events", "-q", "-i", path, "-e", table.event, "--format", "csv", "--fields", ",".join(keys), *options)
        return counted([tuple(r) for r in list(csv.reader(io.StringIO(out)))[1:]])
    if way == "sql":
        out = run(hist, "sql", "-q", "-i", path, "--format", "csv", *options, f'SELECT {", ".join(keys)}, count(*) FROM "{table.event}" WHERE pid != 0 GROUP BY {", ".join(keys)}')
    elif way == "slim":
        run(hist, "slim", "-q", "-i", path, "-o", path + ".slim", "-e", table.event, "--by", ",".join(keys), *options)
        out = run(hist, "report", "-q", "-i", path + ".slim", "--format", "csv")
        os.unlink(path + ".slim")
    else:
        out = run(hist, "report", "-q", "-i", path, "-e", table.event, "--by", ",".join(keys), "--format", "csv", *way, *options)
    return {tuple(r[:len(keys)]): int(r[-1]) for r in list(csv.reader(io.StringIO(out)))[1:]}


def differences(hist, path, shape, rng, count=3):
    m = machine.Machine(rng)
    while m.even:  # facts of the time of an event have no order beside it
        m = machine.Machine(rng)
    tasks = Tasks(m, rng)
    path += ".tasks"
    shape.write(path, machine.KINDS, m.of_cpus(), m.names, journal=tasks.journal)
    found = [t for t in questions.tables(m.events, shape)]
    wrong = []
    for _ in range(count):
        table = rng.choice(found)
        rows = [r for r in table.rows if r["@pid"]]  # without a task, there is no process
        if not rows:
            continue
        table = questions.Table(table.event, rows, table.types, table.signed)
        options, selected = random_selections(tasks, table, rng)
        own = {"pid", "cpu", "tgid"} & set(table.types)
        names = [n for n in ("task", "process", "tgid", "cgroup", "pid", "cpu") if n not in own]
        keys = rng.sample(names, rng.choice([1, 1, 2]))
        right = counted([tuple(keys_of(tasks, r)[k] for k in keys) for r in rows if selected(r)])
        for way in (["-j", "2"], rng.choice([["--plan=plain"], ["-j", "1"], "events", "sql", "slim"])):
            if way in ("events", "sql") and "task" in keys:
                continue
            of = "common_pid" if not table.event.startswith("derived:") else "pid" if "pid" in table.types else "victim_pid"
            filtered = ["-f", of + " != 0"] if of in table.types else []
            got = asked(hist, path, way, table, keys, options + (filtered if way != "sql" else []))
            wrong_rows = [f"{k}: {got.get(k)}, right {right.get(k)}" for k in sorted({*got, *right}) if got.get(k) != right.get(k)]
            if wrong_rows:
                wrong.append(f"{way}: hist report -i {path} -e {table.event} --by {','.join(keys)} {shlex.join(options + filtered)}: " + "; ".join(wrong_rows[:4]))
    if not wrong:
        os.unlink(path)
    return wrong
