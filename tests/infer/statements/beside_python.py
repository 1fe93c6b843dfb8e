"""A compiled function beside Python: what it gives or raises, its effects, its derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import myia


def number_of(result: Any) -> Any:
    """The first item of a result: the rest is a trace of effects."""
    return result[0] if isinstance(result, tuple) else result


def assert_as_python(f: Callable, x: float) -> None:
    """`f(x)` gives a number, or one and a trace of effects."""
    wanted = f(x)
    found = myia.jit(f)(x)
    assert repr(found) == repr(wanted)
    h = 1e-6
    slope = (number_of(f(x + h)) - number_of(f(x - h))) / (2 * h)
    assert myia.grad(lambda y: number_of(f(y)))(x) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def assert_raises_as_python(f: Callable, x: float) -> None:
    """`f(x)` raises the same exception, with the same text."""
    with pytest.raises(Exception) as wanted:
        f(x)
    with pytest.raises(wanted.type) as found:
        myia.jit(f)(x)
    assert str(found.value).partition("\n")[0] == str(wanted.value)
