"""Compiled functions run by the reference interpreter, after any stage of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from myia.api.programs.decision_tree import DecisionTree, Found, Hidden
from myia.api.transformed import Transformed
from myia.backends.reference.interpreter import evaluate
from myia.infer.boundary.arguments import Fact
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import Program
from myia.ir.core import Function
from myia.pipeline import Compilation, Options, typed_program
from tests.program_results import finish


@dataclass(frozen=True)
class Variant:
    """A program at one signature; `stages` are its functions, the last one is run."""

    program: Program
    stages: list[Function]

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self.program.facts


class ReferenceCalls:
    """`transformed` as a function that needs no XLA, compiled once for each signature."""

    def __init__(self, transformed: Transformed, stage: str = "finish", disable: str | None = None):
        self.target = transformed.target()
        self.stage = stage
        self.options = Options(frozenset([disable] if disable else ()), verify=True)
        self.variants: dict[Any, DecisionTree[Variant]] = {}
        self.found: list[Variant] = []

    def __call__(self, *args):
        flat = Flattener()
        key = tuple(map(flat.add, args))
        variant, hidden = self.find(key, flat)
        return call(variant.program, variant.stages[-1], flat, hidden)

    def find(self, key: Sequence[Any], flat: Flattener) -> Found[Variant]:
        tree = self.variants.setdefault(key, DecisionTree())
        if (found := tree.find(flat)) is not None:
            return found
        program = typed_program(self.target, key, {}, self.options, flat)
        functions = [program.function]
        for now in Compilation(program.function, self.options).stages():
            functions.append(now.function)
            if now.stage == self.stage:
                break
        variant = Variant(program, functions)
        self.found.append(variant)
        tree.add(variant)
        return tree.find(flat)

    def functions(self) -> list[Function]:
        """The programs of all stages at all signatures met."""
        return [f for variant in self.found for f in variant.stages]


def call(program: Program, function: Function, flat: Flattener, hidden: Hidden) -> Any:
    """What a call returns when the reference interpreter runs `function`, a stage of `program`.

    `flat`: the arguments; `hidden`: the globals and closures that the program reads. Objects that
    the program changes are changed.
    """
    leaves = [leaf for some in (flat.leaves, *hidden) for leaf in some]
    return finish(program, evaluate(function, leaves), flat)
