"""Sample inputs of factorizations and solvers: well-conditioned, with distinct spectra."""

from __future__ import annotations

import itertools

import numpy as np

from myia.primitives.linalg import eig as e
from myia.primitives.linalg import eigh_svd as s
from myia.primitives.linalg import lu as l
from myia.primitives.linalg import matrix_functions as x
from myia.primitives.linalg import qr as q
from myia.primitives.linalg import schur_hessenberg as f
from myia.primitives.linalg import triangular as t
from tests.primitives.case import INEXACT, Case, sample

EMPTY = (0, 0)
SQUARE = ((3, 3), (2, 2, 2), EMPTY)


def matrix(shape, dtype, seed=0) -> np.ndarray:
    """A general matrix, its diagonal heavy and unequal."""
    x = sample(shape, dtype, -1, 1, seed)
    rank = min(shape[-2:])
    x[..., range(rank), range(rank)] += np.linspace(2, 4, rank)
    return x


def positive(shape, dtype) -> np.ndarray:
    """A matrix whose lower triangle is that of a positive definite one; the rest is not read."""
    x = matrix(shape, dtype)
    x[..., range(shape[-1]), range(shape[-1])] += 4
    return x


def cases(primitive, make, shapes=SQUARE, dtypes=INEXACT, order=2, **params) -> list[Case]:
    """A case of each dtype and shape. Complex vectors have phases of their own: order 0."""
    return [
        Case(primitive, (make(shape, dtype),), params, order=order)
        for dtype, shape in itertools.product(dtypes.split(), shapes)
    ]


def free_phase(primitive, make, shapes=SQUARE, **params) -> list[Case]:
    """Of complex matrices the phases of the vectors jump: no differences are taken there."""
    return [
        *cases(primitive, make, shapes, "f8 f4", **params),
        *cases(primitive, make, shapes, "c16 c8", order=0, **params),
    ]


def solves(primitive, factor, **params) -> list[Case]:
    """Solutions by the factors of a matrix, which are held constant."""
    made = []
    for dtype, shape in itertools.product(INEXACT.split(), SQUARE):
        a = positive(shape, dtype)
        a = a + np.conj(np.swapaxes(a, -1, -2))
        factors = factor(a)
        b = sample((*shape[:-1], 2), dtype, seed=5)
        held = tuple(range(len(factors) + 1))
        made.append(Case(primitive, (a, *factors, b), params, held=held))
    return made


def lyapunovs() -> list[Case]:
    """Equations whose Hermitian matrix comes with its eigenvectors and eigenvalues."""
    made = []
    for dtype, shape in itertools.product(INEXACT.split(), SQUARE):
        p = positive(shape, dtype)
        p = p + np.conj(np.swapaxes(p, -1, -2))
        v, w = s.eigh_p.evaluate(p, lower=True)
        made.append(Case(x.lyapunov, (p, v, w, sample(shape, dtype, seed=5)), held=(0, 1, 2)))
    return made


def exponentials() -> list[Case]:
    """Exponentials and their derivatives: a few, since each takes XLA a second to compile."""
    made = []
    for dtype, shape in (("f8", (3, 3)), ("f4", (2, 2, 2)), ("c16", (2, 2)), ("f8", EMPTY)):
        a, e = matrix(shape, dtype) / 4, sample(shape, dtype, seed=4)
        made += [Case(x.expm, (a,)), Case(x.expm_derivative, (a, e))]
    return made


def triangular() -> list[Case]:
    made = []
    for flags in itertools.product([True, False], repeat=5):
        names = ("left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal")
        params = dict(zip(names, flags))
        dtype = "c16" if params["conjugate_a"] else "f8"
        b = sample((3, 2) if params["left_side"] else (2, 3), dtype, seed=3)
        made.append(Case(t.triangular_solve, (matrix((3, 3), dtype), b), params))
    more = dict(zip(names, (True, True, True, False, False)))
    for dtype, shape in itertools.product(("f4", "c8", "f8"), ((2, 2, 2), EMPTY)):
        b = sample((*shape[:-1], 3), dtype, seed=3)
        made.append(Case(t.triangular_solve, (matrix(shape, dtype), b), more))
    return made


def tridiagonal() -> list[Case]:
    made = []
    for dtype, shape in itertools.product(INEXACT.split(), ((4,), (2, 3), (1,))):
        below, d, above = (sample(shape, dtype, -1, 1, seed=k) for k in range(3))
        b = sample((*shape, 2), dtype, seed=3)
        made.append(Case(t.tridiagonal_solve, (below, d + 3, above, b)))
    return made


def reflectors(dtype) -> Case:
    a = sample((4, 3), dtype, -1, 1)
    return Case(f.householder_product, (a, sample((2,), dtype, 0.5, 1.5)), order=0)


def lu_factors(a) -> tuple[np.ndarray, ...]:
    factors, _, permutation = l.lu_p.evaluate(a)
    return factors, permutation


TALL, WIDE = ((4, 2), (2, 3, 2)), ((2, 4), (2, 2, 3))
THIN, FULL = dict(full_matrices=False, pivoting=False), dict(full_matrices=True, pivoting=False)
TABLE = [
    triangular(),
    tridiagonal(),
    cases(t.cholesky, positive),
    cases(l.lu_p, matrix, (*SQUARE, *TALL, *WIDE)),
    [Case(l.lu_pivots_to_permutation, (np.array([[2, 1, 2], [0, 2, 2]], np.int32),), dict(size=4))],
    solves(l.lu_solve, lu_factors, transpose=False),
    solves(l.lu_solve, lu_factors, transpose=True),
    solves(l.cholesky_solve, lambda a: (t.cholesky.evaluate(a),), transpose=False),
    solves(l.cholesky_solve, lambda a: (t.cholesky.evaluate(a),), transpose=True),
    cases(q.qr_p, matrix, (*SQUARE, *TALL, *WIDE), **THIN),
    cases(q.qr_p, matrix, (*SQUARE, *TALL, *WIDE), **FULL),
    cases(q.qr_p, matrix, ((3, 3), (4, 2), (2, 2, 3)), full_matrices=False, pivoting=True),
    free_phase(s.eigh_p, matrix, lower=True),
    free_phase(s.eigh_p, matrix, ((3, 3),), lower=False),
    free_phase(s.svd_p, matrix, (*SQUARE, *TALL, *WIDE), full_matrices=False, compute_uv=True),
    free_phase(s.svd_p, matrix, full_matrices=True, compute_uv=True),
    cases(s.svd_p, matrix, TALL, "f8", order=0, full_matrices=True, compute_uv=True),
    cases(s.svd_p, matrix, (*SQUARE, *TALL), full_matrices=False, compute_uv=False),
    cases(e.eig_p, matrix, left=False, right=False),
    cases(e.eig_p, matrix, dtypes="f8 c16", order=0, left=True, right=True),
    cases(e.smooth_eig_p, matrix, left=True, right=True),
    cases(e.smooth_eig_p, matrix, ((3, 3),), left=False, right=True),
    exponentials(),
    lyapunovs(),
    cases(x.polar_p, matrix, (*SQUARE, *TALL)),
    cases(f.schur_p, matrix, order=0, vectors=True),
    cases(f.schur_p, matrix, order=0, vectors=False),
    cases(f.geqrf_p, matrix, (*SQUARE, *TALL, *WIDE), order=0),
    cases(f.hessenberg_p, matrix, ((4, 4), (2, 2, 2), (1, 1)), order=0),
    cases(f.tridiagonal_p, matrix, ((4, 4), (2, 2, 2)), order=0, lower=True),
    cases(f.tridiagonal_p, matrix, ((4, 4),), order=0, lower=False),
    [reflectors(dtype) for dtype in INEXACT.split()],
]
