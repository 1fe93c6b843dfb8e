"""Guards: lines of Python that tell arguments like earlier ones, and take them apart.

A signature is made anew at every call, one object after the other. A guard only compares: types,
then of each array dtype, shape and layout, of each constant its value. Its leaves and objects are
expressions of the names in its lines:

    (x0, x1) = args                                        an array, a tuple of a float and a list
    if type(x0) is not c6: break
    if x0.shape != c0: break
    if x0.dtype is not c1 and x0.dtype != c1: break
    if not x0.flags.c_contiguous: break
    if type(x1) is not c7: break
    (x2, x3) = x1
    if type(x2) is not c2: break
    if type(x3) is not c3: break
    () = x3
    if x0 is x3: break                                     leaves x0, x2; objects x0, x3

The avals of numbers and of JAX's arrays are left to JAX, whose look-up finds them to be others
(`OtherAvals`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import combinations
from operator import attrgetter
from types import EllipsisType, FunctionType, NoneType
from typing import Any

import jax
import numpy as np

from myia.infer.boundary.instances import HEAP_TYPE, has_own_operators, slots_of, state_of
from myia.infer.boundary.signature import FunctionSignature, Leaf, Node, SeenObject
from myia.infer.domain.facts import (
    PLAIN,
    Constant,
    Identity,
)
from myia.infer.guests import guest_of, library_class

MANY_PARTS = (
    6  # parts of a container that are compared by calls of C code, not each by lines of its own
)
MOST_LINES = 1000  # to compile more takes longer than it saves
PAIRS = 4  # objects that are told apart by pairs
SINGLETONS = (NoneType, bool, EllipsisType)
_aspects = attrgetter("dtype", "shape", "flags.c_contiguous")  # of an array, beside its type


class NoGuard(Exception):
    """An object is compared by its signature only."""


class Guard:
    """The lines of a guard, and the objects that they name.

    `avals`: whether the avals of JAX's arrays are compared; else its look-up finds other ones.
    """

    def __init__(self, avals: bool = False) -> None:
        self.avals = avals
        self.lines: list[str] = []
        self.constants: dict[int, tuple[str, Any]] = {}  # by id: the name, the object
        self.leaves: list[str] = []  # expressions; a starred one is several
        self.objects: list[str] = []
        self.many_objects = 0
        self.passed: list[str] = []  # the arguments
        self._values = 0

    # ----- Lines

    def line(self, text: str) -> None:
        if len(self.lines) == MOST_LINES:
            raise NoGuard
        self.lines.append(text)

    def unlike(self, condition: str) -> None:
        """Where this holds it is another call."""
        self.line(f"if {condition}: break")

    def constant(self, x: Any) -> str:
        name, _ = self.constants.setdefault(id(x), (f"c{len(self.constants)}", x))
        return name

    def values(self, count: int, expression: str) -> list[str]:
        """Names for the items of a sequence. (Another number of them is an exception.)"""
        names = [f"x{self._values + i}" for i in range(count)]
        self._values += count
        self.line(f"{sequence(names)} = {expression}")
        if expression == "args":
            self.passed = names
        return names

    def value(self, expression: str) -> str:
        name = f"x{self._values}"
        self._values += 1
        self.line(f"{name} = {expression}")
        return name

    # ----- Arguments, and other objects that are taken apart

    def arguments(
        self, signatures: Sequence[Any], held: Sequence[Any] = (), names: Sequence[str] = ()
    ) -> None:
        """The arguments of a call.

        `held`: the first ones, which callers do not pass; `names`: those passed by keyword.
        """
        for signature, x in zip(signatures, held):
            self.part(signature, self.constant(x), typed=True)
        if names:
            self.texts(names, "kwargs")
        self.parts(signatures[len(held) :], "(*args, *kwargs.values())" if names else "args")

    def parts(self, signatures: Sequence[Any], items: str) -> None:
        """The objects in a sequence."""
        if len(signatures) > MANY_PARTS and all(map(self._is_passed_on, signatures)):
            self._many_leaves(signatures, items)
            return
        for signature, name in zip(signatures, self.values(len(signatures), items)):
            self.part(signature, name)

    def part(self, signature: Any, x: str, typed: bool = False) -> None:
        """The object `x`; `typed`: its type is known."""
        if isinstance(signature, Identity):
            self.unlike(f"{x} is not {self.constant(signature.object)}")
        elif isinstance(signature, SeenObject):
            self._seen(signature.index, x)
        elif isinstance(signature, Constant) and signature.type in SINGLETONS:
            self.unlike(f"{x} is not {signature.value}")
        else:
            cls = _type_of(signature)
            if not typed:
                self.unlike(f"type({x}) is not {self.constant(cls)}")
            RULES[type(signature)](self, signature, x)

    def _seen(self, index: int, x: str) -> None:
        if any(name.startswith("*") for name in self.objects):
            raise NoGuard
        self.unlike(f"{x} is not {self.objects[index]}")

    def _is_passed_on(self, signature: Any) -> bool:
        """Is it a leaf that is passed as it is?"""
        kinds: Any = ("array", float, complex, "generic", *(() if self.avals else ("device",)))
        return isinstance(signature, Leaf) and signature.kind in kinds and not signature.guest

    def _many_leaves(self, signatures: Sequence[Leaf], items: str) -> None:
        items = self.value(f"[*{items}]")
        types = self.constant([*map(_type_of, signatures)])
        self.unlike(f"[*map(type, {items})] != {types}")
        arrays = [i for i, s in enumerate(signatures) if s.kind == "array"]
        if arrays:
            every = len(arrays) == len(signatures)
            get = self.constant(lambda xs: [xs[i] for i in arrays])
            found = items if every else self.value(f"{get}({items})")
            expected = [(s.dtype, s.shape, s.contiguous) for s in signatures if s.kind == "array"]
            aspects = f"[*map({self.constant(_aspects)}, {found})]"
            self.unlike(f"{aspects} != {self.constant(expected)}")
            self.objects.append(f"*{found}")
            self.many_objects += len(arrays)
        self.leaves.append(f"*{items}")

    def object(self, x: str) -> None:
        self.objects.append(x)
        self.many_objects += 1

    def distinct(self) -> None:
        """No object is met twice."""
        if self.many_objects <= PAIRS:
            for x, y in combinations(self.objects, 2):
                self.unlike(f"{x} is {y}")
        else:
            self.unlike(f"len({{*map(id, {sequence(self.objects)})}}) != {self.many_objects}")

    def leaf(self, signature: Leaf, x: str) -> None:
        if signature.kind == "array":
            self.object(x)
            if signature.guest is not None:
                x = self.value(f"{self.constant(signature.guest.view)}({x})")
            self._aval(signature, x)
            self.unlike(f"{'not ' * signature.contiguous}{x}.flags.c_contiguous")
        elif signature.kind == "device" and self.avals:
            self._aval(signature, self.value(f"{x}.aval"))
        elif signature.kind is int:
            self.unlike(f"not {-(2**63)} <= {x} < {2**63}")
            x = f"{self.constant(np.int64)}({x})"
        self.leaves.append(x)

    def _aval(self, signature: Leaf, x: str) -> None:
        dtype = self.constant(signature.dtype)
        self.unlike(f"{x}.shape != {self.constant(signature.shape)}")
        self.unlike(f"{x}.dtype is not {dtype} and {x}.dtype != {dtype}")

    def plain(self, signature: Constant, x: str) -> None:
        self.unlike(f"{x} != {self.constant(signature.value)}")

    def node(self, signature: Node, x: str) -> None:
        kind, parts = signature.kind, signature.parts
        if kind in ("list", "dict", "instance", "guest"):
            self.object(x)
        if kind in ("tuple", "list", "dict") and signature.cls.__flags__ & HEAP_TYPE:
            self.unlike(f"{self.constant(has_own_operators)}({self.constant(signature.cls)})")
        if kind in ("tuple", "list", "dict") and signature.cls.__dictoffset__:
            self.unlike(f"{x}.__dict__")
        if kind in ("tuple", "list"):
            self.parts(parts, x)
        elif kind == "dict":
            self.named(signature.keys, parts, x)
        elif kind == "instance":
            plain = signature.cls.__dictoffset__ and not slots_of(signature.cls)
            state = f"{x}.__dict__" if plain else f"{self.constant(state_of)}({x})"
            self.named(signature.keys, parts, self.value(state))
        elif kind == "guest":
            guest = guest_of(signature.cls.cls)
            assert guest is not None
            values = self.constant(signature.cls.values)
            self.unlike(f"{self.constant(guest.take_values)}({x}) != {values}")
            self.parts(parts, f"{self.constant(guest.take_parts)}({x})")
        elif kind == "method":
            (function,) = signature.keys
            self.part(function, f"{x}.__func__")
            self.part(parts[0], self.value(f"{x}.__self__"))
        else:  # a partial
            count, *names = signature.keys
            self.part(parts[0], self.value(f"{x}.func"))
            self.parts(parts[1 : count + 1], f"{x}.args")
            self.named(names, parts[count + 1 :], f"{x}.keywords")

    def named(self, names: Sequence[str], parts: Sequence[Any], x: str) -> None:
        """A dict with these keys."""
        if len(names) > MANY_PARTS:
            keys, are_texts = self.constant([*names]), self.constant({str}.issuperset)
            self.unlike(f"[*{x}] != {keys} or not {are_texts}(map(type, {x}))")
        else:
            self.texts(names, x)
        self.parts(parts, f"{x}.values()")

    def texts(self, names: Sequence[str], x: str) -> None:
        """The items of `x` are these texts."""
        for name, key in zip(names, self.values(len(names), x)):
            text = self.constant(name)
            self.unlike(f"{key} is not {text} and (type({key}) is not str or {key} != {text})")

    def function(self, signature: FunctionSignature, x: str) -> None:
        if signature.keywords:
            raise NoGuard
        count = len(signature.names)
        self.unlike(f"{x}.__code__ is not {self.constant(signature.code)}")
        self.unlike(f"{x}.__globals__ is not {self.constant(signature.globals.object)}")
        self.unlike(f"{x}.__kwdefaults__")
        cells = self.values(count, f"{x}.__closure__ or ()")
        for part, cell in zip(signature.parts, cells):
            self.part(part, self.value(f"{cell}.cell_contents"))
        self.parts(signature.parts[count:], f"{x}.__defaults__ or ()")

    def sequence(self, expressions: Sequence[str]) -> str:
        whole = expressions and expressions == self.passed
        return "args" if whole else sequence(expressions)


def sequence(expressions: Sequence[str]) -> str:
    if len(expressions) == 1 and expressions[0].startswith("*"):
        return expressions[0][1:]
    return f"({', '.join(expressions)}{',' * (len(expressions) == 1)})"


def _type_of(signature: Any) -> type:
    """The type of all objects with this signature."""
    cls: Any = None
    if isinstance(signature, Leaf):
        cls = LEAVES[signature.kind](signature) if signature.kind in LEAVES else None
    elif isinstance(signature, FunctionSignature):
        cls = FunctionType
    elif isinstance(signature, Constant) and signature.type in PLAIN:
        cls = signature.type
    elif isinstance(signature, Node) and signature.kind in NODES:
        cls = None if isinstance(signature.cls, tuple) else signature.cls  # of keys that are texts
        cls = library_class(signature.cls.cls) if signature.kind == "guest" else cls
    if cls is None:
        raise NoGuard
    found: type = cls
    return found


@functools.cache
def _type_of_device_arrays() -> type:
    return type(jax.numpy.zeros(()))


NODES = ("tuple", "list", "dict", "instance", "guest", "method", "partial")
LEAVES: dict[Any, Callable[[Leaf], type]] = {
    **dict.fromkeys((int, float, complex), lambda leaf: leaf.kind),
    "generic": lambda leaf: leaf.dtype.type,
    "array": lambda leaf: np.ndarray if leaf.guest is None else leaf.guest.cls,
    "device": lambda leaf: _type_of_device_arrays(),
}
RULES: dict[type, Callable[[Guard, Any, str], None]] = {
    Leaf: Guard.leaf,
    Constant: Guard.plain,
    Node: Guard.node,
    FunctionSignature: Guard.function,
}
