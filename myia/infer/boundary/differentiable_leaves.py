"""The differentiable leaves of arguments and results (a pytree), and their replacement.

A derivative is taken with respect to the float and complex numbers and arrays in its arguments.
They are found through tuples, lists, dicts and instances. Structures with other leaves in their
place hold tangents, cotangents and gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.errors import NotDifferentiable
from myia.infer.domain.heap import ArrayObject, BufferObject, InstanceObject, ListObject, SetObject
from myia.infer.domain.memory_order import is_contiguous
from myia.infer.domain.values import Abstract, Ref, Scalar, Static, is_static_number
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic, with_nominal_shape
from myia.infer.numeric.promotion import is_numeric, operand, operand_dtype
from myia.ir.core import Value
from myia.primitives.core.define import constant

RESULT = "the result of a differentiated function"

PASS_FLOATS = "pass floats, or read it from a closure: then it is not differentiated"
RETURN_FLOATS = "return floats only; the rest goes along with `has_aux=True`"
USE_ARRAY = "use an array of a known shape"
SAME_FORM = "give it the structure and the shapes of what it is the derivative of"


@dataclass(frozen=True)
class Tree:
    """The differentiable leaves of abstract values, and builders of the structures around them."""

    leaves: list[Abstract]
    values: list[Value]
    builders: list[Callable[[Context, list[Abstract]], Abstract]]

    def fill(self, ctx: Context, leaves: list[Abstract]) -> list[Abstract]:
        """The same structures with other leaves."""
        rest = list(leaves)
        return [build(ctx, rest) for build in self.builders]

    def rebuild(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """The same structures and kinds of number with other values of the same avals."""
        return self.fill(ctx, [of_same_kind(ctx, x, v) for x, v in zip(self.leaves, values)])

    def copies(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """As `rebuild`; the new arrays are C-contiguous where the leaves are (see `reshape`)."""
        made = [of_same_kind(ctx, x, v, is_contiguous(ctx, x)) for x, v in zip(self.leaves, values)]
        return self.fill(ctx, made)

    def rebuild_arrays(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """The same structures with values of any shape."""
        return self.fill(ctx, [ctx.array(v) for v in values])


def of_same_kind(ctx: Context, x: Abstract, value: Value, contiguous: bool = True) -> Abstract:
    """A new number or array with this value, of the kind of `x`."""
    if isinstance(x, Scalar):
        return Scalar(value, x.weak, boxed=x.boxed)
    if not value.shape:
        return Scalar(value, weak=False)
    return ctx.new(ArrayObject(value, contiguous=contiguous))


def differentiable_tree(
    ctx: Context, xs: list[Abstract], what: str, *, integers: bool = False
) -> Tree:
    """The tree of `xs`, in which every number must be a float (or complex) number or array.

    `integers`: run-time integers and bools are leaves, too.
    """
    leaves: list[Abstract] = []
    builders = [_structure(ctx, x, leaves, what, integers) for x in xs]
    values = [x.value if isinstance(x, Scalar) else ctx.read(x) for x in leaves]
    return Tree(leaves, values, builders)


def _structure(
    ctx: Context, x: Abstract, leaves: list[Abstract], what: str, integers: bool
) -> Callable:
    """Append the leaves of `x`; returns a function that rebuilds `x` from a list of leaves."""
    x = ctx.force(x)
    if is_static_number(x) and isinstance(x.value, (float, complex, np.inexact)):
        value = constant(x.value, np.asarray(x.value).dtype)
        x = Scalar(value, not isinstance(x.value, np.generic))
    x = with_nominal_shape(ctx, x)
    is_fixed = isinstance(x, Static) and (integers or not is_static_number(x))
    if not is_fixed and is_numeric(ctx, x):
        dtype, _ = operand_dtype(ctx, x)
        if dtype.kind not in "fc" and not integers:
            kind = ctx.describe(x) if not isinstance(x, Static) else f"the int {x.value}"
            help_text = RETURN_FLOATS if what == RESULT else PASS_FLOATS
            ctx.fail(NotDifferentiable, what=what, kind=kind, help_text=help_text)
        leaves.append(x)
        return lambda ctx, rest: rest.pop(0)
    if isinstance(x, Static):
        return lambda ctx, rest: x
    if is_dynamic(ctx, x):
        refuse_dynamic(ctx, "the derivative with respect to elements")
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    if isinstance(contents, BufferObject):
        contents = _items(ctx, x, what)
    if isinstance(contents, SetObject):  # equal derivatives would be one item of a set
        contents = ListObject(contents.items)
    parts = [
        (lambda ctx, rest, kept=child: kept)
        if _is_static_setting(contents, child)
        else _structure(ctx, child, leaves, what, integers)
        for child in contents.children()
    ]
    if isinstance(x, Ref):
        return lambda ctx, rest: ctx.new(contents.rebuild(tuple(p(ctx, rest) for p in parts)))
    return lambda ctx, rest: x.rebuild(tuple(p(ctx, rest) for p in parts))


def _items(ctx: Context, x: Ref, what: str) -> ListObject:
    """The items of a list that has grown in a loop."""
    if not isinstance(ctx.length(x), Static):
        kind = "a list whose length is known only at run time"
        ctx.fail(NotDifferentiable, what=what, kind=kind, help_text=USE_ARRAY)
    return ListObject(ctx.list_items(x))


def _is_static_setting(contents: Any, child: Abstract) -> bool:
    """An int or a flag among the attributes of an instance: it stays as it is, as a string does."""
    if not isinstance(contents, InstanceObject):
        return False
    if isinstance(child, Scalar):  # an int that changes from call to call, or was counted up
        return child.weak and child.value.aval.dtype.kind == "i"
    return is_static_number(child) and isinstance(child.value, (int, np.integer, np.bool_))


def matching_leaves(
    ctx: Context, xs: list[Abstract], values: list[Value], what: str
) -> list[Value]:
    """The leaves of `xs`, one for each value of `of_same_kind`, with its dtype and shape."""
    leaves: list[Abstract] = []
    for x in xs:
        _numbers(ctx, x, leaves, what)
    avals = [v.aval for v in values]
    if len(leaves) != len(avals) or any(ctx.shape(x) != a.shape for x, a in zip(leaves, avals)):
        given = ", ".join(ctx.describe(x) for x in leaves)
        wanted = ", ".join(map(str, avals))
        kind = f"({given}) where ({wanted}) is wanted"
        ctx.fail(NotDifferentiable, what=what, kind=kind, help_text=SAME_FORM)
    return [operand(ctx, x, a) for x, a in zip(leaves, avals)]


def _numbers(ctx: Context, x: Abstract, leaves: list[Abstract], what: str) -> None:
    if isinstance(x, Scalar) or is_static_number(x) or ctx.is_array(x):
        leaves.append(x)
        return
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    if isinstance(contents, BufferObject):
        contents = _items(ctx, x, what)
    for child in contents.children():
        if not _is_static_setting(contents, child):
            _numbers(ctx, child, leaves, what)
