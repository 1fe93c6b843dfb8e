"""Numerical checks of derivatives."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from myia.api.jvp_vjp import jvp, vjp
from myia.infer.boundary.instances import is_state, new_instance, state_of
from myia.infer.boundary.signature import Flattener
from myia.infer.tuple_classes import new_tuple
from myia.source.tracebacks import edge

MODES = ("fwd", "rev")
STEP = {np.dtype(np.float32): 1e-2, np.dtype(np.float64): 1e-5}
TOLERANCE = {np.dtype(np.float32): 2e-2, np.dtype(np.float64): 1e-6}


@edge
def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Raise AssertionError unless the derivatives of `f` at `args` agree with central differences.

    Both modes are compared with `(f(x + eps v) - f(x - eps v)) / (2 eps)` along a random direction
    v: forward mode with J v, reverse mode as `<J^T ct, v>` with `<ct, J v>`. With `order` above 1
    the same is asked of the derivatives themselves. All numbers in `args` must be floats.

    Args:
        f: a function whose results are floats, arrays of floats or containers of them.
        args: a tuple of its positional arguments, of one dtype, float64 or float32.
        order: up to which order derivatives are compared.
        modes: "fwd", "rev" or both.
        atol, rtol, eps: tolerances, and the step of the differences; by default those that suit
            the dtype.

    Raises:
        AssertionError: the derivatives differ. TypeError: `args` is no tuple. ValueError: another
            mode, an order below 1. MyiaError: as `grad`.

    Example:
        >>> import numpy as np, myia
        >>> myia.check_grads(lambda x: np.sum(np.sin(x)), (np.arange(3.0),), order=2)
    """
    if not isinstance(args, (tuple, list)):
        raise TypeError("`args` is a tuple of the positional arguments: `(x,)`")
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or not {*modes} <= {*MODES}:
        raise ValueError(f'modes={modes!r}: "fwd", "rev" or both are compared')
    if order < 1:
        raise ValueError(f"order={order!r}: derivatives are compared from the order 1 on")
    dtype = _dtype(args)
    atol, rtol = (TOLERANCE[dtype] if t is None else t for t in (atol, rtol))
    eps = STEP[dtype] if eps is None else eps
    _check(f, tuple(args), operator.index(order), modes, atol, rtol, eps, np.random.default_rng(0))


def _check(
    f: Callable[..., Any],
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    atol: float,
    rtol: float,
    eps: float,
    rng: np.random.Generator,
) -> None:
    v = _like(args, rng)
    plus, minus = f(*_moved(args, v, eps)), f(*_moved(args, v, -eps))
    numeric = [(p - m) / (2 * eps) for p, m in zip(_leaves(plus), _leaves(minus))]
    if "fwd" in modes:
        for got, expected in zip(_leaves(jvp(f, args, v)[1]), numeric):
            np.testing.assert_allclose(got, expected, rtol, atol, err_msg="forward mode")
    if "rev" in modes:
        ct = _like(minus, rng)
        cts = vjp(f, *args)[1](ct)
        left, right = _dot(ct, numeric), _dot(cts, v)
        np.testing.assert_allclose(right, left, rtol, atol, err_msg="reverse mode")
    if order == 1:
        return
    if "fwd" in modes:

        def tangent(*xs: Any) -> Any:
            return jvp(f, xs, v)[1]

        _check(tangent, args, order - 1, modes, atol, rtol, eps, rng)
    if "rev" in modes:

        def cotangents(*xs: Any) -> Any:
            return vjp(f, *xs)[1](ct)

        _check(cotangents, args, order - 1, modes, atol, rtol, eps, rng)


# ----- Trees of numbers


def _leaves(x: Any) -> list[np.ndarray]:
    flat = Flattener()
    flat.add(x)
    return [np.asarray(leaf) for leaf in flat.leaves]


def _dtype(args: Sequence[Any]) -> np.dtype:
    """The coarsest float dtype among the arguments."""
    dtypes = {leaf.dtype for leaf in _leaves(tuple(args))}
    if not dtypes <= set(STEP):
        names = ", ".join(sorted(map(str, dtypes)))
        raise TypeError(f"check_grads needs float32 or float64 arguments, not {names}")
    return min(dtypes, key=lambda d: d.itemsize, default=np.dtype(float))


def _map(f: Callable[[np.ndarray], Any], x: Any, of_sets: type = set) -> Any:
    """`x` with its floats replaced by `f` of them; a set becomes an `of_sets`."""
    if isinstance(x, dict):
        return {k: _map(f, item, of_sets) for k, item in x.items()}
    if isinstance(x, (tuple, list, set, frozenset)):
        items = [_map(f, item, of_sets) for item in x]
        if isinstance(x, (set, frozenset)):
            return of_sets(items)
        return new_tuple(type(x), items) if isinstance(x, tuple) else type(x)(items)
    if is_state(x):
        state = {name: _map(f, value, of_sets) for name, value in state_of(x).items()}
        return new_instance(type(x), state)
    if type(x) is float:
        return float(f(np.asarray(x)))
    if getattr(x, "dtype", None) in STEP:
        return f(np.asarray(x)).astype(x.dtype)
    return x


def _like(x: Any, rng: np.random.Generator) -> Any:
    """A random direction: of a set, a list in its order."""
    return _map(lambda leaf: np.asarray(rng.normal(size=leaf.shape)), x, list)


def _moved(args: tuple[Any, ...], v: Any, by: float) -> Any:
    steps = iter(_leaves(v))
    moved = _map(lambda leaf: leaf + by * next(steps), args)
    if next(steps, None) is not None:
        raise TypeError("check_grads moves floats in tuples, lists, dicts, sets and instances only")
    return moved


def _dot(a: Any, b: Any) -> float:
    return float(sum(np.vdot(x, y).real for x, y in zip(_leaves(a), _leaves(b))))
