"""Globals that a program assigns: variables of the program, written into their module afterwards.

    global total            total = its root, or nothing if the module has no such name
    total += x       ->     total = total + x
                            after a call that did not raise: vars(module)["total"] = total

The variable is a cell of the heap, so that branches, loops and derivatives treat it as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from myia.infer.boundary.arguments import root
from myia.infer.boundary.recipes import Recipe
from myia.infer.boundary.results import Outputs
from myia.infer.domain.context import Context
from myia.infer.domain.errors import Unbound
from myia.infer.domain.facts import ABSENT, Global
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import (
    UNDEFINED,
    Abstract,
    Optional,
    Ref,
    UndefinedType,
)

NOT_DEFINED = "name '{}' is not defined"
NOTHING = object()  # what is assigned where the name stays as it is


@dataclass(frozen=True)
class Assignment:
    """A global after the call; `value` may be `NOTHING`."""

    namespace: Any
    name: str
    value: Recipe

    def apply(self, numbers: Sequence[Any], objects: Sequence[Any]) -> Callable[[], None]:
        """The assignment, whose value has been found."""
        value = self.value(numbers, objects)
        if value is NOTHING:
            return lambda: None
        return lambda: self.namespace.__setitem__(self.name, value)


def defined(ctx: Context, x: Abstract, error: type[NameError], message: str) -> Abstract:
    """The value of a name, which may have none."""
    if isinstance(x, UndefinedType):
        ctx.fail(Unbound, message=message, exception=error.__name__)
    return ctx.bound(x, error, message)


def value(ctx: Context, namespace: Mapping[str, Any], name: str) -> Abstract | None:
    """The present value of a global that the program has assigned; None if it has not."""
    cell = ctx.assigned_globals.get(Global(namespace, name))
    if cell is None:
        return None
    content = ctx.contents_as(cell, CellObject).content
    return defined(ctx, content, NameError, NOT_DEFINED.format(name))


def store(ctx: Context, namespace: Mapping[str, Any], name: str, x: Abstract) -> None:
    """`global name; name = x`"""
    question = Global(namespace, name)
    if question not in ctx.assigned_globals:
        before: Abstract = UNDEFINED
        if question.read() is not ABSENT:
            before = root(ctx, question, name)
        else:
            ctx.fact(question)
        ctx.assigned_globals[question] = Ref(ctx.heap.new_root(CellObject(before)))
    ctx.write(ctx.assigned_globals[question], CellObject(x))


def assignments(ctx: Context, outputs: Outputs) -> tuple[Assignment, ...]:
    """What the module gets after the call."""
    found = []
    for question, cell in ctx.assigned_globals.items():
        if cell.id in ctx.heap.objects:
            content = ctx.contents_as(cell, CellObject).content
            found.append(Assignment(question.owner, question.name, _recipe(outputs, content)))
    return tuple(found)


def _recipe(outputs: Outputs, x: Abstract) -> Recipe:
    if isinstance(x, UndefinedType):
        return lambda n, o: NOTHING
    if isinstance(x, Optional) and isinstance(x.absent, UndefinedType):
        present, found = outputs.recipe(x.present), outputs.recipe(x.value)
        return lambda n, o: found(n, o) if present(n, o) else NOTHING
    return outputs.recipe(x)
