"""Variants, for arrays of run-time size, of functions whose handlers are for static shapes alone.

np.isin(x[m], y)        elementwise: on the padded array
np.convolve(x[m], y)    with zeros for the masked elements, which add nothing
np.roll(x[m], 1)        NumPy source: parts of the array put in another order
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dynamic_axes import fill_masked, pad_masked, prefix_axis
from myia.infer.domain.lengths import at_least, plus, total
from myia.infer.domain.values import Abstract, Ref, Static, Tuple, as_ref
from myia.infer.dynamic.access import PaddedValue, is_dynamic, new_array, read, refuse_dynamic
from myia.infer.dynamic.broadcasting import apply_elementwise
from myia.library.source import padding
from myia.library.support.arguments import array, static_value, value_of
from myia.library.support.from_source import call_source


def by_source(source: Callable) -> Callable[..., Abstract]:
    """The function by NumPy source."""

    def variant(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_source(ctx, source, args, kwargs)

    return variant


def is_in(
    ctx: Context, element: Abstract, test_elements: Abstract, **options: Abstract
) -> Abstract:
    """A masked element equals a valid one: only where none is, none may be found."""
    some: Abstract = Static(True)
    if isinstance(test_elements, Ref) and is_dynamic(ctx, test_elements):
        if options:
            refuse_dynamic(ctx, "an option of `numpy.isin`, among elements")
        elements = read(ctx, test_elements)
        some = ctx.call(Static(np.any), (_valid(ctx, elements),), {})
        test_elements = ctx.array(elements.value)

    def apply(xs: list[Abstract]) -> Abstract:
        found = ctx.call(Static(np.isin), (xs[0], test_elements), options)
        return ctx.call(Static(np.logical_and), (found, some), {})

    if isinstance(element, Ref) and is_dynamic(ctx, element):
        return apply_elementwise(ctx, [element], apply)
    return apply([element])


def _valid(ctx: Context, x: PaddedValue) -> Abstract:
    """Zeros for the masked elements, ones for the others."""
    ones = ctx.call(Static(np.ones), (Tuple(tuple(map(Static, x.value.shape))),), {})
    return ctx.array(fill_masked(value_of(ctx, ones), x.dynamic_axes, 0))


def _elements(ctx: Context, x: Abstract) -> PaddedValue:
    if isinstance(x, Ref) and is_dynamic(ctx, x):
        return read(ctx, x).packed()
    value = value_of(ctx, array(ctx, x))
    return PaddedValue(value, (None,) * value.aval.ndim)


def convolve(ctx: Context, a: Abstract, v: Abstract, mode: Abstract = Static("full")) -> Abstract:
    """All sums of products, of which the other modes take a part."""
    how = static_value(ctx, mode, "the mode of `numpy.convolve`")
    xs = [_elements(ctx, x) for x in (a, v)]
    if any(x.value.aval.ndim != 1 for x in xs):
        refuse_dynamic(ctx, "`numpy.convolve` of several axes, or of none,")
    lengths = [x.lengths[0] for x in xs]
    for name, x in zip("av", xs):
        axis = x.dynamic_axes[0]
        if axis is not None and axis.length.lo == 0:
            ctx.check(axis.is_empty(), ValueError, f"{name} cannot be empty")
    padded = tuple(ctx.array(fill_masked(x.value, x.dynamic_axes, 0)) for x in xs)
    found = ctx.read(as_ref(ctx.call(Static(np.convolve), padded, {})))
    length = plus(total(at_least(lengths[0], 1), at_least(lengths[1], 1)), -1)
    axes = (prefix_axis(length, found.shape[0]),)
    whole = new_array(ctx, pad_masked(found, axes), axes)
    sizes = tuple(n.abstract() for n in lengths)
    return call_source(ctx, padding.part_of_convolution, (whole, *sizes, Static(how)), {})
