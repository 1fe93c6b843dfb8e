"""Shortcuts: calls like an earlier one, told without their signatures.

A signature is made anew at every call, one object after the other. A shortcut only compares: the
types of all parts at once, then of each array dtype, shape and layout, of each constant its value.
The avals of numbers and of JAX's arrays it leaves to JAX, whose look-up finds them to be others
(`OtherAvals`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from myia.infer.boundary.instances import state_of
from myia.infer.boundary.signature import CallFlattener, Leaf, Node
from myia.infer.domain.facts import PLAIN, Constant

Children = Callable[[Any], Sequence[Any] | None]  # the parts of an object; None: of other names
Found = tuple[Sequence[Any], Sequence[Any]]  # leaves and objects
Matcher = Callable[[Sequence[Any]], Found | None]

_aspects = attrgetter("dtype", "shape", "flags.c_contiguous")  # of an array, beside its type

TOLD_BY_TYPE = (float, complex, "generic", "device")


def is_told_by_type(signature: Any) -> bool:
    """Does the type of an object tell its signature, apart from the aval, which JAX checks?"""
    return isinstance(signature, Leaf) and signature.kind in TOLD_BY_TYPE


def matcher(signatures: Sequence[Any], values: Sequence[Any]) -> Matcher | None:
    """Finds leaves and objects of arguments like these, which have these signatures.

    Returns None where there is no shortcut.
    """
    parts = _Parts.of(signatures, values)
    if parts is None:
        return None

    if parts.only_arrays:  # nothing to take apart
        return _arrays_matcher([aspects for _, aspects in parts.arrays])

    def match(values: Sequence[Any]) -> Found | None:
        leaves: list[Any] = []
        objects: list[Any] = []
        if not parts.match(values, leaves, objects):
            return None
        return (leaves, objects) if len(set(map(id, objects))) == len(objects) else None

    return match


def _arrays_matcher(expected: Sequence[Any]) -> Matcher:
    """A matcher of arrays, by their aspects; for two of them, the most frequent, a faster one."""
    if len(expected) == 2:
        one, other = expected

        def match_two(values: Sequence[Any]) -> Found | None:
            x, y = values
            alike = x is not y and _aspects(x) == one and _aspects(y) == other
            return (values, values) if alike else None

        return match_two

    def match(values: Sequence[Any]) -> Found | None:
        alike = [*map(_aspects, values)] == expected
        return (values, values) if alike and len({*map(id, values)}) == len(values) else None

    return match


def flattening(found: Found) -> CallFlattener:
    """What flattening the arguments would have made."""
    flat = CallFlattener()
    flat.leaves, flat.objects = list(found[0]), list(found[1])
    flat.seen = {id(x): i for i, x in enumerate(flat.objects)}
    return flat


class _Parts:
    """The parts of a container: leaves, constants and containers."""

    def __init__(self, signatures: Sequence[Any], values: Sequence[Any]):
        self.types = tuple(map(type, values))
        self.arrays = [
            (i, (s.dtype, s.shape, s.contiguous))
            for i, s in enumerate(signatures)
            if isinstance(s, Leaf) and s.kind == "array"
        ]
        self.only_leaves = all(isinstance(s, Leaf) and s.kind is not int for s in signatures)
        self.others: list[tuple[Any, Children | None, _Parts | None]] = []

    @classmethod
    def of(cls, signatures: Sequence[Any], values: Sequence[Any]) -> _Parts | None:
        """None if a part has no shortcut."""
        found = cls(signatures, values)
        for signature, value in zip(signatures, values):
            children, parts = None, None
            if isinstance(signature, Node):
                children = _children(signature, value)
                within = None if children is None else children(value)
                parts = None if within is None else cls.of(signature.parts, within)
                if parts is None:
                    return None
            elif not _is_plain(signature):
                return None
            found.others.append((signature, children, parts))
        return found

    @property
    def only_arrays(self) -> bool:
        return len(self.arrays) == len(self.types)

    def are_like(self, values: Sequence[Any]) -> bool:
        """Are these of the same types, and the arrays among them alike?"""
        if tuple(map(type, values)) != self.types:
            return False
        return all(_aspects(values[i]) == aspects for i, aspects in self.arrays)

    def match(self, values: Sequence[Any], leaves: list[Any], objects: list[Any]) -> bool:
        if not self.are_like(values):
            return False
        if not self.only_leaves:
            many = len(values)
            return all(map(_matches, self.others, values, [leaves] * many, [objects] * many))
        leaves += values
        objects += values if self.only_arrays else [values[i] for i, _ in self.arrays]
        return True


def _is_plain(signature: Any) -> bool:
    if isinstance(signature, Constant):
        return type(signature.value) in PLAIN
    kinds = (*TOLD_BY_TYPE, "array", int)
    return isinstance(signature, Leaf) and signature.kind in kinds


def _matches(
    other: tuple[Any, Children | None, _Parts | None],
    value: Any,
    leaves: list[Any],
    objects: list[Any],
) -> bool:
    signature, children, parts = other
    if children is not None and parts is not None:
        if signature.kind != "tuple":
            objects.append(value)
        within = children(value)
        return within is not None and parts.match(within, leaves, objects)
    if isinstance(signature, Constant):
        return bool(value == signature.value)
    if signature.kind is int:
        if not -(2**63) <= value < 2**63:
            return False
        value = np.int64(value)
    elif signature.kind == "array":
        objects.append(value)
    leaves.append(value)
    return True


def _children(signature: Node, value: Any) -> Children | None:
    """How the parts of an object are read; None if there is no shortcut."""
    keys = signature.keys
    if signature.kind in ("tuple", "list"):
        return lambda x: x
    if signature.kind == "dict" and _are_texts(keys) and not isinstance(signature.cls, tuple):
        return lambda x: [*x.values()] if tuple(x) == keys and _are_texts(x) else None
    if signature.kind == "instance":
        return lambda x: _named(state_of(x), keys)
    return None


def _are_texts(keys: Iterable[Any]) -> bool:
    return {str}.issuperset(map(type, keys))


def _named(state: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any] | None:
    return [*state.values()] if tuple(state) == keys else None
