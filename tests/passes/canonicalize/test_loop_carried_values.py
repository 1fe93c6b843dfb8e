import pytest

from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.passes.canonicalize.dce import dce
from myia.passes.canonicalize.loop_carried_values import loop_carried_values
from tests.passes.before_after import before_after, unchanged


def merged(function):
    return dce(loop_carried_values(function))


def test_invariant(golden):
    golden(before_after(merged, """
func @f(%x: f64[], %a: f64[], %n: i64[]) -> f64[], f64[], f64[] {
  %y, %c, %d = for %k < %n (%y = %x, %c = %a, %d = %a) {
    %0 = mul %y, %c
    %1 = mul %0, %d
    yield %1, %c, %a
  }
  return %y, %c, %d
}"""))  # fmt: skip


def test_congruent_values(golden):
    """Two equal counters, and two sums over them; the third sum starts from another value."""
    golden(before_after(merged, """
func @f(%x: f64[], %n: i64[]) -> f64[], f64[], f64[] {
  %0 = 0: i64[]
  %1 = 0: i64[]
  %i, %j, %s, %t, %u = for %k < %n (%i = %0, %j = %1, %s = %x, %t = %x, %u = %0) {
    %2 = 1: i64[]
    %3 = add %i, %2
    %4 = 1: i64[]
    %5 = add %j, %4
    %6 = convert %i {dtype=f64}
    %7 = add %s, %6
    %8 = convert %j {dtype=f64}
    %9 = add %t, %8
    %10 = add %u, %i
    yield %3, %5, %7, %9, %10
  }
  %v = convert %u {dtype=f64}
  return %s, %t, %v
}"""))  # fmt: skip


def test_equal_only_at_the_start():
    assert unchanged(loop_carried_values, """
func @f(%x: f64[], %n: i64[]) -> f64[], f64[], f64[] {
  %a, %b, %c = for %k < %n (%a = %x, %b = %x, %c = %x) {
    %0 = neg %a
    %1 = neg %c
    yield %b, %c, %1
  }
  return %a, %b, %c
}""")  # fmt: skip


def test_adjoint_loop(golden):
    golden(before_after(merged, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[], f64[], f64[], f64[] {
  %0 = 0.0: f64[]
  %dy, %dz, %a, %b = rev for %k < %n (%y = %x, %z = %c)
      ct (%dy = %c of %y, %dz = %0 of %z) acc (%a = %0, %b = %0) {
    body { %1 = mul %y, %z
      yield %1, %z }
    adjoint {
      %2 = mul %dy, %z
      %3 = mul %dy, %y
      %4 = add %a, %3
      %5 = add %b, %3
      yield %2, %dz, %4, %5
    }
  }
  return %dy, %dz, %a, %b
}"""))  # fmt: skip


STORES = """
func @f(%n: i64[]) -> f64[9], f64[9] {{
  %0 = {initial}: f64[9]
  %1 = 1.0: f64[2]
  %z, %y = for %k < %n (%z = %0, %y = %0) {{
    %2 = {stored}: f64[1]
    %3 = dynamic_update_slice %z, %2, %k
    %4 = dynamic_update_slice %3, %2, %n
    %5 = dynamic_update_slice %y, %1, %k
    yield %4, %5
  }}
  return %z, %y
}}"""


def test_stores_of_the_constant_that_an_array_is(golden):
    golden(before_after(merged, STORES.format(initial="0.0", stored="0.0")))


@pytest.mark.parametrize("stored", ["-0.0", "1.0"])
def test_stores_of_another_constant(stored):
    assert unchanged(loop_carried_values, STORES.format(initial="0.0", stored=stored))


def filled(start="empty {dtype=f64, shape=(9,)}", number="0.0: f64[1]") -> str:
    return f"""
func @f(%m: f64[9], %n: i64[]) -> f64[9] {{
  %tape = {start}
  %tape = for %i < %n (%tape = %tape) bound 9 {{
    %0 = {number}
    %tape = dynamic_update_slice %tape, %0, %i
    yield %tape
  }}
  %out = for %i < %n (%out = %m) bound 9 {{
    %1 = dynamic_slice %tape, %i {{sizes=(1,)}}
    %2 = neg %1
    %out = dynamic_update_slice %out, %2, %i
    yield %out
  }}
  return %out
}}"""


def test_an_array_of_one_number():
    for start in ("empty {dtype=f64, shape=(9,)}", "0.0: f64[9]"):
        after = merged(parse(filled(start)))
        verify(after)
        assert to_text(after).count("for %") == 1
    assert unchanged(loop_carried_values, filled("1.0: f64[9]"))
    assert unchanged(loop_carried_values, filled("-0.0: f64[9]"))
    assert unchanged(loop_carried_values, filled("neg %m"))
    assert unchanged(loop_carried_values, filled(number="dynamic_slice %m, %i {sizes=(1,)}"))
    other = "    %t = dynamic_update_slice %tape, %0, %i\n    %3 = -0.0: f64[1]\n"
    two = filled().replace(
        "    %tape = dynamic_update_slice %tape, %0, %i\n    yield %tape",
        other + "    %u = dynamic_update_slice %t, %3, %i\n    yield %u",
    )
    assert unchanged(loop_carried_values, two)
