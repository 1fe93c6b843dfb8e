"""Names that come to hold one object, and then change it: values against Python's.

    python -m tests.fuzz.focused.aliases --count 2000 --seed 0 [--kinds arrays lists]

A program assigns, swaps and changes three names of a kind, or names, attributes and items of
several kinds, in branches, loops and handlers in each other.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.fuzz.focused.writer import Grammar, Writer, command, in_time
from tests.fuzz.programs import MODULES, define
from tests.infer.driver import run

INPUTS = (((0.7, 0.3), 2), ((-0.5, 0.9), 1), ((0.6, 0.5), 3), ((0.2, 0.1), 0))
CLASS = """
class P:
    def __init__(self, v, w):
        self.v, self.w = v, w

    def twin(self, other):
        return P(self.v, other.w) if self.w > 0.5 else self
"""

_COMMON: Grammar = {
    "i": ("0", "1", "2"),
    "swap": ("<n>, <n> = <n>, <n>",),
    "set": ("<n> = <value>",),
    "one of": ("(<n> if <condition> else <n>)",),
    "statement": (*("<set>",) * 5, *("<change>",) * 3, "<swap>"),
    "condition": (
        *("x[0] > 0.5", "x[1] > 0.4", "n > 1"),
        *("<number> > <number>", "<number> < 2.0", "<n> is <n>"),
    ),
    "n": ("a", "b", "c"),
}
_FIELDS: Grammar = {
    "change": ("<field> = <number> + 0.25", "<field> += <number>"),
    "number": ("<field>",),
}
GRAMMARS: dict[str, Grammar] = {
    "arrays": {
        "start": (
            "a, b, c = np.array([x[0], x[1], 1.0]), np.array([x[1], 2.0, x[0]]), np.ones(3)",
        ),
        "value": (
            *("<n>", "<n>", "<n> + <n>", "<n> + 1.0", "<n>[::-1]", "<n>.copy()", "<n> * 0.5"),
            "<one of>",
        ),
        "change": ("<n>[<i>] = <number> + 0.25", "<n>[<i>] = <number> + 0.25", "<n> += <value>"),
        "number": ("<n>[<i>]",),
        "result": ("a, b, c, a is b",),
    },
    "lists": {
        "start": ("a, b, c = [x[0], x[1], 1.0], [x[1], 2.0, x[0]], [0.5, x[0], x[1]]",),
        "value": (
            *("<n>", "<n>", "[<n>[0] + 1.0, <n>[1], <n>[2]]", "list(<n>)", "<n>[:]"),
            "<one of>",
        ),
        "change": ("<n>[<i>] = <number> + 0.25",),
        "number": ("<n>[<i>]",),
        "result": ("*a, *b, *c, a is b",),
    },
    "instances": {
        **_FIELDS,
        "start": ("a, b, c = P(x[0], x[1]), P(x[1], 2.0), P(0.5, x[0])",),
        "field": ("<n>.v", "<n>.w"),
        "value": (
            *("<n>", "<n>", "P(<number> + 1.0, <number>)", "<n>.twin(<n>)"),
            "<one of>",
        ),
        "result": ("a.v, a.w, b.v, b.w, c.v, c.w, a is b",),
    },
    "dicts": {
        **_FIELDS,
        "start": (
            "a, b, c = {'v': x[0], 'w': x[1]}, {'v': x[1], 'w': 2.0}, {'v': 0.5, 'w': x[0]}",
        ),
        "field": ("<n>['v']", "<n>['w']"),
        "value": (
            *("<n>", "<n>", "{'v': <number> + 1.0, 'w': <number>}", "dict(<n>)"),
            *("{**<n>, 'w': <number>}", "<one of>"),
        ),
        "result": ("a['v'], a['w'], b['v'], b['w'], c['v'], c['w'], a is b",),
    },
    "mixed": {
        "start": (
            "a, b, o, q, L = x + 1.0, x * 2.0, P(x * 3.0, x[0]), P(x - 1.0, 0.5), [x * 4.0, x * x]",
        ),
        "i": ("0", "1"),
        "n": ("a", "b", "o.v", "q.v", "L[0]", "L[1]"),
        "m": ("o", "q"),
        "set": ("<n> = <value>", "<n> = <value>", "<m> = <instance>", "L = <list>"),
        "value": (*("<n>", "<n>", "<n> + <n>", "<n>[::-1]", "<n>.copy()", "<one of>"),),
        "instance": ("<m>", "P(<n>, <number>)", "(<m> if <condition> else <m>)", "<m>.twin(<m>)"),
        "list": ("[<n>, <n>]", "L[::-1]", "[L[0], <n>]"),
        "change": ("<n>[<i>] = <number> + 0.25", "<m>.w = <number>", "<n> += <number>"),
        "number": ("<n>[<i>]", "<n>[<i>]", "<m>.w"),
        "result": ("a, b, o.v, o.w, q.v, q.w, L[0], L[1]",),
    },
}


def program(kind: str, seed: int) -> str:
    return Writer({**_COMMON, **GRAMMARS[kind]}, seed, CLASS).program()


def check(source: str, counts: Counter) -> str | None:
    """How the program differs from Python."""
    f = define(source, MODULES)["f"]
    for numbers, n in INPUTS:
        want = f(np.array(numbers), n)
        got = in_time(run, f, np.array(numbers), n)
        counts["values"] += 1
        if not all(map(_are_equal, got, want)):
            return f"{got}, not {want}"
    return None


def _are_equal(got: object, want: object) -> bool:
    return np.shape(got) == np.shape(want) and np.allclose(got, want, 1e-9, equal_nan=True)


if __name__ == "__main__":
    raise SystemExit(command(__doc__, program, check, GRAMMARS))
