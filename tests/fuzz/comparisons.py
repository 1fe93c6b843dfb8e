"""How results, errors and derivatives are compared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.infer.domain.errors import CertainError
from myia.source.diagnostics import MyiaError
from myia.source.hidden import HIDDEN, Hidden

VALUE_RTOL = 1e-9
STEP = 1e-4
STEEP = 1e3


class Mismatch(AssertionError):
    """The compiler is wrong; `kind` says in what."""

    def __init__(self, kind: str, message: str):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Skip(Exception):
    """Python's own result cannot be compared with: it is not finite, or huge, ..."""


def vector(tree: Any) -> np.ndarray:
    """All numbers as one vector."""
    if isinstance(tree, (tuple, list)):
        return np.concatenate([np.zeros(0), *map(vector, tree)])
    return np.ravel(np.asarray(tree, float))


def assert_same(
    got: Any, want: Any, kind: str, rtol: float = VALUE_RTOL, wider: bool = False
) -> None:
    """Equal up to rounding. A number may have a wider type than in Python, from another path.

    So may an array, if `wider`: where paths with arrays of different dtypes are merged.
    """
    if isinstance(want, tuple):
        if not isinstance(got, tuple) or len(got) != len(want):
            raise Mismatch(kind, f"{got!r}, not {want!r}")
        for g, w in zip(got, want):
            assert_same(g, w, kind, rtol, wider)
        return
    g, w = np.asarray(got), np.asarray(want)
    arrays = isinstance(got, np.ndarray), isinstance(want, np.ndarray)
    fits = (
        (g.dtype == w.dtype or (wider and np.can_cast(w.dtype, g.dtype)))
        if all(arrays)
        else "biuf".index(g.dtype.kind) >= "biuf".index(w.dtype.kind)
    )
    if arrays[0] != arrays[1] or g.shape != w.shape or not fits:
        raise Mismatch(kind, f"{got!r}, not {want!r}")
    assert_close(g, w, rtol, kind)


# ----- Errors


def alike(got: Exception | None, want: Exception | None) -> bool:
    """The same kind of error, with the same message.

    A certain failure is found at compile time, and counts as both. Numbers that a second run would
    find are not compared.
    """
    if got is None or want is None:
        return got is want
    if isinstance(got, CertainError):
        return issubclass(got.exception, type(want))
    if isinstance(got, MyiaError):
        return isinstance(got, type(want))
    same = [_same_argument(g, w) for g, w in zip(got.args, want.args)]
    return type(got) is type(want) and len(got.args) == len(want.args) and all(same)


def _same_argument(got: Any, want: Any) -> bool:
    if isinstance(got, Hidden):
        return True
    if isinstance(got, str) and isinstance(want, str):
        return re.fullmatch(".*".join(map(re.escape, got.split(HIDDEN))), want) is not None
    if isinstance(got, (int, float)) and isinstance(want, (int, float)):
        return bool(np.isclose(got, want, rtol=VALUE_RTOL, equal_nan=True))
    return bool(got == want)


def assert_close(got: np.ndarray, want: np.ndarray, rtol: float, kind: str) -> None:
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = np.max(np.abs(want), initial=1.0)
    if got.shape != want.shape or not np.all(np.abs(got - want) <= rtol * scale):
        raise Mismatch(kind, f"{got!r}, not {want!r}")


def differences(f: Callable[[np.ndarray], Any], x: np.ndarray, directions) -> tuple:
    """Directional derivatives by central differences, and where they can be trusted.

    They cannot be trusted at kinks and jumps, where two step sizes or the two sides disagree, nor
    at steep slopes.
    """
    slopes, trusted = [], []
    here = vector(f(x))
    for e in directions:
        step = STEP * np.asarray(e)
        ahead, behind = vector(f(x + step)), vector(f(x - step))
        near = (ahead - behind) / (2 * STEP)
        far = (vector(f(x + 2 * step)) - vector(f(x - 2 * step))) / (4 * STEP)
        scale = 1 + np.abs(near) + np.abs(here) * 1e-3
        bent = np.abs(ahead + behind - 2 * here) / STEP
        slopes.append((4 * near - far) / 3)
        smooth = (np.abs(near - far) < 3e-5 * scale) & (bent < 0.03 * scale)
        trusted.append(smooth & (np.abs(near) < STEEP))
    return np.array(slopes), np.array(trusted)
