"""Calls of NumPy's functions to be compared with NumPy: a table, one line a function.

`CASES` maps a function's name to its calls. What we refuse although NumPy computes it is said with
`refused`; where NumPy raises, we must refuse or raise too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SHAPES = ((), (3,), (2, 3), (0, 3))
REALS = "f8 f4 i8 i4 u1 ?"
ANY = f"{REALS} c16"
EVERY = f"{ANY} f2 c8 i1"
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5, 0.05])


@dataclass(frozen=True)
class Call:
    """One call; `refused`: we do not compute it. `rtol`: NumPy and XLA round differently."""

    f: Callable
    args: tuple
    options: dict[str, Any] = field(default_factory=dict)
    refused: bool = False
    rtol: float | None = None

    def __str__(self) -> str:
        given = [*map(_short, self.args), *(f"{k}={v!r}" for k, v in self.options.items())]
        return f"{name_of(self.f)}({', '.join(given)})"


def _short(x: Any) -> str:
    return f"{x.dtype}{list(x.shape)}" if isinstance(x, np.ndarray) else repr(x)


def name_of(f: Callable) -> str:
    owner = getattr(f, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{owner.__name__}.{f.__name__}"
    prefix = "linalg." if f is np.linalg.norm else ""
    return prefix + f.__name__


CASES: dict[str, list[Call]] = {}


def case(f: Callable, *args: Any, refused: bool = False, rtol=None, **options: Any) -> None:
    CASES.setdefault(name_of(f), []).append(Call(f, args, options, refused, rtol))


def sample(shape: tuple[int, ...], dtype: str = "f8", seed: int = 0) -> Any:
    """Numbers of both signs, small; a NumPy scalar for shape ()."""
    d = np.dtype(dtype)
    rng = np.random.default_rng([seed, len(shape), *shape])
    if d.kind == "b":
        x = rng.integers(0, 2, shape)
    elif d.kind in "iu":
        x = rng.integers(-4 if d.kind == "i" else 0, 5, shape)
    elif d.kind == "c":
        x = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    else:
        x = rng.normal(size=shape)
    return np.asarray(x).astype(d)[()] if shape == () else np.asarray(x).astype(d)


def samples(dtypes: str, shapes: Iterable = SHAPES) -> list[Any]:
    return [sample(shape, dtype) for dtype in dtypes.split() for shape in shapes]


# ----- Ufuncs

UNARY = [
    np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh,
    np.arcsinh, np.arccosh, np.arctanh, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10,
    np.log1p, np.sqrt, np.cbrt, np.square, np.absolute, np.fabs, np.negative, np.positive, np.sign,
    np.floor, np.ceil, np.trunc, np.rint, np.isnan, np.isinf, np.isfinite, np.signbit,
    np.logical_not, np.invert, np.conjugate, np.deg2rad, np.rad2deg, np.degrees, np.radians,
]  # fmt: skip

BINARY = [
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.fmod,
    np.power, np.float_power, np.maximum, np.minimum, np.fmax, np.fmin, np.arctan2, np.hypot,
    np.logaddexp, np.logaddexp2, np.copysign, np.heaviside, np.logical_and, np.logical_or,
    np.logical_xor, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.equal, np.not_equal,
    np.less, np.less_equal, np.greater, np.greater_equal,
]  # fmt: skip

UNORDERED = {  # on complex numbers
    np.maximum, np.minimum, np.fmax, np.fmin, np.less, np.less_equal, np.greater, np.greater_equal,
}  # fmt: skip


def _is(x: Any, kinds: str) -> bool:
    return np.asarray(x).dtype.kind in kinds


def _refused_binary(f: np.ufunc, x: Any, y: Any) -> bool:
    return f in UNORDERED and (_is(x, "c") or _is(y, "c"))


for _f in UNARY:
    for _x in (*samples(EVERY), 2.5, 3, True, [0.5, 1], SPECIAL, SPECIAL.astype("f4")):
        case(_f, _x)
    case(_f, sample((3,)), dtype=np.float32)
    case(_f, sample((3,), "i4"), dtype=np.float64)

for _f in BINARY:
    for _dx, _dy in itertools.product(ANY.split(), ["f8", "f4", "i4", "u1", "?", "c16"]):
        _x, _y = sample((2, 3), _dx), sample((3,), _dy, 1)
        case(_f, _x, _y, refused=_refused_binary(_f, _x, _y))
    for _dx in ANY.split():
        for _s in (2.0, 2, True, 0):
            _x = sample((3,), _dx)
            case(_f, _x, _s, refused=_refused_binary(_f, _x, _s))
            case(_f, _s, _x, refused=_refused_binary(_f, _s, _x))
    case(_f, SPECIAL[:, None], SPECIAL)
    case(_f, SPECIAL.astype("f4"), 1.0)
    case(_f, sample((2,)), sample((3,)))

# NumPy leaves 1 / 0 of integers undefined.
for _x in (*samples("f8 f4 f2 c16"), np.array([1, -1, 2, 7]), 3, SPECIAL):
    case(np.reciprocal, _x)

# ----- Selection, clipping, rounding

MASK = np.array([True, False, True])
for _x in samples(ANY):
    case(np.where, _x, 1.0, 0)
    case(np.where, MASK, _x, _x)
    case(np.where, _x, _x, 2)
    for _low, _high in ((-1, 1), (0, 1), (0.0, None), (np.float32(0), 1.5), (None, 1)):
        case(np.clip, _x, _low, _high, refused=_is(_x, "c"))
    for _n in (0, 2, -1):
        case(np.round, _x, _n, refused=_is(_x, "biu") and _n < 0)
    case(np.fix, _x)
    case(np.angle, _x)
    case(np.angle, _x, deg=True)
    case(np.sinc, _x)
    case(np.isclose, _x, 1.0)
    case(np.allclose, _x, _x)
    case(np.array_equal, _x, _x)
    case(np.array_equal, _x, np.asarray(_x)[..., None])
    case(np.nan_to_num, _x)
    case(np.real, _x)
    case(np.imag, _x)
case(np.round, 2.5)
case(np.real, 2.5)
case(np.imag, 1j)
case(np.isclose, SPECIAL, SPECIAL)
case(np.isclose, SPECIAL, SPECIAL, equal_nan=True)
case(np.isclose, SPECIAL[:, None], SPECIAL)
case(np.allclose, SPECIAL, SPECIAL, 1e-3, 1e-3)
case(np.nan_to_num, SPECIAL, nan=3, posinf=1.0, neginf=-2)
case(np.nan_to_num, SPECIAL.astype("f4"))
case(np.sinc, SPECIAL)
for _x in samples("f8 f4 i4"):
    case(np.select, [_x > 0, _x < 0], [_x, 2])
    case(np.select, [_x > 0], [_x], 1.5)

# ----- Reductions

FOLDS = [np.sum, np.prod, np.mean, np.var, np.std, np.any, np.all, np.count_nonzero]
EXTREMA = [np.max, np.min, np.amax, np.amin, np.ptp]
POSITIONS = [np.argmax, np.argmin]
RUNNING = [np.cumsum, np.cumprod]

for _f in (*FOLDS, *EXTREMA, *POSITIONS, *RUNNING, np.median, np.linalg.norm):
    _ordered = _f in (*EXTREMA, *POSITIONS, np.median)
    for _x in samples(ANY if _f is np.median else f"{ANY} f2"):
        _no = _ordered and _is(_x, "c")
        case(_f, _x, refused=_no)
        case(_f, _x, 0, refused=_no) if _f is not np.linalg.norm else None
        case(_f, _x, axis=-1, refused=_no)
        if _f not in RUNNING:
            case(_f, _x, axis=0, keepdims=True, refused=_no)
            case(_f, _x, keepdims=True, refused=_no)
        if _f not in (*RUNNING, *POSITIONS):
            case(_f, _x, axis=(0, 1), refused=_no)
            case(_f, _x, axis=(-1, 0), keepdims=True, refused=_no)
    case(_f, [1.0, 2.0])
    case(_f, (1, 2, 3))
    case(_f, 3.0)
    case(_f, SPECIAL)
    case(_f, np.ones((2, 3)), axis=2)

for _f in (np.sum, np.prod, np.mean, np.std, np.cumsum):
    case(_f, sample((2, 3), "i4"), dtype=np.float32)
    case(_f, sample((2, 3)), axis=1, dtype="f4")
    case(_f, sample((2, 3)), dtype=float)
case(np.mean, np.array([8388609, 8388609], np.int32))
case(np.var, sample((2, 3)), ddof=1)
case(np.std, sample((2, 3)), 1, ddof=1)
case(np.var, sample((2, 3)), 0, ddof=3)
case(np.median, np.array([3.0, np.nan, 1.0]))
case(np.sum, sample((3,)), where=MASK)
case(np.max, sample((3,)), initial=0.0)

for _order in (None, 1, -1, 0):
    case(np.linalg.norm, sample((3,)), _order)
    case(np.linalg.norm, sample((2, 3)), _order, 0)
for _order in (None, 1, -1, "fro"):
    case(np.linalg.norm, sample((2, 3)), _order)
    case(np.linalg.norm, sample((2, 3)), _order, (1, 0), True)
case(np.linalg.norm, sample((2, 3)), 3, 1)
case(np.linalg.norm, sample((2, 3)), 2, rtol=1e-12)
case(np.linalg.norm, sample((2, 3, 4)))
case(np.linalg.norm, sample((2, 3, 4)), 2)
case(np.linalg.norm, np.zeros(3))

for _x in samples("f8 f4 i4", ((3,), (2, 3))):
    case(np.average, _x)
    case(np.average, _x, 0)
    case(np.average, _x, -1, np.arange(3.0))
    case(np.average, _x, weights=np.ones(np.shape(_x), np.int32))
case(np.average, sample((2, 3)), 0, np.array([1.0, -1.0]))
case(np.average, sample((2, 3)), None, np.arange(3.0))

for _u in (np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or):
    for _x in samples("f8 i4 ?", ((3,), (2, 3))):
        case(_u.reduce, _x)
        case(_u.reduce, _x, axis=-1, keepdims=True)
        case(_u.reduce, _x, None)
for _u in (np.add, np.multiply, np.maximum, np.minimum):
    for _x in samples("f8 i4", ((3,), (2, 3))):
        case(_u.accumulate, _x)
        case(_u.accumulate, _x, axis=-1)
for _u in (np.subtract, np.multiply, np.maximum, np.less):
    case(_u.outer, sample((3,)), sample((2, 2), "f4"))
    case(_u.outer, sample((3,)), 2.0)
    case(_u.outer, sample((2,), "i4"), sample((3,)))
