"""Equations of linear algebra."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jax.extend.core import Jaxpr, JaxprEqn, Var

from myia.infer.staging.jaxprs import refuse
from myia.infer.staging.registry import translates
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.primitives import condensed, eig, lu, qr, spectral, triangular
from myia.primitives.logic import stop_gradient
from myia.primitives.matrices import adjoint, matmul, transposed
from myia.primitives.shaping import reshape, transpose

# ----- Factorizations and triangular systems


@translates("cholesky")
def _cholesky(a: Value, **_) -> Value:
    return triangular.cholesky(a)


@translates("lu")
def _lu(a: Value, **_) -> Sequence[Value]:
    return lu.lu(a)


@translates("lu_pivots_to_permutation")
def _lu_pivots_to_permutation(pivots: Value, *, permutation_size: int) -> Value:
    return lu.lu_pivots_to_permutation(pivots, size=permutation_size)


@translates("qr")
def _qr(a: Value, *, full_matrices: bool, pivoting: bool, **_) -> Sequence[Value]:
    return qr.qr(a, full_matrices=full_matrices, pivoting=pivoting)


@translates("triangular_solve")
def _triangular_solve(
    a: Value, b: Value, *, left_side, lower, transpose_a, conjugate_a, unit_diagonal
) -> Value:
    return triangular.solve_triangle(
        a,
        b,
        left_side=left_side,
        lower=lower,
        transpose_a=transpose_a,
        conjugate_a=conjugate_a,
        unit_diagonal=unit_diagonal,
    )


@translates("tridiagonal_solve")
def _tridiagonal_solve(*operands: Value, perturb_singular: bool = False) -> Value:
    if perturb_singular:
        raise refuse("`tridiagonal_solve` with `perturb_singular=True`")
    return triangular.tridiagonal_solve(*operands)


@translates("symmetric_product")
def _symmetric_product(a: Value, c: Value, *, alpha: float, beta: float) -> Value:
    """alpha A A^T + beta C; C counts even where beta is zero, if it is not finite."""
    return alpha * matmul(a, transposed(a)) + beta * c


# ----- Spectra


def _require_all(subset_by_index: tuple[int, int] | None, count: int) -> None:
    if subset_by_index not in (None, (0, count)):
        raise refuse("a part of the eigenvalues or singular values, chosen by index")


@translates("eigh")
def _eigh(a: Value, *, lower: bool, subset_by_index, **_) -> Sequence[Value]:
    _require_all(subset_by_index, a.shape[-1])
    return spectral.eigh(a, lower=lower)


@translates("svd")
def _svd(
    a: Value, *, full_matrices: bool, compute_uv: bool, subset_by_index, **_
) -> Sequence[Value]:
    _require_all(subset_by_index, min(a.shape[-2:]))
    return emit(
        spectral.svd_p, a, full_matrices=full_matrices and compute_uv, compute_uv=compute_uv
    )


@translates("eig")
def _eig(
    a: Value,
    *,
    compute_left_eigenvectors: bool,
    compute_right_eigenvectors: bool,
    enable_eigvec_derivs: bool = False,
    **_,
) -> Sequence[Value]:
    decompose = eig.smooth_eig if enable_eigvec_derivs else eig.eig
    return decompose(a, left=compute_left_eigenvectors, right=compute_right_eigenvectors)


# ----- Condensed forms


@translates("schur")
def _schur(a: Value, *, compute_schur_vectors: bool, sort_eig_vals: bool, **_) -> Sequence[Value]:
    if sort_eig_vals:
        raise refuse("the Schur form with sorted eigenvalues")
    return emit(condensed.schur_p, a, vectors=compute_schur_vectors)


@translates("hessenberg")
def _hessenberg(a: Value, **_) -> Sequence[Value]:
    return emit(condensed.hessenberg_p, a)


@translates("tridiagonal")
def _tridiagonal(a: Value, *, lower: bool) -> Sequence[Value]:
    return emit(condensed.tridiagonal_p, a, lower=lower)


@translates("geqrf")
def _geqrf(a: Value, **_) -> Sequence[Value]:
    return emit(condensed.geqrf_p, a)


@translates("householder_product")
def _householder_product(a: Value, taus: Value, **_) -> Value:
    return condensed.householder_product(a, taus)


# ----- Systems of equations that come with their own solver


@translates("custom_linear_solve")
def _custom_linear_solve(*operands: Value, const_lengths: Any, jaxprs: Any, **_) -> list[Value]:
    """A X = B, where the solver of JAX factors A: our solution, whose derivative is implicit.

    The jaxpr's own factors are those of a constant, and we make the same again: equal operations
    become one later.
    """
    product, method = _matrix_product(jaxprs.matvec.jaxpr), _method(jaxprs.solve.jaxpr)
    if product is None or method is None:
        raise refuse("`custom_linear_solve` by a method other than a factorization of a matrix")
    a = _arranged(operands[product.matrix], product.of_matrix)
    of_columns = [k for k in range(operands[-1].aval.ndim) if k not in product.of_vector]
    order = (*product.of_vector, *of_columns)
    b = _arranged(operands[-1], order)
    columns = math.prod(b.shape[a.aval.ndim - 1 :])
    x = reshape(method(a, reshape(b, shape=(*a.shape[:-1], columns))), shape=b.shape)
    return [_arranged(x, [order.index(k) for k in range(len(order))])]


def _arranged(x: Value, permutation: Sequence[int]) -> Value:
    permutation = tuple(permutation)
    return x if permutation == tuple(range(x.aval.ndim)) else transpose(x, permutation=permutation)


class _Product(NamedTuple):
    """Which operand is the matrix, and what its axes and those of the vectors are."""

    matrix: int
    of_matrix: tuple[int, ...]  # the batch axes, the rows, the columns
    of_vector: tuple[int, ...]  # the batch axes, and the one that is multiplied


def _matrix_product(matvec: Jaxpr) -> _Product | None:
    """What `matvec` multiplies by, if it is a product with one matrix and nothing else."""
    *constants, vector = matvec.invars
    dot, *moves = matvec.eqns
    if dot.primitive.name != "dot_general" or dot.invars[1] is not vector:
        return None
    if dot.invars[0] not in constants:
        return None
    (contracted, multiplied), (batch, vector_batch) = dot.params["dimension_numbers"]
    rows = set(range(dot.invars[0].aval.ndim)) - {*contracted, *batch}
    of_vector = (*vector_batch, *multiplied)
    if len(contracted) != 1 or len(rows) != 1 or not _keeps_axes(of_vector, vector, moves):
        return None
    of_matrix = (*batch, *rows, *contracted)
    return _Product(constants.index(dot.invars[0]), of_matrix, of_vector)


def _keeps_axes(of_vector: Sequence[int], vector: Var, moves: Sequence[JaxprEqn]) -> bool:
    """True if `moves` bring the axes of the product to where they are in the vector."""
    axes = [*of_vector, *(k for k in range(vector.aval.ndim) if k not in of_vector)]
    for eqn in moves:
        if eqn.primitive.name != "transpose":
            return False
        axes = [axes[k] for k in eqn.params["permutation"]]
    return axes == sorted(axes)


def _method(solve: Jaxpr) -> Callable[[Value, Value], Value] | None:
    """How `solve` solves: by which triangles, a lower and an upper one, or one of them twice."""
    triangles = [(p["lower"], p["unit_diagonal"]) for p in _triangular_solves(solve)]
    if triangles == [(True, True), (False, False)]:
        return _solve_by_lu
    if triangles == [(True, False)] * 2:
        return lambda a, b: _solve_by_cholesky(a, stop_gradient(a), b)
    if triangles == [(False, False)] * 2:  # A = U^H U, from the upper triangle of A
        return lambda a, b: _solve_by_cholesky(a, adjoint(stop_gradient(a)), b)
    return None


def _triangular_solves(jaxpr: Jaxpr) -> Iterator[Mapping[str, Any]]:
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "triangular_solve":
            yield eqn.params
        elif "jaxpr" in eqn.params:
            yield from _triangular_solves(eqn.params["jaxpr"].jaxpr)


def _solve_by_lu(a: Value, b: Value) -> Value:
    factors, _, permutation = lu.lu(stop_gradient(a))
    return lu.lu_solve(a, factors, permutation, b, transpose=False)


def _solve_by_cholesky(a: Value, constant_a: Value, b: Value) -> Value:
    return lu.cholesky_solve(a, triangular.cholesky(constant_a), b, transpose=False)
