from before_after import before_after, unchanged

from myia.passes.if_convert import convert_branches


def test_nested(golden):
    golden(before_after(convert_branches, """
func @f(%p: bool[], %q: bool[], %x: f64[], %v: f64[3]) -> f64[], f64[3] {
  %y, %w = if %p {
    %0 = neg %x
    %1 = if %q { yield %0 } else { yield %x }
    yield %1, %v
  } else {
    %2 = add %v, %v
    yield %x, %2
  }
  return %y, %w
}"""))  # fmt: skip


def kept(branch: str) -> bool:
    return unchanged(convert_branches, f"""
func @f(%p: bool[], %x: f64[], %v: f64[99], %n: i64[]) {{
  %y = if %p {{ {branch} }} else {{ yield %x }}
  return %y
}}""")  # fmt: skip


def test_costly_branches_stay():
    assert kept("%0 = exp %x\n yield %0")
    assert kept("%0 = reduce_sum %v {axes=(0,)}\n yield %0")
    assert kept("%0 = for %k < %n (%a = %x) { yield %a }\n yield %0")
    assert kept("debug_print {fmt=''}\n yield %x")
    assert kept(
        "\n".join(["%0 = neg %x"] + [f"%{i + 1} = neg %{i}" for i in range(8)]) + "\n yield %8"
    )


def test_large_values_stay():
    assert unchanged(convert_branches, """
func @f(%p: bool[], %v: f64[99], %w: f64[99]) {
  %y = if %p { yield %v } else { yield %w }
  return %y
}""")  # fmt: skip
