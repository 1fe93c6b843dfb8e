"""The registry of translation rules: from one primitive of JAX to ops of our IR.

    @translation_rule("integer_pow")
    def _integer_pow(x, *, y):
        return arithmetic.pow(x, constant(y, x.aval.dtype, x.shape))

A rule takes the operands as IR values and the equation's parameters by name. It runs under a
builder, emits ops, and returns the result or a sequence of results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from myia.infer.registry import registering
from myia.ir.core import Value

Rule = Callable[..., Value | Sequence[Value]]

RULES: dict[str, Rule] = {}


def translation_rule(*names: str) -> Callable[[Callable], Callable]:
    """Register a rule for primitives of these names."""
    return registering(RULES, *names)
