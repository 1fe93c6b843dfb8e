"""Random programs over ints that change from call to call, against plain Python.

python -m tests.api.test_random_integers --count 300 --seed 0
"""

from __future__ import annotations

import argparse
import copy
import math
import random
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import myia
from tests.fuzz.programs import define

NAMES = ("a", "b", "d", "l", "t", "k")
PLACES = ("a.n", "a.m", "d['k']", "d['in'][0]", "l[0]", "l[1]", "t[0]", "b.n", "k")
USES = (  # some need the number at compile time
    "{p} * x",
    "np.ones({p} % 5 + 1).sum() + x",
    "(1.0, 2.0, x)[{p} % 3]",
    "sum([x * i for i in range({p} % 4)])",
    "(x if {p} > 3 else -x)",
    "float({p} ** 2)",
    "len('ab' * ({p} % 3)) + x",
    "np.arange(6.0)[{p} % 6] * x",
    "np.arange(6.0)[:{p} % 6 + 1].sum() * x",
    "{p} // 3 + x",
    "({p} % 2 == 0) * x",
    "max({p}, 2) * x",
    "x ** ({p} % 4)",
    "{p} / 7 + abs({p} - 5)",
    "({p} << 2) + x",
    "(x * 2 if {p} else x)",
)
WRITES = (
    "{p} += 1",
    "{p} = {p} * 2 % 11",
    "{p} = 7",
    "if x > 0:\n        {p} += 3",
    "for i in range(3):\n        {p} = {p} + i",
)
CALLS = 9


class Instance:
    def __init__(self, **attributes: Any):
        vars(self).update(attributes)


def source(rng: random.Random, hidden: bool) -> str:
    """A function of `x` and of the ints of `PLACES`, which are arguments or globals."""
    writable = [p for p in PLACES if p != "t[0]" and not (hidden and p == "k")]
    lines = []
    for _ in range(rng.randint(1, 4)):
        lines.append(f"    r = r + {rng.choice(USES).format(p=rng.choice(PLACES))}")
        if rng.random() < 0.5:
            lines.append(f"    {rng.choice(WRITES).format(p=rng.choice(writable))}")
    parameters = "x" if hidden else f"{', '.join(NAMES)}, x"
    return "\n".join([f"def f({parameters}):", "    r = 0.0", *lines, "    return r, k"])


def states(rng: random.Random) -> Iterator[list[Any]]:
    """The objects of successive calls; some ints change, and `b` may be `a`."""
    a = Instance(n=1, m=5, w=2.0)
    b = a if rng.random() < 0.3 else Instance(n=3, w=1.0)
    found = [a, b, {"k": 2, "in": [4]}, [1, 2], (3, "s"), 6]
    changing = [p for p in PLACES if rng.random() < 0.5]
    for call in range(CALLS):
        for place in changing:
            value = rng.choice([call, call + 1, rng.randint(-3, 12)])
            if place == "t[0]":
                found[4] = (value, "s")
            elif place == "k":
                found[5] = value
            else:
                exec(f"{place} = {value}", {}, dict(zip(NAMES, found)))
        yield copy.deepcopy(found)


def flat(x: Any) -> list[Any]:
    """All numbers of a structure, with their types."""
    if isinstance(x, Instance):
        x = vars(x)
    if isinstance(x, dict):
        x = list(x.values())
    return [y for item in x for y in flat(item)] if isinstance(x, (list, tuple)) else [(type(x), x)]


def check(seed: int) -> int:
    """Calls of one program; returns how many programs they took."""
    rng = random.Random(seed)
    hidden, differentiated = rng.random() < 0.5, rng.random() < 0.5
    text = source(rng, hidden)
    names = define(text)
    f = names["f"]
    options = {"argnums": 0 if hidden else len(NAMES), "has_aux": True}
    program = myia.value_and_grad(f, **options) if differentiated else myia.jit(f)
    for ours in states(rng):
        theirs, x = copy.deepcopy(ours), rng.choice([0.5, -1.5, 2.5])

        def outcome(g, objects, x=x):
            names.update(zip(NAMES, objects))
            try:
                return g(x) if hidden else g(*objects, x)
            except (ArithmeticError, IndexError, ValueError, TypeError) as error:
                return type(error)

        found, wanted = outcome(program, ours), outcome(f, theirs)
        if isinstance(found, type) or isinstance(wanted, type):
            assert found is wanted, text
            continue
        value, k = found[0] if differentiated else found
        assert math.isclose(value, wanted[0], rel_tol=1e-9, abs_tol=1e-9), text
        assert (type(k), k) == (type(wanted[1]), wanted[1]), text
        if not differentiated:  # a gradient works on copies of its arguments
            assert flat(ours) == flat(theirs), text
    return program.compiles


@pytest.mark.parametrize("seed", range(8))
def test_ints_that_change(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", myia.CompileWarning)
        assert check(seed) <= CALLS


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    programs = refused = 0
    for seed in range(given.seed, given.seed + given.count):
        try:
            programs += check(seed)
        except myia.MyiaError as error:
            refused += 1
            print(f"seed {seed}: refused: {str(error).splitlines()[0]}")
    print(f"{given.count} functions of {CALLS} calls: {programs} programs, {refused} refused")
