"""What `vmap` means: a loop over the examples in Python."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def by_loop(f: Callable[..., Any], args: Sequence[Any], axes: Sequence[int | None]) -> Any:
    """The results of `f` for the examples of `args`, stacked; what it writes is in `args`."""
    size = next(x.shape[axis] for x, axis in zip(args, axes) if axis is not None)
    return stacked([f(*[part(x, axis, i) for x, axis in zip(args, axes)]) for i in range(size)])


def part(x: Any, axis: int | None, i: int) -> Any:
    return x if axis is None else np.moveaxis(x, axis, 0)[i]


def stacked(results: Sequence[Any]) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        return type(first)(stacked([x[i] for x in results]) for i in range(len(first)))
    if isinstance(first, dict):
        return {key: stacked([x[key] for x in results]) for key in first}
    return np.stack(results)


def assert_equal(got: Any, want: Any, rtol: float = 1e-12) -> None:
    """The same structure, dtypes, shapes and numbers."""
    if isinstance(want, (tuple, list)):
        assert type(got) is type(want) and len(got) == len(want)
        for x, y in zip(got, want):
            assert_equal(x, y, rtol)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        for key in want:
            assert_equal(got[key], want[key], rtol)
    else:
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol)


def check(
    transformed: Callable[..., Any],
    f: Callable[..., Any],
    args: Sequence[Any],
    axes: Sequence[int | None] | None = None,
) -> None:
    """`transformed(*args)` is the loop over `f`, and does the same to the arguments."""
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    got, want = transformed(*ours), by_loop(f, theirs, axes or [0] * len(args))
    assert_equal(got, want)
    for x, y in zip(ours, theirs):
        np.testing.assert_allclose(x, y, 1e-12)
