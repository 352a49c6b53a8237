# SPDX-License-Identifier: GPL-2.0-only
"""The roads by which hist answers a question, each as rows like those of questions.aggregate()."""
import csv
import io
import os
import sys

import asks
import questions
from common import NotAsked, answer_of_text, column, run


def report(*options):
    def road(hist, path, question):
        return answer_of_text(question, run(hist, "report", "-q", "--format", "csv", "-i", path, *question.arguments(), *options))
    return road


def names_of(question):
    return sorted({*(k[0] for k in question.keys), *question.sums})


def counted(question, names, rows):
    """Rows of values of an event, counted here."""
    types = question.table.types
    return questions.aggregate(question, [{n: int(v) if types[n] == "int" else v for n, v in zip(names, r)} for r in rows])


def filter_of(question):
    return questions.filter_text(question.filter) if question.filter else None


def events(hist, path, question):
    names, chosen = names_of(question), filter_of(question)
    out = run(hist, "events", "-q", "-i", path, "-e", question.table.event, *(["-f", chosen] if chosen else []), "--format", "csv",
              "--fields", ",".join(map(column, names)), *question.selected())
    return counted(question, names, list(csv.reader(io.StringIO(out)))[1:])


def python(hist, path, question):
    if os.environ.get("SANITIZE"):
        raise NotAsked  # python3 is not built like libhist
    os.environ.setdefault("LIBHIST", os.path.realpath(os.environ.get("BUILD", "build") + "/lib/libhist.so.0"))
    sys.path[:0] = [] if "python" in sys.path else ["python"]
    import hist as module
    names, chosen = names_of(question), dict(question.selection)
    moment = lambda ns: f"{ns // 10**9}.{ns % 10**9:09}" if ns is not None else None
    text = lambda n: str(n) if n is not None else None
    rec = module.open(path, cpus=text(chosen.get("cpu")), pids=text(chosen.get("pid")), comm=chosen.get("comm"), start=moment(chosen.get("from")),
                      end=moment(chosen.get("to")))
    return counted(question, names, rec.events(question.table.event, list(map(column, names)), filter=filter_of(question)))


def sql(hist, path, question):
    if question.selection or any(k[1] for k in question.keys):
        raise NotAsked
    if any(r[f] >= 2**63 for f in questions.fields_of(question.filter) if question.table.types[f] == "int" for r in question.table.rows):
        raise NotAsked  # SQLite has no such numbers: they are texts
    keys = ", ".join(column(k[0]) for k in question.keys)
    sums = "".join(f", sum({column(s)})" for s in question.sums)
    where = " WHERE " + questions.sql_text(question.filter, column) if question.filter else ""
    out = run(hist, "sql", "-q", "-i", path, "--format", "csv",
              f'SELECT {keys}, count(*){sums} FROM "{question.table.event}"{where} GROUP BY {keys}')
    n = len(question.keys)
    return {tuple(r[:n]): tuple(int(v) for v in r[n:]) for r in list(csv.reader(io.StringIO(out)))[1:]}


def slim(hist, path, question):
    small = path + ".slim"
    codec = asks.dice(question).choice(["none", "zlib", "zstd"] if "version 7" in question.shape else ["none"])
    run(hist, "slim", "-q", "-z", codec, "-i", path, "-o", small, *question.arguments())
    try:
        return report()(hist, small, question)
    finally:
        os.unlink(small)


def saved(hist, path, question):
    """The saved json, printed again."""
    result = path + ".json"
    run(hist, "report", "-q", "-i", path, *question.arguments(), "--format", "json", "-o", result)
    try:
        return answer_of_text(question, run(hist, "merge", "-q", "--format", "csv", result))
    finally:
        os.unlink(result)


def merged(hist, path, question):
    """Two halves of the time, saved and added up."""
    if {"from", "to"} & {o for o, _ in question.selection}:
        raise NotAsked
    middle = question.table.rows[len(question.table.rows) // 2]["@ts"]
    halves = [(path + ".first.json", f"--to={questions.seconds(middle)}"), (path + ".second.json", f"--from={questions.seconds(middle + 1)}")]
    try:
        if middle == question.last:
            raise NotAsked
        for result, part in halves:
            run(hist, "report", "-q", "-i", path, *question.arguments(), part, "--format", "json", "-o", result)
        return answer_of_text(question, run(hist, "merge", "-q", "--format", "csv", *(result for result, _ in halves)))
    finally:
        for result, _ in halves:
            if os.path.exists(result):
                os.unlink(result)


def stream(hist, path, question):
    with open(path, "rb") as f:
        return answer_of_text(question, run("sh", "-c", 'cat | "$@"', "sh", hist, "report", "-q", "--format", "csv", "-i", "-",
                                            *question.arguments(), stdin=f))


def text(*command):
    """A text of the recording, read by hist."""
    def road(hist, path, question):
        if not question.table.event.startswith(("sched:", "irq:", "derived:")) or not question.plain:
            raise NotAsked  # texts with blanks and = are ambiguous; numbers of unknown events have no types
        if command[0] == "hist" and (question.table.event.startswith("derived:") or {"from", "to"} & {o for o, _ in question.selection}):
            raise NotAsked  # its times are microseconds
        if any(k[1].startswith("lhist") for k in question.keys):
            raise NotAsked  # numbers of a text have no type, and so no smallest one
        fields = {*names_of(question), *questions.fields_of(question.filter)}
        if command[0] == "trace-cmd" and fields & {"in_irq", "prev_state"}:
            raise NotAsked  # it prints no flags, and the letters of states before Linux 4.14
        if question.table.event == "derived:function":
            raise NotAsked  # both print trees of calls
        if question.table.event == "derived:syscall" and "name" in fields:
            raise NotAsked  # a text does not say of which machine it is
        if "zlib" in question.shape:
            raise NotAsked  # trace-cmd 3.1 of Debian 12 is built without it
        lines = path + ".txt"
        with open(lines, "w", errors="surrogateescape") as f:
            f.write(run(*(hist if c == "hist" else c for c in command), path))
        try:
            return report()(hist, lines, question)
        finally:
            os.unlink(lines)
    return road


ROADS = {"report": report(), "one-thread": report("-j", "1"), "plain": report("--plan=plain"), "events": events, "python": python,
         "sql": sql, "slim": slim, "saved": saved, "merged": merged, "stream": stream, "trace-cmd": text("trace-cmd", "report", "-t", "-i"), "text": text("hist", "events", "-q", "-i"), **asks.ROADS}
