"""NumPy's universal functions, one line each: the primitive or the formula that computes it."""

from __future__ import annotations

import math

import numpy as np

from myia.ir.core import Value
from myia.library.numpy.ufuncs.ufuncs import operator_ufunc, ufunc
from myia.library.support import value_formulas
from myia.library.support.value_formulas import as_bool, except_integers, multiply_by
from myia.primitives.pointwise import arithmetic, logic, transcendental

# ----- Operators

for _numpy, _op in {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.power: "**",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
    np.bitwise_xor: "^",
    np.left_shift: "<<",
    np.right_shift: ">>",
    np.equal: "==",
    np.not_equal: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
    np.negative: "-",
    np.positive: "+",
    np.invert: "~",
}.items():
    operator_ufunc(_numpy, _op)

# ----- Functions of mathematics

for _numpy, _emit in {
    np.sin: transcendental.sin,
    np.cos: transcendental.cos,
    np.tan: transcendental.tan,
    np.arcsin: transcendental.asin,
    np.arccos: transcendental.acos,
    np.arctan: transcendental.atan,
    np.sinh: transcendental.sinh,
    np.cosh: transcendental.cosh,
    np.tanh: transcendental.tanh,
    np.arcsinh: transcendental.asinh,
    np.arccosh: transcendental.acosh,
    np.arctanh: transcendental.atanh,
    np.exp: transcendental.exp,
    np.exp2: transcendental.exp2,
    np.expm1: transcendental.expm1,
    np.log: transcendental.log,
    np.log2: value_formulas.log2,
    np.log10: value_formulas.log10,
    np.log1p: transcendental.log1p,
    np.sqrt: transcendental.sqrt,
    np.cbrt: transcendental.cbrt,
    np.square: arithmetic.square,
    np.float_power: arithmetic.pow,
    np.arctan2: transcendental.atan2,
    np.hypot: value_formulas.hypot,
    np.logaddexp: value_formulas.logaddexp,
    np.logaddexp2: value_formulas.logaddexp2,
    np.deg2rad: multiply_by(math.pi / 180),
    np.radians: multiply_by(math.pi / 180),
    np.rad2deg: multiply_by(180 / math.pi),
    np.degrees: multiply_by(180 / math.pi),
}.items():
    ufunc(_numpy, _emit)

# ----- Signs, rounding, choosing (complex numbers have no order here)

for _numpy, _emit in {
    np.absolute: value_formulas.absolute,
    np.fabs: arithmetic.abs,
    np.sign: arithmetic.sign,
    np.copysign: value_formulas.copysign,
    np.signbit: value_formulas.signbit,
    np.heaviside: value_formulas.heaviside,
    np.conjugate: value_formulas.conjugate,
    np.floor: except_integers(transcendental.floor),
    np.ceil: except_integers(transcendental.ceil),
    np.trunc: except_integers(transcendental.trunc),
    np.rint: value_formulas.rint,
    np.fmod: value_formulas.fmod,
}.items():
    ufunc(_numpy, _emit)

for _numpy, _emit in {
    np.maximum: arithmetic.max,
    np.minimum: arithmetic.min,
    np.fmax: value_formulas.fmax,
    np.fmin: value_formulas.fmin,
}.items():
    ufunc(_numpy, _emit, kinds="biuf")

# ----- Truth

for _numpy, _emit in {
    np.isnan: value_formulas.is_nan,
    np.isinf: value_formulas.is_inf,
    np.isfinite: value_formulas.is_finite,
    np.logical_and: as_bool(logic.and_),
    np.logical_or: as_bool(logic.or_),
    np.logical_xor: as_bool(logic.xor),
    np.logical_not: as_bool(logic.not_),
}.items():
    ufunc(_numpy, _emit)


def _reciprocal(x: Value) -> Value:
    """The reciprocal; for integers 1, 0 or -1 (1 / 0, undefined in NumPy, is 0 here)."""
    if x.dtype.kind in "fc":
        return arithmetic.reciprocal(x)
    by_zero = logic.eq(x, 0)
    one = logic.select(by_zero, 0, logic.convert(logic.eq(x, x), dtype=x.dtype))
    return arithmetic.truncdiv(one, logic.select(by_zero, 1, x))


ufunc(np.reciprocal, _reciprocal)
