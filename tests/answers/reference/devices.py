# SPDX-License-Identifier: GPL-2.0-only
"""Locks, block devices, memory, counters: derived:lock_wait, block_io, allocation, counter."""
import copy

from reference.names import Names

LOCKS = {1: "spinlock", 3: "rwlock-read", 5: "rwlock-write", 2: "rwsem-read", 4: "rwsem-write", 32: "mutex", 33: "mutex-spin", 8: "rt-mutex",
         10: "rwlock-rt-read", 12: "rwlock-rt-write", 18: "percpu-read", 20: "percpu-write", 0: "semaphore"}


def lock_wait(events):
    """A task that sleeps for a lock is woken by the one that held it; ->owners: (its event, its priority, that of the woken one)."""
    waits, runs, owners = {}, {}, {}
    for e in events:
        if e.kind.name == "sched_switch":
            runs[e.cpu] = e.values["next_prio"]
        if e.kind.name == "sched_waking" and e.pid and e.cpu in runs and not e.flags & (8 | 16):
            for key, (_, flags) in waits.items():
                slept = any(not f & 1 for f in flags)
                if key[0] == e.values["pid"] and slept:
                    owners[key] = (e, runs[e.cpu], e.values["prio"])
        if e.kind.name not in ("contention_begin", "contention_end"):
            continue
        # each CPU has an idle task
        key = (e.pid, e.cpu if not e.pid else None, e.values["lock_addr"])
        if e.kind.name == "contention_begin":
            waits.setdefault(key, (e, []))[1].append(e.values["flags"])
        elif key in waits:
            first, flags = waits.pop(key)
            slept = [f for f in flags if not f & 1]
            owner, theirs, mine = owners.pop(key, (None, 0, 0))
            yield e, dict(lock=e.values["lock_addr"], kind=LOCKS.get((slept or flags)[0], "other"), ns=e.ts - first.ts, ret=e.values["ret"],
                          pid=e.pid, comm=e.comm, cpu=e.cpu, prio=mine, owner_pid=owner.pid if owner else 0, owner_comm=owner.comm if owner else "",
                          owner_prio=theirs, inverted=int(owner is not None and theirs > mine))


OPS = {"R": "read", "W": "write", "D": "discard", "DE": "secure_erase", "F": "flush"}
FLAGS = {"F": "fua", "A": "ahead", "S": "sync", "M": "meta"}


def operation(rwbs):
    """(op, flags)"""
    flags, rest = [], rwbs
    if rest[0] == "F" and rest[1:]:
        flags, rest = ["preflush"], rest[1:]
    if rwbs == "FF":  # each flush has this flag
        flags = []
    op = "DE" if rest.startswith("DE") else rest[0]
    return OPS[op], ",".join(flags + [FLAGS[c] for c in rest[len(op):]])


def block_io(events):
    """A request is known by its device and where it begins; of a flush there is one at a time."""
    now = {}
    for e in events:
        if e.kind.system != "block":
            continue
        v, what = e.values, e.kind.name[len("block_rq_"):]
        key = (v["dev"], v["sector"] if v["sector"] != 2**64 - 1 else 0)
        if what == "insert":
            now.setdefault(key, dict(queued=0, device=0, since=e.ts))
        elif what == "issue":
            r = now.setdefault(key, dict(queued=0, device=0, since=e.ts))
            r["queued"] += e.ts - r["since"]
            r.setdefault("first", v)
            r.update(since=e.ts, issue=e, left=v["nr_sector"])
        elif key not in now:
            continue
        elif what == "merge":
            del now[key]
        elif what == "requeue":
            now[key]["device"] += e.ts - now[key]["since"]
            now[key]["since"] = e.ts
        elif "issue" in now[key]:
            r = now.pop(key)
            r["left"] -= v["nr_sector"]
            if r["left"]:
                now[v["dev"], v["sector"] + v["nr_sector"]] = r
                continue
            device, i = r["device"] + e.ts - r["since"], r["issue"]
            op, flags = operation(i.values["rwbs"])
            yield e, dict(dev=f"{v['dev'] >> 20}:{v['dev'] & 0xfffff}", op=op, flags=flags, sector=r["first"]["sector"], bytes=r["first"]["bytes"],
                          ns=r["queued"] + device, queued_ns=r["queued"], device_ns=device, error=v["error"], pid=i.pid, comm=i.comm,
                          rwbs=i.values["rwbs"])


def allocation(events):
    """From an allocation until it is freed, or the end. What is allocated again had been freed, at a time that is not known."""
    now, names = {}, Names(events)
    row = lambda a, end, still: dict(a.values, ns=end.ts - a.ts, pid=a.pid, cpu=a.cpu, comm=names.at(a.pid, a.ts) or f"swapper/{a.cpu}", open=still)
    for e in events:
        if e.kind.system != "kmem" or not e.values["ptr"]:
            continue
        if "alloc" in e.kind.name:
            now[e.values["ptr"]] = e
        elif e.values["ptr"] in now:
            yield e, row(now.pop(e.values["ptr"]), e, "no")
    for a in now.values():
        last = copy.copy(events[-1])
        last.cpu = a.cpu
        yield last, row(a, last, "end")


def counter(events):
    for e in events:
        if e.kind.name == "print":
            kind, *parts = e.values["buf"].rstrip("\n").split("|")
            if kind == "C" and len(parts) > 2 and parts[0].isdigit() and parts[2].lstrip("-").isdigit():
                yield e, dict(name=parts[1], value=int(parts[2]), track=parts[3] if len(parts) > 3 else "", pid=e.pid, tgid=int(parts[0]),
                              comm=e.comm, cpu=e.cpu)
