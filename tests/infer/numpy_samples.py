"""Calls of functions that are reached by name, to be compared with NumPy: one line a function.

`VALUES` maps a function's qualified name to calls. `rtol` is said where NumPy and JAX compute
differently: by other algorithms, in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy_cases import Call, sample, samples

VALUES: dict[str, list[Call]] = {}
ACCURACY = {"f": 1e-5, "d": 1e-12}


def value(name: str, *args: Any, by: Callable | None = None, refused: bool = False, **options: Any):
    """A call of the function of NumPy with this name (`by`: in this program)."""
    rtol = options.pop("rtol", None)
    call = Call(by or found(name), args, options, refused, rtol)
    VALUES.setdefault(f"numpy.{name}", []).append(call)


def found(name: str) -> Callable:
    f: Any = np
    for part in name.split("."):
        f = getattr(f, part)
    return f


X = sample((2, 3))
V = sample((3,))
W = sample((5,), seed=2)
Z = sample((2, 3, 4))
S = np.array([0.5, 1.5, 2.0, 4.0])
GAPS = np.array([[1.0, np.nan, -2.0], [np.nan, np.nan, 4.0]])
REALS = "f8 f4 i8 i4 u1 ?"
ANY = f"{REALS} c16"

# ----- Sums, extrema and statistics that skip NaN

for _name in ("nansum", "nanprod", "nancumsum", "nancumprod"):
    for _x in (*samples(ANY), GAPS, GAPS.astype("f4"), [1, 2.5], 3.0):
        value(_name, _x)
    for _axis in (0, 1, -1):
        value(_name, GAPS, axis=_axis)
        value(_name, GAPS, _axis, np.float32, rtol=1e-5)
    value(_name, GAPS, axis=2)
for _name in ("nanmax", "nanmin", "nanmean", "nanvar", "nanstd", "nanmedian"):
    for _x in (*samples("f8 f4 i8 i4", ((), (3,), (2, 3))), GAPS, GAPS.astype("f4"), [1, 2.5]):
        value(_name, _x, rtol=1e-6 if getattr(_x, "dtype", 0) == np.float32 else None)
    for _axis in (0, -1):
        value(_name, X, axis=_axis, keepdims=True)
        value(_name, Z, axis=_axis)
        value(_name, GAPS[:, ::2], axis=_axis)
for _name in ("nansum", "nanmax", "nanmean", "nanvar"):
    value(_name, X, where=X > -1, **({"initial": -9.0} if _name == "nanmax" else {}))
value("nanvar", X, ddof=1)
value("nanstd", X, 1, None, None, 1)
for _name in ("nanargmax", "nanargmin"):
    for _x in (*samples("f8 f4 i8", ((3,), (2, 3))), GAPS[:, ::2]):
        value(_name, _x)
        value(_name, _x, axis=-1)
        value(_name, _x, axis=0, keepdims=True)
for _name in ("cumulative_sum", "cumulative_prod"):
    for _x in samples(ANY, ((3,), (0,))):
        value(_name, _x)
    value(_name, X, axis=1)
    value(_name, X, axis=-1, include_initial=True)
    value(_name, V, dtype=np.float32, rtol=1e-5)
    value(_name, X)
for _name in ("quantile", "nanquantile", "percentile", "nanpercentile"):
    _k = 100 if "percent" in _name else 1
    for _x in (*samples("f8 f4 i8 i4", ((3,), (2, 3))), GAPS[:, ::2], [1, 2, 5]):
        value(_name, _x, 0.3 * _k, rtol=1e-6)
        value(_name, _x, [0.0, 0.5 * _k, 1.0 * _k], rtol=1e-6)
        value(_name, _x, 0.25 * _k, axis=-1, rtol=1e-6)
        value(_name, _x, np.array(0.25) * _k, axis=0, keepdims=True, rtol=1e-6)
    for _method in ("lower", "higher", "midpoint", "nearest", "linear"):
        value(_name, W, 0.3 * _k, method=_method)
    value(_name, Z, 0.4 * _k, axis=(0, 2))
    value(_name, W, 1)

# ----- Statistics of several variables, histograms

for _x in (*samples(ANY, ((3,), (2, 3))), Z[0].astype("f4")):
    value("cov", _x, rtol=1e-10)
    value("corrcoef", _x, rtol=1e-10)
for _options in (
    {"rowvar": False}, {"bias": True}, {"ddof": 0}, {"fweights": np.array([1, 2, 1])},
    {"aweights": np.array([0.5, 2.0, 1.0])}, {"dtype": np.float32}, {"y": X + 1},
):  # fmt: skip
    value("cov", X**2, rtol=1e-5 if "dtype" in _options else 1e-10, **_options)
value("corrcoef", X, V, rtol=1e-10)
value("corrcoef", X, rowvar=False)
for _x in samples("f8 f4 i8 i4 u1", ((), (3,), (2, 3), (0, 3))):
    for _bins in (S, S[::-1].copy(), np.array([0, 1, 2]), [0.5, 1]):
        value("digitize", _x, _bins)
        value("digitize", _x, _bins, right=True)

# ----- Signals and polynomials

for _name in ("convolve", "correlate"):
    for _a, _v in ((W, V), (V, W), (V, np.arange(2)), (V.astype("f4"), V.astype("f4")),
                   (np.arange(4), np.arange(3)), (W, 1j * V), (1j * W, V.astype("f4")),
                   (W > 0, V > 0), (V, 2.0), (V, [])):  # fmt: skip
        for _mode in ("full", "same", "valid"):
            value(_name, _a, _v, _mode, rtol=1e-6)
        value(_name, _a, _v)
for _name in ("polyadd", "polysub"):
    for _a, _b in ((V, W), (W, V), (V, 2.0), (np.arange(3), V.astype("f4")), ([1, 2], [3])):
        value(_name, _a, _b)
for _p in (V, np.arange(4), [1, 2.0], V.astype("f4")):
    for _x in (*samples("f8 f4 i8 c16", ((), (2, 3))), 2, 2.5):
        value("polyval", _p, _x, rtol=1e-6)
for _p in samples("f8 f4 i8 c16", ((3,),)):
    for _m in (0, 1, 2):
        value("polyder", _p, _m)
    value("vander", _p)
    value("vander", _p, 2, increasing=True)
for _x in samples("f8 f4 i8 i4", ((), (3,), (2, 3), (0, 3))):
    value("interp", _x, S, S**2)
    value("interp", _x, S, np.sin(S), -1.0, 7)
    value("interp", _x, S, (S**2).astype("f4"))
    value("interp", _x, S, S + 1j * S)
    value("interp", _x, S, S**2, period=3.0)
value("interp", 2.5, [1, 2, 3], [3, 2, 0])
for _y in samples(ANY, ((3,), (2, 3))):
    value("trapezoid", _y)
    value("trapezoid", _y, dx=0.5)
    value("trapezoid", _y, S[:3])
    value("trapezoid", X, axis=0)
for _p in samples("f8 f4 i8", ((3,), (2, 3))):
    value("unwrap", _p * 4, rtol=1e-6)
    value("unwrap", _p * 4, axis=0, rtol=1e-6)
    value("unwrap", _p * 4, period=4, rtol=1e-6)
    value("unwrap", _p * 4, discont=4.0, rtol=1e-6)
for _f in samples("f8 f4 i8 i4 c16", ((3,), (3, 4))):
    value("gradient", _f)
    value("gradient", _f, 2.0)
    value("gradient", _f, edge_order=2)
    value("gradient", _f, axis=-1)
    value("gradient", _f, axis=0)
value("gradient", Z, 0.5, 1.0, 2.0)
value("gradient", W, np.cumsum(np.abs(W)))
value("gradient", Z, axis=(0, 2))
for _x in (*samples("f8 f4 i8"), 2.5):
    value("i0", _x, rtol=1e-6)

# ----- Elementwise

for _name in ("gcd", "lcm"):
    for _dtypes in (("i8", "i8"), ("i4", "i4"), ("i4", "i8"), ("u1", "u1"), ("u1", "i4")):
        _a, _b = (sample((2, 3), d, i) for i, d in enumerate(_dtypes))
        value(_name, _a, _b)
        value(_name, _a, 4)
        value(_name, 6, _b)
    value(_name, np.arange(12), np.arange(12)[::-1].copy())
for _x in (*samples("i8 i4 u1 ?"), 7):
    value("bitwise_count", _x)
for _d in ("f8", "f4"):
    _x = sample((2, 3), _d)
    value("nextafter", _x, 2)
    value("nextafter", _x, sample((3,), _d, 1))
    value("spacing", _x)
    value("ldexp", _x, np.arange(3))
    value("ldexp", _x, np.arange(3).astype("i4"))
    value("ldexp", _x, 2)
    value("frexp", _x)
    value("frexp", np.array([0, 1, 0.5, -3, np.inf, 1e300 if _d == "f8" else 1e30], _d))
    value("modf", _x * 3)
    value("modf", np.array([0, -0.0, np.inf, -np.inf, 2.5, -2.5], _d))
for _x in (*samples(REALS), 7.5):
    value("modf", _x)
for _dx in ["f8", "f4", "i8", "i4", "u1"]:
    for _dy in ["f8", "i4"]:
        value(
            "divmod",
            sample((2, 3), _dx),
            np.where(sample((3,), _dy, 1) == 0, 2, sample((3,), _dy, 1)).astype(_dy),
        )
    value("divmod", sample((2, 3), _dx), 2)
for _name in ("iscomplex", "isreal"):
    for _x in (*samples(ANY), [1, 2 + 0j]):
        value(_name, _x)
for _name in ("isneginf", "isposinf"):
    for _x in (*samples("f8 f4 i8"), np.array([np.inf, -np.inf, np.nan, 0])):
        value(_name, _x)
for _x in samples(REALS):
    value("isin", _x, [1, 2])
    value("isin", _x, np.array([[0.0, 1.0]]), invert=True)

# ----- Products

for _dx in ANY.split():
    for _dy in ("f8", "i4", "c16"):
        value("vecdot", sample((2, 3), _dx), sample((3,), _dy, 1))
        value("matvec", sample((2, 2, 3), _dx), sample((3,), _dy, 1))
        value("vecmat", sample((2,), _dx), sample((2, 3), _dy, 1))
        value("cross", sample((2, 3), _dx), sample((3,), _dy, 1))
value("vecdot", sample((3, 2), "f8"), sample((3, 2), "f8", 1), axis=0)
value("cross", sample((3, 4)), sample((3, 4), "f8", 1), axis=0)
value("cross", sample((3, 4)), sample((4, 3), "f8", 1), 0, 1, 0)

# ----- Arrays taken apart and put together

for _x in samples(ANY, ((), (3,), (2, 3))):
    value("diagflat", _x)
    value("diagflat", _x, 1)
    value("resize", _x, (2, 5))
    value("resize", _x, 4)
for _x in samples("f8 i4", ((3,), (2, 3))):
    value("delete", _x, 1)
    value("delete", _x, [0, 1])
    value("delete", _x, slice(0, 2), axis=-1)
    value("delete", _x, -1, axis=0)
    value("ediff1d", _x)
    value("ediff1d", _x, to_end=7, to_begin=_x.ravel()[:2])
value("lexsort", (np.array([1, 2, 1, 0]), np.array([2.0, 1.0, 2.0, 1.0])))
value("lexsort", np.array([[1, 2, 1, 0], [2, 1, 2, 1]]))
value("packbits", sample((2, 9), "?"))
value("packbits", sample((2, 9), "?"), axis=1, bitorder="little")
value("unpackbits", sample((3,), "u1"))
value("unpackbits", sample((2, 3), "u1"), axis=0)
for _args in (
    (1, 1000, 4),
    (1.0, 64.0, 7),
    (np.float32(2), np.float32(32), 5),
    (V * 0 + 1, 8.0, 4),
):
    value("geomspace", *_args, rtol=1e-6)
    value("geomspace", *_args, endpoint=False, rtol=1e-6)
for _args in ((0, 3, 4), (0.0, 1.5, 7), (np.float32(1), np.float32(2), 5), (V, 2.0, 4)):
    value("logspace", *_args, rtol=1e-6)
    value("logspace", *_args, base=2.0, rtol=1e-6)
for _obj in (1, [0, 2], -1):
    value("insert", V, _obj, 7)
    value("insert", V, _obj, 2.5, axis=0)
    value("insert", sample((2, 3), "i4"), _obj, 2.7, axis=1)
value("insert", X, 1, V, axis=0)

# ----- Written in NumPy

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
    value("bincount", _x, refused=True)
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

# ----- Computed while compiling

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

# ----- Linear algebra

LINALG = "f8 f4 i8 c16"


def matrices(dtypes: str = LINALG, shape: tuple[int, ...] = (3, 3)) -> list[np.ndarray]:
    """Well-conditioned matrices, one of each dtype, and a stack of them."""
    one = np.eye(shape[-1], dtype=int)[: shape[-2]] * 4
    found = [sample(shape, d) + one.astype(d) for d in dtypes.split()]
    return [*found, np.stack([found[0], 2 * found[0]])]


def positive(dtypes: str = LINALG) -> list[np.ndarray]:
    return [m @ np.swapaxes(m, -1, -2).conj() for m in matrices(dtypes)]


for _m in matrices():
    _rtol = 1e-4 if _m.dtype == np.float32 else 1e-9
    for _name in ("inv", "det", "pinv", "slogdet", "svdvals", "cond", "matrix_rank"):
        value(f"linalg.{_name}", _m, rtol=_rtol)
    value("linalg.inv", _m[..., :2])
    value("linalg.det", _m[..., :2])
    for _n in (0, 1, 3, -1, -2):
        value("linalg.matrix_power", _m, _n, rtol=_rtol)
    value("linalg.solve", _m, V, rtol=_rtol) if _m.ndim == 2 else None
    value("linalg.solve", _m, X.T, rtol=_rtol)
    for _order in (None, 1, -1, "fro", 2, -2, "nuc"):
        value("linalg.cond", _m, _order, rtol=_rtol)
    for _order in (1, -1, "fro", 2, -2, "nuc"):
        value("linalg.matrix_norm", _m, ord=_order, rtol=_rtol)
        value("linalg.norm", _m, _order, (-2, -1), rtol=_rtol)
        value("linalg.norm", _m, _order, (-2, -1), True, rtol=_rtol)
    value("linalg.norm", _m, by=lambda m: np.linalg.norm(m, np.inf, (0, -1)), rtol=_rtol)
    value("linalg.cond", _m, by=lambda m: np.linalg.cond(m, -np.inf), rtol=_rtol)
    value("linalg.matrix_norm", _m, by=lambda m: np.linalg.matrix_norm(m, ord=-np.inf), rtol=_rtol)
    value("linalg.vector_norm", _m, by=lambda m: np.linalg.vector_norm(m, ord=np.inf), rtol=_rtol)
    value("linalg.vector_norm", _m, by=lambda m: np.linalg.vector_norm(m, ord=2.5), rtol=_rtol)
    for _order in (0, 1, -1, 2, 3):
        value("linalg.vector_norm", _m, ord=_order, axis=-1, keepdims=True, rtol=_rtol)
        value("linalg.vector_norm", _m, ord=_order, rtol=_rtol)
    value("linalg.diagonal", _m, offset=1)
    value("linalg.trace", _m, offset=-1, rtol=1e-6)
    value("linalg.matrix_transpose", _m)
    value("linalg.matmul", _m, V, rtol=1e-6)
    value("linalg.tensordot", _m, _m.copy(), axes=1, rtol=1e-6)
    for _mode in ("reduced", "complete", "r"):
        value("linalg.qr", _m, _mode, rtol=_rtol)
        value("linalg.qr", _m[..., :2], _mode, rtol=_rtol)
value("linalg.pinv", X, rtol=1e-9)
value("linalg.pinv", X.T, 0.3, rtol=1e-9)
value("linalg.matrix_rank", np.ones((3, 4)))
value("linalg.slogdet", -np.eye(3))
for _m in positive():
    _rtol = 1e-4 if _m.dtype == np.float32 else 1e-9
    for _options in ({}, {"upper": True}):
        value("linalg.cholesky", _m, rtol=_rtol, **_options)
    value("linalg.eigvalsh", _m, rtol=_rtol)
    value("linalg.eigvalsh", _m, "U", rtol=_rtol)
value("linalg.eigvals", np.array([[1.0, -2], [3, 1]]), rtol=1e-9)
for _a, _b in ((X.T, V), (X.T, X.T), (X, V[:2]), (X.T.astype("f4"), V.astype("f4"))):
    value("linalg.lstsq", _a, _b, rtol=1e-4 if _a.dtype == np.float32 else 1e-9)
value("linalg.lstsq", X.T, V, -1, rtol=1e-9)
value("linalg.multi_dot", [X, X.T, X], rtol=1e-9)
value("linalg.multi_dot", [V, X.T, X, V], rtol=1e-9)
value("linalg.outer", V, W)
value("linalg.vecdot", X, V)
value("linalg.cross", X, V)
_t = sample((2, 3, 6)) + np.eye(6).reshape(2, 3, 6)
value("linalg.tensorsolve", _t, X, rtol=1e-9)
value("linalg.tensorinv", _t.reshape(2, 3, 3, 2), rtol=1e-9)
value("linalg.tensorinv", _t.reshape(6, 3, 2), ind=1, rtol=1e-9)

# ----- Fourier transforms

for _x in (sample((6,)), sample((2, 5)), sample((6,), "c16"), np.arange(6), sample((6,), "f4")):
    _rtol = 1e-5 if _x.dtype == np.float32 else 1e-11
    _names = ["fft", "ifft", "irfft", "hfft"] + ["rfft", "ihfft"] * (_x.dtype.kind != "c")
    for _name in _names:
        for _args in ((), (4,), (9,)):
            value(f"fft.{_name}", _x, *_args, rtol=_rtol)
        for _norm in ("ortho", "forward", "backward"):
            value(f"fft.{_name}", _x, norm=_norm, rtol=_rtol)
        value(f"fft.{_name}", _x, axis=0, rtol=_rtol)
for _x in (sample((4, 6)), sample((4, 6), "c16"), sample((2, 4, 3), "f4")):
    _rtol = 1e-5 if _x.dtype == np.float32 else 1e-11
    for _name in ["fft", "ifft", "irfft"] + ["rfft"] * (_x.dtype.kind != "c"):
        for _options in ({}, {"s": (3, 5)}, {"axes": (1, 0)}, {"norm": "ortho"}):
            value(f"fft.{_name}2", _x, rtol=_rtol, **_options)
            value(f"fft.{_name}n", _x, rtol=_rtol, **{"axes": (0, 1), **_options})
for _x in (np.arange(5), X):
    for _name in ("fftshift", "ifftshift"):
        value(f"fft.{_name}", _x)
        value(f"fft.{_name}", _x, axes=0)
