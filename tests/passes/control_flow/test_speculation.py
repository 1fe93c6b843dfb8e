import re

import numpy as np
import pytest

import myia
from myia.passes.control_flow.speculation import speculation
from tests.passes.before_after import before_after, unchanged
from tests.passes.control_flow.test_predication import damped, nested
from tests.zoo.reference_calls import ReferenceCalls

LOOP = """
func @f(%x: f64[64], %u: {code}[64]) -> f64[64] {{
  %n = 5: i64[]
  %zero = 0: {code}[64]
  %c, %z = for %k < %n (%c = {start}, %z = %x) bound 5 {{
    %alive = eq %c, %zero
    %0 = 0.0: f64[64]
    %1 = eq %z, %0
    %2 = div %x, %z
    %3 = {result}
    %4 = 3: {code}[64]
    %5 = {code_here}
    %6 = select %1, %z, %3
    %7 = select %alive, %5, %c
    %8 = select %alive, %6, %z
    yield %7, %8
  }}
  %9 = 3: {code}[64]
  %10 = eq %c, %9
  %11 = 1.0: f64[64]
  %12 = select %10, %11, %z
  return %12
}}"""


def loop(code="i32", start="%zero", code_here="select %1, %4, %zero", result="sub %z, %2") -> str:
    return LOOP.format(code=code, start=start, code_here=code_here, result=result)


def test_a_version_without_masks(golden):
    """What an exception marks with NaN stays NaN, or else flags are carried."""
    texts = [before_after(speculation, loop(result=y)) for y in ("sub %z, %2", "max %z, %2")]
    golden("\n".join(texts))


def test_what_stays():
    assert unchanged(speculation, loop(code="i64"))
    assert unchanged(speculation, loop(start="%u"))
    assert unchanged(speculation, loop(code_here="add %4, %c"))
    assert unchanged(speculation, loop().replace("[64]", "[8]"))


def indexed(xs):
    """The condition is of an index; a NaN of the program takes the masked version."""
    total = 0.0
    for x in xs:
        y = float(x)
        try:
            for k in range(3):
                y = 0.5 * y + xs[int(100.0 * y) - k]
        except IndexError:
            y = 2.0 * y
        except (ValueError, OverflowError):
            y = 0.25
        total += y * y
    return total


def with_arrays(xs):
    total = 0.0
    for x in xs:
        v = np.array([x, 2.0 * x])
        try:
            for _ in range(3):
                v = v - np.array([1.0, 0.5]) / float(v[0] - v[1] + 1.0)
        except ZeroDivisionError:
            v = v * 0.5
        total += float(v[0] * v[1])
    return total


SAFE = np.linspace(4.0, 5.0, 1100)
ONE, LAST, MANY = SAFE.copy(), SAFE.copy(), np.tile([0.0, 3.0, 1.5, 2.5, 1.0], 220)
ONE[17], LAST[-1] = 0.0, 0.0
POINTS = {"none": SAFE, "one": ONE, "last": LAST, "many": MANY, "few": ONE[:40], "odd": ONE[:1023]}


def assert_as_masked(F, xs):
    got = F(xs)
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got, ReferenceCalls(F, disable="speculation")(xs), rtol=1e-11)


@pytest.mark.parametrize("points", POINTS)
def test_values_and_gradients(points):
    xs = POINTS[points]
    np.testing.assert_allclose(myia.jit(damped)(xs), damped(xs), rtol=1e-12)
    assert_as_masked(myia.grad(damped), xs)


@pytest.mark.parametrize("f", [damped, nested])
def test_second_derivatives(f):
    F = myia.grad(lambda x: np.sum(myia.grad(f)(x) ** 2))
    for xs in (ONE[:40], MANY[:30]):
        assert_as_masked(F, xs)
    assert_as_masked(myia.grad(f), ONE[:40])


@pytest.mark.parametrize("f", [damped, with_arrays])
def test_numbers_that_are_not_finite(f):
    """NaN, where it comes from the data, is in the result, as in Python."""
    xs = ONE.copy()
    xs[[3, 500]] = np.inf, np.nan
    for F in (myia.jit(f), myia.grad(f)):
        np.testing.assert_array_equal(
            np.isnan(F(xs)), np.isnan(ReferenceCalls(F, disable="speculation")(xs))
        )
    assert np.isnan(myia.jit(f)(xs)) and np.isnan(f(xs))


@pytest.mark.parametrize("points", ["none", "one"])
@pytest.mark.parametrize("f", [indexed, with_arrays])
def test_other_bodies(f, points):
    xs = POINTS[points][:200] / 10.0
    xs[5] = -1.0  # where `with_arrays` divides by zero
    np.testing.assert_allclose(myia.jit(f)(xs), f(xs), rtol=1e-12)
    F = myia.grad(f)
    np.testing.assert_allclose(F(xs), ReferenceCalls(F, disable="speculation")(xs), rtol=1e-11)


def test_float32():
    for xs in (SAFE, ONE, MANY):
        xs = xs.astype(np.float32)
        np.testing.assert_allclose(myia.jit(damped)(xs), damped(xs), rtol=1e-4)
        F = myia.grad(damped)
        np.testing.assert_allclose(F(xs), ReferenceCalls(F, disable="speculation")(xs), rtol=1e-3)


def test_where_no_exception_comes_up_nothing_is_masked():
    """The one selection that is left marks an exception; the masked version is in a branch."""
    for F in (myia.jit(damped), myia.grad(damped)):
        text = F.ir(np.zeros(64))["finish"]
        plain, branch = re.split(r"= if ", text, maxsplit=1)
        assert plain.count("select") <= 2 < branch.count("select")
        assert "i32[64]" not in plain.split("for")[1]
