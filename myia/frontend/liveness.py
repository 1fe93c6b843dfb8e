"""Live variables: the names that an `if` must yield and a loop must carry.

    n = 0
    for x in xs:        # carries n (read in the next iteration, and after), not t
        t = x * x
        n = n + t
    return n

A backward data-flow analysis of core Python, with or without jumps. Names that inner functions
share are cells, not SSA values: inner functions are ignored.

What it computes: the live names after each `if` and loop, and at each loop header. What it
guarantees: a name that is not live is assigned before it is read again, or never read. When it
gives up: never; all branches count as possible.

A read may be unbound if and only if that very read is live where the name is: at the start of the
function, or after a `del` of the name.

    if c: x = 1
    return x            # live at the start
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any

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

Read = Any  # a string: all reads of a name; a `Name`: one of them, where they are told apart
Reads = frozenset[Read]
NOTHING: Reads = frozenset()


@dataclass
class Liveness:
    """`after[node]`: live after an `if` or loop; `header[node]`: at the start of each iteration.

    `escapes[node]`: live after a part of a `try`, where the others start and behind it.
    """

    after: dict[gast.If | Loop, Reads] = field(default_factory=dict)
    header: dict[Loop, Reads] = field(default_factory=dict)
    escapes: dict[gast.Try, Reads] = field(default_factory=dict)


def liveness(stmts: list[gast.stmt]) -> Liveness:
    """The live names at each `if` and loop in the body of a function."""
    analysis = _Analysis()
    analysis.block(stmts, NOTHING)
    return analysis.found


def maybe_unbound_reads(function: gast.AST) -> frozenset[gast.Name]:
    """The `Name` nodes of `function` that may be read, deleted or augmented while unbound."""
    names = _maybe_unbound(function, apart=())
    return _maybe_unbound(function, apart=names) if names else NOTHING


def _maybe_unbound(function: gast.AST, apart: Container[str]) -> Reads:
    analysis = _Analysis(apart)
    live = analysis.block(body_of(function), NOTHING)
    for p in parameters(function):
        live = analysis.assigned(p.id, live)
    local = NOTHING.union(*(analysis.reads[name] for name in analysis.bound))
    return (live | analysis.deleted) & local


class _Analysis:
    """Each method gives what is live before its node, from what is live after it.

    Reads of the names `apart` are told apart. (Of all names: many reads times many statements.)
    """

    def __init__(self, apart: Container[str] = ()) -> None:
        self.found = Liveness()
        self.apart = apart
        self.reads: dict[str, set[Read]] = defaultdict(set)  # met so far, by name
        self.bound: set[str] = set()  # the names that are assigned somewhere
        self.deleted: set[Read] = set()  # live after a `del` of their name
        self.jumps: list[tuple[Reads, Reads]] = []  # live after `break`, after `continue`
        self.returned = self.raised = NOTHING  # live after `return`, and where an error is caught

    # ----- Names

    def read(self, node: gast.Name, live: Reads) -> Reads:
        read = node if node.id in self.apart else node.id
        self.reads[node.id].add(read)
        return live | {read}

    def assigned(self, name: str, live: Reads) -> Reads:
        self.bound.add(name)
        return live - self.reads[name]

    def target(self, node: gast.expr, live: Reads) -> Reads:
        """An assignment to `node`, or its deletion."""
        if isinstance(node, gast.Name):
            is_deleted = isinstance(node.ctx, gast.Del)
            if is_deleted:
                self.deleted |= live & self.reads[node.id]
            live = self.assigned(node.id, live)
            return self.read(node, live) if is_deleted else live
        if isinstance(node, (gast.Tuple, gast.List)):
            return self.targets(node.elts, live)
        if isinstance(node, gast.Starred):
            return self.target(node.value, live)
        return self.children(node, live)

    def targets(self, nodes: list[gast.expr], live: Reads) -> Reads:
        for node in reversed(nodes):
            live = self.target(node, live)
        return live

    # ----- Statements

    def block(self, stmts: Iterable[gast.stmt], live: Reads) -> Reads:
        for stmt in reversed(list(stmts)):
            live = self.statement(stmt, live)
        return live

    def statement(self, node: gast.stmt, live: Reads) -> Reads:
        return self.completed(node, live) | self.raised

    def completed(self, node: gast.stmt, live: Reads) -> Reads:
        if isinstance(node, gast.If):
            _add(self.found.after, node, live)
            branches = self.block(node.body, live) | self.block(node.orelse, live)
            return self.expression(node.test, branches)
        if isinstance(node, Loop):
            return self.loop(node, live)
        if isinstance(node, gast.Try):
            return self.try_(node, live)
        if isinstance(node, gast.Break):
            return self.jumps[-1][0]
        if isinstance(node, gast.Continue):
            return self.jumps[-1][1]
        if isinstance(node, gast.Return):
            return self.children(node, self.returned)
        if isinstance(node, gast.Raise):
            return self.children(node, self.raised)
        return self.simple(node, live)

    def try_(self, node: gast.Try, live: Reads) -> Reads:
        jumps, returned, raised = self.jumps, self.returned, self.raised
        after = live

        def left(reads: Reads) -> Reads:
            """What is live where the body is left for what has these reads."""
            return self.block(node.finalbody, reads)

        live, self.raised = left(live), left(raised)
        if node.finalbody:
            self.jumps, self.returned = [(left(b), left(c)) for b, c in jumps], left(returned)
        handled = self.raised
        for handler in reversed(node.handlers):
            inside = self.block(handler.body, live)
            handled |= inside if handler.type is None else self.expression(handler.type, inside)
        orelse = self.block(node.orelse, live)
        self.raised = handled
        body = self.block(node.body, orelse) | handled
        self.jumps, self.returned, self.raised = jumps, returned, raised
        _add(self.found.escapes, node, after | live | orelse | handled)
        return body

    def simple(self, node: gast.stmt, live: Reads) -> Reads:
        if isinstance(node, gast.Assign):
            return self.expression(node.value, self.targets(node.targets, live))
        if isinstance(node, gast.AugAssign):
            if isinstance(node.target, gast.Name):
                live = self.expression(node.value, self.assigned(node.target.id, live))
                return self.read(node.target, live)
            return self.children(node.target, self.expression(node.value, live))
        if isinstance(node, gast.AnnAssign) and node.value is not None:
            return self.expression(node.value, self.target(node.target, live))
        if isinstance(node, gast.AnnAssign) and isinstance(node.target, gast.Name):
            self.bound.add(node.target.id)  # local, though it has no value
            return live
        if isinstance(node, gast.FunctionDef):
            live = self.assigned(node.name, live)
        if isinstance(node, gast.Delete):
            return self.targets(node.targets, live)
        if isinstance(node, gast.Assert) and node.msg is not None:
            return self.expression(node.test, live | self.expression(node.msg, NOTHING))
        return self.children(node, live)

    def loop(self, node: Loop, live: Reads) -> Reads:
        exhausted = self.block(node.orelse, live)
        if node.iter is None and is_true(node.test):
            exhausted = NOTHING
        header, before = exhausted, None
        while header != before:
            self.jumps.append((live, header))
            body = self.block(node.body, header)
            self.jumps.pop()
            if node.target is not None:
                body = self.target(node.target, body)
            if node.test is not None:
                body = self.expression(node.test, exhausted | body)
            header, before = header | body, header
        _add(self.found.after, node, live)
        _add(self.found.header, node, header)
        return header if node.iter is None else self.expression(node.iter, header)

    # ----- Expressions

    def expression(self, node: gast.expr, live: Reads) -> Reads:
        if isinstance(node, gast.Name):
            return self.read(node, live)
        if isinstance(node, gast.NamedExpr):
            return self.expression(node.value, self.target(node.target, live))
        if isinstance(node, gast.IfExp):
            branches = self.expression(node.body, live) | self.expression(node.orelse, live)
            return self.expression(node.test, branches)
        if isinstance(node, gast.BoolOp):
            return self.short_circuit(node.values, 1, live)
        if isinstance(node, gast.Compare):
            return self.short_circuit([node.left, *node.comparators], 2, live)
        if isinstance(node, COMPREHENSIONS):
            return self.comprehension(node, live)
        return self.children(node, live)

    def short_circuit(self, nodes: list[gast.expr], count: int, live: Reads) -> Reads:
        """The first `count` of `nodes` are always evaluated; each of the others perhaps not."""
        before = live
        for node in reversed(nodes[count:]):
            before = live | self.expression(node, before)
        for node in reversed(nodes[:count]):
            before = self.expression(node, before)
        return before

    def comprehension(self, node: gast.expr, live: Reads) -> Reads:
        first = node.generators[0]
        inside = NOTHING
        for item in reversed(items_of(node)):
            inside = self.expression(item, inside)
        for generator in reversed(node.generators):
            for test in reversed(generator.ifs):
                inside = self.expression(test, inside)
            inside = self.target(generator.target, inside)
            if generator is not first:
                inside = self.expression(generator.iter, inside)
        return self.expression(first.iter, inside | live)

    def children(self, node: gast.AST, live: Reads) -> Reads:
        for child in reversed(list(evaluated_here(node))):
            live = self.expression(child, live)
        return live


def _add(found: dict[Any, Reads], node: gast.AST, live: Reads) -> None:
    """A `finally` is met once for each way into it."""
    found[node] = found.get(node, NOTHING) | live
