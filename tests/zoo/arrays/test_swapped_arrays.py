"""Names that swap their arrays: ping-pong buffers of stencils, in every form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import myia
from tests.zoo.in_place_checks import check_in_place, copies

A = np.array([0.7, -1.2, 1.9, 0.4, -0.8, 0.3])
B = np.array([0.3, 1.1, -0.7, 0.2, 0.9, -0.5])
C = np.array([-0.2, 0.6, 0.8, -1.1, 0.5, 0.1])


def update(new, old):
    new[1:-1] = 0.3 * (old[:-2] + old[1:-1] * old[2:])


def in_a_loop(old, new, n):
    for _ in range(n):
        update(new, old)
        old, new = new, old
    return np.sum(old**2) - np.sum(new)


def with_a_third_name(a, b, n):
    temporary = a
    for _ in range(n):
        for i in range(1, len(a) - 1):
            b[i] = 0.5 * a[i - 1] * a[i + 1] + a[i]
        temporary = a
        a = b
        b = temporary
    return np.sum(a * b) + np.sum(temporary)


def with_an_array_of_its_own(a, n):
    b = a.copy()
    for _ in range(n):
        update(b, a)
        a, b = b, a
    return np.sum(a**2) - np.sum(b)


def until_it_converges(a, b, n):
    error, k = 1.0, 0
    while error > 1e-2 and k < n:
        update(b, a)
        b[0] = 0.9 * a[0]
        error = np.max(np.abs(a - b))
        a, b = b, a
        k += 1
    return np.sum(a**2) - np.sum(b)


def read_through_a_name_from_before(a, b, n):
    first, part, pair = a, b[1:4], [a, b]
    total = 0.0
    for t in range(n):
        update(b, a)
        a, b = b, a
        total += first[2] * a[1] + np.sum(part)
        first[3] += 0.5 * t
        part[0] *= 1.1
    pair[0][1] += a[2]
    return np.sum(a**2) + total + np.sum(first) * b[1]


def reshaped_before_and_after(a, b, n):
    square = a.reshape(2, 3)
    for _ in range(n):
        update(b, a)
        a, b = b, a
    square[0, 1] = 7 * a[1]
    other = a.reshape(3, 2)
    other[1] *= 2
    return np.sum(square**2) + np.sum(a * b)


def in_a_nest(a, b, n):
    for _ in range(2):
        for _ in range(n):
            update(b, a)
            a, b = b, a
        a[0] = b[1]
        a, b = b, a
    return np.sum(a**2) - np.sum(b)


def evolve(a, b, n):
    for _ in range(n):
        update(b, a)
        a, b = b, a


def in_a_function_called_in_a_loop(a, b, n):
    for _ in range(2):
        evolve(a, b, n)
        a[0] *= 0.5
    return np.sum(a**2) - np.sum(b)


def in_a_function_called_in_a_branch(a, b, n):
    if np.sum(b) > 0:
        evolve(a, b, n)
    a[0] *= 0.5
    return np.sum(a**2) - np.sum(b)


def in_some_iterations(a, b, n):
    for t in range(n):
        if a[0] > 0.2 * t:
            a, b = b, a
        a[1] = a[2] * b[3]
    return np.sum(a**2) - np.sum(b)


def in_a_branch(a, b, n):
    if a[0] > 0.1 * n:
        a, b = b, a
    a[1] = a[2] * 3 * b[0]
    b[3] = a[1]
    return np.sum(a**2) - np.sum(b * a)


def not_in_the_last_iteration(a, b, n):
    for t in range(n):
        update(b, a)
        if t == 3:
            break
        if t == 1:
            continue
        a, b = b, a
    return np.sum(a**2) - np.sum(b)


def three_in_turn(a, b, c, n):
    for t in range(n):
        c[1:-1] = a[:-2] * b[2:] + c[1:-1]
        if t % 3 == 0:
            a, b, c = b, c, a
        else:
            a, b = b, a
    return np.sum(a**2) - np.sum(b * c)


@dataclass
class State:
    u: np.ndarray
    v: np.ndarray


def in_containers(a, b, n):
    state = State(a, b)
    for _ in range(n):
        update(state.v, state.u)
        state.u, state.v = state.v, state.u
    pair = {"u": state.u, "v": state.v}
    for _ in range(n - 1):
        update(pair["v"], pair["u"])
        pair["u"], pair["v"] = pair["v"], pair["u"]
    return np.sum(state.u**2) - np.sum(a * b) * np.sum(pair["u"])


def around_a_loop_that_changes_nothing(a, b, n):
    pair, state = [a, b], State(a * 2.0, b)
    for _ in range(n):
        for _ in range(1):
            a = state.u
        pair[0] = a
        state.u = b
    return np.sum(a * pair[0]) + np.sum(b)


TWO = [
    in_a_loop,
    with_a_third_name,
    until_it_converges,
    read_through_a_name_from_before,
    reshaped_before_and_after,
    in_a_nest,
    in_a_function_called_in_a_loop,
    in_a_function_called_in_a_branch,
    in_some_iterations,
    in_a_branch,
    not_in_the_last_iteration,
    in_containers,
    around_a_loop_that_changes_nothing,
]


@pytest.mark.parametrize("f", TWO, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [2, 3])
def test_two_arrays(f, n):
    check_in_place(f, A, B, n)


def test_one_array_of_the_caller_and_one_of_the_program():
    for n in (1, 2):
        check_in_place(with_an_array_of_its_own, A, n)


def test_three_arrays():
    for n in (0, 4):
        check_in_place(three_in_turn, A, B, C, n)


def test_compiled_by_xla_for_any_trip_count():
    compiled = myia.jit(lambda a, b, m: in_a_loop(a, b, int(m)))
    for n in (0, 1, 4):
        ours, theirs = copies((A, B)), copies((A, B))
        assert compiled(*ours, float(n)) == pytest.approx(in_a_loop(*theirs, n), rel=1e-12)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert compiled.compiles == 1


def test_arrays_of_two_dtypes():
    """A name of one or the other is a choice."""
    narrow = B.astype(np.float32)
    compiled = myia.jit(lambda a, b, m: in_a_loop(a, b, int(m)))
    for n in (0, 1, 2, 5):
        for f, m in ((compiled, float(n)), (myia.jit(in_a_loop), n)):
            ours, theirs = copies((A, narrow)), copies((A, narrow))
            assert f(*ours, m) == pytest.approx(in_a_loop(*theirs, n))
            for mine, other in zip(ours, theirs):
                assert mine.dtype == other.dtype
                np.testing.assert_allclose(mine, other, rtol=1e-6)


def swapped_beside_a_path_that_raises(x, y, n):
    if n > 0:
        if y[0] > 0:
            y += 1.0
            x, y = y, x
    else:
        x += y[3]  # there is none
    x[:2] = y[:2]
    return x[:]


def test_arrays_are_swapped_beside_a_path_that_raises():
    for first in (1.0, -1.0):
        args = [np.array([3.0, 4.0, 5.0]), np.array([first, 2.0, 6.0])]
        ours = [a.copy() for a in args]
        want = swapped_beside_a_path_that_raises(*args, 2.0)
        got = myia.jit(swapped_beside_a_path_that_raises)(*ours, 2.0)
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(ours, args)
    with pytest.raises(IndexError):
        myia.jit(swapped_beside_a_path_that_raises)(*ours, -1.0)
