"""Templates of merged states: substitution, comparison, and values that one side does not have.

A template is a tree of abstract values and heap contents, the same on both paths, whose differing
leaves are placeholders (`merge.py`). After the op, `substitute` puts its results in their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from myia.infer.domain.heap import ArrayObject, DynamicArray
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    Abstract,
    Node,
    Optional,
    Ref,
    Scalar,
    Static,
    UndefinedType,
    may_be_unbound,
    same_static,
)
from myia.ir.core import Value


class Absent(Abstract):
    """The side of a merge that has no value."""


ABSENT = Absent()
SCALAR_FACTS = ("weak", "lo", "hi", "boxed")
Part = TypeVar("Part", bound=Node)


def is_absent(x: Abstract) -> bool:
    """No value, an unbound name, or None."""
    return isinstance(x, (UndefinedType, Absent)) or (isinstance(x, Static) and x.value is None)


def as_optional(x: Abstract) -> Optional:
    """`x` as an optional that is present, or absent, at compile time."""
    return _absent_side(x) if is_absent(x) else Optional(TRUE, x, None)


def _absent_side(x: Abstract) -> Optional:
    return Optional(FALSE, ABSENT, None if isinstance(x, Absent) else x)  # the other side knows


def is_of_unbound(x: Abstract) -> bool:
    """A name that is unbound, or may be."""
    return isinstance(x, UndefinedType) or may_be_unbound(x)


def side_of(x: Abstract, of_unbound: bool) -> Optional:
    """`x` as an optional of what may be unbound, or else of what may be None."""
    if not of_unbound:
        return x if isinstance(x, Optional) else as_optional(x)
    if may_be_unbound(x):
        assert isinstance(x, Optional)
        return x
    if isinstance(x, (UndefinedType, Absent)):
        return _absent_side(x)
    return Optional(TRUE, x, None)


def substitute(x: Part, env: Mapping[Value, Value]) -> Part:
    """`x` (a value or contents) with its run-time leaves replaced."""
    if isinstance(x, Scalar):
        return x.with_value(env[x.value]) if x.value in env else x
    children = x.children()
    if not children:
        return x
    replaced = tuple(substitute(c, env) for c in children)
    if all(a is b for a, b in zip(children, replaced)):
        return x
    return x.rebuild(replaced)


def leaves_of(x: Node) -> Iterator[Scalar]:
    """The run-time leaves of a value or of contents."""
    if isinstance(x, Scalar):
        yield x
    for child in x.children():
        yield from leaves_of(child)


def live_placeholders(
    template: Iterable[Node],
    made: Mapping[Value, Value | None],
    entry_placeholders: frozenset[Value],
) -> tuple[tuple[Value, ...], dict[Value, Value]]:
    """The placeholders in a template, and for each the entry placeholder of the same leaf.

    `made`: all placeholders, each with the value of the leaf at the start of the iteration.
    """
    leaves = {leaf.value for x in template for leaf in leaves_of(x)}
    live = [(value, of) for value, of in made.items() if value in leaves]
    # Two leaves that held one value at the start may differ at the end: only one of them replaces
    # the entry placeholder, the other one is a new carry. So is a leaf of another dtype.
    successor: dict[Value, Value] = {}
    for value, of in live:
        if of in entry_placeholders and of.aval == value.aval:
            successor.setdefault(of, value)
    return tuple(value for value, _ in live), {value: of for of, value in successor.items()}


def has_same_form(x: Node, template: Node, renamed: Mapping[Value, Value]) -> bool:
    """Whether the two are equal, up to the names of placeholders: `renamed` has those of `x`."""
    if type(x) is not type(template) or x.key() != template.key():
        return False
    if isinstance(x, Scalar) and isinstance(template, Scalar):
        same = renamed.get(template.value, template.value) is x.value
        return same and all(getattr(x, f) == getattr(template, f) for f in SCALAR_FACTS)
    if isinstance(x, Static) and isinstance(template, Static):
        return same_static(x.value, template.value)
    if isinstance(x, Ref) and isinstance(template, Ref):
        return x.id == template.id
    if isinstance(x, ArrayObject) and x.contiguous != getattr(template, "contiguous", None):
        return False
    if isinstance(x, DynamicArray) and x.readonly != getattr(template, "readonly", None):
        return False
    if getattr(x, "bases", ()) != getattr(template, "bases", ()):
        return False
    children = x.children(), template.children()
    return len(children[0]) == len(children[1]) and all(
        has_same_form(c, t, renamed) for c, t in zip(*children)
    )
