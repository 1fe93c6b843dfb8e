"""Sorts by the same keys become one, with the same results to the bit."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.canonicalize.shared_sorts import shared_sorts
from myia.pipeline import Options
from tests.passes.before_after import before_after, unchanged

VALUES_AND_ORDER = """
func @f(%x: f64[6]) -> f64[6], f64[6], i64[6], i64[6] {
  %y = sort %x {axis=0, keys=1}
  %w = mul %y, %y
  %i = iota {axis=0, dtype=i64, shape=(6,)}
  %z, %p = sort %x, %i {axis=0, keys=1}
  %j = iota {axis=0, dtype=i64, shape=(6,)}
  %v, %q = sort %x, %j {axis=0, keys=1}
  return %w, %z, %p, %q
}"""


def test_values_and_order(golden):
    golden(before_after(shared_sorts, VALUES_AND_ORDER))


def test_results_that_regions_read(golden):
    golden(before_after(shared_sorts, """
func @f(%x: f64[3], %n: i64[]) -> f64[], i64[3] {
  %a = sort %x {axis=0, keys=1}
  %i = iota {axis=0, dtype=i64, shape=(3,)}
  %b, %p = sort %x, %i {axis=0, keys=1}
  %z = 0.0: f64[]
  %t = for %k < %n (%s = %z) bound 3 {
    %u = reduce_sum %b {axes=(0,)}
    %v = add %s, %u
    yield %v
  }
  return %t, %p
}"""))  # fmt: skip


def test_special_elements():
    before = parse(VALUES_AND_ORDER)
    x = np.array([0.0, np.nan, -0.0, np.inf, 0.0, -np.inf])
    for expected, found in zip(evaluate(before, [x]), evaluate(shared_sorts(before), [x])):
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_other_keys_and_axes():
    assert unchanged(shared_sorts, """
func @f(%x: f64[3,3], %y: f64[3,3]) -> f64[3,3], f64[3,3], f64[3,3], f64[3,3] {
  %a = sort %x {axis=0, keys=1}
  %b = sort %x {axis=1, keys=1}
  %c = sort %y {axis=0, keys=1}
  %d, %e = sort %x, %y {axis=0, keys=2}
  return %a, %b, %c, %d
}""")  # fmt: skip


def test_what_is_moved_along_may_not_be_there_yet():
    assert unchanged(shared_sorts, """
func @f(%x: f64[3]) -> f64[3] {
  %a = sort %x {axis=0, keys=1}
  %b = neg %a
  %c, %d = sort %x, %b {axis=0, keys=1}
  return %d
}""")  # fmt: skip


def median(x):
    return np.median(x)


def squares_of_rows(x):
    return np.sum(np.sort(x.reshape(-1, 5), axis=1)[:, 1:3] ** 2)


def values_and_order(x):
    return np.sum(np.sort(x) ** 2 * x[np.argsort(x)])


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        y = np.sort(x * (k - 1.0) + x**2)
        total = total + np.sum(y[:4] ** 2)
    return total


FORMS = [median, squares_of_rows, values_and_order, in_a_loop]


@pytest.mark.parametrize("f", FORMS)
def test_derivatives(f):
    rng = np.random.default_rng(3)
    x, v = rng.normal(size=20), rng.normal(size=20)
    without = Options(disable=frozenset({"shared_sorts"}))
    gradient = myia.grad(f)(x)
    np.testing.assert_array_equal(gradient, myia.grad(f, pipeline=without)(x))
    h = 1e-6
    np.testing.assert_allclose(gradient @ v, (f(x + h * v) - f(x - h * v)) / (2 * h), rtol=1e-6)
    _, forward = myia.jvp(f, (x,), (v,))
    np.testing.assert_allclose(gradient @ v, forward, rtol=1e-12)
    second = myia.hvp(f)(x, v)
    steps = [myia.grad(f)(x + s * h * v) for s in (1, -1)]
    np.testing.assert_allclose(second, (steps[0] - steps[1]) / (2 * h), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", [median, squares_of_rows, values_and_order])
def test_one_sort_is_left(f):
    x = np.linspace(-1.0, 2.0, 20)
    assert str(myia.value_and_grad(f).ir(x)["finish"]).count(" = sort ") == 1
