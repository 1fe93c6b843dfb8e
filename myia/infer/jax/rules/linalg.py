"""Translation of the primitives of linear algebra: factorizations, spectra, condensed forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from myia.infer.jax.tracing.rules import same_primitive, translation_rule
from myia.infer.jax.tracing.translate import unsupported
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.primitives.linalg import eig, eigh_svd, lu, qr, schur_hessenberg, triangular
from myia.primitives.linalg.matrix_formulas import matmul, transposed

# ----- Factorizations and triangular systems


same_primitive("cholesky", triangular.cholesky)
same_primitive("lu", lu.lu_p)
same_primitive("lu_pivots_to_permutation", lu.lu_pivots_to_permutation, size="permutation_size")
same_primitive("hessenberg", schur_hessenberg.hessenberg_p)
same_primitive("geqrf", schur_hessenberg.geqrf_p)
same_primitive("householder_product", schur_hessenberg.householder_product)
translation_rule("triangular_solve")(triangular.triangular_solve)


@translation_rule("qr")
def _qr(a: Value, *, full_matrices: bool, pivoting: bool, **_: Any) -> Sequence[Value]:
    return qr.qr(a, full_matrices=full_matrices, pivoting=pivoting)


@translation_rule("tridiagonal_solve")
def _tridiagonal_solve(*operands: Value, perturb_singular: bool = False) -> Value:
    if perturb_singular:
        raise unsupported("`tridiagonal_solve` with `perturb_singular=True`")
    return triangular.tridiagonal_solve(*operands)


@translation_rule("symmetric_product")
def _symmetric_product(a: Value, c: Value, *, alpha: float, beta: float) -> Value:
    """alpha A A^T + beta C; a C that is not finite counts even where beta is zero."""
    return alpha * matmul(a, transposed(a)) + beta * c


# ----- Spectra


def _require_full_spectrum(subset_by_index: tuple[int, int] | None, count: int) -> None:
    if subset_by_index not in (None, (0, count)):
        raise unsupported("a part of the eigenvalues or singular values, chosen by index")


@translation_rule("eigh")
def _eigh(a: Value, *, lower: bool, subset_by_index: Any, **_: Any) -> Sequence[Value]:
    _require_full_spectrum(subset_by_index, a.shape[-1])
    return eigh_svd.eigh(a, lower=lower)


@translation_rule("svd")
def _svd(
    a: Value, *, full_matrices: bool, compute_uv: bool, subset_by_index: Any, **_: Any
) -> Sequence[Value]:
    _require_full_spectrum(subset_by_index, min(a.shape[-2:]))
    return emit(
        eigh_svd.svd_p, a, full_matrices=full_matrices and compute_uv, compute_uv=compute_uv
    )


@translation_rule("eig")
def _eig(
    a: Value,
    *,
    compute_left_eigenvectors: bool,
    compute_right_eigenvectors: bool,
    enable_eigvec_derivs: bool = False,
    **_: Any,
) -> Sequence[Value]:
    decompose = eig.smooth_eig if enable_eigvec_derivs else eig.eig
    return decompose(a, left=compute_left_eigenvectors, right=compute_right_eigenvectors)


# ----- Condensed forms


@translation_rule("schur")
def _schur(
    a: Value, *, compute_schur_vectors: bool, sort_eig_vals: bool, **_: Any
) -> Sequence[Value]:
    if sort_eig_vals:
        raise unsupported("the Schur form with sorted eigenvalues")
    return emit(schur_hessenberg.schur_p, a, vectors=compute_schur_vectors)


translation_rule("tridiagonal")(partial(emit, schur_hessenberg.tridiagonal_p))
