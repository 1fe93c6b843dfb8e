"""Truncated power series in extended precision: derivatives of any order of NumPy code.

A `Series` holds x(t) = c_0 + c_1 t + ... + c_K t^K, each c_k an array; the plain Python function
runs on it, and the k-th derivative is k! c_k. The recurrences are those of Griewank and Walther,
Evaluating Derivatives, section 13.2.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable

import numpy as np

LONG, CLONG = np.longdouble, np.clongdouble


def derivatives(f: Callable, x: float, order: int) -> list[float]:
    """[f(x), f'(x), ..., the derivative of that order]"""
    c = np.zeros(order + 1, LONG)
    c[0], c[1] = x, 1
    y = f(Series(c)).c
    return [float(math.factorial(k) * y[k]) for k in range(order + 1)]


class Series:
    """A power series with coefficients of one shape, which NumPy's functions accept."""

    def __init__(self, c: np.ndarray):
        self.c = c

    @property
    def real(self) -> Series:
        return Series(self.c.real.copy())

    @property
    def imag(self) -> Series:
        return Series(self.c.imag.copy())

    def __getitem__(self, index) -> Series:
        return Series(self.c[(slice(None), *_tuple(index))])

    def __setitem__(self, index, value) -> None:
        self.c[(slice(None), *_tuple(index))] = _like(self.c, value)

    def copy(self) -> Series:
        return Series(self.c.copy())

    def __array_ufunc__(self, ufunc, method, *xs, **kwargs):
        assert method == "__call__" and not kwargs, f"{ufunc}.{method}"
        return UFUNCS[ufunc](*xs)

    def __array_function__(self, f, types, args, kwargs):
        return FUNCTIONS[f](*args, **kwargs)


def _tuple(index) -> tuple:
    return index if isinstance(index, tuple) else (index,)


def _like(c: np.ndarray, x) -> np.ndarray:
    """The coefficients of `x`, as many as in `c`."""
    if isinstance(x, Series):
        return x.c
    x = np.asarray(x)
    dtype = CLONG if x.dtype.kind == "c" else LONG
    return np.concatenate([x[None].astype(dtype), np.zeros((len(c) - 1, *x.shape), dtype)])


def _both(x, y) -> tuple[np.ndarray, np.ndarray]:
    c = x.c if isinstance(x, Series) else y.c
    a, b = _like(c, x), _like(c, y)
    ndim = max(a.ndim, b.ndim)
    return tuple(v.reshape(len(v), *(1,) * (ndim - v.ndim), *v.shape[1:]) for v in (a, b))


def _add(x, y) -> Series:
    return Series(operator.add(*_both(x, y)))


def _negative(x) -> Series:
    return Series(-x.c)


def _subtract(x, y) -> Series:
    return Series(operator.sub(*_both(x, y)))


def _multiply(x, y) -> Series:
    a, b = _both(x, y)
    return Series(np.stack([sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]))


def _divide(x, y) -> Series:
    a, b = _both(x, y)
    q: list[np.ndarray] = []
    for k in range(len(a)):
        q.append((a[k] - sum((q[j] * b[k - j] for j in range(k)), 0 * a[k])) / b[0])
    return Series(np.stack(q))


def _power(x, n: int) -> Series:
    y = x
    for _ in range(n - 1):
        y = y * x
    return y


def _slope(x, y, k: int):
    """The coefficient k of the integral of y x' dt, of which y_0 ... y_(k-1) are known."""
    return sum(j * x.c[j] * y[k - j] for j in range(1, k + 1)) / LONG(k)


def _exp(x) -> Series:
    y = [np.exp(x.c[0])]
    for k in range(1, len(x.c)):
        y.append(_slope(x, y, k))
    return Series(np.stack(y))


def _sin_cos(x) -> tuple[Series, Series]:
    s, c = [np.sin(x.c[0])], [np.cos(x.c[0])]
    for k in range(1, len(x.c)):
        ds, dc = _slope(x, c, k), -_slope(x, s, k)
        s.append(ds)
        c.append(dc)
    return Series(np.stack(s)), Series(np.stack(c))


def _sqrt(x) -> Series:
    y = [np.sqrt(x.c[0])]
    for k in range(1, len(x.c)):
        y.append((x.c[k] - sum(y[j] * y[k - j] for j in range(1, k))) / (2 * y[0]))
    return Series(np.stack(y))


def _compared(compare: Callable) -> Callable:
    return lambda x, y: compare(_both(x, y)[0][0], _both(x, y)[1][0])


def _concatenate(parts) -> Series:
    c = next(x.c for x in parts if isinstance(x, Series))
    return Series(np.concatenate([_like(c, x) for x in parts], axis=1))


UFUNCS = {
    np.add: _add,
    np.subtract: _subtract,
    np.multiply: _multiply,
    np.true_divide: _divide,
    np.negative: _negative,
    np.power: _power,
    np.exp: _exp,
    np.sin: lambda x: _sin_cos(x)[0],
    np.cos: lambda x: _sin_cos(x)[1],
    np.sqrt: _sqrt,
    **{f: _compared(f) for f in (np.less, np.less_equal, np.greater, np.greater_equal)},
}
FUNCTIONS = {
    np.sum: lambda x: Series(x.c.reshape(len(x.c), -1).sum(axis=1)),
    np.dot: lambda x, y: Series((x * y).c.sum(axis=1)),
    np.concatenate: _concatenate,
}
OPERATORS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "pow": np.power,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
for _name, _ufunc in OPERATORS.items():
    setattr(Series, f"__{_name}__", lambda x, y, f=_ufunc: UFUNCS[f](x, y))
    setattr(Series, f"__r{_name}__", lambda x, y, f=_ufunc: UFUNCS[f](y, x))
Series.__neg__ = _negative
