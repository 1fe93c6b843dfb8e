"""What an abstract value is, in words, for error messages."""

from __future__ import annotations

from myia.infer.domain.dtypes import PYTHON_TYPES, is_number
from myia.infer.domain.heap import (
    ArrayObject,
    BufferObject,
    Contents,
    DictObject,
    DynamicArray,
    DynamicView,
    Heap,
    InstanceObject,
    ListObject,
    PointsTo,
    SelectedArray,
    SetObject,
    ViewObject,
)
from myia.infer.domain.values import (
    Abstract,
    Caught,
    Choice,
    Closure,
    NewException,
    Opaque,
    Optional,
    Outside,
    Range,
    Ref,
    Scalar,
    Static,
    Text,
    Tuple,
    UndefinedType,
)
from myia.source.value_texts import value_text

NAMES: dict[type, str] = {
    Choice: "one of several functions or constants",
    Closure: "a function",
    Range: "a range",
    Caught: "an exception that was caught",
    Text: "a string with run-time values",
    UndefinedType: "undefined",
    ViewObject: "a view of an array",
    SelectedArray: "one of several arrays",
    PointsTo: "one of several arrays",
    DynamicArray: "an array whose size is known only at run time",
    DynamicView: "an array whose size is known only at run time",
    BufferObject: "a list built in a loop",
}


def describe(x: Abstract, heap: Heap) -> str:
    """What a value is, for an error message."""
    if isinstance(x, Static):
        text = value_text(x.value)
        return f"{type(x.value).__name__} {text}" if is_number(x) else text
    if isinstance(x, Outside):
        return f"a {type(x.value).__name__} object"
    if isinstance(x, Scalar):
        of_python = x.weak and PYTHON_TYPES[x.dtype.kind].__name__
        return f"a Python {of_python}" if of_python else f"a {x.dtype} scalar"
    if isinstance(x, Optional):
        return f"None or {describe(x.value, heap)}"
    first = x.options[0] if isinstance(x, Choice) else None
    if isinstance(x, Choice) and (isinstance(first, (Ref, Tuple)) or is_number(x.options[0])):
        return " or ".join(describe(option, heap) for option in x.options)
    if isinstance(x, Tuple):
        return f"a tuple of {len(x.items)} items"
    if isinstance(x, (Opaque, NewException)):
        return f"an instance of {(x.structure if isinstance(x, Opaque) else x).cls.__name__}"
    if not isinstance(x, Ref):
        return NAMES.get(type(x), type(x).__name__.lower())
    return describe_contents(heap.objects.get(x.id, heap.roots.get(x.id)))


def describe_contents(contents: Contents | None) -> str:
    """What an object is that holds these."""
    if isinstance(contents, ArrayObject):
        return f"an array {contents.value.aval}"
    if isinstance(contents, (ListObject, SetObject)):
        kind = "list" if isinstance(contents, ListObject) else "set"
        return f"a {kind} of {len(contents.items)} items"
    if isinstance(contents, DictObject):
        return f"a dict with the keys {', '.join(map(repr, contents.keys)) or '(none)'}"
    if isinstance(contents, InstanceObject):
        return f"an instance of {contents.cls.__name__}"
    return NAMES.get(type(contents), "an object")
