import itertools

from myia.passes.control_flow.if_conversion import INTEGER_OPS_BY_OP, MAX_OPS, if_conversion
from tests.passes.before_after import before_after, unchanged


def test_nested(golden):
    golden(before_after(if_conversion, """
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


def kept(branch: str, x: str = "%x") -> bool:
    return unchanged(if_conversion, f"""
func @f(%p: bool[], %x: f64[], %v: f64[99], %n: i64[]) {{
  %y = if %p {{ {branch} }} else {{ yield {x} }}
  return %y
}}""")  # fmt: skip


def test_costly_branches_stay():
    assert kept("%0 = exp %x\n yield %0")
    assert kept("%0 = reduce_sum %v {axes=(0,)}\n yield %0")
    assert kept("%0 = for %k < %n (%a = %x) { yield %a }\n yield %0")
    assert kept("debug_print {fmt=''}\n yield %x")
    for x, most in (("%x", MAX_OPS), ("%n", MAX_OPS * INTEGER_OPS_BY_OP)):
        assert not kept(chain(x, most), x)
        assert kept(chain(x, most + 1), x)


def test_an_element_of_an_array_is_loaded():
    assert not kept("%0 = slice %v {limit=(99,), start=(98,), stride=(1,)}\n"
                    " %1 = reshape %0 {shape=()}\n yield %1")  # fmt: skip


def chain(x: str, ops: int) -> str:
    """An arm of so many ops."""
    operands = [x, *(f"%{i}" for i in range(ops))]
    lines = [f"{y} = neg {x}" for x, y in itertools.pairwise(operands)]
    return "\n".join([*lines, f"yield {operands[-1]}"])


def test_large_values_stay():
    assert unchanged(if_conversion, """
func @f(%p: bool[], %v: f64[99], %w: f64[99]) {
  %y = if %p { yield %v } else { yield %w }
  return %y
}""")  # fmt: skip


def test_stores(golden):
    """Both arms store into %v, one of them after loading what it stored; one arm stores into %w."""
    golden(before_after(if_conversion, """
func @f(%p: bool[], %v: f64[99], %w: f64[99], %u: f64[2], %i: i64[], %j: i64[]) {
  %v, %w, %s = if %p {
    %0 = dynamic_update_slice %v, %u, %i                          # stores.py:3
    %1 = dynamic_slice %0, %j {sizes=(1,)}
    %2 = neg %1
    %3 = dynamic_update_slice %0, %2, %j                          # stores.py:5
    yield %3, %w, %u
  } else {
    %4 = dynamic_slice %v, %j {sizes=(2,)}
    %5 = dynamic_update_slice %v, %4, %i                          # stores.py:8
    %6 = dynamic_update_slice %w, %4, %j                          # stores.py:9
    yield %5, %6, %4
  }
  return %v, %w
}"""))  # fmt: skip


def test_two_live_versions_of_an_array_stay():
    assert unchanged(if_conversion, """
func @f(%p: bool[], %v: f64[99], %u: f64[2], %i: i64[]) {
  %a, %b = if %p {
    %0 = dynamic_update_slice %v, %u, %i
    yield %0, %v
  } else {
    yield %v, %v
  }
  return %a, %b
}""")  # fmt: skip
    assert unchanged(if_conversion, """
func @f(%p: bool[], %v: f64[99], %w: f64[99], %u: f64[2], %i: i64[]) {
  %a = if %p {
    %0 = dynamic_update_slice %v, %u, %i
    yield %0
  } else {
    yield %w
  }
  return %a
}""")  # fmt: skip
