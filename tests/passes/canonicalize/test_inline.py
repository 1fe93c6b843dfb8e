from myia.passes.canonicalize.inline import inline
from tests.passes.before_after import before_after, unchanged


def test_nested_calls(golden):
    golden(before_after(inline, """
func @f(%x: f64[], %n: i64[]) -> f64[] {
  %y = for %k < %n (%y = %x) {
    %z = call @outer(%a = %y) {
      %b = call @inner(%c = %a) {
        %d = mul %c, %x                                # helper.py:2
        yield %d
      }
      %e = neg %b
      yield %e
    }
    yield %z
  }
  return %y
}"""))  # fmt: skip


def test_results_that_are_arguments(golden):
    golden(before_after(inline, """
func @f(%x: f64[], %y: f64[]) -> f64[], f64[] {
  %a, %b = call @swap(%c = %x, %d = %y) { yield %d, %c }
  %e, %g = call @swap(%c = %a, %d = %b) { yield %d, %c }
  return %e, %g
}"""))  # fmt: skip


def test_nothing_to_do():
    assert unchanged(inline, "func @f(%x: f64[]) { %y = neg %x\n return %y }")
