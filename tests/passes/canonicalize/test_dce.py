from myia.passes.canonicalize.dce import dce
from tests.passes.before_after import before_after, unchanged


def test_carried_values_that_feed_only_one_another(golden):
    golden(before_after(dce, """
func @f(%a: f64[], %b: f64[], %n: i64[]) -> f64[] {
  %dead = sin %a
  %x, %y, %z = for %k < %n (%x = %a, %y = %b, %z = %b) {
    %0 = mul %x, %b
    %1 = add %y, %z
    %2 = add %z, %0
    yield %0, %1, %2
  }
  return %x
}"""))  # fmt: skip


def test_values_that_the_condition_reads_are_live(golden):
    golden(before_after(dce, """
func @f(%a: f64[]) -> f64[] {
  %x, %y, %z = while (%x = %a, %y = %a, %z = %a) {
    cond { %0 = lt %y, %a
      yield %0 }
    body { %1 = neg %x
      %2 = add %y, %y
      yield %1, %2, %1 }
  }
  return %x
}"""))  # fmt: skip


def test_branches(golden):
    golden(before_after(dce, """
func @f(%p: bool[], %x: f64[]) -> f64[] {
  %a, %b = if %p { %0 = neg %x
    %1 = sin %x
    yield %0, %1 } else { yield %x, %x }
  %c = if %p { yield %b } else { yield %a }
  return %a
}"""))  # fmt: skip


def test_calls_and_derivatives(golden):
    golden(before_after(dce, """
func @f(%x: f64[], %y: f64[]) -> f64[], f64[], f64[] {
  %a, %b = call @g(%u = %x, %v = %y) { %0 = neg %u
    %1 = sin %v
    yield %0, %1 }
  %c, %d, %e, %h = derivative vjp wrt (0, 1) of (1,) (%u = %x, %v = %y) seeds (%x) {
    %2 = sin %u
    %3 = mul %u, %v
    yield %2, %3
  }
  %i, %j, %k, %l = derivative jvp wrt (0,) of (0, 1) (%u = %x, %v = %y) seeds (%y) {
    %4 = sin %u
    %5 = mul %u, %v
    yield %4, %5
  }
  return %a, %h, %l
}"""))  # fmt: skip


def test_adjoint_loop(golden):
    """The adjoint reads the carried values %y and %z, but only the cotangent of %y is live."""
    golden(before_after(dce, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[], f64[], f64[] {
  %dx, %dy, %dz, %dc, %dd = rev for %k < %n (%x = %x, %y = %x, %z = %x)
      ct (%dx = %c of %x, %dy = %c of %y, %dz = %c of %z) acc (%dc = %c, %dd = %c) {
    body { %0 = mul %x, %c
      %1 = mul %y, %y
      %2 = sin %z
      yield %0, %1, %2 }
    adjoint {
      %3 = mul %dx, %c
      %4 = mul %dy, %y
      %5 = cos %z
      %6 = mul %dz, %5
      %7 = mul %dx, %c
      %8 = add %dc, %7
      %9 = add %dd, %6
      yield %3, %4, %6, %8, %9
    }
  }
  return %dx, %dy, %dc
}"""))  # fmt: skip


def test_effects_are_live():
    assert unchanged(dce, """
func @f(%x: f64[], %n: i64[], %p: bool[]) {
  for %k < %n () {
    if %p {
      debug_print %x {fmt='{}'}
    } else {
    }
  }
}""")  # fmt: skip


def test_only_the_effect_of_a_loop_is_live(golden):
    golden(before_after(dce, """
func @f(%x: f64[], %n: i64[]) {
  %y, %z = for %k < %n (%y = %x, %z = %x) {
    debug_print %y {fmt='{}'}
    %0 = neg %y
    %1 = neg %z
    yield %0, %1
  }
}"""))  # fmt: skip
