import jax
import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.ir.parser import parse
from myia.passes.canonicalize.lowering import lowering
from tests.passes.before_after import before_after, unchanged

# ----- Barriers


def test_in_loops(golden):
    golden(before_after(lowering, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[] {
  %a = barrier %x, %c {held=1}
  %y = for %k < %n (%y = %a) {
    %b = barrier %y, %c {held=1}
    %d = sin %b
    yield %d
  }
  return %y
}"""))  # fmt: skip


def test_barriers_outside_of_loops_stay():
    text = "func @f(%x: f64[], %c: f64[]) { %a = barrier %x, %c {held=1}\n return %a }"
    assert unchanged(lowering, text)


# ----- Powers


def power(exponent, aval="f64[]") -> str:
    return f"""
func @f(%x: {aval}) -> {aval} {{
  %a = {exponent}: {aval}
  %z = pow %x, %a
  return %z
}}"""


def test_one_and_a_half(golden):
    golden(before_after(lowering, power(1.5)) + before_after(lowering, power(-1.5)))


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("exponent", [1.5, -1.5])
def test_extreme_numbers(kind, exponent):
    """As evaluated, and as compiled by XLA, which flushes subnormal numbers to zero."""
    dtype = np.dtype({"f32": np.float32, "f64": np.float64}[kind])
    limits = np.finfo(dtype)
    sizes = [0, limits.tiny, limits.tiny ** (2 / 3) / 1.5, 1e-9, 0.3, 1, 2.5, 1e9, limits.max]
    x = np.array([sign * size for size in (*sizes, np.inf, np.nan) for sign in (1, -1)], dtype)
    before = parse(power(exponent, f"{kind}[{len(x)}]"))
    after = lowering(before)
    assert after is not before
    (expected,) = evaluate(before, [x])
    with jax.enable_x64(True):
        (compiled,) = compile_function(after)(x)
    for found in (*evaluate(after, [x]), np.asarray(compiled)):
        np.testing.assert_allclose(found, expected, rtol=4 * limits.eps, atol=limits.tiny)
        zero = expected == 0
        assert not np.any(np.signbit(found[zero]))


def test_other_powers():
    for exponent in (0.5, 2.5, -2.5, 1.0):
        assert unchanged(lowering, power(exponent))


def test_no_power_is_left_in_a_gradient():
    def pull(x):
        return np.sum(x * np.sum(x * x + 0.1) ** -1.5)

    x = np.linspace(0.5, 2.0, 5)
    gradient = myia.grad(pull)
    assert " = pow " not in gradient.ir(x)["finish"]
    eps = 1e-6 * np.eye(5)
    slopes = [(pull(x + e) - pull(x - e)) / 2e-6 for e in eps]
    np.testing.assert_allclose(gradient(x), slopes, rtol=1e-7)
