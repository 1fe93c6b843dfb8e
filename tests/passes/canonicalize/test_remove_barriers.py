from myia.passes.canonicalize.remove_barriers import remove_barriers
from tests.passes.before_after import before_after, unchanged


def test_in_loops(golden):
    golden(before_after(remove_barriers, """
func @f(%x: f64[], %c: f64[], %n: i64[]) -> f64[] {
  %a = barrier %x, %c {held=1}
  %y = for %k < %n (%y = %a) {
    %b = barrier %y, %c {held=1}
    %d = sin %b
    yield %d
  }
  return %y
}"""))  # fmt: skip


def test_barriers_outside_of_loops_stay():
    text = "func @f(%x: f64[], %c: f64[]) { %a = barrier %x, %c {held=1}\n return %a }"
    assert unchanged(remove_barriers, text)
