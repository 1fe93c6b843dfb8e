"""Loops of any number of iterations: gradients at every boundary of storage, and the memory."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from jax import numpy as jnp

import myia
from benchmarks.loop_programs.steps import steps
from benchmarks.storage.recorded_bytes import of_scan, ours

MEGABYTES = 1 << 20


def driven(x, c, n):
    """A stable recurrence, driven so that every iteration counts: its gradients do not fade."""
    s, t = 0.0, 0
    while t < n:
        x = 0.5 * math.sin(x) + c * ((37 * t) % 101)
        s = s + x * x
        t += 1
    return s


def gradient_of_driven(**options):
    return myia.grad(driven, argnums=(0, 1), **options)


def tape(x: float, c: float, most: int) -> list[float]:
    """The states of `driven`, as plain Python records them."""
    xs = [x]
    for t in range(most):
        xs.append(0.5 * math.sin(xs[-1]) + c * ((37 * t) % 101))
    return xs


def reversed_tape(xs: list[float], n: int) -> tuple[float, float]:
    dx = dc = 0.0
    for k in range(n - 1, -1, -1):
        dx += 2 * xs[k + 1]
        dc += dx * ((37 * k) % 101)
        dx *= 0.5 * math.cos(xs[k])
    return dx, dc


def second_derivatives(x: float, c: float, counts) -> dict[int, float]:
    """d²s/dc² after each of the counts, by plain Python in forward mode."""
    dx = ddx = ds = dds = 0.0
    found, most = {0: 0.0}, max(counts)
    for k in range(most):
        v = (37 * k) % 101
        sine, cosine = math.sin(x), math.cos(x)
        ddx = 0.5 * (cosine * ddx - sine * dx * dx)
        dx = 0.5 * cosine * dx + v
        x = 0.5 * sine + c * v
        ds += 2 * x * dx
        dds += 2 * (dx * dx + x * ddx)
        if k + 1 in counts:
            found[k + 1] = dds
    return found


def around(*counts: int) -> list[int]:
    return [n + d for n in counts for d in (-1, 0, 1)]


START = 0.4, 0.013
COUNTS = [0, 1, 2, *around(*(1 << i for i in range(3, 13)))]


@pytest.fixture(scope="module")
def taped():
    return tape(*START, (1 << 20) + 1)


def check_counts(gradient, counts, taped) -> None:
    for n in counts:
        found, want = gradient(*START, np.int64(n)), reversed_tape(taped, n)
        np.testing.assert_allclose(found, want, rtol=1e-12, err_msg=f"{n} iterations")
    assert gradient.compiles == 1


def test_counts_around_every_boundary(taped):
    gradient = gradient_of_driven()
    (plan,) = gradient.plan(*START, np.int64(1))
    assert plan.strategy == "trail" and plan.trip_count is None
    half = plan.snapshot_count * plan.block_length // 2
    counts = [*COUNTS, *around(plan.block_length, half), 1 << 20, 10**6]
    check_counts(gradient, counts, taped)


def test_counts_around_the_boundaries_of_small_storage(taped):
    gradient = gradient_of_driven(memory="8kB")
    (plan,) = gradient.plan(*START, np.int64(1))
    half = plan.snapshot_count * plan.block_length // 2
    counts = [0, 1, 2, *around(plan.block_length, half, 2 * half, 4 * half), 10**5]
    check_counts(gradient, counts, taped)


def test_second_derivatives_at_every_boundary():
    second = myia.grad(myia.grad(driven, argnums=1), argnums=1)
    plans = second.plan(*START, np.int64(1))
    blocks = {p.block_length for p in plans}
    halves = {p.snapshot_count * p.block_length // 2 for p in plans}
    counts = [0, 1, 2, *around(*blocks, *halves), 1023, 1025, 4095, 4097, 10**6]
    want = second_derivatives(*START, set(counts))
    for n in counts:
        rtol = max(1e-12, 1e-17 * n)  # the sums are taken in opposite orders
        np.testing.assert_allclose(second(*START, np.int64(n)), want[n], rtol=rtol)
    assert second.compiles == 1


# ----- Memory


def settling(x, c, n):
    t = 0
    while t < n:
        x = np.sin(x) * 1.01 + c
        t += 1
    return np.sum(x)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 1000])
def test_temporaries_do_not_depend_on_the_count(size, order):
    """At any count: the program is one, and the count an argument."""
    g = settling
    for _ in range(order):
        g = myia.grad(g, argnums=1)
    x = np.float64(0.3) if size == 1 else np.linspace(0, 1, size)
    compiled = g.lower(x, 0.1, np.int64(10**7)).compile()
    assert compiled.memory_analysis().temp_size_in_bytes <= 8 * MEGABYTES


def closed_form(x: float, c: float) -> tuple[float, float]:
    """The gradient after 10^5 iterations and more: by the fixed point, x has been forgotten."""
    for _ in range(2000):
        x = math.sin(x) * 1.01 + c
    return 0.0, 1 / (1 - 1.01 * math.cos(x))


def test_ten_million_iterations_of_a_scalar():
    g = myia.grad(settling, argnums=(0, 1))
    found = g(0.3, 0.1, np.int64(10**7))
    np.testing.assert_allclose(found, closed_form(0.3, 0.1), rtol=1e-10, atol=1e-12)


def test_many_iterations_of_an_array():
    g = myia.grad(settling, argnums=1)
    x = np.linspace(0, 1, 1000)
    found = g(x, 0.1, np.int64(10**4))
    np.testing.assert_allclose(found, 1000 * closed_form(0.3, 0.1)[1], rtol=1e-10)


# ----- What shrinks a plan


def bytes_per_iteration(f, *args) -> int:
    return sum(p.bytes_per_iteration for p in myia.grad(f).plan(*args))


def test_stop_gradient_shrinks_the_plan():
    def moved(x):
        y, z = x, x
        for _ in range(1000):
            y = np.sin(y) + z
            z = np.cos(z)
        return y

    def stopped(x):
        y, z = x, x
        for _ in range(1000):
            y = np.sin(y) + z
            z = myia.stop_gradient(np.cos(z))
        return y

    assert 0 < 2 * bytes_per_iteration(stopped, 0.3) <= bytes_per_iteration(moved, 0.3)


def test_dead_carries_are_not_recorded():
    def used(x):
        y, z = x, x
        for _ in range(1000):
            y, z = np.sin(y), np.cos(z) * z
        return y + z

    def dead(x):
        y, z = x, x
        for _ in range(1000):
            y, z = np.sin(y), np.cos(z) * z
        return y

    def alone(x):
        y = x
        for _ in range(1000):
            y = np.sin(y)
        return y

    assert (
        bytes_per_iteration(dead, 0.3)
        == bytes_per_iteration(alone, 0.3)
        < bytes_per_iteration(used, 0.3)
    )


def test_what_the_iterations_share_is_not_recorded():
    def f(w, x):
        p = np.exp(w)
        for _ in range(1000):
            x = np.tanh(p * x)
        return np.sum(x)

    (plan,) = myia.grad(f, argnums=1).plan(np.ones(50), np.ones(50))
    assert plan.bytes_per_iteration == 50 * 8


def test_no_more_is_recorded_than_by_scan():
    pairs = zip(steps(np).values(), steps(jnp).values())
    ratios = [max(1, of_scan(by_jax)) / max(1, ours(step)) for step, by_jax in pairs]
    assert min(ratios) >= 1 and statistics.median(ratios) >= 2


def test_linear_loops_record_nothing():
    def f(w, x):
        for _ in range(1000):
            x = x + 0.1 * w
        return np.sum(x)

    assert bytes_per_iteration(f, np.ones(50), np.ones(50)) == 0
