"""Halos: rolled arrays become slices of a copy with wrapped edges."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.memory import halos as module
from myia.passes.memory.halos import halos
from myia.pipeline import Options
from tests.passes.before_after import before_after, unchanged

ROLLS = """
func @f(%x: f64[4], %n: i64[]) -> f64[4] {
  %u = for %k < %n (%u = %x) {
    %1 = slice %u {start=(3,), limit=(4,), stride=(1,)}
    %2 = slice %u {start=(0,), limit=(3,), stride=(1,)}
    %3 = concatenate %1, %2 {axis=0}
    %4 = mul %u, %3
    yield %4
  }
  return %u
}"""


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(module, "MIN_ELEMENTS", 2)


def test_a_roll(golden, small):
    golden(before_after(halos, ROLLS))


def test_values(small):
    before, x = parse(ROLLS), np.array([1.0, -2.0, np.nan, np.inf])
    after = halos(before)
    verify(after)
    assert halos(after) is after
    for trips in (0, 1, 3):
        args = [x, np.int64(trips)]
        np.testing.assert_array_equal(evaluate(after, args), evaluate(before, args))


@pytest.mark.parametrize(
    "old, new",
    [
        ("slice %u {start=(3,)", "slice %x {start=(3,)"),  # parts of two arrays
        (
            "{start=(0,), limit=(3,)",
            "{start=(1,), limit=(4,)",
        ),  # no roll: an element is there twice
        ("concatenate %1, %2", "concatenate %2, %1"),  # the same array
        ("%k < %n (%u = %x)", "%k < %n (%u = %x) bound 2"),
    ],
)
def test_programs_that_stay(small, old, new):
    assert old in ROLLS
    assert unchanged(halos, ROLLS.replace(old, new))


def test_small_arrays_stay():
    assert unchanged(halos, ROLLS)


# ----- Programs of users


def along_both_axes(x, steps):
    for _ in range(steps):
        x = 0.9 * x + 0.02 * np.roll(x, (1, -2), axis=(0, 1)) * np.roll(np.roll(x, -1, 0), 3, 1)
    return x


def of_computed_values(x, steps):
    for _ in range(steps):
        flux = np.sin(x) * x
        x = x - 0.1 * (np.roll(flux, -1, axis=1) - np.roll(flux, 1, axis=1)) + 0.01 * flux
    return x


def with_shifts_of_half_and_more(x, steps):
    for _ in range(steps):
        x = 0.5 * x + 0.1 * (np.roll(x, 6, 0) + np.roll(x, 7, 0) - np.roll(x, -11, 0))
    return x


def by_flat_index(x, steps):
    for _ in range(steps):
        x = x + 0.1 * np.roll(x, 1) - 0.05 * np.roll(x, -13) * x
    return x


def by_run_time_shifts(x, steps):
    for k in range(steps):
        x = 0.9 * x + 0.1 * np.roll(x, k - 2, axis=0) * np.roll(x, 2 - k, axis=1)
    return x


def old_values_kept(x, steps):
    """The array that is rolled is also carried on."""
    old = x
    for _ in range(steps):
        x, old = 1.5 * x - 0.5 * old + 0.1 * (np.roll(x, 1, 0) + np.roll(x, -1, 0) - 2.0 * x), x
    return x + old


def in_a_nest(x, steps):
    for _ in range(3):
        x = x * 1.1
        for _ in range(steps):
            x = np.where(x > 0.5, np.roll(x, 1, 0), x - 0.1 * np.roll(x, -1, 1))
    return x


def stored_in_place(x, steps):
    y = x.copy()
    for _ in range(steps):
        y[1:-1] += 0.1 * np.roll(y, 1, axis=0)[1:-1] * y[2:]
        y += 0.01 * np.roll(y, -1, axis=1)
    return y


PROGRAMS = [
    along_both_axes,
    of_computed_values,
    with_shifts_of_half_and_more,
    by_flat_index,
    by_run_time_shifts,
    old_values_kept,
    in_a_nest,
    stored_in_place,
]


WITHOUT = Options(disable=frozenset({"halos"}))


def arguments():
    rng = np.random.default_rng(5)
    return tuple(rng.random((13, 14)) for _ in range(3))


@pytest.mark.parametrize("f", PROGRAMS)
def test_value_and_gradient(f):
    x, w, v = arguments()

    def loss(x, w):
        return np.sum(w * f(x, 5))

    value, gradient = myia.value_and_grad(loss)(x, w)
    np.testing.assert_allclose(value, loss(x, w), rtol=1e-13)
    h = 1e-6
    slope = (loss(x + h * v, w) - loss(x - h * v, w)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient * v), slope, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS)
def test_with_the_pass_and_without(f):
    x, w, v = arguments()
    np.testing.assert_allclose(myia.jit(f)(np.float32(x), 5), f(x, 5), rtol=1e-4, atol=1e-5)

    def gradient(x, w):
        return myia.grad(lambda x: np.sum(w * f(x, 5)))(x)

    def second(x, w, v):
        return myia.grad(lambda x: np.sum(gradient(x, w) * v))(x)

    for g, args in ((gradient, (x, w)), (second, (x, w, v))):
        found, off = myia.jit(g)(*args), myia.jit(g, pipeline=WITHOUT)(*args)
        np.testing.assert_allclose(found, off, rtol=1e-9, atol=1e-12)


def test_no_copies_but_into_the_halo():
    """Neither barriers nor whole copies of arrays in the loop: a fill, its edges, one fusion."""

    def diffusion(x, steps):
        for _ in range(steps):
            x = x + 0.1 * (np.roll(x, 1) - 2.0 * x + np.roll(x, -1))
        return x

    text = myia.jit(diffusion).lower(np.ones(5000), 9).compile().as_text()
    body = next(c for c in text.split("\n\n") if "while/body" in c and "get-tuple-element" in c)
    assert "conditional(" not in body
    assert "f64[5000]{0} copy(" not in body and "f64[5002]{0} copy(" not in body
    assert "concatenate(" not in text


@pytest.mark.parametrize("size, shift", [(1, 1), (1, -3), (5, 0), (2, 2), (6, 12)])
def test_a_roll_by_a_multiple_of_the_length(size, shift):
    def total(u):
        for _ in range(3):
            u = u * np.roll(u, shift)
        return np.sum(u)

    u = np.linspace(0.5, 1.0, size)
    assert myia.jit(total)(u) == pytest.approx(np.sum(u**8), rel=1e-14)
    np.testing.assert_allclose(myia.grad(total)(u), 8 * u**7, rtol=1e-12)
