"""Random edits between two processes: is an entry of the cache ever used that is not right?

    python -m tests.artifacts.cache_edits --count 1000 --seed 1 store.json

Writes random versions of two modules and takes programs of them. For each it looks for an entry
whose key and facts fit, as the cache does, and compares it with the program that is inferred now:
its IR, the numbers that it reads, how its results are rebuilt. Entries are added to the store,
which the next process goes on with. No program is compiled by XLA.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import re
import sys
import types

import numpy as np

import myia
from myia.api.files.asked_facts import Asked
from myia.api.files.cache import _names as as_names
from myia.api.files.cache import key_of
from myia.api.files.named_facts import named
from myia.api.files.save import results_json
from myia.ir.printer import to_text
from myia.source.diagnostics import MyiaError
from tests.fuzz.dependence_pool import execute

HELPERS, MAIN = "helpers_that_change", "main_that_changes"
HELPERS_TEXT = """
import math
import numpy as np

scale = {scale}
steps = {steps}
table = np.array({table!r}, np.{dtype})


def power(x, p={power}, *, shift={shift}):
    return x ** p {operator} shift


def other(x, p={other_power}, *, shift={shift}):
    return x ** p {operator} shift


def scaled(x):
    return x * scale


class Base:
    rate = {rate}

    def apply(self, x):
        return x {operator} self.rate


class Derived({base}):
    {derived}


class Else:
    rate = 9.0

    def apply(self, x):
        return x
"""
MAIN_TEXT = """
import collections, dataclasses, enum, functools
import numpy as np
import myia
from {source} import {helper} as helper, scaled
import {HELPERS} as h

limit = {limit}
mode = {mode!r}
options = {options!r}
letters = {letters!r}
queue = collections.deque({queue!r})
pool = {pool}


def scale_of():
    return {rate}


class Color(enum.Enum):
    RED = {red}


@dataclasses.dataclass
class Settings:
    rate: float = {rate}
    count: int = {steps}
    more: float = dataclasses.field(default_factory={factory}, compare={compare})


Point = collections.namedtuple("Point", "a b", defaults=({default},))
settings = Settings()


def made(n, f, *extra):
    def inner(x):
        for i in range(n):
            x = f(x) {operator} i
        return x

    return inner


of_closures = made({steps}, {inner}{extra})


def of_globals(x):
    if mode == "fast" and limit > 2:
        return helper(x) * limit
    return h.scaled(x) + np.{reduction}(h.table)


def of_containers(x):
    total = 0.0
    for key in options:
        total += x * options[key]
    return total + len(queue) + ("b" in letters) + len(letters)


def of_classes(x):
    return h.Derived().apply(x) * settings.rate + Color.RED.value * settings.count


def of_instances(x):
    return settings.rate * x ** settings.count


def of_defaults(x, y={default}, *, z={shift}):
    return x * y + z + pool[-1](x)


of_partials = functools.partial(of_defaults, y={default}, z={red})
twice = made(2, scaled)


class Pairs:
    first = twice
    second = {second}


def of_aliases(x):
    return Pairs.first(x) {operator} Pairs.second(x)


def of_new_instances(x):
    found = Settings(count=3)
    same = found == Settings(count=3, more=5.0)
    return found.rate * x + Settings().count + found.more + same + Point(x).b


mapped = myia.vmap(lambda x, y: x * y {operator} limit, in_axes={in_axes})


def of_maps(x):
    return mapped(x * h.table[:2], x * h.table[1])


gradient = myia.grad(lambda x, y: {body}, argnums={argnums})


def of_transforms(x):
    return gradient(x, 2.0 * x) + scaled(x)


def of_loops(x):
    s = 0.0
    for v in h.table:
        s += v * x
        if s > limit:
            {statement}
    return s
"""
CHOICES = {
    "scale": ["1.5", "2.5", "2", "np.float32(1.5)"],
    "steps": ["2", "3", "1"],
    "table": [[1, 2], [1, 2, 3], [4, 5]],
    "dtype": ["float64", "float32", "int64"],
    "power": ["2", "3", "2.0"],
    "other_power": ["2", "3"],
    "shift": ["0.5", "1", "True"],
    "operator": ["+", "-", "*"],
    "rate": ["1.0", "2.0", "3"],
    "base": ["Base", "object, Else" and "Base"],
    "derived": ["pass", "rate = 4.0", "apply = lambda self, x: x", "other = 1"],
    "source": [HELPERS, "a_copy_of_helpers"],
    "helper": ["power", "other"],
    "limit": ["2", "3", "4.0", "-1"],
    "mode": ["fast", "slow"],
    "options": [{"a": 1.0}, {"a": 2}, {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0}],
    "letters": [frozenset("a"), frozenset("b"), frozenset()],
    "queue": [[1.0], [2.0], [], [1.0, 2.0]],
    "pool": ["[abs, lambda x: x]", "[lambda x: x * 2]", "[scaled]", "[helper, np.sin]"],
    "red": ["1", "2", "1.5"],
    "inner": ["scaled", "helper", "np.tanh", "lambda x: x * limit", "h.Base().apply"],
    "extra": ["", ", 3", ", limit"],
    "reduction": ["sum", "max", "mean"],
    "default": ["1.0", "2.0", "3", "np.arange(2.0)"],
    "body": ["x * y", "x * y * y", "x * scaled(y)", "helper(x) * limit"],
    "argnums": ["0", "1"],
    "factory": ["float", "lambda: 2.0", "lambda: 3.0", "lambda: scale_of()"],
    "compare": ["True", "False"],
    "second": ["twice", "made(2, scaled)", "made(3, scaled)", "made(2, helper)"],
    "in_axes": ["(0, None)", "(0, None)", "0"],
    "statement": ["break", "s = s / 2.0", "return s"],
}
PROGRAMS = (
    *("of_closures", "of_globals", "of_containers", "of_classes", "of_instances"),
    *("of_defaults", "of_partials", "of_transforms", "of_loops"),
    *("of_aliases", "of_new_instances", "of_maps"),
)
ARGUMENTS = (1.5, np.float32(1.5), np.ones(2), np.ones(2, np.float32))


def edited(rng: random.Random, values: dict) -> dict:
    """One or two edits; now and then all at once."""
    count = len(CHOICES) if rng.random() < 0.02 else rng.randint(1, 2)
    return values | {name: rng.choice(CHOICES[name]) for name in rng.sample([*CHOICES], count)}


def modules_of(values: dict, number: int) -> types.ModuleType:
    """The module with these values, imported; a copy of its helpers has other numbers."""
    copy = values | {"scale": "7.0", "rate": "8.0", "table": [9, 9]}
    for name, told in ((HELPERS, values), ("a_copy_of_helpers", copy)):
        helpers = sys.modules[name] = types.ModuleType(name)
        execute(f"<{name} {number}>", HELPERS_TEXT.format(**told), helpers.__dict__)
    main = sys.modules[MAIN] = types.ModuleType(MAIN)
    execute(f"<{MAIN} {number}>", MAIN_TEXT.format(HELPERS=HELPERS, **values), main.__dict__)
    return main


def leaves_of(facts) -> list:
    """The numbers that a program reads, here and now."""
    found = []
    for fact in facts:
        if not fact.by_identity:
            found.append((fact.name, repr(fact.question.ask()) if fact.values else ""))
    return found


def told_of(program) -> str:
    """All that an entry stands for."""
    told = results_json(program)
    told["checks"] = [check[:2] for check in told["checks"]]  # lines are looked up when it fails
    text = re.sub(r" *# <.*>:\d+", "", to_text(program.function))
    return text + json.dumps(told)


def difference(before: str, now: str) -> str:
    lines = zip(before.splitlines(), now.splitlines())
    return next((f"{a!r} is now {b!r}" for a, b in lines if a != b), "the numbers differ")


class Store:
    """The entries so far: by key, named facts and the program."""

    def __init__(self, path: str):
        self.path, self.entries = path, collections.defaultdict(list)
        if os.path.exists(path):
            with open(path) as file:
                self.entries.update(json.load(file))
        self.counts = collections.Counter()
        self.mistakes: list[str] = []

    def look(self, name: str, transform, f, args: tuple) -> None:
        transformed = transform(f)
        dispatcher = transformed._dispatcher
        call = dispatcher.flatten(args, {})
        key = key_of(dispatcher.target, dispatcher.options, call)
        try:
            program = dispatcher.program(call)
        except MyiaError:
            self.counts["refused"] += 1
            return
        now = told_of(program)
        names = named(program.facts, dispatcher.target)
        if key is None or names is None:
            self.counts[f"no name: {name}"] += 1
            return
        for told, text in self.entries[key]:
            facts = Asked(dispatcher.target, call.flat).facts(as_names(told))
            if facts is None:
                continue
            self.counts["hits"] += 1
            if text != now or leaves_of(facts) != leaves_of(program.facts):
                self.mistakes.append(f"{name}: {difference(text, now)}")
            return
        self.counts["misses"] += 1
        told = json.loads(json.dumps(names))
        if any(known == told for known, _ in self.entries[key]):
            self.counts["needless misses"] += 1
        self.entries[key].append((told, now))

    def save(self) -> None:
        with open(self.path, "w") as file:
            json.dump(self.entries, file)


def run(path: str, count: int, seed: int) -> Store:
    rng, store = random.Random(seed), Store(path)
    values = {name: choices[0] for name, choices in CHOICES.items()}
    for number in range(count):
        values = edited(rng, values)
        main = modules_of(values, seed * count + number)
        for name in rng.sample(PROGRAMS, 3):
            x = rng.choice(ARGUMENTS)
            transform = myia.jit if np.ndim(x) else rng.choice([myia.jit, myia.grad])
            before = len(store.mistakes)
            store.look(name, transform, getattr(main, name), (x,))
            if len(store.mistakes) > before:
                store.mistakes[-1] += f" of {values}"
    store.save()
    return store


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("store")
    options = parser.parse_args()
    store = run(options.store, options.count, options.seed)
    print(*store.mistakes[:10], sep="\n")
    print(f"{options.count} edits: {dict(store.counts)}, {len(store.mistakes)} mistakes")
    return bool(store.mistakes) or not store.counts["hits"]


if __name__ == "__main__":
    sys.exit(main())
