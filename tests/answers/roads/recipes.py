# SPDX-License-Identifier: GPL-2.0-only
"""Recipes, asked with random parameters."""
import json

from machines import raw_doings
from reference import names
from reference.recipes import RECIPES, answer
from roads import questions
from roads.common import Wrong, run


def glob(pattern, text):
    """* is any string, ? any character."""
    if not pattern or not text:
        return not pattern.strip("*") and not text
    if pattern[0] == "*":
        return glob(pattern[1:], text) or glob(pattern, text[1:])
    return pattern[0] in ("?", text[0]) and glob(pattern[1:], text[1:])


def printed(result):
    """The same of the json of hist report."""
    names = [c["name"] for c in result["columns"]["key"]]
    sums = [c["name"] for c in result["columns"]["val"] if c.get("modifier") not in ("percent", "share", "cpu")]
    cell = lambda v: (v["min"], v["max"]) if isinstance(v, dict) else tuple(v) if isinstance(v, list) else v
    return {tuple(cell(r["key"][n]) for n in names): (*(r["val"][s] for s in sums), tuple(r["saved"].values()) if r.get("saved") else None) for r in result["data"]}


def random_parameters(rng, parameters, rows):
    """(options, tests)"""
    options, tests = [], []
    for name, field, *unit in parameters:
        if rng.random() < 0.5 or not rows:
            continue
        value = rng.choice(rows)[field]
        if name == "min":
            if value < 0:
                continue
            n, unit = value // (unit[0] or 1), unit[0]
            least = n * unit if field == "ns" else n
            text = str(n) if rng.random() < 0.5 or not unit else f"{n}{'us' if unit == 1000 or field == 'us' else 'ns'}"
            tests.append(lambda r, f=field, least=least: r[f] >= least)
        else:
            if not value or not all(c.isalnum() or c in "/: " for c in value):
                continue
            text = rng.choice([value, value[:2] + "*", "*" + value[-1:], "?" + value[1:]])
            tests.append(lambda r, f=field, g=text: glob(g, r[f]))
        options += ["-D", f"{name}={text}"]
    return options, tests


def differences(hist, path, events, tables, long_size, rng, count=8):
    of = {t.event: t for t in tables}
    made, lives = {}, names.Lives(events)
    rows_of = lambda source: (of[source].rows if source in of else []) if isinstance(source, str) else made.setdefault(source, list(source(events)))
    can = [name for name, (_, shown) in RECIPES.items() if rows_of(shown[0][0])]
    if any(e.kind in raw_doings.ENTER.values() for e in events):
        can = [name for name in can if name != "syscall-latency"]  # which contradict the others
    for name in rng.sample(can, min(count, len(can))):
        parameters, shown = RECIPES[name]
        options, tests = random_parameters(rng, parameters, rows_of(shown[0][0]))
        if all(isinstance(table[0], str) for table in shown) and rng.random() < 0.5:  # of pairs, both must be selected
            chosen = [c for c in questions.random_selection(rng, of[shown[0][0]], events[0].ts, events[-1].ts) if c[0] in ("cpu", "from", "to")]
            options += [f"--{o}={v if o == 'cpu' else questions.seconds(v)}" for o, v in chosen]
            tests += [lambda r, o=o, v=v: {"cpu": r["@cpu"] == v, "from": r["@ts"] >= v, "to": r["@ts"] <= v}[o] for o, v in chosen]
        what = f"hist report {name} -i {path} " + " ".join(map(repr, options))
        try:
            lines = run(hist, "report", name, "-q", "-i", path, "--format", "json", *options).splitlines()
        except Wrong as e:
            if "Param type doesn't match" not in str(e) or long_size == 8:
                raise
            continue  # a difference of unsigned longs is not a u64 on a machine of 32 bits
        results = list(map(json.loads, lines))
        if len(results) != len(shown):
            yield f"{what}: {len(results)} tables, right {len(shown)}"
        for i, (result, table) in enumerate(zip(results, shown)):
            got, right = printed(result), answer(rows_of(table[0]), table, tests, lives)
            wrong = [f"{k}: {got.get(k)}, right {right.get(k)}" for k in sorted({*got, *right}, key=str) if got.get(k) != right.get(k)]
            if wrong:
                yield f"{what}, table {i + 1}: " + "; ".join(wrong[:4])
