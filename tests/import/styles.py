#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the same events as text in every style that programs print, and loggers pass on.

styles.py SEED DIR [all]: makes files in DIR: each style with one kind of stamps and each kind of
stamps with one style, or all pairs. Beside each is NAME.want with what it says: time in ns, CPU,
pid, name of the task and the fields of each event.
"""

import os
import random
import sys

NAMES = ["dd", "cc", "cc1", "beef", "fade", "a b", "foo(x)", "x[1]", "kworker/0:1", "irq/53-eth0", "a-1",
         "CPU 0/KVM", "Web Content", "kworker/u8:1-ev", "12", "7f", "x: y", "(sd-pam)", "-", "sh", "[kth]", "a=b", "sshd: root"]
DAY = "2026-11-28"


class Event:
    def __init__(self, rng, ts):
        self.ts = ts
        self.cpu = rng.choice([0, 1, 2, 7, 11, 128])
        self.pid = rng.choice([1, 9, 77, 4096, 65535, 4194303])
        self.tgid = rng.choice([self.pid, 1, 500])
        self.comm = None
        self.value = rng.randrange(-100, 100)
        self.word = rng.choice(["x", "two words", "a/b", "dead"])
        self.period = rng.randrange(1, 10 ** 6)

    def args(self):
        return "value=%d word=%s" % (self.value, self.word)


def seconds(ts, digits=6):
    return "%d.%0*d" % (ts // 10 ** 9, digits, ts % 10 ** 9 // 10 ** (9 - digits))


def context(rng, n):
    text = rng.choice("d.") + rng.choice(".Nnp")
    if n > 5 and rng.random() < 0.7:
        text += rng.choice("L.")
    text += rng.choice(".hsH")
    return text + "".join(rng.choice(".123") for _ in range(n - len(text)))


# --- styles: each returns a line ---

def kernel(rng, e, n=5, tgid=False, glued=False, digits=6):
    group = "(%7s) " % rng.choice([e.tgid, "-------"]) if tgid else ""
    ctx = context(rng, n) + ("" if glued else " ") if n else ""
    return "%16s-%-7d %s[%03d] %s%s%s: ev: %s" % (e.comm, e.pid, group, e.cpu, ctx,
                                                 "" if glued else " ", seconds(e.ts, digits), e.args())


def latency(rng, e, n=5):
    return "%8s-%-7d %3d%s %4dus%s: ev: %s" % (e.comm[:8], e.pid, e.cpu, context(rng, n), e.ts // 1000,
                                               rng.choice(" +!"), e.args())


def verbose(rng, e):
    us = e.ts // 1000
    return "%16s %7d %3d %d %08x %08x [%08x] %d.%03dms (+0.003ms): ev: %s" % (
        e.comm, e.pid, e.cpu, rng.randrange(64), 1, 5, us, us // 1000, us % 1000, e.args())


def report(rng, e, digits=6, diff=False):
    distance = rng.choice(["(+%d)" % rng.randrange(10 ** 5), "(+9)", ""]) if diff else ""
    middle = " %-8s" % distance if diff else ""
    return "%16s-%-5d [%03d] %12s:%s %-20s %s" % (e.comm, e.pid, e.cpu, seconds(e.ts, digits), middle, "ev:", e.args())


def report_latency(rng, e, n=5):
    return "%8.8s-%-5d %3d%s %12s: %-20s %s" % (e.comm, e.pid, e.cpu, context(rng, n), seconds(e.ts), "ev:", e.args())


def script(rng, e, fields="comm tid cpu time", digits=6):
    has = fields.split()
    text = ""
    if "comm" in has:
        text += "%16s " % e.comm
    if "pid" in has and "tid" in has:
        text += "%5d/%-5d " % (e.tgid, e.pid)
    elif "tid" in has:
        text += "%5d " % e.pid
    if "cpu" in has:
        text += "[%03d] " % e.cpu
    if "misc" in has:
        text += rng.choice(["K     ", "U     "])
    if "tod" in has:
        text += DAY + " 19:00:01.000100 "
    text += "%12s: " % seconds(e.ts, digits)
    if "period" in has:
        text += "%10d " % e.period
    return text + "%20s: %s" % ("probe:ev", e.args())


STYLES = {"trace-%d" % n: (lambda n: lambda r, e: kernel(r, e, n))(n) for n in (0, 4, 5, 6, 7, 8)}
STYLES.update({
    "tgid": lambda r, e: kernel(r, e, tgid=True),
    "tgid-old": lambda r, e: kernel(r, e, 4, True),
    "glued": lambda r, e: kernel(r, e, 5, glued=True),
    "latency": latency,
    "latency-4": lambda r, e: latency(r, e, 4),
    "latency-7": lambda r, e: latency(r, e, 7),
    "verbose": verbose,
    "report": report,
    "report-t": lambda r, e: report(r, e, 9),
    "report-diff": lambda r, e: report(r, e, diff=True),
    "report-l": report_latency,
    "report-l-6": lambda r, e: report_latency(r, e, 6),
    "report-files": lambda r, e: "       trace.dat: " + report(r, e),
    "script": script,
    "script-ns": lambda r, e: script(r, e, digits=9),
    "script-pid": lambda r, e: script(r, e, "comm pid tid cpu time"),
    "script-misc": lambda r, e: script(r, e, "comm tid cpu misc time"),
    "script-tod": lambda r, e: script(r, e, "comm tid cpu tod time"),
    "script-period": lambda r, e: script(r, e, "comm tid cpu time period"),
    "script-no-cpu": lambda r, e: script(r, e, "comm tid time"),
    "script-no-comm": lambda r, e: script(r, e, "tid cpu time"),
    "script-no-comm-pid": lambda r, e: script(r, e, "pid tid cpu time period"),
    "script-tab": lambda r, e: "%s\t%d/%d [%03d] %s: %d probe:ev: %s" % (
        e.comm, e.tgid, e.pid, e.cpu, seconds(e.ts), e.period, e.args()),
    "trace-each-tab": lambda r, e: "%s-%d\t[%03d]\t%s\t%s:\tev:\t%s" % (
        e.comm, e.pid, e.cpu, context(r, r.choice([4, 5, 7])), seconds(e.ts), e.args()),
    "script-each-tab": lambda r, e: "%s\t%d/%d\t[%03d]\t%s:\t%d\tprobe:ev:\t%s" % (
        e.comm, e.tgid, e.pid, e.cpu, seconds(e.ts), e.period, e.args()),
})

# --- what loggers write before a line ---

STAMPS = {
    "": "",
    "dmesg": "[%5d.%06d] ",
    "dmesg-caller": "[%5d.%06d][ T1234] ",
    "dmesg-level": "<6>[%5d.%06d] ",
    "dmesg-T": "[Sat Nov 28 19:00:01 2026] ",
    "dmesg-H": "[Nov28 19:00] ",
    "dmesg-d": "[%5d.%06d <    0.000010>] ",
    "dmesg-iso": DAY + "T19:00:01,%06d+00:00 ",
    "journal": "Nov 28 19:00:01 host kernel: ",
    "journal-iso": DAY + "T19:00:01+0000 host kernel: ",
    "journal-precise": "Nov 28 19:00:01.%06d host prog[%d]: ",
    "journal-full": "Sat " + DAY + " 19:00:01 UTC host prog[%d]: ",
    "logcat": "11-28 19:00:01.%03d ",
    "ctime": "Sat Nov 28 19:00:01 ",
    "journal-unix": "1795892401.%06d host kernel: ",
    "journal-monotonic": "[%5d.%06d] host kernel: ",
    "syslog": "Nov  8 09:00:01 my-host.example kernel: [%5d.%06d] ",
    "rsyslog": DAY + "T19:00:01.%06d+01:00 host prog: ",
    "ts": "Nov 28 19:00:01 ",
    "ts-i": "00:00:01.%06d ",
    "ts-s": "1795892401.%06d ",
    "ts-day": DAY + " 19:00:01.%03d ",
    "docker": DAY + "T19:00:01.%09dZ ",
    "cri": DAY + "T19:00:01.%09dZ stdout F ",
    "compose": "trace-1  | ",
    "mail": "> ",
    "kubectl": "[pod/trace-5f/trace] ",
    "bracket": "[" + DAY + "T19:00:01.%06dZ] ",
}


def stamp(rng, text):
    numbers = tuple(rng.randrange(1, 999) for _ in range(text.count("%")))
    return text % numbers if numbers else text


def want(e, style):
    comm = e.comm
    if "no-comm" in style:
        comm = "<...>"
    if style.startswith(("latency", "report-l")):
        comm = comm[:8].rstrip() if style == "none" else comm[:8]
    cpu = 0 if "no-cpu" in style else e.cpu
    ts = e.ts if style in ("report-t", "script-ns") else e.ts // 1000 * 1000
    return [ts, cpu, e.pid, comm, e.value, e.word]


def main():
    seed, folder = int(sys.argv[1]), sys.argv[2]
    rng = random.Random(seed)
    chosen = [(style, rng.choice(list(STAMPS))) for style in STYLES]
    chosen += [(rng.choice(list(STYLES)), name) for name in STAMPS]
    for style, line in STYLES.items():
        for name, text in STAMPS.items():
            if len(sys.argv) < 4 and (style, name) not in chosen:
                continue
            events, ts = [], rng.randrange(10 ** 9, 10 ** 12)
            comms = {}
            for _ in range(12):
                ts += rng.randrange(1000, 10 ** 7)
                events.append(Event(rng, ts))
                e = events[-1]
                e.comm = comms.setdefault(e.pid, rng.choice(NAMES))
            end = rng.choice(["\n", "\n", "\r\n"])
            path = os.path.join(folder, style + ("+" + name if name else ""))
            with open(path, "w", newline="") as f:
                for e in events:
                    whole = line(rng, e)
                    if text and rng.random() < 0.2 and not style.endswith("tab"):
                        whole = whole.lstrip()
                    f.write(stamp(rng, text) + whole + end)
            with open(path + ".want", "w") as f:
                f.write("ts,cpu,pid,comm,value,word\n")
                for e in events:
                    f.write(",".join(str(x) for x in want(e, style)) + "\n")


main()
