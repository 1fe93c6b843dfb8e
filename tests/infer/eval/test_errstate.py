"""`np.errstate(...="raise")`: NumPy's floating-point errors as exceptions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import myia
from myia import library  # noqa: F401 - it registers the functions
from myia.infer import registry
from tests.infer.driver import run

X = np.array([1.0, 2.0, 3.0])


def caught_after_stores(x):
    y = np.zeros(3)
    try:
        with np.errstate(divide="raise"):
            y[0] = x[1]
            y = y + x / (x - 2.0)
            y[1] = 7.0
    except FloatingPointError:
        y[2] = x[0] * 5.0
    z = 1.0 / (x - 9.0)
    return np.sum(y * x) + np.sum(z)


def in_place(x):
    y = x * 1.0
    try:
        with np.errstate(divide="raise"):
            y[1:] /= x[1:] - 2.0  # NumPy writes it, then raises
            y[0] = 100.0
    except FloatingPointError:
        y[1] = x[0] if y[1] > 1e300 else 5.0
    return np.sum(y)


def nested(x):
    try:
        with np.errstate(all="raise"):
            with np.errstate(divide="ignore", over=None):
                y = 1.0 / (x - 1.0)
            z = np.sum(y[1:] * x[1:]) + np.sum(np.sqrt(x - 1.5)) + np.mean(x)
    except FloatingPointError:
        return np.sum(x * x)
    return z


@np.errstate(all="raise")
def decorated(x):
    return np.sum(x / (x - 2.0))


def helper(x):
    return np.log(x - 2.0)


def decorators_and_helpers(x):
    @np.errstate(divide="raise")
    def inner(y):
        return 1.0 / (y - 1.0)

    total = 0.0
    try:
        total += decorated(x)
    except FloatingPointError:
        total += x[0] * 3.0
    try:
        total += np.sum(inner(x))
    except FloatingPointError as e:
        total += x[1] * (2.0 if str(e) == "divide by zero encountered in divide" else 9.0)
    try:
        with np.errstate(invalid="raise"):
            total += np.sum(helper(x))
    except ArithmeticError:
        total += x[2]
    return total


def in_loops(x):
    damp, y, n = 0.0, x[0], 0
    for _ in range(10):
        try:
            with np.errstate(all="raise"):
                step = np.sum(np.sqrt(x - 2.0 + damp))
                break
        except FloatingPointError:
            damp += 0.3
    else:
        step = 0.0
    try:
        with np.errstate(over="raise"):
            while n < 10000:
                y = y * 10.0 * x[1]
                n += 1
    except FloatingPointError:
        pass
    return step * damp + n * x[2]


def overflow_has_no_derivative(x):
    try:
        with np.errstate(over="raise"):
            return np.exp(x * 400.0)[0] + np.prod(x)
    except FloatingPointError:
        return x[0] * x[1]


def known_when_compiling(x):
    total = x[0]
    try:
        with np.errstate(all="raise"):
            total = total * (np.float64(1.0) / np.float64(0.0))
    except FloatingPointError:
        total += x[1]
    try:
        with np.errstate(invalid="raise"):
            total = total * np.log(-1.0)
    except FloatingPointError:
        total += x[2]
    return total


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f",
    [
        *(caught_after_stores, in_place, nested, decorators_and_helpers, in_loops),
        *(overflow_has_no_derivative, known_when_compiling),
    ],
)
def test_caught(f):
    compiled = myia.jit(f)
    for x in (X, X + 0.7, X * 0.3):
        assert compiled(x) == pytest.approx(f(x), rel=1e-12)
    x, h = X + np.array([0.3, 0.1, 0.2]), 1e-6
    slopes = [(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(3)]
    np.testing.assert_allclose(myia.grad(f)(x), slopes, rtol=1e-7, atol=1e-7)


def uncaught(x):
    with np.errstate(all="raise"):
        y = x[0] * 2.0
        return y / (x[0] - 1.0)


def test_uncaught():
    with pytest.raises(
        FloatingPointError, match="divide by zero encountered in scalar divide"
    ) as e:
        myia.jit(uncaught)(X)
    assert "test_errstate.py" in str(e.value.__notes__)
    assert myia.jit(uncaught)(X + 1.0) == uncaught(X + 1.0)


def product(x):
    with np.errstate(invalid="raise"):
        return x @ x


def interpolated(x):
    with np.errstate(divide="raise"):
        return np.interp(1.5, x, x)


def whole(x):
    with np.errstate(over="raise"):
        return x.astype(int)[0] + np.int64(1)


def printed(x):
    with np.errstate(all="print"):
        return x


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (product, r'`numpy.matmul` under `np.errstate\(invalid="raise"\)`'),
        (interpolated, r'`numpy.interp` under `np.errstate\(divide="raise"\)`'),
        (whole, r"NumPy's integers, which may overflow"),
        (printed, r"`np.errstate\(all='print'\)` is not supported"),
    ],
)
def test_refused(f, message):
    with pytest.raises(myia.MyiaError, match=message):
        myia.jit(f)(X)


# ----- All ufuncs, on numbers where they raise

NUMBERS = [0.0, 1.0, -1.0, 0.5, -3.5, 1e3, -1e3, 1e308, -1.5e308, 1e-300, np.inf, -np.inf, np.nan]
REFUSED = {"matmul", "vecdot", "matvec", "vecmat", "logaddexp", "logaddexp2", "spacing"}
OF_UNDERFLOW = {"nextafter", "hypot", "ldexp"}


def errors(u):
    def f(*xs):
        found = 0
        try:
            with np.errstate(divide="raise"):
                u(*xs)
        except FloatingPointError:
            found += 1
        try:
            with np.errstate(over="raise"):
                u(*xs)
        except FloatingPointError:
            found += 2
        try:
            with np.errstate(invalid="raise"):
                u(*xs)
        except FloatingPointError:
            found += 4
        return found

    return f


def underflow(u):
    def f(*xs):
        try:
            with np.errstate(under="raise"):
                u(*xs)
        except FloatingPointError:
            return 1
        return 0

    return f


def ufuncs():
    return [
        f
        for f in registry.FUNCTIONS
        if isinstance(f, np.ufunc)
        and getattr(np, f.__name__, None) is f
        and f.__name__ not in REFUSED
        and all(t in [*f.types] for t in ["d" * f.nin + "->" + "d" * f.nout])
    ]


def agrees(f, nin, finite=False):
    compiled = myia.jit(f)
    for numbers in itertools.product(NUMBERS, repeat=nin):
        if finite and np.isinf(numbers).any():
            continue
        xs = [np.array([x]) for x in numbers]
        assert compiled(*xs) == f(*xs), numbers


SOME = (np.divide, np.log)


@pytest.mark.parametrize(
    "u", [pytest.param(u, marks=() if u in SOME else pytest.mark.slow) for u in ufuncs()]
)
@pytest.mark.filterwarnings("ignore")
def test_ufuncs_raise_where_numpy_raises(u):
    # `0 ** -inf` and `1e308 ** inf` raise in NumPy on some processors, and not on others.
    agrees(errors(u), u.nin, finite=u is np.power)
    if u.__name__ not in OF_UNDERFLOW:
        agrees(underflow(u), u.nin)


@pytest.mark.parametrize("x", [-700.0, -708.5, -732.5, -745.0, -800.0])
def test_subnormal_results_are_underflows(x):
    """In the reference interpreter, too, which has subnormal numbers."""
    for f in (underflow(np.exp), underflow(lambda x: np.exp(0.5 * x) * np.exp(0.5 * x))):
        assert run(f, np.float64(x)) == myia.jit(f)(np.float64(x)) == f(np.float64(x))
