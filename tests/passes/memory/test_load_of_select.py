"""Loads of selected arrays become selects of loads."""

import numpy as np

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.passes.memory.load_of_select import load_of_select
from tests.passes.before_after import before_after, unchanged

LOOP = """
func @f(%a: f64[90], %b: f64[90], %c: f64[90], %s: f64[]) -> f64[] {
  %n = 90: i64[]
  %s = for %k < %n (%s = %s) bound 90 {
    %x = dynamic_slice %a, %k {sizes=(1,)}
    %y = reshape %x {shape=()}
    %p = gt %y, %s
    %u = if %p {
      yield %a
    } else {
      yield %b
    }
    %1 = dynamic_slice %u, %k {sizes=(1,)}
    %2 = reshape %1 {shape=()}
    %3 = add %s, %2
    yield %3
  }
  return %s
}"""

NESTED = LOOP.replace("yield %b\n", """
      %half = 0.5: f64[]
      %q = gt %half, %y
      %mask = broadcast %q {shape=(90,), dims=()}
      %zeros = 0.0: f64[90]
      %v = select %mask, %zeros, %c
      yield %v
""")  # fmt: skip


def test_one_of_two(golden):
    golden(before_after(load_of_select, LOOP))


def test_one_of_three_and_its_conditions(golden):
    golden(before_after(load_of_select, NESTED))


def test_same_values():
    rng = np.random.default_rng(0)
    args = [*rng.uniform(-1, 1, (3, 90)), np.array(0.1)]
    for text in (LOOP, NESTED):
        before = parse(text)
        (x,), (y,) = evaluate(before, args), evaluate(load_of_select(before), args)
        assert x == y


def test_the_whole_array_is_read():
    summed = LOOP.replace("%3 = add %s, %2", "%t = reduce_sum %u {axes=(0,)}\n    %3 = add %t, %2")
    assert unchanged(load_of_select, summed)


def test_more_elements_are_read_than_it_has():
    def nested(trip_count):
        return LOOP.replace("%1 = dynamic_slice %u, %k {sizes=(1,)}", f"""
    %m = {trip_count}: i64[]
    %z = dynamic_slice %a, %k {{sizes=(1,)}}
    %1 = for %j < %m (%z = %z) bound {trip_count} {{
      %w = dynamic_slice %u, %j {{sizes=(1,)}}
      yield %w
    }}""")  # fmt: skip

    assert unchanged(load_of_select, nested(90))
    assert not unchanged(load_of_select, nested(3))


def test_a_branch_computes_the_array():
    assert unchanged(load_of_select, LOOP.replace("yield %b\n", "%v = sin %b\n      yield %v\n"))


def test_selected_before_the_loop():
    once = "  %u = if %p {\n    yield %a\n  } else {\n    yield %b\n  }\n  %n = 90: i64[]"
    inside = LOOP[LOOP.index("    %u = if") : LOOP.index("    %1 =")]
    text = LOOP.replace(inside, "").replace("%s: f64[])", "%s: f64[], %p: bool[])")
    text = text.replace("    %p = gt %y, %s\n", "").replace("  %n = 90: i64[]", once)
    assert unchanged(load_of_select, text)
