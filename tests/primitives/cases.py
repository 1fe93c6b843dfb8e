"""Sample inputs of every primitive: one line a primitive, several dtypes and shapes a line.

`CASES` maps the name of a primitive to its cases. The samples of a case lie where the operation is
smooth; kinks, ties and special values have tests of their own.
"""

from __future__ import annotations

import itertools

import numpy as np

from myia.ir.avals import Aval
from myia.primitives.arrays import cumulative as u
from myia.primitives.arrays import dynamic_slices as w
from myia.primitives.arrays import gather as i
from myia.primitives.arrays import reductions as r
from myia.primitives.arrays import scattering as j
from myia.primitives.arrays import shaping as s
from myia.primitives.arrays import sorting as o
from myia.primitives.core import barriers, define, effects, host_calls, platforms
from myia.primitives.linalg import dot as m
from myia.primitives.pointwise import arithmetic as a
from myia.primitives.pointwise import logic as g
from myia.primitives.pointwise import transcendental as e
from myia.primitives.pointwise.integer_quotient import integer_quotient
from tests.primitives import linalg_cases, special_cases, window_cases
from tests.primitives.case import (
    ANY,
    BITS,
    INEXACT,
    INTS,
    MODERATE,
    NUMBERS,
    ORDERED,
    POSITIVE,
    REALS,
    UNIT,
    WIDE,
    Case,
    at,
    case,
    pointwise,
)

ROWS = dict(dims=i.index_dims((1,), (0,), (0,)))  # whole rows of a matrix, at indices (n, 1)
PLACES = dict(dims=i.index_dims((), (0, 1), (0, 1)))  # single elements of one, at (n, 2)
BLOCKS = dict(dims=i.index_dims((0, 1), (), (0, 1)))  # blocks of one, at (n, 2)
BATCH = dict(dims=i.index_dims((), (1,), (1,), (0,), (0,)))  # one element of each row, (rows, 1)

RESULTS = (Aval(np.dtype("f8"), (2, 3)), Aval(np.dtype("c16"), (3,)), Aval(np.dtype("?")))


def _cast(*xs):
    return tuple(np.asarray(x).astype(a.dtype) for x, a in zip(xs, RESULTS))


TWICE = host_calls.HostCall("twice", lambda x, y: _cast(2 * x.real, 2j * y, x.size > 1), RESULTS)

TABLE = [
    # ----- Arithmetic
    pointwise(a.neg, NUMBERS, WIDE),
    pointwise(a.add, NUMBERS, WIDE, WIDE),
    pointwise(a.sub, NUMBERS, WIDE, WIDE),
    pointwise(a.mul, NUMBERS, WIDE, WIDE),
    pointwise(a.square, NUMBERS, WIDE),
    pointwise(a.div, INEXACT, WIDE, MODERATE),
    pointwise(a.reciprocal, INEXACT, MODERATE),
    pointwise(a.floordiv, f"{REALS} {INTS}", WIDE, MODERATE),
    pointwise(a.floordiv, f"{REALS} i8 i4", WIDE, (-2.5, -0.5)),
    pointwise(a.mod, f"{REALS} {INTS}", WIDE, MODERATE),
    pointwise(a.mod, f"{REALS} i8 i4", WIDE, (-2.5, -0.5)),
    pointwise(a.truncdiv, "i8 i4", WIDE, (-2.5, -0.5)),
    pointwise(a.truncdiv, INTS, WIDE, MODERATE),
    pointwise(integer_quotient, "i8", (-200, 200), (-9.5, -0.5)),
    pointwise(integer_quotient, "i8", (-1e17, 1e17), (1e15, 1e17)),
    pointwise(a.rem, f"{REALS} {INTS}", WIDE, MODERATE),
    pointwise(a.rem, f"{REALS} i8 i4", WIDE, (-2.5, -0.5)),
    pointwise(a.pow, INEXACT, MODERATE, WIDE),
    pointwise(a.integer_pow, NUMBERS, WIDE, y=3),
    pointwise(a.integer_pow, NUMBERS, WIDE, y=0),
    pointwise(a.integer_pow, NUMBERS, WIDE, y=1),
    pointwise(a.integer_pow, INEXACT, MODERATE, y=-2),
    pointwise(a.abs, NUMBERS, WIDE),
    pointwise(a.sign, NUMBERS, WIDE),
    pointwise(a.max, ORDERED, (-2.0, 2.0), (-1.5, 2.5)),
    pointwise(a.min, ORDERED, (-2.0, 2.0), (-1.5, 2.5)),
    # ----- Functions of mathematics
    pointwise(e.exp, INEXACT, WIDE),
    pointwise(e.exp2, INEXACT, WIDE),
    pointwise(e.expm1, INEXACT, WIDE),
    pointwise(e.log, INEXACT, POSITIVE),
    pointwise(e.log2, INEXACT, POSITIVE),
    pointwise(e.log10, INEXACT, POSITIVE),
    pointwise(e.log1p, INEXACT, UNIT),
    pointwise(e.logistic, INEXACT, WIDE),
    pointwise(e.sqrt, INEXACT, POSITIVE),
    pointwise(e.rsqrt, INEXACT, POSITIVE),
    pointwise(e.cbrt, REALS, WIDE),
    pointwise(e.sin, INEXACT, WIDE),
    pointwise(e.cos, INEXACT, WIDE),
    pointwise(e.tan, INEXACT, UNIT),
    pointwise(e.asin, INEXACT, UNIT),
    pointwise(e.acos, INEXACT, UNIT),
    pointwise(e.atan, INEXACT, WIDE),
    pointwise(e.atan2, REALS, WIDE, WIDE),
    pointwise(e.sinh, INEXACT, WIDE),
    pointwise(e.cosh, INEXACT, WIDE),
    pointwise(e.tanh, INEXACT, WIDE),
    pointwise(e.asinh, INEXACT, WIDE),
    pointwise(e.acosh, INEXACT, (1.1, 4.0)),
    pointwise(e.atanh, INEXACT, UNIT),
    pointwise(e.floor, REALS, WIDE),
    pointwise(e.ceil, REALS, WIDE),
    pointwise(e.trunc, REALS, WIDE),
    pointwise(e.round, REALS, WIDE),
    pointwise(e.is_finite, REALS, WIDE),
    pointwise(e.real, "c16 c8", WIDE),
    pointwise(e.imag, "c16 c8", WIDE),
    pointwise(e.conj, "c16 c8", WIDE),
    pointwise(e.complex, REALS, WIDE, WIDE),
    # ----- Logic
    pointwise(g.eq, ANY, WIDE, WIDE),
    pointwise(g.ne, ANY, WIDE, WIDE),
    pointwise(g.lt, ORDERED, WIDE, WIDE),
    pointwise(g.le, ORDERED, WIDE, WIDE),
    pointwise(g.gt, ORDERED, WIDE, WIDE),
    pointwise(g.ge, ORDERED, WIDE, WIDE),
    pointwise(g.and_, BITS, WIDE, WIDE),
    pointwise(g.or_, BITS, WIDE, WIDE),
    pointwise(g.xor, BITS, WIDE, WIDE),
    pointwise(g.not_, BITS, WIDE),
    pointwise(g.shift_left, INTS, WIDE, (0, 2)),
    pointwise(g.shift_right, INTS, WIDE, (0, 2)),
    case(g.select, np.array([True, False, True]), (3,), (3,), dtypes=ANY),
    case(g.select, np.array(True), (), (), dtypes=ANY),
    pointwise(g.convert_p, ANY, WIDE, special=False, dtype=np.dtype("f8")),
    pointwise(g.convert_p, ANY, WIDE, special=False, dtype=np.dtype("f4")),
    pointwise(g.convert_p, ANY, WIDE, special=False, dtype=np.dtype("c16")),
    pointwise(g.convert_p, ANY, WIDE, special=False, dtype=np.dtype("i4")),
    pointwise(g.convert_p, ANY, WIDE, special=False, dtype=np.dtype("?")),
    pointwise(g.stop_gradient, ANY, WIDE),
    case(define.constant_p, value=2.5, dtype=np.dtype("f4"), shape=(2, 3)),
    case(define.constant_p, value=True, dtype=np.dtype("?"), shape=()),
    case(define.empty_p, dtype=np.dtype("f4"), shape=(2, 3)),
    case(
        define.literal_p,
        data=np.array([[1.5, -0.0, np.nan]]).tobytes(),
        dtype=np.dtype("f8"),
        shape=(1, 3),
    ),
    # ----- Shapes
    case(s.reshape, (2, 3), dtypes=ANY, shape=(3, 2)),
    case(s.reshape, (), shape=(1, 1)),
    case(s.reshape, (0, 3), shape=(3, 0, 2)),
    case(s.transpose, (2, 3, 4), dtypes=ANY, permutation=(2, 0, 1)),
    case(s.transpose, (), permutation=()),
    case(s.broadcast, (2, 1), dtypes=ANY, shape=(3, 2, 4), dims=(1, 2)),
    case(s.broadcast, (2, 3), shape=(2, 5, 3), dims=(0, 2)),
    case(s.broadcast, (), shape=(2, 3), dims=()),
    case(s.broadcast, (1, 3), shape=(1, 3), dims=(0, 1)),
    case(s.broadcast, (1,), shape=(0,), dims=(0,)),
    case(s.flip, (2, 3), dtypes=ANY, axes=(1,)),
    case(s.flip, (2, 3), axes=(0, 1)),
    case(s.concatenate, (2, 3), (2, 1), (2, 0), dtypes=ANY, axis=1),
    case(s.concatenate, (2,), axis=0),
    case(s.pad, (2, 3), (), dtypes=ANY, low=(1, 0), high=(0, 2), interior=(2, 0)),
    case(s.pad, (4, 3), (), low=(-1, 1), high=(-1, -2), interior=(1, 0)),
    case(s.pad, (0,), (), low=(1,), high=(2,), interior=(1,)),
    case(s.slice, (4, 5), dtypes=ANY, start=(1, 0), limit=(3, 5), stride=(1, 1)),
    case(s.slice, (4, 5), start=(1, 1), limit=(4, 5), stride=(2, 3)),
    case(s.slice, (3,), start=(2,), limit=(2,), stride=(2,)),
    case(s.iota, shape=(2, 3), axis=1, dtype=np.dtype("i8")),
    case(s.iota, shape=(2, 3), axis=0, dtype=np.dtype("f4")),
    # ----- Slices and indices
    case(w.dynamic_slice, (5, 4), *at(1, 2), dtypes=ANY, sizes=(2, 1)),
    case(w.dynamic_slice, (5, 4), *at(-7, 9), sizes=(2, 3)),
    case(w.dynamic_slice, (), sizes=()),
    case(w.dynamic_slice, (3,), *at(1), sizes=(0,)),
    case(w.dynamic_update_slice, (5, 4), (2, 1), *at(1, 2), dtypes=ANY),
    case(w.dynamic_update_slice, (5, 4), (2, 3), *at(9, -1)),
    case(w.dynamic_update_slice, (), ()),
    case(w.dynamic_update_add, (5, 4), (2, 1), *at(1, 2)),
    case(w.dynamic_update_add, (5, 4), (2, 3), *at(9, -1)),
    case(w.dynamic_update_add, (), ()),
    case(
        i.gather, (4, 3), [[2], [0], [2]], dtypes=ANY, sizes=(1, 3), mode="clip", fill=None, **ROWS
    ),
    case(i.gather, (4, 3), [[-1], [5]], sizes=(1, 3), mode="clip", fill=None, **ROWS),
    case(i.gather, (4, 3), [[-1], [1], [4]], sizes=(1, 3), mode="fill", fill=7.0, **ROWS),
    case(i.gather, (4, 3), [[0, 1], [3, 9]], sizes=(1, 1), mode="clip", fill=None, **PLACES),
    case(i.gather, (4, 3), [2, 2], sizes=(2, 2), mode="clip", fill=None, **BLOCKS),
    case(i.gather, (4, 3), [2, 2], sizes=(2, 2), mode="fill", fill=-1.0, **BLOCKS),
    case(i.gather, (4, 3), [[0], [2], [1], [1]], sizes=(1, 1), mode="clip", fill=None, **BATCH),
    case(j.scatter, (4, 3), [[2], [0]], (2, 3), dtypes=ANY, mode="clip", unique=True, **ROWS),
    case(j.scatter, (4, 3), [[2], [0], [2]], (3, 3), mode="clip", unique=False, **ROWS),
    case(j.scatter, (4, 3), [[4], [1], [-1], [1]], (4, 3), mode="fill", unique=False, **ROWS),
    case(j.scatter, (4, 3), [[0, 1], [3, 9], [3, 2]], (3,), mode="clip", unique=False, **PLACES),
    case(j.scatter, (4, 3), [2, 2], (2, 2), mode="clip", unique=True, **BLOCKS),
    case(j.scatter, (4, 3), [[0], [2], [1], [1]], (4,), mode="clip", unique=True, **BATCH),
    case(i.scatter_add, (4, 3), [[2], [0], [2]], (3, 3), dtypes=NUMBERS, mode="clip", **ROWS),
    case(i.scatter_add, (4, 3), [[4], [1], [-1]], (3, 3), mode="fill", **ROWS),
    case(i.scatter_add, (4, 3), [[0, 1], [3, 9], [0, 1]], (3,), mode="clip", **PLACES),
    case(i.scatter_add, (4, 3), [2, 2], (2, 2), mode="clip", **BLOCKS),
    case(i.scatter_add, (4, 3), [[0], [2], [1], [1]], (4,), mode="clip", **BATCH),
    # ----- Reductions
    case(s.reduce_sum, (2, 3, 4), dtypes=NUMBERS, axes=(0, 2)),
    case(s.reduce_sum, (), axes=()),
    case(s.reduce_sum, (0, 3), axes=(0,)),
    case(r.reduce_prod, (2, 3, 4), dtypes=NUMBERS, axes=(2, 0)),
    case(r.reduce_prod, (0, 3), axes=(0,)),
    case(r.reduce_prod, (3,), axes=()),
    case(r.reduce_prod, np.array([0.0, 2.0, -3.0]), axes=(0,)),
    case(r.reduce_prod, np.array([0.0, 2.0, 0.0, 3.0]), axes=(0,)),
    case(r.reduce_max, (2, 3, 4), dtypes=ORDERED, axes=(0, 2)),
    case(r.reduce_max, (0, 3), dtypes=f"f8 {BITS}", axes=(0,)),
    case(r.reduce_min, (2, 3, 4), dtypes=ORDERED, axes=(0, 2)),
    case(r.reduce_min, (0, 3), dtypes=f"f8 {BITS}", axes=(0,)),
    case(r.reduce_and, (2, 3), dtypes=BITS, axes=(1,)),
    case(r.reduce_and, (0, 3), dtypes=BITS, axes=(0,)),
    case(r.reduce_or, (2, 3), dtypes=BITS, axes=(0, 1)),
    case(r.reduce_xor, (2, 3), dtypes=BITS, axes=(0, 1)),
    case(r.argmax, (2, 3), dtypes=ORDERED, axis=1),
    case(r.argmin, (2, 3), dtypes=ORDERED, axis=0),
    case(r.lone_extremum_p, (3, 4), dtypes="f4 f8", axis=1, largest=True),
    case(r.lone_extremum_p, (3, 4), axis=0, largest=False),
    case(r.lone_extremum_p, np.array([[1.0, 3.0, 3.0], [1, 2, np.nan]]), axis=1, largest=True),
    case(r.lone_extremum_p, np.array([[np.inf] * 2, [1, -np.inf]]), axis=1, largest=False),
    case(r.argmax, np.array([1.0, np.nan, 3.0, np.nan]), axis=0),
    case(r.argmin, np.array([1.0, np.nan, 3.0, np.nan]), axis=0),
    case(u.cumsum, (2, 3), dtypes=NUMBERS, axis=1, reverse=False),
    case(u.cumsum, (2, 3), axis=0, reverse=True),
    case(u.cumprod, (2, 5), dtypes=NUMBERS, axis=1, reverse=False),
    case(u.cumprod, (5, 2), axis=0, reverse=True),
    case(u.cumprod, np.array([2.0, 0.0, 3.0, 0.0, 5.0]), axis=0, reverse=False),
    case(u.cumprod, (0,), axis=0, reverse=False),
    case(u.linear_recurrence, (2, 4), (2, 5), dtypes=INEXACT, axis=1, reverse=False),
    case(u.linear_recurrence, (4, 2), (5, 2), axis=0, reverse=True),
    case(u.linear_recurrence, (0,), (1,), axis=0, reverse=False),
    case(u.linear_recurrence, (0, 2), (0, 2), axis=0, reverse=True),
    # ----- Ordering
    case(o.sort_p, (2, 5), dtypes=ORDERED, axis=1, keys=1),
    case(o.sort_p, (4, 2), (4, 2), axis=0, keys=1),
    case(o.sort_p, [2, 1, 2, 1, 2], [3.0, 1.0, 1.5, 7.0, 0.5], (5,), axis=0, keys=2),
    case(o.sort_p, np.array([1.0, np.nan, -np.inf, -0.0, 0.0, np.inf]), axis=0, keys=1),
    case(o.cummax, (2, 5), dtypes=f"{REALS} {INTS}", axis=1, reverse=False),
    case(o.cummax, (5, 2), axis=0, reverse=True),
    case(o.cummin, (2, 5), dtypes=f"{REALS} {INTS}", axis=1, reverse=True),
    case(o.cummin, (5, 2), axis=0, reverse=False),
    case(o.cummax, np.array([1.0, np.nan, 2.0]), axis=0, reverse=False),
    # ----- Products
    case(m.dot_general, (2, 3), (3, 4), dtypes=NUMBERS, contract=((1,), (0,)), batch=((), ())),
    case(m.dot_general, (3,), (3,), contract=((0,), (0,)), batch=((), ())),
    case(m.dot_general, (), (2,), contract=((), ()), batch=((), ())),
    case(m.dot_general, (0, 2), (0, 3), contract=((0,), (0,)), batch=((), ())),
    case(m.dot_general, (5, 2, 3), (3, 4, 5), contract=((2,), (0,)), batch=((0,), (2,))),
    case(m.dot_general, (2, 3, 4), (4, 5, 3, 2), contract=((1, 2), (2, 0)), batch=((0,), (3,))),
    case(m.dot_general, (2, 3), (4, 2), dtypes=NUMBERS, contract=((), ()), batch=((0,), (1,))),
    # ----- Effects, scheduling
    case(barriers.barrier_p, (2, 3), (3,), (), dtypes=NUMBERS, held=2),
    case(effects.debug_print_p, (), fmt="x is {}"),
    case(platforms.is_platform_p, names=("cpu", "tpu")),
    case(platforms.is_platform_p, names=("cuda", "rocm")),
    *(
        case(host_calls.host_call_p, np.int32(code), (2, 3), (3,), dtypes=NUMBERS, call=TWICE)
        for code in (0, 1)
    ),
]

TABLES = [TABLE, special_cases.TABLE, linalg_cases.TABLE, window_cases.TABLE]
CASES: dict[str, list[Case]] = {}
for one in itertools.chain.from_iterable(itertools.chain(*TABLES)):
    CASES.setdefault(one.primitive.name, []).append(one)
