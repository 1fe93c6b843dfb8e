import jax
import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.passes.canonicalize.dce import dce
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


# ----- Scatters of a few slices

SCATTER = """
func @f(%x: f64[3,5], %i: i64[4,1], %u: f64[3,4]) -> f64[3,5] {
  %n = 3: i64[]
  %z = 0.0: f64[3,5]
  %y = for %k < %n (%y = %x) {
    %1 = scatter_add %z, %i, %u {dims=((0,), (1,), (1,), (), ()), mode='clip'}
    %2 = add %y, %1 {reassoc=True}
    yield %2
  }
  return %y
}"""

OF_ELEMENTS = """
func @f(%x: f64[2,4], %i: i64[2,3,1], %u: f64[2,3]) -> f64[2,4] {
  %n = 2: i64[]
  %y = for %k < %n (%y = %x) {
    %1 = scatter_add %y, %i, %u {dims=((), (1,), (1,), (0,), (0,)), mode='clip'}
    yield %1
  }
  return %y
}"""


def test_a_few_columns(golden):
    golden(before_after(lambda f: dce(lowering(f)), SCATTER))


@pytest.mark.parametrize("text", [SCATTER, OF_ELEMENTS])
def test_scattered_slices(text):
    """Repeated and out of range."""
    before = parse(text)
    after = lowering(before)
    assert "scatter" not in to_text(dce(after))
    rng = np.random.default_rng(2)
    for low, high in ((0, 4), (1, 2), (-9, 12)):
        args = [
            rng.integers(low, high, x.shape) if x.dtype.kind == "i" else rng.normal(size=x.shape)
            for x in (arg.aval for arg in before.args)
        ]
        for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-13)


@pytest.mark.parametrize(
    "changed",
    [
        ("mode='clip'", "mode='fill'"),
        ("%y = for %k < %n (%y = %x) {", "%y = if %c { yield %x } else {"),
    ],
)
def test_other_scatters_stay(changed):
    text = OF_ELEMENTS.replace(*changed)
    if "if" in changed[1]:
        text = text.replace("%x: f64[2,4]", "%c: bool[], %x: f64[2,4]").replace("%y, %i", "%x, %i")
    assert unchanged(lowering, text)


def det(a):
    n = len(a)
    if n == 1:
        return a[0, 0]
    total, sign, columns = 0.0, 1.0, np.arange(n - 1)
    for j in range(n):
        total += sign * a[0, j] * det(a[1:, columns + (columns >= j)])
        sign = -sign
    return total


def test_a_determinant_by_minors():
    a = np.random.default_rng(1).normal(size=(4, 4))
    gradient = myia.grad(det)
    assert "scatter" not in gradient.ir(a)["finish"]
    np.testing.assert_allclose(gradient(a), np.linalg.det(a) * np.linalg.inv(a).T, rtol=1e-11)
    b = a.astype(np.float32)
    np.testing.assert_allclose(gradient(b), gradient(a), rtol=1e-3)
