"""`checkpoint=`, `memory=` and `.plan()`: what users say and read of storage for loops."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError

STEPS = 3000
START = np.sin(np.linspace(0, 3, 40))


def heat(u, k, steps):
    """Diffusion with a conductivity that depends on the temperature."""
    for _ in range(steps):
        c = k * (1 + u * u)
        flux = 0.5 * (c[1:] + c[:-1]) * (u[1:] - u[:-1])
        u = np.concatenate([u[:1], u[1:-1] + 0.1 * (flux[1:] - flux[:-1]), u[-1:]])
    return np.sum(u**2)


def until_small(x, limit):
    while x > limit:
        x = x * 0.9 + 0.01 * np.sin(x)
    return x


def gradient_of_heat(**options):
    return myia.grad(heat, argnums=(0, 1), static_argnums=2, **options)


@pytest.fixture(scope="module")
def taped():
    return gradient_of_heat(checkpoint="tape")(START, 0.3, STEPS)


def test_strategies_give_one_gradient(taped):
    for checkpoint in ("auto", "trail", "recompute"):
        found = gradient_of_heat(checkpoint=checkpoint)(START, 0.3, STEPS)
        for a, b in zip(found, taped, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("memory", ["100kB", 30_000, "20KiB"])
def test_budgets_are_kept(memory, taped):
    g = gradient_of_heat(memory=memory)
    for a, b in zip(g(START, 0.3, STEPS), taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    size = {"100kB": 100_000, "20KiB": 20 * 1024}.get(memory, memory)
    (plan,) = g.plan(START, 0.3, STEPS)
    assert plan.strategy == "trail" and plan.bytes <= size
    assert temporaries(g, START, 0.3, STEPS) <= size
    tape = gradient_of_heat(checkpoint="tape").plan(START, 0.3, STEPS)
    assert tape.bytes == STEPS * START.nbytes > 9 * size


def temporaries(gradient, *args) -> int:
    return gradient.lower(*args).compile().memory_analysis().temp_size_in_bytes


def least_of(gradient, *args) -> int:
    """What the error says that the gradient takes."""
    with pytest.raises(MyiaError, match="the program does not fit into") as caught:
        gradient(*args)
    return int(str(caught.value).split("takes is ")[1].split(" ")[0].replace(",", ""))


def test_a_budget_that_is_too_small_says_what_it_takes():
    """So much suffices, and one byte less does not."""
    least = least_of(gradient_of_heat(memory=500), START, 0.3, STEPS)
    within = gradient_of_heat(memory=least)
    within(START, 0.3, STEPS)
    assert temporaries(within, START, 0.3, STEPS) <= least
    assert least_of(gradient_of_heat(memory=least - 1), START, 0.3, STEPS) == least


def test_a_tape_is_not_shortened_by_a_budget():
    taken = temporaries(gradient_of_heat(checkpoint="tape"), START, 0.3, 100)
    assert least_of(gradient_of_heat(checkpoint="tape", memory=8000), START, 0.3, 100) == taken


def test_the_residuals_of_a_few_iterations_take_less_than_snapshots():
    taken = temporaries(gradient_of_heat(checkpoint="tape"), START, 0.3, 3)
    assert least_of(gradient_of_heat(memory=1000), START, 0.3, 3) == taken


def test_there_are_no_more_snapshots_than_blocks():
    budget = STEPS * START.nbytes // 10
    gradient = gradient_of_heat(memory=budget)
    (plan,) = gradient.plan(START, 0.3, STEPS)
    assert plan.snapshot_count == -(-STEPS // plan.block_length) and plan.forward_runs(STEPS) < 2
    assert plan.bytes <= budget


def test_recompute_records_only_what_an_iteration_starts_with():
    def f(x):
        for _ in range(100):
            x = np.sin(np.exp(np.cos(x)) * x)
        return x

    (plan,) = myia.grad(f, checkpoint="recompute").plan(0.3)
    assert [r.description for r in plan.residuals] == ["`x` at the start of the iteration"]
    (plan,) = myia.grad(f).plan(0.3)
    assert len(plan.residuals) > 1


def test_a_tape_needs_a_bound():
    with pytest.raises(MyiaError, match="number of iterations has no bound"):
        myia.grad(until_small, checkpoint="tape")(5.0, 1.0)


def test_plan_says_where_and_why():
    plan = myia.grad(until_small).plan(5.0, 1.0)
    text = str(plan)
    assert "test_storage_options.py:" in text and "trail" in text and "unknown" in text
    # The slope of the sine, which its pullback reads.
    assert "`np.sin(x)` (line 26): f64[], read by `np.sin(x)` (line 26)" in text
    assert myia.jit(until_small).plan(5.0, 1.0) == () == myia.jit(heat).plan(START, 0.3, 10)


def test_a_gradient_of_no_consequence_records_nothing():
    def f(x, n):
        s = 0.0
        for i in range(n):
            s = s + x * i
        return s

    (plan,) = myia.grad(f).plan(2.0, 1000)
    assert (
        plan.strategy == "nothing"
        and plan.bytes == 0
        and "nothing recorded" in str(myia.grad(f).plan(2.0, 1000))
    )


@pytest.mark.parametrize(
    "options", [{"checkpoint": "disk"}, {"memory": "64 parsecs"}, {"memory": -1}]
)
def test_options_are_checked(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        myia.grad(heat, **options)


def test_checkpointing_takes_no_more_than_the_tape_it_replaces():
    def eliminate(lower, u, b):
        for k in range(1, 9):
            pivot = b[:, :, k] - lower[:, :, k] * u[:, :, k - 1]
            gain = lower[:, :, k] / pivot
            u[:, :, k] = (u[:, :, k] + gain * u[:, :, k - 1]) / pivot
            b[:, :, k] = gain / pivot
        return u.sum() + b.sum()

    a = np.ones((240, 240, 9))  # a tape of 7 MB, and snapshots of 8 MB each
    (plan,) = myia.grad(eliminate, argnums=(0, 1, 2)).plan(a, a + 1.0, a + 4.0)
    assert plan.bytes <= plan.trip_count * plan.bytes_per_iteration
