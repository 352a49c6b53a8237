# SPDX-License-Identifier: GPL-2.0-only
"""An event with arrays, CPU masks, numbers of 128 bits, enumerators and flags, in place of the one with plain fields; and clocks that step
back."""
from machines.recording import Event, Type

MODES = {0: "off", 1: "on", 2: "auto", 100: "a b"}
FLAGS = {1: "READ", 2: "WRITE", 8: "SYNC"}
KINDS = Type("test", "kinds", 390, ("u32[4]", "quad"), ("s16[2]", "pair"), ("u32", "mode"), ("u32[]", "list"), ("s32", "number"), ("cpumask_t", "cpus"),
             ("unsigned long[]", "mask"), ("u128", "huge"), ("s128", "wide"), ("unsigned int", "flags"), ("char[]", "text"),
             fmt='"mode=%s flags=%s number=%d list=%s cpus=%s text=%s", __print_symbolic(REC->mode, ' +
             ", ".join(f'{{ {n}, "{name}" }}' for n, name in MODES.items()) + '), __print_flags(REC->flags, "|", ' +
             ", ".join(f'{{ {n}, "{name}" }}' for n, name in FLAGS.items()) +
             "), REC->number, __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / 4, 4), __get_cpumask(cpus), __get_str(text)")


def values(rng, cpus):
    few = lambda: [sum(1 << c for c in rng.sample(range(cpus), rng.randint(0, cpus)))]  # one word
    return {
        "quad": [rng.choice([0, 1, 7, 2**31, 2**32 - 1]) for _ in range(4)], "pair": [rng.choice([0, 1, -1, -2**15]) for _ in range(2)],
        "mode": rng.choice([*MODES, 3, 2**32 - 1]), "list": [rng.choice([0, 5, 2**32 - 1]) for _ in range(rng.choice([0, 1, 2, 7]))],
        "number": rng.choice([0, 1, -1, 2**31 - 1, -2**31]), "cpus": few(), "mask": few(),
        "huge": rng.choice([0, 1, 2**64 - 1, 2**64, 2**127, 2**128 - 1]), "wide": rng.choice([0, 1, -1, 2**63, 2**127 - 1, -2**127]),
        "flags": rng.choice([0, 1, 2, 3, 8, 11, 4, 5, 2**31 + 1]), "text": rng.choice(["", "a", "write", "a b"])}


def events(m, rng, back):
    """Those of a machine; with @back, some of them are earlier than the one before on their CPU."""
    made = [Event(KINDS, e.ts, e.cpu, e.pid, values(rng, len(m.cpus)), e.flags, e.comm) if e.kind.full == "test:mixed" else
            Event(e.kind, e.ts, e.cpu, e.pid, e.values, e.flags, e.comm) for e in m.events]
    shift = {}  # of the clock of each CPU
    for e in made if back else ():
        if rng.random() < 0.05:
            shift[e.cpu] = rng.choice([0, -1, -300, -900_000])
        e.ts = e.ts + shift.get(e.cpu, 0)
    return made
