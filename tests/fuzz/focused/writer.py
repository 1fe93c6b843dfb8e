"""Random programs of one subject: statements of a small grammar in branches, loops and handlers.

A grammar gives for each symbol the texts that it may become; `<symbol>` in a text is one of that
symbol. Symbols that a writer asks for: start, statement, condition, result. With `end`, a statement
comes last, up to three times; with `classes` and `check`, these are what handlers catch, and what a
body may raise. With `jump`, blocks may jump, and `finally` may raise.
"""

from __future__ import annotations

import argparse
import itertools
import re
import signal
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from random import Random

from myia.source.diagnostics import MyiaError

Grammar = Mapping[str, tuple[str, ...]]
Program = Callable[[str, int], str]  # of a kind and seed
# How a program is wrong, None if it is not; raises MyiaError if it is refused.
Check = Callable[[str, Counter], str | None]

SECONDS = 60  # of processor time for a call of the compiler


class Writer:
    """The program of a seed. `definitions`: what stands before its function `f(x, n)`."""

    def __init__(self, grammar: Grammar, seed: int, definitions: str = ""):
        self.grammar, self.rng, self.definitions = grammar, Random(seed), definitions
        self.counters = map("i{}".format, itertools.count())
        self.loops = 0  # around the present statement

    def program(self) -> str:
        body = [self.text("start")]
        for _ in range(self.rng.randint(2, 4)):
            body += self.statement(3)
        if "end" in self.grammar:
            body += [self.text("end") for _ in range(self.rng.randint(1, 3))]
        body.append(f"return {self.text('result')}")
        return "\n".join([self.definitions, "def f(x, n):", *_indented(body), ""])

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
        self.loops += 1
        lines = [*head, *self.block(depth)]
        self.loops -= 1
        if self.rng.random() < 0.3:
            lines += [f"    if {self.text('condition')}:"]
            lines += [f"        {self.rng.choice(('break', 'continue'))}"]
        return lines

    def finally_(self, depth: int) -> list[str]:
        """A jump, or an exception, that a `finally` may replace, and what may catch that."""
        jump = self.text("jump") if self.loops else f"return {self.text('result')}"
        always = self.rng.random() < 0.3
        last = [jump] if always else [f"if {self.text('condition')}:", f"    {jump}"]
        final = [*self.block(0), f"    {self.text('check')}"]
        lines = ["try:", *self.block(depth), *_indented(last), "finally:", *final]
        if self.rng.random() < 0.3:
            return lines
        caught = f"except {self.text('classes')}:"
        return ["try:", *_indented(lines), caught, *self.block(depth)]

    def handler(self, depth: int) -> list[str]:
        if "jump" in self.grammar and self.rng.random() < 0.6:
            return self.finally_(depth)
        check = (
            self.text("check") if "check" in self.grammar else f"x[n + {self.rng.randint(0, 1)}]"
        )
        caught = self.text("classes") if "classes" in self.grammar else "IndexError"
        body = [*self.block(depth), f"    {check}", *self.block(depth)]
        lines = ["try:", *body, f"except {caught}:", *self.block(depth)]
        for part in ("else", "finally") if "classes" in self.grammar else ():
            lines += [f"{part}:", *self.block(depth)] if self.rng.random() < 0.15 else []
        return lines


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def failures(
    program: Program, check: Check, kinds: Iterable[str], seeds: Iterable[int], counts: Counter
) -> Iterator[str]:
    for kind, seed in itertools.product(kinds, seeds):
        counts["programs"] += 1
        source = program(kind, seed)
        try:
            found = check(source, counts)
        except MyiaError as error:
            counts["refused: " + str(error).splitlines()[0]] += 1
            continue
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        if found is not None:
            yield f"--- {kind}, seed {seed}: {found}\n{source}"


def in_time(f: Callable, *args: object) -> object:
    """`f(*args)`; raises RuntimeError if it takes too long."""
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return f(*args)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_long(*_: object) -> None:
    raise RuntimeError(f"longer than {SECONDS} s")


def command(about: str, program: Program, check: Check, kinds: Collection[str]) -> int:
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="*", default=list(kinds), choices=list(kinds))
    options = parser.parse_args()
    counts: Counter = Counter()
    seeds = range(options.seed, options.seed + options.count)
    for found in failures(program, check, options.kinds, seeds, counts):
        counts["failures"] += 1
        print(found, flush=True)
    for what, n in counts.most_common():
        print(f"{n:6}  {what}")
    return 1 if counts["failures"] else 0
