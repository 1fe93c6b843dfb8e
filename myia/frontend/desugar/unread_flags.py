"""Removal of flags that are never read.

%returned = False              %value = a
%value = a             ->      return %value
%returned = True
return %value
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from myia.frontend.core import Loop, is_generated
from myia.frontend.liveness import reads

Block = list[gast.stmt]


def drop_unread_flags(stmts: Block, fresh: Callable[[str], str]) -> Block:
    return _drop(stmts, reads(*stmts))


def _drop(stmts: Block, read: frozenset[str]) -> Block:
    kept = [stmt for stmt in stmts if not _sets_unread_flag(stmt, read)]
    for stmt in kept:
        if isinstance(stmt, (gast.If, Loop)):
            stmt.body, stmt.orelse = _drop(stmt.body, read), _drop(stmt.orelse, read)
    return kept


def _sets_unread_flag(stmt: gast.stmt, read: frozenset[str]) -> bool:
    if not isinstance(stmt, gast.Assign) or not isinstance(stmt.targets[0], gast.Name):
        return False
    return is_generated(stmt.targets[0].id) and stmt.targets[0].id not in read
