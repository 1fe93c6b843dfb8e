"""Rows that loops make for an array are made in it, and read in it."""

import numpy as np
import pytest

import myia
from myia.passes.memory.copy_elision import elide_copies
from myia.passes.memory.slice_composition import compose_slices
from tests.passes.before_after import before_after, unchanged


def test_a_tape_of_tapes(golden):
    golden(before_after(elide_copies, """
func @f(%x: f64[], %n: i64[]) -> f64[], f64[3,4,5] {
  %0 = 0: i64[]
  %3 = 3: i64[]
  %t0 = 0.0: f64[3,4,5]
  %y, %t = for %i < %3 (%y = %x, %t = %t0) bound 3 {
    %s0 = 0.0: f64[4,5]
    %y1, %s = for %j < %n (%y1 = %y, %s = %s0) bound 4 {
      %r0 = 0.0: f64[5]
      %first = reshape %y1 {shape=(1,)}
      %r1 = dynamic_update_slice %r0, %first, %0
      %y2, %r = for %k < %j (%y2 = %y1, %r = %r1) bound 5 {
        %1 = sin %y2
        %2 = reshape %1 {shape=(1,)}
        %r2 = dynamic_update_slice %r, %2, %k
        yield %1, %r2
      }
      %row = reshape %r {shape=(1, 5)}
      %s2 = dynamic_update_slice %s, %row, %j, %0
      yield %y2, %s2
    }
    %2 = 2: i64[]
    %back = sub %2, %i
    %plane = reshape %s {shape=(1, 4, 5)}
    %t2 = dynamic_update_slice %t, %plane, %back, %0, %0
    yield %y1, %t2
  }
  return %y, %t
}"""))  # fmt: skip


def rows(start="0.0", row="%i", after="", inner="%1 = sin %y1", bound="bound 3") -> str:
    return f"""
func @f(%x: f64[], %m: i64[]) -> f64[], f64[3,5] {{
  %0 = 0: i64[]
  %1 = 1: i64[]
  %t0 = {start}: f64[3,5]
  %y, %t = for %i < %m (%y = %x, %t = %t0) {bound} {{
    %r0 = 0.0: f64[5]
    %next = add %i, %1
    %y1, %r = for %k < %i (%y1 = %y, %r = %r0) bound 5 {{
      {inner}
      %2 = reshape %1 {{shape=(1,)}}
      %r2 = dynamic_update_slice %r, %2, %k
      yield %1, %r2
    }}
    %row = reshape %r {{shape=(1, 5)}}
    %t2 = dynamic_update_slice %t, %row, {row}, %0
    {after}
    yield %y1, %t2
  }}
  return %y, %t
}}"""


def test_what_can_be_filled_in_place():
    assert not unchanged(elide_copies, rows())
    assert not unchanged(elide_copies, rows(row="%next", bound="bound 2"))
    assert not unchanged(elide_copies, rows(after="debug_print %y1 {fmt='{}'}"))


def test_a_loop_that_may_end_early():
    """Its condition has the array as an argument too."""
    cond = """bound 5 {
      cond {
        %4 = lt %y1, %y1
        yield %4
      }
      body {"""
    body = "yield %1, %r2\n    }"
    text = rows().replace("bound 5 {", cond).replace(body, body + "\n    }")
    assert "bound 3" in before_after(elide_copies, text)
    assert not unchanged(elide_copies, text)


@pytest.mark.parametrize(
    "program",
    [
        rows(start="1.0"),  # the row starts from other numbers
        rows(row="%0"),  # each trip writes the same row anew
        rows(row="%next"),  # the last trip's index is moved back, onto the row before it
        rows(bound=""),  # so may any be
        rows(inner="%3 = dynamic_slice %r, %k {sizes=(1,)}\n%1 = reshape %3 {shape=()}"),
        rows(inner="%1 = reduce_sum %r {axes=(0,)}"),
    ],
)
def test_what_must_not(program):
    assert unchanged(elide_copies, program)


@pytest.mark.parametrize("row", ["%0", "%next"])
def test_it_does_not_matter_what_an_empty_row_starts_from(row):
    """So any row of the array may be written, again and again: that is how trails are recorded."""
    text = rows(start="1.0", row=row).replace(
        "%r0 = 0.0: f64[5]", "%r0 = empty {dtype=f64, shape=(5,)}"
    )
    after = before_after(elide_copies, text)
    assert not unchanged(elide_copies, text) and "f64[3,5] = dynamic_update_slice %" in after


def test_a_row_that_is_read_again_stays():
    again = "%4 = reduce_sum %r {axes=(0,)}"
    assert unchanged(elide_copies, rows(after=again).replace("yield %y1, %t2", "yield %4, %t2"))


def test_elements_of_rows(golden):
    golden(before_after(compose_slices, """
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


def test_the_row_of_an_array_that_is_written_is_copied_first():
    """Else the array as it was would be read after the loop had begun to write it."""
    assert unchanged(compose_slices, """
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


def test_an_array_that_the_next_trip_writes_may_be_read_in_place():
    """What a trip yields is written when its own reads are over."""
    assert not unchanged(compose_slices, """
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


def running_sines(x):
    """A nest that records values of the inner trips, in rows of different lengths."""
    y = x.copy()
    for i in range(1, len(x)):
        for j in range(i):
            y[i] = 0.3 * np.sin(y[i] * y[j]) + x[i - 1]
    return y @ y


def test_a_nest_with_large_tapes_is_compiled_whole():
    """The tape of an inner loop, 1,099 numbers, is more than a loop compiled whole may move."""
    x = np.linspace(0.1, 0.9, 1_100)
    compiled = myia.grad(running_sines).lower(x).compile()
    hlo = compiled.as_text()
    assert " while(" not in hlo[hlo.index("\nENTRY") :], "a loop is run op by op"
    step = 1e-6 * np.cos(np.arange(1_100.0))
    expected = running_sines(x + step) - running_sines(x - step)
    assert compiled(x) @ step * 2 == pytest.approx(expected, rel=1e-5)
