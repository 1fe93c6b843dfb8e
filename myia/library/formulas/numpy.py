"""`numpy`: functions that `jax.numpy` lacks or defines otherwise than NumPy, as compositions.

They are only ever traced, at avals whose dtypes are those that NumPy computes in.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from myia.library.formulas.lookup import formula

# ----- Parts of floating-point numbers: exponents have no derivative


@formula("numpy.ldexp")
def ldexp(x1: Array, x2: Array) -> Array:
    """By two factors: one of them alone may overflow."""
    half = x2 // 2
    ones = jnp.ones(x1.shape, x1.dtype)
    return x1 * jnp.ldexp(ones, half) * jnp.ldexp(ones, x2 - half)


@formula("numpy.frexp")
def frexp(x: Array) -> tuple[Array, Array]:
    exponent = jnp.frexp(lax.stop_gradient(x))[1]
    finite = jnp.isfinite(x)
    return jnp.where(finite, ldexp(jnp.where(finite, x, 0), -exponent), x), exponent


@formula("numpy.spacing")
def spacing(x: Array) -> Array:
    """From the bits: a difference of neighbours is subnormal near 0, and XLA makes that zero."""
    info, width = jnp.finfo(x.dtype), 8 * x.dtype.itemsize
    dtype, digits = np.dtype(f"i{x.dtype.itemsize}"), info.nmant
    given = lax.bitcast_convert_type(x, dtype)
    size = given & dtype.type(2 ** (width - 1) - 1)
    is_negative = (given < 0) & (size > 0)
    towards_zero = is_negative & (width == 16)  # NumPy takes the next greater float16
    largest = lax.bitcast_convert_type(info.max, dtype)
    exponent = jnp.maximum((size - towards_zero) >> digits, 1)
    bits = jnp.where(
        exponent > digits,
        (exponent - digits) << digits,
        jnp.ones((), dtype) << jnp.clip(exponent - 1, 0, digits),
    )
    found = lax.bitcast_convert_type(bits, x.dtype)
    found = jnp.where((size == largest) & ~towards_zero, jnp.inf, found)
    negated = lax.bitcast_convert_type(
        lax.bitcast_convert_type(found, dtype) | dtype.type(-(2 ** (width - 1))), x.dtype
    )
    found = jnp.where(is_negative & ~towards_zero, negated, found)
    return jnp.where(size > largest, jnp.nan, found)


# ----- Divisors, in unsigned integers: these hold the magnitude of the least signed integer


def _magnitude(x: Array) -> Array:
    return jnp.abs(x).astype(f"u{x.dtype.name.removeprefix('u')}")


@formula("numpy.gcd")
def gcd(x1: Array, x2: Array) -> Array:
    return jnp.gcd(_magnitude(x1), _magnitude(x2)).astype(x1.dtype)


@formula("numpy.lcm")
def lcm(x1: Array, x2: Array) -> Array:
    size1, size2 = _magnitude(x1), _magnitude(x2)
    divisor = jnp.gcd(size1, size2)
    multiple = size1 // jnp.where(divisor == 0, 1, divisor) * size2
    return multiple.astype(x1.dtype)


# ----- Sliding products: in integers exact, which a convolution of XLA is not on every device


@formula("numpy.convolve")
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    a, v = jnp.atleast_1d(a), jnp.atleast_1d(v)
    if jnp.issubdtype(a.dtype, jnp.inexact):
        return jnp.convolve(a, v, mode=mode)
    long, short = (a, v) if a.size >= v.size else (v, a)
    return _sliding_products(long, short[::-1], mode)


@formula("numpy.correlate")
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    if jnp.issubdtype(a.dtype, jnp.inexact):
        return jnp.correlate(a, v, mode=mode)
    return (
        _sliding_products(a, v, mode) if a.size >= v.size else _sliding_products(v, a, mode)[::-1]
    )


def _sliding_products(x: Array, kernel: Array, mode: str) -> Array:
    """`sum(x[k : k + n] * kernel)` for all k, `n` the size of the kernel."""
    n = kernel.size
    if n == 0:
        raise ValueError("v cannot be empty")
    pads = {"full": (n - 1, n - 1), "same": (n // 2, n - n // 2 - 1), "valid": (0, 0)}
    x = jnp.pad(x, pads[mode])
    slices = x[np.arange(x.size - n + 1)[:, None] + np.arange(n)]
    if x.dtype == bool:
        return jnp.any(slices & kernel, axis=1)
    return jnp.sum(slices * kernel, axis=1, dtype=x.dtype)


# ----- Differences


@formula("numpy.gradient")
def gradient(f: Array, *varargs: Array, axis: Any = None, edge_order: int = 1) -> Any:
    """Second-order central differences: `numpy.gradient`."""
    given = range(f.ndim) if axis is None else np.atleast_1d(axis)
    axes = [int(i) % f.ndim for i in given]
    spacings = list(varargs) or [jnp.ones((), f.dtype)]
    spacings = spacings * len(axes) if len(spacings) == 1 and spacings[0].ndim == 0 else spacings
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    slopes = tuple(
        jnp.moveaxis(_slope_along_last(jnp.moveaxis(f, i, -1), h, edge_order), -1, i)
        for i, h in zip(axes, spacings)
    )
    return slopes[0] if len(slopes) == 1 else slopes


def _slope_along_last(f: Array, spacing: Array, edge_order: int) -> Array:
    """The slope along the last axis. `spacing`: a number, or the coordinates of the samples."""
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    n = f.shape[-1]
    if n < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    if spacing.ndim == 0:
        steps = jnp.broadcast_to(spacing, (n - 1,))
    elif spacing.shape == (n,):
        steps = jnp.diff(spacing)
    else:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    inner = _central_differences(f, steps)
    ends = (
        _edge_difference(f, steps, edge_order),
        -_edge_difference(f[..., ::-1], steps[::-1], edge_order),
    )
    return jnp.concatenate([ends[0][..., None], inner, ends[1][..., None]], axis=-1)


def _central_differences(f: Array, steps: Array) -> Array:
    """The slope of the parabola through three adjacent samples; `steps` need not be equal."""
    before, after = steps[:-1], steps[1:]
    slopes = jnp.diff(f) / steps
    return (after * slopes[..., :-1] + before * slopes[..., 1:]) / (before + after)


def _edge_difference(f: Array, steps: Array, edge_order: int) -> Array:
    """The slope at the first sample."""
    first = (f[..., 1] - f[..., 0]) / steps[0]
    if edge_order == 1:
        return first
    second = (f[..., 2] - f[..., 1]) / steps[1]
    return first + (first - second) * steps[0] / (steps[0] + steps[1])


# ----- Elements left out and put in


@formula("numpy.delete")
def delete(arr: Array, obj: Any, axis: int | None = None) -> Array:
    """`obj` is a compile-time value, so the indices that are kept are known."""
    whole = arr.ravel() if axis is None else arr
    axis = 0 if axis is None else axis
    kept = np.delete(np.arange(whole.shape[axis]), list(obj) if isinstance(obj, tuple) else obj)
    return jnp.take(whole, kept, axis=axis)


@formula("numpy.insert")
def insert(arr: Array, values: Array, *, obj: Any, axis: int | None = None) -> Array:
    """`obj` is a compile-time value, so the source index of each element is known."""
    whole = arr.ravel() if axis is None else arr
    axis = 0 if axis is None else axis % whole.ndim
    n = whole.shape[axis]
    obj = np.arange(n)[obj] if isinstance(obj, slice) else np.asarray(obj)
    obj = np.flatnonzero(obj) if obj.dtype == bool else obj
    obj = obj if obj.size else obj.astype(int)
    values = values.reshape((1,) * (whole.ndim - values.ndim) + values.shape).astype(arr.dtype)
    if obj.ndim == 0:  # all values are inserted before one index
        values = jnp.moveaxis(values, 0, axis)
    count = values.shape[axis] if obj.size == 1 else obj.size
    rows = [count if i == axis else length for i, length in enumerate(whole.shape)]
    both = jnp.concatenate([whole, jnp.broadcast_to(values, rows)], axis=axis)
    indices = np.insert(np.arange(n), obj, np.arange(n, n + count))
    return jnp.take(both, indices, axis=axis)


# ----- Sets


@formula("numpy.isin")
def isin(
    element: Array,
    test_elements: Array,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Array:
    """By comparing all pairs; by bisection where there are more than 64 test elements."""
    method = "binary_search" if test_elements.size > 64 else "compare_all"
    return jnp.isin(element, test_elements, assume_unique, invert, method=method)


# ----- scipy.signal: convolutions of integers are exact where they are of one axis


def _exact_for_integers(name: str) -> None:
    of_floats = getattr(jax.scipy.signal, name)
    of_integers = {"convolve": convolve, "correlate": correlate}.get(name)

    def convolved(in1: Array, in2: Array, mode: str = "full", **options: Any) -> Array:
        if jnp.issubdtype(in1.dtype, jnp.inexact):
            return of_floats(in1, in2, mode, **options)
        if of_integers is None or in1.ndim != 1 or mode == "same":
            raise NotImplementedError("convert integers to floats")
        return of_integers(in1, in2, mode)

    formula(f"scipy.signal.{name}")(convolved)


for _name in ("convolve", "correlate", "convolve2d", "correlate2d"):
    _exact_for_integers(_name)


# ----- Products


@formula("numpy.einsum")
def einsum(*arrays: Array, subscripts: str) -> Array:
    return jnp.einsum(subscripts, *arrays)
