"""Loops in loops: what their storage takes together, by the sizes of the buffers."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

import myia

OUTER, INNER, SIZE = 20, 30, 50
STATE = 8 * SIZE
X = np.linspace(0.0, 1.0, SIZE)


def nest(x, p):
    y = x
    for _ in range(OUTER):
        z = y
        for _ in range(INNER):
            z = np.sin(z) * p + 0.1
        y = y + z * p
    return np.sum(y)


def settling(x, p, n, outer):
    """The inner loop makes as many trips as the numbers want, n at most."""
    y = x
    for _ in range(outer):
        z, k = y, 0
        while k < n and np.sum(z) > 1.0:
            z = np.sin(z) * p + 0.1
            k += 1
        y = y + z * p
    return np.sum(y)


@functools.cache
def taped():
    return myia.grad(nest, argnums=(0, 1), checkpoint="tape")(X, 0.9)


def assert_same(got, wanted):
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-11, atol=1e-13)


def test_a_nest_has_one_buffer_for_each_recorded_value():
    """None for a single trip of the outer loop: the inner loop writes where it is kept."""
    program = myia.grad(nest, argnums=(0, 1), checkpoint="tape").lower(X, 0.9).compile()
    assert f"f64[{OUTER},{INNER},{SIZE}]" in program.as_text()
    assert f"f64[{INNER},{SIZE}]" not in program.as_text()
    recorded = (2 * INNER + 1) * OUTER * STATE  # sin(z) and z of a trip, z after them
    assert program.memory_analysis().temp_size_in_bytes <= 1.02 * recorded


def test_a_budget_of_the_square_root():
    """The states of the outer loop, and the inner records of one of its trips."""
    budget = (OUTER + 2 * INNER + 10) * STATE
    f = myia.grad(nest, argnums=(0, 1), memory=budget)
    inner, outer = f.plan(X, 0.9)
    assert (inner.depth, outer.depth) == (1, 0) and inner.strategy == "tape"
    assert outer.bytes_per_trip == STATE
    program = f.lower(X, 0.9).compile()
    assert program.memory_analysis().temp_size_in_bytes <= budget
    assert_same(program(X, 0.9), taped())


def test_too_little_is_refused_with_what_it_takes():
    """In so much both loops are replayed from a few snapshots."""
    with pytest.raises(myia.MyiaError, match="the least that it takes is") as error:
        myia.grad(nest, argnums=(0, 1), memory=2 * STATE)(X, 0.9)
    least = int(re.search(r"takes is ([\d,]+) bytes", str(error.value))[1].replace(",", ""))
    assert least < 40 * STATE
    program = myia.grad(nest, argnums=(0, 1), memory=least).lower(X, 0.9).compile()
    assert program.memory_analysis().temp_size_in_bytes <= least
    assert_same(program(X, 0.9), taped())


def temporaries(outer: int, **options) -> int:
    f = myia.grad(lambda x, p, n: settling(x, p, n, outer), argnums=(0, 1), **options)
    return f.lower(X, 0.9, np.int64(9)).compile().memory_analysis().temp_size_in_bytes


def test_an_inner_trail_is_not_kept_for_many_trips():
    """More outer trips take a state each, not the snapshots and records of an inner trail."""
    more = temporaries(2000) - temporaries(1000)
    assert 1000 * STATE <= more <= 1000 * (STATE + 16)
