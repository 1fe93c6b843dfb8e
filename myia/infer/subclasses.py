"""Attributes of instances of subclasses of dict, list and tuple that users write.

What such an instance holds beside its items is not taken apart: one with attributes of its own is
an object by identity (`boundary/signature.py`). Here the class is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from myia.infer.boundary.instances import HEAP_TYPE, OF_PYTHON
from myia.infer.domain.context import Context
from myia.infer.domain.facts import ABSENT, ClassAttribute
from myia.infer.domain.heap import Contents, DictObject, ListObject
from myia.infer.domain.values import Abstract, Static, Tuple, is_namedtuple

Bind = Callable[[Context, Any, Abstract, type, ClassAttribute], Abstract]


def class_of_users(x: Abstract, contents: Contents | None) -> type | None:
    """The class of a dict, list or tuple, if a user wrote it."""
    if isinstance(x, Tuple):
        cls = None if is_namedtuple(x.cls) else x.cls
    else:
        cls = contents.cls if isinstance(contents, (DictObject, ListObject)) else None
    written = cls is not None and cls.__flags__ & HEAP_TYPE and cls.__module__ not in OF_PYTHON
    return cls if written else None


def attribute(
    ctx: Context, x: Abstract, contents: Contents | None, name: str, bind: Bind
) -> Abstract | None:
    """What a class of a user says of an attribute; None: its base in Python may say it."""
    if (cls := class_of_users(x, contents)) is None:
        return None
    question = ClassAttribute(cls, name)
    found = question.read()
    if found is ABSENT:
        found = ctx.fact(ClassAttribute(cls, "__getattr__"))
        if found is ABSENT:
            ctx.fact(question)
            return None
        return ctx.call(Static(found), (x, Static(name)), {})  # `__getattr__ = dict.__getitem__`
    owner = next(c for c in cls.__mro__ if name in vars(c))
    if not owner.__flags__ & HEAP_TYPE or owner.__module__ in OF_PYTHON:
        return None
    if not hasattr(type(found), "__get__"):
        return ctx.root(question, name)
    return bind(ctx, ctx.fact(question), x, cls, question)
