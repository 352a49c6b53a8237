# SPDX-License-Identifier: GPL-2.0-only
"""Random machines with the events of the recipes that read tracepoints: single system calls, memory, timers, work, networks, power."""
from machines import machine
from machines.doings import MEMORY
from machines.recording import Type

_ident = iter(range(400, 500))


def event(full, *fields):
    return Type(*full.split(":"), next(_ident), *(tuple(f.rsplit(" ", 1)) for f in fields))


CALLS = {"read": ("unsigned int fd",), "write": ("unsigned int fd",), "fsync": ("unsigned int fd",), "fdatasync": ("unsigned int fd",),
         "openat": ("int dfd", "char[] __filename_val"), "futex": ("u64 uaddr", "int op")}
ENTER = {name: event("syscalls:sys_enter_" + name, "int __syscall_nr", *fields) for name, fields in CALLS.items()}
EXIT = {name: event("syscalls:sys_exit_" + name, "int __syscall_nr", "long ret") for name in CALLS}
KINDS = {k.full: k for k in (
    event("power:cpu_frequency", "u32 state", "u32 cpu_id"), event("power:cpu_idle", "u32 state", "u32 cpu_id"),
    event("vmscan:mm_vmscan_direct_reclaim_begin", "int order"), event("vmscan:mm_vmscan_direct_reclaim_end", "unsigned long nr_reclaimed"),
    *(event(f"preemptirq:{what}_{way}", "s32 caller_offs", "s32 parent_offs") for what in ("irq", "preempt") for way in ("disable", "enable")),
    event("net:netif_receive_skb", "unsigned long skbaddr", "unsigned int len", "char[] name"),
    event("net:net_dev_xmit", "unsigned long skbaddr", "unsigned int len", "int rc", "char[] name"),
    event("oom:mark_victim", "int pid", "char[] comm", "unsigned long total_vm", "unsigned long anon_rss", "short oom_score_adj"),
    event("signal:signal_generate", "int sig", "int errno", "int code", "char[16] comm", "pid_t pid", "int group", "int result"),
    event("sock:inet_sock_set_state", "unsigned long skaddr", "int oldstate", "int newstate", "u16 sport", "u16 dport", "u16 family", "u16 protocol"),
    event("tcp:tcp_retransmit_skb", "unsigned long skaddr", "int state", "u16 sport", "u16 dport"),
    event("timer:hrtimer_start", "unsigned long hrtimer", "unsigned long function", "s64 expires", "s64 softexpires"),
    event("timer:hrtimer_expire_entry", "unsigned long hrtimer", "s64 now", "unsigned long function"),
    event("timer:timer_start", "unsigned long timer", "unsigned long function", "unsigned long expires"),
    event("timer:timer_expire_entry", "unsigned long timer", "unsigned long function", "unsigned long now"),
    event("workqueue:workqueue_queue_work", "unsigned long work", "unsigned long function"),
    event("workqueue:workqueue_execute_start", "unsigned long work", "unsigned long function"),
    event("workqueue:workqueue_execute_end", "unsigned long work", "unsigned long function"),
    event("exceptions:page_fault_user", "unsigned long address", "unsigned long ip", "unsigned long error_code"),
    event("filemap:mm_filemap_get_pages", "unsigned long i_ino", "dev_t s_dev", "unsigned long index", "unsigned long last_index"),
    event("filemap:mm_filemap_add_to_page_cache", "unsigned long pfn", "unsigned long i_ino", "unsigned long index", "dev_t s_dev", "unsigned char order"),
    event("skb:kfree_skb", "unsigned long skbaddr", "unsigned long location", "unsigned short protocol", "int reason"),
)}
ALL = [*ENTER.values(), *EXIT.values(), *KINDS.values()]
KINDS |= {k.full: k for k in MEMORY.values() if k.name != "kfree"}
FUNCTIONS = [0xc0100000 + 64 * i for i in range(5)]


class RawMachine(machine.Machine):
    """What begins may begin again before it ends, or end without a beginning: counterparts are missing."""

    def other_steps(self):
        self.in_call, self.opens, self.requests = {}, {}, []
        return [(0.12, self.single_call), (0.5, self.anything)]

    def single_call(self, cpu):
        t, r = cpu.task, self.rng
        if not t or cpu.stack:
            return
        if t not in self.in_call or r.random() < 0.1:
            name = self.in_call[t] = r.choice([*CALLS])
            self.put(cpu, ENTER[name], 5, *{"openat": lambda: (-100, r.choice(self.texts)), "futex": lambda: (r.choice([64, 4096]), r.choice([0, 1, 128, 129, 137, 9]))}.get(
                name, lambda: (r.randrange(4),))())
        else:
            self.put(cpu, EXIT[self.in_call.pop(t)], 5, r.choice([0, 1, 5, 100, 4096, -2, -13]))

    def anything(self, cpu):
        r = self.rng
        kind = r.choice([*KINDS.values()])
        choices = {
            "order": [0, 1, 2, 9], "cpu_id": [c.number for c in self.cpus], "state": [0, 1, 2, 2**32 - 1] if kind.name == "cpu_idle" else [1, 2, 800000],
            "bytes_req": [8, 30, 100], "bytes_alloc": [100, 128, 192], "ptr": [64, 128, 192, 256], "len": [0, 1, 60, 1500, 65000], "rc": [0, 0, 16],
            "call_site": FUNCTIONS, "function": FUNCTIONS, "location": FUNCTIONS, "caller_offs": [64, 128, -16], "parent_offs": [0], "comm": self.names_of,
            "name": ["eth0", "lo", "dentry", "task_struct"], "pid": [t.pid for t in self.tasks], "sig": [9, 14, 17], "result": [0, 1, 2, 3], "protocol": [6, 6, 6, 17],
            "oldstate": [1, 2, 7], "newstate": [1, 2, 7], "sport": [80, 40000, 443], "dport": [80, 443], "hrtimer": [64, 128], "timer": [64, 128], "work": [64, 128, 192],
            "softexpires": [self.now, self.now - 50_000, self.now + 1000], "expires": [999, 1000, 1003] if kind.name == "timer_start" else [self.now],
            "now": [self.now, self.now + 60_000] if kind.name.startswith("hr") else [1003, 1004, 1100], "address": [0, 4096, 2**31 - 1], "error_code": [4, 6, 20],
            "index": [0, 5, 100], "last_index": [100, 101, 163], "i_ino": [1, 77], "s_dev": [8 << 20 | 1], "reason": [2, 5], "nr_reclaimed": [0, 32, 100],
        }
        self.put(cpu, kind, *(r.choice(choices.get(f[1], [0, 1, 2])) for f in kind.fields))
