"""Sample inputs of the primitives of windows, Fourier transforms, scatters and orders."""

from __future__ import annotations

import numpy as np

from myia.primitives.arrays import convolution as v
from myia.primitives.arrays import cumulative as u
from myia.primitives.arrays import fft as f
from myia.primitives.arrays import gather as i
from myia.primitives.arrays import pooling as w
from myia.primitives.arrays import scattering as s
from myia.primitives.arrays import sorting as o
from tests.primitives.case import INEXACT, INTS, NUMBERS, REALS, case

NCHW = ((0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3))
NHWC = ((0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2))
NCW = ((0, 1, 2), (0, 1, 2), (0, 1, 2))


def conv(x, kernel, dims, strides, padding, *, left=None, right=None, groups=(1, 1), dtypes="f8"):
    ones = (1,) * len(strides)
    return case(
        v.convolution,
        x,
        kernel,
        dtypes=dtypes,
        strides=strides,
        padding=padding,
        lhs_dilation=left or ones,
        rhs_dilation=right or ones,
        dims=dims,
        feature_groups=groups[0],
        batch_groups=groups[1],
    )


def window(sizes, strides=None, padding=None, base=None, dilation=None) -> dict:
    ones = (1,) * len(sizes)
    padding = padding or ((0, 0),) * len(sizes)
    return {"window": (sizes, strides or ones, padding, base or ones, dilation or ones)}


OVERLAPPING = window((2, 3), (1, 2), ((1, 0), (1, 2)))
APART = window((2, 2), (3, 2), ((-1, 2), (1, -1)), (2, 1), (1, 2))
HOLLOW = window((2,), (1,), ((3, 3),), (3,))  # some windows see only padding: infinite

ROWS = dict(dims=i.index_dims((1,), (0,), (0,)))
PLACES = dict(dims=i.index_dims((), (0, 1), (0, 1)))
BLOCKS = dict(dims=i.index_dims((0, 1), (), (0, 1)))
BATCH = dict(dims=i.index_dims((), (1,), (1,), (0,), (0,)))


def scattered(primitive, dtypes):
    several = dict(mode="fill", unique=False)
    once = dict(mode="clip", unique=True)
    windows = i.index_dims((1, 2), (), (0, 1))
    return [
        case(primitive, (4, 3), [[2], [0]], (2, 3), dtypes=dtypes, **once, **ROWS),
        case(primitive, (4, 3), [[2], [0], [2]], (3, 3), mode="clip", unique=False, **ROWS),
        case(primitive, (4, 3), [[4], [1], [1], [1]], (4, 3), **several, **ROWS),
        case(primitive, (4, 3), [[0, 1], [3, 9], [0, 1]], (3,), **several, **PLACES),
        case(primitive, (4, 3), [[2, 1], [1, 1]], (2, 2, 2), dims=windows, **several),
        case(primitive, (4, 3), [2, 2], (2, 2), **once, **BLOCKS),
        case(primitive, (4, 3), [[0], [2], [1], [1]], (4,), **once, **BATCH),
    ]


TABLE = [
    # ----- Convolutions
    conv((2, 3, 5), (4, 3, 2), NCW, (1,), ((0, 0),), dtypes=NUMBERS),
    conv((2, 3, 5, 4), (4, 3, 2, 3), NCHW, (2, 1), ((1, 0), (1, 2))),
    conv((2, 5, 4, 3), (2, 3, 3, 4), NHWC, (2, 3), ((1, 0), (2, 2)), left=(2, 1), right=(1, 2)),
    conv((2, 3, 6), (2, 3, 2), NCW, (2,), ((-1, -1),)),
    conv((2, 3, 6), (2, 3, 3), NCW, (3,), ((-1, 1),), left=(2,), right=(2,)),
    conv((1, 4, 5), (6, 2, 2), NCW, (2,), ((1, 1),), groups=(2, 1)),
    conv((4, 3, 5), (6, 3, 2), NCW, (2,), ((1, 1),), groups=(1, 2), dtypes="f8 f4"),
    conv((3, 4, 4, 4), (2, 2, 2, 4), NHWC, (1, 2), ((1, 1), (0, 0)), groups=(2, 1)),
    conv((4, 4, 4, 2), (2, 2, 2, 4), NHWC, (1, 2), ((1, 1), (0, 0)), groups=(1, 2)),
    conv((2, 3), (4, 3), ((0, 1), (0, 1), (1, 0)), (), ()),
    conv((2, 3, 2), (2, 3, 4), NCW, (1,), ((0, 0),)),
    conv((0, 3, 5), (2, 3, 2), NCW, (1,), ((0, 0),)),
    # ----- Sums and extrema of windows
    *(
        case(primitive, shape, dtypes=dtypes, **params)
        for primitive in (w.reduce_window_sum, w.reduce_window_max, w.reduce_window_min)
        for shape, params, dtypes in [
            ((3, 5), OVERLAPPING, f"{REALS} {INTS}"),
            ((3, 5), APART, "f8"),
            ((3,), HOLLOW, "f4 i4"),
            ((2,), window((4,)), "f8"),
            ((), window(()), "f8"),
        ]
    ),
    case(w.reduce_window_sum, (3, 5), dtypes="c16 c8", **OVERLAPPING),
    *(
        case(primitive, x, **params)
        for primitive in (w.window_argmax, w.window_argmin)
        for x, params in [
            ((3, 5), OVERLAPPING),
            ((3, 5), APART),
            (np.array([1.0, 1.0, np.nan, 2.0, np.nan, -np.inf]), window((3,), padding=((2, 2),))),
            (np.array([-np.inf, np.inf]), HOLLOW),
            (np.array([3, 1, 3, 3]), window((3,))),
        ]
    ),
    # ----- Fourier transforms
    case(f.fft, (2, 5), dtypes="c16 c8", lengths=(5,)),
    case(f.fft, (2, 3, 4), dtypes="c16", lengths=(2, 3, 4)),
    case(f.ifft, (2, 6), dtypes="c16 c8", lengths=(6,)),
    case(f.ifft, (2, 3, 4), dtypes="c16", lengths=(3, 4)),
    case(f.rfft, (2, 6), dtypes=REALS, lengths=(6,)),
    case(f.rfft, (2, 3, 5), lengths=(3, 5)),
    case(f.rfft, (1,), lengths=(1,)),
    case(f.irfft, (2, 4), dtypes="c16 c8", lengths=(6,)),
    case(f.irfft, (2, 3, 3), dtypes="c16", lengths=(3, 5)),
    case(f.irfft, (2, 3, 3), dtypes="c16", lengths=(3, 4)),
    case(f.irfft, (1,), dtypes="c16", lengths=(1,)),
    # ----- Scatters
    *scattered(s.scatter_mul, f"{INEXACT} i8"),
    case(
        s.scatter_mul,
        np.array([2.0, 0.0, 3.0]),
        [[0], [2], [0], [1], [0], [2]],
        np.array([0.0, 2.0, 5.0, 4.0, 3.0, 0.0]),
        mode="clip",
        unique=False,
        dims=i.index_dims((), (0,), (0,)),
    ),
    *scattered(s.scatter_max, f"{REALS} {INTS} ?"),
    *scattered(s.scatter_min, f"{REALS} {INTS} ?"),
    # ----- Cumulative operations and orders
    case(u.cumlogsumexp, (2, 5), dtypes=REALS, axis=1, reverse=False),
    case(u.cumlogsumexp, (5, 2), axis=0, reverse=True),
    case(u.cumlogsumexp, np.array([-np.inf, -np.inf, 1.0, np.inf, 2.0]), axis=0, reverse=False),
    case(u.cumlogsumexp, np.array([800.0, 801.0, -900.0]), axis=0, reverse=False),
    case(o.top_k_p, (2, 5), dtypes=f"{REALS} {INTS}", k=3, axis=1),
    case(o.top_k_p, (5, 2), k=2, axis=0),
    case(o.top_k_p, np.array([0.0, np.nan, -0.0, np.inf, 0.0, -np.inf]), k=6, axis=0),
]
