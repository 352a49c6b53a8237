# SPDX-License-Identifier: GPL-2.0-only
"""How hist is run, and what its csv means."""
import csv
import io
import subprocess

from reference import answers
from roads import questions


class Wrong(Exception):
    """hist did not answer."""


class NotAsked(Exception):
    """The road does not have such questions, or what it needs is not here: the reason."""


def run(*command, stdin=subprocess.DEVNULL):
    p = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", stdin=stdin)
    if p.returncode:
        raise Wrong(f"{' '.join(map(repr, command))}: exit status {p.returncode}: {p.stderr.strip()[-1000:]}")
    return p.stdout


def answer_of(question, rows):
    """Of rows of the csv of hist report, as dicts."""
    columns = [c for k in question.keys for c in answers.columns_of(k)]
    return {tuple(r[c] for c in columns): (int(r["hitcount"]), *(int(r[s]) for s in question.sums))
            for r in rows}


def answer_of_text(question, text):
    return answer_of(question, csv.DictReader(io.StringIO(text)))


def column(name):
    """In hist events and sql, which have columns of all events: those of an event with the same names begin with event_."""
    if name in ("common_pid", "common_cpu", "COMM"):
        return name.replace("common_", "").lower()
    return "event_" + name if name in ("pid", "comm", "cpu", "time", "ts", "event", "text", "tgid", "cgroup") else name


def names_of(question):
    return sorted({*(k[0] for k in question.keys), *question.sums})


def counted(question, names, rows):
    """Rows of values of an event, counted here."""
    types = question.table.types
    return answers.aggregate(question, [{n: int(v) if types[n] == "int" else v for n, v in zip(names, r)} for r in rows])


def filter_of(question):
    return questions.filter_text(question.filter) if question.filter else None
