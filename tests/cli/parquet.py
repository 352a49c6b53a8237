#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""parquet.py RECORDING DIR [READER...]: compares each value of the Parquet files in DIR with that of
hist events --format csv. parquet.py CSV FILE [READER...]: the same for the file of a table. READER prints the rows of a file as json (parquet.mjs); without
one, parquet_read.py reads them. Prints what differs, and nothing else."""
import csv
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import parquet_read

HIST = os.environ.get("HIST", "./hist")
COMMON = "ts,cpu,pid,comm,tgid,process,cgroup"
csv.field_size_limit(1 << 30)


def number(text):
    return int(text, 16) if text.startswith("0x") else int(text)


def same(text, value):
    """A cell of csv, and a value."""
    if value is None:
        return text == ""
    if isinstance(value, list):
        return [number(x) for x in text.split()] == [int(x) for x in value]
    if isinstance(value, float):
        return text != "" and float(text) == value
    if isinstance(value, str):
        return text == value or (text != "" and text[0] in "-0123456789" and not value[:1].isalpha()
                                 and (number(text.replace(".", "")) == int(value) if value.lstrip("-").isdigit()
                                      else float(text) == float(value)))
    # times have seconds in csv, with nine decimals
    return text != "" and number(text.replace(".", "")) == value


def read(paths, reader):
    """The names of columns and the rows of each file."""
    if not reader:
        return [parquet_read.read(path)[:2] for path in paths]
    text = subprocess.run([*reader, *paths], check=True, capture_output=True).stdout.decode().split("\n")
    tables = []
    while len(text) > 1:
        n = int(text[0])
        tables.append((json.loads(text[1]), [json.loads(line) for line in text[2:n + 2]]))
        text = text[n + 2:]
    return tables


def rows_of_csv(text):
    return list(csv.reader(line + "\n" for line in text.split("\n")[:-1]))


def compare(file, names, rows, want):
    if not want or names != want[0] or len(rows) != len(want) - 1:
        print(file, "has", names, len(rows), "not", want[:1], len(want) - 1)
        return
    for i, row in enumerate(rows):
        for name, value, cell in zip(names, row, want[i + 1], strict=True):
            if not same(cell, value):
                print(file, "row", i, name, "is", repr(value), "not", repr(cell))
                return


def main():
    recording, directory, reader = sys.argv[1], sys.argv[2], sys.argv[3:]
    if not os.path.isdir(directory):
        with open(recording, newline="") as file:
            compare(directory, *read([directory], reader)[0], rows_of_csv(file.read()))
        return
    files = sorted(os.listdir(directory))
    if not files:
        print("no files")
    tables = read([os.path.join(directory, file) for file in files], reader)
    for file, (names, rows) in zip(files, tables, strict=True):
        system, event = file[:-len(".parquet")].split(".", 1)
        run = subprocess.run([HIST, "events", "-q", "-i", recording, "-e", system + ":" + event, "--format", "csv",
                              "--fields", COMMON + ",fields"], capture_output=True)
        # a recording that is cut is still read
        compare(file, names, rows, rows_of_csv(run.stdout.decode()))


main()
