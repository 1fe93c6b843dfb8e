"""Accesses of adjacent elements become one: which are coalesced, which stay."""

from myia.passes.vectorize.adjacent_accesses import adjacent_accesses
from tests.passes.before_after import before_after, unchanged

STENCIL_ADJOINT = """
func @f(%w: f64[10,10]) -> f64[10,10] {
  %n = 8: i64[]
  %1 = 1: i64[]
  %g = for %i < %n (%g = %w) bound 8 {
    %g = for %j < %n (%g = %g) bound 8 {
      %next = add %j, %1
      %last = add %next, %1
      %2 = dynamic_slice %g, %i, %j {sizes=(1, 1)}
      %3 = dynamic_slice %g, %i, %next {sizes=(1, 1)}
      %4 = dynamic_slice %g, %i, %last {sizes=(1, 1)}
      %5 = add %3, %2
      %6 = mul %2, %4
      %g.1 = dynamic_update_slice %g, %5, %i, %next
      %g.2 = dynamic_update_slice %g.1, %6, %i, %j
      %g.3 = dynamic_update_slice %g.2, %2, %i, %last
      yield %g.3
    }
    yield %g
  }
  return %g
}"""


def test_three_elements_of_a_row(golden):
    golden(before_after(adjacent_accesses, STENCIL_ADJOINT))


def test_whole_rows_are_consecutive(golden):
    golden(before_after(adjacent_accesses, """
func @f(%w: f64[10,3]) -> f64[10,3] {
  %n = 8: i64[]
  %1 = 1: i64[]
  %z = 0: i64[]
  %g = for %i < %n (%g = %w) bound 8 {
    %next = add %i, %1
    %last = add %next, %1
    %3 = dynamic_slice %g, %last, %z {sizes=(1, 3)}
    %2 = dynamic_slice %g, %i, %z {sizes=(1, 3)}
    %4 = dynamic_slice %g, %next, %z {sizes=(1, 3)}
    %5 = add %3, %2
    %g.1 = dynamic_update_slice %g, %5, %i, %z
    %g.2 = dynamic_update_slice %g.1, %2, %next, %z
    %g.3 = dynamic_update_slice %g.2, %4, %last, %z
    yield %g.3
  }
  return %g
}"""))  # fmt: skip


def test_an_access_may_be_out_of_range():
    assert unchanged(
        adjacent_accesses,
        STENCIL_ADJOINT.replace("bound 8", "bound 9").replace("8:", "9:"),
    )


def test_elements_of_different_rows():
    below = STENCIL_ADJOINT.replace("%i, %next", "%next, %j").replace("%i, %last", "%last, %j")
    assert unchanged(adjacent_accesses, below.replace("add %j, %1", "add %i, %1"))


def test_a_load_between_two_stores():
    assert unchanged(adjacent_accesses, STENCIL_ADJOINT.replace(
        "      yield %g.3",
        "      %7 = dynamic_slice %g.1, %i, %j {sizes=(1, 1)}\n"
        "      %g.4 = dynamic_update_slice %g.3, %7, %i, %j\n"
        "      yield %g.4",
    ))  # fmt: skip


def test_loads_that_are_not_all_stored():
    """A processor forwards one store to a load, but not several stores to one load."""
    assert unchanged(adjacent_accesses, STENCIL_ADJOINT.replace("yield %g.3", "yield %g.2"))


def test_two_loads():
    two = STENCIL_ADJOINT.replace("yield %g.3", "yield %g.2").replace("mul %2, %4", "mul %2, %2")
    assert unchanged(adjacent_accesses, two)
