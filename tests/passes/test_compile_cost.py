"""What compiling costs, in counts: it must grow with the program, not faster."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.ir.core import walk
from myia.pipeline import lowered
from myia.rewriting.value_numbering import Numbering
from myia.rewriting.walk import Walk
from tests.infer.driver import inferred


def layer(weights, x):
    hidden = np.tanh(weights["a"] @ x + weights["b"])
    return x + np.maximum(hidden, 0.1) * np.mean(hidden)


def chain(all_weights, x):
    """Unrolled: no two layers have weights of the same shape."""
    for weights in all_weights:
        x = np.sum(layer(weights, x)) * np.ones(len(x) + 1)
    return np.sum(x)


def counted(monkeypatch, cls: type, method: str) -> list[int]:
    """A list that holds how often a method has been called."""
    calls, original = [0], getattr(cls, method)

    def counting(self, *args, **kwargs):
        calls[0] += 1
        return original(self, *args, **kwargs)

    monkeypatch.setattr(cls, method, counting)
    return calls


def chained_arguments(depth: int):
    weights = [{"a": np.ones((n, n)), "b": np.ones(n)} for n in range(1, depth + 1)]
    return weights, np.ones(1)


def test_many_calls_cost_what_each_costs(monkeypatch):
    visits = counted(monkeypatch, Walk, "op")
    found = []
    for depth in (6, 12, 18):
        program, _ = inferred(myia.grad(chain), *chained_arguments(depth))
        before = visits[0]
        lowered(program.function)
        found.append(visits[0] - before)
    assert found[2] - found[1] == pytest.approx(found[1] - found[0], rel=0.05)


def nest(x):
    """Loops in loops: each adjoint loop recomputes the inner ones."""
    y = x
    for i in range(6):
        for _ in range(i):
            y = y + 0.1 * np.sin(x * y)
        while y > 0.5:
            y = y - 0.2 * np.cos(y) * x
    return y


def test_loops_are_compared_once(monkeypatch):
    """Storage numbers the values of bodies again for each pair of loops that it compares."""
    comparisons = counted(monkeypatch, Numbering, "_classes")
    program, _ = inferred(myia.grad(myia.grad(myia.grad(nest))), 0.8)
    ops = sum(1 for _ in walk(lowered(program.function).region))
    assert comparisons[0] < ops
