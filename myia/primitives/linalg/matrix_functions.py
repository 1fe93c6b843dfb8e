"""Matrix exponential, polar decomposition, and Lyapunov equations X P + P X = M.

The derivative of a matrix function, L(A, E), is a block of the function of a block matrix:

    f([[A, E], [0, A]]) = [[f(A), L(A, E)], [0, f(A)]]

(N. Higham, Functions of Matrices, 2008, theorem 3.6). Higher derivatives follow in the same way.
"""

from __future__ import annotations

import functools
from math import factorial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import Array, lax
from jax.scipy import linalg as jax_linalg

from myia.ir.avals import Aval
from myia.ir.builder import emit
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Explicit, Primitive
from myia.primitives.arrays.shaping import pad
from myia.primitives.core.define import CallablePrimitive, constant, require
from myia.primitives.linalg.eigh_svd import eigh
from myia.primitives.linalg.lu import cholesky_solve
from myia.primitives.linalg.matrix_formulas import (
    adjoint,
    block,
    conj,
    matmul,
    matrix_shape,
    square_shape,
    transposed,
)
from myia.primitives.linalg.triangular import cholesky
from myia.primitives.pointwise.logic import stop_gradient
from myia.primitives.pointwise.transcendental import real_dtype

# ----- The exponential, by scaling and squaring of its [13/13] Padé approximant
# (N. Higham, The scaling and squaring method for the matrix exponential revisited, 2005).
#
# It is written for (A,) and for (A, E), a matrix with a direction, multiplied by the product rule:
# the second gives the exponential and its derivative at the cost of three exponentials.

Dual = tuple[Array, ...]

_NORM = 4.74  # the approximant and its derivative are exact up to this norm, in double precision
_LARGEST = 1024  # squarings: no finite matrix needs more
# The coefficients of its numerator, b_0 to b_13; the denominator has them with alternating signs.
_PADE = [float(factorial(26 - j) // factorial(j) // factorial(13 - j)) for j in range(14)]

_matmul = functools.partial(jnp.matmul, precision=lax.Precision.HIGHEST)


def _product(x: Dual, y: Dual) -> Dual:
    first = _matmul(x[0], y[0])
    return (first, *(_matmul(x[0], t) + _matmul(s, y[0]) for s, t in zip(x[1:], y[1:])))


def _quotient(x: Dual, y: Dual) -> Dual:
    """x^-1 y"""
    solve = functools.partial(jax_linalg.lu_solve, jax_linalg.lu_factor(x[0]))
    first = solve(y[0])
    return (first, *(solve(t - _matmul(s, first)) for s, t in zip(x[1:], y[1:])))


def _combination(coefficients: list[float], powers: list[Dual]) -> Dual:
    return tuple(sum(c * p for c, p in zip(coefficients, parts)) for parts in zip(*powers))


def _exponential(x: Dual) -> Dual:
    if not x[0].size:
        return x
    norm = jnp.max(jnp.sum(jnp.abs(x[0]), axis=-2), axis=-1)
    known = jnp.where(jnp.isfinite(norm), norm, 0)
    count = jnp.minimum(_LARGEST, jnp.ceil(jnp.log2(jnp.maximum(known / _NORM, 1))))
    scale = jnp.exp2(-count)[..., None, None].astype(x[0].dtype)

    def squared(state: tuple[jax.Array, Dual]) -> tuple[jax.Array, Dual]:
        k, y = state
        goes_on = (k < count)[..., None, None]
        return k + 1, tuple(jnp.where(goes_on, new, old) for new, old in zip(_product(y, y), y))

    y = _pade(tuple(part * scale for part in x))
    last = jnp.max(count)
    return lax.while_loop(lambda state: state[0] < last, squared, (jnp.zeros_like(last), y))[1]


def _pade(x: Dual) -> Dual:
    """r(X) = (V - U)^-1 (V + U) with the odd part U and the even part V of the numerator."""
    n = x[0].shape[-1]
    one: Dual = (jnp.broadcast_to(jnp.eye(n, dtype=x[0].dtype), x[0].shape),)
    one += tuple(jnp.zeros_like(part) for part in x[1:])
    x2 = _product(x, x)
    x4 = _product(x2, x2)
    powers = [one, x2, x4, _product(x4, x2)]
    high = [_combination(_PADE[8 + i :: 2], powers[1:]) for i in (0, 1)]
    low = [_combination(_PADE[i:8:2], powers) for i in (0, 1)]
    even, odd = (_combination([1, 1], [_product(powers[3], h), l]) for h, l in zip(high, low))
    odd = _product(x, odd)
    return _quotient(_combination([1, -1], [even, odd]), _combination([1, 1], [even, odd]))


def _expm_avals(a: Aval) -> tuple[Aval]:
    square_shape("expm", a)
    return (a,)


def _evaluate_expm(a: np.ndarray) -> np.ndarray:
    return np.asarray(scipy.linalg.expm(a), a.dtype) if a.size else a


def _expm_jvp(ys: Values, xs: Values, ts: Values) -> Tangents:
    return (expm_derivative(*xs, *ts),)


expm = CallablePrimitive(
    name="expm",
    avals=_expm_avals,
    lower=lambda a: _exponential((a,))[0],
    evaluate=_evaluate_expm,
    derivative=Explicit(_expm_jvp),
)


def _derivative_avals(a: Aval, e: Aval) -> tuple[Aval]:
    square_shape("expm_derivative", a)
    require(a == e, f"expm_derivative: {a} in the direction {e}")
    return (a,)


def _evaluate_derivative(a: np.ndarray, e: np.ndarray) -> Any:
    n = a.shape[-1]
    doubled = np.block([[a, e], [np.zeros_like(a), a]])
    return _evaluate_expm(doubled)[..., :n, n:]


def _derivative_jvp(ys: Values, xs: Values, ts: Tangents) -> Tangents:
    (a, e), (ta, te) = xs, ts
    moved = None if te is None else expm_derivative(a, te)
    if ta is not None:
        n = a.shape[-1]
        turned = expm_derivative(_block_upper_triangular(a, e), _block_diagonal(ta))
        corner = block(turned, (0, n), (n, 2 * n))
        moved = corner if moved is None else moved + corner
    return (moved,)


def _derivative_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (a, e), (ct,) = op.operands, cts
    acc.add(e, expm_derivative(transposed(a), ct))
    if acc.wants(a):
        n = a.shape[-1]
        pulled = expm_derivative(transposed(_block_upper_triangular(a, e)), _as_block(ct, 0, n))
        acc.add(a, block(pulled, (0, n), (0, n)) + block(pulled, (n, 2 * n), (n, 2 * n)))


# L(A, E): the derivative of the exponential at A along E.
expm_derivative = CallablePrimitive(
    name="expm_derivative",
    avals=_derivative_avals,
    lower=lambda a, e: _exponential((a, e))[1],
    evaluate=_evaluate_derivative,
    derivative=Explicit(_derivative_jvp, _derivative_vjp),
)


def _as_block(x: Value, row: int, column: int) -> Value:
    """`x` as the block at (row, column) of a zero matrix of twice the size."""
    n, none = x.shape[-1], (0,) * (x.aval.ndim - 2)
    low, high = (*none, row, column), (*none, n - row, n - column)
    return pad(x, constant(0, x.dtype), low=low, high=high, interior=(0,) * x.aval.ndim)


def _block_diagonal(x: Value) -> Value:
    """[[x, 0], [0, x]]"""
    n = x.shape[-1]
    return _as_block(x, 0, 0) + _as_block(x, n, n)


def _block_upper_triangular(x: Value, y: Value) -> Value:
    """[[x, y], [0, x]]"""
    return _block_diagonal(x) + _as_block(y, 0, x.shape[-1])


# ----- Equations P X + X P = M, with P = V diag(w) V^H


def _lyapunov_avals(p: Aval, v: Aval, w: Aval, m: Aval) -> tuple[Aval]:
    batch, n = square_shape("lyapunov", p)
    message = f"lyapunov: {p} with {v}, {w} and {m}"
    require(p == v == m and w == Aval(real_dtype(p.dtype), (*batch, n)), message)
    return (m,)


def _solve_lyapunov(numpy: Any, p: Any, v: Any, w: Any, m: Any) -> Any:
    vh = numpy.conj(numpy.swapaxes(v, -1, -2))
    sums = w[..., :, None] + w[..., None, :]
    return numpy.matmul(numpy.matmul(v, numpy.matmul(numpy.matmul(vh, m), v) / sums), vh)


def _lyapunov_jvp(ys: Values, xs: Values, ts: Tangents) -> Tangents:
    """P X' + X' P = M' - P' X - X P'. The factors of P count as constants here."""
    (x,), (p, v, w, _), (tp, _, _, t) = ys, xs, ts
    if tp is not None:
        moved = matmul(tp, x) + matmul(x, tp)
        t = -moved if t is None else t - moved
    return (None if t is None else lyapunov(p, v, w, t),)


def _lyapunov_vjp(op: Op, cts: Values, acc: Cotangents) -> None:
    (p, v, w, m), (x,), (ct,) = op.operands, op.results, cts
    ct = lyapunov(transposed(p), conj(v), w, ct)
    acc.add(m, ct)
    if acc.wants(p):
        acc.add(p, -matmul(ct, transposed(x)) - matmul(transposed(x), ct))


lyapunov = CallablePrimitive(
    name="lyapunov",
    avals=_lyapunov_avals,
    lower=lambda *xs: _solve_lyapunov(jnp, *xs),
    evaluate=lambda *xs: _solve_lyapunov(np, *xs),
    derivative=Explicit(_lyapunov_jvp, _lyapunov_vjp),
)

# ----- The polar decomposition A = U P of tall matrices, U^H U = 1 and P Hermitian


def _polar_avals(a: Aval) -> tuple[Aval, Aval]:
    batch, m, n = matrix_shape("polar", a)
    require(m >= n, f"polar: {a} is wide")
    return a, a.with_shape((*batch, n, n))


def _polar(numpy: Any, a: Any) -> tuple[Any, ...]:
    u, s, vh = numpy.linalg.svd(a, full_matrices=False)
    v = numpy.conj(numpy.swapaxes(vh, -1, -2))
    return numpy.matmul(u, vh), numpy.matmul(v * s[..., None, :], vh)


def _polar_jvp(ys: Values, xs: Values, ts: Values) -> Tangents:
    """U' = U X + (1 - U U^H) A' P^-1 with P X + X P = U^H A' - A'^H U: Higham 2008, section 8.1."""
    (u, p), (a,), (t,) = ys, xs, ts
    along = matmul(adjoint(u), t)
    constant_p = stop_gradient(p)
    turn = matmul(u, lyapunov(p, *eigh(constant_p), along - adjoint(along)))
    if u.shape[-2] > u.shape[-1]:
        rest = adjoint(t - matmul(u, along))
        turn = turn + adjoint(cholesky_solve(p, cholesky(constant_p), rest, transpose=False))
    return turn, matmul(adjoint(turn), a) + along


polar_p = Primitive(
    name="polar",
    avals=_polar_avals,
    lower=lambda a: _polar(jnp, a),
    evaluate=lambda a: _polar(np, a),
    derivative=Explicit(_polar_jvp),
)


def polar(a: Value, *, left: bool) -> tuple[Value, Value]:
    """U and P of A = U P, or of A = P U if `left`."""
    if a.shape[-2] >= a.shape[-1]:
        u, p = emit(polar_p, a)
        return u, matmul(matmul(u, p), adjoint(u)) if left else p
    uh, p = emit(polar_p, adjoint(a))
    return adjoint(uh), p if left else matmul(matmul(uh, p), adjoint(uh))
