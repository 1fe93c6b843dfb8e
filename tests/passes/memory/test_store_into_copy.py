"""Stores into copies: an array that is read again is not copied, but joined from parts."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.passes.memory.store_into_copy import store_into_copy
from tests.passes.before_after import before_after, unchanged


def store(x="%x", start="%1", after="add %d, %x", stored=40) -> str:
    return f"""
func @f(%x: f64[60], %u: f64[{stored}], %i: i64[]) -> f64[60] {{
  %1 = 1: i64[]
  %c = 2.0: f64[60]
  %d = dynamic_update_slice {x}, %u, {start}
  %r = {after}
  return %r
}}"""


def test_parts(golden):
    golden(before_after(store_into_copy, store()))


@pytest.mark.parametrize(
    "text",
    [store(after="neg %d"), store("%c"), store(start="%i"), store(stored=29)],
    ids=["nothing reads it later", "a constant", "a run-time index", "most is kept"],
)
def test_stores_that_stay(text):
    assert unchanged(store_into_copy, text)


# ----- Programs


def first(x, y):
    y = x.copy()
    y[1:] = x[:-1] * x[1:]
    return y * x


def last_two(x, y):
    y[:-2] = x[2:] + y[2:]
    return y, y[:-2] * x[2:]


def middle(x, y):
    z = x.copy()
    z[2:-3] = np.sqrt(y[2:-3])
    z[0] = x[5]
    return z + x, z


def beyond(x, y):
    """A run-time index of the row, all of the other axis."""
    z = np.stack([x, y])
    w = z.copy()
    w[:, 1:] = z[::-1, :-1]
    return w - z


def in_a_loop(x, y):
    for k in range(4):
        z = x.copy()
        z[1:] += 0.1 * y[:-1] * k
        y = z * 0.5
    return y


def in_a_branch(x, y):
    z = x
    if y[0] > 0:
        z = x.copy()
        z[:-1] = y[1:]
    return z + x


def aliased(x, y):
    z = x
    z[1:] = x[:-1] * 2.0
    return x + z


def nothing(x, y):
    z = x.copy()
    z[1:1] = y[1:1]
    return z * x


PROGRAMS = [first, last_two, middle, beyond, in_a_loop, in_a_branch, aliased, nothing]


NO_INTS, NO_COMPLEX = [middle, in_a_loop], [in_a_branch]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [float, np.float32, complex, int])
def test_values(f, dtype):
    if f in {int: NO_INTS, complex: NO_COMPLEX}.get(dtype, []):
        pytest.skip("NumPy refuses it")
    rng = np.random.default_rng(0)
    for n in (7, 64, 1000):
        x, y = (np.abs(rng.normal(size=n) * 3).astype(dtype) for _ in range(2))
        want = f(x.copy(), y.copy())
        found = myia.jit(f)(x.copy(), y.copy())
        for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (found, want)), strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-6 if dtype is np.float32 else 1e-14)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f):
    rng = np.random.default_rng(1)
    x, y = 0.5 + np.abs(rng.normal(size=(2, 70)))

    def loss(x, y):
        r = f(x, y)
        return sum([np.sum(np.cos(a)) for a in r]) if isinstance(r, tuple) else np.sum(np.cos(r))

    myia.check_grads(loss, (x, y), order=2)


def test_zeros_keep_their_signs():
    x = np.full(64, -0.0)
    y = np.where(np.arange(64) % 2, -0.0, 0.0)
    found, want = myia.jit(first)(x, y), first(x, y)
    assert np.array_equal(np.signbit(found), np.signbit(want))


def test_a_step_makes_no_copy():
    def steps(x, y):
        for _ in range(50):
            z = x.copy()
            z[1:] = x[1:] * y[:-1]
            y = y + 0.01 * z
        return y

    x, y = np.linspace(0.0, 1.0, 500), np.ones(500)
    text = myia.jit(steps).lower(x, y).compile().as_text()
    assert "dynamic-update-slice" not in text and "concatenate(" in text
    assert "dynamic_update_slice" in str(myia.jit(steps).ir(x, y)["finish.data_layout"])
