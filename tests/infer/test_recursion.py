"""Recursion that does not end: RecursionError, or refused, and never a result."""

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import run


def itself(x):
    return itself(x)


def with_another_argument(x):
    return with_another_argument(x + 1.0)


def on_both_paths(x):
    if x > 0:
        return on_both_paths(x - 1)
    return on_both_paths(x + 1)


def with_integers(x, n=2):
    if n > 3:
        return with_integers(x, n)
    return with_integers(x + 1, n + 1)


def inner(x):
    def go(y):
        return go(y + x)

    return go(x)


def in_a_branch(x):
    return itself(x) if x > 0 else -x


def ping(x):
    return pong(x * 2)


def pong(x):
    return ping(x - 1)


class Ladder:
    def climb(self, x):
        return self.climb(x + 1)


def method(x):
    return Ladder().climb(x)


def not_in_tail_position(x):
    return 1.0 + not_in_tail_position(x)


def without_result(x):
    without_result(x)


def past_its_end(x, n=-1):
    if n == 0:
        return x
    return past_its_end(x * 0.5, n - 1)


def until_it_raises(x):
    if x > 100.0:
        raise ValueError("far")
    return until_it_raises(x + 1)


def root(x, a):
    if abs(x * x - a) < 1e-12:
        return x
    return root(0.5 * (x + a / x), a)


RECURSION_ERRORS = (
    itself,
    with_another_argument,
    on_both_paths,
    with_integers,
    inner,
    in_a_branch,
    past_its_end,
)
REFUSED = (ping, method, not_in_tail_position, without_result)


@pytest.mark.parametrize("f", RECURSION_ERRORS, ids=lambda f: f.__name__)
def test_endless_tail_calls(f):
    with pytest.raises(RecursionError):
        f(1.0)
    with pytest.raises(RecursionError):
        myia.jit(f)(1.0)


@pytest.mark.parametrize("f", (itself, inner, past_its_end), ids=lambda f: f.__name__)
def test_endless_tail_calls_under_a_derivative(f):
    with pytest.raises(RecursionError):
        myia.grad(f)(1.0)


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_other_endless_calls_are_refused(f):
    with pytest.raises(RecursionError):
        f(1.0)
    with pytest.raises(MyiaError, match="recursion does not end"):
        run(f, 1.0)


def test_a_path_that_does_not_recur():
    assert myia.jit(in_a_branch)(-2.0) == 2.0


def test_recursion_that_ends_by_an_exception():
    with pytest.raises(ValueError, match="far"):
        myia.jit(until_it_raises)(1.0)


def test_recursion_that_ends():
    assert myia.jit(past_its_end)(3.0, 4) == 3.0 / 16
    np.testing.assert_allclose(myia.jit(root)(1.0, 2.0), np.sqrt(2.0), rtol=1e-12)
    np.testing.assert_allclose(myia.grad(root, argnums=1)(1.0, 2.0), 0.5 / np.sqrt(2), rtol=1e-6)


def to_an_int(x, n):
    def f(k):
        if k > int(n):
            return x
        return f(k + 1) + 1.0

    return f(0)


def to_a_size(x, n):
    def f(k, by=1):
        if float(k) > abs(n):
            return x
        return 0.5 * f(k + by, by=2) + 1.0

    return f(0)


def in_turns(x, n):
    def even(k):
        return x if k > int(n) else odd(k + 1) + 1.0

    def odd(k):
        return 2.0 * x if k > int(n) else x * even(k + 1)

    return even(0)


@pytest.mark.parametrize("f", (to_an_int, to_a_size, in_turns), ids=lambda f: f.__name__)
def test_the_first_call_is_static_and_a_builtin_bounds_the_depth(f):
    h, compiled, slope = 1e-6, myia.jit(f), myia.grad(f)
    for n in (0.0, 3.0, 8.0):
        assert compiled(0.7, n) == f(0.7, n)
        assert slope(0.7, n) == pytest.approx((f(0.7 + h, n) - f(0.7 - h, n)) / (2 * h), rel=1e-6)
