from myia.passes.canonicalize.simplify import simplify
from tests.passes.before_after import before_after, unchanged


def test_chains_collapse_in_one_walk(golden):
    golden(before_after(simplify, """
func @f(%x: f64[], %y: f64[], %a: f64[9], %i: i64[]) -> f64[], f64[] {
  %0 = -1.0: f64[]
  %1 = mul %x, %0
  %s = sub %y, %1                                     # sum.py:3
  %u = reshape %s {shape=(1,)}
  %b = dynamic_update_slice %a, %u, %i
  %v = dynamic_slice %b, %i {sizes=(1,)}
  %t = reshape %v {shape=()}
  return %s, %t
}"""))  # fmt: skip


def test_inside_regions(golden):
    golden(before_after(simplify, """
func @f(%x: f64[], %n: i64[], %p: bool[]) -> f64[] {
  %1 = 1.0: f64[]
  %q = not %p
  %y = for %k < %n (%y = %x) {
    %2 = mul %y, %1
    %z, %w = if %q { %3 = neg %2
      yield %3, %x } else { yield %2, %x }
    %4 = add %z, %w
    yield %4
  }
  return %y
}"""))  # fmt: skip


def test_both_branches_keep_the_same_version_of_an_array():
    """If one branch wrote to the version before, XLA would copy the array."""
    assert unchanged(simplify, """
func @f(%x: f64[9], %u: f64[1], %v: f64[1], %p: bool[], %i: i64[]) -> f64[9] {
  %1 = dynamic_update_slice %x, %u, %i
  %2 = if %p {
    %3 = dynamic_update_slice %1, %v, %i
    yield %3
  } else {
    yield %1
  }
  return %2
}""")  # fmt: skip
