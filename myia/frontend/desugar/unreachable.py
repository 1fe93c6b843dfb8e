"""Removal of unreachable statements: later passes need not handle them.

    while True:                    while True:
        continue           ->          continue
        break
    rest

(The local names are known already: in Python, unreachable assignments make a name local, too.)
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, Fresh, Loop, blocks, has_own, is_true

JUMPS = (gast.Return, gast.Raise, gast.Break, gast.Continue)


def drop_unreachable(stmts: Block, fresh: Fresh) -> Block:
    for i, stmt in enumerate(stmts):
        for block in blocks(stmt):
            block[:] = drop_unreachable(block, fresh)
        if isinstance(stmt, Loop) and stmt.iter is None and is_true(stmt.test):
            stmt.orelse = []
        if not _completes(stmt):
            return stmts[: i + 1]
    return stmts


def _completes(stmt: gast.stmt) -> bool:
    """Can control reach the end of `stmt`? (Its unreachable parts are gone already.)"""
    if isinstance(stmt, JUMPS):
        return False
    if isinstance(stmt, gast.If):
        return _block_completes(stmt.body) or _block_completes(stmt.orelse)
    if isinstance(stmt, Loop):
        exhausts = stmt.iter is not None or not is_true(stmt.test)
        return (exhausts and _block_completes(stmt.orelse)) or has_own(gast.Break, stmt.body)
    if isinstance(stmt, gast.Try):
        body = _block_completes(stmt.body) and _block_completes(stmt.orelse)
        handled = any(_block_completes(handler.body) for handler in stmt.handlers)
        return (body or handled) and _block_completes(stmt.finalbody)
    return True


def _block_completes(stmts: Block) -> bool:
    return not stmts or _completes(stmts[-1])
