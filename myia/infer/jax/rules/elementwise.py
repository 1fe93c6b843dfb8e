"""Translation of pointwise primitives; scalars and axes of length 1 are broadcast."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import unsupported
from myia.ir.core import Value
from myia.primitives.arrays.shaping import broadcast
from myia.primitives.core.define import constant, zeros
from myia.primitives.pointwise import arithmetic, bits, logic, transcendental
from myia.primitives.pointwise.logic import convert, select
from myia.primitives.special import gamma_bessel


def broadcast_to_shape(x: Value, shape: tuple[int, ...]) -> Value:
    """`x` broadcast to `shape`, which has the same number of axes unless `x` is a scalar."""
    if x.shape == shape:
        return x
    return broadcast(x, shape=shape, dims=tuple(range(x.aval.ndim)))


def broadcast_operands(*operands: Value) -> list[Value]:
    shape = np.broadcast_shapes(*(x.shape for x in operands))
    return [broadcast_to_shape(x, shape) for x in operands]


def pointwise(name: str, formula: Callable[..., Value]) -> None:
    """Register `formula`, which takes operands of one shape. (`accuracy` is for TPUs.)"""

    @translation_rule(name)
    def rule(*operands: Value, accuracy: Any = None, **params: Any) -> Value:
        return formula(*broadcast_operands(*operands), **params)


# ----- One primitive of ours for one of JAX's

_OF_SAME_NAME: dict[ModuleType, tuple[str, ...]] = {
    arithmetic: (
        *("add", "sub", "neg", "rem", "max", "min", "abs", "sign", "square", "integer_pow"),
    ),
    transcendental: (
        *("exp", "exp2", "expm1", "log", "log1p", "logistic", "sqrt", "rsqrt", "cbrt"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
        *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("floor", "ceil", "is_finite", "real", "imag", "complex"),
    ),
    logic: ("xor", "eq", "ne", "lt", "le", "gt", "ge", "shift_left", "stop_gradient"),
    gamma_bessel: (
        *("erf", "erfc", "erf_inv", "lgamma", "digamma", "polygamma", "zeta"),
        *("igamma", "igammac", "igamma_grad_a", "bessel_i0e", "bessel_i1e"),
    ),
    bits: ("population_count", "clz", "mulhi", "nextafter", "reduce_precision"),
}
for _module, _names in _OF_SAME_NAME.items():
    for _name in _names:
        pointwise(_name, getattr(_module, _name))

for _name, _primitive in {
    "add_any": arithmetic.add,
    "and": logic.and_,
    "or": logic.or_,
    "not": logic.not_,
    "regularized_incomplete_beta": gamma_bessel.betainc,
}.items():
    pointwise(_name, _primitive)

# ----- Identities: these primitives only say where a value is kept, or how it may be compiled

for _name in (
    "copy",
    "copy_p",
    "name",
    "optimization_barrier",
    "sharding_constraint",
    "layout_constraint",
    "reshard",
    "device_put",
    "stage",
    "xla_metadata_value",
):

    @translation_rule(_name)
    def _same(*operands: Value, **_: Any) -> list[Value]:
        return list(operands)


@translation_rule("tie")
def _tie(_: Value, y: Value) -> Value:
    """The second operand; in JAX it is ordered after the first."""
    return y


@translation_rule("dce_sink")
def _dce_sink(*_: Value, **__: Any) -> list[Value]:
    """Keeps its operand alive in JAX; it has no result."""
    return []


# ----- Logarithms to base 2, and 1 - x^2: primitives of JAX 0.11.2 and later

LOG2_E = 1.4426950408889634


@translation_rule("log2")
def _log2(x: Value, *, accuracy: Any = None) -> Value:
    found = transcendental.log(x)
    if x.dtype.kind != "c":
        return found * LOG2_E
    # By parts: a product of complex numbers makes NaN of an infinity.
    parts = transcendental.real(found), transcendental.imag(found)
    return transcendental.complex(*(part * LOG2_E for part in parts))


@translation_rule("one_minus_square")
def _one_minus_square(x: Value) -> Value:
    """Exact near 1 by (1 + x) (1 - x), whose derivative is not exact near 0."""
    product = (1 + x) * (1 - x)
    if x.dtype.kind not in "fc":
        return product
    return select(logic.lt(arithmetic.abs(x), 0.5), 1 - arithmetic.square(x), product)


# ----- Arithmetic


@translation_rule("mul")
def _mul(x: Value, y: Value, *, out_dtype: Any = None) -> Value:
    x, y = broadcast_operands(x, y)
    if out_dtype is not None:
        x, y = convert(x, dtype=out_dtype), convert(y, dtype=out_dtype)
    return x * y


@translation_rule("div")
def _div(x: Value, y: Value) -> Value:
    divide = arithmetic.truncdiv if x.dtype.kind in "iu" else arithmetic.div
    return divide(*broadcast_operands(x, y))


@translation_rule("pow")
def _pow(x: Value, y: Value) -> Value:
    x, y = broadcast_operands(x, y)
    if x.dtype.kind in "iu":
        raise unsupported(f"a power of {x.aval}")
    return arithmetic.pow(x, convert(y, dtype=x.dtype))


@translation_rule("clamp")
def _clamp(low: Value, x: Value, high: Value) -> Value:
    low, x, high = broadcast_operands(low, x, high)
    return arithmetic.min(arithmetic.max(x, low), high)


@translation_rule("conj")
def _conj(x: Value, *, input_dtype: Any = None) -> Value:
    return (
        transcendental.conj(x) if x.dtype.kind == "c" else transcendental.complex(x, zeros(x.aval))
    )


# ----- Rounding


def _round_away(x: Value) -> Value:
    """Halves go away from zero."""
    whole = transcendental.trunc(x)
    is_half = logic.ge(arithmetic.abs(x - whole), 0.5)
    return select(is_half, whole + arithmetic.sign(x), whole)


@translation_rule("round")
def _round(x: Value, *, rounding_method: Any) -> Value:
    return _round_away(x) if int(rounding_method) == 0 else transcendental.round(x)


# ----- Bits: our `shift_right` is arithmetic for signed dtypes


def _shift_right(x: Value, n: Value, kind: str) -> Value:
    """Shift `x` as an integer of `kind` "i" or "u"."""
    x, n = broadcast_operands(x, n)
    dtype = np.dtype(f"{kind}{x.dtype.itemsize}")
    shifted = logic.shift_right(convert(x, dtype=dtype), convert(n, dtype=dtype))
    return convert(shifted, dtype=x.dtype)


pointwise("shift_right_arithmetic", lambda x, n: _shift_right(x, n, "i"))
pointwise("shift_right_logical", lambda x, n: _shift_right(x, n, "u"))


@translation_rule("bitcast_convert_type")
def _bitcast(x: Value, *, new_dtype: Any) -> Value:
    return bits.bitcast(x, dtype=new_dtype)


# ----- The total order of floats: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN


def _total_order_key(x: Value) -> Value:
    """An integer in the total order of `x`: its bits, inverted for negative numbers."""
    if x.dtype.kind != "f":
        return x
    pattern = bits.bitcast(x, dtype=np.dtype(f"i{x.dtype.itemsize}"))
    magnitude = constant(np.iinfo(pattern.dtype).max, pattern.dtype, x.shape)
    return select(logic.lt(pattern, 0), logic.xor(pattern, magnitude), pattern)


for _name, _compare in {"eq_to": logic.eq, "lt_to": logic.lt, "le_to": logic.le}.items():
    pointwise(
        _name, lambda x, y, compare=_compare: compare(_total_order_key(x), _total_order_key(y))
    )

# ----- Selection and conversion


@translation_rule("select_n")
def _select_n(which: Value, *cases: Value) -> Value:
    """The case number `which`; one too small or too large is the first or the last."""
    which, *values = broadcast_operands(which, *cases)
    if which.dtype.kind == "b":
        return values[0] if len(values) == 1 else select(which, values[1], values[0])
    chosen = values[-1]
    for number, case in reversed(list(enumerate(values[:-1]))):
        chosen = select(logic.le(which, number), case, chosen)
    return chosen


@translation_rule("convert_element_type")
def _convert(x: Value, *, new_dtype: Any, weak_type: Any = False, sharding: Any = None) -> Value:
    dtype = np.dtype(new_dtype)
    if x.dtype.kind == "f" and dtype.kind in "iu":
        return _saturated(x, dtype)
    return convert(x, dtype=dtype)


def _saturated(x: Value, dtype: np.dtype) -> Value:
    """Floats as integers, JAX's way: the nearest integer that there is, 0 for NaN."""
    limits = np.iinfo(dtype)
    found = select(logic.lt(x, float(limits.max)), convert(x, dtype=dtype), limits.max)
    found = select(logic.gt(x, float(limits.min)), found, limits.min)
    return select(logic.eq(x, x), found, 0)
