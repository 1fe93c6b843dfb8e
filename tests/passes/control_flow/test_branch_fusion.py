import pytest

from myia.passes.control_flow.branch_fusion import branch_fusion
from tests.passes.before_after import before_after, unchanged


def test_a_branch_and_its_residuals(golden):
    """The residual of a branch is computed before the branch: %2 now follows both."""
    golden(before_after(branch_fusion, """
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
NOT_FUSED = {
    "another condition": program(NEGATED, "", "%1 = neg %y\n yield %1", "%q"),
    "the second reads what depends on the first": program(NEGATED, "%1 = sin %y", "yield %1"),
    "an effect between": program(NEGATED, "debug_print {fmt=''}", "yield %y"),
    "too large": program("%0 = reduce_sum %v {axes=(0,)}\n yield %0", "", "yield %y"),
}


@pytest.mark.parametrize("text", NOT_FUSED.values(), ids=NOT_FUSED)
def test_branches_that_are_not_fused(text):
    assert unchanged(branch_fusion, text)


def test_branches_that_are_fused():
    assert not unchanged(branch_fusion, program(NEGATED, "", "%1 = neg %y\n yield %1"))


HALVED = """
%n = 9: i64[]
{x} = for %k < %n (%a = %v) {{
  %b = mul %a, %a
  yield %b
}}
"""


def test_large_branches_that_run_one_loop():
    """`%v` squared nine times: what one arm has computed, the other need not."""
    first = HALVED.format(x="%s") + "%t = reduce_sum %s {axes=(0,)}\n yield %t"
    same = HALVED.format(x="%u") + "%w = reduce_max %u {axes=(0,)}\n yield %w"
    other = same.replace("mul %a, %a", "add %a, %a")
    assert not unchanged(branch_fusion, program(first, "", same))
    assert unchanged(branch_fusion, program(first, "", other))
