"""What differs between the signatures of two calls, in a user's words.

`opt.t` is 17, was 16
`x` has the shape (3,), had (2,)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from myia.infer.boundary.integers import Step, steps
from myia.infer.boundary.signature import Constant, FunctionSignature, Leaf, Node, SeenObject
from myia.infer.domain.facts import Identity, exact
from myia.source.value_texts import short_text, value_text

NAMED = ("dict", "instance")  # kinds of nodes whose keys name their parts
Steps = tuple[Step, ...]

INT = "an int that a shape, a key or `isinstance` needs has a program for each value: use few"
VALUE = "each of these values has a program of its own: use few, or pass a number instead"
SHAPE = "each shape has a program of its own: pad arrays to a few shapes"
STRUCTURE = "each length or set of names has a program of its own: use an array, or pad to a few"
DTYPE = "pass numbers of one type"
OBJECT = "each of these objects has a program of its own: make it once"


class Difference(NamedTuple):
    """A part that differs. `steps`: the way to it; `help`: how to have fewer programs."""

    steps: Steps
    text: str  # "is 17, was 16"
    help: str

    def told(self, name: str) -> str:
        """The difference in an object that users know as `name`."""
        return f"`{path_text(name, *self.steps)}` {self.text}"


def path_text(name: str, *steps: Step) -> str:
    """The way to a part of an object that users know as `name`: `opt.t`, `x[0]`."""
    path = name
    for text, part in steps:
        told = text.replace("%r", value_text(part)) if "%r" in text else text % (part,)
        path = f"{path}{told}" if text[0] in ".[" else told
    return path


def differences(new: Any, old: Any, path: Steps = ()) -> Iterator[Difference]:
    """The parts of two signatures that are not equal."""
    if new == old:
        return
    if isinstance(new, Leaf) and isinstance(old, Leaf):
        yield _of_numbers(new, old, path)
    elif isinstance(new, SeenObject) != isinstance(old, SeenObject):
        twice = "is passed twice, was not", "is not passed twice, was"
        yield Difference(path, twice[isinstance(old, SeenObject)], "pass a copy")
    elif _kind(new) != _kind(old):
        yield Difference(path, f"is {_kind(new)}, was {_kind(old)}", STRUCTURE)
    elif type(new) is not type(old):
        yield _of_sorts(new, old, path)
    elif isinstance(new, Constant):
        help_text = INT if new.type is int else VALUE
        yield Difference(path, f"is {_short(new.value)}, was {_short(old.value)}", help_text)
    elif isinstance(new, Node) and new.kind in NAMED and _keys(new) != _keys(old):
        only_new = [short_text(x) for x, k in zip(new.keys, _keys(new)) if k not in _keys(old)]
        only_old = [short_text(x) for x, k in zip(old.keys, _keys(old)) if k not in _keys(new)]
        what = "key" if new.kind == "dict" else "attribute"
        text = f"has the {what} {_listed(only_new)}, had {_listed(only_old)}"
        yield Difference(path, text if only_new or only_old else "has another order", STRUCTURE)
    elif isinstance(new, Node) and len(new.parts) != len(old.parts):
        yield Difference(path, f"has {len(new.parts)} items, had {len(old.parts)}", STRUCTURE)
    elif isinstance(new, (Node, FunctionSignature)) and len(new.parts) == len(old.parts):
        parts = zip(steps(new), new.parts, old.parts)
        found = [x for step, a, b in parts for x in differences(a, b, (*path, step))]
        yield from found or [Difference(path, "is another object", OBJECT)]
    else:
        yield Difference(path, "is another object", OBJECT)


def _keys(node: Node) -> tuple[Any, ...]:
    """The names of the parts, equal for equal types only: 1 and 1.0 are two keys."""
    return node.cls[1] if isinstance(node.cls, tuple) else tuple(map(exact, node.keys))


def _of_sorts(new: Any, old: Any, path: Steps) -> Difference:
    """Of two signatures of one type: what one program knows, another may get at each run."""
    if isinstance(new, Leaf) and isinstance(old, Constant):
        return Difference(path, f"is an argument, was {_short(old.value)} while compiling", INT)
    if isinstance(new, Constant) and isinstance(old, Leaf):
        return Difference(path, f"is {_short(new.value)} while compiling, was an argument", INT)
    return Difference(path, "is another object", OBJECT)


def _of_numbers(new: Leaf, old: Leaf, path: Steps) -> Difference:
    if new.shape != old.shape:
        return Difference(path, f"has the shape {new.shape}, had {old.shape}", SHAPE)
    if new.dtype != old.dtype:
        return Difference(path, f"is {new.dtype}, was {old.dtype}", DTYPE)
    if new.contiguous != old.contiguous:
        text = "is C-contiguous, was not" if new.contiguous else "is not C-contiguous, was"
        return Difference(path, text, "use `np.ascontiguousarray`")
    return Difference(path, f"is {_kind(new)}, was {_kind(old)}", DTYPE)


KINDS = {
    "array": "a NumPy array",
    "generic": "a NumPy scalar",
    "device": "a jax.Array",
    "transformed": "a jax.Array under a transform of JAX",
    "traced": "a jax.Array in a function that JAX compiles",
}


CONVERTED = "a NumPy array of another byte order, or of short floats"


def _kind(signature: Any) -> str:
    """What sort of object it is: a type, as far as signatures tell."""
    if isinstance(signature, Leaf):
        kind = signature.kind
        if signature.guest is not None:
            cls = signature.guest.cls
            return CONVERTED if cls is np.ndarray else f"of type {cls.__name__}"
        return KINDS.get(kind) or f"of type {kind.__name__}"
    if isinstance(signature, Constant):
        name = getattr(signature.type, "__name__", None)
        return f"of type {name or type(signature.value).__name__}"
    if isinstance(signature, Node) and signature.kind not in ("opaque", "guest"):
        cls = signature.cls
        return f"of type {(cls[0] if isinstance(cls, tuple) else cls).__name__}"
    if isinstance(signature, Node):
        return f"of type {signature.cls.cls.__name__}"
    if isinstance(signature, Identity):
        return kind_of_object(signature.object)
    return "a function" if isinstance(signature, FunctionSignature) else "an object"


def kind_of_object(x: Any) -> str:
    """`a numpy.matrix of float64`, `of type module`"""
    name = class_text(type(x))
    if not isinstance(x, np.ndarray):
        return f"of type {name}"
    return f"a {'NumPy array' if type(x) is np.ndarray else name} of {x.dtype}"


def class_text(cls: type) -> str:
    plain = cls.__module__ in ("builtins", "__main__")
    return cls.__qualname__ if plain else f"{cls.__module__}.{cls.__qualname__}"


def _short(value: Any) -> str:
    return short_text(_plain(value))


def _plain(x: Any) -> Any:
    """A value without the types that its signature has beside it."""
    if isinstance(x, Constant):
        return _plain(x.value)
    return tuple(map(_plain, x)) if type(x) is tuple else x


def _listed(names: list[str]) -> str:
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return ", ".join(names) or "none"
