# SPDX-License-Identifier: GPL-2.0-only
"""Roads through other formats and programs: perf.data, a copy of the tracing directory, a stream while it comes, Parquet; and the
recording itself as trace-cmd and perf read it, against the reference's own idea of it."""
import json
import os
import re
import shutil
import subprocess
import sys

from machines import machine, perf_data
from machines.journal import first_names, plain_journal
from reference import answers, derived
from roads import asks, questions
from roads.asks import must
from roads.common import NotAsked, Wrong, answer_of_text, column, names_of, run

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "cli"))


def report(hist, path, question, *options):
    return answer_of_text(question, run(hist, "report", "-q", "--format", "csv", "-i", path, *question.arguments(), *options))


def directory(hist, path, question):
    """A copy of the tracing directory."""
    copy = path + ".copy"
    question.recorded.write_directory(copy, machine.KINDS, question.machine.of_cpus(), question.machine.names)
    try:
        return report(hist, copy, question)
    finally:
        shutil.rmtree(copy)


def inputs(hist, path, question):
    """Two recordings of one machine, which are one timeline: of some CPUs each, or one after the other. Asked in SQL, too."""
    m, rng = question.machine, asks.dice(question)
    cut = rng.choice(m.events).ts
    if question.table.event.startswith("derived:"):
        raise NotAsked("a file begins and ends at times of its own: what is an interval only in both is not certain")
    first = rng.choice([lambda e: e.cpu == 0, lambda e: e.ts < cut])
    names = [path + ".1.dat", path + ".2.dat"]
    for i, name in enumerate(names):
        question.recorded.write(name, machine.KINDS, [[e for e in m.events if e.cpu == c.number and bool(first(e)) != bool(i)] for c in m.cpus], m.names)
    try:
        if rng.random() < 0.5:
            try:
                return asks.sql(hist, names[0], question, "-i", names[1])
            except NotAsked:
                pass
        return report(hist, names[0], question, "-i", names[1])
    finally:
        for name in names:
            os.unlink(name)


def stream_of(path, question):
    """As hist record -o - writes it, in a few batches."""
    m, rng = question.machine, asks.dice(question)
    times = sorted(e.ts for e in rng.sample(m.events, min(len(m.events), rng.choice([0, 1, 3]))))
    question.recorded.write_stream(path, machine.KINDS, m.of_cpus(), m.names, times, plain_journal(m))


def of_names(question):
    """Whether it needs the names of tasks."""
    return any(n.lower().endswith("comm") for n in {*(k[0] for k in question.keys), *questions.fields_of(question.filter), *dict(question.selection)})


def stream(hist, path, question):
    """A stream that was kept as a file, or is read while it comes."""
    name, follow = path + ".stream", not {"cpu", "from", "to"} & {o for o, _ in question.selection} and asks.dice(question).random() < 0.7
    if question.recorded.codec != "none":
        raise NotAsked("streams are not compressed")
    if "culprit_cgroup" in {*names_of(question), *questions.fields_of(question.filter)}:
        raise NotAsked("its journal has cgroups, which others do not know")
    if follow and of_names(question):
        raise NotAsked("names of a stream are those that are known when the event comes")
    if question.machine.even and of_names(question):
        raise NotAsked("a rename in the journal has no order beside the events of its time")
    stream_of(name, question)
    try:
        if not follow:
            return report(hist, name, question)
        # its last answer is that of all
        text = run("sh", "-c", 'cat "$0" | "$@"', name, hist, "report", "-q", "--format", "csv", "-i", "-", "--follow", "--refresh=60", *question.arguments())
        return as_live(answer_of_text(question, text), question)
    finally:
        os.unlink(name)


def as_live(got, question):
    """The answer, if it is that while events are recorded."""
    table = question.table
    if table.event != "derived:runqueue":
        return got
    rows = [answers.place(e, 0, "", {"open": "no", **fields}) for e, fields in derived.live_depths(question.machine.events)]
    right = question.of(answers.Table(table.event, rows, table.types, table.signed)).answer()
    must(got == right, f"{got}, right {right}")
    return question.answer()


def counted_live(hist, path, recorded, machine, words, journal):
    """The csv of what hist top shows last, if these sub-buffers are what a recording has of each CPU; "": nothing. @words: -e ..."""
    program = os.path.join(os.environ.get("BUILD", "build"), "tests", "answers_top")
    if not os.path.exists(program):
        raise NotAsked("make check-answers builds answers_top")
    copy, result, tasks, options = path + ".top", path + ".top.json", path + ".top.tasks", dict(zip(words[::2], words[1::2]))
    with open(tasks, "wb") as f:
        f.write(journal)
    recorded.write_buffers(copy, machine.of_cpus())
    try:
        text = run(program, path, *(options.get(o, "") for o in ("-e", "--by", "--sum", "-f")), str(recorded.page), tasks,
                   *(f"{copy}/per_cpu/cpu{c.number}/trace_pipe_raw" for c in machine.cpus))
        with open(result, "w", errors="surrogateescape") as f:
            f.write("".join(line for line in text.splitlines(True) if '"hist_interval"' not in line))
        return run(hist, "merge", "-q", "--format", "csv", result) if '"hist_head"' in text else ""
    finally:
        shutil.rmtree(copy)
        for name in (tasks, result):
            if os.path.exists(name):
                os.unlink(name)


def top(hist, path, question):
    if question.selection:
        raise NotAsked("hist top has no such options")
    if "culprit_cgroup" in {*names_of(question), *questions.fields_of(question.filter)}:
        raise NotAsked("its journal has no cgroups")
    if question.machine.even and of_names(question):
        raise NotAsked("a rename in the journal has no order beside the events of its time")
    journal = "".join(line + "\n" for _, line in plain_journal(question.machine)).encode("utf-8", "surrogateescape")
    text = counted_live(hist, path, question.recorded, question.machine, question.arguments(), journal)
    return as_live(answer_of_text(question, text), question)


# --- perf.data ---

def perf_of(path, question):
    m = question.machine
    if question.table.event == "derived:allocation":
        raise NotAsked("without the events that perf does not record, it may end earlier")
    if question.table.event.startswith("ftrace:") or question.table.event in ("derived:slice", "derived:counter", "derived:function"):
        raise NotAsked("perf does not record markers and functions of ftrace")
    perf_data.Writer(question.recorded).write(path, machine.KINDS, m.events, first_names(m))


def perf(use):
    def road(hist, path, question):
        name = path + ".perf.data"
        perf_of(name, question)
        try:
            return use(hist, name, question)
        finally:
            os.unlink(name)
    return road


def imported(hist, path, question):
    codec = asks.dice(question).choice(["none", "zlib", "zstd"])
    run(hist, "import", "-q", "-z", codec, path, "-o", path + ".dat")
    try:
        return report(hist, path + ".dat", question)
    finally:
        os.unlink(path + ".dat")


# --- the reference's events, read by others ---

LINE = {"trace-cmd": re.compile(r" *(.*)-(\d+) +\[(\d+)\](?:-0x[0-9a-f]+)? +(?:\S+ +)?(\d+)\.(\d+): (\w+): +(.*)"),
        "perf": re.compile(r" *(.*?) +(\d+) \[(\d+)\] +(\d+)\.(\d+): +\w+:(\w+): (.*)")}


def values_of(kind, text):
    """Of a line with the names and values of all fields."""
    names = [f[1] for f in kind.fields]
    m = re.fullmatch(" ".join(f"{n}=(.*)" for n in names), text)
    if not m:
        raise Wrong(f"{kind.full}: {text}")
    row = {}
    for (_, name, size, signed), value in zip(kind.fields, m.groups()):
        if size is not None and size <= 0:
            if value.startswith("ARRAY["):  # trace-cmd's way for what is not ASCII
                value = bytes(int(b, 16) for b in re.findall(r"[0-9a-f]{2}", value)).split(b"\0")[0].decode(errors="surrogateescape")
            row[name] = value
        else:  # -R prints a negative number of less than 64 bits as if it had no sign
            bits = 8 * (size or 8)
            row[name] = (int(value, 0) + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if signed else int(value, 0)
    return row


def read_by(program, hist, path, question):
    """The recording has the events that the reference means: another program's reading, counted here."""
    table = question.table
    kind = next((k for k in machine.KINDS if k.full == table.event), None)
    if not kind or kind.system == "ftrace" or question.selection or not question.plain or question.recorded.long_size != 8 or \
            "COMM" in {*names_of(question), *questions.fields_of(question.filter)}:
        raise NotAsked("only recorded events of 64 bits whose text has one meaning")
    if kind.fmt and program != "trace-cmd":
        raise NotAsked("perf has no plain numbers of an event with names for them")
    if program == "trace-cmd":
        if "zlib" in question.shape:
            raise NotAsked("trace-cmd 3.1 of Debian 12 is built without zlib")
        text = run("trace-cmd", "report", "-R", "-t", "-i", path)
    else:
        text = run("perf", "script", "-i", path, "-F", "comm,tid,cpu,time,event,trace", "--ns")
    rows = []
    for line in text.splitlines():
        m = LINE[program].fullmatch(line)
        if m and m[6] == kind.name:
            row = values_of(kind, m[7].rstrip(" "))
            rows.append(dict(row, common_pid=int(m[2]), common_cpu=int(m[3])))
    return answers.aggregate(question, [r for r in rows if answers.matches(question.filter, r)])


def trace_cmd_reads(hist, path, question):
    if not shutil.which("trace-cmd"):
        raise NotAsked("no trace-cmd")
    return read_by("trace-cmd", hist, path, question)


def perf_reads(hist, path, question):
    if not shutil.which("perf"):
        raise NotAsked("no perf")
    return read_by("perf", hist, path, question)


# --- Perfetto ---

def perfetto(hist, path, question):
    """All events as a trace of Perfetto, read again, from a file or a pipe, or imported."""
    trace, rng = path + ".pftrace", asks.dice(question)
    if question.table.event == "kmem:kmem_cache_free" and "name" in {*names_of(question), *questions.fields_of(question.filter)}:
        raise NotAsked("Perfetto's event has no such field")
    run(hist, "events", "-q", "-i", path, "-e", "all", "--format", "perfetto", "-o", trace)
    try:
        got = imported(hist, trace, question) if rng.random() < 0.3 else report(hist, trace, question, "-j", str(rng.choice([1, 2])))
    finally:
        os.unlink(trace)
    return with_softirqs_named(question, got)


def with_softirqs_named(question, got):
    """Softirqs, which the format of these recordings does not name, have the names that Perfetto and readers of texts know."""
    table = question.table
    named = answers.Table(table.event, [with_softirqs(table.event, r) for r in table.rows], table.types, table.signed)
    return question.answer() if got == question.of(named).answer() else got


SOFTIRQS = "HI TIMER NET_TX NET_RX BLOCK IRQ_POLL TASKLET SCHED HRTIMER RCU".split()


def with_softirqs(event, row):
    name = "culprit_comm" if event == "derived:delay" else "name"
    soft = event == "derived:softirq_wait" or "softirq" in (row.get("kind"), row.get("culprit_kind"))
    return dict(row, **{name: SOFTIRQS[int(row[name])]}) if soft else row


# --- Parquet ---

def exported(hist, path, question):
    """The file of the event."""
    run(hist, "events", "-q", "-i", path, "-e", question.table.event, "--format", "parquet", "-o", path + ".lake", *question.selected())
    system, name = question.table.event.split(":")
    return os.path.join(path + ".lake", f"{system}.{name}.parquet")


def parquet(hist, path, question):
    """Read by the specification."""
    import parquet_read
    try:
        file = exported(hist, path, question)
        if not os.path.exists(file):
            return {}  # there are no events of these CPUs, tasks or times
        names, rows, _ = parquet_read.read(file)
        at = {n: names.index(column(n)) for n in question.table.types}
        rows = [{n: r[i] for n, i in at.items()} for r in rows]
        return answers.aggregate(question, [r for r in rows if answers.matches(question.filter, r)])
    finally:
        shutil.rmtree(path + ".lake", ignore_errors=True)


SERVERS = {}  # of this process: node starts slowly


def ask_duckdb(statement):
    if os.getpid() not in SERVERS:
        SERVERS[os.getpid()] = subprocess.Popen(["node", os.path.join(os.path.dirname(__file__), "..", "duckdb.mjs"), os.environ["PARQUET_READERS"]],
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    server = SERVERS[os.getpid()]
    server.stdin.write(json.dumps(statement).encode() + b"\n")
    server.stdin.flush()
    rows = json.loads(server.stdout.readline())
    if isinstance(rows, str):
        raise Wrong(rows)
    return rows


def duckdb(hist, path, question):
    """Asked in SQL of DuckDB, if it is here."""
    if not os.environ.get("PARQUET_READERS"):
        raise NotAsked("no DuckDB")
    if any(k[1] for k in question.keys):
        raise NotAsked("DuckDB has no such ranges")
    quoted = lambda n: f'"{column(n)}"'
    try:
        file, keys = exported(hist, path, question), ", ".join(quoted(k[0]) for k in question.keys)
        if not os.path.exists(file):
            return {}
        sums = "".join(f", sum({quoted(s)}::HUGEINT)" for s in question.sums)
        where = " WHERE " + questions.sql_text(question.filter, quoted).replace("[[]", "\\[") if question.filter else ""
        n = len(question.keys)
        rows = ask_duckdb(f"SELECT {keys}, count(*){sums} FROM '{file}'{where} GROUP BY {keys}")
        return {tuple(r[:n]): tuple(map(int, r[n:])) for r in rows}
    finally:
        shutil.rmtree(path + ".lake", ignore_errors=True)


ROADS = {"directory": directory, "inputs": inputs, "record-stream": stream, "top": top, "perf": perf(report), "perf-import": perf(imported), "trace-cmd-reads": trace_cmd_reads,
         "perf-reads": perf(perf_reads), "perfetto": perfetto, "parquet": parquet, "duckdb": duckdb}
