"""Load hoisting: parts of arrays that a loop reads and does not change."""

import numpy as np
import pytest

import myia
from myia.passes.memory.load_hoisting import load_hoisting
from tests.default_run import every
from tests.passes.before_after import before_after, unchanged


def elimination(below="%below", count="%n") -> str:
    return f"""
func @f(%x: f64[5,5], %p: bool[]) -> f64[5,5] {{
  %5 = 5: i64[]
  %4 = 4: i64[]
  %1 = 1: i64[]
  %a = for %k < %5 (%a = %x) {{
    %n = sub %4, %k
    %first = add %k, %1
    %a = for %i < {count} (%a = %a) bound 5 {{
      %below = add %i, %first
      %2 = dynamic_slice %a, %k, %k {{sizes=(1, 1)}}
      %a = for %j < %5 (%a = %a) bound 5 {{
        %3 = dynamic_slice %a, %k, %j {{sizes=(1, 1)}}
        %4 = mul %2, %3
        %6 = dynamic_update_slice %a, %4, {below}, %j
        yield %6
      }}
      yield %a
    }}
    yield %a
  }}
  return %a
}}"""


def test_elimination(golden):
    golden(before_after(load_hoisting, elimination()))


def test_a_row_as_a_whole_and_by_elements(golden):
    whole = """%zero = 0: i64[]
      %row = dynamic_slice %a, %k, %zero {sizes=(1, 5)}
      %sum = reduce_sum %row {axes=(0, 1)}
      %2 = reshape %sum {shape=(1, 1)}"""
    by_elements = "%2 = dynamic_slice %a, %k, %k {sizes=(1, 1)}"
    golden(before_after(load_hoisting, elimination().replace(by_elements, whole)))


def test_stores_that_may_overlap():
    assert unchanged(load_hoisting, elimination(below="%i"))
    assert unchanged(load_hoisting, elimination(below="%k"))
    assert unchanged(load_hoisting, elimination(count="%5"))  # the last slices may be clamped


def test_arrays_that_do_not_change(golden):
    golden(before_after(load_hoisting, """
func @f(%x: f64[5,5], %y: f64[5], %i: i64[], %p: bool[]) -> f64[1,1] {
  %n = 5: i64[]
  %s0 = 0.0: f64[1,1]
  %s = for %k < %n (%s = %s0) {
    %1 = 1: i64[]
    %2 = dynamic_slice %x, %i, %1 {sizes=(1, 1)}
    %3 = dynamic_slice %x, %i, %k {sizes=(1, 1)}
    %4 = if %p {
      %5 = dynamic_slice %y, %i {sizes=(1,)}
      %6 = reshape %5 {shape=(1, 1)}
      yield %6
    } else {
      yield %3
    }
    %7 = mul %2, %4
    %s = add %s, %7
    yield %s
  }
  return %s
}"""))  # fmt: skip


def test_stores_in_branches():
    text = """
func @f(%x: f64[9], %p: bool[]) -> f64[9] {{
  %n = 8: i64[]
  %0 = 0: i64[]
  %1 = 1: i64[]
  %a = for %k < %n (%a = %x) bound 8 {{
    %2 = dynamic_slice %a, %0 {{sizes=(1,)}}
    %a = if %p {{
      %i = add %k, %1
      %3 = dynamic_update_add %a, %2, {place}
      yield %3
    }} else {{
      yield %a
    }}
    yield %a
  }}
  return %a
}}"""
    assert not unchanged(load_hoisting, text.format(place="%i"))
    assert unchanged(load_hoisting, text.format(place="%k"))


def test_arrays_defined_in_the_loop():
    """They may be loop-invariant, but do not exist before the loop."""
    assert unchanged(
        load_hoisting,
        """
func @f(%x: f64[], %i: i64[], %n: i64[]) -> f64[] {
  %s = for %k < %n (%s = %x) {
    %1 = broadcast %x {dims=(), shape=(4,)}
    %2 = dynamic_slice %1, %i {sizes=(1,)}
    %3 = reshape %2 {shape=()}
    %s = mul %s, %3
    yield %s
  }
  return %s
}""",
    )


def pivots(a, b):
    a, b = a.copy(), b.copy()
    for k in range(4):
        best = k
        for i in range(k + 1, 4):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            for j in range(4):
                a[k, j], a[best, j] = a[best, j], a[k, j]
            b[k], b[best] = b[best], b[k]
        for i in range(k + 1, 4):
            factor = a[i, k] / a[k, k]
            for j in range(k, 4):
                a[i, j] -= factor * a[k, j]
            b[i] -= factor * b[k]
    return np.sum(a * a) + b @ b


def seidel(a, b):
    a = a.copy()
    for _ in range(2):
        for i in range(1, 3):
            for j in range(1, 3):
                a[i, j] = np.sin(a[i - 1, j] + a[i, j - 1] * a[0, 0]) + a[3, j] * b[i] + a[i, j]
    return np.sum(a * a)


@pytest.mark.parametrize("order", every(2, [1, 2]))
@pytest.mark.parametrize("f", [pivots, seidel])
def test_gradients(f, order):
    rng = np.random.default_rng(4)
    a, b = rng.uniform(-1.0, 1.0, (4, 4)), rng.uniform(0.5, 1.0, 4)
    assert myia.jit(f)(a, b) == pytest.approx(f(a, b), rel=1e-12)
    myia.check_grads(f, (a, b), order=order)


def test_a_row_that_all_iterations_read_is_recorded_once():
    plan = myia.grad(pivots).plan(np.eye(4), np.ones(4))
    outer = sum(p.bytes for p in plan if not p.depth)
    assert outer <= 8 * 4 * (4 + 4 + 3), "rows, factors, and three numbers in each iteration"


def test_arrays_carried_by_an_inner_loop():
    text = """
func @f(%x: f64[5], %k: i64[], %n: i64[]) -> f64[5] {
  %5 = 5: i64[]
  %a = for %i < %n (%a = %x) {
    %a = for %j < %5 (%b = %a) {
      %1 = dynamic_slice %b, %k {sizes=(1,)}
      %2 = sin %b
      %3 = dynamic_update_slice %2, %1, %j
      yield %3
    }
    yield %a
  }
  return %a
}"""
    assert unchanged(load_hoisting, text)
