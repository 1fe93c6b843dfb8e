"""`statistics` and `math.fsum` of floats known at run time: Python sums them as fractions."""

import math
import statistics
from statistics import NormalDist

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_value_and_derivative, run

OF_ONE = ["mean", "fmean", "harmonic_mean", "median", "variance", "pvariance", "stdev"]


def of_list(f):
    return lambda x: f([x, 2.0, x * x, 3])


def of_array(f):
    return lambda x: f(x * np.array([0.5, 1.0, 4.0]) + 1.0)


def of_growing_list(f):
    def program(x):
        xs = []
        while x < 5.0:
            xs.append(x)
            x = 1.5 * x
        return f(xs)

    return program


@pytest.mark.parametrize("name", OF_ONE)
@pytest.mark.parametrize("way", [of_list, of_array])
def test_value_and_derivative(name, way):
    program = way(getattr(statistics, name))
    assert_value_and_derivative(program, 0.7)
    assert type(myia.jit(program)(0.7)) is type(program(0.7))
    if way is of_list and name in ("harmonic_mean", "variance"):
        h, slope = 1e-5, myia.grad(program)
        bend = (slope(0.7 + h) - slope(0.7 - h)) / (2 * h)
        assert myia.grad(slope)(0.7) == pytest.approx(bend, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["mean", "variance"])
def test_of_lists_whose_length_is_known_at_run_time(name):
    program = of_growing_list(getattr(statistics, name))
    assert_value_and_derivative(program, 0.7)


HARD = [
    [1e16, 1.0, -1e16, 3.0],
    [1e100, 1.0, -1e100],
    [0.1] * 10,
    [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.4],
    [3.0, 3.0, 3.0],
    [5e-300, 1e300, -1e300],
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
]


@pytest.mark.parametrize("xs", HARD, ids=range(len(HARD)))
def test_sums_are_rounded_once(xs):
    """To a unit of the last place, whatever the terms cancel."""

    def program(a):
        xs = [float(v) for v in a]
        return math.fsum(a), statistics.mean(xs)

    a = np.array(xs)
    want = math.fsum(xs), statistics.mean(xs)
    for got in (myia.jit(program)(a), run(program, a)):
        np.testing.assert_allclose(got, want, rtol=4.5e-16)
    assert myia.grad(lambda a: program(a)[0])(a).tolist() == [1.0] * len(xs)


def test_small_spreads():
    """Their squares are not differences of large numbers, and equal numbers have none."""
    spread = myia.jit(lambda a: statistics.pstdev([float(v) for v in a]))
    xs = [1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.4]
    assert spread(np.array(xs)) == pytest.approx(statistics.pstdev(xs), rel=1e-15)
    assert spread(np.full(3, 3.3)) == spread(np.full(10, 0.1)) == 0.0


def test_infinities():
    program = myia.jit(lambda a: (math.fsum(a), statistics.mean(list(a))))
    assert program(np.array([1.0, np.inf, 2.0])) == (np.inf, np.inf)
    assert np.isnan(program(np.array([1.0, np.nan, 2.0]))).all()


def with_options(x):
    xs, ws = [x, 2.0, 3.0], [1.0, x, 0.0]
    spread = statistics.variance(xs, x) + statistics.pstdev(xs, 0.5)
    return statistics.harmonic_mean(xs, ws) + statistics.harmonic_mean([x]) + spread


def with_zero(x):
    return statistics.harmonic_mean([x - 0.7, 2.0]) + x


def of_iterators(x):
    y = statistics.mean(k * x for k in (1, 2, 4)) + statistics.mean({1: x, 2: 3.0}.values())
    return y + statistics.stdev(map(lambda v: v * v, (x, 1.0, 2.0))) + statistics.mean([1, 2, 6])


def of_one_number(x):
    return statistics.mean([x]) + statistics.pvariance([x])


def of_two_lists(x):
    slope, start = statistics.linear_regression([x, 2.0, 5.0], [1.0, x * x, 3.0])
    return slope * start + statistics.correlation([x, 2.0, 5.0], [1.0, x * x, 3.0])


def normal(x):
    one, other = NormalDist(x, 2.0), NormalDist(mu=0.3, sigma=x)
    y = one.pdf(x * x) + other.cdf(0.5) + one.inv_cdf(0.3 * x) + other.inv_cdf(1e-9)
    y += one.zscore(2.0) + one.mean * other.variance + (2.0 * one + other).stdev
    return y + NormalDist.from_samples([x, 2.0, 4.0]).stdev


@pytest.mark.parametrize(
    "f", [with_options, of_iterators, of_one_number, of_two_lists, normal, with_zero]
)
def test_program(f):
    if f is with_zero:
        assert myia.jit(f)(0.7) == f(0.7) == 0.7
        return
    assert_value_and_derivative(f, 0.7)


def test_a_distribution_as_argument_and_result():
    def shifted(d, x):
        return d + x, d.cdf(x)

    d = NormalDist(0.5, 2.0)
    moved, p = myia.jit(shifted)(d, 0.25)
    assert moved == d + 0.25 and type(moved) is NormalDist
    assert p == pytest.approx(d.cdf(0.25), rel=1e-15)
    slope = myia.grad(lambda d: d.cdf(0.25))(d)
    assert slope._mu == pytest.approx(-d.pdf(0.25), rel=1e-12)


def test_quantiles_of_the_normal_distribution():
    inverse = myia.jit(lambda p: NormalDist(0.0, 1.0).inv_cdf(p))
    for p in (1e-300, 1e-20, 1e-5, 0.02, 0.3, 0.5, 0.51, 0.975, 1 - 1e-12):
        assert inverse(p) == pytest.approx(NormalDist().inv_cdf(p), rel=3e-15)


def test_narrow_floats():
    a = np.array([0.1, 0.2, 0.7], np.float32)
    got = myia.jit(lambda a: statistics.mean(a))(a)
    assert got == statistics.mean(a) and got.dtype == np.float32


@pytest.mark.parametrize(
    "f, text",
    [
        (lambda x: statistics.mean([v for v in [x] if v > 1.0]), "mean requires at least one"),
        (lambda x: statistics.stdev([x]), "stdev requires at least two"),
        (lambda x: statistics.harmonic_mean([x, -x]), "does not support negative values"),
        (lambda x: statistics.harmonic_mean([x], [x, x]), "Number of weights does not match"),
        (lambda x: NormalDist(x, -x).mean, "sigma must be non-negative"),
        (lambda x: NormalDist().inv_cdf(2.0 * x), "p must be in the range"),
    ],
)
def test_errors(f, text):
    with pytest.raises(ValueError, match=text):
        myia.jit(f)(0.7)


def test_caught():
    def f(x):
        try:
            return statistics.mean([v for v in [x, x * x] if v > 0.6])
        except statistics.StatisticsError:
            return 2.0 * x

    assert [myia.jit(f)(x) for x in (0.5, 0.7)] == [1.0, 0.7]


def test_ints_are_refused():
    with pytest.raises(MyiaError, match=r"of ints known at run time"):
        myia.jit(lambda a: statistics.mean([int(a[0]), int(a[1])]))(np.array([1, 2]))
