"""Signatures of arguments: the cache key of a compiled program.

A `Flattener` takes a Python object apart into

- its *leaves*: arrays and numbers, which become arguments of the program;
- its mutable *objects*, in the order met; an object met again is named by its position;
- a hashable *signature* of all the rest: types, dtypes, shapes, structure, compile-time values.

Every call of a compiled function runs this code and looks up its program by the signature. So the
signatures of leaves are interned (compared by identity), and the others are hashed by C code.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from myia.infer.boundary.instances import (
    BUILT_IN,
    HEAP_TYPE,
    has_own_operators,
    is_state,
    state_of,
)
from myia.infer.boundary.leaves import INTEGER, ConstantSet, Leaf, leaf
from myia.infer.domain.facts import Constant, Identity, contents_of, exact, is_value
from myia.infer.guest_arrays import (
    CONVERTED,
    converted,
    guest_class,
    is_converted,
    is_guest_array,
    is_short_float,
)
from myia.infer.guests import class_in_program, guest_state
from myia.infer.registry import is_marked_for_tracing, is_traced
from myia.infer.stand_ins import STAND_INS, has_stand_in
from myia.source.defaults import defaults_of, keyword_defaults
from myia.source.value_texts import value_text


class LibraryFunction(Identity):
    """A function of a library, which JAX traces. Its closure is assumed not to change."""

    __slots__ = ()


class Node(NamedTuple):
    """A container: its kind, class, keys and the signatures of its parts."""

    # "tuple", "list", "dict", "set", "instance", "guest", "method", "partial", "vectorized" or
    # "opaque"
    kind: str
    cls: Any  # of an opaque object: its structure; of a guest: its stand-in, and constants
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class SeenObject:
    """The mutable object number `index`, which was met before."""

    index: int


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionSignature:
    """A Python function: by its code and closure, so that an inner function made again is equal."""

    code: types.CodeType
    globals: Identity
    names: tuple[str, ...]
    parts: tuple[Any, ...]  # of the variables of its closure, then its defaults
    keywords: tuple[str, ...]  # the keyword-only parameters with defaults, the last of the parts
    reference: weakref.ref = dataclasses.field(compare=False)  # programs keep no function alive

    @property
    def function(self) -> Any:
        """The function; once nobody holds it, one like it: a failed check is inferred again."""
        found = self.reference()
        if found is not None:
            return found
        closure = tuple([types.CellType() for _ in self.names])
        made = types.FunctionType(self.code, self.globals.object, closure=closure)
        count = len(self.parts) - len(self.names) - len(self.keywords)
        made.__defaults__ = (None,) * count
        made.__kwdefaults__ = dict.fromkeys(self.keywords)
        return made


class Flattener:
    """One flattening: collects leaves and objects over any number of `add`s."""

    __slots__ = ("leaves", "objects", "seen")
    integers = False  # are ints leaves, too?

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.objects: list[Any] = []
        self.seen: dict[int, int] = {}  # id -> position; -1: a function being flattened

    def part(self) -> Flattener:
        """A flattening with leaves of its own that goes on with the objects of this one."""
        part = type(self)()
        part.objects, part.seen = self.objects, self.seen
        return part

    @classmethod
    def after(cls, count: int) -> Flattener:
        """One that has met `count` objects, which are not known."""
        flat = cls()
        flat.objects += [None] * count
        return flat

    def copy(self) -> Flattener:
        copied = type(self)()
        copied.leaves, copied.objects = [*self.leaves], [*self.objects]
        copied.seen = dict(self.seen)
        return copied

    def forget_objects(self, count: int) -> None:
        """Back to the first `count` objects."""
        for x in self.objects[count:]:
            del self.seen[id(x)]
        del self.objects[count:]

    def add(self, x: Any) -> Any:
        """The signature of `x`."""
        rule = RULES.get(type(x))
        if rule is None:
            rule = RULES[type(x)] = _find_rule(x)
        return rule(self, x)

    def object(self, x: Any) -> SeenObject | None:
        """Record a mutable object; its position if it was met before."""
        objects = self.objects
        position = len(objects)
        first = self.seen.setdefault(id(x), position)
        if first != position:
            return SeenObject(first)
        objects.append(x)
        return None


class CallFlattener(Flattener):
    """A flattening whose ints are leaves; `IntegerSplit` tells which are compile-time values."""

    __slots__ = ()
    integers = True


Rule = Callable[[Flattener, Any], Any]


def has_room_for_attributes(x: Any) -> bool:
    """Is it an instance of a subclass of dict, list or tuple that may have attributes?"""
    return isinstance(x, (dict, list, tuple)) and bool(type(x).__dictoffset__)


def _find_rule(x: Any) -> Rule:
    found = next((rule for holds, rule in PREDICATES if holds(x)), _identity)
    may_change = type(x).__flags__ & HEAP_TYPE and isinstance(x, BUILT_IN)
    return _unless_operators(found) if may_change and found is not _identity else found


def _unless_operators(rule: Rule) -> Rule:
    """The rule for objects of a class that has no operators of its own, now."""

    def found(flat: Flattener, x: Any) -> Any:
        return Identity(x) if has_own_operators(type(x)) else rule(flat, x)

    return found


def _number_rule(signature: Leaf) -> Rule:
    def rule(flat: Flattener, x: float) -> Leaf:
        flat.leaves.append(x)
        return signature

    return rule


def _constant(flat: Flattener, x: str | None) -> Constant:
    return Constant(x, type(x))


def _range_constant(flat: Flattener, x: range) -> Constant:
    return Constant(x, (range, x.start, x.stop, x.step))  # ranges of equal items are equal


def _text_or_integer(flat: Flattener, x: str | int) -> Any:
    """By value, if neither attributes nor a comparison of its own tell it from its equals."""
    cls = type(x)
    return Identity(x) if getattr(x, "__dict__", None) else Constant(x, cls)


def _integer(flat: Flattener, x: int) -> Constant | Leaf:
    if flat.integers and -(2**63) <= x < 2**63:
        flat.leaves.append(x)
        return INTEGER
    return Constant(x, int)


def _array(flat: Flattener, x: np.ndarray) -> Any:
    if x.dtype.kind not in "biufc" and x.dtype.type.__module__ != "ml_dtypes":
        return Identity(x)
    same = flat.object(x)
    if same is not None:
        return same
    guest = None
    if is_converted(x.dtype):
        x, guest = CONVERTED.view(x), CONVERTED
    flat.leaves.append(x)
    return leaf("array", x.dtype, x.shape, x.flags.c_contiguous, guest)


def _guest_array(flat: Flattener, x: Any) -> Any:
    guest = guest_class(type(x))
    assert guest is not None
    found = guest.view(x)
    if is_converted(found.dtype):
        guest = converted(guest)
        found = guest.view(x)
    if found.dtype.kind not in "biufc":
        return Identity(x)
    same = flat.object(x)
    if same is not None:
        return same
    flat.leaves.append(found)
    return leaf("array", found.dtype, found.shape, found.flags.c_contiguous, guest)


def _generic(flat: Flattener, x: np.generic) -> Any:
    if x.dtype.kind in "SU":
        return Constant(x, (type(x), x.dtype))
    if is_short_float(x.dtype):
        x = np.float32(x)
    if x.dtype.kind not in "biufc":
        return Identity(x)
    flat.leaves.append(x)
    return leaf("generic", x.dtype)


def device_array(flat: Flattener, x: Any) -> Leaf:
    """The rule for arrays of the run-time system, which are immutable."""
    flat.leaves.append(x)
    aval = x.aval  # quicker than by the properties of x
    return _leaf_of_jax("device", aval.dtype, aval.shape)


def array_of_jax(flat: Flattener, x: Any, kind: str = "device") -> Leaf:
    """The rule for arrays under a transform of JAX, and for shapes and dtypes in their place."""
    flat.leaves.append(x)
    return _leaf_of_jax(kind, x.dtype, x.shape)


@functools.cache
def _leaf_of_jax(kind: str, dtype: Any, shape: tuple[int, ...]) -> Leaf:
    return Leaf(kind, np.dtype(dtype), shape)


def _tuple(flat: Flattener, x: tuple) -> Node:
    return Node("tuple", type(x), (), tuple(map(flat.add, x)))


def _tuple_of_class(flat: Flattener, x: tuple) -> Node | Identity:
    """With attributes of its own it is more than its items: it is not taken apart."""
    return Identity(x) if getattr(x, "__dict__", None) else _tuple(flat, x)


def _list(flat: Flattener, x: list) -> Node | SeenObject:
    return flat.object(x) or Node("list", type(x), (), tuple(map(flat.add, x)))


def _dict(flat: Flattener, x: dict) -> Node | SeenObject:
    same = flat.object(x)
    if same is not None:
        return same
    keys = tuple(x)
    kind: Any = type(x)
    if any(type(key) is not str for key in keys):  # 1 and 1.0 are equal
        kind = (kind, tuple(map(exact, keys)))
    return Node("dict", kind, keys, tuple(map(flat.add, x.values())))


def _with_attributes(flat: Flattener, x: Any) -> Any:
    """A container whose class lets it have attributes: if it has some it is known by identity."""
    if x.__dict__ and any(not name.startswith("__") for name in x.__dict__):
        return Identity(x)
    return (_dict if isinstance(x, dict) else _list if isinstance(x, list) else _tuple)(flat, x)


def _set(flat: Flattener, x: Any) -> Any:
    trial = Flattener()
    for item in x:
        trial.add(item)
    if not (trial.leaves or trial.objects):
        return Constant(ConstantSet(type(x), tuple(x)), (type(x), tuple(map(exact, x))))
    # The parts have the order in which Python iterates over this set.
    return flat.object(x) or Node("set", type(x), (), tuple(map(flat.add, x)))


def _instance(flat: Flattener, x: Any) -> Node | SeenObject:
    same = flat.object(x)
    if same is not None:
        return same
    state = state_of(x)
    return Node("instance", type(x), tuple(state), tuple(map(flat.add, state.values())))


def _with_stand_in(flat: Flattener, x: Any) -> Any:
    return _instance(flat, x) if has_stand_in(x) else Identity(x)


def _guest(flat: Flattener, x: Any) -> Node | SeenObject:
    same = flat.object(x)
    if same is not None:
        return same
    state, guest = guest_state(x)
    return Node("guest", state, guest.parts, tuple(map(flat.add, guest.take_parts(x))))


def _function(flat: Flattener, x: types.FunctionType) -> Any:
    if is_traced(x) and not is_marked_for_tracing(x):
        return LibraryFunction(x)
    if id(x) in flat.seen:  # a function whose closure holds itself
        return Identity(x)
    flat.seen[id(x)] = -1
    add = add_constant if is_marked_for_tracing(x) else Flattener.add
    parts = tuple([add(flat, v) for v in variables(x)])
    del flat.seen[id(x)]
    code, keywords = x.__code__, tuple(keyword_defaults(x))
    scope, reference = Identity(x.__globals__), weakref.ref(x)
    return FunctionSignature(code, scope, code.co_freevars, parts, keywords, reference)


def add_constant(flat: Flattener, x: Any) -> Any:
    """`flat.add(x)` for code that is traced: Python numbers are constants, which it may need.

    Libraries branch on their values (`if rate == 0.0`).
    """
    if type(x) is int:
        return Constant(x, int)
    return Constant(x, repr(x)) if type(x) in (float, complex) else flat.add(x)


def variables(x: types.FunctionType) -> Iterator[Any]:
    """What is in the closure of a function, then its defaults."""
    for cell in x.__closure__ or ():
        yield contents_of(cell)
    yield from defaults_of(x).values()


def _method(flat: Flattener, x: types.MethodType) -> Any:
    if type(x.__self__).__module__.startswith("scipy."):  # known by name: `scipy.stats.norm.pdf`
        return Identity(x)
    return Node("method", type(x), (Identity(x.__func__),), (flat.add(x.__self__),))


def _partial(flat: Flattener, x: functools.partial) -> Node:
    parts = (x.func, *x.args, *x.keywords.values())
    return Node("partial", type(x), (len(x.args), *x.keywords), tuple(map(flat.add, parts)))


def _vectorized(flat: Flattener, x: np.vectorize) -> Any:
    """`np.vectorize(f)` is rebuilt from `f`; with other options it is refused."""
    if x.otypes or x.excluded or x.signature:
        return Identity(x)
    return Node("vectorized", type(x), (), (flat.add(x.pyfunc),))


def _builtin(flat: Flattener, x: types.BuiltinFunctionType) -> Any:
    """A built-in function, or one bound to an object: a new one each time it is read."""
    return Identity(x) if isinstance(x.__self__, types.ModuleType) else Constant(x, type(x))


def _identity(flat: Flattener, x: Any) -> Identity:
    return Identity(x)


RULES: dict[type, Rule] = {
    float: _number_rule(leaf(float, np.dtype(np.float64))),
    complex: _number_rule(leaf(complex, np.dtype(np.complex128))),
    **dict.fromkeys((bool, str, bytes, type(None), type(Ellipsis)), _constant),
    **dict.fromkeys((type, types.ModuleType, np.ufunc), _identity),
    int: _integer,
    range: _range_constant,
    np.ndarray: _array,
    tuple: _tuple,
    list: _list,
    dict: _dict,
    set: _set,
    frozenset: _set,
    types.FunctionType: _function,
    types.MethodType: _method,
    functools.partial: _partial,
    Identity: lambda flat, x: x,
    types.BuiltinFunctionType: _builtin,
    np.vectorize: _vectorized,
}
OF_NUMBERS = ("numpy", "ml_dtypes")  # modules of scalars
PREDICATES: list[tuple[Callable[[Any], bool], Rule]] = [  # of an object, but true of its type
    (lambda x: isinstance(x, enum.Enum), _identity),
    (lambda x: isinstance(x, np.generic) and type(x).__module__ in OF_NUMBERS, _generic),
    (lambda x: is_guest_array(type(x)), _guest_array),
    (lambda x: class_in_program(type(x)) is not None, _guest),
    (lambda x: type(x).__module__.startswith("scipy.stats."), _identity),  # known by name
    (lambda x: isinstance(x, np.ndarray), _identity),  # subclasses have rules of their own
    (has_room_for_attributes, _with_attributes),
    (lambda x: isinstance(x, tuple), _tuple_of_class),
    (lambda x: isinstance(x, list), _list),
    (lambda x: isinstance(x, dict), _dict),
    (lambda x: isinstance(x, np.dtype), _constant),
    (lambda x: isinstance(x, (int, str)), _text_or_integer),
    (lambda x: type(x) in STAND_INS, _with_stand_in),
    (is_value, lambda flat, x: Constant(x, (type(x), value_text(x)))),
    (lambda x: isinstance(x, functools.partial), _partial),
    (is_state, _instance),
]


# ----- The leaves to pass


def leaves_of(signature: Any, of_functions: bool = True) -> Iterator[Leaf]:
    """The leaves in a signature, in the order of a `Flattener`; with those in functions or not."""
    if isinstance(signature, Leaf):
        yield signature
    if isinstance(signature, FunctionSignature) and not of_functions:
        return
    for part in getattr(signature, "parts", ()):
        yield from leaves_of(part, of_functions)
