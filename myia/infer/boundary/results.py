"""The results of a program: its typed values, and how Python objects are rebuilt from them.

`Outputs` turns the abstract result into a *recipe* and the typed values that it needs. Running the
recipe on the numbers of a call rebuilds tuples, dicts, dataclasses, ... without registration.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from myia.infer.boundary.inner_classes import is_inner
from myia.infer.boundary.instances import new_instance
from myia.infer.boundary.recipes import WRITTEN, Number, Recipe, recipe, sequence
from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import PYTHON_TYPES
from myia.infer.domain.dynamic_axes import packed
from myia.infer.domain.heap import (
    OF_AN_ARGUMENT,
    BufferObject,
    Contents,
    DictObject,
    InstanceObject,
    ListObject,
    SetObject,
)
from myia.infer.domain.heap_arrays import DYNAMIC_ARRAYS, STATIC_ARRAYS, RowObject
from myia.infer.domain.values import (
    UNDEFINED,
    Abstract,
    Choice,
    NewException,
    Opaque,
    Optional,
    Outside,
    PyFunction,
    Range,
    Ref,
    Scalar,
    Static,
    Text,
    Tuple,
    UndefinedType,
    is_static_int,
)
from myia.infer.dynamic.access import is_dynamic, read, with_nominal_shape
from myia.infer.guests import guest_of
from myia.infer.lists import growing_lists
from myia.infer.lists.item_templates import ItemTemplate, Rows
from myia.infer.paths.caught import instance_of
from myia.infer.stand_ins import is_resource
from myia.infer.tuple_classes import can_be_remade
from myia.infer.unsupported import UnsupportedBoundary
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.source.span import Span

CONTAINERS = (ListObject, DictObject, InstanceObject, SetObject, BufferObject)


@dataclass(frozen=True)
class Cut:
    """A result that is an array of more elements than it has: the number of each is a result.

    `lengths`: the results with the length of each axis; None: it is that of the array.
    """

    index: int
    lengths: tuple[int | None, ...]
    span: Span | None

    def apply(self, results: list[Any]) -> None:
        lengths = [None if i is None else int(np.asarray(results[i])) for i in self.lengths]
        results[self.index] = results[self.index][tuple(map(slice, lengths))].copy()


@dataclass
class Outputs:
    """Collects the values of a result.

    `kinds[i]`: a Python type, "generic", "array", or WRITTEN, the new elements of an argument.
    """

    ctx: Context
    argument_ids: dict[int, int]  # heap id -> number of the argument object
    values: list[Value] = field(default_factory=list)
    kinds: list[Any] = field(default_factory=list)
    leaf_of_array: dict[int, int] = field(default_factory=dict)  # heap id of an array -> its leaf
    shared: set[int] = field(default_factory=set)  # the objects that are found at several places
    recipe_of_shared: dict[int, Recipe] = field(default_factory=dict)
    active: set[int] = field(default_factory=set)  # the objects whose parts are being collected
    role: str = "a result"
    cuts: list[Cut] = field(default_factory=list)

    def leaf(self, value: Value, kind: Any) -> int:
        self.values.append(value)
        self.kinds.append(kind)
        return len(self.values) - 1

    def recipe_of_all(self, x: Abstract, others: Sequence[Abstract] = ()) -> Recipe:
        """How to rebuild `x`, which may share objects with `others`."""
        seen: set[int] = set()
        left = [*others, x]
        while left:
            part = left.pop()
            if not isinstance(part, Ref):
                left += part.children()
            elif part.id in seen:
                self.shared.add(part.id)
            elif part.id not in self.argument_ids:
                contents = self.ctx.heap[part.id]
                if isinstance(contents, CONTAINERS):
                    seen.add(part.id)
                    left += () if isinstance(contents, BufferObject) else contents.children()
        found = self.recipe(x)
        return recipe("sharing", None, found) if self.shared else found

    def recipe(self, x: Abstract) -> Recipe:
        """How to rebuild `x`."""
        ctx = self.ctx
        if is_inner(x.value if isinstance(x, (Static, Outside)) else getattr(x, "cls", None)):
            self.refuse_inner("a class or function of one")
        if isinstance(x, (Static, Outside)):
            return recipe("constant", x.value)
        if isinstance(x, Scalar):
            kind = PYTHON_TYPES[x.dtype.kind] if x.weak else "array" if x.boxed else "generic"
            return Number(self.leaf(x.value, kind))
        if isinstance(x, Tuple):
            if x.cls is not None and not can_be_remade(x.cls):
                ctx.fail(UnsupportedBoundary, what=f"a result of the class {x.cls.__name__}")
            return recipe("tuple", x.cls, *map(self.recipe, x.items))
        if isinstance(x, Opaque):
            parts, unflatten = sequence([self.recipe(p) for p in x.parts]), x.structure.unflatten
            return lambda n, o: unflatten(parts(n, o))
        if isinstance(x, Optional):
            return self.optional(x)
        if isinstance(x, Choice):
            return recipe("choice", None, *map(self.recipe, (x.index, *x.options)))
        if isinstance(x, UndefinedType):  # only where an error is raised on every path
            return recipe("constant", None)
        if isinstance(x, Range) and all(map(is_static_int, x.children())):
            ints = [ctx.int_of(part, "a range") for part in x.children()]
            return recipe("constant", range(*ints))
        if isinstance(x, PyFunction) and all(isinstance(part, Static) for part in x.parts):
            return recipe("constant", x.function)
        if isinstance(x, Ref) and x.id in self.argument_ids:
            return recipe("object", self.argument_ids[x.id])
        if isinstance(x := with_nominal_shape(ctx, x), Ref):
            return self.object(x)
        ctx.fail(
            UnsupportedBoundary,
            what=f"{ctx.describe(x)} as {self.role}",
            help_text="pass numbers, arrays and containers of them"
            if self.role != "a result"
            else "return numbers, arrays and containers of them",
        )

    def refuse_inner(self, what: str) -> NoReturn:
        self.ctx.fail(
            UnsupportedBoundary,
            what=f"{what} that compiled code defines, as {self.role},",
            help_text="return its numbers, or define the class at the top of the module",
        )

    def refuse_inner_items(self, template: ItemTemplate) -> None:
        cls: Any = template.static[0] if template.kind == "instance" else template.cls
        if is_inner(cls):
            self.refuse_inner(f"an object of the class {cls.__name__}")
        for item in template.items:
            self.refuse_inner_items(item)

    def optional(self, x: Optional) -> Recipe:
        if not isinstance(x.absent, Static):  # undefined only where an error was raised
            return self.recipe(x.value)
        return recipe("optional", None, self.recipe(x.present), self.recipe(x.value))

    def object(self, x: Ref) -> Recipe:
        contents = self.ctx.contents(x)
        if isinstance(contents, STATIC_ARRAYS):  # one object, however often the result has it
            if x.id not in self.leaf_of_array:
                self.leaf_of_array[x.id] = self.leaf(self.ctx.read(x), "array")
            return Number(self.leaf_of_array[x.id])
        if isinstance(contents, DYNAMIC_ARRAYS):
            if x.id not in self.leaf_of_array:
                self.leaf_of_array[x.id] = self.cut(x)
            return Number(self.leaf_of_array[x.id])
        if x.id in self.recipe_of_shared:
            return self.recipe_of_shared[x.id]
        if x.id in self.active:
            self.ctx.fail(UnsupportedBoundary, what="an object that holds itself, as a result,")
        if isinstance(contents, DictObject) and contents.factory is OF_AN_ARGUMENT:
            what = f"a new {contents.cls.__name__} made of that of an argument, as {self.role},"
            self.ctx.fail(UnsupportedBoundary, what=what, help_text="make a dict of it: `dict(d)`")
        self.active.add(x.id)
        found = self.rebuilt(contents)
        self.active.discard(x.id)
        if x.id in self.shared:
            found = self.recipe_of_shared[x.id] = recipe("shared", x.id, found)
        return found

    def cut(self, x: Ref) -> int:
        """An array whose size is known at run time: its bound is a result, and is cut there."""
        found = read(self.ctx, x)
        value, axes = found.value, list(found.dynamic_axes)
        for i, axis in enumerate(axes):
            if axis is not None:
                value, axes[i] = packed(value, i, axis)
        leaf = self.leaf(value, WRITTEN)
        lengths = [None if a is None else self.leaf(a.length.value, int) for a in axes]
        self.cuts.append(Cut(leaf, tuple(lengths), current_span()))
        return leaf

    def rebuilt(self, contents: Contents) -> Recipe:
        if isinstance(contents, BufferObject):
            return self.buffer(contents)
        parts = [self.recipe(child) for child in contents.children()]
        if isinstance(contents, ListObject):
            return recipe("list", None, *parts)
        if isinstance(contents, DictObject):
            return recipe("dict", (contents.keys, _maker(contents)), *parts)
        if isinstance(contents, InstanceObject):
            cls, names, items = contents.cls, contents.names, sequence(parts)
            if (guest := guest_of(cls)) is not None:
                if (rebuilt := guest.rebuilt) is None:
                    what = f"a {guest.name} as {self.role}"
                    self.ctx.fail(UnsupportedBoundary, what=what, help_text=guest.instead)
                return lambda n, o: rebuilt(dict(zip(names, items(n, o))))
            if _is_of_library(cls):
                return lambda n, o: new_instance(cls, dict(zip(names, items(n, o)))).in_python()
            if is_inner(cls):
                self.refuse_inner(f"an object of the class {cls.__name__}")
            return recipe("instance", (cls, names), *parts)
        if isinstance(contents, SetObject):
            return recipe("set", contents.cls, *parts)
        self.ctx.fail(UnsupportedBoundary, what=f"a {type(contents).__name__} as {self.role}")

    def buffer(self, contents: BufferObject) -> Recipe:
        """A list built in a loop: one array for each leaf of its items, split at the end."""
        count = growing_lists.list_length(contents)
        rows = [Number(self.leaf(row.value, "array")) for row in contents.rows]
        total = self.recipe(count)
        template = contents.template
        self.refuse_inner_items(template)
        if template.kind == "row":
            return self.list_of_rows(template.static, rows[0], total)
        if template.kind == "member":
            members = self.buffer(self.ctx.contents_as(Ref(template.static), BufferObject))
            return lambda n, o: _at(members(n, o), rows[0](n, o), total(n, o))

        return recipe("items", template, *rows, total)

    def list_of_rows(self, rows: Rows, numbers: Number, total: Recipe) -> Recipe:
        """A list of lists: one array of all rows, and the row numbers of its items.

        A row that is a list of the caller's is that list.
        """
        numbers_of = self.rows_of(rows.base)
        given = [self.argument_ids.get(id) for id in rows.members]

        def rebuild(n: Sequence[Any], o: Any) -> list[Any]:
            lists = numbers_of(n)
            made = [lists[k] if i is None else o[i] for k, i in enumerate(given)]
            return [made[k] for k in np.asarray(numbers(n, o)[: total(n, o)]).tolist()]

        return rebuild

    def rows_of(self, base: int) -> Callable[[Sequence[Any]], list[list[Any]]]:
        """The lists that are the rows of a buffer."""
        contents = self.ctx.contents_as(Ref(base), BufferObject)
        if base not in self.leaf_of_array:
            self.leaf_of_array[base] = self.leaf(contents.rows[0].value, "array")
        leaf, weak = self.leaf_of_array[base], contents.template.weak
        return lambda n: np.asarray(n[leaf]).tolist() if weak else list(map(list, n[leaf]))

    def update(self, id: int) -> Recipe:
        """The contents of an argument object after the call; of one with a stand-in, its state."""
        ref = Ref(id)
        if isinstance(row := self.ctx.heap[id], RowObject) and isinstance(row.index, Static):
            numbers_of, k = self.rows_of(row.base), row.index.value
            return lambda n, o: numbers_of(n)[k]
        contents = self.ctx.contents(ref)
        if isinstance(contents, STATIC_ARRAYS):
            return Number(self.leaf(self.ctx.read(ref), WRITTEN))
        if isinstance(contents, InstanceObject) and is_resource(contents):
            names, items = contents.names, sequence(list(map(self.part_of_state, contents.values)))
            return lambda n, o: dict(zip(names, items(n, o)))
        if isinstance(contents, InstanceObject) and (found := guest_of(contents.cls)):
            self.ctx.fail(
                UnsupportedBoundary, what=f"a change of a {found.name}", help_text=found.instead
            )
        return self.rebuilt(contents)

    def part_of_state(self, x: Abstract) -> Recipe:
        """A part of the state of an object with a stand-in: of an array, its new elements."""
        if self.ctx.is_array(x):
            return Number(self.leaf(self.ctx.read(x), WRITTEN))
        return self.recipe(x)


class HostArguments(Outputs):
    """What a Python function is called with: also arrays of any size, cut to it there, strings and
    exceptions.
    """

    def recipe(self, x: Abstract) -> Recipe:
        if isinstance(x, NewException):
            return self.exception(x)
        if isinstance(x, Text):
            items, template = sequence([self.recipe(item) for item in x.items]), x.template
            return lambda n, o: template.format(*items(n, o))
        return super().recipe(x)

    def object(self, x: Ref) -> Recipe:
        if not is_dynamic(self.ctx, x):
            return super().object(x)
        found = read(self.ctx, x).packed()
        array = self.leaf(found.value, "array")
        lengths = [self.leaf(length.value, int) for length in found.lengths]
        return lambda n, o: n[array][tuple(slice(n[i]) for i in lengths)]

    def exception(self, x: NewException) -> Recipe:
        if x.made or UNDEFINED in x.arguments:  # of a message that is not known
            contents = self.ctx.contents_as(instance_of(self.ctx, x), InstanceObject)
            fixed = contents.cls, contents.names
            return recipe("instance", fixed, *map(self.recipe, contents.values))
        made, names, positional = x.cls, x.names, len(x.arguments) - len(x.names)
        recipes = [self.recipe(item) for item in x.arguments]

        def make(numbers: Sequence[Any], objects: Sequence[Any]) -> BaseException:
            given = [recipe(numbers, objects) for recipe in recipes]
            return made(*given[:positional], **dict(zip(names, given[positional:])))

        return make


def _at(members: Sequence[Any], numbers: Any, total: int) -> list[Any]:
    return [members[k] for k in np.asarray(numbers[:total]).tolist()]


def _is_of_library(cls: type) -> bool:
    """Whether the class stands for one of Python's in compiled code (`library/source/`)."""
    return cls.__module__.startswith("myia.library.") and hasattr(cls, "in_python")


def _maker(contents: DictObject) -> Callable[[Any], dict]:
    """What makes a dict of its kind; a `defaultdict` keeps a factory that Python has, too."""
    if issubclass(contents.cls, collections.Counter):
        return lambda items: collections.Counter(dict(items))
    if issubclass(contents.cls, collections.OrderedDict):
        return lambda items: collections.OrderedDict(items)
    if contents.factory is None or contents.factory is OF_AN_ARGUMENT:
        return dict
    factory = contents.factory.value if isinstance(contents.factory, Static) else None
    return lambda items: collections.defaultdict(factory, items)
