"""Random typed programs: nested branches, loops, adjoint loops and calls over small arrays.

`random_function(seed)` is deterministic; `arguments(f, seed)` are inputs for it, NaN, infinities
and zeros of both signs included. Trip counts are small, so that every program ends soon.
"""

from __future__ import annotations

import random

import numpy as np

from myia.ir.avals import BOOL, F32, F64, I64, Aval
from myia.ir.builder import build_region, emit
from myia.ir.core import Function, Value
from myia.primitives.arrays import dynamic_slices as W
from myia.primitives.arrays import reductions as R
from myia.primitives.arrays import shaping as S
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop, if_
from myia.primitives.core.structured import Loop, call_p
from myia.primitives.pointwise import arithmetic as A
from myia.primitives.pointwise import logic as L
from myia.primitives.pointwise import transcendental as E

VECTOR, MATRIX, COUNTS = F64.with_shape((3,)), F64.with_shape((2, 3)), I64.with_shape((3,))
AVALS = [F64, F64, I64, I64, BOOL, F32, VECTOR, VECTOR, MATRIX, COUNTS, BOOL.with_shape((3,))]

FLOATS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.25, float("inf"), float("-inf"), float("nan")]
INTS = [0, 0, 1, 1, -1, 2, 3, 7, -5]

FLOAT_BINARY = [A.add, A.sub, A.mul, A.div, A.max, A.min]
FLOAT_UNARY = [A.neg, A.abs, A.square, E.floor, E.sin, A.sign]
INT_BINARY = [A.add, A.sub, A.mul, A.max, A.min, L.and_, L.or_, L.xor]
INT_UNARY = [A.neg, A.abs, A.square, L.not_]
BOOL_BINARY = [L.and_, L.or_, L.xor, L.eq, L.ne]
COMPARISONS = [L.eq, L.ne, L.lt, L.le, L.gt, L.ge]


def identical(x, y) -> bool:
    """The same bits, but for the sign and payload of a NaN."""
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    if x.dtype.kind != "f":
        return np.array_equal(x, y)
    equal = (x == y) & (np.signbit(x) == np.signbit(y))
    return bool(np.all(equal | (np.isnan(x) & np.isnan(y))))


def arguments(f: Function, seed: int, special: float = 0.4) -> list[np.ndarray]:
    """`special`: how many of the floats are zeros, infinities, NaN or round numbers."""
    rng = random.Random(seed)

    def element(kind):
        if kind == "f":
            return rng.choice(FLOATS) if rng.random() < special else rng.uniform(-3, 3)
        return rng.random() < 0.5 if kind == "b" else rng.choice(INTS)

    def array(a: Aval):
        items = [element(a.dtype.kind) for _ in range(a.size)]
        return np.array(items, a.dtype).reshape(a.shape)

    return [array(x.aval) for x in f.args]


def random_function(seed: int, size: int = 12, adjoint_loops: bool = True) -> Function:
    """`adjoint_loops`: whether there may be `rev` ops (whose adjoints are not always linear)."""
    return _Generator(random.Random(seed), adjoint_loops).function(size)


class _Generator:
    def __init__(self, rng: random.Random, adjoint_loops: bool):
        self.rng = rng
        self.structured = [self.branch, self.storing_branch, self.loop, self.loop, self.call]
        self.structured += [self.adjoint_loop] * adjoint_loops
        self.visible: list[list[Value]] = []  # by nesting

    def function(self, size: int) -> Function:
        avals = [F64, I64, BOOL, VECTOR, MATRIX, COUNTS]

        def body(*args):
            self.visible.append(list(args))
            self.ops(size, depth=0)
            return self.yields(size)

        return Function("f", build_region(avals, body, ["x", "n", "p", "v", "m", "c"]))

    # ----- Values

    def pick(self, aval: Aval) -> Value:
        """A visible value of this aval, or a constant."""
        found = [x for scope in self.visible for x in scope if x.aval == aval]
        if found and self.rng.random() < 0.8:
            # Recent ones more often, so that chains grow.
            return found[-1 - int(len(found) * self.rng.random() ** 2)]
        return self.constant(aval)

    def constant(self, aval: Aval) -> Value:
        choice = {"f": FLOATS, "i": INTS, "b": [True, False]}[aval.dtype.kind]
        return constant(self.rng.choice(choice), aval.dtype, aval.shape)

    def aval(self) -> Aval:
        return self.rng.choice(AVALS)

    def yields(self, count: int) -> list[Value]:
        return [self.pick(self.aval()) for _ in range(count)]

    def nested(self, body):
        """`body` run where what it defines is visible to itself only."""

        def run(*args):
            self.visible.append(list(args))
            try:
                return body(*args)
            finally:
                self.visible.pop()

        return run

    # ----- Ops

    def ops(self, count: int, depth: int) -> None:
        for _ in range(count):
            simple = depth >= 3 or self.rng.random() < 0.75
            make = self.plain if simple else self.rng.choice(self.structured)
            results = make() if simple else make(depth + 1)
            self.visible[-1].extend(results)

    def plain(self):
        make = self.rng.choice([self.pointwise] * 4 + [self.rearranged, self.access, self.mixed])
        return [make()]

    def pointwise(self) -> Value:
        aval = self.aval()
        kind, pick, choice = aval.dtype.kind, lambda: self.pick(aval), self.rng.choice
        if kind == "b":
            if self.rng.random() < 0.5:
                return choice(BOOL_BINARY)(pick(), pick()) if choice([0, 1]) else L.not_(pick())
            of = self.rng.choice([F64, I64]).with_shape(aval.shape)
            return choice(COMPARISONS)(self.pick(of), self.pick(of))
        if self.rng.random() < 0.2:
            return L.select(self.pick(aval.with_dtype(bool)), pick(), pick())
        if self.rng.random() < 0.1:
            return A.integer_pow(pick(), y=choice([0, 1, 2]))
        unary, binary = (FLOAT_UNARY, FLOAT_BINARY) if kind == "f" else (INT_UNARY, INT_BINARY)
        return choice(unary)(pick()) if choice([0, 0, 1]) else choice(binary)(pick(), pick())

    def rearranged(self) -> Value:
        v, m, choice = self.pick(VECTOR), self.pick(MATRIX), self.rng.choice
        makers = [
            lambda: S.broadcast(self.pick(F64), shape=(3,), dims=()),
            lambda: S.broadcast(v, shape=(2, 3), dims=(1,)),
            lambda: S.broadcast(S.reshape(self.pick(F64), shape=(1,)), shape=(3,), dims=(0,)),
            lambda: S.flip(v, axes=(0,)),
            lambda: S.flip(m, axes=choice([(0,), (1,), (0, 1), ()])),
            lambda: S.transpose(
                S.transpose(m, permutation=(1, 0)), permutation=choice([(1, 0)])
            ),
            lambda: S.reshape(S.reshape(m, shape=(6,)), shape=(2, 3)),
            lambda: S.slice(S.concatenate(v, v, axis=0), start=(choice([0, 1, 3]),),
                            limit=(6,), stride=(1,)),
            lambda: S.slice(S.slice(m, start=(0, 0), limit=(2, 3), stride=(1, 2)),
                            start=(1, 0), limit=(2, 2), stride=(1, 1)),
            lambda: S.reduce_sum(v, axes=choice([(0,), ()])),
            lambda: R.reduce_max(m, axes=(0,)),
            lambda: S.pad(v, self.pick(F64), low=(0,), high=(0,), interior=(0,)),
        ]  # fmt: skip
        return choice(makers)()

    def access(self) -> Value:
        """Loads and stores, at indices that are often the same."""
        v, i = self.pick(VECTOR), self.pick(I64)
        choice = self.rng.choice([0, 1, 2])
        if choice == 0:
            return S.reshape(W.dynamic_slice(v, i, sizes=(1,)), shape=())
        written = W.dynamic_update_slice(v, S.reshape(self.pick(F64), shape=(1,)), i)
        if choice == 1:
            return written
        return W.dynamic_slice(written, self.rng.choice([i, self.pick(I64)]), sizes=(1,))

    def mixed(self) -> Value:
        source, target = self.rng.choice(
            [(BOOL, I64), (I64, F64), (F32, F64), (F64, F32), (BOOL, F64), (I64, BOOL)]
        )
        x = L.convert(self.pick(source), dtype=target.dtype)
        return L.convert(x, dtype=source.dtype) if source.dtype.kind != "f" else x

    # ----- Ops with regions

    def branch(self, depth):
        avals = [self.aval() for _ in range(self.rng.randint(1, 3))]

        def arm():
            self.ops(self.rng.randint(0, 3), depth)
            return [self.pick(a) for a in avals]

        return if_(self.pick(BOOL), self.nested(arm), self.nested(arm))

    def storing_branch(self, depth):
        """Branches that store into the same arrays, and read what they stored."""
        arrays = [self.pick(VECTOR) for _ in range(self.rng.randint(1, 2))]

        def arm():
            versions = list(arrays)
            number = self.pick(F64)
            for _ in range(self.rng.randint(0, 3)):
                which = self.rng.randrange(len(versions))
                array, i = versions[which], self.pick(I64)
                if self.rng.random() < 0.5:
                    read = S.reshape(W.dynamic_slice(array, i, sizes=(1,)), shape=())
                    number = A.add(read, number)
                u = S.reshape(number, shape=(1,))
                versions[which] = W.dynamic_update_slice(array, u, i)
            return [*versions, number]

        return if_(self.pick(BOOL), self.nested(arm), self.nested(arm))

    def carries(self) -> list[Value]:
        """Initial values, some of them twice, so that carries can be congruent."""
        init = [self.pick(self.aval()) for _ in range(self.rng.randint(0, 4))]
        return init + [x for x in init if self.rng.random() < 0.3]

    def step(self, avals, depth):
        def body(k, *xs):
            self.ops(self.rng.randint(0, 4), depth)
            congruent = self.rng.random() < 0.5
            after = [x if self.rng.random() < 0.2 else self.pick(x.aval) for x in xs]
            if (
                congruent
                and len(xs) > 1
                and xs[0].aval == xs[-1].aval
                and xs[0].aval.dtype.kind == "f"
            ):
                after[0], after[-1] = A.add(xs[0], xs[0]), A.add(xs[-1], xs[-1])
            return after

        return build_region([I64, *avals], self.nested(body))

    def trip_count(self) -> Value:
        if self.rng.random() < 0.5:
            return constant(self.rng.choice([0, 1, 2, 3]), I64.dtype)
        return L.and_(self.pick(I64), constant(3, I64.dtype))

    def parts(self, depth) -> Loop:
        init = self.carries()
        avals = [x.aval for x in init]
        counted = self.rng.random() < 0.6
        limit = constant(self.rng.choice([1, 3]), I64.dtype)

        def cond(k, *xs):
            running = L.lt(k, limit)
            return [L.and_(running, self.pick(BOOL)) if self.rng.random() < 0.5 else running]

        conditional = not counted or self.rng.random() < 0.3
        test = build_region([I64, *avals], self.nested(cond)) if conditional else None
        count = self.trip_count() if counted else None
        return Loop(count, tuple(init), test, self.step(avals, depth), None)

    def loop(self, depth):
        return emit_loop(self.parts(depth))

    def adjoint_loop(self, depth):
        loop = self.parts(depth)
        n = len(loop.carries)
        active = tuple(i for i, x in enumerate(loop.carries) if x.aval.dtype.kind == "f")
        active = tuple(i for i in active if self.rng.random() < 0.7)
        seeds = [self.pick(loop.carries[i].aval) for i in active]
        accs = [self.pick(self.rng.choice([F64, VECTOR])) for _ in range(self.rng.randint(0, 2))]

        def adjoint(k, *args):
            self.ops(self.rng.randint(0, 3), depth)
            return [self.linear(s, args[n:]) for s in args[n:]]

        avals = [I64, *(x.aval for x in (*loop.carries, *seeds, *accs))]
        region = build_region(avals, self.nested(adjoint))
        parts = Loop(
            loop.count, loop.carries, loop.cond, loop.body, None, region, active,
            tuple(seeds), tuple(accs),
        )  # fmt: skip
        return emit_loop(parts)

    def linear(self, s: Value, state) -> Value:
        """Something of the aval of `s`, made of `state`."""
        others = [x for x in state if x.aval == s.aval]
        return self.rng.choice([
            lambda: s,
            lambda: self.rng.choice(others),
            lambda: A.mul(s, self.pick(s.aval)),
            lambda: A.add(s, A.mul(self.rng.choice(others), self.pick(s.aval))),
        ])()  # fmt: skip

    def call(self, depth):
        args = [self.pick(self.aval()) for _ in range(self.rng.randint(0, 3))]

        def body(*xs):
            self.ops(self.rng.randint(0, 4), depth)
            return self.yields(2)

        # A function is closed, but the body of a call may read what surrounds it.
        region = build_region([x.aval for x in args], self.nested(body))
        return emit(call_p, *args, regions=[region], name="g")
