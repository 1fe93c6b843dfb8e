"""Logarithms, powers and lengths that are whole numbers are so to the bit, for `int(x)`."""

import itertools
import math

import numpy as np
import pytest

import myia
from tests.infer.driver import run

FLOATS = [np.float16, np.float32, np.float64]


def powers(base, dtype):
    """The normal numbers among the powers of the base, as literals have them."""
    info = np.finfo(dtype)
    if base == 2:
        return np.ldexp(1.0, np.arange(info.minexp, info.maxexp)).astype(dtype)
    least, most = math.ceil(np.log10(float(info.tiny))), int(np.log10(float(info.max)))
    return np.array([float(f"1e{n}") for n in range(least, most + 1)], dtype)


def whole(dtype):
    info = np.finfo(dtype)
    return np.arange(info.minexp, info.maxexp).astype(dtype)


ARRAYS = {
    "log2": (np.log2, lambda dtype: powers(2, dtype)),
    "log10": (np.log10, lambda dtype: powers(10, dtype)),
    "exp2": (np.exp2, whole),
}


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", ARRAYS)
def test_whole_numbers_of_arrays(name, dtype):
    f, points = ARRAYS[name]
    x = points(dtype)
    for call in (myia.jit(f), lambda x: run(f, x)):
        np.testing.assert_array_equal(call(x.copy()), f(x), strict=True)


@pytest.mark.parametrize("base", [2, 10])
@pytest.mark.parametrize("dtype", FLOATS[1:], ids=lambda d: d.__name__)
def test_next_to_whole_numbers(base, dtype):
    """The floats around a power have the whole number that NumPy gives them."""
    x, f = powers(base, dtype)[1:-1], {2: np.log2, 10: np.log10}[base]
    for away in (0, np.inf):
        y = np.nextafter(x, dtype(away))
        np.testing.assert_array_equal(np.floor(myia.jit(f)(y)), np.floor(f(y)))


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", ARRAYS)
def test_a_few_units_in_the_last_place_elsewhere(name, dtype):
    f, info, rng = ARRAYS[name][0], np.finfo(dtype), np.random.default_rng(0)
    x = rng.uniform(info.minexp + 1, info.maxexp - 1, 20000)
    x = np.concatenate([x, rng.uniform(0.01, 2, 20000)]).astype(dtype)
    if name != "exp2":
        x = np.exp2(x)
    want = f(x)
    units = np.abs(np.asarray(myia.jit(f)(x)) - want) / np.spacing(np.abs(want))
    assert units.max() <= 3


SPECIAL = [0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 1.0, -1022.0, 1024.0, -5e3]


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_special_values(name, dtype):
    info = np.finfo(dtype)
    f, x = ARRAYS[name][0], np.array([*SPECIAL, info.max, info.tiny], dtype)
    np.testing.assert_allclose(myia.jit(f)(x), f(x), rtol=2 * float(info.eps))


# ----- The functions of `math`


def log2_of_product(x):
    return int(math.log2(4 * x)), math.log2(4 * x)


def log10_of_product(x):
    return int(math.log10(500 * x)), math.log10(500 * x)


def power_of_sum(x):
    return int(math.exp2(1.5 * x)), math.exp2(1.5 * x)


@pytest.mark.parametrize("f", [log2_of_product, log10_of_product, power_of_sum])
def test_of_a_number(f):
    assert myia.jit(f)(2.0) == run(f, 2.0) == f(2.0)


EXACT = {  # functions of a float, and 50 points where the result is a whole number, or nearly so
    "log2": (math.log2, [2.0**k for k in range(-25, 26)]),
    "log10": (math.log10, [float(f"1e{k}") for k in range(-25, 26)]),
    "exp2": (math.exp2, [float(k) for k in range(-25, 26)]),
    "log_to_2": (lambda x: math.log(x, 2), [2.0**k for k in range(1, 51)]),
    "log_to_10": (lambda x: math.log(x, 10), [float(f"1e{k}") for k in range(1, 51)]),
    "log_to_3": (lambda x: math.log(x, 3), [3.0**k for k in range(1, 34)]),
    "cbrt": (math.cbrt, [float(k**3) for k in range(-25, 26)]),
    "third": (lambda x: x ** (1 / 3), [float(k**3) for k in range(1, 51)]),
    "ten_to_the": (lambda x: 10.0**x, [float(k) for k in range(-22, 23)]),
    "pow": (lambda x: math.pow(10.0, x), [float(k) for k in range(-22, 23)]),
    "three_to_the": (lambda x: 3.0**x, [float(k) for k in range(34)]),
    "hypot": (lambda x: math.hypot(3 * x, 4 * x), [float(k) for k in range(1, 51)]),
    "hypot_5_12": (lambda x: math.hypot(5 * x, 12 * x), [float(k) for k in range(1, 51)]),
    "hypot_of_three": (lambda x: math.hypot(x, 2 * x, 2 * x), [float(k) for k in range(1, 51)]),
    "degrees": (math.degrees, [math.pi * k / 12 for k in range(-25, 26)]),
    "radians": (math.radians, [15.0 * k for k in range(-25, 26)]),
}


@pytest.mark.parametrize("name", EXACT)
def test_whole_numbers_of_math(name):
    f, points = EXACT[name]
    compiled = myia.jit(f)
    assert [compiled(x) for x in points] == [f(x) for x in points]


UFUNCS = {
    "hypot": (lambda x: np.hypot(5 * x, 12 * x), np.arange(1, 51)),
    "cbrt": (np.cbrt, np.arange(-25, 26) ** 3),
    "power": (lambda x: np.power(x * 0 + 10, x), np.arange(11)),
    "sinc": (np.sinc, np.arange(-5, 6)),
    "rad2deg": (np.rad2deg, np.arange(-25, 26) * (math.pi / 12)),
    "deg2rad": (np.deg2rad, np.arange(-25, 26) * 15),
}


@pytest.mark.parametrize("dtype", FLOATS[1:], ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", UFUNCS)
def test_whole_numbers_of_ufuncs(name, dtype):
    f, points = UFUNCS[name]
    x = points.astype(dtype)
    np.testing.assert_array_equal(np.floor(myia.jit(f)(x)), np.floor(f(x)), strict=True)


# ----- Derivatives


CURVES = {
    "log2": (np.log2, lambda x: 1 / (x * math.log(2))),
    "log10": (np.log10, lambda x: 1 / (x * math.log(10))),
    "exp2": (np.exp2, lambda x: 2.0**x * math.log(2)),
    "hypot": (lambda x: np.hypot(x, 3.0), lambda x: x / math.hypot(x, 3.0)),
}


@pytest.mark.parametrize("name", CURVES)
def test_derivatives(name):
    """At whole numbers too, and twice."""
    f, slope = CURVES[name]
    first = myia.grad(f)
    second = myia.grad(first)
    for x, h in itertools.product((0.5, 1.0, 4.0, 10.0, 3.7), (1e-6,)):
        assert first(x) == pytest.approx(slope(x), rel=1e-12)
        assert second(x) == pytest.approx((slope(x + h) - slope(x - h)) / (2 * h), rel=1e-6)
