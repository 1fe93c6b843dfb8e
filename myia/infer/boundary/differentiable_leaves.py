"""The differentiable leaves of arguments and results (a pytree), and their replacement.

A derivative is taken with respect to the float and complex numbers and arrays in its arguments.
They are found through tuples, lists, dicts, sets and instances; what is not taken apart must hold
no number. Structures with other leaves in their place hold tangents, cotangents and gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

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
from myia.infer.domain.values import (
    Abstract,
    Node,
    Outside,
    Ref,
    Scalar,
    Static,
    is_static_number,
)
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic, with_nominal_shape
from myia.infer.guests import guest_of
from myia.infer.numeric.promotion import is_numeric, operand, operand_dtype
from myia.infer.paths.region_outputs import deep_copied
from myia.infer.stand_ins import is_resource
from myia.infer.structures import matched_children, unlike
from myia.ir.core import Value
from myia.primitives.core.define import constant

RESULT = "the result of a differentiated function"

PASS_FLOATS = "pass floats, or read it from a closure: then it is not differentiated"
USE_ARRAY = "use an array of a known shape"
GIVE_LIST = "give a list, in the order in which Python iterates over the set of the primal"
WITHOUT_CYCLE = "keep that attribute or item out of what is differentiated"
REAL_NUMBERS = "real numbers have real tangents and cotangents: give the real and imaginary parts"
SAME_FORM = "give it the structure and the shapes of what it is the derivative of"

# (context, leaves, alike) -> the structure; it takes its leaves from the list.
Builder = Callable[[Context, list[Abstract], bool], Abstract]
# (matching, x, path): the leaves of `x`, of the same structure, go to the matching.
Matcher = Callable[["Matching", Abstract, str], None]


@dataclass(frozen=True)
class Part:
    """A part of a structure: how it is built of other leaves, and how these are found in another
    of the same structure."""

    build: Builder
    match: Matcher


@dataclass(frozen=True)
class Tree:
    """The differentiable leaves of abstract values, and the structures around them."""

    leaves: list[Scalar | Ref]
    values: list[Value]
    parts: list[Part]

    def matching(self, ctx: Context, xs: Sequence[Abstract], what: str) -> list[Value]:
        """The leaves of `xs`, which have the same structures, with the dtypes of these leaves.

        `what` they are: a tangent, a cotangent. Items of dicts are matched by key, attributes by
        name. The tangent of a set is a list.
        """
        found = Matching(ctx, what, self.values)
        if len(xs) != len(self.parts):
            given, wanted = (f"a tuple of {len(x)} items" for x in (xs, self.parts))
            found.fail(f"{given} where {wanted} is wanted", "")
        for i, (part, x) in enumerate(zip(self.parts, xs)):
            part.match(found, x, f"[{i}]" if len(xs) > 1 else "")
        return found.values

    def fill(self, ctx: Context, xs: Sequence[Abstract], *, alike: bool = False) -> list[Abstract]:
        """The same structures with other leaves; a set becomes a list, unless they are `alike`.

        Equal derivatives would be one item of a set.
        """
        rest = list(xs)
        return [part.build(ctx, rest, alike) for part in self.parts]

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
    parts = []
    for i, x in enumerate(xs):
        name = f"args[{i}]" if names is None else names[i]
        is_argument = not integers and what != RESULT
        if is_argument:
            refuse_code(ctx, x, name)
        count = len(walk.leaves)
        parts.append(walk.structure(x, name))
        is_beside = len(xs) > 1 and isinstance(x, Ref) and is_resource(ctx.contents(x))
        if is_argument and len(walk.leaves) == count and not is_beside:
            refuse_integers(ctx, x, name)
    values = [x.value if isinstance(x, Scalar) else ctx.read(x) for x in walk.leaves]
    return Tree(walk.leaves, values, parts)


@dataclass
class _Walk:
    """The walk through abstract values that collects their differentiable leaves."""

    ctx: Context
    what: str
    integers: bool
    leaves: list[Scalar | Ref] = field(default_factory=list)
    active: set[int] = field(default_factory=set)  # the objects that the walk is inside of

    def structure(self, x: Abstract, path: str) -> Part:
        """Append the leaves of `x`; returns the structure around them."""
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

            def build(ctx: Context, rest: list[Abstract], alike: bool) -> Abstract:
                return x.rebuild(tuple(p.build(ctx, rest, alike) for p in parts))

            return Part(build, _of_parts(x, parts))
        return self.object(x, path)

    def leaf(self, x: Abstract, path: str) -> Part:
        dtype, _ = operand_dtype(self.ctx, x)
        if not isinstance(x, (Scalar, Ref)) or (dtype.kind not in "fc" and not self.integers):
            kind = self.ctx.describe(x) if not isinstance(x, Static) else f"the int {x.value}"
            if self.what == RESULT:
                help_text = RETURN_FLOATS
            else:
                kind, help_text = f"{kind}, at `{path}`", PASS_FLOATS
            self.ctx.fail(NotDifferentiable, what=self.what, kind=kind, help_text=help_text)
        self.leaves.append(x)
        return Part(lambda ctx, rest, alike: rest.pop(0), Matching.leaf)

    def object(self, x: Ref, path: str) -> Part:
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
            return _kept(x, lambda ctx, rest, alike: deep_copied(ctx, x, {}) if alike else x)
        if isinstance(contents, BufferObject):
            contents = _items(self.ctx, x, self.what)
        self.active.add(x.id)
        parts = self.parts(contents, path)
        self.active.discard(x.id)

        def build(ctx: Context, rest: list[Abstract], alike: bool) -> Abstract:
            children = tuple(p.build(ctx, rest, alike) for p in parts)
            if isinstance(contents, SetObject) and not alike:
                return ctx.new(ListObject(children))
            return ctx.new(contents.rebuild(children))

        like = ListObject(contents.items) if isinstance(contents, SetObject) else contents
        return Part(build, _of_parts(like, parts))

    def parts(self, x: Any, path: str) -> list[Part]:
        """The structures of the children of an abstract value or of the contents of an object."""
        settings = settings_of(x)
        return [
            _kept(child)
            if child in settings or _is_static_setting(x, child)
            else self.structure(child, path + place)
            for place, child in zip(places_of(x), x.children())
        ]


def _kept(x: Abstract, build: Builder | None = None) -> Part:
    """What stays as it is; in a tangent or cotangent it may be anything."""
    return Part(build or (lambda ctx, rest, alike: x), lambda matching, x, path: None)


def _of_parts(like: Node, parts: Sequence[Part]) -> Matcher:
    """The matcher of what consists of `parts`; `like`: it, or the contents of the object."""

    def match(found: Matching, x: Abstract, path: str) -> None:
        children = found.children(like, x, path)
        for part, place, child in zip(parts, places_of(like), children, strict=False):
            part.match(found, child, path + place)

    return match


@dataclass(frozen=True)
class Matching:
    """The search for the leaves of a structure that has to be like another one.

    `wanted`: the leaves of that; `values`: those that have been found, with their dtypes.
    """

    ctx: Context
    what: str
    wanted: Sequence[Value]
    values: list[Value] = field(default_factory=list)

    def leaf(self, x: Abstract, path: str) -> None:
        ctx, aval = self.ctx, self.wanted[len(self.values)].aval
        x = ctx.force(x)
        is_number = isinstance(x, Scalar) or is_static_number(x) or ctx.is_array(x)
        if not is_number or ctx.shape(x) != aval.shape:
            self.fail(f"({ctx.describe(x)}) where ({aval}) is wanted", path)
        if operand_dtype(ctx, x)[0].kind == "c" != aval.dtype.kind:
            self.fail(f"({ctx.describe(x)}) where ({aval}) is wanted", path, REAL_NUMBERS)
        self.values.append(operand(ctx, x, aval))

    def children(self, like: Node, x: Abstract, path: str) -> tuple[Abstract, ...]:
        """The children of `x`, in the order of those of `like`."""
        x = self.ctx.force(x)
        given = self.ctx.contents(x) if isinstance(x, Ref) else x
        if isinstance(given, SetObject):
            kind = self.ctx.describe(x)
            self.ctx.fail(NotDifferentiable, what=self.what, kind=kind, help_text=GIVE_LIST)
        if isinstance(given, BufferObject):
            given = _items(self.ctx, x, self.what)
        children = matched_children(like, given)
        if children is None:
            self.fail(unlike(self.ctx, given, like), path)
        return children

    def fail(self, kind: str, path: str, help_text: str = SAME_FORM) -> NoReturn:
        kind += f", at `{path}`" if path else ""
        self.ctx.fail(NotDifferentiable, what=self.what, kind=kind, help_text=help_text)


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
