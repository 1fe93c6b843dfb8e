"""Facts by names that mean the same in another process: module, path and value, or a hash of code.

    Global `n` of the module `model`  ->  ("Global", ("module", "model"), "n")
    its answer, 3                     ->  ("value", "int", "3")

`named` lists the facts of a program that have a name, with their answers; `still_hold` asks their
questions in whatever process it runs. Closures and objects that no module holds have no name.
"""

from __future__ import annotations

import ast
import enum
import functools
import hashlib
import importlib
import operator
import sys
import types
from collections.abc import Sequence
from typing import Any

from myia.infer.boundary.arguments import Fact
from myia.infer.boundary.signature import (
    INTEGER,
    Flattener,
    FunctionSignature,
    Leaf,
    Node,
    SeenObject,
)
from myia.infer.domain import facts
from myia.infer.domain.facts import PLAIN, Constant, Identity, Question, exact

Name = tuple[Any, ...]
KINDS = {
    cls.__name__: cls
    for cls in (
        *(facts.Global, facts.Default, facts.Attribute, facts.HasAttribute),
        *(facts.ClassAttribute, facts.IsDefined, facts.IsManaged, facts.Held, facts.Answer),
    )
}
ANY_INTEGER = ("leaf", "int")


def named(found: Sequence[Fact]) -> list[tuple[Name, bool, Name]]:
    """(name, by identity, answer) of each fact that has both a name and an answer that has one."""
    known: dict[int, Name] = {}  # objects that a named question gave
    result = []
    for fact in found:
        name, answer = _question_name(fact.question, known), _answer_name(fact.answer)
        if name is None:
            continue
        if isinstance(fact.answer, Identity):
            known.setdefault(id(fact.answer.object), ("answer", name))
        if answer is not None:
            result.append((name, fact.by_identity, answer))
    return result


def still_hold(names: Sequence[tuple[Name, bool, Name]]) -> bool:
    """Do all these questions have the same answers here and now?"""
    return all(_agree(answer, _present(name, by_identity)) for name, by_identity, answer in names)


def _present(name: Name, by_identity: bool) -> Name | None:
    try:
        x = _question(name).ask()
    except (AttributeError, ImportError, KeyError):
        return None
    return _answer_name(exact(x) if by_identity else Flattener().add(x))


def _agree(answer: Any, now: Any) -> bool:
    """Equal, but that an int which is an argument agrees with every int."""
    if answer == now:
        return True
    if not isinstance(answer, tuple) or not isinstance(now, tuple):
        return False
    if answer == ANY_INTEGER:
        return now[:2] == ("value", "int")
    return len(answer) == len(now) and all(map(_agree, answer, now))


# ----- Names of questions


def _question_name(question: Question, known: dict[int, Name]) -> Name | None:
    kind = type(question).__name__
    if kind not in KINDS:
        return None
    if isinstance(question, facts.Answer):
        operands = [_object_name(x, known) for x in (question.owner, *question.name)]
        return None if None in operands else (kind, *operands)
    owner = _object_name(question.owner, known)
    if owner is None or (isinstance(question, facts.ClassAttribute) and question.after is not None):
        return None
    return (kind, owner, question.name)


def _question(name: Name) -> Question:
    kind, owner, *rest = name
    if KINDS[kind] is facts.Answer:
        return facts.Answer(_object(owner), *map(_object, rest))
    if KINDS[kind] is facts.Global:
        return facts.Global(vars(_object(owner)), *rest)
    return KINDS[kind](_object(owner), *rest)


# ----- Names of objects


def _object_name(x: Any, known: dict[int, Name]) -> Name | None:
    if isinstance(x, dict):  # the namespace of a module
        module = sys.modules.get(x.get("__name__", ""))
        return ("module", module.__name__) if module and vars(module) is x else None
    if type(x) in PLAIN:
        return ("value", type(x).__name__, repr(x))
    name = _lasting_name(x)
    return known.get(id(x)) if name is None else name


def _lasting_name(x: Any) -> Name | None:
    """The name of a module, or of what a module holds under its own name."""
    if isinstance(x, types.ModuleType):
        return ("module", x.__name__) if sys.modules.get(x.__name__) is x else None
    if isinstance(x, enum.Enum):
        cls = _lasting_name(type(x))
        return None if cls is None else ("attribute", cls, x.name)
    if not isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType)):
        return None
    module, path = sys.modules.get(x.__module__ or ""), x.__qualname__
    try:
        held = functools.reduce(getattr, path.split("."), module)
    except AttributeError:
        return None
    return ("object", x.__module__, path) if held is x else None


def _object(name: Name) -> Any:
    kind, *rest = name
    if kind == "value":
        return ... if rest[0] == "ellipsis" else ast.literal_eval(rest[1])
    if kind == "module":
        return importlib.import_module(rest[0])
    if kind == "object":
        return operator.attrgetter(rest[1])(importlib.import_module(rest[0]))
    if kind == "attribute":
        return getattr(_object(rest[0]), rest[1])
    return _question(rest[0]).read()


# ----- Names of answers


def _answer_name(signature: Any) -> Name | None:
    if signature is INTEGER:
        return ANY_INTEGER
    if isinstance(signature, Leaf):
        kind = getattr(signature.kind, "__name__", signature.kind)
        cls = signature.guest and signature.guest.cls.__qualname__
        return ("leaf", kind, str(signature.dtype), signature.shape, signature.contiguous, cls)
    if isinstance(signature, Constant):
        return (
            "value",
            getattr(signature.type, "__name__", str(signature.type)),
            _text(signature.value),
        )
    if isinstance(signature, Identity):
        x = signature.object
        if isinstance(x, types.FunctionType):  # of a class: it is replaced by assignment
            return ("code", code_hash(x.__code__))
        return _lasting_name(x) or ("instance", type(x).__module__, type(x).__qualname__)
    if isinstance(signature, FunctionSignature):
        parts = tuple(map(_answer_name, signature.parts))
        return ("function", code_hash(signature.code), signature.names, parts)
    if isinstance(signature, Node):
        parts = tuple(map(_answer_name, signature.parts))
        cls = signature.cls
        name = f"{cls.__module__}.{cls.__qualname__}" if isinstance(cls, type) else repr(cls)
        return (signature.kind, name, tuple(map(repr, signature.keys)), parts)
    return ("seen", signature.index) if isinstance(signature, SeenObject) else None


def _text(x: Any) -> str:
    """The text of a constant; that of a set does not depend on the process."""
    if isinstance(x, frozenset):
        return f"frozenset({sorted(map(_text, x))})"
    return f"({', '.join(map(_text, x))})" if type(x) is tuple else repr(x)


def code_hash(code: types.CodeType) -> str:
    """A hash of what code does, not of where it stands."""
    consts = [code_hash(c) if isinstance(c, types.CodeType) else _text(c) for c in code.co_consts]
    told = (code.co_code, code.co_names, code.co_varnames, code.co_freevars, consts)
    return hashlib.sha256(repr(told).encode()).hexdigest()
