# SPDX-License-Identifier: GPL-2.0-only
# like_runs.py HIST RESULT FOLDER trend|history TIMES SEED [STEP]: how often hist finds that results of the same
# work changed. Results are made from one saved result: the numbers of rows differ from run to run, together (5 %)
# and each for itself (5 %), and a tenth of the rows are three times as much in one run of fifty. trend: 15 runs,
# history: one run against ten. With STEP, the last five runs (the last one) have numbers that are larger by this
# factor. Prints how many have exit status 1, and how many 2 (without a verdict).
import json, random, subprocess, sys

hist, template, folder, what = sys.argv[1:5]
times, seed = int(sys.argv[5]), int(sys.argv[6])
step = float(sys.argv[7]) if len(sys.argv) > 7 else 1
draw = random.Random(seed)
text = open(template).readline()
n = 15 if what == "trend" else 11


def make(path, factor):
    result = json.loads(text)
    common = factor * draw.lognormvariate(0, 0.05)
    for at, row in enumerate(result["data"]):
        own = common * draw.lognormvariate(0, 0.05) * (3 if at % 10 == 9 and draw.random() < 0.02 else 1)
        for name in row["val"]:
            row["val"][name] = max(1, round(row["val"][name] * own))
    result["totals"]["hits"] = sum(row["val"]["hitcount"] for row in result["data"])
    with open(path, "w") as out:
        out.write(json.dumps(result, separators=(",", ":")) + "\n")


found = undecided = 0
for _ in range(times):
    for i in range(n):
        stepped = i >= (10 if what == "trend" else n - 1)
        make("%s/run-%02d.json" % (folder, i), step if stepped else 1)
    last = "%s/run-%02d.json" % (folder, n - 1)
    command = [hist, "trend", "-q", "--all", folder] if what == "trend" else [hist, "diff", "-q", "--history", folder, last]
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    found += status == 1
    undecided += status == 2
print(found, undecided)
