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
    """The inner loop ends where the numbers say, after n iterations at most."""
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
    """None for one iteration of the outer loop: the inner loop writes rows of the outer tape."""
    program = myia.grad(nest, argnums=(0, 1), checkpoint="tape").lower(X, 0.9).compile()
    assert f"f64[{OUTER},{INNER},{SIZE}]" in program.as_text()
    assert f"f64[{INNER},{SIZE}]" not in program.as_text()
    recorded = (2 * INNER + 1) * OUTER * STATE  # sin(z) and z of an iteration, z after them
    assert program.memory_analysis().temp_size_in_bytes <= 1.02 * recorded


def test_a_budget_of_the_square_root():
    """The states of the outer loop, and the inner residuals of one of its iterations."""
    budget = (OUTER + 2 * INNER + 10) * STATE
    f = myia.grad(nest, argnums=(0, 1), memory=budget)
    inner, outer = f.plan(X, 0.9)
    assert (inner.depth, outer.depth) == (1, 0) and inner.strategy == "tape"
    assert outer.bytes_per_iteration == STATE
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


def test_checkpoints_of_an_inner_loop_are_not_recorded():
    """More outer iterations take a state each, not what checkpoints the inner loop."""
    more = temporaries(2000) - temporaries(1000)
    assert 1000 * STATE <= more <= 1000 * (STATE + 16)


N = 40


def reflect(A):
    """Reflections, element by element; each is of what is left of the matrix."""
    v = np.zeros(N)
    for k in range(N - 1):
        for i in range(k, N):
            v[i] = A[i, k]
        for j in range(k, N):
            product = 0.0
            for i in range(k, N):
                product += v[i] * A[i, j]
            for i in range(k, N):
                A[i, j] -= 0.1 * product * v[i]


def reflected(W, A):
    A = A.copy()
    reflect(A)
    return np.sum(W * A)


def test_replayed_loops_over_elements_are_vectorized():
    """A replay starts at some iteration: passes must know that this index is not negative."""
    W, A = np.random.default_rng(3).normal(size=(2, N, N)) / 9
    taping = myia.grad(reflected, argnums=1, checkpoint="tape")
    replaying = myia.grad(reflected, argnums=1, memory=taping.plan(W, A).bytes // 2)
    assert replaying.plan(W, A)[-1].strategy == "trail"
    np.testing.assert_allclose(replaying(W, A), taping(W, A), rtol=1e-12)
    # Stores by eights: forwards, replayed without residuals and with them, and three ones
    # backwards. The array fits into a cache: it is not transposed around its nest.
    program = replaying.ir(W, A)["finish"]
    stores = (("8,1", "%i, %j"), ("1,8", "%j, %i"))
    patterns = [rf"f64\[{n}\] = reshape.*\n.* dynamic_update_slice .*{at}" for n, at in stores]
    assert [len(re.findall(pattern, program)) for pattern in patterns] == [6, 0]


def test_undo_logs_are_written_where_they_are_kept():
    """No log of a column of its own, which would be cleared and copied in each iteration."""
    A = np.eye(N)
    program = myia.grad(reflected, argnums=1, checkpoint="tape").ir(A, A)["finish"]
    assert f"f64[{N - 1},{N},{N},1,1]" in program
    assert f"f64[{N},1,1]" not in program


def last_below(x, levels):
    k = 0
    while k < len(levels) - 1 and levels[k] < x:
        k += 1
    return k


def looked_up(x, levels):
    total = 0.0
    for t in range(len(x)):
        if x[t] > 0.0:
            total += levels[last_below(x[t], levels)] ** 2 * x[t]
    return total


def test_what_a_loop_in_a_branch_found_is_recorded():
    """The branch does not yield the index, which the adjoint needs: the search runs once."""
    x, levels = np.array([0.3, -1.0, 0.9, 2.0]), np.linspace(0.0, 1.0, 9)
    gradient = myia.grad(looked_up, argnums=(0, 1))
    assert gradient.ir(x, levels)["finish"].count("while") == 1
    found = gradient(x, levels)
    np.testing.assert_allclose(found[0], [0.375**2, 0.0, 1.0, 1.0])
    np.testing.assert_allclose(found[1][[3, 8]], [0.225, 5.8])
