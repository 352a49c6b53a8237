# SPDX-License-Identifier: GPL-2.0-only
"""The roads by which hist answers a question, each as rows like those of answers.aggregate()."""
import csv
import io
import os
import re
import shutil
import sys
import warnings

from roads import asks, formats, moments, questions, runs
from roads.common import NotAsked, Wrong, answer_of, answer_of_text, column, counted, filter_of, names_of, run


def report(*options):
    def road(hist, path, question):
        return answer_of_text(question, run(hist, "report", "-q", "--format", "csv", "-i", path, *question.arguments(), *options))
    return road


def events(hist, path, question):
    names, chosen = names_of(question), filter_of(question)
    out = run(hist, "events", "-q", "-i", path, "-e", question.table.event, *(["-f", chosen] if chosen else []), "--format", "csv",
              "--fields", ",".join(map(column, names)), *question.selected())
    return counted(question, names, list(csv.reader(io.StringIO(out)))[1:])


def python_module():
    if os.environ.get("SANITIZE"):
        raise NotAsked("python3 is not built like libhist")
    os.environ.setdefault("LIBHIST", os.path.realpath(os.environ.get("BUILD", "build") + "/lib/libhist.so.0"))
    sys.path[:0] = [] if "python" in sys.path else ["python"]
    import hist as module
    warnings.simplefilter("ignore", module.Doubt)
    return module


def opened(hist, path, question):
    chosen = dict(question.selection)
    moment = lambda ns: f"{ns // 10**9}.{ns % 10**9:09}" if ns is not None else None
    text = lambda n: str(n) if n is not None else None
    return python_module().open(path, cpus=text(chosen.get("cpu")), pids=text(chosen.get("pid")), comm=chosen.get("comm"),
                                start=moment(chosen.get("from")), end=moment(chosen.get("to")))


def python(hist, path, question):
    names = names_of(question)
    return counted(question, names, opened(hist, path, question).events(question.table.event, list(map(column, names)), filter=filter_of(question)))


def arrays(hist, path, question):
    rec = opened(hist, path, question)
    try:
        import numpy  # pylint: disable=unused-import
    except ImportError as e:
        raise NotAsked("no numpy") from e
    names = names_of(question)
    columns = rec.arrays(question.table.event, list(map(column, names)), filter=filter_of(question))
    return counted(question, names, zip(*(columns[column(n)].tolist() for n in names)))


def python_report(hist, path, question, again=False):
    words = questions.Question(question.table, question.keys, question.sums, question.filter).arguments()
    names = {"-e": "event", "--by": "by", "--sum": "sum", "-f": "filter"}
    asked = {names[word]: text for word, text in zip(words[::2], words[1::2])}
    rec = opened(hist, path, question)
    if again:
        rec._copy(rec.paths, cpus=None, pids=None, comm=None, from_=None, to=None).report(**asked)
    table = rec.report(**asked)
    return answer_of(question, [{name: str(v) for name, v in zip(table.columns, row)} for row in table.rows])


def session(hist, path, question):
    """What the question about all of the recording derived is kept, if the file is not too new."""
    return python_report(hist, path, question, again=True)


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


def parts_of(question):
    """Ways to ask for a part of the time, or of the CPUs, each; together they are all."""
    rng, rows = asks.dice(question), question.table.rows
    ways = []
    if not {"from", "to"} & {o for o, _ in question.selection}:
        # between events, at any of them
        cuts = sorted({t for t in (rng.choice(rows)["@ts"] for _ in range(rng.choice([1, 1, 2, 4]))) if t < question.last})
        if cuts:
            begins = [None] + [c + 1 for c in cuts]
            ways.append([([f"--from={questions.seconds(a)}"] if a else []) + ([f"--to={questions.seconds(b)}"] if b else [])
                         for a, b in zip(begins, cuts + [None])])
    numbers = [c.number for c in question.machine.cpus]
    if "cpu" not in dict(question.selection) and len(numbers) > 1:
        ways.append([["--cpu=0"], ["--cpu=1-" + str(numbers[-1]) if len(numbers) > 2 else "--cpu=1"]])
        ways.append([[f"--cpu={n}"] for n in numbers])
    return rng.choice(ways) if ways else None


def merged(hist, path, question):
    """Parts of the time or of the CPUs, saved and added up."""
    parts = parts_of(question)
    if not parts:
        raise NotAsked("it is about one CPU, or the time is already limited")
    results = [f"{path}.{i}.json" for i in range(len(parts))]
    try:
        for result, part in zip(results, parts):
            run(hist, "report", "-q", "-i", path, *question.arguments(), *part, "--format", "json", "-o", result)
        return answer_of_text(question, run(hist, "merge", "-q", "--format", "csv", *results))
    finally:
        for result in results:
            if os.path.exists(result):
                os.unlink(result)


def planned(hist, path, question):
    """Each way of counting that can count this, with some number of threads."""
    plan = asks.dice(question).choice(["order", "range"])
    try:
        return report(f"--plan={plan}", "-j", str(asks.dice(question).choice([1, 2, 3, 5])))(hist, path, question)
    except Wrong as e:
        m = re.search(r"cannot be counted (?:by|in) (\w+): (.*)", str(e))
        if not m:
            raise
        raise NotAsked(f"--plan={m[1]}: {m[2]}") from e


def stream(hist, path, question):
    with open(path, "rb") as f:
        return answer_of_text(question, run("sh", "-c", 'cat | "$@"', "sh", hist, "report", "-q", "--format", "csv", "-i", "-",
                                            *question.arguments(), stdin=f))


def text(*command):
    """A text of the recording, read by hist."""
    def road(hist, path, question):
        if not shutil.which(command[0]) and command[0] != "hist":
            raise NotAsked("no " + command[0])
        if not question.table.event.startswith(("sched:", "irq:", "derived:")) or not question.plain:
            raise NotAsked("texts with blanks and = are ambiguous; numbers of unknown events have no types")
        if command[0] == "hist" and (question.table.event.startswith("derived:") or {"from", "to"} & {o for o, _ in question.selection}):
            raise NotAsked("its times are microseconds")
        if any(k[1].startswith("lhist") for k in question.keys):
            raise NotAsked("numbers of a text have no type, and so no smallest one")
        fields = {*names_of(question), *questions.fields_of(question.filter)}
        if command[0] == "perf" and "in_irq" in fields:
            raise NotAsked("it prints no flags")
        if command[0] != "hist" and question.table.event == "derived:lock_wait" and fields & {"prio", "owner_pid", "owner_comm", "owner_prio", "inverted"}:
            raise NotAsked("without flags, an interrupt may have woken, and no owner is known")
        if command[0] == "trace-cmd" and fields & {"in_irq", "prev_state"}:
            raise NotAsked("it prints no flags, and the letters of states before Linux 4.14")
        if question.table.event == "derived:function":
            raise NotAsked("both print trees of calls")
        if question.table.event == "derived:syscall" and "name" in fields:
            raise NotAsked("a text does not say of which machine it is")
        if "zlib" in question.shape and command[0] == "trace-cmd":
            raise NotAsked("trace-cmd 3.1 of Debian 12 is built without it")
        lines = path + ".txt"
        with open(lines, "w", errors="surrogateescape") as f:
            f.write(run(*(hist if c == "hist" else c for c in command), path))
        try:
            read = formats.imported if asks.dice(question).random() < 0.5 else report()
            return formats.with_softirqs_named(question, read(hist, lines, question))
        finally:
            os.unlink(lines)
    return road


# the recording, and how it is counted
ROADS = {"report": report(), "one-thread": report("-j", "1"), "plain": report("--plan=plain"), "planned": planned, "events": events, "python": python,
         "arrays": arrays, "python-report": python_report, "session": session, "sql": asks.sql, "slim": slim, "saved": saved, "merged": merged, "stream": stream,
         "trace-cmd": text("trace-cmd", "report", "-t", "-i"), "text": text("hist", "events", "-q", "-i"),
         "perf-text": formats.perf(text("perf", "script", "--ns", "-i")), **formats.ROADS, **asks.ROADS, **moments.ROADS, **runs.ROADS}
