"""Generator of random structured plain-Python programs, as source text.

    Generator(random.Random(seed)).program()     bulk runs
    programs()                                   a strategy of Hypothesis

A program is `f(p, q, n, x, y, A)`: floats, an int, two arrays of three elements, a 2x3 matrix. It
terminates, its floats stay bounded, and its names are bound where they are read (unless it is
`risky`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from tests.fuzz.grammar.choices import (
    ARRAYS,
    BOOL,
    COUNTS,
    DICT,
    EITHER,
    FLOAT,
    INT,
    INTS,
    KEYS,
    LIST,
    MAYBE,
    PAIR,
    QUEUE,
    RECORD,
    SIZED,
    TABLE,
    VEC,
    Scope,
    Type,
)
from tests.fuzz.grammar.constructs import CONSTRUCTS, DEFINITIONS, all_names
from tests.fuzz.grammar.functions import Functions
from tests.fuzz.grammar.handlers import Handlers
from tests.fuzz.grammar.lists import Lists
from tests.fuzz.grammar.names import Names
from tests.fuzz.grammar.parts import Parts
from tests.fuzz.grammar.statements import INDENT

ARGUMENTS: dict[str, Type] = {"p": FLOAT, "q": FLOAT, "n": INT, "x": (3,), "y": (3,), "A": (2, 3)}

# The contribution of a name to the result of a program, by its type.
CONTRIBUTIONS = {
    FLOAT: "{}",
    INT: "0.1 * {}",
    BOOL: "(0.3 if {} else 0.0)",
    LIST: "sum({})",
    PAIR: "{0}[0] - {0}[1]",
    DICT: '{0}["u"] + 0.5 * {0}["v"]',
    RECORD: "{0}.u - {0}.v",
    ARRAYS: "np.sum({0}[0]) - {0}[1][2]",
    INTS: "0.1 * np.sum({})",
    TABLE: "sum({0}[0]) - 0.5 * {0}[1][2]",
    QUEUE: "sum({0}) - {0}[0]",
    COUNTS: '{0}["u"] - 0.5 * {0}["v"]',
    KEYS: "0.1 * len({})",
    SIZED: "np.sum({0}) + 0.1 * len({0})",
    VEC: "{0}[0] - 0.5 * {0}[1]",
    MAYBE: "(0.3 if {0} is None else {0})",
    EITHER: "({0}[0] if isinstance({0}, tuple) else {0}.v)",
}


@dataclass(frozen=True)
class Program:
    """`source` defines `f(p, q, n, x, y, A)`; `risky`: it may raise.

    `constructs`: how often each was written.
    """

    source: str
    risky: bool
    constructs: Counter[str] = field(default_factory=Counter)

    def raises_inside(self) -> bool:
        """Does it catch exceptions?"""
        return "try:" in self.source or "suppress(" in self.source


class Generator(Lists, Handlers, Functions, Names, Parts):
    """Generates control flow. `meet` merges the names bound at the ends of its branches.

    `only`: the constructs besides the core; else each program has a random choice of them.
    """

    def __init__(self, rng: Random, only: Sequence[str] | None = None):
        super().__init__(rng)
        self.only = only
        self.generators: dict[str, bool] = {}
        self.guards: list[tuple[str, str]] = []  # a bool, and a float bound where it holds
        self.loops = 0
        self.endless: int | None = None  # the depth of a loop that only its yields end
        self.budget = 0
        self.results: Type = FLOAT

    # ----- Programs

    def program(self) -> Program:
        self.risky = self.chance(0.12)
        self.activate()
        self.results = self.pick(FLOAT, FLOAT, PAIR, (3,))
        helpers = []
        for _ in range(self.pick(0, 1, 1, 2)):
            helpers += self.construct("helper", self.fresh("h")) or self.helper()
        self.names = dict(ARGUMENTS)
        self.budget = self.rng.randrange(5, 14)
        body = []
        if "global" in self.constructs:
            self.names["G"] = FLOAT
            body.append(f"{INDENT}global G")
        while self.budget > 0:
            lines, reached = self.block(3, INDENT, self.pick(2, 3, 4))
            body += lines
            if not reached:
                break
        else:
            body += [f"{INDENT}return {self.result(whole=True)}"]
        source = "\n".join([*helpers, f"def f({', '.join(ARGUMENTS)}):", *body]) + "\n"
        self.uses["control flow and arrays"] += 1
        return Program(definitions_for(source) + source, self.risky, self.uses)

    def activate(self) -> None:
        """Choose the constructs of the program."""
        names = all_names()
        if self.only is not None:
            self.constructs = set(self.only)
        else:
            self.constructs = set(self.rng.sample(names, self.pick(0, 4, 7, 10)))
        for kind, found in CONSTRUCTS.items():
            self.active[kind] = [c for c in found if c.name in self.constructs]

    def result(self, whole: bool = False) -> str:
        """The result of the program; `whole`: everything in scope contributes."""
        total = self.total() if whole else self.float(2)
        if self.results == FLOAT:
            return total
        if self.results == PAIR:
            return f"{total}, {self.array((3,), 1)}"
        return f"{self.array((3,), 1)} + ({total})"

    def total(self) -> str:
        terms = []
        for name, kind in self.names.items():
            if name in ARGUMENTS and isinstance(kind, tuple):
                continue  # compared after the call
            form = CONTRIBUTIONS.get(kind) or "np.sum({})"
            terms.append(f"{self.pick('0.5 * ', '1.5 * ', '-')}({form.format(name)})")
        self.rng.shuffle(terms)
        return " + ".join(terms[:8])

    # ----- Blocks

    def block(self, depth: int, indent: str, size: int) -> tuple[list[str], bool]:
        """The lines of a block, and whether its end is reached."""
        lines: list[str] = []
        for _ in range(size):
            self.budget -= 1
            more, reached = self.statement(depth, indent)
            lines += more
            if not reached:
                return lines, False
        return lines, True

    def statement(self, depth: int, indent: str) -> tuple[list[str], bool]:
        deep = depth > 0 and self.budget > 0
        if deep and self.chance(0.35) and (written := self.construct("block", depth, indent)):
            return written
        if self.chance(0.4) and (lines := self.construct("statement", indent)):
            return lines, True
        kinds = {"assign": 6, "augment": 4, "integer": 2, "array": 4, "store": 6, "object": 4}
        if deep:
            kinds |= {"if": 5, "for": 5, "while": 2}
            kinds |= {"guarded": 1, "closure": 2} if depth > 1 else {}
        if self.loops:
            kinds |= {"jump": 3}
        kind = self.weighted(kinds)
        generate = getattr(self, f"do_{kind}")
        if kind == "if":
            return generate(depth, indent)
        if kind == "jump":
            return generate(indent)
        return generate(depth, indent) if kind in ("for", "while") else generate(indent), True

    def simple_block(self, indent: str) -> list[str]:
        self.budget -= 1
        return self.pick(self.do_assign, self.do_augment, self.do_store)(indent)

    # ----- Branches

    def do_if(self, depth: int, indent: str) -> tuple[list[str], bool]:
        start = self.scope()
        lines, ends = [], []
        tests = ["if", *["elif"] * self.pick(0, 0, 1)]
        heads = [f"{indent}{word} {self.test(1)}:" for word in tests]
        if self.chance(0.55):
            heads.append(f"{indent}else:")
        else:
            ends.append(start)
        for head in heads:
            self.enter(start)
            body, reached = self.block(depth - 1, indent + INDENT, self.pick(1, 1, 2, 3))
            lines += [head, *body]
            if reached:
                ends.append(self.scope())
        self.meet(start, ends)
        return lines, bool(ends)

    def meet(self, start: Scope, ends: list[Scope]) -> None:
        """Names bound at all ends; the others are bound on some paths only."""
        if not ends:
            self.enter(start)
            return
        everywhere = ends[0].names.keys()
        for end in ends:
            everywhere = everywhere & end.names.keys()
        somewhere = {k: v for end in ends for k, v in end.names.items()}
        self.enter(start)
        for name, kind in somewhere.items():
            if name in everywhere:
                self.names[name] = kind
            elif kind == FLOAT and name not in self.maybe:
                self.maybe.append(name)

    def do_guarded(self, indent: str) -> list[str]:
        """A name bound where a bool holds, and read where it holds."""
        usable = [(c, name) for c, name in self.guards if c in self.names]
        targets = self.assignable(FLOAT)
        if usable and targets and self.chance(0.6):
            flag, name = self.pick(*usable)
            body = f"{self.pick(*targets)} = {self.float(2)} + {name}"
            return [f"{indent}if {flag}:", f"{indent}{INDENT}{body}"]
        flag, name = self.fresh("g"), self.fresh("o")
        lines = [f"{indent}{flag} = {self.test(1)}", f"{indent}if {flag}:"]
        lines.append(f"{indent}{INDENT}{name} = {self.float(2)}")
        self.protected.add(flag)
        self.bind(flag, BOOL)
        self.guards.append((flag, name))
        return lines

    # ----- Loops

    def loop(self, head: list[str], depth: int, indent: str, targets: dict[str, Type]) -> list[str]:
        start = self.scope()
        self.names |= targets
        self.protected |= targets.keys()
        self.loops += 1
        body, _ = self.block(depth - 1, indent + INDENT, self.pick(1, 2, 2, 3))
        self.loops -= 1
        self.meet(start, [start, self.scope()])
        lines = [*head, *body]
        if self.chance(0.2):
            lines.append(f"{indent}else:")
            inner = self.scope()
            lines += self.simple_block(indent + INDENT)
            self.meet(inner, [inner, self.scope()])
        return lines

    def do_for(self, depth: int, indent: str) -> list[str]:
        kinds = {"range": 6, "array": 3, "rows": 2, "zip": 2, "enumerate": 2, "items": 2}
        kinds |= {"arrays": 1, "dict": 1}
        if self.chance(0.5) and (written := self.construct("for")):
            head, targets = written
            return self.loop([f"{indent}for {head}:"], depth, indent, targets)
        head, targets = getattr(self, f"_for_{self.weighted(kinds)}")()
        return self.loop([f"{indent}for {head}:"], depth, indent, targets)

    def counter(self, values: range) -> dict[str, Type]:
        name = self.fresh("k")
        if values:
            self.bounds[name] = values
        return {name: INT}

    def _for_range(self):
        n = self.pick(2, 3)
        spelled, values = self.pick(
            (f"range({n})", range(n)),
            ("range(1, 3)", range(1, 3)),
            ("range(2, -1, -1)", range(3)),
            ("range(0, 3, 2)", range(3)),
            ("range(len(x))", range(3)),
            ("reversed(range(3))", range(3)),
            ("range(n % 4)", range(4)),
            (f"range(({self.int(1)}) % 4)", range(4)),
            (f"range(int(abs({self.float(1)})) % 4)", range(4)),
            (f"range(({self.int(1)}) % 3, 3)", range(3)),
            (f"range(2, ({self.int(1)}) % 3 - 1, -1)", range(3)),
            (f"range(({self.int(1)}) % 3, ({self.int(1)}) % 4)", range(4)),
        )
        targets = self.counter(values)
        return f"{next(iter(targets))} in {spelled}", targets

    def _for_array(self):
        name, (array, _) = self.fresh("e"), self.vector()
        return f"{name} in {array}", {name: FLOAT}

    def vector(self) -> tuple[str, int]:
        shape = self.pick((3,), (3,), (2,))
        names = self.named(shape)
        array = self.pick(*names) if names and self.chance(0.7) else self.array(shape, 1)
        return array, shape[0]

    def _for_rows(self):
        name = self.fresh("r")
        matrix = self.mat()
        if self.chance(0.3):
            return f"{name} in {matrix}.T", {name: (2,)}
        return f"{name} in {matrix}", {name: (3,)}

    def _for_zip(self):
        a, b = self.fresh("e"), self.fresh("e")
        first, second = self.vector()[0], self.vector()[0]
        return f"{a}, {b} in zip({first}, {second})", {a: FLOAT, b: FLOAT}

    def _for_enumerate(self):
        name, (array, n) = self.fresh("e"), self.vector()
        targets = self.counter(range(n))
        return f"{next(iter(targets))}, {name} in enumerate({array})", {**targets, name: FLOAT}

    def _for_items(self):
        name = self.fresh("e")
        if (lists := self.named(LIST)) and self.chance(0.5):
            items = self.pick(*lists)
            self.protected.add(items)  # it must not grow during iteration over it
            return f"{name} in {items}", {name: FLOAT}
        items = ", ".join(self.float(1) for _ in range(self.pick(2, 3)))
        return f"{name} in {self.pick('({})', '[{}]').format(items)}", {name: FLOAT}

    def _for_arrays(self):
        name = self.fresh("r")
        if lists := self.named(ARRAYS):
            return f"{name} in {self.pick(*lists)}", {name: (3,)}
        return f"{name} in ({self.array((3,), 0)}, {self.array((3,), 0)})", {name: (3,)}

    def _for_dict(self):
        key, value = self.fresh("key"), self.fresh("e")
        if dicts := self.named(DICT):
            return f"{key}, {value} in {self.pick(*dicts)}.items()", {value: FLOAT}
        return self._for_items()

    def do_while(self, depth: int, indent: str) -> list[str]:
        fuel = self.fresh("fuel")
        test = self.pick(
            f"{fuel} > 0", f"{fuel} > 0 and {self.test(1)}", f"{self.test(1)} and {fuel}"
        )
        head = [
            f"{indent}{fuel} = {self.pick(2, 3)}",
            f"{indent}while {test}:",
            f"{indent}{INDENT}{fuel} -= 1",
        ]
        self.protected.add(fuel)
        self.names[fuel] = INT
        return self.loop(head, depth, indent, {})

    def do_jump(self, indent: str) -> tuple[list[str], bool]:
        word = self.weighted({"break": 3, "continue": 3, "return": 2})
        lines = [f"return {self.result()}" if word == "return" else word]
        if word == "continue" and self.loops == self.endless:
            lines.insert(0, "yield 0.5")  # before the others, to which it would never come
        if self.chance(0.85):
            return [f"{indent}if {self.test(1)}:", *(indent + INDENT + x for x in lines)], True
        return [indent + line for line in lines], False


@st.composite
def programs(draw) -> Program:
    """Programs, as a strategy: they shrink towards the first choices."""
    return Generator(draw(st.randoms(use_true_random=False))).program()


def definitions_for(source: str) -> str:
    """What the program names, and what that names."""
    found: dict[str, str] = {}
    while new := [
        name
        for name in DEFINITIONS
        if name not in found and re.search(rf"\b{name}\b", "".join([source, *found.values()]))
    ]:
        found |= {name: DEFINITIONS[name] for name in new}
    return "".join(text for name, text in DEFINITIONS.items() if name in found)
