"""Loops that may stop early, eight iterations at a time: they stop where they did."""

import numpy as np
import pytest

import myia
from myia.passes.loops.early_exits import early_exits
from tests.passes.before_after import before_after, unchanged


def walk(trip_count: int, body: str = "", cond: str = "%p = lt %s, %limit") -> str:
    return f"""
func @f(%x: f64[90], %s: f64[], %limit: f64[]) -> f64[] {{
  %n = {trip_count}: i64[]
  %s = for %k < %n (%s = %s) bound {trip_count} {{
    cond {{
      {cond}
      yield %p
    }}
    body {{
      %1 = dynamic_slice %x, %k {{sizes=(1,)}}
      %2 = reshape %1 {{shape=()}}
      %3 = add %s, %2
      {body}
      yield %3
    }}
  }}
  return %s
}}"""


def test_a_walk_to_a_limit(golden):
    golden(before_after(early_exits, walk(90)))


def test_few_iterations():
    assert unchanged(early_exits, walk(31))
    assert not unchanged(early_exits, walk(32))


def test_bodies_that_cost_more_than_a_test():
    assert unchanged(early_exits, walk(90, "%e = sin %3"))
    assert not unchanged(early_exits, walk(90, "%e = mul %3, %3"))


def test_a_condition_on_the_index_may_hold_again_after_the_exit():
    on_the_index = "%m = 40: i64[]\n      %p = ne %k, %m"
    assert unchanged(early_exits, walk(90, cond=on_the_index))


def test_an_unknown_trip_count():
    unknown = (
        walk(90).replace("%limit: f64[])", "%limit: f64[], %m: i64[])").replace("< %n", "< %m")
    )
    assert unchanged(early_exits, unknown)


def passage(x, noise, limit):
    """A walk that leaves a band: where, and when."""
    for i in range(len(noise)):
        x = x + noise[i]
        if abs(x) > limit:
            return x * i
    return x * len(noise)


def first_above(xs, x):
    for i in range(len(xs)):
        if xs[i] > x:
            return i
    else:
        return -1


@pytest.mark.parametrize("n", [31, 32, 39, 40, 47, 48])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_stops_at_the_iteration_where_python_stops(n, dtype):
    walks = myia.jit(passage)
    search = myia.jit(first_above)
    steps = np.ones(n, dtype)
    for stop in range(n + 2):
        limit = dtype(stop + 0.5)
        assert walks(dtype(0), steps, limit) == passage(dtype(0), steps, limit)
        xs = np.arange(n, dtype=dtype)
        assert search(xs, dtype(stop)) == first_above(xs, dtype(stop))


def test_what_comes_after_the_exit_is_not_seen():
    steps = np.ones(40)
    steps[11:] = np.nan
    assert myia.jit(passage)(0.0, steps, 9.5) == passage(0.0, steps, 9.5) == 90.0
    assert np.isnan(myia.jit(passage)(0.0, steps, 11.5))
    assert myia.grad(passage)(0.5, steps, 9.5) == 9.0


def test_a_batch_of_walks():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=33) / 10, rng.normal(size=(33, 75))
    batch = myia.vmap(passage, in_axes=(0, 0, None))
    wanted = [passage(*each, 3.0) for each in zip(x, noise, strict=True)]
    np.testing.assert_allclose(batch(x, noise, 3.0), wanted, rtol=1e-12)
