"""Integer divisions by zero that XLA meets as constants: its compiler died of them."""

import numpy as np
import pytest

import myia

TRIPS = 400_000  # more than inference runs itself


def quotient(x):
    total = 0
    for i in range(TRIPS):
        total += 10 // (TRIPS - 1 - i)
    return x * total


def remainder(x):
    total = 0
    for i in range(TRIPS):
        total += 10 % (TRIPS - 1 - i)
    return x * total


def ratio(x):
    total = 0.0
    for i in range(TRIPS):
        total += 10 / (TRIPS - 1 - i)
    return x * total


@pytest.mark.parametrize("f", [quotient, remainder, ratio], ids=lambda f: f.__name__)
def test_the_error_is_pythons(f):
    for transform in (myia.jit, myia.grad):
        with pytest.raises(ZeroDivisionError):
            transform(f)(1.0)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.uint64])
def test_arrays(dtype):
    x, y = np.array([7, 0, 100, 5], dtype), np.array([2, 0, 0, 3], dtype)
    with np.errstate(all="ignore"):
        for f in (lambda x, y: x // y, lambda x, y: x % y, np.fmod):
            found = myia.jit(f)(x, y)
            assert found.dtype == dtype and found.tolist() == f(x, y).tolist()
