# SPDX-License-Identifier: GPL-2.0-only
"""The numbers of hist diff and hist trend: of one run, and of the runs of two sides."""
import itertools
import statistics

QUANTILES = {"p50": 500, "p90": 900, "p99": 990, "p99.9": 999}  # in thousandths


def stats(values):
    """Nearest ranks, and the standard deviation of a sample."""
    values = sorted(values)
    found = dict(n=len(values), min=values[0], max=values[-1], mean=sum(values) / len(values))
    return found | {name: values[-(-q * len(values) // 1000) - 1] for name, q in QUANTILES.items()}


def close(a, b):
    return a == b or a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


def mann_whitney(before, after):
    """The exact p, two-sided, of sides without equal values; otherwise None."""
    every = sorted(before + after)
    if len({*every}) < len(every):
        return None
    rank = {v: i for i, v in enumerate(every)}
    of = lambda side: abs(2 * sum(side) - len(side) * (len(every) - 1))  # the distance from the middle
    ways = [of(way) for way in itertools.combinations(range(len(every)), len(before))]
    return sum(d >= of([rank[v] for v in before]) for d in ways) / len(ways)


def compared(sides):
    """What hist diff has of the runs' numbers (before, after)."""
    a, b = map(statistics.median, sides)
    spread = lambda side: dict(min=min(side), max=max(side)) if len(side) > 1 else None
    p = mann_whitney(*sides) if min(map(len, sides)) > 1 else None
    return dict(before=a, after=b, delta=b - a, percent=100 * (b - a) / a if a else None if b else 0, before_spread=spread(sides[0]), after_spread=spread(sides[1]),
                **(dict(p=p) if p else {}))


def differ(what, got, right):
    for name, value in right.items():
        have = got.get(name)
        ends = lambda range_: [range_["min"], range_["max"]] if isinstance(range_, dict) else [range_, range_]
        if not all(map(close, ends(have), ends(value))):
            yield f"{what}: {name} {have}, right {value}"
