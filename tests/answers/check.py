# SPDX-License-Identifier: GPL-2.0-only
"""check.py HIST DIR FIRST SEEDS [ROAD...]: random recordings, random questions, all roads; each must have the reference's answer.

Each question is asked by hist report and some other roads (fewer if there are many seeds); of each recording, all rows of derived events
and one of the other OTHERS are compared; or all roads that are named. Prints the smallest question and recording of each seed that is
answered wrongly, and the command; exits with 1 if there is one. COUNTS=1: also how often each road was asked, and why not.
"""
import collections
import gc
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import traceback

import commands
import shrink
from machines import machine, quotas, raw_doings
from machines.journal import journal_of
from machines.recording import Shape
from reference import answers
from reference.why import Why
from roads import clip, holes, kinds, questions, recipes, stacks, statements, tasks, ways, why
from roads.common import NotAsked

OF_QUOTAS = ("derived:wait", "derived:delay", "derived:held", "derived:throttle")
ALWAYS = ("report",)  # roads of each question
SOME, FEW, MANY_SEEDS = 11, 6, 500  # and how many of the others; how many of them if there are so many seeds


def shape_of(rng):
    version = rng.choice([6, 7])
    return Shape(rng.choice("<<>"), rng.choice([8, 8, 4]), rng.choice([4096, 4096, 4096, 8192, 16384, 65536]), version,
                 rng.choice(["none", "zlib"]) if version == 7 else "none")


def differs(road, hist, path, question, counts=None):
    """A text that says how; None: it does not."""
    want = question.answer()
    try:
        got = ways.ROADS[road](hist, path, question)
    except NotAsked as e:
        if counts is not None:
            counts[f"not {road}: {e}"] += 1
        return None
    except Exception as e:
        return f"  {type(e).__name__}: {e}"
    if counts is not None:
        counts[road] += 1
    if got == want:
        return None
    lines = [f"  {key}: {got.get(key)}, right {want.get(key)}" for key in sorted({*got, *want}) if got.get(key) != want.get(key)]
    return "\n".join(lines[:5])


def of_holes(hist, path, m, shape, rng, found):
    """What is wrong if events of this machine are lost, or None."""
    cpus, lost = holes.make(rng, m.of_cpus())
    if not lost:
        return None
    path += ".holes"
    shape.write(path, machine.KINDS, cpus, m.names)
    wrong = list(holes.differences(hist, path, m.events, shape, lost, m.throttles))
    wrong += why.beside_holes(hist, path, Why(m.events, shape), found, rng) if not m.even else []
    if not wrong:
        os.unlink(path)
    return "\n  ".join([f"{path}, without {lost}:"] + wrong[:5]) if wrong else None


def of_why(hist, path, m, shape, rng, found):
    """What is wrong with explanations. Which of the events of one time begins an interval, its row does not tell."""
    if m.even:
        return None
    return "\n  ".join(filter(None, why.differences(hist, path, m.events, shape, found, rng)))


def of_recipes(hist, path, m, shape, rng, found):
    """What is wrong with recipes, half of the time with a machine that has the tracepoints which others read."""
    path += ".recipes"
    m = raw_doings.RawMachine(rng) if rng.random() < 0.5 else m
    kinds = machine.KINDS + raw_doings.ALL
    shape.write(path, kinds, m.of_cpus(), m.names)
    wrong = list(recipes.differences(hist, path, m.events, answers.tables(m.events, shape, kinds), shape.long_size, rng))
    if not wrong:
        os.unlink(path)
    return "\n  ".join(wrong[:5])


def of_tasks(hist, path, m, shape, rng, found):
    """What is wrong with processes, cgroups and selections of tasks, of a machine with a journal of them."""
    return "\n  ".join(tasks.differences(hist, path, shape, rng))


def of_quotas(hist, path, m, shape, rng, found):
    """What is wrong if quotas of cgroups are used up: derived events, explanations."""
    m = quotas.QuotaMachine(rng)
    while m.even:  # facts of the time of an event have no order beside it
        m = quotas.QuotaMachine(rng)
    journal, cgroups = journal_of(m, rng, quotas.IDS)
    cgroups.by_task, cgroups.quotas = m.by_task, True
    path += ".quotas"
    shape.write(path, m.kinds(), m.of_cpus(), m.names, journal=journal)
    found = answers.tables(m.events, shape, m.kinds(), tasks=cgroups)
    wrong = [of_derived(hist, path, m, shape, rng, [t for t in found if t.event in OF_QUOTAS]),
             *why.differences(hist, path, m.events, shape, found, rng, cgroups)]
    if not any(wrong):
        os.unlink(path)
    return "\n  ".join(filter(None, wrong))


def of_stacks(hist, path, m, shape, rng, found):
    """What is wrong with the stacks of tasks that leave the CPU, and of who wakes them."""
    return "\n  ".join(stacks.differences(hist, path, shape, rng))


def of_kinds(hist, path, m, shape, rng, found):
    """What is wrong with fields that are no plain numbers, and where clocks step back."""
    return "\n  ".join(kinds.differences(hist, path, m, shape, rng))


def of_commands(hist, path, m, shape, rng, found):
    """Which of the commands that hist prints for a small recording do not answer about what they stand beside."""
    if len(m.events) > 100:
        return None
    asked = commands.Commands(hist)
    asked.recording(path)
    return "\n  ".join(asked.wrong)


def of_clip(hist, path, m, shape, rng, found):
    """What is wrong with intervals that are cut."""
    return "\n  ".join(clip.differences(hist, path, m.events, shape, rng))


def of_statements(hist, path, m, shape, rng, found):
    """What is wrong with SQL, some of the time of two recordings which are one timeline: then of recorded events."""
    if rng.random() < 0.7 or len(m.cpus) == 1:
        return "\n  ".join(statements.differences(hist, [path], m.events, found, rng))
    names = [path + ".1.dat", path + ".2.dat"]
    for i, name in enumerate(names):
        shape.write(name, machine.KINDS, [[e for e in m.events if e.cpu == c.number and bool(c.number) == bool(i)] for c in m.cpus], m.names)
    wrong = list(statements.differences(hist, names, m.events, [t for t in found if not t.event.startswith("derived:")], rng))
    for name in names if not wrong else ():
        os.unlink(name)
    return "\n  ".join(wrong)


def of_derived(hist, path, m, shape, rng, found):
    """Which rows of derived events differ, with all their fields: each event is asked alone, or most of the time all are, together."""
    texts, names = [], [t.event.partition(":")[2] for t in found if t.event.startswith("derived:")]
    together = holes.rows_of_all(hist, path, names) if len(m.events) % 4 and names else {}
    for table in found:
        kind, _, name = table.event.partition(":")
        if kind != "derived":
            continue
        row = lambda ts, fields: (ts, *(f"{f}={fields[f]}" for f in table.types))
        right = collections.Counter(row(r["@ts"], r) for r in table.rows)
        got = collections.Counter(row(ts, fields) for ts, fields in (together[name] if together else holes.rows_of(hist, path, name)))
        for what, rows in (("wrong", got - right), ("missing", right - got)):
            texts += [f"{table.event}: {what}: {' '.join(map(str, row))}" for row in sorted(rows)[:2]]
    return "\n  ".join(texts[:6])


# what is asked of a recording beside its questions
OTHERS = {"derived": of_derived, "holes": of_holes, "why": of_why, "recipes": of_recipes, "statements": of_statements, "tasks": of_tasks, "clip": of_clip,
          "quotas": of_quotas, "stacks": of_stacks, "kinds": of_kinds, "commands": of_commands}


def of_question(rng, asked, few, hist, path, question, counts):
    """What is wrong, or None."""
    some = [road for road in asked if road in ways.ROADS]
    if len(some) == len(ways.ROADS):
        some = [*ALWAYS, *rng.sample([road for road in some if road not in ALWAYS], SOME)[:FEW if few else SOME]]
    for road in some:
        if differs(road, hist, path, question, counts):
            small = shrink.smallest(lambda q: differs(road, hist, path, q), path, question)
            return f"road {road}, {len(small.machine.events)} event(s): hist report -i {path} {small}\n{differs(road, hist, path, small)}\n" + \
                shrink.keep(path, small)
    return None


def of_seed(job, directory):
    """(texts of what is wrong, counts)"""
    hist, seed, asked, few = job[0], *job[2:]
    rng, counts, wrong = random.Random(seed), collections.Counter(), []
    path = os.path.join(directory, f"answers-{seed}.dat")
    shape, m = shape_of(rng), machine.Machine(rng)
    lossy = rng.random() < 0.15  # nothing is derived of it here: see of_holes()
    if lossy:
        m.lose(rng)
    m.write(path, shape)
    found = answers.tables(m.events, shape, machine.KINDS, not lossy)
    for _ in range(3):
        question = questions.random_question(rng, found, (m.events[0].ts, m.events[-1].ts))
        question.ask_of(m, shape, found)
        counts["questions"] += 1
        counts["rows"] += len(question.answer())
        # a number of its own, so that a question does not depend on the roads of the one before
        text = of_question(random.Random(rng.random()), asked, few, hist, path, question, counts)
        if text:
            wrong.append(f"seed {seed}, {shape}, {text}")
            break
    # a smaller recording is there instead of this one
    others = [o for o in OTHERS if o in asked and not wrong and not lossy]
    if len(others) == len(OTHERS):  # all rows of derived events, and one of the others
        others = ["derived", others[seed % len(others)]] if seed % len(others) else ["derived"]
    for other in others:
        counts[other] += 1
        try:
            text = OTHERS[other](hist, path, m, shape, random.Random(seed), found)
        except Exception as e:
            text = f"{type(e).__name__}: {e}"
        if text:
            wrong.append(f"seed {seed}, {shape}, road {other}: {text}")
    if not wrong:
        os.unlink(path)
    return wrong, counts


def try_seed(job):
    """As of_seed(); a disk gets only the files of what is wrong."""
    with tempfile.TemporaryDirectory(prefix="hist-answers-") as scratch:
        wrong, counts = try_in(job, scratch)
        for name in os.listdir(scratch) if wrong else ():
            shutil.move(os.path.join(scratch, name), os.path.join(job[1], name))
        return [text.replace(scratch, job[1]) for text in wrong], counts


def try_in(job, scratch):
    try:
        return of_seed(job, scratch)
    except Exception as e:  # one seed, of which the reference knows no answer, ends no other
        return [f"seed {job[2]}: the reference: {''.join(traceback.format_exception(e)[-2:])}"], collections.Counter()


def in_worker():
    gc.freeze()  # nearly nothing is in a circle: to look for it seldom saves a quarter of the time
    gc.set_threshold(100_000, 50, 1_000)


def main():
    unknown = [road for road in sys.argv[5:] if road not in ways.ROADS and road not in OTHERS]
    if len(sys.argv) < 5 or not all(n.isdecimal() for n in sys.argv[3:5]) or unknown:
        print(*(f"unknown road: {road}\n" for road in unknown), __doc__, "\nroads: ", " ".join([*ways.ROADS, *OTHERS]), sep="", file=sys.stderr)
        sys.exit(2)
    hist, directory, first, seeds = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    asked = sys.argv[5:] or [*ways.ROADS, *OTHERS]
    bad, counts = 0, collections.Counter()
    with multiprocessing.Pool(min(2, os.cpu_count() or 1), in_worker) as pool:
        for wrong, of_one in pool.imap(try_seed, [(hist, directory, seed, asked, seeds > MANY_SEEDS) for seed in range(first, first + seeds)]):
            counts += of_one
            bad += bool(wrong)
            for text in wrong:
                print(text, flush=True)
    if os.environ.get("COUNTS"):
        for name, n in sorted(counts.items()):
            print(f"{n:8} {name}")
    answers = sum(n for name, n in counts.items() if name in asked)
    print(f"{counts['questions']} questions, {counts['rows']} rows, {answers} answers by {len(asked)} roads: {bad} of {seeds} seeds wrong")
    print(f"{seeds - bad} passed, {bad} failed")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
