"""Live variables: which names are read later, so what `if` must yield and loops must carry.

    n = 0
    for x in xs:        # carries n (read in the next trip, and after), not t
        t = x * x
        n = n + t
    return n

A backward analysis of core Python, of the user's program with its jumps as of the desugared one.
Inner functions count for nothing here: the names that they share are cells, not values.
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
    """`after[node]`: live after an `if` or a loop; `header[node]`: where each trip begins."""

    after: dict[gast.If | Loop, Names] = field(default_factory=dict)
    header: dict[Loop, Names] = field(default_factory=dict)


def liveness(stmts: list[gast.stmt]) -> Liveness:
    """Of the whole body of a function."""
    analysis = _Analysis()
    analysis.block(stmts, NOTHING)
    return analysis.found


def reads(*parts: gast.AST | None) -> Names:
    """Names that the evaluation of `parts` may read."""
    return frozenset(
        n.id
        for part in parts
        if part is not None
        for n in walk_here(part)
        if isinstance(n, gast.Name) and isinstance(n.ctx, (gast.Load, gast.Del))
    )


def definitely_bound(target: gast.AST | None) -> Names:
    """Names that an assignment to `target` always replaces."""
    if isinstance(target, gast.Name):
        return frozenset([target.id])
    if isinstance(target, gast.Starred):
        return definitely_bound(target.value)
    if isinstance(target, (gast.Tuple, gast.List)):
        return frozenset().union(*map(definitely_bound, target.elts))
    return NOTHING


class _Analysis:
    def __init__(self):
        self.found = Liveness()
        self.jumps: list[tuple[Names, Names]] = []  # live after `break`, after `continue`

    def block(self, stmts: Iterable[gast.stmt], live: Names) -> Names:
        """What is live before `stmts`, given what is after."""
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
