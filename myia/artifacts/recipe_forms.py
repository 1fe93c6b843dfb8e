"""Recipes of results as JSON, and back.

["list", null, [["number", 0], ["constant", ["int", "0x1"], []]]]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from myia.artifacts.constants import (
    Json,
    NotStorable,
    class_name,
    class_of,
    decoded,
    dtype_of,
    encoded,
    named_tuple,
)
from myia.infer.boundary.instances import new_instance
from myia.infer.boundary.recipes import MAKERS, Form, Recipe, form_of, recipe

NUMBER_TYPES = {cls.__name__: cls for cls in (bool, int, float, complex)}
SETS: dict[str, type] = {"set": set, "frozenset": frozenset}


# ----- To JSON


def recipe_json(found: Recipe) -> Json:
    """NotStorable: it rebuilds what has no form in a file."""
    form = form_of(found)
    if form is None:
        raise NotStorable("a result of a class of a library")
    return [form.kind, _fixed_json(form), [recipe_json(part) for part in form.parts]]


def _fixed_json(form: Form) -> Json:
    kind, fixed = form.kind, form.fixed
    if kind in ("number", "object", "shared", "sharing", "list", "optional", "choice"):
        return fixed
    if kind == "constant":
        return encoded(fixed)
    if kind == "tuple":
        return None if fixed is None else _tuple_name(fixed)
    if kind == "set":
        if fixed not in SETS.values():
            raise NotStorable(f"a result of the class {fixed.__name__}")
        return fixed.__name__
    if kind == "dict":
        keys, make = fixed
        if make is not dict:
            raise NotStorable("a dict of a class of its own, as a result")
        return [encoded(key) for key in keys]
    if kind == "instance":
        cls, names = fixed
        return [class_name(cls), [*names]]
    return _template_json(fixed)


def _tuple_name(cls: Any) -> Json:
    if not (isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")):
        raise NotStorable(f"a result that {getattr(cls, '__name__', cls)} makes")
    return class_name(cls)


# Of lists built in a loop
ITEMS = (
    *("number", "array", "static", "ragged", "items", "dict", "instance", "tuple"),
    "optional",
)


def _template_json(template: Any) -> Json:
    kind, static = template.kind, template.static
    if kind not in ITEMS:
        raise NotStorable("a list of lists, as a result")
    if kind == "dict":
        static = [encoded(key) for key in static]
    elif kind == "instance":
        cls, names, _ = static
        static = [class_name(cls), [*names]]
    else:
        static = encoded(static) if kind == "static" else None
    cls = None if template.cls is None or kind != "tuple" else _tuple_name(template.cls)
    parts = [_template_json(t) for t in template.items]
    return [kind, bool(template.weak), static, cls, len(template.leaves), parts]


# ----- From JSON


class Template(NamedTuple):
    """The structure of an item of a list, as `recipes.py` reads it."""

    kind: str
    weak: bool
    static: Any
    cls: Any
    leaves: range
    items: tuple[Template, ...]


def recipe_of(told: Json, is_own: bool = False) -> Recipe:
    """`is_own`: this user wrote it, of classes that are imported. Else they are looked up when a
    result is made, and no code of them is run."""
    kind, fixed, parts = told
    if kind not in MAKERS:
        raise ValueError(kind)
    made = [recipe_of(part, is_own) for part in parts]
    if kind == "instance":
        if is_own:
            return recipe(kind, (class_of(fixed[0]), tuple(fixed[1])), *made)
        return _instance(fixed, made)
    if kind == "tuple" and is_own and fixed is not None:
        return recipe(kind, class_of(fixed), *made)
    return recipe(kind, _fixed(kind, fixed), *made)


def places_in(told: Json) -> Iterator[tuple[str, int]]:
    """The numbers and objects that a recipe names."""
    kind, fixed, parts = told
    if kind in ("number", "object"):
        yield kind, fixed
    for part in parts:
        yield from places_in(part)


def _fixed(kind: str, fixed: Json) -> Any:
    if kind in ("number", "object", "shared"):
        if type(fixed) is not int or fixed < 0:
            raise ValueError(fixed)
        return fixed
    if kind == "constant":
        return decoded(fixed)
    if kind == "tuple":
        return None if fixed is None else named_tuple(_name(fixed))
    if kind == "set":
        return SETS[fixed]
    if kind == "dict":
        return [decoded(key) for key in fixed], dict
    return _template(fixed) if kind == "items" else None


def _instance(fixed: Json, parts: list[Recipe]) -> Recipe:
    cls, names = _name(fixed[0]), [*map(str, fixed[1])]
    if len(names) != len(parts):
        raise ValueError(fixed)
    return lambda n, o: new_instance(_data_class(cls), {k: p(n, o) for k, p in zip(names, parts)})


def _name(told: Json) -> list[str]:
    """That of a class: of its module, and in it."""
    module, path = told
    if not (type(module) is type(path) is str):
        raise ValueError(told)
    return [module, path]


def _data_class(name: list[str]) -> type:
    """The class of a result, of which no code is run, neither now nor when it is deleted."""
    cls = class_of(name)
    if hasattr(cls, "__del__"):
        raise TypeError(
            f"{'.'.join(name)} has a method `__del__`: a result cannot be of this class"
        )
    return cls


def _template(told: Json) -> Template:
    kind, weak, static, cls, leaves, items = told
    if kind == "dict":
        static = [decoded(key) for key in static]
    elif kind == "instance":
        static = (class_of(static[0]), static[1], None)
    elif kind == "static":
        static = decoded(static)
    make = None if cls is None else named_tuple(cls)
    return Template(kind, weak, static, make, range(leaves), tuple(map(_template, items)))


# ----- The kinds of numbers


def kind_json(kind: Any) -> str:
    return kind if isinstance(kind, str) else kind.__name__


def kind_of(told: str) -> Any:
    return NUMBER_TYPES.get(told, told)


def aval_json(aval: Any) -> Json:
    return [str(aval.dtype.name), [*aval.shape]]


def aval_shape(told: Json) -> tuple[Any, tuple[int, ...]]:
    dtype, shape = told
    return dtype_of(dtype), tuple(map(int, shape))
