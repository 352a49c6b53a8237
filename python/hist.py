# SPDX-License-Identifier: LGPL-2.1-only
"""Recordings of ftrace, read with libhist.

    import hist

    rec = hist.open("trace.dat")
    for e in rec.events("sched_switch", fields=["next_pid"]):
        print(e.ts, e.cpu, e.comm, e.next_pid)
    columns = rec.arrays("derived:wait", fields=["ns", "kind"])  # numpy
    table = rec.report("wakeup-latency", stats=True)           # what hist report answers
    frame = rec.sql("SELECT * FROM wait").to_pandas()

Events come from libhist through ctypes: no compiler is needed, the module is one file for all
versions of Python, and the work is done in hist_events_fill(), which fills arrays. report(), sql(),
why() and diff() run the program hist, which has the recipes. numpy and pandas are used if they are
asked for.
"""
from __future__ import annotations

import ctypes
import json
import os
import subprocess
import warnings
from array import array
from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["Doubt", "Error", "Recording", "Table", "open"]

_COMMON = {"ts": -1, "cpu": -2, "pid": -3, "comm": -4, "tgid": -5, "process": -6, "cmdline": -7, "cgroup": -8}
_WORDS = {"comm", "process", "cmdline", "cgroup"}
_CODE = -16
_UNSIGNED, _SIGNED, _POINTER = 1, 2, 3
_BATCH = 1 << 16
_TROUBLE = 2  # an exit status of hist: an error, or parts of the recording could not be read


class Error(Exception):
    """What hist reports: its messages, one in each line."""


class Doubt(UserWarning):
    """An answer lacks something: the recording is damaged, or events were lost. The text is what hist reports."""


class _Options(ctypes.Structure):
    _fields_ = [("inputs", ctypes.POINTER(ctypes.c_char_p)), ("n_inputs", ctypes.c_size_t),
                ("names", ctypes.c_void_p), ("buffer", ctypes.c_char_p), ("cpus", ctypes.c_char_p),
                ("from_", ctypes.c_char_p), ("to", ctypes.c_char_p), ("kernel", ctypes.c_char_p),
                ("kallsyms", ctypes.c_char_p), ("formats", ctypes.c_char_p), ("jobs", ctypes.c_uint),
                ("pids", ctypes.c_char_p), ("comm", ctypes.c_char_p), ("tree", ctypes.c_char_p),
                ("plan", ctypes.c_int), ("explain", ctypes.c_bool), ("strict_kernel", ctypes.c_bool),
                ("unlimited", ctypes.c_bool)]


class _Choice(ctypes.Structure):
    _fields_ = [("event", ctypes.c_char_p), ("filter", ctypes.c_char_p)]


class _EventsOptions(ctypes.Structure):
    _fields_ = [("script", ctypes.c_void_p), ("choices", ctypes.POINTER(_Choice)), ("n_choices", ctypes.c_size_t),
                ("from_", ctypes.c_uint64), ("to", ctypes.c_uint64), ("cpu", ctypes.c_void_p),
                ("comm", ctypes.c_bool), ("who", ctypes.c_bool), ("code", ctypes.c_bool)]


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("column", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("kind", ctypes.c_int), ("element", ctypes.c_int), ("size", ctypes.c_uint32)]


class _Type(ctypes.Structure):
    _fields_ = [("system", ctypes.c_char_p), ("name", ctypes.c_char_p), ("number", ctypes.c_size_t),
                ("n_fields", ctypes.c_size_t), ("fields", ctypes.POINTER(_Field))]


def _load() -> ctypes.CDLL:
    lib = ctypes.CDLL(os.environ.get("LIBHIST", "libhist.so.0"))
    p, size = ctypes.c_void_p, ctypes.c_size_t
    for name, result, arguments in (
            ("hist_diags_new", p, []), ("hist_diags_free", None, [p]), ("hist_diags_count", size, [p]),
            ("hist_diags_level", ctypes.c_int, [p, size]),
            ("hist_diags_text", p, [p, size, ctypes.c_char_p, ctypes.c_bool]),
            ("hist_strerror", ctypes.c_char_p, [ctypes.c_int]),
            ("hist_open", ctypes.c_int, [ctypes.POINTER(_Options), ctypes.POINTER(p), p]),
            ("hist_close", None, [p]),
            ("hist_script_new", p, []), ("hist_script_free", None, [p]),
            ("hist_script_parse", ctypes.c_int, [p, ctypes.c_char_p, ctypes.c_char_p, size, p]),
            ("hist_events_open", ctypes.c_int, [p, ctypes.POINTER(_EventsOptions), ctypes.POINTER(p), p]),
            ("hist_events_close", ctypes.c_int, [p, ctypes.c_int]),
            ("hist_events_type", ctypes.POINTER(_Type), [p, size]),
            ("hist_events_code", ctypes.c_int, [p, ctypes.c_char_p]),
            ("hist_event_field", ctypes.c_int, [ctypes.POINTER(_Type), ctypes.c_char_p]),
            ("hist_events_fill", ctypes.c_int64, [p, ctypes.POINTER(ctypes.c_int), size, ctypes.POINTER(p), size]),
            ("hist_events_word", p, [p, ctypes.c_uint64, ctypes.POINTER(size)])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


_lib: ctypes.CDLL | None = None
_libc = ctypes.CDLL(None)
_libc.free.argtypes = [ctypes.c_void_p]


def _library() -> ctypes.CDLL:
    global _lib
    if _lib is None:
        _lib = _load()
    return _lib


def _encode(text: str | os.PathLike[str] | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


class _Diags:
    """The messages of libhist during a call."""

    def __init__(self) -> None:
        self.at = _library().hist_diags_new()

    def text(self, level: int) -> str:
        """Those from this level on: 0 notes, 1 warnings, 2 errors."""
        lib, lines = _library(), []
        for i in range(lib.hist_diags_count(self.at)):
            if lib.hist_diags_level(self.at, i) < level:
                continue
            text = lib.hist_diags_text(self.at, i, b"hist", False)
            lines.append(ctypes.string_at(text).decode(errors="backslashreplace").rstrip())
            _libc.free(text)
        return "\n".join(lines)

    def check(self, result: int) -> int:
        if result < 0:
            raise Error(self.text(2) or _library().hist_strerror(result).decode())
        return result

    def close(self) -> None:
        _library().hist_diags_free(self.at)


class _Reader:
    """An iterator of libhist over one event, which fills arrays."""

    def __init__(self, rec: Recording, event: str, filter: str | None, script: str | None,
                 fields: Sequence[str] | None) -> None:
        self.lib, self.diags = _library(), _Diags()
        self.hist, self.events, self.script = ctypes.c_void_p(), ctypes.c_void_p(), None
        try:
            self._open(rec, event, filter, script, fields)
        except BaseException:
            self.close()
            raise

    def _open(self, rec: Recording, event: str, filter: str | None, script: str | None,
              fields: Sequence[str] | None) -> None:
        lib, check = self.lib, self.diags.check
        check(lib.hist_open(ctypes.byref(rec._options()), ctypes.byref(self.hist), self.diags.at))
        if script is not None:
            text = script.encode()
            self.script = lib.hist_script_new()
            check(lib.hist_script_parse(self.script, b"script", text, len(text), self.diags.at))
        wanted = set(_COMMON) if fields is None else set(fields)
        choice = _Choice(event.encode(), _encode(filter))
        options = _EventsOptions(self.script, ctypes.pointer(choice), 1, 0, 0, None,
                                 fields is None or "comm" in wanted,
                                 fields is not None and bool(wanted & {"tgid", "process", "cmdline", "cgroup"}),
                                 any("." in name or name in ("ustack", "stack") for name in wanted))
        check(lib.hist_events_open(self.hist, ctypes.byref(options), ctypes.byref(self.events), self.diags.at))
        if lib.hist_events_type(self.events, 1):
            raise Error("hist: error: %s is several events; name one" % event)
        self._choose(lib.hist_events_type(self.events, 0).contents, fields)

    def _choose(self, of: _Type, fields: Sequence[str] | None) -> None:
        own = {f.column.decode(errors="backslashreplace"): (i, f) for i, f in enumerate(of.fields[:of.n_fields])
               if self.lib.hist_event_field(of, f.name) == i}
        self.name = "%s:%s" % (of.system.decode(), of.name.decode())
        self.names = ["ts", "cpu", "pid", "comm", *own] if fields is None else list(fields)
        self.columns, self.kinds = [], []
        for name in self.names:
            index, field = own.get(name, (_COMMON.get(name), None))
            if index is None:
                question = self.lib.hist_events_code(self.events, name.encode())
                if question < 0:
                    raise Error("hist: error: %s has no field %s; it has %s" % (self.name, name, ", ".join(own)))
                index = _CODE - question
            self.columns.append(index)
            if field is None:
                self.kinds.append((0, 8) if name in _WORDS or index <= _CODE else (_UNSIGNED, 4) if name == "cpu" else
                                  (_SIGNED, 8) if name == "ts" else (_SIGNED, 4))
            else:
                self.kinds.append((field.kind if field.kind <= _POINTER else 0, field.size))

    def word(self, number: int) -> str | None:
        size = ctypes.c_size_t()
        at = self.lib.hist_events_word(self.events, number, ctypes.byref(size))
        return ctypes.string_at(at, size.value).decode(errors="backslashreplace") if at else None

    def batches(self) -> Iterator[list[array[int]]]:
        """Arrays with the numbers of the next events."""
        n, size = len(self.columns), 1 << 8
        columns = (ctypes.c_int * n)(*self.columns)
        while True:
            room = [array("q" if kind == _SIGNED else "Q", bytes(8 * size)) for kind, _ in self.kinds]
            pointers = (ctypes.c_void_p * n)(*(a.buffer_info()[0] for a in room))
            rows = self.diags.check(self.lib.hist_events_fill(self.events, columns, n, pointers, size))
            if not rows:
                return
            yield [a[:rows] for a in room] if rows < size else room
            size = min(2 * size, _BATCH)

    def close(self, complete: bool = False) -> None:
        """complete: all events were read; what they lack is a warning."""
        doubt = ""
        if self.events:
            self.lib.hist_events_close(self.events, 0 if complete else -1)
            doubt = self.diags.text(1) if complete else ""
        if self.script:
            self.lib.hist_script_free(self.script)
        if self.hist:
            self.lib.hist_close(self.hist)
        self.events = self.hist = self.script = None
        if self.diags:
            self.diags.close()
            self.diags = None
        if doubt:
            warnings.warn(doubt, Doubt, stacklevel=3)


class Table:
    """Rows with names of columns: columns, rows, and what hist reported beside them (messages)."""

    def __init__(self, columns: Sequence[str], rows: list[tuple[Any, ...]], messages: str = "",
                 info: dict[str, Any] | None = None) -> None:
        self.columns, self.rows, self.messages, self.info = list(columns), rows, messages, info or {}
        self.more: list[Table] = []

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return "<hist.Table of %d rows: %s>" % (len(self.rows), ", ".join(self.columns))

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows, columns=self.columns)


class Recording:
    """A recording: trace.dat, perf.data or another input of hist import; several are one timeline."""

    def __init__(self, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, cpus: str | None = None,
                 start: str | None = None, end: str | None = None, pids: str | None = None,
                 comm: str | None = None, buffer: str | None = None) -> None:
        """cpus: such as "0,2-3"; start, end: seconds of the trace clock, or "+SECONDS"; pids, comm: only these
        tasks."""
        self.paths = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(p) for p in paths]
        self.program = os.environ.get("HIST", "hist")
        self._chosen = {"cpu": cpus, "from": start, "to": end, "pid": pids, "comm": comm, "buffer": buffer}
        diags, handle = _Diags(), ctypes.c_void_p()
        try:
            diags.check(_library().hist_open(ctypes.byref(self._options()), ctypes.byref(handle), diags.at))
            _library().hist_close(handle)
        finally:
            diags.close()

    def _options(self) -> _Options:
        c = {name: _encode(value) for name, value in self._chosen.items()}
        inputs = (ctypes.c_char_p * len(self.paths))(*map(_encode, self.paths))
        return _Options(inputs=inputs, n_inputs=len(self.paths), cpus=c["cpu"], from_=c["from"], to=c["to"],
                        pids=c["pid"], comm=c["comm"], buffer=c["buffer"])

    # --- events ---

    def events(self, event: str, fields: Sequence[str] | None = None, *, filter: str | None = None,
               script: str | None = None) -> Iterator[Any]:
        """The events of one type in the order of time, as named tuples.

        event: "sched_switch", "sched:sched_switch", "derived:wait", or a synthetic event of script. fields: ts, cpu,
        pid, comm, tgid, process, cmdline, cgroup and fields of the event; None: ts, cpu, pid, comm and all fields.
        Also "FIELD.sym", "ip.dso", "ip.srcline", "ustack", "stack": names of code, which are members ip_dso, ...
        filter: as in hist events -f. Texts are str, lists and structures are texts as in csv; unknown is None.
        If the recording is damaged or lost events, a warning (Doubt) follows the last one.
        """
        reader = _Reader(self, event, filter, script, fields)
        complete = False
        try:
            make = namedtuple("Event", [name.replace(".", "_") for name in reader.names], rename=True)._make
            words: dict[int, str | None] = {}
            for batch in reader.batches():
                for i, (kind, _) in enumerate(reader.kinds):
                    if not kind:
                        words.update((n, reader.word(n)) for n in set(batch[i]) - words.keys())
                        batch[i] = [words[n] for n in batch[i]]
                    elif reader.columns[i] == _COMMON["tgid"]:
                        batch[i] = [n if n >= 0 else None for n in batch[i]]
                yield from map(make, zip(*batch))
            complete = True
        finally:
            reader.close(complete)

    def arrays(self, event: str, fields: Sequence[str] | None = None, *, filter: str | None = None,
               script: str | None = None) -> dict[str, Any]:
        """The same as numpy arrays, by the name of the column; texts are arrays of str objects; an unknown
        tgid is -1."""
        import numpy

        reader = _Reader(self, event, filter, script, fields)
        complete = False
        try:
            parts: list[list[Any]] = [[numpy.empty(0, self._dtype(*kind))] for kind in reader.kinds]
            for batch in reader.batches():
                for part, numbers, kind in zip(parts, batch, reader.kinds):
                    part.append(numpy.frombuffer(numbers, numbers.typecode).astype(self._dtype(*kind)))
            columns = {}
            for name, part, (kind, _) in zip(reader.names, parts, reader.kinds):
                column = numpy.concatenate(part)
                if not kind:
                    numbers, inverse = numpy.unique(column, return_inverse=True)
                    words = numpy.array([reader.word(int(n)) for n in numbers] + [None], dtype=object)
                    column = words[inverse]
                columns[name] = column
            complete = True
            return columns
        finally:
            reader.close(complete)

    @staticmethod
    def _dtype(kind: int, size: int) -> str:
        return "u8" if not kind else ("i" if kind == _SIGNED else "u") + str(size)

    # --- what the program answers ---

    def _run(self, verb: str, arguments: Sequence[str], inputs: bool = True, ok: tuple[int, ...] = (0,)) -> tuple[str, str]:
        command = [self.program, verb]
        for path in self.paths if inputs else []:
            command += ["-i", path]
        for name, value in self._chosen.items():
            if value is not None:
                command.append("--%s=%s" % (name, value))
        run = subprocess.run([*command, *arguments], capture_output=True, check=False)
        text, messages = run.stdout.decode(), run.stderr.decode(errors="backslashreplace").rstrip()
        if run.returncode not in ok:
            if run.returncode != _TROUBLE or not _is_complete(text):
                raise Error(messages or "%s: exit status %d" % (" ".join(command), run.returncode))
            warnings.warn(messages, Doubt, stacklevel=3)
        return text, messages

    def sql(self, statement: str, script: str | None = None) -> Table:
        """The rows of an SQL statement; see hist-sql(1) for the tables. script: a file, or the name of a recipe."""
        text, messages = self._run("sql", [*(["-S", script] if script else []), "--format=json", "--", statement])
        pairs = json.loads(text or "[]", object_pairs_hook=list)
        return Table([name for name, _ in pairs[0]] if pairs else [],
                     [tuple(_plain(v) for _, v in row) for row in pairs], messages)

    def report(self, *what: str, stats: bool = False) -> Table:
        """The answer of hist report: report("wakeup-latency"), report("-e", "sched_switch", "--by", "next_comm").

        The columns and values are those of hist report --format csv. Other histograms of a recipe are in the member
        more.
        """
        text, messages = self._run("report", ["--format=json", *(["--stats"] if stats else []), *what])
        first, *more = [_table_of(json.loads(line), messages) for line in text.splitlines()]
        first.more = more
        return first

    def why(self, *what: str) -> dict[str, Any]:
        """What hist why finds, as its json."""
        return json.loads(self._run("why", ["--format=json", *what])[0])

    def diff(self, other: str | os.PathLike[str] | Recording, *what: str) -> list[dict[str, Any]]:
        """What hist diff finds between this recording and other: diff("new.dat", "wakeup-latency").

        A json object for each histogram, and last the verdict: same, different or inconclusive.
        """
        after = other.paths if isinstance(other, Recording) else [os.fspath(other)]
        text, messages = self._run("diff", ["--format=json", *what, "--before", *self.paths, "--after", *after], False,
                                   (0, 1, 2))
        objects = [json.loads(line) for line in text.splitlines()]
        # the exit status of an inconclusive comparison is also that of trouble
        if not objects or objects[-1]["type"] != "hist_diff_verdict":
            raise Error(messages)
        return objects


def _is_complete(text: str) -> bool:
    """Whether there is an answer, and all of it: of a damaged recording it is what could be read."""
    at = 0
    try:
        while text[at:].strip():
            at = json.JSONDecoder().raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))[1]
    except ValueError:
        return False
    return at > 0


def _plain(v: Any) -> Any:
    """Texts of json double their backslashes, so that bytes that are not UTF-8 can be seen."""
    return v.replace("\\\\", "\\") if isinstance(v, str) else v


def _names(column: dict[str, Any]) -> list[str]:
    """The columns of csv for one of a histogram."""
    name = column["name"]
    if column["type"] == "range":
        return [name + "_min", name + "_max"]
    return [name, name + "_text"] if column.get("text") or column["type"] == "stack" else [name]


def _cells(column: dict[str, Any], value: Any, text: Any) -> list[Any]:
    if value is None:
        return [None] * len(_names(column))
    if column["type"] == "range":
        return [value["min"], value["max"]]
    if column["type"] == "stack":
        return [" ".join(map(hex, value)), ";".join(map(_plain, text))]
    return [_plain(value), _plain(text)] if column.get("text") else [_plain(value)]


def _table_of(result: dict[str, Any], messages: str) -> Table:
    columns, rows = result["columns"], []
    parts = [(part, c) for part in ("key", "val", "saved") for c in columns.get(part, [])]
    saved, statistics = bool(columns.get("saved")), ("n", "min", "max", "mean", "stddev", "p50", "p90", "p99", "p99.9")
    keys = {c["name"] for c in columns["key"]}
    stats = [s["name"] for s in columns.get("stats", []) if s["name"] not in keys]
    names = [n for _, c in parts for n in _names(c)] + ["saved_at"] * saved + [s + "_" + n for s in stats for n in statistics]
    for row in result["data"]:
        text, cells = row.get("text", {}), []
        for part, c in parts:
            cells += _cells(c, row.get(part, {}).get(c["name"]), text.get(c["name"]))
        cells += [row.get("saved_at")] * saved
        for s in stats:
            numbers = row.get("stats", {}).get(s, {})
            cells += [numbers.get(n) for n in statistics]
        rows.append(tuple(cells))
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        names[i] = name if seen[name] == 1 else "%s#%d" % (name, seen[name])
    return Table(names, rows, messages, {k: v for k, v in result.items() if k not in ("data", "columns")})


def open(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], **chosen: Any) -> Recording:  # noqa: A001
    """Open a recording; the arguments are those of Recording."""
    return Recording(paths, **chosen)
