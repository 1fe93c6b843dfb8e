from myia.passes.canonicalize.cse import cse
from tests.passes.before_after import before_after, unchanged


def test_expressions_are_available_in_inner_regions(golden):
    golden(before_after(cse, """
func @f(%x: f64[], %y: f64[], %n: i64[]) -> f64[], f64[] {
  %0 = mul %x, %y
  %z = for %k < %n (%z = %x) {
    %1 = mul %y, %x
    %2 = sub %z, %1
    %3 = sub %z, %1
    %4 = add %2, %3
    yield %4
  }
  %5 = sub %x, %y
  %6 = sub %y, %x
  %7 = add %5, %6
  return %z, %7
}"""))  # fmt: skip


def test_equal_loops(golden):
    golden(before_after(cse, """
func @f(%x: f64[], %n: i64[]) -> f64[] {
  %a = for %k < %n (%a = %x) { %0 = 2.0: f64[]
    %1 = mul %a, %0
    yield %1 }
  %b = for %j < %n (%b = %x) { %2 = 2.0: f64[]
    %3 = mul %2, %b
    yield %3 }
  %c = for %j < %n (%c = %x) { %4 = 2.0: f64[]
    %5 = mul %c, %4
    yield %5 }
  %6 = add %a, %b
  %7 = add %6, %c
  return %7
}"""))  # fmt: skip


def test_constants_stay_in_their_regions(golden):
    golden(before_after(cse, """
func @f(%x: f64[], %n: i64[]) -> f64[], f64[] {
  %0 = 2.0: f64[]
  %1 = mul %x, %0
  %y = for %k < %n (%y = %1) {
    %2 = 2.0: f64[]
    %3 = 2.0: f64[]
    %4 = mul %x, %3
    %5 = mul %2, %4
    yield %5
  }
  return %1, %y
}"""))  # fmt: skip


def test_zeros_of_both_signs_differ():
    assert unchanged(cse, "func @f() { %0 = 0.0: f64[]\n %1 = -0.0: f64[]\n return %0, %1 }")


def test_one_and_true_differ():
    assert unchanged(cse, "func @f() { %0 = 1: i64[]\n %1 = True: bool[]\n return %0, %1 }")


def test_expressions_of_one_branch_are_not_available_in_the_other():
    assert unchanged(cse, """
func @f(%p: bool[], %x: f64[]) -> f64[] {
  %y = if %p { %0 = neg %x
    yield %0 } else { %1 = neg %x
    yield %1 }
  return %y
}""")  # fmt: skip


def test_effects_are_not_merged():
    assert unchanged(cse, """
func @f(%x: f64[], %n: i64[]) {
  debug_print %x {fmt='{}'}
  debug_print %x {fmt='{}'}
  %a = for %k < %n (%a = %x) { debug_print {fmt=''}
    yield %a }
  %b = for %k < %n (%b = %x) { debug_print {fmt=''}
    yield %b }
  return %a, %b
}""")  # fmt: skip


def test_a_reassociable_sum_differs_from_an_ordered_one():
    assert unchanged(
        cse,
        """
func @f(%x: f64[], %y: f64[]) -> f64[] {
  %0 = add %x, %y
  %1 = add %x, %y {reassoc=True}
  %2 = mul %0, %1
  return %2
}""",
    )
