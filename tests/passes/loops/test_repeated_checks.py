"""Repeated checks: those that are the same in all iterations are made in the first one."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.loops.repeated_checks import repeated_checks
from tests.passes.before_after import before_after, unchanged

CHECKS = """
func @f(%c: i64[], %n: i64[], %e: i32[], %s: f64[]) -> i32[], f64[] {
  %0 = 0: i32[]
  %7 = 7: i32[]
  %5 = 5: i64[]
  %e, %s = for %k < %n (%e = %e, %s = %s) {
    %e = for %j < %c (%e = %e) {
      %1 = ge %j, %5
      %2 = eq %e, %0
      %3 = and %1, %2
      %4 = select %3, %7, %e
      yield %4
    }
    %8 = mul %s, %s
    yield %e, %8
  }
  return %e, %s
}"""


def test_checks_of_inner_indices(golden):
    golden(before_after(repeated_checks, CHECKS))


def test_values():
    before = parse(CHECKS)
    after = repeated_checks(before)
    for c in (0, 4, 5, 6):
        for n in (-1, 0, 1, 3):
            for e in (0, 3):
                args = [np.int64(c), np.int64(n), np.int32(e), np.float64(1.5)]
                assert evaluate(after, args) == evaluate(before, args)


@pytest.mark.parametrize(
    "old, new",
    [
        ("ge %j, %5", "ge %j, %k"),  # another check in each iteration
        ("for %j < %c", "for %j < %k"),
        ("eq %e, %0", "ne %e, %0"),  # not kept where it is not 0
        ("select %3, %7, %e", "select %3, %e, %7"),
        ("mul %s, %s", "select %2, %s, %9"),  # the number has another use
    ],
)
def test_programs_that_stay(old, new):
    text = CHECKS.replace(old, new)
    if "%9" in new:
        text = text.replace("    %8 =", "    %9 = mul %s, %s\n    %2 = eq %e, %0\n    %8 =")
    assert unchanged(repeated_checks, text)


# ----- Programs of users


def packed_products(a, x, start):
    """The lower triangle of a matrix in a vector, times vectors."""
    n, d = x.shape
    total = np.zeros(n)
    for i in range(n):
        at = start
        for j in range(d):
            y = x[i, j]
            for k in range(j):
                y += a[at] * x[i, k]
                at += 1
            total[i] += y * y
    return np.sum(total)


def packed_arguments():
    rng = np.random.default_rng(3)
    return rng.random(6), rng.random((40, 4))


def test_loops_around_checks_are_vectorised():
    a, x = packed_arguments()
    f = myia.jit(packed_products)
    np.testing.assert_allclose(f(a, x, 0), packed_products(a, x, 0), rtol=1e-13)
    text = str(f.ir(a, x, 0)["finish"])
    assert "bound 40" not in text


@pytest.mark.parametrize("start", [0, 1, 5])
def test_errors(start):
    a, x = packed_arguments()
    for f, args in ((packed_products, (a, x, start)), (packed_products, (a, x[:0], start))):
        try:
            expected = f(*args)
        except IndexError:
            with pytest.raises(IndexError):
                myia.jit(f)(*args)
        else:
            np.testing.assert_allclose(myia.jit(f)(*args), expected, rtol=1e-13)


def test_derivatives():
    a, x = packed_arguments()

    def gradient(a):
        return myia.grad(packed_products)(a, x, 0)

    v, h = np.arange(6.0), 1e-5
    up, down = packed_products(a + h * v, x, 0), packed_products(a - h * v, x, 0)
    np.testing.assert_allclose(np.sum(gradient(a) * v), (up - down) / (2 * h), rtol=1e-7)
    second = (gradient(a + h * v) - gradient(a - h * v)) / (2 * h)
    found = myia.grad(lambda a: np.sum(myia.grad(packed_products)(a, x, 0) * v))(a)
    np.testing.assert_allclose(found, second, rtol=1e-7)
