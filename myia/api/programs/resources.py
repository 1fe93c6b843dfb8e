"""Objects with stand-ins that a program changes: generators of random numbers.

Their state is read before a call and written after it. So nobody else may draw in between: another
thread, or a function on the host. It is known before anything is written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from myia.api.programs.decision_tree import Hidden
from myia.infer.boundary.instances import state_of
from myia.infer.boundary.signature import Flattener, Leaf, Node
from myia.infer.stand_ins import STAND_INS

CHANGED = (
    "a generator of random numbers was used elsewhere during the call, which draws from it: "
    "give each thread its own"
)
TRACED = (
    "a generator of random numbers cannot be advanced in a program that JAX compiles: draw outside "
    "of it, or make the generator inside, from a seed"
)
OBJECTS = ("list", "dict", "set", "instance", "guest")  # nodes of mutable objects


class Resources:
    """Those among the objects of a call that its program changes.

    `signatures`: of the arguments, then of the facts; `changed`: the positions of objects.
    """

    def __init__(self, signatures: Sequence[Any], changed: Collection[int]):
        self._leaves = self._objects = 0
        self._spans: list[tuple[int, slice]] = []  # the object, and its leaves
        for signature in signatures:
            self._add(signature, changed)

    def _add(self, signature: Any, changed: Collection[int]) -> None:
        here, start = self._objects, self._leaves
        if isinstance(signature, Leaf):
            self._leaves += 1
            self._objects += signature.kind == "array"
            return
        is_object = isinstance(signature, Node) and signature.kind in OBJECTS
        self._objects += is_object
        for part in getattr(signature, "parts", ()):
            self._add(part, changed)
        if is_object and here in changed and signature.cls in STAND_INS:
            self._spans.append((here, slice(start, self._leaves)))

    def __bool__(self) -> bool:
        return bool(self._spans)

    @contextlib.contextmanager
    def unchanged(
        self, objects: Sequence[Any], leaves: Sequence[Any], hidden: Hidden
    ) -> Iterator[None]:
        """They are locked, and have the state that the call has read; else an error."""
        numbers = [*leaves, *(x for part in hidden for x in part)] if hidden else leaves
        with contextlib.ExitStack() as stack:
            for i, _ in self._spans:
                stack.enter_context(getattr(objects[i], "lock", contextlib.nullcontext()))
            for i, span in self._spans:
                now = Flattener()
                for x in state_of(objects[i]).values():
                    now.add(x)
                if not all(map(_is_same, now.leaves, numbers[span])):
                    raise RuntimeError(CHANGED)
            yield


def _is_same(x: Any, y: Any) -> bool:
    return np.array_equal(x, y) if isinstance(x, np.ndarray) else bool(x == y)
