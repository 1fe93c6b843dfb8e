"""Stack hoisting: lists that loops index are stacked before them."""

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.passes.memory import stack_hoisting as module
from myia.passes.memory.stack_hoisting import stack_hoisting
from myia.pipeline import Compilation
from myia.primitives.arrays import shaping
from myia.primitives.core.structured import loop_p
from tests.passes.before_after import before_after, unchanged

XS = [float(v) for v in np.random.default_rng(0).normal(size=12)]


def indexing(first="%x", test="%p") -> str:
    return f"""
func @f(%x: f64[], %y: f64[], %p: bool[]) -> f64[] {{
  %n = 2: i64[]
  %0 = 1.0: f64[]
  %s = for %k < %n (%s = %0) {{
    %1 = reshape {first} {{shape=(1,)}}
    %2 = reshape %y {{shape=(1,)}}
    %3 = concatenate %1, %2 {{axis=0}}
    %4 = dynamic_slice %3, %k {{sizes=(1,)}}
    %5 = if {test} {{
      %6 = reshape %y {{shape=(1,)}}
      %7 = concatenate %1, %6 {{axis=0}}
      %8 = dynamic_slice %7, %k {{sizes=(1,)}}
      yield %8
    }} else {{
      yield %4
    }}
    %9 = reshape %5 {{shape=()}}
    %10 = mul %s, %9
    yield %10
  }}
  return %s
}}"""


@pytest.fixture
def of_two(monkeypatch):
    monkeypatch.setattr(module, "MIN_ITEMS", 2)


def test_indexing(golden, of_two):
    golden(before_after(stack_hoisting, indexing()))


def test_items_that_vary_and_short_lists(of_two, monkeypatch):
    assert unchanged(stack_hoisting, indexing(first="%s"))
    monkeypatch.setattr(module, "MIN_ITEMS", 3)
    assert unchanged(stack_hoisting, indexing())


def by_index(xs):
    s = 0.0
    for i in range(len(xs)):
        s += xs[i] * xs[i]
    return s


def neighbours(xs):
    s = 0.0
    for i in range(1, len(xs)):
        if xs[i] > xs[i - 1]:
            s += (xs[i] - xs[i - 1]) ** 2
    return s


def pairs(xs):
    s = 0.0
    for i in range(len(xs)):
        for y in xs:
            s += xs[i] * xs[i] * y
    return s


def negative(xs):
    s = 0.0
    for i in range(3, 12):
        s = s * xs[-i] + xs[i - 3]
    return s


def no_iteration(xs):
    s = xs[0]
    for i in range(20, len(xs)):
        s += xs[i]
    return s


def written(xs):
    s = 0.0
    for i in range(1, len(xs)):
        xs[i] = xs[i] * xs[i - 1]
        s += xs[i]
    return s


def with_ints(xs):
    table, s = (1, 2, xs[0], *xs), 0.0
    for i in range(3, len(table)):
        s += table[i] * table[i - 3]
    return s


FUNCTIONS = [by_index, neighbours, pairs, negative, no_iteration, written, with_ints]


def central_differences(f, xs, h=1e-6):
    def at(i, step):
        return f([x + step * (i == j) for j, x in enumerate(xs)])

    return [(at(i, h) - at(i, -h)) / (2 * h) for i in range(len(xs))]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_values_and_gradients_of_lists(f):
    value, gradient = myia.value_and_grad(f)([*XS])
    np.testing.assert_allclose(value, f([*XS]), rtol=1e-12)
    assert type(gradient) is list and {*map(type, gradient)} == {float}
    np.testing.assert_allclose(gradient, central_differences(f, XS), rtol=1e-6, atol=1e-6)
    without = myia.pipeline.Options(disable=frozenset({"stack_hoisting"}))
    expected = myia.grad(f, pipeline=without)([*XS])
    np.testing.assert_allclose(gradient, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("f", [by_index, pairs])
def test_the_adjoint_carries_no_numbers(f):
    dispatcher = myia.grad(f)._dispatcher
    typed = dispatcher.program(dispatcher.flatten(([*XS],), {}))
    program = Compilation(typed.function, dispatcher.options.pipeline).until("finish").function
    ops = [*walk(program.region)]
    assert all(len(op.results) < 3 for op in ops if op.primitive is loop_p)
    assert sum(op.primitive is shaping.concatenate for op in ops) == 1


def test_second_derivatives_of_lists():
    v = [float(i) for i in range(12)]
    found = myia.hvp(pairs)([*XS], v)
    h, gradient = 1e-5, myia.grad(pairs)
    plus, minus = (gradient([x + s * h * d for x, d in zip(XS, v)]) for s in (1, -1))
    wanted = [(p - m) / (2 * h) for p, m in zip(plus, minus)]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
