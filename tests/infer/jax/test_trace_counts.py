"""How often JAX traces a function while a program is compiled: once for each signature."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import myia
from myia.infer.jax.objects import calls
from myia.infer.jax.tracing import trace
from tests.infer.driver import inferred


@pytest.fixture
def traced(monkeypatch) -> list[str]:
    """Records what is traced: functions of NumPy by name, and calls of functions of JAX."""
    found = []
    make_jaxpr, trace_call = trace._make_jaxpr, calls._trace

    def of_numpy(f, *rest):
        found.append("numpy")
        return make_jaxpr(f, *rest)

    def of_jax(ctx, f, *rest):
        found.append(f.__name__)
        return trace_call(ctx, f, *rest)

    monkeypatch.setattr(trace, "_make_jaxpr", of_numpy)
    monkeypatch.setattr(calls, "_trace", of_jax)
    trace._trace_cached.cache_clear()
    return found


def layers(all_weights, x):
    for w in all_weights:
        x = jax.nn.gelu(w @ x) * np.nanmean(x)
    return np.sum(x)


@pytest.mark.parametrize("depth", [1, 8])
def test_many_layers_trace_a_function_once(traced, depth):
    inferred(myia.grad(layers), [np.eye(7)] * depth, np.ones(7))
    assert sorted(traced) == ["gelu", "numpy"]


def test_other_shapes_are_traced_again_and_kept_for_the_next_program(traced):
    inferred(layers, [np.eye(7), np.ones((5, 7))], np.ones(7))
    assert sorted(traced) == ["gelu", "gelu", "numpy"]  # both means are of 7 numbers
    inferred(myia.grad(layers), [np.eye(7)], np.ones(7))
    assert traced.count("numpy") == 1


def in_a_loop(x, n):
    for _ in range(n):
        x = jax.nn.gelu(x) + np.nanmean(x)
    return np.sum(x)


def test_a_loop_traces_a_function_once_however_often_it_is_visited(traced):
    program, _ = inferred(myia.grad(in_a_loop), np.ones(7), 100)
    assert max(program.visits.values()) > 1
    assert sorted(traced) == ["gelu", "numpy"]
