"""Derivatives by arrays chosen among all that the arguments hold, and flat results.

    flat_call(f)(args, kwargs)    ->    (numbers, template)

What another library differentiates is a function from arrays to arrays. `numbers` are those of the
result of `f`; in the template, which is the result otherwise, there is a `Place` for each. The
chosen arrays are passed beside the other arguments, which have a `Hole` in the place of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myia.infer.boundary.differentiable_leaves import RESULT, differentiable_tree
from myia.infer.derivatives.derivatives import GradOptions, jvp, pullback_of
from myia.infer.domain.context import Context
from myia.infer.domain.heap import DictObject
from myia.infer.domain.values import Abstract, Partial, Ref, Scalar, Static, Tuple, as_ref, is_none
from myia.infer.lists import list_rows
from myia.infer.numeric.promotion import operand_dtype
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.unsupported import UnsupportedBoundary

RETURN_IT = (
    "work on a copy (`x = x.copy()`), and return what is new; make a generator inside, from a seed"
)

Args = Sequence[Abstract]
Kwargs = dict[str, Abstract]


@dataclass(frozen=True)
class Place:
    """Where a number of a result was, by its position among them."""

    index: int


class Hole:
    """Where an array was in the arguments: one object, however often they have the array."""


# ----- Flat results


def flat_call(
    ctx: Context, f: Abstract, has_aux: bool, positional: Abstract, keywords: Abstract
) -> Abstract:
    """`(numbers, template)` of `f(*positional, **keywords)`, which must change nothing."""
    before = ctx.heap.copy()
    result = _call(ctx, f, positional, keywords)
    for id, contents in ctx.heap.objects.items():
        if id not in before or contents is before[id] or ctx.is_of_checks(id):
            continue
        if not list_rows.is_as_before(ctx.heap, id, before[id]):
            what = "a function of tensors that changes an argument or an object from outside"
            ctx.fail(UnsupportedBoundary, what=what, help_text=RETURN_IT)
    numbers, template = _flat(ctx, result)
    return Tuple((Tuple(tuple(numbers)), template))


def _call(ctx: Context, f: Abstract, positional: Abstract, keywords: Abstract) -> Abstract:
    names = ctx.contents_as(as_ref(keywords), DictObject)
    return ctx.call(f, ctx.list_items(positional), dict(zip(names.keys, names.children())))


def _flat(ctx: Context, result: Abstract) -> tuple[list[Abstract], Abstract]:
    """The numbers of a result, and its template. Python's ints and bools stay."""
    tree = differentiable_tree(ctx, [result], RESULT, names=["result"], integers=True)
    places: dict[object, Place] = {}
    numbers: list[Abstract] = []
    parts: list[Abstract] = []
    for x, value in zip(tree.leaves, tree.values):
        if isinstance(x, Scalar) and x.weak and x.dtype.kind not in "fc":
            parts.append(x)
            continue
        key = x.id if isinstance(x, Ref) else len(parts), type(x)
        if key not in places:
            places[key] = Place(len(numbers))
            numbers.append(ctx.array(value))
        parts.append(Static(places[key]))
    return numbers, tree.fill(ctx, parts, alike=True)[0]


# ----- Functions of the chosen arrays


def of_arrays(ctx: Context, args: Args, *meta: object) -> tuple[Partial, list[Abstract]]:
    """`f(*positional, **keywords)` as a function of the chosen arrays, and these."""
    f, chosen, holes, positional, keywords = args
    ids = tuple(as_ref(x).id for x in ctx.list_items(holes))
    of_chosen = Partial(_call_with, (f, positional, keywords), (ids, *meta))
    return of_chosen, list(ctx.list_items(chosen))


def _call_with(ctx: Context, partial: Partial, args: Args, kwargs: Kwargs) -> Abstract:
    """The call with arrays in place of the holes; `used`: which numbers it returns."""
    (f, *given), (ids, *used) = partial.items, partial.meta
    made: dict[int, Any] = dict(zip(ids, args))
    positional, keywords = (deep_copied(ctx, x, made) for x in given)
    result = _call(ctx, f, positional, keywords)
    if not used:
        return result
    numbers, _ = _flat(ctx, result)
    floats = [i for i, x in enumerate(numbers) if operand_dtype(ctx, x)[0].kind in "fc"]
    return Tuple(tuple(numbers[i] for i in (floats if used[0] is None else used[0])))


def pullback_by_arrays(
    ctx: Context, f: Abstract, options: GradOptions, args: Args, kwargs: Kwargs
) -> Abstract:
    """The cotangents of the chosen arrays. `cts`: one for each number of the result, or None."""
    *call, cts = args
    given = ctx.list_items(cts)
    used = tuple(i for i, ct in enumerate(given) if not is_none(ct))
    of_chosen, arrays = of_arrays(ctx, (f, *call), used)
    pull = pullback_of(ctx, of_chosen, arrays, False)
    return ctx.call(pull, (Tuple(tuple(given[i] for i in used)),), {})


def pushforward_by_arrays(
    ctx: Context, f: Abstract, options: GradOptions, args: Args, kwargs: Kwargs
) -> Abstract:
    """The tangents of the float and complex numbers of the result, for those of the arrays."""
    *call, tangents = args
    of_chosen, arrays = of_arrays(ctx, (f, *call), None)
    return jvp(ctx, of_chosen, Tuple(tuple(arrays)), tangents).children()[1]
