"""From a Python call to an executable and back.

A call is taken apart into a signature and leaves (`infer/signature.py`). Programs are kept by
signature; each also says which globals and closures it has read, and is used only while these have
the signature that they had. Results follow the arguments: `jax.Array`s if one was given, else
writable NumPy arrays and Python numbers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np

from myia.infer.errors import NeedsStatic
from myia.infer.program import Program
from myia.infer.signature import (
    PREDICATES,
    RULES,
    Constant,
    Flattener,
    device_array,
    dynamic_integer,
)
from myia.pipeline import Executable, Options, compiled, typed_program

DYNAMIC_AFTER = 3  # distinct values of an int before it becomes an argument of the program

PREDICATES.insert(0, (lambda x: isinstance(x, jax.Array), device_array))
PREDICATES.insert(1, (lambda x: isinstance(x, jax.ShapeDtypeStruct), device_array))


class _DynamicInt(int):
    """An int that is an argument of the program, not a compile-time value."""


def _dynamic_rule(flat: Flattener, x: _DynamicInt):
    flat.leaves.append(np.int64(x))
    return _DYNAMIC


_DYNAMIC = dynamic_integer()
RULES[_DynamicInt] = _dynamic_rule


@dataclass(frozen=True)
class Call:
    """One call taken apart."""

    key: Any
    positional: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...]
    flat: Flattener
    device: bool
    args: tuple
    kwargs: dict[str, Any]


@dataclass(eq=False)
class Variant:
    """A compiled program for one signature."""

    program: Program
    executable: Executable

    def hidden(self) -> list[Flattener] | None:
        """What the roots hold now, taken apart; None when the program does not fit it."""
        found = []
        for root in self.program.roots:
            flat = Flattener()
            if flat.add(root.read()) != root.signature:
                return None
            found.append(flat)
        return found


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
        self.integers: dict[int, set[int]] = {}  # positional ints: the values seen
        self.dynamic: dict[int, bool] = {}  # positions: may they be arguments of the program?
        self.compiles = 0
        self.lock = threading.RLock()

    # ----- Calls

    def __call__(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        call = self.take_apart(args, kwargs)
        call, variant, hidden = self.find(call)
        leaves = call.flat.leaves
        if hidden:
            leaves = leaves + [leaf for flat in hidden for leaf in flat.leaves]
        results = variant.executable(*leaves)
        return self.put_together(variant, call, hidden, results)

    def take_apart(self, args: tuple, kwargs: dict[str, Any]) -> Call:
        flat = Flattener()
        given = self._with_dynamic(args) if self.dynamic else args
        positional = tuple([flat.add(x) for x in given])
        keywords = tuple([(k, flat.add(x)) for k, x in kwargs.items()])
        key = (positional, keywords) if keywords else positional
        device = _any_device(flat.leaves)
        return Call(key, positional, keywords, flat, device, args, kwargs)

    def _with_dynamic(self, args: tuple) -> tuple:
        args = list(args)
        for i, allowed in self.dynamic.items():
            if allowed and i < len(args) and type(args[i]) is int and -(2**63) <= args[i] < 2**63:
                args[i] = _DynamicInt(args[i])
        return tuple(args)

    def find(self, call: Call) -> tuple[Call, Variant, list[Flattener]]:
        """The program for this call; compiled if there is none."""
        for variant in self.variants.get(call.key, ()):
            hidden = variant.hidden()
            if hidden is not None:
                return call, variant, hidden
        with self.lock:
            return self.compile(call)

    # ----- Compilation

    def compile(self, call: Call) -> tuple[Call, Variant, list[Flattener]]:
        """A new program; an int that keeps changing becomes an argument of it, if it can."""
        changing = self._changing(call)
        if changing:
            self.dynamic.update(dict.fromkeys(changing, True))
            general = self.take_apart(call.args, call.kwargs)
            try:
                return self._compiled(general)
            except NeedsStatic:
                self.dynamic.update(dict.fromkeys(changing, False))
        return self._compiled(call)

    def _changing(self, call: Call) -> list[int]:
        """Positions of ints that have had several values, and might be arguments."""
        found = []
        for i, s in enumerate(call.positional):
            if isinstance(s, Constant) and s.type is int and i not in self.options.static_argnums:
                seen = self.integers.setdefault(i, set())
                seen.add(s.value)
                if len(seen) > DYNAMIC_AFTER and i not in self.dynamic:
                    found.append(i)
        return found

    def program(self, call: Call) -> Program:
        return typed_program(
            self.target, call.positional, dict(call.keywords), self.options.pipeline
        )

    def _compiled(self, call: Call) -> tuple[Call, Variant, list[Flattener]]:
        program = self.program(call)
        donate = _donated(self.options.donate_argnums, call)
        program, executable = compiled(program, donate, self.options.pipeline)
        self.compiles += 1
        variant = Variant(program, executable)
        self.variants.setdefault(call.key, []).append(variant)
        return call, variant, variant.hidden() or []

    # ----- Results

    def put_together(
        self, variant: Variant, call: Call, hidden: list[Flattener], results: Sequence[jax.Array]
    ) -> Any:
        program = variant.program
        if program.checks:
            *results, code = results
            if not call.device or self.options.check:
                raise_failed(program, int(code))
        if call.device:
            numbers = results
            if any(type(x) is np.ndarray for x in call.flat.leaves):
                jax.block_until_ready(results)
        else:
            numbers = [_TO_PYTHON[kind](x) for kind, x in zip(program.kinds, results)]
        objects = call.flat.objects
        if program.updates or program.root_updates:
            write_back(program, numbers, objects, hidden, call)
        return program.recipe(numbers, objects)


def _any_device(leaves: Sequence[Any]) -> bool:
    return any(isinstance(x, jax.Array) for x in leaves)


def _writable(x: jax.Array) -> np.ndarray:
    return np.array(x)


_TO_PYTHON: dict[Any, Callable[[jax.Array], Any]] = {
    "array": _writable,
    "generic": lambda x: np.asarray(x)[()],
    float: lambda x: x.item(),
    int: lambda x: x.item(),
    bool: lambda x: x.item(),
    complex: lambda x: x.item(),
}


def raise_failed(program: Program, code: int) -> None:
    """The exception of the run-time check that failed first, if one did."""
    if code:
        check = program.checks[code - 1]
        raise check.exception(f"{check.message} ({check.span})")


def write_back(
    program: Program,
    numbers: Sequence[Any],
    objects: list[Any],
    hidden: list[Flattener],
    call: Call,
) -> None:
    """Change the caller's objects as the function did."""
    _refuse_overlap(call, hidden)
    for i, recipe in program.updates:
        _assign(objects[i], recipe(numbers, objects))
    for root, i, recipe in program.root_updates:
        _assign(hidden[root].objects[i], recipe(numbers, objects))


def _refuse_overlap(call: Call, hidden: list[Flattener]) -> None:
    arrays = [x for x in call.flat.leaves if type(x) is np.ndarray]
    arrays += [x for flat in hidden for x in flat.leaves if type(x) is np.ndarray]
    for i, a in enumerate(arrays):
        for b in arrays[:i]:
            if a is not b and np.shares_memory(a, b):
                raise ValueError("two arguments share memory and one is written to: pass copies")


def _assign(target: Any, value: Any) -> None:
    """Give an object the contents of another of its kind."""
    if isinstance(target, np.ndarray):
        target[...] = value
    elif isinstance(target, dict):
        target.clear()
        target.update(value)
    elif isinstance(target, list):
        target[:] = value
    else:
        for name in list(vars(target)):
            if name not in vars(value):
                delattr(target, name)
        for name, x in vars(value).items():
            object.__setattr__(target, name, x)


def _donated(argnums: tuple[int, ...], call: Call) -> tuple[int, ...]:
    """The positions of the leaves of the donated arguments."""
    sizes = [_count(s) for s in call.positional]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    return tuple(leaf for i in argnums for leaf in range(starts[i], starts[i + 1]))


def _count(signature: Any) -> int:
    """How many leaves a signature has."""
    if hasattr(signature, "dtype"):
        return 1
    return sum(map(_count, getattr(signature, "parts", ())))
