"""Jacobians: one loop over a basis, whose body holds one `derivative` op.

The function's forward sweep does not depend on the direction, so the passes hoist it out of the
loop: a Jacobian costs one forward sweep and one pullback (or pushforward) for each direction.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer import derivatives
from myia.infer.context import Context
from myia.infer.derivatives import GradOptions, differentiated, emit_derivative
from myia.infer.lists import put
from myia.infer.values import Abstract
from myia.infer.views import reshape
from myia.ir.builder import Builder
from myia.ir.core import Value
from myia.primitives import logic, shaping
from myia.primitives.control import loop
from myia.primitives.define import constant, zeros


def apply(rule: Callable) -> Callable:
    """`rule` for a function that only the inferer has (see `derivatives.transformed`)."""
    return _APPLIED[rule]


def _region(ctx: Context, f: Abstract, argnums: int, args: tuple, kwargs: dict):
    argnum = derivatives.argument_numbers(ctx, argnums, len(args))[0]

    def call(copies: list[Abstract]) -> Abstract:
        return derivatives.call_with_copies(ctx, f, args, kwargs, {argnum: copies[0]})

    what = "the argument of a Jacobian"
    return differentiated(ctx, call, [args[argnum]], what, lambda r: r)


def _rows(like: list[Value], which: int, each: Callable[[list[Value]], list[Value]]) -> list[Value]:
    """`each(seeds)` for every seed that is 1 in one element of `like[which]`, stacked."""
    aval = like[which].aval
    count = constant(aval.size, np.int64)
    position = shaping.iota(shape=(aval.size,), axis=0, dtype=np.dtype(np.int64))

    def row(k: Value) -> list[Value]:
        here = logic.eq(position, shaping.broadcast(k, shape=(aval.size,), dims=()))
        one, zero = constant(1, aval.dtype, (aval.size,)), constant(0, aval.dtype, (aval.size,))
        unit = reshape(logic.select(here, one, zero), aval.shape)
        return each([unit if i == which else zeros(v.aval) for i, v in enumerate(like)])

    avals = _avals_of(row)
    buffers = [zeros(a.with_shape((aval.size, *a.shape))) for a in avals]
    return list(
        loop(
            buffers,
            lambda k, *bs: [put(b, k, x) for b, x in zip(bs, row(k))],
            count=count,
            bound=aval.size,
        )
    )


def _avals_of(row: Callable) -> list:
    """The avals of a row, from one that is built and thrown away."""
    with Builder():
        return [x.aval for x in row(constant(0, np.int64))]


def reverse(ctx: Context, f: Abstract, argnums: int, args: tuple, kwargs: dict) -> Abstract:
    """`jacrev`: one row for each element of the result."""
    d, outputs = _region(ctx, f, argnums, args, kwargs)
    of = tuple(dict.fromkeys(d.outputs))
    distinct = [d.region.yields[i] for i in of]
    blocks = []
    for position in d.outputs:
        which = of.index(position)
        rows = _rows(distinct, which, lambda seeds: emit_derivative(d, "vjp", seeds)[1])
        shape = distinct[which].shape
        parts = [reshape(r, (*shape, *x.shape)) for r, x in zip(rows, d.tree.values)]
        blocks.append(d.tree.rebuild_arrays(ctx, parts)[0])
    return outputs.fill(ctx, blocks)[0]


def forward(ctx: Context, f: Abstract, argnums: int, args: tuple, kwargs: dict) -> Abstract:
    """`jacfwd`: one column for each element of the argument."""
    d, outputs = _region(ctx, f, argnums, args, kwargs)
    of = tuple(dict.fromkeys(d.outputs))
    columns = [
        _rows(d.tree.values, i, lambda seeds: emit_derivative(d, "jvp", seeds)[1])
        for i in range(len(d.tree.values))
    ]
    blocks = []
    for position in d.outputs:
        which = of.index(position)
        parts = []
        for x, column in zip(d.tree.values, columns):
            c = column[which]
            last = (*range(1, c.aval.ndim), 0)
            moved = shaping.transpose(c, permutation=last) if c.aval.ndim > 1 else c
            parts.append(reshape(moved, (*c.shape[1:], *x.shape)))
        blocks.append(d.tree.rebuild_arrays(ctx, parts)[0])
    return outputs.fill(ctx, blocks)[0]


def hvp(ctx: Context, f: Abstract, argnums: int, args: tuple, kwargs: dict) -> Abstract:
    """`hvp(f)(*args, v)`: the derivative of the gradient in the direction v."""
    *args, v = args
    argnum = derivatives.argument_numbers(ctx, argnums, len(args))[0]

    def grad_at(x: Abstract) -> Abstract:
        full = [*args[:argnum], x, *args[argnum + 1 :]]
        return derivatives.gradient(ctx, f, GradOptions(argnum), tuple(full), kwargs)

    return derivatives.jvp_of(ctx, lambda xs: grad_at(xs[0]), [args[argnum]], [v]).items[1]


def elementwise(ctx: Context, f: Abstract, argnums: int, args: tuple, kwargs: dict) -> Abstract:
    """The pullback of ones: right when element i of the result depends on element i alone."""
    d, _ = _region(ctx, f, argnums, args, kwargs)
    of = tuple(dict.fromkeys(d.outputs))
    ones = [constant(1, (y := d.region.yields[i]).dtype, y.shape) for i in of]
    return d.tree.rebuild(ctx, emit_derivative(d, "vjp", ones)[1])[0]


def _applied(rule: Callable) -> Callable:
    def call(ctx: Context, partial, args: tuple, kwargs: dict) -> Abstract:
        return rule(ctx, partial.items[0], partial.meta[0], args, kwargs)

    return call


_APPLIED = {rule: _applied(rule) for rule in (forward, reverse, hvp, elementwise)}
