"""NumPy's universal functions, one line each: the primitive or the formula that computes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Static, Tuple
from myia.ir.core import Value
from myia.library.numpy.ufuncs.ufuncs import operator_ufunc, register_ufunc, ufunc
from myia.library.support import value_formulas
from myia.library.support.value_formulas import as_bool, except_integers
from myia.library.support.ways import TABLE
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

NAMES = {  # of functions that are the same in NumPy and here
    transcendental: "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt",
    value_formulas: "hypot logaddexp logaddexp2 absolute copysign signbit heaviside "
    "conjugate rint fmod",
    arithmetic: "square sign",
}
for _module, _names in NAMES.items():
    for _name in _names.split():
        ufunc(getattr(np, _name), getattr(_module, _name))

FORMULAS: dict[np.ufunc, Any] = {
    np.arcsin: transcendental.asin,
    np.arccos: transcendental.acos,
    np.arctan: transcendental.atan,
    np.arcsinh: transcendental.asinh,
    np.arccosh: transcendental.acosh,
    np.arctanh: transcendental.atanh,
    np.float_power: arithmetic.pow,
    np.arctan2: transcendental.atan2,
    np.deg2rad: value_formulas.radians,
    np.radians: value_formulas.radians,
    np.rad2deg: value_formulas.degrees,
    np.degrees: value_formulas.degrees,
    np.fabs: arithmetic.abs,
    np.floor: except_integers(transcendental.floor),
    np.ceil: except_integers(transcendental.ceil),
    np.trunc: except_integers(transcendental.trunc),
    np.isnan: value_formulas.is_nan,
    np.isinf: value_formulas.is_inf,
    np.isfinite: value_formulas.is_finite,
    np.logical_and: as_bool(logic.and_),
    np.logical_or: as_bool(logic.or_),
    np.logical_xor: as_bool(logic.xor),
    np.logical_not: as_bool(logic.not_),
}
for _numpy, _emit in FORMULAS.items():
    ufunc(_numpy, _emit)

# Complex numbers have no order here.
ufunc(np.maximum, arithmetic.max, kinds="biuf")
ufunc(np.minimum, arithmetic.min, kinds="biuf")
ufunc(np.fmax, value_formulas.fmax, kinds="biuf")
ufunc(np.fmin, value_formulas.fmin, kinds="biuf")


def _reciprocal(x: Value) -> Value:
    """The reciprocal; for integers 1, 0 or -1 (1 / 0, undefined in NumPy, is 0 here)."""
    if x.dtype.kind in "fc":
        return arithmetic.reciprocal(x)
    by_zero = logic.eq(x, 0)
    one = logic.select(by_zero, 0, logic.convert(logic.eq(x, x), dtype=x.dtype))
    return arithmetic.truncdiv(one, logic.select(by_zero, 1, x))


ufunc(np.reciprocal, _reciprocal)


def _divmod(ctx: Context, xs: list[Abstract], dtype: np.dtype | None) -> Abstract:
    options: dict[str, Abstract] = {} if dtype is None else {"dtype": Static(dtype)}
    parts = (np.floor_divide, np.remainder)
    return Tuple(tuple(ctx.call(Static(part), tuple(xs), options) for part in parts))


register_ufunc(np.divmod, _divmod, TABLE)
