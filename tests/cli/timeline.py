#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""timeline.py PAGE HIST RECORDING [TABLE...]: the numbers of a timeline are those of hist events.

Each name of each lane of the page's data has the number and time of the events that hist prints. TABLE: what
a browser showed in the page, also compared with them. Prints what differs, and at the end how much was compared.
"""
import html
import json
import re
import subprocess
import sys
from collections import defaultdict

NAMES = {"derived:runqueue": "depth", "derived:irq": "name", "derived:syscall": "name", "derived:slice": "name"}


def events(hist, recording, asked):
    """(event, look, CPU or task, name) to [number, ns]; (task, end) of waits to their reason"""
    sums, reasons = defaultdict(lambda: [0, 0]), {}
    choices = [word for event in asked for word in ("-e", event)]
    out = subprocess.run([hist, "events", "-q", "-i", recording, *choices, "--format", "ndjson"], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        e = json.loads(line)
        f, event = e["fields"], e["event"]
        if event == "derived:wait":
            reasons[e["pid"], e["ts"]] = f["reason"]
        keys = [("state", e["pid"], f["state"])] if event == "derived:task_state" else []
        if event == "derived:task_state" and f["state"] == "running":
            keys.append(("run", f["cpu"], f["comm"]))
        if event in NAMES:
            look = "value" if event == "derived:runqueue" else "rows"
            of = f["cpu"] if event in ("derived:runqueue", "derived:irq") else e["pid"]
            keys.append((look, of, str(f[NAMES[event]])))
        for key in keys:
            sums[event, *key][0] += 1
            sums[event, *key][1] += f["ns"]
    return sums, reasons


def lanes(data):
    """The same of each lane: (event, look, CPU or task), and by name."""
    for lane in data["lanes"]:
        view = data["views"][lane["view"]]
        sums = defaultdict(lambda: [0, 0])
        stride = 3 + len(view["fields"])
        for i in range(0, len(lane["spans"]), stride):
            _, ns, name = lane["spans"][i:i + 3]
            sums[data["names"][name]][0] += 1
            sums[data["names"][name]][1] += ns
        for i in range(0, len(lane["bins"]), 4):
            _, name, n, ns = lane["bins"][i:i + 4]
            sums[data["names"][name]][0] += n
            sums[data["names"][name]][1] += ns
        yield lane, (view["event"], view["look"], lane["of"]), sums


def main(page, hist, recording, *tables):
    text = open(page, encoding="utf-8").read()
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text, re.S).group(1))
    asked = sorted({v["event"] for v in data["views"]} & ({"derived:task_state"} | NAMES.keys()))
    want, reasons = events(hist, recording, asked + ["derived:wait"] * ("derived:task_state" in asked))
    n = waited = shown = 0
    for lane, key, sums in lanes(data):
        if key[0] not in asked:
            continue
        for name, have in sums.items():
            n += 1
            if want[(*key, name)] != have:
                print("differs:", *key, name, have, want[(*key, name)])
        total = [sum(s[i] for s in sums.values()) for i in (0, 1)]
        if total != [lane["n"], lane["ns"]]:
            print("the sum differs:", *key, total, lane["n"], lane["ns"])
        fields = data["views"][lane["view"]]["fields"]
        at, stride = int(data["from"]), 3 + len(fields)
        for i in range(0, len(lane["spans"]) if key[1] == "state" else 0, stride):
            at += lane["spans"][i]
            reason = data["names"][lane["spans"][i + 3 + fields.index("reason")]]
            waited += reason != ""
            if reason != reasons.get((lane["of"], at + lane["spans"][i + 1]), "") and lane["spans"][i + 1]:
                print("the reason differs:", *key, at, reason)
    for table in tables:
        body = re.search(r'<div class="inside">.*?</table>', open(table, encoding="utf-8").read(), re.S).group(0)
        by_title = {(lane["owner"] + " " + lane["sub"]).strip(): (lane["n"], lane["ns"]) for lane, *_ in lanes(data)}
        for row in re.findall(r"<tr>(<td>.*?)</tr>", body, re.S):
            title = html.unescape(re.match(r"<td>(.*?)</td>", row).group(1))
            numbers = tuple(int(v) for v in re.findall(r'data-v="(\d+)"', row))
            shown += 1
            if by_title.get(title) != numbers:
                print("shown otherwise:", title, numbers, by_title.get(title))
    if reasons and not waited:
        print("no reason: nothing was compared")
    print(f"{n} names of {len(data['lanes'])} lanes, {len(want)} wanted, {waited} reasons" + (f", {shown} rows" if tables else ""))
    if not n or (tables and not shown):
        print("nothing was compared")


main(*sys.argv[1:])
