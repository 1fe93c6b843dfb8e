"""The differentiable leaves of arguments and results (a pytree), and their replacement.

A derivative is taken with respect to the float and complex numbers and arrays in its arguments.
They are found through tuples, lists, dicts, sets and instances; what is not taken apart must hold
no number. Structures with other leaves in their place hold tangents, cotangents and gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from myia.infer.boundary.undifferentiated import (
    CODE,
    RETURN_FLOATS,
    holds_number,
    places_of,
    refuse_code,
    refuse_held_numbers,
    refuse_integers,
)
from myia.infer.domain.context import Context
from myia.infer.domain.errors import NotDifferentiable
from myia.infer.domain.heap import BufferObject, InstanceObject, ListObject, SetObject
from myia.infer.domain.memory_order import is_contiguous
from myia.infer.domain.values import Abstract, Outside, Ref, Scalar, Static, is_static_number
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic, with_nominal_shape
from myia.infer.guests import guest_of
from myia.infer.numeric.promotion import is_numeric, operand, operand_dtype
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.stand_ins import is_resource
from myia.ir.core import Value
from myia.primitives.core.define import constant

RESULT = "the result of a differentiated function"

PASS_FLOATS = "pass floats, or read it from a closure: then it is not differentiated"
USE_ARRAY = "use an array of a known shape"
GIVE_LIST = "give a list, in the order in which Python iterates over the set of the primal"
WITHOUT_CYCLE = "keep that attribute or item out of what is differentiated"
SAME_FORM = "give it the structure and the shapes of what it is the derivative of"

# (context, leaves, alike) -> the structure; it takes its leaves from the list.
Builder = Callable[[Context, list[Abstract], bool], Abstract]


@dataclass(frozen=True)
class Tree:
    """The differentiable leaves of abstract values, and builders of the structures around them."""

    leaves: list[Scalar | Ref]
    values: list[Value]
    builders: list[Builder]

    def fill(self, ctx: Context, xs: Sequence[Abstract], *, alike: bool = False) -> list[Abstract]:
        """The same structures with other leaves; a set becomes a list, unless they are `alike`.

        Equal derivatives would be one item of a set.
        """
        rest = list(xs)
        return [build(ctx, rest, alike) for build in self.builders]

    def rebuild(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """The same structures and kinds of number with other values of the same avals."""
        return self.fill(ctx, [of_same_kind(ctx, x, v) for x, v in zip(self.leaves, values)])

    def copies(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """As `rebuild`; the new arrays are C-contiguous where the leaves are (see `reshape`)."""
        made = [of_same_kind(ctx, x, v, is_contiguous(ctx, x)) for x, v in zip(self.leaves, values)]
        return self.fill(ctx, made, alike=True)

    def rebuild_arrays(self, ctx: Context, values: list[Value]) -> list[Abstract]:
        """The same structures with values of any shape."""
        return self.fill(ctx, [ctx.array(v) for v in values])


def of_same_kind(ctx: Context, x: Abstract, value: Value, contiguous: bool = True) -> Abstract:
    """A new number or array with this value, of the kind of `x`."""
    if isinstance(x, Scalar):
        return Scalar(value, x.weak, boxed=x.boxed)
    return ctx.array(value, contiguous=contiguous)


def differentiable_tree(
    ctx: Context,
    xs: list[Abstract],
    what: str,
    *,
    names: Sequence[str] | None = None,
    integers: bool = False,
) -> Tree:
    """The tree of `xs`, in which every number must be a float (or complex) number or array.

    `names`: those of `xs`, for errors. `integers`: run-time integers and bools are leaves, too, and
    objects that are not taken apart may hold numbers.
    """
    walk = _Walk(ctx, what, integers)
    builders = []
    for i, x in enumerate(xs):
        name = f"args[{i}]" if names is None else names[i]
        is_argument = not integers and what != RESULT
        if is_argument:
            refuse_code(ctx, x, name)
        count = len(walk.leaves)
        builders.append(walk.structure(x, name))
        is_beside = len(xs) > 1 and isinstance(x, Ref) and is_resource(ctx.contents(x))
        if is_argument and len(walk.leaves) == count and not is_beside:
            refuse_integers(ctx, x, name)
    values = [x.value if isinstance(x, Scalar) else ctx.read(x) for x in walk.leaves]
    return Tree(walk.leaves, values, builders)


@dataclass
class _Walk:
    """The walk through abstract values that collects their differentiable leaves."""

    ctx: Context
    what: str
    integers: bool
    leaves: list[Scalar | Ref] = field(default_factory=list)
    active: set[int] = field(default_factory=set)  # the objects that the walk is inside of

    def structure(self, x: Abstract, path: str) -> Builder:
        """Append the leaves of `x`; returns a function that rebuilds `x` from a list of leaves."""
        ctx = self.ctx
        x = ctx.force(x)
        if is_static_number(x) and isinstance(x.value, (float, complex, np.inexact)):
            value = constant(x.value, np.asarray(x.value).dtype)
            x = Scalar(value, not isinstance(x.value, np.generic))
        x = with_nominal_shape(ctx, x)
        is_fixed = isinstance(x, (Static, Outside)) and (self.integers or not is_static_number(x))
        if not is_fixed and is_numeric(ctx, x):
            return self.leaf(x, path)
        if isinstance(x, (Static, Outside, *CODE)):
            if not self.integers:
                refuse_held_numbers(ctx, x, path, self.what == RESULT)
            if isinstance(x, (Static, Outside)) or not self.integers:
                return _kept(x)
        if is_dynamic(ctx, x):
            refuse_dynamic(ctx, "the derivative with respect to elements")
        if not isinstance(x, Ref):
            parts = self.parts(x, path)
            return lambda ctx, rest, alike: x.rebuild(tuple(p(ctx, rest, alike) for p in parts))
        return self.object(x, path)

    def leaf(self, x: Abstract, path: str) -> Builder:
        dtype, _ = operand_dtype(self.ctx, x)
        if not isinstance(x, (Scalar, Ref)) or (dtype.kind not in "fc" and not self.integers):
            kind = self.ctx.describe(x) if not isinstance(x, Static) else f"the int {x.value}"
            if self.what == RESULT:
                help_text = RETURN_FLOATS
            else:
                kind, help_text = f"{kind}, at `{path}`", PASS_FLOATS
            self.ctx.fail(NotDifferentiable, what=self.what, kind=kind, help_text=help_text)
        self.leaves.append(x)
        return lambda ctx, rest, alike: rest.pop(0)

    def object(self, x: Ref, path: str) -> Builder:
        if x.id in self.active:
            kind = f"an object that holds itself, at `{path}`"
            self.ctx.fail(NotDifferentiable, what=self.what, kind=kind, help_text=WITHOUT_CYCLE)
        contents = self.ctx.contents(x)
        known = [i.value for i in contents.children() if isinstance(i, Static)]
        if isinstance(contents, SetObject) and len(known) == len(contents.items):
            self.structure(Static(frozenset(known)), path)
            return _kept(x)  # a setting, if it was not refused
        if is_resource(contents):
            return _kept(x)
        if isinstance(contents, InstanceObject) and not (
            self.integers or holds_number(self.ctx, x)
        ):
            return lambda ctx, rest, alike: deep_copied(ctx, x, {}) if alike else x
        if isinstance(contents, BufferObject):
            contents = _items(self.ctx, x, self.what)
        self.active.add(x.id)
        parts = self.parts(contents, path)
        self.active.discard(x.id)

        def build(ctx: Context, rest: list[Abstract], alike: bool) -> Abstract:
            children = tuple(p(ctx, rest, alike) for p in parts)
            if isinstance(contents, SetObject) and not alike:
                return ctx.new(ListObject(children))
            return ctx.new(contents.rebuild(children))

        return build

    def parts(self, x: Any, path: str) -> list[Builder]:
        """The builders of the children of an abstract value or of the contents of an object."""
        settings = settings_of(x)
        return [
            _kept(child)
            if child in settings or _is_static_setting(x, child)
            else self.structure(child, path + place)
            for place, child in zip(places_of(x), x.children())
        ]


def _kept(x: Abstract) -> Builder:
    return lambda ctx, rest, alike: x


def _items(ctx: Context, x: Abstract, what: str) -> ListObject:
    """The items of a list that has grown in a loop."""
    if not isinstance(ctx.length(x), Static):
        kind = "a list whose length is known only at run time"
        ctx.fail(NotDifferentiable, what=what, kind=kind, help_text=USE_ARRAY)
    return ListObject(ctx.list_items(x))


def settings_of(x: Any) -> list[Abstract]:
    """The parts of an object of another library that stay as they are: indices of a matrix."""
    guest = guest_of(x.cls) if isinstance(x, InstanceObject) else None
    if guest is None:
        return []
    return [part for name, part in zip(x.names, x.values) if name in guest.settings]


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
        given = ", ".join(ctx.describe(x) for x in leaves or xs)
        wanted = ", ".join(map(str, avals))
        kind = f"({given}) where ({wanted}) is wanted"
        ctx.fail(NotDifferentiable, what=what, kind=kind, help_text=SAME_FORM)
    return [operand(ctx, x, a) for x, a in zip(leaves, avals)]


def _numbers(ctx: Context, x: Abstract, leaves: list[Abstract], what: str) -> None:
    if isinstance(x, Scalar) or is_static_number(x) or ctx.is_array(x):
        leaves.append(x)
        return
    contents = ctx.contents(x) if isinstance(x, Ref) else x
    if isinstance(contents, SetObject):
        ctx.fail(NotDifferentiable, what=what, kind=ctx.describe(x), help_text=GIVE_LIST)
    if isinstance(contents, BufferObject):
        contents = _items(ctx, x, what)
    settings = settings_of(contents)
    for child in contents.children():
        if child not in settings and not _is_static_setting(contents, child):
            _numbers(ctx, child, leaves, what)
