"""Functions of `numpy.linalg`, `numpy.fft` and `math` to be differentiated."""

from __future__ import annotations

import cmath
import math

import numpy as np

from tests.library.samples.numpy_gradient_cases import (
    GRADIENTS,
    A,
    M,
    P,
    V,
    W,
    X,
    Z,
    parts,
    symmetric,
)

GRADIENTS |= {
    f"numpy.linalg.{name}": case
    for name, case in {
        "inv": (np.linalg.inv, A),
        "det": (np.linalg.det, A),
        "slogdet": (lambda x: np.linalg.slogdet(x).logabsdet, A),
        "cholesky": (lambda x: np.linalg.cholesky(symmetric(x)), M),
        "cholesky of a triangle": (np.linalg.cholesky, symmetric(M) + np.triu(M, 1)),
        "solve": (lambda x: np.linalg.solve(x, x @ V), A),
        "solve of rhs": (lambda x: np.linalg.solve(A, x), V),
        "pinv": (np.linalg.pinv, X),
        "lstsq": (lambda x: np.linalg.lstsq(x, W[:3])[0], X.T),
        "svd": (lambda x: np.linalg.svd(x)[1], X),
        "svd vectors": (lambda x: (lambda r: r.U * r.S @ r.Vh * M[:2])(np.linalg.svd(x, False)), X),
        "svdvals": (np.linalg.svdvals, X),
        "eigh": (lambda x: np.linalg.eigh(symmetric(x)).eigenvalues, M),
        "eigh vectors": (lambda x: np.linalg.eigh(symmetric(x)).eigenvectors ** 2, M),
        "eigh of a triangle": (lambda x: np.linalg.eigh(x, "U").eigenvalues, M),
        "eigvalsh": (lambda x: np.linalg.eigvalsh(symmetric(x)), M),
        "qr": (lambda x: np.linalg.qr(x)[1], A),
        "eig": (lambda x: np.sum(np.abs(np.linalg.eig(x).eigenvalues)), M),
        "eigvals": (lambda x: np.sum(np.abs(np.linalg.eigvals(x))), M),
        "matrix_power": (lambda x: np.linalg.matrix_power(x, 3), M),
        "matrix_power inverse": (lambda x: np.linalg.matrix_power(x, -2), A),
        "multi_dot": (lambda x: np.linalg.multi_dot([x, x.T, x]), X),
        "cond": (np.linalg.cond, A),
        "norm of order 2": (lambda x: np.linalg.norm(x, 2), X),
        "norm nuclear": (lambda x: np.linalg.norm(x, "nuc"), X),
        "matrix_norm": (lambda x: np.linalg.matrix_norm(x, ord=1), X),
        "vector_norm": (lambda x: np.linalg.vector_norm(x, axis=0), X),
        "tensorsolve": (
            lambda x: np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6) + 0.1 * x[0, 0], x),
            X,
        ),
        "tensorinv": (lambda x: np.linalg.tensorinv(x, ind=1), A.reshape(3, 3)),
        "diagonal": (np.linalg.diagonal, M),
        "trace": (np.linalg.trace, M),
        "outer": (lambda x: np.linalg.outer(x, x), V),
        "matmul": (lambda x: np.linalg.matmul(x, x), M),
        "tensordot": (lambda x: np.linalg.tensordot(x, M), M),
        "matrix_transpose": (np.linalg.matrix_transpose, X),
        "vecdot": (lambda x: np.linalg.vecdot(x, V), X),
        "cross": (lambda x: np.linalg.cross(V, x), X),
    }.items()
}

GRADIENTS |= {
    f"numpy.fft.{name}": case
    for name, case in {
        "fft": (lambda x: parts(np.fft.fft(x)), W),
        "ifft": (lambda x: parts(np.fft.ifft(x * 1j, 7)), W),
        "rfft": (lambda x: parts(np.fft.rfft(x)), W),
        "irfft": (lambda x: np.fft.irfft(x + 1j * x**2), W),
        "hfft": (lambda x: np.fft.hfft(x + 1j * x**2), W),
        "ihfft": (lambda x: parts(np.fft.ihfft(x)), W),
        "fft2": (lambda x: parts(np.fft.fft2(x)), X),
        "ifft2": (lambda x: parts(np.fft.ifft2(x)), X),
        "rfft2": (lambda x: parts(np.fft.rfft2(x)), X),
        "irfft2": (lambda x: np.fft.irfft2(x + 1j * x**2), X),
        "fftn": (lambda x: parts(np.fft.fftn(x, axes=(0, 2))), Z),
        "ifftn": (lambda x: parts(np.fft.ifftn(x)), X),
        "rfftn": (lambda x: parts(np.fft.rfftn(x)), X),
        "irfftn": (lambda x: np.fft.irfftn(x + 1j), X),
        "fftshift": (np.fft.fftshift, X),
        "ifftshift": (np.fft.ifftshift, W),
    }.items()
}

# ----- `math`

for _f in (
    math.sin,
    math.cos,
    math.tan,
    math.asin,
    math.acos,
    math.atan,
    math.sinh,
    math.cosh,
    math.tanh,
    math.asinh,
    math.atanh,
    math.exp,
    math.exp2,
    math.expm1,
    math.log1p,
    math.log2,
    math.log10,
    math.cbrt,
    math.fabs,
    math.erf,
    math.erfc,
    math.lgamma,
    math.radians,
    math.degrees,
):
    GRADIENTS[f"math.{_f.__name__}"] = (lambda x, f=_f: f(x[0]) * x[1], np.array([0.3, 2.0]))

for _f in (
    cmath.exp,
    cmath.log,
    cmath.log10,
    cmath.sqrt,
    cmath.sin,
    cmath.cos,
    cmath.tan,
    cmath.sinh,
    cmath.cosh,
    cmath.tanh,
    cmath.asin,
    cmath.acos,
    cmath.atan,
    cmath.asinh,
    cmath.acosh,
    cmath.atanh,
):
    GRADIENTS[f"cmath.{_f.__name__}"] = (
        lambda x, f=_f: f(complex(x[0], x[1])).real + 2.0 * f(complex(x[1], x[0])).imag,
        np.array([0.3, 0.7]),
    )

GRADIENTS |= {
    "cmath.phase": (lambda x: cmath.phase(complex(x[0], x[1])), V),
    "cmath.polar": (lambda x: sum(cmath.polar(complex(x[0], x[1]))), V),
    "cmath.rect": (lambda x: cmath.rect(x[0], x[1]).imag, V),
    "math.acosh": (lambda x: math.acosh(x[0]), P[0] + 1),
    "math.pow": (lambda x: math.pow(x[0], x[1]), P[0]),
    "math.atan2": (lambda x: math.atan2(x[0], x[1]), V),
    "math.copysign": (lambda x: math.copysign(x[0], x[1]), V),
    "math.fmod": (lambda x: math.fmod(x[0], x[1]), P[0]),
    "math.modf": (lambda x: math.modf(x[0])[0], P[0]),
    "math.frexp": (lambda x: math.frexp(x[0] * 5.0)[0], P[0]),
    "math.ldexp": (lambda x: math.ldexp(x[0], 3), P[0]),
    "math.remainder": (lambda x: math.remainder(5.0 * x[0], x[1]), P[0]),
    "math.nextafter": (lambda x: math.nextafter(x[0], 9.0), P[0]),
    "math.hypot": (lambda x: math.hypot(x[0], x[1]), V),
    "math.exp": (lambda x: math.exp(x[0]), V),
    "math.dist": (lambda x: math.dist([x[0], x[1]], [1.0, x[2]]), V),
    "math.fsum": (lambda x: math.fsum(x), V),
    "math.prod": (lambda x: math.prod([x[0], x[1], 2.0]), V),
}
