"""Redundant masks are dropped: only elements that are not read may change."""

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.canonicalize.mask_simplification import mask_simplification
from tests.passes.before_after import before_after, unchanged


def program(*lines: str, result: str) -> str:
    text = "\n".join(f"  {line}" for line in lines)
    return f"""
func @f(%m: bool[3], %p: bool[3], %x: f64[3], %y: f64[3]) -> {result} {{
{text}
}}"""


def test_masked_elements(golden):
    """In two dimensions the masks are broadcasts, combined by `and`."""
    golden(before_after(mask_simplification, """
func @f(%m: bool[3], %x: f64[3], %y: f64[3], %a: f64[3,3]) -> f64[3,3] {
  %1 = 1.0: f64[3]
  %v = select %m, %x, %1
  %w = select %m, %y, %1
  %rows = broadcast %m {dims=(0,), shape=(3, 3)}
  %columns = broadcast %m {dims=(1,), shape=(3, 3)}
  %2 = broadcast %v {dims=(0,), shape=(3, 3)}
  %3 = broadcast %w {dims=(1,), shape=(3, 3)}
  %4 = select %columns, %2, %a
  %5 = select %rows, %3, %a
  %6 = mul %4, %5
  %both = and %rows, %columns
  %7 = select %both, %6, %a
  return %7
}"""))  # fmt: skip


INNER = "%1 = select %m, %x, %y"
UNMASKED = [
    program(INNER, "%2 = sin %1", "%3 = select %p, %2, %y", "return %3", result="f64[3]"),
    program(INNER, "%2 = select %p, %y, %1", "return %2", result="f64[3]"),
    program(INNER, "%2 = select %m, %1, %y", "return %2, %1", result="f64[3], f64[3]"),
    program(
        INNER,
        "%2 = reduce_sum %1 {axes=(0,)}",
        "%3 = broadcast %2 {dims=(), shape=(3,)}",
        "%4 = select %m, %3, %1",
        "return %4",
        result="f64[3]",
    ),
    program(
        "%1 = and %m, %p",
        "%2 = select %1, %x, %y",
        "%3 = select %m, %2, %x",
        "return %3",
        result="f64[3]",
    ),
]


@pytest.mark.parametrize("text", UNMASKED)
def test_masks_that_are_needed(text):
    """Another mask, another mask's other choice, another reader, a sum, less than the mask says."""
    assert unchanged(mask_simplification, text)


def test_values_where_the_mask_is_true():
    text = program(
        "%1 = select %m, %x, %y",
        "%2 = log %1",
        "%3 = and %m, %p",
        "%4 = select %3, %2, %y",
        "%5 = select %p, %4, %x",
        "return %5",
        result="f64[3]",
    )
    check_one_is_dropped(text)


def test_values_where_the_mask_is_false():
    check_one_is_dropped(
        program(
            "%1 = select %m, %x, %y",
            "%2 = log %1",
            "%3 = select %m, %y, %2",
            "return %3",
            result="f64[3]",
        )
    )


def check_one_is_dropped(text):
    before, after = parse(text), mask_simplification(parse(text))
    assert len(after.region.ops) == len(before.region.ops) - 1
    x, y = np.array([0.0, 2.0, -1.0]), np.array([1.0, 5.0, 7.0])
    for bits in range(64):
        masks = np.array([bits >> i & 1 for i in range(6)], bool).reshape(2, 3)
        for f, g in zip(evaluate(before, [*masks, x, y]), evaluate(after, [*masks, x, y])):
            np.testing.assert_array_equal(f, g)
