"""Geometric progressions, and points between samples: `logspace`, `geomspace`, `interp`."""

from __future__ import annotations

import numpy as np

from myia.library.support.from_source import Array, Axis, Dtype, from_source


@from_source(np.logspace)
def logspace(
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    base: Array = 10.0,
    dtype: Dtype = None,
    axis: Axis = 0,
) -> Array:
    if np.ndim(base):
        ndim = max(np.ndim(start), np.ndim(stop), np.ndim(base))
        start, stop, base = [np.array(x, ndmin=ndim) for x in (start, stop, base)]
        base = np.expand_dims(base, axis)
    powers = np.power(base, np.linspace(start, stop, num, endpoint, axis=axis))
    return powers if dtype is None else powers.astype(dtype)


@from_source(np.geomspace)
def geomspace(
    start: Array,
    stop: Array,
    num: int = 50,
    endpoint: bool = True,
    dtype: Dtype = None,
    axis: Axis = 0,
) -> Array:
    """By powers of 10, which are exact; the sign of the first number is put aside for them."""
    start, stop = np.asarray(start), np.asarray(stop)
    if np.any(start == 0) or np.any(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    computed = np.result_type(start, stop, 1.0, np.dtype(dtype))
    start, stop = start.astype(computed), stop.astype(computed)
    sign = np.sign(start)
    start, stop = start / sign, stop / sign
    found = np.logspace(np.log10(start), np.log10(stop), num, endpoint, dtype=computed)
    if num > 0:
        found[0] = start
        if num > 1 and endpoint:
            found[-1] = stop
    found = np.moveaxis(found * sign, 0, axis) if axis else found * sign
    return found if dtype is None else found.astype(dtype)


@from_source(np.interp)
def interp(
    x: Array, xp: Array, fp: Array, left: Array = None, right: Array = None, period: Array = None
) -> Array:
    x, xp, fp = np.asarray(x, float), np.asarray(xp, float), np.asarray(fp)
    fp = fp.astype(complex if fp.dtype.kind == "c" else float, copy=False)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape != fp.shape:
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        x, xp, left, right = x % period, xp % period, None, None
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - np.abs(period), xp, xp[:1] + np.abs(period)))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
    left = fp[0] if left is None else left
    right = fp[-1] if right is None else right
    if fp.dtype.kind != "c":
        return interpolated(x, xp, fp, left, right)
    real = interpolated(x, xp, fp.real, np.real(left), np.real(right))
    imag = interpolated(x, xp, fp.imag, np.imag(left), np.imag(right))
    found = np.zeros((x.size,), complex)
    found.real, found.imag = np.ravel(real), np.where(x != x, 0, imag).ravel()
    return found.reshape(x.shape)[()]


def interpolated(x: Array, xp: Array, fp: Array, left: Array, right: Array) -> Array:
    """On the line through the samples around `x`, from the one or, if that is NaN, from the other.

    At a sample its value, also where the slope is infinite or NaN; between equals these.
    """
    if len(xp) == 1:
        found = fp[0]
    else:
        i = np.clip(np.searchsorted(xp, x, "right") - 1, 0, len(xp) - 2)
        low, high, first, second = xp[i], xp[i + 1], fp[i], fp[i + 1]
        slope = (second - first) / (high - low)
        found = slope * (x - low) + first
        again = slope * (x - high) + second
        found = np.where((x >= xp[-1]) | np.isnan(found), again, found)
        known = np.where(x == high, second, np.where((x == low) | (first == second), first, found))
        found = np.where(x != x, x, np.where(np.isnan(found), known, found))
    return np.where(x < xp[0], left, np.where(x > xp[-1], right, found))[()]
