"""Fission: a loop with independent parts becomes several loops."""

import pytest

from myia.analysis.linear_indices import IndexRanges
from myia.ir.parser import parse
from myia.passes.loops.fission import split_loop
from myia.primitives.core.structured import loop_p

LOOP = """
func @f(%a: f64[9], %b: f64[9], %c: f64[9], %s: f64[]) -> f64[9], f64[9], f64[9], f64[] {
  %9 = 9: i64[]
  %0 = 0: i64[]
  %a, %b, %c, %s = for %i < %9 (%a = %a, %b = %b, %c = %c, %s = %s) bound 9 {
    %1 = dynamic_slice %b, %i {sizes=(1,)}
    %2 = sin %1
    %a = dynamic_update_slice %a, %2, %i
    %3 = dynamic_slice %b, %i {sizes=(1,)}
    %4 = cos %3
    %b = dynamic_update_slice %b, %4, %i
    %5 = dynamic_slice %c, %i {sizes=(1,)}
    %6 = exp %5
    %c = dynamic_update_slice %c, %6, %i
    %7 = reshape %5 {shape=()}
    %s = add %s, %7
    yield %a, %b, %c, %s
  }
  return %a, %b, %c, %s
}"""


def carries_per_loop(text: str) -> list[int]:
    """The number of carried values of each loop."""
    f = parse(text)
    (op,) = (op for op in f.region.ops if op.primitive is loop_p)
    found = split_loop(op, IndexRanges(f.region))
    assert {y for part in found for y in part.results} == set(op.results)
    return sorted(len(part.results) for part in found)


def test_one_loop_for_each_array():
    assert carries_per_loop(LOOP) == [1, 1, 1, 1]


@pytest.mark.parametrize("old, new, expected", [
    # Loads of what an earlier iteration stored, or this one; another store; another yield.
    ("%1 = dynamic_slice %b, %i", "%1 = dynamic_slice %b, %0", [1, 1, 2]),
    ("%5 = dynamic_slice %c, %i", "%5 = dynamic_slice %a, %i", [1, 3]),
    ("%c, %6, %i", "%c, %6, %0", [1, 1, 2]),
    ("yield %a, %b, %c, %s", "yield %b, %b, %c, %s", [1, 1, 2]),
    ("%s = add %s, %7", "%8 = reshape %6 {shape=()}\n    %s = add %8, %7", [1, 1, 1, 1]),
])  # fmt: skip
def test_dependent_parts_share_a_loop(old, new, expected):
    assert old in LOOP and carries_per_loop(LOOP.replace(old, new)) == expected


def test_a_loop_with_an_effect_is_not_split():
    """What it prints belongs to no carried value: none of the loops would print it."""
    text = LOOP.replace("%2 = sin", "debug_print %i {fmt='{}'}\n    %2 = sin")
    assert text != LOOP and carries_per_loop(text) == [4]
