"""JAX's primitives whose HLO opcode has a hyphen, under the name of that opcode.

XLA names an instruction after JAX's primitive, `dynamic_slice.4`, or if it made it itself after the
opcode, `dynamic-slice.4`. Its fusion emitters name functions after instructions, with `_` for `-`:
in one fusion these two become one function, and the numbers are wrong (jaxlib 0.10, in plain JAX
too). Under one name XLA numbers them apart.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import lax
from jax.extend.mlir.dialects import stablehlo
from jax.interpreters import batching, mlir

Array = Any  # a JAX array or tracer, or a NumPy scalar


def _named_by_opcode(primitive: Any, emit: Callable[..., Any]) -> Any:
    """A copy of `primitive`; `emit(*operands, **params)` makes its op of StableHLO."""
    named = copy.copy(primitive)
    named.name = primitive.name.replace("_", "-")
    mlir.register_lowering(named, lambda ctx, *xs, **params: [emit(*xs, **params)])
    batching.primitive_batchers[named] = functools.partial(_batch, primitive)
    return named


def _batch(primitive: Any, xs: Sequence[Array], axes: Sequence[Any], **params: Any) -> Any:
    return jax.vmap(functools.partial(primitive.bind, **params), in_axes=tuple(axes))(*xs), 0


_slice_p = _named_by_opcode(
    lax.dynamic_slice_p,
    lambda x, *indices, slice_sizes: stablehlo.dynamic_slice(
        x, indices, mlir.dense_int_array(slice_sizes)
    ),
)
_update_p = _named_by_opcode(
    lax.dynamic_update_slice_p, lambda x, u, *indices: stablehlo.dynamic_update_slice(x, u, indices)
)
_precision_p = _named_by_opcode(
    lax.reduce_precision_p,
    lambda x, exponent_bits, mantissa_bits: stablehlo.reduce_precision(
        x, mlir.i32_attr(exponent_bits), mlir.i32_attr(mantissa_bits)
    ),
)


def dynamic_slice(x: Array, indices: Sequence[Array], sizes: Sequence[int]) -> Array:
    """The slice at these indices, which are clamped: negative ones, too."""
    return _slice_p.bind(x, *indices, slice_sizes=tuple(sizes))


def dynamic_update_slice(x: Array, u: Array, indices: Sequence[Array]) -> Array:
    """`x` with `u` in the slice at these indices, which are clamped."""
    return _update_p.bind(x, u, *indices)


def reduce_precision(x: Array, *, exponent_bits: int, mantissa_bits: int) -> Array:
    return _precision_p.bind(x, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)


is_finite = _named_by_opcode(lax.is_finite_p, stablehlo.is_finite).bind
shift_left = _named_by_opcode(lax.shift_left_p, stablehlo.shift_left).bind
shift_right_logical = _named_by_opcode(
    lax.shift_right_logical_p, stablehlo.shift_right_logical
).bind
shift_right_arithmetic = _named_by_opcode(
    lax.shift_right_arithmetic_p, stablehlo.shift_right_arithmetic
).bind
