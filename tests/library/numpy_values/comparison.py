"""Compiled programs beside NumPy: values, dtypes, types, shapes, or the exception."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_same


def copies(args: tuple) -> list:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def by_numpy(f: Callable, *args: Any) -> Any:
    """What NumPy gives, or the exception that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f(*copies(args))
        except Exception as error:
            return error


def assert_as_numpy(f: Callable, *args: Any, rtol: float | None = None) -> None:
    """Through XLA, at arrays that are arguments."""
    wanted = by_numpy(f, *args)
    if isinstance(wanted, Exception):
        with pytest.raises(type(wanted)) as raised:
            myia.jit(f)(*copies(args))
        assert str(wanted) in str(raised.value), f"{raised.value} for {wanted}"
        return
    assert_same(myia.jit(f)(*copies(args)), wanted, rtol)
