"""The room of a list is found from an iteration; later ones may append more than the first."""

import bisect

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia


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
