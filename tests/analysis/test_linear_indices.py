"""Bounds of integers that are no loop indices, but clamped to a range."""

from myia.analysis.linear_indices import IndexRanges, clamped_index, constant_form, minus
from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.arithmetic import sub


def ranges_and_values(end):
    """The ranges of a region, and its values: the clamped index `k`, `n`, a loop's index `j`."""
    values = {}

    def body(start, n):
        values.update(
            n=n, k=clamped_index(start, n if end == "n" else end and constant(end, I64.dtype))
        )
        loop(
            [start],
            lambda j, x: values.update(j=j) or [x],
            count=sub(constant(9, I64.dtype), values["k"]),
        )
        return [values["k"]]

    region = build_region([I64, I64], body)
    return IndexRanges(region), values


def test_a_clamped_index_has_both_bounds():
    ranges, values = ranges_and_values(end=9)
    k = ranges.linear_form(values["k"])
    assert ranges.is_nonnegative(k) and ranges.is_nonnegative(minus(constant_form(8), k))
    assert not ranges.is_nonnegative(minus(constant_form(7), k))


def test_a_clamped_index_without_an_end():
    ranges, values = ranges_and_values(end=None)
    k = ranges.linear_form(values["k"])
    assert ranges.is_nonnegative(k) and not ranges.is_nonnegative(minus(constant_form(10**9), k))


def test_an_end_that_may_be_zero():
    """If n is 0, the maximum of 0 and n - 1 is not less than n."""
    ranges, values = ranges_and_values(end="n")
    k, n = ranges.linear_form(values["k"]), ranges.linear_form(values["n"])
    assert ranges.is_nonnegative(k) and not ranges.is_nonnegative(minus(n, k))


def test_loops_whose_trip_counts_depend_on_it():
    """`for %j < 9 - %k`: %j + %k is at most 8."""
    ranges, values = ranges_and_values(end=9)
    j, k = ranges.linear_form(values["j"]), ranges.linear_form(values["k"])
    assert ranges.is_nonnegative(minus(minus(constant_form(8), j), k))
    assert not ranges.is_nonnegative(minus(minus(constant_form(7), j), k))
