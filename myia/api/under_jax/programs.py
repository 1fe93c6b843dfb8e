"""Programs as JAX's transforms see them: a program, its derivatives, and batches of these.

    f: (x, y) -> z       Linear(f, wrt=(0,), of=(0,))                  (x, y, tx) -> tz
                         Linear(f, wrt=(0,), of=(0,), reverse=True)    (x, y, cz) -> cx
                         f.with_gradient(wrt=(0,), of=0)               (x, y) -> z, cx of cz = 1
                         f.forward(wrt=(0,), of=(0,))                  (x, y) -> z, *residuals

Each is a typed program again, with a `derivative` op or a loop over examples, so that it is
compiled, differentiated and batched as any other, to every order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import jax
import numpy as np

from myia.api.under_jax.residuals import cut
from myia.ir import builder as ir
from myia.ir.avals import I64
from myia.ir.core import Function, Region, Value, walk
from myia.ir.rewrite import clone_region, inline, without_effects
from myia.pipeline import Executable, Options, compiled
from myia.primitives.arrays.rows import read_row, rows_aval, write_row
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import emit_loop
from myia.primitives.core.host_calls import has_recorded_call
from myia.primitives.core.platforms import ANY
from myia.primitives.core.structured import EXAMPLE, Loop, custom_p, derivative_p

CALLS_PYTHON = (
    "{0} calls Python (`myia.host`), which a derivative by JAX would do again: use `myia.grad`, "
    "also inside of `jax.jit`"
)
MOST_DERIVATIVES = 2  # by JAX of a program with derivative rules, which inference has found
TOO_MANY = (
    "{0} has a derivative rule, and JAX takes a third derivative of it: take the inner ones by "
    "`myia.grad` and its relatives"
)


@dataclass(eq=False, repr=False)
class Program:
    """A typed program, compiled where it is run. JAX compares programs by identity."""

    function: Function
    options: Options
    order: int = 0  # of the derivative that it is
    origin: Program | None = None  # of a forward sweep: the program without residuals
    _made: dict[Any, Program] = field(default_factory=dict)
    _cuts: dict[Any, tuple[Function, Function]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.function.name

    @cached_property
    def alone(self) -> Executable:
        """The program as JAX runs it by itself."""
        return compiled(self.function, options=self.options).executable

    @cached_property
    def nested(self) -> Executable:
        """The program as a part of what JAX compiles, for any platform."""
        options = replace(self.options, under_a_trace=True, platform=ANY)
        return compiled(self.function, options=options).executable

    @cached_property
    def effects(self) -> frozenset[Any]:
        """JAX's names of what it does beside giving results."""
        if not any(op.primitive.effect for op in walk(self.function.region)):
            return frozenset()
        with jax.enable_x64(True):
            found = jax.make_jaxpr(lambda *xs: self.nested(*xs))(*self.nested.shapes)
        return frozenset(found.effects)

    def made(self, key: Any, make: Callable[[], Function], order: int = 0) -> Program:
        """One made of this, the same for the same key."""
        if key not in self._made:
            self._made.setdefault(key, Program(make(), self.options, order or self.order))
        return self._made[key]

    def batched(self, size: int, mapped: tuple[bool, ...]) -> Program:
        """The program for so many examples, along the first axis of the results and of those
        arguments that are `mapped`."""
        found = self.made((size, mapped), lambda: _batched(self.function, size, mapped))
        if self.origin is not None:
            found.origin = self.origin.batched(size, mapped)
        return found

    def forward(self, wrt: tuple[int, ...], of: tuple[int, ...]) -> Program:
        """Its results, then what its pullback reads."""
        found = self.derivative(("forward", wrt, of), lambda: self._cut(wrt, of)[0])
        found.origin = self
        return found

    def pullback(self, wrt: tuple[int, ...], of: tuple[int, ...]) -> Program:
        """The pullback, of the arguments, the residuals and cotangents of the results."""
        return self.derivative(("pullback", wrt, of), lambda: self._cut(wrt, of)[1])

    def _cut(self, wrt: tuple[int, ...], of: tuple[int, ...]) -> tuple[Function, Function]:
        if (wrt, of) not in self._cuts:
            self._cuts.setdefault((wrt, of), cut(self.function, wrt, of, self.options))
        return self._cuts[wrt, of]

    def only(self, results: tuple[int, ...]) -> Program:
        """The program without its other results."""
        return self.made(("only", results), lambda: _only(self.function, results))

    def derivative(self, key: Any, make: Callable[[], Function]) -> Program:
        """`made`, one derivative further. TypeError: it cannot be had."""
        if any(map(has_recorded_call, self.function.region.ops)):
            raise TypeError(CALLS_PYTHON.format(f"`{self}`"))
        order = self.order + 1
        if order > MOST_DERIVATIVES and any(
            op.primitive is custom_p for op in walk(self.function.region)
        ):
            raise TypeError(TOO_MANY.format(f"`{self}`"))
        return self.made(key, make, order)

    def with_gradient(self, wrt: tuple[int, ...], of: int) -> Program:
        """Its results, then the gradient of the scalar `of`: one forward sweep for both."""
        return self.derivative((wrt, of), lambda: _with_gradient(self.function, wrt, of))


@dataclass(frozen=True)
class Linear:
    """The derivative of a program at some arguments, a linear map: from the tangents of its
    arguments `wrt` to those of its results `of`; `reverse`: from the cotangents of these results to
    those of these arguments.

    `axes`: the batches of it, the innermost first: their sizes, and which arguments have the axis.
    Inputs and outputs of the map have all of them.

    `residuals`: how many a forward sweep has left for its transpose. They follow the arguments.
    `kept`: the outputs that are left; None: all.
    """

    of_program: Program
    wrt: tuple[int, ...]
    of: tuple[int, ...]
    reverse: bool = False
    axes: tuple[tuple[int, tuple[bool, ...]], ...] = ()
    residuals: int = 0
    kept: tuple[int, ...] | None = None

    @property
    def arguments(self) -> int:
        """How many arguments the program has."""
        return len(self.of_program.function.args)

    @property
    def given(self) -> int:
        """How many arrays come before the inputs of the map."""
        return self.arguments + self.residuals

    @property
    def program(self) -> Program:
        """The map as a program of what it reads of the arrays that come before its inputs, and of
        these."""
        if self.residuals and not self.reverse:
            return self.alone.program
        f = self.of_program
        if self.residuals:
            found = f.pullback(self.wrt, self.of)
            found = found if self.kept is None else found.only(self.kept)
        else:
            make = _cotangents if self.reverse else _tangents
            key = self.wrt, self.of, self.reverse
            found = f.derivative(key, lambda: make(f.function, self.wrt, self.of))
        inputs = len(found.function.args) - self.given
        for size, mapped in self.axes:
            found = found.batched(size, (*mapped, *[True] * inputs))
        return found

    def read(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """What the program is given of the arguments, the residuals and the inputs."""
        if self.residuals and not self.reverse:
            return [*arrays[: self.arguments], *arrays[self.given :]]
        return arrays

    @property
    def operands(self) -> Sequence[Value]:
        """Values with the dtypes of the arguments, the residuals and the inputs."""
        own = self.program.function.args
        if self.residuals and not self.reverse:
            pullback = self.of_program.pullback(self.wrt, self.of).function.args
            return [*pullback[: self.given], *own[self.arguments :]]
        return own

    @property
    def alone(self) -> Linear:
        """The map without residuals, of the arguments."""
        axes = tuple((size, mapped[: self.arguments]) for size, mapped in self.axes)
        found = replace(self, axes=axes, residuals=0, kept=None)
        return found if self.kept is None else found.only(self.kept)

    def batched(self, size: int, mapped: tuple[bool, ...]) -> Linear:
        return replace(self, axes=(*self.axes, (size, mapped)))

    def only(self, outputs: tuple[int, ...]) -> Linear:
        """The map without its other outputs."""
        if self.residuals:
            kept = outputs if self.kept is None else tuple(self.kept[i] for i in outputs)
            return replace(self, kept=kept)
        if self.reverse:
            return replace(self, wrt=tuple(self.wrt[i] for i in outputs))
        return replace(self, of=tuple(self.of[i] for i in outputs))

    def transposed(self, inputs: Sequence[int], outputs: Sequence[int]) -> Linear:
        """The transpose, as to these inputs and outputs of this map. With its residuals, where it
        is that of all."""
        by_wrt, by_of = (outputs, inputs) if self.reverse else (inputs, outputs)
        whole = len(by_wrt) == len(self.wrt) and len(by_of) == len(self.of)
        if self.residuals and not (whole and self.kept is None):
            return self.alone.transposed(inputs, outputs)
        wrt = tuple(self.wrt[i] for i in by_wrt)
        of = tuple(self.of[i] for i in by_of)
        return replace(self, wrt=wrt, of=of, reverse=not self.reverse)


def _tangents(f: Function, wrt: tuple[int, ...], of: tuple[int, ...]) -> Function:
    """`(*args, *tangents of the args wrt) -> tangents of the results of`"""
    return _derivative(f, "jvp", wrt, of, [f.args[i] for i in wrt])


def _cotangents(f: Function, wrt: tuple[int, ...], of: tuple[int, ...]) -> Function:
    """`(*args, *cotangents of the results of) -> cotangents of the args wrt`"""
    return _derivative(f, "vjp", wrt, of, [f.results[i] for i in of])


def _only(f: Function, results: tuple[int, ...]) -> Function:
    yields = tuple(f.results[i] for i in results)
    return f.with_region(Region(f.args, f.region.ops, yields))


def _with_gradient(f: Function, wrt: tuple[int, ...], of: int) -> Function:
    """`(*args) -> *results, cotangents of the args wrt`"""

    def body(*xs: Value) -> Sequence[Value]:
        seed = constant(1, f.results[of].dtype)
        region = clone_region(f.region)
        operands = (*xs, seed)
        return ir.emit(derivative_p, *operands, regions=[region], mode="vjp", wrt=wrt, of=(of,))

    region = ir.build_region([x.aval for x in f.args], body, [x.name for x in f.args])
    return Function(f"{f.name}_with_gradient", region, f.span)


def _derivative(
    f: Function, mode: str, wrt: tuple[int, ...], of: tuple[int, ...], seeds: Sequence[Value]
) -> Function:
    inner = without_effects(f.region)  # what it prints the program itself has printed

    def body(*xs: Value) -> Sequence[Value]:
        found = ir.emit(derivative_p, *xs, regions=[inner], mode=mode, wrt=wrt, of=of)
        return found[len(inner.yields) :]

    given = [*f.args, *seeds]
    region = ir.build_region([x.aval for x in given], body, [x.name for x in f.args])
    return Function(f"{f.name}_{mode}", region, f.span)


def _batched(f: Function, size: int, mapped: Sequence[bool]) -> Function:
    """A loop over the examples, whose iterations are independent."""
    avals = [rows_aval(x.aval, size) if rows else x.aval for x, rows in zip(f.args, mapped)]
    init_avals = [rows_aval(y.aval, size) for y in f.results]

    def body(*xs: Value) -> Sequence[Value]:
        init = tuple(map(zeros, init_avals))
        if size == 0:
            return init

        def example(k: Value, *carried: Value) -> list[Value]:
            given = [read_row(x, k) if rows else x for x, rows in zip(xs, mapped)]
            found = inline(f.region, given)
            return [write_row(rows, y, k) for rows, y in zip(carried, found)]

        region = ir.build_region([I64, *init_avals], example, [EXAMPLE])
        return emit_loop(Loop(constant(size, np.int64), init, None, region, size))

    region = ir.build_region(avals, body, [x.name for x in f.args])
    return Function(f.name, region, f.span)
