"""Functions of complex numbers on both sides of their branch cuts, near 0 and near their poles."""

import itertools

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import aval_of
from myia.ir.builder import build_region, emit
from myia.primitives.pointwise import transcendental as e
from tests.primitives.derivatives import jvp

PARTS = [0.0, 1.0, 0.5, 1.5, 2.0, 1e-8, 1e-30, 30.0, 1e8, np.pi / 2]
ONLY_DOUBLE = [1e-300, 1e-160, 1e160, 710.0]
FUNCTIONS = [
    np.exp, np.exp2, np.log, np.log2, np.log10, np.sqrt, np.sin, np.cos, np.tan, np.sinh, np.cosh,
    np.tanh, np.arcsin, np.arccos, np.arctan, np.arcsinh, np.arccosh, np.arctanh, np.sign, np.abs,
    np.angle,
]  # fmt: skip


def _grid(dtype) -> np.ndarray:
    parts = PARTS + (ONLY_DOUBLE if dtype == np.complex128 else [])
    signed = [sign * part for part in parts for sign in (1, -1)]  # -0.0 too
    z = np.empty(len(signed) ** 2, dtype)
    z.real, z.imag = np.array(list(itertools.product(signed, repeat=2))).T
    return z


def _is_close(mine, numpys, rtol):
    """By parts: relative to the part, or in the last digits of the whole. Subnormals may be 0."""
    tiny = np.finfo(numpys.dtype).tiny
    found = np.ones(numpys.shape, bool)
    for part in (np.real, np.imag):
        x, y = part(mine), part(numpys)
        with np.errstate(all="ignore"):
            size = np.where(np.isfinite(np.abs(numpys)), np.abs(numpys), 0)
            close = np.abs(x - y) <= rtol * np.maximum(np.abs(y), 0.02 * size) + tiny
        found &= close | (x == y) | (np.isnan(x) & np.isnan(y))
    return found


@pytest.mark.parametrize("dtype, rtol", [(np.complex128, 1e-13), (np.complex64, 2e-5)])
def test_values_at_special_points(dtype, rtol):
    def values(z):
        return [f(z) for f in FUNCTIONS]

    z = _grid(dtype)
    with np.errstate(all="ignore"):
        want = values(z)
    for f, mine, numpys in zip(FUNCTIONS, myia.jit(values)(z), want, strict=True):
        wrong = z[~_is_close(mine, numpys, rtol)]
        assert not wrong.size, (f.__name__, wrong)


def test_values_that_numpy_computes_less_exactly():
    z = np.array([1e-9 + 0j, 1e-9 - 1e-9j, -1 + 1e-200j, 3j, -2 - 1e-9j, 1e-20 + 1e-20j])
    given, near = z.astype(np.clongdouble), np.abs(z) < 1e-8
    log1p = np.where(near, given - given**2 / 2, np.log(1 + given)).astype(complex)
    expm1 = np.where(near, given + given**2 / 2, np.exp(given) - 1).astype(complex)
    for mine, want in zip(myia.jit(lambda z: (np.log1p(z), np.expm1(z)))(z), (log1p, expm1)):
        assert _is_close(mine, want, 1e-12).all()


def test_powers_of_zero():
    exponents = np.array([1 + 1j, 2, 0, 0.5, -1, -1 + 1j, 1j, 0.5 - 3j])
    base = np.zeros(len(exponents), complex)
    with np.errstate(all="ignore"):
        want = base**exponents
    np.testing.assert_array_equal(myia.jit(lambda z, y: z**y)(base, exponents), want)
    f = lambda z: z ** (2 + 1j)  # noqa: E731
    assert myia.jvp(f, (0j,), (1 + 0j,))[1] == 0


# ----- Derivatives: to first and second order


def _derivatives(f, z, step, on_xla):
    """Along `step`, by the rules of the primitives; on XLA, or by the reference interpreter."""
    z, step = np.complex128(z), np.complex128(step)
    slope = lambda z: myia.jvp(f, (z,), (step,))[1]  # noqa: E731
    if on_xla:
        return slope(z), myia.jvp(slope, (z,), (step,))[1]
    region = build_region([aval_of(z)], lambda x: emit(PRIMITIVES_OF[f], x))
    (first,) = evaluate(jvp(region), [z, step])
    (second,) = evaluate(jvp(jvp(region)), [z, step, step, np.complex128(0)])
    return first, second


PRIMITIVES_OF = {
    np.sqrt: e.sqrt, np.log: e.log, np.log1p: e.log1p, np.expm1: e.expm1, np.sin: e.sin,
    np.tan: e.tan, np.sinh: e.sinh, np.tanh: e.tanh, np.arcsin: e.asin, np.arccos: e.acos,
    np.arccosh: e.acosh, np.arctanh: e.atanh, np.arcsinh: e.asinh, np.arctan: e.atan,
}  # fmt: skip
CUTS = {  # a point on the cut, and a step along it
    np.sqrt: (-2.0, 1),
    np.log: (-2.0, 1),
    np.log1p: (-3.0, 1),
    np.arcsin: (2.0, 1),
    np.arccos: (-2.0, 1),
    np.arccosh: (0.5, 1),
    np.arctanh: (2.0, 1),
    np.arcsinh: (1.5, 1j),
    np.arctan: (-1.5, 1j),
}
ON_XLA = (np.sqrt, np.arcsin, np.arcsinh)


@pytest.mark.parametrize("f", CUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_derivatives_along_both_sides_of_a_cut(f, zero):
    at, step = CUTS[f]

    def point(t):
        return complex(at + t, zero) if step == 1 else complex(zero, at + t)

    h = 1e-3  # differences of NumPy's numbers on this side of the cut
    values = [f(point(k * h)) for k in (-2, -1, 0, 1, 2)]
    first = (8 * (values[3] - values[1]) - values[4] + values[0]) / (12 * h)
    second = (16 * (values[3] + values[1]) - values[4] - values[0] - 30 * values[2]) / (12 * h * h)
    np.testing.assert_allclose(
        _derivatives(f, point(0), step, on_xla=f in ON_XLA and str(zero) == "-0.0"),
        (first, second),
        rtol=0,
        atol=1e-8,
    )


NEAR_0 = [np.sin, np.tan, np.sinh, np.tanh, np.expm1, np.log1p, np.arcsin, np.arctan, np.arcsinh]


@pytest.mark.parametrize("f", NEAR_0, ids=lambda f: f.__name__)
def test_derivatives_near_zero(f):
    """All are z near 0, with second derivative 0, or 1 and -1."""
    z = 1e-9 - 1e-10j
    bend = {np.expm1: 1, np.log1p: -1}.get(f, 0)
    first, second = _derivatives(f, z, 1, on_xla=f is np.sinh)
    assert abs(first - (1 + bend * z)) < 1e-15
    assert abs(second - bend) < 1e-8


@pytest.mark.parametrize("f", [np.arctan, np.arctanh], ids=lambda f: f.__name__)
def test_derivatives_near_poles(f):
    pole, sign = (1j, 1) if f is np.arctan else (1.0, -1)
    z = pole + (1e-9 + 1e-9j)
    d = z - pole
    want = sign / (d * (2 * pole + d))
    first, second = _derivatives(f, z, 1, on_xla=f is np.arctan)
    assert abs(first - want) < 1e-12 * abs(want)
    want = want / -d  # of the leading term
    assert abs(second - want) < 1e-8 * abs(want)
