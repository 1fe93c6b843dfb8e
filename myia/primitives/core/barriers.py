"""Barriers: values that are available only after other values have been computed.

    y = barrier x, ct      ->      y equals x, but ops on y run after `ct`

They order the recomputation of a `remat` call after the cotangents that need it, and keep XLA from
computing `x` again for each element of a matrix that is made of it.
"""

from __future__ import annotations

from jax import lax

from myia.ir.builder import emit
from myia.ir.core import Op, Tangents, Value, Values
from myia.ir.primitive import Cotangents, Explicit, Primitive


def _pull_back(op: Op, cts: Tangents, acc: Cotangents) -> None:
    for x, ct in zip(op.operands, cts):
        acc.add(x, ct)


# The first `held` operands, once all operands have been computed. Common subexpression elimination
# does not merge ops on the results with ops on the operands.
barrier_p = Primitive(
    name="barrier",
    avals=lambda *xs, held: xs[:held],
    lower=lambda *xs, held: tuple(lax.optimization_barrier(xs)[:held]),
    evaluate=lambda *xs, held: xs[:held],
    derivative=Explicit(jvp=lambda ys, xs, ts, held: ts[:held], vjp=_pull_back),
)


def barrier(xs: Values, until: Values) -> tuple[Value, ...]:
    """`xs`, available once all of `until` have been computed."""
    return emit(barrier_p, *xs, *until, held=len(xs))
