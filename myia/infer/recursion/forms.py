"""How values travel in registers and in frames: the form they have at every visit, and its leaves.

    fib(n): n is 5, then n - 1          form: a number i64          leaves: i64
    (x, None), then (y, 3.0)            (number f64, optional number f64)      f64, bool, f64

The forms of two visits are unified: numbers at the promoted dtype, None or no value with a value as
an `Optional`. An object from before the recursion is itself in every form. One that was made in the
recursion is taken apart and made anew where it is read, with a new identity: nobody else may hold
it then, or it is read-only (arrays) or refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from myia.infer.domain import values
from myia.infer.domain.context import Context
from myia.infer.domain.describe import describe
from myia.infer.domain.dtypes import (
    ONE_KIND,
    NumberKind,
    is_number,
    is_weak,
    joined,
    number_dtype,
    number_value,
)
from myia.infer.domain.heap import (
    ArrayObject,
    CellObject,
    Contents,
    DictObject,
    Heap,
    InstanceObject,
    ListObject,
)
from myia.infer.domain.heap_arrays import STATIC_ARRAYS, array_aval
from myia.infer.domain.mismatch import Mismatch, require_one_dtype
from myia.infer.domain.values import (
    UNDEFINED,
    Abstract,
    Closure,
    Method,
    Optional,
    Outside,
    Partial,
    PyFunction,
    Range,
    Ref,
    Scalar,
    SliceValue,
    Static,
    Tuple,
    same_static,
)
from myia.infer.paths.merge_template import is_absent, side_of
from myia.ir.avals import BOOL, Aval
from myia.ir.core import Value
from myia.primitives.core.define import zeros

NODES = (Tuple, Range, SliceValue, values.Iterator, Closure, PyFunction, Method, Partial)
OBJECTS = (ListObject, DictObject, InstanceObject, CellObject)
Place = tuple[int, ...]  # of a part in the group: its number, that of its part, ...
IN_RECURSION = "an array that a recursion passes on and holds"  # why an array is read-only


@dataclass(frozen=True)
class Form:
    """`text` describes it in errors."""

    text: str

    @property
    def leaves(self) -> tuple[Aval, ...]:
        return ()


@dataclass(frozen=True)
class FixedForm(Form):
    """The same value at every visit: a compile-time value, or an object from before.

    `array`: the form of that array where it is another one at other visits.
    """

    value: Abstract
    array: ArrayForm | None = None


@dataclass(frozen=True)
class NumberForm(Form):
    aval: Aval
    weak: bool
    boxed: bool | None

    @property
    def leaves(self) -> tuple[Aval, ...]:
        return (self.aval,)


@dataclass(frozen=True)
class ArrayForm(Form):
    """An array that was made in the recursion, or a copy of elements of the older arrays `of`."""

    aval: Aval
    readonly: str | None
    contiguous: bool
    of: frozenset[int] = frozenset()

    @property
    def leaves(self) -> tuple[Aval, ...]:
        return (self.aval,)


@dataclass(frozen=True)
class OptionalForm(Form):
    value: Form
    absent: Abstract | None

    @property
    def leaves(self) -> tuple[Aval, ...]:
        return (BOOL, *self.value.leaves)


@dataclass(frozen=True)
class TreeForm(Form):
    """A value of parts, or an object made in the recursion: `like` is one such."""

    like: Abstract | Contents
    parts: tuple[Form, ...]

    @property
    def leaves(self) -> tuple[Aval, ...]:
        return leaves_of(self.parts)


@dataclass(frozen=True)
class SharedForm(Form):
    """The object at that place in the group, again."""

    place: Place


def leaves_of(forms: Iterable[Form]) -> tuple[Aval, ...]:
    return tuple(aval for form in forms for aval in form.leaves)


# ----- The form of a value


class Former:
    """The forms of a group of values, which may share objects.

    `before`: the heap before the recursion. `held`: objects that others hold as well.
    """

    def __init__(self, ctx: Context, before: Heap, held: frozenset[int]) -> None:
        self.ctx, self.before, self.held = ctx, before, held
        self.places: dict[int, Place] = {}

    def forms(self, xs: Iterable[Abstract], place: Place = ()) -> tuple[Form, ...]:
        """Raises Mismatch where one has no form."""
        return tuple(self.form(x, (*place, i)) for i, x in enumerate(xs))

    def form(self, x: Abstract, place: Place) -> Form:
        text = describe(x, self.ctx.heap)
        if isinstance(x, Scalar):
            return NumberForm(text, x.value.aval, x.weak, x.boxed)
        if isinstance(x, Optional):
            return OptionalForm(text, self.form(x.value, place), x.absent)
        if isinstance(x, Ref):
            return self.object(x, text, place)
        if isinstance(x, NODES):
            return TreeForm(text, x, self.forms(x.children(), place))
        if isinstance(x, (Static, Outside)) or x is UNDEFINED:
            return FixedForm(text, x)
        raise Mismatch(text, "another value of a recursive call")

    def object(self, x: Ref, text: str, place: Place) -> Form:
        if x.id in self.before:
            self.ctx.check_valid(x)
            array = None
            if self.ctx.is_array(x):
                of = {x.id, *origins(self.ctx.heap, x.id)}
                aval = array_aval(self.ctx.heap, x.id)
                array = ArrayForm("", aval, IN_RECURSION, False, frozenset(of))
            return FixedForm(text, x, array)
        if x.id in self.places:
            return SharedForm(text, self.places[x.id])
        self.places[x.id] = place
        contents = self.ctx.contents(x)
        if isinstance(contents, STATIC_ARRAYS):
            return self.array(x, contents, text)
        if isinstance(contents, OBJECTS) and x.id not in self.held:
            return TreeForm(text, contents, self.forms(contents.children(), place))
        raise Mismatch(text, "an object of its own in each recursive call")

    def array(self, x: Ref, contents: Contents, text: str) -> ArrayForm:
        owned = isinstance(contents, ArrayObject) and contents.points_to is None
        readonly = contents.readonly if isinstance(contents, ArrayObject) else None
        if not owned or x.id in self.held:
            readonly = readonly or IN_RECURSION
        of = frozenset(id for id in origins(self.ctx.heap, x.id) if id in self.before)
        contiguous = isinstance(contents, ArrayObject) and contents.contiguous
        return ArrayForm(text, array_aval(self.ctx.heap, x.id), readonly, contiguous, of)


def origins(heap: Heap, id: int) -> set[int]:
    """The objects of which a write may change the elements of the array `id`."""
    edges = {a for a, others in heap.alias_edges.items() if id in others}
    return ({*heap.owners(id)} - {id}) | edges


def reachable(heap: Heap, xs: Iterable[Abstract], before: Heap) -> dict[int, None]:
    """The objects made since `before` that values consist of, or that these are read from."""
    found: dict[int, None] = {}
    waiting = [*xs]
    while waiting:
        x = waiting.pop()
        if isinstance(x, Ref):
            if x.id in found or x.id in before or x.id not in heap:
                continue
            found[x.id] = None
            contents = heap[x.id]
            waiting += [*contents.children(), *map(Ref, contents.bases)]
            waiting += map(Ref, origins(heap, x.id))
        else:
            waiting += x.children()
    return found


# ----- Two forms


def unify(a: Form, b: Form) -> Form:
    """The form that holds values of both; raises Mismatch."""
    if isinstance(a, FixedForm) and isinstance(b, FixedForm) and is_same(a.value, b.value):
        return a
    if (x := _as_number(a)) and (y := _as_number(b)):
        one = NumberKind(x.aval.dtype, x.weak, _known(a))
        other = NumberKind(y.aval.dtype, y.weak, _known(b))
        if (found := joined(one, other)) is None:
            raise Mismatch(a.text, b.text, ONE_KIND)
        dtype, weak = found
        boxed = x.boxed if x.boxed is y.boxed else None
        return NumberForm(x.text, Aval(dtype), weak, boxed)
    if _of_unbound(a) or _of_unbound(b):
        return _unbound(a, b)
    if isinstance(a, OptionalForm) or isinstance(b, OptionalForm) or _absent(a) or _absent(b):
        return _optional(a, b)
    if (v := _as_array(a)) and (w := _as_array(b)) and v.aval.shape == w.aval.shape:
        require_one_dtype(v.aval, w.aval)
        contiguous = v.contiguous and w.contiguous
        return ArrayForm(v.text, v.aval, v.readonly or w.readonly, contiguous, v.of | w.of)
    if isinstance(a, TreeForm) and isinstance(b, TreeForm) and a.like.key() == b.like.key():
        return replace(a, parts=tuple(map(unify, a.parts, b.parts)))
    if isinstance(a, SharedForm) and isinstance(b, SharedForm) and a.place == b.place:
        return a
    raise Mismatch(a.text, b.text)


def is_same(x: Abstract, y: Abstract) -> bool:
    """Whether they are one value: equal when compiling, or the same object, function or op."""
    if isinstance(x, Static) and isinstance(y, Static):
        return same_static(x.value, y.value)
    if isinstance(x, Outside) and isinstance(y, Outside):
        return x.value is y.value
    if isinstance(x, (PyFunction, Static)) and isinstance(y, (PyFunction, Static)):
        return _function(x) is _function(y)  # its closure has been asked for, or will be
    return x == y


def _function(x: PyFunction | Static) -> object:
    return x.function if isinstance(x, PyFunction) else x.value


def _known(form: Form) -> Static | None:
    """The constant that a number is at every visit."""
    x = form.value if isinstance(form, FixedForm) else None
    return x if isinstance(x, Static) else None


def _as_number(form: Form) -> NumberForm | None:
    if isinstance(form, NumberForm):
        return form
    x = form.value if isinstance(form, FixedForm) else None
    if x is None or not is_number(x):
        return None
    return NumberForm(form.text, Aval(number_dtype(x)), is_weak(x), False)


def _as_array(form: Form) -> ArrayForm | None:
    return (
        form.array if isinstance(form, FixedForm) else form if isinstance(form, ArrayForm) else None
    )


def copied(form: Form) -> frozenset[int]:
    """The older arrays of which values of this form hold copies."""
    if isinstance(form, OptionalForm):
        return copied(form.value)
    if isinstance(form, TreeForm):
        return frozenset().union(*map(copied, form.parts))
    return form.of if isinstance(form, ArrayForm) else frozenset()


def _absent(form: Form) -> bool:
    return isinstance(form, FixedForm) and is_absent(form.value)


def _of_unbound(form: Form) -> bool:
    if isinstance(form, OptionalForm):
        return not isinstance(form.absent, Static)
    return isinstance(form, FixedForm) and form.value is UNDEFINED


def _unbound(a: Form, b: Form) -> Form:
    """Of names that may be unbound."""
    sides = [x for x in (a, b) if not isinstance(x, FixedForm) or x.value is not UNDEFINED]
    values = [x.value if isinstance(x, OptionalForm) and _of_unbound(x) else x for x in sides]
    value = values[0] if len(values) == 1 else unify(*values)
    return OptionalForm(value.text, value, UNDEFINED)


def _optional(a: Form, b: Form) -> Form:
    sides = [x for x in (a, b) if not _absent(x)]
    values = [x.value if isinstance(x, OptionalForm) else x for x in sides]
    absent = [x.value for x in (a, b) if isinstance(x, FixedForm) and _absent(x)]
    absent += [x.absent for x in sides if isinstance(x, OptionalForm) and x.absent is not None]
    value = values[0] if len(values) == 1 else unify(*values)
    return OptionalForm(value.text, value, absent[0] if absent else None)


def is_equal(a: Form, b: Form) -> bool:
    """Whether the two are one form, but for texts."""
    if type(a) is not type(b):
        return False
    if isinstance(a, FixedForm) and isinstance(b, FixedForm):
        return is_same(a.value, b.value)
    if isinstance(a, TreeForm) and isinstance(b, TreeForm):
        same = a.like.key() == b.like.key() and len(a.parts) == len(b.parts)
        return same and all(map(is_equal, a.parts, b.parts))
    if isinstance(a, OptionalForm) and isinstance(b, OptionalForm):
        same = (a.absent is UNDEFINED) == (b.absent is UNDEFINED)
        return same and (a.absent is None) == (b.absent is None) and is_equal(a.value, b.value)
    return replace(a, text="") == replace(b, text="")


# ----- Values to leaves and back


def leaves_in(ctx: Context, forms: Sequence[Form], xs: Sequence[Abstract]) -> list[Value]:
    """The leaves of values, as their forms have them."""
    return [leaf for form, x in zip(forms, xs) for leaf in _flatten(ctx, form, x)]


def _flatten(ctx: Context, form: Form, x: Abstract) -> Iterator[Value]:
    if isinstance(form, OptionalForm):
        side = side_of(x, not isinstance(form.absent, Static))
        yield number_value(side.present, np.dtype(bool))
        yield from _flatten(ctx, form.value, side.value)
    elif is_absent(x):
        yield from map(zeros, form.leaves)
    elif isinstance(form, NumberForm):
        yield number_value(x, form.aval.dtype)
    elif isinstance(form, ArrayForm):
        assert isinstance(x, Ref)
        yield ctx.read(x)
    elif isinstance(form, TreeForm):
        tree = x if (contents := ctx.held(x)) is None else contents
        for part, child in zip(form.parts, tree.children()):
            yield from _flatten(ctx, part, child)


def values_of(ctx: Context, forms: Sequence[Form], leaves: Sequence[Value]) -> list[Abstract]:
    """The values of these leaves."""
    return _Builder(ctx, iter(leaves)).values(forms, ())


@dataclass
class _Builder:
    ctx: Context
    leaves: Iterator[Value]
    objects: dict[Place, Ref] = field(default_factory=dict)

    def values(self, forms: Iterable[Form], place: Place) -> list[Abstract]:
        return [self.value(form, (*place, i)) for i, form in enumerate(forms)]

    def value(self, form: Form, place: Place) -> Abstract:
        if isinstance(form, FixedForm):
            return form.value
        if isinstance(form, SharedForm):
            return self.objects[form.place]
        if isinstance(form, NumberForm):
            return Scalar(next(self.leaves), form.weak, boxed=form.boxed)
        if isinstance(form, OptionalForm):
            present = Scalar(next(self.leaves), weak=True)
            return Optional(present, self.value(form.value, place), form.absent)
        if isinstance(form, ArrayForm):
            array = ArrayObject(next(self.leaves), form.readonly, form.contiguous)
            self.objects[place] = self.ctx.new(array)
            return self.objects[place]
        assert isinstance(form, TreeForm)
        if isinstance(form.like, Abstract):
            return form.like.rebuild(self.values(form.parts, place))
        # Before its parts, which may refer to it.
        ref = self.objects[place] = self.ctx.new(form.like)
        self.ctx.write(ref, form.like.rebuild(self.values(form.parts, place)))
        return ref
