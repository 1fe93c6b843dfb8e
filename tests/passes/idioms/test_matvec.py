import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.idioms.matvec import matvec
from tests.passes.before_after import before_after, unchanged

PLAIN = """
func @f(%m: f64[80,60], %v: f64[60]) -> f64[80] {
  %1 = broadcast %v {dims=(1,), shape=(80, 60)}
  %2 = mul %m, %1
  %3 = reduce_sum %2 {axes=(1,)}
  return %3
}"""

MASKED = """
func @f(%m: f64[80,60], %u: f64[80], %v: f64[60], %s: f64[], %rows: bool[80], %columns: bool[60]) -> f64[60], f64[80] {
  %none = 0.0: f64[80,60]
  %r = broadcast %rows {dims=(0,), shape=(80, 60)}
  %c = broadcast %columns {dims=(1,), shape=(80, 60)}
  %1 = broadcast %u {dims=(0,), shape=(80, 60)}
  %2 = broadcast %v {dims=(1,), shape=(80, 60)}
  %3 = broadcast %s {dims=(), shape=(80, 60)}
  %rc = and %r, %c
  %4 = select %rc, %m, %none
  %5 = neg %4
  %6 = mul %5, %1
  %7 = select %r, %6, %none
  %8 = reduce_sum %7 {axes=(0,)}
  %9 = mul %2, %4
  %10 = neg %9
  %11 = mul %10, %3
  %12 = select %r, %11, %none
  %13 = mul %12, %1
  %14 = select %c, %13, %none
  %15 = reduce_sum %14 {axes=(1,)}
  return %8, %15
}"""  # noqa: E501


def same_numbers(text: str, args, rtol=1e-12) -> None:
    before = parse(text)
    after = matvec(before)
    assert after is not before
    verify(after)
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=rtol, atol=1e-13)


def numbers(*shapes):
    rng = np.random.default_rng(1)
    return [rng.normal(size=shape) for shape in shapes]


def test_a_matrix_and_a_vector(golden):
    golden(before_after(matvec, PLAIN))
    same_numbers(PLAIN, numbers((80, 60), 60))


def test_masks_and_factors_around_the_product(golden):
    golden(before_after(matvec, MASKED))
    rows, columns = np.arange(80) > 30, np.arange(60) < 50
    same_numbers(MASKED, [*numbers((80, 60), 80, 60, ()), rows, columns])


def test_masked_elements_may_be_nan():
    """In the matrix, in its weight and in other factors."""
    m, u, v, s = numbers((80, 60), 80, 60, ())
    rows, columns = np.arange(80) > 30, np.arange(60) < 50
    m[:30], m[:, 50:], u[:30], v[50:] = np.nan, np.inf, np.nan, np.nan
    same_numbers(MASKED, [m, u, v, s, rows, columns])
    masked = MASKED.replace("%5 = neg %4", "%5 = neg %m")
    same_numbers(masked.replace("mul %2, %4", "mul %2, %m"), [m, u, v, s, rows, columns])


@pytest.mark.parametrize("first", [0, 30, 45, 60])
def test_fully_masked_sums_whose_factors_are_nan(first):
    """The sums are zero where all elements are masked, and only there."""
    text = """
func @f(%m: f64[80,60], %u: f64[80], %v: f64[60], %from: bool[60], %to: bool[60]) -> f64[80] {
  %none = 0.0: f64[80,60]
  %1 = broadcast %v {dims=(1,), shape=(80, 60)}
  %2 = broadcast %u {dims=(0,), shape=(80, 60)}
  %3 = broadcast %from {dims=(1,), shape=(80, 60)}
  %4 = broadcast %to {dims=(1,), shape=(80, 60)}
  %5 = mul %m, %1
  %6 = mul %5, %2
  %7 = select %3, %6, %none
  %8 = select %4, %7, %none
  %9 = reduce_sum %8 {axes=(1,)}
  return %9
}"""
    m, u, v = numbers((80, 60), 80, 60)
    u[3], u[5] = np.nan, np.nan
    args = [m, u, v, np.arange(60) >= first, np.arange(60) < 45]
    same_numbers(text, args)
    masked_before = text.replace("%7 = select %3, %6, %none", "%7 = neg %6").replace(
        "%5 = mul %m, %1", "%0 = mul %m, %1\n  %5 = select %3, %0, %none"
    )
    same_numbers(masked_before, args)


def test_many_factors():
    factors = "".join(f"  %2.{i + 1} = mul %2.{i}, %s\n" for i in range(2000))
    text = PLAIN.replace("%v: f64[60]", "%v: f64[60], %x: f64[]")
    text = text.replace("%2 =", "%s = broadcast %x {dims=(), shape=(80, 60)}\n  %2.0 =")
    assert unchanged(
        matvec,
        text.replace("  %3 = reduce_sum %2", f"{factors}  %3 = reduce_sum %2.2000"),
    )


def test_sums_along_the_middle_axis():
    same_numbers(
        """
func @f(%m: f64[8,60,9], %v: f64[60], %w: f64[9]) -> f64[8,9] {
  %1 = broadcast %v {dims=(1,), shape=(8, 60, 9)}
  %2 = broadcast %w {dims=(2,), shape=(8, 60, 9)}
  %3 = mul %m, %1
  %4 = mul %2, %3
  %5 = reduce_sum %4 {axes=(1,)}
  return %5
}""",
        numbers((8, 60, 9), 60, 9),
    )


def test_factors_are_multiplied_in_their_order():
    """`m * w` would overflow: the factor that is multiplied first stays in the matrix."""
    text = MASKED.replace("%5 = neg %4", "%5 = mul %4, %3")
    m, u, v, _ = numbers((80, 60), 80, 60, ())
    args = [m * 1e200, u * 1e200, v, np.array(1e-200), np.arange(80) > 3, np.arange(60) > 3]
    after = matvec(parse(text))
    assert np.isfinite(evaluate(after, args)[0]).all()


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("[80,60]", "[30,60]"),
        ("axes=(1,)", "axes=(0, 1)"),
        ("dims=(1,)", "dims=(0,)"),
        ("%2 = mul %m, %1", "%2 = add %m, %1"),
        ("%2 = mul %m, %1", "%2 = mul %1, %1"),
        ("  return %3", "  %4 = slice %2 {limit=(80, 1), start=(0, 0), stride=(1, 1)}\n"
         "  %5 = reshape %4 {shape=(80,)}\n  %6 = add %5, %3\n  return %6"),
        ("f64", "i64"),
    ],
)  # fmt: skip
def test_other_sums_stay(what, other):
    text = PLAIN.replace(what, other)
    if what == "dims=(1,)":
        text = text.replace("%v: f64[60]", "%v: f64[80]")
    elif what == "[80,60]":
        text = text.replace("(80, 60)", "(30, 60)").replace("f64[80]", "f64[30]")
    elif "0, 1" in other and "return" not in other:
        text = text.replace("-> f64[80]", "-> f64[]")
    assert unchanged(matvec, text)


def test_small_matrices_stay(monkeypatch):
    monkeypatch.setattr("myia.passes.idioms.matvec.MIN_MATRIX_ELEMENTS", 80 * 60 + 1)
    assert unchanged(matvec, PLAIN)
