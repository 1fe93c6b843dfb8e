"""What is known of integers that are no indices of loops."""

from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.passes.analysis.linear_indices import Ranges, as_index, minus, number
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise.arithmetic import sub


def known(end):
    """The ranges of a region, its index and what it is computed of."""
    seen = {}

    def body(start, n):
        seen.update(n=n, k=as_index(start, n if end == "n" else end and constant(end, I64.dtype)))
        loop(
            [start],
            lambda j, x: seen.update(j=j) or [x],
            count=sub(constant(9, I64.dtype), seen["k"]),
        )
        return [seen["k"]]

    region = build_region([I64, I64], body)
    return Ranges(region), seen


def test_an_index_lies_between_its_ends():
    ranges, seen = known(end=9)
    k = ranges.of(seen["k"])
    assert ranges.not_negative(k) and ranges.not_negative(minus(number(8), k))
    assert not ranges.not_negative(minus(number(7), k))


def test_an_index_without_an_end():
    ranges, seen = known(end=None)
    k = ranges.of(seen["k"])
    assert ranges.not_negative(k) and not ranges.not_negative(minus(number(10**9), k))


def test_an_end_that_may_be_zero():
    """The greater of 0 and n - 1 is not less than n then."""
    ranges, seen = known(end="n")
    k, n = ranges.of(seen["k"]), ranges.of(seen["n"])
    assert ranges.not_negative(k) and not ranges.not_negative(minus(n, k))


def test_loops_whose_counts_depend_on_it():
    """`for %j < 9 - %k`: %j + %k is at most 8."""
    ranges, seen = known(end=9)
    j, k = ranges.of(seen["j"]), ranges.of(seen["k"])
    assert ranges.not_negative(minus(minus(number(8), j), k))
    assert not ranges.not_negative(minus(minus(number(7), j), k))
