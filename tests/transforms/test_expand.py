"""The expansion of `derivative` ops: their arguments, and the ops that replace them."""

import re

import numpy as np
import pytest

import myia
from myia.ir.avals import F64, I64
from myia.ir.builder import build_region, emit
from myia.ir.core import Function
from myia.ir.printer import to_text
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import call_p, derivative_p
from myia.primitives.pointwise.logic import gt
from myia.primitives.pointwise.transcendental import cos, sin
from tests.transforms.derivative_checks import check, expanded, function, run
from tests.transforms.derivative_zoo import integer, number


def derivative(body, args, seeds, mode, wrt, of, avals=None):
    region = build_region(avals or [x.aval for x in args], body)
    return emit(derivative_p, *args, *seeds, regions=[region], mode=mode, wrt=wrt, of=of)


def test_some_arguments_and_some_results():
    def body(x, y, z):
        one = number(1.0)
        f = lambda a, b, c: [a * b, sin(b) * c]  # noqa: E731
        return derivative(f, [x, y, z], [one], "vjp", (2, 1), (1,))

    results = run(expanded(function(body, 2.0, 3.0, 5.0)), [2.0, 3.0, 5.0])
    np.testing.assert_allclose(results, [6, np.sin(3) * 5, np.sin(3), 5 * np.cos(3)])


@pytest.mark.parametrize("mode", ["jvp", "vjp"])
def test_independent_results_have_zero_derivatives(mode):
    def body(x, y):
        f = lambda a, b: [sin(b), number(2.0)]  # noqa: E731
        return derivative(f, [x, y], [number(1.0), number(1.0)], mode, (0, 1), (0, 1))

    results = run(expanded(function(body, 2.0, 3.0)), [2.0, 3.0])
    derivatives = {"jvp": [np.cos(3), 0], "vjp": [0, np.cos(3)]}
    np.testing.assert_allclose(results, [np.sin(3), 2, *derivatives[mode]])


def test_the_same_value_for_two_arguments():
    """They are two arguments all the same."""

    def body(x):
        f = lambda a, b: [a * sin(b)]  # noqa: E731
        return derivative(f, [x, x], [number(1.0)], "vjp", (0, 1), (0,))

    results = run(expanded(function(body, 2.0)), [2.0])
    np.testing.assert_allclose(results[1:], [np.sin(2), 2 * np.cos(2)])


def test_enclosing_values_are_constants():
    def body(x, y):
        f = lambda a: [a * y * sin(x)]  # noqa: E731
        return derivative(f, [x], [number(1.0)], "vjp", (0,), (0,))[1:]

    f = expanded(function(body, 2.0, 3.0))
    np.testing.assert_allclose(run(f, [2.0, 3.0]), [3 * np.sin(2)])
    check(f, [2.0, 3.0], order=1)


def test_integers_among_the_results():
    def body(x, n):
        f = lambda a, m: [a * a, m + 1]  # noqa: E731
        return derivative(f, [x, n], [number(1.0)], "vjp", (0,), (0,), [F64, I64])

    assert run(expanded(function(body, 3.0, 4)), [3.0, 4]) == [9, 5, 6]


def test_calls_are_differentiated():
    def body(x, y):
        def f(a, b):
            inner = build_region([F64, F64], lambda u, v: [sin(u) * v, u])
            once = emit(call_p, a, b, regions=[inner], name="g")
            inner = build_region([F64, F64], lambda u, v: [cos(u) * v, v])
            return emit(call_p, *once, regions=[inner], name="h")

        return f(x, y)

    check(function(body, 0.7, 1.3), [0.7, 1.3])


def test_a_derivative_in_a_loop_in_a_branch():
    """Newton's iteration for a root of x² - p, whose derivative is taken inside."""

    def body(p):
        def root():
            def step(k, x):
                f = lambda a: [a * a - p]  # noqa: E731
                y, slope = derivative(f, [x], [number(1.0)], "vjp", (0,), (0,))
                return [x - y / slope]

            return loop([number(1.0)], step, count=integer(8))

        return if_(gt(p, number(0.0)), root, lambda: [p])

    f = expanded(function(body, 2.0))
    np.testing.assert_allclose(run(f, [2.0]), [np.sqrt(2)])
    check(function(body, 2.0), [2.0])


def test_derivatives_of_derivatives_innermost_first():
    def body(x):
        one = number(1.0)
        f = lambda a: [sin(a) * a]  # noqa: E731
        first = lambda a: derivative(f, [a], [one], "vjp", (0,), (0,))[1:]  # noqa: E731
        second = lambda a: derivative(first, [a], [one], "jvp", (0,), (0,))[1:]  # noqa: E731
        return derivative(second, [x], [one], "vjp", (0,), (0,))[1:]

    (third,) = run(expanded(function(body, 0.7)), [0.7])
    np.testing.assert_allclose(third, -3 * np.sin(0.7) - 0.7 * np.cos(0.7))


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_other_dtypes(dtype):
    def body(x, p):
        def f(a, q):
            return loop([a], lambda k, y: [sin(y) * q], count=integer(3))

        return derivative(f, [x, p], [constant(1.0, dtype)], "vjp", (0, 1), (0,))

    x, p = np.dtype(dtype).type(0.3), np.dtype(dtype).type(1.1)
    y, dx, dp = run(expanded(function(body, x, p)), [x, p])
    assert y.dtype == dx.dtype == dp.dtype == dtype
    want = lambda x, p: p * np.sin(p * np.sin(p * np.sin(x)))  # noqa: E731
    eps = 1e-6
    wide = lambda v: v.astype(np.result_type(dtype, "float64"))  # noqa: E731
    x, p = wide(x), wide(p)
    slopes = [
        (want(x + eps, p) - want(x - eps, p)) / (2 * eps),
        (want(x, p + eps) - want(x, p - eps)) / (2 * eps),
    ]
    np.testing.assert_allclose([dx, dp], slopes, rtol=1e-5)


def test_text(golden):
    """A loop with a branch and its gradient, to be read."""

    def body(x, p):
        def step(k, y):
            return if_(gt(y, p), lambda: [sin(y) * p], lambda: [y * y])

        return loop([x], step, count=integer(3))

    region = build_region(
        [F64, F64],
        lambda x, p: derivative(body, [x, p], [number(1.0)], "vjp", (0, 1), (0,))[1:],
        ["x", "p"],
    )
    golden(to_text(expanded(Function("f", region))))


def test_the_order_of_ops_is_that_of_the_program():
    """Also where sets of values are asked: those differ in order with the addresses of values."""

    def f(a, x):
        b = (a * x).reshape(3, 2)
        b[b[:, 0] > 0.5, [1, 0]] *= x
        return np.sum(b**2)

    arguments = np.array([[0.2, 1.5, 0.7], [0.9, 0.1, 2.0]]), 1.5
    texts, junk = set(), []
    for i in range(6):
        texts.add(re.sub(r" +#.*", "", myia.grad(f, argnums=(0, 1)).ir(*arguments)["expand"]))
        junk.append([object() for _ in range(997 * i)])  # other addresses
    assert len(texts) == 1
