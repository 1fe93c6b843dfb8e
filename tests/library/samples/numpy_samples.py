"""Calls of functions traced from JAX, to be compared with NumPy: one line a function.

`VALUES` maps a function's qualified name to calls. `rtol` is said where NumPy and JAX compute
differently: by other algorithms, in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from numpy.lib import NumpyVersion

from tests.library.samples.numpy_cases import Call, sample, samples

VALUES: dict[str, list[Call]] = {}

# NumPy 2.2 takes a NumPy number for a Python number: its dtype has no part in the result's.
QUARTER = np.array(0.25) if NumpyVersion(np.__version__) >= "2.4.0" else 0.25


def value(name: str, *args: Any, by: Callable | None = None, refused: bool = False, **options: Any):
    """A call of the function of NumPy (`scipy.…`: of SciPy) of this name; `by`: in this program."""
    rtol = options.pop("rtol", None)
    call = Call(by or found(name), args, options, refused, rtol)
    VALUES.setdefault(name if name.startswith("scipy") else f"numpy.{name}", []).append(call)


def found(name: str) -> Callable:
    root, _, rest = name.partition(".")
    f: Any = scipy if root == "scipy" else np
    for part in (rest if root == "scipy" else name).split("."):
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
        value(_name, _x, QUARTER * _k, axis=0, keepdims=True, rtol=1e-6)
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
    for _n in (0, 1, 2, 5, 18):
        value("vander", _p, _n, increasing=True, rtol=1e-6)
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

# ----- Splitting and joining

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
