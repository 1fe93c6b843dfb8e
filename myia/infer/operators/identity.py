"""Python's `is`.

Between two objects that may alias it is refused, unless the points-to sets decide it.
"""

from __future__ import annotations

from functools import partial, reduce
from types import FunctionType
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.errors import InvalidatedRead
from myia.infer.domain.heap import BufferObject, Invalidated
from myia.infer.domain.heap_arrays import ItemObject
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    Abstract,
    Caught,
    Choice,
    Closure,
    NewException,
    Number,
    Optional,
    Outside,
    PyFunction,
    Ref,
    Scalar,
    Static,
    is_none,
)
from myia.infer.lists import item_objects, list_rows
from myia.infer.lists.item_templates import is_shared
from myia.infer.operators.truth import negate
from myia.infer.paths import points_to
from myia.infer.paths.branches import branch, branch_options
from myia.infer.paths.caught import option_of
from myia.infer.unsupported import UnsupportedOperator
from myia.ir.avals import I64
from myia.primitives.pointwise import logic


def test_of_none(ctx: Context, is_none: bool, x: Optional) -> Abstract:
    """`x is None`, or `x is not None`, which a branch may have as its condition."""
    answer = negate(ctx, x.present) if is_none else x.present
    if isinstance(answer, Scalar) and isinstance(x.present, Scalar):
        ctx.tests_of_none[answer.value] = x.present.value, is_none
    return answer


def identical(ctx: Context, a: Abstract, b: Abstract) -> Abstract:
    """`a is b`"""
    a, b = ctx.bound(a), ctx.bound(b)
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Optional):
            return test_of_none(ctx, True, x) if is_none(other) else _is_optional(ctx, x, other)
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Choice):
            return branch_options(ctx, x, partial(identical, ctx, other))
        if isinstance(x, Caught):
            return option_of(ctx, x, partial(identical, ctx, other))
    if isinstance(a, NewException) and isinstance(b, NewException) and a.made and b.made:
        return identical(ctx, *a.made, *b.made)
    if isinstance(a, Static) and isinstance(b, Static):
        alike = type(a.value) is type(b.value) and type(a.value) in (int, str, bool)
        return Static(a.value is b.value or (alike and a.value == b.value))
    if (found := _same_number(a, b)) is not None:
        return found
    if isinstance(a, Outside) or isinstance(b, Outside):
        return Static(isinstance(a, Outside) and isinstance(b, Outside) and a.value is b.value)
    if isinstance(a, Ref) and isinstance(b, Ref):
        if a.id == b.id:
            return TRUE
        p, q = list_rows.row_of(ctx, a), list_rows.row_of(ctx, b)
        if p is not None and q is not None:
            return FALSE if p.base != q.base else _are_equal(p.index, q.index)
        if (same := _same_item(ctx, a, b)) is not None:
            return same
        return _is_one_object(ctx, a, b)
    code = _code_of(a)
    if code is not _code_of(b):
        return FALSE  # two functions
    if code is not None or (type(a) is type(b) and not isinstance(a, Static)):
        if a is b:
            return TRUE
        ctx.fail(
            UnsupportedOperator,
            what="`is` between values that are not None",
            help_text="compare with `==`",
        )
    return FALSE


SMALL_INTS = range(-5, 257)  # ints of which Python has one object each


def _same_number(a: Abstract, b: Abstract) -> Abstract | None:
    """Of numbers that Python has one object of each: bools, small ints. None: they are others."""
    if not (isinstance(a, (Scalar, Static)) and isinstance(b, (Scalar, Static))):
        return None
    for kind, cls in (("b", bool), ("i", int)):
        if all(_is_of(x, kind, cls) for x in (a, b)):
            known = [x.value for x in (a, b) if isinstance(x, Static)]
            if cls is int and not (known and known[0] in SMALL_INTS):
                return None
            dtype = np.dtype(bool) if cls is bool else I64.dtype
            return Scalar(logic.eq(*(number_value(x, dtype) for x in (a, b))), weak=True)
    return None


def _is_of(x: Scalar | Static, kind: str, cls: type) -> bool:
    """Is it a number of Python of this class?"""
    return type(x.value) is cls if isinstance(x, Static) else x.weak and x.dtype.kind == kind


def _is_optional(ctx: Context, x: Optional, other: Abstract) -> Abstract:
    """`x is other`, where `x` may be None."""
    absent = x.absent
    assert absent is not None
    return branch(
        ctx,
        x.present,
        lambda: identical(ctx, x.value, other),
        lambda: identical(ctx, absent, other),
    )


def _is_one_object(ctx: Context, a: Ref, b: Ref) -> Abstract:
    test = points_to.identity_test(ctx.heap, a.id, b.id)
    if test is None:
        ctx.fail(InvalidatedRead, where="the line where one name was given two objects")
    if ctx.uses is not None and test is not True:
        ctx.uses.compared.add(frozenset((a.id, b.id)))
    return Static(test) if isinstance(test, bool) else Scalar(test, weak=True)


def _same_item(ctx: Context, a: Ref, b: Ref) -> Abstract | None:
    """Whether two names of items of lists are those of one; None: neither is an item."""
    p, q = ctx.heap[a.id], ctx.heap[b.id]
    if not any(isinstance(x, (ItemObject, Invalidated)) for x in (p, q)):
        return None
    for x in (a, b):
        ctx.check_valid(x)
    if not isinstance(p, ItemObject) or not isinstance(q, ItemObject) or p.base != q.base:
        ctx.fail(UnsupportedOperator, what="`is` between an item of a list and another object")
    base = ctx.contents_as(Ref(p.base), BufferObject)
    p, q = item_objects.placed(base, p), item_objects.placed(base, q)
    if is_shared(base.template, p.path) or is_shared(base.template, q.path):
        ctx.fail(UnsupportedOperator, what="`is` between items of a list that may have one twice")
    if p.path != q.path:
        return FALSE
    first, *others = map(_are_equal, p.indices, q.indices)
    if not others:
        return first
    values = [number_value(x, np.dtype(bool)) for x in (first, *others)]
    return Scalar(reduce(logic.and_, values), True)


def _are_equal(i: Number, j: Number) -> Number:
    """Of two indices."""
    if isinstance(i, Static) and isinstance(j, Static):
        return Static(i.value == j.value)
    return Scalar(logic.eq(*(number_value(x, I64.dtype) for x in (i, j))), weak=True)


def _code_of(x: Abstract) -> Any:
    """The code of a function, where that is known."""
    if isinstance(x, Closure):
        return x.code
    function = x.function if isinstance(x, PyFunction) else getattr(x, "value", None)
    return getattr(function, "__code__", None) if isinstance(function, FunctionType) else None
