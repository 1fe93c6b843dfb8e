"""Hypergeometric series and their derivatives in all operands.

    pFq(a; b; x) = sum_k t_k,    t_0 = 1,    t_(k+1) = t_k (a_1 + k) ... x / ((b_1 + k) ... (k + 1))

(DLMF 16.2.1.) The parameter `orders` is the order of the derivative in each operand. The
derivatives of a term follow from the derivatives of the previous term by the product rule:

    D^m [(a + k) t] = (a + k) D^m t + m D^(m-1) t

so derivatives of any order are series of the same kind, and equally accurate.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from myia.ir.core import Value
from myia.ir.primitive import Formula
from myia.primitives.core.define import PointwisePrimitive, pointwise

Orders = tuple[int, ...]
Jet = dict[Orders, np.ndarray]  # the derivatives of a term, keyed by their orders in the operands


def _times(jet: Jet, axis: int, factor: Value) -> Jet:
    """The jet multiplied by `factor`, whose derivative in the operand `axis` is 1."""
    return {m: factor * t + m[axis] * _lower(jet, m, axis) for m, t in jet.items()}


def _divided(numpy: Any, jet: Jet, axis: int, divisor: Any) -> Jet:
    """The jet divided by `divisor`, whose derivative in the operand `axis` is 1.

    A series that terminates before a divisor vanishes stays terminated: 0 / 0 is 0.
    """
    made: Jet = {}
    for m in sorted(jet):
        t = jet[m] - m[axis] * _lower(made, m, axis)
        made[m] = t / numpy.where((divisor == 0) & (t == 0), 1, divisor)
    return made


def _lower(jet: Jet, m: Orders, axis: int) -> Any:
    """The derivative of one order less in the operand `axis`, where there is one."""
    return jet[_moved(m, axis, -1)] if m[axis] else 0


def _moved(orders: Orders, axis: int, by: int) -> Orders:
    return (*orders[:axis], orders[axis] + by, *orders[axis + 1 :])


def _next_term(numpy: Any, jet: Jet, k: Any, xs: Sequence[Any], upper: int) -> Jet:
    *parameters, x = xs
    for i, c in enumerate(parameters):
        jet = _times(jet, i, c + k) if i < upper else _divided(numpy, jet, i, c + k)
    jet = _times(jet, len(parameters), x)
    return {m: t / (k + 1) for m, t in jet.items()}


def _sum(numpy: Any, while_: Formula, *xs: Any, upper: int, orders: Orders, terms: int) -> Any:
    """The sum to rounding accuracy; NaN where that needs more than `terms` terms."""
    eps = np.finfo(xs[0].dtype).eps / 8
    lower_orders = list(itertools.product(*(range(n + 1) for n in orders)))
    zero = numpy.zeros_like(xs[-1])
    # Terms can grow again while one of their factors is small or negative.
    first = sum(orders) + 1 - numpy.minimum(0, numpy.stack(xs[:-1])).min(0)

    def unfinished(k: Any, total: Any, term: Any, largest: Any) -> Any:
        """Two negligible terms in a row end the sum: a single term may vanish by itself."""
        floor = numpy.maximum(numpy.abs(total), eps * largest)
        return (k <= first) | (numpy.abs(term) > eps * floor)

    def step(state: Any) -> tuple[Any, ...]:
        k, total, largest, jet, last, _ = state
        jet = _next_term(numpy, jet, k, xs, upper)
        term, total = jet[orders], total + jet[orders]
        largest = numpy.maximum(largest, numpy.abs(term))
        goes_on = unfinished(k, total, term, largest)
        return k + 1, total, largest, jet, goes_on, last | goes_on

    def is_unfinished(state: Any) -> Any:
        return (state[0] < terms) & numpy.any(state[-1])

    jet = {m: zero + (sum(m) == 0) for m in lower_orders}
    yes = numpy.ones_like(zero, bool)
    state = while_(
        is_unfinished, step, (zero.dtype.type(0), jet[orders], jet[orders], jet, yes, yes)
    )
    return numpy.where(state[-1], numpy.nan, state[1])


def python_while(is_unfinished: Formula, step: Formula, state: jax.Array) -> jax.Array:
    """`lax.while_loop` on NumPy arrays."""
    with np.errstate(all="ignore"):
        while is_unfinished(state):
            state = step(state)
    return state


def _series(name: str, upper: int, lower: int, terms: int) -> PointwisePrimitive:
    """The series with `upper` and `lower` parameters; its last operand is x."""
    count = upper + lower + 1

    def partial(axis: int) -> Formula:
        def differentiated(y: Value, *xs: Value, orders: Orders) -> Value:
            return series(*xs, orders=_moved(orders, axis, 1))

        return differentiated

    series = pointwise(
        name,
        lambda *xs, orders: _sum(jnp, lax.while_loop, *xs, upper=upper, orders=orders, terms=terms),
        lambda *xs, orders: _sum(np, python_while, *xs, upper=upper, orders=orders, terms=terms),
        partials=[partial(i) for i in range(count)],
        kinds="f",
    )
    return series


# The third diverges (an asymptotic series): its terms are summed while they become smaller.
series_1f1 = _series("series_1f1", 1, 1, terms=20_000)
series_2f1 = _series("series_2f1", 2, 1, terms=20_000)
series_2f0 = _series("series_2f0", 2, 0, terms=60)
