"""What an abstract value is, in words, for error messages."""

from __future__ import annotations

from myia.infer.domain.dtypes import is_number
from myia.infer.domain.heap import (
    ArrayObject,
    BufferObject,
    DictObject,
    DynamicArray,
    DynamicView,
    Heap,
    InstanceObject,
    ListObject,
    SelectedArray,
    SetObject,
    ViewObject,
)
from myia.infer.domain.values import (
    Abstract,
    NewException,
    Opaque,
    Optional,
    Outside,
    Ref,
    Scalar,
    Static,
    UndefinedType,
)


def describe(x: Abstract, heap: Heap) -> str:
    """What a value is, for an error message."""
    if isinstance(x, Static):
        return f"{type(x.value).__name__} {x.value!r}" if is_number(x) else repr(x.value)
    if isinstance(x, Outside):
        return f"a {type(x.value).__name__} object"
    if isinstance(x, Scalar):
        kind = {"b": "bool", "i": "int", "f": "float", "c": "complex"}.get(x.dtype.kind)
        return f"a Python {kind}" if x.weak else f"a {x.dtype} scalar"
    if isinstance(x, Optional):
        return f"None or {describe(x.value, heap)}"
    if isinstance(x, Ref):
        contents = heap.objects.get(x.id, heap.roots.get(x.id))
        if isinstance(contents, ArrayObject):
            return f"an array {contents.value.aval}"
        if isinstance(contents, ListObject):
            return f"a list of {len(contents.items)} items"
        if isinstance(contents, SetObject):
            return f"a set of {len(contents.items)} items"
        if isinstance(contents, DictObject):
            return f"a dict with the keys {', '.join(map(repr, contents.keys)) or '(none)'}"
        if isinstance(contents, InstanceObject):
            return f"an instance of {contents.cls.__name__}"
        if isinstance(contents, ViewObject):
            return "a view of an array"
        if isinstance(contents, SelectedArray):
            return "one of several arrays"
        if isinstance(contents, (DynamicArray, DynamicView)):
            return "an array whose size is known only at run time"
        return "a list built in a loop" if isinstance(contents, BufferObject) else "an object"
    if isinstance(x, UndefinedType):
        return "undefined"
    if isinstance(x, Opaque):
        return f"an instance of {x.structure.cls.__name__}"
    if isinstance(x, NewException):
        return f"an instance of {x.cls.__name__}"
    names = {
        "Tuple": "a tuple",
        "Choice": "one of several functions",
        "Closure": "a function",
        "Range": "a range",
        "Text": "a string with run-time values",
    }
    text = names.get(type(x).__name__, type(x).__name__.lower())
    return f"{text} of {len(x.children())} items" if type(x).__name__ == "Tuple" else text
