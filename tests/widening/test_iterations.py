"""Widened iterations of a loop against a Python loop over them, with masks and in both layouts."""

import numpy as np
import pytest

from myia.analysis.linear_indices import IndexRanges
from myia.analysis.loop_summary import summary_if_independent
from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import BOOL, I64, Aval
from myia.ir.builder import build_region
from myia.ir.core import Function
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from myia.primitives.core.structured import Loop
from myia.source.diagnostics import InternalError
from myia.widening.summary import LoopSummary, varying_values
from myia.widening.widener import widen_iterations

WIDTH = 5

PROGRAM = """
func @f(%x: f64[9], %g: f64[10], %s: f64[], %t: f64[], %n: i64[]) -> f64[9] {{
  %x, %g, %s, %t = for %k < %n (%x = %x, %g = %g, %s = %s, %t = %t) bound 9 {{
    %last = 8: i64[]
    %d = sub %last, %k
    %a = dynamic_slice %x, {k} {{sizes=(1,)}}
    %b = sin %a
    %x1 = dynamic_update_slice %x, %b, {k}
    %g1 = dynamic_slice %g, %k {{sizes=(1,)}}
    %g2 = add %g1, %b
    %g3 = dynamic_update_slice %g, %g2, %k
    %one = 1: i64[]
    %l = add %k, %one
    %g4 = dynamic_slice %g3, %l {{sizes=(1,)}}
    %g5 = sub %g4, %a
    %g6 = dynamic_update_slice %g3, %g5, %l
    %c = reshape %b {{shape=()}}
    %s1 = {reduction} %s, %c
    %t1 = add %t, %c {{reassoc=True}}
    yield %x1, %g6, %s1, %t1
  }}
  return %x
}}"""


def widened(function: Function, loop: Loop, summary: LoopSummary, layout, masked: bool) -> Function:
    """`WIDTH` iterations of the loop, given the first index, the carries and maybe a mask."""

    def body(base, *args):
        carries, mask = (args[:-1], args[-1]) if masked else (args, None)
        return widen_iterations(loop, summary, base, carries, WIDTH, layout, mask)

    masks = [Aval(BOOL.dtype, (WIDTH,))] if masked else []
    found = function.with_region(build_region([I64, *(x.aval for x in loop.carries), *masks], body))
    verify(found)
    return found


def same_numbers(function: Function, loop: Loop, summary: LoopSummary, layout) -> None:
    rng = np.random.default_rng(0)
    carries = [rng.uniform(0.5, 2.0, x.shape) for x in loop.carries]
    for mask in (None, *(rng.integers(0, 2, (4, WIDTH)) > 0), np.zeros(WIDTH, bool)):
        program = widened(function, loop, summary, layout, mask is not None)
        for base in (0, 4):
            expected = carries
            for i in range(WIDTH):
                if mask is None or mask[i if summary.direction > 0 else WIDTH - 1 - i]:
                    expected = evaluate(loop.body, [np.asarray(base + i), *expected])
            masks = [] if mask is None else [mask]
            found = evaluate(program, [np.asarray(base), *carries, *masks])
            for x, y in zip(found, expected, strict=True):
                np.testing.assert_allclose(x, y, rtol=1e-14)


def the_loop(text: str) -> tuple[Function, Loop]:
    function = parse(text)
    verify(function)
    return function, Loop.of(function.region.ops[-1])


@pytest.mark.parametrize("layout", ["vector", "rows"])
@pytest.mark.parametrize("k", ["%k", "%d"])
@pytest.mark.parametrize("reduction", ["add", "sub", "mul", "max", "min"])
def test_stores_and_reductions(layout, k, reduction):
    """An iteration that does not run stores nothing and contributes nothing."""
    function, loop = the_loop(PROGRAM.format(k=k, reduction=reduction))
    summary = summary_if_independent(loop, IndexRanges(function.region), WIDTH)
    assert summary is not None and summary.reductions and summary.array_reductions
    same_numbers(function, loop, summary, layout)


def test_an_iteration_that_does_not_run_may_be_out_of_range():
    """The slice of all iterations would be moved, as if it were the access of another element."""
    function, loop = the_loop(PROGRAM.format(k="%k", reduction="add"))
    summary = summary_if_independent(loop, IndexRanges(function.region), WIDTH)
    program = widened(function, loop, summary, "rows", True)
    x, g = np.arange(9.0), np.zeros(10)
    mask = np.array([True, True, False, False, False])
    found = evaluate(program, [np.asarray(7), x, g, 0.0, 0.0, mask])
    np.testing.assert_allclose(found[0], [*x[:7], *np.sin(x[7:])])
    np.testing.assert_allclose(found[1][7:], [np.sin(7.0), np.sin(8.0) - 7.0, -8.0])


@pytest.mark.parametrize("layout", ["vector", "rows"])
def test_a_store_at_a_place_that_does_not_depend_on_the_iteration(layout):
    """What the last iteration stores is left: the last one that runs."""
    function, loop = the_loop("""
func @f(%x: f64[9], %n: i64[]) -> f64[9] {
  %x = for %k < %n (%x = %x) {
    %two = 2: i64[]
    %1 = convert %k {dtype=f64}
    %2 = reshape %1 {shape=(1,)}
    %3 = dynamic_update_slice %x, %2, %two
    yield %3
  }
  return %x
}""")
    (store,) = (op for op in loop.body.ops if op.primitive is dynamic_update_slice)
    varying = varying_values(loop.body, loop.body.args[:1]) - {store.results[0]}
    same_numbers(function, loop, LoopSummary(varying, strides={store: None}), layout)


def test_recurrences_under_a_mask_are_refused():
    function, loop = the_loop("""
func @f(%x: f64[9], %r: f64[1], %n: i64[]) -> f64[9], f64[1] {
  %x, %r = for %k < %n (%x = %x, %r = %r) bound 9 {
    %1 = dynamic_slice %x, %k {sizes=(1,)}
    %2 = mul %1, %r
    %3 = sin %1
    %4 = dynamic_update_slice %x, %2, %k
    yield %4, %3
  }
  return %x, %r
}""")
    summary = summary_if_independent(loop, IndexRanges(function.region), WIDTH)
    assert summary.recurrences
    widened(function, loop, summary, "vector", False)
    with pytest.raises(InternalError, match="recurrence"):
        widened(function, loop, summary, "vector", True)
