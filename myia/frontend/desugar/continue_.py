"""Removal of `continue`: the rest of the body moves into the other branch.

    for x in xs:                   for x in xs:
        if c:                          if c:
            continue       ->              pass
        rest                           else:
                                           rest

If there is no other branch, a flag guards the rest (`jumps.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from myia.frontend.core import Loop, assign, constant
from myia.frontend.desugar.jumps import Jump, remove

Block = list[gast.stmt]


def remove_continues(stmts: Block, fresh: Callable[[str], str]) -> Block:
    for stmt in stmts:
        if isinstance(stmt, (gast.If, Loop)):
            stmt.body = remove_continues(stmt.body, fresh)
            stmt.orelse = remove_continues(stmt.orelse, fresh)
        if isinstance(stmt, Loop) and _has_own_continue(stmt.body):
            stmt.body = _remove(stmt, fresh("continue"))
    return stmts


def _remove(loop: Loop, flag: str) -> Block:
    def taken(node: gast.Continue) -> Block:
        return [assign(flag, constant(True, node), node)]

    body, _ = remove(loop.body, Jump(gast.Continue, flag, taken))
    return [assign(flag, constant(False, loop), loop), *body]


def _has_own_continue(stmts: Block) -> bool:
    """Is there a `continue` in `stmts` that belongs to the loop around them?"""
    for stmt in stmts:
        if isinstance(stmt, gast.Continue):
            return True
        if isinstance(stmt, gast.If) and _has_own_continue([*stmt.body, *stmt.orelse]):
            return True
    return False
