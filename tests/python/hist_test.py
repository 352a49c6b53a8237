# SPDX-License-Identifier: GPL-2.0-only
"""The module hist: its events are those of hist events, its tables those of hist report and hist sql."""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python"))
import hist  # noqa: E402

PROGRAM = os.environ.get("HIST", "./hist")
SWITCH, WAKEUP, KMALLOC = ("trace.dat-samples/%s.dat" % name for name in ("switch", "wakeup", "kmalloc"))

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
try:
    import polars
except ImportError:
    polars = None


def rows_of(recording, event, fields, *options):
    text = subprocess.run([PROGRAM, "events", "-q", "-i", recording, "-e", event, *options, "--format", "csv", "--fields",
                           ",".join(fields)], check=True, capture_output=True, text=True).stdout
    return list(csv.reader(io.StringIO(text)))[1:]


def texts(row):
    return ["" if v is None else hex(v) if isinstance(v, int) and v >> 56 == 0xff else str(v) for v in row]


class Events(unittest.TestCase):
    def assertSameRows(self, got, want):
        """The first difference: unittest takes long to describe all."""
        self.assertEqual(len(got), len(want))
        for pair in zip(got, want):
            self.assertEqual(*pair)

    def test_values_are_those_of_csv(self):
        for recording, event, fields in (
                (SWITCH, "sched_switch", ["ts", "cpu", "pid", "comm", "next_comm", "next_pid", "prev_state"]),
                (SWITCH, "raw_syscalls:sys_enter", ["ts", "id", "args"]),
                (WAKEUP, "derived:wait", ["ts", "pid", "kind", "ns", "process", "cgroup", "tgid", "cmdline"]),
                (KMALLOC, "kmalloc", ["ts", "ptr", "bytes_req", "node"]),
                (KMALLOC, "kmalloc", ["call_site.sym", "ts", "bytes_req"])):
            with self.subTest(event):
                want = rows_of(recording, event, fields)
                self.assertGreater(len(want), 100)
                self.assertSameRows([texts(e) for e in hist.open(recording).events(event, fields)], want)

    def test_names_of_code_are_members(self):
        e = next(hist.open(KMALLOC).events("kmalloc", ["call_site.sym", "ts"]))
        self.assertEqual(e.call_site_sym, rows_of(KMALLOC, "kmalloc", ["call_site.sym"])[0][0])
        self.assertRegex(e.call_site_sym, "^[a-z_]")
        with self.assertRaisesRegex(hist.Error, "kmalloc has no field bytes_req.symbol; it has call_site"):
            next(hist.open(KMALLOC).events("kmalloc", ["bytes_req.symbol"]))

    def test_all_fields_by_name(self):
        e = next(hist.open(SWITCH).events("sched_switch"))
        self.assertEqual(e._fields[:6], ("ts", "cpu", "pid", "comm", "prev_comm", "prev_pid"))
        self.assertEqual(texts(e[:3]), rows_of(SWITCH, "sched_switch", ["ts", "cpu", "pid"])[0])

    def test_filter_and_part(self):
        events = hist.open(SWITCH, cpus="0").events("sched_switch", ["ts", "cpu"], filter="next_pid == 16")
        self.assertSameRows([texts(e) for e in events],
                            rows_of(SWITCH, "sched_switch", ["ts", "cpu"], "-f", "next_pid == 16", "--cpu", "0"))

    def test_each_part_is_that_of_the_program(self):
        fields = ["ts", "cpu", "next_comm"]
        for chosen in ({"comm": "grep"}, {"comm": "work,thr-*"}, {"pids": "1,16"}, {"cpus": "1,3"}, {"start": "+0.05"},
                       {"end": "+0.1"}, {"buffer": ""}, {"comm": "init", "pids": "16", "cpus": "0", "start": "+0.01"}):
            options = ["--%s=%s" % ({"cpus": "cpu", "pids": "pid", "start": "from", "end": "to"}.get(k, k), v)
                       for k, v in chosen.items()]
            with self.subTest(chosen):
                want = rows_of(SWITCH, "sched_switch", fields, *options)
                self.assertGreater(len(want), 2)
                self.assertSameRows([texts(e) for e in hist.open(SWITCH, **chosen).events("sched_switch", fields)], want)

    def test_damage_is_a_warning_after_the_last_event(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "damaged.dat")
            for recording, event, at, n, message in ((KMALLOC, "kmalloc", 0.8, 60, "cannot be inflated"),
                                                     (SWITCH, "sched_waking", 0.6, 400, "damaged sub-buffers"),
                                                     (SWITCH, "sched_waking", 0.9, 1 << 20, "")):
                with open(recording, "rb") as f:
                    data = bytearray(f.read())
                start = int(at * len(data))
                data[start:start + n] = b"Z" * n if message else b""
                with open(path, "wb") as f:
                    f.write(data)
                rec = hist.open(path)
                with self.subTest(recording), self.assertWarnsRegex(hist.Doubt, message or "damaged.dat"):
                    n_events = len(list(rec.events(event, ["ts"])))
                with self.assertWarnsRegex(hist.Doubt, message or "damaged.dat"):
                    table = rec.report(event=event, by="cpu")
                self.assertEqual(sum(table.column("hitcount")), n_events)
                self.assertIn(message, table.messages)
                with self.assertWarnsRegex(hist.Doubt, message or "damaged.dat"):
                    self.assertEqual(rec.sql("SELECT count(*) FROM " + event).rows, [(n_events,)])
                if numpy:
                    with self.assertWarns(hist.Doubt):
                        self.assertEqual(len(rec.arrays(event, ["ts"])["ts"]), n_events)
                with self.assertRaisesRegex(hist.Error, "one percentile"):
                    rec.sql("SELECT percentile(1, ts % 2) FROM " + event)
                events = rec.events(event, ["ts"])
                next(events)
                events.close()

    def test_script(self):
        with open("tests/cli/wakeup_latency.script") as f:
            script = f.read()
        text = subprocess.run([PROGRAM, "events", "-q", "-i", WAKEUP, "tests/cli/wakeup_latency.script", "--format", "csv",
                               "--fields", "us,event_pid"], check=True, capture_output=True, text=True).stdout
        got = hist.open(WAKEUP).events("wakeup_latency", ["us", "event_pid"], script=script)
        self.assertSameRows([texts(e) for e in got], list(csv.reader(io.StringIO(text)))[1:])

    def test_an_iterator_may_be_left(self):
        for _ in range(100):
            events = hist.open(SWITCH).events("sched_switch")
            next(events)
            events.close()

    def test_errors_have_the_messages_of_hist(self):
        for message, call in (
                ("No such file", lambda: hist.open("/nonexistent")),
                ("nearest: sched:sched_switch", lambda: list(hist.open(SWITCH).events("sched_swich"))),
                ("has no field next_pids", lambda: list(hist.open(SWITCH).events("sched_switch", ["next_pids"]))),
                ("name one", lambda: list(hist.open(SWITCH).events("sched_switch,sched_waking"))),
                ("Field not found", lambda: list(hist.open(SWITCH).events("sched_switch", filter="x == 1"))),
                ("no such table: nix", lambda: hist.open(SWITCH).sql("SELECT * FROM nix"))):
            with self.subTest(message), self.assertRaisesRegex(hist.Error, message):
                call()

    @unittest.skipUnless(numpy, "no numpy")
    def test_arrays(self):
        fields = ["ts", "cpu", "pid", "next_comm", "next_pid", "process"]  # not tgid, which is -1 here
        columns = hist.open(SWITCH).arrays("sched_switch", fields)
        self.assertEqual(list(columns), fields)
        self.assertEqual(columns["next_pid"].dtype, numpy.int32)
        self.assertSameRows([texts(row) for row in zip(*(c.tolist() for c in columns.values()))],
                            rows_of(SWITCH, "sched_switch", fields))
        empty = hist.open(SWITCH).arrays("sched_switch", ["ts", "comm"], filter="next_pid == 99999")
        self.assertEqual([len(c) for c in empty.values()], [0, 0])


class Tables(unittest.TestCase):
    def test_sql(self):
        table = hist.open(SWITCH).sql("SELECT next_comm, count(*) AS n FROM sched_switch GROUP BY 1 ORDER BY 2 DESC, 1")
        self.assertEqual(table.columns, ["next_comm", "n"])
        self.assertEqual(table.rows[0], ("init", 322))
        self.assertEqual(sum(table.column("n")), len(rows_of(SWITCH, "sched_switch", ["ts"])))
        self.assertEqual(len(hist.open(SWITCH).sql("SELECT 1 WHERE 0")), 0)

    def test_report(self):
        table = hist.open(WAKEUP).report("wakeup-latency", stats=True)
        waits = [int(ns) for _, ns in rows_of(WAKEUP, "derived:wait", ["comm", "ns"], "-f", "kind == woken")]
        self.assertEqual(sum(table.column("ns")), sum(waits))
        self.assertEqual(max(table.column("ns_max")), max(waits))
        self.assertEqual(sum(table.column("ns_n")), len(waits))
        by = hist.open(SWITCH).report(event="sched_switch", by="next_comm")
        self.assertIn(("init", 322), [row[:2] for row in by])

    # how many tables, the words of hist report, and the arguments of report()
    QUESTIONS = (
        (WAKEUP, 3, "wakeup-latency --stats", {"stats": True}),
        (WAKEUP, 3, "wakeup-latency -f ns>10s --stats", {"filter": "ns>10s", "stats": True}),
        (WAKEUP, 3, "runqlat -D min=50us -D comm=alpha*", {"values": {"min": "50us", "comm": "alpha*"}}),
        (WAKEUP, 1, "wakeup-latency --by pid,kind --sum ns --sort ns", {"by": "pid,kind", "sum": "ns", "sort": "ns"}),
        (SWITCH, 1, "-e sched_switch --by next_comm,prev_state --sum next_prio",
         {"event": "sched_switch", "by": "next_comm,prev_state", "sum": "next_prio"}),
        (SWITCH, 2, "-e sched_switch,sched_waking --by comm,cpu -f cpu==1",
         {"event": "sched_switch,sched_waking", "by": "comm,cpu", "filter": "cpu==1"}),
        (SWITCH, 1, "-e sched_switch --by next_pid --sum next_prio --sort p99",
         {"event": "sched_switch", "by": "next_pid", "sum": "next_prio", "sort": "p99"}),
        (SWITCH, 1, "-e sched_switch -R hist:keys=next_prio.buckets=10,next_pid.log2:vals=prev_prio",
         {"event": "sched_switch", "trigger": "hist:keys=next_prio.buckets=10,next_pid.log2:vals=prev_prio"}),
        (SWITCH, 1, "-e sched_switch -R hist:keys=next_comm:prio=next_prio:onmax($prio).save(prev_comm,prev_state,prev_pid)",
         {"event": "sched_switch",
          "trigger": "hist:keys=next_comm:prio=next_prio:onmax($prio).save(prev_comm,prev_state,prev_pid)"}),
        (KMALLOC, 3, "kmalloc-by-site", {}),
        (SWITCH, 3, "on-cpu --stats", {"stats": True}),
        ("tests/cli/recipes/6.12-stacks.dat", 2, "off-cpu-stacks", {}),
    )

    def tables(self):
        """Each table of the questions, with that of csv."""
        for recording, n, words, arguments in self.QUESTIONS:
            what = words.split()
            first = hist.open(recording).report(*([] if what[0] == "-e" else what[:1]), **arguments)
            self.assertLessEqual(len(first.more), n - 1)
            for i, table in enumerate([first, *first.more]):
                text = subprocess.run([PROGRAM, "report", "-q", "-i", recording, *what, "--format", "csv", "--show",
                                       str(i + 1)], check=True, capture_output=True, text=True).stdout
                with self.subTest(words, table=i):
                    yield table, list(csv.reader(io.StringIO(text)))

    def assertSameCells(self, got, want):
        self.assertEqual(len(got), len(want))
        for row, cells in zip(got, want):
            for value, cell in zip(row, cells):
                if value is None or value != value:
                    self.assertEqual(cell, "")
                elif isinstance(value, float):
                    self.assertEqual(value, float(cell))
                else:
                    self.assertEqual(str(value), cell)

    def test_tables_are_those_of_csv(self):
        for table, (names, *rows) in self.tables():
            self.assertEqual(table.columns, names)
            self.assertSameCells(table.rows, rows)

    @unittest.skipUnless(pandas, "no pandas")
    def test_frames_are_those_of_csv(self):
        for table, (names, *rows) in self.tables():
            frame = table.to_pandas()
            self.assertEqual(list(frame.columns), names)
            self.assertSameCells(list(frame.itertuples(index=False, name=None)), rows)

    def test_why_is_that_of_the_program(self):
        for words, chosen, arguments in (
                ("", {}, {}), ("wakeup-latency --exemplar 2", {}, {"exemplar": 2}), ("--pid 1", {}, {"pid": 1}),
                ("--pid 1", {"pids": "1"}, {}), ("--all --by comm", {}, {"all": True, "by": "comm"}),
                ("--at 30.46,1", {}, {"at": "30.46,1"}), ("--min 1ms --depth 2", {}, {"min": "1ms", "depth": 2}),
                ("-e derived:wait -f pid>1", {}, {"event": "derived:wait", "filter": "pid>1"})):
            what = words.split()
            recipe = [word for word in what[:1] if word[0] != "-"]
            run = subprocess.run([PROGRAM, "why", "-q", "-i", WAKEUP, *what, "--format", "json"], capture_output=True, text=True,
                                 check=False)
            with self.subTest(words):
                try:
                    got = hist.open(WAKEUP, **chosen).why(*recipe, **arguments)
                except hist.Error as e:
                    self.assertEqual(str(e), run.stderr.rstrip())
                else:
                    self.assertEqual(got, json.loads(run.stdout))

    def test_diff_is_that_of_the_program(self):
        with tempfile.TemporaryDirectory() as directory:
            saved = os.path.join(directory, "saved.json")
            with open(saved, "w", encoding="utf-8") as f:
                subprocess.run([PROGRAM, "report", "-q", "-i", WAKEUP, "wakeup-latency", "--format", "json"], stdout=f, check=True)
            for words, other, recipes, arguments in (
                    ("wakeup-latency", WAKEUP, ["wakeup-latency"], {}),
                    ("-e sched_waking --by comm", SWITCH, [], {"event": "sched_waking", "by": "comm"}),
                    ("-e sched_waking --by comm --share --all --metric hitcount", SWITCH, [],
                     {"event": "sched_waking", "by": "comm", "mode": "share", "all": True, "metric": "hitcount"}),
                    ("wakeup-latency -f pid>1 --stats --fail-on ns>1", SWITCH, ["wakeup-latency"],
                     {"filter": "pid>1", "stats": True, "fail_on": ["ns>1"]}),
                    ("", saved, [], {})):
                text = subprocess.run([PROGRAM, "diff", "-q", *words.split(), "--format", "json", WAKEUP, other], check=False,
                                      capture_output=True, text=True).stdout
                with self.subTest(words):
                    self.assertEqual(hist.open(WAKEUP).diff(other, *recipes, **arguments),
                                     [json.loads(line) for line in text.splitlines()])

    def test_tasks_are_selected_everywhere(self):
        rec = hist.open(WAKEUP, process="swapper*")
        want = sum(1 for e in hist.open(WAKEUP).events("sched_waking", ["process"]) if (e.process or "").startswith("swapper"))
        self.assertGreater(want, 2)
        self.assertEqual(sum(1 for _ in rec.events("sched_waking", ["ts"])), want)
        self.assertEqual(rec.sql("SELECT count(*) FROM sched_waking").rows, [(want,)])
        self.assertEqual(sum(rec.report(event="sched_waking", by="cpu").column("hitcount")), want)
        self.assertEqual(len(hist.open(WAKEUP, cgroup="/none").report(event="sched_waking", by="cpu")), 0)

    def test_no_program_is_started(self):
        code = """
import hist
rec = hist.open("%s")
rec.report("wakeup-latency"); rec.why(); rec.diff(rec, "wakeup-latency"); rec.sql("SELECT * FROM wakeup_latency")
""" % WAKEUP
        environment = {name: value for name, value in os.environ.items() if name not in ("HIST", "LIBHIST", "PATH", "HIST_RECIPES")}
        environment["PYTHONPATH"] = "python"
        forbidden = "import sys; sys.addaudithook(lambda name, _: name in ('subprocess.Popen', 'os.system', 'os.posix_spawn', "\
                    "'os.fork', 'os.exec') and sys.exit('starts a program'))\n"
        subprocess.run([sys.executable, "-c", forbidden + code], check=True, env=environment)

    def test_errors_of_questions(self):
        rec = hist.open(WAKEUP)
        for message, call in (
                ("none.dat: No such file", lambda: rec.diff("none.dat", "wakeup-latency")),
                ("no-such-recipe: No such file", lambda: rec.diff(rec, "no-such-recipe")),
                ("recipes of similar names: wakeup-latency", lambda: rec.report("wakeup-latenc")),
                ("kmalloc-by-site needs events that were not recorded: kmem:kmalloc", lambda: rec.report("kmalloc-by-site")),
                ("min takes a time such as 10ms", lambda: rec.report("wakeup-latency", values={"min": "long"})),
                ("there are comm, min", lambda: rec.report("wakeup-latency", values={"most": 1})),
                ("nearest: next_comm|Couldn't find field", lambda: rec.report(event="sched_switch", by="nextcomm")),
                ("event needs by", lambda: rec.report(event="sched_switch")),
                ("nothing to answer", rec.report)):
            with self.subTest(message), self.assertRaisesRegex(hist.Error, message):
                call()
        self.assertEqual(rec.diff(hist.open(SWITCH), event="sched_waking", by="comm")[-1]["verdict"], "inconclusive")

    def test_summary_is_that_of_the_program(self):
        rec = hist.open(WAKEUP)
        text = subprocess.run([PROGRAM, "summary", "-q", "-i", WAKEUP, "--format", "json"], check=True, capture_output=True).stdout
        rows = [tuple(row.values()) for row in json.loads(text) if row["kind"] != "more"]
        summary = rec.summary()
        self.assertEqual([row for row in summary.rows if row[0] != "more"], rows)
        self.assertEqual(summary.columns[:3], ["kind", "topic", "text"])

    def test_recordings_one_after_the_other(self):
        seen = []
        names = [len(rec.report("on-cpu")) for rec in hist.each([SWITCH, WAKEUP], lambda i, n: seen.append((i, n)))]
        self.assertEqual(names, [len(hist.open(path).report("on-cpu")) for path in (SWITCH, WAKEUP)])
        self.assertEqual(seen, [(0, 2), (1, 2), (2, 2)])

    def test_a_file_that_changed_is_read_anew(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "rec.dat")
            shutil.copy(SWITCH, path)
            rec = hist.open(path, memory=64 << 20)
            count = "SELECT count(*) FROM sched_switch"
            first = rec.sql(count).rows, rec.sql(count).rows
            shutil.copy(WAKEUP, path)
            self.assertEqual(rec.sql(count).rows, hist.open(WAKEUP).sql(count).rows)
            self.assertEqual(first, (hist.open(SWITCH).sql(count).rows,) * 2)
            self.assertNotEqual(first[0], rec.sql(count).rows)

    @unittest.skipUnless(numpy, "no numpy")
    def test_progress(self):
        seen = []
        columns = hist.open(WAKEUP).arrays("sched_switch", ["ts"], progress=seen.append)
        self.assertEqual(seen[-1], len(columns["ts"]))
        self.assertEqual(seen, sorted(seen))

        def stop(n):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            hist.open(WAKEUP).arrays("sched_switch", ["ts"], progress=stop)

    @unittest.skipUnless(pandas, "no pandas")
    def test_texts_are_categories(self):
        rec, fields = hist.open(WAKEUP), ["ts", "pid", "process", "kind", "ns"]
        frame, rows = rec.frame("derived:wait", fields), list(rec.events("derived:wait", fields))
        self.assertEqual(str(frame["kind"].dtype), "category")
        self.assertEqual([tuple(None if v != v else v for v in row) for row in frame.itertuples(index=False)],
                         [tuple(row) for row in rows])

    @unittest.skipUnless(polars, "no polars")
    def test_polars(self):
        rec, fields = hist.open(WAKEUP), ["ts", "pid", "process", "kind", "ns"]
        frame = rec.polars("derived:wait", fields)
        self.assertEqual(frame["kind"].dtype, polars.Categorical)
        self.assertEqual(frame.rows(), [tuple(row) for row in rec.events("derived:wait", fields)])
        self.assertEqual(len(rec.sql("SELECT * FROM wait").to_polars()), len(frame))

    @unittest.skipUnless(pandas, "no pandas")
    def test_pandas(self):
        frame = hist.open(SWITCH).sql("SELECT next_comm, next_pid FROM sched_switch").to_pandas()
        self.assertEqual(frame.groupby("next_comm").size()["init"], 322)


if __name__ == "__main__":
    unittest.main()
