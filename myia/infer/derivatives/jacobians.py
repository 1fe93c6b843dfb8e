"""Jacobians: one loop over a basis, whose body holds one `derivative` op.

    jacrev(f)(x)    ->    for each unit vector e of the result: derivative %x, e {mode="vjp"}

The function's forward sweep does not depend on the direction, so passes hoist it out of the loop:
a Jacobian costs one forward sweep and one pullback (or pushforward) for each direction. The
function's effects (prints, errors, writes) happen once, before the loop. A block of an argument and
a result that do not meet is zero when the derivative is expanded: no seed is run for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from myia.infer.boundary.host_calls import no_host_calls
from myia.infer.derivatives.derivatives import (
    DifferentiatedRegion,
    GradOptions,
    argument_numbers,
    by_argument,
    emit,
    emit_derivative,
    gradient,
    infer_call,
    infer_differentiated,
    push_forward,
)
from myia.infer.derivatives.parameters import parameter_names
from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Tuple
from myia.infer.domain.views import reshape
from myia.infer.lists.growing_lists import with_row
from myia.infer.paths.region_outputs import substitute_results
from myia.ir.builder import Builder
from myia.ir.core import Value
from myia.ir.rewrite import clone_region, inline, without_effects
from myia.primitives.arrays import shaping
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import loop
from myia.primitives.pointwise import logic

WHAT = "the argument of a Jacobian"


def _run_once(ctx: Context, d: DifferentiatedRegion) -> tuple[Abstract, DifferentiatedRegion]:
    """Run the function once; returns its result, and `d` without the function's effects."""
    values = inline(d.region, d.tree.values)
    (result,) = substitute_results(ctx, d.exports, list(values), [d.result])
    return result, replace(d, region=without_effects(d.region))


def _stack_rows(d: DifferentiatedRegion, mode: str, like: Value, which: int) -> list[Value]:
    """The derivatives for every seed that is 1 in one element of output ("vjp") or input ("jvp")
    number `which`, which is like `like`, stacked. The others have no seed, not one of zeros: what
    depends on them alone has no derivative to compute, and none that could be NaN.
    """
    aval = like.aval
    count = constant(aval.size, np.int64)
    position = shaping.iota(shape=(aval.size,), axis=0, dtype=np.dtype(np.int64))

    def row(k: Value) -> list[Value]:
        here = logic.eq(position, shaping.broadcast(k, shape=(aval.size,), dims=()))
        one, zero = constant(1, aval.dtype, (aval.size,)), constant(0, aval.dtype, (aval.size,))
        unit = reshape(logic.select(here, one, zero), aval.shape)
        each = replace(d, region=clone_region(d.region))
        return emit_derivative(each, mode, [unit], [which])[1]

    avals = _avals_of(row)
    buffers = [zeros(a.with_shape((aval.size, *a.shape))) for a in avals]
    if aval.size == 0:
        return buffers
    return list(
        loop(
            buffers,
            lambda k, *bs: [with_row(b, k, x) for b, x in zip(bs, row(k))],
            count=count,
            bound=aval.size,
        )
    )


def _avals_of(row: Callable) -> list:
    """The avals of a row, from one that is built and thrown away."""
    with Builder():
        return [x.aval for x in row(constant(0, np.int64))]


def jacrev(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict) -> Abstract:
    """`jacrev`: one row for each element of the result."""

    def by_rows(d: DifferentiatedRegion, ys: list[Value]) -> Iterator[list[Value]]:
        for i, y in enumerate(ys):
            rows = _stack_rows(d, "vjp", y, i)
            yield [reshape(r, (*y.shape, *x.shape)) for r, x in zip(rows, d.tree.values)]

    return _jacobian(ctx, f, options, args, kwargs, by_rows)


def jacfwd(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict) -> Abstract:
    """`jacfwd`: one column for each element of the argument."""

    def by_columns(d: DifferentiatedRegion, ys: list[Value]) -> Iterator[list[Value]]:
        xs = d.tree.values
        columns = [_stack_rows(d, "jvp", x, i) for i, x in enumerate(xs)]
        for i, y in enumerate(ys):
            last = (*range(1, y.aval.ndim + 1), 0)
            found = [
                shaping.transpose(c[i], permutation=last) if last[1:] else c[i] for c in columns
            ]
            yield [reshape(t, (*y.shape, *x.shape)) for t, x in zip(found, xs)]

    return _jacobian(ctx, f, options, args, kwargs, by_columns)


def _jacobian(
    ctx: Context,
    f: Abstract,
    options: GradOptions,
    args: tuple,
    kwargs: dict,
    blocks_of: Callable[[DifferentiatedRegion, list[Value]], Iterator[list[Value]]],
) -> Abstract:
    """`blocks_of(region, outputs)`: for each output its derivatives by every input."""
    with no_host_calls(ctx, "a Jacobian"):
        d, outputs = infer_call(ctx, f, options, args, kwargs, WHAT)
    result, d = _run_once(ctx, d)
    of = tuple(dict.fromkeys(d.outputs))
    blocks = dict(zip(of, blocks_of(d, [d.region.yields[i] for i in of])))
    found = [by_argument(options.argnums, d.tree.rebuild_arrays(ctx, blocks[i])) for i in d.outputs]
    (jacobian,) = outputs.fill(ctx, found)
    return Tuple((jacobian, *result.children()[1:])) if options.has_aux else jacobian


def hvp(ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict) -> Abstract:
    """`hvp(f)(*args, v)`: the derivative of the gradient in the direction v."""
    *own, v = args
    numbers = argument_numbers(ctx, options.argnums, len(own))

    def grad_at(xs: list[Abstract]) -> Abstract:
        full = list(own)
        for i, x in zip(numbers, xs):
            full[i] = x
        return gradient(ctx, f, GradOptions(options.argnums), tuple(full), kwargs)

    directions = [v] if isinstance(options.argnums, int) else ctx.list_items(v)
    names = parameter_names(ctx, f, len(own))
    chosen, chosen_names = [own[i] for i in numbers], [names[i] for i in numbers]
    d, outputs = infer_differentiated(
        ctx, grad_at, chosen, "a primal of jvp", lambda result: result, chosen_names
    )
    return push_forward(ctx, d, outputs, directions)[1]


def elementwise(
    ctx: Context, f: Abstract, options: GradOptions, args: tuple, kwargs: dict
) -> Abstract:
    """The pullback of ones: right when element i of the result depends on element i alone."""
    d, _ = infer_call(ctx, f, options, args, kwargs, WHAT)
    of = tuple(dict.fromkeys(d.outputs))
    ones = [constant(1, (y := d.region.yields[i]).dtype, y.shape) for i in of]
    _, cts = emit(ctx, d, "vjp", ones)
    return by_argument(options.argnums, d.tree.rebuild(ctx, cts))
