"""Statements that no path leads to are dropped, so that the passes after need not think of them.

    while True:                    while True:
        continue           ->          continue
        break
    rest

(Which names are local was settled before: in Python, unreachable assignments count for it.)
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from myia.frontend.core import Loop, has_own_break, is_true

Block = list[gast.stmt]
JUMPS = (gast.Return, gast.Raise, gast.Break, gast.Continue)


def drop_unreachable(stmts: Block, fresh: Callable[[str], str]) -> Block:
    for i, stmt in enumerate(stmts):
        if isinstance(stmt, (gast.If, Loop)):
            stmt.body = drop_unreachable(stmt.body, fresh)
            stmt.orelse = drop_unreachable(stmt.orelse, fresh)
        if isinstance(stmt, Loop) and stmt.iter is None and is_true(stmt.test):
            stmt.orelse = []
        if not _ends(stmt):
            return stmts[: i + 1]
    return stmts


def _ends(stmt: gast.stmt) -> bool:
    """Is there a path to what follows `stmt`? Of its parts the unreachable is gone already."""
    if isinstance(stmt, JUMPS):
        return False
    if isinstance(stmt, gast.If):
        return _block_ends(stmt.body) or _block_ends(stmt.orelse)
    if isinstance(stmt, Loop):
        exhausts = stmt.iter is not None or not is_true(stmt.test)
        return (exhausts and _block_ends(stmt.orelse)) or has_own_break(stmt.body)
    return True


def _block_ends(stmts: Block) -> bool:
    return not stmts or _ends(stmts[-1])
