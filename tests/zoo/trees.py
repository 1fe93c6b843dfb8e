"""Python values as trees of floats: mapped, perturbed, compared."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.boundary.signature import is_state


def is_float(x: Any) -> bool:
    return isinstance(x, (float, np.ndarray, np.generic)) and np.asarray(x).dtype.kind == "f"


def children(x: Any) -> list | None:
    """The parts of a container; None for a leaf."""
    if isinstance(x, (tuple, list)):
        return list(x)
    if isinstance(x, dict):
        return list(x.values())
    return list(vars(x).values()) if is_state(x) else None


def rebuilt(x: Any, parts: list) -> Any:
    """The container with other parts."""
    if isinstance(x, tuple):
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    if isinstance(x, list):
        return list(parts)
    if isinstance(x, dict):
        return dict(zip(x, parts))
    new = copy.copy(x)
    for name, part in zip(vars(x), parts):
        object.__setattr__(new, name, part)
    return new


def map_floats(f: Callable, x: Any, other: Callable = lambda x: x) -> Any:
    """`x` with its float leaves replaced by `f` of them, and its other leaves by `other`."""
    if is_float(x):
        return f(x)
    parts = children(x)
    if parts is None:
        return other(x)
    return rebuilt(x, [map_floats(f, part, other) for part in parts])


def floats(x: Any) -> list:
    """The float leaves."""
    found: list = []
    map_floats(found.append, x)
    return found


def differentiable(x: Any) -> bool:
    """Made of floats alone: what `grad` takes as an argument."""
    others: list = []
    map_floats(lambda leaf: None, x, others.append)
    numbers = (bool, int, complex, np.ndarray, np.generic)
    plain = not any(isinstance(leaf, numbers) or callable(leaf) for leaf in others)
    return bool(floats(x)) and plain


def vector(x: Any) -> np.ndarray:
    """All floats of `x` in a row."""
    parts = [np.ravel(np.asarray(leaf, np.float64)) for leaf in floats(x)]
    return np.concatenate(parts) if parts else np.zeros(0)


def like(x: Any, numbers: np.ndarray) -> Any:
    """The inverse of `vector`: the structure of `x` with these floats."""
    rest = list(numbers)

    def leaf(old):
        size = np.size(old)
        new, rest[:size] = np.array(rest[:size], np.float64), []
        if isinstance(old, np.ndarray):
            return new.reshape(np.shape(old)).astype(old.dtype)
        return type(old)(new[0])

    return map_floats(leaf, x)


def wide(x: Any) -> Any:
    """`x` in float64."""

    def leaf(old):
        if isinstance(old, np.ndarray):
            return old.astype(np.float64)
        return old if type(old) is float else np.float64(old)

    return map_floats(leaf, x)


def is_narrow(x: Any) -> bool:
    return any(np.asarray(leaf).dtype.itemsize < 8 for leaf in floats(x))


def random_like(x: Any, seed: int) -> Any:
    """Random floats in the places of those of `x`, and None elsewhere."""
    rng = np.random.default_rng(seed)

    def leaf(old):
        new = rng.uniform(0.5, 1.5, np.shape(old))
        return new.astype(old.dtype) if isinstance(old, np.ndarray) else type(old)(new)

    return map_floats(leaf, x, lambda x: None)


def ones_like(x: Any) -> Any:
    return like(x, np.ones(len(vector(x))))


def is_same(x: Any, y: Any) -> bool:
    try:
        assert_same(x, y, 0.0)
    except AssertionError:
        return False
    return True


def assert_same(got: Any, want: Any, rtol: float, where: str = "result") -> None:
    """The same types, dtypes, shapes and structure; floats within `rtol`.

    Where Python has a float on one path and a `np.float64` on another, compiled code has the latter
    (a subclass of float) on both.
    """
    alike = type(got) is type(want) or (type(got), type(want)) == (np.float64, float)
    assert alike, f"{where}: {got!r} is a {type(got)}, not a {type(want)}"
    parts = children(want)
    if parts is not None:
        if isinstance(want, dict):
            assert list(got) == list(want), where
        others = children(got)
        assert len(others) == len(parts), f"{where}: {len(others)} items, not {len(parts)}"
        for i, (g, w) in enumerate(zip(others, parts)):
            assert_same(g, w, rtol, f"{where}[{i}]")
    elif isinstance(want, (float, complex, np.ndarray, np.generic)):
        g, w = np.asarray(got), np.asarray(want)
        assert (g.dtype, g.shape) == (w.dtype, w.shape), where
        if w.dtype.kind in "fc":
            narrow = w.dtype.itemsize < (8 if w.dtype.kind == "f" else 16)
            rtol = max(rtol, 1e-5) if narrow else rtol
            np.testing.assert_allclose(g, w, rtol, rtol * _scale(w), err_msg=where)
        else:
            np.testing.assert_array_equal(g, w, err_msg=where)
    else:
        assert got == want or got is want, f"{where}: {got!r}, not {want!r}"


def _scale(w: np.ndarray) -> float:
    finite = np.abs(w[np.isfinite(w)])
    return float(finite.max(initial=0.0)) * 1e-2 + 1e-12
