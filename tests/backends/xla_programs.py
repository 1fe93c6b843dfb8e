"""Hand-built programs of typed IR, with sample arguments: what the XLA backend is tested on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from myia.ir.avals import BOOL, F32, F64, I64, Aval
from myia.ir.builder import build_region, emit, emit1
from myia.ir.core import Function, Value
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.gather import take
from myia.primitives.arrays.shaping import broadcast, flip, reduce_sum, reshape, slice
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import call_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import add, div, mul, neg, sub
from myia.primitives.pointwise.logic import and_, convert, gt, le, lt, select
from myia.primitives.pointwise.transcendental import cos, exp, sin, tanh

PROGRAMS: dict[str, tuple[Function, list[tuple]]] = {}

C128 = Aval(np.dtype(np.complex128))
F64_ = F64.with_shape


def function(name: str, avals: Sequence[Aval], body: Callable) -> Function:
    return Function(name, build_region(avals, body))


def program(avals: Sequence[Aval], *argument_sets: tuple):
    """Register the function that `body` builds, with arguments to call it with."""

    def register(body: Callable) -> Function:
        f = function(body.__name__, avals, body)
        PROGRAMS[body.__name__] = (f, [_typed(avals, args) for args in argument_sets])
        return f

    return register


def _typed(avals: Sequence[Aval], args: tuple) -> tuple:
    return tuple(np.asarray(x, a.dtype).reshape(a.shape) for x, a in zip(args, avals, strict=True))


def integer(value: int) -> Value:
    return constant(value, np.int64)


def read(buffer: Value, *indices: Value) -> Value:
    part = dynamic_slice(buffer, *indices, sizes=(1,) * buffer.aval.ndim)
    return reshape(part, shape=())


def write(buffer: Value, x: Value, *indices: Value) -> Value:
    return dynamic_update_slice(buffer, reshape(x, shape=(1,) * buffer.aval.ndim), *indices)


def fill(x: Value, n: int) -> Value:
    return broadcast(x, shape=(n,), dims=())


# ----- Straight-line code and dtypes


@program([F64, F64], (1.5, -2.0))
def scalars(x, y):
    return [sin(x) * y + 2.0, neg(x), constant(3, np.float64)]


@program([BOOL, BOOL, I64, I64], (True, False, 7, -3), (True, True, 2**62, 1))
def integers(p, q, m, n):
    return [and_(p, q), mul(m, n), lt(m, n), select(p, m, n), convert(m, dtype=np.float64)]


@program([F32, F32.with_shape((3,))], (0.5, [1, 2, 3]))
def single_precision(x, v):
    return [mul(fill(x, 3), v), exp(x), constant(0.1, np.float32)]


@program([C128, C128.with_shape((2,))], (1 + 2j, [1j, 2]))
def complex_numbers(z, v):
    return [mul(z, z), exp(v), constant(1j, np.complex128)]


@program([F64_((0,)), F64_((2, 0))], ([], []))
def empty_arrays(v, m):
    return [sin(v), reduce_sum(v, axes=(0,)), reduce_sum(m, axes=(1,))]


@program([])
def no_arguments():
    return [constant(2, np.float64, (3,))]


PROGRAMS["no_arguments"][1].append(())


@program([F64], (2.0,))
def arguments_and_repeats_as_results(x):
    return [x, x, x * x]


# ----- Branches


@program([BOOL, F64], (True, 3.0), (False, 3.0))
def branches(p, x):
    return if_(p, lambda: [x * x, sin(x)], lambda: [x, x])


@program([F64], (4.0,), (-4.0,), (0.25,))
def nested_branches(x):
    def positive():
        return if_(gt(x, constant(1, np.float64)), lambda: [div(1, x)], lambda: [x * 3.0])

    return if_(gt(x, constant(0, np.float64)), positive, lambda: [neg(x)])


@program([F64], (1.0,), (-1.0,))
def calls(x):
    body = build_region([F64], lambda a: [a * a, sub(a, 1.0)])
    y, z = emit(call_p, x, regions=[body], name="square")
    return [y + z]


# ----- Loops


@program([F64, F64, I64], (0.3, 0.1, 5), (0.3, 0.1, 0), (0.3, 0.1, -2), (0.3, 0.1, 1))
def counted_loop(x, c, n):
    return loop([x], lambda k, x: [sin(x) * 1.01 + c], count=n)


@program([F64, I64], (0.5, 6), (0.5, 0))
def loop_that_reads_its_index(x, n):
    return loop([x], lambda k, x: [x + convert(k, dtype=np.float64)], count=n)


@program([F64], (0.5,), (200.0,), (101.0,))
def while_loop(x):
    return loop([x], lambda k, x: [x * 2.0], cond=lambda k, x: lt(x, constant(100, np.float64)))


@program([F64], (0.5,))
def while_loop_that_reads_its_index(x):
    return loop([x], lambda k, x: [x * 2.0], cond=lambda k, x: lt(k, integer(7)))


@program([F64, I64], (1.0, 100), (1.0, 3), (1.0, 0))
def counted_and_conditional(x, n):
    def below(k, x):
        return lt(x, constant(50, np.float64))

    return loop([x], lambda k, x: [x * 2.0], count=n, cond=below)


@program([F64, I64], (1.0, 4), (1.0, 0))
def condition_with_a_loop_inside(x, n):
    def below(k, x):
        (twice,) = loop([x], lambda j, y: [y + 1.0], count=k)
        return lt(twice, constant(50, np.float64))

    return loop([x], lambda k, x: [x * 2.0], count=n, cond=below)


@program([F64, F64, I64], (1.0, 2.0, 3), (1.0, 2.0, 0))
def swapped_carries(x, y, n):
    return loop([x, y], lambda k, x, y: [y, x], count=n)


@program([F64, I64, I64], (0.5, 3, 4), (0.5, 0, 4), (0.5, 3, 0))
def nested_loops(x, m, n):
    def row(i, x):
        return loop([x], lambda j, x: [x + convert(mul(i, j), dtype=np.float64)], count=n)

    return loop([x], row, count=m)


@program([F64_((5,)), I64], (range(5), 5), (range(5), 2))
def branch_in_a_loop(v, n):
    def body(k, s, v):
        x = read(v, k)
        return if_(
            gt(x, constant(2, np.float64)),
            lambda: [s + x, write(v, neg(x), k)],
            lambda: [s, v],
        )

    return loop([constant(0, np.float64), v], body, count=n)


@program([F64, I64], (0.5, 3))
def constant_array_in_a_loop(x, n):
    ones = constant(1, np.float64, (4,))
    return loop([fill(x, 4)], lambda k, v: [mul(add(v, ones), v)], count=n)


@program([F64_((1_100,)), I64], (np.linspace(0, 1, 1_100), 3))
def vector_loop(v, n):
    """Too large to be emitted as one function."""
    return loop([v], lambda k, v: [tanh(v) * 1.1], count=n)


@program([F64_((4, 4)), F64_((4,)), I64], (np.arange(16) / 20, range(4), 3))
def recurrent_network(w, h, n):
    """Small enough to be emitted as one function."""

    def step(k, h):
        return [tanh(dot_general(w, h, contract=((1,), (0,)), batch=((), ())))]

    return loop([h], step, count=n)


# ----- Loops that write arrays


@program([F64, I64], (0.3, 6), (0.3, 0))
def tape(x, n):
    t = zeros(F64_((6,)))
    return loop([x, t], lambda k, x, t: [sin(x), write(t, x, k)], count=n)


@program([F64_((7,)), I64], (np.linspace(-1, 1, 7), 6), (range(7), 0))
def recurrence_in_place(v, n):
    def body(k, v):
        i = k + 1
        return [write(v, sin(read(v, i)) * read(v, k) + read(v, i), i)]

    return loop([v], body, count=n)


@program([F64_((7,)), F64_((7,)), I64], (np.linspace(-1, 1, 7), [1] * 7, 6))
def reverse_of_recurrence(v, ct, n):
    """Several reads and writes of one buffer in an iteration: what an adjoint looks like."""

    def body(k, ct):
        i = sub(integer(6), k)
        j = sub(i, integer(1))
        x, y, t = read(v, i), read(v, j), read(ct, i)
        ct = write(ct, constant(0, np.float64), i)
        ct = write(ct, read(ct, i) + t * (cos(x) * y + 1.0), i)
        return [write(ct, read(ct, j) + t * sin(x), j)]

    return loop([ct], body, count=n)


@program([F64_((4, 3)), I64], (range(12), 3), (range(12), 0))
def row_swaps(a, n):
    def body(k, a):
        upper = dynamic_slice(a, k, integer(0), sizes=(1, 3))
        lower = dynamic_slice(a, k + 1, integer(0), sizes=(1, 3))
        a = dynamic_update_slice(a, lower, k, integer(0))
        return [dynamic_update_slice(a, upper, k + 1, integer(0))]

    return loop([a], body, count=n)


@program([F64_((4, 4)), I64], (np.arange(16) ** 2, 3))
def log_of_overwritten_values(a, n):
    """A nest that records what it overwrites, as a reverse sweep will need it."""

    def row(i, a, log, p):
        def cell(j, a, log, p):
            old, left = read(a, i, j + 1), read(a, i, j)
            return [write(a, (old + left) * 0.5, i, j + 1), write(log, old, p), p + 1]

        return loop([a, log, p], cell, count=integer(3))

    return loop([a, zeros(F64_((16,))), integer(0)], row, count=n)


@program([F64_((5,)), I64], (range(1, 6), 4))
def write_in_an_inner_loop(v, n):
    def body(k, s, v):
        before = read(v, k)
        (v,) = loop([v], lambda j, v: [write(v, read(v, j) * 0.5, j)], count=k + 1)
        return [s + before * read(v, k), v]

    return loop([constant(0, np.float64), v], body, count=n)


@program([F64_((4,)), F64_((4,)), I64], ([1, 2, 3, 4], [5, 6, 7, 8], 3))
def buffers_that_change_places(u, v, n):
    return loop([u, v], lambda k, u, v: [v, write(u, read(u, k) + read(v, k), k)], count=n)


@program([F64_((5,)), I64, I64], (range(5), 2, 3))
def table_look_up(v, i, n):
    def body(k, v):
        at = reshape(add(i, k), shape=(1,))
        return [write(v, reshape(take(v, at, axis=0), shape=()) + 1.0, k)]

    return loop([v], body, count=n)


@program([F64_((3,)), I64], ([1, 2, 3], 5), ([1, 2, 3], -5))
def slice_out_of_range(v, i):
    """Clamped, not counted from the end."""
    return [dynamic_slice(v, i, sizes=(2,)), write(v, constant(9, np.float64), i)]


@program([F64_((128,)), I64], (np.arange(128) ** 2, 3))
def shifted_slices(v, i):
    """XLA computes such an update in place, wrongly, when it is fused with a reshape."""
    shifted = dynamic_update_slice(v, slice(v, start=(0,), limit=(127,), stride=(1,)), integer(1))
    doubled = dynamic_slice(v, i, sizes=(40,)) * 2.0
    m = reshape(v, shape=(8, 16))
    down = slice(m, start=(0, 0), limit=(7, 16), stride=(1, 1)) * 0.5
    return [
        reshape(shifted, shape=(1, 128)),
        reshape(dynamic_update_slice(v, doubled, i + 1), shape=(128, 1)),
        dynamic_update_slice(m, down, integer(1), integer(0)),
        dynamic_update_slice(m, flip(down, axes=(0, 1)), integer(0), integer(0)),
    ]


@program([F64_((4, 8)), I64], (np.arange(32) ** 2, 3))
def shifted_rows_in_a_loop(m, n):
    def body(k, m):
        (rows,) = emit(call_p, m, regions=[first_rows], name="rows")
        m = dynamic_update_slice(m, rows, integer(1), integer(0))
        return [reshape(reshape(m, shape=(32,)), shape=(4, 8))]

    first_rows = build_region(
        [m.aval], lambda m: [slice(m, start=(0, 0), limit=(3, 8), stride=(1, 1)) * 0.5]
    )
    return loop([m], body, count=n)


@program([F64], (1.0,))
def le_of_constants(x):
    return [le(constant(1, np.float64), constant(2, np.float64)), emit1(sin, x)]
