# SPDX-License-Identifier: LGPL-2.1-only
"""Recordings of ftrace, read with libhist.

    import hist

    rec = hist.open("trace.dat")
    for e in rec.events("sched_switch", fields=["next_pid"]):
        print(e.ts, e.cpu, e.comm, e.next_pid)
    columns = rec.arrays("derived:wait", fields=["ns", "kind"])  # numpy; frame(): pandas; polars(): polars
    table = rec.report("wakeup-latency", stats=True)           # what hist report answers
    frame = rec.sql("SELECT * FROM wait").to_pandas()

All is done by libhist through ctypes, in this process: no compiler is needed, and the module is one
file for all versions of Python. hist_events_fill() fills arrays with events. numpy and pandas are
used if they are asked for.
"""
from __future__ import annotations

import builtins
import ctypes
import importlib
import json
import os
import shlex
import warnings
from array import array
from collections import namedtuple
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

__all__ = ["Doubt", "Error", "Recording", "Table", "each", "open"]

_COMMON = {"ts": -1, "cpu": -2, "pid": -3, "comm": -4, "tgid": -5, "process": -6, "cmdline": -7, "cgroup": -8}
_WORDS = {"comm", "process", "cmdline", "cgroup"}
_CODE = -16
_UNSIGNED, _SIGNED, _POINTER = 1, 2, 3
_BATCH = 1 << 16
_PARTS = ("percent", "graph", "share", "cpu", "mean")  # modifiers of values
_STATISTICS = ("n", "min", "max", "mean", "stddev", "p50", "p90", "p99", "p99.9")
_Sink = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


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


class _Table(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("events", "keys", "sums", "worst", "save", "sort", "filter")] + [
        ("sql", ctypes.c_bool)]


class _Recipe(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("shipped", ctypes.c_bool), ("values", ctypes.POINTER(ctypes.c_char_p)),
                ("n_values", ctypes.c_size_t), ("change", _Table)]


class _RunOptions(ctypes.Structure):
    _fields_ = [("keep_going", ctypes.c_bool), ("check_only", ctypes.c_bool), ("need", ctypes.c_void_p),
                ("need_arg", ctypes.c_void_p), ("show", ctypes.c_char_p), ("interval", ctypes.c_char_p),
                ("stats", ctypes.c_bool), ("exemplars", ctypes.c_uint), ("exemplars_of", ctypes.c_char_p),
                ("save_events", ctypes.c_char_p), ("tracefs", ctypes.c_char_p), ("format", ctypes.c_char_p),
                ("colour", ctypes.c_bool), ("width", ctypes.c_uint), ("json_u64_as_string", ctypes.c_bool),
                ("plugins", ctypes.c_void_p), ("modifiers", ctypes.c_void_p), ("n_modifiers", ctypes.c_size_t),
                ("names", ctypes.c_void_p), ("n_names", ctypes.c_size_t), ("top", ctypes.c_size_t),
                ("sort_stats", ctypes.c_char_p), ("command", ctypes.c_char_p)]


class _WhyOptions(ctypes.Structure):
    _fields_ = [("has_pid", ctypes.c_bool), ("pid", ctypes.c_int), ("at", ctypes.c_char_p),
                ("exemplar", ctypes.c_size_t), ("all", ctypes.c_bool), ("by", ctypes.c_char_p),
                ("min", ctypes.c_char_p), ("depth", ctypes.c_uint), ("top", ctypes.c_size_t),
                ("format", ctypes.c_char_p), ("command", ctypes.c_char_p), ("colour", ctypes.c_bool),
                ("width", ctypes.c_uint)]


class _DiffOptions(ctypes.Structure):
    _fields_ = [("n_before", ctypes.c_size_t), ("n_after", ctypes.c_size_t), ("mode", ctypes.c_int),
                ("fail_on", ctypes.POINTER(ctypes.c_char_p)), ("n_fail_on", ctypes.c_size_t),
                ("drop_keys", ctypes.POINTER(ctypes.c_char_p)), ("n_drop_keys", ctypes.c_size_t),
                ("units", ctypes.c_void_p), ("n_units", ctypes.c_size_t), ("noise", ctypes.c_double),
                ("alpha", ctypes.c_double), ("allow_lost", ctypes.c_double), ("min_count", ctypes.c_uint64),
                ("ignore_new", ctypes.c_bool), ("ignore_gone", ctypes.c_bool), ("show", ctypes.c_char_p),
                ("sort", ctypes.c_char_p), ("top", ctypes.c_size_t), ("all", ctypes.c_bool),
                ("stats", ctypes.c_bool), ("format", ctypes.c_char_p), ("more", ctypes.c_void_p),
                ("n_more", ctypes.c_size_t), ("labels", ctypes.c_void_p), ("more_is_better", ctypes.c_bool),
                ("balance", ctypes.c_char_p), ("trend", ctypes.c_bool), ("width", ctypes.c_uint),
                ("exemplars", ctypes.c_uint), ("exemplars_of", ctypes.c_char_p),
                ("only", ctypes.POINTER(ctypes.c_char_p)), ("n_only", ctypes.c_size_t), ("command", ctypes.c_char_p)]


class _SummaryOptions(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("format", "input", "recipes", "command")] + [("baseline", ctypes.c_void_p)]


class _SqlOptions(ctypes.Structure):
    _fields_ = [("recording", ctypes.POINTER(_Options)), ("process", ctypes.c_char_p), ("cgroup", ctypes.c_char_p),
                ("script", ctypes.c_void_p), ("format", ctypes.c_char_p), ("timeout", ctypes.c_uint64),
                ("session", ctypes.c_void_p)]


def _load() -> ctypes.CDLL:
    # of pip install, or beside this file in the sources; otherwise where the system has them
    here = os.path.dirname(os.path.abspath(__file__))
    own, root = os.path.join(here, "hist_files"), os.path.join(here, "..")
    built, recipes = os.path.join(own, "libhist.so.0"), os.path.join(own, "recipes")
    if not os.path.isdir(own):
        built, recipes = os.path.join(root, "build", "lib", "libhist.so.0"), os.path.join(root, "share", "hist", "recipes")
    if os.path.isdir(recipes):
        os.environ.setdefault("HIST_RECIPES", recipes)
    lib = ctypes.CDLL(os.environ.get("LIBHIST") or (built if os.path.exists(built) else "libhist.so.0"))
    p, size, text, err = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("hist_diags_new", p, []), ("hist_diags_free", None, [p]), ("hist_diags_count", size, [p]),
            ("hist_diags_level", ctypes.c_int, [p, size]),
            ("hist_diags_text", p, [p, size, ctypes.c_char_p, ctypes.c_bool]),
            ("hist_strerror", ctypes.c_char_p, [ctypes.c_int]),
            ("hist_session_new", p, [ctypes.c_uint64]), ("hist_session_free", None, [p]),
            ("hist_session_open", err, [p, ctypes.POINTER(_Options), ctypes.POINTER(p), p]),
            ("hist_close", None, [p]), ("hist_input_cut", ctypes.c_bool, [p]), ("hist_stored_script", text, [p]),
            ("hist_select", err, [p, ctypes.c_int, text, p]),
            ("hist_find_event", err, [p, text, ctypes.POINTER(p), p]),
            ("hist_script_write", err, [p, text, text, text, ctypes.c_int]),
            ("hist_script_ask_write", err, [p, text, text, text, ctypes.c_int]),
            ("hist_script_ask", err, [p, ctypes.POINTER(_Table)]),
            ("hist_script_recipe", err, [p, p, ctypes.POINTER(_Recipe), p]),
            ("hist_run", err, [p, p, ctypes.POINTER(_RunOptions), _Sink, p, p]),
            ("hist_why", err, [p, p, ctypes.POINTER(_WhyOptions), _Sink, p, p]),
            ("hist_summary", err, [p, ctypes.POINTER(_SummaryOptions), _Sink, p, p]),
            ("hist_sql", err, [ctypes.POINTER(_SqlOptions), text, _Sink, p, p]),
            ("hist_diff_new", err, [ctypes.POINTER(_DiffOptions), ctypes.POINTER(p), p]),
            ("hist_diff_free", None, [p]), ("hist_diff_metric", None, [p, text]), ("hist_diff_script", text, [p]),
            ("hist_diff_start_run", err, [p, size, text, p]),
            ("hist_diff_add_recording", err, [p, p, p, p]), ("hist_diff_add_saved", err, [p, text, size, p]),
            ("hist_diff_print", err, [p, _Sink, p, ctypes.POINTER(ctypes.c_int), p]),
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


def _module(name: str) -> Any:
    """numpy, pandas and polars are needed only by what makes their objects."""
    return importlib.import_module(name)


def _encode(text: str | os.PathLike[str] | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


def _list(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(texts))(*map(_encode, texts))


class _Diags:
    """The messages of libhist during a call."""

    def __init__(self) -> None:
        self.at = _library().hist_diags_new()

    def __enter__(self) -> _Diags:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def text(self, level: int) -> str:
        """Those from this level on: 0 notes, 1 warnings, 2 errors."""
        lib = _library()
        lines: list[str] = []
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

    def output(self, function: Any, *arguments: Any) -> str:
        """What a function with a sink prints."""
        parts: list[bytes] = []

        @_Sink
        def sink(_arg: Any, data: int, n: int) -> int:
            parts.append(ctypes.string_at(data, n))
            return 0

        self.check(function(*arguments, sink, None, self.at))
        return b"".join(parts).decode(errors="backslashreplace")

    def doubt(self, cut: bool) -> str:
        """All messages of an answer, which are a warning, too, if parts of the recording could not be read."""
        messages = self.text(0)
        if cut:
            warnings.warn(messages, Doubt, stacklevel=4)
        return messages

    def close(self) -> None:
        _library().hist_diags_free(self.at)


class _Session:
    """What answers leave for the next ones; ends with the last of the recordings that share it."""

    def __init__(self, memory: int) -> None:
        self.at = _library().hist_session_new(memory)

    def __del__(self) -> None:
        if self.at:
            _library().hist_session_free(self.at)


class _Reader:
    """An iterator of libhist over one event, which fills arrays."""

    def __init__(self, rec: Recording, event: str, filter: str | None, script: str | None,
                 fields: Sequence[str] | None) -> None:
        self.lib, self.diags, self.closed = _library(), _Diags(), False
        self.hist, self.events, self.script = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        try:
            self._open(rec, event, filter, script, fields)
        except BaseException:
            self.close()
            raise

    def _open(self, rec: Recording, event: str, filter: str | None, script: str | None,
              fields: Sequence[str] | None) -> None:
        lib, check = self.lib, self.diags.check
        self.session = rec._session  # pyright: ignore[reportPrivateUsage]
        rec._open(self.hist, self.diags)  # pyright: ignore[reportPrivateUsage]
        if script is not None:
            text = script.encode()
            self.script = ctypes.c_void_p(lib.hist_script_new())
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
        self.columns: list[int] = []
        self.kinds: list[tuple[int, int]] = []
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
        if self.closed:
            return
        self.closed = True
        if self.events:
            self.lib.hist_events_close(self.events, 0 if complete else -1)
            doubt = self.diags.text(1) if complete else ""
        if self.script:
            self.lib.hist_script_free(self.script)
        if self.hist:
            self.lib.hist_close(self.hist)
        self.diags.close()
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
        return _module("pandas").DataFrame(self.rows, columns=self.columns)

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        return _module("polars").DataFrame(self.rows, schema=self.columns, orient="row", infer_schema_length=None)


class _Question:
    """What is asked of a recording: recipes, or events, as of hist report. Mistakes are found when it is asked."""

    def __init__(self, what: Sequence[str], event: str | None, by: str | None, sum: str | None, filter: str | None,
                 trigger: str | None, values: Mapping[str, object] | None) -> None:
        self.recipes, self.event, self.trigger = what, event, trigger
        self.change = _Table(keys=_encode(by), sums=_encode(sum), filter=_encode(filter), events=_encode(event))
        self.values = ["%s=%s" % pair for pair in (values or {}).items()]

    def __bool__(self) -> bool:
        return bool(self.recipes or self.event)

    @contextmanager
    def script(self, hist: ctypes.c_void_p, diags: _Diags, enables: bool = False) -> Generator[int | None, None, None]:
        """The script for an open recording; enables: without keys, the events are enabled."""
        lib = _library()
        script = lib.hist_script_new()
        try:
            for name in self.recipes:
                values = _list(self.values)
                diags.check(lib.hist_script_recipe(hist, script, _Recipe(_encode(name), False, values, len(values), self.change),
                                                   diags.at))
            if self.event and not self.change.keys:
                self._write(hist, script, diags, enables)
            elif self.event:
                diags.check(lib.hist_script_ask(script, self.change))
            yield script if self else None
        finally:
            lib.hist_script_free(script)

    def _write(self, hist: ctypes.c_void_p, script: int, diags: _Diags, enables: bool) -> None:
        lib, path = _library(), ctypes.c_void_p()
        if not enables and not self.trigger:
            raise Error("hist: error: event needs by, the keys of its table, or a trigger")
        diags.check(lib.hist_find_event(hist, _encode(self.event), ctypes.byref(path), diags.at))
        event = ctypes.string_at(path)
        _libc.free(path)
        if enables:
            lib.hist_script_write(script, b"event", event + b"/enable", b"1", 0)
        if self.change.filter:
            lib.hist_script_ask_write(script, b"filter", event + b"/filter", self.change.filter, 0)
        if self.trigger:
            lib.hist_script_write(script, b"trigger", event + b"/trigger", _encode(self.trigger), 1)


class Recording:
    """A recording: trace.dat, perf.data or another input of hist import; several are one timeline."""

    def __init__(self, paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, cpus: str | None = None,
                 start: str | None = None, end: str | None = None, pids: str | None = None,
                 comm: str | None = None, process: str | None = None, cgroup: str | None = None,
                 tree: str | None = None, buffer: str | None = None, memory: int = 0) -> None:
        """cpus: such as "0,2-3"; start, end: seconds of the trace clock, or "+SECONDS"; pids, comm, process, cgroup,
        tree: only these tasks, as the options of hist report. memory: bytes for what is kept for the next question;
        0: a quarter of the machine's."""
        self.paths = [os.fspath(paths)] if isinstance(paths, (str, os.PathLike)) else [os.fspath(p) for p in paths]
        self.process, self.cgroup, self._session = process, cgroup, _Session(memory)
        self._chosen = {"cpus": cpus, "from_": start, "to": end, "pids": pids, "comm": comm, "tree": tree, "buffer": buffer}
        with self._opened():
            pass

    def _copy(self, paths: list[str], **chosen: str | None) -> Recording:
        """The same part of other files, or another part."""
        one = Recording.__new__(Recording)
        one.paths, one.process, one.cgroup, one._session = paths, self.process, self.cgroup, self._session
        one._chosen = {**self._chosen, **chosen}
        return one

    def _options(self) -> _Options:
        return _Options(inputs=_list(self.paths), n_inputs=len(self.paths),
                        **{name: _encode(value) for name, value in self._chosen.items()})

    def _open(self, hist: ctypes.c_void_p, diags: _Diags) -> None:
        lib = _library()
        diags.check(lib.hist_session_open(self._session.at, self._options(), ctypes.byref(hist), diags.at))
        for what, text in enumerate((self.process, self.cgroup)):
            if text is not None:
                diags.check(lib.hist_select(hist, what, _encode(text), diags.at))

    @contextmanager
    def _opened(self) -> Generator[tuple[ctypes.c_void_p, _Diags], None, None]:
        hist = ctypes.c_void_p()
        with _Diags() as diags:
            try:
                self._open(hist, diags)
                yield hist, diags
            finally:
                _library().hist_close(hist)

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
            names = [name.replace(".", "_") for name in reader.names]
            make: Any = namedtuple("Event", names, rename=True)._make  # pyright: ignore[reportUntypedNamedTuple]
            words: dict[int, str | None] = {}
            for numbers in reader.batches():
                batch: list[Any] = list(numbers)
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

    def _columns(self, event: str, fields: Sequence[str] | None, filter: str | None, script: str | None,
                 progress: Callable[[int], object] | None) -> Generator[tuple[str, Any, list[str | None] | None], None, None]:
        """Each column: its name, its array, and the words that its numbers are indices of; None: they are numbers."""
        numpy, n = _module("numpy"), 0
        reader = _Reader(self, event, filter, script, fields)
        complete = False
        try:
            parts: list[list[Any]] = [[numpy.empty(0, self._dtype(*kind))] for kind in reader.kinds]
            for batch in reader.batches():
                for part, numbers, kind in zip(parts, batch, reader.kinds):
                    part.append(numpy.frombuffer(numbers, numbers.typecode).astype(self._dtype(*kind)))
                n += len(batch[0])
                if progress:
                    progress(n)
            for name, part, (kind, _) in zip(reader.names, parts, reader.kinds):
                column, words = numpy.concatenate(part), None
                if not kind:
                    numbers, column = numpy.unique(column, return_inverse=True)
                    words = [reader.word(int(n)) for n in numbers]
                yield name, column, words
            complete = True
        finally:
            reader.close(complete)

    def arrays(self, event: str, fields: Sequence[str] | None = None, *, filter: str | None = None,
               script: str | None = None, progress: Callable[[int], object] | None = None) -> dict[str, Any]:
        """The same as numpy arrays, by the name of the column; texts are arrays of str objects; an unknown
        tgid is -1. progress: is called with the number of events so far; what it raises ends the reading."""
        numpy = _module("numpy")
        return {name: column if words is None else numpy.array(words + [None], dtype=object)[column]
                for name, column, words in self._columns(event, fields, filter, script, progress)}

    def frame(self, event: str, fields: Sequence[str] | None = None, *, filter: str | None = None,
              script: str | None = None, progress: Callable[[int], object] | None = None) -> Any:
        """The same as a pandas.DataFrame, in which texts are categories."""
        pandas = _module("pandas")
        frame: dict[str, Any] = {}
        for name, column, words in self._columns(event, fields, filter, script, progress):
            if words is not None:
                known = list(dict.fromkeys(word for word in words if word is not None))
                codes = {word: i for i, word in enumerate(known)}
                places = _module("numpy").array([-1 if word is None else codes[word] for word in words] + [-1])
                column = pandas.Categorical.from_codes(places[column], known)
            frame[name] = column
        return pandas.DataFrame(frame)

    @staticmethod
    def _dtype(kind: int, size: int) -> str:
        return "u8" if not kind else ("i" if kind == _SIGNED else "u") + str(size)

    def polars(self, event: str, fields: Sequence[str] | None = None, *, filter: str | None = None,
               script: str | None = None, progress: Callable[[int], object] | None = None) -> Any:
        """The same as a polars.DataFrame, in which texts are categories."""
        polars, numpy = _module("polars"), _module("numpy")
        columns: list[Any] = []
        for name, column, words in self._columns(event, fields, filter, script, progress):
            if words is None:
                columns.append(polars.Series(name, column))
            else:
                texts = polars.Series(name, words + [None], dtype=polars.Categorical)
                columns.append(texts.gather(numpy.asarray(column, "u4")))
        return polars.DataFrame(columns)

    # --- answers ---

    def summary(self) -> Table:
        """What a stranger should know, as hist summary: a row for each line, with the command that goes on."""
        words = b" ".join(b"-i " + os.fsencode(shlex.quote(path)) for path in self.paths)
        options = _SummaryOptions(b"json", words)
        with self._opened() as (hist, diags):
            rows = json.loads(diags.output(_library().hist_summary, hist, options))
            messages = diags.doubt(_library().hist_input_cut(hist))
        return Table(list(rows[0]), [tuple(_plain(v) for v in row.values()) for row in rows], messages)

    def sql(self, statement: str, script: str | None = None) -> Table:
        """The rows of an SQL statement; see hist-sql(1) for the tables. script: a file, or the name of a recipe."""
        question = _Question([script] if script else [], None, None, None, None, None, None)
        with self._opened() as (hist, diags), question.script(hist, diags) as made, _Diags() as messages:
            cut: list[int] = []
            options = _SqlOptions(ctypes.pointer(self._options()), _encode(self.process), _encode(self.cgroup), made,
                                  session=self._session.at)

            def run(*rest: Any) -> int:
                cut.append(_library().hist_sql(options, *rest))
                return cut[0]

            text = messages.output(run, statement.encode())
            pairs = json.loads(text or "[]", object_pairs_hook=list)
            return Table([name for name, _ in pairs[0]] if pairs else [],
                         [tuple(_plain(v) for _, v in row) for row in pairs], messages.doubt(cut[0] > 0))

    def report(self, *recipes: str, event: str | None = None, by: str | None = None, sum: str | None = None,
               filter: str | None = None, trigger: str | None = None, values: Mapping[str, object] | None = None,
               stats: bool = False, sort: str | None = None, top: int = 0, interval: str | None = None) -> Table:
        """The answer of hist report: report("wakeup-latency", filter="prio < 100"), report(event="sched_switch",
        by="next_comm"). values: of the parameters of recipes.

        The columns and values are those of hist report --format csv. Other histograms of a recipe are in the member
        more.
        """
        question = _Question(recipes, event, by, sum, filter, trigger, values)
        statistic = sort is not None and set(sort.split(".")) & set(_STATISTICS)
        options = _RunOptions(format=b"json", stats=stats or bool(statistic), sort_stats=_encode(sort), top=top,
                              interval=_encode(interval))
        with self._opened() as (hist, diags), question.script(hist, diags) as script:
            if not script:
                raise Error("hist: error: nothing to answer: report(RECIPE) or report(event=EVENT, by=KEYS)")
            text = diags.output(_library().hist_run, hist, script, options)
            messages = diags.doubt(_library().hist_input_cut(hist))
        first, *more = [_table_of(json.loads(line), messages) for line in text.splitlines()] or [Table([], [], messages)]
        first.more = more
        return first

    def why(self, *recipes: str, event: str | None = None, filter: str | None = None,
            values: Mapping[str, object] | None = None, pid: int | None = None, at: str | None = None, exemplar: int = 0,
            all: bool = False, by: str | None = None, min: str | None = None, depth: int = 0) -> dict[str, Any]:
        """What hist why finds, as its json: of the longest interval of a recipe or event, by default derived:wait."""
        pids = self._chosen["pids"]
        if pid is None and pids and pids.isdigit():
            pid = int(pids)
        if not recipes and not event:
            span = self._chosen["from_"] is not None or self._chosen["to"] is not None
            if at is not None:
                event, filter = "derived:task_state", 'state == "running"' if pid is None else filter
            elif pid is None or all or not span:
                event = "derived:wait"
        question = _Question(recipes, event, None, None, filter, None, values)
        options = _WhyOptions(has_pid=pid is not None, pid=pid or 0, at=_encode(at), exemplar=exemplar, all=all,
                              by=_encode(by), min=_encode(min), depth=depth, format=b"json")
        # what other tasks did explains it
        whole = self._copy(self.paths, pids=None)
        with whole._opened() as (hist, diags), question.script(hist, diags, True) as script:
            text = diags.output(_library().hist_why, hist, script, options)
            diags.doubt(_library().hist_input_cut(hist))
        return json.loads(text)

    def diff(self, other: str | os.PathLike[str] | Recording, *recipes: str, event: str | None = None,
             by: str | None = None, sum: str | None = None, filter: str | None = None, trigger: str | None = None,
             values: Mapping[str, object] | None = None, stats: bool = False, all: bool = False, mode: str = "",
             metric: str | None = None, noise: float = 0, fail_on: Sequence[str] = (),
             only: Sequence[str] = ()) -> list[dict[str, Any]]:
        """What hist diff finds between this recording and other: diff("new.dat", "wakeup-latency").

        A json object for each histogram, and last the verdict: same, different or inconclusive. mode: rate, share or
        absolute. Without a question, it is that of a saved result, or of the recording.
        """
        lib, handle, verdict, measured = _library(), ctypes.c_void_p(), ctypes.c_int(), _encode(metric)
        question = _Question(recipes, event, by, sum, filter, trigger, values)
        after = other.paths if isinstance(other, Recording) else [os.fspath(other)]
        chosen = other if isinstance(other, Recording) else self
        runs = [(path, self) for path in self.paths] + [(path, chosen) for path in after]
        options = _DiffOptions(n_before=len(self.paths), n_after=len(after), mode=["", "rate", "share", "absolute"].index(mode),
                               fail_on=_list(fail_on), n_fail_on=len(fail_on), only=_list(only), n_only=len(only),
                               noise=noise, all=all, stats=stats, format=b"json")
        with _Diags() as diags:
            try:
                diags.check(lib.hist_diff_new(options, ctypes.byref(handle), diags.at))
                if measured is not None:
                    lib.hist_diff_metric(handle, measured)
                saved = {path: text for path, _ in runs if (text := _saved(path)) is not None}
                for i, (path, of) in sorted(enumerate(runs), key=lambda run: run[1][0] not in saved):
                    diags.check(lib.hist_diff_start_run(handle, i, _encode(path), diags.at))
                    if path in saved:
                        diags.check(lib.hist_diff_add_saved(handle, saved[path], len(saved[path]), diags.at))
                    else:
                        of._compare(path, question, handle, diags)
                def run(sink: Any, arg: Any, to: Any) -> int:
                    return lib.hist_diff_print(handle, sink, arg, ctypes.byref(verdict), to)

                text = diags.output(run)
            finally:
                lib.hist_diff_free(handle)
        return [json.loads(line) for line in text.splitlines()]

    def _compare(self, path: str, question: _Question, diff: ctypes.c_void_p, diags: _Diags) -> None:
        """Add the answer of one file."""
        lib = _library()
        with self._copy([path])._opened() as (hist, messages), question.script(hist, messages) as script:
            text = None if script else lib.hist_diff_script(diff) or lib.hist_stored_script(hist)
            if not script and not text:
                raise Error("hist: error: nothing to compare: %s contains no script; name a recipe, or event and by" % path)
            made = script or lib.hist_script_new()
            try:
                if text:
                    diags.check(lib.hist_script_parse(made, b"stored script", text, len(text), diags.at))
                diags.check(lib.hist_diff_add_recording(diff, hist, made, diags.at))
            finally:
                if text:
                    lib.hist_script_free(made)


def _saved(path: str) -> bytes | None:
    """The text of a saved result; None: it is none."""
    try:
        with builtins.open(path, "rb") as f:
            return b"{" + f.read() if f.read(1) == b"{" else None
    except OSError as e:
        raise Error("hist: error: %s: %s" % (path, e.strerror)) from None


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
    columns: dict[str, Any] = result["columns"]
    rows: list[tuple[Any, ...]] = []
    # "ns#2" is what text shows of ns, its part of a whole
    forms = {c["name"] for c in columns.get("val", []) if c.get("modifier") in _PARTS and "#" in c["name"]}
    parts = [(part, c) for part in ("key", "val", "saved") for c in columns.get(part, [])
             if part != "val" or c["name"] not in forms]
    saved = bool(columns.get("saved"))
    keys = {c["name"] for c in columns["key"]} | forms
    stats = [s["name"] for s in columns.get("stats", []) if s["name"] not in keys]
    # "worst=ns" of the trigger is a variable with the numbers of ns
    pieces = str(result["trigger"]).replace(" ", ":").replace(",", ":").split(":")
    stats = [s for s in stats if not any(s + "=" + of in pieces for of in stats)]
    names = [n for _, c in parts for n in _names(c)] + ["saved_at"] * saved + [s + "_" + n for s in stats for n in _STATISTICS]
    for row in result["data"]:
        text: dict[str, Any] = row.get("text", {})
        cells: list[Any] = []
        for part, c in parts:
            cells += _cells(c, row.get(part, {}).get(c["name"]), text.get(c["name"]))
        cells += [row.get("saved_at")] * saved
        for s in stats:
            numbers = row.get("stats", {}).get(s, {})
            cells += [numbers.get(n) for n in _STATISTICS]
        rows.append(tuple(cells))
    seen: dict[str, int] = {}
    for i, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        names[i] = name if seen[name] == 1 else "%s#%d" % (name, seen[name])
    return Table(names, rows, messages, {k: v for k, v in result.items() if k not in ("data", "columns")})


def open(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], **chosen: Any) -> Recording:  # noqa: A001
    """Open a recording; the arguments are those of Recording."""
    return Recording(paths, **chosen)


def each(paths: Sequence[str | os.PathLike[str]], progress: Callable[[int, int], object] | None = None,
         **chosen: Any) -> Iterator[Recording]:
    """Recordings one after the other, each on its own: for rec in each(sorted(glob("*.dat"))). progress: is called with
    how many are done, of how many."""
    for i, path in enumerate(paths):
        if progress:
            progress(i, len(paths))
        yield Recording(path, **chosen)
    if progress:
        progress(len(paths), len(paths))
