"""When things are computed: values that are held back until others are there."""

from __future__ import annotations

from collections.abc import Sequence

from jax import lax

from myia.ir.builder import emit
from myia.ir.core import Value
from myia.ir.primitive import Explicit, Primitive


def _pull_back(op, cts, acc) -> None:
    for x, ct in zip(op.operands, cts):
        acc.add(x, ct)


# The first `held` operands, not before all operands have been computed. What is computed from
# them is not the same expression as what is computed from the operands themselves.
barrier_p = Primitive(
    name="barrier",
    avals=lambda *xs, held: xs[:held],
    lower=lambda *xs, held: tuple(lax.optimization_barrier(xs)[:held]),
    evaluate=lambda *xs, held: xs[:held],
    derivative=Explicit(jvp=lambda ys, xs, ts, held: ts[:held], vjp=_pull_back),
)


def barrier(xs: Sequence[Value], until: Sequence[Value]) -> tuple[Value, ...]:
    """`xs`, once all of `until` have been computed."""
    return emit(barrier_p, *xs, *until, held=len(xs))
