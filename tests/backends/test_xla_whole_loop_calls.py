"""XLA emits as one function every kind of body that the cost model admits, at the largest size.

What it cannot compile it refuses, or aborts the process: this test guards the list in `cost.py`.
"""

import tracemalloc

import jax
import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.cpu.whole_loop_cost import fusion_ends, worth_whole_loop_call
from myia.backends.xla.executable import compile_function
from myia.ir.avals import I64, aval_of
from myia.ir.builder import build_region
from myia.ir.core import Function
from myia.ir.primitive import PRIMITIVES
from myia.ir.verifier import verify
from myia.primitives.arrays.cumulative import cumprod, cumsum
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.reductions import argmax, reduce_max, reduce_prod
from myia.primitives.arrays.shaping import (
    broadcast,
    concatenate,
    flip,
    pad,
    reduce_sum,
    reshape,
    slice,
    transpose,
)
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.core.structured import loop_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.logic import convert
from myia.primitives.pointwise.transcendental import sin
from tests.backends.xla_programs import F64_, function, integer, read, write

pytestmark = pytest.mark.skipif(jax.default_backend() != "cpu", reason="rules for the CPU")

SIDE = 32
SIZE = SIDE * SIDE

ONE_FLOAT = [
    *("exp", "exp2", "expm1", "log", "log1p", "logistic", "sqrt", "rsqrt", "cbrt"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "erf", "erfc"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("floor", "ceil", "trunc", "round", "neg", "square", "reciprocal", "abs", "sign"),
]
TWO_FLOATS = ["add", "sub", "mul", "div", "atan2", "pow", "mod", "rem", "max", "min"]
LARGE = ["erf_inv", "lgamma", "digamma", "bessel_i0e", "bessel_i1e"]


def looping(size: int, step) -> tuple[Function, tuple]:
    """Three iterations of v -> step(v), on `size` numbers between 0 and 1."""

    def body(v):
        return loop([v], lambda k, v: [step(v)], count=integer(3))

    return function("f", [F64_((size,))], body), (np.linspace(0.1, 0.9, size),)


def check(f: Function, args: tuple, is_one_function: bool = True) -> None:
    verify(f)
    loops = [op for op in f.region.ops if op.regions]
    assert [worth_whole_loop_call(op) for op in loops] == [is_one_function]
    for y, x in zip(compile_function(f)(*args), evaluate(f, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ONE_FLOAT)
def test_functions_of_one_number(name):
    check(*looping(SIZE, lambda v: PRIMITIVES[name](v) * 0.1 + 0.5))


@pytest.mark.parametrize("name", TWO_FLOATS)
def test_functions_of_two_numbers(name):
    check(*looping(SIZE, lambda v: PRIMITIVES[name](v, flip(v, axes=(0,))) * 0.1 + 0.5))


@pytest.mark.parametrize("name", LARGE)
def test_large_functions(name):
    check(*looping(16, lambda v: PRIMITIVES[name](v) * 0.01 + 0.5))
    check(*looping(17, lambda v: PRIMITIVES[name](v) * 0.01 + 0.5), is_one_function=False)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.uint8])
@pytest.mark.parametrize("size", [1025, 8192, 8193])
def test_slices_that_are_moved(size, dtype):
    """A nest records a row in each iteration: most of its work is done element by element."""

    def body(x):
        zero = integer(0)

        def iteration(k, x, tape):
            tape = dynamic_update_slice(tape, reshape(x, shape=(1, size)), k, zero)
            (x,) = loop([x], lambda j, x: [write(x, read(x, j) * read(x, j), j)], count=integer(9))
            return [x, tape]

        x, tape = loop([x, zeros(x.aval.with_shape((3, size)))], iteration, count=integer(3))
        back = lambda k, x: [reshape(row(tape, k), shape=(size,))]  # noqa: E731
        return [x, tape, *loop([x], back, count=integer(2))]

    def row(tape, k):
        return dynamic_slice(tape, k, integer(0), sizes=(1, size))

    args = (np.arange(size).astype(dtype),)
    f = Function("f", build_region([aval_of(args[0])], body))
    verify(f)
    loops = [op for op in f.region.ops if op.primitive is loop_p]
    assert [worth_whole_loop_call(op) for op in loops] == [size <= 8192] * 2
    for y, x in zip(compile_function(f)(*args), evaluate(f, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-9)


def as_row(x):
    return broadcast(x, shape=(SIZE,), dims=())


def square(v):
    return reshape(v, shape=(SIDE, SIDE))


def dot(x, y, i, j):
    return dot_general(x, y, contract=((i,), (j,)), batch=((), ()))


def two_matrix_vector_products(v):
    row = slice(v, start=(0,), limit=(SIDE,), stride=(1,))
    row = sin(dot(square(v), dot(square(v), row, 1, 0), 1, 0))
    return reshape(broadcast(row, shape=(SIDE, SIDE), dims=(0,)), shape=(SIZE,))


BODIES = {
    "reduce_sum": lambda v: v * 0.5 + as_row(reduce_sum(v, axes=(0,))) * 0.01,
    "reduce_sum_of_rows": lambda v: (
        v * 0.5 + as_row(reduce_max(reduce_sum(square(v), axes=(1,)), axes=(0,)))
    ),
    "reduce_sum_of_columns": lambda v: (
        v * 0.5 + as_row(reduce_max(reduce_sum(square(v), axes=(0,)), axes=(0,)))
    ),
    "reduce_prod": lambda v: v * 0.5 + as_row(reduce_prod(v, axes=(0,))),
    "argmax": lambda v: v * 0.5 + as_row(convert(argmax(v, axis=0), dtype=np.float64)) * 0.01,
    "transpose": lambda v: reshape(transpose(square(v), permutation=(1, 0)), shape=(SIZE,)) * 0.5,
    "concatenate": lambda v: concatenate(
        slice(v, start=(1,), limit=(SIZE,), stride=(1,)),
        slice(v, start=(0,), limit=(1,), stride=(1,)),
        axis=0,
    ),
    "pad": lambda v: pad(
        slice(v, start=(0,), limit=(SIZE - 6,), stride=(1,)),
        constant(0.5, np.float64),
        low=(2,),
        high=(4,),
        interior=(0,),
    ),
    "two_matrix_vector_products": two_matrix_vector_products,
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name):
    check(*looping(SIZE, BODIES[name]))


@pytest.mark.parametrize("running", [cumsum, cumprod])
def test_running_sums_and_products(running):
    check(*looping(16, lambda v: running(v, axis=0, reverse=False) * 0.1))


def test_small_products_of_matrices():
    def step(v):
        m = reshape(v, shape=(4, 4))
        return reshape(dot(m, m, 1, 0) * 0.1 + 0.3, shape=(16,))

    check(*looping(16, step))


def test_large_products_of_matrices_are_not():
    check(
        *looping(SIZE, lambda v: reshape(dot(square(v), square(v), 1, 0), shape=(SIZE,)) * 0.1),
        False,
    )


def applied(function, times: int):
    """The function of the function of ..."""

    def step(v):
        for _ in range(times):
            v = function(v)
        return v

    return step


@pytest.mark.parametrize(("size", "most"), [(256, 70), (SIZE, 17)])
def test_many_functions_in_one_body(size, most):
    """At the limit of work in a fusion, beyond which it could be run by several threads."""
    for times, ends in ((most, 0), (most + 1, 1), (2 * most + 1, 2)):
        program, args = looping(size, applied(sin, times))
        check(program, args)
        (op,) = (op for op in program.region.ops if op.regions)
        assert len(fusion_ends(op)) == ends


@pytest.mark.parametrize("name", ["sqrt", "tanh", "exp", "reciprocal", "abs", "log1p"])
def test_fusions_that_end(name):
    check(*looping(SIZE, applied(lambda v: PRIMITIVES[name](v) * 0.1 + 0.5, 30)))


def test_fusions_end_where_stores_are_made():
    """What a row is made of is not fused to the reads of the array that it is stored in."""

    def row(k, x):
        v = reshape(dynamic_slice(x, k, integer(0), sizes=(1, SIZE)), shape=(SIZE,))
        for _ in range(3):
            v = applied(lambda v: sin(v) * 0.5 + v, 6)(v)
            x = dynamic_update_slice(x, reshape(v, shape=(1, SIZE)), k, integer(0))
            v = v + reshape(
                dynamic_slice(x, integer(2), integer(0), sizes=(1, SIZE)), shape=(SIZE,)
            )
        return [x]

    f = function("f", [F64_((3, SIZE))], lambda x: loop([x], row, count=integer(3)))
    check(f, (np.linspace(0.1, 0.9, 3 * SIZE).reshape(3, SIZE),))


def test_too_many_ends():
    """Each product is of two large fusions: to end these takes longer than calls op by op."""

    def step(v):
        powers = [v]
        for _ in range(40):
            powers.append(sin(powers[-1]))
        total, w = v, v
        for x in reversed(powers):
            w = sin(w)
            total = total + w * x
        return total

    check(*looping(SIZE, step), is_one_function=False)


def test_work_is_counted_by_region():
    """What XLA could fuse: the ops of one region, not those of a loop in it."""

    def step(v):
        for _ in range(2):
            (v,) = loop([v], lambda k, v: [sin(sin(sin(sin(sin(sin(v))))))], count=integer(2))
            v = sin(sin(sin(sin(sin(v)))))
        return v

    program, args = looping(SIZE, step)
    check(program, args)
    (op,) = (op for op in program.region.ops if op.regions)
    assert not fusion_ends(op)
    check(*looping(SIZE + 1, step), is_one_function=False)


def test_work_of_long_bodies_takes_little_memory():
    """Sets of ops are found for each value."""

    def step(v):
        x = v
        for _ in range(2000):
            x = x + v
        return x

    f, _ = looping(16, step)
    (op,) = (op for op in f.region.ops if op.regions)
    tracemalloc.start()
    assert len(fusion_ends(op)) == 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10e6


def test_dead_carries_and_arguments():
    """Nothing reads some arguments of the loop: XLA aborts on such a parameter."""

    def body(x, v, w, n):
        def iteration(k, x, v):
            return [sin(x), v * 0.5 + w]

        return loop([x, v], iteration, count=n)[:1]

    f = function("f", [F64_(()), F64_((4,)), F64_((4,)), I64], body)
    check(f, (np.asarray(0.5), np.ones(4), np.ones(4), np.asarray(3)))


def test_loops_with_empty_arrays_are_no_calls():
    def body(x, v):
        return loop([x, v], lambda k, x, v: [sin(x), v * 0.5], count=integer(3))

    f = function("f", [F64_(()), F64_((0,))], body)
    check(f, (np.asarray(0.5), np.ones(0)), is_one_function=False)
