"""Random programs that ask things of Python objects, which change between calls.

    python -m tests.fuzz.dependence --count 20000 --seed 0

A program is a function of a float that asks questions of a pool of objects (globals, modules,
instances, enum members, containers, functions). It is compiled, called, and after a random change
called again: each call must give what plain Python gives, or be refused.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import myia
from tests.fuzz import dependence_pool

QUESTIONS = (
    *("x = x * len({sized})", "x = x if {any} else -x", "x = x + ({value} in {container})"),
    *("x = x * {number}", "x = x + {number}", "x = x if {number} > 2 else x * 0.5"),
    *(
        "x = x if hasattr({owner}, {name!r}) else x + 3.0",
        "x = x * getattr({owner}, {name!r}, 2.0)",
    ),
    *("x = {function}(x)", "x = x * len(str({text}))", "x = x * len(f'{{{text}}}')"),
    *("x = x + 1.0 if {any} is {any} else x", "x = x + 1.0 if {number} == {number} else x"),
    *("for v in {numbers}: x = x + v", "x = x * sum({numbers})", "x = x + {numbers}[0]"),
    *("x = abs(x) * 0.5", "x = max(x, {number})", "x = math.sin(x)", "x = np.cos(x)"),
    *("x = x + isinstance({any}, Plain)", "x = x + isinstance({number}, float)"),
    *(
        "x = x + {owner}.w",
        "for v in table.values(): x = x + v",
        "x = x if callable({any}) else x - 1.0",
    ),
)


def program(rng: random.Random, statements: int) -> str:
    lines = []
    for _ in range(statements):
        template = rng.choice(QUESTIONS)
        for kind, choices in dependence_pool.EXPRESSIONS.items():
            while "{" + kind in template:
                template, before = _filled(template, kind, rng.choice(choices)), template
                if template == before:
                    break
        lines.append(f"    {template}")
    return "\n".join(["def program(x):", *lines, "    return x", ""])


def _filled(template: str, kind: str, text: str) -> str:
    """The first field of this kind is replaced."""
    if "{" + kind + "!r}" in template:
        return template.replace("{" + kind + "!r}", repr(text), 1)
    if "{{{" + kind + "}}}" in template:
        return template.replace("{{{" + kind + "}}}", "{" + text + "}", 1)
    return template.replace("{" + kind + "}", text, 1)


class Trial:
    """One program, with a pool of its own."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.pool = dependence_pool.Pool()
        self.text = program(self.rng, self.rng.randint(1, 3))
        dependence_pool.execute(f"<dependence {seed}>", self.text, self.pool.namespace)
        self.program = self.pool.namespace["program"]
        self.compiled = myia.jit(self.program)
        self.changes: list[str] = []
        self.answered = 0

    def stale(self) -> str | None:
        """What differs from Python now; None if nothing does, or the call is refused."""
        x = 1.5
        wanted, got = outcome(self.program, x), outcome(self.compiled, x)
        if isinstance(got, myia.MyiaError):
            return None
        self.answered += 1
        if same(got, wanted):
            return None
        return f"{self.text}\nafter {self.changes}: {got!r}, in Python {wanted!r}"

    def change(self) -> None:
        self.changes.append(self.pool.change(self.rng))


def outcome(f: Callable, x: float) -> Any:
    try:
        return f(x)
    except Exception as error:
        return error


def same(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, Exception) or isinstance(got, Exception):
        # What Python raises, a program may raise as another exception, but not answer.
        return isinstance(wanted, Exception) and isinstance(got, Exception)
    return math.isclose(got, wanted, rel_tol=1e-9) or (got != got and wanted != wanted)


def run(count: int, seed: int, calls: int = 5) -> tuple[list[str], float]:
    """The first stale call of each program, in `count` pairs of calls with a change between.

    Also returned: which part of the calls was answered, not refused.
    """
    found, pairs, answered, called = [], 0, 0, 0
    while pairs < count:
        trial = Trial(seed)
        seed += 1
        stale = trial.stale()
        for _ in range(calls):
            if stale is not None:
                break
            trial.change()
            pairs += 1
            stale = trial.stale()
        if stale is not None:
            found.append(stale)
        trial.pool.restore()
        answered += trial.answered
        called += 1 + len(trial.changes)
    return found, answered / called


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found, answered = run(options.count, options.seed)
    for text in found[:20]:
        print(text)
        print()
    stale = f"{len(found)} programs with a stale call"
    print(f"{options.count} pairs of calls, {stale}; {answered:.0%} of the calls answered")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
