"""Axes of a batch: the arrays in arguments and results that hold examples, and along which axis.

    in_axes=(0, {"w": None, "b": 1})      x[i], {"w": w, "b": b[:, i]} is example i

An entry holds for all arrays below it. Arrays with the entry None belong to all examples alike, as
do strings, functions and None. A result may have these as attributes of instances.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeGuard, Union

from myia.infer.boundary.differentiable_leaves import settings_of
from myia.infer.boundary.instances import is_state, state_of
from myia.infer.boundary.undifferentiated import places_of
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadType, BadValue
from myia.infer.domain.heap import BufferObject, Contents, DictObject, InstanceObject, ListObject
from myia.infer.domain.values import (
    FUNCTION_VALUES,
    UNDEFINED,
    Abstract,
    Opaque,
    Optional,
    Ref,
    Scalar,
    Static,
    Tuple,
    is_none,
    is_static_int,
    is_static_number,
)
from myia.infer.dynamic.access import is_dynamic, refuse_dynamic, with_nominal_shape
from myia.infer.guests import guest_of
from myia.infer.numeric.promotion import is_numeric
from myia.infer.operators.number_choices import with_one_dtype
from myia.infer.stand_ins import is_resource

Axes = Union[None, int, tuple["Axes", ...], "AxesOfItems", "AxesOfAttributes", "NoAxis"]
Build = Callable[[Context, Sequence[Abstract]], Abstract]

WANTED = "an int, None, or a tuple, list, dict or instance of these"


@dataclass(frozen=True)
class AxesOfItems:
    """The entries for the items of a dict."""

    items: tuple[tuple[Any, Axes], ...]

    def __repr__(self) -> str:
        return repr(dict(self.items))


@dataclass(frozen=True)
class AxesOfAttributes:
    """The entries for the attributes of an instance."""

    cls: type
    items: tuple[tuple[str, Axes], ...]

    def __repr__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{name}={x!r}' for name, x in self.items)})"


@dataclass(frozen=True)
class NoAxis:
    """What an instance of entries has where an attribute is a string or the like."""

    text: str

    def __repr__(self) -> str:
        return self.text


def axes_tree(option: str, given: Any) -> Axes:
    """`in_axes` or `out_axes` as a hashable tree. TypeError: it has another form."""
    if given is None:
        return None
    if isinstance(given, (tuple, list)):
        return tuple(axes_tree(option, x) for x in given)
    if isinstance(given, dict):
        return AxesOfItems(tuple((key, axes_tree(option, x)) for key, x in given.items()))
    if is_state(given):
        items = ((name, _of_attribute(option, x)) for name, x in state_of(given).items())
        return AxesOfAttributes(type(given), tuple(items))
    try:
        if not isinstance(given, bool):
            return operator.index(given)
    except TypeError:
        pass
    raise TypeError(f"{option} has {given!r}, which is not {WANTED}")


def _of_attribute(option: str, given: Any) -> Axes:
    try:
        return axes_tree(option, given)
    except TypeError:
        return NoAxis(repr(given))


def axes_inside(ctx: Context, option: str, given: Abstract) -> Axes:
    """The same of an option in compiled code."""
    contents = ctx.contents(given) if isinstance(given, Ref) else given
    if isinstance(contents, DictObject):
        pairs = zip(contents.keys, contents.values)
        return AxesOfItems(tuple((key, axes_inside(ctx, option, x)) for key, x in pairs))
    if isinstance(contents, (Tuple, ListObject)):
        return tuple(axes_inside(ctx, option, x) for x in contents.items)
    if isinstance(contents, InstanceObject):
        attributes = zip(contents.names, contents.values)
        items = ((name, _of_attribute_inside(ctx, option, x)) for name, x in attributes)
        return AxesOfAttributes(contents.cls, tuple(items))
    try:
        return axes_tree(option, ctx.static(given, option))
    except TypeError as error:
        ctx.fail(BadType, message=str(error))


def _of_attribute_inside(ctx: Context, option: str, given: Abstract) -> Axes:
    if isinstance(given, (Ref, Tuple)):
        return axes_inside(ctx, option, given)
    return _of_attribute(option, ctx.static(given, option))


@dataclass(frozen=True)
class Leaf:
    """A number or an array; `axis`: that of its examples, None: it belongs to all of them."""

    x: Abstract
    axis: int | None
    path: str


@dataclass
class Leaves:
    """The leaves of structures, found under `option`; of arguments, those that hold examples.

    `settings`: of results, the attributes of all instances from outside of the function.
    """

    ctx: Context
    option: str
    settings: Mapping[int, Abstract] = field(default_factory=dict)
    found: list[Leaf] = field(default_factory=list)
    _places: dict[Any, int] = field(default_factory=dict)
    _objects: dict[Any, Build] = field(default_factory=dict)
    _active: set[int] = field(default_factory=set)  # the objects that the walk is inside of
    _instances: int = 0  # that the walk is inside of

    @property
    def are_results(self) -> bool:
        return self.option == "out_axes"

    def builder(self, x: Abstract, axes: Axes, path: str) -> Build:
        """Collects the leaves of `x`; returns a function that rebuilds `x` from other leaves."""
        ctx = self.ctx
        if axes is None and not self.are_results:
            return _kept(x)
        if self._instances and self._is_same_for_all(x):
            return _kept(x)
        if isinstance(axes, NoAxis):
            self._refuse_entry(axes, path)
        x = ctx.bound(x)
        if self.are_results and isinstance(x, Optional):
            return self._refuse(x, path)  # None for some examples
        x = with_nominal_shape(ctx, with_one_dtype(ctx, ctx.force(x)))
        if is_dynamic(ctx, x):
            refuse_dynamic(ctx, "a batch")
        if isinstance(axes, (tuple, AxesOfItems, AxesOfAttributes)):
            return self._structure(x, axes, path)
        if is_numeric(ctx, x):
            return self._leaf(x, axes, path)
        if isinstance(x, (Ref, Tuple)) or _is_tree(x):
            return self._structure(x, axes, path)
        is_shared = isinstance(x, (Static, *FUNCTION_VALUES)) and not self.are_results
        if is_shared or is_none(x) or x is UNDEFINED or (isinstance(x, Static) and axes is None):
            return _kept(x)
        return self._refuse(x, path)

    def _is_same_for_all(self, x: Abstract) -> bool:
        """A string, a function, ...: one that holds no number of an example."""
        if isinstance(x, Static):
            return not is_static_number(x)
        return isinstance(x, FUNCTION_VALUES) and (id(x) in self.settings or _is_constant(x))

    def _refuse_entry(self, entry: NoAxis, path: str) -> NoReturn:
        where = path if self.are_results else f"`{path}`"
        message = f"vmap: {self.option} has {entry.text} for {where}, which is not {WANTED}"
        self.ctx.fail(BadType, message=message)

    def _refuse(self, x: Abstract, path: str) -> NoReturn:
        if self.are_results:
            message = f"{path} is {self.ctx.describe(x)}, which cannot be an array of all examples"
        else:
            message = f"`{path}` is {self.ctx.describe(x)}, which holds no examples: in_axes=None"
        self.ctx.fail(BadType, message=f"vmap: {message}")

    # ----- Leaves

    def _leaf(self, x: Abstract, axis: int | None, path: str) -> Build:
        if not self.are_results:
            axis = self._axis_of_argument(x, axis, path)
        key = (x.id if isinstance(x, Ref) else id(x), axis, self.are_results and path)
        if key not in self._places:
            self._places[key] = len(self.found)
            self.found.append(Leaf(x, axis, path))
        place = self._places[key]
        return lambda ctx, new: new[place]

    def _axis_of_argument(self, x: Abstract, axis: int | None, path: str) -> int:
        assert axis is not None
        rank = len(self.ctx.shape(x))
        if rank == 0:
            what = f"`{path}` is {self.ctx.describe(x)}, which has no axis"
            self.ctx.fail(BadValue, message=f"vmap: {what}: in_axes=None gives it to all examples")
        return checked_axis(self.ctx, self.option, axis, rank, f"`{path}`")

    # ----- Structures

    def _structure(self, x: Abstract, axes: Axes, path: str) -> Build:
        if isinstance(x, Ref):
            if x.id in self._active:
                what = f"{path} is an object that holds itself"
                self.ctx.fail(BadType, message=f"vmap: {what}")
            key = (x.id, axes)
            if key not in self._objects:
                self._active.add(x.id)
                self._objects[key] = self._object(x, axes, path)
                self._active.discard(x.id)
            return self._objects[key]
        if not (isinstance(x, Tuple) or _is_tree(x)):
            return self._mismatch(x, axes, path)
        self._instances += not isinstance(x, Tuple)
        parts = self._parts(x, x, axes, path)
        self._instances -= not isinstance(x, Tuple)
        return lambda ctx, new: x.rebuild(tuple(part(ctx, new) for part in parts))

    def _object(self, x: Ref, axes: Axes, path: str) -> Build:
        ctx = self.ctx
        contents: Contents | None = ctx.contents(x)
        if isinstance(contents, BufferObject) and isinstance(ctx.length(x), Static):
            contents = ListObject(ctx.list_items(x))
        if contents is not None and is_resource(contents) and not self.are_results:
            return _kept(x)
        is_guest = isinstance(contents, InstanceObject) and guest_of(contents.cls) is not None
        if axes is not None and not isinstance(axes, int):
            self._entries(x, contents, axes, path)  # they may not fit
        if is_guest or not isinstance(contents, (ListObject, DictObject, InstanceObject)):
            return self._refuse(x, path)
        if is_resource(contents):
            return self._refuse(x, path)
        is_instance = isinstance(contents, InstanceObject)
        self._instances += is_instance
        parts, made = self._parts(x, contents, axes, path), Made()
        self._instances -= is_instance

        def build(ctx: Context, new: Sequence[Abstract]) -> Abstract:
            if made.of is not new:  # one object, however often it is met
                children = tuple(part(ctx, new) for part in parts)
                made.of, made.object = new, ctx.new(contents.rebuild(children))
            assert made.object is not None
            return made.object

        return build

    def _parts(self, x: Abstract, contents: Any, axes: Axes, path: str) -> list[Build]:
        children = contents.children()
        settings = settings_of(contents)
        return [
            _kept(child)
            if child in settings or self._is_setting(contents, child)
            else self.builder(child, entry, path + place)
            for child, entry, place in zip(
                children, self._entries(x, contents, axes, path), places_of(contents)
            )
        ]

    def _is_setting(self, contents: Any, child: Abstract) -> bool:
        """An int or a flag among the attributes of an instance: it stays as it is."""
        if not isinstance(contents, InstanceObject):
            return False
        if self.are_results and id(child) not in self.settings:
            return False
        if isinstance(child, Scalar):
            return child.weak and child.dtype.kind == "i"
        return is_static_int(child) or (is_static_number(child) and not self.are_results)

    def _entries(self, x: Abstract, contents: Any, axes: Axes, path: str) -> Sequence[Axes]:
        """The entry of `axes` for each child."""
        if isinstance(axes, tuple):
            known = isinstance(contents, (Tuple, ListObject))
            if not known or len(axes) != len(contents.children()):
                self._mismatch(x, axes, path)
            return axes
        if isinstance(axes, AxesOfItems):
            entries = dict(axes.items)
            if not isinstance(contents, DictObject) or entries.keys() != set(contents.keys):
                self._mismatch(x, axes, path)
            return [entries[key] for key in contents.keys]
        if isinstance(axes, AxesOfAttributes):
            of = dict(axes.items)
            known = isinstance(contents, InstanceObject) and contents.cls is axes.cls
            if not known or of.keys() != set(contents.names):
                self._mismatch(x, axes, path)
            return [of[name] for name in contents.names]
        return [axes] * len(contents.children())

    def _mismatch(self, x: Abstract, axes: Axes, path: str) -> NoReturn:
        if _is_tree(x):
            given = "a structure, where one entry holds for all arrays,"
        elif isinstance(axes, AxesOfAttributes):
            names = ", ".join(name for name, _ in axes.items)
            given = f"an instance of {axes.cls.__name__} with the attributes {names}"
        elif isinstance(axes, AxesOfItems):
            given = f"a dict with the keys {', '.join(repr(key) for key, _ in axes.items)}"
        else:
            assert isinstance(axes, tuple)
            given = f"{len(axes)} entr{'y' if len(axes) == 1 else 'ies'}"
        where = path if self.are_results else f"`{path}`"
        shown = f"{where}, which is {self.ctx.describe(x)}"
        self.ctx.fail(BadValue, message=f"vmap: {self.option} has {given} for {shown}")


@dataclass
class Made:
    """The object that was rebuilt from the leaves `of`."""

    of: Any = None
    object: Ref | None = None


def _is_tree(x: Abstract) -> TypeGuard[Opaque]:
    """A module or another tree of a library of JAX; random keys are none."""
    return isinstance(x, Opaque) and x.structure.is_tree


def _is_constant(x: Abstract) -> bool:
    if isinstance(x, Static):
        return True
    return isinstance(x, FUNCTION_VALUES) and all(map(_is_constant, x.children()))


def settings_in(objects: Iterable[Contents]) -> dict[int, Abstract]:
    """The attributes of instances, by their ids."""
    instances = [x for x in objects if isinstance(x, InstanceObject)]
    return {id(child): child for x in instances for child in x.values}


def _kept(x: Abstract) -> Build:
    return lambda ctx, new: x


def checked_axis(ctx: Context, option: str, axis: int, rank: int, what: str) -> int:
    """`axis` counted from the first one; an error if there is no such axis."""
    if not -rank <= axis < rank:
        axes = f"{rank} ax{'is' if rank == 1 else 'es'}"
        ctx.fail(BadValue, message=f"vmap: {option} has {axis} for {what}, which has {axes}")
    return axis % rank
