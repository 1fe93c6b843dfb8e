"""Random programs whose names come to hold one object, and then change it.

    python -m tests.fuzz.aliases --count 2000 --seed 0 [--kinds arrays lists]

A program assigns, swaps and changes three names of a kind, or names, attributes and items of
several kinds, in branches, loops and handlers in each other. Its value is compared with Python's.
"""

from __future__ import annotations

import argparse
import itertools
import re
import signal
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

import numpy as np

from myia.source.diagnostics import MyiaError
from tests.fuzz.programs import MODULES, define
from tests.infer.driver import run

SECONDS = 60  # of processor time for a call
INPUTS = (((0.7, 0.3), 2), ((-0.5, 0.9), 1), ((0.6, 0.5), 3), ((0.2, 0.1), 0))
CLASS = """
class P:
    def __init__(self, v, w):
        self.v, self.w = v, w

    def twin(self, other):
        return P(self.v, other.w) if self.w > 0.5 else self
"""

Grammar = dict[str, tuple[str, ...]]

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


class Writer:
    """The program of a seed."""

    def __init__(self, kind: str, seed: int):
        self.grammar, self.rng = _COMMON | GRAMMARS[kind], Random(seed)
        self.counters = map("i{}".format, itertools.count())

    def program(self) -> str:
        body = [self.text("start")]
        for _ in range(self.rng.randint(2, 4)):
            body += self.statement(3)
        body.append(f"return {self.text('result')}")
        return "\n".join([CLASS, "def f(x, n):", *_indented(body), ""])

    def text(self, symbol: str) -> str:
        template = self.rng.choice(self.grammar[symbol])
        return re.sub(r"<([a-z][a-z ]*)>", lambda found: self.text(found[1]), template)

    def block(self, depth: int) -> list[str]:
        some = (self.statement(depth) for _ in range(self.rng.choice((1, 2, 2, 3))))
        return _indented(itertools.chain.from_iterable(some))

    def statement(self, depth: int) -> list[str]:
        if depth == 0 or self.rng.random() > 0.35:
            return [self.text("statement")]
        return self.rng.choice((self.branch, self.loop, self.handler))(depth - 1)

    def branch(self, depth: int) -> list[str]:
        then = [f"if {self.text('condition')}:", *self.block(depth)]
        return then if self.rng.random() < 0.5 else [*then, "else:", *self.block(depth)]

    def loop(self, depth: int) -> list[str]:
        i = next(self.counters)
        heads = ([f"for {i} in range({self.rng.randint(1, 3)}):"], [f"for {i} in range(n):"])
        head = self.rng.choice((*heads, [f"{i} = 0", f"while {i} < n:", f"    {i} += 1"]))
        lines = [*head, *self.block(depth)]
        if self.rng.random() < 0.3:
            lines += [f"    if {self.text('condition')}:"]
            lines += [f"        {self.rng.choice(('break', 'continue'))}"]
        return lines

    def handler(self, depth: int) -> list[str]:
        check = f"    x[n + {self.rng.randint(0, 1)}]"
        body = [*self.block(depth), check, *self.block(depth)]
        return ["try:", *body, "except IndexError:", *self.block(depth)]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def failure(kind: str, seed: int, counts: Counter) -> str | None:
    """How the program of this seed differs from Python; None: it does not, or is refused."""
    f = define(Writer(kind, seed).program(), MODULES)["f"]
    for numbers, n in INPUTS:
        want = f(np.array(numbers), n)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            got = run(f, np.array(numbers), n)
        except MyiaError as error:
            counts["refused: " + str(error).splitlines()[0]] += 1
            return None
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        counts["values"] += 1
        if not all(map(_are_equal, got, want)):
            return f"{got}, not {want}"
    return None


def _are_equal(got: object, want: object) -> bool:
    return np.shape(got) == np.shape(want) and np.allclose(got, want, 1e-9, equal_nan=True)


def failures(kinds: Iterable[str], seeds: Iterable[int], counts: Counter) -> Iterator[str]:
    signal.signal(signal.SIGPROF, _too_long)
    for kind, seed in itertools.product(kinds, seeds):
        counts["programs"] += 1
        if (found := failure(kind, seed, counts)) is not None:
            yield f"--- {kind}, seed {seed}: {found}\n{Writer(kind, seed).program()}"


def _too_long(*_: object) -> None:
    raise RuntimeError(f"longer than {SECONDS} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=list(GRAMMARS))
    options = parser.parse_args()
    counts: Counter = Counter()
    for found in failures(options.kinds, range(options.seed, options.seed + options.count), counts):
        counts["failures"] += 1
        print(found, flush=True)
    for what, n in counts.most_common():
        print(f"{n:6}  {what}")
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
