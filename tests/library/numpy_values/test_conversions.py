"""Conversions to Python's numbers: of arrays with axes, of unsigned numbers; and to a dtype."""

import math

import numpy as np
import pytest

import myia
from tests.library.numpy_values.comparison import assert_as_numpy

UNSIGNED = np.array([2**63, 2**63 - 1, 5, 2**64 - 1], "u8")


@pytest.mark.parametrize(
    "f",
    [
        int, float, complex, math.sqrt, lambda x: complex(1.0, x), lambda x: int(x) + float(x),
        lambda x: float(np.sum(x)), lambda x: x.item(), lambda x: int(x.sum()),
    ],
)  # fmt: skip
def test_only_arrays_without_axes_are_numbers(f):
    for x in (np.array([3.7]), np.array([[3.7]]), np.array(3.7)):
        if x.ndim or f not in (complex,):
            assert_as_numpy(f, x)


INTEGERS = [int, lambda x: x.item(), lambda x: x.item() % 1000, lambda x: -int(x)]


@pytest.mark.parametrize("f", INTEGERS, ids=["int", "item", "remainder", "negative"])
def test_unsigned_numbers_become_ints_or_raise(f):
    """Never a number that has wrapped around."""
    for i in (1, 2):
        assert myia.jit(lambda x, i=i: f(x[i]))(UNSIGNED) == f(UNSIGNED[i])
    for i in (0, 3):
        with pytest.raises(OverflowError, match="beyond 64 bits"):
            myia.jit(lambda x, i=i: f(x[i]))(UNSIGNED)


def test_lists_of_unsigned_numbers():
    assert myia.jit(lambda x: x.tolist())(UNSIGNED[1:3]) == [2**63 - 1, 5]
    assert myia.jit(lambda x: x.reshape(1, 2).tolist())(UNSIGNED[1:3]) == [[2**63 - 1, 5]]
    with pytest.raises(OverflowError, match="beyond 64 bits"):
        myia.jit(lambda x: x.tolist())(UNSIGNED)


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i4", "?"])
def test_arrays_as_arrays_of_a_dtype(dtype):
    """`np.dtype(float) == None` is true: NumPy takes None for float64."""

    def converted(x):
        return np.asarray(x, float), np.array(x, dtype=np.float64), np.asarray(x), x.astype(float)

    assert_as_numpy(converted, np.array([0.1, 1.0, 3.0]).astype(dtype))
