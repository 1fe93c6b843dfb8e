"""Polynomials, from the highest power down; integrals of samples, angles."""

from __future__ import annotations

import math

import numpy as np

from myia.library.support.from_source import Array, Axis, from_source


@from_source(np.polyder)
def polyder(p: Array, m: Array = 1) -> Array:
    p = np.asarray(p)
    for _ in range(m):
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


@from_source(np.polyint)
def polyint(p: Array, m: Array = 1, k: Array = None) -> Array:
    p = np.asarray(p)
    constants = np.zeros(m) if k is None else np.atleast_1d(k)
    if m > 1 and len(constants) == 1:
        constants = constants[0] * np.ones(m, constants.dtype)
    for i in range(m):
        p = np.concatenate((p / np.arange(len(p), 0, -1), constants[i : i + 1]))
    return p


@from_source(np.polyadd)
def polyadd(a1: Array, a2: Array) -> Array:
    a1, a2 = at_length(a1, np.size(a2)), at_length(a2, np.size(a1))
    return a1 + a2


@from_source(np.polysub)
def polysub(a1: Array, a2: Array) -> Array:
    a1, a2 = at_length(a1, np.size(a2)), at_length(a2, np.size(a1))
    return a1 - a2


def at_length(p: Array, n: Array) -> Array:
    """The polynomial with at least `n` coefficients."""
    p = np.atleast_1d(p)
    return np.concatenate((np.zeros(n - len(p), p.dtype), p)) if len(p) < n else p


@from_source(np.polymul)
def polymul(a1: Array, a2: Array) -> Array:
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    if np.any(a1[:1] == 0) or np.any(a2[:1] == 0):
        raise ValueError("a leading coefficient is 0: NumPy would give a shorter polynomial")
    return np.convolve(a1, a2)


@from_source(np.poly)
def poly(seq_of_zeros: Array) -> Array:
    """Coefficients of complex zeros are complex, also if the zeros are conjugate in pairs."""
    zeros = np.atleast_1d(seq_of_zeros)
    zeros = zeros.astype(np.mintypecode(zeros.dtype.char))
    if zeros.ndim == 2:
        made = np.poly(np.linalg.eigvals(zeros))
        return made if np.iscomplexobj(zeros) else made.real
    if zeros.size == 0:
        return 1.0
    coefficients = np.ones(1, zeros.dtype)
    for i in range(len(zeros)):
        coefficients = np.convolve(coefficients, np.array([1, -zeros[i]], zeros.dtype))
    return coefficients


@from_source(np.roots)
def roots(p: Array) -> Array:
    """The eigenvalues of the companion matrix."""
    p = np.atleast_1d(p)
    if p[0] == 0 or p[-1] == 0:
        raise ValueError("the first or the last coefficient is 0: NumPy would leave it out")
    n = len(p) - 1
    if n < 1:
        return np.zeros(0)
    p = p.astype(float) if p.dtype.kind in "biu" else p
    shifts = np.eye(n, dtype=p.dtype)[: n - 1]
    return np.linalg.eigvals(np.concatenate((-p[1:][None] / p[0], shifts)))


@from_source(np.polyfit)
def polyfit(
    x: Array,
    y: Array,
    deg: Array,
    rcond: Array = None,
    full: bool = False,
    w: Array = None,
    cov: Array = False,
) -> Array:
    """Least squares with columns scaled to norm 1, as in NumPy."""
    x, y = np.asarray(x) + 0.0, np.asarray(y) + 0.0
    order = deg + 1
    check_samples(x, y, deg, w)
    if rcond is None:
        rcond = len(x) * np.finfo(x.dtype).eps
    left, right = np.vander(x, order), y
    if w is not None:
        w = np.asarray(w) + 0.0
        left = left * w[:, None]
        right = right * w[:, None] if right.ndim == 2 else right * w
    scale = np.sqrt(np.sum(left * left, axis=0))
    c, residuals, rank, singular = np.linalg.lstsq(left / scale, right, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, singular, rcond
    if not cov:
        return c
    scaled = np.linalg.inv(left.T @ left / np.outer(scale, scale)) / np.outer(scale, scale)
    if cov == "unscaled":
        factor = 1.0
    elif len(x) <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance")
    else:
        factor = residuals / (len(x) - order)
    if y.ndim == 1:
        return c, scaled * factor
    return c, scaled[:, :, None] * factor


def check_samples(x: Array, y: Array, deg: Array, w: Array) -> None:
    """What NumPy refuses. It is not asked on samples, of which its LAPACK writes messages."""
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if w is not None and np.ndim(w) != 1:
        raise TypeError("expected a 1-d array for weights")
    if w is not None and np.shape(w)[0] != y.shape[0]:
        raise TypeError("expected w and y to have the same length")


@from_source(np.vander)
def vander(x: Array, N: Array = None, increasing: bool = False) -> Array:
    x = np.asarray(x)
    n = len(x) if N is None else N
    x = x.astype(np.promote_types(x.dtype, int))
    # t**(block * a + b) as a product of two powers: far fewer steps than one chain of n products.
    # The powers stand in rows, over which the elements are contiguous.
    block = max(math.isqrt(max(n, 0)), 1)
    low = _powers(x, block)
    high = _powers(low[-1] * x, -(-n // block))
    powers = np.reshape(high[:, None] * low, (len(high) * block, len(x)))[:n].T
    return powers if increasing else powers[:, ::-1]


def _powers(x: Array, n: int) -> Array:
    """The powers 0 to n - 1 of `x`, in rows."""
    factors = (np.ones_like(x)[None], np.broadcast_to(x, (max(n - 1, 0), len(x))))
    return np.cumprod(np.concatenate(factors), axis=0)


@from_source(np.trapezoid)
def trapezoid(y: Array, x: Array = None, dx: Array = 1.0, axis: Axis = -1) -> Array:
    y = np.asarray(y)
    if x is None:
        steps = dx
    elif np.ndim(x) == 1:
        steps = np.diff(x)
    else:
        steps = np.moveaxis(np.diff(x, axis=axis), axis, -1)
    y = np.moveaxis(y, axis, -1)
    return np.sum(steps * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


@from_source(np.angle)
def angle(z: Array, deg: bool = False) -> Array:
    z = np.asarray(z)
    found = np.arctan2(z.imag, z.real) if z.dtype.kind == "c" else np.arctan2(0, z)
    return found * (180 / np.pi) if deg else found


@from_source(np.unwrap)
def unwrap(p: Array, discont: Array = None, axis: Axis = -1, *, period: Array = 2 * np.pi) -> Array:
    p = np.asarray(p)
    steps = np.diff(p, axis=axis)
    if discont is None:
        discont = period / 2
    dtype = np.result_type(steps, period)
    whole = np.issubdtype(dtype, np.integer)
    half = period // 2 if whole else period / 2
    wrapped = np.mod(steps + half, period) - half
    if not whole or period % 2 == 0:
        wrapped = np.where((wrapped == -half) & (steps > 0), half, wrapped)
    change = np.where(np.abs(steps) < discont, 0, wrapped - steps)
    first = np.take(p, [0], axis=axis)
    rest = np.delete(p, 0, axis=axis) + np.cumsum(change, axis=axis)
    return np.concatenate((first.astype(dtype), rest.astype(dtype)), axis=axis)
