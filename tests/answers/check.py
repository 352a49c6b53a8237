# SPDX-License-Identifier: GPL-2.0-only
"""check.py HIST DIR FIRST SEEDS [ROAD...]: random recordings, random questions, all roads; each must have the reference's answer.

Prints the smallest question of each seed that is answered wrongly, and the command; exits with 1 if there is one.
"""
import os
import random
import sys

import holes
import machine
import questions
import roads
import why
from recording import Shape


def shape_of(rng):
    version = rng.choice([6, 7])
    return Shape(rng.choice("<<>"), rng.choice([8, 8, 4]), rng.choice([4096, 4096, 8192]), version,
                 rng.choice(["none", "zlib"]) if version == 7 else "none")


def differs(road, hist, path, question):
    """A text that says how; None: it does not."""
    want = question.answer()
    try:
        got = roads.ROADS[road](hist, path, question)
    except roads.NotAsked:
        return None
    except Exception as e:
        return f"  {type(e).__name__}: {e}"
    if got == want:
        return None
    lines = [f"  {key}: {got.get(key)}, right {want.get(key)}" for key in sorted({*got, *want}) if got.get(key) != want.get(key)]
    return "\n".join(lines[:5])


def smallest(road, hist, path, question):
    for simpler in question.simpler():
        if differs(road, hist, path, simpler):
            return smallest(road, hist, path, simpler)
    return question


def of_holes(hist, path, m, shape, rng, found):
    """What is wrong if events of this machine are lost, or None."""
    cpus, lost = holes.make(rng, [[e for e in m.events if e.cpu == c.number] for c in m.cpus])
    if not lost:
        return None
    path += ".holes"
    shape.write(path, machine.KINDS, cpus, m.names)
    wrong = list(holes.differences(hist, path, m.events, shape, lost, m.throttles))
    wrong += why.beside_holes(hist, path, why.Why(m.events, shape), found, rng)
    if not wrong:
        os.unlink(path)
    return "\n  ".join([f"{path}, without {lost}:"] + wrong[:5]) if wrong else None


def of_why(hist, path, m, shape, rng, found):
    """What is wrong with explanations."""
    return "\n  ".join(filter(None, why.differences(hist, path, m.events, shape, found, rng)))


# what is asked of a recording beside its questions
OTHERS = {"holes": of_holes, "why": of_why}


def main():
    hist, directory, first, seeds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    asked = sys.argv[5:] or [*roads.ROADS, *OTHERS]
    ways = [road for road in asked if road not in OTHERS]
    wrong = n_questions = n_rows = 0
    for seed in range(first, first + seeds):
        rng = random.Random(seed)
        path = os.path.join(directory, f"answers-{seed}.dat")
        shape, m = shape_of(rng), machine.Machine(rng)
        m.write(path, shape)
        found, bad = questions.tables(m.events, shape), False
        for _ in range(3):
            question = questions.random_question(rng, found, (m.events[0].ts, m.events[-1].ts))
            question.plain, question.shape, question.all, question.first, question.last = \
                m.plain, str(shape), found, m.events[0].ts, m.events[-1].ts
            n_questions += 1
            n_rows += len(question.answer())
            for road in ways:
                if differs(road, hist, path, question):
                    small = smallest(road, hist, path, question)
                    print(f"seed {seed}, {shape}, road {road}: hist report -i {path} {small}\n{differs(road, hist, path, small)}")
                    bad = True
                    break
        for other in [o for o in OTHERS if o in asked]:
            try:
                lines = OTHERS[other](hist, path, m, shape, rng, found)
            except Exception as e:
                lines = f"{type(e).__name__}: {e}"
            if lines:
                print(f"seed {seed}, {shape}, road {other}: {lines}")
                bad = True
        wrong += bad
        if not bad:
            os.unlink(path)
    print(f"{n_questions} questions, {n_rows} rows, {len(asked)} roads: {wrong} of {seeds} seeds wrong")
    sys.exit(wrong != 0)


main()
