"""The form of reversed programs: effects, residuals, accumulation in place, size."""

import numpy as np
import pytest

from myia.ir.core import walk
from myia.ir.printer import to_text
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core.define import constant_p
from myia.primitives.core.effects import debug_print
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import Loop, if_p, rev_p
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.logic import gt
from myia.primitives.pointwise.transcendental import cos, exp, sin
from myia.rewriting.liveness import eliminate_dead_values
from myia.transforms.expand import expand_derivatives
from tests.transforms.derivative_checks import (
    expanded,
    function,
    gradient,
    pullback,
    pushforward,
    run,
)
from tests.transforms.derivative_zoo import VECTOR, integer, number, read, write


def count(f, name: str) -> int:
    return sum(op.primitive.name == name for op in walk(f.region))


# ----- Effects


@pytest.mark.parametrize("derivative", [pullback, pushforward])
def test_a_print_is_done_once_per_iteration(derivative, capsys):
    def body(x):
        def step(k, y):
            debug_print("{}", k)
            return [sin(y) * y]

        return loop([x], step, count=integer(3))

    f = expanded(derivative(function(body, 0.5)))
    run(f, [0.5, 1.0])
    assert capsys.readouterr().out == "0\n1\n2\n"


def test_a_print_in_a_branch_of_a_gradient_of_a_gradient(capsys):
    def body(x):
        def then():
            debug_print("here")
            return [sin(x)]

        return if_(gt(x, number(0.0)), then, lambda: [x])

    f = expanded(pullback(expanded(gradient(function(body, 0.5)))))
    run(f, [0.5, 1.0])
    assert capsys.readouterr().out == "here\n"


# ----- Residuals


def test_residuals_of_two_branches_share_results():
    def body(x, y):
        def then():
            a = sin(x)
            return [cos(a) * a]

        def other():
            a, b = exp(x), exp(y)
            return [sin(a) * b]

        return if_(gt(x, y), then, other)

    f = expanded(gradient(function(body, 0.5, 0.7)))
    forward = next(op for op in eliminate_dead_values(f.region).ops if op.primitive is if_p)
    assert len(forward.results) == 3  # of `then` a and cos a, of `else` a, b and sin a


def test_constants_are_no_residuals():
    def body(x):
        return if_(gt(x, number(0.0)), lambda: [x * 2.0], lambda: [x * 3.0])

    f = expanded(gradient(function(body, 0.5)))
    branches = [op for op in eliminate_dead_values(f.region).ops if op.primitive is if_p]
    assert len(branches) == 1  # the pullback; it reads no value of the primal branch


def test_indices_of_branches_are_no_residuals():
    """`x[i + 1] ** 2 if p > 0 else x[i - 1] ** 2`: only the loaded element is a residual."""

    def body(x, i, p):
        def square(j):
            y = read(x, j)
            return [y * y]

        return if_(gt(p, number(0.0)), lambda: square(i + 1), lambda: square(i - 1))

    f = expanded(gradient(function(body, VECTOR, 2, 0.5)))
    forward = next(op for op in eliminate_dead_values(f.region).ops if op.primitive is if_p)
    assert [y.dtype.kind for y in forward.results] == ["f"]
    for p, i in ((0.5, 3), (-0.5, 1)):
        (found,) = run(f, [VECTOR, 2, p])[:1]
        np.testing.assert_array_equal(found, 2 * VECTOR * (np.arange(4) == i))


# ----- Accumulation in place


def in_rev(f):
    (rev,) = [op for op in walk(f.region) if op.primitive is rev_p]
    return list(walk(Loop.of(rev).adjoint))


def test_an_indexed_read_in_a_loop_makes_no_array():
    def body(x):
        def step(k, s):
            (t,) = if_(gt(s, number(0.0)), lambda: [s * read(x, k)], lambda: [read(x, k)])
            return [t + sin(read(x, k + 1))]

        return loop([number(1.0)], step, count=integer(50))

    ops = in_rev(expanded(gradient(function(body, np.ones(60)))))
    arrays = [op for op in ops if any(y.aval.size > 1 for y in op.results)]
    assert {op.primitive.name for op in arrays} <= {"dynamic_update_slice", "if"}


def test_an_indexed_write_in_a_loop_makes_no_array():
    def body(x):
        def step(k, a):
            return [write(a, k + 1, sin(read(a, k)) * read(a, k + 1))]

        (a,) = loop([x], step, count=integer(50))
        return [reduce_sum(a, axes=(0,))]

    ops = in_rev(expanded(gradient(function(body, np.ones(60)))))
    arrays = [op for op in ops if any(y.aval.size > 1 for y in op.results)]
    assert {op.primitive.name for op in arrays} == {"dynamic_update_slice"}
    assert not [op for op in ops if op.primitive is constant_p and op.results[0].aval.size > 1]


# ----- Size


def nest(depth: int):
    """Loops and branches in turn."""

    def level(d, y, p):
        if d == 0:
            return [sin(y) * p]

        def step(k, z):
            return if_(gt(z, p), lambda: level(d - 1, z, p), lambda: [z * 0.5])

        return loop([y], step, count=integer(2))

    return function(lambda x, p: level(depth, x, p), 0.7, 0.8)


def test_a_nest_grows_quadratically_at_most():
    sizes = []
    for depth in range(1, 7):
        f = expanded(gradient(nest(depth)))
        sizes.append(len(list(walk(f.region))))
    second = np.diff(sizes, n=2)
    assert max(second) <= 2 * max(second[:2]), sizes


def test_second_order_is_a_small_factor():
    for depth in (1, 3):
        first = expanded(gradient(nest(depth)))
        second = expanded(pullback(first))
        assert len(list(walk(second.region))) <= 12 * len(list(walk(first.region)))


def test_the_function_given_is_not_changed():
    f = gradient(nest(2))
    before = to_text(f)
    expand_derivatives(f)
    assert to_text(f) == before


def test_cotangents_of_matrix_products_need_no_transposition():
    """Where a transposed sum of products stays one, it costs as much as a small product."""

    def body(w, x):
        y = dot_general(x, w, contract=((1,), (0,)), batch=((), ()))
        return [reduce_sum(y * y, axes=(0, 1))]

    f = expanded(gradient(function(body, np.ones((3, 4)), np.ones((2, 3)))))
    assert count(f, "dot_general") == 3 and not count(f, "transpose")
    second = expanded(pushforward(f))
    assert count(second, "dot_general") == 9 and not count(second, "transpose")
