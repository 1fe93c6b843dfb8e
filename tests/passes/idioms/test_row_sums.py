"""Sums over the rows of computed arrays: loops over the rows, with the same values."""

import numpy as np
import pytest

import myia
from myia.passes.idioms import row_sums as this
from myia.passes.idioms.row_sums import row_sums
from myia.pipeline import Options
from tests.passes.before_after import before_after, unchanged

N, K, D = 20, 7, 3


@pytest.fixture(autouse=True)
def small_arrays(monkeypatch):
    for name in ("MIN_ELEMENTS", "MIN_ROWS", "MIN_LENGTH"):
        monkeypatch.setattr(this, name, 2)
    monkeypatch.setattr(this, "MIN_GROWTH", 1.5)


def differences(p, c):
    return p[:, None, :] - c[None, :, :]


def norms(p, c):
    return np.sum(np.linalg.norm(differences(p, c), axis=-1))


def gaussians(p, c):
    return np.sum(np.exp(-np.sum(differences(p, c) ** 2, axis=2)))


def absolutes(p, c):
    return np.mean(np.abs(differences(p, c)))


def columns(p, c):  # a sum of the user, not of cotangents
    return np.sum(np.sqrt(np.sum((p[:, :1] - c[:, 0]) ** 2 + 0.1, axis=0)))


def positions(p, c):
    far = np.arange(N)[:, None] > np.arange(K)
    return np.sum(np.sum(np.where(far, p[:, :1] * c[:, 1], 0.5), axis=0) ** 2)


def chosen(p, c):
    d = differences(p, c)
    return np.sum(np.where(d > 0.3, d**2, -0.5 * d) * c[:, 0][:, None])


def all_pairs(p, c):
    r = np.sum(differences(p, p) ** 2, axis=2) + 0.1
    return np.sum(1.0 / np.sqrt(r)) + np.sum(np.maximum(p[:, :1], c[:, 0]))


def in_a_loop(p, c):
    total = 0.0
    for k in range(3):
        total += np.sum(np.sum(np.abs(p[:, :1] * (k + 1.0) - c[:, 2]), axis=0) ** 2)
    return total


FORMS = [norms, gaussians, absolutes, columns, positions, chosen, all_pairs, in_a_loop]


def arrays(dtype="f8"):
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, D)).astype(dtype), rng.normal(size=(K, D)).astype(dtype)


def disabled(f, **options):
    return myia.grad(f, pipeline=Options(disable=frozenset({"row_sums"})), **options)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("f", FORMS)
def test_gradients(f, dtype):
    p, c = arrays(dtype)
    exact = 1e-12 if dtype == "f8" else 1e-4
    np.testing.assert_allclose(myia.jit(f)(p, c), f(p, c), rtol=exact)
    for argnums in (0, 1):
        found, expected = (g(f, argnums=argnums)(p, c) for g in (myia.grad, disabled))
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=exact, atol=exact)


@pytest.mark.parametrize("f", FORMS)
def test_differences(f):
    p, c = arrays()
    v = np.random.default_rng(1).normal(size=c.shape)
    gradient, h = myia.grad(f, argnums=1), 1e-6
    expected = (f(p, c + h * v) - f(p, c - h * v)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradient(p, c) * v), expected, rtol=1e-6)
    _, forward = myia.jvp(lambda c: f(p, c), (c,), (v,))
    np.testing.assert_allclose(np.sum(gradient(p, c) * v), forward, rtol=1e-11)
    _, second = myia.jvp(lambda c: gradient(p, c), (c,), (v,))
    steps = (gradient(p, c + h * v) - gradient(p, c - h * v)) / (2 * h)
    np.testing.assert_allclose(second, steps, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", [norms, gaussians, absolutes, chosen, columns])
def test_there_is_no_array_of_all_terms(f):
    text = str(myia.grad(f, argnums=1).ir(*arrays())["finish"])
    assert "for %" in text
    sums = [line for line in text.splitlines() if "reduce_sum" in line and "axes=(0,)" in line]
    assert not sums


@pytest.mark.parametrize("f", [norms, gaussians, absolutes, chosen])
def test_special_elements(f):
    p, c = arrays()
    p[:5, 1] = [np.nan, np.inf, -np.inf, -0.0, 1e200]
    p[6], c[3, 0] = c[2], np.inf
    for argnums in (0, 1):
        found, expected = (g(f, argnums=argnums)(p, c) for g in (myia.grad, disabled))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_two_axes(golden):
    golden(before_after(row_sums, """
func @f(%x: f64[4], %y: f64[3], %w: f64[4,3]) -> f64[3] {
  %1 = broadcast %x {dims=(0,), shape=(4, 3)}
  %2 = broadcast %y {dims=(1,), shape=(4, 3)}
  %d = sub %1, %2
  %t = mul %d, %w
  %s = reduce_sum %t {axes=(0,)}
  return %s
}"""))  # fmt: skip


def test_long_rows_in_another_axis(golden, monkeypatch):
    monkeypatch.setattr(this, "MIN_LENGTH", 3)
    golden(before_after(row_sums, """
func @f(%p: f64[5,2], %c: f64[4,2], %w: f64[5,4]) -> f64[4,2] {
  %1 = broadcast %p {dims=(0, 2), shape=(5, 4, 2)}
  %2 = broadcast %c {dims=(1, 2), shape=(5, 4, 2)}
  %d = sub %1, %2
  %3 = broadcast %w {dims=(0, 1), shape=(5, 4, 2)}
  %i = iota {axis=1, dtype=i64, shape=(5, 4, 2)}
  %j = iota {axis=0, dtype=i64, shape=(5, 4, 2)}
  %b = lt %i, %j
  %t = mul %d, %3
  %z = 0.5: f64[5,4,2]
  %u = select %b, %t, %z
  %s = reduce_sum %u {axes=(0,)}
  return %s
}"""))  # fmt: skip


@pytest.mark.parametrize(
    "last", ["return %s, %t", "%u = sort %t {axis=0, keys=1}\n  return %s, %u"]
)
def test_arrays_that_are_needed_stay(last):
    assert unchanged(row_sums, f"""
func @f(%x: f64[4], %w: f64[4,3]) -> f64[3], f64[4,3] {{
  %1 = broadcast %x {{dims=(0,), shape=(4, 3)}}
  %t = mul %1, %w
  %s = reduce_sum %t {{axes=(0,)}}
  {last}
}}""")  # fmt: skip


def test_arrays_that_are_there_and_integers_are_summed_as_they_are():
    assert unchanged(row_sums, """
func @f(%w: f64[4,3], %i: i64[4,3]) -> f64[3], i64[3] {
  %s = reduce_sum %w {axes=(0,)}
  %j = mul %i, %i
  %t = reduce_sum %j {axes=(0,)}
  return %s, %t
}""")  # fmt: skip


def test_what_the_library_fuses_stays():
    text = """
func @f(%x: f64[40], %y: f64[30]) -> f64[30] {
  %1 = broadcast %x {dims=(0,), shape=(40, 30)}
  %2 = broadcast %y {dims=(1,), shape=(40, 30)}
  %d = mul %1, %2
  %t = exp %d
  %s = reduce_sum %t {axes=(0,)}
  return %s
}"""
    assert unchanged(row_sums, text)
    assert not unchanged(row_sums, text.replace("f64", "f32"))


@pytest.mark.parametrize("axis", [0, 1])
def test_short_floats_are_added_in_float32(axis):
    def f(x, y):
        terms = np.abs(x[:, None] - y[None, :]) if axis else np.abs(x[None, :] - y[:, None])
        return np.sum(terms, axis=axis)

    x, y = np.ones(64, np.float16), np.zeros(4_096, np.float16)
    np.testing.assert_array_equal(myia.jit(f)(x, y), np.full(64, 4_096, np.float16))


def test_long_rows_of_float32_are_added_in_pairs():
    def f(x, y):
        return np.sum(np.abs(x[:, None] - y[None, :]), axis=1)

    rng = np.random.default_rng(0)
    x, y = rng.random(32).astype(np.float32), rng.random(200_000).astype(np.float32)
    np.testing.assert_allclose(myia.jit(f)(x, y), f(x, y), rtol=1e-6)


def test_masks_of_rounded_numbers_are_computed_once():
    """XLA divides a row otherwise than a matrix: next to 1, on the diagonal, masks would differ."""

    def f(a, u):
        return np.sum(np.corrcoef(a, rowvar=False) * u)

    rng = np.random.default_rng(0)
    a, step = rng.standard_normal((2, 20, 300))
    u = rng.standard_normal((300, 300))
    difference = (f(a + 1e-5 * step, u) - f(a - 1e-5 * step, u)) / 2e-5
    np.testing.assert_allclose(np.sum(myia.grad(f)(a, u) * step), difference, rtol=1e-7)
