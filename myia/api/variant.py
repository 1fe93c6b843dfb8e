"""Variants: a compiled program at one signature, how a call runs it, and its Python results.

Results follow the arguments: `jax.Array`s if one was given, arrays of another library if one of its
was, else writable NumPy arrays and Python numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from myia.api.capacities import HeldEffects
from myia.api.failed_checks import ChecksOfAnEntry, FailedChecks
from myia.api.programs.decision_tree import DecisionTree, Found, Hidden, is_lasting
from myia.api.programs.write_back import WriteBack
from myia.infer.boundary.integers import Choice, IntegerSplit
from myia.infer.boundary.recipes import TO_PYTHON, Number, Numbers, shares
from myia.infer.boundary.signature import Flattener, Leaf, leaves_of
from myia.infer.eval.program import Program
from myia.pipeline import (
    Compiled,
    Inlined,
    Packing,
    Runnable,
    Vectors,
    arguments_in_vectors,
    explain,
    results_in_vectors,
    with_vectors,
)

FLOAT64 = np.dtype(np.float64)


BoundCall = Callable[..., Any]  # (leaves, objects = ()) -> result


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

    def donated(self, argnums: tuple[int, ...]) -> tuple[int, ...]:
        """The positions of the leaves of these positional arguments."""
        sizes = [len(list(leaves_of(s))) for s in self.positional]
        for i in argnums:
            if not -len(sizes) <= i < len(sizes):
                passed = f"{len(sizes)} positional argument{'' if len(sizes) == 1 else 's'}"
                raise ValueError(f"donate_argnums={i}: the call has {passed}, and none number {i}")
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        return tuple(leaf for i in argnums for leaf in range(starts[i], starts[i] + sizes[i]))

    @property
    def is_jax(self) -> bool:
        """Is an array of JAX among the arguments? What a function reads does not count."""
        given = (*self.positional[self.programs.functions :], *self.keywords.values())
        return any(leaf.is_jax for s in given for leaf in leaves_of(s, of_functions=False))


class Programs:
    """The programs for calls of one signature, by those of their ints that are not arguments."""

    def __init__(self, key: Any, leaves: Sequence[Any], choose: Choice, functions: int = 0):
        """`leaves`: those of one such call; `choose`: which of its ints are arguments.

        `functions`: how many arguments are functions that the caller does not pass.
        """
        self.key, self.functions = key, functions
        positional, keywords = key
        roots = [*range(len(positional)), *(k for k, _ in keywords)]
        found = (*positional, *(s for _, s in keywords))
        self._split = IntegerSplit([("argument", r) for r in roots], found, leaves, choose)
        self.arguments = self._split.arguments
        self.trees: dict[tuple[int, ...], DecisionTree[Variant]] = {}

    def find(self, flat: Flattener) -> tuple[tuple[int, ...], Found[Variant] | None]:
        """The program of a call, whose flattening keeps only the arguments of the program; and its
        ints that are compile-time values."""
        static = self.split(flat)
        tree = self.trees.get(static)
        return static, None if tree is None else tree.find(flat)

    def resolved(self, static: tuple[int, ...]) -> tuple[Any, ...]:
        """The signatures of arguments with these compile-time values."""
        return self._split.resolved_with(static)

    def split(self, flat: Flattener) -> tuple[int, ...]:
        """The ints that are compile-time values, taken from the leaves of `flat`."""
        return self._split.take(flat) if self._split.integers else ()

    def call(self, flat: Flattener, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        found = self._split.resolved(flat.leaves)
        positional, keywords = found[: len(args)], dict(zip(kwargs, found[len(args) :]))
        return Call(positional, keywords, self.split(flat), flat, args, kwargs, self)


class Layout:
    """Facts about the leaves of a call, from its signatures and those of the program's facts.

    `function` is that of the program, with its scalars in vectors where `packing` lets them be.
    """

    def __init__(
        self, call: Call, program: Program, joins: bool = True, has_shardings: bool = False
    ):
        """`joins`: scalars that travel in a vector may be parts of it in the program, too.
        `has_shardings`: JAX places all arrays, and results are JAX's."""
        given = call.leaves
        hidden = [leaf for fact in program.facts for leaf in leaves_of(fact.answer)]
        self.has_shardings = has_shardings
        self.under_jax = program.reads_tracers or any(leaf.is_tracer for leaf in given)
        self.device = has_shardings or call.is_jax or self.under_jax
        guests = [leaf.guest for leaf in given if leaf.guest is not None]
        wraps = (guest.wrap for guest in guests if guest.wrap is not None and not self.device)
        self.wrap = next(wraps, None)
        # Memory that the caller may change while the program runs: what is hidden is changed, too.
        self.numpy = any(leaf.kind == "array" for leaf in (*given, *hidden))
        avals = [x.aval for x in program.function.args]
        arrays = [i for i, leaf in enumerate(given) if leaf.kind == "array"]
        packed = ((), ()) if has_shardings else (_numbers(given), arrays)
        packing = Packing(
            arguments_in_vectors(avals[: len(given)], *packed),
            arguments_in_vectors(avals[len(given) :], _numbers(hidden)),
            Vectors() if self.device else _results(program),
        )
        self.function, self.packing = program.function, packing
        if joins:
            self.function, self.packing = with_vectors(program.function, packing)


def _numbers(leaves: Sequence[Leaf]) -> list[int]:
    """The positions of float64 scalars of Python or NumPy."""
    kinds = (float, "generic")
    return [i for i, x in enumerate(leaves) if x.kind in kinds and x.dtype == FLOAT64]


def _results(program: Program) -> Vectors:
    """How results for NumPy travel."""
    avals = [x.aval for x in program.function.results]
    numbers = [i for i, kind in enumerate(program.kinds) if isinstance(kind, type)]
    return results_in_vectors(avals, numbers, len(program.kinds) if program.checks else None)


def _conversion(kind: Any, wrap: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """What makes a Python object of a result; `wrap`: arrays are those of another library."""
    convert = TO_PYTHON[kind]
    if wrap is None or kind not in ("array", "generic"):
        return convert
    return lambda x: wrap(convert(x))


class Variant:
    """A program, its executable, and how its results become Python objects."""

    def __init__(
        self,
        program: Program,
        compiled: Compiled,
        layout: Layout,
        failures: FailedChecks | ChecksOfAnEntry,
        write_back: WriteBack | None,
        effects: HeldEffects | None = None,
    ):
        self._effects = effects
        self.anew: Callable[[], Variant] | None = None  # of the cache: compiles it
        self.program, self.layout, self.failures = program, layout, failures
        self.executable, self.plan = compiled.executable, compiled.plan
        self.facts = program.facts
        # Are the numbers in the facts the same until the decision tree is walked again?
        self._lasts = all(is_lasting(fact.answer) for fact in self.facts if fact.values)
        # Leaves of the facts, and a call with them.
        self._last: tuple[Runnable | None, Hidden, BoundCall | None] = (None, [], None)
        self.to_python = [
            (i, _conversion(kind, layout.wrap))
            for i, kind in enumerate(program.kinds)
            if i not in layout.packing.results.numbers and not layout.device
        ]
        # Under a transform of JAX results are no arrays yet.
        self.must_wait = layout.device and layout.numpy and not layout.under_jax
        self.write_back, self._shares = write_back, shares(program.recipe)
        writes = write_back is not None
        self.only_converts = not (program.checks or program.cuts or self.must_wait or writes)
        self.plain = self.only_converts and not self.to_python

    @property
    def has_effects(self) -> bool:
        return self._effects is not None

    def run(
        self,
        leaves: Sequence[Any],
        flat: Flattener,
        hidden: Hidden,
        executable: Runnable | None = None,
    ) -> Any:
        """The result of a call; `executable`: the one compiled ahead of time, if not this one's."""
        return self.bound(hidden, executable)(leaves, flat.objects)

    def bound(self, hidden: Hidden, executable: Runnable | None = None) -> BoundCall:
        """A call with these leaves of the facts, unless it is told of others: a function of its own
        leaves, of the objects, and of those."""
        used = self.executable if executable is None else executable
        by, last, call = self._last
        if call is None or hidden is not last or used is not by:
            call = self._bound(used, hidden)
            self._last = (used, hidden, call)
        return call

    def inlined(self, executable: Runnable | None = None) -> Inlined | None:
        """The same as lines of Python, where a number or an array is all that there is to return.

        They take the leaves of the facts as `prepared` returns them.
        """
        only = isinstance(self.program.recipe, Number) and len(self.program.kinds) == 1
        if not (only and self.only_converts):
            return None
        used = self.executable if executable is None else executable
        numpys = self.program.kinds == ("array",) and self.layout.wrap is None
        copied = self.program.function.results[0].aval if numpys else None
        if not self.to_python:
            return used.inlined(None)
        return used.inlined(self.to_python[0][1], copied)

    def prepared(self, hidden: Hidden, executable: Runnable | None = None) -> Sequence[Any]:
        """The leaves of the facts, as an executable takes them."""
        used = self.executable if executable is None else executable
        return used.hidden([x for xs in hidden for x in xs], keep=self._lasts)

    def _bound(self, executable: Runnable, hidden: Hidden) -> BoundCall:
        recipe, write_back, plain = self.program.recipe, self.write_back, self.plain
        call = executable.bound(self.prepared(hidden, executable))

        def run(
            leaves: Sequence[Any], objects: Sequence[Any] = (), late: Hidden | None = None
        ) -> Any:
            if plain:
                return recipe(call(leaves, late), objects)
            found = hidden if late is None else late
            if write_back is not None:
                write_back.check(leaves, objects, found)
            return self._finished(call(leaves, late), leaves, objects, found)

        if (effects := self._effects) is None:
            return run

        def run_with_effects(leaves: Sequence[Any], objects: Sequence[Any] = ()) -> Any:
            with effects:
                return run(leaves, objects)

        return run_with_effects

    def _finished(
        self,
        results: Sequence[Any],
        leaves: Sequence[Any],
        objects: Sequence[Any],
        hidden: Hidden,
    ) -> Any:
        """The Python result made of the arrays that an executable returned."""
        try:
            if self.program.checks:
                *results, code = results
                if code := int(np.asarray(code)):
                    given = [*leaves, *(x for h in hidden for x in h)]
                    raise self.failures.error(code, given, results)
            if self.must_wait:
                for x in results:
                    x.block_until_ready()
            if self.to_python:
                results = list(results)
                for i, convert in self.to_python:
                    results[i] = convert(results[i])
            if self.program.cuts:
                results = list(results)
                for cut in self.program.cuts:
                    cut.apply(results)
                    if (wrap := self.layout.wrap) is not None:
                        results[cut.index] = wrap(results[cut.index])
        except jax.errors.JaxRuntimeError as error:  # of a run that has not ended before
            explain(error)
            raise
        if self._effects is not None:
            self._effects.make()
        if self._shares:
            results = Numbers(results)
        if self.write_back is not None:
            self.write_back.apply(results, objects, leaves, hidden)
        return self.program.recipe(results, objects)
