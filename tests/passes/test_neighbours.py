from before_after import before_after, unchanged

from myia.passes.neighbours import neighbours

SHARES = """
func @f(%w: f64[9,9]) -> f64[9,9] {
  %n = 8: i64[]
  %1 = 1: i64[]
  %g = for %i < %n (%g = %w) bound 8 {
    %g = for %j < %n (%g = %g) bound 8 {
      %next = add %j, %1
      %2 = dynamic_slice %g, %i, %j {sizes=(1, 1)}
      %3 = dynamic_slice %g, %i, %next {sizes=(1, 1)}
      %4 = add %3, %2
      %5 = mul %2, %2
      %g.1 = dynamic_update_slice %g, %4, %i, %next
      %g.2 = dynamic_update_slice %g.1, %5, %i, %j
      yield %g.2
    }
    yield %g
  }
  return %g
}"""


def test_two_cells_of_a_row(golden):
    golden(before_after(neighbours, SHARES))


def test_rows_that_are_whole_follow_one_another(golden):
    golden(before_after(neighbours, """
func @f(%w: f64[9,3]) -> f64[9,3] {
  %n = 8: i64[]
  %1 = 1: i64[]
  %z = 0: i64[]
  %g = for %i < %n (%g = %w) bound 8 {
    %next = add %i, %1
    %3 = dynamic_slice %g, %next, %z {sizes=(1, 3)}
    %2 = dynamic_slice %g, %i, %z {sizes=(1, 3)}
    %4 = add %3, %2
    %g.1 = dynamic_update_slice %g, %4, %i, %z
    %g.2 = dynamic_update_slice %g.1, %2, %next, %z
    yield %g.2
  }
  return %g
}"""))  # fmt: skip


def test_one_of_them_may_stand_out():
    assert unchanged(neighbours, SHARES.replace("bound 8", "bound 9").replace("8:", "9:"))


def test_one_below_the_other():
    below = SHARES.replace("%i, %next", "%next, %j").replace("add %j, %1", "add %i, %1")
    assert unchanged(neighbours, below)


def test_between_two_stores_the_array_is_read():
    assert unchanged(neighbours, SHARES.replace(
        "      yield %g.2",
        "      %6 = dynamic_slice %g.1, %i, %j {sizes=(1, 1)}\n"
        "      %g.3 = dynamic_update_slice %g.2, %6, %i, %j\n"
        "      yield %g.3",
    ))  # fmt: skip


def test_what_is_not_written_is_read_by_itself():
    """The processor hands on an element that was stored by itself, but not a pair of them."""
    only_one = SHARES.replace("yield %g.2", "yield %g.1")
    assert unchanged(neighbours, only_one)
