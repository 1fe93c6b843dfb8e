"""The registry of translation rules: from one primitive of JAX to ops of our IR.

    @translation_rule("integer_pow")
    def _integer_pow(x, *, y):
        return arithmetic.pow(x, constant(y, x.aval.dtype, x.shape))

A rule takes the operands as IR values and the equation's parameters by name. It runs under a
builder, emits ops, and returns the result or a sequence of results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from myia.infer.registry import registering
from myia.ir.builder import emit
from myia.ir.core import Value
from myia.ir.primitive import Primitive

Rule = Callable[..., Value | Sequence[Value]]

RULES: dict[str, Rule] = {}


def translation_rule(*names: str) -> Callable[[Callable], Callable]:
    """Register a rule for primitives of these names."""
    return registering(RULES, *names)


def same_primitive(name: str, primitive: Primitive, **named: str) -> None:
    """Register a primitive of ours. `named`: JAX's names of its parameters, by our names.

    JAX's other parameters only say how to compute, or where.
    """

    @translation_rule(name)
    def rule(*operands: Value, **params: Any) -> Sequence[Value]:
        own = {ours: _plain(params[theirs]) for ours, theirs in named.items()}
        return emit(primitive, *operands, **own)


def _plain(x: Any) -> Any:
    return as_ints(x) if isinstance(x, (tuple, list)) else x


def as_ints(numbers: Iterable[int]) -> tuple[int, ...]:
    """Python ints: parameters of jaxprs may be NumPy's integers."""
    return tuple(int(n) for n in numbers)
