"""Scalar replacement: loop-invariant slices of arrays become carried values."""

import numpy as np
import pytest

import myia
from myia.analysis.linear_indices import IndexRanges, constant_form, minus, plus
from myia.ir.core import walk
from myia.ir.parser import parse
from myia.passes.memory.scalar_replacement import scalar_replacement
from myia.passes.pipeline import optimize
from myia.primitives.core.structured import loop_p
from tests.default_run import every
from tests.passes.before_after import before_after, unchanged


def prepare(function):
    return optimize(function, "prepare")


def test_a_sum_in_an_array(golden):
    golden(before_after(scalar_replacement, """
func @f(%x: f64[4,4], %b: f64[4]) -> f64[4,4] {
  %n = 4: i64[]
  %a = for %i < %n (%a = %x) bound 4 {
    %a1 = for %j < %i (%a1 = %a) bound 4 {
      %1 = dynamic_slice %a1, %i, %i {sizes=(1, 1)}
      %2 = dynamic_slice %a1, %i, %j {sizes=(1, 1)}
      %3 = dynamic_slice %a1, %j, %i {sizes=(1, 1)}
      %4 = mul %2, %3
      %5 = sub %1, %4
      %a2 = dynamic_update_slice %a1, %5, %i, %i
      yield %a2
    }
    yield %a1
  }
  return %a
}"""))  # fmt: skip


def test_a_sum_over_a_nest(golden):
    golden(before_after(prepare, """
func @f(%x: f64[4], %b: f64[4,4]) -> f64[4] {
  %n = 4: i64[]
  %0 = 0: i64[]
  %a = for %i < %n (%a = %x) {
    %a1 = for %j < %n (%a1 = %a) bound 4 {
      %1 = dynamic_slice %a1, %0 {sizes=(1,)}
      %2 = dynamic_slice %b, %i, %j {sizes=(1, 1)}
      %3 = reshape %2 {shape=(1,)}
      %4 = add %1, %3
      %a2 = dynamic_update_slice %a1, %4, %0
      yield %a2
    }
    yield %a1
  }
  return %a
}"""))  # fmt: skip


def body(text: str, count="%i") -> str:
    """A loop in which `%u` is stored at `%i`, after the loads of `text`."""
    return f"""
func @f(%x: f64[9], %u: f64[1], %m: i64[]) -> f64[9] {{
  %n = 9: i64[]
  %1 = 1: i64[]
  %a = for %i < %n (%a = %x) bound 9 {{
    %a1 = for %j < {count} (%a1 = %a) bound 9 {{
      {text}
      yield %a2
    }}
    yield %a1
  }}
  return %a
}}"""


READ = """
      %2 = dynamic_slice %a1, {} {{sizes=(1,)}}
      %3 = add %2, %u
      %a2 = dynamic_update_slice %a1, %3, %i"""
BEHIND = "%k = sub %j, %1" + READ.format("%k")
AHEAD = "%k = add %j, %i\n%k1 = add %k, %1" + READ.format("%k1")


def test_other_loads():
    assert not unchanged(scalar_replacement, body(READ.format("%j")))
    assert unchanged(scalar_replacement, body(READ.format("%j"), count="%n"))  # j may be i
    assert unchanged(scalar_replacement, body(READ.format("%m")))
    assert unchanged(
        scalar_replacement, body(BEHIND)
    )  # of -1 the first element is read, which may be a[i]
    assert unchanged(scalar_replacement, body(AHEAD))  # beyond the end the last element is read
    assert not unchanged(scalar_replacement, body(AHEAD, count="%1").replace("%n = 9", "%n = 8"))


def test_other_stores():
    other = "%a3 = dynamic_update_slice %a1, %u, {}\n%a2 = dynamic_update_slice %a3, %u, %i"
    assert not unchanged(scalar_replacement, body(other.format("%j")))
    assert unchanged(scalar_replacement, body(other.format("%m")))


def test_an_array_that_is_read_whole():
    assert unchanged(scalar_replacement, body("""
      %2 = reduce_sum %a1 {axes=(0,)}
      %3 = reshape %2 {shape=(1,)}
      %a2 = dynamic_update_slice %a1, %3, %i"""))  # fmt: skip


def test_index_ranges():
    f = parse("""
func @f(%x: f64[], %m: i64[]) -> f64[] {
  %n = 9: i64[]
  %y = for %i < %n (%y = %x) {
    %c = sub %n, %i
    %y1 = for %j < %c (%y1 = %y) {
      %k = add %i, %j
      %y2 = for %l < %m (%y2 = %y1) bound 3 {
        %s = add %l, %k
        yield %y2
      }
      yield %y2
    }
    yield %y1
  }
  return %y
}""")
    ranges = IndexRanges(f.region)
    (i, *_) = (op.regions[-1].args[0] for op in walk(f.region) if op.primitive is loop_p)
    k, s = (op.results[0] for op in walk(f.region) if op.primitive.name == "add")
    (c,) = (op.results[0] for op in walk(f.region) if op.primitive.name == "sub")
    shape, one = (9,), (1,)
    assert ranges.are_equal([k], [k]) and not ranges.are_equal([k], [i])
    at_i, at_k, at_s = (ranges.linear_forms([x]) for x in (i, k, s))
    assert not ranges.are_disjoint(at_k, one, at_i, one, shape), "j may be 0"
    assert not ranges.are_disjoint(at_s, one, at_k, one, shape), "l may be 0"
    assert ranges.are_disjoint(at_k, one, (plus(at_k[0], constant_form(1)),), one, (10,))
    assert not ranges.are_disjoint(at_k, one, (plus(at_k[0], constant_form(1)),), one, shape), (
        "out of range"
    )
    assert ranges.is_nonnegative(ranges.linear_form(s))
    assert ranges.is_nonnegative(minus(constant_form(8), ranges.linear_form(k)))
    assert not ranges.is_nonnegative(minus(constant_form(9), ranges.linear_form(s))), "it may be 10"
    assert ranges.is_nonnegative(minus(ranges.linear_form(c), constant_form(1)))
    assert not ranges.is_nonnegative(ranges.linear_form(f.args[1]))


@pytest.mark.parametrize("order", every(2, [1, 2]))
def test_gradients_of_sums_in_arrays(order):
    def f(a, x):
        a, y = a.copy(), x.copy()
        for i in range(4):
            for j in range(i):
                for k in range(j):
                    a[i, j] -= a[i, k] * np.sin(a[j, k])
                a[i, j] /= a[j, j]
                y[i] *= a[i, j] * y[j]
                y[j] += y[i]
        for i in range(4):
            y[1] += np.cos(y[0]) * (a[i] @ x)
            y[2] = y[1] * y[3]
        return np.sum(a * a) + y @ y

    rng = np.random.default_rng(1)
    a, x = rng.uniform(1.0, 2.0, (4, 4)), rng.uniform(0.5, 1.0, 4)
    assert myia.jit(f)(a, x) == pytest.approx(f(a, x), rel=1e-13)
    myia.check_grads(f, (a, x), order=order)


def test_a_sum_in_an_array_records_nothing():
    """`a[i, j] -= ...` in the innermost loop: its iterations have no residuals."""

    def f(a):
        a = a.copy()
        for i in range(9):
            for j in range(i):
                for k in range(j):
                    a[i, j] -= a[i, k] * a[j, k]
        return np.sum(a)

    plan = myia.grad(f).plan(np.ones((9, 9)))
    assert min(p.bytes_per_iteration for p in plan if p.depth == 2) == 0
    assert sum(p.bytes for p in plan if not p.depth) <= 9 * 9 * 8
