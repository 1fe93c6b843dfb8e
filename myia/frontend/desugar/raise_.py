"""A jump after each `raise`, for back ends where an error is only a recorded mark.

    while c:                       while c:
        raise e        ->              raise e
                                       return %nothing

    for x in xs:                   for x in xs:
        raise e        ->              raise e
                                       continue

A `for` ends by itself: without an early exit, its trip count stays known. `%nothing` is unbound.
In a `try` nothing is jumped over: where an error may be caught, inference tests for it
(`infer/eval/handlers.py`).
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, Fresh, Loop, name


def leave_after_raise(stmts: Block, fresh: Fresh) -> Block:
    return _leave(stmts, around=None)


def _leave(stmts: Block, around: str | None) -> Block:
    """`around`: "while" if an enclosing loop is a `while`, "for" if all are `for`s."""
    done: Block = []
    for stmt in stmts:
        done.append(stmt)
        if isinstance(stmt, gast.Raise):
            jump = gast.Continue() if around == "for" else gast.Return(name("%nothing", stmt))
            done.append(gast.copy_location(jump, stmt))
        elif isinstance(stmt, gast.If):
            stmt.body, stmt.orelse = _leave(stmt.body, around), _leave(stmt.orelse, around)
        elif isinstance(stmt, Loop):
            inside = "while" if stmt.iter is None or around == "while" else "for"
            stmt.body, stmt.orelse = _leave(stmt.body, inside), _leave(stmt.orelse, around)
        elif isinstance(stmt, gast.Try):
            outside = [*(handler.body for handler in stmt.handlers), stmt.orelse, stmt.finalbody]
            for block in outside:
                block[:] = _leave(block, around)
    return done
