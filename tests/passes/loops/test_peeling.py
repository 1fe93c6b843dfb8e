import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.loops.peeling import peeling
from myia.passes.pipeline import optimize
from tests.passes.before_after import before_after, unchanged


def stencil(n: int, body: str = "") -> str:
    """y[i] = x[i - 1] - x[i + 1], zeros beyond the ends."""
    return f"""
func @f(%x: f64[{n}], %y: f64[{n}], %s: f64[1]) -> f64[{n}], f64[1] {{
  %n = {n}: i64[]
  %0 = 0: i64[]
  %1 = 1: i64[]
  %last = {n - 1}: i64[]
  %zero = 0.0: f64[1]
  %y, %s = for %k < %n (%y = %y, %s = %s) bound {n} {{
    %i = sub %k, %1
    %p = gt %k, %0
    %ii = select %p, %i, %last
    %a = dynamic_slice %x, %ii {{sizes=(1,)}}
    %p1 = reshape %p {{shape=(1,)}}
    %b = select %p1, %a, %zero
    %j = add %k, %1
    %q = lt %k, %last
    %jj = select %q, %j, %0
    %c = dynamic_slice %x, %jj {{sizes=(1,)}}
    %q1 = reshape %q {{shape=(1,)}}
    %d = select %q1, %c, %zero
    %e = sub %b, %d
    %y.1 = dynamic_update_slice %y, %e, %k
    {body}
    %s.1 = mul %s, %e
    yield %y.1, %s.1
  }}
  return %y, %s
}}"""


def test_first_and_last_iteration(golden):
    golden(before_after(peeling, stencil(40)))


@pytest.mark.parametrize("n", [16, 17, 33, 40])
def test_the_remaining_loop_is_vectorized(n):
    """With the same values, to the bit, and without comparisons."""
    before = parse(stencil(n))
    after = optimize(before, "finish")
    verify(after)
    primitives = {op.primitive.name for op in after.region.ops}
    assert not primitives & {"select", "gt", "lt"}
    rng = np.random.default_rng(n)
    args = [rng.uniform(0.5, 1.5, n), np.zeros(n), np.array([2.0])]
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        assert x.tobytes() == y.tobytes()


def test_few_iterations():
    assert unchanged(peeling, stencil(15))


def test_comparisons_that_differ_elsewhere():
    middle = stencil(40).replace("gt %k, %0", "gt %i, %1").replace("lt %k, %last", "lt %k, %n")
    assert unchanged(peeling, middle)


def test_bodies_with_loops_stay():
    inner = "%t = for %m < %n (%t = %zero) { yield %t }"
    assert unchanged(peeling, stencil(40, inner))


def test_a_loop_that_is_vectorizable_without_peeling():
    """The comparisons select values, not start indices."""
    text = stencil(40).replace("%x, %ii", "%x, %k").replace("%x, %jj", "%x, %k")
    assert unchanged(peeling, text)
