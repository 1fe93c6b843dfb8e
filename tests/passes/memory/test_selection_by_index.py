"""Loops that select or permute arrays carry indices instead."""

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.memory.selection_by_index import selection_by_index
from tests.passes.before_after import before_after, unchanged

SELECTED = """
func @f(%x: f64[90], %y: f64[90], %p: bool[], %n: i64[]) -> f64[], f64[90] {
  %zero = 0.0: f64[]
  %s, %z = for %k < %n (%s = %zero, %z = %x) bound 9 {
    %w = if %p {
      yield %y
    } else {
      yield %z
    }
    %1 = dynamic_slice %w, %k {sizes=(1,)}
    %2 = reshape %1 {shape=()}
    %3 = add %s, %2
    yield %3, %w
  }
  return %s, %z
}"""

PERMUTED = """
func @f(%x: f64[90], %y: f64[90], %p: bool[], %n: i64[]) -> f64[90], f64[90] {
  %a, %b = for %k < %n (%a = %x, %b = %y) bound 9 {
    %c, %d = if %p {
      %1 = dynamic_slice %a, %k {sizes=(1,)}
      %2 = dynamic_update_slice %b, %1, %k
      yield %2, %a
    } else {
      yield %a, %b
    }
    %3 = dynamic_slice %d, %k {sizes=(1,)}
    %e = dynamic_update_add %c, %3, %k
    yield %e, %d
  }
  return %a, %b
}"""

STORE = "%e = dynamic_update_add %c, %3, %k"


def test_a_loop_selects_an_array(golden):
    golden(before_after(selection_by_index, SELECTED))


def test_a_loop_permutes_arrays(golden):
    golden(before_after(selection_by_index, PERMUTED))


@pytest.mark.parametrize(
    "text", [SELECTED, PERMUTED, PERMUTED.replace("yield %a, %b", "yield %b, %a")]
)
@pytest.mark.parametrize("n", [0, 1, 6])
@pytest.mark.parametrize("p", [True, False])
def test_same_values(text, n, p):
    args = [*np.random.default_rng(0).uniform(-1, 1, (2, 90)), np.array(p), np.array(n)]
    before = parse(text)
    assert selection_by_index(before) is not before
    for x, y in zip(evaluate(before, args), evaluate(selection_by_index(before), args)):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    "text",
    [
        SELECTED.replace("%1 = dynamic_slice %w", "%v = sin %w\n    %1 = dynamic_slice %v"),
        SELECTED.replace("yield %y", "%v = sin %y\n      yield %v"),
        SELECTED.replace("[90]", "[9]"),
        SELECTED.replace("sizes=(1,)", "sizes=(60,)").replace(
            "%2 = reshape %1 {shape=()}", "%2 = reduce_sum %1 {axes=(0,)}"
        ),
        SELECTED.replace("yield %y", "yield %x"),
    ],
    ids=["read whole", "computed in the loop", "small", "mostly read", "always the same"],
)
def test_selections_that_stay(text):
    assert unchanged(selection_by_index, text)


@pytest.mark.parametrize(
    "text",
    [
        PERMUTED.replace("dynamic_slice %d", "dynamic_slice %a"),
        PERMUTED.replace("yield %a, %b", "yield %a, %a"),
        PERMUTED.replace("yield %a, %b", "yield %y, %b"),
        PERMUTED.replace(STORE, "%e = dynamic_update_add %b, %3, %k"),
    ],
    ids=["old version read", "two names for one", "from outside", "old version stored"],
)
def test_permutations_that_stay(text):
    assert unchanged(selection_by_index, text)
