import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.idioms.consecutive_powers import consecutive_powers
from tests.passes.before_after import before_after, unchanged


def two_powers(first, second, dtype="f64") -> str:
    """The second power stands in a loop, where the first one is available."""
    return f"""
func @f(%x: {dtype}[], %n: i64[]) -> {dtype}[], {dtype}[] {{
  %a = {first}: {dtype}[]
  %b = {second}: {dtype}[]
  %z = pow %x, %a
  %y = 0.0: {dtype}[]
  %v, %w = for %k < %n (%v = %y, %w = %y) bound 2 {{
    %w.1 = pow %x, %b
    yield %z, %w.1
  }}
  return %v, %w
}}"""


def test_the_pullback_of_a_power(golden):
    golden(before_after(consecutive_powers, two_powers(-1.5, -2.5)))


def test_three_in_a_row(golden):
    golden(before_after(consecutive_powers, """
func @f(%x: f64[4]) -> f64[4], f64[4] {
  %a = -0.5: f64[4]
  %b = -1.5: f64[4]
  %c = -2.5: f64[4]
  %y = pow %x, %a
  %z = pow %x, %b
  %w = pow %x, %c
  return %y, %w
}"""))  # fmt: skip


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("exponent", [-0.25, -0.5, -1.0, -1.5, -2.0, -3.0, -7.5])
def test_extreme_numbers(dtype, exponent):
    before = parse(two_powers(exponent, exponent - 1, dtype))
    after = consecutive_powers(before)
    assert after is not before
    kind = np.dtype({"f32": np.float32, "f64": np.float64}[dtype])
    limits = np.finfo(kind)
    sizes = [0.0, limits.tiny, 1e-9, 0.3, 1.0, 2.5, 1e9, limits.max, np.inf, np.nan]
    for x in (sign * size for size in sizes for sign in (1, -1)):
        expected, found = (evaluate(f, [kind.type(x), 1])[1] for f in (before, after))
        np.testing.assert_allclose(found, expected, rtol=4 * limits.eps, atol=2 * limits.tiny)
        assert np.isnan(found) or np.signbit(found) == np.signbit(expected)


def test_other_exponents():
    """Not negative; a difference other than one; one, but not exactly: -1.1 is not -0.1 - 1."""
    for first, second in ((0.5, -0.5), (2.5, 1.5), (-2.5, -1.5), (-0.1, -1.1), (-1.5, -3.5)):
        assert unchanged(consecutive_powers, two_powers(first, second))


def test_a_power_of_one_branch_is_not_available():
    assert unchanged(consecutive_powers, """
func @f(%p: bool[], %x: f64[]) -> f64[] {
  %a = -1.5: f64[]
  %b = -2.5: f64[]
  %y = if %p {
    %z = pow %x, %a
    yield %z
  } else {
    yield %x
  }
  %w = pow %x, %b
  %v = add %y, %w
  return %v
}""")  # fmt: skip


def pulls(x, steps):
    total = 0.0
    for _ in range(steps):
        x = x + 0.01 * np.sum(x * x + 0.1) ** -1.25 * x
        total += np.sum((x * x) ** -0.75)
    return total


def test_a_gradient_takes_as_many_powers_as_its_function():
    """The forward sweep computes them; the adjoint loop reads records or recomputes one."""
    x = np.linspace(0.5, 2.0, 5)
    gradient = myia.grad(pulls)
    primal, program = (f.ir(x, 3)["finish"].count(" = pow ") for f in (myia.jit(pulls), gradient))
    assert primal == 2 and program <= 3

    def slope(v, h=1e-6):
        return (pulls(x + h * v, 3) - pulls(x - h * v, 3)) / (2 * h)

    v = np.array([1.0, -2.0, 0.5, 0.25, 3.0])
    np.testing.assert_allclose(gradient(x, 3) @ v, slope(v), rtol=1e-8)
    np.testing.assert_allclose(
        myia.hessian(pulls)(x, 3) @ v,
        (gradient(x + 1e-6 * v, 3) - gradient(x - 1e-6 * v, 3)) / 2e-6,
        rtol=1e-6,
    )
