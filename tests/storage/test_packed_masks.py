"""Masks on tapes, a bit for each element: the numbers stay, the memory is an eighth."""

import numpy as np
import pytest

import myia
from myia.backends.xla.executable import compile_function
from myia.ir.avals import I64, aval_of
from myia.ir.core import Function, walk
from myia.ir.verifier import verify
from myia.passes.pipeline import optimize
from myia.primitives.arrays.rows import read_row, write_row
from myia.primitives.arrays.shaping import concatenate, reduce_sum, reshape
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.logic import gt, lt, select
from myia.storage import Limits
from myia.storage.lower_rev import lower_and_plan
from myia.storage.tape.packed_masks import PackedMasks, group_masks
from tests.transforms.derivative_checks import (
    directions,
    expanded,
    function,
    gradient,
    pullback,
    run,
)
from tests.transforms.random_structures import random_program

ALWAYS = Limits(min_packed_elements=(1, 1))
X = np.random.default_rng(0).normal(size=5)


def bent(y):
    """A step whose derivative reads a comparison and nothing else."""
    return select(gt(y, constant(0.1, y.dtype, y.shape)), y * 0.9 - 0.3, y * 1.1 + 0.2)


def total(x, iteration, trip_count: int):
    return reduce_sum(loop([x], iteration, count=constant(trip_count, I64.dtype))[0], axes=(0,))


def counted(trip_count: int):
    return lambda x: [total(x, lambda k, y: [bent(bent(y))], trip_count)]


def lowered(f: Function, limits: Limits = ALWAYS) -> Function:
    g, _ = lower_and_plan(f, limits)
    verify(g)
    return g


def in_bytes(f: Function) -> bool:
    """Is there a tape of bytes?"""
    return any(x.aval.dtype == np.uint8 for op in walk(f.region) for x in op.results)


def check_orders(f: Function, args) -> None:
    first = expanded(pullback(f))
    args = [*args, *directions(f, args, 0)[1]]
    second = expanded(pullback(first))
    for g, given in ((first, args), (second, [*args, *directions(first, args, 1)[1]])):
        for got, want in zip(run(lowered(g), given), run(g, given), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("masks", range(1, 9))
def test_what_is_written_is_read(masks):
    """Whatever the rows hold before the loop; in the order of an adjoint loop."""
    bits, trip_count = PackedMasks((2, 3), masks), 11
    levels = np.random.default_rng(masks).normal(size=(trip_count, masks, 2, 3))

    def body(levels):
        count = constant(trip_count, I64.dtype)
        buffer = constant(255, np.uint8, bits.buffer_aval(trip_count).shape)
        positive = lambda level: gt(level, constant(0.0, level.dtype, level.shape))  # noqa: E731

        def record(k, buffer):
            levels_now = read_row(levels, k)
            numbers = (constant(i, I64.dtype) for i in range(masks))
            return [bits.write(buffer, [positive(read_row(levels_now, i)) for i in numbers], k)]

        (buffer,) = loop([buffer], record, count=count)
        found = constant(False, np.dtype(bool), levels.shape)

        def back(j, found):
            k = constant(trip_count - 1, I64.dtype) - j
            held = [reshape(x, shape=(1, 2, 3)) for x in bits.read(buffer, k)]
            return [write_row(found, concatenate(*held, axis=0), k)]

        return loop([found], back, count=count)

    f = function(body, levels)
    (found,) = run(f, [levels])
    np.testing.assert_array_equal(found, levels > 0)
    np.testing.assert_array_equal(compile_function(f)(levels)[0], found)


@pytest.mark.parametrize("trip_count", [1, 3, 4, 5, 8, 9])
def test_trip_counts(trip_count):
    f = function(counted(trip_count), X)
    assert in_bytes(lowered(expanded(gradient(f))))
    check_orders(f, [X])


def test_loops_that_end_early():
    def body(x, n):
        (y,) = loop([x], lambda k, y: [bent(y)], cond=lambda k, y: lt(k, n), bound=20)
        return [reduce_sum(y, axes=(0,))]

    f = function(body, X, 0)
    for n in (0, 1, 7, 8, 9, 19, 20):
        check_orders(f, [X, n])


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    f, args = random_program(seed)
    check_orders(f, args)


def test_on_xla():
    f = expanded(gradient(function(counted(19), X)))
    program = compile_function(optimize(lowered(optimize(f)), "finish"))
    np.testing.assert_allclose(program(X)[0], run(f, [X])[0], rtol=1e-12)


# ----- Which masks share bytes


def test_who_shares_bytes():
    one, other = np.zeros((40, 40), bool), np.zeros(2000, bool)
    avals = [one, other, one, np.zeros((40, 40)), np.zeros(9, bool), *[other] * 8]
    found = group_masks({i: aval_of(x) for i, x in enumerate(avals)}, min_elements=1000)
    assert found == {
        (0, 2): PackedMasks((40, 40), 2),
        (1, 5, 6, 7, 8, 9, 10, 11): PackedMasks((2000,), 8),
        (12,): PackedMasks((2000,), 1),
    }


def test_inner_loops_keep_bytes():
    """What they record is filled into the tape of the loop around them."""

    def body(x):
        nine = constant(9, I64.dtype)
        return [total(x, lambda k, y: loop([y], lambda j, z: [bent(z)], count=nine), 9)]

    assert not in_bytes(lowered(expanded(gradient(function(body, X)))))


def test_small_tapes_keep_bytes():
    f = expanded(gradient(function(counted(9), X)))
    assert not in_bytes(lowered(f, Limits()))


# ----- Whole programs


N = 104  # two masks of so many rows and columns and iterations are more than a megabyte


def shortest(a):
    for k in range(N):
        a = np.minimum(a, np.add.outer(a[:, k], a[k]))
    return np.sum(a * a)


def test_shortest_paths():
    a = np.random.default_rng(0).uniform(0.1, 1.0, size=(N, N))
    gradient = myia.grad(shortest)
    (plan,) = gradient.plan(a)
    assert plan.bytes_per_iteration == 2 * N * N // 8
    assert plan.bytes == N // 4 * N * N
    assert "8 a byte" in str(plan.residuals[0])
    temporaries = gradient.lower(a).compile().memory_analysis().temp_size_in_bytes
    assert temporaries < plan.bytes + 8 * a.nbytes
    direction = np.random.default_rng(1).normal(size=a.shape)
    h = 1e-7
    want = (shortest(a + h * direction) - shortest(a - h * direction)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient(a) * direction), want, rtol=1e-6)
