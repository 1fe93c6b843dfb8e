"""Stores into copies: an array that is read again is not copied, but joined from parts."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.passes.memory.store_into_copy import store_into_copy
from tests.default_run import every
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


def additions(term="mul %s, %c", at="1", other="slice %y {limit=(40,), start=(0,), stride=(1,)}"):
    return f"""
func @f(%x: f64[42], %a: f64[40], %i: i64[]) -> f64[42] {{
  %n = 5: i64[]
  %z = for %k < %n (%y = %x) bound 5 {{
    %0 = 0: i64[]
    %1 = {at}: i64[]
    %c = 0.5: f64[40]
    %s = {other}
    %u = {term}
    %l = dynamic_slice %y, %0 {{sizes=(40,)}}
    %t = add %l, %u
    %v = dynamic_update_slice %y, %t, %0
    %m = dynamic_slice %v, %1 {{sizes=(40,)}}
    %w = sub %a, %u
    %r = add %m, %w
    %d = dynamic_update_slice %v, %r, %1
    yield %d
  }}
  return %z
}}"""


def test_additions(golden):
    golden(before_after(store_into_copy, additions()))


@pytest.mark.parametrize(
    "text",
    [additions("exp %s"), additions(other="neg %a"), additions().replace("add %l", "sub %l")],
    ids=["long terms", "the array is not read elsewhere", "a single addition"],
)
def test_additions_that_stay(text):
    assert unchanged(store_into_copy, text)


@pytest.mark.parametrize("at", [-3, 0, 1, 2, 7])
def test_additions_to_the_bit(at):
    """Slices beyond the array are clamped; zeros keep their signs, and NaN stays where it is."""
    before = parse(additions(at=str(at)))
    after = store_into_copy(before)
    assert "dynamic_update_slice" not in to_text(after)
    x = np.linspace(-1.0, 1.0, 42)
    x[::5], x[7], x[30] = -0.0, np.nan, np.inf
    args = [x, np.full(40, -0.0), np.array(1)]
    (want,), (found,) = evaluate(before, args), evaluate(after, args)
    assert want.tobytes() == found.tobytes()


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


@pytest.mark.parametrize("order", every(2, [1, 2]))
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f, order):
    rng = np.random.default_rng(1)
    x, y = 0.5 + np.abs(rng.normal(size=(2, 70)))

    def loss(x, y):
        r = f(x, y)
        return sum([np.sum(np.cos(a)) for a in r]) if isinstance(r, tuple) else np.sum(np.cos(r))

    myia.check_grads(loss, (x, y), order=order)


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


def diffusion(u):
    for _ in range(12):
        change = np.zeros_like(u)
        change[1:-1] = u[2:] - 2 * u[1:-1] + u[:-2]
        u = u + 0.1 * change
    return np.sum(np.cos(u))


@pytest.mark.parametrize("shape", [(8300,), (8, 1050), (8200, 2)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_adjoint_of_a_stencil_makes_no_copy(shape, dtype):
    u = np.random.default_rng(0).random(shape).astype(dtype)
    gradient = myia.grad(diffusion)
    assert gradient.ir(u)["finish"].count("dynamic_update_slice") == 1  # that of the primal
    direction, step = np.random.default_rng(1).normal(size=shape), 1e-5
    found = np.sum(gradient(u) * direction)
    u = u.astype(float)
    slope = (diffusion(u + step * direction) - diffusion(u - step * direction)) / (2 * step)
    np.testing.assert_allclose(found, slope, rtol=1e-3 if dtype is np.float32 else 1e-6)
