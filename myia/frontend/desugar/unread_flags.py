"""Removal of flags that are never read.

%returned = False              %value = a
%value = a             ->      return %value
%returned = True
return %value
"""

from __future__ import annotations

from typing import Any

import gast

from myia.frontend.core import Block, Fresh, is_generated, rewritten, walk_here


def drop_unread_flags(stmts: Block, fresh: Fresh) -> Block:
    names = [n for stmt in stmts for n in walk_here(stmt) if isinstance(n, gast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, gast.Load)}

    def kept(stmt: gast.stmt) -> Block:
        target: Any = stmt.targets[0] if isinstance(stmt, gast.Assign) else None
        is_flag = isinstance(target, gast.Name) and is_generated(target.id)
        return [] if is_flag and target.id not in read else [stmt]

    return rewritten(stmts, kept)
