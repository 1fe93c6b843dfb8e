"""Recipes: functions that rebuild the Python result of a call from the numbers of its program.

    [x + 1, "a"]   ->   recipe("list", None, Number(0), recipe("constant", "a"))

A recipe that is made here has a *form*: what it is made of, by which it can be saved and made
again. Others, that rebuild objects of libraries, have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from myia.infer.boundary.instances import new_instance

if TYPE_CHECKING:
    from myia.infer.lists.item_templates import ItemTemplate

Recipe = Callable[[Sequence[Any], Sequence[Any]], Any]  # (numbers, argument objects) -> object

WRITTEN = "written"  # the kind of the new elements of an argument


def _item(x: Any) -> Any:
    return np.asarray(x).item()


# What a number of a program is in Python, by its kind (`Program.kinds`).
TO_PYTHON: dict[Any, Callable[[Any], Any]] = {
    "array": np.array,  # a copy, which is writable
    WRITTEN: np.asarray,
    "generic": lambda x: np.asarray(x)[()],
    **dict.fromkeys((bool, int, float, complex), _item),
}


class Numbers(list):
    """The numbers of one call. `made`: of them, the objects that stand at several places."""

    __slots__ = ("made",)

    def __init__(self, numbers: Sequence[Any]) -> None:
        super().__init__(numbers)
        self.made: dict[int, Any] = {}


class Form(NamedTuple):
    """`fixed`: what is known while compiling: a class, keys, a value; `parts`: recipes."""

    kind: str
    fixed: Any
    parts: tuple[Recipe, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """The number or array at an index."""

    index: int

    def __call__(self, numbers: Sequence[Any], objects: Sequence[Any]) -> Any:
        return numbers[self.index]

    @property
    def form(self) -> Form:
        return Form("number", self.index, ())


def recipe(kind: str, fixed: Any = None, *parts: Recipe) -> Recipe:
    """The recipe of a form.

    number     the one at the index `fixed`
    constant   the value `fixed`
    object     the object number `fixed` of the caller
    tuple      of the class `fixed`; None: a tuple
    list, set  of the parts; of the class `fixed`
    dict       `fixed`: its keys, and what makes it of its items
    instance   `fixed`: its class, and the names of its attributes
    optional   None where the first part is false, else the second
    choice     of the other parts the one whose number the first is
    shared     an object at several places, which is made once: its id is `fixed`
    sharing    a result with such objects
    items      a list built in a loop: the columns of its leaves, then its length; `fixed`: the
               template of its items
    """
    made: Any = MAKERS[kind](fixed, parts)
    if kind != "number":
        made.form = Form(kind, fixed, parts)
    found: Recipe = made
    return found


def shares(recipe: Recipe) -> bool:
    """Has the result objects at several places, also of the arguments?"""
    form = form_of(recipe)
    return form is not None and form.kind == "sharing"


def form_of(recipe: Recipe) -> Form | None:
    """What a recipe is made of; None: it cannot be saved."""
    return getattr(recipe, "form", None)


def sequence(parts: Sequence[Recipe]) -> Recipe:
    """All of them in a sequence; a slice, if they are consecutive numbers."""
    places = [part.index for part in parts if isinstance(part, Number)]
    if places and places == list(range(places[0], places[0] + len(parts))):
        start, stop = places[0], places[-1] + 1
        return lambda n, o: n[start:stop]
    return lambda n, o: [part(n, o) for part in parts]


# ----- How each kind is rebuilt

Parts = tuple[Recipe, ...]


def _constant(value: Any, parts: Parts) -> Recipe:
    return lambda numbers, objects: value


def _object(index: int, parts: Parts) -> Recipe:
    return lambda numbers, objects: objects[index]


def _tuple(make: Callable[..., Any] | None, parts: Parts) -> Recipe:
    items = sequence(parts)
    if make is None:
        return lambda n, o: tuple(items(n, o))
    return lambda n, o: _tuple_of(make, items(n, o))


def _tuple_of(make: Callable[..., Any], items: Sequence[Any]) -> Any:
    """Of a class, or as a file says."""
    return tuple.__new__(make, items) if isinstance(make, type) else make(*items)


def _list(cls: Any, parts: Parts) -> Recipe:
    items = sequence(parts)
    return lambda n, o: list(items(n, o))


def _set(cls: type, parts: Parts) -> Recipe:
    items = sequence(parts)
    return lambda n, o: cls(items(n, o))


def _dict(fixed: tuple[Sequence[Any], Callable[[Any], dict]], parts: Parts) -> Recipe:
    (keys, make), items = fixed, sequence(parts)
    return lambda n, o: make(zip(keys, items(n, o)))


def _instance(fixed: tuple[type, Sequence[str]], parts: Parts) -> Recipe:
    (cls, names), items = fixed, sequence(parts)
    return lambda n, o: new_instance(cls, dict(zip(names, items(n, o))))


def _optional(fixed: None, parts: Parts) -> Recipe:
    present, value = parts
    return lambda n, o: value(n, o) if present(n, o) else None


def _choice(fixed: None, parts: Parts) -> Recipe:
    which, *options = parts
    return lambda n, o: options[which(n, o)](n, o)


def _shared(id: int, parts: Parts) -> Recipe:
    (make,) = parts

    def rebuild(numbers: Any, objects: Sequence[Any]) -> Any:
        if id not in numbers.made:
            numbers.made[id] = make(numbers, objects)
        return numbers.made[id]

    return rebuild


def _sharing(fixed: None, parts: Parts) -> Recipe:
    (make,) = parts
    return lambda n, o: make(n if isinstance(n, Numbers) else Numbers(n), o)


def _items(template: Any, parts: Parts) -> Recipe:
    *rows, total = parts
    return lambda n, o: python_items(template, [row(n, o) for row in rows], total(n, o))


MAKERS: dict[str, Callable[[Any, Parts], Recipe]] = {
    "number": lambda index, parts: Number(index),
    "constant": _constant,
    "object": _object,
    "tuple": _tuple,
    "list": _list,
    "set": _set,
    "dict": _dict,
    "instance": _instance,
    "optional": _optional,
    "choice": _choice,
    "shared": _shared,
    "sharing": _sharing,
    "items": _items,
}


# ----- Lists that were buffers


def python_items(template: ItemTemplate, columns: list, count: int) -> list:
    """The first `count` Python objects, of columns of leaves (taken from the front of the list)."""
    if template.kind in ("number", "array"):
        column = columns.pop(0)[:count]
        return np.asarray(column).tolist() if template.weak else list(column)
    if template.kind == "static":
        return [template.static] * count
    if template.kind == "ragged":
        return _python_lists(template, columns, count)
    parts = [python_items(t, columns, count) for t in template.items]
    items = list(zip(*parts)) if parts else [()] * count
    if template.kind == "optional":
        return [value if there else None for there, value in items]
    if template.kind == "items":
        return list(map(list, items))
    if template.kind == "dict":
        return [dict(zip(template.static, item)) for item in items]
    if template.kind == "instance":
        cls, names, _ = template.static
        return [new_instance(cls, dict(zip(names, item))) for item in items]
    return items if template.cls is None else [_tuple_of(template.cls, item) for item in items]


def _python_lists(template: ItemTemplate, columns: list, count: int) -> list:
    lengths = np.asarray(columns.pop(0)[:count]).tolist()
    inner = [columns.pop(0) for _ in range(len(template.leaves) - 1)]
    if not template.items:
        return [[] for _ in lengths]
    return [
        python_items(template.items[0], [column[i] for column in inner], n)
        for i, n in enumerate(lengths)
    ]
