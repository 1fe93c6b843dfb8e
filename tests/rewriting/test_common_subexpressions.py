"""Equal ops are merged before an adjoint is taken."""

from myia.ir.parser import parse
from myia.rewriting.common_subexpressions import eliminate_common_subexpressions

PROGRAM = """
func @f(%x: f64[40], %u: f64[1], %i: i64[], %p: bool[]) -> f64[40], f64[40] {
  %zero = 0.0: f64[]
  %a = dynamic_update_slice %x, %u, %i
  %c = if %p {
    yield %a
  } else {
    %n = neg %a
    yield %n
  }
  %again = 0.0: f64[]
  %b = dynamic_update_slice %x, %u, %i
  %d = if %p {
    yield %b
  } else {
    %m = neg %b
    yield %m
  }
  return %c, %d
}"""


def merged(text):
    region = eliminate_common_subexpressions(parse(text).region)
    return [op.primitive.name for op in region.ops], region.yields[0] is region.yields[1]


def test_equal_ops_are_merged():
    assert merged(PROGRAM) == (["constant", "dynamic_update_slice", "if"], True)


def test_other_branches_stay():
    names, same = merged(PROGRAM.replace("%m = neg %b", "%m = sin %b"))
    assert names == ["constant", "dynamic_update_slice", "if", "if"] and not same


def test_other_parameters_stay():
    names, same = merged(PROGRAM.replace("%again = 0.0", "%again = -0.0"))
    assert names == ["constant", "dynamic_update_slice", "if", "constant"] and same


def test_equal_results_among_others():
    text = PROGRAM.replace("%c = if", "%k, %c = if").replace("%d = if", "%d, %q = if")
    text = text.replace("yield %a", "yield %u, %a").replace("yield %n", "yield %u, %n")
    text = text.replace("yield %b", "yield %b, %p").replace("yield %m", "yield %m, %p")
    names, same = merged(text)
    assert names == ["constant", "dynamic_update_slice", "if", "if"] and same
