from myia.passes.memory.load_scheduling import load_scheduling
from tests.passes.before_after import before_after, unchanged


def test_the_adjoint_of_a_stencil(golden):
    """The cotangent of an element is cleared, added to the next one, and added back last."""
    golden(before_after(load_scheduling, """
func @f(%w: f64[9]) -> f64[9] {
  %n = 8: i64[]
  %0 = 0.0: f64[1]
  %1 = 1: i64[]
  %g = for %k < %n (%g = %w) bound 8 {
    %next = add %k, %1
    %share = dynamic_slice %g, %k {sizes=(1,)}
    %g.1 = dynamic_update_slice %g, %0, %k
    %2 = dynamic_slice %g.1, %next {sizes=(1,)}
    %3 = add %2, %share
    %g.2 = dynamic_update_slice %g.1, %3, %next
    %4 = dynamic_slice %g.2, %k {sizes=(1,)}
    %5 = add %4, %share
    %g.3 = dynamic_update_slice %g.2, %5, %k
    yield %g.3
  }
  return %g
}"""))  # fmt: skip


def in_a_loop(body: str, bound="bound 8") -> str:
    return f"""
func @f(%w: f64[9], %p: i64[], %n: i64[]) -> f64[9] {{
  %0 = 0.0: f64[1]
  %1 = 1: i64[]
  %g = for %k < %n (%g = %w) {bound} {{
    %next = add %k, %1
    {body}
  }}
  return %g
}}"""


READ_AFTER_STORE = """
    %g.1 = dynamic_update_slice %g, %0, %k
    %2 = dynamic_slice %g.1, %next {sizes=(1,)}
    %g.2 = dynamic_update_slice %g.1, %2, %k
    yield %g.2"""


def test_a_load_precedes_a_disjoint_store():
    assert not unchanged(load_scheduling, in_a_loop(READ_AFTER_STORE))


def test_a_clamped_slice_may_overlap():
    """At the end of the array both slices would be the last element."""
    assert unchanged(load_scheduling, in_a_loop(READ_AFTER_STORE, bound=""))
    assert unchanged(load_scheduling, in_a_loop(READ_AFTER_STORE, bound="bound 9"))


def test_an_unknown_distance():
    assert unchanged(load_scheduling, in_a_loop(READ_AFTER_STORE.replace("%next", "%p")))


def test_overlapping_slices():
    assert unchanged(load_scheduling, in_a_loop("""
    %g.1 = dynamic_update_slice %g, %0, %k
    %2 = dynamic_slice %g.1, %k {sizes=(2,)}
    %g.2 = dynamic_update_slice %g.1, %2, %next
    yield %g.2"""))  # fmt: skip


def test_an_inner_loop_reads_the_slice():
    assert unchanged(load_scheduling, in_a_loop("""
    %g.1 = dynamic_update_slice %g, %0, %k
    %s = for %j < %n (%s = %0) {
      %2 = dynamic_slice %g.1, %j {sizes=(1,)}
      %3 = add %s, %2
      yield %3
    }
    %g.2 = dynamic_update_slice %g.1, %s, %k
    yield %g.2"""))  # fmt: skip


STORE_AND_INNER_LOOP = """
    %8 = 8: i64[]
    %left = sub %8, %k
    %g.1 = dynamic_update_slice %g, %0, %k
    %s = for %j < %left (%s = %0) {
      %i = add %next, %j
      %2 = dynamic_slice %g.1, %i {sizes=(1,)}
      %3 = add %s, %2
      yield %3
    }
    %h.1 = dynamic_update_slice %g, %s, %k
    yield %h.1"""


def test_an_inner_loop_reads_disjoint_slices(golden):
    """The elements after the stored one."""
    golden(before_after(load_scheduling, in_a_loop(STORE_AND_INNER_LOOP)))


def test_an_inner_loop_may_read_the_slice():
    assert unchanged(
        load_scheduling, in_a_loop(STORE_AND_INNER_LOOP.replace("%next, %j", "%k, %j"))
    )


def rows(cleared: str, last: str) -> str:
    return f"""
func @f(%w: f64[9,20]) -> f64[9,20] {{
  %n = 8: i64[]
  %0 = 0.0: f64[1,20]
  %1 = 1: i64[]
  %z = 0: i64[]
  %g = for %k < %n (%g = %w) bound 8 {{
    %next = add %k, %1
    %share = dynamic_slice %g, %k, %z {{sizes=(1, 20)}}
    %g.1 = dynamic_update_slice %g, {cleared}, %k, %z
    %2 = dynamic_slice %g.1, %next, %z {{sizes=(1, 20)}}
    %3 = add %2, %share
    %g.2 = dynamic_update_slice %g.1, %3, %next, %z
    {last}
  }}
  return %g
}}"""


STORED_AGAIN = """
    %4 = dynamic_slice %g.2, %k, %z {sizes=(1, 20)}
    %5 = add %4, %share {reassoc=True}
    %g.3 = dynamic_update_slice %g.2, %5, %k, %z
    yield %g.3"""


def test_large_slices_stay():
    """XLA rewrites them in place, if they are loaded from the version that they are stored into."""
    assert unchanged(load_scheduling, rows("%0", "yield %g.2"))
    assert unchanged(load_scheduling, rows("%share", STORED_AGAIN))


def test_large_slices_that_are_cleared_and_stored_again(golden):
    golden(before_after(load_scheduling, rows("%0", STORED_AGAIN)))
