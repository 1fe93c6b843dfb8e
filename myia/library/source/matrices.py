"""Triangles and traces of matrices; products: `vdot`, `inner`, `kron`; tensors as matrices."""

from __future__ import annotations

import math

import numpy as np

from myia.library.support.from_source import Array, Axis, Dtype, from_source

# ----- Triangles and diagonals


@from_source(np.identity)
def identity(n: Array, dtype: Dtype = None) -> Array:
    return np.eye(n, dtype=dtype)


@from_source(np.tril)
def tril(m: Array, k: Array = 0) -> Array:
    m = np.asarray(m)
    return np.where(np.tri(*m.shape[-2:], k=k, dtype=bool), m, m.dtype.type(0))  # type: ignore[call-overload]  # a shape, unpacked


@from_source(np.triu)
def triu(m: Array, k: Array = 0) -> Array:
    m = np.asarray(m)
    return np.where(np.tri(*m.shape[-2:], k=k - 1, dtype=bool), m.dtype.type(0), m)  # type: ignore[call-overload]  # a shape, unpacked


@from_source(np.trace, methods="trace")
def trace(
    a: Array,
    offset: Array = 0,
    axis1: Array = 0,
    axis2: Array = 1,
    dtype: Dtype = None,
    out: Array = None,
) -> Array:
    return np.sum(np.diagonal(a, offset, axis1, axis2), -1, dtype, out)


# ----- Products


def vector(x: Array) -> Array:
    x = np.asarray(x)
    return x if x.ndim == 1 else np.ravel(x)


@from_source(np.vdot)
def vdot(a: Array, b: Array) -> Array:
    a, b = vector(a), vector(b)
    return np.dot(np.conj(a) if a.dtype.kind == "c" else a, b)


@from_source(np.inner)
def inner(a: Array, b: Array, /) -> Array:
    a, b = np.asarray(a), np.asarray(b)
    return np.dot(a, b if b.ndim < 2 else np.swapaxes(b, -1, -2))


@from_source(np.kron)
def kron(a: Array, b: Array) -> Array:
    """Each element of `a` times all of `b`, as blocks."""
    a, b = np.asarray(a), np.asarray(b)
    if a.ndim == 0 or b.ndim == 0:
        return np.multiply(a, b)
    ndim = max(a.ndim, b.ndim)
    a = a.reshape((1,) * (ndim - a.ndim) + a.shape)
    b = b.reshape((1,) * (ndim - b.ndim) + b.shape)
    blocks = np.expand_dims(a, tuple(range(1, 2 * ndim, 2)))
    product = blocks * np.expand_dims(b, tuple(range(0, 2 * ndim, 2)))
    return product.reshape([n * m for n, m in zip(a.shape, b.shape)])


# ----- Tensors as matrices


@from_source(np.linalg.tensorinv)
def tensorinv(a: Array, ind: Array = 2) -> Array:
    a = np.asarray(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return np.linalg.inv(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)


@from_source(np.linalg.tensorsolve)
def tensorsolve(a: Array, b: Array, axes: Axis = None) -> Array:
    a, b = np.asarray(a), np.asarray(b)
    if axes is not None:
        a = np.moveaxis(a, axes, list(range(a.ndim - len(axes), a.ndim)))
    shape = a.shape[b.ndim - a.ndim :] if a.ndim > b.ndim else a.shape
    size = math.prod(shape)
    if a.size != size**2:
        raise np.linalg.LinAlgError(
            "Input arrays must satisfy the requirement             "
            "prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])"
        )
    return np.linalg.solve(a.reshape(size, size), np.ravel(b)).reshape(shape)
