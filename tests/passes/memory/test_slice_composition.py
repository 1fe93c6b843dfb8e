"""Slice composition: slices of rows are read from the array directly."""

from myia.passes.memory.slice_composition import slice_composition
from tests.passes.before_after import before_after, unchanged


def test_slices_of_rows(golden):
    golden(before_after(slice_composition, """
func @f(%t: f64[3,4,5], %i: i64[], %n: i64[]) -> f64[] {
  %0 = 0: i64[]
  %1 = dynamic_slice %t, %i, %0, %0 {sizes=(1, 4, 5)}
  %p = reshape %1 {shape=(4, 5)}
  %s0 = 0.0: f64[]
  %s = for %j < %n (%s = %s0) {
    %2 = dynamic_slice %p, %j, %0 {sizes=(1, 5)}
    %r = reshape %2 {shape=(5,)}
    %s = for %k < %n (%s = %s) {
      %3 = dynamic_slice %r, %k {sizes=(1,)}
      %4 = reshape %3 {shape=()}
      %5 = add %s, %4
      yield %5
    }
    yield %s
  }
  return %s
}"""))  # fmt: skip


def test_a_row_of_an_array_that_is_stored_into_is_copied():
    """Otherwise its old version would be read after stores into the array."""
    assert unchanged(slice_composition, """
func @f(%t: f64[3,5], %i: i64[], %n: i64[]) -> f64[], f64[3,5] {
  %0 = 0: i64[]
  %1 = dynamic_slice %t, %i, %0 {sizes=(1, 5)}
  %r = reshape %1 {shape=(5,)}
  %s0 = 0.0: f64[]
  %u, %s = for %k < %n (%u = %t, %s = %s0) {
    %3 = dynamic_slice %r, %k {sizes=(1,)}
    %4 = reshape %3 {shape=()}
    %5 = add %s, %4
    %6 = dynamic_update_slice %u, %1, %i, %0
    yield %6, %5
  }
  return %s, %u
}""")  # fmt: skip


def test_an_array_that_the_next_iteration_stores_into():
    """The stores follow all loads of this iteration."""
    assert not unchanged(slice_composition, """
func @f(%t: f64[3,5], %n: i64[], %m: i64[]) -> f64[], f64[3,5] {
  %0 = 0: i64[]
  %s0 = 0.0: f64[]
  %s, %t1 = for %i < %n (%s = %s0, %t = %t) {
    %u = for %k < %m (%u = %t) {
      %1 = 1.0: f64[1,1]
      %2 = dynamic_update_slice %u, %1, %i, %k
      yield %2
    }
    %3 = dynamic_slice %u, %i, %0 {sizes=(1, 5)}
    %r = reshape %3 {shape=(5,)}
    %s = for %k < %m (%s = %s) {
      %4 = dynamic_slice %r, %k {sizes=(1,)}
      %5 = reshape %4 {shape=()}
      %6 = add %s, %5
      yield %6
    }
    yield %s, %u
  }
  return %s, %t1
}""")  # fmt: skip
