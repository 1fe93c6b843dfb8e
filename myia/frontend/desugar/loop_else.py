"""Removal of the `else` of a loop: a flag tells whether a `break` left the loop.

                                   %broke = False
    for x in xs:                   for x in xs:
        if c:                          if c:
            break           ->             %broke = True
    else:                                  break
        E                          if not %broke:
                                       E

Without a `break`, the statements of the `else` simply follow the loop.
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from myia.frontend.core import Loop, assign, constant, has_own_break, if_, name, not_

Block = list[gast.stmt]


def remove_loop_elses(stmts: Block, fresh: Callable[[str], str]) -> Block:
    done: Block = []
    for stmt in stmts:
        if isinstance(stmt, (gast.If, Loop)):
            stmt.body = remove_loop_elses(stmt.body, fresh)
            stmt.orelse = remove_loop_elses(stmt.orelse, fresh)
        done += _remove(stmt, fresh) if isinstance(stmt, Loop) and stmt.orelse else [stmt]
    return done


def _remove(loop: Loop, fresh: Callable[[str], str]) -> Block:
    orelse, loop.orelse = loop.orelse, []
    if not has_own_break(loop.body):
        return [loop, *orelse]
    flag = loop.broke = fresh("broke")
    loop.body = _mark_breaks(loop.body, flag)
    otherwise = if_(not_(name(flag, loop)), orelse, [], loop)
    return [assign(flag, constant(False, loop), loop), loop, otherwise]


def _mark_breaks(stmts: Block, flag: str) -> Block:
    """Put `flag = True` before each `break` of this loop (not of inner loops)."""
    done: Block = []
    for stmt in stmts:
        if isinstance(stmt, gast.Break):
            done.append(assign(flag, constant(True, stmt), stmt))
        if isinstance(stmt, gast.If):
            stmt.body = _mark_breaks(stmt.body, flag)
            stmt.orelse = _mark_breaks(stmt.orelse, flag)
        done.append(stmt)
    return done
