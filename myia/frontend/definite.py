"""Definite assignment: the reads of local names that may be unbound.

    if c: x = 1
    return x            # x may be unbound here

A forward data-flow analysis of core Python, before the removal of jumps. A state is the set of
definitely assigned names, or None at unreachable points; states are joined by intersection.

What it computes: the `Name` nodes that may be unbound. What it guarantees: all other reads find a
value. When it gives up: never, but conditions are not evaluated: all branches count as possible.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from myia.frontend.core import (
    COMPREHENSIONS,
    Loop,
    body_of,
    evaluated_here,
    is_true,
    items_of,
    parameters,
)

Names = frozenset[str]
State = Names | None


def maybe_unbound_reads(function: gast.AST) -> set[gast.Name]:
    """The `Name` nodes of `function` that may be read, deleted or augmented while unbound."""
    analysis = _Analysis()
    analysis.block(body_of(function), frozenset(p.id for p in parameters(function)))
    return analysis.maybe_unbound


def _join(*states: State) -> State:
    reached = [s for s in states if s is not None]
    return frozenset.intersection(*reached) if reached else None


class _Analysis:
    def __init__(self) -> None:
        self.maybe_unbound: set[gast.Name] = set()
        self.breaks: list[list[State]] = []  # states at the `break`s of each enclosing loop
        self.continues: list[list[State]] = []

    # ----- Statements

    def block(self, stmts: Iterable[gast.stmt], state: State) -> State:
        for stmt in stmts:
            state = self.statement(stmt, state)
        return state

    def statement(self, node: gast.stmt, state: State) -> State:
        if state is None:
            return None
        if isinstance(node, gast.If):
            state = self.expression(node.test, state)
            return _join(self.block(node.body, state), self.block(node.orelse, state))
        if isinstance(node, Loop):
            return self.loop(node, state)
        if isinstance(node, gast.Break):
            self.breaks[-1].append(state)
            return None
        if isinstance(node, gast.Continue):
            self.continues[-1].append(state)
            return None
        state = self.simple(node, state)
        return None if isinstance(node, (gast.Return, gast.Raise)) else state

    def simple(self, node: gast.stmt, state: Names) -> Names:
        if isinstance(node, gast.Assign):
            return self.targets(node.targets, self.expression(node.value, state))
        if isinstance(node, gast.AugAssign):
            if isinstance(node.target, gast.Name):
                state = self.read(node.target, state)
            return self.targets([node.target], self.expression(node.value, state))
        if isinstance(node, gast.AnnAssign):
            return self.annotated(node, state)
        if isinstance(node, gast.FunctionDef):
            return self.children(node, state) | {node.name}
        if isinstance(node, gast.Delete):
            return self.delete(node.targets, state)
        if isinstance(node, gast.Assert) and node.msg is not None:
            passed = self.expression(node.test, state)
            self.expression(node.msg, passed)
            return passed
        return self.children(node, state)

    def annotated(self, node: gast.AnnAssign, state: Names) -> Names:
        if node.value is not None:
            return self.targets([node.target], self.expression(node.value, state))
        return state if isinstance(node.target, gast.Name) else self.target(node.target, state)

    def loop(self, node: Loop, state: Names) -> State:
        if node.iter is not None:
            state = self.expression(node.iter, state)
        header = state
        while True:  # without `del`, an iteration loses no names: the first pass is a fixed point
            exits, breaks, again = self.iteration(node, header)
            before, header = header, header if again is None else header & again
            if header == before:
                break
        return _join(self.block(node.orelse, exits), *breaks)

    def iteration(self, node: Loop, state: Names) -> tuple[State, list[State], State]:
        """The states at exhaustion, at the breaks, and at the start of the next iteration."""
        exits: State = state
        if node.test is not None:
            state = self.expression(node.test, state)
            exits = None if is_true(node.test) else state
        if node.iter is not None:
            state = self.target(node.target, state)
        self.breaks.append([])
        self.continues.append([])
        end = self.block(node.body, state)
        return exits, self.breaks.pop(), _join(end, *self.continues.pop())

    # ----- Targets

    def targets(self, targets: list[gast.expr], state: Names) -> Names:
        for target in targets:
            state = self.target(target, state)
        return state

    def target(self, node: gast.expr, state: Names) -> Names:
        if isinstance(node, gast.Name):
            return state | {node.id}
        if isinstance(node, (gast.Tuple, gast.List)):
            return self.targets(node.elts, state)
        if isinstance(node, gast.Starred):
            return self.target(node.value, state)
        return self.children(node, state)

    def delete(self, targets: list[gast.expr], state: Names) -> Names:
        for target in targets:
            if isinstance(target, gast.Name):
                state = self.read(target, state) - {target.id}
            elif isinstance(target, (gast.Tuple, gast.List)):
                state = self.delete(target.elts, state)
            else:
                state = self.children(target, state)
        return state

    # ----- Expressions, in the order of evaluation

    def read(self, node: gast.Name, state: Names) -> Names:
        if node.id not in state:
            self.maybe_unbound.add(node)
        return state

    def expression(self, node: gast.expr, state: Names) -> Names:
        if isinstance(node, gast.Name):
            return self.read(node, state)
        if isinstance(node, gast.NamedExpr):
            return self.target(node.target, self.expression(node.value, state))
        if isinstance(node, gast.IfExp):
            state = self.expression(node.test, state)
            return self.expression(node.body, state) & self.expression(node.orelse, state)
        if isinstance(node, gast.BoolOp):
            return self.short_circuit(node.values, 1, state)
        if isinstance(node, gast.Compare):
            return self.short_circuit([node.left, *node.comparators], 2, state)
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node, state)
        return self.children(node, state)

    def short_circuit(self, nodes: list[gast.expr], count: int, state: Names) -> Names:
        """The first `count` of `nodes` are always evaluated; each of the others perhaps not."""
        for node in nodes[:count]:
            state = self.expression(node, state)
        after = state
        for node in nodes[count:]:
            after = self.expression(node, after)
        return state

    def comprehension(self, node: gast.expr, state: Names) -> Names:
        first = node.generators[0]
        outside = inside = self.expression(first.iter, state)
        for generator in node.generators:
            if generator is not first:
                inside = self.expression(generator.iter, inside)
            inside = self.target(generator.target, inside)
            for test in generator.ifs:
                inside = self.expression(test, inside)
        for item in items_of(node):
            inside = self.expression(item, inside)
        return outside

    def children(self, node: gast.AST, state: Names) -> Names:
        for child in evaluated_here(node):
            state = self.expression(child, state)
        return state
