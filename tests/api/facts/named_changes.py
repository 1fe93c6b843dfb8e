"""Facts recorded in one process, checked in another, in which the module has changed.

    python -m tests.api.facts.named_changes --count 500 facts.pickle

Reads the facts of programs of a module. Writes other texts of this module; for each, the recorded
facts must hold exactly if a new inference finds the same facts.
"""

from __future__ import annotations

import argparse
import pickle
import random
import sys
import types

import myia.library  # noqa: F401  inference knows its functions
from myia.api.files.asked_facts import Asked
from myia.api.files.named_facts import named
from myia.frontend.load import load
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import infer
from tests.fuzz.dependence_pool import execute

MODULE = "a_module_that_changes"
TEXT = """
import collections, enum, math

count = {count}
scale = {scale}
mode = {mode!r}
table = {table!r}
queue = collections.deque({items!r})
letters = frozenset({letters!r})


class Base:
    {attribute} = 2.0

    def method(self, x):
        return x {operator} 2.0


class Derived(Base):
    pass


class Color(enum.Enum):
    RED = {red}


def helper(x, power={power}):
    return x ** power {operator} 1.0


{hidden}


def of_globals(x):
    return x * count * scale if mode == "fast" else x


def of_containers(x):
    return x * table["a"] + len(queue) + ("b" in letters)


def of_classes(x):
    return Derived().method(x) * getattr(Derived, "rate", 3.0) + hasattr(Base, "other")


def of_members(x):
    return x * Color.RED.value + math.floor(abs(-2.5))


def of_functions(x):
    return helper(x) + max(x, 1.0)
"""
PROGRAMS = ("of_globals", "of_containers", "of_classes", "of_members", "of_functions")
FIRST = {
    "count": 2,
    "scale": 1.5,
    "mode": "fast",
    "table": {"a": 1.0},
    "items": [1.0],
    "letters": ["a"],
    "attribute": "rate",
    "operator": "+",
    "red": 1,
    "power": 2,
    "hidden": "",
}
OTHERS = {
    "count": [2, 3, 2.0],
    "scale": [1.5, 2.5, 2],
    "mode": ["fast", "slow"],
    "table": [{"a": 1.0}, {"a": 2.0}, {"a": 1.0, "b": 2.0}, {"a": 1}],
    "items": [[1.0], [2.0], [], [1.0, 2.0]],
    "letters": [["a"], ["a", "b"], ["b", "c"]],
    "attribute": ["rate", "other"],
    "operator": ["+", "-"],
    "red": [1, 2, 1.0],
    "power": [2, 3],
    "hidden": ["", "def abs(x):\n    return 2.0\n", "max = min"],
}


def changed(rng: random.Random) -> dict:
    names = rng.sample(list(OTHERS), rng.randint(0, 2))
    return FIRST | {name: rng.choice(OTHERS[name]) for name in names}


def module_of(values: dict, number: int) -> types.ModuleType:
    """The module with these values, imported."""
    module = sys.modules[MODULE] = types.ModuleType(MODULE)
    execute(f"<{MODULE} {number}>", TEXT.format(**values), module.__dict__)
    return module


def facts_of(module: types.ModuleType) -> dict[str, list | None]:
    """The named facts of each program."""
    flat = Flattener()
    found = {name: infer(load, getattr(module, name), (flat.add(1.5),), {}) for name in PROGRAMS}
    return {name: named(p.facts, getattr(module, name)) for name, p in found.items()}


def mistakes(recorded: dict[str, list], count: int, seed: int = 0) -> tuple[list[str], int]:
    """Where recorded facts hold, and should not, or the reverse; and how often they hold."""
    rng, found, held = random.Random(seed), [], 0
    for number in range(count):
        values = changed(rng)
        module = module_of(values, number)
        now = facts_of(module)
        for name in PROGRAMS:
            asked = Asked(getattr(module, name), Flattener())
            got, wanted = asked.facts(recorded[name]) is not None, now[name] == recorded[name]
            held += got
            if got != wanted:
                found.append(f"{name}: {got}, not {wanted}, of {values}")
    return found, held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("facts")
    options = parser.parse_args()
    with open(options.facts, "rb") as file:
        recorded = pickle.load(file)
    found, held = mistakes(recorded, options.count)
    print(*found[:10], sep="\n")
    calls = options.count * len(PROGRAMS)
    print(f"{options.count} changes: {held} of {calls} held, {len(found)} mistakes")
    return bool(found) or not 0 < held < calls


if __name__ == "__main__":
    sys.exit(main())
