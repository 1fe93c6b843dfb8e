"""`out=` of reductions: its dtype takes part in the computation, and the result is cast to it."""

import operator

import numpy as np
import pytest

import myia
from tests.library.numpy_values.comparison import assert_as_numpy

FLOATS = np.array([[1e8, 3.0], [1.0, 0.25], [-1e8, 7.0]], "f4")
INTEGERS = np.array([[2**62, 100], [2**62 + 1, -100], [2**40, 100]])
BYTES = np.array([[100, 7], [100, -128], [100, 3]], "i1")
HALVES = np.array([[1.0, 2048.0], [2.0, 1.0], [0.1, 1.0]], "f2")
REDUCTIONS = """
    sum prod max min mean var std median ptp any add.reduce multiply.reduce hypot.reduce
    subtract.reduce cumsum cumprod add.accumulate maximum.accumulate subtract.accumulate
"""
PAIRS = [
    (FLOATS, "f8"), (FLOATS, "c16"), (FLOATS.astype("f8"), "f4"), (INTEGERS, "f8"),
    (BYTES, "i1"), (BYTES, "i8"), (HALVES, "f8"),
]  # fmt: skip
UNORDERED = ["max", "min", "median", "ptp", "hypot.reduce", "maximum.accumulate"]
# Floats into integers, and extrema of complex numbers.
REFUSED = {"i": ["std", "median", "hypot.reduce"], "c": UNORDERED}
CASES = [
    (name, x, dtype)
    for name in REDUCTIONS.split()
    for x, dtype in PAIRS
    if name not in REFUSED.get(np.dtype(dtype).kind, ())
]


@pytest.mark.parametrize("name, x, dtype", CASES, ids=lambda x: str(getattr(x, "dtype", x)))
def test_reductions_in_the_common_dtype(name, x, dtype):
    f = operator.attrgetter(name)(np)
    running = name.startswith("cum") or "accumulate" in name
    out = np.zeros(x.shape if running else 2, dtype)
    assert_as_numpy(lambda x, out: (f(x, axis=0, out=out), out), x, out, rtol=2e-7)


CALLS = {
    "dtype= comes before out=": lambda x, out: np.sum(x, 0, np.float32, out),
    "a tuple": lambda x, out: np.add.reduce(x, 0, out=(out,)),
    "a method": lambda x, out: x.sum(0, out=out),
    "where": lambda x, out: np.mean(x, 0, out=out, where=x < 1e7),
    "the mean of a method": lambda x, out: x.mean(0, out=out),
    "einsum": lambda x, out: np.einsum("ij->j", x, out=out),
    "trace": lambda x, out: np.trace(x[:, :, None] * np.ones(2, "f4"), axis1=0, axis2=1, out=out),
    "add.reduceat": lambda x, out: np.add.reduceat(x.T[0], [0, 2], out=out),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    f = CALLS[name]
    assert_as_numpy(lambda x, out: (f(x, out), out), FLOATS, np.zeros(2), rtol=1e-15)


def test_an_integer_takes_the_whole_part_of_a_sum():
    assert_as_numpy(lambda x, out: np.sum(x, 0, out=out), FLOATS.astype("f8"), np.zeros(2, int))
    assert_as_numpy(lambda x, out: np.mean(x, 0, out=out), FLOATS.astype("f8"), np.zeros(2, int))


def test_sums_into_a_wider_dtype_have_exact_gradients():
    def loss(x):
        out = np.zeros(2)
        np.mean(x, 0, out=out)
        return out[0] ** 2 + np.sum(np.cumsum(x, 0, out=np.zeros((3, 2)))[:, 1] ** 2)

    x = FLOATS.astype("f8")
    want = np.stack([np.full(3, 2 / 9), 2 * np.cumsum(np.cumsum(x[:, 1])[::-1])[::-1]], 1)
    np.testing.assert_allclose(myia.grad(loss)(FLOATS), want, rtol=1e-6)
