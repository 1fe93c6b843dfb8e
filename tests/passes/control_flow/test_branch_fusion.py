import pytest

from myia.passes.control_flow.branch_fusion import fuse_branches
from tests.passes.before_after import before_after, unchanged


def test_recorded_and_done(golden):
    """A branch recorded before it is taken: %y waits no longer for %v, but %2 for both."""
    golden(before_after(fuse_branches, """
func @f(%p: bool[], %x: f64[], %v: f64[99], %i: i64[]) -> f64[], f64[99] {
  %y = if %p {
    %0 = dynamic_slice %v, %i {sizes=(1,)}
    %1 = reshape %0 {shape=()}
    yield %1
  } else {
    yield %x
  }
  %2 = neg %y
  %3 = reshape %x {shape=(1,)}
  %w = if %p {
    %4 = reshape %y {shape=(1,)}
    %5 = add %3, %4
    %6 = dynamic_update_slice %v, %5, %i
    yield %6
  } else {
    yield %v
  }
  return %2, %w
}"""))  # fmt: skip


def program(first: str, between: str, second: str, condition: str = "%p") -> str:
    return f"""
func @f(%p: bool[], %q: bool[], %x: f64[], %v: f64[99]) {{
  %y = if %p {{ {first} }} else {{ yield %x }}
  {between}
  %z = if {condition} {{ {second} }} else {{ yield %x }}
  return %y, %z
}}"""  # fmt: skip


NEGATED = "%0 = neg %x\n yield %0"
APART = {
    "another condition": program(NEGATED, "", "%1 = neg %y\n yield %1", "%q"),
    "what is made of its results": program(NEGATED, "%1 = sin %y", "yield %1"),
    "an effect between": program(NEGATED, "debug_print {fmt=''}", "yield %y"),
    "too large": program("%0 = reduce_sum %v {axes=(0,)}\n yield %0", "", "yield %y"),
}


@pytest.mark.parametrize("text", APART.values(), ids=APART)
def test_what_stays_apart(text):
    assert unchanged(fuse_branches, text)


def test_what_is_joined():
    assert not unchanged(fuse_branches, program(NEGATED, "", "%1 = neg %y\n yield %1"))
