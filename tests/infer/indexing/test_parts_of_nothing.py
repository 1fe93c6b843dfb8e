"""Arrays of run-time size, and lists, that are made of empty ones."""

import numpy as np
import pytest

import myia


def total(x, k):
    s = 0.0
    for v in x[x > 0]:
        s += v
    return s


def items(x, k):
    y = x[x > 0]
    return [v for v in y], y.tolist(), list(reversed(y))


def added(x, k):
    y = x[x > 0]
    return sum(y) + np.sum(y) + len(y) + min(y, default=1.0)


def pairs(x, k):
    y = x[x > 0]
    return [a - b for a, b in zip(y[1:], y)]


def places(x, k):
    s = 0
    for i, j in enumerate(np.nonzero(x > 0)[0]):
        s += i * j
    return s


def rows(x, k):
    s = 0.0
    for row in x.reshape(-1, 1)[x > 0]:
        s += row[0]
    return s


def unique(x, k):
    return np.unique(x[x > 0])


def deleted(x, k):
    found = []
    for i, v in enumerate(x):
        del found[i : int(k)]
        found.sort(key=abs)
        found.append(v)
    return found


def sliced(x, k):
    empty = []
    found = empty[int(k) :]
    found.append(k)
    return found, sorted(empty[: int(k)])


def stored(x, k):
    one, other = [], []
    one[0 : int(k)] = [k, 2.0]
    other[0 : int(k)] = []
    other.append(k)
    return one, other


@pytest.mark.parametrize(
    "f",
    [total, items, added, pairs, places, rows, unique, deleted, sliced, stored],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("x", [[], [-1.0], [3.0, -1.0, 2.0]])
def test_parts_of_nothing(f, x):
    x = np.array(x)
    np.testing.assert_equal(myia.jit(f)(x, 1.0), f(x, 1.0))
    np.testing.assert_equal(myia.jit(f)(x, 0.5), f(x, 0.5))


def replaced(x, k):
    y = x.copy()
    y[x > 0] = x[x > 0] * k
    z = x[x > 0]
    z[z > 1.0] = -1.0
    return y, z, np.where(x > 0, x, k)[x > 0]


@pytest.mark.parametrize("x", [[], [-1.0], [3.0, -1.0, 2.0]])
def test_stores_into_parts_of_nothing(x):
    x = np.array(x)
    np.testing.assert_equal(myia.jit(replaced)(x, 2.0), replaced(x, 2.0))
