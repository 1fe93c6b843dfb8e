"""The rest of the table: functions that make, shape, join, move and multiply arrays."""

from __future__ import annotations

import numpy as np

from tests.library.samples.numpy_cases import ANY, case, sample, samples

X = sample((2, 3))
V = sample((3,))
Z = sample((2, 3, 4))
W = np.arange(24.0).reshape(4, 6)

# ----- Creation

for _shape in (3, (2, 3), (), [2, 0], -1):
    for _f in (np.zeros, np.ones):
        case(_f, _shape)
        case(_f, _shape, np.int32)
        case(_f, _shape, dtype=bool)
        case(_f, _shape, "c8")
case(np.zeros, (2, 3), order="F", refused=True)
for _x in (*samples(ANY), 2.0, 3, [1, 2]):
    for _f in (np.zeros_like, np.ones_like):
        case(_f, _x)
        case(_f, _x, np.float32)
        case(_f, _x, shape=(2,))
    case(np.copy, _x)
    case(np.full_like, _x, 2)
case(np.full_like, sample((3,), "i4"), 2.7)
case(np.full_like, sample((3,), "i4"), 2.7, dtype=float)
for _fill in (1, 2.5, True, 1j, np.float32(2), [1, 2, 3], np.arange(3)):
    case(np.full, (2, 3), _fill)
    case(np.full, 3, _fill, np.complex64)
case(np.full, 3, 7.9, int)
case(np.full, (2, 3), np.arange(2))

for _object in (
    [1, 2, 3], [1.0, 2], [[1, 2], [3, 4.0]], (1, True), 3, 2.5, True, [], [[]], X, [V, V], [1j, 2],
    [np.float32(1), 2.0], np.float32(3), [np.float32(1), np.float32(2)], [[1, 2], [3]], X.T,
):  # fmt: skip
    for _f in (np.array, np.asarray, np.ascontiguousarray):
        case(_f, _object)
        case(_f, _object, np.float32)
    case(np.array, _object, ndmin=2)

for _args in ((3,), (2, 7), (2, 7, 2), (5, 1, -1), (5, 1), (10, 0, -3), (0,), (1, 5, 0)):
    case(np.arange, *_args)
    for _dtype in ("f4", "i4", float):
        case(np.arange, *_args, dtype=_dtype)
for _args in (
    (0, 1, 5), (0.0, 1.0, 3), (2, 2, 4), (0, 1, 1), (0, 1, 0), (1, 5), (V, 1.0, 4), (0, V, 3),
    (np.float32(0), 1, 7), (np.float32(0), np.float64(1), 7), (1j, 2, 3), (0, 1, -1),
):  # fmt: skip
    case(np.linspace, *_args)
    case(np.linspace, *_args, endpoint=False)
    case(np.linspace, *_args, dtype=np.float32)
    case(np.linspace, *_args, dtype=int)
case(np.linspace, 0, 1, 5, retstep=True)
for _args in ((3,), (2, 3), (3, 2, 1), (3, 3, -1), (3, None, 5)):
    case(np.eye, *_args)
    case(np.eye, *_args, dtype=int)
    case(np.tri, *_args)
case(np.identity, 3)
case(np.identity, 3, np.float32)
for _x in samples(ANY):
    for _k in (-1, 0, 1, 5):
        for _f in (np.diag, np.tril, np.triu, np.diagonal, np.trace):
            case(_f, _x, _k)
case(np.diagonal, Z, 0, 1, 2)
case(np.trace, Z, 1, 2, 0)
case(np.triu, Z)
case(np.meshgrid, np.arange(3), np.arange(2.0))
case(np.meshgrid, np.arange(3), np.arange(2.0), indexing="ij")
case(np.meshgrid, np.arange(3), np.arange(2.0), np.arange(4))
for _type in (np.float64, np.float32, np.int64, np.int32, np.bool_, np.complex64):
    for _x in (*samples(ANY), 2, 2.7, True, [1, 2]):
        case(_type, _x)
for _dtypes in ((np.float32, np.int8), (np.int64, np.float32)):
    case(np.result_type, *_dtypes)

# ----- Shapes: the values; that they are views is tested in `test_numpy_views.py`

for _shape in ((6, 4), -1, (2, -1), (24,), (5, 5), (-1, -1), (2, 3, 4, 1), (1, 24)):
    case(np.reshape, Z, _shape)
for _x in (X, X.T, 2.0, 3, [1, 2], W[:, ::2], np.float32(2), sample((0, 3)), Z):
    for _f in (
        np.ravel, np.squeeze, np.transpose, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.flip,
        np.ndim, np.shape, np.size, np.fliplr, np.flipud, np.matrix_transpose,
    ):  # fmt: skip
        case(_f, _x)
    for _axis in (0, -1, (0, 2)):
        case(np.expand_dims, _x, _axis)
        case(np.flip, _x, _axis)
        case(np.size, _x, _axis)
    case(np.reshape, _x, -1)
case(np.squeeze, Z[:1], 0)
case(np.squeeze, Z, 0)
case(np.squeeze, Z[:1, :, :1])
for _axes in ((1, 2, 0), (1, 1, 0), (-1, 0, 1), (0, 1)):
    case(np.transpose, Z, _axes)
for _pair in ((0, -1), (1, 2), (0, 7)):
    case(np.swapaxes, Z, *_pair)
    case(np.moveaxis, Z, *_pair)
case(np.moveaxis, Z, (0, 1), (-1, 0))
case(np.moveaxis, Z, (0, 1), 0)
case(np.broadcast_to, V, (2, 3))
case(np.broadcast_to, 2.0, (3,))
case(np.broadcast_to, Z, (3,))
case(np.broadcast_arrays, Z, sample((4,)), 2.0)

# ----- Joining and splitting

Y = sample((2, 3), "f4")
for _xs in (
    [X, Y], [Y, sample((2, 3), "i4")], (X, X, X), [V, V], [V, sample((2,))], [X, V], [2.0, 3],
    [X, sample((1, 3))], [X, sample((2, 1))], [Y[0], [1.0, 2]], [], X, Z, [np.float32(1), 2.0],
    [X], [[1, 2], [3, 4]], [Z, Z], [X.T, X.T],
):  # fmt: skip
    for _f in (np.concatenate, np.stack):
        for _axis in (0, 1, -1, None, 2, 5):
            case(_f, _xs, _axis)
        case(_f, _xs, dtype=np.float32)
    for _f in (np.vstack, np.hstack, np.column_stack, np.dstack):
        case(_f, _xs)
for _args in ((V, [1, 2]), (X, X, 0), (X, V), (V, 2.0), (Y[0], 2.0)):
    case(np.append, *_args)
for _sections in (2, 3, 5, [1, 3], [2, 2], [3, 9], [1, -1], 0):
    for _f in (np.split, np.array_split):
        case(_f, W, _sections)
        case(_f, W, _sections, -1)
case(np.vsplit, W, 2)
case(np.hsplit, W, 2)
case(np.hsplit, W[0], 3)
case(np.dsplit, Z, 2)

# ----- Repeating, rolling, padding

for _x in (X, V, 2.0, sample((2, 3), "i4"), Y, sample((0, 3)), W.T):
    for _n in (2, 0, (2, 3), (1,), (2, 1, 2), [3]):
        case(np.tile, _x, _n)
        case(np.repeat, _x, _n)
    for _n in (1, 3, 0, -1):
        if np.size(_x) or _n >= 0:
            case(np.repeat, _x, _n, 0)
    case(np.repeat, _x, [1, 2, 0], axis=-1)
    for _n in (1, -1, 7, 0, np.int32(-2)):
        case(np.roll, _x, _n)
        case(np.roll, _x, _n, 0)
        case(np.roll, _x, _n, (0, 1))
    for _width in (1, (1, 2), ((1, 2), (0, 1)), 0, ((1,),), (2,)):
        case(np.pad, _x, _width)
        case(np.pad, _x, _width, constant_values=2.5)
        case(np.pad, _x, _width, constant_values=(1, 2))
        case(np.pad, _x, _width, "edge")
    for _n in (1, 2, 0):
        case(np.diff, _x, _n, refused=np.ndim(_x) == 0)
        case(np.diff, _x, _n, 0, refused=np.ndim(_x) == 0)
    for _f in (np.sort, np.argsort):
        _options = {"stable": True} if _f is np.argsort else {}
        case(_f, _x, refused=np.ndim(_x) == 0, **_options)
        case(_f, _x, 0, refused=np.ndim(_x) == 0, **_options)
        case(_f, _x, None, **_options)
    for _at in (0, -1, [0, 1], [[0, 1], [1, -1]], *((5, [9]) if np.size(_x) else ())):
        case(np.take, _x, _at)
        case(np.take, _x, _at, -1)
    if isinstance(_x, np.ndarray):
        case(np.take_along_axis, _x, np.argsort(_x, axis=-1), -1)
for _mode in ("reflect", "symmetric", "wrap"):
    case(np.pad, W, ((1, 2), (0, 3)), _mode)
    case(np.pad, W, 9, _mode)
case(np.diff, np.array([True, False, True]))
_q = np.array([0.1, 0.5, 0.5, 0.9, np.nan])
for _side in ("left", "right"):
    case(np.searchsorted, _q, 0.5, _side)
    case(np.searchsorted, _q, np.array([[0, 0.5], [np.nan, 2]]), _side)
    case(np.searchsorted, np.arange(5), [1, 7, 2.5], side=_side)
case(np.sort, np.array([3, np.nan, -1.0, 1.0]))

# ----- Products

SHAPES = (
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((3,), (5, 3, 4)),
    ((2, 1, 2, 3), (5, 3, 4)), ((5, 2, 3), (3,)), ((2, 3), (2, 3)), ((0, 3), (3, 2)),
    ((2, 0), (0, 3)), ((), (3,)), ((2,), (3,)), ((5, 2, 3), (4, 3, 4)),
)  # fmt: skip
PAIRS = ("f8 f8", "f4 i4", "? ?", "i4 i4", "c16 f8", "u1 f4")
for _f in (np.matmul, np.dot, np.inner, np.outer, np.kron, np.vdot, np.tensordot):
    for _a, _b in SHAPES:
        for _pair in PAIRS:
            _da, _db = _pair.split()
            # Sums that cancel: on each machine BLAS rounds them in its own way.
            _rtol = 1e-5 if "f4" in _pair else None
            case(_f, sample(_a, _da), sample(_b, _db, 1), rtol=_rtol)
    case(_f, 2.0, V)
    case(_f, [1, 2], [3.0, 4])
for _axes in (1, 0, ([1, 2], [1, 0]), ((2,), (0,)), (1, 1), ((-1,), (0,)), 2, ((0,), (0,))):
    case(np.tensordot, Z, sample((4, 3, 5)), axes=_axes)
for _text, *_shapes in (
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)),
    ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("i,j->ij", (2,), (3,)), ("i,i", (3,), (3,)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,ij->i", (2, 3), (2, 3)), ("ij,kj->ikj", (2, 3), (4, 3)), ("ji", (2, 3)),
    ("i,ij,j", (2,), (2, 3), (3,)), ("ijk,jil->kl", (2, 3, 4), (3, 2, 5)),
    ("ij,jk->ik", (2, 3), (4, 4)), ("iij->j", (3, 3, 2)), ("i,i->", (3,), (2,)), ("i->ii", (2,)),
):  # fmt: skip
    for _dtype in ("f8", "i4", "c16"):
        case(np.einsum, _text, *(sample(s, _dtype, k) for k, s in enumerate(_shapes)))
case(np.einsum, "...i->...", X)

# ----- Methods of ufuncs

for _f in (np.hypot, np.logaddexp, np.fmax, np.subtract, np.divide):
    for _x in (sample((2, 3)), sample((3, 2), "f4")):
        case(_f.reduce, np.abs(_x) + 1, rtol=1e-5)
        case(_f.reduce, np.abs(_x) + 1, axis=1, keepdims=True, rtol=1e-5)
        case(_f.accumulate, np.abs(_x) + 1, axis=-1, rtol=1e-5)
        case(_f.outer, _x, sample((2,), "i4"), rtol=1e-5)
for _f in (np.hypot, np.fmax):
    case(_f.reduce, sample((2, 3, 2)), axis=None, rtol=1e-12)
    case(_f.reduce, sample((2, 3, 2)), axis=(0, 2), rtol=1e-12)
for _f in (np.bitwise_or, np.bitwise_xor, np.gcd, np.lcm, np.logical_xor):
    case(_f.reduce, sample((4, 2), "i4"))
    case(_f.accumulate, sample((4, 2), "i8") + 5)
case(np.hypot.reduce, sample((0, 3)))


def multiplied_at(x):
    y = x.copy()
    np.multiply.at(y, np.array([0, 1, 0]), np.array([[2.0], [3.0], [4.0]]))
    np.maximum.at(y, [1], 0.5)
    return y


case(multiplied_at, sample((2, 3)))
