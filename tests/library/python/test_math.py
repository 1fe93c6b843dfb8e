"""The `math` module: values as Python's, results that are Python numbers."""

import math

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run

ONE = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "fabs", "erf", "erfc",
    "gamma", "lgamma", "radians", "degrees", "isnan", "isinf", "isfinite", "floor", "ceil", "trunc",
    "modf",
]  # fmt: skip
TWO = ["pow", "atan2", "copysign", "fmod", "log", "hypot"]
NUMBERS = (0.5, 2.0, -0.5, -2.5, 7.25, -7.0, np.float64(0.3), np.float32(1.25), np.int32(3))


def by_python(f, *args):
    try:
        return f(*args)
    except (TypeError, ValueError, OverflowError):
        return None


@pytest.mark.parametrize("name", ONE)
def test_function_of_one_number(name):
    f = getattr(math, name)
    for x in NUMBERS:
        wanted = by_python(f, x)
        if wanted is not None:  # outside the domain compiled code gives NaN or infinity
            assert_same(run(f, x), wanted, rtol=1e-14 if "gamma" in name else None)


@pytest.mark.parametrize("name", TWO)
def test_function_of_two_numbers(name):
    f = getattr(math, name)
    for x in NUMBERS:
        for y in (2.5, -1.5, 3, x):
            wanted = by_python(f, x, y)
            if wanted is not None:
                assert_same(run(f, x, y), wanted)


def of_several(x):
    return (
        math.hypot(x[0], x[1], x[2]), math.hypot(), math.dist((x[0], 1.0), [x[1], 2.0]),
        math.prod([x[0], 2, x[1]]), math.prod(x), math.fsum(x), math.fsum([x[0], 1.5]),
        math.isclose(x[0], x[0] + 1e-12), math.isclose(x[0], x[1], rel_tol=0.1, abs_tol=0.1),
        math.sqrt(x[0]) + math.exp(x[1]) + math.floor(x[2] + 0.5) * math.pi,
    )  # fmt: skip


def of_known_integers(x):
    return (
        math.gcd(12, 18), math.lcm(4, 6), math.factorial(5), math.comb(5, 2), math.perm(5, 2),
        math.isqrt(17), math.fsum((0.1, 0.2, 0.3)), math.prod((2, 3)), math.log(8, 2), math.tau,
    )  # fmt: skip


def integers_as_indices(x):
    k = math.floor(x[2])
    return x[k - 1], math.ceil(x[0] + 0.2), math.trunc(x[1]), round(x[2])


@pytest.mark.parametrize("f", [of_several, of_known_integers, integers_as_indices])
def test_program(f):
    x = np.array([0.5, -1.25, 2.75])
    assert_same(run(f, x), f(x))


def test_outside_the_domain():
    assert run(math.log, 0.0) == -np.inf
    assert np.isnan(run(math.sqrt, -1.0))
    assert run(math.exp, 1000.0) == np.inf


def test_static_arguments_are_pythons():
    with pytest.raises(MyiaError, match="math domain error"):
        run(lambda x: x * math.sqrt(-1.0), 1.0)
    with pytest.raises(MyiaError, match="math range error"):
        run(lambda x: x * math.exp(1000), 1.0)
    assert run(math.factorial, 5) == 120


@pytest.mark.parametrize("x", [1e300, np.inf, np.nan])
def test_rounding_beyond_64_bits(x):
    with pytest.raises((OverflowError, ValueError)):
        run(math.floor, x)


def rounded(xs, digits):
    found = np.zeros(len(xs))
    for i in range(len(xs)):
        found[i] = round(float(xs[i]), digits)
    return found


@pytest.mark.parametrize("digits", [0, 1, 2, 5, 10, 11, 15, 22, -1, -3, -22])
def test_rounding_to_digits(digits):
    """As Python, to the bit: halves as the exact number says, and to even."""
    rng = np.random.default_rng(abs(digits))
    halves = np.round(rng.uniform(-100, 100, 2000), digits) + 0.5 * 10.0**-digits
    dyadic = rng.integers(-(10**6), 10**6, 1000) / 2.0 ** rng.integers(1, 20, 1000)
    large = (rng.integers(2**51, 2**52, 1000) + 0.5) * 10.0**-digits
    near = np.nextafter(halves[:500], np.inf)
    wide = rng.uniform(-2, 2, 1000) * 10.0 ** rng.integers(-20, 17, 1000)
    limits = [
        -3.0,
        2.675,
        1.005,
        2.5,
        -0.0,
        5e-324,
        2.0**51 + 0.5,
        2.0**53 / 100,
        1e300,
        np.inf,
        np.nan,
    ]
    xs = np.concatenate([halves, near, large, dyadic, wide, limits])
    got, want = myia.jit(rounded)(xs, digits), rounded(xs, digits)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
    assert not myia.jacfwd(rounded)(xs[:3], digits).any()


def rounded_integers(ns, digits):
    found = np.zeros_like(ns)
    for i in range(len(ns)):
        found[i] = round(int(ns[i]), digits)
    return found


@pytest.mark.parametrize("digits", [0, -1, -2, -18])
def test_rounding_integers_to_digits(digits):
    halves = np.arange(-8, 9) * (10**-digits // 2)
    ns = np.concatenate(
        [halves, halves + 1, np.random.default_rng(0).integers(-(2**62), 2**62, 50)]
    )
    np.testing.assert_array_equal(
        myia.jit(rounded_integers)(ns, digits), rounded_integers(ns, digits)
    )
    with pytest.raises(OverflowError):
        myia.jit(rounded_integers)(np.array([2**63 - 1]), -1)


@pytest.mark.parametrize("x, digits", [(0.5, 23), (0.5, -23), (3, -19)])
def test_rounding_by_what_is_not_exact_is_refused(x, digits):
    with pytest.raises(MyiaError, match=rf"to {digits} digits(.|\n)*use `np\.round\(x, n\)`"):
        run(lambda a: round(a[0].item(), digits), np.array([x]))


def test_hypot_does_not_overflow():
    assert_same(run(math.hypot, 3e200, 4e200), 5e200)
    assert_same(run(math.hypot, 3e-200, 4e-200), 5e-200)
    assert run(math.hypot, 0.0, 0.0) == 0.0
    assert run(math.hypot, np.inf, np.nan) == np.inf


EDGES = (0.0, -0.0, 1.0, -1.0, 2.5, 3.0, -7.5, 6.0, 1e300, 1e16, math.inf, -math.inf, math.nan)


def steps(x, y):
    return math.remainder(x, y), math.nextafter(x, y), math.ulp(x), math.frexp(x), math.ldexp(x, 3)


def test_parts_of_floats():
    compiled = myia.jit(steps)
    for x in EDGES:
        for y in EDGES:
            wanted = by_python(steps, x, y)
            if wanted is not None:
                assert str(compiled(x, y)) == str(wanted)


def nearest_or_none(x, y):
    try:
        return math.remainder(x, y) + math.ldexp(x, 1000)
    except ValueError:
        return -1.0
    except OverflowError:
        return -2.0


def test_errors_of_parts():
    compiled = myia.jit(nearest_or_none)
    for x, y in [(5.0, 3.0), (5.0, 0.0), (math.inf, 2.0), (1e100, 7.0), (math.nan, 0.0)]:
        np.testing.assert_equal(compiled(x, y), nearest_or_none(x, y))


def test_derivative_of_the_nearest_remainder():
    gradient = myia.grad(lambda x, y: math.remainder(x, y), argnums=(0, 1))
    assert gradient(7.5, 2.0) == (1.0, -4.0)
    assert gradient(-8.5, 3.0) == (1.0, 3.0)


SPECIAL = (0.0, -0.0, 1.0, -1.0, -2.0, 0.5, -0.5, 2.0, 172.0, -171.5, -200.0, 1000.0, -1000.0)
SPECIAL += (math.inf, -math.inf, math.nan)
LARGE = (1e306, -1e306, 1e308)


def tried(f):
    def program(x, y):
        kind, found = 0, None
        try:
            found = f(x, y)
        except ValueError as error:
            kind = 1
            print(error)
        except OverflowError as error:
            kind = 2
            print(error)
        return kind, found

    return program


def assert_tried_as_python(capfd, f, points):
    program = tried(f)
    compiled = myia.jit(program)
    for point in points:
        wanted = program(*point), capfd.readouterr().out
        found = compiled(*point), capfd.readouterr().out
        assert found[0][0] == wanted[0][0] and found[1] == wanted[1], point
        if wanted[0][0] == 0:
            np.testing.assert_allclose(found[0][1], wanted[0][1], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("name", [*ONE, "frexp"])
def test_a_handler_at_special_points(name, capfd):
    f = getattr(math, name)
    points = SPECIAL if name in ("floor", "ceil", "trunc") else (*SPECIAL, *LARGE)
    assert_tried_as_python(capfd, lambda x, y: f(x), [(x, 2.0) for x in points])


@pytest.mark.parametrize("name", [*(name for name in TWO if name != "log"), "remainder"])
def test_a_handler_at_special_points_of_two_numbers(name, capfd):
    f = getattr(math, name)
    numbers = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e308, math.inf, -math.inf, math.nan)
    assert_tried_as_python(capfd, f, [(x, y) for x in numbers for y in numbers])
