"""The lowering state of one function: its variables, and the regions under construction.

A plain local variable is an SSA value in `values`; a name that is absent is unbound. A variable
shared with inner functions is a cell. `branch` and `loop` build regions and merge the variables
that these assign.

    if c: x = 1      ->      x.1 = if c { yield 1 } else { yield x }
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast

from myia.frontend import errors
from myia.frontend.core import COMPREHENSIONS, Loop, is_generated, user_name
from myia.frontend.liveness import Liveness
from myia.frontend.scopes import Scope
from myia.frontend.spans import Spans
from myia.ir.avals import PY
from myia.ir.builder import build_region, emit, emit1
from myia.ir.core import Region, Value
from myia.ir.primitive import Primitive
from myia.primitives.core import emit_structured, py
from myia.primitives.core import structured as s
from myia.source.diagnostics import InternalError, MyiaError

# Before Python 3.12 all comprehensions were functions.
FUNCTIONS_OF_PYTHON = gast.GeneratorExp if sys.version_info >= (3, 12) else COMPREHENSIONS


@dataclass(eq=False)
class Frame:
    scope: Scope
    spans: Spans
    namespace: py.Namespace
    maybe_unbound: frozenset[gast.Name]  # reads of names that may be unbound
    user_liveness: Liveness  # of the user's program, with its jumps: more precise at loops
    core_liveness: Liveness  # of the desugared program
    lower_function: Callable[[Frame, gast.AST], Value]
    shared: frozenset[str]  # plain names that the parts of a `try` share: they are in cells, too
    values: dict[str, Value] = field(default_factory=dict)
    cells: dict[str, Value] = field(default_factory=dict)
    # The variables of a comprehension that is a function in Python, while it is lowered: to it
    # those of the function around are free.
    own: frozenset[str] | None = None

    # ----- Variables

    def read(self, node: gast.Name) -> Value:
        """The value of the variable `node`; a run-time error if it is unbound."""
        kind, name = self.scope.kind(node.id), user_name(node.id)
        captured = {"captured": True} if self.is_free(node) else {}
        if node.id in self.shared:
            bound = node not in self.maybe_unbound
            value = emit1(py.load_cell, self.cells[node.id], name=name, bound=bound, **captured)
            value.name = name
            return value
        if kind in ("cell", "captured"):
            return emit1(py.load_cell, self.cells[node.id], name=name, **captured)
        if kind == "free":
            return emit1(py.free, name=name)
        if kind == "global":
            return emit1(py.global_, name=name)
        if node in self.maybe_unbound:
            value = emit1(py.defined, self.current(node.id), name=name, **captured)
            self.values[node.id] = value
        elif node.id not in self.values and not is_generated(node.id):
            raise InternalError(
                f"{name} is read at {self.spans.of(node)} but was not carried there"
            )
        return self.current(node.id)

    def is_free(self, node: gast.Name) -> bool:
        """Is it a variable of a function around the function or class that reads it?"""
        outside = self.own is not None and node.id not in self.own
        of_class = getattr(node, "is_free", False)
        return outside or of_class or self.scope.kind(node.id) == "captured"

    @contextmanager
    def inside(self, comprehension: gast.AST, names: Iterable[str]) -> Iterator[None]:
        """Lower the parts of a comprehension with these variables."""
        outer = self.own
        if isinstance(comprehension, FUNCTIONS_OF_PYTHON):
            self.own = frozenset(names)
        elif outer is not None:
            self.own = outer.union(names)
        try:
            yield
        finally:
            self.own = outer

    def current(self, name: str) -> Value:
        """The value of a plain local variable, `py.undefined` if it is unbound."""
        if name in self.values:
            return self.values[name]
        return emit1(py.undefined, name=user_name(name))

    def write(self, name: str, value: Value) -> None:
        if self.is_value(name):
            self.values[name] = value
            value.name = value.name or user_name(name)
        elif self.scope.kind(name) == "global":
            emit(py.store_global, value, name=user_name(name))
        else:
            if name in self.shared:
                value.name = value.name or user_name(name)
            emit(py.store_cell, self.cells[name], value, name=user_name(name))

    def delete(self, node: gast.Name) -> None:
        if not self.scope.is_value(node.id):
            is_global = self.scope.kind(node.id) == "global"
            refusal = errors.DeleteGlobal if is_global else errors.DeleteCaptured
            raise MyiaError(refusal(self.spans.of(node), node.id))
        self.read(node)
        if node.id in self.shared:
            self.forget([node.id])
        else:
            del self.values[node.id]

    def is_value(self, name: str) -> bool:
        """Is `name` a plain SSA value here?"""
        return self.scope.is_value(name) and name not in self.shared

    def forget(self, names: Iterable[str]) -> None:
        """The shared ones of `names` are unbound now, or never read again."""
        for name in dict.fromkeys(names):
            if name in self.shared:
                nothing = emit1(py.undefined, name=user_name(name))
                emit(py.store_cell, self.cells[name], nothing, name=user_name(name))

    def new_cell(self, name: str) -> None:
        self.cells[name] = emit1(py.cell, name=user_name(name))
        self.cells[name].name = user_name(name)

    # ----- Regions

    def branch(
        self,
        pred: Value,
        then: Callable[[], Sequence[Value]],
        other: Callable[[], Sequence[Value]],
        assigned: Iterable[str],
        live: Iterable[str] | None = None,
    ) -> tuple[Value, ...]:
        """An `if`, and the results of its branches. Merges the `assigned` names that are `live`."""
        assigned = [n for n in dict.fromkeys(assigned) if self.is_value(n)]
        joined = assigned if live is None else [n for n in assigned if n in live]
        outside = self.values

        def region(build: Callable[[], Sequence[Value]]) -> list[Value]:
            self.values = dict(outside)
            return [*build(), *map(self.current, joined)]

        results = emit_structured.if_(pred, lambda: region(then), lambda: region(other))
        self.values = {n: v for n, v in outside.items() if n not in assigned}
        first = len(results) - len(joined)
        self._name(joined, results[first:])
        return results[:first]

    def loop(
        self,
        iterable: Value | None,
        test: Callable[[], Value] | None,
        body: Callable[[Value], None],
        assigned: Iterable[str],
        live: Iterable[str],
    ) -> None:
        """A loop over `iterable`, while `test`. It carries the `assigned` names that are `live`."""
        assigned = [n for n in dict.fromkeys(assigned) if self.is_value(n)]
        carried = [n for n in assigned if n in live]
        kept = {n: v for n, v in self.values.items() if n not in assigned}
        init = tuple(map(self.current, carried))

        def region(build: Callable[[Value], list[Value]]) -> Region:
            def inside(item: Value, *values: Value) -> list[Value]:
                self.values = {**kept, **dict(zip(carried, values))}
                return build(item)

            names = [None, *map(user_name, carried)]
            return build_region([PY] * len(names), inside, names)

        def iteration(item: Value) -> list[Value]:
            body(item)
            return [self.current(n) for n in carried]

        cond = None if test is None else region(lambda item: [test()])
        parts = s.Loop(iterable, init, cond, region(iteration), None)
        results = emit_structured.emit_loop(parts)
        self.values = kept
        self._name(carried, results)

    def parts(
        self,
        primitive: Primitive,
        builds: Sequence[Callable[[], Sequence[Value]]],
        assigned: Iterable[str],
        **params: Any,
    ) -> None:
        """An op with a region for each part of a `try`. Names that it assigns are in cells."""
        outside = self.values

        def region(build: Callable[[], Sequence[Value]]) -> Region:
            self.values = dict(outside)
            return build_region([], build)

        emit(primitive, regions=[region(build) for build in builds], **params)
        gone = set(assigned)
        self.values = {n: v for n, v in outside.items() if n not in gone}

    def _name(self, names: Sequence[str], values: Sequence[Value]) -> None:
        for name, value in zip(names, values):
            self.values[name] = value
            value.name = user_name(name)

    # ----- Live names

    def live_after(self, node: gast.If) -> frozenset[str]:
        return self.core_liveness.after[node]

    def live_at(self, loop: Loop) -> frozenset[str]:
        """Names to carry: live in the desugared program, and in the user's loop if there is one."""
        live = self.core_liveness.header[loop]
        if loop not in self.user_liveness.header:
            return live
        users = self.user_liveness.header[loop] | self.user_liveness.after[loop]
        return frozenset(n for n in live if is_generated(n) or n in users)
