# SPDX-License-Identifier: GPL-2.0-only
"""What the random machines of machine.py do beside scheduling: softirqs that are raised, locks, block devices, markers, functions, memory."""
from machines.recording import Type

SOFT = Type("irq", "softirq_entry", 310, ("unsigned int", "vec"))
SOFT_END = Type("irq", "softirq_exit", 311, ("unsigned int", "vec"))
RAISE = Type("irq", "softirq_raise", 315, ("unsigned int", "vec"))
CONTEND = Type("lock", "contention_begin", 316, ("unsigned long", "lock_addr"), ("unsigned int", "flags"))
CONTENDED = Type("lock", "contention_end", 317, ("unsigned long", "lock_addr"), ("int", "ret"))
RQ = (("dev_t", "dev"), ("sector_t", "sector"), ("unsigned int", "nr_sector"))
BLOCK = {name: Type("block", "block_rq_" + name, ident, *RQ, *more) for name, ident, more in (
    ("insert", 320, (("unsigned int", "bytes"), ("char[8]", "rwbs"), ("char[16]", "comm"))),
    ("issue", 321, (("unsigned int", "bytes"), ("char[8]", "rwbs"), ("char[16]", "comm"))),
    ("merge", 322, (("unsigned int", "bytes"), ("char[8]", "rwbs"), ("char[16]", "comm"))),
    ("requeue", 323, (("char[8]", "rwbs"),)),
    ("complete", 324, (("int", "error"), ("char[8]", "rwbs"))))}
PRINT = Type("ftrace", "print", 5, ("unsigned long", "ip"), ("char[*]", "buf"), fmt='"%ps: %s", (void *)REC->ip, REC->buf')
CALL = Type("ftrace", "funcgraph_entry", 11, ("unsigned long", "func"), ("int", "depth"))
RETURN = Type("ftrace", "funcgraph_exit", 10, ("unsigned long", "func"), ("int", "depth"), ("unsigned int", "overrun"), ("u64", "calltime"),
              ("u64", "rettime"))
OBJECT = ("unsigned long", "call_site"), ("unsigned long", "ptr")
BYTES = ("unsigned long", "bytes_req"), ("unsigned long", "bytes_alloc")
MEMORY = {name: Type("kmem", name, ident, *fields) for name, ident, fields in (
    ("kmalloc", 340, OBJECT + BYTES), ("kmem_cache_alloc", 341, OBJECT + BYTES), ("kfree", 342, OBJECT),
    ("kmem_cache_free", 343, (*OBJECT, ("char[]", "name"))))}
KINDS = [*MEMORY.values(), SOFT, SOFT_END, RAISE, CONTEND, CONTENDED, *BLOCK.values(), PRINT, CALL, RETURN]

SPIN, READ, WRITE, RT, PERCPU, MUTEX = 1, 2, 4, 8, 16, 32
LOCKS = [(SPIN,), (SPIN | READ,), (SPIN | WRITE,), (READ,), (WRITE,), (MUTEX,), (MUTEX | SPIN,), (MUTEX | SPIN, MUTEX), (MUTEX | SPIN, MUTEX, MUTEX | SPIN), (RT,), (RT | READ,),
         (RT | WRITE,), (PERCPU | READ,), (PERCPU | WRITE,), (0,)]
RWBS = ["R", "RA", "W", "WS", "WSM", "FWFS", "WFS", "D", "DS", "DE", "FF", "RM"]
SLICES = ["frame", "a b", "", "x|y", "long " + "z" * 60, "naïve", "draw:1", "frame"]


class Request:
    def __init__(self, dev, sector, size, rwbs):
        self.dev, self.sector, self.size, self.rwbs, self.state = dev, sector, size, rwbs, "new"


class Doings:
    def other_steps(self):
        self.requests, self.cookies = [], []
        return [(0.06, self.softirq), (0.06, self.lock), (0.08, self.block), (0.08, self.marker), (0.08, self.function), (0.06, self.memory)]

    # --- softirqs: a CPU takes all that are pending, and runs one after the other ---

    def softirq(self, cpu):
        if self.rng.random() < 0.5:
            n = self.rng.randrange(10)
            self.put(cpu, RAISE, n)
            cpu.pending.add(n)
        elif not cpu.stack:
            if not cpu.batch:
                cpu.batch, cpu.pending = sorted(cpu.pending), set()
            if cpu.batch:
                n = cpu.batch.pop(0)
                self.put(cpu, SOFT, n)
                cpu.stack.append(("softirq", n))

    # --- locks: of a task, and of what interrupts it ---

    def lock(self, cpu):
        waits = cpu.locks if cpu.stack else cpu.task.locks if cpu.task else None
        if waits is None:
            return
        if waits and self.rng.random() < 0.6:
            if waits[-1][1]:
                return self.put(cpu, CONTEND, waits[-1][0], waits[-1][1].pop(0))
            return self.put(cpu, CONTENDED, waits.pop()[0], self.rng.choice([0, 0, 0, -4, -35]))
        address = 0xc1000000 + 64 * self.rng.randrange(4 if cpu.stack else 12)
        if len(waits) < 2 and address not in [a for a, _ in waits + (cpu.task.locks if cpu.task else [])]:
            first, *more = self.rng.choice(LOCKS[:3] if cpu.stack or waits else LOCKS)
            self.put(cpu, CONTEND, address, first)
            waits.append((address, more))

    def end_locks(self, cpu):
        while cpu.locks:
            self.put(cpu, CONTENDED, cpu.locks.pop()[0], 0)

    # --- block devices ---

    def block(self, cpu):
        if not self.requests or len(self.requests) < 8 and self.rng.random() < 0.4:
            dev, rwbs = self.rng.choice([8 << 20, 8 << 20 | 16, 259 << 20 | 3]), self.rng.choice(RWBS)
            free = [s for s in range(0, 4096, 64) if all(r.dev != dev or not s <= r.first < s + 64 for r in self.requests)][1:]
            r = Request(dev, self.rng.choice(free), 8 * self.rng.randint(1, 6), rwbs)
            if rwbs == "FF":
                r.sector, r.size = 0, 0
                if any(o.dev == dev and o.rwbs == "FF" for o in self.requests):
                    return
            r.first = r.sector
            self.requests.append(r)
        else:
            r = self.rng.choice(self.requests)
        if r.state in ("new", "again") and self.rng.random() < 0.6:
            self.request(cpu, "insert", r)
            r.state = "queued"
        elif r.state in ("new", "again", "queued"):
            before = [o for o in self.requests if o.dev == r.dev and o.rwbs == r.rwbs and o.state == "queued" and o is not r and r.size]
            if r.state == "queued" and before and self.rng.random() < 0.5:  # it becomes a part of another request
                self.request(cpu, "merge", r)
                self.requests.remove(r)
                return
            self.request(cpu, "issue", r)
            r.state = "issued"
        elif self.rng.random() < 0.15:
            self.put(cpu, BLOCK["requeue"], r.dev, r.sector, r.size, r.rwbs)
            r.state = "again"
        elif r.size > 8 and self.rng.random() < 0.3:
            self.put(cpu, BLOCK["complete"], r.dev, r.sector, 8, 0, r.rwbs)
            r.sector, r.size = r.sector + 8, r.size - 8
            r.state = "half"
        else:
            # a flush has no sector, which kernels record in two ways
            sector = self.rng.choice([0, 2**64 - 1]) if r.rwbs == "FF" else r.sector
            self.put(cpu, BLOCK["complete"], r.dev, sector, r.size, self.rng.choice([0, 0, 0, -5, -28]), r.rwbs)
            self.requests.remove(r)

    def request(self, cpu, what, r):
        self.put(cpu, BLOCK[what], r.dev, r.sector, r.size, 512 * r.size, r.rwbs, cpu.task.name if cpu.task else cpu.idle)

    # --- markers ---

    def marker(self, cpu):
        if not cpu.task or cpu.stack:
            return
        r, tgid = self.rng, self.rng.choice([1, 20, 21])
        name = r.choice([s for s in SLICES if s in self.texts or not self.plain or s.isalnum()])
        kind = r.choice("BBBEEESFFGHCCx")
        cookie = r.choice([1, 2, 7, 2**31 - 1])
        self.put(cpu, PRINT, 0xc0001000, {
            "B": f"B|{tgid}|{name}", "E": r.choice(["E", f"E|{tgid}"]), "S": f"S|{tgid}|{name.replace('|', '')}|{cookie}",
            "F": f"F|{tgid}|{name.replace('|', '')}|{cookie}", "G": f"G|{tgid}|track|{name.replace('|', '')}|{cookie}", "H": f"H|{tgid}|track|{cookie}",
            "C": f"C|{tgid}|{r.choice(['memory', 'fps', 'a b'])}|{r.choice([0, 1, -5, 10**12])}" + r.choice(["", "", "|t1"]),
            "x": r.choice(["hello", "B", "Bad|1|x", "C|1|memory", "E|", "B|x|y", "B|frame", "E|x", "C|x|fps|1", "S|x|frame|1", "F||frame|1"])}[kind] + r.choice(["\n", ""]))

    # --- functions ---

    def function(self, cpu):
        stack = cpu.task.calls if cpu.task else cpu.calls
        depth = len(stack)
        if depth and (depth > 5 or self.rng.random() < 0.5):
            func, begin = stack.pop()
            self.put(cpu, RETURN, func, depth - 1, 0, begin, self.now + 1)
        else:
            func = 0xc0000000 + 16 * self.rng.randrange(9)
            self.put(cpu, CALL, func, depth)
            stack.append((func, self.now))

    # --- memory: some objects are freed without an event, and 0 is none ---

    def memory(self, cpu):
        r, kind = self.rng, self.rng.choice([*MEMORY.values()])
        more = (n := r.choice([8, 30, 100]), max(n, r.choice([32, 128]))) if "alloc" in kind.name else ("dentry",)
        self.put(cpu, kind, 0xc0000000 + 16 * r.randrange(5), 64 * r.randrange(9), *more)
