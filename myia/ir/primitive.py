"""Primitives: a name with its shape rule, lowering, evaluation and derivative.

Every primitive is one block in `myia/primitives/`, made with the constructors of
`primitives/core/define.py`. A derivative is stated once, in its natural form:

    Partials(fns)            pointwise: dy/dx_i = fn_i(y, *xs), same shape as y; None means zero
    Linear(groups, fns)      (multi)linear: ct_x_i = fn_i(ct, *xs); the JVP is the op itself
    Explicit(jvp[, vjp])     anything else
    NONDIFFERENTIABLE        said, never a default: integers, comparisons, steps

Both modes follow from it: `transforms/jvp.py` and `transforms/vjp.py` are its only readers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # `core.py` imports this file
    from myia.ir.core import Value

# A rule on avals, IR values, or arrays of JAX or NumPy.
Formula = Callable[..., Any]

PRIMITIVES: dict[str, Primitive] = {}


@dataclass(frozen=True, slots=True)
class Partials:
    """`partials[i](y, *xs, **params)` is the partial derivative with respect to operand i."""

    partials: tuple[Formula | None, ...]


@dataclass(frozen=True, slots=True)
class Linear:
    """Linear jointly in the operands of each group (positions), and separately in each group.

    `transpose[i](ct, *xs, **params)` is the cotangent of operand i and reads only the avals of
    the operands of i's own group; or, for ops of any number of operands, `transpose` is one
    callable `(i, ct, *xs, **params)`. `groups=None`: jointly linear in all operands.
    `accumulate(op, ct, acc)`, if given, adds into the buffers of `acc` in place instead.
    """

    groups: tuple[tuple[int, ...], ...] | None
    transpose: tuple[Formula | None, ...] | Formula
    accumulate: Formula | None = None


@dataclass(frozen=True, slots=True)
class Explicit:
    """`jvp(ys, xs, ts, **params) -> tangents of ys`, `vjp(op, cts, acc)` adds to `acc`.

    A tangent or cotangent that is None is zero; `vjp` is called with at least one that is not.
    Without a `vjp` the reverse sweep transposes the ops that `jvp` emits, which must each be
    linear in the tangents. A tangent may be given as a function that emits it, or refuses to: it
    is called only if that tangent is needed.
    """

    jvp: Formula
    vjp: Formula | None = None


def linear_operands(derivative: Linear, xs: Sequence[Value]) -> list[int]:
    """The positions of the operands `xs` in which an op is linear."""
    if derivative.groups is None:
        return list(range(len(xs)))
    return [i for group in derivative.groups for i in group]


def transposed(derivative: Linear, i: int) -> Formula:
    """`(ct, *xs, **params)` -> the cotangent of operand i, in which it is linear."""
    if callable(derivative.transpose):
        return functools.partial(derivative.transpose, i)
    found = derivative.transpose[i]
    assert found is not None
    return found


class _Nondifferentiable:
    def __repr__(self) -> str:
        return "NONDIFFERENTIABLE"


NONDIFFERENTIABLE = _Nondifferentiable()
Derivative = Partials | Linear | Explicit | _Nondifferentiable


class Cotangents(Protocol):
    """The cotangents of the reverse sweep: one accumulator per active value."""

    def wants(self, x: Value) -> bool:
        """True when the cotangent of `x` is needed."""

    def add(self, x: Value, ct: Value | None) -> None:
        """Add `ct` (None: zero) to the cotangent of `x`; a no-op unless that is needed."""

    def add_slice(self, x: Value, start: Sequence[int], ct: Value) -> None:
        """Add `ct` to a slice of the cotangent of `x`, at static indices `start`."""

    def update(self, x: Value, change: Callable[[Value], Value]) -> None:
        """Apply `change` (array -> array), which adds to elements of the cotangent of `x`."""


@dataclass(eq=False, slots=True, repr=False, kw_only=True)
class Primitive:
    """One operation of a vocabulary. `avals(*operand_avals, **params)` is the shape rule.

    Structured primitives (those with regions) take `regions` in their shape rule, and have their
    derivative in `transforms/` and their lowering in the backends.
    """

    name: str
    avals: Callable[..., tuple[Any, ...]]
    lower: Formula | None = None  # (*jax arrays, **params) -> jax array(s)
    evaluate: Formula | None = None  # (*NumPy arrays, **params) -> NumPy array(s)
    derivative: Derivative | None = None
    effect: bool = False
    structured: bool = False

    def __post_init__(self) -> None:
        if self.name in PRIMITIVES:
            raise ValueError(f"primitive {self.name!r} is defined twice")
        PRIMITIVES[self.name] = self

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"
