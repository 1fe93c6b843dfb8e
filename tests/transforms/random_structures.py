"""Random programs of branches, loops and indexed arrays, with values that stay of moderate size."""

from __future__ import annotations

import random

import numpy as np

from myia.ir.avals import F64, I64
from myia.ir.builder import build_region
from myia.ir.core import Function, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.pointwise import value_operators  # noqa: F401  (Python's operators on values)
from myia.primitives.pointwise.logic import and_, gt, lt
from myia.primitives.pointwise.transcendental import cos, sin, tanh

SIZE = 3
ARRAY = F64.with_shape((SIZE,))


def random_program(seed: int) -> tuple[Function, list]:
    """A function of (f64[3], f64[], i64[]) and arguments for it."""
    generator = _Generator(random.Random(seed))
    region = build_region([ARRAY, F64, I64], generator.function)
    rng = np.random.default_rng(seed)
    args = [rng.normal(size=SIZE), float(rng.normal()), int(rng.integers(0, 5))]
    return Function("f", region), args


class _Generator:
    """`scope` holds the visible values by kind: scalars, arrays, integers."""

    def __init__(self, choose: random.Random):
        self.choose = choose

    def function(self, a: Value, x: Value, n: Value) -> list[Value]:
        scope = {"scalars": [x], "arrays": [a], "integers": [n]}
        self.block(scope, depth=3, length=4)
        sums = [reduce_sum(y, axes=(0,)) for y in scope["arrays"][-2:]]
        return [scope["scalars"][-1] + sums[0], *scope["arrays"][-1:], *sums]

    def block(self, scope, depth: int, length: int) -> None:
        kinds = [self.arithmetic, self.read, self.write, self.whole]
        nested = [self.branch, self.counted, self.conditional] if depth else []
        for _ in range(length):
            self.choose.choice(kinds + nested * 2)(scope, depth)

    def pick(self, scope, kind: str) -> Value:
        return self.choose.choice(scope[kind][-4:])

    # ----- Statements

    def arithmetic(self, scope, depth) -> None:
        x, y = self.pick(scope, "scalars"), self.pick(scope, "scalars")
        form = self.choose.choice(
            [
                lambda: sin(x) * y,
                lambda: tanh(x + y),
                lambda: x * 0.5 - y,
                lambda: cos(x * y),
                lambda: -x,
            ]
        )
        scope["scalars"].append(form())

    def index(self, scope) -> Value:
        """Any integer: start indices out of range are clamped."""
        i = self.pick(scope, "integers")
        return i if self.choose.random() < 0.7 else i - 1

    def read(self, scope, depth) -> None:
        row = dynamic_slice(self.pick(scope, "arrays"), self.index(scope), sizes=(1,))
        scope["scalars"].append(reshape(row, shape=()))

    def write(self, scope, depth) -> None:
        a, x = self.pick(scope, "arrays"), sin(self.pick(scope, "scalars"))
        scope["arrays"].append(dynamic_update_slice(a, reshape(x, shape=(1,)), self.index(scope)))

    def whole(self, scope, depth) -> None:
        a, x = self.pick(scope, "arrays"), self.pick(scope, "scalars")
        scope["arrays"].append(tanh(a) * broadcast(sin(x), shape=(SIZE,), dims=()))

    def branch(self, scope, depth) -> None:
        x, y = self.pick(scope, "scalars"), self.pick(scope, "scalars")
        kinds = [
            self.choose.choice(["scalars", "arrays"]) for _ in range(self.choose.randint(1, 3))
        ]

        def arm():
            inner = {kind: list(values) for kind, values in scope.items()}
            self.block(inner, depth - 1, self.choose.randint(0, 3))
            return [self.pick(inner, kind) for kind in kinds]

        for kind, result in zip(kinds, if_(gt(x, y), arm, arm)):
            scope[kind].append(result)

    def counted(self, scope, depth) -> None:
        static = self.choose.random() < 0.5
        count = (
            constant(self.choose.randint(0, 4), np.int64)
            if static
            else self.pick(scope, "integers")
        )
        self.loop(scope, depth, count, None)

    def conditional(self, scope, depth) -> None:
        """A `while` on a value that may stop it early, and on k so that it ends."""
        most = self.choose.randint(1, 5)

        def cond(k, x, *rest):
            return and_(lt(k, constant(most, np.int64)), lt(x, constant(0.6, np.float64)))

        count = self.pick(scope, "integers") if self.choose.random() < 0.3 else None
        self.loop(scope, depth, count, cond)

    def loop(self, scope, depth, count, cond) -> None:
        kinds = [
            "scalars",
            *(self.choose.choice(["scalars", "arrays", "integers"]) for _ in range(2)),
        ]
        init = [self.pick(scope, kind) for kind in kinds]

        def body(k, *carries):
            inner = {kind: list(values) for kind, values in scope.items()}
            inner["integers"].append(k)
            for kind, x in zip(kinds, carries):
                inner[kind].append(x)
            self.block(inner, depth - 1, self.choose.randint(1, 4))
            after = [self.pick(inner, kind) for kind in kinds]
            return [y + 1 if y.aval == I64 and y in carries else y for y in after]

        for kind, result in zip(kinds, loop(init, body, count=count, cond=cond)):
            scope[kind].append(result)
