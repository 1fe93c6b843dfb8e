"""Classes that compiled code defines: Python's classes, with placeholders for their members.

    class P(Base):              P is made by Python while compiling, so `isinstance`, `super()`
        k = x * 2.0       ->    and `dataclass` are Python's; its `k` and `f` are placeholders.
        def f(self): ...        A cell of the heap holds what each of them stands for.

A placeholder is valid where its cell is: in the branch or iteration that the class is made in.
Nothing about such a class is a fact of the program, which makes it.
"""

from __future__ import annotations

import weakref
from types import FunctionType
from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.facts import Answer, Attribute, ClassAttribute, Question
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import IS_INNER, Abstract, Closure, PyFunction, Ref
from myia.infer.unsupported import UnsupportedClass
from myia.ir.builder import current_builder, is_open

ELSEWHERE = "define the class before the branch or loop, or at the top of the module"


class Member:
    """A placeholder of a member that is no function."""

    def __init__(self, ref: Ref):
        self.ref = ref
        self.made_in = weakref.ref(current_builder())


def is_inner(x: Any) -> bool:
    """Is it a class that compiled code has made, or the placeholder of a function in it?"""
    return isinstance(x, (type, FunctionType)) and IS_INNER in vars(x)


def is_about_inner(question: Question) -> bool:
    """Is something asked about such a class?"""
    asked = question.name if isinstance(question, Answer) else (question.owner,)
    return any(map(_has_inner, asked))


def _has_inner(x: Any) -> bool:
    return any(map(_has_inner, x)) if isinstance(x, tuple) else is_inner(x)


def from_outside(question: Question) -> list[ClassAttribute]:
    """What such a question asks of the bases that are classes of the module."""
    if not isinstance(question, (Attribute, ClassAttribute)) or not isinstance(
        question.owner, type
    ):
        return []
    found = []
    after = question.after if isinstance(question, ClassAttribute) else None
    for cls in ClassAttribute(question.owner, question.name, after).classes():
        if not is_inner(cls):
            found.append(ClassAttribute(cls, question.name))
        if question.name in vars(cls):
            break
    return found


def member(ctx: Context, x: Abstract) -> Member:
    """A placeholder for a value."""
    return Member(ctx.new(CellObject(x)))


def function(ctx: Context, name: str, closure: Closure | PyFunction) -> FunctionType:
    """A placeholder for a closure."""

    def placeholder(*args: Any, **options: Any) -> Any:
        raise TypeError(f"{name}() is a function of compiled code")

    made: Any = placeholder
    made.__name__ = made.__qualname__ = name
    vars(made)[IS_INNER] = member(ctx, closure)
    return made


def closure_of(ctx: Context, f: Any) -> Abstract | None:
    """What the placeholder of a function stands for; None if `f` is none."""
    is_placeholder = isinstance(f, FunctionType) and is_inner(f)
    return value_of(ctx, vars(f)[IS_INNER]) if is_placeholder else None


def value_of(ctx: Context, x: Member) -> Abstract:
    """What a placeholder stands for now."""
    if not is_open(x.made_in()):
        what = "an object of a class that a branch or a loop defines, after it"
        ctx.fail(UnsupportedClass, what=what, help_text=ELSEWHERE)
    return ctx.contents_as(x.ref, CellObject).content


def assign(ctx: Context, cls: type, name: str, x: Abstract) -> None:
    """`cls.name = x`"""
    found = vars(cls).get(name)
    if not isinstance(found, Member):
        what = f"to give the class {cls.__name__} an attribute `{name}`"
        ctx.fail(UnsupportedClass, what=what, help_text=f"write `{name} = ...` into the class")
    value_of(ctx, found)
    ctx.write(found.ref, CellObject(x))
