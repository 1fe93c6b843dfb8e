"""Compiled programs against plain Python and NumPy: values, changed arguments, exceptions, and
derivatives against differences of what Python computes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import myia
from tests.zoo.trees import assert_same, like, map_floats, vector


def same_outcome(f: Callable, *args: Any, rtol: float = 1e-10) -> Any:
    """The value of the compiled function, its arguments afterwards, or what it raises."""
    theirs, ours = copy.deepcopy(args), copy.deepcopy(args)
    want, raised = outcome(f, theirs)
    got, ours_raised = outcome(myia.jit(f), ours)
    if raised is not None:
        assert type(ours_raised) is type(raised), f"{ours_raised!r}, not {raised!r}"
        assert ours_raised.args == raised.args
        return raised
    if ours_raised is not None:
        raise ours_raised
    assert_same(with_ints(got), with_ints(want), rtol)
    assert_same(ours, theirs, rtol, "arguments")
    return got


def with_ints(x: Any) -> Any:
    """Results with NumPy's integers as Python's: where paths have both, compiled code has one."""
    return map_floats(lambda y: y, x, lambda y: int(y) if isinstance(y, np.integer) else y)


def outcome(f: Callable, args: tuple) -> tuple[Any, Exception | None]:
    try:
        return f(*args), None
    except Exception as error:
        return None, error


def right_gradient(f: Callable, *args: Any, argnum: int = 0, rtol: float = 1e-5) -> None:
    """The gradient against central differences of fourth order of `f`."""
    at, direction = args[argnum], random_direction(args[argnum])
    got = vector(called(myia.grad(f, argnums=argnum), args, argnum, at))
    slope = differences(lambda x: np.array([float(called(f, args, argnum, x))]), at, direction)
    np.testing.assert_allclose(got @ direction, slope[0], rtol, rtol * 1e-2)


def right_second(f: Callable, *args: Any, argnum: int = 0, rtol: float = 1e-5) -> None:
    """A product with the Hessian against central differences of fourth order of the gradient."""
    at, direction = args[argnum], random_direction(args[argnum])
    gradient = myia.grad(f, argnums=argnum)
    product = products_with_hessian(f, argnum, like(at, direction))
    second = vector(called(product, args, argnum, at))
    want = differences(lambda x: vector(called(gradient, args, argnum, x)), at, direction)
    np.testing.assert_allclose(second, want, rtol, rtol * np.abs(want).max() + 1e-8)


def called(f: Callable, args: tuple, argnum: int, x: Any) -> Any:
    """The result with another argument at `argnum`; all are copies."""
    return f(*copy.deepcopy((*args[:argnum], x, *args[argnum + 1 :])))


def products_with_hessian(f: Callable, argnum: int, tangent: Any) -> Callable:
    def product(*args: Any) -> Any:
        def gradient(x: Any) -> Any:
            return myia.grad(f, argnums=argnum)(*args[:argnum], x, *args[argnum + 1 :])

        return myia.jvp(gradient, (args[argnum],), (tangent,))[1]

    return myia.jit(product)


def random_direction(x: Any) -> np.ndarray:
    n = len(vector(x))
    return np.random.default_rng(n).normal(size=n) / np.sqrt(n)


def differences(g: Callable, at: Any, direction: np.ndarray, h: float = 1e-4) -> np.ndarray:
    def moved(t: float) -> np.ndarray:
        return g(like(at, vector(at) + t * direction))

    return (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h)
