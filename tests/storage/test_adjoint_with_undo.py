"""Undo logs: arrays changed by stores are restored going back, whatever stores them."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.default_run import every

N = 6
MATRIX = np.linspace(0.3, 1.7, N * N).reshape(N, N) ** 2 + 2 * np.eye(N)
VECTOR = np.linspace(0.4, 1.3, N)


def reads_a_row_writes_an_element(a, x):
    y = x.copy()
    for i in range(N):
        y[i] = np.sin(a[i] @ y) * 0.3 + x[i]
    return y @ y


def two_stores_with_reads_between(a, x):
    y = x.copy()
    for i in range(1, N):
        s = np.sin(y @ a[i])
        y[i] = s * y[i - 1]
        t = np.tanh(np.cos(y) @ a[i - 1])
        y[i - 1] = t * s
    return y @ y


def stores_in_branches(a, x):
    y = x.copy()
    for i in range(1, N):
        if a[i] @ y > 6.0:
            y[i] = np.sin(y @ y)
            y[i - 1] = y[i] * y[0]
        else:
            y[0] = np.cos(y @ a[i])
    return y @ y * y[0]


def slices(a, x):
    b = a.copy()
    for i in range(1, N):
        b[i, 1:4] = np.sin(b[i - 1, 1:4]) * np.sum(b[:, 0] * b[:, i]) * 0.01
        b[0] = b[0] * b[i] * x
    return np.sum(b * b)


def at_arrays_of_indices(a, x):
    y = x.copy()
    for i in range(N):
        at = np.array([0, 2, 0, 3]) + i % 2
        y[at] = np.cos(y[at]) * (y @ a[i]) * 0.1
        np.add.at(y, at, 0.1 * y[at] * y[i])
    return y @ y


def cholesky(a, x):
    b = a @ a.T
    for i in range(N):
        for j in range(i):
            s = b[i, j]
            for k in range(j):
                s = s - b[i, k] * b[j, k]
            b[i, j] = s / b[j, j]
        s = b[i, i]
        for k in range(i):
            s = s - b[i, k] * b[i, k]
        b[i, i] = np.sqrt(s)
    return np.sum(b * b * b)


def sweeps(a, x):
    y = x.copy()
    for s in range(3):
        y[0] = y[0] * y[s]
        for i in range(1, N):
            y[i] = np.sin(y[i] + s) * y[i - 1] * np.cos(np.sum(y))
        y[s] = np.sin(y @ a[s])
    return y @ y


def there_and_back_along_rows(a, x):
    """The second loop alone records as much for a log as for what it reads."""
    b = a.copy()
    for i in range(1, N):
        for j in range(1, N):
            b[i, j] = np.sin(b[i - 1, j]) + x[j] * b[i, j - 1]
        for j in range(N - 2, -1, -1):
            b[i, j] += x[j] * b[i, j + 1]
    return np.sum(b * b)


def rows_added_to(a, x):
    """The adjoint of the inner loop reads nothing of `b`, but that of the outer loop does."""
    b = a.copy()
    for i in range(1, N):
        s = 0.0
        for j in range(N):
            s += b[i, j] * b[i - 1, j]
        for j in range(i, N):
            b[i, j] += s * x[j]
            b[i - 1, N - j] -= s
    return np.sum(b * b)


def until_it_is_small(a, x):
    y, i = x.copy(), 0
    while np.sum(y * y) > 0.5:
        y[i % N] = np.sin(y[i % N]) * 0.8 * np.cos(0.1 * (y @ a[0]))
        i += 1
    return y @ y * i


def old_values_used_late(a, x):
    y = x.copy()
    for s in range(3):
        t = np.sum(y * y)
        u = y * 2.0
        for i in range(N):
            y[i] = np.cos(0.3 * y[i] * (y @ a[i]))
        y[s] = y[s] * np.cos(t * np.sum(u * y))
    return y @ y


def counted_in_an_array(a, x):
    seen, y = np.zeros(N, int), x.copy()
    for i in range(2 * N):
        seen[i % 4] = seen[i % 3] + i
        y[i % N] = y[seen[i % 4] % N] * np.sin(y @ y)
    return y @ y


RESTORING = [
    reads_a_row_writes_an_element,
    two_stores_with_reads_between,
    stores_in_branches,
    slices,
    at_arrays_of_indices,
    cholesky,
    sweeps,
    there_and_back_along_rows,
    rows_added_to,
    until_it_is_small,
]
PROGRAMS = [*RESTORING, old_values_used_late, counted_in_an_array]


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    check_gradient(f, "auto")


@pytest.mark.parametrize("f", every(2, PROGRAMS))
def test_gradients_by_a_trail(f):
    check_gradient(f, "trail")


def check_gradient(f, checkpoint):
    options = {"argnums": (0, 1), "checkpoint": checkpoint}
    assert myia.jit(f)(MATRIX, VECTOR) == pytest.approx(f(MATRIX, VECTOR), rel=1e-12)
    got = myia.grad(f, **options)(MATRIX, VECTOR)
    rng, h = np.random.default_rng(0), 1e-6
    for _ in range(2):
        da, dx = rng.normal(size=(N, N)), rng.normal(size=N)
        up = f(MATRIX + h * da, VECTOR + h * dx)
        down = f(MATRIX - h * da, VECTOR - h * dx)
        along = np.sum(got[0] * da) + np.sum(got[1] * dx)
        assert along == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("f", every(3, [stores_in_branches, two_stores_with_reads_between, sweeps]))
def test_second_derivatives(f):
    myia.check_grads(f, (MATRIX, VECTOR), order=2)


@pytest.mark.parametrize("f", RESTORING)
def test_arrays_are_restored_and_not_recorded(f):
    # Longer rows than the loops need: to record an array would take more than to restore it.
    a, x = (MATRIX, VECTOR) if f is cholesky else (np.tile(MATRIX, 9), np.tile(VECTOR, 9))
    plan = myia.grad(f, argnums=(0, 1)).plan(a, x)
    assert any(p.restored for p in plan)
    assert not [
        r for p in plan for r in p.residuals if "at the start of the iteration" in r.description
    ]


@pytest.mark.parametrize("size", [10, 1000])
def test_bytes_of_an_iteration_do_not_depend_on_the_size_of_the_array(size):
    def f(y):
        y = y.copy()
        for i in range(8):
            y[i] = np.sin(y[i]) * np.sum(y * y)
        return np.sum(y)

    (plan,) = myia.grad(f).plan(np.linspace(0.1, 0.2, size))
    assert plan.restored and plan.bytes_per_iteration <= 24


def test_what_whole_arrays_overwrite_is_recorded():
    """An array that is changed as a whole has no undo log, nor have the loops inside."""

    def f(y, a):
        y = y.copy()
        for _ in range(3):
            for i in range(N):
                y[i] = np.sin(0.1 * y[i] * (y @ a[i]))
            y = np.exp(-y * y)
        return y @ y

    plan = myia.grad(f).plan(VECTOR, MATRIX)
    assert not any(p.restored for p in plan if not p.depth)
    myia.check_grads(f, (VECTOR, MATRIX), order=1)


def test_what_restores_an_array_may_be_computed_from_one_that_is_recorded():
    """The array is so small that to record it whole takes less than what its stores overwrite."""

    def f(a, x):
        x = x.copy()
        for i in range(3):
            for j in range(3):
                x[j] += np.sin(x[i]) * a[i, j]
                x[(i + j) % 3] -= x[j] * x[i]
                x[(2 * i + j) % 3] *= np.cos(x[j])
            x[1:] -= 0.5 * x[:-1]
        return x @ x

    myia.check_grads(f, (0.1 * MATRIX[:3, :3], 0.3 * VECTOR[:3]), order=1)


def test_of_two_numbers_two_comparisons_are_recorded():
    """Not the numbers, and not three comparisons for the three cases."""

    def f(a):
        for k in range(N):
            a = np.minimum(a, np.add.outer(a[:, k], a[k]))
        return np.sum(a)

    (plan,) = myia.grad(f).plan(MATRIX)
    assert plan.bytes_per_iteration == 2 * N * N
    myia.check_grads(f, (MATRIX,), order=1)
