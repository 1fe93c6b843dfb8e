from myia.passes.loops.unroll import unroll
from tests.passes.before_after import before_after, unchanged


def pooling(trip_count: int, body: str = "") -> str:
    return f"""
func @f(%x: f64[9,2], %s: f64[1,1], %i: i64[]) -> f64[1,1] {{
  %n = {trip_count}: i64[]
  %s = for %k < %n (%s = %s) bound 9 {{
    %1 = dynamic_slice %x, %i, %k {{sizes=(1, 1)}}
    {body}
    %2 = max %s, %1
    yield %2
  }}
  return %s
}}"""


def test_windows_of_pooling(golden):
    golden(before_after(unroll, pooling(2)))


def test_no_iteration():
    assert not unchanged(unroll, pooling(0))
    assert not unchanged(unroll, pooling(-2))


def test_many_iterations():
    assert unchanged(unroll, pooling(5))
    assert not unchanged(unroll, pooling(4))


def test_long_bodies():
    assert unchanged(unroll, pooling(4, "%c = sin %1\n" + "    %d = sin %c\n" * 80))


def test_slices_of_several_elements_stay():
    row = "%r = dynamic_slice %x, %k, %i {sizes=(1, 2)}"
    assert unchanged(unroll, pooling(2, row))


def test_an_unknown_trip_count():
    assert unchanged(unroll, pooling(2).replace("< %n", "< %i"))
