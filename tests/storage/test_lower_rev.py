"""Reversed loops as ordinary ones: the numbers stay, the memory is what was planned."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from myia.ir.avals import I64
from myia.ir.core import Function, walk
from myia.ir.verifier import verify
from myia.passes.canonicalize.cse import cse
from myia.passes.canonicalize.dce import dce
from myia.primitives.arrays.shaping import broadcast, iota, reduce_sum
from myia.primitives.core.define import constant_p, empty_p
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.structured import Loop, loop_p
from myia.primitives.pointwise import transcendental
from myia.primitives.pointwise.logic import and_, ge, gt, lt, select
from myia.primitives.pointwise.transcendental import sin, tanh
from myia.storage import Limits
from myia.storage.lower_rev import lower_and_plan
from myia.storage.model.memory_limits import CheckpointBytes
from myia.storage.model.revolve import forward_runs
from tests.transforms.derivative_checks import (
    directions,
    expanded,
    function,
    gradient,
    pullback,
    run,
)
from tests.transforms.derivative_zoo import ZOO, integer, number, read, write
from tests.transforms.random_structures import random_program

TINY = Limits(strategy="trail", block_length_range=(4, 4), snapshot_count_range=(4, 4))
ALL_LIMITS = {"auto": Limits(), "trail": TINY}


def same_numbers(f: Function, args, limits: Limits) -> None:
    lowered, _ = lower_and_plan(f, limits)
    verify(lowered)
    for got, want in zip(run(lowered, args), run(f, args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def check_orders(f: Function, args, limits: Limits) -> None:
    """The gradient and the gradient's pullback, lowered."""
    first = expanded(pullback(f))
    args = [*args, *directions(f, args, 0)[1]]
    same_numbers(first, args, limits)
    second = expanded(pullback(first))
    same_numbers(second, [*args, *directions(first, args, 1)[1]], limits)


@pytest.mark.parametrize("limits", ALL_LIMITS)
@pytest.mark.parametrize("name", ZOO)
def test_zoo(name, limits):
    body, args = ZOO[name]
    check_orders(function(body, *args), args, ALL_LIMITS[limits])


@pytest.mark.parametrize("seed", [*range(20), 50])  # 50: one mask of a loop goes, one comes
def test_random_programs(seed):
    f, args = random_program(seed)
    check_orders(f, args, ALL_LIMITS["auto" if seed % 2 else "trail"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 300))
def test_more_random_programs(seed):
    f, args = random_program(seed)
    for limits in ALL_LIMITS.values():
        check_orders(f, args, limits)


# ----- Online checkpointing


def counted(x, p, n):
    (y,) = loop([x], lambda k, y: [sin(y) * p + 0.1], count=n)
    return [y]


def conditional(x, p, n):
    below = lambda k, y: lt(k, n)  # noqa: E731
    (y,) = loop([x], lambda k, y: [sin(y) * p + 0.1], cond=below)
    return [y]


def with_array(x, p, n):
    """Carries an array, so that the snapshots leave the loop."""

    def body(k, a, y):
        z = sin(y) * p + read(a, k)
        return [write(a, k, z), z]

    (a, y) = loop([x, p], body, count=n)
    return [reduce_sum(a * a, axes=(0,)) * y]


COUNTS = [*range(20), 31, 32, 33, 63, 64, 65, 100, 257, 1000]


@pytest.mark.parametrize("body", [counted, conditional, with_array])
@pytest.mark.parametrize(("snapshots", "block"), [(4, 4), (4, 1), (8, 2)])
def test_one_program_serves_all_counts(body, snapshots, block):
    x = np.linspace(0.1, 0.9, 40) if body is with_array else 0.7
    limits = Limits(
        strategy="trail",
        block_length_range=(block, block),
        snapshot_count_range=(snapshots, snapshots),
    )
    f = expanded(gradient(function(body, x, 0.8, 1)))
    lowered, _ = lower_and_plan(f, limits)
    verify(lowered)
    for n in COUNTS:
        if body is with_array and n > 40:
            continue
        want, got = run(f, [x, 0.8, n]), run(lowered, [x, 0.8, n])
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=f"{n} iterations")


def count_evaluations(monkeypatch, primitive, f: Function, args) -> int:
    """How often `primitive` is evaluated when `f` runs."""
    evaluate, calls = primitive.evaluate, []
    monkeypatch.setattr(primitive, "evaluate", lambda *xs: calls.append(1) or evaluate(*xs))
    run(f, args)
    monkeypatch.setattr(primitive, "evaluate", evaluate)
    return len(calls)


@pytest.mark.parametrize("n", [3, 4, 5, 60, 300, 3000])
def test_number_of_replays(monkeypatch, n):
    """Not knowing the count costs little more than knowing it."""
    f = expanded(gradient(function(counted, 0.7, 0.8, 1)))
    limits = Limits(strategy="trail", block_length_range=(4, 4), snapshot_count_range=(16, 16))
    lowered = cse(lower_and_plan(f, limits)[0])
    evaluations = count_evaluations(monkeypatch, transcendental.sin, lowered, [0.7, 0.8, n])
    assert evaluations <= n * (forward_runs(n, 16, 4) + (0.5 if n > 4 else 0))


@pytest.mark.parametrize(("snapshots", "block"), [(4, 1), (4, 4), (16, 2)])
@pytest.mark.parametrize("n", [1, 2, 5, 17, 64, 333])
def test_replays_of_a_known_count(monkeypatch, n, snapshots, block):
    """As many as binomial checkpointing takes, not one more."""
    f = expanded(gradient(function(lambda x, p: counted(x, p, integer(n)), 0.7, 0.8)))
    limits = Limits(
        strategy="trail",
        block_length_range=(block, block),
        snapshot_count_range=(snapshots, snapshots),
    )
    lowered = cse(lower_and_plan(f, limits)[0])
    evaluations = count_evaluations(monkeypatch, transcendental.sin, lowered, [0.7, 0.8])
    assert evaluations <= round(n * forward_runs(n, snapshots, block))
    for got, want in zip(run(lowered, [0.7, 0.8]), run(f, [0.7, 0.8]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-11)


def nested(x, p, n):
    """The inner loop records the sines that it makes."""

    def outer(k, y):
        return loop([y], lambda j, y: [sin(y) * p + 0.1], count=k, bound=n - 1)

    return loop([x], outer, count=integer(n))


@pytest.mark.parametrize(("strategy", "tape"), [("tape", 1000), ("trail", 70)])
def test_no_unwritten_row_of_an_inner_tape_is_read(monkeypatch, strategy, tape):
    n, limits = (
        9,
        Limits(max_tape_bytes=tape, block_length_range=(2, 2), snapshot_count_range=(4, 4)),
    )
    f = expanded(gradient(function(lambda x, p: nested(x, p, n), 0.7, 0.8)))
    lowered, plans = lower_and_plan(f, limits)
    assert [plan.strategy for plan in plans] == ["tape", strategy]
    nothing = lambda *, dtype, shape: np.full(shape, np.nan, dtype)  # noqa: E731
    monkeypatch.setattr(empty_p, "evaluate", nothing)
    for got, want in zip(run(lowered, [0.7, 0.8]), run(f, [0.7, 0.8]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


@functools.cache
def fewest_replays(trip_count: int, snapshot_count: int) -> int:
    """By dynamic programming: one snapshot at the start, iterations recorded one at a time."""
    if trip_count == 1:
        return 0
    if snapshot_count == 1:
        return trip_count * (trip_count - 1) // 2
    return min(
        m + fewest_replays(trip_count - m, snapshot_count - 1) + fewest_replays(m, snapshot_count)
        for m in range(1, trip_count)
    )


def test_no_other_plan_takes_fewer_replays():
    for snapshots in range(1, 9):
        for n in range(1, 50):
            assert round(n * forward_runs(n, snapshots, 1)) == n + fewest_replays(n, snapshots)


def test_a_budget_is_shared_out_so_that_replays_are_few():
    """Not worse than any other way to have snapshots and residuals in as many bytes."""
    for n in (100, 1000, 30_000):
        for budget in (1000, 5000, 40_000):
            snapshots, block = (
                Limits()
                .with_budget(budget)
                .snapshots_and_block_length(CheckpointBytes(16, 0, 24), False, n)
            )
            assert (snapshots + 1) * 24 + block * 16 <= budget
            others = (
                forward_runs(n, (budget - b * 16) // 24 - 1, b)
                for b in map((2).__pow__, range(16))
                if budget - b * 16 >= 5 * 24
            )
            assert forward_runs(n, snapshots, block) == min(others)


def squashed(x, p, n):
    """The derivative of an iteration reads what the next one starts with."""
    (y,) = loop([x], lambda k, y: [tanh(y * p + 0.1)], count=n)
    return [y]


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 9, 60])
def test_a_carry_is_recorded_once_for_two_iterations(monkeypatch, n):
    """It is at hand before and after the iteration: the replay is the last to compute it."""
    f = expanded(gradient(function(squashed, 0.7, 0.8, 1)))
    limits = Limits(strategy="trail", block_length_range=(4, 4), snapshot_count_range=(24, 24))
    lowered, (plan,) = lower_and_plan(f, limits)
    assert plan.bytes_per_iteration == 8 and plan.bytes == 4 * 8 + 8 + 25 * 8
    in_block = (n - 1) % 4 + 1
    evaluations = count_evaluations(monkeypatch, transcendental.tanh, lowered, [0.7, 0.8, n])
    assert evaluations == n + (n - in_block)
    for got, want in zip(run(lowered, [0.7, 0.8, n]), run(f, [0.7, 0.8, n]), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_memory_of_a_million_iterations():
    f = expanded(gradient(function(counted, 0.7, 0.8, 1)))
    _, (plan,) = lower_and_plan(f)
    assert plan.strategy == "trail"
    assert plan.bytes <= 8 << 20


# ----- What is recorded


def plans_of(body, *args, limits: Limits | None = None):
    f = expanded(gradient(function(body, *args)))
    return lower_and_plan(f, limits or Limits())[1]


def test_a_linear_adjoint_records_nothing():
    def body(p, n):
        (y,) = loop([number(1.0)], lambda k, y: [y * 0.5 + p], count=n)
        return [y]

    (plan,) = plans_of(body, 0.7, 3)
    assert (plan.strategy, plan.bytes) == ("nothing", 0)


def test_a_counter_is_not_recorded():
    def body(a, n):
        def step(k, s, i):
            return [s + read(a, i) * read(a, k), i + 2]

        s, _ = loop([number(0.0), integer(1)], step, count=n)
        return [s]

    (plan,) = plans_of(body, np.arange(9.0), 3)
    assert plan.strategy == "nothing"


def test_masks_are_computed_again():
    def body(x):
        def step(k, y):
            (z,) = if_(gt(y, number(0.5)), lambda: [y * y], lambda: [y * 2.0])
            return [z]

        return loop([x], step, count=integer(5))

    (plan,) = plans_of(body, 0.7)
    assert [str(r.aval) for r in plan.residuals] == ["f64[]"]


def test_masks_of_arrays_are_computed_again():
    """Where their integers are at hand: what is selected by bytes of memory is not vectorised."""

    def body(x):
        def step(k, y):
            places = iota(shape=(40,), axis=0, dtype=I64.dtype)
            from_, to = (broadcast(i, shape=(40,), dims=()) for i in (k, k + 9))
            return [select(and_(ge(places, from_), lt(places, to)), sin(y), y)]

        return [reduce_sum(y, axes=(0,)) for y in loop([x], step, count=integer(30))]

    (plan,) = plans_of(body, np.ones(40))
    assert [str(r.aval) for r in plan.residuals] == ["f64[40]"]


def test_elements_are_recorded_and_not_arrays():
    def body(x):
        def step(k, a):
            return [write(a, k + 1, sin(read(a, k)) * read(a, k + 1))]

        (a,) = loop([x], step, count=integer(99))
        return [reduce_sum(a, axes=(0,))]

    (plan,) = plans_of(body, np.ones(100))
    assert plan.strategy == "tape"
    assert all(r.aval.size == 1 for r in plan.residuals)
    assert plan.capacity == 99


@pytest.mark.parametrize("size", [50, 5000])
def test_an_adjoint_iteration_costs_what_it_costs_forwards(size):
    """No op in the reverse loop makes or copies an array of the operand's size."""

    def body(x, i):
        def step(k, s):
            (t,) = if_(gt(s, number(0.0)), lambda: [read(x, k) * s], lambda: [read(x, i)])
            return [t]

        (s,) = loop([number(1.0)], step, count=integer(20))
        return [s]

    f = expanded(gradient(function(body, np.ones(size), 1)))
    lowered, _ = lower_and_plan(f)
    in_place = {"dynamic_update_slice", "if"}
    for op in lowered.region.ops:
        for inner in (o for region in op.regions for o in walk(region)):
            if op.primitive is loop_p and inner.primitive.name not in in_place:
                assert all(y.aval.size <= 1 for y in inner.results), inner
    assert any(op.primitive is constant_p for op in lowered.region.ops)


# ----- Pairing


def loops(f: Function) -> list[Loop]:
    return [Loop.of(op) for op in walk(f.region) if op.primitive is loop_p]


def test_the_primal_loop_records():
    f = expanded(pullback(function(counted, 0.7, 0.8, 3)))
    lowered, (plan,) = lower_and_plan(f, Limits())
    assert plan.paired
    alone = dce(expanded(gradient(function(counted, 0.7, 0.8, 3))))
    unpaired, (plan,) = lower_and_plan(alone)
    assert not plan.paired
    assert len(loops(lowered)) == len(loops(unpaired))


def test_pairing_sees_through_other_carries():
    """The program's loop carries more than the reversed one, inside and outside."""

    def body(x, p):
        def outer(k, s, y, m):
            z, t = loop([y, s], lambda j, z, t: [sin(z) * p, t + z], count=integer(3))
            return [t, z, m + 1]

        s, y, m = loop([number(0.0), x, integer(0)], outer, count=integer(4))
        return [y * y, s, m]

    f = expanded(pullback(function(body, 0.7, 0.8)))
    args = [0.7, 0.8, 1.0, 0.0]
    lowered, plans = lower_and_plan(f)
    assert plans[-1].paired
    # The outer loops, forwards and back, with one inner loop in each.
    assert len(loops(lowered)) == 4
    same_numbers(f, args, Limits())


def test_nests_give_few_copies():
    """Loops of a nest of depth d: at most quadratically many."""

    def nest(depth):
        def body(x, p):
            def level(d, y):
                if d == 0:
                    return [sin(y) * p]
                return loop([y], lambda k, y: level(d - 1, y), count=integer(2))

            return level(depth, x)

        f = expanded(pullback(function(body, 0.7, 0.8)))
        return len(loops(lower_and_plan(f)[0]))

    numbers = [nest(d) for d in (1, 2, 3, 4)]
    assert numbers[0] == 2
    assert all(n <= d * (d + 1) for d, n in enumerate(numbers, 1)), numbers


def test_a_static_zero_count_needs_nothing():
    def body(x, p):
        return loop([x], lambda k, y: [sin(y) * p], count=integer(0))

    f = expanded(gradient(function(body, 0.7, 0.8)))
    lowered, plans = lower_and_plan(f)
    assert not plans
    assert run(lowered, [0.7, 0.8]) == [1.0, 0.0]
