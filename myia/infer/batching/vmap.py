"""`vmap(f)(xs)`: a loop over the examples, whose iterations are independent.

    vmap(f)(x)    ->    for each %i: row %i of the results is f(row %i of %x)

Nothing is widened here: derivatives are taken of the loop, as of any other. Afterwards the pass
`outer_loop` (`passes/vectorize/`) makes its independent iterations ops on whole arrays. The name of
the loop's index, `EXAMPLE`, tells that pass and `F.plan` that the iterations are examples.

An array of which `f` changes its example is changed afterwards, in one piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from myia.infer.batching.axes import (
    Axes,
    AxesOfItems,
    Build,
    Leaf,
    Leaves,
    checked_axis,
    settings_in,
)
from myia.infer.batching.one_example import OneExample, copies_of, infer_example
from myia.infer.derivatives.parameters import parameter_names
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue, CertainError
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, as_ref
from myia.infer.paths.raised import raise_outside
from myia.ir.avals import I64
from myia.ir.builder import build_region
from myia.ir.core import Value
from myia.ir.rewrite import inline, without_effects
from myia.primitives.arrays import shaping
from myia.primitives.arrays.reductions import reduce_max
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.structured import EXAMPLE, Loop
from myia.primitives.pointwise import arithmetic, logic
from myia.widening.summary import varying_values


@dataclass(frozen=True)
class MapOptions:
    """The options of `myia.vmap`."""

    in_axes: Axes = 0
    out_axes: Axes = 0


def vmap(ctx: Context, f: Abstract, options: MapOptions, args: tuple, kwargs: dict) -> Abstract:
    """`vmap(f)(*args, **kwargs)`; keyword arguments have their examples along axis 0."""
    arguments = Leaves(ctx, "in_axes")
    names = parameter_names(ctx, f, len(args))
    entries = _entries(ctx, options.in_axes, len(args))
    positional = [arguments.builder(*each) for each in zip(args, entries, names)]
    keywords = {name: arguments.builder(x, 0, name) for name, x in kwargs.items()}
    leaves = arguments.found
    size = _number_of_examples(ctx, leaves)
    batches = [_rows(ctx.read(as_ref(leaf.x)), leaf.axis) for leaf in leaves]
    parts = [Value(x.aval.with_shape(x.shape[1:]), x.name) for x in batches]
    results = Leaves(ctx, "out_axes")
    before = ctx.heap.copy()

    def arguments_of(found: list[Abstract]) -> tuple[list[Abstract], dict[str, Abstract]]:
        full = [build(ctx, found) for build in positional]
        return full, {name: build(ctx, found) for name, build in keywords.items()}

    def results_of(result: Abstract) -> tuple[Build, list[Value]]:
        outside = (*before.objects.values(), *ctx.heap.roots.values())
        results.settings = settings_in(outside)
        rebuild = results.builder(result, options.out_axes, "the result")
        return rebuild, [_value(ctx, leaf.x) for leaf in results.found]

    call = lambda given: ctx.call(f, *given)  # noqa: E731
    try:
        example = infer_example(ctx, leaves, parts, arguments_of, call, results_of)
    except CertainError as error:
        if size == 0:
            raise
        first = [read_row(x, constant(0, np.int64)) for x in batches]
        again = lambda: call(arguments_of(copies_of(ctx, leaves, first)))  # noqa: E731
        raise_outside(ctx, before, error, again)
    _check_axes_of_results(ctx, results.found, example)
    rows = _emit(ctx, example, batches, size)
    for leaf, row in zip(example.written, rows[len(results.found) :]):
        ctx.store(as_ref(leaf.x), _along(row, leaf.axis))
    shared = rows  # of which the first will do
    if size == 0 and any(leaf.axis is None for leaf in results.found):
        shared = inline(without_effects(example.region), [zeros(x.aval) for x in parts])
    made = [_result(ctx, *each) for each in zip(results.found, rows, shared)]
    return example.rebuild(ctx, made)


# ----- Arguments


def _entries(ctx: Context, axes: Axes, count: int) -> Sequence[Axes]:
    """The entry of `in_axes` for each positional argument."""
    if axes is None or isinstance(axes, int):
        return [axes] * count
    if not isinstance(axes, tuple):
        kind = "a dict" if isinstance(axes, AxesOfItems) else "an instance"
        message = f"vmap: in_axes is {kind}; it has one entry for each argument"
        ctx.fail(BadType, message=message)
    if len(axes) != count:
        entries = f"{len(axes)} entr{'y' if len(axes) == 1 else 'ies'}"
        arguments = f"{count} positional argument{'' if count == 1 else 's'}"
        ctx.fail(BadValue, message=f"vmap: in_axes has {entries} for {arguments}")
    return axes


def _number_of_examples(ctx: Context, leaves: Sequence[Leaf]) -> int:
    sizes: dict[int, Leaf] = {}
    for leaf in leaves:
        sizes.setdefault(ctx.shape(leaf.x)[leaf.axis or 0], leaf)
    if not sizes:
        ctx.fail(BadValue, message="vmap: no argument has examples: no entry of in_axes is an int")
    if len(sizes) > 1:
        found = [f"{size} along axis {leaf.axis} of `{leaf.path}`" for size, leaf in sizes.items()]
        message = f"vmap: the numbers of examples differ: {', '.join(found)}"
        ctx.fail(BadValue, message=message)
    return next(iter(sizes))


def _rows(x: Value, axis: int | None) -> Value:
    """`x` with the axis of the examples as its first."""
    if not axis:
        return x
    rest = (i for i in range(x.aval.ndim) if i != axis)
    return shaping.transpose(x, permutation=(axis, *rest))


def _along(rows: Value, axis: int | None) -> Value:
    """The inverse of `_rows`."""
    if not axis:
        return rows
    order = list(range(1, rows.aval.ndim))
    order.insert(axis, 0)
    return shaping.transpose(rows, permutation=tuple(order))


# ----- Results


def _value(ctx: Context, x: Abstract) -> Value:
    if isinstance(x, Ref):
        return ctx.read(x)
    if isinstance(x, Scalar):
        return x.value
    assert isinstance(x, Static)
    return constant(x.value, np.asarray(x.value).dtype)


def _check_axes_of_results(ctx: Context, leaves: Sequence[Leaf], example: OneExample) -> None:
    varying = varying_values(example.region, example.region.args)
    for leaf, y in zip(leaves, example.region.yields):
        if leaf.axis is not None:
            checked_axis(
                ctx, "out_axes", leaf.axis, y.aval.ndim + 1, f"{leaf.path} of all examples"
            )
        elif y in varying:
            message = f"vmap: out_axes has None for {leaf.path}, which differs between examples"
            ctx.fail(BadValue, message=message)


def _result(ctx: Context, leaf: Leaf, rows: Value, shared: Value) -> Abstract:
    """`shared`: the value of all examples, where there are none; it depends on none of them."""
    if leaf.axis is not None:
        return ctx.array(_along(rows, leaf.axis % rows.aval.ndim))
    return ctx.array(read_row(rows, constant(0, np.int64)) if rows.shape[0] > 0 else shared)


# ----- The loop


def _emit(
    ctx: Context, example: OneExample, batches: Sequence[Value], size: int
) -> Sequence[Value]:
    """The rows of what an example yields; the error and the capacities of all are noted."""
    stacked = len(example.region.yields) - example.is_checked
    init = [zeros(rows_aval(y.aval, size)) for y in example.region.yields[:stacked]]
    init += [constant(0, y.dtype) for y in example.region.yields[stacked:]]

    def body(k: Value, *carried: Value) -> list[Value]:
        found = inline(example.region, [read_row(x, k) for x in batches])
        rows = [write_row(x, y, k) for x, y in zip(carried, found[:stacked])]
        return rows + [_first_code(e, y) for e, y in zip(carried[stacked:], found[stacked:])]

    if size == 0:
        return init[:stacked]
    region = build_region([I64, *(x.aval for x in init)], body, [EXAMPLE])
    found = emit_loop(Loop(constant(size, np.int64), tuple(init), None, region, size))
    count = stacked - len(example.capacities)
    for id, sizes in zip(example.capacities, found[count:stacked]):
        _note_capacity(ctx, id, reduce_max(sizes, axes=(0,)))
    if example.is_checked:
        ctx.merge_error_code(found[-1])
    return found[:count]


def _first_code(before: Value, code: Value) -> Value:
    """The code of the first example that failed."""
    return logic.select(logic.eq(before, constant(0, before.dtype)), code, before)


def _note_capacity(ctx: Context, id: int, size: Value) -> None:
    (most,) = ctx.heap[id].children()
    if isinstance(most, Scalar):
        size = arithmetic.max(most.value, size)
    ctx.write(Ref(id), CellObject(Scalar(size, True, 0)))
