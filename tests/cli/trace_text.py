# SPDX-License-Identifier: GPL-2.0-only
"""The text of a trace as events, and tables of them, for recipes.py: no histogram is used."""
import collections
import re

# trace-cmd 3.3 report -R writes the raw flags after the CPU
LINE = re.compile(r"^ *(.{16}|.*?)-(\d+) +\[(\d+)\](?:-0x[0-9a-f]+)? +(?:[^\d\s]\S* +)?(\d+)\.(\d+): (?:(\w+): ?)?(.*)$")


class Event:
    def __init__(self, m):
        self.task, self.pid, self.cpu = m[1].strip(), int(m[2]), int(m[3])
        self.us = int(m[4]) * 1000000 + int(m[5])
        self.name, self.text = m[6], m[7]
        self.stack = []

    def __getitem__(self, name):
        """The value of name=value."""
        m = re.search(r"\b%s=(.*?)(?= \w+=|,? ==>|$)" % name, self.text)
        return m[1].strip() if m else None

    def field(self, name):
        """A number of a line with options/fields."""
        m = re.search(r"\b%s=(?:0x([0-9a-f]+)|(?:'.' ?)?\((\d+)\))" % name, self.text)
        return int(m[1], 16) if m[1] else int(m[2])

    def num(self, name):
        return int(self[name].split()[0].rstrip(","), 0)


def events(path):
    found = []
    with open(path, errors="surrogateescape") as f:
        for line in f:
            m = LINE.match(line)
            if m:
                found.append(Event(m))
            elif line.startswith("=> ") and found:
                found[-1].stack.append(line.split()[1])
    return found


class Table:
    """Rows by key: [count, sum, max]; slack is how far a time may be off."""

    def __init__(self, slack=1):
        self.rows = collections.defaultdict(lambda: [0, 0, 0])
        self.slack = slack

    def add(self, key, value=0):
        row = self.rows[key if isinstance(key, tuple) else (key,)]
        row[0] += 1
        row[1] += value
        row[2] = max(row[2], value)


def pairs(trace, begin, end):
    """(begin, end) of events with the same key; begin() and end() give a key or None."""
    since = {}
    for e in trace:
        # the end first: in one sched_switch a task leaves and another one comes
        key = end(e)
        if key is not None and key in since:
            yield since.pop(key), e
        key = begin(e)
        if key is not None:
            since[key] = e


def pairs_by(trace, key, begin, end):
    """pairs() of the events of these names that have the same key."""
    return pairs(trace, lambda e: key(e) if e.name == begin else None, lambda e: key(e) if e.name == end else None)
