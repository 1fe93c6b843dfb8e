"""Writing back: the caller's objects are changed as the function changed its arguments.

A program is compiled for arrays that share no memory. So an array that is written to must not
overlap another one, nor itself; and not one of which a derivative changes a copy, either: its value
would be another one than the function's. Nothing is written before all of this is known.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from myia.api.programs.decision_tree import Hidden
from myia.api.programs.resources import OBJECTS, TRACED, Resources
from myia.artifacts.written_arrays import READ_ONLY, refuse_overlaps, would_change_read_only
from myia.infer.boundary.instances import set_contents, set_state
from myia.infer.boundary.integers import steps
from myia.infer.boundary.signature import Leaf, Node, leaves_of
from myia.infer.boundary.signature_differences import path_text
from myia.infer.eval.program import Program
from myia.infer.guest_arrays import are_of_one_file, is_array, memory_of, write
from myia.infer.stand_ins import STAND_INS

ARRAYS = (np.ndarray, np.memmap)
WRITTEN = (
    "inside a transform of JAX (`jax.jit`, `jax.vmap`, `jax.grad`) an array of NumPy would get a "
    "tracer: write into a copy, `y = x.copy()`, and return that"
)


class WriteBack:
    """What a program writes back, of calls of one signature.

    `positional`, `keywords`: their signatures; `names`: those of the positional arguments.
    """

    def __init__(
        self,
        program: Program,
        positional: Sequence[Any],
        keywords: dict[str, Any],
        names: Sequence[str],
    ):
        self._updates, self._assignments = program.updates, program.assignments
        self._written = [*(i for i, _ in program.updates), *program.changed_in_copies]
        self._named = [*zip(names, positional), *keywords.items()]
        leaves = (leaf for _, signature in self._named for leaf in leaves_of(signature))
        under_jax = program.reads_tracers or any(leaf.is_tracer for leaf in leaves)
        if self._assignments and under_jax:
            name = self._assignments[0].name
            raise TypeError(f"the global {name!r} would be a tracer of JAX: return what it gets")
        self._named += [(fact.name, fact.answer) for fact in program.facts]
        found = (leaf for _, s in self._named for leaf in leaves_of(s))
        self._guests = any(leaf.guest is not None for leaf in found)
        changed = {i for i, _ in program.updates}
        self._resources = Resources([signature for _, signature in self._named], changed)
        if self._resources and under_jax:
            raise TypeError(TRACED)
        # An executable copies the caller's arrays. It may take the copy of one that is written to
        # for its new elements.
        self.donated = [leaf for leaf, i in self._arrays() if i in changed]
        if self.donated and under_jax:
            raise TypeError(WRITTEN)

    def _arrays(self) -> list[tuple[int, int]]:
        """The NumPy arrays in a flattening: the positions of their leaf and of their object."""
        found = itertools.chain.from_iterable(leaves_of(s) for _, s in self._named)
        leaves = [i for i, leaf in enumerate(found) if leaf.kind == "array"]
        objects = [i for i, (_, is_array) in enumerate(_places(self._named)) if is_array]
        return list(zip(leaves, objects, strict=True))

    def check(self, leaves: Sequence[Any], objects: Sequence[Any], hidden: Hidden) -> None:
        """Refuse a call whose written arrays overlap others, or themselves."""
        places = objects
        if self._guests:  # leaves may be copies, or other views of their memory
            places = [*map(memory_of, objects)]
        written = [places[i] for i in self._written if type(places[i]) in ARRAYS]
        if not written:
            return
        parts = (places,) if self._guests else (leaves, *hidden)
        arrays = [x for part in parts for x in part if type(x) in ARRAYS]
        pairs = itertools.product(written, arrays) if self._guests else ()
        mapped = ((x, y) for x, y in pairs if are_of_one_file(x, y))
        refuse_overlaps(written, arrays, lambda x: self._name_of(x, places), mapped)

    def apply(
        self,
        numbers: Sequence[Any],
        objects: Sequence[Any],
        leaves: Sequence[Any],
        hidden: Hidden,
    ) -> None:
        """Change the caller's objects as the function did.

        `leaves`, `hidden`: what it was given.
        """
        changes = [(objects[i], recipe(numbers, objects)) for i, recipe in self._updates]
        for target, value in changes:
            memory = memory_of(target)
            if memory is not None and would_change_read_only(memory, value):
                raise ValueError(READ_ONLY.format(self._name_of(target, objects)))
        assignments = [found.apply(numbers, objects) for found in self._assignments]
        with self._resources.unchanged(objects, leaves, hidden):
            for target, value in changes:
                _assign(target, value)
        for assign in assignments:
            assign()

    def _name_of(self, x: Any, objects: Sequence[Any]) -> str:
        """The path of an object, for errors: `x`, `state.w`."""
        found = zip(objects, _places(self._named))
        return next((f"`{path}`" for y, (path, _) in found if y is x), "an array")


def _places(named: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, bool]]:
    """The mutable objects in a flattening, in its order: the path of each; is it an array?"""
    for path, signature in named:
        if isinstance(signature, Leaf) and signature.kind == "array":
            yield path, True
        if isinstance(signature, Node) and signature.kind in OBJECTS:
            yield path, False
        if parts := getattr(signature, "parts", ()):
            paths = [path_text(path, step) for step in steps(signature)]
            yield from _places(list(zip(paths, parts)))


def _assign(target: Any, value: Any) -> None:
    """Give an object the contents of another of its kind."""
    if is_array(target):
        write(target, value)
    elif type(target) in STAND_INS:
        set_state(target, value)
    else:
        set_contents(target, value)
