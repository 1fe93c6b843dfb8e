"""Array privatization: arrays that each iteration fills anew are not carried."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.memory.array_privatization import array_privatization
from myia.pipeline import Options
from tests.passes.before_after import before_after, unchanged

FILLED = """
func @f(%x: f64[4], %t: f64[3], %n: i64[], %s: f64[], %u: f64[1]) -> f64[] {
  %3 = 3: i64[]
  %t, %s = for %i < %n (%t = %t, %s = %s) {
    %t = for %j < %3 (%t = %t) {
      %1 = dynamic_slice %x, %i {sizes=(1,)}
      %2 = dynamic_update_slice %t, %1, %j
      yield %2
    }
    %4 = reduce_sum %t {axes=(0,)}
    %5 = add %s, %4
    yield %t, %5
  }
  return %s
}"""


def test_an_array_of_terms(golden):
    golden(before_after(array_privatization, FILLED))


def test_values():
    before = parse(FILLED)
    after = array_privatization(before)
    assert array_privatization(after) is after
    for n in (0, 1, 3):
        args = [np.arange(4.0), np.full(3, np.nan), np.int64(n), np.float64(0.5), np.ones(1)]
        assert evaluate(after, args) == evaluate(before, args)


@pytest.mark.parametrize(
    "old, new",
    [
        ("%3 = 3: i64[]", "%3 = 2: i64[]"),  # an element is left
        ("%t, %1, %j", "%t, %1, %i"),  # the same element again and again
        ("%4 = reduce_sum %t", "%6 = reduce_sum %t {axes=(0,)}\n    %4 = reduce_sum %t"),
        ("{sizes=(1,)}", "{sizes=(1,)}\n      %8 = dynamic_slice %t, %j {sizes=(1,)}"),
        ("return %s", "%9 = reduce_sum %t {axes=(0,)}\n  return %9"),  # read after the loop
    ],
)
def test_arrays_that_are_carried(old, new):
    text = FILLED.replace(old, new)
    if "%8" in new:
        text = text.replace("%t, %1, %j", "%t, %8, %j")
    stays = "%6" not in new  # two reads after the stores are as good as one
    assert unchanged(array_privatization, text) == stays


def terms_of_points(a, x):
    terms, total = np.zeros(3), 0.0
    for i in range(len(x)):
        for c in range(3):
            y = 0.0
            for j in range(x.shape[1]):
                y = np.tanh(y + a[c, j] * x[i, j])
            terms[c] = y
        total += np.log(np.sum(np.exp(terms)))
    return total


def terms_of_points_read_before(a, x):
    terms, total = np.ones(3), 0.0
    for i in range(len(x)):
        total += np.sum(terms)
        for c in range(3):
            terms[c] = a[c, i % 2] * x[i, 1]
    return total


@pytest.mark.parametrize("f", [terms_of_points, terms_of_points_read_before])
def test_derivatives(f):
    rng = np.random.default_rng(2)
    a, x, v = rng.random((3, 4)), rng.random((20, 4)), rng.random((3, 4))

    def gradient(a):
        return myia.grad(f)(a, x)

    h = 1e-5
    slope = (f(a + h * v, x) - f(a - h * v, x)) / (2 * h)
    value, found = myia.value_and_grad(f)(a, x)
    np.testing.assert_allclose(value, f(a, x), rtol=1e-13)
    np.testing.assert_allclose(np.sum(found * v), slope, rtol=1e-7)
    off = myia.grad(f, pipeline=Options(disable=frozenset({"array_privatization"})))(a, x)
    np.testing.assert_allclose(found, off, rtol=1e-12)
    second = (gradient(a + h * v) - gradient(a - h * v)) / (2 * h)
    exact = myia.grad(lambda a: np.sum(myia.grad(f)(a, x) * v))(a)
    np.testing.assert_allclose(exact, second, rtol=1e-6, atol=1e-8)
