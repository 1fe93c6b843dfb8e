"""Variants: a compiled program at one signature, how a call runs it, and its Python results.

Results follow the arguments: `jax.Array`s if one was given, else writable NumPy arrays and Python
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from myia.api.failed_checks import FailedChecks
from myia.api.programs.decision_tree import DecisionTree, Found, Hidden, is_lasting
from myia.api.programs.write_back import WriteBack
from myia.infer.boundary.integers import Choice, IntegerSplit
from myia.infer.boundary.results import TO_PYTHON
from myia.infer.boundary.signature import Flattener, Leaf, leaves_of
from myia.infer.eval.program import Program
from myia.pipeline import Compiled, Packing, explain

FLOAT64 = np.dtype(np.float64)


class Call(NamedTuple):
    """One call, flattened; `integers`: those of its ints that are compile-time values.

    `positional` and `keywords` are the signatures of its arguments.
    """

    positional: tuple[Any, ...]
    keywords: dict[str, Any]
    integers: tuple[int, ...]
    flat: Flattener
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    programs: Programs

    @property
    def leaves(self) -> list[Leaf]:
        return [x for s in (*self.positional, *self.keywords.values()) for x in leaves_of(s)]

    @property
    def is_jax(self) -> bool:
        """Is an array of JAX among the arguments? What a function reads does not count."""
        given = (*self.positional, *self.keywords.values())
        return any(leaf.is_jax for s in given for leaf in leaves_of(s, of_functions=False))


class Programs:
    """The programs for calls of one signature, by those of their ints that are not arguments."""

    def __init__(self, key: Any, leaves: Sequence[Any], choose: Choice):
        """`leaves`: those of one such call; `choose`: which of its ints are arguments."""
        self.key = key
        positional, keywords = key
        roots = [*range(len(positional)), *(k for k, _ in keywords)]
        found = (*positional, *(s for _, s in keywords))
        self._split = IntegerSplit([("argument", r) for r in roots], found, leaves, choose)
        self.arguments = self._split.arguments
        self.trees: dict[tuple[int, ...], DecisionTree[Variant]] = {}

    def find(self, flat: Flattener) -> Found[Variant] | None:
        """The program of a call, whose flattening keeps only the arguments of the program."""
        split = self._split
        tree = self.trees.get(split.take(flat) if split.integers else ())
        return None if tree is None else tree.find(flat)

    def split(self, flat: Flattener) -> tuple[int, ...]:
        """The ints that are compile-time values, taken from the leaves of `flat`."""
        return self._split.take(flat) if self._split.integers else ()

    def call(self, flat: Flattener, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        found = self._split.resolved(flat.leaves)
        positional, keywords = found[: len(args)], dict(zip(kwargs, found[len(args) :]))
        return Call(positional, keywords, self.split(flat), flat, args, kwargs, self)


class Layout:
    """Facts about the leaves of a call, from its signatures and those of the program's facts."""

    def __init__(self, call: Call, program: Program):
        given = call.leaves
        hidden = [leaf for fact in program.facts for leaf in leaves_of(fact.answer)]
        self.device = call.is_jax
        kinds = {leaf.kind for leaf in (*given, *hidden)}
        self.traced, self.transformed = "traced" in kinds, "transformed" in kinds
        self.numpy = any(leaf.kind == "array" for leaf in given)
        floats = [i for i, kind in enumerate(program.kinds) if kind is float]
        self.packing = Packing.of(
            len(given), _numbers(given), _numbers(hidden), [] if self.device else floats
        )


def _numbers(leaves: Sequence[Leaf]) -> list[int]:
    """The positions of float64 scalars of Python or NumPy."""
    kinds = (float, "generic")
    return [i for i, x in enumerate(leaves) if x.kind in kinds and x.dtype == FLOAT64]


class Variant:
    """A program, its executable, and how its results become Python objects."""

    def __init__(
        self,
        program: Program,
        compiled: Compiled,
        layout: Layout,
        failures: FailedChecks,
        write_back: WriteBack | None,
    ):
        self.program, self.layout, self.failures = program, layout, failures
        self.executable, self.plan = compiled.executable, compiled.plan
        self.facts = program.facts
        # Are the numbers in the facts the same until the decision tree is walked again?
        self._lasts = all(is_lasting(fact.answer) for fact in self.facts if fact.values)
        # The leaves of the facts, and the arguments made of them.
        self._prepared: tuple[Hidden, Sequence[Any]] = ([], ())
        self.to_python = [
            (i, TO_PYTHON[kind])
            for i, kind in enumerate(program.kinds)
            if i not in layout.packing.results.positions and not layout.device
        ]
        self.must_wait = layout.device and layout.numpy
        self.write_back = write_back
        writes = write_back is not None
        self.plain = not (program.checks or self.must_wait or self.to_python or writes)

    def prepared(self, hidden: Hidden) -> Sequence[Any]:
        """The leaves of the facts as arguments of the executable."""
        last, prepared = self._prepared
        if hidden is not last:
            leaves = [leaf for leaves in hidden for leaf in leaves]
            prepared = self.executable.hidden(leaves, keep=self._lasts)
            self._prepared = (hidden, prepared)
        return prepared

    def run(self, executable: Any, leaves: Sequence[Any], flat: Flattener, hidden: Hidden) -> Any:
        """The result of a call; `executable`: this variant's, or the one compiled ahead of time."""
        if self.write_back is not None:
            self.write_back.check(flat, hidden)
        results = executable.run(leaves, self.prepared(hidden))
        return self.finish(results, leaves, flat, hidden)

    def finish(
        self,
        results: Sequence[Any],
        leaves: Sequence[Any],
        flat: Flattener,
        hidden: Hidden,
    ) -> Any:
        """The Python result made of the arrays that an executable returned."""
        program = self.program
        if self.plain:
            return program.recipe(results, flat.objects)
        try:
            return self._finished(results, leaves, flat, hidden)
        except jax.errors.JaxRuntimeError as error:  # of a run that has not ended before
            explain(error)
            raise

    def _finished(
        self, results: Sequence[Any], leaves: Sequence[Any], flat: Flattener, hidden: Hidden
    ) -> Any:
        program = self.program
        if program.checks:
            *results, code = results
            if code := int(code):
                raise self.failures.error(code, [*leaves, *(x for h in hidden for x in h)])
        if self.must_wait:
            jax.block_until_ready(results)
        if self.to_python:
            results = list(results)
            for i, convert in self.to_python:
                results[i] = convert(results[i])
        if self.write_back is not None:
            self.write_back.apply(results, flat)
        return program.recipe(results, flat.objects)
