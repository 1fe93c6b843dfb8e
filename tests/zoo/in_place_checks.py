"""Checks of functions that change arrays: values, written arrays and two orders of derivative.

Everything runs on the reference interpreter, which takes no compilation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import myia
from tests.zoo.reference_calls import ReferenceCalls

STEP = 1e-6
GRADIENT_RTOL, SECOND_RTOL = 1e-6, 1e-5


def check_in_place(f: Callable, *args: Any, derivatives: bool = True) -> None:
    """`f` returns a number (or anything, without derivatives) and may change its arguments."""
    ours, theirs = copies(args), copies(args)
    with np.errstate(all="ignore"):
        expected = f(*theirs)
    assert_equal(ReferenceCalls(myia.jit(f))(*ours), expected)
    assert_equal(ours, theirs)
    if derivatives:
        _check_derivatives(f, args)


def copies(args: Any) -> list[Any]:
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]


def assert_equal(got: Any, expected: Any) -> None:
    """Equal but for rounding, in structure and dtypes too."""
    if isinstance(expected, (tuple, list)):
        assert len(got) == len(expected)
        for a, b in zip(got, expected):
            assert_equal(a, b)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-13)
        assert np.asarray(got).dtype == np.asarray(expected).dtype


def _check_derivatives(f: Callable, args: tuple) -> None:
    active = tuple(
        i for i, x in enumerate(args) if isinstance(x, np.ndarray) and x.dtype.kind == "f"
    )
    rng = np.random.default_rng(len(active))
    direction = [rng.standard_normal(args[i].shape) for i in active]

    def slope(*args_and_direction):
        base, along = args_and_direction[: len(args)], args_and_direction[len(args) :]
        total = 0.0
        for g, v in zip(myia.grad(f, argnums=active)(*base), along):
            total = total + np.sum(g * v)
        return total

    first = ReferenceCalls(myia.grad(f, argnums=active))
    second = ReferenceCalls(myia.grad(slope, argnums=active))

    def moved(step: float) -> list[Any]:
        at = copies(args)
        for i, v in zip(active, direction):
            at[i] = at[i] + step * v
        return at

    def inner(found) -> float:
        return sum(np.sum(g * v) for g, v in zip(found, direction))

    untouched = copies(args)
    gradient = inner(first(*untouched))
    assert_equal(untouched, list(args))
    _assert_slope(gradient, lambda h: f(*moved(h)), GRADIENT_RTOL)
    hessian = inner(second(*copies(args), *direction))
    _assert_slope(hessian, lambda h: inner(first(*moved(h))), SECOND_RTOL)


def _assert_slope(found: float, f: Callable[[float], float], rtol: float) -> None:
    above, below = f(STEP), f(-STEP)
    expected = (above - below) / (2 * STEP)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * max(1.0, abs(above)))
