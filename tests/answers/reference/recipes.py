# SPDX-License-Identifier: GPL-2.0-only
"""What each recipe shows, by what hist-recipes(7) says of it."""
from reference import answers


def usecs(ns):
    return (ns + 500) // 1000  # as kernels round a time stamp


def pairs(events, begin, end, key, first=lambda v: True, second=lambda v: True):
    """(begin, end) of the same key: the last begin before an end, which ends it."""
    now = {}
    for e in events:
        at = (e.pid if key == "task" else e.cpu if key == "cpu" else e.values.get(key))
        # an event that is both ends the last one before
        if e.kind.full == end and second(e.values) and at in now:
            yield now.pop(at), e
        if e.kind.full == begin and first(e.values):
            now[at] = e


def row(e, **fields):
    return answers.place(e, e.pid, e.comm, dict(fields, common_pid=e.pid, common_cpu=e.cpu))


def us_between(begin, end, key, first=lambda v: True, second=lambda v: True, **fields):
    """Rows with us, and fields of the begin ("<NAME") or the end ("NAME"); "<": the pid of the begin."""
    def rows(events):
        for a, b in pairs(events, begin, end, key, first, second):
            yield row(b, us=usecs(b.ts) - usecs(a.ts), **{f: a.pid if n == "<" else a.values[n[1:]] if n[0] == "<" else b.values[n] for f, n in fields.items()})
    return rows


def call(name, second=lambda v: True, first=lambda v: True, **fields):
    return us_between("syscalls:sys_enter_" + name, "syscalls:sys_exit_" + name, "task", first, second, **fields)


def frequencies(events):
    for a, b in pairs(events, "power:cpu_frequency", "power:cpu_frequency", "cpu_id"):
        yield row(b, ns=b.ts - a.ts, cpu=b.values["cpu_id"], khz=a.values["state"])


def idle(events):
    for a, b in pairs(events, "power:cpu_idle", "power:cpu_idle", "cpu_id", lambda v: v["state"] != 2**32 - 1, lambda v: v["state"] == 2**32 - 1):
        yield row(b, ns=b.ts - a.ts, cpu=b.values["cpu_id"], state=a.values["state"])


def off(what):
    def rows(events):
        for a, b in pairs(events, f"preemptirq:{what}_disable", f"preemptirq:{what}_enable", "cpu"):
            yield row(b, ns=b.ts - a.ts, caller_offs=a.values["caller_offs"], cpu=b.cpu)
    return rows


def fsyncs(events):
    both = [*call("fsync", fd="<fd")(events), *call("fdatasync", fd="<fd")(events)]
    return sorted(both, key=lambda r: r["@ts"])


def opens(events):
    for a, b in pairs(events, "syscalls:sys_enter_openat", "syscalls:sys_exit_openat", "task"):
        yield row(b, file=a.values["__filename_val"], error=max(0, -b.values["ret"]))


def executed(events):
    for a, b in execs(events):
        yield row(b, parent_pid=a.values["parent_pid"], parent_comm=a.values["parent_comm"], filename=b.values["filename"])


def execs(events):
    """A program in a task whose fork was recorded."""
    forks = {}
    for e in events:
        if e.kind.full == "sched:sched_process_fork":
            forks[e.values["child_pid"]] = e
        elif e.kind.full == "sched:sched_process_exec" and e.values["pid"] in forks:
            yield forks[e.values["pid"]], e


def lifetimes(events):
    born = {}
    for e in events:
        if e.kind.full == "sched:sched_process_fork":
            born[e.values["child_pid"]] = e
        elif e.kind.full == "sched:sched_process_exit" and e.values["pid"] in born:
            yield row(e, us=usecs(e.ts) - usecs(born.pop(e.values["pid"]).ts), pid=e.values["pid"], comm=e.values["comm"])


def lateness(begin, end, key, due, name):
    def rows(events):
        for a, b in pairs(events, begin, end, key):
            yield row(b, function=b.values["function"], **{name: b.values["now"] - a.values[due]})
    return rows


def arrivals(events):
    for a, b in pairs(events, "sched:sched_waking", "sched:sched_waking", "pid"):
        yield row(b, ns=b.ts - a.ts, of=b.values["pid"])


def lookups(events):
    for e in events:
        if e.kind.name == "mm_filemap_get_pages":
            yield row(e, pages=e.values["last_index"] - e.values["index"] + 1)


def waste(events):
    for e in events:
        if e.kind.name == "kmalloc" and e.values["bytes_alloc"] > e.values["bytes_req"]:
            yield row(e, waste=e.values["bytes_alloc"] - e.values["bytes_req"], call_site=e.values["call_site"], bytes_req=e.values["bytes_req"])


def errors(events):
    for e in events:
        if e.kind.full == "raw_syscalls:sys_exit" and -4096 < e.values["ret"] < 0:
            yield row(e, id=e.values["id"], error=-e.values["ret"])


def slabs(events):
    for a, b in pairs(events, "kmem:kmem_cache_alloc", "kmem:kmem_cache_free", "ptr"):
        yield row(b, us=usecs(b.ts) - usecs(a.ts), name=b.values["name"])


TCP = lambda v: v["protocol"] == 6
SOCK = "sock:inet_sock_set_state"
WORK = "workqueue:workqueue_"
connects = us_between(SOCK, SOCK, "skaddr", lambda v: TCP(v) and v["newstate"] == 2, lambda v: TCP(v) and v["oldstate"] == 2 and v["newstate"] == 1, dport="dport", sport="sport", pid="<")
tcp_lives = us_between(SOCK, SOCK, "skaddr", lambda v: TCP(v) and v["newstate"] == 1, lambda v: TCP(v) and v["newstate"] == 7, dport="dport", sport="sport")
FUTEX_WAITS = {0, 128, 9, 137, 265, 393, 6, 134}
# Recipe: (parameters, tables): a table is (rows, "keys|sums|largest: saved", filter). Rows are an event, or a function that makes them.
# Parameters: min (of which field, its unit in ns or 1), or the name of a field for a glob; "task" is the running task.
MIN_US, MIN_NS, MIN_OWN_US = ("min", "ns", 1000), ("min", "ns", 1), ("min", "us", 1)
COMM, TASK = ("comm", "comm"), ("comm", "@comm")
W, S, I, D = "derived:wait", "derived:task_state", "derived:irq", "derived:delay"
ran, slept = lambda r: r["state"] == "running", lambda r: r["state"] != "running"
PARTS = "ns,running_ns,waiting_ns,sleeping_ns,irq_ns,unknown_ns"
RECIPES = {
    "block-latency": ((MIN_US, COMM), [("derived:block_io", "dev,op,flags|ns,queued_ns,device_ns,bytes|ns: sector,comm"), ("derived:block_io", "op,ns.log2"),
                                       ("derived:block_io", "comm|ns,bytes")]),
    "block-size": ((), [("derived:block_io", "dev,rwbs|bytes"), ("derived:block_io", "bytes.log2|bytes"), ("derived:block_io", "comm|bytes")]),
    "cpu-frequency-residency": ((), [(frequencies, "cpu,khz|ns")]),
    "cpu-idle-residency": ((), [(idle, "cpu,state|ns"), (idle, "state,ns.log2")]),
    "direct-reclaim": ((MIN_OWN_US, TASK), [(r := us_between("vmscan:mm_vmscan_direct_reclaim_begin", "vmscan:mm_vmscan_direct_reclaim_end", "task", nr_reclaimed="nr_reclaimed",
                                                             order="<order"), "task|us,nr_reclaimed|us: order"), (r, "us.log2|nr_reclaimed")]),
    "file-io": ((MIN_OWN_US, TASK), [table for name in ("read", "write") for rows in [call(name, lambda v: v["ret"] >= 0, fd="<fd", bytes="ret")]
                                     for table in ((rows, "task,fd|us,bytes|us: bytes"), (rows, "us.log2|bytes"))]),
    "file-opens": ((TASK, ("file", "file")), [(opens, "file,error"), (opens, "task,error")]),
    "fsync-latency": ((MIN_OWN_US, TASK), [(fsyncs, "task|us|us: fd"), (fsyncs, "us.log2")]),
    "function-time": ((MIN_NS, COMM), [("derived:function", "func|ns,self_ns|ns: pid,comm"), ("derived:function", "ns.log2")]),
    "futex-wait": ((MIN_OWN_US, TASK), [(r := call("futex", first=lambda v: v["op"] in FUTEX_WAITS, uaddr="<uaddr"), "task|us|us: uaddr"), (r, "uaddr|us")]),
    "inter-arrival": ((), [(arrivals, "of|ns"), (arrivals, "ns.log2")]),
    "inversions": ((MIN_US, ("comm", "victim_comm"), ("culprit", "culprit_comm")),
                   [(D, "victim_comm,victim_prio,culprit_comm,culprit_prio|ns|ns: victim_pid,culprit_pid,cpu", v := lambda r: r["inverted"]),
                    (D, "@ts,victim_pid,victim_comm,culprit_pid,culprit_comm,cpu|ns", v), (D, "ns.log2", v)]),
    "irq-time": ((MIN_US,), [(I, "kind,name|ns,self_ns|ns: cpu,comm", hard := lambda r: r["kind"] != "softirq"), (I, "comm|self_ns", hard), (I, "ns.log2", hard)]),
    "irqs-off": ((MIN_NS,), [(off("irq"), "ns.log2"), (off("irq"), "caller_offs|ns|ns: cpu")]),
    "preempt-off": ((MIN_NS,), [(off("preempt"), "ns.log2"), (off("preempt"), "caller_offs|ns|ns: cpu")]),
    "kmalloc-by-site": ((TASK,), [("kmem:kmalloc", "call_site|bytes_req,bytes_alloc")]),
    "kmalloc-waste": ((), [(waste, "call_site,bytes_req|waste")]),
    "leaks": ((MIN_NS,), [("derived:allocation", "call_site|bytes_alloc|ns: pid,comm", live := lambda r: r["open"] == "end"),
                          ("derived:allocation", "pid,comm|bytes_alloc", live)]),
    "lock-contention": ((MIN_NS,), [("derived:lock_wait", "lock,kind|ns|ns: pid,comm"), ("derived:lock_wait", "comm|ns"), ("derived:lock_wait", "lock,wait_stack|ns")]),
    "lock-inversions": ((MIN_US, COMM, ("owner", "owner_comm")),
                        [(L := "derived:lock_wait", "comm,prio,owner_comm,owner_prio,kind|ns|ns: pid,owner_pid,lock", v := lambda r: r["inverted"]),
                         (L, "@ts,pid,comm,owner_pid,owner_comm,lock|ns", v), (L, "owner_comm,kind|ns|ns: pid,comm,owner_pid", lambda r: r["owner_pid"] > 0)]),
    "marker-slices": ((MIN_US, COMM, ("name", "name")), [("derived:slice", "name|ns,self_ns|ns: pid,comm"), ("derived:slice", "ns.log2"), ("derived:slice", "name,depth|" + PARTS)]),
    "migrations": ((COMM,), [("sched:sched_migrate_task", "comm,orig_cpu,dest_cpu"), ("sched:sched_migrate_task", "orig_cpu,dest_cpu")]),
    "net-receive": ((("dev", "name"),), [("net:netif_receive_skb", "name|len"), ("net:netif_receive_skb", "len.log2|len")]),
    "net-send": ((("dev", "name"),), [("net:net_dev_xmit", "name,rc|len"), ("net:net_dev_xmit", "len.log2|len")]),
    "off-cpu": ((MIN_US, COMM), [(S, "comm,state|ns|ns: pid,waker_comm,in_irq", slept), (S, "comm,waker_comm,in_irq|ns", lambda r: slept(r) and r["next_state"] == "woken"),
                                 (S, "state,ns.log2", slept), (W, "comm,reason|ns")]),
    "on-cpu": ((MIN_US, COMM), [(S, "comm|ns|ns: pid,cpu", ran), (S, "ns.log2", ran), (S, "next_state|ns", ran)]),
    "oom-kills": ((), [("oom:mark_victim", "comm,pid,oom_score_adj|total_vm,anon_rss")]),
    "packet-drops": ((), [("skb:kfree_skb", "location,reason,protocol")]),
    "page-cache": ((TASK,), [(lookups, "task|pages"), ("filemap:mm_filemap_add_to_page_cache", "task,order"), ("filemap:mm_filemap_add_to_page_cache", "s_dev,i_ino,order")]),
    "page-faults": ((TASK,), [("exceptions:page_fault_user", "task,error_code"), ("exceptions:page_fault_user", "address.buckets=1073741824")]),
    "preemptions": ((MIN_US, ("comm", "victim_comm"), ("culprit", "culprit_comm")),
                    [(D, "victim_comm,culprit_comm,culprit_kind|ns,preemptions|ns: victim_pid,culprit_pid,cpu", p := lambda r: r["kind"] == "preempted"),
                     (D, "culprit_comm,culprit_kind|ns,preemptions", p), (D, "ns.log2", p)]),
    "process-exec": ((), [("sched:sched_process_exec", "filename"), (executed, "parent_comm"), (executed, "parent_pid,filename")]),
    "process-lifetime": ((COMM,), [(lifetimes, "comm|us|us: pid"), (lifetimes, "us.log2")]),
    "read-write-sizes": ((TASK,), [(f"syscalls:sys_exit_{name}", keys, lambda r: r["ret"] >= 0) for name in ("read", "write") for keys in ("ret.log2|ret", "task|ret")]),
    "run-queue-wait": ((MIN_US, COMM), [(W, "cpu|ns,other_idle_ns|ns: pid,comm,kind"), (W, "comm,kind|ns|ns: pid,cpu"), (W, "cpu,ns.log2"), (W, "reason,kind|ns")]),
    "scheduler": ((), [(W, "kind,reason|ns|ns: pid,comm,cpu"), (W, "kind,migrated,idle_cpu|ns,other_idle_ns|ns: pid,comm,cpu"), (W, "ns.log2"),
                       (W, "cpu|ns,other_idle_ns|ns: pid,comm,kind"), (S, "next_state|ns|ns: pid,comm,cpu", ran), (S, "ns.log2", ran), ("derived:runqueue", "cpu|ns,depth_ns|depth: ns")]),
    "signals": ((), [("signal:signal_generate", "sig,comm,task"), ("signal:signal_generate", "sig,result")]),
    "slab-churn": ((), [("kmem:kmem_cache_alloc", "call_site|bytes_alloc"), (slabs, "name|us")]),
    "softirq-latency": ((MIN_US,), [("derived:softirq_wait", "name|ns,raises|ns: cpu,comm"), ("derived:softirq_wait", "name,ns.log2")]),
    "softirq-time": ((MIN_US,), [(I, "name|ns,self_ns|ns: cpu,comm", soft := lambda r: r["kind"] == "softirq"), (I, "name,ns.log2", soft), (I, "comm|self_ns", soft)]),
    "syscall-count": ((TASK,), [("raw_syscalls:sys_enter", "id"), ("raw_syscalls:sys_enter", "task")]),
    "syscall-errors": ((TASK,), [(errors, "id,error")]),
    "syscall-latency": ((MIN_NS, COMM, ("call", "name")), [("derived:syscall", f"id|{PARTS}|ns: pid,comm,ret"), ("derived:syscall", f"comm,pid|{PARTS}"), ("derived:syscall", "ns.log2")]),
    "task-states": ((COMM,), [(S, "comm,state|ns")]),
    "tcp-connect-latency": ((MIN_OWN_US,), [(connects, "dport|us|us: sport,pid"), (connects, "us.log2"), (connects, "pid|us|us: dport")]),
    "tcp-lifetime": ((MIN_OWN_US,), [(tcp_lives, "sport,dport|us"), (tcp_lives, "us.log2")]),
    "tcp-retransmits": ((), [("tcp:tcp_retransmit_skb", "dport,sport,state")]),
    "tcp-states": ((), [(SOCK, "oldstate,newstate", TCP), (SOCK, "sport,dport,newstate", TCP)]),
    "throttling": ((("cgroup", "cgroup"),), [("derived:throttle", "cgroup,by|quota_ns,periods,ns|ns: cpu")]),
    "timer-lateness": ((MIN_NS,), [(r := lateness("timer:hrtimer_start", "timer:hrtimer_expire_entry", "hrtimer", "softexpires", "ns"), "function|ns|ns: common_cpu", late := lambda r: r["ns"] >= 0), (r, "ns.log2", late)]),
    "wakers": ((COMM,), [("sched:sched_waking", "task,comm")]),
    "wakeup-latency": ((MIN_US, COMM), [(W, "comm|ns|ns: pid,cpu", k := lambda r: r["kind"] == "woken"), (W, "ns.log2", k), (W, "kind|ns")]),
    "wheel-timer-lateness": ((("min", "ticks", 0),), [(r := lateness("timer:timer_start", "timer:timer_expire_entry", "timer", "expires", "ticks"), "function|ticks|ticks: common_cpu"),
                                                    (r, "ticks.log2")]),
    "workqueue-latency": ((MIN_OWN_US,), [(r := us_between(WORK + "queue_work", WORK + "execute_start", "work", function="function", pid="<"), "function|us|us: pid"), (r, "us.log2"), (r, "pid|us")]),
    "workqueue-time": ((MIN_OWN_US,), [(r := us_between(WORK + "execute_start", WORK + "execute_end", "work", function="function"), "function|us|us: common_pid"), (r, "us.log2")]),
}


def answer(rows, table, chosen, lives):
    """{keys: (hits, sums, (largest, what was saved with it))}"""
    keys, sums, largest = (table[1] + "||").split("|")[:3]
    sums, (of, _, saved) = [s for s in sums.split(",") if s], largest.partition(": ")
    found = {}
    for r in rows:
        if not all(test(r) for test in (*table[2:], *chosen)):
            continue
        key = []
        for k in keys.split(","):
            name, _, modifier = k.partition(".")
            key.append(lives.task(r["@pid"], r["@comm"], r["@ts"]) if k == "task" else tuple(map(int, answers.cells_of((name, modifier), r[name]))) if modifier else () if k == "wait_stack" else r[k])
        row = found.setdefault(tuple(key), [0] * (1 + len(sums)) + [None])
        row[0] += 1
        for i, s in enumerate(sums):
            row[1 + i] += r[s]
        if of and (row[-1] is None or r[of] > row[-1][0]):  # above 0
            row[-1] = (r[of], *(r[s] if r[of] else None for s in saved.split(",") if s))
    return {k: tuple(v) for k, v in found.items()}
