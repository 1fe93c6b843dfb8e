from myia.passes.vectorize.adjacent_accesses import coalesce_adjacent_accesses
from tests.passes.before_after import before_after, unchanged

SHARES = """
func @f(%w: f64[10,10]) -> f64[10,10] {
  %n = 8: i64[]
  %1 = 1: i64[]
  %g = for %i < %n (%g = %w) bound 8 {
    %g = for %j < %n (%g = %g) bound 8 {
      %next = add %j, %1
      %last = add %next, %1
      %2 = dynamic_slice %g, %i, %j {sizes=(1, 1)}
      %3 = dynamic_slice %g, %i, %next {sizes=(1, 1)}
      %4 = dynamic_slice %g, %i, %last {sizes=(1, 1)}
      %5 = add %3, %2
      %6 = mul %2, %4
      %g.1 = dynamic_update_slice %g, %5, %i, %next
      %g.2 = dynamic_update_slice %g.1, %6, %i, %j
      %g.3 = dynamic_update_slice %g.2, %2, %i, %last
      yield %g.3
    }
    yield %g
  }
  return %g
}"""


def test_three_cells_of_a_row(golden):
    golden(before_after(coalesce_adjacent_accesses, SHARES))


def test_rows_that_are_whole_follow_one_another(golden):
    golden(before_after(coalesce_adjacent_accesses, """
func @f(%w: f64[10,3]) -> f64[10,3] {
  %n = 8: i64[]
  %1 = 1: i64[]
  %z = 0: i64[]
  %g = for %i < %n (%g = %w) bound 8 {
    %next = add %i, %1
    %last = add %next, %1
    %3 = dynamic_slice %g, %last, %z {sizes=(1, 3)}
    %2 = dynamic_slice %g, %i, %z {sizes=(1, 3)}
    %4 = dynamic_slice %g, %next, %z {sizes=(1, 3)}
    %5 = add %3, %2
    %g.1 = dynamic_update_slice %g, %5, %i, %z
    %g.2 = dynamic_update_slice %g.1, %2, %next, %z
    %g.3 = dynamic_update_slice %g.2, %4, %last, %z
    yield %g.3
  }
  return %g
}"""))  # fmt: skip


def test_one_of_them_may_stand_out():
    assert unchanged(
        coalesce_adjacent_accesses, SHARES.replace("bound 8", "bound 9").replace("8:", "9:")
    )


def test_one_below_the_other():
    below = SHARES.replace("%i, %next", "%next, %j").replace("%i, %last", "%last, %j")
    assert unchanged(coalesce_adjacent_accesses, below.replace("add %j, %1", "add %i, %1"))


def test_between_two_stores_the_array_is_read():
    assert unchanged(coalesce_adjacent_accesses, SHARES.replace(
        "      yield %g.3",
        "      %7 = dynamic_slice %g.1, %i, %j {sizes=(1, 1)}\n"
        "      %g.4 = dynamic_update_slice %g.3, %7, %i, %j\n"
        "      yield %g.4",
    ))  # fmt: skip


def test_what_is_not_written_is_read_by_itself():
    """The processor hands on an element that was stored by itself, but not several of them."""
    assert unchanged(coalesce_adjacent_accesses, SHARES.replace("yield %g.3", "yield %g.2"))


def test_two_are_read_by_themselves():
    two = SHARES.replace("yield %g.3", "yield %g.2").replace("mul %2, %4", "mul %2, %2")
    assert unchanged(coalesce_adjacent_accesses, two)
