# SPDX-License-Identifier: GPL-2.0-only
"""Computations of recipes.py about files, connections, memory and programs."""
import re

from trace_text import Table, pairs, pairs_by


def by_pid(*names):
    return lambda e: e.pid if e.name in names else None


def starts(*texts):
    """The pid of a system call's line; they have no name before a colon."""
    return lambda e: e.pid if e.text.startswith(texts) else None


def fields(compute):
    compute.fields = True
    return compute


def address(text):
    """An address as a number, a symbol as its name; trace-cmd 3.3 writes both, as "symbol (0xffff...)"."""
    return int(text, 16) if text.startswith("0x") else text.split()[0]


def exit_value(e):
    n = int(re.search(r"-> (0x[0-9a-f]+)", e.text)[1], 16)
    return n - (1 << 64) if n >> 63 else n


def program(trace):
    t = Table()
    for e in trace:
        if e.name == "sched_process_exec":
            t.add(e["filename"])
    return t


def parent_of_program(trace):
    t = Table()

    def forked(e):
        return e.num("child_pid") if e.name == "sched_process_fork" else None

    for a, _ in pairs(trace, forked, by_pid("sched_process_exec")):
        t.add(a["comm"])
    return t


def file_io(call):
    def compute(trace):
        t = Table()
        for a, b in pairs(trace, starts(call + "("), starts(call + " ->")):
            if exit_value(b) >= 0:
                t.add((a.pid, int(re.search(r"fd: (?:0x)?([0-9a-f]+)", a.text)[1], 16)), b.us - a.us)
        return t

    return compute


def fsync_latency(trace):
    t = Table()
    for call in ("sys_fsync", "sys_fdatasync"):
        for a, b in pairs(trace, starts(call + "("), starts(call + " ->")):
            t.add(a.pid, b.us - a.us)
    return t


def file_opens(trace):
    t = Table()
    for a, b in pairs(trace, starts("sys_openat("), starts("sys_openat ->")):
        t.add((re.search(r'"(.*)"', a.text)[1], max(-exit_value(b), 0)))
    return t


def file_opens_probe(trace):
    t = Table()
    for a, b in pairs(trace, by_pid("file_open_enter"), by_pid("file_open_exit")):
        t.add((re.search(r'file="(.*)"', a.text)[1], max(-int(re.search(r"ret=(-?\d+)", b.text)[1]), 0)))
    return t


def direct_reclaim(trace):
    t = Table()
    for a, b in pairs(trace, by_pid("mm_vmscan_direct_reclaim_begin"), by_pid("mm_vmscan_direct_reclaim_end")):
        t.add(a.pid, b.us - a.us)
    return t


def oom_kills(trace):
    t = Table(0)
    for e in trace:
        if e.name == "mark_victim":
            m = re.match(r"pid=(\d+) comm=(.*) total-vm=(\d+)kB", e.text)
            t.add((int(m[1]), m[2]), int(m[3]))
    return t


def packet_drops(trace):
    t = Table()
    for e in trace:
        if e.name == "kfree_skb":
            t.add((e.field("location"), e.field("reason"), e.field("protocol")))
    return t


def softirq_latency(trace):
    t = Table(1000)
    for a, b in pairs_by(trace, lambda e: (e.cpu, e.num("vec")), "softirq_raise", "softirq_entry"):
        t.add(a.num("vec"), (b.us - a.us) * 1000)
    return t


def tcp(old, new):
    """The socket if it enters a state, from another one if that matters."""
    def key(e):
        if e.name == "inet_sock_set_state" and e.field("newstate") == new and \
                e.field("oldstate") == (old or e.field("oldstate")):
            return e.field("skaddr")
        return None

    return key


def tcp_connect_latency(trace):
    t = Table()
    for a, b in pairs(trace, tcp(None, 2), tcp(2, 1)):
        t.add(b.field("dport"), b.us - a.us)
    return t


def tcp_lifetime(trace):
    t = Table()
    for a, b in pairs(trace, tcp(None, 1), tcp(None, 7)):
        t.add((b.field("sport"), b.field("dport")), b.us - a.us)
    return t


def tcp_states(trace):
    t = Table()
    for e in trace:
        if e.name == "inet_sock_set_state":
            t.add((e.field("oldstate"), e.field("newstate")))
    return t


def page_cache(trace):
    t = Table(0)
    for e in trace:
        if e.name == "mm_filemap_get_pages":
            first, last = e["ofs"].split("-")
            t.add(e.pid, (int(last) + 1 - int(first)) // 4096)
    return t


def off_cpu_stacks(trace):
    """Of trace-cmd report: the stack of an event is the next record of its CPU."""
    t = Table()
    left, last = {}, {}
    for e in trace:
        if e.name == "kernel_stack" and last.get(e.cpu):
            left[last.pop(e.cpu)][1] = " ".join(e.stack[e.stack.index("__schedule"):])
        m = re.search(r"(\d+) \[\d+\] \S+ ==> .*:(\d+) \[", e.text) if e.name == "sched_switch" else None
        if not m:
            continue
        prev, then = int(m[1]), int(m[2])
        if then and then in left:
            us, stack = left.pop(then)
            if stack:
                t.add(stack, e.us - us)
        if prev:
            left[prev], last[e.cpu] = [e.us, None], prev
    return t


RECIPES = {
    "process-exec": (program, 0, ["filename"]),
    "file-io": (file_io("sys_read"), 0, ["common_pid", "fd"]),
    "fsync-latency": (fsync_latency, 0, ["common_pid"]),
    "file-opens": (file_opens, 0, ["file", "error"]),
    "file-opens-probe": (file_opens_probe, 0, ["file", "error"]),
    "direct-reclaim": (direct_reclaim, 0, ["common_pid"]),
    "oom-kills": (oom_kills, 0, ["pid", "comm"]),
    "packet-drops": (fields(packet_drops), 0, ["location.sym", "reason", "protocol"]),
    "softirq-latency": (softirq_latency, 0, ["vec"]),
    "tcp-connect-latency": (fields(tcp_connect_latency), 0, ["dport"]),
    "tcp-lifetime": (fields(tcp_lifetime), 0, ["sport", "dport"]),
    "tcp-states": (fields(tcp_states), 0, ["oldstate", "newstate"]),
    "page-cache": (page_cache, 0, ["common_pid"]),
    "off-cpu-stacks": (off_cpu_stacks, 0, ["stack"]),
}
