"""Compiled programs beside NumPy, strictly: a tuple is no list, an array no number."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import myia


def copies(args: tuple) -> list:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def by_numpy(f: Callable, *args: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return f(*copies(args))


def described(x: Any) -> Any:
    """The structure of a result: types, dtypes and shapes."""
    if isinstance(x, (tuple, list)):
        return type(x), [described(item) for item in x]
    if isinstance(x, np.ndarray):
        return np.ndarray, x.dtype, x.shape
    return type(x)


def assert_as_numpy(f: Callable, *args: Any, rtol: float = 1e-6) -> None:
    """Through XLA: values, types, dtypes and shapes, or the type of the exception."""
    try:
        wanted = by_numpy(f, *args)
    except Exception as error:
        kind = next(cls for cls in type(error).__mro__ if not cls.__module__.startswith("numpy._"))
        with pytest.raises(kind) as raised:
            myia.jit(f)(*copies(args))
        assert "not supported" not in str(raised.value)
        return
    found = myia.jit(f)(*copies(args))
    assert described(found) == described(wanted)
    assert_equal(found, wanted, rtol)


def assert_equal(found: Any, wanted: Any, rtol: float) -> None:
    if isinstance(wanted, (tuple, list)):
        for x, y in zip(found, wanted, strict=True):
            assert_equal(x, y, rtol)
    elif wanted is not None:
        np.testing.assert_allclose(found, wanted, rtol, rtol)
