"""Widened regions against a Python loop over the examples, on the reference interpreter."""

from itertools import product

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import BOOL, Aval
from myia.ir.builder import build_region
from myia.ir.core import Function, walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.primitives.core.structured import if_p, loop_p
from myia.source.diagnostics import InternalError
from myia.widening.widener import widen_examples

WIDTH = 4
RNG = np.random.default_rng(0)


def widened(function: Function, varies, masked: bool = False) -> Function:
    region = function.region
    avals = [
        a.aval if not varying else Aval(a.dtype, (WIDTH, *a.shape))
        for a, varying in zip(region.args, varies, strict=True)
    ]

    def body(*args):
        mask = args[len(avals)] if masked else None
        return widen_examples(region, args[: len(avals)], varies, WIDTH, mask)

    masks = [Aval(BOOL.dtype, (WIDTH,))] if masked else []
    found = function.with_region(build_region([*avals, *masks], body))
    verify(found)
    return found


def sample(aval: Aval, shape) -> np.ndarray:
    if aval.dtype.kind == "i":
        return np.asarray(RNG.integers(-1, 5, shape))
    if aval.dtype.kind == "b":
        return np.asarray(RNG.integers(0, 2, shape), bool)
    return np.asarray(RNG.uniform(0.3, 2.0, shape))


def same_numbers(function: Function, varies, mask=None) -> None:
    """Each example that runs has the results that it has on its own."""
    args = [
        sample(a.aval, (WIDTH, *a.shape) if varying else a.shape)
        for a, varying in zip(function.region.args, varies)
    ]
    masks = [] if mask is None else [mask]
    found = evaluate(widened(function, varies, masked=bool(masks)), [*args, *masks])
    for i in range(WIDTH):
        if mask is None or mask[i]:
            own = [x[i] if varying else x for x, varying in zip(args, varies)]
            for x, y in zip(found, evaluate(function, own), strict=True):
                np.testing.assert_allclose(x[i], y, rtol=1e-13)


def check(text: str) -> None:
    """All choices of what varies; without a mask, and with several."""
    function = parse(text)
    verify(function)
    masks = [None, np.zeros(WIDTH, bool), *(RNG.integers(0, 2, (3, WIDTH)) > 0)]
    for varies in product([False, True], repeat=len(function.region.args)):
        for mask in masks:
            same_numbers(function, varies, mask)


# ----- Ops without regions


def test_ops_with_batching_rules():
    check("""
func @f(%x: f64[3], %m: f64[3,3], %a: f64[]) -> f64[3], f64[], f64[3,1] {
  %1 = dot_general %m, %x {contract=((1,), (0,)), batch=((), ())}
  %2 = broadcast %a {dims=(), shape=(3,)}
  %3 = mul %1, %2
  %4 = reduce_sum %3 {axes=(0,)}
  %5 = reshape %3 {shape=(3,1)}
  return %3, %4, %5
}""")


def test_products_of_shared_operands():
    """Vectors, matrices, and a batch axis of the product's own."""
    check("""
func @f(%m: f64[2,3,4], %x: f64[3], %y: f64[3,5], %b: f64[2,3]) -> f64[2,4], f64[2,4,5], f64[2,4] {
  %1 = dot_general %m, %x {contract=((1,), (0,)), batch=((), ())}
  %2 = dot_general %m, %y {contract=((1,), (0,)), batch=((), ())}
  %3 = dot_general %m, %b {contract=((1,), (1,)), batch=((0,), (0,))}
  return %1, %2, %3
}""")


def test_an_op_without_a_rule_runs_for_one_example_after_the_other():
    check("""
func @f(%x: f64[2,2], %y: f64[2,2]) -> f64[2,2], f64[2,2] {
  %1 = expm %x
  %3 = add %1, %y
  return %3, %1
}""")


def test_accesses_at_indices_that_vary():
    """Also out of range: the start index is clamped in the example's own array."""
    check("""
func @f(%x: f64[4,2], %u: f64[1,2], %i: i64[]) -> f64[1,2], f64[4,2], f64[4,2] {
  %0 = 0: i64[]
  %1 = dynamic_slice %x, %i, %0 {sizes=(1, 2)}
  %2 = add %1, %u
  %3 = dynamic_update_slice %x, %2, %i, %0
  %4 = dynamic_update_add %x, %2, %i, %0
  return %1, %3, %4
}""")


def test_calls():
    check("""
func @f(%x: f64[2], %a: f64[2]) -> f64[2], f64[2] {
  %y, %z = call @g (%u = %x, %v = %a) {
    %1 = mul %u, %v
    yield %1, %v
  }
  return %y, %z
}""")


def test_effects_are_refused():
    with pytest.raises(InternalError, match="effect"):
        text = 'func @f(%x: f64[]) -> f64[] { debug_print %x {fmt="{}", end=""}\n return %x }'
        widened(parse(text), [True])


# ----- Branches

BRANCHES = """
func @f(%p: bool[], %x: f64[2,1], %a: f64[]) -> f64[2,1], f64[], f64[] {
  %y, %z, %w = if %p {
    %1 = exp %x
    %2 = add %a, %a
    yield %1, %2, %a
  } else {
    %3 = neg %x
    yield %3, %a, %a
  }
  return %y, %z, %w
}"""


def test_branches():
    check(BRANCHES)


def test_a_uniform_condition_runs_one_branch():
    function = parse(BRANCHES)
    uniform = widened(function, [False, True, False])
    varying = widened(function, [True, True, False])
    ifs = [sum(op.primitive is if_p for op in walk(f.region)) for f in (uniform, varying)]
    assert ifs == [1, 0]
    (branches,) = (op for op in walk(uniform.region) if op.primitive is if_p)
    assert [y.shape for y in branches.results] == [(WIDTH, 2), (), ()]


def test_a_branch_whose_loop_ends_for_its_examples_only():
    """If %x is below 1, the loop would halve it for ever."""
    check("""
func @f(%x: f64[], %n: i64[]) -> f64[] {
  %one = 1.0: f64[]
  %half = 0.5: f64[]
  %p = ge %x, %one
  %y = if %p {
    %z = while (%z = %x) {
      cond { %c = ne %z, %one
        yield %c }
      body { %1 = sub %z, %half
        %2 = max %1, %one
        yield %2 }
    }
    yield %z
  } else {
    yield %x
  }
  return %y
}""")


def test_branches_in_branches():
    check("""
func @f(%p: bool[], %q: bool[], %x: f64[], %n: i64[]) -> f64[] {
  %y = if %p {
    %1 = if %q {
      %z = for %k < %n (%z = %x) { %2 = mul %z, %x
        yield %2 }
      yield %z
    } else { yield %x }
    yield %1
  } else {
    %3 = neg %x
    yield %3
  }
  return %y
}""")


# ----- Loops


def test_counted_loops():
    """The trip counts may differ, and may be negative."""
    check("""
func @f(%x: f64[2], %a: f64[2], %n: i64[]) -> f64[2], f64[2], i64[] {
  %0 = 0: i64[]
  %y, %b, %s = for %k < %n (%y = %x, %b = %a, %s = %0) bound 4 {
    %1 = mul %y, %b
    %2 = add %s, %k
    yield %1, %b, %2
  }
  return %y, %b, %s
}""")


def test_conditions_on_what_is_carried():
    check("""
func @f(%x: f64[], %a: f64[], %l: f64[]) -> f64[], i64[] {
  %0 = 0: i64[]
  %1 = 1: i64[]
  %2 = 0.2: f64[]
  %y, %n = while (%y = %x, %n = %0) {
    cond { %c = lt %y, %l
      yield %c }
    body { %3 = max %a, %2
      %4 = add %y, %3
      %5 = add %n, %1
      yield %4, %5 }
  }
  return %y, %n
}""")


def test_conditions_on_the_index_and_a_count():
    """A condition that fails ends the loop, also if it would hold in a later iteration."""
    check("""
func @f(%x: f64[], %n: i64[], %m: i64[]) -> f64[], i64[] {
  %0 = 0: i64[]
  %y, %s = for %k < %n (%y = %x, %s = %0) bound 4 {
    cond { %c = ne %k, %m
      yield %c }
    body { %1 = mul %y, %x
      %2 = add %s, %k
      yield %1, %2 }
  }
  return %y, %s
}""")


NEST = """
func @f(%x: f64[], %n: i64[], %m: i64[], %l: f64[]) -> f64[], i64[] {
  %0 = 0: i64[]
  %1 = 1: i64[]
  %y, %t = for %i < %n (%y = %x, %t = %0) {
    %z, %t = for %j < %i (%z = %y, %t = %t) {
      %w, %t = while (%w = %z, %t = %t) {
        cond { %c = lt %w, %l
          yield %c }
        body { %2 = add %w, %l
          %3 = add %t, %1
          yield %2, %3 }
      }
      %4 = sin %w
      yield %4, %t
    }
    %p = lt %t, %m
    %r = if %p { %5 = add %z, %z
      yield %5 } else { yield %z }
    yield %r, %t
  }
  return %y, %t
}"""


def test_nests():
    check(NEST)


def test_a_loop_that_ends_for_all_at_once_stays_as_it_is():
    widths = {}
    for varies in ([True, False, False], [False, False, True]):
        text = "func @f(%x: f64[], %a: f64[], %n: i64[]) -> f64[] {"
        text += "%y = for %k < %n (%y = %x) { %1 = mul %y, %a\nyield %1 }\nreturn %y }"
        found = widened(parse(text), varies)
        (loop,) = (op for op in walk(found.region) if op.primitive is loop_p)
        names = {op.primitive.name for op in walk(found.region)}
        widths[varies[0]] = ("select" in names, [y.shape for y in loop.results])
    assert widths == {True: (False, [(WIDTH,)]), False: (True, [(WIDTH,)])}


def test_stores_at_places_that_do_not_depend_on_the_example():
    check("""
func @f(%a: f64[5,1], %v: f64[1,1], %n: i64[]) -> f64[5,1], f64[5,1] {
  %0 = 0: i64[]
  %b = for %k < %n (%b = %a) bound 5 {
    %1 = dynamic_slice %b, %k, %0 {sizes=(1, 1)}
    %2 = mul %1, %v
    %3 = dynamic_update_slice %b, %2, %k, %0
    yield %3
  }
  %c = dynamic_update_slice %a, %v, %n, %0
  return %b, %c
}""")


# ----- Programs, and the directions of their derivatives


def collatz_and_stores(x, n):
    y = np.zeros(4)
    for i in range(4):
        while n > 1 and y[i] < 3.0:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            y[i] += np.sin(x[i]) + 1.5
        if x[i] > 1.0:
            y[(i + n) % 4] -= x[i]
    return y, n


def test_a_program():
    typed = parse(myia.jit(collatz_and_stores).ir(np.ones(4), np.int64(6))["finish"])
    values = [np.asarray(a) for a in ([1, 1, 2, 2], [1, 2, 3, 6])]
    xs, ns = RNG.uniform(0, 2, (WIDTH, 4)), values[1]
    found = evaluate(widened(typed, [True, True]), [xs, ns])
    for i in range(WIDTH):
        y, n = collatz_and_stores(xs[i], int(ns[i]))
        np.testing.assert_allclose(found[0][i], y, rtol=1e-13)
        assert found[1][i] == n


def recurrence(w, x):
    h = x
    for i in range(3):
        h = np.tanh(w @ h) * (i + 1) if h[0] > 0.0 else h + w[i % 2]
    return h


@pytest.mark.parametrize("stage", ["expand", "finish"])
def test_directions_of_a_derivative(stage):
    """Cotangents vary, what they are applied to does not; also through an adjoint loop."""
    w, x, cts = RNG.standard_normal((2, 2)), RNG.random(2), RNG.standard_normal((WIDTH, 2))
    pullback = myia.jit(lambda w, x, ct: myia.vjp(recurrence, w, x)[1](ct))
    program = parse(pullback.ir(w, x, cts[0])[stage])
    found = evaluate(widened(program, [False, False, True]), [w, x, cts])
    for i in range(WIDTH):
        for rows, row in zip(found, evaluate(program, [w, x, cts[i]]), strict=True):
            np.testing.assert_allclose(rows[i], row, rtol=1e-12)
