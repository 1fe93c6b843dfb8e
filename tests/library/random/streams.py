"""Programs that draw, beside Python: the results, and what becomes of the generator."""

from __future__ import annotations

from typing import Any

import numpy as np

import myia


def check_stream(f, *args, make=lambda: np.random.default_rng(3), rtol=0.0, calls=2) -> None:
    """`f(generator, *args)` compiled and in Python: equal results and types, equal generators."""
    ours, theirs = make(), make()
    compiled = myia.jit(f)
    for _ in range(calls):
        check_equal(compiled(ours, *args), f(theirs, *args), rtol)
        assert state(ours) == state(theirs)


def state(x: Any) -> Any:
    """What a generator is about to draw, as a text."""
    if isinstance(x, np.random.Generator):
        x = x.bit_generator
    if isinstance(x, np.random.RandomState):
        return repr(x.get_state(legacy=False))
    found = x.getstate() if hasattr(x, "getstate") else x.state
    return repr(found)


def check_equal(got: Any, want: Any, rtol: float) -> None:
    assert type(got) is type(want)
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for a, b in zip(got, want):
            check_equal(a, b, rtol)
    elif rtol and getattr(want, "dtype", np.dtype(float)).kind == "f" and want is not None:
        assert np.asarray(got).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(got, want, rtol=rtol, atol=0)
    else:
        assert getattr(got, "dtype", None) == getattr(want, "dtype", None)
        np.testing.assert_array_equal(got, want)


def differences(f, x: np.ndarray, make, step: float = 1e-6) -> np.ndarray:
    """Central differences of `f(x, generator)`, with equal generators."""
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = step
        found[i] = (f(x + e, make()) - f(x - e, make())) / (2 * step)
    return found
