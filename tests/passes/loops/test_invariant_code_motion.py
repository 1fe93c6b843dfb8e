from myia.passes.loops.invariant_code_motion import invariant_code_motion
from tests.passes.before_after import before_after, unchanged


def test_nest(golden):
    golden(before_after(invariant_code_motion, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[] {
  %y = for %i < %n (%y = %x) {
    %a = convert %i {dtype=f64}
    %z = for %j < %n (%z = %y) {
      %0 = exp %c                                       # invariant in both loops
      %1 = mul %a, %0                                   # invariant in the inner loop
      %2 = mul %z, %1
      yield %2
    }
    yield %z
  }
  return %y
}"""))  # fmt: skip


def test_conditions_and_adjoints(golden):
    golden(before_after(invariant_code_motion, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[], f64[] {
  %y = while (%y = %x) { cond { %0 = exp %c
      %1 = lt %y, %0
      yield %1 } body { %2 = add %y, %y
      yield %2 } }
  %dy = rev for %k < %n (%y = %x) ct (%dy = %c of %y) {
    body { %3 = sin %y
      yield %3 }
    adjoint { %4 = exp %c
      %5 = mul %dy, %4
      %6 = mul %5, %y
      yield %6 }
  }
  return %y, %dy
}"""))  # fmt: skip


def test_cheap_large_results_stay(golden):
    golden(before_after(invariant_code_motion, """
func @f(%x: f64[100], %c: f64[], %n: i64[]) -> f64[100] {
  %y = for %k < %n (%y = %x) {
    %0 = 2.0: f64[100]
    %1 = broadcast %c {dims=(), shape=(100,)}
    %2 = mul %0, %1
    %3 = add %y, %2
    %4 = broadcast %c {dims=(), shape=(100,)}
    %5 = exp %4
    %6 = mul %3, %5
    yield %6
  }
  return %y
}"""))  # fmt: skip


def test_counted_loops_and_branches_move_as_a_whole(golden):
    golden(before_after(invariant_code_motion, """
func @f(%x: f64[], %c: f64[], %n: i64[], %p: bool[]) -> f64[] {
  %y = for %k < %n (%y = %x) {
    %0 = exp %c
    %a = for %j < %n (%a = %0) { %1 = mul %a, %0
      yield %1 }
    %b = if %p { yield %a } else { yield %c }
    %2 = mul %y, %b
    yield %2
  }
  return %y
}"""))  # fmt: skip


def test_calls_without_arguments_are_not_constants(golden):
    golden(before_after(invariant_code_motion, """
func @f(%c: f64[], %n: i64[]) {
  for %k < %n () {
    %0 = convert %c {dtype=i64}
    %1 = call @g() {
      %2 = neg %0
      yield %2
    }
  }
}"""))  # fmt: skip


def test_loops_that_may_not_terminate_stay():
    assert unchanged(invariant_code_motion, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[] {
  %y = for %k < %n (%y = %x) {
    %a = while (%a = %c) { cond { %0 = lt %a, %c
        yield %0 } body { yield %a } }
    %1 = mul %y, %a
    yield %1
  }
  return %y
}""")  # fmt: skip


def test_nothing_leaves_a_branch():
    assert unchanged(invariant_code_motion, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[] {
  %y = for %k < %n (%y = %x) {
    %p = lt %y, %c
    %a = if %p { %0 = exp %c
      yield %0 } else { yield %y }
    yield %a
  }
  return %y
}""")  # fmt: skip


def test_effects_stay():
    assert unchanged(invariant_code_motion, """
func @f(%c: f64[], %n: i64[]) {
  for %k < %n () { debug_print %c {fmt='{}'}
  }
}""")  # fmt: skip
