"""Shardings that users give: `in_shardings` and `out_shardings`, as prefixes of structures.

    in_shardings=(None, P("batch"))         of all arrays in the second argument
    out_shardings=({"w": P(), "b": P()}, None)

An entry holds for all arrays below it; None: JAX chooses, from the arguments of the call on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import jax
from jax.sharding import PartitionSpec, Sharding

from myia.infer.boundary.instances import is_state, state_of
from myia.infer.boundary.recipes import Number, Recipe, form_of
from myia.infer.boundary.signature import Node, leaves_of
from myia.infer.eval.program import Program
from myia.pipeline import Shardings as Placed

BY_KEYWORD = "in_shardings are of positional arguments: pass {0} by position"
WANTED = (
    "a sharding, a `PartitionSpec` (under `jax.set_mesh`), None, or a structure of these in the "
    "form of what it is for"
)


@dataclass(frozen=True, eq=False)
class Shardings:
    """What the user gave for an option: a tree. Two of them are never equal."""

    option: str
    given: Any

    def __post_init__(self) -> None:
        _check(self.option, self.given)

    def of_arguments(self, signatures: Sequence[Any]) -> list[Any]:
        """The sharding of each leaf of the positional arguments."""
        tree = list(self.given) if isinstance(self.given, tuple) else self.given
        root = Node("list", list, (), tuple(signatures))
        return [*self._of_signature(tree, root, "the arguments")]

    def of_results(self, recipe: Recipe, count: int) -> list[Any]:
        """The sharding of each of `count` results; what else a program returns has None."""
        found: list[Any] = [None] * count
        for number, sharding in self._of_recipe(self.given, recipe, "the result"):
            if found[number] not in (None, sharding):
                self._refuse(found[number], f"what is returned with {sharding!r}, too")
            found[number] = sharding
        return found

    # ----- Walks

    def _of_signature(self, tree: Any, signature: Any, path: str) -> Iterator[Any]:
        if _is_entry(tree):
            for _ in leaves_of(signature):
                yield tree
            return
        if not isinstance(signature, Node):
            self._refuse(tree, path)
        keys = None if signature.kind in ("tuple", "list") else signature.keys
        parts = self._parts(tree, keys, len(signature.parts), path)
        for (place, part), inner in zip(parts, signature.parts, strict=True):
            yield from self._of_signature(part, inner, place)

    def _of_recipe(self, tree: Any, recipe: Recipe, path: str) -> Iterator[tuple[int, Any]]:
        if isinstance(recipe, Number):
            if not _is_entry(tree):
                self._refuse(tree, path)
            yield recipe.index, tree
            return
        form = form_of(recipe)
        if form is None or tree is None:
            if tree is not None:
                self._refuse(tree, path)
            return
        if form.kind in ("shared", "sharing"):
            yield from self._of_recipe(tree, form.parts[0], path)
            return
        keys = {"dict": 0, "instance": 1}.get(form.kind)
        names = None if keys is None else form.fixed[keys]
        if _is_entry(tree):
            parts = [(path, tree)] * len(form.parts)
        elif form.kind in ("tuple", "list", "dict", "instance"):
            parts = self._parts(tree, names, len(form.parts), path)
        else:
            self._refuse(tree, path)
        for (place, part), inner in zip(parts, form.parts, strict=True):
            yield from self._of_recipe(part, inner, place)

    def _parts(
        self, tree: Any, keys: Sequence[Any] | None, count: int, path: str
    ) -> list[tuple[str, Any]]:
        """The entries for the parts of a container, with their paths."""
        if keys is None and isinstance(tree, (tuple, list)) and len(tree) == count:
            return [(f"item {i} of {path}", x) for i, x in enumerate(tree)]
        named = tree if isinstance(tree, Mapping) else _attributes(tree)
        if keys is not None and named is not None and {*named} == {*keys}:
            return [(f"{key!r} of {path}", named[key]) for key in keys]
        self._refuse(tree, path)

    def _refuse(self, entry: Any, path: str) -> NoReturn:
        raise ValueError(f"{self.option} has {entry!r} for {path}, which has another structure")


def _is_entry(tree: Any) -> bool:
    return tree is None or isinstance(tree, (Sharding, PartitionSpec))


def _attributes(tree: Any) -> Mapping[str, Any] | None:
    return state_of(tree) if is_state(tree) and not isinstance(tree, (tuple, list)) else None


def _check(option: str, tree: Any) -> None:
    """TypeError: the tree holds something else."""
    if _is_entry(tree):
        return
    if isinstance(tree, (tuple, list)):
        parts: Any = tree
    elif (parts := tree if isinstance(tree, Mapping) else _attributes(tree)) is not None:
        parts = parts.values()
    if parts is None or isinstance(tree, jax.Array):
        raise TypeError(f"{option} has {tree!r}, which is not {WANTED}")
    for part in parts:
        _check(option, part)


def as_given(
    arguments: Shardings | None,
    results: Shardings | None,
    positional: Sequence[Any],
    keywords: Mapping[str, Any],
    program: Program,
) -> Placed:
    """The shardings of the arguments and results of a program at these signatures."""
    of_arguments = of_results = None
    if arguments is not None:
        if keywords:
            raise ValueError(BY_KEYWORD.format(", ".join(f"`{name}`" for name in keywords)))
        of_arguments = arguments.of_arguments(positional)
    if results is not None:
        of_results = results.of_results(program.recipe, len(program.function.results))
    return Placed(of_arguments, of_results)
