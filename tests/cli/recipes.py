#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Computes what recipes show from the text of a trace, without any histogram.

usage: recipes.py TRACE.txt FIELDS.txt EXACT.txt DIR/RECIPE...

TRACE.txt is the text of the trace, FIELDS.txt the same with options/fields, EXACT.txt see recipes_derived.py.
DIR/RECIPE is what hist report RECIPE --format ndjson printed, DIR/RECIPE.live the same of its form for kernels.
Prints a line of TAP for each. Counts must be equal; times may differ by what the text rounds away, a
microsecond each.
"""
import bisect
import collections
import json
import re
import sys

import recipes_derived
import recipes_io
from trace_text import Table, events, pairs, pairs_by

BLOCK = re.compile(r"(\d+),(\d+) (\S+)(?: (\d+))? \(.*?\) (\d+) \+ \d+ ")
SWITCH = re.compile(r"prev_comm=(.*) prev_pid=(\d+) prev_prio=\d+ prev_state=(\S+) ==> "
                    r"next_comm=(.*) next_pid=(\d+) next_prio")


def switch(e):
    m = SWITCH.match(e.text) if e.name == "sched_switch" else None
    return m and {"prev": m[1], "prev_pid": int(m[2]), "state": m[3], "next": m[4], "next_pid": int(m[5])}


def came(e):
    s = switch(e)
    return s["next_pid"] if s and s["next_pid"] else None


def left(e):
    s = switch(e)
    return s["prev_pid"] if s and s["prev_pid"] else None


def by_name(name, field):
    return lambda e: e.num(field) if e.name == name else None


def woken(trace):
    def end(e):
        return came(e)

    return pairs(trace, lambda e: e.num("pid") or None if e.name == "sched_waking" else None, end)


def wakeup_latency(trace):
    t = Table()
    for a, b in woken(trace):
        t.add(switch(b)["next"], b.us - a.us)
    return t


def run_queue_wait(trace):
    t = Table()
    for a, b in woken(trace):
        t.add(b.cpu, b.us - a.us)
    return t


def on_cpu(trace):
    t = Table()
    for a, b in pairs(trace, came, left):
        t.add(switch(b)["prev"], b.us - a.us)
    return t


STATES = {"R": 0, "S": 1, "D": 2, "T": 4, "t": 8, "X": 16, "Z": 32, "P": 64, "I": 128, "R+": 256}


def off_cpu(trace):
    t = Table()
    for a, b in pairs(trace, left, came):
        t.add((switch(b)["next"], STATES[switch(a)["state"]]), b.us - a.us)
    return t


def preemptions(trace):
    t = Table()
    for e in trace:
        s = switch(e)
        if s and s["state"] in ("R", "R+") and s["prev_pid"] and s["next_pid"]:
            t.add((s["prev"], s["next"]))
    return t


def migrations(trace):
    t = Table()
    for e in trace:
        if e.name == "sched_migrate_task":
            t.add((e["comm"], e.num("orig_cpu"), e.num("dest_cpu")))
    return t


def wakers(trace):
    t = Table()
    for e in trace:
        if e.name == "sched_waking":
            t.add((e.pid, e["comm"]))
    return t


def syscall_count(trace):
    t = Table()
    for e in trace:
        if e.name == "sys_enter":
            t.add(int(re.match(r"NR (-?\d+)", e.text)[1]))
    return t


def syscall_latency(trace):
    t = Table(1000)

    def pid_of(name):
        return lambda e: e.pid if e.name == name else None

    for a, b in pairs(trace, pid_of("sys_enter"), pid_of("sys_exit")):
        t.add(int(re.match(r"NR (-?\d+)", a.text)[1]), (b.us - a.us) * 1000)
    return t


def syscall_errors(trace):
    t = Table()
    for e in trace:
        m = re.match(r"NR (-?\d+) = (-\d+)$", e.text) if e.name == "sys_exit" else None
        if m and int(m[2]) > -4096:
            t.add((int(m[1]), -int(m[2])))
    return t


def read_write_sizes(trace):
    t = Table()
    for e in trace:
        m = re.match(r"sys_read -> (0x[0-9a-f]+)", e.text)
        if m and int(m[1], 16) < 2**63:
            n = int(m[1], 16)
            t.add((max(n - 1, 0).bit_length() if n else 0,), n)
    return t


def irq_time(trace):
    t = Table(1000)
    for a, b in pairs_by(trace, lambda e: (e.cpu, e.num("irq")), "irq_handler_entry", "irq_handler_exit"):
        t.add((a.num("irq"), a["name"]), (b.us - a.us) * 1000)
    return t


def softirq_time(trace):
    t = Table(1000)
    for a, b in pairs_by(trace, lambda e: (e.cpu, e.num("vec")), "softirq_entry", "softirq_exit"):
        t.add(a.num("vec"), (b.us - a.us) * 1000)
    return t


def fields(compute):
    """What is computed from the text with options/fields."""
    compute.fields = True
    return compute


def function_of(e):
    return re.search(r"(?:function=|function )([\w.]+)", e.text)[1]


def work_of(e):
    return re.search(r"work struct=?:? ?(\S+?):?(?: |$)", e.text)[1]


def off(kind):
    def compute(trace):
        t = Table(1000)
        for a, b in pairs_by(trace, lambda e: e.cpu, kind + "_disable", kind + "_enable"):
            t.add(a.field("caller_offs"), (b.us - a.us) * 1000)
        return t

    return fields(compute)


def workqueue(first, last):
    def compute(trace):
        t = Table()
        for a, b in pairs_by(trace, work_of, first, last):
            t.add(function_of(b), b.us - a.us)
        return t

    return compute


def timer_lateness(trace):
    t = Table(0)
    for a, b in pairs_by(trace, lambda e: e["hrtimer"], "hrtimer_start", "hrtimer_expire_entry"):
        t.add(b["function"].split()[0], b.num("now") - a.num("softexpires"))
    return t


def wheel_timer_lateness(trace):
    t = Table(0)
    for a, b in pairs_by(trace, lambda e: e["timer"], "timer_start", "timer_expire_entry"):
        t.add(b["function"].split()[0], b.num("now") - a.num("expires"))
    return t


def cpu_idle_residency(trace, ns=1000):
    t = Table(ns)
    since = {}
    for e in trace:
        if e.name != "cpu_idle":
            continue
        cpu, state = e.num("cpu_id"), e.num("state")
        if state != 4294967295:
            since[cpu] = (e.us, state)
        elif cpu in since:
            us, was = since.pop(cpu)
            t.add((cpu, was), (e.us - us) * ns)
    return t


def cpu_frequency_residency(trace):
    t = Table(1000)
    last = {}
    for e in trace:
        if e.name == "cpu_frequency":
            cpu = e.num("cpu_id")
            if cpu in last:
                t.add((cpu, last[cpu].num("state")), (e.us - last[cpu].us) * 1000)
            last[cpu] = e
    return t


def block(e):
    """The device, the sector; the operation; the bytes: "254,0 RA 8192 () 13095728 + 16 ..."."""
    m = BLOCK.match(e.text)
    return (int(m[1]) << 20 | int(m[2]), int(m[5])), m[3], int(m[4] or 0)


def block_latency(trace):
    t = Table()
    for a, b in pairs_by(trace, lambda e: block(e)[0], "block_rq_issue", "block_rq_complete"):
        t.add((block(b)[0][0], block(b)[1]), b.us - a.us)
    return t


def block_size(trace):
    t = Table(0)
    for e in trace:
        if e.name == "block_rq_issue":
            t.add((block(e)[0][0], block(e)[1]), block(e)[2])
    return t


def page_faults(trace):
    t = Table()
    for e in trace:
        if e.name == "page_fault_user":
            t.add((e.pid, e.num("error_code")))
    return t


def kmalloc_by_site(trace):
    t = Table(0)
    for e in trace:
        if e.name == "kmalloc":
            t.add(e["call_site"].split("+")[0], e.num("bytes_req"))
    return t


def kmalloc_waste(trace):
    t = Table(0)
    for e in trace:
        if e.name == "kmalloc" and e.num("bytes_alloc") > e.num("bytes_req"):
            t.add((e["call_site"].split("+")[0], e.num("bytes_req")), e.num("bytes_alloc") - e.num("bytes_req"))
    return t


def slab_churn(trace):
    t = Table(0)
    for e in trace:
        if e.name == "kmem_cache_alloc":
            t.add(e["call_site"].split("+")[0], e.num("bytes_alloc"))
    return t


def futex_wait(trace):
    t = Table()
    since = {}
    for e in trace:
        m = re.match(r"sys_futex\(uaddr: (\w+), op: (\w+)", e.text)
        if m and int(m[2], 16) & 0x7f in (0, 6, 9) and int(m[2], 16) in (0, 6, 9, 128, 134, 137, 265, 393):
            since[e.pid] = e.us
        elif e.text.startswith("sys_futex ->") and e.pid in since:
            t.add(e.pid, e.us - since.pop(e.pid))
    return t


def lock_contention(trace):
    t = Table(1000)
    since = {}
    for e in trace:
        m = re.match(r"(\S+)", e.text)
        if e.name == "contention_begin":
            since[e.pid, m[1]] = e.us
        elif e.name == "contention_end" and (e.pid, m[1]) in since:
            t.add(e.pid, (e.us - since.pop((e.pid, m[1]))) * 1000)
    return t


def net(name):
    def compute(trace):
        t = Table(0)
        for e in trace:
            if e.name == name:
                t.add((e["dev"],) if name == "netif_receive_skb" else (e["dev"], e.num("rc")), e.num("len"))
        return t

    return compute


TCP = ["", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT"]


def tcp_retransmits(trace):
    t = Table()
    for e in trace:
        if e.name == "tcp_retransmit_skb":
            t.add((e.num("dport"), e.num("sport"), TCP.index(e["state"].replace("TCP_", ""))))
    return t


def inter_arrival(trace):
    t = Table(1000)
    last = {}
    for e in trace:
        if e.name != "sched_waking":
            continue
        pid = e.num("pid")
        if pid in last:
            t.add(pid, (e.us - last[pid]) * 1000)
        last[pid] = e.us
    return t


def process_lifetime(trace):
    t = Table()
    for a, b in pairs(trace, by_name("sched_process_fork", "child_pid"), by_name("sched_process_exit", "pid")):
        t.add(b["comm"], b.us - a.us)
    return t


def signals(trace):
    t = Table()
    for e in trace:
        if e.name == "signal_generate":
            t.add((e.num("sig"), e["comm"], e.pid))
    return t


def function_count(trace):
    t = Table()
    for e in trace:
        if e.name == "function":
            t.add(recipes_io.address(e["ip"]))
    return t


def function_time(trace):
    t, first = Table(0), min(e.us for e in trace)
    for e in trace:
        if e.name == "funcgraph_exit":
            func = recipes_io.address(e["func"])
            # trace-cmd report -R, which has names of functions, writes numbers in hexadecimal
            base = 16 if isinstance(func, str) else 10
            ns = int(e["rettime"], base) - int(e["calltime"], base)
            # a call that began before the recording is not complete; its first sub-buffer begins
            # up to 5 us before the first event
            if e.us - ns // 1000 >= first - 5:
                t.add(func, ns)
    return t


# Of each recipe: what computes a table, the index of that table, and the keys of its rows.
RECIPES = {
    "wakeup-latency": (wakeup_latency, 0, ["comm"]),
    "run-queue-wait": (run_queue_wait, 0, ["cpu"]),
    "on-cpu": (on_cpu, 0, ["comm"]),
    "off-cpu": (off_cpu, 0, ["comm", "state"]),
    "preemptions": (preemptions, 0, ["prev_comm", "next_comm"]),
    "migrations": (migrations, 0, ["comm", "orig_cpu", "dest_cpu"]),
    "wakers": (wakers, 0, ["common_pid", "comm"]),
    "syscall-count": (syscall_count, 0, ["id"]),
    "syscall-latency": (syscall_latency, 0, ["id"]),
    "syscall-errors": (syscall_errors, 0, ["id", "error"]),
    "read-write-sizes": (read_write_sizes, 0, ["ret"]),
    "irq-time": (irq_time, 0, ["irq", "name"]),
    "softirq-time": (softirq_time, 0, ["vec"]),
    "irqs-off": (off("irq"), 1, ["caller_offs"]),
    "preempt-off": (off("preempt"), 1, ["caller_offs"]),
    "workqueue-latency": (workqueue("workqueue_queue_work", "workqueue_execute_start"), 0, ["function.sym"]),
    "workqueue-time": (workqueue("workqueue_execute_start", "workqueue_execute_end"), 0, ["function.sym"]),
    "timer-lateness": (timer_lateness, 0, ["function.sym"]),
    "wheel-timer-lateness": (wheel_timer_lateness, 0, ["function.sym"]),
    "cpu-idle-residency": (cpu_idle_residency, 0, ["cpu", "state"]),
    "cpu-idle-residency.live": (lambda trace: cpu_idle_residency(trace, 1), 0, ["cpu", "state"]),
    "cpu-frequency-residency": (cpu_frequency_residency, 0, ["cpu", "khz"]),
    "block-latency": (block_latency, 0, ["dev", "rwbs"]),
    "block-size": (block_size, 0, ["dev", "rwbs"]),
    "page-faults": (page_faults, 0, ["common_pid", "error_code"]),
    "kmalloc-by-site": (kmalloc_by_site, 0, ["call_site.sym"]),
    "kmalloc-waste": (kmalloc_waste, 0, ["call_site.sym", "bytes_req"]),
    "slab-churn": (slab_churn, 0, ["call_site.sym"]),
    "futex-wait": (futex_wait, 0, ["common_pid"]),
    "lock-contention": (lock_contention, 1, ["common_pid"]),
    "net-receive": (net("netif_receive_skb"), 0, ["name"]),
    "net-send": (net("net_dev_xmit"), 0, ["name", "rc"]),
    "tcp-retransmits": (tcp_retransmits, 0, ["dport", "sport", "state"]),
    "process-lifetime": (process_lifetime, 0, ["comm"]),
    "inter-arrival": (inter_arrival, 0, ["of"]),
    "signals": (signals, 0, ["sig", "comm", "common_pid"]),
    "function-count": (function_count, 0, ["ip.sym"]),
    "function-time": (function_time, 0, ["func.sym"]),
    **recipes_io.RECIPES,
}


def cell(row, name):
    field = name.split(".")[0]
    text = row.get("text", {}).get(field)
    if name.endswith(".sym"):
        return re.sub(r"^\[\w+\] |\+.*| .*", "", str(text).strip())
    if field == "common_pid" and "common_task" in row["key"]:  # the name at the time: "sh-12", "sh-12 (2)"
        return int(re.sub(r" \(\d+\)$", "", row["key"]["common_task"]).rsplit("-", 1)[1])
    value = row["key"][field]
    if isinstance(value, list):
        return " ".join(re.sub(r"\+.*", "", frame) for frame in text)
    if isinstance(value, dict):
        return (value["max"]).bit_length() - 1 if value["max"] else 0
    if field == "state" and value in (2048, 4096):
        return 256  # what R+ was in older kernels
    return value


def shown(path, index, names):
    """The rows of the table with that index: (count, sum, max)."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    tables = -1
    with open(path) as f:
        for line in f:
            o = json.loads(line)
            if o.get("trigger"):
                tables += 1
            elif tables == index and "key" in o:
                values = [v for k, v in o["val"].items() if k != "hitcount"]
                row = rows[tuple(cell(o, n) for n in names)]
                row[0] += o["val"]["hitcount"]
                row[1] += values[0] if values else 0
                row[2] = max(row[2], o.get("saved", {}).get("max", 0))
    return rows


def by_symbol(rows, got, i):
    """Rows by address, added up by the symbol that contains it: the shown start before it."""
    starts = sorted({key[i] for key in got})
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for key, row in rows.items():
        at = bisect.bisect_right(starts, key[i])
        start = starts[at - 1] if at else key[i]
        total = sums[key[:i] + (start,) + key[i + 1:]]
        total[0] += row[0]
        total[1] += row[1]
        total[2] = max(total[2], row[2])
    return sums


def compare(recipe, check, trace, result):
    compute, index, names = check
    want = compute(trace)
    numbers = all(isinstance(k, int) for key in want.rows for k in key)
    got = shown(result, index, [n.replace(".sym", "") for n in names] if numbers else names)
    for i, name in enumerate(names if numbers else []):
        if name.endswith(".sym"):
            want.rows = by_symbol(want.rows, got, i)
    bad = 0
    for key in sorted(set(want.rows) | set(got), key=str):
        w, g = want.rows.get(key), got.get(key)
        if not w or not g or w[0] != g[0] or abs(w[1] - g[1]) > w[0] * want.slack or \
                (g[2] and abs(w[2] - g[2]) > want.slack):
            print("# %s: table %d: %s: computed %s, shown %s" % (recipe, index, key, w, g))
            bad += 1
    if not want.rows:
        print("# %s: nothing to compare" % recipe)
    return bool(want.rows) and not bad


def main():
    trace, with_fields = (events(path) for path in sys.argv[1:3])
    exact = recipes_derived.events(sys.argv[3])
    for result in sys.argv[4:]:
        recipe = result.rsplit("/", 1)[-1]
        name = recipe if recipe in RECIPES else recipe.replace(".live", "")
        if recipe in recipes_derived.RECIPES:
            ok = all([compare(recipe, check, exact, result) for check in recipes_derived.RECIPES[recipe]])
        else:
            text = with_fields if getattr(RECIPES[name][0], "fields", False) else trace
            ok = compare(recipe, RECIPES[name], text, result)
        print("%sok - %s" % ("" if ok else "not ", recipe))


main()
