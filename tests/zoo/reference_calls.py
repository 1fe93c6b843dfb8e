"""Compiled functions run by the reference interpreter, after any stage of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from myia.api.transforms import Transformed
from myia.backends.reference.interpreter import evaluate
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import Program
from myia.ir.core import Function
from myia.pipeline import Options, stages, typed_program


@dataclass(frozen=True)
class Variant:
    """A program at one signature; `stages` are its functions, the last one is run."""

    program: Program
    stages: list[Function]

    def hidden(self) -> list[Flattener] | None:
        """The globals and closures it reads; None when they are no longer like those it is for."""
        found = [Flattener() for _ in self.program.roots]
        fits = [f.add(root.read()) == root.signature for f, root in zip(found, self.program.roots)]
        return found if all(fits) else None


class ReferenceCalls:
    """`transformed` as a function that needs no XLA, compiled once for each signature."""

    def __init__(self, transformed: Transformed, stage: str = "finish", disable: str | None = None):
        self.target = transformed.target()
        self.stage = stage
        self.options = Options(frozenset([disable] if disable else ()), verify=True)
        self.variants: dict[Any, list[Variant]] = {}

    def __call__(self, *args):
        flat = Flattener()
        key = tuple(map(flat.add, args))
        variant, hidden = self.find(key)
        return call(variant.program, variant.stages[-1], flat, hidden)

    def find(self, key: Sequence[Any]) -> tuple[Variant, list[Flattener]]:
        for variant in self.variants.get(key, ()):
            hidden = variant.hidden()
            if hidden is not None:
                return variant, hidden
        program = typed_program(self.target, key, {}, self.options)
        functions = [program.function]
        for name, function in stages(program.function, self.options):
            functions.append(function)
            if name == self.stage:
                break
        variant = Variant(program, functions)
        self.variants.setdefault(key, []).append(variant)
        return variant, variant.hidden()

    def functions(self) -> list[Function]:
        """The programs of all stages at all signatures met."""
        return [f for found in self.variants.values() for v in found for f in v.stages]


def call(program: Program, function: Function, flat: Flattener, hidden: list[Flattener]) -> Any:
    """What a call returns when the reference interpreter runs `function`, a stage of `program`.

    `flat`: the arguments; `hidden`: the globals and closures that the program reads. Objects that
    the program changes are changed.
    """
    leaves = [leaf for f in (flat, *hidden) for leaf in f.leaves]
    results = evaluate(function, leaves)
    if program.checks and (code := results.pop()):
        check = program.checks[code - 1]
        raise check.exception(check.message)
    numbers = [_python(kind, x) for kind, x in zip(program.kinds, results, strict=True)]
    for i, recipe in program.updates:
        _assign(flat.objects[i], recipe(numbers, flat.objects))
    for root, i, recipe in program.root_updates:
        _assign(hidden[root].objects[i], recipe(numbers, flat.objects))
    return program.recipe(numbers, flat.objects)


def _python(kind: Any, x: np.ndarray | np.generic) -> Any:
    """A result as Python has it; `kind` is a type of Python's numbers, "generic" or "array"."""
    if kind in ("array", "generic"):
        return np.array(x) if kind == "array" else x
    return kind(x)


def _assign(target: Any, value: Any) -> None:
    """Give an argument the contents that the program left it with."""
    if isinstance(target, np.ndarray):
        target[...] = value
    elif isinstance(target, list):
        target[:] = value
    elif isinstance(target, dict):
        target.clear()
        target.update(value)
    else:
        vars(target).clear()
        vars(target).update(vars(value))
