"""Copy elision: rows that loops compute for an array are stored into it directly."""

import numpy as np
import pytest

import myia
from myia.passes.memory.copy_elision import copy_elision
from tests.passes.before_after import before_after, unchanged


def test_a_tape_of_tapes(golden):
    golden(before_after(copy_elision, """
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


def test_rows_that_are_stored_directly():
    assert not unchanged(copy_elision, rows())
    assert not unchanged(copy_elision, rows(row="%next", bound="bound 2"))
    assert not unchanged(copy_elision, rows(after="debug_print %y1 {fmt='{}'}"))


def test_an_inner_loop_with_a_condition():
    """The region of its condition has the array as an argument, too."""
    cond = """bound 5 {
      cond {
        %4 = lt %y1, %y1
        yield %4
      }
      body {"""
    body = "yield %1, %r2\n    }"
    text = rows().replace("bound 5 {", cond).replace(body, body + "\n    }")
    assert "bound 3" in before_after(copy_elision, text)
    assert not unchanged(copy_elision, text)


@pytest.mark.parametrize(
    "program",
    [
        rows(start="1.0"),  # the row starts from another constant
        rows(row="%0"),  # each iteration stores the same row
        rows(row="%next"),  # the last index is clamped, to the row before it
        rows(bound=""),  # any index may be clamped
        rows(inner="%3 = dynamic_slice %r, %k {sizes=(1,)}\n%1 = reshape %3 {shape=()}"),
        rows(inner="%1 = reduce_sum %r {axes=(0,)}"),
    ],
)
def test_rows_that_are_copied(program):
    assert unchanged(copy_elision, program)


@pytest.mark.parametrize("row", ["%0", "%next"])
def test_empty_rows_may_be_stored_anywhere(row):
    """Even one row again and again: online checkpointing records its replay blocks in this way."""
    text = rows(start="1.0", row=row).replace(
        "%r0 = 0.0: f64[5]", "%r0 = empty {dtype=f64, shape=(5,)}"
    )
    after = before_after(copy_elision, text)
    assert not unchanged(copy_elision, text) and "f64[3,5] = dynamic_update_slice %" in after


def test_a_row_with_another_use_stays():
    again = "%4 = reduce_sum %r {axes=(0,)}"
    assert unchanged(copy_elision, rows(after=again).replace("yield %y1, %t2", "yield %4, %t2"))


def running_sines(x):
    """A nest whose inner iterations have residuals, in rows of different lengths."""
    y = x.copy()
    for i in range(1, len(x)):
        for j in range(i):
            y[i] = 0.3 * np.sin(y[i] * y[j]) + x[i - 1]
    return y @ y


def test_a_nest_with_large_tapes_is_a_whole_loop():
    """The tape of an inner loop has 1,099 elements: too many for a whole loop to copy."""
    x = np.linspace(0.1, 0.9, 1_100)
    compiled = myia.grad(running_sines).lower(x).compile()
    hlo = compiled.as_text()
    assert " while(" not in hlo[hlo.index("\nENTRY") :], "a loop is run op by op"
    step = 1e-6 * np.cos(np.arange(1_100.0))
    expected = running_sines(x + step) - running_sines(x - step)
    assert compiled(x) @ step * 2 == pytest.approx(expected, rel=1e-5)
