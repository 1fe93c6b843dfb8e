"""Ranges of integers: what is decided holds in random programs, also where integers wrap around."""

import random

import numpy as np
import pytest

from myia.analysis.integer_ranges import decided_comparisons
from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.ir.core import Function
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.passes.canonicalize.needless_checks import needless_checks
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop, if_
from myia.primitives.core.structured import Loop
from myia.primitives.pointwise import arithmetic as A
from myia.primitives.pointwise import logic as L

LEAST, GREATEST = -(2**63), 2**63 - 1
INTS = [LEAST, LEAST + 1, -7, -2, -1, 0, 1, 2, 3, 5, 9, 2**31, 2**62, GREATEST - 1, GREATEST]
COMPARISONS = [L.eq, L.ne, L.lt, L.le, L.gt, L.ge]
SUMS, OTHERS = [A.add, A.sub], [A.mul, A.min, A.max, L.and_, L.xor, L.shift_right]


class Programs:
    """Random programs of integer scalars; they count every comparison that holds."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def function(self):
        def body(*args):
            xs, total = self.ops([*args, constant(0, np.int64)], 9, 3)
            return [*xs[-3:], total]

        region = build_region([I64, I64], body)
        return Function("f", region, checks=("failed",))

    def ops(self, xs, n, depth):
        total = constant(0, np.int64)
        for _ in range(self.rng.randint(2, n)):
            kind = self.rng.random()
            if kind < 0.2:
                new = [constant(self.rng.choice(INTS), np.int64)]
            elif kind < 0.55 or not depth:
                new = [self.arithmetic(xs)]
            elif kind < 0.75:
                new = self.branch(xs, depth - 1)
            else:
                new = self.loop(xs, depth - 1)
            xs = [*xs, *new]
            total = A.add(A.mul(total, 3), L.convert(self.comparison(xs), dtype=np.dtype("int64")))
        return xs, total

    def arithmetic(self, xs):
        x, y = self.rng.choice(xs), self.rng.choice(xs)
        kind = self.rng.random()
        if kind < 0.6:
            return self.rng.choice(SUMS)(x, y)
        if kind < 0.7:
            return self.rng.choice([A.neg, A.abs])(x)
        if kind < 0.85:
            return self.rng.choice([A.floordiv, A.mod])(x, self.rng.choice([2, 3, 7]))
        if kind < 0.92:
            return L.select(self.comparison(xs), x, y)
        primitive = self.rng.choice(OTHERS)
        return primitive(x, self.rng.choice([1, 2, 3]) if primitive is L.shift_right else y)

    def comparison(self, xs):
        x, y = self.rng.choice(xs), self.rng.choice([*xs, self.rng.choice(INTS)])
        kind = self.rng.random()
        if kind < 0.5:
            return self.rng.choice(COMPARISONS)(x, y)
        if kind < 0.6:
            return L.not_(self.comparison(xs))
        if kind < 0.7:
            p, q = self.comparison(xs), self.comparison(xs)
            if self.rng.random() < 0.5:
                return L.select(p, *self.rng.choice([(p, q), (q, p), (q, q)]))
            return self.rng.choice([L.and_, L.or_])(p, q)
        y = self.rng.choice(xs)
        if kind < 0.85:
            r = A.add(x, y)
            return L.lt(L.and_(L.xor(x, r), L.xor(y, r)), 0)
        if kind < 0.95:
            r = A.sub(x, y)
            return L.lt(L.and_(L.xor(x, y), L.xor(x, r)), 0)
        floats = [L.convert(z, dtype=np.dtype(float)) for z in (x, y)]
        return L.ge(A.abs(A.mul(*floats)), 2.0**63 * (1 - 2.0**-51))

    def branch(self, xs, depth):
        def arm():
            inner, total = self.ops(xs, 3, depth)
            return [inner[-1], self.rng.choice(inner), total]

        return if_(self.comparison(xs), arm, arm)

    def loop(self, xs, depth):
        """At most 4 iterations, which the first carried value counts."""
        rng, carries = self.rng, [self.rng.choice(xs) for _ in range(2)]
        counted, limit = rng.random() < 0.4, rng.randint(0, 4)

        def body(k, i, *inside):
            inner, total = self.ops([*xs, k, i, *inside], 3, depth)
            following = [rng.choice([inner[-1], A.add(x, 1), x]) for x in inside[:2]]
            return [A.add(i, 1), *following, A.add(inside[2], total)]

        def cond(k, i, *inside):
            more = self.comparison([*xs, i, *inside]) if rng.random() < 0.5 else L.lt(i, limit)
            return [L.and_(more, L.lt(i, limit))]

        zero = constant(0, np.int64)
        avals = [I64] * 5  # the index, the counter, two of xs, the total
        return emit_loop(
            Loop(
                constant(limit, np.int64) if counted else None,
                (zero, *carries, zero),
                None if counted else build_region(avals, cond),
                build_region(avals, body),
                limit if counted and rng.random() < 0.5 else None,
            )
        )


def check(seed):
    """The number of comparisons that are decided, after checking that they are right."""
    f = Programs(seed).function()
    g = needless_checks(f)
    verify(g)
    for x in (0, LEAST, GREATEST, 6):
        args = [np.int64(x), np.int64(random.Random(seed).choice(INTS))]
        for y, z in zip(evaluate(f, args), evaluate(g, args), strict=True):
            assert y == z, f"seed {seed}, {args}\n{to_text(f)}\n{to_text(g)}"
    return len(decided_comparisons(f))


def test_random_programs():
    assert sum(map(check, range(30))) > 50


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(1, 20))
def test_many_random_programs(chunk):
    assert sum(map(check, range(50 * chunk, 50 * chunk + 50))) > 80
