"""Dispatch: from a Python call to the executable for its signature.

A call is flattened into a signature and leaves (`infer/boundary/signature.py`). Programs are cached
by signature. A program also records which globals and closures it reads. It is used only while
their signatures are the same.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from myia.api.failed_checks import FailedChecks
from myia.api.variant import Call, Key, Layout, Variant
from myia.infer.boundary.signature import (
    RULES,
    Constant,
    Flattener,
    Leaf,
    dynamic_integer,
    leaves_of,
)
from myia.infer.eval.program import Program
from myia.pipeline import (
    Options,
    OtherAvals,
    Plan,
    Report,
    compiled,
    planned,
    typed_program,
)
from myia.source.diagnostics import MyiaError
from myia.source.process import Lock

DYNAMIC_AFTER = 3  # distinct values of an int before it becomes an argument of the program
ATTEMPTS = 8  # programs compiled for one call, if other threads change the globals that it reads


ArgumentKey = int | str  # the position of an argument, or its keyword


class _DynamicInt(int):
    """An int that is an argument of the program, not a compile-time value."""


def _dynamic_rule(flat: Flattener, x: _DynamicInt):
    flat.leaves.append(np.int64(x))
    return _DYNAMIC


_DYNAMIC = dynamic_integer()
RULES[_DynamicInt] = _dynamic_rule


@dataclass(frozen=True)
class CompileOptions:
    """The options of `jit`, `grad` and the other entries of the API."""

    donate_argnums: tuple[int, ...] = ()
    static_argnums: tuple[int, ...] = ()
    check: bool = False
    pipeline: Options = field(default_factory=Options)


class Dispatcher:
    """The programs of one callable. `target` is what the inferer calls."""

    def __init__(self, target: Any, options: CompileOptions):
        self.target, self.options = target, options
        self.variants: dict[Any, list[Variant]] = {}
        self.by_types: dict[
            tuple[type, ...], Sequence[Variant]
        ] = {}  # where types tell the signature
        self.integers: dict[ArgumentKey, set[int]] = {}  # the values of int arguments so far
        self.dynamic: dict[ArgumentKey, bool] = {}  # may such an int be a run-time argument?
        self.compiles = 0
        self.lock = Lock()

    # ----- Calls

    def run(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The result of a call."""
        # The fast path does not flatten. JAX's look-up finds out whether the avals fit
        # (`OtherAvals`).
        variants = self.by_types.get(tuple(map(type, args)), ()) if not kwargs else ()
        try:
            for variant in variants:
                hidden = variant.hidden()
                if hidden is not None:
                    return variant.run_leaves(args, hidden)
        except OtherAvals:  # the same types with several shapes: look up by signature
            # For good: `_compiled` adds only types that are not there yet.
            self.by_types[tuple(map(type, args))] = ()
        flat = Flattener()
        key = signatures(flat, args, kwargs, self.dynamic)
        for variant in self.variants.get(key, ()):
            hidden = variant.hidden()
            if hidden is not None:
                return variant.run(variant.executable, flat, hidden)
        call = Call(key, flat, args, kwargs)
        for _ in range(ATTEMPTS):
            call, variant = self.compile(call)
            hidden = variant.hidden()
            if hidden is not None:
                return variant.run(variant.executable, call.flat, hidden)
        raise RuntimeError("globals that the program reads change type while it is compiled")

    def find(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Call, Variant]:
        """The program of a call, which is not run."""
        call = self.flatten(args, kwargs)
        variant = self._cached_variant(call)
        return self.compile(call) if variant is None else (call, variant)

    def _cached_variant(self, call: Call) -> Variant | None:
        variants = self.variants.get(call.key, ())
        return next((v for v in variants if v.hidden() is not None), None)

    def flatten(self, args: tuple, kwargs: dict[str, Any]) -> Call:
        return self._flatten(args, kwargs, self.dynamic)

    def _flatten(self, args: tuple, kwargs: dict[str, Any], dynamic: dict) -> Call:
        flat = Flattener()
        return Call(signatures(flat, args, kwargs, dynamic), flat, args, kwargs)

    # ----- Compilation

    def compile(self, call: Call) -> tuple[Call, Variant]:
        """A new program; an int that keeps changing becomes a run-time argument, if possible."""
        with self.lock:
            # Another thread may have compiled it meanwhile, or made its int an argument.
            call = self.flatten(call.args, call.kwargs)
            if (variant := self._cached_variant(call)) is not None:
                return call, variant
            changing = self._changing(call)
            if not changing:
                return call, self._compiled(call)
            # A new dict, not a changed one: calls in other threads read it without the lock. They
            # see it when the program is there, or known to be impossible.
            allowed = self.dynamic
            general_ints = allowed | dict.fromkeys(changing, True)
            general = self._flatten(call.args, call.kwargs, general_ints)
            try:
                found = self._compiled(general)
            except MyiaError:  # the program needs the number at compile time
                self.dynamic = allowed | dict.fromkeys(changing, False)
                return call, self._compiled(call)
            self.dynamic = general_ints
            return general, found

    def _changing(self, call: Call) -> list[ArgumentKey]:
        """Int arguments that have had several values, and may become run-time arguments."""
        found = []
        for i, s in (*enumerate(call.positional), *call.keywords.items()):
            if isinstance(s, Constant) and s.type is int and i not in self.options.static_argnums:
                seen = self.integers.setdefault(i, set())
                seen.add(s.value)
                if len(seen) > DYNAMIC_AFTER and i not in self.dynamic:
                    found.append(i)
        return found

    def program(self, call: Call) -> Program:
        program = typed_program(self.target, call.positional, call.keywords, self.options.pipeline)
        return program if self.options.check or not call.is_jax else program.unchecked()

    def _reporting(self, key: Key, report: Report) -> Program:
        """The program of a call, which reports the run-time values of one of its checks."""
        positional, keywords = key
        options = self.options.pipeline
        return typed_program(self.target, positional, dict(keywords), options, report)

    def plan(self, call: Call) -> Plan:
        """The storage plan of the program of a call."""
        variant = self._cached_variant(call)
        if variant is None and self.options.pipeline.memory is None:
            return planned(self.program(call).function, self.options.pipeline)
        return (variant or self.compile(call)[1]).plan  # a budget needs XLA's figures

    def _donated(self, call: Call) -> tuple[int, ...]:
        return _donated(self.options.donate_argnums, call)

    def _compiled(self, call: Call) -> Variant:
        program = self.program(call)
        layout = Layout(call, program)
        donate = self._donated(call)
        options = replace(self.options.pipeline, under_a_trace=layout.traced)
        found = compiled(program.function, donate, layout.packing, options)
        self.compiles += 1
        failures = FailedChecks(program, functools.partial(self._reporting, call.key), bool(donate))
        variant = Variant(program, found, layout, failures)
        variants = self.variants.setdefault(call.key, [])
        variants.append(variant)
        if not call.kwargs and all(map(_is_told_by_type, call.positional)):
            self.by_types.setdefault(tuple(map(type, call.args)), variants)
        return variant


def signatures(flat: Flattener, args: tuple, kwargs: dict[str, Any], dynamic: dict) -> Any:
    """The key of a call; its leaves and objects go to `flat`."""
    if dynamic:
        args = tuple([_as_argument(x) if dynamic.get(i) else x for i, x in enumerate(args)])
        kwargs = {k: _as_argument(x) if dynamic.get(k) else x for k, x in kwargs.items()}
    positional = tuple(map(flat.add, args))
    keywords = tuple([(k, flat.add(x)) for k, x in kwargs.items()]) if kwargs else ()
    return positional, keywords


def _is_told_by_type(signature: Any) -> bool:
    """Does the type of an argument tell its signature, apart from the aval, which JAX checks?"""
    return isinstance(signature, Leaf) and signature.kind in (float, complex, "generic", "device")


def _as_argument(x: Any) -> Any:
    """An int of 64 bits as an argument of the program; anything else as it is."""
    return _DynamicInt(x) if type(x) is int and -(2**63) <= x < 2**63 else x


def _donated(argnums: tuple[int, ...], call: Call) -> tuple[int, ...]:
    """The positions of the leaves of the donated arguments."""
    sizes = [len(list(leaves_of(s))) for s in call.positional]
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return tuple(leaf for i in argnums for leaf in range(starts[i], starts[i] + sizes[i]))
