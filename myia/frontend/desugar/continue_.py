"""Removal of `continue`: the rest of the body moves into the other branch.

    for x in xs:                   for x in xs:
        if c:                          if c:
            continue       ->              pass
        rest                           else:
                                           rest

If there is no other branch, a flag guards the rest (`jumps.py`).
"""

from __future__ import annotations

import gast

from myia.frontend.core import Block, Fresh, Loop, assign, constant, has_own, rewritten
from myia.frontend.desugar.jumps import Jump, remove


def remove_continues(stmts: Block, fresh: Fresh) -> Block:
    def remove_from(stmt: gast.stmt) -> Block:
        if isinstance(stmt, Loop) and has_own(gast.Continue, stmt.body):
            flag = fresh("continue")
            body = remove(stmt.body, Jump(gast.Continue, flag))
            stmt.body = [assign(flag, constant(False, stmt), stmt), *body]
        return [stmt]

    return rewritten(stmts, remove_from)
