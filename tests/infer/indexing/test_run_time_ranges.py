"""`x[range(n)]` with a run-time n: a copy, whose indices are checked."""

from __future__ import annotations

import numpy as np
import pytest

import myia

X = np.linspace(0.5, 2.0, 6)


def taken(x, n, i):
    y = x[range(n)]
    y += 1.0
    z = x[range(i, n)]
    return np.sum(y**2) + np.sum(z * 3.0) + np.sum(x)


def stored(x, n, i):
    y = x * x
    y[range(n)] = x[0]
    y[range(i, n)] *= x[1]
    return np.sum(y**2)


def in_a_loop(x, n, i):
    s = 0.0
    for k in range(n):
        s += np.sum(x[range(k, n)] ** 2) * x[i]
    return s


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return isinstance(error, IndexError), str(error).partition("\n")[0]


@pytest.mark.parametrize("f", [taken, stored, in_a_loop])
@pytest.mark.parametrize("n", [0, 3, 6, -2, 8])
def test_values_and_derivatives(f, n):
    compiled, args = myia.jit(f), (X.copy(), np.int64(n), 2)
    want, found = outcome(f, X.copy(), n, 2), outcome(compiled, *args)
    if isinstance(want, tuple):
        assert found == want
        return
    assert found == pytest.approx(want, rel=1e-12)
    myia.check_grads(lambda x: f(x, np.int64(n), 2), (X.copy(),))
