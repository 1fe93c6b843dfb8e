"""Calls of functions from NumPy source, or evaluated at compile time: see `numpy_samples`."""

from __future__ import annotations

import numpy as np

from tests.library.samples.numpy_cases import sample, samples
from tests.library.samples.numpy_samples import S, V, W, X, Z, value

# ----- From NumPy source

for _p in samples("f8 f4 i8 c16", ((3,),)):
    for _m in (0, 1, 2):
        value("polyint", _p, _m)
    value("polyint", _p, 2, k=[1, 2])
    value("polyint", _p, k=3)
    value("polymul", np.where(_p == 0, 1, _p), V, rtol=1e-6)
    value("poly", _p, rtol=1e-6)
value("polymul", [1, 2], 3)
value("poly", sample((3, 3)), rtol=1e-9)
for _p in ([1.0, 2, 5], [1, -6, 11, -6.5], [2, 4j]):
    value("roots", _p, rtol=1e-9)
for _options in ({}, {"w": S}, {"full": True}, {"cov": True}, {"cov": "unscaled"}):
    value("polyfit", np.arange(4.0), S, 2, rtol=1e-6, **_options)
value("polyfit", np.arange(4), np.arange(8).reshape(4, 2), 1, rtol=1e-8)
for _x in (np.array([1, 0, 2, 1]), np.array([1, 0, 2, 1], "i4"), [2, 2]):
    value("bincount", _x, minlength=3)
    value("bincount", _x, np.arange(len(_x)) + 0.5, 3)
value("bincount", np.array([-1]), minlength=3)
for _x in (W, W.astype("f4"), np.arange(6), Z, [1, 2, 2.5]):
    value("histogram", _x, rtol=1e-6)
    value("histogram", _x, 3, rtol=1e-6)
    value("histogram", _x, S, rtol=1e-6)
    value("histogram", _x, 4, (-1, 2))
    value("histogram", _x, 4, density=True, rtol=1e-6)
    value("histogram_bin_edges", _x, 4)
    value("histogram_bin_edges", _x, 4, range=(0, 2))
value("histogram", W, 3, weights=W**2, rtol=1e-10)
value("histogram", np.ones(3), 3)
value("histogram", np.zeros(0), 3)
value("histogram2d", W, W[::-1].copy(), 3)
value("histogram2d", W, np.cos(W), [2, S], density=True)
value("histogramdd", Z[0, :, :2].copy(), 2, weights=V**2)
value("histogramdd", Z[0, :, :3].copy(), (2, 3, 2), density=True)
for _a in (np.array([0, 1, 1]), np.array([[0, 2, 1]])):
    value("choose", _a, [V, 2 * V, 3 * V])
    value("choose", _a, [V, 2, X.astype("f4")])
value("choose", np.array([-4, 7, 1]), [V, 2 * V], mode="clip")
value("choose", np.array([-4, 7, 1]), [V, 2 * V], mode="wrap")
value("choose", np.array([0, 2, 1]), [V, 2 * V])
for _x in (np.array([1 + 2j, 1 - 1j, 0 + 3j]), V, np.array([3, 1, 2], "i2"), X):
    value("sort_complex", _x)
for _x in (*samples("f8 i4 ?", ((2, 3), (3, 3, 2))),):
    for _k in (0, 1, 2, 3, -1):
        value("rot90", _x, _k)
    value("rot90", _x, axes=(1, 0))
    value("rollaxis", _x, 1)
    value("rollaxis", _x, 0, 2)
    value("rollaxis", _x, -1, -1)
    value("unstack", _x)
    value("unstack", _x, axis=-1)
    value("block", [_x, _x])
    value("block", [[_x[0], 1], [2, _x[1]]] if _x.ndim == 2 else [[_x], [_x]])
value("block", X)
value("block", [[1, 2], [3, 4]])
value("ix_", np.arange(2), np.array([2, 0]))
value("ix_", [0, 2], range(3))
for _x in (2, 13, np.array([[22, 41], [3, 0]]), [1, 2], 60):
    value("unravel_index", _x, (7, 8))
    value("unravel_index", _x, (7, 8), order="F")
    value("unravel_index", _x, 56)
value("ravel_multi_index", (np.array([3, 6]), np.array([4, 5])), (7, 8))
value("ravel_multi_index", (np.array([3, 6]), np.array([4, 9])), (7, 8))
value("ravel_multi_index", (np.array([3, 6]), np.array([4, 9])), (7, 8), mode="wrap")
value("ravel_multi_index", (np.array([3, 6]), np.array([4, 9])), (7, 8), mode=("raise", "clip"))
value("ravel_multi_index", (3, 1, 4), (6, 7, 8), order="F")
value("array_equiv", X, X)
value("array_equiv", X, V)
value("array_equiv", [1, 2], [[1, 2], [1, 2]])
for _f in (np.sum, np.sort, np.cumsum, np.outer):
    for _axis in (0, 1, -1):
        value("apply_along_axis", _f, _axis, Z, *([V] if _f is np.outer else []))
value("apply_over_axes", np.sum, Z, [0, 2])
value("fromfunction", np.add, (2, 3))
value("fromfunction", np.multiply, (2, 3), dtype=int)

# ----- Evaluated at compile time

for _name in ("bartlett", "blackman", "hamming", "hanning"):
    for _n in (5, 1, 0):
        value(_name, _n)
for _options in ({}, {"dtype": float}, {"sparse": True}):
    value("indices", (2, 3), **_options)
value("diag_indices", 3)
value("diag_indices_from", sample((3, 3)))
for _name in ("tril_indices", "triu_indices"):
    value(_name, 3)
    value(_name, 3, 1, 4)
    value(f"{_name}_from", X, -1)
for _name in ("iscomplexobj", "isrealobj", "isscalar", "iterable"):
    for _x in (X, X * 1j, 2.0, 1j, np.float64(1)):
        value(_name, _x)
value("broadcast_shapes", (2, 1), (1, 3), 3)
value("can_cast", np.int32, np.float64)
value("can_cast", np.float64, np.float32)
value("common_type", X.astype("f4"), V)
value("common_type", X, 1j * V)
value("issubdtype", np.float32, np.floating)
value("isdtype", np.float32, "real floating")
value("typename", "d")
value("mintypecode", "fd")
value("base_repr", 10, 3)
value("binary_repr", 10)
value("einsum_path", "ij,jk->ik", X, X.T)
for _n in (4, 5):
    value("fft.fftfreq", _n)
    value("fft.rfftfreq", _n)

# ----- Selections and sets: dynamic arrays

T = np.array([3.0, 1, 0, -2, 3, 1, 0])
SETS = {
    "argwhere": lambda x: np.sum(np.argwhere(x)),
    "flatnonzero": lambda x: np.sum(np.flatnonzero(x) ** 2),
    "nonzero": lambda x: np.sum(np.nonzero(x > 0)[0]),
    "extract": lambda x: np.cumsum(np.extract(x > 0, x)).max(),
    "compress": lambda x: np.sum(np.compress([True, False, True], x)),
    "trim_zeros": lambda x: np.sum(np.trim_zeros(x - 3) * 2),
    "unique": lambda x: np.sum(np.sqrt(np.abs(np.unique(x)))),
    "unique_values": lambda x: np.unique_values(x).size,
    "unique_counts": lambda x: np.max(np.unique_counts(x).counts),
    "unique_inverse": lambda x: np.unique_inverse(x).inverse_indices,
    "unique_all": lambda x: np.sum(np.unique_all(x).indices),
    "union1d": lambda x: np.mean(np.union1d(x, [7.0, 1.0])),
    "intersect1d": lambda x: np.sum(np.intersect1d(x, [7.0, 1.0, 0.0])),
    "setdiff1d": lambda x: np.sum(np.setdiff1d(x, [7.0, 1.0])),
    "setxor1d": lambda x: np.sum(np.setxor1d(x, [7.0, 1.0])),
    "piecewise": lambda x: np.piecewise(x, [x < 0, x > 1], [lambda t: -t, lambda t: t.mean(), 5.0]),
}
for _name, _program in SETS.items():
    for _x in (T, T.astype("f4"), T.astype(int)):
        value(_name, _x, by=_program, rtol=1e-6)

# ----- Functions that write into an array


def _put(x, mode):
    y = x.copy()
    np.put(y, [0, -1, 4], [7.5, 1], mode=mode)
    return y


def _filled(x):
    y = x.copy()
    np.fill_diagonal(y, 3)
    return y


def _placed(x):
    y = x.copy()
    np.place(y, y > 0, [7, 8])
    return y


def _masked(x):
    y = x.copy()
    np.putmask(y, y > 0, np.array([7, 8]))
    return y


def _put_along(x):
    y = x.copy()
    np.put_along_axis(y, np.array([[1], [2]]), 9, 1)
    return y


def _copied(x):
    y = x.copy()
    np.copyto(y, np.array([7, 8, 9]))
    return y


for _x in (X, X.astype("f4"), sample((2, 3), "i8"), sample((3, 2))):
    value("put", _x, by=lambda x: _put(x, "raise"))
    value("put", _x, by=lambda x: _put(x, "wrap"))
    value("fill_diagonal", _x, by=_filled)
for _x in (X, X.astype("f4"), sample((2, 3), "i8")):
    value("place", _x, by=_placed)
    value("putmask", _x, by=_masked)
    value("put_along_axis", _x, by=_put_along)
    value("copyto", _x, by=_copied)
value("argpartition", V, by=lambda x: x[np.argpartition(x, 1)][1])
value("partition", V, by=lambda x: np.partition(x, 1)[1])
for _name in ("left_shift", "right_shift"):
    for _d in ("i8", "i4", "u1"):
        value(_name, sample((2, 3), _d), np.array([1, 2, 3], _d))
        value(f"bitwise_{_name}", sample((2, 3), _d), 1)
value("promote_types", np.int32, np.float32)
value("kaiser", 5, by=lambda n: np.kaiser(5, 14.0))
for _name in ("empty", "empty_like"):
    value(_name, X, by=lambda x: np.empty(x.shape).shape + np.empty_like(x).shape)
