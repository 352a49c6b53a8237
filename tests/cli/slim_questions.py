#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random questions to recordings, before and after hist slim: the answers have the same rows.

slim_questions.py [--seed=N] [--part] [--all] COUNT RECORDING...

With --all, all events of a part are kept before anything is asked. A question is a recipe or events with keys, sums, filters, and a selection of CPUs, tasks or times.
Those that hist report refuses are not counted. Prints each difference with the commands for it.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HIST = os.environ.get("HIST", "./hist")
LIMIT = float(os.environ.get("RUN_TIMEOUT", 60))
FIELDS = {
    "sched:sched_switch": ["prev_comm", "next_comm", "next_pid", "prev_state", "prev_prio", "prev_pid.task"],
    "sched:sched_waking": ["comm", "pid", "target_cpu", "pid.task", "pid.process"],
    "raw_syscalls:sys_enter": ["id", "id.syscall"],
    "derived:wait": ["kind", "ns.log2", "migrated", "open", "prio", "pid"],
    "derived:delay": ["victim_comm", "culprit_comm", "culprit_kind", "kind", "culprit_pid"],
    "derived:task_state": ["state", "next_state", "waker_comm", "waker_pid", "in_irq", "pid", "open"],
    "derived:runqueue": ["depth", "cpu", "open"],
    "derived:syscall": ["id", "name", "ret", "open"],
    "derived:irq": ["name", "kind", "open"],
    "derived:lock": ["name", "open"],
    "derived:block_io": ["rw", "open"],
}
KEYS = ["comm", "comm", "common_pid", "cpu", "task", "process", "cmdline", "cgroup"]
FILTERS = ["ns >= 50us", "ns < 1ms", 'comm ~ "*a*"', "common_pid > 0", "pid > 80", 'open == "no"']


def run(*args):
    done = subprocess.run([HIST, *args], capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


class Recording:
    """What can be asked of a recording."""

    def __init__(self, path):
        self.path = path
        text = run("list", "-i", path)[1].decode(errors="replace")
        self.events = re.findall(r"^ +[1-9]\d*  ([a-z_0-9]+:\w+)$", text, re.M)
        self.derived = re.findall(r"derived:\w+", text)
        recipes = re.search(r"^ +recipes +((?:.*\n)*?) +\(", text, re.M)
        self.recipes = re.findall(r"[\w-]+", recipes.group(1)) if recipes else []
        self.cpus = [int(c) for c in re.findall(r"^ +CPU (\d+)", text, re.M)]
        span = re.search(r"time +([\d.]+) s to ([\d.]+) s", text)
        self.span = float(span.group(2)) - float(span.group(1)) if span else 0
        _, out, _ = run("report", "-q", "-i", path, "--format", "csv", "-e", (self.events or ["all"])[0], "--by", "comm,common_pid")
        self.tasks = re.findall(r"^([\w/.:+-]+),(\d+),", out.decode(errors="replace"), re.M)


def rows(text):
    """The lines without their order: that of equal rows depends on the numbers of names."""
    return sorted(text.splitlines())


def question(rnd, rec, part):
    words = []
    if rec.recipes and rnd.random() < 0.35:
        words = [rnd.choice(rec.recipes)]
        if rnd.random() < 0.3:
            words += ["-D", "min=%dus" % rnd.choice([1, 50, 500])]
        if rnd.random() < 0.2 and rec.tasks:
            words += ["-D", "comm=" + rnd.choice(rec.tasks)[0]]
    else:
        for _ in range(rnd.choice([1, 1, 1, 2])):
            derived = rec.derived and (rnd.random() < 0.6 or not rec.events)
            if not derived and not rec.events:
                return None
            event = rnd.choice(rec.derived if derived else rec.events)
            keys = KEYS + 3 * FIELDS.get(event, [])
            by = list(dict.fromkeys(rnd.choice(keys) for _ in range(rnd.choice([1, 1, 2, 3]))))
            words += ["-e", event, "--by", ",".join(by)]
            if rnd.random() < 0.3:
                words += ["-f", rnd.choice(FILTERS)]
            if derived and rnd.random() < 0.6:
                words += ["--sum", "ns"]
    if rnd.random() < 0.25 and rec.cpus:
        words += ["--cpu", rnd.choice([str(rnd.choice(rec.cpus)), "%d-%d" % (rec.cpus[0], rec.cpus[-1])])]
    if rnd.random() < 0.2 and rec.tasks:
        words += ["--comm", rnd.choice(["%s", "!%s", "%.2s*"]) % rnd.choice(rec.tasks)[0]]
    if rnd.random() < 0.15 and rec.tasks:
        words += ["--pid", rnd.choice(rec.tasks)[1]]
    if rnd.random() < 0.1 and rec.tasks:
        words += ["--process", rnd.choice(rec.tasks)[0]]
    if part or rnd.random() < 0.35:
        a = rnd.random() * rec.span
        b = a + rnd.random() * (rec.span - a)
        words += rnd.choice([["--from", "+%.6f" % a], ["--to", "+%.6f" % b], ["--from", "+%.6f" % a, "--to", "+%.6f" % b]])
    if rnd.random() < 0.15:
        words += [rnd.choice(["--open-intervals", "--clip"])]
    return words


def part_of(words):
    """The options that choose a part of the recording, and which intervals are of it."""
    pairs = zip(words, words[1:])
    return [w for pair in pairs if pair[0] in ("--from", "--to", "--cpu") for w in pair] + \
        [w for w in words if w in ("--open-intervals", "--clip")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", action="store_true", help="all questions are about a part of the time")
    parser.add_argument("--all", action="store_true", help="all events of the part are kept")
    parser.add_argument("count", type=int)
    parser.add_argument("recordings", nargs="+")
    opts = parser.parse_args()
    rnd = random.Random(opts.seed)
    recs = [Recording(path) for path in opts.recordings]
    asked = hits = wrong = 0
    with tempfile.TemporaryDirectory() as tmp:
        small = os.path.join(tmp, "small.dat")
        for _ in range(20 * opts.count):
            if asked == opts.count:
                break
            rec = rnd.choice(recs)
            words = question(rnd, rec, opts.part)
            if not words:
                continue
            form = rnd.choice(["csv", "csv", "hist"])
            show = ["--format", form]
            if form == "csv":
                show += ["--show", "1"]
            status, want, _ = run("report", "-q", "-i", rec.path, *words, *show)
            if status and (status != 2 or not want):  # 2: the recording is cut
                continue
            asked += 1
            hits += want.count(b"\n") > 2
            if os.path.exists(small):
                os.unlink(small)
            kept = ["-e", "all", *part_of(words)] if opts.all else words
            status, _, err = run("slim", "-q", "-i", rec.path, "-o", small, *kept)
            answers = {"slim fails: " + err: None} if not os.path.exists(small) else {
                "the same question": run("report", "-q", "-i", small, *words, *show)}
            if not opts.all and os.path.exists(small):
                answers["the stored one"] = run("report", "-q", "-i", small, *show)
            for name, got in answers.items():
                if got is None or got[0] not in (0, status) or rows(got[1]) != rows(want):
                    wrong += 1
                    command = " ".join("'%s'" % w if re.search(r"[^\w,:.=+/-]", w) else w for w in words)
                    print("different: %s; hist slim -i %s -o small.dat %s; hist report %s" % (
                        name, rec.path, " ".join(kept) + " for " + command if opts.all else command, " ".join(show)))
                    break
    print("%d questions, %d with rows, %d different" % (asked, hits, wrong))
    return wrong > 0 or asked < opts.count or 4 * hits < asked


sys.exit(main())
