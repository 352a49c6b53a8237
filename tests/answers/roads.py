# SPDX-License-Identifier: GPL-2.0-only
"""The roads by which hist answers a question, each as rows like those of questions.aggregate()."""
import csv
import io
import os
import subprocess

import questions

MASK = (1 << 64) - 1


class Wrong(Exception):
    """hist did not answer."""


def run(*command):
    p = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", stdin=subprocess.DEVNULL)
    if p.returncode:
        raise Wrong(f"{' '.join(map(repr, command))}: exit status {p.returncode}: {p.stderr.strip()[-300:]}")
    return p.stdout


def rows_of_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def answer_of(question, text):
    """Of the csv of hist report."""
    return {tuple(r[k] for k in question.keys): (int(r["hitcount"]), *(int(r[s]) for s in question.sums)) for r in rows_of_csv(text)}


def report(*options):
    def road(hist, path, question):
        return answer_of(question, run(hist, "report", "-q", "--format", "csv", "-i", path, *question.arguments(), *options))
    return road


def column(name):
    """In hist events and sql, which have columns of all events: those of an event with the same names begin with event_."""
    if name in ("common_pid", "common_cpu"):
        return name.replace("common_", "")
    return "event_" + name if name in ("pid", "comm", "cpu", "time", "ts", "event", "text") else name


def events(hist, path, question):
    """All events that hist events prints, counted here."""
    names = sorted({*question.keys, *question.sums})
    columns = [column(n) for n in names]
    chosen = ["-f", questions.filter_text(question.filter)] if question.filter else []
    out = run(hist, "events", "-q", "-i", path, "-e", question.table.event, *chosen, "--format", "csv", "--fields", ",".join(columns))
    rows = [{n: int(v) if question.table.types[n] == "int" else v for n, v in zip(names, r)} for r in list(csv.reader(io.StringIO(out)))[1:]]
    return questions.aggregate(question, rows)


def sql(hist, path, question):
    keys = ", ".join(column(k) for k in question.keys)
    sums = "".join(f", sum({column(s)})" for s in question.sums)
    where = " WHERE " + questions.sql_text(question.filter, column) if question.filter else ""
    out = run(hist, "sql", "-q", "-i", path, "--format", "csv",
              f'SELECT {keys}, count(*){sums} FROM "{question.table.event}"{where} GROUP BY {keys}')
    n = len(question.keys)
    return {tuple(r[:n]): tuple(int(v) for v in r[n:]) for r in list(csv.reader(io.StringIO(out)))[1:]}


def slim(hist, path, question):
    small = path + ".slim"
    run(hist, "slim", "-q", "-i", path, "-o", small, *question.arguments())
    try:
        return report()(hist, small, question)
    finally:
        os.unlink(small)


def saved(hist, path, question):
    """The saved json, printed again."""
    result = path + ".json"
    run(hist, "report", "-q", "-i", path, *question.arguments(), "--format", "json", "-o", result)
    try:
        return answer_of(question, run(hist, "merge", "-q", "--format", "csv", result))
    finally:
        os.unlink(result)


ROADS = {"report": report(), "one thread": report("-j", "1"), "plain": report("--plan=plain"), "events": events, "sql": sql, "slim": slim,
         "saved": saved}
