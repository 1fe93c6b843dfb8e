"""Methods of ufuncs on all of them, and `np.vectorize`: values, dtypes, derivatives, refusals."""

import math

import numpy as np
import pytest

import myia
from myia.library.source.ufunc_reductions import CHANGES, FOLDS
from myia.source.diagnostics import MyiaError
from tests.infer.driver import run
from tests.library.derivative_orders import check_derivatives

X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
K = np.array([3, 1, 2, 5, 4])
M = np.array([[3, 1, 2], [5, 4, 6]], np.int32)
I = np.array([0, 2, 1, 2])
BOOLS = X > 2
ANGLES = X / 8


def operand(ufunc: np.ufunc) -> np.ndarray:
    """An array that the ufunc takes and gives."""
    for x in (K, BOOLS) if "logical" in ufunc.__name__ else (ANGLES + 1, ANGLES, K):
        try:
            result = ufunc(*[x] * ufunc.nin)
        except TypeError:
            continue
        if result.dtype == x.dtype and np.all(np.isfinite(result)):
            return x
    return BOOLS


def assert_same(found, wanted):
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("ufunc", FOLDS, ids=lambda f: f.__name__)
def test_folds(ufunc):
    def program(x, i):
        return (
            ufunc.reduce(x),
            ufunc.accumulate(x),
            ufunc.reduceat(x, [0, 3, 1]),
            ufunc.reduceat(x, i),
        )

    x = operand(ufunc)
    for found, wanted in zip(run(program, x, I), program(x, I), strict=True):
        assert_same(np.asarray(found), np.asarray(wanted))


@pytest.mark.parametrize("ufunc", CHANGES, ids=lambda f: f.__name__)
def test_at(ufunc):
    def program(x, i):
        more = [x[: len(i)]] * (ufunc.nin - 1)
        y, z = x.copy(), np.stack([x, x])
        ufunc.at(y, i, *more)
        ufunc.at(z, (slice(None), np.array([1, 1])), *[x[0] for _ in more])
        ufunc.at(y, x > x[1], *[x[0] for _ in more])
        return y, z

    x = operand(ufunc)
    with np.errstate(invalid="ignore"):
        pairs = list(zip(run(program, x, I), program(x, I), strict=True))
    for found, wanted in pairs:
        assert_same(found, wanted)


@pytest.mark.parametrize("f", [np.add, np.multiply, np.maximum], ids=lambda f: f.__name__)
def test_reduceat_along_an_axis(f):
    assert_same(run(lambda m: f.reduceat(m, [0, 2], axis=1), M), f.reduceat(M, [0, 2], axis=1))
    assert_same(run(lambda m: f.reduceat(m, [1, 0]), M), f.reduceat(M, [1, 0]))
    wide = f.reduceat(M, [0], axis=-1, dtype=float)
    assert_same(run(lambda m: f.reduceat(m, [0], axis=-1, dtype=float), M), wide)


def test_reduceat_out_of_range():
    for i in (5, -1):
        with pytest.raises(IndexError):
            myia.jit(lambda x, i: np.add.reduceat(x, i))(X, np.array([0, i]))


def changed_at(x):
    y = x.copy()
    np.sin.at(y, [0, 0, 1])
    np.multiply.at(y, [1, 1, 2], x[:3])
    return y


def branches(x, y):
    return x * y if x > 1.5 else math.sin(y)


VECTORIZED = np.vectorize(branches)
PROGRAMS = {
    "reduceat": lambda x: np.multiply.reduceat(x, [0, 3, 1]),
    "at": changed_at,
    "vectorize": lambda x: VECTORIZED(x, x[::-1]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    check_derivatives(PROGRAMS[name], X)


@np.vectorize
def steps(x):
    total = 0.0
    while total < x:
        total += 1.0
    return total


def test_vectorize():
    scale = 2.0
    scaled = np.vectorize(lambda x: x * scale)

    @myia.jit
    def program(x, k):
        here = np.vectorize(lambda v, w: v + w)
        return VECTORIZED(x, x[:, None]), steps(x), scaled(x), here(k, 1), VECTORIZED(x[0], 1.0)

    def check():
        wanted = (VECTORIZED(X, X[:, None]), steps(X), scaled(X), K + 1, VECTORIZED(X[0], 1.0))
        for found, y in zip(program(X, K), wanted, strict=True):
            assert_same(found, y)

    check()
    scale = 3.0  # the closure of what was vectorized is read again
    check()


def test_vectorize_with_options_is_refused():
    with pytest.raises(MyiaError, match="signature"):
        myia.jit(lambda x: np.vectorize(branches, signature="(),()->()")(x, 1.0))(X)


def test_vectorize_a_function_of_several_results():
    both = np.vectorize(lambda v, w: (v * w, int(v > w)))
    for args in ((X, X[:, None]), (X, 2.0)):
        for found, y in zip(myia.jit(lambda x, w: both(x, w))(*args), both(*args), strict=True):
            assert_same(found, y)
