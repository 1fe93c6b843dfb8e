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
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import gast

from myia.frontend.core import Loop, is_true, walk_here

Names = frozenset[str]
NOTHING: Names = frozenset()


@dataclass
class Liveness:
    """`after[node]`: live after an `if` or loop; `header[node]`: at the start of each iteration."""

    after: dict[gast.If | Loop, Names] = field(default_factory=dict)
    header: dict[Loop, Names] = field(default_factory=dict)


def liveness(stmts: list[gast.stmt]) -> Liveness:
    """The live names at each `if` and loop in the body of a function."""
    analysis = _Analysis()
    analysis.block(stmts, NOTHING)
    return analysis.found


def reads(*parts: gast.AST | None) -> Names:
    """The names that the evaluation of `parts` may read."""
    return frozenset(
        n.id
        for part in parts
        if part is not None
        for n in walk_here(part)
        if isinstance(n, gast.Name) and isinstance(n.ctx, (gast.Load, gast.Del))
    )


def definitely_bound(target: gast.AST | None) -> Names:
    """The names that an assignment to `target` always binds."""
    if isinstance(target, gast.Name):
        return frozenset([target.id])
    if isinstance(target, gast.Starred):
        return definitely_bound(target.value)
    if isinstance(target, (gast.Tuple, gast.List)):
        return frozenset().union(*map(definitely_bound, target.elts))
    return NOTHING


class _Analysis:
    def __init__(self) -> None:
        self.found = Liveness()
        self.jumps: list[tuple[Names, Names]] = []  # live after `break`, after `continue`

    def block(self, stmts: Iterable[gast.stmt], live: Names) -> Names:
        """The live names before `stmts`, given those after."""
        for stmt in reversed(list(stmts)):
            live = self.statement(stmt, live)
        return live

    def statement(self, node: gast.stmt, live: Names) -> Names:
        if isinstance(node, gast.If):
            self.found.after[node] = live
            branches = self.block(node.body, live) | self.block(node.orelse, live)
            return reads(node.test) | branches
        if isinstance(node, Loop):
            return self.loop(node, live)
        if isinstance(node, gast.Break):
            return self.jumps[-1][0]
        if isinstance(node, gast.Continue):
            return self.jumps[-1][1]
        if isinstance(node, gast.Return):
            return reads(node.value)
        if isinstance(node, gast.Raise):
            return reads(node.exc)
        return self.simple(node, live)

    def simple(self, node: gast.stmt, live: Names) -> Names:
        if isinstance(node, gast.Assign):
            bound = frozenset().union(*map(definitely_bound, node.targets))
            return (live - bound) | reads(node)
        if isinstance(node, gast.AugAssign):
            return live | reads(node) | definitely_bound(node.target)
        if isinstance(node, gast.AnnAssign) and node.value is not None:
            return (live - definitely_bound(node.target)) | reads(node)
        if isinstance(node, gast.FunctionDef):
            return (live - {node.name}) | reads(node)
        return live | reads(node)

    def loop(self, node: Loop, live: Names) -> Names:
        exhausted = self.block(node.orelse, live)
        if node.iter is None and is_true(node.test):
            exhausted = NOTHING
        header = exhausted | reads(node.test)
        while True:
            self.jumps.append((live, header))
            body = self.block(node.body, header)
            self.jumps.pop()
            grown = header | (body - definitely_bound(node.target)) | reads(node.target)
            if grown == header:
                break
            header = grown
        self.found.after[node] = live
        self.found.header[node] = header
        return header | reads(node.iter)
