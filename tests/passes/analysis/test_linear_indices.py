"""What is known of integers that are no indices of loops."""

from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.passes.analysis.linear_indices import IndexRanges, clamped_index, constant_form, minus
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.arithmetic import sub


def known(end):
    """The ranges of a region, its index and what it is computed of."""
    seen = {}

    def body(start, n):
        seen.update(
            n=n, k=clamped_index(start, n if end == "n" else end and constant(end, I64.dtype))
        )
        loop(
            [start],
            lambda j, x: seen.update(j=j) or [x],
            count=sub(constant(9, I64.dtype), seen["k"]),
        )
        return [seen["k"]]

    region = build_region([I64, I64], body)
    return IndexRanges(region), seen


def test_an_index_lies_between_its_ends():
    ranges, seen = known(end=9)
    k = ranges.linear_form(seen["k"])
    assert ranges.is_nonnegative(k) and ranges.is_nonnegative(minus(constant_form(8), k))
    assert not ranges.is_nonnegative(minus(constant_form(7), k))


def test_an_index_without_an_end():
    ranges, seen = known(end=None)
    k = ranges.linear_form(seen["k"])
    assert ranges.is_nonnegative(k) and not ranges.is_nonnegative(minus(constant_form(10**9), k))


def test_an_end_that_may_be_zero():
    """The greater of 0 and n - 1 is not less than n then."""
    ranges, seen = known(end="n")
    k, n = ranges.linear_form(seen["k"]), ranges.linear_form(seen["n"])
    assert ranges.is_nonnegative(k) and not ranges.is_nonnegative(minus(n, k))


def test_loops_whose_counts_depend_on_it():
    """`for %j < 9 - %k`: %j + %k is at most 8."""
    ranges, seen = known(end=9)
    j, k = ranges.linear_form(seen["j"]), ranges.linear_form(seen["k"])
    assert ranges.is_nonnegative(minus(minus(constant_form(8), j), k))
    assert not ranges.is_nonnegative(minus(minus(constant_form(7), j), k))
