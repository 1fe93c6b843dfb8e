import numpy as np
import pytest

import myia
from myia.ir.parser import parse
from myia.passes.canonicalize.range_comparisons import range_comparisons
from myia.primitives.core.define import constant_p
from myia.primitives.core.structured import Loop
from tests.passes.before_after import before_after, unchanged


def loop(comparison: str) -> str:
    return f"""
func @f(%p: i64[]) -> bool[] {{
  %n = 9: i64[]
  %0 = 0: i64[]
  %8 = 8: i64[]
  %true = True: bool[]
  %r = for %k < %n (%r = %true) bound 9 {{
    %i = add %k, %n
    %c = {comparison}
    %s = and %r, %c
    yield %s
  }}
  return %r
}}"""


def test_in_a_loop(golden):
    golden(before_after(range_comparisons, loop("gt %i, %8")))


def known(comparison: str) -> bool:
    (*_, op) = range_comparisons(parse(loop(comparison))).region.ops
    return next(
        o.params["value"]
        for o in Loop.of(op).body.ops
        if o.primitive is constant_p and o.results[0].aval.dtype == bool
    )


@pytest.mark.parametrize(
    "comparison, expected",
    [
        ("ge %k, %0", True),
        ("lt %k, %0", False),
        ("le %k, %8", True),
        ("gt %k, %8", False),
        ("lt %k, %i", True),
        ("ne %k, %i", True),
        ("eq %i, %8", False),
        ("eq %p, %p", True),
        ("ne %p, %p", False),
    ],
)
def test_decided_comparisons(comparison, expected):
    assert known(comparison) is expected


@pytest.mark.parametrize(
    "comparison", ["gt %k, %0", "lt %k, %8", "eq %k, %8", "ne %k, %0", "lt %k, %p", "ge %p, %0"]
)
def test_undecided_comparisons(comparison):
    assert unchanged(range_comparisons, loop(comparison))


@pytest.mark.parametrize("comparison", ["lt %q, %p", "ge %q, %p", "gt %m, %0"])
def test_integers_that_may_overflow(comparison):
    """Beyond 2**63 - 1 they are negative."""
    lines = f"%q = add %p, %k\n    %h = max %p, %0\n    %m = add %h, %n\n    %c = {comparison}"
    assert unchanged(range_comparisons, loop(comparison).replace(f"%c = {comparison}", lines))


@pytest.mark.parametrize("factor", [2**62, 2**40, -(2**62)])
def test_multiples_that_overflow(factor):
    """NumPy's product of an index and a large number wraps around: its sign is not that of both."""

    def signs(x):
        for k in range(len(x)):
            x[k] = 1.0 if np.int64(k) * np.int64(factor) >= 0 else -1.0
        return x

    with np.errstate(over="ignore"):
        want = signs(np.zeros(40))
    assert np.array_equal(myia.jit(signs)(np.zeros(40)), want)
    multiple = f"""
func @f(%x: f64[9]) -> bool[] {{
  %n = 9: i64[]
  %0 = 0: i64[]
  %m = {factor}: i64[]
  %true = True: bool[]
  %r = for %k < %n (%r = %true) bound 9 {{
    %i = mul %k, %m
    %c = ge %i, %0
    yield %c
  }}
  return %r
}}"""
    assert unchanged(range_comparisons, multiple)
