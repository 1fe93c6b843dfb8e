import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.passes.canonicalize.dce import dce
from myia.passes.memory.data_layout import data_layout
from tests.passes.before_after import before_after, unchanged

READ_BY_COLUMNS = """\
  %sum = for %k < %n (%sum = %sum) bound 4 {
    %1 = dynamic_slice %t, %z, %k {sizes=(3, 1)}
    %2 = reshape %1 {shape=(3,)}
    %sum = sub %2, %sum
    yield %sum
  }
  return %sum
}"""

COLUMNS = (
    """
func @f(%u: f64[4,3]) -> f64[3] {
  %t = 0.0: f64[3,4]
  %n = 4: i64[]
  %z = 0: i64[]
  %sum = 0.0: f64[3]
  %t = for %k < %n (%t = %t) bound 4 {
    %1 = dynamic_slice %u, %k, %z {sizes=(1, 3)}
    %2 = reshape %1 {shape=(3, 1)}
    %t = dynamic_update_slice %t, %2, %z, %k
    yield %t
  }
"""
    + READ_BY_COLUMNS
)


def check_same_values(text: str) -> None:
    before = parse(text)
    after = data_layout(before)
    assert after is not before
    verify(after)
    rng = np.random.default_rng(1)
    args = [rng.normal(size=x.shape).astype(x.dtype) for x in before.args]
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_array_equal(x, y)


def test_columns_become_rows(golden):
    golden(before_after(data_layout, COLUMNS))
    check_same_values(COLUMNS)


def test_rows_stay_rows():
    rows = COLUMNS.replace("%z, %k", "%k, %z").replace("(3, 1)", "(1, 3)")
    assert unchanged(data_layout, rows.replace("f64[3,4]", "f64[4,3]"))


def test_idempotent():
    after = data_layout(parse(COLUMNS))
    assert data_layout(after) is after


@pytest.mark.parametrize(
    "use",
    [
        "%3 = reduce_sum %t {axes=(1,)}",
        "%3 = dynamic_slice %t, %z, %z {sizes=(3, 4)}\n  %4 = reshape %3 {shape=(4, 3)}",
        "%3 = dynamic_slice %t, %z, %z {sizes=(2, 2)}",
        "%3 = reshape %t {shape=(2, 6)}",
        "%3 = 0.0: f64[3,3,4]\n  %4 = reshape %t {shape=(1, 3, 4)}\n"
        "  %5 = dynamic_update_slice %3, %4, %z, %z, %z",
    ],
)
def test_arrays_with_other_uses_stay(use):
    assert unchanged(data_layout, COLUMNS.replace("  return", f"  {use}\n  return"))


BLOCK = (
    """
func @f(%u: f64[2,2]) -> f64[3] {
  %t = 0.0: f64[3,4]
  %n = 4: i64[]
  %z = 0: i64[]
  %t = dynamic_update_slice %t, %u, %z, %z
  %sum = 0.0: f64[3]
"""
    + READ_BY_COLUMNS
)


def test_arrays_with_a_stored_block_stay():
    """The slice that is stored would have its elements in another order."""
    assert unchanged(data_layout, BLOCK)
    column = BLOCK.replace("f64[2,2]", "f64[2,1]")
    check_same_values(column)


def test_arrays_that_are_slices_stay():
    slice_ = """
func @f(%u: f64[6,6]) -> f64[3] {
  %n = 4: i64[]
  %z = 0: i64[]
  %t = dynamic_slice %u, %z, %z {sizes=(3, 4)}
"""
    assert unchanged(data_layout, slice_ + BLOCK[BLOCK.index("  %sum") :])


def test_arrays_that_are_returned_stay():
    text = COLUMNS.replace("return %sum", "return %sum, %t.1").replace(
        "-> f64[3]", "-> f64[3], f64[3,4]"
    )
    text = text.replace("%t = for", "%t.1 = for").replace(
        "dynamic_slice %t,", "dynamic_slice %t.1,"
    )
    assert unchanged(data_layout, text)


def test_arrays_that_are_arguments_stay():
    given = COLUMNS.replace("(%u: f64[4,3])", "(%u: f64[4,3], %t: f64[3,4])")
    assert unchanged(data_layout, given.replace("  %t = 0.0: f64[3,4]\n", ""))


def test_one_constant_starts_two_arrays(golden):
    """One is accessed by columns, the other is returned."""
    golden(before_after(data_layout, TWO_ARRAYS))
    check_same_values(TWO_ARRAYS)


TWO_ARRAYS = """
func @f(%u: f64[4,4]) -> f64[4,4] {
  %t = 0.0: f64[4,4]
  %n = 4: i64[]
  %z = 0: i64[]
  %a, %b = for %k < %n (%a = %t, %b = %t) bound 4 {
    %1 = dynamic_slice %u, %k, %z {sizes=(1, 4)}
    %2 = reshape %1 {shape=(4, 1)}
    %3 = dynamic_slice %a, %z, %z {sizes=(4, 1)}
    %4 = add %2, %3
    %a = dynamic_update_slice %a, %4, %z, %k
    %b = dynamic_update_slice %b, %4, %z, %k
    yield %a, %b
  }
  return %b
}"""

BRANCHES = """
func @f(%u: f64[4,3], %x: f64[]) -> f64[3] {
  %t = 0.0: f64[3,4]
  %n = 4: i64[]
  %z = 0: i64[]
  %limit = 0.5: f64[]
  %t.1 = while (%t = %t) {
   cond {
    %1 = dynamic_slice %t, %z, %z {sizes=(3, 1)}
    %2 = reduce_sum %1 {axes=(0, 1)}
    %3 = lt %2, %limit
    yield %3
   }
   body {
    %t.2 = for %k < %n (%t = %t) bound 4 {
      %1 = dynamic_slice %u, %k, %z {sizes=(1, 3)}
      %2 = mul %1, %1
      %3 = reshape %2 {shape=(3, 1)}
      %old = dynamic_slice %t, %z, %k {sizes=(3, 1)}
      %4 = add %old, %3
      %5 = gt %x, %limit
      %t.3 = if %5 {
        %t.4 = dynamic_update_slice %t, %4, %z, %k
        yield %t.4
      } else {
        %t.5 = call @g (%w = %t, %v = %4) {
          %w.1 = dynamic_update_slice %w, %v, %z, %k
          yield %w.1
        }
        yield %t.5
      }
      yield %t.3
    }
    yield %t.2
   }
  }
  %5 = lt %x, %limit
  %blank = 2.0: f64[3,4]
  %t.6 = if %5 {
    yield %t.1
  } else {
    yield %blank
  }
  %1 = dynamic_slice %t.6, %z, %n {sizes=(3, 1)}
  %2 = reshape %1 {shape=(3,)}
  return %2
}"""


def test_arrays_through_loops_branches_and_calls():
    """Also through loop conditions, and out of an `if` whose other arm yields a constant."""
    check_same_values(BRANCHES)
    assert "f64[3,4]" not in to_text(dce(data_layout(parse(BRANCHES))))


def test_the_innermost_loops_decide(golden):
    """A column is cleared in the outer loop, and its rows are accessed in the inner one."""
    golden(before_after(data_layout, """
func @f(%u: f64[]) -> f64[] {
  %t = empty {dtype=f64, shape=(5, 6, 7)}
  %n = 5: i64[]
  %z = 0: i64[]
  %column = 0.0: f64[5,1,1]
  %t = for %k < %n (%t = %t) bound 5 {
    %t = dynamic_update_slice %t, %column, %z, %k, %z
    %t = for %j < %n (%t = %t) bound 5 {
      %1 = dynamic_slice %t, %k, %z, %j {sizes=(1, 6, 1)}
      %t = dynamic_update_slice %t, %1, %j, %z, %k
      yield %t
    }
    yield %t
  }
  %1 = dynamic_slice %t, %n, %n, %n {sizes=(1, 1, 1)}
  %2 = reshape %1 {shape=()}
  return %2
}"""))  # fmt: skip


ELIMINATION = """
func @f(%a: f64[128,16], %x: f64[]) -> f64[128], f64[128,16] {
  %n = 16: i64[]
  %z = 0: i64[]
  %t = for %k < %n (%t = %a) bound 16 {
    %t = for %j < %n (%t = %t) bound 16 {
      %1 = dynamic_slice %t, %z, %k {sizes=(128, 1)}
      %2 = dynamic_slice %t, %z, %j {sizes=(128, 1)}
      %3 = sub %2, %1
      %t = dynamic_update_slice %t, %3, %z, %j
      yield %t
    }
    yield %t
  }
  %4 = reduce_sum %t {axes=(1,)}
  return %4, %t
}"""


def test_what_many_iterations_access_is_transposed_around_them(golden):
    """An argument, which is read as a whole and returned."""
    golden(before_after(lambda f: dce(data_layout(f)), ELIMINATION))
    check_same_values(ELIMINATION)
    after = data_layout(parse(ELIMINATION))
    assert data_layout(after) is after


ARMS = (
    ELIMINATION[: ELIMINATION.index("  %t =")].replace("%a:", "%b:")
    + """  %limit = 0.5: f64[]
  %c = gt %x, %limit
  %a = if %c {
    %1 = mul %b, %b
    yield %1
  } else {
    %2 = dynamic_slice %b, %z, %z {sizes=(128, 16)}
    yield %2
  }
"""
    + ELIMINATION[ELIMINATION.index("  %t =") :]
)


@pytest.mark.parametrize(
    "text",
    [
        ARMS,
        ARMS.replace("mul %b, %b", "empty {dtype=f64, shape=(128, 16)}").replace("gt", "lt"),
        ELIMINATION.replace("%1 = dynamic_slice %t", "%1 = dynamic_slice %a"),
    ],
)
def test_what_is_transposed_in_a_branch_or_read_beside_it(text):
    check_same_values(text)


def test_the_nest_of_a_branch_stays():
    start, end = ELIMINATION.index("  %t ="), ELIMINATION.index("  %4 =")
    branch = "  %c = gt %x, %x\n  %t = if %c {\n" + ELIMINATION[start:end]
    branch += "    yield %t\n  } else {\n    yield %a\n  }\n"
    assert unchanged(data_layout, ELIMINATION[:start] + branch + ELIMINATION[end:])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bound 16", "bound 2"),  # too few iterations
        ("%k < %n (%t = %a) bound 16", "%k < %n (%t = %a)"),  # unknown
        ("    yield %t\n", "    %t = neg %t\n    yield %t\n"),  # it would be transposed in a loop
        ("  %4 =", "  %t = dynamic_update_slice %t, %a, %z, %z\n  %4 ="),  # its order changes
        ("    %t = for %j", "    %s = reduce_sum %t {axes=(0, 1)}\n    %t = for %j"),
    ],
)
def test_what_would_be_transposed_too_often_stays(old, new):
    assert unchanged(data_layout, ELIMINATION.replace(old, new))


def test_what_fits_into_a_cache_stays():
    assert unchanged(data_layout, ELIMINATION.replace("128", "127"))


BLOCKS = """
func @f(%a: f64[4,128,16]) -> f64[4,128] {
  %n = 16: i64[]
  %m = 4: i64[]
  %z = 0: i64[]
  %s = 0.0: f64[4,128]
  %s = for %i < %m (%s = %s) bound 4 {
    %1 = dynamic_slice %a, %i, %z, %z {sizes=(1, 128, 16)}
    %b = reshape %1 {shape=(128, 16)}
NEST    %2 = dynamic_slice %t, %z, %z {sizes=(128, 1)}
    %3 = reshape %2 {shape=(1, 128)}
    %s = dynamic_update_slice %s, %3, %i, %z
    yield %s
  }
  return %s
}""".replace(
    "NEST", ELIMINATION[ELIMINATION.index("  %t =") : ELIMINATION.index("  %4 =")]
).replace("(%t = %a)", "(%t = %b)")


def test_blocks_are_transposed_in_the_loop_over_them():
    check_same_values(BLOCKS)
    after = data_layout(parse(BLOCKS))
    text = to_text(dce(after))
    assert text.index(" for ") < text.index("transpose")
    assert data_layout(after) is after


def test_blocks_that_few_iterations_access_stay():
    assert unchanged(data_layout, BLOCKS.replace("bound 16", "bound 2"))


def test_what_all_blocks_take_is_transposed_before():
    taken = BLOCKS.replace("(%t = %b)", "(%t = %c)").replace("%a: ", "%c: f64[128,16], %a: ")
    check_same_values(taken)
    text = to_text(dce(data_layout(parse(taken))))
    assert text.index("transpose") < text.index(" for ")


def test_what_blocks_take_from_a_loop_around_them_has_the_same_values():
    """Each iteration of the outer loop takes another array, and all blocks take the same."""
    taken = BLOCKS.replace("(%t = %b)", "(%t = %c)").replace(
        "f64[4,128,16])", "f64[4,128,16], %d: f64[128,16])"
    )
    start, end = taken.index("  %s = for %i"), taken.index("  return %s")
    around = (
        "  %c = mul %d, %d\n  %s = for %o < %m (%s = %s) bound 4 {\n"
        + taken[start:end]
        + "    yield %s\n  }\n"
    )
    inner = around.replace("  %c = mul %d, %d\n", "").replace(
        "bound 4 {\n", "bound 4 {\n  %c = mul %d, %d\n", 1
    )
    for text in (around, inner):
        check_same_values(taken[:start] + text + taken[end:])
