"""`complex` of its parts: infinities, NaN, signs of zeros, and gradients, as in Python."""

import cmath
import itertools
import math
import warnings

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_derivative, run

INF, NAN = math.inf, math.nan
PARTS = (1.5, 0.0, -0.0, INF, -INF, NAN)


class Angle:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return 2.0 * self.v


class Phase(Angle):
    def __complex__(self):
        return complex(self.v, -self.v)


PROGRAMS = {
    "of two": lambda x, y: complex(x, y),
    "by name": lambda x, y: (complex(imag=y), complex(real=x), complex(real=x, imag=y)),
    "of one": lambda x, y: (complex(x), complex(complex(x, y)), complex(np.float32(x))),
    "beside a constant": lambda x, y: (complex(x, 0.0), complex(-0.0, y), complex(2, y)),
    "of a complex number": lambda x, y: (
        complex(x, complex(y, x)), complex(complex(x, y), y), complex(complex(x, y), complex(y, x)),
    ),
    "of numbers of NumPy": lambda x, y: (
        complex(np.float32(x), np.float64(y)), complex(np.complex64(x)), complex(x, np.array(y)),
    ),
    "of truths": lambda x, y: complex(x > 0, y > 0),
    "of objects": lambda x, y: (
        complex(Phase(x)), complex(Angle(y)), complex(Phase(x), y), complex(x, Phase(y)),
    ),
    "used": lambda x, y: (
        complex(x, y).real, complex(x, y).imag, -complex(x, y), complex(x, y).conjugate(),
        complex(x, y) + 1.0, 1.0 - complex(x, y), complex(x, y) * 2.0, complex(x, y) - 1j,
    ),
    "of a product": lambda x, y: (1j * x, x + y * 1j, x * complex(x, y)),
    "of NumPy": lambda x, y: (np.complex128(x), np.complex128(complex(x, y)), np.complex64(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_parts(name):
    f = PROGRAMS[name]
    compiled = myia.jit(f)
    for x, y in itertools.product(PARTS, PARTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            wanted = f(x, y)
        assert repr(compiled(x, y)) == repr(wanted), (x, y)
    assert repr(run(f, -0.0, INF)) == repr(f(-0.0, INF))


def around(x):
    z = complex(x, 2.0 * x) * complex(complex(1.0, x), complex(x * x, 3.0))
    return abs(z) + complex(x * x).real + cmath.phase(complex(x, 1.0 - x)) + z.imag


def test_derivative():
    assert_value_and_derivative(around, 0.7)
    h, slope = 1e-5, myia.grad(around)
    bend = (slope(0.7 + h) - slope(0.7 - h)) / (2 * h)
    assert myia.grad(slope)(0.7) == pytest.approx(bend, rel=1e-7)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: complex("1", x),
        lambda x: complex(x, "1"),
        lambda x: complex([x], x),
        lambda x: complex(x, None),
    ],
)
def test_what_is_no_number(f):
    with pytest.raises(TypeError) as wanted:
        f(0.7)
    with pytest.raises(TypeError) as found:
        myia.jit(f)(0.7)
    assert str(found.value).partition("\n")[0] == str(wanted.value)
