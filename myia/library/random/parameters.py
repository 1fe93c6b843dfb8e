"""Parameters of distributions, and sizes of what is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np


def real(x: Any) -> Any:
    """A parameter of a distribution."""
    return float(x) if np.ndim(x) == 0 else np.asarray(x, np.float64)


def not_negative(x: Any, name: str) -> Any:
    x = real(x)
    if np.any(x < 0.0):
        raise ValueError(f"{name} < 0")
    return x


def positive(x: Any, name: str) -> Any:
    x = real(x)
    if np.any(x <= 0.0):
        raise ValueError(f"{name} <= 0")
    return x


def as_drawn(x: Any) -> Any:
    """One number is a float of Python."""
    return x if np.ndim(x) else float(x)


def apart(product: Any) -> Any:
    """A product rounded by itself, as NumPy's C code rounds it: XLA would join it to a sum."""
    found = np.where(product == product, product, np.nan)
    return found if np.ndim(product) else float(found)


def part_of(width: Any, u: Any) -> Any:
    """`width * u` for u below 1, rounded by itself: the comparison is always true."""
    product = width * u
    found = np.where(np.abs(product) <= np.abs(width), product, width)
    return found if np.ndim(product) else float(found)


def broadcast_size(size: Any, *parameters: Any) -> Any:
    """The size of samples with these parameters; None: they are numbers."""
    shape = np.broadcast_shapes(*[np.shape(x) for x in parameters])
    if shape == ():
        return size
    if size is None:
        return shape
    given = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if np.broadcast_shapes(shape, given) != given:
        raise ValueError(f"shape mismatch: parameters of shape {shape} for the size {given}")
    return given


def is_float32(dtype: Any, name: str) -> bool:
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise TypeError(f"Unsupported dtype {kind!r} for {name}")
    return bool(kind == np.float32)


def size_of(size: Any, out: Any, dtype: Any) -> Any:
    """The size of what is drawn, which must fit into `out`."""
    if out is None:
        return size
    if out.dtype != np.dtype(dtype):
        text = f"Expected {np.dtype(dtype).name}, got {out.dtype.name}"
        raise TypeError(f"Supplied output array has the wrong type. {text}")
    if size is not None and np.empty(size).shape != out.shape:
        raise ValueError("size must match out.shape when used together")
    return out.shape


def shaped(xs: Any, size: Any, out: Any) -> Any:
    """Numbers as they are asked for: in an array of this size, in `out`, or one Python float."""
    if out is not None:
        out[...] = xs.reshape(out.shape)
        return out
    return float(xs[0]) if size is None else xs.reshape(size)
