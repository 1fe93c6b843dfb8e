"""`math.gcd`, `comb`, `pow` with a modulus and their like, of integers known at run time."""

import math

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_value_and_derivative, run

EDGES = (0, 1, -1, 2, 12, 18, -30, 2**31, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1)
ROOTS = [n * n + d for n in (1, 2, 2**26, 2**26 + 1, 3037000499) for d in (-1, 0, 1)]
OF_TWO = [math.gcd, math.lcm, math.comb, math.perm]


MODULI = (1, 7, 12, -1, -7, 0, 1_000_000_007, 2**62, 2**63 - 25, -(2**63) + 1)


def of_array(f):
    def program(a):
        return f(*[int(n) for n in a])

    return program


def by_python(f, *args):
    """The result, or the class and text of the error; of a result of more than 64 bits, too."""
    try:
        found = f(*args)
    except (ValueError, OverflowError) as error:
        return type(error), str(error)
    fits = -(2**63) <= found < 2**63
    return found if fits else (OverflowError, "integer overflow beyond 64 bits")


def compiled(program, *args):
    try:
        return program(np.array(args))
    except (ValueError, OverflowError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("f", OF_TWO)
def test_of_two_integers(f):
    program = myia.jit(of_array(f))
    small = f in (math.comb, math.perm)  # of which Python's results may be enormous
    values = (-2, 0, 1, 2, 5, 20, 21, 33, 34, 66, 67, 2**62) if small else EDGES
    if f is math.lcm:
        values = EDGES[:-3]  # products so near to the limit are refused
    for a in values:
        for b in values:
            if small and b > 70 and a >= b:
                continue
            assert compiled(program, a, b) == by_python(f, a, b), (a, b)
    assert type(program(np.array([6, 4]))) is int


@pytest.mark.parametrize("f", [math.isqrt, math.factorial])
def test_of_one_integer(f):
    program = myia.jit(of_array(f))
    values = [*range(-2, 40), *ROOTS, 2**63 - 1]
    for n in values if f is math.isqrt else values[:42]:
        assert compiled(program, n) == by_python(f, n), n
    if f is math.factorial:
        assert compiled(program, 2**62) == (OverflowError, "integer overflow beyond 64 bits")


def test_powers_modulo_an_integer():
    program = myia.jit(of_array(pow))
    for m in MODULI:
        for a in (0, 1, 2, -3, 5, 123456789, 2**62 + 1):
            for n in (0, 1, 5, 13, -1, -2, 2**63 - 1):
                assert compiled(program, a, n, m) == by_python(pow, a, n, m), (a, n, m)
    assert type(program(np.array([6, 4, 5]))) is int


class Modular:
    def __pow__(self, exponent, modulus=None):
        return exponent * modulus


def powers_of_other_kinds(x):
    known = pow(3, -1, 7), pow(base=int(x), exp=True, mod=5), pow(x > 0.0, -1, 7)
    total = sum([pow(k, 5, 13) for k in range(20)])
    return *known, pow(int(x), -1, 101), pow(Modular(), 2, int(x)), total


def test_powers_of_other_kinds():
    assert myia.jit(powers_of_other_kinds)(7.0) == powers_of_other_kinds(7.0)


@pytest.mark.parametrize("args", [(2.0, 3, 7), (np.int64(5), 3, 7), (3, 2, "7")], ids=repr)
def test_powers_of_what_is_no_int(args):
    with pytest.raises(TypeError) as wanted:
        pow(*args)
    with pytest.raises(TypeError) as found:
        myia.jit(lambda x: pow(x, *args[1:]))(args[0])
    assert str(wanted.value) in str(found.value)


def test_of_any_number_of_integers():
    def program(a):
        n = [int(k) for k in a]
        return math.gcd(*n), math.lcm(*n), math.gcd(n[0]), math.lcm(-n[0]), math.perm(n[0])

    a = np.array([12, 18, 30])
    assert myia.jit(program)(a) == program(a) == run(program, a)


def test_only_integers():
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        myia.jit(lambda x: math.gcd(int(x), x))(2.0)


def binomials(x, n):
    k, y = 0, 0.0
    while k <= n[0]:
        y += math.comb(int(n[0]), k) * x * (k + x)
        k += 1
    return y


def taylor(x):
    y, k, term = 0.0, 0, 1.0
    while abs(term) > 1e-13:
        term = x**k / math.factorial(k)
        y += term
        k += 1
    return y


def totients(x, n):
    return sum(x**i for i in range(10) if math.gcd(i, int(n[0])) == 1)


def caught(x, n):
    y = 0.0
    for k in n:
        try:
            y += math.comb(int(k), 2) * x
        except ValueError:
            y += x * x
    return y


@pytest.mark.parametrize(
    "f, args",
    [
        (binomials, [np.array([5])]),
        (taylor, []),
        (totients, [np.array([6])]),
        (caught, [np.array([3, -1, 5])]),
    ],
)
def test_around_numbers(f, args):
    assert_value_and_derivative(f, 0.7, *args)
    if f is totients:  # whose second derivative takes long to compile
        return
    h, slope = 1e-5, myia.grad(f)
    bend = (slope(0.7 + h, *args) - slope(0.7 - h, *args)) / (2 * h)
    assert myia.grad(slope)(0.7, *args) == pytest.approx(bend, rel=1e-7)


def test_in_a_loop_that_is_unrolled_they_have_any_size():
    def f(x):
        y = 0.0
        for k in range(1, 30):
            y += x**k / math.factorial(k)
        return y

    assert myia.jit(f)(0.7) == pytest.approx(f(0.7), rel=1e-14)


def test_a_loop_over_numbers_stays_a_loop():
    def f(a, x):
        y = 0.0
        for i in range(5000):
            for k in range(1, 3):
                y += x * math.gcd(int(a[i]), 12) * math.factorial(k)
        return y

    a = np.arange(5000)
    assert myia.jit(f)(a, 0.7) == pytest.approx(f(a, 0.7), rel=1e-12)


def test_many_iterations_of_a_counter():
    def f(x):
        return sum(x * math.gcd(i, 12) for i in range(2000))

    assert myia.jit(f)(0.7) == pytest.approx(f(0.7), rel=1e-12)


def test_an_int_that_changes_is_an_argument_where_it_fits():
    program = myia.jit(lambda n, x: math.factorial(n) * x)
    for n in (1, 2, 3, 4, 5, 22, 6, 30):
        assert program(n, 0.5) == math.factorial(n) * 0.5


def test_what_surely_raises_does():
    with pytest.raises((MyiaError, ValueError), match="negative values"):
        myia.jit(lambda x: sum(x * math.factorial(k) for k in range(-1, 2)))(0.7)


def rounded(x):
    """Of integers that are no floats, and of those of NumPy."""
    n = int(x) + 1
    wide, small = np.uint64(n), np.int32(n % 1000)
    return (
        round(n), n.__round__(), round(-n), round(n, None), round(n, 0), round(n, 3), round(n, -2),
        round(wide), round(np.int64(n)), round(small), round(n > 3), round(n % 7 > 3), round(x),
    )  # fmt: skip


@pytest.mark.parametrize("x", [2.0**53, 2.0**62, -(2.0**53), 0.5, -7.5])
def test_an_integer_rounds_to_itself(x):
    if x < 0:  # of no unsigned integer
        f = lambda x: [round(int(x) - 1), (int(x) - 1).__round__(), round(np.int64(x))]  # noqa: E731
    else:
        f = rounded
    found, wanted = myia.jit(f)(x), f(x)
    assert list(found) == list(wanted)
    assert [*map(type, found)] == [*map(type, wanted)] == [int] * len(wanted)


@pytest.mark.parametrize("x", [0.0, 1.0, -1.0, 77.0, -12345.0, 2.0**53, 2.0**62, 512 - 2.0**62])
def test_bits_of_an_integer(x):
    f = lambda x: (int(x).bit_length(), int(x).bit_count(), (x > 0.0).bit_length())  # noqa: E731
    found = myia.jit(f)(x)
    assert found == f(x) and [*map(type, found)] == [int] * 3


def test_bits_of_the_least_integer_and_of_a_float():
    found = myia.jit(lambda a: (int(a[0]).bit_length(), int(a[0]).bit_count()))
    assert found(np.array([-(2**63)])) == (64, 1)
    assert myia.jit(lambda x: sum(x * k.bit_length() for k in range(9)))(0.5) == 0.5 * 21
    with pytest.raises(AttributeError, match="'float' object has no attribute 'bit_count'"):
        myia.jit(lambda x: x.bit_count())(0.5)


class Length:
    def __init__(self, v):
        self.v = v

    def __round__(self, digits=None):
        return self.v if digits is None else self.v * digits


def test_round_asks_the_class():
    f = lambda x: round(Length(x)) + 3 * round(Length(x), 2)  # noqa: E731
    assert_value_and_derivative(f, 0.7)
    for g in (lambda x: round(np.bool_(x > 0)), lambda x: round(1j * x), lambda x: round([x])):
        with pytest.raises(TypeError) as wanted:
            g(0.7)
        with pytest.raises(TypeError) as found:
            myia.jit(g)(0.7)
        assert str(found.value).partition("\n")[0] == str(wanted.value)
