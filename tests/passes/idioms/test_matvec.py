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
func @f(%m: f64[80,60], %u: f64[80], %v: f64[60], %rows: bool[80], %columns: bool[60]) -> f64[60], f64[80] {
  %none = 0.0: f64[80,60]
  %r = broadcast %rows {dims=(0,), shape=(80, 60)}
  %c = broadcast %columns {dims=(1,), shape=(80, 60)}
  %1 = broadcast %u {dims=(0,), shape=(80, 60)}
  %2 = broadcast %v {dims=(1,), shape=(80, 60)}
  %rc = and %r, %c
  %4 = select %rc, %m, %none
  %5 = neg %4
  %6 = mul %5, %1
  %7 = select %r, %6, %none
  %8 = reduce_sum %7 {axes=(0,)}
  %9 = mul %2, %m
  %10 = select %c, %9, %none
  %11 = select %c, %10, %none
  %12 = reduce_sum %11 {axes=(1,)}
  return %8, %12
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


def test_masks_around_the_product(golden):
    golden(before_after(matvec, MASKED))
    rows, columns = np.arange(80) > 30, np.arange(60) < 50
    same_numbers(MASKED, [*numbers((80, 60), 80, 60), rows, columns])


def test_masked_elements_may_be_nan():
    """In the matrix and in its weight."""
    m, u, v = numbers((80, 60), 80, 60)
    rows, columns = np.arange(80) > 30, np.arange(60) < 50
    m[:30], m[:, 50:], u[:30], v[50:] = np.nan, np.inf, np.nan, np.nan
    same_numbers(MASKED, [m, u, v, rows, columns])
    same_numbers(MASKED.replace("%5 = neg %4", "%5 = neg %m"), [m, u, v, rows, columns])


def test_sums_along_the_middle_axis():
    same_numbers(
        """
func @f(%m: f64[8,60,9], %v: f64[60]) -> f64[8,9] {
  %1 = broadcast %v {dims=(1,), shape=(8, 60, 9)}
  %3 = mul %1, %m
  %5 = reduce_sum %3 {axes=(1,)}
  return %5
}""",
        numbers((8, 60, 9), 60),
    )


@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("[80,60]", "[30,60]"),
        ("axes=(1,)", "axes=(0, 1)"),
        ("dims=(1,)", "dims=(0,)"),
        ("%2 = mul %m, %1", "%2 = add %m, %1"),
        ("%2 = mul %m, %1", "%2 = mul %1, %1"),
        ("%2 = mul %m, %1", "%0 = 2.0: f64[]\n  %s = broadcast %0 {dims=(), shape=(80, 60)}\n"
         "  %2 = mul %s, %1"),
        ("%3 = reduce", "%z = 1.0: f64[80,60]\n  %0 = True: bool[80,60]\n"
         "  %2.1 = select %0, %2, %z\n  %3 = reduce"),
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
