# SPDX-License-Identifier: GPL-2.0-only
"""The smallest question, and the smallest recording, that are still answered wrongly."""
import copy
import csv
import io
import shlex
import time

from machines import machine
from reference import answers
from roads import questions

PATIENCE = 30  # seconds for a question


def is_derived(question):
    return question.table.event.startswith("derived:")


def with_events(question, path, events):
    """The same question of a recording with these events only; None: it cannot be asked of it."""
    m = copy.copy(question.machine)
    m.events = events
    try:
        found = answers.tables(events, question.recorded, machine.KINDS, is_derived(question)) if events else []
    except (KeyError, IndexError):
        return None  # something has no beginning
    table = next((t for t in found if t.event == question.table.event), None)
    if not table:
        return None
    smaller = question.of(table)
    smaller.ask_of(m, question.recorded, found)
    m.write(path, question.recorded)
    return smaller


def halves(events, may_go, still):
    """Fewer events, as long as they are @still wrong: runs of those that @may_go are left out, half of them, a quarter, ..."""
    free = [i for i, e in enumerate(events) if may_go(e)]
    size = len(free) // 2
    while size:
        at = 0
        while at < len(free):
            gone = set(free[at:at + size])
            fewer = [e for i, e in enumerate(events) if i not in gone]
            if still(fewer):
                events, free = fewer, [i for i, e in enumerate(fewer) if may_go(e)]
            else:
                at += size
        size //= 2
    return events


def simple_values(events, question):
    """The fields that are not asked for are 0 or empty."""
    used = {*(k[0] for k in question.keys), *question.sums, *questions.fields_of(question.filter)}
    plain = []
    for e in events:
        if e.kind.full == question.table.event:
            e = copy.copy(e)
            e.packed = None, b""
            e.values = {n: v if n in used else "" if isinstance(v, str) else 0 for n, v in e.values.items()}
        plain.append(e)
    return plain


def smallest(differs, path, question):
    """@differs(question) says how, or None."""
    end = time.monotonic() + PATIENCE

    def simplest(q):
        for simpler in q.simpler():
            if time.monotonic() < end and differs(simpler):
                return simplest(simpler)
        return q

    def still(events):
        nonlocal question
        smaller = with_events(question, path, events) if time.monotonic() < end else None
        if not smaller or not differs(smaller):
            return False
        question = smaller
        return True

    question = simplest(question)
    # what comes later cannot matter for what is derived before it
    low, high = 1, len(question.machine.events)
    while low < high:
        middle = (low + high) // 2
        if still(question.machine.events[:middle]):
            high = len(question.machine.events)
        else:
            low = middle + 1
    # a recording of which the kernel leaves out some switches and interrupts is another one
    free = lambda kind: not is_derived(question) or kind.system not in ("sched", "irq", "ftrace", "raw_syscalls")
    for kind in machine.KINDS:  # all of a kind: it was not recorded
        if free(kind) and kind.full != question.table.event and any(e.kind is kind for e in question.machine.events):
            still([e for e in question.machine.events if e.kind is not kind])
    halves(question.machine.events, lambda e: free(e.kind), still)
    if not is_derived(question):
        still(simple_values(question.machine.events, question))
    with_events(question, path, question.machine.events)  # the last try may have been another recording
    return simplest(question)


def keep(path, question):
    """Write the right answer beside it; a text that says how to keep both."""
    name = path.removesuffix(".dat")
    columns = [*(c for k in question.keys for c in answers.columns_of(k)), "hitcount", *question.sums]
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerows([columns, *sorted([*key, *values] for key, values in question.answer().items())])
    with open(name + ".csv", "w", errors="surrogateescape") as f:
        f.write("# " + " ".join(map(shlex.quote, question.arguments())) + "\n" + text.getvalue())
    return f"  to keep it: cp {name}.dat {name}.csv tests/answers/found/"
