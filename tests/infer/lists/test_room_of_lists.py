"""The room of a list is found from an iteration; later ones may append more than the first."""

import bisect

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.infer.driver import inferred


def doubled(x, n):
    xs = [x]
    for _ in range(4):
        for j in range(len(xs)):
            xs.append(xs[j] * 0.5)
    return len(xs), sum(xs)


def more_from_the_fourth_on(x, n):
    xs, k = [], 0
    for i in range(10):
        k += 1  # noqa: SIM113
        xs.append(x * i)
        if k > n[0]:
            xs.append(x)
            xs.append(x + i)
    return len(xs), sum(xs)


def more_in_a_long_loop(x, n):
    xs, k = [], 0
    for i in range(1000):
        k += 1  # noqa: SIM113
        xs.append(x * i)
        if k > n[0]:
            xs += [x, x + i]
    return len(xs), sum(xs)


def one_or_none(x, n):
    xs = []
    for i in range(1000):
        if i > n[0]:
            xs.append(x * i)
        elif xs:
            xs.pop()
    return len(xs), sum(xs)


@pytest.mark.parametrize("f", [doubled, more_from_the_fourth_on, more_in_a_long_loop, one_or_none])
def test_later_iterations_append_more(f):
    n = np.array([3])
    assert myia.jit(f)(2.0, n) == f(2.0, n)
    for transformed in (myia.jit(f), jax.jit(myia.jit(f))):  # whose checks are not awaited
        np.testing.assert_allclose(transformed(jnp.asarray(2.0), jnp.asarray(n)), f(2.0, n))


def test_a_list_without_a_bound_that_is_sorted():
    def f(x, n):
        xs, y = [x], x
        while y < 2.5:
            y += 0.05
            xs.append(y * 0.5)
            xs.sort()
            bisect.insort(xs, -y)
            xs = sorted(xs, reverse=True)
            xs.append(y)
        return sum((i + 1) * v for i, v in enumerate(xs)), len(xs)

    for x in (2.4, -1.0, 0.2):
        np.testing.assert_allclose(myia.jit(f)(x, None), f(x, None), rtol=1e-13)


def test_a_loop_of_run_time_length():
    def f(x, n):
        xs = [x]
        for _ in myia.bounded(range(n[0]), 6):
            for j in range(len(xs)):
                xs.append(xs[j] * 0.5)
        return len(xs), sum(xs)

    for n in (np.array([2]), np.array([6])):
        assert myia.jit(f)(2.0, n) == f(2.0, n)
        np.testing.assert_allclose(myia.jit(f)(jnp.asarray(2.0), jnp.asarray(n)), f(2.0, n))
    with pytest.raises(myia.MyiaError, match="grows without a bound"):
        jax.jit(myia.jit(f))(2.0, np.array([2]))


def test_a_list_that_begins_anew():
    def f(x, n):
        xs = [x, x]
        for i in range(1000):
            if i % 3 == n[0]:
                xs = [x * i, x, x]
            else:
                xs.append(x)
            while len(xs) > 2 and i % 2:
                xs.pop()
        return len(xs), sum(xs)

    assert myia.jit(f)(2.0, np.array([1])) == f(2.0, np.array([1]))
    np.testing.assert_allclose(jax.jit(myia.jit(f))(2.0, np.array([1])), f(2.0, np.array([1])))


# ----- Lists that are longer within an iteration than at its end


def popped_after_a_loop(p, x):
    xs = [p, 1.0]
    for _ in range(2):
        for j in range(2):
            if x > j:
                break
            xs.append(p)
        xs.append(p)
        p = xs.pop(1)
    return sum(xs) + p


def one_of_two_is_popped(p, x):
    xs = [p, 1.0]
    for _ in range(3):
        for j in range(2):
            if x > j:
                xs.append(p)
        xs.append(p)
        xs.pop(0)
    return sum(xs)


def popped_before_it_grows(p, x):
    xs = [p, 1.0]
    for i in range(3):
        xs += [p, p]
        xs.pop()
        xs.pop()
        if x > i:
            xs.append(p)
    return sum(xs)


def doubled_and_cut(p, x):
    """An iteration is longer the later it comes."""
    xs = [p, 1.0]
    for _ in range(4):
        n = len(xs)
        for j in range(n):
            if x > j:
                break
            xs.append(xs[j])
        for _ in range(n):
            xs.pop()
        xs += [0.0, p]
    return sum(xs) + len(xs)


@pytest.mark.parametrize(
    "f", [popped_after_a_loop, one_of_two_is_popped, popped_before_it_grows, doubled_and_cut]
)
def test_peak_within_an_iteration(f):
    value, gradient = myia.jit(f), myia.grad(f)
    for x in (-1.0, 0.5, 2.0):
        assert value(0.3, x) == f(0.3, x)
        difference = (f(0.8, x) - f(-0.2, x)) / 1.0  # linear in p
        np.testing.assert_allclose(gradient(0.3, x), difference, rtol=1e-12)


# ----- Loops over a list that grows in the loop around are inferred once more, not from nothing


def sifted(p, x):
    """The inner loops change items of the list, not its length."""
    xs = [p, 1.0]
    z = 0.0
    while z < x:
        xs.append(z)
        z += 0.5
        for i in range(len(xs) - 1):
            for j in range(i, len(xs) - 1):
                if xs[j] > xs[j + 1]:
                    xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs[0] + 2 * xs[1] + len(xs)


def grows_at_the_second_visit(p, x):
    """The inner loop appends once the outer one has changed what it reads."""
    xs, grows = [p, 1.0], False
    for i in range(3):
        for _ in range(2):
            xs[0] += 0.5
            if grows:
                xs.append(p)
        grows = x > i
    return sum(xs) + len(xs)


def rebuilt(p, x):
    """The inner loop makes another list of the length that this one has got."""
    xs = [p, 1.0]
    z = 0.0
    while z < x:
        xs.append(z)
        z += 0.5
        for e in np.full((2,), sum(xs) + p):
            xs = [u * 0.5 + e * 0.0 for u in xs]
    return sum(xs) + len(xs)


@pytest.mark.parametrize("f", [sifted, grows_at_the_second_visit, rebuilt])
def test_visited_again(f):
    for x in (-1.0, 0.5, 1.0, 2.0):
        assert myia.jit(f)(0.3, x) == pytest.approx(f(0.3, x), rel=1e-14)
        slope = (f(0.3 + 1e-6, x) - f(0.3 - 1e-6, x)) / 2e-6
        assert myia.grad(f)(0.3, x) == pytest.approx(slope, rel=1e-6)


def test_inner_loops_are_visited_few_times():
    program, _ = inferred(sifted, 0.3, 2.0)
    assert max(program.visits.values()) <= 20
