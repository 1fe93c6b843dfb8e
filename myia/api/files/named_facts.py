"""Facts by names that mean the same in another process: module, path and value, or a hash of code.

    Global `n` of the module `model`  ->  ("Global", ("module", "model"), "n")
    its answer, 3                     ->  ("value", ("object", "builtins", "int"), "3")

`named` lists the facts of a program with their answers, or tells that one has no name: of an object
that no module holds, of a function that another library defines or JAX traces, of a set whose order
differs from process to process. `asked_facts.py` asks their questions in another process.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import hashlib
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from myia.infer.boundary.arguments import Fact
from myia.infer.boundary.leaves import ConstantSet
from myia.infer.boundary.signature import (
    CallFlattener,
    FunctionSignature,
    Leaf,
    Node,
    SeenObject,
)
from myia.infer.domain import facts
from myia.infer.domain.facts import PLAIN, Constant, Identity, Question, Raised, exact, is_value
from myia.infer.questions import FieldDefault, Imported
from myia.infer.registry import is_traced

Name = tuple[Any, ...]
KINDS = {
    cls.__name__: cls
    for cls in (
        *(facts.Global, facts.Cell, facts.Default, facts.Attribute, facts.HasAttribute),
        *(facts.ClassAttribute, facts.IsDefined, facts.IsManaged, facts.Held, facts.Answer),
        *(FieldDefault, Imported),
    )
}
TARGET: Name = ("target",)  # the function that is compiled
# Packages whose objects are known by their names, for a version of the package.
VERSIONED = frozenset({"builtins", "cmath", "jax", "jaxlib", "math", "myia", "numpy", "scipy"})
# Parts of a class that say nothing of what it does.
UNREAD = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__firstlineno__", "__static_attributes__", "_abc_impl"}
)
DESCRIPTORS = (
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType),
)
PARAMETERS_OF_DATACLASS = type(vars(dataclasses.make_dataclass("C", ()))["__dataclass_params__"])
NODES = ("tuple", "list", "dict", "instance", "method", "partial", "vectorized", "set")


class NoName(Exception):
    """An object or a question that has no name in another process."""


# ----- Facts to names


def named(found: Sequence[Fact], target: Any = None) -> list[Name] | None:
    """(name, by identity, answer, which ints in it are arguments, a name for messages) of each
    fact; None: one has no name. `target`: the function that is compiled."""
    names = Names(target)
    try:
        return [names.fact(fact) for fact in found]
    except NoName:
        return None


class Names:
    """The names of objects, by what has been told of them so far."""

    def __init__(self, target: Any = None) -> None:
        self._known: dict[int, Name] = {}
        self._kept: list[Any] = []  # what has a name stays alive
        self._learn(target, TARGET)

    def _learn(self, x: Any, name: Name) -> None:
        """`x` has this name, and so have the variables of its closure, if it is a function."""
        if x is None or id(x) in self._known:
            return
        self._known[id(x)] = name
        self._kept.append(x)
        if isinstance(x, type):
            for field in getattr(x, "__dataclass_fields__", {}).values():
                self._known.setdefault(id(field), ("field", name, field.name))
        if isinstance(x, types.FunctionType):
            for variable, cell in zip(x.__code__.co_freevars, x.__closure__ or ()):
                self._known.setdefault(id(cell), ("cell", name, variable))
        elif is_transform(x):
            self._learn(x.f, ("inner", name))

    def fact(self, fact: Fact) -> Name:
        name, answer = self.question(fact.question), answer_name(fact.answer)
        if isinstance(fact.answer, Identity):
            known = self._known.get(id(fact.answer.object))
            if known is not None:  # two names of one object: there may be two, of equal code
                answer = ("same", known)
            self._learn(fact.answer.object, ("answer", name))
        elif isinstance(fact.answer, FunctionSignature):
            self._learn(fact.answer.function, ("answer", name))
        split = fact.split
        ints = () if split is None else tuple(i in split.arguments for i in split.integers)
        text = "" if fact.by_identity else fact.name
        return (name, fact.by_identity, answer, ints, text)

    def question(self, question: Question) -> Name:
        kind = type(question).__name__
        if KINDS.get(kind) is not type(question):
            raise NoName
        if isinstance(question, facts.Answer):
            return (kind, *map(self.object, (question.owner, *question.name)))
        after = isinstance(question, facts.ClassAttribute) and question.after is not None
        if after or not (question.name is None or type(question.name) is str):
            raise NoName
        return (kind, self.object(question.owner), question.name)

    def object(self, x: Any) -> Name:
        if isinstance(x, dict):  # the namespace of a module
            return module_name(x)
        if type(x) in PLAIN:
            return ("value", _class_name(type(x)), _whole_text(x))
        if id(x) in self._known:
            return self._known[id(x)]
        return lasting_name(x)


def module_name(namespace: dict[str, Any]) -> Name:
    module = sys.modules.get(namespace.get("__name__", ""))
    if module is None or vars(module) is not namespace:
        raise NoName
    return ("module", module.__name__)


def lasting_name(x: Any) -> Name:
    """The name of a module, or of what a module holds under its own name."""
    if isinstance(x, types.ModuleType):
        if sys.modules.get(x.__name__) is not x:
            raise NoName
        return ("module", x.__name__)
    if isinstance(x, enum.Enum):
        return ("attribute", lasting_name(type(x)), x.name)
    module, path = _place(x)
    try:
        held = functools.reduce(getattr, path.split("."), sys.modules[module])
    except (AttributeError, KeyError):
        raise NoName from None
    if held is not x:
        raise NoName
    if isinstance(x, type) and module.partition(".")[0] not in VERSIONED:
        return ("object", module, path, class_hash(x))
    return ("object", module, path)


def _place(x: Any) -> tuple[str, str]:
    """The module and the path where an object says that it is."""
    module = getattr(x, "__module__", None)
    if isinstance(x, np.ufunc):
        return module or "numpy" if hasattr(np, x.__name__) else "scipy.special", x.__name__
    path = getattr(x, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(path, str)):
        raise NoName
    of_a_package = module.partition(".")[0] in VERSIONED
    if not of_a_package and not isinstance(x, (type, types.FunctionType)):
        raise NoName
    return module, path


def _class_name(cls: type) -> Name:
    if cls.__module__ == "builtins" and facts.is_fixed_class(cls):
        return ("object", "builtins", cls.__qualname__)  # of NoneType, too
    return lasting_name(cls)


# ----- Answers


def answer_name(signature: Any) -> Name:
    """What an answer is, to the last bit that a program may depend on."""
    if isinstance(signature, Leaf):
        return _leaf_name(signature)
    if isinstance(signature, Identity):
        return _identity_name(signature.object)
    if isinstance(signature, FunctionSignature):
        parts = tuple(map(answer_name, signature.parts))
        where = module_name(signature.globals.object)
        told = (signature.names, signature.keywords, parts)
        return ("function", where, code_hash(signature.code), *told)
    if isinstance(signature, Node):
        return _node_name(signature)
    if isinstance(signature, Constant):
        return _constant_name(signature)
    if isinstance(signature, SeenObject):
        return ("seen", signature.index)
    raise NoName


def _leaf_name(leaf: Leaf) -> Name:
    kind = getattr(leaf.kind, "__name__", leaf.kind)
    cls = None if leaf.guest is None else _class_name(leaf.guest.cls)
    return ("leaf", kind, str(leaf.dtype), leaf.shape, leaf.contiguous, cls)


def _identity_name(x: Any) -> Name:
    if x is facts.ABSENT:
        return ("absent",)
    if isinstance(x, types.FunctionType):
        top = x.__module__.partition(".")[0] if isinstance(x.__module__, str) else ""
        if is_traced(x) and (top != "jax" or hasattr(x, "__myia_staged__")):
            raise NoName  # JAX traces code that nobody has looked at
        name = getattr(x, "__qualname__", "")
        return ("code", module_name(x.__globals__), name, code_hash(x.__code__))
    if isinstance(x, types.CodeType):
        return ("code", code_hash(x))
    if is_transform(x):
        return ("transform", _class_name(type(x)), *map(part_of_transform, x.parts()))
    if isinstance(x, DESCRIPTORS):
        return ("descriptor", lasting_name(x.__objclass__), x.__name__)
    if type(x) is collections.deque:  # what is in it is asked
        return ("instance", "deque")
    if type(x) is PARAMETERS_OF_DATACLASS:
        return ("parameters", repr(x))
    return _class_name(x) if isinstance(x, type) else lasting_name(x)


def is_transform(x: Any) -> bool:
    """What `jit`, `grad` and the others return."""
    return type(x).__module__ == "myia.api.transformed"


def part_of_transform(x: Any) -> Name:
    """Of its function, of its options."""
    if dataclasses.is_dataclass(x) and not isinstance(x, type) and is_ours(type(x)):
        parts = tuple(part_of_transform(getattr(x, f.name)) for f in dataclasses.fields(x))
        return (type(x).__name__, parts)
    if is_ours(type(x)) and getattr(x, "takes_function", False):  # of programs that functions share
        return ("function of functions", part_of_transform(x.transform))
    if callable(x) and not (isinstance(x, types.FunctionType) or is_transform(x)):
        return answer_name(CallFlattener().add(x))  # a method, a partial, an instance
    return answer_name(exact(x))


def is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "myia"


def _node_name(node: Node) -> Name:
    if node.kind not in NODES:
        raise NoName
    cls, keys = node.cls, node.keys
    if isinstance(cls, tuple):  # a dict with keys that are not texts
        cls, exact_keys = cls
        keys = tuple(map(answer_name, exact_keys))
    elif node.kind == "method":
        keys = tuple(map(answer_name, keys))
    parts = tuple(map(answer_name, node.parts))
    return (node.kind, _class_name(cls), tuple(map(repr, keys)), parts)


def _constant_name(constant: Constant) -> Name:
    x, cls = constant
    if type(x) is ConstantSet:  # in the order of Python's loops
        return ("constants", _class_name(x.cls), tuple(answer_name(exact(i)) for i in x.items))
    if cls is frozenset:
        if len(x) > 1:  # its order differs from process to process
            raise NoName
        return ("frozenset", tuple(map(answer_name, x)))
    if isinstance(cls, type) and issubclass(cls, facts.BUILTIN_METHODS):
        name, of = x
        return ("bound", name, answer_name(of))
    if cls is tuple or cls is Raised:
        return (cls.__name__, tuple(map(_part_name, x)))
    classes = [*cls] if isinstance(cls, tuple) else [cls]
    if isinstance(x, (np.dtype, range)):
        return ("value", type(x).__name__, repr(x))
    if type(x) in PLAIN or cls in facts.NUMBERS or is_value(x):
        return ("value", _class_name(classes[0]), _whole_text(x))
    if isinstance(x, tuple) and isinstance(cls, type):
        return ("value", _class_name(cls), tuple(map(_part_name, x)))
    raise NoName


def _whole_text(x: Any) -> str:
    """What tells a value from all others of its type."""
    try:
        return repr(x)
    except ValueError:  # of an int of more than 4300 digits, or made of one
        if type(x) is int:
            return hex(x)
        raise NoName from None


def _part_name(x: Any) -> Name:
    """A part of the value of a constant."""
    if isinstance(x, (Constant, Identity)):
        return answer_name(x)
    if isinstance(x, tuple):
        return ("tuple", tuple(map(_part_name, x)))
    if isinstance(x, np.dtype) or type(x) in PLAIN:
        return ("text", _whole_text(x))
    if is_value(x):
        return ("value", _class_name(type(x)), _whole_text(x))
    if isinstance(x, type):
        return _class_name(x)
    raise NoName


def class_hash(cls: type) -> str:
    """A hash of what is in a class and its bases: inference reads fields of dataclasses, defaults
    of named tuples and the like without a question, since no process changes them."""
    told = [
        (
            base.__qualname__,
            sorted((k, _member(v)) for k, v in vars(base).items() if k not in UNREAD),
        )
        for base in cls.__mro__
        if not facts.is_fixed_class(base)
    ]
    return hashlib.sha256(repr(told).encode(errors="surrogatepass")).hexdigest()


def _member(x: Any) -> Any:
    """What tells a part of a class from another one; of an object of any other kind, its class."""
    if isinstance(x, (staticmethod, classmethod)):
        return (type(x).__name__, _member(x.__func__))
    if isinstance(x, property):
        return tuple(map(_member, (x.fget, x.fset, x.fdel)))
    if isinstance(x, types.FunctionType):
        return (code_hash(x.__code__), _member(x.__defaults__), _member(x.__kwdefaults__))
    if isinstance(x, dataclasses.Field):
        flags = (x.init, x.repr, x.compare, x.hash, x.kw_only)
        return (*flags, _member(x.default), _member(x.default_factory))
    if isinstance(x, functools.partial):
        return ("partial", _member(x.func), _member(x.args), _member(x.keywords))
    if isinstance(x, (types.BuiltinFunctionType, np.ufunc)):
        return (type(x).__qualname__, getattr(x, "__module__", None), x.__name__)
    if isinstance(x, enum.Enum):
        return (type(x).__qualname__, x._name_, _member(x._value_))
    if isinstance(x, dict):
        return [(_member(k), _member(v)) for k, v in x.items()]
    if type(x) in (tuple, list):
        return [*map(_member, x)]
    if type(x) in (set, frozenset):
        return (type(x).__qualname__, sorted(repr(_member(item)) for item in x))
    if type(x) in PLAIN or type(x) in facts.NUMBERS or type(x) is PARAMETERS_OF_DATACLASS:
        return repr(x)
    if isinstance(x, type):
        return f"{x.__module__}.{x.__qualname__}"
    if isinstance(x, np.generic) and facts.is_fixed(x):
        return (str(x.dtype), x.tobytes())
    if isinstance(x, (range, slice, np.dtype)) or is_value(x):
        return (type(x).__qualname__, repr(x))
    return type(x).__qualname__


def code_hash(code: types.CodeType) -> str:
    """A hash of what code does, not of where it stands."""
    consts = [code_hash(c) if isinstance(c, types.CodeType) else _text(c) for c in code.co_consts]
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_name)
    told = (code.co_code, code.co_exceptiontable, counts, names, consts)
    return hashlib.sha256(repr(told).encode(errors="surrogatepass")).hexdigest()


def _text(x: Any) -> str:
    """The text of a constant of code; that of a set does not depend on the process."""
    if isinstance(x, frozenset):
        return f"frozenset({sorted(map(_text, x))})"
    return f"({', '.join(map(_text, x))})" if type(x) is tuple else repr(x)
