#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
# Writes diff_family.h: numbers of runs, and for each the p of a permutation test of all of them,
# computed in the plainest way: Student's t of every number under every division of the runs.
import itertools, random

def statistic(values, side, floor):
    a = [v for i, v in enumerate(values) if i in side]
    b = [v for i, v in enumerate(values) if i not in side]
    mean_a, mean_b, mean = sum(a) / len(a), sum(b) / len(b), sum(values) / len(values)
    within = sum((x - mean_a) ** 2 for x in a) + sum((x - mean_b) ** 2 for x in b)
    within += len(values) * mean * mean * floor
    if within == 0:
        return float("inf") if mean_a != mean_b else 0
    pooled = within / (len(values) - 2)
    return abs(mean_a - mean_b) / (pooled * (1 / len(a) + 1 / len(b))) ** .5

def p_values(rows, n_a, n_b, floor):
    divisions = [set(c) for c in itertools.combinations(range(n_a + n_b), n_a)]
    largest = [max(statistic(r, d, floor) for r in rows) for d in divisions]
    true = set(range(n_a))
    return [sum(x >= statistic(r, true, floor) * (1 - 1e-9) for x in largest) / len(divisions) for r in rows]

random.seed(20261126)
made = []
for n_a, n_b, rows, floor in (4, 4, 12, 0.001), (6, 6, 9, 0), (5, 3, 12, 0.0025), (2, 7, 5, 0):
    v = []
    for i in range(rows):
        shift = (0.5, 0.1, 0)[i % 3] if i < 6 else 0
        row = [round(random.lognormvariate(0, (0.05, 0.3)[i % 2]) * (100 + 100 * shift * (k >= n_a)), 3)
               for k in range(n_a + n_b)]
        v.append([float(x > 100) for x in row] if i == 7 else row)
    made.append((n_a, n_b, floor, v, p_values(v, n_a, n_b, floor)))

print("/* SPDX-License-Identifier: LGPL-2.1-only */")
print("/* Written by tests/unit/diff_family.py. */")
print("enum { MADE_ROWS = 12, MADE_RUNS = 12 };")
print("static const struct made {")
print("\tsize_t n_a, n_b, rows;\n\tdouble floor, v[MADE_ROWS][MADE_RUNS], p[MADE_ROWS];\n} made[] = {")
for n_a, n_b, floor, v, p in made:
    print(f"\t{{ {n_a},\n\t  {n_b},\n\t  {len(v)},\n\t  {floor},\n\t  {{")
    for r in v:
        print("\t\t  { " + ", ".join(f"{x:g}" if x == int(x) else f"{x:.3f}" for x in r) + " },")
    print("\t  },\n\t  { " + ", ".join(f"{x:.12g}" for x in p) + " } },")
print("};")
