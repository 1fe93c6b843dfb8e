"""The ints of a call: compile-time values, or arguments of the program.

`CallFlattener` takes ints for leaves: a signature tells only their places. An `IntegerSplit` says
which of them are compile-time values. So a program is found in two steps: by the signature, then by
these values.

    step(opt, x), where opt.t is 16 and opt.k is 3
    signature   (<instance: t int, k int>, <float>), with the leaves 16, 3, x
    split       compile-time values 3, arguments 16, x (if opt.t is an argument)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from myia.infer.boundary.signature import (
    INTEGER,
    Constant,
    Flattener,
    FunctionSignature,
    Node,
    leaves_of,
)

Step = tuple[str, Any]  # an attribute, an item, ...: the format of its text, and its name
SELF: Step = ("%s", "self")  # from a method to the object that it is bound to


class Path(NamedTuple):
    """Where an object stands: in an argument, a global, ... (its `root`), by a path of parts."""

    root: Any
    steps: tuple[Step, ...] = ()


# (the path to an int, its value) -> is it an argument of the program?
Choice = Callable[[Path, int], bool]


class IntegerSplit:
    """Which ints of some objects, all of the same signatures, are arguments of the program.

    `roots`: their names in paths; `leaves`: those of all of them, one after the other.
    """

    __slots__ = ("_as_int64", "_get_rest", "_get_static", "arguments", "integers", "signatures")

    def __init__(
        self, roots: Sequence[Any], signatures: Sequence[Any], leaves: Sequence[Any], choose: Choice
    ) -> None:
        self.signatures = signatures
        found = [x for s in signatures for x in leaves_of(s)]
        self.integers = tuple(i for i, x in enumerate(found) if x is INTEGER)
        paths = [p for root, s in zip(roots, signatures) for p in integer_paths(s, Path(root))]
        chosen = [i for i, p in zip(self.integers, paths, strict=True) if choose(p, leaves[i])]
        self.arguments = frozenset(chosen)
        static = [i for i in self.integers if i not in self.arguments]
        apart = set(static)
        rest = [i for i in range(len(found)) if i not in apart]
        self._get_static, self._get_rest = _getter(static), _getter(rest)
        self._as_int64 = tuple(k for k, i in enumerate(rest) if i in self.arguments)

    def take(self, flat: Flattener) -> tuple[int, ...]:
        """The ints that are compile-time values, taken from the leaves of `flat`."""
        leaves = flat.leaves
        rest: Any = self._get_rest(leaves)
        if self._as_int64:
            rest = list(rest)
            for i in self._as_int64:
                rest[i] = np.int64(rest[i])
        flat.leaves = rest
        return self._get_static(leaves)

    def resolved(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The signatures, in which the ints that are compile-time values are constants."""
        return self.resolved_with(self._get_static(leaves))

    def resolved_with(self, static: Sequence[int]) -> tuple[Any, ...]:
        """The same, of the ints that `take` returns."""
        values = iter(static)
        ints = iter(
            [INTEGER if i in self.arguments else Constant(next(values), int) for i in self.integers]
        )
        return tuple(_with_integers(s, ints) for s in self.signatures)


def _getter(positions: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The items at these positions, as a tuple."""
    if len(positions) > 1:
        return itemgetter(*positions)
    if not positions:
        return lambda xs: ()
    (position,) = positions
    return lambda xs: (xs[position],)


def _with_integers(signature: Any, ints: Iterator[Any]) -> Any:
    """`signature` with its ints replaced, in order."""
    if signature is INTEGER:
        return next(ints)
    parts = getattr(signature, "parts", ())
    if not parts:
        return signature
    parts = tuple([_with_integers(part, ints) for part in parts])
    if isinstance(signature, Node):
        return signature._replace(parts=parts)
    return dataclasses.replace(signature, parts=parts)


# ----- Paths


def integer_paths(signature: Any, path: Path) -> Iterator[Path]:
    """The paths to the ints in an object of this signature, in the order of a `Flattener`."""
    if signature is INTEGER:
        yield path
    parts = getattr(signature, "parts", ())
    if parts:
        for step, part in zip(steps(signature), parts, strict=True):
            yield from integer_paths(part, Path(path.root, (*path.steps, step)))


def steps(signature: Node | FunctionSignature) -> list[Step]:
    """From an object to its parts."""
    count = len(signature.parts)
    if isinstance(signature, FunctionSignature):
        names = signature.names
        defaults = [(".__defaults__[%s]", i) for i in range(count - len(names))]
        return [("%s", name) for name in names] + defaults
    if signature.kind in ("instance", "guest"):
        return [(".%s", name) for name in signature.keys]
    if signature.kind == "dict":
        return [("[%r]", key) for key in signature.keys]
    if signature.kind == "method":
        return [SELF]
    if signature.kind == "partial":
        n, *keywords = signature.keys
        bound = [(".args[%s]", i) for i in range(n)]
        return [(".%s", "func"), *bound, *((".keywords[%r]", name) for name in keywords)]
    fields = getattr(signature.cls, "_fields", ())
    if signature.kind == "tuple" and len(fields) == count:
        return [(".%s", name) for name in fields]
    return [("[%s]", i) for i in range(count)]
