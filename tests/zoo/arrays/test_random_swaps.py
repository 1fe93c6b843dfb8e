"""Random programs whose names swap, share and change arrays, against Python."""

from __future__ import annotations

import linecache
from random import Random

import numpy as np
import pytest

import myia
from tests.zoo.in_place_checks import assert_equal, copies
from tests.zoo.reference_calls import ReferenceCalls

NAMES = ("a", "b", "c", "d")
HELPERS = """
def evolve(u, v):
    for t in range(3):
        v[1:] = u[:-1] * 0.7 + v[1:] * 0.1
        u, v = v, u


def swapped(u, v):
    u[0] += 0.1
    if u[1] > v[1]:
        u, v = v, u
    v[2] = u[3]
    return v, u


def f(a, b, c, d, s):
"""
RESULT = "    return s + np.sum(a * b) - np.sum(c) + 0.5 * np.sum(d * a)\n"


class Writer:
    """The source of one program."""

    def __init__(self, seed: int):
        self.rng, self.lines = Random(seed), []
        self.block(indent=1, loops=0, size=self.rng.randint(3, 6))

    def source(self) -> str:
        return HELPERS + "\n".join(self.lines) + "\n" + RESULT

    def block(self, indent: int, loops: int, size: int) -> None:
        for _ in range(size):
            kind = self.rng.random()
            if kind < 0.8:
                self.lines.append("    " * indent + self.statement(loops))
            elif kind < 0.9 and indent < 4:
                self.branch(indent, loops)
            elif loops < 2:
                self.loop(indent, loops)

    def branch(self, indent: int, loops: int) -> None:
        x, y, i = self.rng.choice(NAMES), self.rng.choice(NAMES), self.rng.randrange(4)
        conditions = [f"s > {self.rng.uniform(-1, 1):.2f}", f"{x}[{i}] > {y}[0]"]
        conditions += ["t % 2 == 0"] * (loops > 0)
        self.lines.append("    " * indent + f"if {self.rng.choice(conditions)}:")
        self.block_of_one_or_more(indent + 1, loops)
        if self.rng.random() < 0.5:
            self.lines.append("    " * indent + "else:")
            self.block_of_one_or_more(indent + 1, loops)

    def loop(self, indent: int, loops: int) -> None:
        self.lines.append("    " * indent + f"for t in range({self.rng.choice([1, 2, 3, 5])}):")
        self.block_of_one_or_more(indent + 1, loops + 1)
        if self.rng.random() < 0.2:
            leave = self.rng.choice(["if s > 1.5: break", "if t == 1: continue"])
            self.lines.append("    " * (indent + 1) + leave)

    def block_of_one_or_more(self, indent: int, loops: int) -> None:
        self.lines.append("    " * indent + self.statement(loops))
        self.block(indent, loops, self.rng.randint(0, 3))

    def statement(self, loops: int) -> str:
        rng = self.rng
        x, y, z = (rng.choice(NAMES) for _ in range(3))
        u, v, w = rng.sample(NAMES, 3)
        j = rng.randrange(4)
        i = rng.choice(["t % 4", "(t + 1) % 4", f"{j}"]) if loops else f"{j}"
        return rng.choice(
            [f"{u}, {v} = {v}, {u}"] * 4
            + [f"{u}, {v}, {w} = {v}, {w}, {u}", f"{x} = {y}", f"{x} = {y}.copy()"]
            + [f"{x} = {y} if s > {rng.uniform(-1, 1):.1f} else {z}"] * 2
            + [
                f"{x} = {y} * 0.5",
                f"{x} = {y}[::-1]",
                f"view = {x}[1:3]; view *= 0.9; {y}[0] += view[0]",
            ]
            + [f"{x}[{i}] = 0.5 * {y}[{j}] - {z}[{i}] * 0.3 + 0.1"] * 4
            + [f"{x}[1:] = 0.4 * {y}[:-1] + {z}[1:] * 0.2"] * 2
            + [f"{x} *= 0.8", f"s += {x}[{i}] * {y}[{j}]", f"s = s * 0.5 + np.sum({x})"]
            + [f"evolve({u}, {v})", f"{u}, {v} = swapped({u}, {v})"]
        )


def program(seed: int):
    """The function, its text known to `inspect`."""
    source, filename = Writer(seed).source(), f"<swaps {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace = {"np": np, "__name__": "swaps"}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["f"]


def check(seed: int) -> bool:
    """False where the program is refused."""
    f, rng = program(seed), np.random.default_rng(seed)
    args = [rng.uniform(-1.0, 1.0, 4) for _ in NAMES]
    ours, theirs = copies(args), copies(args)
    expected = f(*theirs, 0.3)
    try:
        got = ReferenceCalls(myia.jit(f))(*ours, 0.3)
    except myia.MyiaError as error:
        assert "another name" in str(error) or "cannot write" in str(error)
        return False
    assert_equal([got, *ours], [expected, *theirs])
    if seed % 5 == 0:
        check_gradient(f, args, rng)
    return True


def check_gradient(f, args, rng) -> None:
    gradient = ReferenceCalls(myia.grad(f, argnums=(0, 1, 2, 3)))(*copies(args), 0.3)
    direction = [rng.standard_normal(4) for _ in args]

    def at(step: float) -> float:
        return f(*(x + step * v for x, v in zip(args, direction)), 0.3)

    slope = sum(np.sum(g * v) for g, v in zip(gradient, direction))
    expected = (at(1e-6) - at(-1e-6)) / 2e-6
    np.testing.assert_allclose(slope, expected, rtol=1e-5, atol=1e-6)


def test_random_swaps():
    assert sum(check(seed) for seed in range(30)) >= 17


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 200))
def test_many_random_swaps(start):
    assert sum(check(seed) for seed in range(start, start + 200)) >= 100
