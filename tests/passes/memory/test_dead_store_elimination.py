import pytest

from myia.passes.memory.dead_store_elimination import dead_store_elimination
from myia.passes.pipeline import optimize
from tests.passes.before_after import before_after, unchanged


def late(function):
    return optimize(function, "finish")


def test_the_adjoint_of_a_loop_that_fills_an_array(golden):
    golden(before_after(late, """
func @f(%x: f64[], %ct: f64[8]) -> f64[] {
  %n = 8: i64[]
  %0 = 0.0: f64[1]
  %y, %b = for %k < %n (%y = %x, %b = %ct) bound 8 {
    %7 = 7: i64[]
    %i = sub %7, %k
    %1 = dynamic_slice %b, %i {sizes=(1,)}
    %2 = reshape %1 {shape=()}
    %3 = add %y, %2
    %4 = sin %3
    %5 = dynamic_update_slice %b, %0, %i
    yield %4, %5
  }
  return %y
}"""))  # fmt: skip


def test_every_other_row_in_a_nest(golden):
    golden(before_after(dead_store_elimination, """
func @f(%x: f64[3], %ct: f64[9,3], %m: i64[]) -> f64[3] {
  %n = 4: i64[]
  %y = for %j < %m (%y = %x) {
    %z, %b = for %k < %n (%z = %y, %b = %ct) bound 4 {
      %0 = 0: i64[]
      %2 = 2: i64[]
      %i = mul %2, %k
      %1 = dynamic_slice %b, %i, %0 {sizes=(2, 3)}
      %3 = reduce_sum %1 {axes=(0,)}
      %4 = mul %z, %3
      %5 = dynamic_update_slice %b, %1, %i, %0
      yield %4, %5
    }
    yield %z
  }
  return %y
}"""))  # fmt: skip


def loop(body: str, result="%y", bound="bound 8") -> str:
    return f"""
func @f(%x: f64[], %ct: f64[8], %n: i64[]) -> {"f64[8]" if result == "%b" else "f64[]"} {{
  %0 = 0.0: f64[1]
  %y, %b = for %k < %n (%y = %x, %b = %ct) {bound} {{
    {body}
    %2 = reshape %1 {{shape=()}}
    %3 = add %y, %2
    yield %3, %5
  }}
  return {result}
}}"""


STORE = """
    %1 = dynamic_slice %b, %k {sizes=(1,)}
    %5 = dynamic_update_slice %b, %0, %k"""


def test_a_dead_store():
    assert not unchanged(dead_store_elimination, loop(STORE))


def test_the_array_is_read_after_the_loop():
    assert unchanged(dead_store_elimination, loop(STORE, result="%b"))


def test_no_bound_on_the_trip_count():
    """A start index beyond the end is clamped: the slice is one that was stored before."""
    assert unchanged(dead_store_elimination, loop(STORE, bound=""))
    assert unchanged(dead_store_elimination, loop(STORE, bound="bound 9"))


def test_another_slice_is_read():
    assert unchanged(dead_store_elimination, loop("""
    %6 = 1: i64[]
    %i = add %k, %6
    %1 = dynamic_slice %b, %k {sizes=(1,)}
    %5 = dynamic_update_slice %b, %0, %i""", bound="bound 7"))  # fmt: skip


RESTORED = """
func @f(%x: f64[], %a: f64[9,20], %t: f64[8,20]) -> f64[] {{
  %n = {n}: i64[]
  %0 = 0: i64[]
  %1 = 1: i64[]
  %last = {n}: i64[]
  %y, %b = for %k < %n (%y = %x, %b = %a) bound {n} {{
    %next = add %k, %1
    %i = sub %last, %k
    %before = sub %i, %1
    %3 = dynamic_slice %t, %k, %0 {{sizes=(1, 20)}}
    %4 = dynamic_update_slice %b, %3, {store}, %0
    %5 = dynamic_slice %4, {read}, %0 {{sizes=(1, 20)}}
    %6 = reduce_sum %5 {{axes=(0, 1)}}
    %7 = add %y, %6
    yield %7, %4
  }}
  return %y
}}"""


def restored(store: str, read: str, n: int = 8) -> str:
    """An adjoint loop that restores rows of an array, and reads others."""
    return RESTORED.format(store=store, read=read, n=n)


def test_rows_are_read_before_they_are_restored(golden):
    """The loads see the array from before the loop."""
    golden(before_after(late, restored("%i", "%before")))
    assert not unchanged(dead_store_elimination, restored("%k", "%next"))


def test_rows_are_read_after_they_were_restored():
    for places in (("%i", "%i"), ("%k", "%k"), ("%next", "%k"), ("%before", "%i"), ("%k", "%i")):
        assert unchanged(dead_store_elimination, restored(*places))


def test_a_row_beyond_the_end_is_the_last_one():
    """It is restored in the iteration before."""
    assert unchanged(dead_store_elimination, restored("%k", "%next", n=9))


def test_the_new_version_is_read():
    assert unchanged(dead_store_elimination, loop("""
    %5 = dynamic_update_slice %b, %0, %k
    %1 = dynamic_slice %5, %k {sizes=(1,)}"""))  # fmt: skip


def test_one_slice_for_all_iterations():
    assert unchanged(dead_store_elimination, loop("""
    %i = 3: i64[]
    %1 = dynamic_slice %b, %i {sizes=(1,)}
    %5 = dynamic_update_slice %b, %0, %i"""))  # fmt: skip


def test_overlapping_slices():
    assert unchanged(dead_store_elimination, """
func @f(%x: f64[], %ct: f64[9]) -> f64[] {
  %n = 8: i64[]
  %0 = 0.0: f64[2]
  %y, %b = for %k < %n (%y = %x, %b = %ct) bound 8 {
    %1 = dynamic_slice %b, %k {sizes=(2,)}
    %2 = reduce_sum %1 {axes=(0,)}
    %3 = add %y, %2
    %5 = dynamic_update_slice %b, %0, %k
    yield %3, %5
  }
  return %y
}""")  # fmt: skip


def test_the_array_is_read_by_a_nested_loop():
    assert unchanged(dead_store_elimination, loop("""
    %1 = for %j < %n (%s = %0) {
      %6 = dynamic_slice %b, %j {sizes=(1,)}
      %7 = add %s, %6
      yield %7
    }
    %5 = dynamic_update_slice %b, %0, %k"""))  # fmt: skip


def test_the_condition_reads_the_array():
    assert unchanged(dead_store_elimination, """
func @f(%x: f64[], %ct: f64[8], %n: i64[]) -> f64[] {
  %0 = 0.0: f64[1]
  %y, %b = for %k < %n (%y = %x, %b = %ct) bound 8 {
    cond {
      %6 = 0: i64[]
      %7 = dynamic_slice %b, %6 {sizes=(1,)}
      %8 = reshape %7 {shape=()}
      %9 = lt %8, %y
      yield %9 }
    body {
      %1 = dynamic_slice %b, %k {sizes=(1,)}
      %2 = reshape %1 {shape=()}
      %3 = add %y, %2
      %5 = dynamic_update_slice %b, %0, %k
      yield %3, %5
    }
  }
  return %y
}""")  # fmt: skip


ROWS = """
func @f(%a: f64[9,7], %b: f64[9,7]) -> f64[9,7]{also} {{
  %9 = 9: i64[]
  %7 = 7: i64[]
  %0 = 0: i64[]
  %a, %t = for %i < %9 (%a = %a, %t = %b) bound 9 {{
    %a, %t = for %j < %7 (%a = %a, %t = %t) bound 7 {{
      %1 = dynamic_slice %a, %i, {j} {{sizes=(1, 1)}}
      %t = dynamic_update_slice %t, %1, %i, %j
      %2 = sin %1
      %a = dynamic_update_slice %a, %2, %i, %j
      yield %a, %t
    }}
    %a = for %j < %7 (%a = %a) bound 7 {{
      %1 = dynamic_slice %a, %i, %j {{sizes=(1, 1)}}
      %2 = add %1, %1
      %a = dynamic_update_slice %a, %2, {i}, %j
      yield %a
    }}
    yield %a, %t
  }}
  return %t{and_a}
}}"""


def rows(also="", and_a="", i="%i", j="%j") -> str:
    return ROWS.format(also=also, and_a=and_a, i=i, j=j)


def test_elements_recorded_before_a_nest_changes_them(golden):
    """Each is read before any iteration stores into it, so no load reads the stores."""
    golden(before_after(late, rows()))


def test_a_nest_whose_stores_are_read():
    for text in (rows(also=", f64[9,7]", and_a=", %a"), rows(j="%0"), rows(i="%0")):
        assert unchanged(dead_store_elimination, text)


@pytest.mark.parametrize("what", ["%b", "%4"])
def test_a_print_is_a_use(what):
    """Although it has no results."""
    assert unchanged(dead_store_elimination, loop(f"""
    %4 = dynamic_slice %b, %n {{sizes=(1,)}}
    debug_print {what} {{fmt='{{}}'}}
    {STORE}"""))  # fmt: skip
