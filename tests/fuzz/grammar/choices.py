"""Random choices, and the names of a program that are in scope."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from tests.fuzz.grammar.constructs import Construct

FLOAT, INT, BOOL = "float", "int", "bool"
LIST, PAIR, DICT, RECORD = "list", "pair", "dict", "record"  # of floats
ARRAYS = "arrays"  # a list of two arrays of three elements
INTS = "ints"  # an integer array of three elements
TABLE = "table"  # a list of two lists of three floats
QUEUE = "queue"  # a deque of two floats or more
COUNTS = "counts"  # a defaultdict or a Counter
KEYS = "keys"  # a set of ints
SIZED = "sized"  # a vector of run-time size
VEC = "vec"  # an instance of a class with special methods
MAYBE = "maybe"  # a float or None
EITHER = "either"  # a record or a pair
Type = str | tuple[int, ...]  # a shape: a float64 array


@dataclass
class Scope:
    """The names in scope at a point of the program."""

    names: dict[str, Type]
    bounds: dict[str, range]
    functions: dict[str, tuple[Type, ...]]


class Choices:
    """Random choices, all drawn from `rng`: a seeded `random.Random`, or one of Hypothesis."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.counts: dict[str, int] = {}
        self.names: dict[str, Type] = {}  # that are certainly bound here
        self.bounds: dict[str, range] = {}  # of ints that stay in a range
        self.functions: dict[str, tuple[Type, ...]] = {}  # they give a float
        self.maybe: list[str] = []  # floats bound on some paths only
        self.protected: set[str] = set()  # not to be assigned: counters, targets of loops
        self.risky = False  # may the program raise?
        self.active: dict[str, list[Construct]] = {}  # constructs besides the core, by kind
        self.uses: Counter[str] = Counter()  # how often each construct was written

    # ----- Choices

    def chance(self, p: float) -> bool:
        return self.rng.random() >= 1 - p

    def pick(self, *choices):
        return self.rng.choice(choices)

    def weighted(self, choices: dict):
        """One of the keys, by weight."""
        return self.rng.choice([k for k, weight in choices.items() for _ in range(weight)])

    def construct(self, kind: str, *arguments):
        """What one of the active constructs of this kind writes; None if none fits."""
        if not (found := self.active.get(kind)):
            return None
        construct = self.pick(*found)
        written = construct.write(self, *arguments)
        self.uses[construct.name] += written is not None
        return written

    # ----- Names

    def fresh(self, letter: str) -> str:
        self.counts[letter] = self.counts.get(letter, -1) + 1
        return f"{letter}{self.counts[letter]}"

    def named(self, kind: Type) -> list[str]:
        return [name for name, t in self.names.items() if t == kind]

    def assignable(self, kind: Type) -> list[str]:
        return [name for name in self.named(kind) if name not in self.protected]

    def shapes(self, rank: int | None = None) -> list[str]:
        """Float arrays in scope."""
        return [
            name
            for name, t in self.names.items()
            if isinstance(t, tuple) and (rank is None or len(t) == rank)
        ]

    def bind(self, name: str, kind: Type) -> str:
        self.names[name] = kind
        return name

    def target(self, kind: Type, letter: str) -> str:
        """A name of this type that may be assigned: an old one or a new one."""
        old = self.assignable(kind)
        if old and (self.chance(0.65) or len(old) > 5):
            return self.pick(*old)
        return self.fresh(letter)

    @contextmanager
    def function(self, **parameters: Type) -> Iterator[None]:
        """Inside a function: its parameters are bound, and names around may only be read."""
        scope, protected = self.scope(), self.protected
        self.protected = {*protected, *self.names}
        self.names |= parameters
        yield
        self.enter(scope)
        self.protected = protected

    def scope(self) -> Scope:
        return Scope(dict(self.names), dict(self.bounds), dict(self.functions))

    def enter(self, scope: Scope) -> None:
        self.names, self.bounds = dict(scope.names), dict(scope.bounds)
        self.functions = dict(scope.functions)
